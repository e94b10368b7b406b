//! Reads `t_${id % 4}` into a tree. The size of the tree is bounded, and with it the cost of every evaluation.

use super::tree::{Binary, Cast, Expr, Function, Method, Part};

/// More nodes than this are refused.
const MOST_NODES: usize = 500;
/// Deeper nesting than this is refused.
const DEPTH: usize = 40;

/// What is wrong with an expression, and at which of its characters.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Wrong {
    /// From 1.
    pub(super) position: usize,
    /// Without a full stop.
    pub(super) reason: String,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at position {}", self.reason, self.position)
    }
}

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    nodes: usize,
    depth: usize,
    /// Names of variables, in the order of their numbers.
    pub(super) variables: Vec<String>,
}

type Parsed<T> = Result<T, Wrong>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, nodes: 0, depth: 0, variables: Vec::new() }
    }

    /// The whole text: literal parts and expressions in braces.
    pub(super) fn parts(&mut self) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        while !self.rest().is_empty() {
            let open =
                ["${", "$->{"].iter().filter_map(|open| Some((self.rest().find(open)?, open.len()))).min();
            let Some((start, length)) = open else {
                parts.push(Part::Literal(self.rest().to_owned()));
                break;
            };
            if start > 0 {
                parts.push(Part::Literal(self.rest()[..start].to_owned()));
            }
            self.at += start + length;
            let expression = self.expression()?;
            if !self.take("}") {
                return Err(self.wanted("'}'"));
            }
            parts.push(Part::Expression(expression));
        }
        Ok(parts)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn wrong(&self, reason: impl Into<String>) -> Wrong {
        Wrong { position: self.text[..self.at].chars().count() + 1, reason: reason.into() }
    }

    fn wanted(&mut self, what: &str) -> Wrong {
        self.blanks();
        match self.rest().chars().next() {
            Some(found) => self.wrong(format!("{what} is wanted instead of '{found}'")),
            None => self.wrong(format!("{what} is missing")),
        }
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Takes these characters if they come next.
    fn take(&mut self, what: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    /// Takes a word if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        self.blanks();
        let found = self.rest().strip_prefix(word).is_some_and(|after| !after.starts_with(is_letter));
        if found {
            self.at += word.len();
        }
        found
    }

    fn word(&mut self) -> Option<&'a str> {
        self.blanks();
        let rest = self.rest();
        let length = rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += length;
        Some(&rest[..length])
    }

    fn node(&mut self, expr: Expr) -> Parsed<Expr> {
        self.nodes += 1;
        if self.nodes > MOST_NODES { Err(self.wrong("the expression is too long")) } else { Ok(expr) }
    }

    /// `condition ? then : otherwise`, and all that binds stronger.
    fn expression(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.wrong("the expression is nested too deeply"));
        }
        let condition = self.binary(0)?;
        let expr = if self.take("?:") {
            let otherwise = self.expression()?;
            self.node(Expr::Or(Box::new(condition), Box::new(otherwise)))?
        } else if self.take("?") {
            let then = self.expression()?;
            if !self.take(":") {
                return Err(self.wanted("':'"));
            }
            let otherwise = self.expression()?;
            self.node(Expr::Choose(Box::new(condition), Box::new(then), Box::new(otherwise)))?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            if level == CAST_LEVEL && self.take_word("as") {
                let cast =
                    self.word().and_then(Cast::named).ok_or_else(|| self.wanted("int, long or String"))?;
                left = self.node(Expr::Cast(Box::new(left), cast))?;
                continue;
            }
            let Some(operator) = self.operator(operators) else { return Ok(left) };
            let right = self.binary(level + 1)?;
            left = self.node(Expr::Binary(operator, Box::new(left), Box::new(right)))?;
        }
    }

    fn operator(&mut self, operators: &[(&str, Binary)]) -> Option<Binary> {
        self.blanks();
        let found = operators
            .iter()
            .find(|(text, _)| self.rest().strip_prefix(text).is_some_and(|after| !is_longer(text, after)));
        found.map(|(text, operator)| {
            self.at += text.len();
            *operator
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.wrong("the expression is nested too deeply"));
        }
        let expr = if self.take("-") {
            let inner = self.unary()?;
            self.node(Expr::Negative(Box::new(inner)))?
        } else if self.take("!") {
            let inner = self.unary()?;
            self.node(Expr::Not(Box::new(inner)))?
        } else if self.take("+") {
            self.unary()?
        } else {
            self.postfix()?
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            self.blanks();
            if self.rest().starts_with("..") {
                return Ok(expr);
            }
            if self.take("?.") || self.take(".") {
                let start = self.at;
                let Some(name) = self.word() else { return Err(self.wanted("a method")) };
                let method = Method::named(name);
                let Some(method) = method else {
                    self.at = start;
                    return Err(self.wrong(format!("unknown method '{name}'")));
                };
                let arguments = self.arguments(name, method.arguments())?;
                expr = self.node(Expr::Call(method, Box::new(expr), arguments))?;
            } else if self.take("[") {
                let from = self.expression()?;
                let expr_at = if self.take("..") {
                    let to = self.expression()?;
                    Expr::Slice(Box::new(expr), Box::new(from), Box::new(to))
                } else {
                    Expr::At(Box::new(expr), Box::new(from))
                };
                if !self.take("]") {
                    return Err(self.wanted("']'"));
                }
                expr = self.node(expr_at)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn arguments(&mut self, name: &str, wanted: std::ops::RangeInclusive<usize>) -> Parsed<Vec<Expr>> {
        if !self.take("(") {
            return Err(self.wanted("'('"));
        }
        let mut arguments = Vec::new();
        if !self.take(")") {
            loop {
                arguments.push(self.expression()?);
                if self.take(")") {
                    break;
                }
                if !self.take(",") {
                    return Err(self.wanted("')'"));
                }
            }
        }
        if wanted.contains(&arguments.len()) {
            Ok(arguments)
        } else {
            Err(self.wrong(format!("'{name}' does not take {} arguments", arguments.len())))
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        self.blanks();
        let start = self.at;
        let expr = match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.expression()?;
                if !self.take(")") {
                    return Err(self.wanted("')'"));
                }
                return Ok(inner);
            }
            Some('0'..='9') => self.number()?,
            Some(quote @ ('\'' | '"')) => self.string(quote)?,
            _ => {
                let Some(word) = self.word() else { return Err(self.wanted("a value")) };
                match word {
                    "true" => Expr::Truth(true),
                    "false" => Expr::Truth(false),
                    "Integer" | "Long" | "Math" | "String" => {
                        if !self.take(".") {
                            return Err(self.wanted("'.'"));
                        }
                        let name = self.word().ok_or_else(|| self.wanted("a function"))?;
                        let Some(function) = Function::named(word, name) else {
                            self.at = start;
                            return Err(self.wrong(format!("unknown function '{word}.{name}'")));
                        };
                        let arguments = self.arguments(name, function.arguments())?;
                        Expr::Function(function, arguments)
                    }
                    "as" | "in" | "instanceof" | "new" | "null" | "this" => {
                        self.at = start;
                        return Err(self.wrong(format!("'{word}' is not supported")));
                    }
                    name => self.variable(name),
                }
            }
        };
        self.node(expr)
    }

    fn variable(&mut self, name: &str) -> Expr {
        let known = self.variables.iter().position(|known| known.eq_ignore_ascii_case(name));
        Expr::Variable(known.unwrap_or_else(|| {
            self.variables.push(name.to_owned());
            self.variables.len() - 1
        }))
    }

    fn number(&mut self) -> Parsed<Expr> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let Ok(value) = rest[..length].parse::<i64>() else {
            return Err(self.wrong("the number is too large"));
        };
        if length > 1 && rest.starts_with('0') {
            return Err(self.wrong("a number with a leading zero is not supported"));
        }
        let after = &rest[length..];
        let long = after.starts_with(['l', 'L']);
        if !long
            && (after.starts_with(is_letter)
                || after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            return Err(self.wrong("a number other than an integer is not supported"));
        }
        self.at += length + usize::from(long);
        Ok(match i32::try_from(value) {
            Ok(value) if !long => Expr::Int(value),
            _ => Expr::Long(value),
        })
    }

    fn string(&mut self, quote: char) -> Parsed<Expr> {
        let inner = &self.rest()[1..];
        let Some(length) = inner.find(quote) else { return Err(self.wrong("the quote is not closed")) };
        let text = &inner[..length];
        if text.contains('\\') || quote == '"' && text.contains('$') {
            return Err(self.wrong("'\\' and '$' in a text are not supported"));
        }
        self.at += length + 2;
        Ok(Expr::Text(text.to_owned()))
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether an operator goes on in what follows, so that it is another one.
fn is_longer(text: &str, after: &str) -> bool {
    match text {
        "|" | "&" => after.starts_with(text),
        "<" | ">" => after.starts_with(['<', '>', '=']),
        ">>" => after.starts_with('>'),
        "*" => after.starts_with('*'),
        "==" => after.starts_with('='),
        _ => false,
    }
}

/// Where `as` binds.
const CAST_LEVEL: usize = 6;

/// Operators from those that bind weakest.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::Unequal)],
    &[
        ("<=", Binary::LessOrEqual),
        (">=", Binary::GreaterOrEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("<<", Binary::ShiftLeft), (">>>", Binary::ShiftRightUnsigned), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];
