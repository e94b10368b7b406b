//! `COMPLEX_INLINE` (`algorithms.md` §1.11): an expression over several keys gives the name of the target.

use meta::{ComplexInline, Operand};
use smallvec::SmallVec;

use super::{Key, Misfit};

/// The name of the target of one key for each column.
pub(super) fn name(
    properties: &ComplexInline,
    columns: &[String],
    keys: &[Key<'_>],
) -> Result<String, Misfit> {
    let mut texts: SmallVec<[itoa::Buffer; 2]> = keys.iter().map(|_| itoa::Buffer::new()).collect();
    let mut operands = SmallVec::<[Operand<'_>; 2]>::new();
    for (key, text) in keys.iter().zip(&mut texts) {
        operands.push(match key {
            Key::Digits(value) => Operand::Text(text.format(*value)),
            Key::Int(value) => Operand::Int(*value),
            Key::Moment(..) => return Err(Misfit::Doubtful),
            Key::Text(text) => Operand::Text(text),
        });
    }
    let variables: Option<SmallVec<[Operand<'_>; 2]>> = properties
        .expression
        .variables()
        .iter()
        .map(|name| {
            let column = columns.iter().position(|column| column.eq_ignore_ascii_case(name))?;
            operands.get(column).copied()
        })
        .collect();
    let variables = variables.ok_or(Misfit::Doubtful)?;
    properties.expression.evaluate(&variables).map_err(Misfit::Fault)
}

#[cfg(test)]
mod tests {
    use meta::Expression;

    use super::*;

    #[test]
    fn evaluates_the_keys_by_the_names_of_their_columns() {
        let properties = ComplexInline {
            columns: Vec::new(),
            expression: Expression::parse("t_${order_id % 2}_${USER_id % 3}").unwrap(),
            ranges: false,
        };
        let columns = ["user_id".to_owned(), "order_id".to_owned()];
        assert_eq!(name(&properties, &columns, &[Key::Int(5), Key::Int(3)]).unwrap(), "t_1_2");
        assert_eq!(name(&properties, &columns, &[Key::Int(5)]), Err(Misfit::Doubtful));
    }
}
