//! Algorithms that compute the names of their targets.

use crate::algorithm::Properties;
use crate::error::{AlgorithmKind, Error};
use crate::inline::Expression;
use crate::rule::AlgorithmSpec;

/// Properties of `INLINE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Inline {
    /// `algorithm-expression`.
    pub expression: Expression,
    /// `allow-range-query-with-inline-sharding`: ranges go to every target instead of being refused.
    pub ranges: bool,
}

/// Properties of `COMPLEX_INLINE`.
#[derive(Clone, Debug, PartialEq)]
pub struct ComplexInline {
    /// `sharding-columns`; those of the strategy when empty.
    pub columns: Vec<String>,
    /// `algorithm-expression`.
    pub expression: Expression,
    /// `allow-range-query-with-inline-sharding`: ranges go to every target instead of being refused.
    pub ranges: bool,
}

/// Properties of `HINT_INLINE`.
#[derive(Clone, Debug, PartialEq)]
pub struct HintInline {
    /// `algorithm-expression`; `${value}` when not given.
    pub expression: Expression,
}

const EXPRESSION: &str = "algorithm-expression";
const RANGES: &str = "allow-range-query-with-inline-sharding";

impl Inline {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &[EXPRESSION, RANGES])?;
        let text = properties.required(EXPRESSION)?;
        Ok(Self { expression: expression(properties, text)?, ranges: properties.flag(RANGES)? })
    }
}

impl ComplexInline {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties =
            Properties::of(AlgorithmKind::Sharding, spec, &["sharding-columns", EXPRESSION, RANGES])?;
        let text = properties.required(EXPRESSION)?;
        let columns = properties.text("sharding-columns").unwrap_or_default();
        let columns = columns.split(',').map(str::trim).filter(|column| !column.is_empty());
        Ok(Self {
            columns: columns.map(str::to_owned).collect(),
            expression: expression(properties, text)?,
            ranges: properties.flag(RANGES)?,
        })
    }
}

impl HintInline {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &[EXPRESSION])?;
        let expression = expression(properties, properties.text(EXPRESSION).unwrap_or("${value}"))?;
        match expression.variables() {
            [] => Ok(Self { expression }),
            [only] if only == "value" => Ok(Self { expression }),
            variables => {
                let other = variables.iter().find(|name| *name != "value").unwrap_or(&variables[0]);
                Err(properties
                    .error(format!("property '{EXPRESSION}' has only the variable value, not {other}")))
            }
        }
    }
}

fn expression(properties: Properties<'_>, text: &str) -> Result<Expression, Error> {
    if text.is_empty() {
        return Err(properties.error(format!("property '{EXPRESSION}' is missing")));
    }
    Expression::parse(text)
        .map_err(|reason| properties.error(format!("property '{EXPRESSION}' is wrong: {reason}")))
}
