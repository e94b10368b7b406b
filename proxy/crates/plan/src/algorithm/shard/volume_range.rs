//! `VOLUME_RANGE` (`algorithms.md` §1.6): below the lower end, stretches of equal length, from the upper end.

use meta::VolumeRange;

use super::{Key, Misfit, integer};
use crate::shards::Shards;

pub(super) fn shard(properties: VolumeRange, key: Key<'_>) -> Result<u32, Misfit> {
    integer(key).map(|value| of(properties, value))
}

pub(super) fn range(properties: VolumeRange, low: Option<i128>, high: Option<i128>) -> Shards {
    let first = low.map_or(0, |low| of(properties, low));
    let last = high.map_or(properties.shards - 1, |high| of(properties, high));
    Shards::between(first, last, properties.shards)
}

fn of(properties: VolumeRange, value: i128) -> u32 {
    if value >= i128::from(properties.upper) {
        return properties.shards - 1;
    }
    match value.checked_sub(i128::from(properties.lower)) {
        Some(above @ 0..) => u32::try_from(above / i128::from(properties.volume) + 1).unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIX: VolumeRange = VolumeRange { lower: 10, upper: 45, volume: 10, shards: 6 };

    #[test]
    fn agrees_with_the_vectors_of_the_specification() {
        for (value, expected) in
            [(9, 0), (i128::MIN, 0), (10, 1), (19, 1), (20, 2), (40, 4), (44, 4), (45, 5), (i128::MAX, 5)]
        {
            assert_eq!(shard(SIX, Key::Int(value)), Ok(expected), "{value}");
            assert_eq!(shard(SIX, Key::Text(&value.to_string())), Ok(expected), "'{value}'");
        }
        let beyond = "-1".to_owned() + &"0".repeat(50);
        assert_eq!(shard(SIX, Key::Text(&beyond)), Ok(0));
        assert_eq!(shard(SIX, Key::Text("ten")), Err(Misfit::NotNumeric));
    }

    #[test]
    fn a_range_is_every_partition_between_its_ends() {
        let between = |low, high| range(SIX, low, high).iter(6).collect::<Vec<_>>();
        assert_eq!(between(Some(15), Some(25)), [1, 2]);
        assert_eq!(between(None, Some(15)), [0, 1]);
        assert_eq!(between(Some(44), None), [4, 5]);
        assert_eq!(range(SIX, None, None), Shards::All);
        assert_eq!(range(SIX, Some(50), Some(5)), Shards::Nowhere);
    }

    proptest! {
        #[test]
        fn shards_partition_the_integers_and_ranges_hold_their_values(
            lower in -1000i64..1000, span in 1i64..5000, volume in 1i64..500,
            low in -3000i128..6000, width in 0i128..3000, within in 0i128..3000,
        ) {
            prop_assume!(span >= volume);
            let shards = u32::try_from((span + volume - 1) / volume + 2).unwrap();
            let properties = VolumeRange { lower, upper: lower + span, volume, shards };
            let value = low + within % (width + 1);
            let found = shard(properties, Key::Int(value)).unwrap();
            prop_assert!(found < shards);
            prop_assert_eq!(found == 0, value < i128::from(lower));
            prop_assert_eq!(found == shards - 1, value >= i128::from(lower + span));
            prop_assert!(shard(properties, Key::Int(value + 1)).unwrap() - found <= 1);
            prop_assert!(range(properties, Some(low), Some(low + width)).contains(found));
        }
    }
}
