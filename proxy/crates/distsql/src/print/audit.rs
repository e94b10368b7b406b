//! The audit log.

use std::fmt;

use super::{Like, Name, Print, Text, when};
use crate::ast::audit::Statement;

impl Print for Statement {
    fn print(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alter(settings) => {
                f.write_str(" (")?;
                for (at, (name, value)) in settings.iter().enumerate() {
                    write!(f, "{}{}={}", when(at > 0, ", "), Name(name), Text(value))?;
                }
                f.write_str(")")
            }
            Self::Show { like } => write!(f, "{}", Like(like)),
            Self::Reset | Self::Rotate | Self::ShowStatus => Ok(()),
        }
    }
}
