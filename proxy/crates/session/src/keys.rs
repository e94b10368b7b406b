//! Keys for rows that come without one: the process's sequences, its clock, and chance.

use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use meta::KeyGenerator;
use parking_lot::Mutex;
use plan::{Generated, Sequence};

/// The sequences of all worker ids. The lock is held for as long as it takes to count.
#[derive(Debug, Default)]
pub struct Keys(Mutex<Vec<(u16, Sequence)>>);

impl Keys {
    /// So many keys.
    pub(crate) fn generate(
        &self,
        generator: &KeyGenerator,
        count: u32,
    ) -> Result<Vec<Generated>, plan::Backwards> {
        let properties = match generator {
            KeyGenerator::Snowflake(properties) => properties,
            KeyGenerator::Uuid => {
                let uuid = |_| Generated::Text(plan::uuid(random()));
                return Ok((0..count).map(uuid).collect());
            }
        };
        let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        let mut all = self.0.lock();
        let known = all.iter().position(|(worker, _)| *worker == properties.worker);
        let at = known.unwrap_or_else(|| {
            all.push((properties.worker, Sequence::default()));
            all.len() - 1
        });
        let sequence = &mut all[at].1;
        (0..count).map(|_| sequence.next(properties, now).map(Generated::Number)).collect()
    }
}

/// 128 bits that no other process, and no other thread of this one, is likely to come to: fast ones, and those of a hash
/// that the system has keyed.
fn random() -> u128 {
    let fast = fastrand::u64(..);
    u128::from(RandomState::new().hash_one(fast)) << 64 | u128::from(fast)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use meta::Snowflake;

    use super::*;

    #[test]
    fn keys_are_unique_over_threads() {
        let keys = Arc::new(Keys::default());
        let generator = KeyGenerator::Snowflake(Snowflake { worker: 7, vibration: 1, tolerance: 1000 });
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let keys = Arc::clone(&keys);
                std::thread::spawn(move || {
                    (0..50).flat_map(|_| keys.generate(&generator, 100).unwrap()).collect::<Vec<_>>()
                })
            })
            .collect();
        let all: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        let different: HashSet<_> = all
            .iter()
            .map(|key| match key {
                Generated::Number(number) => *number,
                Generated::Text(_) => panic!("a snowflake is a number"),
            })
            .collect();
        assert_eq!((all.len(), different.len()), (20_000, 20_000));
    }

    #[test]
    fn uuids_are_texts() {
        let keys = Keys::default().generate(&KeyGenerator::Uuid, 2).unwrap();
        assert!(matches!(keys.as_slice(), [Generated::Text(a), Generated::Text(b)] if a != b));
    }
}
