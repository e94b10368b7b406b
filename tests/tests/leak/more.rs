//! Answers of several results, rows fetched from cursors, and statements that others end.

use std::time::{Duration, Instant};

use weir_tests::{Client, Failure, Reply, execute};
use wire::caps::Capabilities;
use wire::command::code;
use wire::reply;

use crate::ground::home;
use crate::twin::{Broken, Outcome, Twin};

/// Statements that go together.
const TEXTS: [&str; 7] = [
    "SET @a = {n}; SELECT @a AS a, DATABASE() AS d; SELECT 1",
    "SELECT 1; SELECT nosuch FROM own_{n}; SELECT 2",
    "BEGIN; UPDATE own_{n} SET v = v + 1 WHERE id = 1; SELECT v FROM own_{n} WHERE id = 1; COMMIT",
    "INSERT INTO auto_{n} (v) VALUES (1); SELECT LAST_INSERT_ID() AS l",
    "SET SESSION group_concat_max_len = 5; SELECT GROUP_CONCAT(l ORDER BY l) AS g FROM letters;",
    "SELECT name FROM whoami; SELECT l FROM letters ORDER BY l; SELECT CONNECTION_ID() = {id} AS own",
    "UPDATE own_{n} SET v = 7 WHERE id = 2; SELECT ROW_COUNT()",
];

/// The flag that asks for a cursor.
const READ_ONLY_CURSOR: u8 = 1;

