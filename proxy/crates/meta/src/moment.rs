//! Points on the calendar without a time zone, and the patterns in which texts name them (Java's letters
//! `y u M d H m s S`, and `Q` for writing).

use std::fmt::Write;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Microseconds since 1970-01-01 00:00:00 of the same calendar.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Moment(pub i64);

/// A moment as a calendar and a clock show it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fields {
    /// 0 to 9999.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 59.
    pub second: i64,
    /// 0 to 999,999.
    pub micros: i64,
}

impl Default for Fields {
    fn default() -> Self {
        Self { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, micros: 0 }
    }
}

impl Fields {
    /// The moment, if there is such a day and time.
    pub fn moment(self) -> Option<Moment> {
        let Self { year, month, day, hour, minute, second, micros } = self;
        let there = (0..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=length(year, month)).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..SECOND).contains(&micros);
        let time = ((hour * 60 + minute) * 60 + second) * SECOND + micros;
        there.then(|| Moment(days(year, month, day) * DAY + time))
    }
}

impl Moment {
    /// As calendar and clock show it.
    pub fn fields(self) -> Fields {
        let (date, time) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = civil(date);
        let seconds = time / SECOND;
        Fields {
            year,
            month,
            day,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            micros: time % SECOND,
        }
    }

    /// Whole seconds, rounded down.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// The last moment not later that is a multiple of so many microseconds.
    pub fn floor(self, micros: i64) -> Self {
        Self(self.0 - self.0.rem_euclid(micros))
    }

    /// The first moment not earlier that is a multiple of so many microseconds.
    pub fn ceil(self, micros: i64) -> Self {
        Self(self.0 + (-self.0).rem_euclid(micros))
    }

    /// So many months later; the day must be one that every month has.
    pub(crate) fn plus_months(self, months: i64) -> Option<Self> {
        let fields = self.fields();
        let total = (fields.year * 12 + fields.month - 1).checked_add(months)?;
        Fields { year: total.div_euclid(12), month: total.rem_euclid(12) + 1, ..fields }.moment()
    }
}

/// Days in a month.
fn length(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day of the proleptic Gregorian calendar, in years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The day so many days after 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// A part of a moment that a pattern names; in the order from large to small.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Field {
    Year,
    Quarter,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Fraction,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Part {
    /// A field in so many digits.
    Field(Field, usize),
    Literal(String),
}

/// How a text names a moment.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pattern {
    parts: Vec<Part>,
}

