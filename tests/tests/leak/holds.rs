//! What keeps a server connection with one session: temporary tables, locks, handlers.

use std::sync::atomic::Ordering;

use weir_tests::Reply;

use crate::ground::CONTESTED;
use crate::twin::{Outcome, Twin};

impl Twin<'_> {
    /// Temporary tables: all clients take the same few names, some of them those of tables that are there.
    pub(crate) fn temporary(&mut self) -> Outcome {
        let name = self.one_of(&["tmp", "tmp", "letters", "whoami"]);
        self.held = self.held.max(1);
        match name {
            "tmp" => {
                self.ask("CREATE TEMPORARY TABLE tmp (v INT, s VARCHAR(30))")?;
                self.ask("INSERT INTO tmp VALUES ({n}, 'of {n}'), ({n} + 1000, 'more of {n}')")?;
                self.ask("SELECT v, s FROM tmp ORDER BY v")?;
            }
            "letters" => {
                self.ask("CREATE TEMPORARY TABLE letters (l VARCHAR(10))")?;
                self.ask("INSERT INTO letters VALUES ('of {n}')")?;
            }
            _ => {
                self.ask("CREATE TEMPORARY TABLE whoami SELECT '{n}' AS name")?;
            }
        }
        Ok(())
    }

    /// Looks at tables that may be temporary.
    pub(crate) fn look_at_tables(&mut self) -> Outcome {
        self.ask_one(&[
            "SELECT v, s FROM tmp ORDER BY v",
            "SELECT * FROM letters ORDER BY l LIMIT 2",
            "SELECT name FROM whoami",
            "INSERT INTO tmp VALUES (7, 'seven')",
            "SELECT COUNT(*), MAX(s) FROM tmp WHERE v > 0",
            "UPDATE tmp SET s = CONCAT(s, '!') LIMIT 1",
            "SHOW COLUMNS FROM tmp",
        ])
        .map(drop)
    }

    /// User locks of names that are the client's own.
    pub(crate) fn user_locks(&mut self) -> Outcome {
        self.held = self.held.max(1);
        self.ask_one(&[
            "SELECT GET_LOCK('own_{n}', 30) AS got",
            "SELECT GET_LOCK('own_{n}', 30) AS got, GET_LOCK('other_{n}', 30) AS both_got",
            "DO GET_LOCK('other_{n}', 30)",
            "SET @got = GET_LOCK('own_{n}', 30)",
            "SELECT RELEASE_LOCK('own_{n}') AS gone",
            "SELECT RELEASE_ALL_LOCKS() AS gone",
        ])
        .map(drop)
    }

    /// Whose locks are they?
    pub(crate) fn look_at_locks(&mut self) -> Outcome {
        self.ask_one(&[
            "SELECT IS_FREE_LOCK('own_{n}') AS free",
            "SELECT IS_USED_LOCK('own_{n}') IS NULL AS free",
            "SELECT IS_USED_LOCK('other_{n}') = CONNECTION_ID() AS own",
            "SELECT RELEASE_LOCK('other_{n}') AS gone",
        ])
        .map(drop)
    }

    /// A lock that all clients want: only one can have it. The plain sessions take no part in it.
    pub(crate) fn contest(&mut self) -> Outcome {
        let which = self.rng.usize(..CONTESTED);
        let text = format!("SELECT GET_LOCK('contested{which}', 0)");
        self.note(&text);
        let told = self.proxied.try_query(&text);
        let Some(reply) = self.heard(&text, told)? else { return Ok(()) };
        let got = matches!(&reply, Reply::Rows(table) if table.text() == [["1"]]);
        self.tally.count(if got { "contested locks won" } else { "contested locks not won" });
        if got {
            let holder = self.ground.holders[which].swap(self.number + 1, Ordering::SeqCst);
            if holder != 0 && holder != self.number + 1 {
                self.find(&text, &format!("client {} has this lock", holder - 1));
            }
            self.look_at_locks()?;
            if self.rng.bool() {
                self.look_at_tables()?;
            }
            self.ground.holders[which].store(0, Ordering::SeqCst);
            let text = format!("SELECT RELEASE_LOCK('contested{which}')");
            self.note(&text);
            let told = self.proxied.try_query(&text);
            if let Some(Reply::Rows(table)) = self.heard(&text, told)?
                && table.text() != [["1"]]
            {
                self.find(&text, &format!("the lock was not the session's own: {:?}", table.text()));
            }
        }
        // The last statement is the same on both sides again.
        self.ask("DO 1").map(drop)
    }

    /// No contested lock is this client's any more.
    pub(crate) fn free_contested(&self) {
        for holder in &self.ground.holders {
            let _ = holder.compare_exchange(self.number + 1, 0, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// LOCK TABLES.
    pub(crate) fn table_locks(&mut self) -> Outcome {
        // It commits.
        if self.in_transaction() {
            return self.finish();
        }
        self.held = self.held.max(1);
        self.ask_one(&[
            "LOCK TABLES own_{n} WRITE",
            "LOCK TABLES own_{n} READ, letters READ",
            "LOCK TABLES own_{n} AS o WRITE, auto_{n} WRITE",
        ])?;
        self.ask_one(&[
            "SELECT COUNT(*) FROM own_{n}",
            "SELECT v FROM own_{n} AS o WHERE id = 2",
            "SELECT COUNT(*) FROM shared WHERE id = {mid}",
            "UPDATE own_{n} SET v = v + 1 WHERE id = 1",
            "INSERT INTO auto_{n} (v) VALUES (5)",
        ])
        .map(drop)
    }

    /// HANDLER.
    pub(crate) fn handler(&mut self) -> Outcome {
        self.held = self.held.max(1);
        self.ask("HANDLER own_{n} OPEN AS h")?;
        self.ask("HANDLER h READ FIRST")?;
        self.look()?;
        self.ask("HANDLER h READ NEXT")?;
        self.ask("HANDLER h CLOSE").map(drop)
    }

    /// Gives up all that it holds.
    pub(crate) fn calm(&mut self) -> Outcome {
        self.held = 0;
        if self.in_transaction() {
            self.finish()?;
            if self.in_transaction() {
                self.ask("ROLLBACK")?;
            }
            self.ask("SET autocommit = 1")?;
        }
        self.ask_all(&[
            "UNLOCK TABLES",
            "SELECT RELEASE_ALL_LOCKS() AS gone",
            "DROP TEMPORARY TABLE IF EXISTS tmp",
            "DROP TEMPORARY TABLE IF EXISTS letters",
            "DROP TEMPORARY TABLE IF EXISTS whoami",
        ])?;
        // What statements have done to user variables keeps the connection, too.
        self.reset()
    }
}
