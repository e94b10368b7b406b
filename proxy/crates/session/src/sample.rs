//! Whether a command is traced: decided before anything is kept of it, by what the client says and by chance.

use observe::{Trace, Wants};
use wire::attributes::Attributes;
use wire::caps::Capabilities;
use wire::command::{Command, code};

use crate::session::Session;

/// What is to be run.
#[derive(Clone, Copy)]
pub(crate) enum Incoming<'a> {
    /// A command as it came.
    Command(&'a [u8]),
    /// The rest of a text of several statements, whose attributes are kept already.
    Text(&'a [u8]),
}

impl Session {
    /// What is kept of a command, where traces are wanted, and the trace that it belongs to.
    #[inline(never)]
    pub(crate) fn sample(&mut self, wants: Wants, incoming: Incoming<'_>) -> (Wants, Option<Trace>) {
        let parent = match incoming {
            // Nothing is told of these, or something else when they are over.
            Incoming::Command([code::QUIT | code::STMT_SEND_LONG_DATA | code::CHANGE_USER, ..]) => {
                return (wants - Wants::TRACES, None);
            }
            Incoming::Command(payload) => self.parent(payload),
            Incoming::Text(text) => named(self.attributes.as_deref()).or_else(|| Trace::of_comment(text)),
        };
        let trace = self.local.outlet.trace(parent);
        let sampled = trace.is_some_and(|trace| trace.sampled);
        (if sampled { wants | Wants::TRACED } else { wants - Wants::TRACES }, trace)
    }

    /// The trace that a client names: in an attribute of the command, or in a comment of its text.
    fn parent(&mut self, payload: &[u8]) -> Option<Trace> {
        let (code, rest) = payload.split_first()?;
        match *code {
            code::QUERY => {
                let attributed = self.client.capabilities.contains(Capabilities::QUERY_ATTRIBUTES);
                let attributes = if attributed { Attributes::of_query(payload).ok().flatten() } else { None };
                named(attributes.as_ref()).or_else(|| Trace::of_comment(rest))
            }
            code::STMT_PREPARE => Trace::of_comment(rest),
            code::STMT_EXECUTE => {
                let Ok(Command::Execute(execute)) = Command::decode(payload, self.client.capabilities) else {
                    return None;
                };
                let prepared = self.statements.get_mut(execute.statement)?;
                let attributes = execute.attributes(prepared.params).ok().flatten();
                named(attributes.as_ref()).or_else(|| Trace::of_comment(&prepared.raw))
            }
            _ => None,
        }
    }
}

fn named(attributes: Option<&Attributes>) -> Option<Trace> {
    Trace::read(attributes?.traceparent()?.as_bytes())
}
