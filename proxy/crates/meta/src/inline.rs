//! The inline expression language (`algorithms.md` §1.9, `distsql.md` §3): lists of names in rules, and the names that
//! `INLINE` algorithms compute.
//!
//! A subset of Groovy with Groovy's results: what is not understood is refused when the rule is created, with its
//! place in the text. An expression of any text is read and evaluated in bounded time and space.

mod names;
mod parse;
mod run;
mod tree;
mod value;

pub(crate) use names::{expand, split};
pub use value::Fault;

use parse::Parser;
use tree::Part;
use value::Value;

/// `t_order_${order_id % 4}`, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    parts: Vec<Part>,
    variables: Vec<String>,
}

/// The value of a variable.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operand<'a> {
    /// An integer.
    Int(i128),
    /// A text.
    Text(&'a str),
}

impl Expression {
    /// Reads an expression; the error says what is wrong with it and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser::new(text);
        let parts = parser.parts().map_err(|wrong| wrong.to_string())?;
        Ok(Self { text: text.to_owned(), parts, variables: parser.variables })
    }

    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its variables, in the order in which [`Self::evaluate`] wants their values; none twice in any letter case.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Whether two expressions compute the same but for the names of their variables and what their texts begin with.
    pub(crate) fn alike(&self, prefix: &str, other: &Self, other_prefix: &str) -> bool {
        let cut = |parts: &[Part], prefix: &str| {
            let mut parts = parts.to_vec();
            if let Some(Part::Literal(text)) = parts.first_mut()
                && text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            {
                *text = text.split_off(prefix.len());
            }
            parts
        };
        cut(&self.parts, prefix) == cut(&other.parts, other_prefix)
    }

    /// The text that it comes to.
    pub fn evaluate(&self, operands: &[Operand<'_>]) -> Result<String, Fault> {
        let values: Vec<Value> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Int(value) => Value::integer(*value),
                Operand::Text(text) => Value::Text((*text).to_owned()),
            })
            .collect();
        let mut text = String::with_capacity(32);
        for part in &self.parts {
            match part {
                Part::Expression(expr) => {
                    use std::fmt::Write;
                    let _ = write!(text, "{}", run::run(expr, &values)?);
                }
                Part::Literal(literal) => text.push_str(literal),
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