impl Pattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let run = rest.chars().take_while(|c| *c == first).count();
            let field = match first {
                'y' | 'u' => Field::Year,
                'Q' => Field::Quarter,
                'M' => Field::Month,
                'd' => Field::Day,
                'H' => Field::Hour,
                'm' => Field::Minute,
                's' => Field::Second,
                'S' => Field::Fraction,
                '\'' => {
                    rest = quoted(rest, &mut parts)?;
                    continue;
                }
                letter if letter.is_ascii_alphabetic() => return Err(format!("unknown letter '{letter}'")),
                '[' | ']' | '{' | '}' | '#' => return Err(format!("reserved character '{first}'")),
                literal => {
                    literally(literal, &mut parts);
                    rest = &rest[literal.len_utf8()..];
                    continue;
                }
            };
            let most = match field {
                Field::Year => 4,
                Field::Fraction => 9,
                _ => 2,
            };
            if run > most || field == Field::Year && run == 3 {
                return Err(format!("'{}' is not understood", &rest[..run]));
            }
            if parts.iter().any(|part| matches!(part, Part::Field(known, _) if *known == field)) {
                return Err(format!("'{first}' stands in it twice"));
            }
            parts.push(Part::Field(field, run));
            rest = &rest[run..];
        }
        if parts.iter().all(|part| matches!(part, Part::Literal(_))) {
            return Err("it names no date or time".to_owned());
        }
        Ok(Self { parts })
    }

    /// The moment that a text begins with; what it does not name is as in 1970-01-01 00:00:00.
    pub fn read(&self, text: &str) -> Option<Moment> {
        let mut fields = Fields::default();
        let mut rest = text;
        for (number, part) in self.parts.iter().enumerate() {
            let (field, width) = match part {
                Part::Literal(literal) => {
                    rest = rest.strip_prefix(literal.as_str())?;
                    continue;
                }
                Part::Field(field, width) => (*field, *width),
            };
            // A single letter stands for as many digits as there are, of which the next field may not lose any.
            let alone = !matches!(self.parts.get(number + 1), Some(Part::Field(..)));
            let most = match field {
                _ if width > 1 || field == Field::Fraction || !alone => width,
                Field::Year => 4,
                _ => 2,
            };
            let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
            if digits < width {
                return None;
            }
            let value: i64 = rest[..digits].parse().ok()?;
            rest = &rest[digits..];
            match field {
                Field::Year if width == 2 => fields.year = 2000 + value,
                Field::Year => fields.year = value,
                Field::Quarter => fields.month = value * 3 - 2,
                Field::Month => fields.month = value,
                Field::Day => fields.day = value,
                Field::Hour => fields.hour = value,
                Field::Minute => fields.minute = value,
                Field::Second => fields.second = value,
                Field::Fraction => {
                    fields.micros = if width <= 6 {
                        value * 10_i64.pow(6 - width as u32)
                    } else {
                        value / 10_i64.pow(width as u32 - 6)
                    };
                }
            }
        }
        fields.moment()
    }

    /// The text that names a moment.
    pub fn write(&self, moment: Moment) -> String {
        let fields = moment.fields();
        let mut text = String::new();
        for part in &self.parts {
            let (field, width) = match part {
                Part::Literal(literal) => {
                    text.push_str(literal);
                    continue;
                }
                Part::Field(field, width) => (*field, *width),
            };
            let value = match field {
                Field::Year if width == 2 => fields.year % 100,
                Field::Year => fields.year,
                Field::Quarter => (fields.month + 2) / 3,
                Field::Month => fields.month,
                Field::Day => fields.day,
                Field::Hour => fields.hour,
                Field::Minute => fields.minute,
                Field::Second => fields.second,
                Field::Fraction if width <= 6 => fields.micros / 10_i64.pow(6 - width as u32),
                Field::Fraction => fields.micros * 10_i64.pow(width as u32 - 6),
            };
            let _ = write!(text, "{value:0width$}");
        }
        text
    }

    /// The moment with only what the pattern names.
    pub fn project(&self, moment: Moment) -> Moment {
        let all = moment.fields();
        let mut kept = Fields::default();
        for part in &self.parts {
            match part {
                Part::Field(Field::Year, _) => kept.year = all.year,
                Part::Field(Field::Quarter, _) => kept.month = (all.month - 1) / 3 * 3 + 1,
                Part::Field(Field::Month, _) => kept.month = all.month,
                Part::Field(Field::Day, _) => kept.day = all.day,
                Part::Field(Field::Hour, _) => kept.hour = all.hour,
                Part::Field(Field::Minute, _) => kept.minute = all.minute,
                Part::Field(Field::Second, _) => kept.second = all.second,
                Part::Field(Field::Fraction, width) => {
                    let unit = 10_i64.pow(6_u32.saturating_sub(*width as u32));
                    kept.micros = all.micros / unit * unit;
                }
                Part::Literal(_) => {}
            }
        }
        kept.moment().unwrap_or(moment)
    }

    /// Whether a later moment never becomes an earlier one: its fields are the year and what follows without a gap.
    pub fn keeps_order(&self) -> bool {
        let has =
            |field| self.parts.iter().any(|part| matches!(part, Part::Field(known, _) if *known == field));
        let chain = [Field::Month, Field::Day, Field::Hour, Field::Minute, Field::Second, Field::Fraction];
        let full_year = self.parts.iter().any(|part| matches!(part, Part::Field(Field::Year, 1 | 4)));
        let last = chain.iter().rposition(|field| has(*field));
        full_year && chain.iter().take(last.map_or(0, |last| last + 1)).all(|field| has(*field))
    }
}

fn literally(literal: char, parts: &mut Vec<Part>) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push(literal),
        _ => parts.push(Part::Literal(literal.to_string())),
    }
}

