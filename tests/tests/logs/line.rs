//! A line of the general log, read as the documentation says and not as the proxy's code does.

/// One command.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) session: u32,
    pub(crate) command: String,
    pub(crate) user: String,
    pub(crate) database: String,
    pub(crate) units: u64,
    pub(crate) rows: u64,
    pub(crate) affected: u64,
    pub(crate) error: String,
    pub(crate) sql: Vec<u8>,
    /// Bytes that were cut off the text.
    pub(crate) missing: u64,
    pub(crate) parameters: String,
}

impl Line {
    /// Panics when it is not one.
    pub(crate) fn parse(text: &str) -> Self {
        let columns: Vec<_> = text.split('\t').collect();
        let [
            time,
            session,
            command,
            user,
            client,
            database,
            elapsed,
            units,
            rows,
            affected,
            error,
            sql,
            parameters,
        ] = *columns
        else {
            panic!("{} columns: {text}", columns.len())
        };
        // 2026-12-01T02:13:42.123456Z
        let shape: String = time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000000Z", "{text}");
        let (seconds, micros) = elapsed.split_once('.').unwrap();
        assert!(
            seconds.parse::<u64>().is_ok() && micros.len() == 6 && micros.parse::<u32>().is_ok(),
            "{text}"
        );
        assert!(client.parse::<std::net::SocketAddr>().is_ok(), "{text}");
        let (sql, missing) = unescape(sql);
        Self {
            session: session.parse().unwrap(),
            command: command.to_owned(),
            user: user.to_owned(),
            database: database.to_owned(),
            units: units.parse().unwrap(),
            rows: rows.parse().unwrap(),
            affected: affected.parse().unwrap(),
            error: error.to_owned(),
            sql: if sql == b"-" { Vec::new() } else { sql },
            missing,
            parameters: parameters.to_owned(),
        }
    }
}

/// The bytes that a column stands for, and how many were cut off.
fn unescape(column: &str) -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    let mut characters = column.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            bytes.extend_from_slice(character.to_string().as_bytes());
            continue;
        }
        match characters.next() {
            Some('\\') => bytes.push(b'\\'),
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some('0') => bytes.push(0),
            Some('x') => {
                let digits: String = characters.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            Some('+') => return (bytes, characters.as_str().parse().unwrap()),
            other => panic!("\\{other:?} in {column}"),
        }
    }
    (bytes, 0)
}
