//! Floating-point numbers as the server writes them in text rows.

/// Digits behind the point that stand for "as many as it takes" in a column definition.
const NOT_FIXED: u8 = 31;

/// The shortest text that reads back as `value`, or one with the column's fixed number of digits behind the point.
pub(crate) fn text(value: f64, decimals: u8) -> String {
    if decimals < NOT_FIXED {
        return format!("{value:.*}", usize::from(decimals));
    }
    let scientific = format!("{value:e}");
    let exponent: i32 = scientific.split_once('e').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(0);
    let digits = scientific.split('e').next().map_or(0, |it| it.bytes().filter(u8::is_ascii_digit).count());
    // MySQL's `my_gcvt` leaves the exponent away while the point is no farther than 15 places from the first digit, or
    // stands among the digits.
    let among = exponent >= 15 && i32::try_from(digits).is_ok_and(|digits| digits > exponent + 1);
    if (-15..15).contains(&exponent) || among { format!("{value}") } else { scientific }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_doubles_as_mysql_does() {
        // Read from MySQL 9.7.
        for (value, expected) in [
            (1e15, "1e15"),
            (1e14, "100000000000000"),
            (1_234_567_890_123_456.0, "1.234567890123456e15"),
            (999_999_999_999_999.9, "999999999999999.9"),
            (1_000_000_000_000_001.5, "1000000000000001.5"),
            (-4_503_599_627_370_495.5, "-4503599627370495.5"),
            (1e-15, "0.000000000000001"),
            (1e-16, "1e-16"),
            (1.5e20, "1.5e20"),
            (0.1 + 0.2, "0.30000000000000004"),
            (-1.5e-3, "-0.0015"),
            (f64::MAX, "1.7976931348623157e308"),
            (0.0, "0"),
        ] {
            assert_eq!(text(value, 31), expected);
        }
        assert_eq!(text(3.25, 2), "3.25");
        assert_eq!(text(3.25 / 3.0, 6), "1.083333");
    }
}
