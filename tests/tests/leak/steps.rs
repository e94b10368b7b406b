//! What a client may do next, and what it looks at after it.

use crate::twin::{Outcome, Twin};

/// Steps for which a session may keep a connection to itself.
const HOLD: u32 = 8;

/// User variables: values of every kind.
const USER_VARIABLES: [&str; 14] = [
    "SET @a = {n}",
    "SET @a = 'of {n}', @b = {n} * 2",
    "SET @b = NULL",
    "SET @a = 1.50, @c = 1e3",
    "SET @c = X'ABCD', @b = 0x{n}{n}",
    "SET @a := CONCAT('c', {n}), @b := 4",
    "SELECT @a := {n} + 5 AS assigned",
    "SELECT l, {n} INTO @a, @b FROM letters ORDER BY l LIMIT 1",
    "SET @c = (SELECT MAX(id) FROM own_{n})",
    "SET @a = _latin1'x' COLLATE latin1_bin",
    "SET @`odd name` = {n}, @A = 'upper'",
    "SET @b = -9223372036854775808, @c = 18446744073709551615",
    "SET @a = CAST('2020-01-02' AS DATE), @b = TRUE",
    "SELECT @b := @b + 1 AS counted FROM letters",
];

impl Twin<'_> {
    /// One thing of many, and what can be seen of it.
    pub(crate) fn act(&mut self) -> Outcome {
        if self.held > 0 {
            self.held += 1;
            if self.held > HOLD {
                self.tally.count("steps: calm");
                self.calm()?;
            }
        }
        let (name, step): (_, fn(&mut Self) -> Outcome) = match self.rng.u32(..100) {
            0..16 => ("set", Self::set),
            16..26 => ("user variables", Self::user_variables),
            26..32 => ("temporary tables", Self::temporary),
            32..38 => ("user locks", Self::user_locks),
            38..42 => ("contested locks", Self::contest),
            42..45 => ("table locks", Self::table_locks),
            45..48 => ("handlers", Self::handler),
            48..64 => ("transactions", Self::transaction),
            64..70 => ("writes", Self::write),
            70..76 => ("prepared", Self::prepared),
            76..79 => ("several statements", Self::several_statements),
            79..82 => ("cursors", Self::cursor),
            82..88 => ("diagnostics", Self::diagnostics),
            88..92 => ("databases", Self::switch),
            92 => ("prepared texts", Self::prepared_text),
            93 => ("statements ended", Self::interrupted),
            _ => ("ends", Self::ends),
        };
        self.tally.count(&format!("steps: {name}"));
        step(self)?;
        for _ in 0..self.rng.u32(1..4) {
            self.look()?;
        }
        Ok(())
    }

    /// Looks at something.
    pub(crate) fn look(&mut self) -> Outcome {
        match self.rng.u32(..16) {
            0..4 => self.look_at_settings(),
            4..7 => self.look_at_tables(),
            7 | 8 => self.look_at_locks(),
            9..11 => self.look_at_rows(),
            11 | 12 => self.look_at_variables(),
            13 => self.execute_any(),
            _ => self.look_at_itself(),
        }
    }

    fn user_variables(&mut self) -> Outcome {
        self.held = self.held.max(1);
        self.ask_one(&USER_VARIABLES).map(drop)
    }

    fn look_at_variables(&mut self) -> Outcome {
        self.ask_one(&[
            "SELECT @a, @b, @c",
            "SELECT @a AS a, COLLATION(@a) AS c, @`odd name`",
            "SELECT CONCAT_WS('/', @a, @b) AS ab, @never AS nothing",
            "SELECT @b + 0 AS n, @c IS NULL AS unset",
        ])
        .map(drop)
    }

    fn look_at_itself(&mut self) -> Outcome {
        self.ask_one(&[
            "SELECT CONNECTION_ID() = {id} AS own",
            "SELECT DATABASE(), SCHEMA() AS s",
            "SELECT SUBSTRING_INDEX(USER(), '@', 1) = '{user}' AS own",
            "SELECT CONNECTION_ID() + 0 = {id} AS own, DATABASE() AS d",
        ])
        .map(drop)
    }

    /// What the last statement left behind.
    fn diagnostics(&mut self) -> Outcome {
        self.held = self.held.max(1);
        self.ask_one(&[
            "INSERT IGNORE INTO own_{n} VALUES (1, 2, 'much too long')",
            "SELECT nosuch FROM own_{n}",
            "SELECT 1 / 0, CAST('x' AS SIGNED)",
            "INSERT INTO auto_{n} (v) VALUES (3), (4)",
            "INSERT INTO auto_{n} VALUES (NULL, 9)",
            "UPDATE own_{n} SET v = v + 1 WHERE id > 1",
            "SELECT SQL_CALC_FOUND_ROWS id FROM own_{n} ORDER BY id LIMIT 2",
            "SELECT LAST_INSERT_ID(77 + {n}) AS said",
            "DROP TABLE IF EXISTS nosuch_{n}",
            "SELECT id FROM own_{n} WHERE id > 1 ORDER BY id",
            "SET @x = 1 / 0",
            "SELEC",
            "INSERT INTO own_{n} VALUES (1, 1, 'a')",
            "DO 1 / 0",
        ])?;
        for _ in 0..self.rng.u32(1..4) {
            if self.aside {
                break;
            }
            self.ask_one(&[
                "SHOW WARNINGS",
                "SHOW ERRORS",
                "SHOW COUNT(*) WARNINGS",
                "SELECT ROW_COUNT()",
                "SELECT FOUND_ROWS()",
                "SELECT LAST_INSERT_ID()",
                "SELECT @@warning_count, @@error_count",
                "SELECT ROW_COUNT() + 0 AS n",
                "SELECT FOUND_ROWS() AS f, LAST_INSERT_ID() AS l",
                "SELECT LAST_INSERT_ID() + 1 AS l",
                "GET DIAGNOSTICS @n = NUMBER, @r = ROW_COUNT",
                "SHOW WARNINGS LIMIT 1",
            ])?;
        }
        Ok(())
    }

    /// Another current database.
    fn switch(&mut self) -> Outcome {
        let home = crate::ground::home(self.number);
        // Whoever holds a connection of one pool and waits for another's makes others wait.
        if self.held > 0 {
            return self.look_at_itself();
        }
        let name = self.one_of(&["leak_b", home, "leak", "nosuch"]);
        let done = if self.rng.bool() { self.ask(&format!("USE {name}"))? } else { self.init_db(name)? };
        if matches!(done, Some(weir_tests::Reply::Done(_))) {
            self.sharded = name == "leak_s";
        }
        self.ask("SELECT DATABASE() AS d")?;
        self.ask("SELECT name FROM whoami")?;
        if name != home && self.rng.u32(..3) > 0 {
            self.look()?;
            if self.ask(&format!("USE {home}"))?.is_some() {
                self.sharded = home == "leak_s";
            }
        }
        Ok(())
    }

    /// COM_INIT_DB.
    fn init_db(&mut self, name: &str) -> Outcome<Option<weir_tests::Reply>> {
        let mut payload = vec![wire::command::code::INIT_DB];
        payload.extend_from_slice(name.as_bytes());
        let text = format!("-- COM_INIT_DB {name}");
        self.note(&text);
        let told = self.proxied.simple(&payload);
        let Some(told) = self.heard(&text, told)? else { return Ok(None) };
        let expected = self.plain.simple(&payload);
        self.compare(&text, expected, &told).map(Some)
    }

    /// Statements prepared in SQL.
    fn prepared_text(&mut self) -> Outcome {
        self.held = self.held.max(1);
        self.ask_one(&[
            "PREPARE s FROM 'SELECT {n} AS mine, ? AS given'",
            "PREPARE s FROM 'SELECT v FROM own_{n} WHERE id = ?'",
            "PREPARE s FROM 'SELEC'",
        ])?;
        self.ask("SET @given = {n}")?;
        self.ask("EXECUTE s USING @given")?;
        self.look()?;
        self.ask_one(&["EXECUTE s USING @given", "EXECUTE s", "EXECUTE nosuch", "DEALLOCATE PREPARE s"])?;
        if self.rng.bool() {
            self.ask("DEALLOCATE PREPARE s")?;
        }
        Ok(())
    }
}
