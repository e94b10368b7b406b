//! Times of day as logs write them: UTC, as MySQL's own logs have it.

use std::time::{SystemTime, UNIX_EPOCH};

use meta::{Fields, Moment};

/// Writes times, most of which are in the same second as the one before.
#[derive(Debug)]
pub struct Stamps {
    second: u64,
    /// `2026-12-01T02:13:42.`
    text: [u8; 20],
}

impl Default for Stamps {
    fn default() -> Self {
        Self { second: 0, text: *b"1970-01-01T00:00:00." }
    }
}

impl Stamps {
    /// Appends `2026-12-01T02:13:42.123456Z`.
    pub fn put(&mut self, out: &mut Vec<u8>, at: SystemTime) {
        self.put_second(out, at);
        out.push(b'.');
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        put_padded::<6>(out, since.subsec_micros());
        out.push(b'Z');
    }

    /// Appends `2026-12-01T02:13:42`.
    pub fn put_second(&mut self, out: &mut Vec<u8>, at: SystemTime) {
        let second = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if second != self.second {
            self.second = second;
            let mut text = Vec::with_capacity(20);
            let Fields { year, month, day, hour, minute, second, .. } = moment(at).fields();
            put_padded::<4>(&mut text, number(year));
            for (before, field) in [(b'-', month), (b'-', day), (b'T', hour), (b':', minute), (b':', second)]
            {
                text.push(before);
                put_padded::<2>(&mut text, number(field));
            }
            text.push(b'.');
            self.text = text.first_chunk().copied().unwrap_or(self.text);
        }
        out.extend_from_slice(&self.text[..19]);
    }
}

/// A time in the names of files, in whose order they were made: `20261201T021342.123456Z`.
pub(crate) fn file_stamp(at: SystemTime) -> String {
    let Fields { year, month, day, hour, minute, second, micros } = moment(at).fields();
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}.{micros:06}Z")
}

fn moment(at: SystemTime) -> Moment {
    let micros = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    Moment(i64::try_from(micros).unwrap_or(i64::MAX))
}

/// Fields of a calendar are small.
fn number(field: i64) -> u32 {
    u32::try_from(field).unwrap_or(0)
}

/// Appends so many digits of a number, zeros in front.
pub fn put_padded<const N: usize>(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [b'0'; N];
    for digit in digits.iter_mut().rev() {
        // Below ten.
        *digit += (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_as_mysql_writes_them() {
        let mut stamps = Stamps::default();
        for (micros, text) in [
            (1_785_000_000_000_001, "2026-07-25T17:20:00.000001Z"),
            (1_785_000_000_999_999, "2026-07-25T17:20:00.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (0, "1970-01-01T00:00:00.000000Z"),
            (4_102_444_799_500_000, "2099-12-31T23:59:59.500000Z"),
        ] {
            let mut out = Vec::new();
            stamps.put(&mut out, UNIX_EPOCH + Duration::from_micros(micros));
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
        let at = UNIX_EPOCH + Duration::from_micros(1_785_000_000_000_001);
        assert_eq!(file_stamp(at), "20260725T172000.000001Z");
    }
}
