//! The hash codes of Java's values, by which `HASH_MOD` and `.hashCode()` decide (`algorithms.md` §1.5).

/// Of an integer, as an `Integer`, `Long` or `BigInteger`, whichever is the first to hold it.
pub fn of_integer(value: i128) -> i32 {
    if let Ok(small) = i32::try_from(value) {
        return small;
    }
    match i64::try_from(value) {
        Ok(long) => of_long(long),
        Err(_) => of_big(value),
    }
}

/// Of a `Long`.
pub(crate) fn of_long(value: i64) -> i32 {
    let bits = value.cast_unsigned();
    low(u128::from(bits ^ bits >> 32))
}

/// Of a `BigInteger`: its 32-bit digits, the highest first.
pub(crate) fn of_big(value: i128) -> i32 {
    let magnitude = value.unsigned_abs();
    let digits = (0..4).rev().map(|digit| low(magnitude >> (digit * 32)));
    let hash = digits
        .skip_while(|digit| *digit == 0)
        .fold(0_i32, |hash, digit| hash.wrapping_mul(31).wrapping_add(digit));
    if value < 0 { hash.wrapping_neg() } else { hash }
}

/// Of a `String`.
pub fn of_text(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

fn low(bits: u128) -> i32 {
    let word = bits & u128::from(u32::MAX);
    u32::try_from(word).unwrap_or_default().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_java() {
        for (value, hash) in [
            (1, 1),
            (-1, -1),
            (-7, -7),
            (1_000_000_000_000, -727_379_736),
            (4_294_967_296, 1),
            (i128::from(i64::MAX), i32::MIN),
            // new BigInteger("9223372036854775808").hashCode(): 31 * 0x80000000, in 32 bits
            (1 << 63, i32::MIN),
            // 2^64 - 1: 31 * -1 + -1
            (i128::from(u64::MAX), -32),
        ] {
            assert_eq!(of_integer(value), hash, "{value}");
        }
        for (text, hash) in [
            ("1", 49),
            ("10", 1567),
            ("abc", 96_354),
            ("13800001111", 1_399_298_198),
            ("user-1", -836_031_825),
            ("", 0),
        ] {
            assert_eq!(of_text(text), hash, "{text}");
        }
    }
}
