//! `AUTO_INTERVAL` (`algorithms.md` §1.8): stretches of equal length between two moments.
//!
//! The quotient is rounded to two decimals before it is rounded up, as upstream does: where the stretches begin is
//! part of where existing rows are.

use meta::{AutoInterval, Moment};

use super::{Key, Misfit};
use crate::moment;
use crate::shards::Shards;

pub(super) fn shard(properties: AutoInterval, key: Key<'_>) -> Result<u32, Misfit> {
    let (low, high) = match key {
        Key::Moment(low, high) => (low, high),
        Key::Text(text) => {
            let moment = text.get(..19).and_then(moment::of_text).ok_or(Misfit::NotTime)?;
            (moment, moment)
        }
        Key::Digits(_) | Key::Int(_) => return Err(Misfit::NotTime),
    };
    let shard = of(properties, low);
    if of(properties, high) == shard { Ok(shard) } else { Err(Misfit::Doubtful) }
}

pub(super) fn range(properties: AutoInterval, low: Option<Moment>, high: Option<Moment>) -> Shards {
    let first = low.map_or(0, |low| of(properties, low));
    let last = high.map_or(properties.shards - 1, |high| of(properties, high));
    Shards::between(first, last, properties.shards)
}

fn of(properties: AutoInterval, moment: Moment) -> u32 {
    let passed = i128::from(moment.seconds()) - i128::from(properties.lower);
    let seconds = i128::from(properties.seconds);
    let (hundredths, rest) = ((passed * 100).div_euclid(seconds), (passed * 100).rem_euclid(seconds));
    let up = rest * 2 > seconds || rest * 2 == seconds && hundredths % 2 != 0;
    let rounded = hundredths + i128::from(up);
    let shard = (rounded + 99).div_euclid(100).clamp(0, i128::from(properties.shards) - 1);
    u32::try_from(shard).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Moment {
        moment::of_text(text).unwrap()
    }

    /// 2024-01-01 to 2024-01-04 by days: five shards.
    fn days() -> AutoInterval {
        AutoInterval { lower: at("2024-01-01 00:00:00").seconds(), seconds: 86_400, shards: 5 }
    }

    fn found(text: &str) -> u32 {
        let moment = at(text);
        let shard = shard(days(), Key::Moment(moment, moment)).unwrap();
        assert_eq!(super::shard(days(), Key::Text(text)), Ok(shard), "{text}");
        shard
    }

    #[test]
    fn agrees_with_the_vectors_of_the_specification() {
        for (text, expected) in [
            ("2023-06-01 00:00:00", 0),
            ("2024-01-01 00:00:00", 0),
            ("2024-01-01 00:00:01", 0),
            ("2024-01-01 00:07:12", 0),
            ("2024-01-01 00:07:13", 1),
            ("2024-01-02 00:00:00", 1),
            ("2024-01-02 00:00:01", 1),
            ("2024-01-02 01:00:00", 2),
            ("2024-01-04 00:00:00", 3),
            ("2024-01-04 12:00:00", 4),
            ("2030-01-01 00:00:00", 4),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        assert_eq!(shard(days(), Key::Text("2024-01-01")), Err(Misfit::NotTime));
        assert_eq!(shard(days(), Key::Int(20_240_101)), Err(Misfit::NotTime));
    }

    #[test]
    fn a_moment_that_may_be_rounded_into_another_shard_has_none() {
        let key = Key::Moment(at("2024-01-01 00:07:12"), at("2024-01-01 00:07:13"));
        assert_eq!(shard(days(), key), Err(Misfit::Doubtful));
    }

    proptest! {
        #[test]
        fn shards_partition_the_moments_and_ranges_hold_their_values(
            lower in -1_000_000i64..1_000_000, span in 0i64..10_000_000, seconds in 1i64..1_000_000,
            low in -2_000_000i64..12_000_000, width in 0i64..5_000_000, within in 0i64..5_000_000,
        ) {
            let shards = u32::try_from(span / seconds + 2).unwrap();
            let properties = AutoInterval { lower, seconds, shards };
            let moment = |seconds: i64| Moment(seconds * 1_000_000);
            let value = moment(low + within % (width + 1));
            let found = shard(properties, Key::Moment(value, value)).unwrap();
            prop_assert!(found < shards);
            prop_assert!(range(properties, Some(moment(low)), Some(moment(low + width))).contains(found));
            prop_assert!(of(properties, Moment(value.0 + 1_000_000)) >= found);
            if value.seconds() <= lower {
                prop_assert_eq!(found, 0);
            }
        }
    }
}