/// Takes `'…'`; a doubled quote stands for one.
fn quoted<'a>(text: &'a str, parts: &mut Vec<Part>) -> Result<&'a str, String> {
    let mut rest = &text[1..];
    if let Some(after) = rest.strip_prefix('\'') {
        literally('\'', parts);
        return Ok(after);
    }
    loop {
        let Some(next) = rest.chars().next() else { return Err("a quote is not closed".to_owned()) };
        rest = &rest[next.len_utf8()..];
        match (next, rest.strip_prefix('\'')) {
            ('\'', Some(after)) => {
                literally('\'', parts);
                rest = after;
            }
            ('\'', None) => return Ok(rest),
            _ => literally(next, parts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Moment {
        Fields { year, month, day, hour, minute, second, micros: 0 }.moment().unwrap()
    }

    #[test]
    fn counts_days_as_the_calendar_does() {
        for ((year, month, day), expected) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2024, 3, 15), 19_797),
            ((9999, 12, 31), 2_932_896),
            ((0, 1, 1), -719_528),
        ] {
            assert_eq!(moment(year, month, day, 0, 0, 0).0 / DAY, expected);
        }
        for day in (-719_528..2_932_897).step_by(97) {
            let (year, month, of_month) = civil(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }

    #[test]
    fn knows_which_days_there_are() {
        let day = |year, month, day| Fields { year, month, day, ..Fields::default() }.moment().is_some();
        assert!(day(2024, 2, 29) && day(2000, 2, 29) && day(2023, 12, 31));
        assert!(
            !day(2023, 2, 29)
                && !day(1900, 2, 29)
                && !day(2024, 4, 31)
                && !day(2024, 13, 1)
                && !day(2024, 0, 1)
        );
    }

    #[test]
    fn reads_and_writes_in_a_pattern() {
        let at = moment(2024, 3, 15, 10, 5, 9);
        for (pattern, text) in [
            ("yyyy-MM-dd HH:mm:ss", "2024-03-15 10:05:09"),
            ("yyyyMMdd HHmmss", "20240315 100509"),
            ("yyyy-MM-dd'T'HH:mm:ss", "2024-03-15T10:05:09"),
            ("yy.M.d H:mm:ss", "24.3.15 10:05:09"),
            ("uuuu/MM/dd HH:mm:ss.SSS", "2024/03/15 10:05:09.000"),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            assert_eq!(pattern.write(at), text);
            assert_eq!(pattern.read(text), Some(at));
        }
        let day = Pattern::parse("yyyy-MM-dd").unwrap();
        assert_eq!(
            day.read("2024-03-15 10:05:09"),
            Some(moment(2024, 3, 15, 0, 0, 0)),
            "the rest is cut off"
        );
        assert_eq!(day.project(at), moment(2024, 3, 15, 0, 0, 0));
        assert_eq!(day.read("2024-02-30"), None);
        assert_eq!(day.read("2024-3-15"), None);
        let month = Pattern::parse("MM").unwrap();
        assert_eq!(month.read("03"), Some(moment(1970, 3, 1, 0, 0, 0)));
        assert_eq!(Pattern::parse("yyyy'Q'QQ").unwrap().write(at), "2024Q01");
    }

    #[test]
    fn knows_whether_a_pattern_keeps_the_order_of_time() {
        for (pattern, kept) in [
            ("yyyy", true),
            ("yyyyMM", true),
            ("dd.MM.yyyy", true),
            ("yyyy-dd", false),
            ("MM", false),
            ("yy", false),
        ] {
            assert_eq!(Pattern::parse(pattern).unwrap().keeps_order(), kept, "{pattern}");
        }
    }

    #[test]
    fn refuses_patterns_that_it_does_not_understand() {
        for (pattern, reason) in [
            ("yyyy-ww", "unknown letter 'w'"),
            ("yyyyMMM", "'MMM' is not understood"),
            ("HH:HH", "'H' stands in it twice"),
            ("yyyy'T", "a quote is not closed"),
            ("--", "it names no date or time"),
            ("", "it names no date or time"),
        ] {
            assert_eq!(Pattern::parse(pattern).unwrap_err(), reason);
        }
    }
}
