//! Dates and times as MySQL reads them where it compares them with a column or stores them in one.

use meta::{Fields, Moment};

/// `2024-03-15`, `2024-03-15 10:00:00.5` (or with `T`): the forms that are read the same under every setting.
pub(crate) fn of_text(text: &str) -> Option<Moment> {
    let (date, time) = match text.split_once([' ', 'T']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let mut all = Fields { year, month, day, ..Fields::default() };
    if let Some(time) = time {
        let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
        [all.hour, all.minute, all.second] = fields(clock, ':', [2, 2, 2])?;
        if fraction.len() > 6 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        all.micros = format!("{fraction:0<6}").parse().ok()?;
    }
    moment(all)
}

/// `20240315`, `20240315100000`.
pub(crate) fn of_number(number: i128) -> Option<Moment> {
    let number = i64::try_from(number).ok()?;
    let (date, time) = match number {
        10_000_101..=99_991_231 => (number, 0),
        10_000_101_000_000..=99_991_231_235_959 => (number / 1_000_000, number % 1_000_000),
        _ => return None,
    };
    moment(Fields {
        year: date / 10_000,
        month: date / 100 % 100,
        day: date % 100,
        hour: time / 10_000,
        minute: time / 100 % 100,
        second: time % 100,
        micros: 0,
    })
}

/// Dates with a zero in them are stored or not, as the server's mode says.
fn moment(fields: Fields) -> Option<Moment> {
    if fields.year == 0 { None } else { fields.moment() }
}

/// Three numbers of so many digits.
fn fields(text: &str, between: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(between);
    let mut numbers = [0; 3];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// A date, or a date and time, as a client sends it in the binary protocol.
pub(crate) fn of_sent(sent: wire::value::Value<'_>) -> Option<Moment> {
    let sent = match sent {
        wire::value::Value::Date(date) => wire::value::DateTime { date, ..Default::default() },
        wire::value::Value::DateTime(sent) => sent,
        _ => return None,
    };
    moment(Fields {
        year: i64::from(sent.date.year),
        month: i64::from(sent.date.month),
        day: i64::from(sent.date.day),
        hour: i64::from(sent.hour),
        minute: i64::from(sent.minute),
        second: i64::from(sent.second),
        micros: i64::from(sent.micros),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_means_the_same_on_every_server() {
        let at = |text: &str| of_text(text).map(|moment| moment.0);
        let ten = at("2024-03-15 10:00:00").unwrap();
        assert_eq!(at("2024-03-15T10:00:00"), Some(ten));
        assert_eq!(at("2024-03-15 10:00:00.25"), Some(ten + 250_000));
        assert_eq!(at("2024-03-15"), Some(ten - 36_000_000_000));
        assert_eq!(of_number(20_240_315).unwrap().0, ten - 36_000_000_000);
        assert_eq!(of_number(20_240_315_100_000).unwrap().0, ten);
        for text in [
            "2024-3-15",
            "24-03-15",
            "2024-02-30",
            "2024-00-00",
            "0000-00-00",
            "2024-03-15 10:00",
            "2024-03-15 25:00:00",
            "2024-03-15  10:00:00",
            "2024-03-15 10:00:00+08:00",
            "2024-03-15 10:00:00.1234567",
            "2024/03/15",
            " 2024-03-15",
            "",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
        assert_eq!(of_number(240_315), None);
    }
}
