//! Masks' properties, read and checked (`distsql.md` §8). How values are masked is `plan::algorithm`'s.

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// A mask with its properties. Numbers count characters, from 0.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Mask {
    /// `MASK_AFTER_SPECIAL_CHARS`: what follows these characters is hidden.
    AfterSpecialChars(Cover<String>),
    /// `MASK_BEFORE_SPECIAL_CHARS`: what comes before these characters is hidden.
    BeforeSpecialChars(Cover<String>),
    /// `KEEP_FIRST_N_LAST_M`: all but the first and the last is hidden.
    KeepFirstLast(Cover<Pair>),
    /// `KEEP_FROM_X_TO_Y`: all but these is hidden, both ends kept.
    KeepFromTo(Cover<Pair>),
    /// `MASK_FIRST_N_LAST_M`: the first and the last are hidden.
    MaskFirstLast(Cover<Pair>),
    /// `MASK_FROM_X_TO_Y`: these are hidden, both ends included.
    MaskFromTo(Cover<Pair>),
    /// `MD5`: the digest of the value and a salt.
    Md5(String),
    /// `LANDLINE_NUMBER_RANDOM_REPLACE`, `TELEPHONE_RANDOM_REPLACE`: behind one of these beginnings, the longest first,
    /// come random digits.
    Number(Vec<String>),
    /// `GENERIC_TABLE_RANDOM_REPLACE`: each character becomes a random one of its kind.
    RandomReplace(Box<RandomReplace>),
}

/// What is covered, and with what.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Cover<W> {
    /// Which characters.
    pub which: W,
    /// `replace-char`.
    pub with: char,
}

/// `first-n` and `last-m`, or `from-x` and `to-y`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pair {
    /// The first of the two.
    pub left: usize,
    /// The second.
    pub right: usize,
}

/// What characters become; none of the lists is empty.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RandomReplace {
    /// `uppercase-letter-codes`.
    pub upper: Vec<char>,
    /// `lowercase-letter-codes`.
    pub lower: Vec<char>,
    /// `digital-codes`, `digital-random-codes`.
    pub digits: Vec<char>,
    /// `special-codes`: for all that is neither letter nor digit.
    pub special: Vec<char>,
}

impl Mask {
    /// Reads an algorithm's type (letter case ignored) and its properties.
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        match spec.kind.to_ascii_uppercase().as_str() {
            "GENERIC_TABLE_RANDOM_REPLACE" => {
                RandomReplace::parse(spec).map(|it| Self::RandomReplace(Box::new(it)))
            }
            "KEEP_FIRST_N_LAST_M" => first_last(spec).map(Self::KeepFirstLast),
            "KEEP_FROM_X_TO_Y" => from_to(spec).map(Self::KeepFromTo),
            "LANDLINE_NUMBER_RANDOM_REPLACE" => beginnings(spec, "landline-numbers").map(Self::Number),
            "MASK_AFTER_SPECIAL_CHARS" => special(spec).map(Self::AfterSpecialChars),
            "MASK_BEFORE_SPECIAL_CHARS" => special(spec).map(Self::BeforeSpecialChars),
            "MASK_FIRST_N_LAST_M" => first_last(spec).map(Self::MaskFirstLast),
            "MASK_FROM_X_TO_Y" => from_to(spec).map(Self::MaskFromTo),
            "MD5" => {
                let properties = Properties::of(AlgorithmKind::Mask, spec, &["salt"])?;
                Ok(Self::Md5(properties.exact("salt").unwrap_or_default().to_owned()))
            }
            "TELEPHONE_RANDOM_REPLACE" => beginnings(spec, "network-numbers").map(Self::Number),
            _ => Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Mask, names: Names::one(&spec.kind) }),
        }
    }
}

