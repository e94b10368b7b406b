//! Fills `${…}` in the texts of a scenario: `${ds_0.host}`, `${ds_0.port}`, `${shard}`, `${shard % 4}`, `${cipher}`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Names of one's own and what each stands for in turn.
pub type Each = BTreeMap<String, Values>;

/// What a name stands for in turn.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// 0, 1, … so many.
    Count(u64),
    /// These words.
    Words(Vec<String>),
}

/// What the names stand for.
#[derive(Debug, Clone, Default)]
pub struct Fill {
    words: BTreeMap<String, String>,
    counters: BTreeMap<String, u64>,
}

/// A `${…}` that stands for nothing.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`${{{0}}}` stands for nothing here")]
pub struct Unknown(pub String);

impl Fill {
    /// Servers with their addresses.
    pub fn new<'a>(servers: impl IntoIterator<Item = (&'a str, &'a str, u16)>) -> Self {
        let mut fill = Self::default();
        for (name, host, port) in servers {
            fill.words.insert(format!("{name}.host"), host.to_owned());
            fill.words.insert(format!("{name}.port"), port.to_string());
        }
        fill
    }

    /// Servers of these names with no address, to check a file before there are servers.
    pub(super) fn trial(names: &[String]) -> Self {
        Self::new(names.iter().map(|name| (name.as_str(), "", 0)))
    }

    /// The same with a counter.
    #[must_use]
    pub fn with(mut self, counter: &str, value: u64) -> Self {
        self.counters.insert(counter.to_owned(), value);
        self
    }

    /// The same with the port on which a proxy tells its metrics.
    #[must_use]
    pub(super) fn scraped(self, port: u16) -> Self {
        self.saying("scrape.port", &port.to_string())
    }

    /// The same with the port on which spans are taken.
    #[must_use]
    pub(super) fn collected(self, port: u16) -> Self {
        self.saying("collector.port", &port.to_string())
    }

    /// The same with a word.
    fn saying(mut self, name: &str, word: &str) -> Self {
        self.words.insert(name.to_owned(), word.to_owned());
        self
    }

    /// `text` with everything filled in.
    pub fn text(&self, text: &str) -> Result<String, Unknown> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let (inside, behind) = after.split_once('}').ok_or_else(|| Unknown(after.to_owned()))?;
            out.push_str(&self.value(inside).ok_or_else(|| Unknown(inside.to_owned()))?);
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&self, inside: &str) -> Option<String> {
        if let Some(word) = self.words.get(inside) {
            return Some(word.clone());
        }
        let (counter, divisor) = match inside.split_once('%') {
            Some((counter, divisor)) => (counter.trim(), Some(divisor.trim().parse::<u64>().ok()?)),
            None => (inside, None),
        };
        let value = *self.counters.get(counter)?;
        match divisor {
            Some(divisor) => Some(value.checked_rem(divisor)?.to_string()),
            None => Some(value.to_string()),
        }
    }

    /// One filling for each combination.
    pub fn each(&self, names: &Each) -> Vec<Self> {
        names.iter().fold(vec![self.clone()], |fills, (name, values)| {
            fills.iter().flat_map(|fill| fill.one_each(name, values)).collect()
        })
    }

    fn one_each(&self, name: &str, values: &Values) -> Vec<Self> {
        match values {
            Values::Count(size) => (0..*size).map(|value| self.clone().with(name, value)).collect(),
            Values::Words(words) => words.iter().map(|word| self.clone().saying(name, word)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_addresses_and_counters() {
        let fill = Fill::new([("ds_0", "127.0.0.1", 13306)]).with("shard", 7);
        assert_eq!(
            fill.text("HOST=\"${ds_0.host}\", PORT=${ds_0.port}, t_${shard} on ds_${shard % 4}").unwrap(),
            "HOST=\"127.0.0.1\", PORT=13306, t_7 on ds_3"
        );
        assert_eq!(fill.text("no sign, $ and }").unwrap(), "no sign, $ and }");
    }

    #[test]
    fn names_what_it_does_not_know() {
        let fill = Fill::default().with("shard", 7);
        for (text, unknown) in [
            ("${ds_9.port}", "ds_9.port"),
            ("${shard % 0}", "shard % 0"),
            ("${shard % x}", "shard % x"),
            ("${open", "open"),
        ] {
            assert_eq!(fill.text(text), Err(Unknown(unknown.to_owned())));
        }
    }

    #[test]
    fn repeats_for_every_combination() {
        let words = Values::Words(vec!["x".to_owned(), "y".to_owned()]);
        let names = Each::from([("a".to_owned(), words), ("b".to_owned(), Values::Count(3))]);
        let texts: Vec<_> =
            Fill::default().each(&names).iter().map(|fill| fill.text("${a}${b}").unwrap()).collect();
        assert_eq!(texts, ["x0", "x1", "x2", "y0", "y1", "y2"]);
        assert_eq!(Fill::default().each(&Each::new()).len(), 1);
    }
}
