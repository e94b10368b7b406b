//! Events as tests make them.

use std::time::{Duration, SystemTime};

use observe::record::{Runs, Values};
use observe::{Class, Command, Head, Phases, Statement};

/// What all events have.
pub(crate) fn head() -> Head<'static> {
    Head {
        record: (0, 1),
        session: 12,
        user: "app",
        client: "10.0.0.7:5000",
        database: "shop",
        at: SystemTime::UNIX_EPOCH + Duration::from_micros(1_785_000_000_123_456),
        elapsed: Duration::from_nanos(1_000_512_999),
        error: None,
    }
}

/// A statement that went well.
pub(crate) fn statement(command: Command, text: &[u8]) -> Statement<'_> {
    Statement {
        head: head(),
        command,
        class: Class::Select,
        target: "",
        verb: "select",
        text,
        text_length: text.len() as u64,
        masked: false,
        prepared: None,
        parameters: Values::default(),
        digest: 0,
        rows_sent: 3,
        rows_affected: 4,
        insert_id: 0,
        warnings: 0,
        bytes_received: 10,
        bytes_sent: 20,
        route_units: 2,
        in_transaction: false,
        connections: 0,
        phases: Phases::default(),
        runs: Runs::default(),
        trace: None,
    }
}
