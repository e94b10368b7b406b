//! Load balancers: which replica is read from (`algorithms.md` §5).

use meta::{Balance, SourceIndex};
use smallvec::SmallVec;

/// Numbers of the replicas that can be read from, in their order.
pub(crate) type Able = SmallVec<[usize; 8]>;

/// Chooses one of the replicas, if there is any.
pub(crate) fn pick(
    balance: &Balance,
    able: &Able,
    turn: impl FnOnce() -> usize,
    random: u64,
) -> Option<usize> {
    if able.is_empty() {
        return None;
    }
    match balance {
        Balance::Primary => None,
        Balance::Random => able.get(below(random, able.len())).copied(),
        Balance::RoundRobin => able.get(turn() % able.len()).copied(),
        Balance::Weight(weights) => {
            let weight = |number: usize| weights.get(number).copied().unwrap_or_default();
            let total: f64 = able.iter().map(|number| weight(*number)).sum();
            if total <= 0.0 {
                return able.get(below(random, able.len())).copied();
            }
            let mut rest = unit(random) * total;
            let found = able.iter().find(|number| {
                rest -= weight(**number);
                rest < 0.0
            });
            // What is lost in rounding is the last one's, unless it has no weight.
            found.or_else(|| able.iter().rev().find(|number| weight(**number) > 0.0)).copied()
        }
    }
}

/// A random number of one group, from that of the statement: groups choose independently of each other.
pub(crate) fn mix(random: u64, group: SourceIndex) -> u64 {
    // Splitmix64.
    let mut mixed = random.wrapping_add(u64::from(group).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A number below another, each as often.
fn below(random: u64, end: usize) -> usize {
    ((u128::from(random) * end as u128) >> 64) as usize
}

/// From 0 to 1, without 1.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(balance: &Balance, able: &[usize], of: usize) -> Vec<usize> {
        let mut shares = vec![0; of];
        for number in 0..10_000_u64 {
            let turn = usize::try_from(number).unwrap();
            let picked = pick(balance, &Able::from_slice(able), || turn, mix(number, 7)).unwrap();
            shares[picked] += 1;
        }
        shares
    }

    #[test]
    fn round_robin_takes_one_after_the_other_of_those_that_can_be_read() {
        let able = Able::from_slice(&[0, 2]);
        let picked: Vec<_> =
            (0..5).map(|turn| pick(&Balance::RoundRobin, &able, || turn, 0).unwrap()).collect();
        assert_eq!(picked, [0, 2, 0, 2, 0]);
        assert_eq!(shares(&Balance::RoundRobin, &[0, 1], 2), [5000, 5000]);
    }

    #[test]
    fn random_takes_each_as_often_and_weight_as_its_weight_says() {
        for (balance, able, expected) in [
            (Balance::Random, &[0, 1, 2][..], [3333, 3333, 3333]),
            (Balance::Random, &[0, 2], [5000, 0, 5000]),
            (Balance::Weight(Box::new([2.0, 1.0, 1.0])), &[0, 1, 2], [5000, 2500, 2500]),
            (Balance::Weight(Box::new([2.0, 1.0, 1.0])), &[1, 2], [0, 5000, 5000]),
            (Balance::Weight(Box::new([1.0, 0.0, 0.0])), &[0, 1, 2], [10_000, 0, 0]),
            // Weightless ones are better than none.
            (Balance::Weight(Box::new([1.0, 0.0, 0.0])), &[1, 2], [0, 5000, 5000]),
        ] {
            for (share, expected) in shares(&balance, able, 3).into_iter().zip(expected) {
                assert!(share.abs_diff(expected) < 200, "{balance:?} {able:?}: {share} for {expected}");
            }
        }
    }

    #[test]
    fn chooses_nothing_among_none_and_under_fixed_primary() {
        assert_eq!(pick(&Balance::Random, &Able::new(), || 0, 5), None);
        assert_eq!(pick(&Balance::Primary, &Able::from_slice(&[0]), || 0, 5), None);
    }

    #[test]
    fn stays_within_the_ends() {
        for random in [0, u64::MAX] {
            let able = Able::from_slice(&[0, 1]);
            for balance in [Balance::Random, Balance::Weight(Box::new([1.0, 1.0]))] {
                let end = usize::from(random != 0);
                assert_eq!(pick(&balance, &able, || 0, random), Some(end), "{balance:?}");
            }
        }
    }
}
