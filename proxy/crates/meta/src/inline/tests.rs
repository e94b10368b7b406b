use proptest::prelude::*;

use super::*;

fn value(expression: &str, operands: &[Operand<'_>]) -> Result<String, Fault> {
    Expression::parse(&format!("${{{expression}}}")).unwrap().evaluate(operands)
}

fn of(expression: &str) -> String {
    value(expression, &[]).unwrap()
}

#[test]
fn computes_the_names_of_targets() {
    for (expression, operand, name) in [
        ("ds_${user_id % 2}", Operand::Int(5), "ds_1"),
        ("t_order_$->{order_id % 4}", Operand::Int(7), "t_order_3"),
        ("t_${id % 4}", Operand::Int(-1), "t_-1"),
        ("t_${Math.abs(id % 4)}", Operand::Int(-1), "t_1"),
        ("t_${id.intdiv(100)}_x", Operand::Int(1234), "t_12_x"),
        ("t_${name.substring(0, 2)}", Operand::Text("ab12"), "t_ab"),
        ("t_${name.hashCode() % 4}", Operand::Text("abc"), "t_2"),
        ("t_${Math.abs(name.hashCode()) % 10}", Operand::Text("13800001111"), "t_8"),
        ("t_${(id % 16).toString().padLeft(2, '0')}", Operand::Int(5), "t_05"),
        ("t_${name[-2..-1]}", Operand::Text("user-17"), "t_17"),
        ("t_${id > 100 ? 'new' : 'old'}", Operand::Int(101), "t_new"),
        ("t_${name.toLong() % 4}", Operand::Text("11"), "t_3"),
        ("t_${'x' + (id as long) % 3}", Operand::Int(5), "t_x2"),
        ("plain", Operand::Int(5), "plain"),
        ("a${id}b${ID}", Operand::Int(5), "a5b5"),
    ] {
        assert_eq!(
            Expression::parse(expression).unwrap().evaluate(&[operand]).unwrap(),
            name,
            "{expression}"
        );
    }
}

#[test]
fn calculates_like_groovy() {
    for (expression, expected) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 % 3 * 2", "2"),
        ("-7 % 3", "-1"),
        ("7 / 2", "3.5"),
        ("4 / 2", "2"),
        ("1 / 3", "0.3333333333"),
        ("2 / 3", "0.6666666667"),
        ("-2 / 3", "-0.6666666667"),
        ("(7 / 2) as int", "3"),
        ("(7 / 2).toInteger() + 1", "4"),
        ("7.intdiv(2)", "3"),
        ("2147483647 + 1", "-2147483648"),
        ("2147483647L + 1", "2147483648"),
        ("2147483648 + 1", "2147483649"),
        ("65536 * 65536", "0"),
        ("9223372036854775807 + 1", "-9223372036854775808"),
        ("-2147483648.abs()", "-2147483648"),
        ("5 & 3 | 8 ^ 1", "9"),
        ("1 << 3 >> 1", "4"),
        ("-1 >>> 28", "15"),
        ("-1L >>> 60", "15"),
        ("1 < 2 && 2 <= 2 && !(3 != 3)", "true"),
        ("1 == 1 ? 'a' : 'b'", "a"),
        ("'' ?: 'none'", "none"),
        ("'b' > 'a'", "true"),
        ("1 + '2'", "12"),
        ("'a'.length() + 1", "2"),
        ("'abc'[0]", "a"),
        ("'abc'.reverse().toUpperCase()", "CBA"),
        ("'a-b'.replace('-', '_')", "a_b"),
        ("'a-b'.indexOf('-')", "1"),
        ("Math.floorMod(-1, 4)", "3"),
        ("Math.max(1, 2L)", "2"),
        ("5 % 3 as String", "2"),
        ("1 + 2 == 3 ? 1 : 0", "1"),
        ("(1000000000000 as int)", "-727379968"),
        ("1000000000000.hashCode()", "-727379736"),
    ] {
        assert_eq!(of(expression), expected, "{expression}");
    }
}

#[test]
fn takes_operands_beyond_64_bits() {
    assert_eq!(value("id % 4", &[Operand::Int(i128::from(u64::MAX))]).unwrap(), "3");
    assert_eq!(value("id + 1", &[Operand::Int(i128::from(u64::MAX))]).unwrap(), "18446744073709551616");
}

