//! Metrics as Prometheus reads them: text format 0.0.4, read by its letter (its documentation, "Exposition formats").

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Labels with their values, in the order of their names.
pub type Labels = BTreeMap<String, String>;

/// Samples of one scrape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposition {
    /// Types by the names of metrics.
    pub types: BTreeMap<String, String>,
    /// Values by the names and labels of samples.
    pub samples: BTreeMap<(String, Labels), f64>,
    helped: BTreeSet<String>,
    /// Families whose lines are over.
    closed: BTreeSet<String>,
    /// Names of samples and their labels, in the order of the text.
    order: Vec<(String, Labels)>,
}

impl Exposition {
    /// Reads a text.
    ///
    /// # Errors
    /// What is not as the format says, with the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let body = text.strip_suffix('\n').ok_or("the last line does not end")?;
        let (mut read, mut family) = (Self::default(), String::new());
        for line in body.split('\n').filter(|line| !line.is_empty()) {
            read.line(line, &mut family).map_err(|wrong| format!("{wrong}: {line}"))?;
        }
        read.check_histograms()?;
        Ok(read)
    }

    fn line(&mut self, line: &str, family: &mut String) -> Result<(), String> {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').ok_or("no text of help")?;
            unescape(help, false)?;
            self.enter(name, family)?;
            return if self.helped.insert(name.to_owned()) { Ok(()) } else { Err("two helps".to_owned()) };
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').ok_or("no type")?;
            if !["counter", "gauge", "histogram", "summary", "untyped"].contains(&kind) {
                return Err("no such type".to_owned());
            }
            self.enter(name, family)?;
            if !self.helped.contains(name) {
                return Err("no help before".to_owned());
            }
            let before = self.types.insert(name.to_owned(), kind.to_owned());
            return if before.is_none() { Ok(()) } else { Err("two types".to_owned()) };
        }
        if line.starts_with('#') {
            return Err("a comment that is neither help nor type".to_owned());
        }
        let (name, labels, value) = sample(line)?;
        let kind = self.types.get(family).ok_or("no type before")?;
        let belongs = if kind == "histogram" {
            ["_bucket", "_sum", "_count"].iter().any(|end| name.strip_suffix(end) == Some(family))
        } else {
            name == *family
        };
        if !belongs {
            return Err(format!("in the midst of {family}"));
        }
        if kind == "counter" && !(value.is_finite() && value >= 0.0) {
            return Err("no value of a counter".to_owned());
        }
        self.order.push((name.clone(), labels.clone()));
        match self.samples.insert((name, labels), value) {
            None => Ok(()),
            Some(_) => Err("twice".to_owned()),
        }
    }

    /// A family begins, or goes on.
    fn enter(&mut self, name: &str, family: &mut String) -> Result<(), String> {
        if !is_name(name, true) {
            return Err(format!("`{name}` is no name of a metric"));
        }
        if name != family {
            self.closed.insert(std::mem::replace(family, name.to_owned()));
        }
        if self.closed.contains(name) { Err("lines of one metric stand apart".to_owned()) } else { Ok(()) }
    }

    fn check_histograms(&self) -> Result<(), String> {
        for name in self.types.iter().filter(|(_, kind)| *kind == "histogram").map(|(name, _)| name) {
            let mut groups: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
            for (sample, labels) in
                self.order.iter().filter(|(sample, _)| *sample == format!("{name}_bucket"))
            {
                let mut rest = labels.clone();
                let bound = rest.remove("le").ok_or_else(|| format!("{name}: a bucket without a bound"))?;
                let value = self.samples[&(sample.clone(), labels.clone())];
                groups.entry(rest).or_default().push((float(&bound)?, value));
            }
            let sums = self.samples.keys().filter(|(sample, _)| *sample == format!("{name}_sum")).count();
            if groups.is_empty() || groups.len() != sums {
                return Err(format!("{name}: {} groups of buckets, {sums} sums", groups.len()));
            }
            for (labels, buckets) in groups {
                let rising = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1;
                if !buckets.windows(2).all(rising) {
                    return Err(format!("{name}{labels:?}: buckets do not rise"));
                }
                let count = self.samples.get(&(format!("{name}_count"), labels.clone()));
                let last = buckets.last().filter(|last| last.0 == f64::INFINITY).map(|last| &last.1);
                if last.is_none() || last != count {
                    return Err(format!("{name}{labels:?}: +Inf is {last:?}, the count {count:?}"));
                }
                if !self.samples.contains_key(&(format!("{name}_sum"), labels.clone())) {
                    return Err(format!("{name}{labels:?}: no sum"));
                }
            }
        }
        Ok(())
    }

    /// The sum of all samples of a name whose labels have these values, among others; 0 without any.
    #[must_use]
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has =
            |all: &Labels| labels.iter().all(|(label, value)| all.get(*label).is_some_and(|it| it == value));
        self.samples
            .iter()
            .filter(|((sample, all), _)| sample == name && has(all))
            .map(|(_, value)| value)
            .sum()
    }

    /// Samples that must not become less, and have since `before`.
    #[must_use]
    pub fn gone_back(&self, before: &Self) -> Vec<String> {
        let grows = |name: &str| {
            let ends = ["_bucket", "_sum", "_count"];
            let family = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            self.types.get(name).is_some_and(|kind| kind == "counter")
                || self.types.get(family).is_some_and(|kind| kind == "histogram")
        };
        let now = |key| self.samples.get(key).copied().unwrap_or(-1.0);
        let gone = before.samples.iter().filter(|(key, value)| grows(&key.0) && now(key) < **value);
        gone.map(|(key, value)| format!("{key:?}: {value} became {}", now(key))).collect()
    }
}

