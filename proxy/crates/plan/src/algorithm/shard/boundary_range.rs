//! `BOUNDARY_RANGE` (`algorithms.md` §1.7): between each boundary and the next.

use meta::BoundaryRange;

use super::{Key, Misfit, integer};
use crate::shards::Shards;

pub(super) fn shard(properties: &BoundaryRange, key: Key<'_>) -> Result<u32, Misfit> {
    integer(key).map(|value| of(properties, value))
}

pub(super) fn range(properties: &BoundaryRange, low: Option<i128>, high: Option<i128>) -> Shards {
    let shards = properties.shards();
    let first = low.map_or(0, |low| of(properties, low));
    let last = high.map_or(shards - 1, |high| of(properties, high));
    Shards::between(first, last, shards)
}

fn of(properties: &BoundaryRange, value: i128) -> u32 {
    let passed = properties.boundaries.partition_point(|boundary| i128::from(*boundary) <= value);
    u32::try_from(passed).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn six() -> BoundaryRange {
        BoundaryRange { boundaries: vec![1, 5, 10, 15, 20] }
    }

    #[test]
    fn agrees_with_the_vectors_of_the_specification() {
        for (value, expected) in [(0, 0), (i128::MIN, 0), (1, 1), (4, 1), (5, 2), (20, 5), (i128::MAX, 5)] {
            assert_eq!(shard(&six(), Key::Int(value)), Ok(expected), "{value}");
            assert_eq!(shard(&six(), Key::Text(&value.to_string())), Ok(expected), "'{value}'");
        }
        assert_eq!(shard(&six(), Key::Text("x")), Err(Misfit::NotNumeric));
    }

    #[test]
    fn a_range_is_every_partition_between_its_ends() {
        let between = |low, high| range(&six(), low, high).iter(6).collect::<Vec<_>>();
        assert_eq!(between(Some(3), Some(12)), [1, 2, 3]);
        assert_eq!(between(None, Some(0)), [0]);
        assert_eq!(between(Some(15), None), [4, 5]);
        assert_eq!(range(&six(), None, None), Shards::All);
        assert_eq!(range(&six(), Some(12), Some(3)), Shards::Nowhere);
    }

    proptest! {
        #[test]
        fn shards_partition_the_integers_and_ranges_hold_their_values(
            boundaries in proptest::collection::btree_set(-500i64..500, 1..20),
            low in -600i128..600, width in 0i128..600, within in 0i128..600,
        ) {
            let properties = BoundaryRange { boundaries: boundaries.iter().copied().collect() };
            let value = low + within % (width + 1);
            let found = shard(&properties, Key::Int(value)).unwrap();
            let passed = boundaries.iter().filter(|boundary| i128::from(**boundary) <= value).count();
            prop_assert_eq!(found as usize, passed);
            prop_assert!(range(&properties, Some(low), Some(low + width)).contains(found));
        }
    }
}