#[test]
fn has_no_value_where_groovy_throws() {
    for (expression, fault) in [
        ("1 % 0", Fault::Divide),
        ("1 / 0", Fault::Divide),
        ("1.intdiv(0)", Fault::Divide),
        ("'abc' % 2", Fault::Type),
        ("'abc'.toLong()", Fault::Number),
        ("'abc'.substring(2, 5)", Fault::Index),
        ("'abc'.substring(-1)", Fault::Index),
        ("'abc'[3]", Fault::Index),
        ("1.substring(0)", Fault::Type),
        ("'a'.padLeft(100000000, '0')", Fault::Length),
        ("1 > 'a'", Fault::Type),
    ] {
        assert_eq!(value(expression, &[]).unwrap_err(), fault, "{expression}");
    }
    let big = Operand::Int(i128::MAX);
    assert_eq!(value("id * id", &[big]).unwrap_err(), Fault::Overflow);
    assert_eq!(value("id / 3", &[big]).unwrap_err(), Fault::Overflow);
}

#[test]
fn says_where_an_expression_is_wrong() {
    for (expression, reason) in [
        ("t_${id % }", "a value is wanted instead of '}' at position 10"),
        ("t_${id % 2", "'}' is missing at position 11"),
        ("t_${id 2}", "'}' is wanted instead of '2' at position 8"),
        ("t_${id.execute()}", "unknown method 'execute' at position 8"),
        ("t_${Math.random()}", "unknown function 'Math.random' at position 5"),
        ("t_${System.exit(1)}", "unknown method 'exit' at position 12"),
        ("t_${new File('x')}", "'new' is not supported at position 5"),
        ("t_${id.substring()}", "'substring' does not take 0 arguments at position 19"),
        ("ä_${'x}", "the quote is not closed at position 5"),
        ("t_${1.5}", "a number other than an integer is not supported at position 5"),
        ("t_${010}", "a number with a leading zero is not supported at position 5"),
        ("t_${99999999999999999999}", "the number is too large at position 5"),
        ("t_${2 ** 3}", "'}' is wanted instead of '*' at position 7"),
    ] {
        assert_eq!(Expression::parse(expression).unwrap_err(), reason, "{expression}");
    }
}

#[test]
fn bounds_what_it_reads() {
    let deep = format!("${{{}1{}}}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(Expression::parse(&deep).unwrap_err().starts_with("the expression is nested too deeply"));
    let minus = format!("${{{}1}}", "-".repeat(10_000));
    assert!(Expression::parse(&minus).unwrap_err().starts_with("the expression is nested too deeply"));
    let long = format!("${{1{}}}", " + 1".repeat(10_000));
    assert!(Expression::parse(&long).unwrap_err().starts_with("the expression is too long"));
    let doubling = format!("${{{}'a'}}", "'' ?: ".repeat(100));
    assert!(Expression::parse(&doubling).is_err());
}

#[test]
fn nested_parts_are_kept_and_evaluated_once() {
    let choices = format!("{}''{}", "(".repeat(18), " ?: '')".repeat(18));
    let places = format!("{}0{}", "'0'[".repeat(18), "].toInteger()".repeat(18));
    for (expression, expected) in [(choices, ""), (places, "0")] {
        let read = Expression::parse(&format!("${{{expression}}}")).unwrap();
        assert_eq!(read.evaluate(&[]).unwrap(), expected);
        let size = format!("{:?}", read.parts).len();
        assert!(size < 60 * expression.len(), "{size}");
    }
}

proptest! {
    #[test]
    fn never_panics(text in "[-a-c0-9+*/%(){}$.'\\[\\]?:<>&|^! ]{0,60}", number in any::<i64>()) {
        if let Ok(expression) = Expression::parse(&text) {
            let operands = vec![Operand::Int(i128::from(number)); expression.variables().len()];
            let _ = expression.evaluate(&operands);
        }
    }

    #[test]
    fn arithmetic_is_that_of_java(a in any::<i32>(), b in any::<i32>(), c in any::<i64>()) {
        let operands = [Operand::Int(i128::from(a)), Operand::Int(i128::from(b))];
        prop_assert_eq!(value("a + b", &operands).unwrap(), a.wrapping_add(b).to_string());
        prop_assert_eq!(value("a * b", &operands).unwrap(), a.wrapping_mul(b).to_string());
        if b != 0 {
            prop_assert_eq!(value("a % b", &operands).unwrap(), a.wrapping_rem(b).to_string());
            prop_assert_eq!(value("Math.floorMod(a, b)", &operands).unwrap(), (i64::from(a).rem_euclid(i64::from(b).abs())
                + if b < 0 && i64::from(a).rem_euclid(i64::from(b).abs()) != 0 { i64::from(b) } else { 0 }).to_string());
        }
        let long = [Operand::Int(i128::from(c))];
        prop_assert_eq!(value("(c as long) * 31", &long).unwrap(), c.wrapping_mul(31).to_string());
        let hash = i64::from(hash(c)).to_string();
        prop_assert_eq!(value("c.hashCode()", &long).unwrap(), hash);
    }
}

fn hash(value: i64) -> i32 {
    crate::hash::of_integer(i128::from(value))
}
