//! Statements prepared by the binary protocol.

use weir_tests::{Failure, Prepared, Rules, differ_prepared, execute};
use wire::command::{code, put_long_data, put_statement};
use wire::value::{Kind, Value};

use crate::twin::{Broken, Outcome, Twin};

/// A client has at most so many.
const MANY: usize = 6;

/// Statements to be prepared; all clients take the same texts where no name is their own.
const TEXTS: [&str; 18] = [
    "SELECT ? AS given, @a, DATABASE()",
    "SELECT ? AS given, @a, DATABASE()",
    "SELECT id, v, s FROM own_{n} WHERE id >= ? ORDER BY id",
    "UPDATE own_{n} SET v = ? WHERE id = 2",
    "INSERT INTO auto_{n} (v) VALUES (?)",
    "SELECT l FROM letters WHERE l > ? ORDER BY l",
    "SELECT ? AS one, ? AS other",
    "SELECT CONCAT(?, '|', ?) AS joined",
    "SET @b = ?",
    "SELECT @@sql_mode, @@time_zone, @@group_concat_max_len",
    "SELECT \"q\" AS q, 'a' || 'b' AS p",
    "SELECT v, s FROM tmp WHERE v >= ? ORDER BY v",
    "SELECT id, v FROM shared WHERE id IN ({mid}, ?) ORDER BY id",
    "UPDATE wide SET v = ? WHERE id = {mid}",
    "SELECT LAST_INSERT_ID() AS l",
    "SELECT name FROM whoami",
    "SELECT GROUP_CONCAT(l ORDER BY l SEPARATOR ?) AS g FROM letters",
    "SELECT nosuch FROM own_{n} WHERE id = ?",
];

/// A statement that is prepared on both sides.
pub(crate) struct Statement {
    text: String,
    plain: Prepared,
    proxied: Prepared,
    /// The types of the last execute; nothing before the first.
    kinds: Vec<Kind>,
}

