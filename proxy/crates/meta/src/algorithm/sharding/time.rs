//! Algorithms over dates and times.

use super::MOST_SHARDS;
use crate::algorithm::Properties;
use crate::error::{AlgorithmKind, Error};
use crate::moment::{Moment, Pattern};
use crate::rule::AlgorithmSpec;

/// Properties of `AUTO_INTERVAL`: shard 0 is up to `lower`, the last one after `upper`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct AutoInterval {
    /// `datetime-lower`, in seconds of [`Moment`].
    pub lower: i64,
    /// `sharding-seconds`.
    pub seconds: i64,
    /// Number of shards.
    pub shards: u32,
}

/// Properties of `INTERVAL`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Interval {
    /// `datetime-pattern`: how texts name a moment.
    pub pattern: Pattern,
    /// `datetime-lower`: start of the first window.
    pub lower: Moment,
    /// `datetime-upper`: no window starts after it. Not given, there is no last one (upstream takes the moment of its
    /// start, after which nothing can be stored any more).
    pub upper: Option<Moment>,
    /// `sharding-suffix-pattern`: what the names of a window's targets end with.
    pub suffix: Pattern,
    /// `datetime-interval-amount` of `datetime-interval-unit`.
    pub step: Step,
}

/// How far the starts of windows are apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// Microseconds.
    Micros(i64),
    /// Months.
    Months(i64),
}

impl AutoInterval {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = ["datetime-lower", "datetime-upper", "sharding-seconds"];
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &known)?;
        let pattern = Pattern::parse("yyyy-MM-dd HH:mm:ss").map_err(|reason| properties.error(reason))?;
        let at = |name| {
            let text = properties.required(name)?;
            whole(&pattern, text)
                .map(Moment::seconds)
                .ok_or_else(|| properties.bad(name, text, "a date and time as 'yyyy-MM-dd HH:mm:ss'"))
        };
        let (lower, upper) = (at("datetime-lower")?, at("datetime-upper")?);
        let text = properties.required("sharding-seconds")?;
        let Ok(seconds @ 1..=1_000_000_000_000) = text.parse() else {
            return Err(properties.bad("sharding-seconds", text, "an integer, 1 or more"));
        };
        if upper < lower {
            return Err(
                properties.error("property 'datetime-upper' must not be before 'datetime-lower'".to_owned())
            );
        }
        let shards = (upper - lower) / seconds + 2;
        match u32::try_from(shards) {
            Ok(shards @ ..=MOST_SHARDS) => Ok(Self { lower, seconds, shards }),
            _ => Err(properties.error(format!(
                "property 'sharding-seconds' makes {shards} shards; there may be {MOST_SHARDS}"
            ))),
        }
    }
}

impl Interval {
    pub(super) fn parse(spec: &AlgorithmSpec) -> Result<Self, Error> {
        let known = [
            "datetime-pattern",
            "datetime-lower",
            "datetime-upper",
            "sharding-suffix-pattern",
            "datetime-interval-amount",
            "datetime-interval-unit",
        ];
        let properties = Properties::of(AlgorithmKind::Sharding, spec, &known)?;
        let pattern = |name| {
            let text = properties.required(name)?;
            Pattern::parse(text)
                .map_err(|reason| properties.bad(name, text, &format!("a pattern of dates ({reason})")))
        };
        let (datetime, suffix) = (pattern("datetime-pattern")?, pattern("sharding-suffix-pattern")?);
        let at = |name, text| {
            whole(&datetime, text)
                .ok_or_else(|| properties.bad(name, text, "a date and time as 'datetime-pattern' says"))
        };
        let lower = at("datetime-lower", properties.required("datetime-lower")?)?;
        let upper = properties.text("datetime-upper").map(|text| at("datetime-upper", text)).transpose()?;
        if upper.is_some_and(|upper| upper < lower) {
            return Err(
                properties.error("property 'datetime-upper' must not be before 'datetime-lower'".to_owned())
            );
        }
        let step = step(properties)?;
        if matches!(step, Step::Months(_)) && lower.fields().day > 28 {
            return Err(properties.error(
                "property 'datetime-lower' must be a day that every month has when windows are months"
                    .to_owned(),
            ));
        }
        Ok(Self { pattern: datetime, lower, upper, suffix, step })
    }

    /// The number of the window that holds a moment; nothing before the first and after the last one.
    pub fn window(&self, moment: Moment) -> Option<i64> {
        let number = match self.step {
            Step::Micros(micros) => moment.0.checked_sub(self.lower.0)?.div_euclid(micros),
            Step::Months(months) => {
                let (at, lower) = (moment.fields(), self.lower.fields());
                let passed = (at.year - lower.year) * 12 + at.month - lower.month;
                let begins = self.lower.plus_months(passed).is_some_and(|begin| begin <= moment);
                (passed - i64::from(!begins)).div_euclid(months)
            }
        };
        let begins = self.start(number)?;
        let known = number >= 0 && self.upper.is_none_or(|upper| begins <= upper);
        known.then_some(number)
    }

    /// When a window starts.
    pub fn start(&self, number: i64) -> Option<Moment> {
        match self.step {
            Step::Micros(micros) => micros.checked_mul(number)?.checked_add(self.lower.0).map(Moment),
            Step::Months(months) => self.lower.plus_months(months.checked_mul(number)?),
        }
    }

    /// The last window, if there is one.
    pub fn last(&self) -> Option<i64> {
        self.window(self.upper?)
    }
}

fn step(properties: Properties<'_>) -> Result<Step, Error> {
    let text = properties.text("datetime-interval-amount").unwrap_or("1");
    let wanted = "an integer from 1 to 1000000000";
    let bad = || properties.bad("datetime-interval-amount", text, wanted);
    let amount: i64 =
        text.parse().ok().filter(|amount| (1..=1_000_000_000).contains(amount)).ok_or_else(bad)?;
    let unit = properties.text("datetime-interval-unit").unwrap_or("DAYS");
    let second = 1_000_000;
    let micros = match unit.to_ascii_uppercase().as_str() {
        "NANOS" if amount % 1000 == 0 => return Ok(Step::Micros(amount / 1000)),
        "NANOS" => return Err(properties.bad("datetime-interval-amount", text, "whole microseconds")),
        "MICROS" => 1,
        "MILLIS" => 1000,
        "SECONDS" => second,
        "MINUTES" => 60 * second,
        "HOURS" => 3600 * second,
        "HALFDAYS" | "HALF_DAYS" => 43_200 * second,
        "DAYS" => 86_400 * second,
        "WEEKS" => 7 * 86_400 * second,
        "MONTHS" => return Ok(Step::Months(amount)),
        "YEARS" => return Ok(Step::Months(amount * 12)),
        "DECADES" => return Ok(Step::Months(amount * 120)),
        "CENTURIES" => return Ok(Step::Months(amount * 1200)),
        "MILLENNIA" => return Ok(Step::Months(amount * 12_000)),
        _ => {
            return Err(properties.bad(
                "datetime-interval-unit",
                unit,
                "a unit of time such as DAYS or MONTHS",
            ));
        }
    };
    amount.checked_mul(micros).map(Step::Micros).ok_or_else(bad)
}

/// A text that is a moment and nothing more.
fn whole(pattern: &Pattern, text: &str) -> Option<Moment> {
    pattern.read(text).filter(|moment| pattern.write(*moment).len() == text.len())
}
