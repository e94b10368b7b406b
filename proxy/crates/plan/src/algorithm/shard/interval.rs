//! `INTERVAL` (`algorithms.md` §1.10): windows of time, each with the targets whose names end with the date of its
//! start.

use meta::{Interval, Moment};

use super::{Key, Misfit};

/// More windows than this are not looked through: a range of so many is everywhere.
const MOST_WINDOWS: i64 = 4096;

/// What the names of a key's targets end with; nothing when no window holds it.
pub(super) fn suffix(properties: &Interval, key: Key<'_>) -> Result<Option<String>, Misfit> {
    let at = |moment: Moment| properties.window(properties.pattern.project(moment));
    let window = match key {
        Key::Digits(value) | Key::Int(value) => {
            let moment = properties.pattern.read(itoa::Buffer::new().format(value)).ok_or(Misfit::NotTime)?;
            properties.window(moment)
        }
        Key::Moment(low, high) if at(low) == at(high) => at(low),
        Key::Moment(..) => return Err(Misfit::Doubtful),
        Key::Text(text) => properties.window(properties.pattern.read(text).ok_or(Misfit::NotTime)?),
    };
    let start = window.and_then(|window| properties.start(window));
    Ok(start.map(|start| properties.suffix.write(start)))
}

/// What the names of all targets that may hold a moment between the two end with; nothing when that may be any.
pub(super) fn suffixes(
    properties: &Interval,
    low: Option<Moment>,
    high: Option<Moment>,
) -> Option<Vec<String>> {
    if !properties.pattern.keeps_order() {
        return None;
    }
    let project = |moment: Moment| properties.pattern.project(moment);
    let (low, high) = (low.map(project), high.map(project));
    // Before the first window there is nothing, nor after the last one.
    let first = match low {
        Some(low) if low > properties.lower => match properties.window(low) {
            Some(window) => window,
            None => return Some(Vec::new()),
        },
        _ => 0,
    };
    let last = match high {
        Some(high) if high < properties.lower => return Some(Vec::new()),
        Some(high) => properties.window(high).or_else(|| properties.last())?,
        None => properties.last()?,
    };
    if last - first >= MOST_WINDOWS {
        return None;
    }
    let starts = (first..=last).filter_map(|window| properties.start(window));
    Some(starts.map(|start| properties.suffix.write(start)).collect())
}

#[cfg(test)]
mod tests {
    use meta::{AlgorithmSpec, ShardingAlgorithm};
    use proptest::prelude::*;

    use super::*;
    use crate::moment::of_text;

    fn interval(properties: &[(&str, &str)]) -> Interval {
        let all = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let spec = AlgorithmSpec { kind: "INTERVAL".to_owned(), properties: all.collect() };
        match ShardingAlgorithm::parse(&spec).unwrap() {
            ShardingAlgorithm::Interval(it) => it,
            other => panic!("{other:?}"),
        }
    }

    fn months() -> Interval {
        interval(&[
            ("datetime-pattern", "yyyy-MM-dd HH:mm:ss"),
            ("datetime-lower", "2024-01-01 00:00:00"),
            ("datetime-upper", "2024-12-31 23:59:59"),
            ("sharding-suffix-pattern", "yyyyMM"),
            ("datetime-interval-unit", "MONTHS"),
        ])
    }

    fn at(text: &str) -> Moment {
        of_text(text).unwrap()
    }

    fn between(low: Option<&str>, high: Option<&str>) -> String {
        suffixes(&months(), low.map(at), high.map(at)).unwrap().join(" ")
    }

    #[test]
    fn agrees_with_the_vectors_of_the_specification() {
        for (text, expected) in [
            ("2024-03-15 10:00:00", Some("202403")),
            ("2024-01-01 00:00:00", Some("202401")),
            ("2024-12-31 23:59:59", Some("202412")),
            ("2023-12-31 23:59:59", None),
            ("2025-01-01 00:00:00", None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(suffix(&months(), Key::Text(text)), Ok(expected.clone()), "{text}");
            assert_eq!(suffix(&months(), Key::Moment(at(text), at(text))), Ok(expected), "{text}");
        }
        assert_eq!(suffix(&months(), Key::Text("2024-03-15")), Err(Misfit::NotTime));
        let edge = Key::Moment(at("2024-01-31 23:59:59"), at("2024-02-01 00:00:00"));
        assert_eq!(suffix(&months(), edge), Err(Misfit::Doubtful));
    }

    #[test]
    fn a_range_is_every_window_that_it_touches() {
        assert_eq!(between(Some("2024-02-10"), Some("2024-04-01")), "202402 202403 202404");
        assert_eq!(between(None, Some("2024-02-01")), "202401 202402");
        assert_eq!(between(Some("2024-11-30"), None), "202411 202412");
        assert_eq!(between(Some("2024-11-30"), Some("2030-01-01")), "202411 202412");
        assert_eq!(between(Some("2020-01-01"), Some("2024-01-01")), "202401");
        assert_eq!(between(Some("2025-02-01"), None), "");
        assert_eq!(between(None, Some("2023-01-01")), "");
        assert_eq!(between(Some("2024-05-01"), Some("2024-04-30")), "");
    }

    #[test]
    fn reads_dates_written_as_integers_and_parts_of_dates() {
        let days = interval(&[
            ("datetime-pattern", "yyyyMMdd"),
            ("datetime-lower", "20240101"),
            ("sharding-suffix-pattern", "yyyyMMdd"),
        ]);
        assert_eq!(suffix(&days, Key::Int(20_240_229)), Ok(Some("20240229".to_owned())));
        assert_eq!(suffix(&days, Key::Int(20_240_230)), Err(Misfit::NotTime));
        assert_eq!(suffixes(&days, Some(at("2024-02-28")), None), None, "there is no last window");
        let of_year = interval(&[
            ("datetime-pattern", "MM"),
            ("datetime-lower", "01"),
            ("datetime-upper", "12"),
            ("sharding-suffix-pattern", "MM"),
            ("datetime-interval-unit", "MONTHS"),
        ]);
        let march = at("2024-03-15");
        assert_eq!(suffix(&of_year, Key::Moment(march, march)), Ok(Some("03".to_owned())));
        assert_eq!(suffixes(&of_year, Some(march), None), None);
    }

    proptest! {
        #[test]
        fn windows_partition_time_and_ranges_hold_their_values(
            low in 0i64..366 * 86_400, width in 0i64..100 * 86_400, within in 0i64..100 * 86_400,
        ) {
            let start = at("2024-01-01").0;
            let moment = |seconds: i64| Moment(start + seconds * 1_000_000);
            let value = moment(low + within % (width + 1));
            let found = suffix(&months(), Key::Moment(value, value)).unwrap();
            let all = suffixes(&months(), Some(moment(low)), Some(moment(low + width))).unwrap();
            let fields = value.fields();
            let expected = (fields.year == 2024).then(|| format!("2024{:02}", fields.month));
            prop_assert_eq!(&found, &expected);
            prop_assert!(found.is_none_or(|found| all.contains(&found)));
        }
    }
}
