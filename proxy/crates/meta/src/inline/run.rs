//! Evaluates a tree. Every step is bounded: trees have a greatest size, texts a greatest length.

use super::tree::{Binary, Cast, Expr, Function, Method};
use super::value::{Arithmetic, Fault, Value};

/// Longer texts than this are no names of tables.
const LONGEST: usize = 4096;

type Evaluated = Result<Value, Fault>;

pub(super) fn run(expr: &Expr, values: &[Value]) -> Evaluated {
    Ok(match expr {
        Expr::At(target, place) => {
            let Value::Text(text) = run(target, values)? else { return Err(Fault::Type) };
            let place = run(place, values)?.small()?;
            slice(&text, place, place)?
        }
        Expr::Binary(Binary::And, left, right) => {
            Value::Truth(run(left, values)?.truth() && run(right, values)?.truth())
        }
        Expr::Binary(Binary::Or, left, right) => {
            Value::Truth(run(left, values)?.truth() || run(right, values)?.truth())
        }
        Expr::Binary(operator, left, right) => binary(*operator, &run(left, values)?, &run(right, values)?)?,
        Expr::Call(method, target, arguments) => {
            let arguments = all(arguments, values)?;
            call(*method, &run(target, values)?, &arguments)?
        }
        Expr::Cast(inner, Cast::Int) => Value::Int(run(inner, values)?.to_int()?),
        Expr::Cast(inner, Cast::Long) => Value::Long(run(inner, values)?.to_long()?),
        Expr::Cast(inner, Cast::Text) => Value::Text(run(inner, values)?.to_string()),
        Expr::Choose(condition, then, otherwise) => {
            let chosen = if run(condition, values)?.truth() { then } else { otherwise };
            run(chosen, values)?
        }
        Expr::Function(function, arguments) => self::function(*function, &all(arguments, values)?)?,
        Expr::Int(value) => Value::Int(*value),
        Expr::Long(value) => Value::Long(*value),
        Expr::Negative(inner) => run(inner, values)?.negative()?,
        Expr::Not(inner) => Value::Truth(!run(inner, values)?.truth()),
        Expr::Or(first, second) => {
            let first = run(first, values)?;
            if first.truth() { first } else { run(second, values)? }
        }
        Expr::Slice(target, from, to) => {
            let Value::Text(text) = run(target, values)? else { return Err(Fault::Type) };
            slice(&text, run(from, values)?.small()?, run(to, values)?.small()?)?
        }
        Expr::Text(text) => Value::Text(text.clone()),
        Expr::Truth(truth) => Value::Truth(*truth),
        Expr::Variable(number) => values.get(*number).cloned().ok_or(Fault::Type)?,
    })
}

fn all(exprs: &[Expr], values: &[Value]) -> Result<Vec<Value>, Fault> {
    exprs.iter().map(|expr| run(expr, values)).collect()
}

fn binary(operator: Binary, left: &Value, right: &Value) -> Evaluated {
    match operator {
        Binary::Add if matches!((left, right), (Value::Text(_), _) | (_, Value::Text(_))) => {
            bounded(format!("{left}{right}"))
        }
        Binary::Add => left.arithmetic(Arithmetic::Add, right),
        Binary::BitAnd => left.arithmetic(Arithmetic::And, right),
        Binary::BitOr => left.arithmetic(Arithmetic::Or, right),
        Binary::BitXor => left.arithmetic(Arithmetic::Xor, right),
        Binary::Divide => left.divide(right),
        Binary::Multiply => left.arithmetic(Arithmetic::Multiply, right),
        Binary::Remainder => left.arithmetic(Arithmetic::Remainder, right),
        Binary::Subtract => left.arithmetic(Arithmetic::Subtract, right),
        Binary::ShiftLeft => left.shift(right, true, true),
        Binary::ShiftRight => left.shift(right, false, true),
        Binary::ShiftRightUnsigned => left.shift(right, false, false),
        Binary::Equal => Ok(Value::Truth(left.equals(right))),
        Binary::Unequal => Ok(Value::Truth(!left.equals(right))),
        Binary::Greater => left.compare(right).map(|order| Value::Truth(order.is_gt())),
        Binary::GreaterOrEqual => left.compare(right).map(|order| Value::Truth(order.is_ge())),
        Binary::Less => left.compare(right).map(|order| Value::Truth(order.is_lt())),
        Binary::LessOrEqual => left.compare(right).map(|order| Value::Truth(order.is_le())),
        // Only as much of these is evaluated as decides.
        Binary::And => Ok(Value::Truth(left.truth() && right.truth())),
        Binary::Or => Ok(Value::Truth(left.truth() || right.truth())),
    }
}