impl RandomReplace {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let digits = ["digital-codes", "digital-random-codes"];
        let known =
            ["uppercase-letter-codes", "lowercase-letter-codes", digits[0], digits[1], "special-codes"];
        let properties = Properties::of(AlgorithmKind::Mask, spec, &known)?;
        let list = |name: &str, otherwise: &mut dyn Iterator<Item = char>| match properties.text(name) {
            None => Ok(otherwise.collect()),
            Some(text) => text
                .split(',')
                .map(|code| code.trim().chars().next())
                .collect::<Option<Vec<char>>>()
                .ok_or_else(|| properties.error(format!("'{name}' must be not empty"))),
        };
        let digits = if properties.text(digits[1]).is_some() { digits[1] } else { digits[0] };
        Ok(Self {
            upper: list(known[0], &mut ('A'..='Z'))?,
            lower: list(known[1], &mut ('a'..='z'))?,
            digits: list(digits, &mut ('0'..='9'))?,
            special: list(known[4], &mut "~!@#$%^&*:<>|".chars())?,
        })
    }
}

fn first_last(spec: &AlgorithmSpec) -> Result<Cover<Pair>, Error> {
    let properties = Properties::of(AlgorithmKind::Mask, spec, &["first-n", "last-m", "replace-char"])?;
    let which = Pair { left: number(properties, "first-n")?, right: number(properties, "last-m")? };
    Ok(Cover { which, with: replacement(properties)? })
}

fn from_to(spec: &AlgorithmSpec) -> Result<Cover<Pair>, Error> {
    let properties = Properties::of(AlgorithmKind::Mask, spec, &["from-x", "to-y", "replace-char"])?;
    let which = Pair { left: number(properties, "from-x")?, right: number(properties, "to-y")? };
    if which.left > which.right {
        return Err(properties.error("fromX must be less than or equal to toY".to_owned()));
    }
    Ok(Cover { which, with: replacement(properties)? })
}

fn special(spec: &AlgorithmSpec) -> Result<Cover<String>, Error> {
    let properties = Properties::of(AlgorithmKind::Mask, spec, &["special-chars", "replace-char"])?;
    let which = required(properties, "special-chars")?.to_owned();
    if which.is_empty() {
        return Err(properties.error("special-chars's length must be at least one".to_owned()));
    }
    Ok(Cover { which, with: replacement(properties)? })
}

/// Beginnings of numbers, the longest first.
fn beginnings(spec: &AlgorithmSpec, name: &str) -> Result<Vec<String>, Error> {
    let properties = Properties::of(AlgorithmKind::Mask, spec, &[name])?;
    let mut list = Vec::new();
    for number in required(properties, name)?.split(',').map(str::trim) {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(properties.error(format!("{name} {number} can only be integer number")));
        }
        list.push(number.to_owned());
    }
    list.sort_by_key(|number| std::cmp::Reverse(number.len()));
    Ok(list)
}

fn required<'a>(properties: Properties<'a>, name: &str) -> Result<&'a str, Error> {
    properties.exact(name).ok_or_else(|| properties.error(format!("{name} is required")))
}

fn number(properties: Properties<'_>, name: &str) -> Result<usize, Error> {
    let text = required(properties, name)?.trim();
    text.parse::<u32>()
        .ok()
        .and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| properties.error(format!("{name} must be a valid integer number")))
}

