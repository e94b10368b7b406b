//! How sessions end, or begin anew without ending.

use std::time::Duration;

use wire::command::code;

use crate::ground::home;
use crate::twin::{Broken, Outcome, Twin};

impl Twin<'_> {
    /// Ends the session in one of many ways and begins another.
    pub(crate) fn ends(&mut self) -> Outcome {
        match self.rng.u32(..10) {
            0 | 1 => self.reset(),
            2 => self.change_user(),
            3 => self.quit(),
            4 => self.vanish(),
            5 => self.vanish_amid(
                "SELECT a.l, b.l, c.l, REPEAT('x', 5000) FROM letters a, letters b, letters c, letters d",
                7,
            ),
            6 => self.vanish_amid("SELECT SLEEP(30)", 0),
            7 => self.vanish_amid_write(),
            // A BEGIN within a transaction would commit, on one side only.
            8 if self.in_transaction() => self.vanish(),
            8 => self.vanish_amid("BEGIN; SELECT 1; SELECT l FROM letters; SELECT SLEEP(30); COMMIT", 3),
            _ => self.killed(),
        }
    }

    /// COM_RESET_CONNECTION.
    pub(crate) fn reset(&mut self) -> Outcome {
        self.note("-- reset connection");
        let told = self.proxied.simple(&[code::RESET_CONNECTION]);
        let told = self.heard("-- reset connection", told)?;
        let Some(told) = told else { return Ok(()) };
        let expected = self.plain.simple(&[code::RESET_CONNECTION]);
        self.compare("-- reset connection", expected, &told)?;
        self.statements.clear();
        self.held = 0;
        Ok(())
    }

    /// COM_CHANGE_USER, to the same user.
    fn change_user(&mut self) -> Outcome {
        self.note("-- change user");
        let home = home(self.number);
        let proxied = self.ground.proxied(home);
        if let Err(failure) = self.proxied.change_user(&proxied) {
            self.find("-- change user", &failure.to_string());
            return Err(Broken);
        }
        let plain = self.ground.plain(home);
        self.plain.change_user(&plain).unwrap_or_else(|failure| panic!("the plain server: {failure}"));
        self.begin();
        Ok(())
    }

    fn quit(&mut self) -> Outcome {
        self.note("-- quit");
        drop(self.proxied.command(&[code::QUIT]));
        drop(self.plain.command(&[code::QUIT]));
        self.come_back()
    }

    /// The socket is gone, whatever was held.
    fn vanish(&mut self) -> Outcome {
        self.note("-- vanish");
        self.come_back()
    }

    /// The socket is gone while an answer comes.
    fn vanish_amid(&mut self, text: &str, packets: usize) -> Outcome {
        self.note(&format!("-- vanish amid {text}"));
        let mut payload = vec![code::QUERY];
        payload.extend_from_slice(text.as_bytes());
        drop(self.proxied.command(&payload));
        for _ in 0..packets {
            if self.proxied.receive().is_err() {
                break;
            }
        }
        self.come_back()
    }

    /// The socket is gone while a statement writes, in a transaction that is never committed.
    fn vanish_amid_write(&mut self) -> Outcome {
        if self.in_transaction() {
            return self.vanish();
        }
        self.ask("BEGIN")?;
        self.ask("UPDATE own_{n} SET v = -1 WHERE id = 1")?;
        let text = self.for_proxied("UPDATE shared SET v = -1 WHERE id IN ({mid}, {mid1})");
        self.vanish_amid(&text, 0)
    }

    /// Another session kills this one.
    fn killed(&mut self) -> Outcome {
        self.note("-- killed by another session");
        let (ours, theirs) = (self.proxied.greeting.thread, self.plain.greeting.thread);
        let home = home(self.number);
        let told = self.ground.proxied(home).client().query(format!("KILL {ours}"));
        self.ground.plain(home).client().run(format!("KILL {theirs}"));
        if let weir_tests::Reply::Error(fault) = told {
            self.find(&format!("KILL {ours}"), &fault.to_string());
        }
        if !self.proxied.is_closed() {
            self.find(&format!("KILL {ours}"), "the session goes on");
        }
        self.come_back()
    }

    /// A new session finds everything as the last one left it: what was not committed is gone, what was locked is free.
    fn come_back(&mut self) -> Outcome {
        self.tally.count("sessions ended");
        // The plain server may take a moment to notice, too.
        self.reopen();
        if self.rng.bool() {
            std::thread::sleep(Duration::from_millis(self.rng.u64(..20)));
        }
        self.ask_all(&[
            "SELECT GET_LOCK('own_{n}', 30) AS got",
            "SELECT GET_LOCK('other_{n}', 30) AS got",
            "SELECT RELEASE_ALL_LOCKS() AS gone",
            "SELECT @a, @b, @c, @`odd name`",
            "SELECT name FROM whoami",
            "SELECT * FROM tmp",
            "SELECT id, v FROM shared WHERE id BETWEEN {lo} AND {hi} ORDER BY id",
            "SELECT SUM(v), COUNT(*) FROM wide WHERE id BETWEEN {lo} AND {hi}",
            "SELECT * FROM own_{n} ORDER BY id",
            "UPDATE own_{n} SET v = v + 1 WHERE id = 1",
            "UPDATE shared SET v = v + 1 WHERE id IN ({mid}, {mid1})",
        ])
    }
}
