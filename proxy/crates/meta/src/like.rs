//! `LIKE` over names, letter case of ASCII ignored.

/// Whether a text fits a pattern: `%` any characters, `_` one character, `\\` takes the next one as it is.
pub fn like(pattern: &str, text: &str) -> bool {
    let characters = text;
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Where the last `%` stands, and how much of the text it has taken: the only place to come back to.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(t) {
        let (wanted, width) = match (pattern.get(p), pattern.get(p + 1)) {
            (Some(b'%'), _) => {
                star = Some((p, t));
                p += 1;
                continue;
            }
            (Some(b'_'), _) => (Some(byte), 1),
            (Some(b'\\'), Some(escaped)) => (Some(escaped), 2),
            (plain, _) => (plain, 1),
        };
        if wanted.is_some_and(|wanted| wanted.eq_ignore_ascii_case(byte)) {
            p += width;
            // `_` stands at the start of a character, whose other bytes come with it.
            let whole = pattern.get(p - width) == Some(&b'_') && width == 1;
            t += if whole {
                characters.get(t..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            } else {
                1
            };
            continue;
        }
        let Some((at, from)) = star else { return false };
        star = Some((at, from + 1));
        p = at + 1;
        t = from + 1;
    }
    pattern.get(p..).is_none_or(|rest| rest.iter().all(|byte| *byte == b'%'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_mysql() {
        for (pattern, text, fits) in [
            ("10.%.1", "10.2.3.1", true),
            ("10.%.1", "10.2.3.2", false),
            ("10.0.0._", "10.0.0.5", true),
            ("10.0.0._", "10.0.0.55", false),
            ("%", "", true),
            ("", "", true),
            ("", "a", false),
            ("a%b%c", "aXbYbZc", true),
            ("SQL%", "sql_show", true),
            ("sql\\_s%", "sql_show", true),
            ("sql\\_s%", "sqlxshow", false),
            ("a\\%", "a%", true),
            ("a\\%", "ab", false),
            ("a\\", "a\\", true),
            ("_", "é", true),
            ("a_c", "aéc", true),
            ("__", "é", false),
        ] {
            assert_eq!(like(pattern, text), fits, "{pattern} {text}");
        }
    }
}
