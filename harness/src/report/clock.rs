//! Points in time, in UTC.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

/// A second of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    /// The present second.
    pub fn now() -> Self {
        Self(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// Seconds from here to `later`.
    pub fn seconds_until(self, later: Self) -> u64 {
        later.0.saturating_sub(self.0)
    }

    /// Without separators, for file names.
    pub fn compact(self) -> String {
        let ([year, month, day], [hour, minute, second]) = self.parts();
        format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
    }

    fn parts(self) -> ([u64; 3], [u64; 3]) {
        let (days, rest) = (self.0 / 86_400, self.0 % 86_400);
        // Years begin in March here, so that the leap day is the last of a year.
        let shifted = days + 719_468;
        let era = shifted / 146_097;
        let of_era = shifted % 146_097;
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        ([year, month, day], [rest / 3_600, rest / 60 % 60, rest % 60])
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([year, month, day], [hour, minute, second]) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_days_over_leap_years() {
        assert_eq!(Stamp(0).to_string(), "1970-01-01 00:00:00 UTC");
        assert_eq!(Stamp(951_782_399).to_string(), "2000-02-28 23:59:59 UTC");
        assert_eq!(Stamp(951_782_400).to_string(), "2000-02-29 00:00:00 UTC");
        assert_eq!(Stamp(1_796_041_256).to_string(), "2026-11-30 12:20:56 UTC");
        assert_eq!(Stamp(1_796_041_256).compact(), "20261130-122056");
    }
}
