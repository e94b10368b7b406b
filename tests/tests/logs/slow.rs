//! What stands in the slow log: read record by record, as MySQL's tools do.

use std::fs;

use weir_tests::Own;
use wire::value::Value;

use crate::{eventually, own};

/// A record.
#[derive(Debug)]
struct Record {
    user: String,
    host: String,
    id: String,
    /// `Query_time: 1.000000` and so on.
    fields: Vec<(String, f64)>,
    database: String,
    text: String,
}

impl Record {
    fn field(&self, name: &str) -> f64 {
        self.fields.iter().find(|field| field.0 == name).unwrap_or_else(|| panic!("{name} in {self:?}")).1
    }

    fn parse(text: &str) -> Self {
        let rest = text.strip_prefix("# Time: ").unwrap();
        let (time, rest) = rest.split_once('\n').unwrap();
        let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000000Z");
        let (who, rest) = rest.strip_prefix("# User@Host: ").unwrap().split_once('\n').unwrap();
        let (user, place) = who.split_once(" @ ").unwrap();
        let (host, id) = place.split_once("  Id: ").unwrap();
        let (name, address) = host.split_once(' ').unwrap();
        assert_eq!(format!("[{name}]"), address);
        let (fields, rest) = rest.strip_prefix("# ").unwrap().split_once('\n').unwrap();
        let words: Vec<_> = fields.split_ascii_whitespace().collect();
        let field = |pair: &[&str]| (pair[0].strip_suffix(':').unwrap().to_owned(), pair[1].parse().unwrap());
        let (database, rest) = match rest.strip_prefix("use ") {
            Some(rest) => rest.split_once(";\n").unwrap(),
            None => ("", rest),
        };
        let (timestamp, text) = rest.strip_prefix("SET timestamp=").unwrap().split_once(";\n").unwrap();
        timestamp.parse::<u64>().unwrap();
        Self {
            user: user.to_owned(),
            host: name.to_owned(),
            id: id.trim().to_owned(),
            fields: words.chunks(2).map(field).collect(),
            database: database.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// All records. They are parted by `;`, an end of line and `#`; a command without a text is one more such line.
fn records(own: &Own) -> Vec<Record> {
    let text = fs::read(own.weir.logs().join("slow_query.log")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let Some(text) = text.strip_suffix(";\n") else { return Vec::new() };
    let text = text.strip_prefix("# Time: ").unwrap();
    text.split(";\n# Time: ").map(|record| Record::parse(&format!("# Time: {record}"))).collect()
}

#[test]
fn slow_statements_and_no_others_are_there() {
    let own = own("logs_slow", &["slow-query-log: true", "long-query-time: 300"]);
    let mut client = own.client();
    let id = client.value("SELECT CONNECTION_ID()");
    client.rows("SELECT id FROM t");
    assert_eq!(client.value("SELECT SLEEP(0.4) FROM t WHERE id = 1"), "0");
    client
        .binary("SELECT SLEEP(?), ? FROM t WHERE id = 1", &[Value::Double(0.4), Value::Bytes(b"it's")])
        .unwrap();
    eventually("both are written", || records(&own).len() == 2);
    let records = records(&own);
    let texts: Vec<_> = records.iter().map(|record| record.text.as_str()).collect();
    assert_eq!(
        texts,
        ["SELECT SLEEP(0.4) FROM t WHERE id = 1", "SELECT SLEEP(0.4), 'it\\'s' FROM t WHERE id = 1"]
    );
    for record in records {
        assert_eq!((record.user.as_str(), record.host.as_str()), ("root[root]", "127.0.0.1"));
        assert_eq!((&record.id, record.database.as_str()), (&id, "logs_slow"));
        let took = record.field("Query_time");
        assert!((0.4..30.0).contains(&took), "{took}");
        assert_eq!(
            (record.field("Rows_sent"), record.field("Route_units"), record.field("Errno")),
            (1.0, 1.0, 0.0)
        );
        let phases = ["Parse_time", "Plan_time", "Lease_time", "Answer_time", "Relay_time"];
        let sum: f64 = phases.iter().map(|phase| record.field(phase)).sum();
        assert!((sum - took).abs() < 0.000_01, "{sum} of {took}");
        assert!(record.field("Answer_time") > 0.39);
    }
}

#[test]
fn with_a_time_of_zero_all_are_slow_and_no_text_breaks_a_record() {
    let own = own("logs_quick", &["slow-query-log: true", "long-query-time: 0"]);
    let mut client = own.client();
    let texts = ["SELECT 'a;\n# Time: 1'", "SELECT\n\n1;", "SELECT '\0\t\\'", "SELEC"];
    for text in texts {
        let _ = client.query(text);
    }
    client.command(b"\x0e").unwrap();
    client.reply().unwrap();
    let is_ping = |record: &Record| record.text == "# administrator command: Ping";
    eventually("all are written", || records(&own).last().is_some_and(is_ping));
    let all = records(&own);
    let told: Vec<_> = all[all.len() - 5..all.len() - 1].iter().map(|record| record.text.as_str()).collect();
    assert_eq!(told, ["SELECT 'a;\n # Time: 1'", "SELECT\n\n1", "SELECT '\0\t\\'", "SELEC"]);
    assert_eq!(all[all.len() - 2].field("Errno"), 1064.0);
}