/// Asks a server with GET; gives status, headers in small letters, and body. Nothing when nobody is there.
///
/// # Panics
/// When the answer is no HTTP.
#[must_use]
pub fn get(address: SocketAddr, path: &str) -> Option<(u16, String, String)> {
    let mut socket = TcpStream::connect(address).ok()?;
    socket.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    socket.write_all(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status: {head}"));
    Some((status, head.to_ascii_lowercase(), body.to_owned()))
}

/// `name{label="value"} 1`.
fn sample(line: &str) -> Result<(String, Labels, f64), String> {
    let end = line.find(['{', ' ']).ok_or("no value")?;
    let (name, mut rest) = line.split_at(end);
    if !is_name(name, true) {
        return Err(format!("`{name}` is no name of a metric"));
    }
    let mut labels = Labels::new();
    if let Some(mut inner) = rest.strip_prefix('{') {
        loop {
            let (label, behind) = inner.split_once("=\"").ok_or("no value of a label")?;
            if !is_name(label, false) {
                return Err(format!("`{label}` is no name of a label"));
            }
            let end = closing(behind).ok_or("a label does not end")?;
            let value = unescape(&behind[..end], true)?;
            if labels.insert(label.to_owned(), value).is_some() {
                return Err(format!("two labels {label}"));
            }
            inner = &behind[end + 1..];
            match inner.strip_prefix(',') {
                Some(next) => inner = next,
                None => break,
            }
        }
        rest = inner.strip_prefix('}').ok_or("labels do not end")?;
    }
    let value = rest.strip_prefix(' ').ok_or("no blank before the value")?;
    Ok((name.to_owned(), labels, float(value)?))
}

/// Where a quoted text ends.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let found = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        found.then_some(at)
    })
}

fn unescape(text: &str, quoted: bool) -> Result<String, String> {
    let (mut plain, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                Some('"') if quoted => '"',
                other => return Err(format!("`\\{other:?}` is no escape")),
            },
            c => c,
        });
    }
    Ok(plain)
}

fn is_name(name: &str, colon: bool) -> bool {
    let fits = |c: char| c.is_ascii_alphabetic() || c == '_' || (colon && c == ':');
    name.starts_with(fits) && name.chars().all(|c| fits(c) || c.is_ascii_digit())
}

fn float(text: &str) -> Result<f64, String> {
    match text {
        "+Inf" => Ok(f64::INFINITY),
        "-Inf" => Ok(f64::NEG_INFINITY),
        "NaN" => Ok(f64::NAN),
        _ if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')) => {
            text.parse().map_err(|_| format!("`{text}` is no number"))
        }
        _ => Err(format!("`{text}` is no number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: &str = "# HELP a_total Of \\\\ and\\nlines.\n# TYPE a_total counter\na_total{x=\"1\\\"\\\\\\n\",y=\"\"} 3\na_total 1e3\n# HELP h Sizes.\n# TYPE h histogram\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n";

    #[test]
    fn what_is_right_is_read() {
        let read = Exposition::parse(FINE).unwrap();
        assert_eq!((read.sum("a_total", &[]), read.sum("a_total", &[("x", "1\"\\\n")])), (1003.0, 3.0));
        assert!(read.gone_back(&read).is_empty());
        let less = Exposition::parse(&FINE.replace("1e3", "1")).unwrap();
        assert_eq!(less.gone_back(&read).len(), 1);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for (from, to) in [
            ("h_count 2\n", "h_count 2"),
            ("a_total 1e3\n", "a_total 1e3\na_total 2\n"),
            ("# TYPE a_total counter\n", ""),
            ("# HELP a_total Of \\\\ and\\nlines.\n", ""),
            ("# HELP h Sizes.", "# HELP a_total Again."),
            ("a_total 1e3", "a_total -1"),
            ("a_total 1e3", "a_total NaN"),
            ("a_total 1e3", "b_total 1"),
            ("a_total 1e3", "a_total  1"),
            ("a_total 1e3", "a_total one"),
            ("y=\"\"", "x=\"\""),
            ("y=\"\"", "9=\"\""),
            ("\\\\\\n\"", "\\t\""),
            ("h_count 2", "h_count 3"),
            ("le=\"0.5\"} 1", "le=\"0.5\"} 7"),
            ("h_bucket{le=\"+Inf\"} 2\n", ""),
            ("h_sum 3\n", ""),
            ("# TYPE h histogram", "# TYPE h histo"),
        ] {
            let text = FINE.replacen(from, to, 1);
            assert_ne!(text, FINE, "{from}");
            assert!(Exposition::parse(&text).is_err(), "{from} -> {to}");
        }
    }
}
