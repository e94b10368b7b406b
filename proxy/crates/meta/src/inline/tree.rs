//! The tree of an expression.

use std::ops::RangeInclusive;

/// A part of an expression's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Expression(Expr),
    Literal(String),
}

/// What stands between the braces.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// The character at a place; a negative one counts from the end.
    At(Box<Self>, Box<Self>),
    Binary(Binary, Box<Self>, Box<Self>),
    Call(Method, Box<Self>, Vec<Self>),
    Cast(Box<Self>, Cast),
    Choose(Box<Self>, Box<Self>, Box<Self>),
    Function(Function, Vec<Self>),
    Int(i32),
    Long(i64),
    Negative(Box<Self>),
    Not(Box<Self>),
    /// The first if it is true, else the second.
    Or(Box<Self>, Box<Self>),
    /// Characters from the first to the second, both included; negative ones count from the end.
    Slice(Box<Self>, Box<Self>, Box<Self>),
    Text(String),
    Truth(bool),
    Variable(usize),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Binary {
    Add,
    And,
    BitAnd,
    BitOr,
    BitXor,
    Divide,
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Multiply,
    Or,
    Remainder,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    Subtract,
    Unequal,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Cast {
    Int,
    Long,
    Text,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Method {
    Abs,
    Concat,
    Contains,
    EndsWith,
    HashCode,
    IndexOf,
    IntDiv,
    LastIndexOf,
    Length,
    Mod,
    PadLeft,
    PadRight,
    Replace,
    Reverse,
    StartsWith,
    Substring,
    ToInt,
    ToLong,
    ToLower,
    ToText,
    ToUpper,
    Trim,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Function {
    Abs,
    FloorDiv,
    FloorMod,
    Int,
    Long,
    Max,
    Min,
    Text,
}

impl Cast {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "int" | "Integer" => Self::Int,
            "long" | "Long" => Self::Long,
            "String" => Self::Text,
            _ => return None,
        })
    }
}

impl Method {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "abs" => Self::Abs,
            "concat" => Self::Concat,
            "contains" => Self::Contains,
            "endsWith" => Self::EndsWith,
            "hashCode" => Self::HashCode,
            "indexOf" => Self::IndexOf,
            "intdiv" => Self::IntDiv,
            "lastIndexOf" => Self::LastIndexOf,
            "length" | "size" => Self::Length,
            "mod" | "remainder" => Self::Mod,
            "padLeft" => Self::PadLeft,
            "padRight" => Self::PadRight,
            "replace" => Self::Replace,
            "reverse" => Self::Reverse,
            "startsWith" => Self::StartsWith,
            "substring" => Self::Substring,
            "intValue" | "toInteger" => Self::ToInt,
            "longValue" | "toLong" => Self::ToLong,
            "toLowerCase" => Self::ToLower,
            "toString" => Self::ToText,
            "toUpperCase" => Self::ToUpper,
            "trim" => Self::Trim,
            _ => return None,
        })
    }

    /// How many it takes.
    pub(super) fn arguments(self) -> RangeInclusive<usize> {
        match self {
            Self::Replace => 2..=2,
            Self::PadLeft | Self::PadRight | Self::Substring => 1..=2,
            Self::Concat
            | Self::Contains
            | Self::EndsWith
            | Self::IndexOf
            | Self::IntDiv
            | Self::LastIndexOf
            | Self::Mod
            | Self::StartsWith => 1..=1,
            _ => 0..=0,
        }
    }
}

impl Function {
    pub(super) fn named(class: &str, name: &str) -> Option<Self> {
        Some(match (class, name) {
            ("Math", "abs") => Self::Abs,
            ("Math", "floorDiv") => Self::FloorDiv,
            ("Math", "floorMod") => Self::FloorMod,
            ("Math", "max") => Self::Max,
            ("Math", "min") => Self::Min,
            ("Integer", "parseInt" | "valueOf") => Self::Int,
            ("Long", "parseLong" | "valueOf") => Self::Long,
            ("String", "valueOf") => Self::Text,
            _ => return None,
        })
    }

    /// How many it takes.
    pub(super) fn arguments(self) -> RangeInclusive<usize> {
        match self {
            Self::Abs | Self::Int | Self::Long | Self::Text => 1..=1,
            Self::FloorDiv | Self::FloorMod | Self::Max | Self::Min => 2..=2,
        }
    }
}
