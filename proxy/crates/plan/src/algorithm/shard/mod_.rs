//! `MOD` (`algorithms.md` §1.4): the remainder of the key, never negative, of any number of digits.

use meta::Mod;

use super::{Key, Misfit};
use crate::shards::Shards;

pub(super) fn shard(properties: &Mod, key: Key<'_>) -> Result<u32, Misfit> {
    let whole = properties.start_offset == 0 && properties.stop_offset == 0;
    match key {
        Key::Digits(value) | Key::Int(value) if whole => Ok(of_integer(value, properties.count)),
        Key::Digits(value) | Key::Int(value) => {
            of_digits(cut(&value.to_string(), properties)?, properties.count)
        }
        Key::Moment(..) => Err(Misfit::NotNumeric),
        Key::Text(text) => of_digits(cut(text, properties)?, properties.count),
    }
}

pub(super) fn range(properties: &Mod, low: Option<i128>, high: Option<i128>) -> Shards {
    let (Some(low), Some(high)) = (low, high) else { return Shards::All };
    if low > high {
        return Shards::Nowhere;
    }
    if high.checked_sub(low).is_none_or(|width| width >= i128::from(properties.count) - 1) {
        return Shards::All;
    }
    let mut found = Shards::Nowhere;
    for value in low..=high {
        // A value without a shard cannot have been inserted.
        if let Ok(shard) = shard(properties, Key::Int(value)) {
            found.add(shard);
        }
    }
    found
}

fn of_integer(value: i128, count: u32) -> u32 {
    if let Ok(value) = u64::try_from(value) {
        return u32::try_from(value % u64::from(count)).unwrap_or_default();
    }
    u32::try_from(value.rem_euclid(i128::from(count))).unwrap_or_default()
}

/// The text without the characters that the offsets leave out.
fn cut<'a>(text: &'a str, properties: &Mod) -> Result<&'a str, Misfit> {
    if properties.start_offset == 0 && properties.stop_offset == 0 {
        return Ok(text);
    }
    let length = text.chars().count();
    if length < properties.stop_offset || length - properties.stop_offset <= properties.start_offset {
        return Err(Misfit::TooShort);
    }
    let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    Ok(&text[at(properties.start_offset)..at(length - properties.stop_offset)])
}

/// The remainder of a number of any length, digit by digit.
fn of_digits(text: &str, count: u32) -> Result<u32, Misfit> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Misfit::NotNumeric);
    }
    let count = u64::from(count);
    let rest = digits.iter().fold(0, |rest, digit| (rest * 10 + u64::from(digit - b'0')) % count);
    let rest = if negative && rest != 0 { count - rest } else { rest };
    Ok(u32::try_from(rest).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(count: u32) -> Mod {
        Mod { count, start_offset: 0, stop_offset: 0, zero_padding: false }
    }

    #[test]
    fn agrees_with_the_vectors_of_the_specification() {
        let ten = plain(10);
        for (value, expected) in [
            (0, 0),
            (7, 7),
            (10, 0),
            (139_999_999, 9),
            (-1, 9),
            (-10, 0),
            (i128::from(i64::MAX) + 1, 8),
            (i128::from(u64::MAX), 5),
        ] {
            assert_eq!(shard(&ten, Key::Int(value)), Ok(expected), "{value}");
            assert_eq!(shard(&ten, Key::Text(&value.to_string())), Ok(expected), "'{value}'");
        }
        assert_eq!(shard(&ten, Key::Text("20240131")), Ok(1));
        assert_eq!(shard(&ten, Key::Text("0020240131")), Ok(1));
        assert_eq!(shard(&ten, Key::Text("+13")), Ok(3));
    }

    #[test]
    fn reads_keys_longer_than_any_machine_integer() {
        let seven = plain(7);
        // 10^50 mod 7 = 10^(50 mod 6) mod 7 = 10^2 mod 7 = 2
        let long = format!("1{}", "0".repeat(50));
        assert_eq!(shard(&seven, Key::Text(&long)), Ok(2));
        assert_eq!(shard(&seven, Key::Text(&format!("-{long}"))), Ok(5));
    }

    #[test]
    fn leaves_out_the_offsets() {
        let offsets = Mod { count: 10, start_offset: 1, stop_offset: 1, zero_padding: false };
        assert_eq!(shard(&offsets, Key::Text("12345")), Ok(4));
        assert_eq!(shard(&offsets, Key::Int(12345)), Ok(4));
        assert_eq!(shard(&offsets, Key::Text("a7b")), Ok(7));
        assert_eq!(shard(&offsets, Key::Text("12")), Err(Misfit::TooShort));
        assert_eq!(shard(&offsets, Key::Text("")), Err(Misfit::TooShort));
        assert_eq!(shard(&offsets, Key::Text("1x3")), Err(Misfit::NotNumeric));
    }

    #[test]
    fn refuses_what_is_no_integer() {
        for text in ["", "-", "abc", "7.5", " 7", "7 ", "0x7", "٧"] {
            assert_eq!(shard(&plain(10), Key::Text(text)), Err(Misfit::NotNumeric), "{text}");
        }
    }

    #[test]
    fn an_empty_range_is_nowhere() {
        assert_eq!(range(&plain(10), Some(5), Some(4)), Shards::Nowhere);
    }

    #[test]
    fn a_range_without_one_bound_is_everywhere() {
        assert_eq!(range(&plain(10), Some(5), None), Shards::All);
        assert_eq!(range(&plain(10), None, Some(5)), Shards::All);
        assert_eq!(range(&plain(10), Some(i128::MIN), Some(i128::MAX)), Shards::All);
    }

    #[test]
    fn a_range_as_wide_as_the_shards_is_everywhere() {
        assert_eq!(range(&plain(10), Some(1), Some(10)), Shards::All);
        assert_ne!(range(&plain(10), Some(1), Some(9)), Shards::All);
    }

    proptest! {
        #[test]
        fn shards_partition_the_integers(count in 1u32..200, value in any::<i64>()) {
            let found = shard(&plain(count), Key::Int(i128::from(value))).unwrap();
            prop_assert!(found < count);
            prop_assert_eq!(i64::from(found), value.rem_euclid(i64::from(count)));
            prop_assert_eq!(shard(&plain(count), Key::Text(&value.to_string())), Ok(found));
        }

        #[test]
        fn a_value_inside_a_range_is_on_a_shard_of_the_range(
            count in 1u32..200,
            low in -10_000i128..10_000,
            width in 0i128..400,
            within in 0i128..400,
            start_offset in 0usize..2,
            stop_offset in 0usize..2,
        ) {
            let properties = Mod { count, start_offset, stop_offset, zero_padding: false };
            let value = low + within % (width + 1);
            if let Ok(found) = shard(&properties, Key::Int(value)) {
                prop_assert!(range(&properties, Some(low), Some(low + width)).contains(found));
            }
        }

        #[test]
        fn a_narrow_range_is_exactly_the_shards_of_its_values(count in 2u32..64, low in any::<i64>(), width in 0u32..62) {
            prop_assume!(width < count - 1);
            let low = i128::from(low);
            let found = range(&plain(count), Some(low), Some(low + i128::from(width)));
            prop_assert_eq!(found.iter(count).count(), width as usize + 1);
        }
    }
}
