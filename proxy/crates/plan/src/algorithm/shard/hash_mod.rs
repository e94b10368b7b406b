//! `HASH_MOD` (`algorithms.md` §1.5): the remainder of the hash that Java gives the stored value.

use meta::{HashMod, hash};

use super::{Key, Misfit};

pub(super) fn shard(properties: HashMod, key: Key<'_>) -> Result<u32, Misfit> {
    let hash = match key {
        Key::Digits(value) => hash::of_text(itoa::Buffer::new().format(value)),
        Key::Int(value) => hash::of_integer(value),
        Key::Moment(..) => return Err(Misfit::Doubtful),
        Key::Text(text) => hash::of_text(text),
    };
    Ok(hash.unsigned_abs() % properties.count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn agrees_with_the_vectors_of_the_specification() {
        for (key, of_four, of_ten) in [
            (Key::Int(1), 1, 1),
            (Key::Int(5), 1, 5),
            (Key::Int(10), 2, 0),
            (Key::Int(-1), 1, 1),
            (Key::Int(-7), 3, 7),
            (Key::Int(1_000_000_000_000), 0, 6),
            (Key::Int(4_294_967_296), 1, 1),
            (Key::Text("1"), 1, 9),
            (Key::Digits(1), 1, 9),
            (Key::Text("10"), 3, 7),
            (Key::Text("abc"), 2, 4),
            (Key::Text("13800001111"), 2, 8),
            (Key::Digits(13_800_001_111), 2, 8),
            (Key::Text("user-1"), 1, 5),
            (Key::Text(""), 0, 0),
            // The absolute value of -2^31 is taken in 64 bits.
            (Key::Int(i128::from(i32::MIN)), 0, 8),
        ] {
            assert_eq!(shard(HashMod { count: 4 }, key), Ok(of_four), "{key:?} of 4");
            assert_eq!(shard(HashMod { count: 10 }, key), Ok(of_ten), "{key:?} of 10");
        }
    }

    proptest! {
        #[test]
        fn shards_partition_the_keys(count in 1u32..200, value in any::<i64>(), text in ".{0,20}") {
            let properties = HashMod { count };
            prop_assert!(shard(properties, Key::Int(i128::from(value))).unwrap() < count);
            prop_assert!(shard(properties, Key::Text(&text)).unwrap() < count);
            let digits = value.to_string();
            let by_text = shard(properties, Key::Text(&digits));
            prop_assert_eq!(shard(properties, Key::Digits(i128::from(value))), by_text);
        }
    }
}
