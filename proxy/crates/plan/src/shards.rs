//! A set of shards, as a bit per shard, so that any number of values is united in linear time.

use smallvec::SmallVec;

/// A set of shards of one table.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Shards {
    /// Every shard.
    All,
    /// No shard: the condition cannot hold.
    Nowhere,
    /// One shard.
    One(u32),
    /// More than one, a bit each; trailing zero words are cut off.
    Several(SmallVec<[u64; 2]>),
}

impl Shards {
    /// From the first to the last, of a table with `count` of them.
    pub(crate) fn between(first: u32, last: u32, count: u32) -> Self {
        if first == 0 && last + 1 >= count && count > 1 {
            return Self::All;
        }
        let mut found = Self::Nowhere;
        (first..=last).for_each(|shard| found.add(shard));
        found
    }

    /// Puts one shard in.
    pub(crate) fn add(&mut self, shard: u32) {
        match self {
            Self::All => {}
            Self::Nowhere => *self = Self::One(shard),
            Self::One(one) if *one == shard => {}
            Self::One(one) => {
                let mut bits = SmallVec::new();
                set(&mut bits, *one);
                set(&mut bits, shard);
                *self = Self::Several(bits);
            }
            Self::Several(bits) => set(bits, shard),
        }
    }

    /// Puts all of another set in.
    pub(crate) fn unite(&mut self, other: &Self) {
        match other {
            Self::All => *self = Self::All,
            Self::Nowhere => {}
            Self::One(one) => self.add(*one),
            Self::Several(theirs) => match self {
                Self::All => {}
                Self::Nowhere => *self = other.clone(),
                Self::One(one) => {
                    let mut bits = theirs.clone();
                    set(&mut bits, *one);
                    *self = Self::Several(bits);
                }
                Self::Several(bits) => {
                    if bits.len() < theirs.len() {
                        bits.resize(theirs.len(), 0);
                    }
                    for (mine, theirs) in bits.iter_mut().zip(theirs) {
                        *mine |= theirs;
                    }
                }
            },
        }
    }

    /// Keeps what is in both.
    pub(crate) fn intersect(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, other) | (other, Self::All) => other,
            (Self::Nowhere, _) | (_, Self::Nowhere) => Self::Nowhere,
            (Self::One(one), other) | (other, Self::One(one)) => {
                if other.contains(one) {
                    Self::One(one)
                } else {
                    Self::Nowhere
                }
            }
            (Self::Several(mut bits), Self::Several(theirs)) => {
                bits.truncate(theirs.len());
                for (mine, theirs) in bits.iter_mut().zip(&theirs) {
                    *mine &= theirs;
                }
                let mut shards = words(&bits);
                match (shards.next(), shards.next()) {
                    (None, _) => Self::Nowhere,
                    (Some(one), None) => Self::One(one),
                    _ => {
                        drop(shards);
                        while bits.last() == Some(&0) {
                            bits.pop();
                        }
                        Self::Several(bits)
                    }
                }
            }
        }
    }

    /// Whether the shard is in.
    pub(crate) fn contains(&self, shard: u32) -> bool {
        match self {
            Self::All => true,
            Self::Nowhere => false,
            Self::One(one) => *one == shard,
            Self::Several(bits) => {
                bits.get(shard as usize / 64).is_some_and(|word| word >> (shard % 64) & 1 == 1)
            }
        }
    }

    /// The shards in order, of a table with `count` of them.
    pub(crate) fn iter(&self, count: u32) -> impl Iterator<Item = u32> + '_ {
        let (range, bits): (_, &[u64]) = match self {
            Self::All => (0..count, &[]),
            Self::Nowhere => (0..0, &[]),
            Self::One(one) => (*one..*one + 1, &[]),
            Self::Several(bits) => (0..0, bits),
        };
        range.chain(words(bits))
    }
}

fn set(bits: &mut SmallVec<[u64; 2]>, shard: u32) {
    let word = shard as usize / 64;
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    bits[word] |= 1 << (shard % 64);
}

fn words(bits: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(bits).flat_map(|(number, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            Some(number * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(shards: &BTreeSet<u32>) -> Shards {
        let mut found = Shards::Nowhere;
        for shard in shards {
            found.add(*shard);
        }
        found
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(
            a in proptest::collection::btree_set(0u32..300, 0..20),
            b in proptest::collection::btree_set(0u32..300, 0..20),
        ) {
            let mut united = of(&a);
            united.unite(&of(&b));
            prop_assert_eq!(&united, &of(&a.union(&b).copied().collect()));
            let both: BTreeSet<u32> = a.intersection(&b).copied().collect();
            let intersected = of(&a).intersect(of(&b));
            prop_assert_eq!(&intersected, &of(&both));
            prop_assert_eq!(intersected.iter(300).collect::<BTreeSet<_>>(), both);
            prop_assert_eq!(of(&a).intersect(Shards::All), of(&a));
            for shard in 0..300 {
                prop_assert_eq!(of(&a).contains(shard), a.contains(&shard));
            }
        }
    }

    #[test]
    fn all_counts_every_shard() {
        assert_eq!(Shards::All.iter(130).collect::<Vec<_>>(), (0..130).collect::<Vec<_>>());
    }
}
