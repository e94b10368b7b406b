//! Exact decimal numbers in their text form: compared as text, added and divided as big integers.

use std::cmp::Ordering;

use bigdecimal::num_bigint::{BigInt, Sign};

/// A number of ten-to-the-minus-`scale`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Decimal {
    unscaled: BigInt,
    scale: u32,
}

impl Decimal {
    /// Reads `-12.50`; what is not a number ends it.
    pub(crate) fn read(text: &[u8]) -> Self {
        let parts = Parts::of(text);
        let digits: Vec<u8> = parts.whole.iter().chain(parts.fraction).map(|byte| byte - b'0').collect();
        let sign = if parts.negative { Sign::Minus } else { Sign::Plus };
        Self {
            unscaled: BigInt::from_radix_be(sign, &digits, 10).unwrap_or_default(),
            scale: u32::try_from(parts.fraction.len()).unwrap_or(0),
        }
    }

    /// A whole number.
    pub(crate) fn whole(value: i128) -> Self {
        Self { unscaled: BigInt::from(value), scale: 0 }
    }

    /// Adds `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        let scale = self.scale.max(other.scale);
        self.unscaled = self.scaled(scale) + other.scaled(scale);
        self.scale = scale;
    }

    /// Divided by `count` (not zero), with `scale` digits behind the point; `summand` is the scale of what was added.
    ///
    /// The server divides in words of nine digits and cuts there, then rounds half away from zero: an average over
    /// `DECIMAL(10,5)` is thus cut, not rounded.
    pub(crate) fn average(&self, count: u64, summand: u32, scale: u32) -> Self {
        let words = |digits: u32| digits.div_ceil(9) * 9;
        let increment = scale.saturating_sub(summand).saturating_sub(words(summand) - summand);
        let cut = words(words(summand) + increment).max(scale).max(self.scale);
        let quotient = self.scaled(cut) / BigInt::from(count);
        Self { unscaled: quotient, scale: cut }.rounded(scale)
    }

    /// The text with `scale` digits behind the point.
    pub(crate) fn text(&self, scale: u32) -> String {
        let rounded = self.rounded(scale);
        let (sign, digits) = (rounded.unscaled.sign(), rounded.unscaled.magnitude().to_str_radix(10));
        let scale = scale as usize;
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let minus = if sign == Sign::Minus { "-" } else { "" };
        if scale == 0 { format!("{minus}{whole}") } else { format!("{minus}{whole}.{fraction}") }
    }

    fn scaled(&self, scale: u32) -> BigInt {
        &self.unscaled * BigInt::from(10).pow(scale - self.scale)
    }

    fn rounded(&self, scale: u32) -> Self {
        if scale >= self.scale {
            return Self { unscaled: self.scaled(scale), scale };
        }
        let unit = BigInt::from(10).pow(self.scale - scale);
        let half: BigInt = &unit / 2;
        let away = if self.unscaled.sign() == Sign::Minus { -half } else { half };
        Self { unscaled: (&self.unscaled + away) / unit, scale }
    }
}

/// Compares two numbers by their text.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (Parts::of(a), Parts::of(b));
    match (a.negative, b.negative) {
        (false, false) => a.magnitude(&b),
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (true, true) => b.magnitude(&a),
    }
}

/// Appends the shortest text of the number.
pub(crate) fn normal(text: &[u8], out: &mut Vec<u8>) {
    let parts = Parts::of(text);
    if parts.negative {
        out.push(b'-');
    }
    out.extend_from_slice(parts.whole);
    out.push(b'.');
    out.extend_from_slice(parts.fraction);
}

/// Digits without zeros that say nothing.
struct Parts<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(text: &'a [u8]) -> Self {
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (whole, rest) = text.split_at(digits(text));
        let fraction = rest.strip_prefix(b".").map_or(&[][..], |rest| &rest[..digits(rest)]);
        let zeros = whole.iter().take_while(|&&byte| byte == b'0').count();
        let used = fraction.iter().rposition(|&byte| byte != b'0').map_or(0, |last| last + 1);
        let (whole, fraction) = (&whole[zeros..], &fraction[..used]);
        Self { negative: negative && !(whole.is_empty() && fraction.is_empty()), whole, fraction }
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        let whole = self.whole.len().cmp(&other.whole.len()).then_with(|| self.whole.cmp(other.whole));
        whole.then_with(|| self.fraction.cmp(other.fraction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_by_value_not_by_text() {
        for (small, large) in [("9", "10"), ("-10", "-9"), ("-0.01", "0"), ("1.09", "1.1"), ("0.9", "00.95")]
        {
            assert_eq!(compare(small.as_bytes(), large.as_bytes()), Ordering::Less, "{small} < {large}");
        }
        for (a, b) in [("1.50", "1.5"), ("-0.00", "0"), ("007", "7.0")] {
            assert_eq!(compare(a.as_bytes(), b.as_bytes()), Ordering::Equal, "{a} = {b}");
        }
    }

    #[test]
    fn adds_exactly_up_to_65_digits() {
        let mut sum = Decimal::read(b"99999999999999999999999999999999999.999999999999999999999999999999");
        sum.add(&Decimal::read(b"0.000000000000000000000000000001"));
        assert_eq!(sum.text(30), "100000000000000000000000000000000000.000000000000000000000000000000");
    }

    #[test]
    fn rounds_averages_as_the_server_does() {
        // Read from MySQL 9.7: AVG over DECIMAL(10,5), DECIMAL(10,1), INT of two ones (in the last place) and a zero.
        for (sum, summand, scale, text) in [
            ("0.00002", 5, 9, "0.000006666"),
            ("0.2", 1, 5, "0.06667"),
            ("2", 0, 4, "0.6667"),
            ("-2", 0, 4, "-0.6667"),
        ] {
            assert_eq!(Decimal::read(sum.as_bytes()).average(3, summand, scale).text(scale), text);
        }
    }

    #[test]
    fn writes_the_scale_of_the_column() {
        assert_eq!(Decimal::read(b"-1.5").text(3), "-1.500");
        assert_eq!(Decimal::read(b"0").text(2), "0.00");
        assert_eq!(Decimal::whole(-42).text(0), "-42");
    }
}
