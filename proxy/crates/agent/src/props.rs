//! Properties of one plugin, read by their names: what nobody asked for is unknown.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// Line and column in a file, from 1.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Place {
    /// Line.
    pub line: u64,
    /// Column.
    pub column: u64,
}

/// What is wrong, and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    /// Where in the file.
    pub at: Place,
    /// What is wrong there.
    pub reason: String,
}

/// `props` of a plugin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props(Vec<Prop>);

#[derive(Clone, Debug, PartialEq)]
struct Prop {
    name: String,
    value: String,
    /// Of the name.
    at: Place,
    /// Of the value.
    value_at: Place,
    asked: Cell<bool>,
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        Self { line: location.line().max(1), column: location.column().max(1) }
    }
}

impl Props {
    fn prop(&self, name: &str) -> Option<&Prop> {
        let prop = self.0.iter().find(|prop| prop.name == name)?;
        prop.asked.set(true);
        Some(prop)
    }

    /// The value as it stands there, quotes taken away; nothing where it is missing or empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.prop(name).map(|prop| prop.value.trim()).filter(|value| !value.is_empty())
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// Any other value.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Fault> {
        self.choice(name, &[("true", true), ("false", false)], default)
    }

    /// One of these, letter case ignored.
    ///
    /// # Errors
    /// Any other value.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)], default: T) -> Result<T, Fault> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let found = choices.iter().find(|(choice, _)| choice.eq_ignore_ascii_case(text));
        found.map(|found| found.1).ok_or_else(|| {
            let names: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
            self.fault(name, &format!("must be one of {}", names.join(", ")))
        })
    }

    /// A number from the first to the second.
    ///
    /// # Errors
    /// Any other value.
    pub fn number<T>(&self, name: &str, (least, most): (T, T), default: T) -> Result<T, Fault>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().ok().filter(|number| *number >= least && *number <= most).ok_or_else(|| {
            let real = matches!(std::any::type_name::<T>(), "f32" | "f64");
            let what = if real { "a number" } else { "an integer" };
            self.fault(name, &format!("must be {what} from {least} to {most}"))
        })
    }

    /// A time: a number of `unit`s, or one with its own unit (`500ms`, `30s`, `10m`, `12h`, `7d`).
    ///
    /// # Errors
    /// Any other value.
    pub fn duration(&self, name: &str, unit: Duration, default: Duration) -> Result<Duration, Fault> {
        let Some(text) = self.text(name) else { return Ok(default) };
        duration(text, unit).ok_or_else(|| self.fault(name, "must be a time like 500ms, 30s, 10m, 12h or 7d"))
    }

    /// A number of bytes, or one with a unit (`64KB`, `100MB`, `1GB`, each 1,024 of the one before).
    ///
    /// # Errors
    /// Any other value.
    pub fn size(&self, name: &str, default: u64) -> Result<u64, Fault> {
        let Some(text) = self.text(name) else { return Ok(default) };
        size(text).ok_or_else(|| self.fault(name, "must be a size like 4096, 64KB, 100MB or 1GB"))
    }

    /// The value of a property, which is there, is wrong: `must be …`.
    pub fn fault(&self, name: &str, wanted: &str) -> Fault {
        let prop = self.0.iter().find(|prop| prop.name == name);
        let value = prop.map_or("", |prop| &prop.value);
        let at = prop.map_or_else(Place::default, |prop| prop.value_at);
        Fault { at, reason: format!("`{name}` {wanted}, not `{value}`") }
    }

    /// Nothing else is known.
    ///
    /// # Errors
    /// A property that nobody has asked for.
    pub fn end(&self) -> Result<(), Fault> {
        match self.0.iter().find(|prop| !prop.asked.get()) {
            None => Ok(()),
            Some(prop) => Err(Fault { at: prop.at, reason: format!("unknown property `{}`", prop.name) }),
        }
    }
}

/// A time: a number of `unit`s, or one with its own unit.
pub(crate) fn duration(text: &str, unit: Duration) -> Option<Duration> {
    let (digits, suffix) = split_unit(text);
    let unit = match suffix.to_ascii_lowercase().as_str() {
        "" => unit,
        "ms" => Duration::from_millis(1),
        "s" => Duration::from_secs(1),
        "m" | "min" => Duration::from_secs(60),
        "h" => Duration::from_secs(3600),
        "d" => Duration::from_secs(86_400),
        _ => return None,
    };
    unit.checked_mul(digits.parse().ok()?)
}

/// A number of bytes, or one with a unit.
pub(crate) fn size(text: &str) -> Option<u64> {
    let (digits, suffix) = split_unit(text);
    let unit: u64 = match suffix.to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The digits in front, and what comes behind them.
fn split_unit(text: &str) -> (&str, &str) {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (&text[..digits], text[digits..].trim())
}

impl<'de> Deserialize<'de> for Props {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> Visitor<'de> for Map {
            type Value = Props;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of properties")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Props, A::Error> {
                let mut props = Vec::new();
                while let Some(name) = map.next_key::<Spanned<String>>()? {
                    let value = map.next_value::<Spanned<Option<String>>>()?;
                    props.push(Prop {
                        at: name.referenced.into(),
                        value_at: value.referenced.into(),
                        name: name.value,
                        value: value.value.unwrap_or_default(),
                        asked: Cell::new(false),
                    });
                }
                Ok(Props(props))
            }
        }
        deserializer.deserialize_map(Map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn props(text: &str) -> Props {
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn values_are_read_quoted_or_not() {
        let props = props("a: true\nb: \"true\"\nc: 12\nd: '12'\ne:\nf: \"\"\ng: 0.5\n");
        assert_eq!((props.flag("a", false), props.flag("b", false)), (Ok(true), Ok(true)));
        assert_eq!((props.number("c", (0, 99), 1), props.number("d", (0, 99), 1)), (Ok(12), Ok(12)));
        assert_eq!((props.text("e"), props.text("f"), props.number("e", (0, 99), 1)), (None, None, Ok(1)));
        assert_eq!(props.number("g", (0.0, 1.0), 1.0), Ok(0.5));
        assert_eq!(props.end(), Ok(()));
    }

    #[test]
    fn times_and_sizes_have_units() {
        let props = props("a: 250\nb: 2h\nc: 64KB\nd: 10\ne: 3 GB\nf: 1w\ng: -1\nh: 99999999999GB\n");
        let ms = Duration::from_millis(1);
        assert_eq!(props.duration("a", ms, ms), Ok(250 * ms));
        assert_eq!(props.duration("b", ms, ms), Ok(Duration::from_secs(7200)));
        assert_eq!(props.duration("none", ms, ms), Ok(ms));
        assert_eq!(
            (props.size("c", 1), props.size("d", 1), props.size("e", 1)),
            (Ok(65_536), Ok(10), Ok(3 << 30))
        );
        let fault = props.duration("f", ms, ms).unwrap_err();
        assert_eq!(fault.at, Place { line: 6, column: 4 });
        assert_eq!(fault.reason, "`f` must be a time like 500ms, 30s, 10m, 12h or 7d, not `1w`");
        assert!(props.size("g", 1).is_err() && props.size("h", 1).is_err());
    }

    #[test]
    fn what_nobody_asked_for_is_unknown() {
        let props = props("a: 1\n  \nsampler: x\n");
        assert_eq!(props.text("a"), Some("1"));
        let fault = props.end().unwrap_err();
        assert_eq!(
            fault,
            Fault { at: Place { line: 3, column: 1 }, reason: "unknown property `sampler`".to_owned() }
        );
    }
}
