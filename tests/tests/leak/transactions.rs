//! Transactions: rows of others that are not committed are never seen.

use wire::caps::Status;

use crate::twin::{Outcome, Twin};

/// Changes of the client's own rows. A negative `v` in `shared` is never committed.
const WRITES: [&str; 9] = [
    "UPDATE shared SET v = -v WHERE id = {mid} AND v > 0",
    "UPDATE shared SET v = v + 1 WHERE id IN ({mid}, {mid1})",
    "UPDATE wide SET v = v + 1, s = 'y' WHERE id IN ({mid}, {mid1})",
    "INSERT INTO wide VALUES ({mid} + 40, 1, 'new')",
    "DELETE FROM wide WHERE id = {mid} + 40",
    "INSERT INTO own_{n} VALUES (5, 50, 'e')",
    "DELETE FROM own_{n} WHERE id = 5",
    "UPDATE own_{n} SET v = v * 2 WHERE id IN (1, 2)",
    "INSERT INTO auto_{n} (v) VALUES (1), (2)",
];

impl Twin<'_> {
    /// Begins, goes on with, or ends a transaction.
    pub(crate) fn transaction(&mut self) -> Outcome {
        if !self.in_transaction() {
            self.held = self.held.max(1);
            self.ask_one(&[
                "BEGIN",
                "START TRANSACTION",
                "START TRANSACTION READ ONLY",
                "START TRANSACTION WITH CONSISTENT SNAPSHOT",
                "SET autocommit = 0",
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            ])?;
            return Ok(());
        }
        match self.rng.u32(..10) {
            0..5 => self.write(),
            5 | 6 => self
                .ask_one(&[
                    "SAVEPOINT a",
                    "SAVEPOINT b",
                    "ROLLBACK TO SAVEPOINT a",
                    "ROLLBACK TO b",
                    "RELEASE SAVEPOINT a",
                ])
                .map(drop),
            7 => self.look_at_rows(),
            _ => self.finish(),
        }
    }

    /// Changes rows; only a transaction that is open hides what must not be seen.
    pub(crate) fn write(&mut self) -> Outcome {
        let text = self.one_of(&WRITES);
        if text == WRITES[0] && !self.in_transaction() {
            return self.look_at_rows();
        }
        self.ask(text).map(drop)
    }

    /// Ends the transaction, with nothing in it that others must not see.
    pub(crate) fn finish(&mut self) -> Outcome {
        let end =
            self.one_of(&["COMMIT", "COMMIT", "ROLLBACK", "COMMIT AND CHAIN", "ROLLBACK AND CHAIN", "BEGIN"]);
        if !end.starts_with("ROLLBACK") {
            self.ask("UPDATE shared SET v = ABS(v) WHERE id = {mid}")?;
            // What could not be done cannot be committed.
            if self.aside {
                return self.ask("ROLLBACK").map(drop);
            }
        }
        self.ask(end)?;
        if !self.status.contains(Status::AUTOCOMMIT) && self.rng.bool() {
            self.ask("SET autocommit = 1")?;
        }
        Ok(())
    }

    /// Looks at rows: its own, and whether others have left any that nobody may see.
    pub(crate) fn look_at_rows(&mut self) -> Outcome {
        let text = self.one_of(&[
            "SELECT id, v FROM shared WHERE id BETWEEN {lo} AND {hi} ORDER BY id",
            "SELECT SUM(v), COUNT(*) FROM wide WHERE id BETWEEN {lo} AND {hi}",
            "SELECT * FROM wide WHERE id = {mid}",
            "SELECT * FROM wide WHERE id IN ({mid}, {mid1}) ORDER BY id",
            "SELECT * FROM own_{n} ORDER BY id",
            "SELECT v, id FROM auto_{n} ORDER BY id",
            "SELECT v FROM shared WHERE id = {mid} FOR UPDATE",
        ]);
        self.ask(text)?;
        if !self.in_transaction() && self.rng.u32(..3) == 0 {
            self.ask("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")?;
            self.ask("SELECT COUNT(*) AS dirty FROM shared WHERE v < 0")?;
        }
        Ok(())
    }
}
