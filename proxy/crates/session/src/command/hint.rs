//! Hints of the session: where it reads (`distsql.md` §10, up to 5.3.1).

use distsql::hint::Statement;
use meta::Property;

use crate::answer::Table;
use crate::error::Problem;
use crate::reply::Format;
use crate::session::Session;

impl Session {
    pub(crate) fn hint(&mut self, statement: &Statement) -> Result<(), Problem> {
        if self.local.snapshot().properties.text(Property::HintEnabled) != "true" {
            return Err(Problem::unsupported("proxy-hint-enabled should be true, please check your config"));
        }
        match statement {
            Statement::Clear | Statement::ClearReadwrite => self.state.write_only = false,
            Statement::SetReadwrite { source } => {
                self.state.write_only = match source.to_ascii_lowercase().as_str() {
                    "auto" => false,
                    "write" => true,
                    _ => {
                        return Err(Problem::unsupported(format_args!(
                            "unsupported hint source type: {source}"
                        )));
                    }
                };
            }
            Statement::ShowReadwrite => {
                let source = if self.state.write_only { "write" } else { "auto" };
                let table =
                    Table { columns: vec!["source".to_owned()], rows: vec![vec![Some(source.to_owned())]] };
                self.put_table(&table, Format::Text);
                return Ok(());
            }
            Statement::AddSharding { .. }
            | Statement::ClearSharding
            | Statement::SetSharding { .. }
            | Statement::ShowSharding => {
                return Err(Problem::unsupported(format_args!(
                    "{} (use a comment SHARDINGSPHERE_HINT)",
                    statement.title()
                )));
            }
        }
        self.ok()
    }
}
