//! Inline expressions of names: `ds_${0..3}`, `$->{['a','b']}`, comma-separated (`distsql.md` §3).

use crate::error::Error;

/// More names than this from one expression are refused.
const MOST_NAMES: usize = 65_536;

/// Spells out all names of an expression: items in order, within an item the leftmost part slowest.
pub(crate) fn expand(expression: &str) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for item in split(expression) {
        names.extend(product(expression, item.trim())?);
        if names.len() > MOST_NAMES {
            return Err(error(expression, "more than 65536 names"));
        }
    }
    Ok(names)
}

/// Top-level items: commas within braces are not between items.
pub(crate) fn split(expression: &str) -> Vec<&str> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, byte) in expression.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.push(&expression[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&expression[start..]);
    items
}

fn product(expression: &str, item: &str) -> Result<Vec<String>, Error> {
    if item.is_empty() {
        return Err(error(expression, "an empty name"));
    }
    let mut names = vec![String::new()];
    let mut rest = item;
    while let Some(at) = rest.find('$') {
        let (before, tail) = rest.split_at(at);
        let Some(body) = tail.strip_prefix("${").or_else(|| tail.strip_prefix("$->{")) else {
            // A lone dollar is a character like any other.
            for name in &mut names {
                name.push_str(before);
                name.push('$');
            }
            rest = &tail[1..];
            continue;
        };
        let (body, after) = body.split_once('}').ok_or_else(|| error(expression, "'}' is missing"))?;
        let values = values(expression, body.trim())?;
        if names.len().saturating_mul(values.len()) > MOST_NAMES {
            return Err(error(expression, "more than 65536 names"));
        }
        names = names
            .iter()
            .flat_map(|name| values.iter().map(move |value| format!("{name}{before}{value}")))
            .collect();
        rest = after;
    }
    for name in &mut names {
        name.push_str(rest);
    }
    Ok(names)
}

/// Values of `begin..end` or `['a', 'b', 3]`.
fn values(expression: &str, body: &str) -> Result<Vec<String>, Error> {
    if let Some((begin, end)) = body.split_once("..") {
        let number = |text: &str| text.trim().parse::<i64>();
        let (Ok(begin), Ok(end)) = (number(begin), number(end)) else {
            return Err(error(expression, "the ends of a range must be integers"));
        };
        // Groovy counts down when the ends are the other way round.
        if begin.abs_diff(end) >= MOST_NAMES as u64 {
            return Err(error(expression, "more than 65536 names"));
        }
        let up = (begin.min(end)..=begin.max(end)).map(|number| number.to_string());
        return Ok(if begin <= end { up.collect() } else { up.rev().collect() });
    }
    let list = body
        .strip_prefix('[')
        .and_then(|body| body.strip_suffix(']'))
        .ok_or_else(|| error(expression, "'begin..end' or '[a, b]' is wanted between the braces"))?;
    list.split(',')
        .map(|value| {
            let value = value.trim();
            let bare = ['\'', '"']
                .iter()
                .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
                .unwrap_or(value);
            if bare.is_empty() || bare.contains(['\'', '"']) {
                return Err(error(expression, "a list holds quoted texts or integers"));
            }
            Ok(bare.to_owned())
        })
        .collect()
}

fn error(expression: &str, reason: &'static str) -> Error {
    Error::Inline { expression: expression.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_out_ranges_lists_and_their_products() {
        for (expression, names) in [
            ("ds_0", "ds_0"),
            ("ds_${0..3}", "ds_0 ds_1 ds_2 ds_3"),
            ("ds_$->{0..1}", "ds_0 ds_1"),
            ("ds_${2..0}", "ds_2 ds_1 ds_0"),
            ("ds_${['a', \"b\", 3]}", "ds_a ds_b ds_3"),
            ("ds_${0..1}.t_order_${[0,1]}", "ds_0.t_order_0 ds_0.t_order_1 ds_1.t_order_0 ds_1.t_order_1"),
            ("ds_${0..1}, other , x$y", "ds_0 ds_1 other x$y"),
        ] {
            assert_eq!(expand(expression).unwrap().join(" "), names, "{expression}");
        }
    }

    #[test]
    fn refuses_what_is_not_an_expression() {
        for (expression, reason) in [
            ("ds_${0..", "'}' is missing"),
            ("ds_${0..x}", "the ends of a range must be integers"),
            ("ds_${user_id % 2}", "'begin..end' or '[a, b]' is wanted between the braces"),
            ("ds_${[1,'a]}", "a list holds quoted texts or integers"),
            ("ds_${0..9999999999}", "more than 65536 names"),
            ("${0..999}${0..999}", "more than 65536 names"),
            ("a,,b", "an empty name"),
        ] {
            let text = expand(expression).unwrap_err().to_string();
            assert_eq!(text, format!("Invalid inline expression `{expression}`: {reason}."));
        }
    }
}
