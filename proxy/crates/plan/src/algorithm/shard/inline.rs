//! `INLINE` (`algorithms.md` §1.9): an expression over the key gives the name of the target.

use meta::{Expression, Operand};

use super::{Key, Misfit};

/// The name of the target of one key.
pub(super) fn name(expression: &Expression, key: Key<'_>) -> Result<String, Misfit> {
    with_operand(key, |operand| {
        let operands: smallvec::SmallVec<[Operand<'_>; 1]> =
            expression.variables().iter().map(|_| operand).collect();
        expression.evaluate(&operands).map_err(Misfit::Fault)
    })
}

/// Hands a key on as an operand.
fn with_operand<T>(key: Key<'_>, run: impl FnOnce(Operand<'_>) -> Result<T, Misfit>) -> Result<T, Misfit> {
    match key {
        Key::Digits(value) => run(Operand::Text(itoa::Buffer::new().format(value))),
        Key::Int(value) => run(Operand::Int(value)),
        Key::Moment(..) => Err(Misfit::Doubtful),
        Key::Text(text) => run(Operand::Text(text)),
    }
}

#[cfg(test)]
mod tests {
    use meta::Fault;
    use proptest::prelude::*;

    use super::*;

    fn of(expression: &str, key: Key<'_>) -> Result<String, Misfit> {
        name(&Expression::parse(expression).unwrap(), key)
    }

    #[test]
    fn evaluates_the_stored_key() {
        for (expression, key, expected) in [
            ("ds_${user_id % 2}", Key::Int(5), "ds_1"),
            ("t_order_$->{order_id % 4}", Key::Int(-1), "t_order_-1"),
            ("t_${name.substring(0, 1)}", Key::Text("beta"), "t_b"),
            ("t_${name.length()}", Key::Digits(-123), "t_4"),
            ("t_fixed", Key::Int(1), "t_fixed"),
        ] {
            assert_eq!(of(expression, key).unwrap(), expected, "{expression}");
        }
        assert_eq!(of("t_${name % 2}", Key::Text("x")), Err(Misfit::Fault(Fault::Type)));
    }

    proptest! {
        #[test]
        fn targets_partition_the_integers(value in any::<i64>(), count in 1u8..50) {
            let expression = format!("t_${{Math.floorMod(id, {count})}}");
            let found = of(&expression, Key::Int(i128::from(value))).unwrap();
            prop_assert_eq!(found, format!("t_{}", value.rem_euclid(i64::from(count))));
        }
    }
}