impl Twin<'_> {
    /// One text of several statements.
    pub(crate) fn several_statements(&mut self) -> Outcome {
        let text = self.one_of(&TEXTS);
        // A BEGIN within a transaction would commit rows that nobody must see.
        if text.starts_with("BEGIN") && self.in_transaction() {
            return self.finish();
        }
        let (plain, proxied) = (self.for_plain(text), self.for_proxied(text));
        self.note(&proxied);
        self.held = self.held.max(1);
        self.tally.count("texts of several statements");
        let told = self.proxied.try_query(&proxied);
        let Some(mut told) = self.heard(&proxied, told)? else { return Ok(()) };
        let mut expected = self.plain.try_query(&plain);
        loop {
            let more = told.more();
            self.compare(&proxied, expected, &told)?;
            if !more {
                return Ok(());
            }
            let next = self.proxied.reply();
            // What the proxy alone refuses, or has no connection for, ends its side only.
            told = self.heard(&proxied, next)?.ok_or(Broken)?;
            expected = self.plain.reply();
        }
    }

    /// Rows that are fetched one by one, with other statements in between.
    pub(crate) fn cursor(&mut self) -> Outcome {
        self.held = self.held.max(1);
        let text = self.one_of(&[
            "SELECT id, v, s FROM own_{n} ORDER BY id",
            "SELECT l, {n} AS n FROM letters ORDER BY l",
            "SELECT @a AS a, l FROM letters ORDER BY l",
        ]);
        let (plain, proxied) = (self.for_plain(text), self.for_proxied(text));
        self.note(&format!("-- a cursor for {proxied}"));
        let (ours, theirs) = match (self.proxied.prepare(&proxied), self.plain.prepare(&plain)) {
            (Ok(ours), Ok(theirs)) => (ours.id, theirs.id),
            (Err(Failure::Server(fault)), _) if self.is_aside(&fault) => return Err(Broken),
            // A temporary table of another form, a table that is not locked.
            (Err(Failure::Server(ours)), Err(Failure::Server(theirs))) if ours.code == theirs.code => {
                return Ok(());
            }
            (ours, theirs) => {
                self.find(&proxied, &format!("prepared\n  plain {theirs:?}\n  proxy {ours:?}"));
                return Err(Broken);
            }
        };
        let open = |client: &mut Client, id: u32| {
            let mut payload = execute(id, &[], true)?;
            payload[5] = READ_ONLY_CURSOR;
            client.command(&payload)?;
            client.binary_reply()
        };
        let told = open(&mut self.proxied, ours);
        let Some(told) = self.heard(&proxied, told)? else { return Err(Broken) };
        let expected = open(&mut self.plain, theirs);
        let opened = matches!(&expected, Ok(Reply::Rows(_)));
        self.compare(&proxied, expected, &told)?;
        if opened {
            for _ in 0..self.rng.u32(0..4) {
                self.fetch(ours, theirs)?;
                if self.rng.bool() {
                    self.look()?;
                }
            }
            self.tally.count("cursors opened");
        }
        if self.rng.u32(..4) > 0 {
            drop(self.proxied.close(ours));
            drop(self.plain.close(theirs));
        }
        Ok(())
    }

    fn fetch(&mut self, ours: u32, theirs: u32) -> Outcome {
        let count = self.rng.u32(1..4);
        self.note(&format!("-- fetch {count}"));
        let told = fetched(&mut self.proxied, ours, count);
        let expected = fetched(&mut self.plain, theirs, count);
        match (&expected, &told) {
            (Ok(expected), Ok(told)) if expected == told => return Ok(()),
            _ => self.find("-- fetch", &format!("rows\n  plain {expected:?}\n  proxy {told:?}")),
        }
        Err(Broken)
    }

    /// Another session ends what this one runs; the session goes on.
    pub(crate) fn interrupted(&mut self) -> Outcome {
        let id = self.proxied.greeting.thread;
        self.note("-- KILL QUERY by another session");
        let text = "SELECT SLEEP(20) AS slept";
        let sent = self.proxied.command(format!("\x03{text}").as_bytes());
        if let Err(error) = sent {
            self.find(text, &error.to_string());
            return Err(Broken);
        }
        let mut killer = self.ground.proxied(home(self.number)).client();
        // The proxy's own list, for which no server is needed.
        let id = id.to_string();
        let runs = |row: &Vec<String>| row[0] == id && row.last().is_some_and(|info| info == text);
        let deadline = Instant::now() + Duration::from_secs(15);
        loop {
            match killer.try_query("SHOW FULL PROCESSLIST") {
                Ok(Reply::Rows(table)) if table.text().iter().any(runs) => break,
                _ if Instant::now() > deadline => break,
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        let killed = killer.try_query(format!("KILL QUERY {id}"));
        let told = self.proxied.reply();
        match (&killed, &told) {
            (Ok(Reply::Done(_)), Ok(Reply::Error(fault))) if [1317, 1040].contains(&fault.code) => {}
            (Ok(Reply::Done(_)), Ok(Reply::Rows(table))) if table.text() == [["1"]] => {}
            _ => {
                self.find(text, &format!("KILL QUERY was answered {killed:?}\n  and this {told:?}"));
                return Err(Broken);
            }
        }
        self.tally.count("statements ended by KILL QUERY");
        // The last statement is the same on both sides again.
        self.ask("DO 1").map(drop)
    }

    /// The abilities of all clients of this test.
    pub(crate) const ABILITIES: Capabilities = weir_tests::MODERN.union(Capabilities::MULTI_STATEMENTS);
}

/// The rows of one COM_STMT_FETCH and the flags of their end, or an error's number.
fn fetched(client: &mut Client, statement: u32, count: u32) -> Result<(Vec<Vec<u8>>, u16), String> {
    let mut payload = vec![code::STMT_FETCH];
    payload.extend_from_slice(&statement.to_le_bytes());
    payload.extend_from_slice(&count.to_le_bytes());
    client.command(&payload).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    loop {
        let message = client.receive().map_err(|failure| failure.to_string())?;
        if message.first() == Some(&reply::ERR) {
            let code = u16::from_le_bytes([message[1], message[2]]);
            return Ok((rows, code));
        }
        if reply::ends_rows(&message, client.capabilities()) {
            let end =
                reply::decode_end(&message, client.capabilities()).map_err(|error| error.to_string())?;
            let told = wire::caps::Status::CURSOR_EXISTS | wire::caps::Status::LAST_ROW_SENT;
            return Ok((rows, (end.status & told).bits()));
        }
        rows.push(message);
    }
}
