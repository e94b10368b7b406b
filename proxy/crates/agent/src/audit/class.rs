//! Classes of operations, by which an audit log is told what to hold.

use bitflags::bitflags;
use observe::{Class, Command, Event, Statement};

bitflags! {
    /// What an operation is. The execution of a prepared statement is one, and is what its text says, too.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    pub(super) struct Classes: u16 {
        /// Definitions, also those of DistSQL.
        const DDL = 1;
        /// What reads and changes rows.
        const DML = 1 << 1;
        /// Accounts and privileges.
        const DCL = 1 << 2;
        /// Transactions and locks.
        const TCL = 1 << 3;
        /// Anything else that is sent.
        const OTHER = 1 << 4;
        /// Statements that are prepared.
        const PREPARE = 1 << 5;
        /// Prepared statements that are executed.
        const EXECUTE = 1 << 6;
        /// Logins, refused ones too, and changes of user.
        const CONNECT = 1 << 7;
        /// Ends of sessions.
        const QUIT = 1 << 8;
    }
}

/// Their names, in the order of their bits.
const NAMES: [(&str, Classes); 9] = [
    ("ddl", Classes::DDL),
    ("dml", Classes::DML),
    ("dcl", Classes::DCL),
    ("tcl", Classes::TCL),
    ("other", Classes::OTHER),
    ("prepare", Classes::PREPARE),
    ("execute", Classes::EXECUTE),
    ("connect", Classes::CONNECT),
    ("quit", Classes::QUIT),
];

impl Classes {
    /// The one of that name, letter case ignored.
    pub(super) fn find(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, class)| *class)
    }

    /// The names of these, parted by commas.
    pub(super) fn names(self) -> String {
        let held = NAMES.iter().filter(|(_, class)| self.contains(*class));
        held.map(|(name, _)| *name).collect::<Vec<_>>().join(",")
    }

    /// The one name under which a record stands.
    pub(super) fn name(self) -> &'static str {
        // What is executed stands under what it does.
        let one = if self.intersects(!Self::EXECUTE) { self - Self::EXECUTE } else { self };
        NAMES.iter().find(|(_, class)| one.contains(*class)).map_or("other", |(name, _)| name)
    }

    /// Those of an event.
    pub(super) fn of(event: &Event<'_>) -> Self {
        match event {
            Event::Connect(_) | Event::ChangeUser(_) => Self::CONNECT,
            Event::Quit(_) => Self::QUIT,
            Event::Statement(statement) => Self::of_statement(statement),
        }
    }

    fn of_statement(statement: &Statement<'_>) -> Self {
        let says = match statement.class {
            Class::Select | Class::Insert | Class::Update | Class::Delete | Class::Dml => Self::DML,
            Class::Ddl | Class::Rdl => Self::DDL,
            Class::Dcl => Self::DCL,
            Class::Tcl => Self::TCL,
            Class::Prepared if statement.verb.starts_with("execute") => Self::EXECUTE,
            Class::Prepared => Self::PREPARE,
            Class::Unknown | Class::Dal | Class::Rql | Class::Ral | Class::Rul => Self::OTHER,
        };
        match statement.command {
            Command::Query => says,
            Command::Execute => says | Self::EXECUTE,
            Command::Prepare => Self::PREPARE,
            _ => Self::OTHER,
        }
    }
}

/// How MySQL's logs call a command of which no statement is known.
pub(super) const fn command_class<'a>(statement: &Statement<'a>) -> &'a str {
    match statement.command {
        // Servers call a text that they cannot read so.
        _ if !statement.verb.is_empty() => statement.verb,
        Command::Query | Command::Prepare | Command::Execute => "error",
        Command::InitDb => "change_db",
        Command::Kill => "kill",
        Command::Close => "stmt_close",
        Command::Reset => "stmt_reset",
        Command::Fetch => "stmt_fetch",
        Command::FieldList => "show_fields",
        Command::Ping => "ping",
        Command::ResetConnection => "reset_connection",
        Command::ChangeUser => "change_user",
        Command::Other => "other",
    }
}
