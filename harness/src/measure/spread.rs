//! Medians with their spread, and when two of them differ.

use serde::Serialize;

/// A figure measured several times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The middle one; of an even number the mean of the two in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// How one figure stands to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every round was above every round of the other.
    Above,
    /// Every round was below every round of the other.
    Below,
    /// The spreads overlap: no difference is shown.
    None,
}

impl Spread {
    /// `None` of no values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let (low, high) = (sorted.get((sorted.len() - 1) / 2)?, sorted.get(sorted.len() / 2)?);
        Some(Self { median: f64::midpoint(*low, *high), min, max })
    }

    /// Whether `self` differs from `other`; overlapping spreads do not.
    pub fn against(&self, other: &Self) -> Verdict {
        if self.min > other.max {
            Verdict::Above
        } else if self.max < other.min {
            Verdict::Below
        } else {
            Verdict::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_numbers() {
        let odd = Spread::of([3.0, 1.0, 10.0]).unwrap();
        assert_eq!((odd.median, odd.min, odd.max), (3.0, 1.0, 10.0));
        let even = Spread::of([4.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!((even.median, even.min, even.max), (3.0, 1.0, 10.0));
        assert_eq!(Spread::of([7.5]).unwrap().median, 7.5);
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn overlapping_spreads_are_no_difference() {
        let slow = Spread::of([1.0, 2.0, 3.0]).unwrap();
        let same = Spread::of([2.5, 3.5, 4.5]).unwrap();
        let fast = Spread::of([3.5, 4.0, 4.5]).unwrap();
        assert_eq!(slow.against(&same), Verdict::None);
        assert_eq!(fast.against(&slow), Verdict::Above);
        assert_eq!(slow.against(&fast), Verdict::Below);
    }
}
