//! Key generators (`algorithms.md` §2). Clock and chance come from whoever asks.

use meta::Snowflake;

/// 2016-11-01 00:00:00 UTC in milliseconds since 1970: what snowflakes count from.
pub(crate) const SNOWFLAKE_EPOCH: u64 = 1_477_958_400_000;

/// The greatest number within a millisecond.
const LAST: u16 = 4095;

/// What the generator of one worker id has given out. Keys are unique as long as all that are given under one worker id
/// come from one of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    /// The latest time that the clock told.
    seen: u64,
    /// The millisecond of the last key: runs ahead of the clock when one holds more keys than there are numbers.
    last: u64,
    number: u16,
    /// The number that the next millisecond begins with.
    start: u16,
}

/// The clock was set back by more than is tolerated.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("Clock is moving backwards, last time is {seen} milliseconds, current time is {now} milliseconds.")]
pub struct Backwards {
    /// The latest time that the clock told.
    pub seen: u64,
    /// What it tells now.
    pub now: u64,
}

impl Sequence {
    /// The next key; `now` is in milliseconds since 1970.
    pub fn next(&mut self, properties: &Snowflake, now: u64) -> Result<i64, Backwards> {
        if now + properties.tolerance < self.seen {
            return Err(Backwards { seen: self.seen, now });
        }
        self.seen = self.seen.max(now);
        let now = now.max(self.last);
        if now > self.last {
            (self.last, self.number) = (now, self.start.min(properties.vibration));
            self.turn(properties);
        } else if self.number < LAST {
            self.number += 1;
        } else {
            // The next millisecond is begun before its time, so that nobody waits.
            (self.last, self.number) = (now + 1, self.start.min(properties.vibration));
            self.turn(properties);
        }
        let time = self.last.saturating_sub(SNOWFLAKE_EPOCH) & ((1 << 41) - 1);
        let key = time << 22 | u64::from(properties.worker & 1023) << 12 | u64::from(self.number);
        Ok(key.cast_signed())
    }

    fn turn(&mut self, properties: &Snowflake) {
        self.start = if self.start >= properties.vibration { 0 } else { self.start + 1 };
    }
}

/// 32 lower-case hexadecimal digits.
pub fn uuid(random: u128) -> [u8; 32] {
    let mut text = [0; 32];
    for (at, digit) in text.iter_mut().enumerate() {
        let nibble = u8::try_from(random >> (124 - 4 * at) & 15).unwrap_or_default();
        *digit = if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    const PLAIN: Snowflake = Snowflake { worker: 0, vibration: 1, tolerance: 10 };
    const START: u64 = SNOWFLAKE_EPOCH + 1000;

    #[test]
    fn is_made_of_time_worker_and_number() {
        let mut sequence = Sequence::default();
        let other = Snowflake { worker: 1023, ..PLAIN };
        assert_eq!(sequence.next(&other, START).unwrap(), 1000 << 22 | 1023 << 12);
        assert_eq!(sequence.next(&other, START).unwrap(), 1000 << 22 | 1023 << 12 | 1);
    }

    #[test]
    fn milliseconds_begin_with_turning_numbers_so_that_keys_are_even_and_odd() {
        let mut sequence = Sequence::default();
        let keys: Vec<_> =
            (0..4).map(|passed| sequence.next(&PLAIN, START + passed).unwrap() & 4095).collect();
        assert_eq!(keys, [0, 1, 0, 1]);
        let mut sequence = Sequence::default();
        let three = Snowflake { vibration: 3, ..PLAIN };
        let keys: Vec<_> =
            (0..6).map(|passed| sequence.next(&three, START + passed).unwrap() & 4095).collect();
        assert_eq!(keys, [0, 1, 2, 3, 0, 1]);
    }

    #[test]
    fn a_clock_that_is_set_back_a_little_is_waited_out_and_one_set_back_further_refused() {
        let mut sequence = Sequence::default();
        let first = sequence.next(&PLAIN, START).unwrap();
        assert!(sequence.next(&PLAIN, START - 10).unwrap() > first);
        let back = sequence.next(&PLAIN, START - 11).unwrap_err();
        assert_eq!(
            back.to_string(),
            format!(
                "Clock is moving backwards, last time is {START} milliseconds, current time is {} milliseconds.",
                START - 11
            )
        );
    }

    #[test]
    fn a_uuid_is_32_digits() {
        assert_eq!(&uuid(0xf), b"0000000000000000000000000000000f");
        assert_eq!(&uuid(u128::MAX - 1), b"fffffffffffffffffffffffffffffffe");
    }

    proptest! {
        #[test]
        fn keys_are_unique_and_rise(passed in proptest::collection::vec(0u64..3, 1..50), each in 1usize..3000) {
            let mut sequence = Sequence::default();
            let (mut now, mut before) = (START, i64::MIN);
            for passed in passed {
                now += passed;
                for _ in 0..each {
                    let key = sequence.next(&PLAIN, now).unwrap();
                    prop_assert!(key > before);
                    before = key;
                }
            }
        }

        #[test]
        fn workers_never_meet(a in 0u16..1024, b in 0u16..1024) {
            prop_assume!(a != b);
            let keys = |worker| {
                let mut sequence = Sequence::default();
                (0..100).map(|passed| sequence.next(&Snowflake { worker, ..PLAIN }, START + passed / 10).unwrap())
                    .collect::<HashSet<_>>()
            };
            prop_assert!(keys(a).is_disjoint(&keys(b)));
        }
    }
}