fn replacement(properties: Properties<'_>) -> Result<char, Error> {
    let mut chars = required(properties, "replace-char")?.chars();
    match (chars.next(), chars.next()) {
        (Some(char), None) => Ok(char),
        _ => Err(properties.error("replace-char's length must be one".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: &str, properties: &[(&str, &str)]) -> Result<Mask, Error> {
        Mask::parse(&AlgorithmSpec {
            kind: kind.to_owned(),
            properties: properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        })
    }

    #[test]
    fn reads_every_mask() {
        let pair = |left, right| Cover { which: Pair { left, right }, with: '*' };
        let first_last = [("first-n", "1"), ("last-m", "0"), ("replace-char", "*")];
        let from_to = [("from-x", "2"), ("to-y", "2"), ("replace-char", "*")];
        let special = [("special-chars", "@"), ("replace-char", "#")];
        let at = Cover { which: "@".to_owned(), with: '#' };
        for (kind, properties, mask) in [
            ("md5", &[][..], Mask::Md5(String::new())),
            ("KEEP_FIRST_N_LAST_M", &first_last, Mask::KeepFirstLast(pair(1, 0))),
            ("MASK_FIRST_N_LAST_M", &first_last, Mask::MaskFirstLast(pair(1, 0))),
            ("KEEP_FROM_X_TO_Y", &from_to, Mask::KeepFromTo(pair(2, 2))),
            ("MASK_FROM_X_TO_Y", &from_to, Mask::MaskFromTo(pair(2, 2))),
            ("MASK_BEFORE_SPECIAL_CHARS", &special, Mask::BeforeSpecialChars(at.clone())),
            ("MASK_AFTER_SPECIAL_CHARS", &special, Mask::AfterSpecialChars(at)),
            (
                "TELEPHONE_RANDOM_REPLACE",
                &[("network-numbers", "130, 1310")],
                Mask::Number(vec!["1310".to_owned(), "130".to_owned()]),
            ),
            (
                "LANDLINE_NUMBER_RANDOM_REPLACE",
                &[("landline-numbers", "025")],
                Mask::Number(vec!["025".to_owned()]),
            ),
        ] {
            assert_eq!(parse(kind, properties), Ok(mask), "{kind}");
        }
    }

    #[test]
    fn reads_what_characters_become() {
        let Ok(Mask::RandomReplace(it)) = parse("GENERIC_TABLE_RANDOM_REPLACE", &[]) else { panic!() };
        assert_eq!((it.upper.len(), it.lower.len(), it.digits.len(), it.special.len()), (26, 26, 10, 13));
        let codes = [("uppercase-letter-codes", "A, B"), ("digital-random-codes", "7")];
        let Ok(Mask::RandomReplace(it)) = parse("generic_table_random_replace", &codes) else { panic!() };
        assert_eq!((it.upper, it.digits), (vec!['A', 'B'], vec!['7']));
    }

    #[test]
    fn refuses_properties_that_are_missing_wrong_or_unknown() {
        let first = ("first-n", "1");
        let star = ("replace-char", "*");
        for (kind, properties, reason) in [
            ("KEEP_FIRST_N_LAST_M", &[first, star][..], "last-m is required"),
            (
                "KEEP_FIRST_N_LAST_M",
                &[first, ("last-m", "-1"), star],
                "last-m must be a valid integer number",
            ),
            ("MASK_FIRST_N_LAST_M", &[first, ("last-m", "1")], "replace-char is required"),
            (
                "MASK_FIRST_N_LAST_M",
                &[first, ("last-m", "1"), ("replace-char", "**")],
                "replace-char's length must be one",
            ),
            (
                "MASK_FROM_X_TO_Y",
                &[("from-x", "3"), ("to-y", "2"), star],
                "fromX must be less than or equal to toY",
            ),
            (
                "MASK_AFTER_SPECIAL_CHARS",
                &[("special-chars", ""), star],
                "special-chars's length must be at least one",
            ),
            ("TELEPHONE_RANDOM_REPLACE", &[], "network-numbers is required"),
            (
                "TELEPHONE_RANDOM_REPLACE",
                &[("network-numbers", "13x")],
                "network-numbers 13x can only be integer number",
            ),
            ("GENERIC_TABLE_RANDOM_REPLACE", &[("special-codes", "")], "'special-codes' must be not empty"),
            ("MD5", &[("sal", "x")], "unknown property 'sal'; there are 'salt'"),
        ] {
            let error = parse(kind, properties).unwrap_err().to_string();
            assert_eq!(error, format!("Mask algorithm `{kind}` initialization failed, reason is: {reason}."));
        }
        let unknown = parse("NONE", &[]).unwrap_err().to_string();
        assert_eq!(unknown, "Invalid mask algorithms `[NONE]`.");
    }
}