fn function(function: Function, arguments: &[Value]) -> Evaluated {
    let [first, rest @ ..] = arguments else { return Err(Fault::Type) };
    let second = || rest.first().ok_or(Fault::Type);
    match function {
        Function::Abs => first.absolute(),
        Function::FloorDiv => first.arithmetic(Arithmetic::FloorDiv, second()?),
        Function::FloorMod => first.arithmetic(Arithmetic::FloorMod, second()?),
        Function::Int => first.to_int().map(Value::Int),
        Function::Long => first.to_long().map(Value::Long),
        Function::Max | Function::Min => {
            let second = second()?;
            let wanted = if matches!(function, Function::Max) {
                first.compare(second)?.is_ge()
            } else {
                first.compare(second)?.is_le()
            };
            // Adding zero of the other kind makes it the wider of both kinds.
            let (chosen, other) = if wanted { (first, second) } else { (second, first) };
            chosen.arithmetic(Arithmetic::Add, &other.arithmetic(Arithmetic::Subtract, other)?)
        }
        Function::Text => Ok(Value::Text(first.to_string())),
    }
}

fn call(method: Method, target: &Value, arguments: &[Value]) -> Evaluated {
    match (method, arguments) {
        (Method::Abs, _) => return target.absolute(),
        (Method::HashCode, _) => return Ok(Value::Int(target.hash())),
        (Method::IntDiv, [by]) => return target.arithmetic(Arithmetic::IntDiv, by),
        (Method::Mod, [by]) => return target.arithmetic(Arithmetic::Remainder, by),
        (Method::ToInt, _) => return target.to_int().map(Value::Int),
        (Method::ToLong, _) => return target.to_long().map(Value::Long),
        (Method::ToText, _) => return Ok(Value::Text(target.to_string())),
        _ => {}
    }
    let Value::Text(text) = target else { return Err(Fault::Type) };
    on_text(method, text, arguments)
}

fn on_text(method: Method, text: &str, arguments: &[Value]) -> Evaluated {
    let place = |at: Option<usize>| {
        let count = at.map(|at| text[..at].chars().count());
        Value::Int(count.and_then(|count| i32::try_from(count).ok()).unwrap_or(-1))
    };
    Ok(match (method, arguments) {
        (Method::Concat, [Value::Text(other)]) => bounded(format!("{text}{other}"))?,
        (Method::Contains, [Value::Text(other)]) => Value::Truth(text.contains(other.as_str())),
        (Method::EndsWith, [Value::Text(other)]) => Value::Truth(text.ends_with(other.as_str())),
        (Method::IndexOf, [Value::Text(other)]) => place(text.find(other.as_str())),
        (Method::LastIndexOf, [Value::Text(other)]) => place(text.rfind(other.as_str())),
        (Method::Length, _) => {
            Value::Int(i32::try_from(text.encode_utf16().count()).map_err(|_| Fault::Length)?)
        }
        (Method::PadLeft | Method::PadRight, [width, filler @ ..]) => {
            pad(text, width, filler.first(), method == Method::PadLeft)?
        }
        (Method::Replace, [Value::Text(from), Value::Text(to)]) => {
            if text.len().saturating_mul(to.len() + 1) > LONGEST * 16 {
                return Err(Fault::Length);
            }
            bounded(text.replace(from.as_str(), to))?
        }
        (Method::Reverse, _) => Value::Text(text.chars().rev().collect()),
        (Method::StartsWith, [Value::Text(other)]) => Value::Truth(text.starts_with(other.as_str())),
        (Method::Substring, [from, to @ ..]) => {
            let length = i64::try_from(text.chars().count()).map_err(|_| Fault::Length)?;
            let to = to.first().map_or(Ok(length), Value::small)?;
            let from = from.small()?;
            if from < 0 || to > length || from > to {
                return Err(Fault::Index);
            }
            cut(text, from, to)
        }
        (Method::ToLower, _) => bounded(text.to_lowercase())?,
        (Method::ToUpper, _) => bounded(text.to_uppercase())?,
        (Method::Trim, _) => Value::Text(text.trim_matches(|c: char| c <= ' ').to_owned()),
        _ => return Err(Fault::Type),
    })
}

fn pad(text: &str, width: &Value, filler: Option<&Value>, left: bool) -> Evaluated {
    let filler = match filler {
        None => " ",
        Some(Value::Text(filler)) if !filler.is_empty() => filler,
        Some(_) => return Err(Fault::Type),
    };
    let width = usize::try_from(width.small()?).unwrap_or_default();
    if width > LONGEST {
        return Err(Fault::Length);
    }
    let missing = width.saturating_sub(text.chars().count());
    let padding: String = filler.chars().cycle().take(missing).collect();
    Ok(Value::Text(if left { format!("{padding}{text}") } else { format!("{text}{padding}") }))
}

/// Characters from the first to the second; negative ones count from the end.
fn slice(text: &str, from: i64, to: i64) -> Evaluated {
    let length = i64::try_from(text.chars().count()).map_err(|_| Fault::Length)?;
    let place = |at: i64| if at < 0 { at + length } else { at };
    let (from, to) = (place(from), place(to));
    if from < 0 || to >= length || from > to {
        return Err(Fault::Index);
    }
    Ok(cut(text, from, to + 1))
}

fn cut(text: &str, from: i64, to: i64) -> Value {
    let count = |at: i64| usize::try_from(at).unwrap_or_default();
    Value::Text(text.chars().skip(count(from)).take(count(to - from)).collect())
}

fn bounded(text: String) -> Evaluated {
    if text.len() > LONGEST { Err(Fault::Length) } else { Ok(Value::Text(text)) }
}
