//! Key generators' properties, read and checked (`algorithms.md` §2). How they generate is `plan::algorithm`'s.

use super::Properties;
use crate::error::{AlgorithmKind, Error, Names};
use crate::rule::AlgorithmSpec;

/// A key generator with its properties.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KeyGenerator {
    /// `SNOWFLAKE`.
    Snowflake(Snowflake),
    /// `UUID`.
    Uuid,
}

/// Properties of `SNOWFLAKE`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Snowflake {
    /// `worker-id`: tells this process from others, 0 to 1023.
    pub worker: u16,
    /// `max-vibration-offset`: the greatest sequence number that a millisecond begins with, 0 to 4095.
    pub vibration: u16,
    /// `max-tolerate-time-difference-milliseconds`: how far the clock may be set back.
    pub tolerance: u64,
}

impl KeyGenerator {
    /// Reads a generator's type (letter case ignored) and its properties.
    pub fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        match spec.kind.to_ascii_uppercase().as_str() {
            "SNOWFLAKE" => Snowflake::parse(spec).map(Self::Snowflake),
            "UUID" => Properties::of(AlgorithmKind::Key, spec, &[]).map(|_| Self::Uuid),
            _ => Err(Error::InvalidAlgorithms { kind: AlgorithmKind::Key, names: Names::one(&spec.kind) }),
        }
    }
}

impl Snowflake {
    fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["worker-id", "max-vibration-offset", "max-tolerate-time-difference-milliseconds"];
        let properties = Properties::of(AlgorithmKind::Key, spec, &known)?;
        let number = |name: &str, otherwise: u64, most: u64| {
            let Some(text) = properties.text(name) else { return Ok(otherwise) };
            let wanted = || properties.bad(name, text, &format!("an integer from 0 to {most}"));
            text.parse().ok().filter(|number| *number <= most).ok_or_else(wanted)
        };
        let small = |number: u64| u16::try_from(number).unwrap_or_default();
        Ok(Self {
            worker: small(number("worker-id", 0, 1023)?),
            vibration: small(number("max-vibration-offset", 1, 4095)?),
            tolerance: number("max-tolerate-time-difference-milliseconds", 10, 60_000)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: &str, properties: &[(&str, &str)]) -> Result<KeyGenerator, String> {
        let properties = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let spec = AlgorithmSpec { kind: kind.to_owned(), properties: properties.collect() };
        KeyGenerator::parse(&spec).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_generators_with_their_defaults() {
        let plain = Snowflake { worker: 0, vibration: 1, tolerance: 10 };
        assert_eq!(parse("snowflake", &[]), Ok(KeyGenerator::Snowflake(plain)));
        let all = [
            ("worker-id", "1023"),
            ("max-vibration-offset", "4095"),
            ("max-tolerate-time-difference-milliseconds", "0"),
        ];
        let other = Snowflake { worker: 1023, vibration: 4095, tolerance: 0 };
        assert_eq!(parse("SNOWFLAKE", &all), Ok(KeyGenerator::Snowflake(other)));
        assert_eq!(parse("UUID", &[]), Ok(KeyGenerator::Uuid));
    }

    #[test]
    fn refuses_generators_and_properties_by_name() {
        assert_eq!(parse("NANOID", &[]).unwrap_err(), "Invalid key generator algorithms `[NANOID]`.");
        assert_eq!(
            parse("SNOWFLAKE", &[("worker-id", "1024")]).unwrap_err(),
            "Key generate algorithm `SNOWFLAKE` initialization failed, reason is: property 'worker-id' must be an \
             integer from 0 to 1023, not '1024'."
        );
        assert_eq!(
            parse("UUID", &[("worker-id", "1")]).unwrap_err(),
            "Key generate algorithm `UUID` initialization failed, reason is: unknown property 'worker-id'; there are none."
        );
    }
}