impl Twin<'_> {
    /// Prepares, executes, resets or closes.
    pub(crate) fn prepared(&mut self) -> Outcome {
        match self.rng.u32(..10) {
            0..4 => {
                let text = self.one_of(&TEXTS);
                self.prepare(text)
            }
            4 if !self.statements.is_empty() => {
                let at = self.rng.usize(..self.statements.len());
                self.close(at);
                Ok(())
            }
            5 if !self.statements.is_empty() => self.long_data(),
            _ => self.execute_any(),
        }
    }

    fn prepare(&mut self, text: &str) -> Outcome {
        if self.statements.len() == MANY {
            self.close(0);
        }
        let (plain, proxied) = (self.for_plain(text), self.for_proxied(text));
        self.note(&format!("-- prepare {proxied}"));
        self.tally.count("statements prepared");
        let told = self.proxied.prepare(&proxied);
        if let Err(Failure::Server(fault)) = &told
            && self.is_aside(fault)
        {
            self.aside = true;
            return Ok(());
        }
        self.aside = false;
        let expected = self.plain.prepare(&plain);
        let rules = Rules { planned: self.sharded, ..Rules::default() };
        let difference = match (expected, told) {
            (Ok(plain), Ok(proxied)) => match differ_prepared(&plain, &proxied, &rules) {
                None => {
                    self.statements.push(Statement {
                        text: text.to_owned(),
                        plain,
                        proxied,
                        kinds: Vec::new(),
                    });
                    return Ok(());
                }
                Some(difference) => difference,
            },
            (Err(Failure::Server(plain)), Err(Failure::Server(proxied))) if plain.code == proxied.code => {
                return Ok(());
            }
            (expected, told) => format!("prepared\n  plain {expected:?}\n  proxy {told:?}"),
        };
        self.find(&format!("-- prepare {proxied}"), &difference);
        Err(Broken)
    }

    fn close(&mut self, at: usize) {
        let statement = self.statements.remove(at);
        self.note(&format!("-- close {}", statement.text));
        // A connection that is gone shows with the next statement.
        drop(self.proxied.close(statement.proxied.id));
        drop(self.plain.close(statement.plain.id));
    }

    /// Executes one of those that are prepared.
    pub(crate) fn execute_any(&mut self) -> Outcome {
        if self.statements.is_empty() {
            return Ok(());
        }
        let at = self.rng.usize(..self.statements.len());
        let values = self.values(at);
        self.execute(at, &values)
    }

    /// Values of any kind, or of the kinds of the last time.
    fn values(&mut self, at: usize) -> Vec<Value<'static>> {
        let count = self.statements[at].proxied.parameters;
        (0..count)
            .map(|_| match self.rng.u32(..6) {
                0 | 1 => Value::Int(i64::from(self.rng.i32(1..60))),
                2 => Value::UInt(u64::from(self.rng.u32(1..60))),
                3 => Value::Bytes(b"cat"),
                4 => Value::Double(f64::from(self.rng.u32(1..60)) / 4.0),
                _ => Value::Null,
            })
            .collect()
    }

    fn execute(&mut self, at: usize, values: &[Value<'_>]) -> Outcome {
        let statement = &self.statements[at];
        let (ours, theirs) = (statement.proxied.id, statement.plain.id);
        let kinds: Vec<_> = values.iter().map(|value| value.kind()).collect();
        // As some drivers do, types are sent only when they change.
        let typed = statement.kinds != kinds || self.rng.bool();
        let text = format!("-- execute {} with {values:?} typed {typed}", self.for_proxied(&statement.text));
        self.note(&text);
        self.tally.count("statements executed");
        self.statements[at].kinds = kinds;
        let payload = |id| execute(id, values, typed).unwrap_or_else(|failure| panic!("{text}: {failure}"));
        let told = self.proxied.command(&payload(ours)).map_err(Failure::from);
        let told = told.and_then(|()| self.proxied.binary_reply());
        let Some(told) = self.heard(&text, told)? else {
            self.statements[at].kinds.clear();
            return Ok(());
        };
        let expected = self.plain.command(&payload(theirs)).map_err(Failure::from);
        let expected = expected.and_then(|()| self.plain.binary_reply());
        let failed = matches!(told, weir_tests::Reply::Error(_));
        self.compare(&text, expected, &told)?;
        if failed {
            self.statements[at].kinds.clear();
        }
        Ok(())
    }

    /// A parameter in pieces, with something else in between; then it is executed, taken back or left pending.
    fn long_data(&mut self) -> Outcome {
        let Some(at) = self.statements.iter().position(|statement| statement.proxied.parameters == 1) else {
            return Ok(());
        };
        let (ours, theirs) = (self.statements[at].proxied.id, self.statements[at].plain.id);
        let piece = format!("piece of {} ", self.number);
        self.note(&format!("-- long data for {}", self.statements[at].text));
        for (client, id) in [(&mut self.proxied, ours), (&mut self.plain, theirs)] {
            for _ in 0..2 {
                let mut payload = bytes::BytesMut::new();
                put_long_data(&mut payload, id, 0, piece.as_bytes());
                drop(client.command(&payload));
            }
        }
        self.look_at_settings()?;
        match self.rng.u32(..3) {
            0 => {
                let mut payload = bytes::BytesMut::new();
                put_statement(&mut payload, code::STMT_RESET, ours);
                let told = self.proxied.simple(&payload);
                let Some(told) = self.heard("-- reset", told)? else { return Ok(()) };
                let mut payload = bytes::BytesMut::new();
                put_statement(&mut payload, code::STMT_RESET, theirs);
                let expected = self.plain.simple(&payload);
                self.compare("-- reset", expected, &told).map(drop)
            }
            // The types must be sent: the value of this one stands nowhere but in the pieces.
            1 => {
                self.statements[at].kinds.clear();
                self.execute_long(at)
            }
            _ => {
                self.close(at);
                Ok(())
            }
        }
    }

    fn execute_long(&mut self, at: usize) -> Outcome {
        let statement = &self.statements[at];
        let (ours, theirs) = (statement.proxied.id, statement.plain.id);
        let text = format!("-- execute with long data {}", self.for_proxied(&statement.text));
        self.note(&text);
        let payload = |id: u32| {
            let mut payload = vec![code::STMT_EXECUTE];
            payload.extend_from_slice(&id.to_le_bytes());
            payload.extend_from_slice(&[0, 1, 0, 0, 0, 0, 1]);
            payload.extend_from_slice(&Value::Bytes(b"").kind().to_bytes());
            payload
        };
        let (ours, theirs) = (payload(ours), payload(theirs));
        let told = self.proxied.command(&ours).map_err(Failure::from);
        let told = told.and_then(|()| self.proxied.binary_reply());
        let told = self.heard(&text, told)?;
        let Some(told) = told else {
            self.close(at);
            return Ok(());
        };
        let expected = self.plain.command(&theirs).map_err(Failure::from);
        let expected = expected.and_then(|()| self.plain.binary_reply());
        self.compare(&text, expected, &told)?;
        self.close(at);
        Ok(())
    }
}
