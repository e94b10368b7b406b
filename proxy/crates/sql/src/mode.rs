//! The parts of `sql_mode` that change how a text is read.

/// How a text is to be read; the default is MySQL's.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Mode {
    /// `ANSI_QUOTES`: `"…"` is a name, not a string.
    pub ansi_quotes: bool,
    /// `NO_BACKSLASH_ESCAPES`: a backslash in a string is an ordinary character.
    pub no_backslash_escapes: bool,
    /// `PIPES_AS_CONCAT`: `||` joins strings and is not `OR`.
    pub pipes_as_concat: bool,
}

impl Mode {
    /// From the value of `sql_mode`, combination modes included.
    pub fn of(sql_mode: &str) -> Self {
        let mut mode = Self::default();
        for word in sql_mode.split(',') {
            match word.trim().to_ascii_uppercase().as_str() {
                "ANSI_QUOTES" => mode.ansi_quotes = true,
                "NO_BACKSLASH_ESCAPES" => mode.no_backslash_escapes = true,
                "PIPES_AS_CONCAT" => mode.pipes_as_concat = true,
                "ANSI" | "DB2" | "MAXDB" | "MSSQL" | "ORACLE" | "POSTGRESQL" => {
                    mode.ansi_quotes = true;
                    mode.pipes_as_concat = true;
                }
                _ => {}
            }
        }
        mode
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_single_and_combined_modes() {
        assert_eq!(Mode::of("STRICT_TRANS_TABLES,NO_ZERO_DATE"), Mode::default());
        assert_eq!(Mode::of("ansi_quotes"), Mode { ansi_quotes: true, ..Mode::default() });
        let ansi = Mode { ansi_quotes: true, pipes_as_concat: true, no_backslash_escapes: true };
        assert_eq!(Mode::of("ANSI, NO_BACKSLASH_ESCAPES"), ansi);
    }
}
