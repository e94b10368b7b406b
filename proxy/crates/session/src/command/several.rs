//! Several statements in one text (`CLIENT_MULTI_STATEMENTS`): each goes the whole way, one after the other.

use sql::split;
use wire::caps::Capabilities;

use crate::command::query::Done;
use crate::error::Problem;
use crate::session::Session;
use crate::text::readable;

/// Answers wait for each other up to this size.
const FULL: usize = 32 * 1024;

impl Session {
    /// Whether the client may send several statements in a text and this one could hold them.
    #[inline]
    pub(crate) fn is_several(&self, raw: &[u8]) -> bool {
        self.client.capabilities.contains(Capabilities::MULTI_STATEMENTS)
            && memchr::memchr(b';', trimmed(raw)).is_some()
    }

    /// Runs the statements of a text up to the first that fails. All answers but the last tell that more follow.
    pub(crate) async fn several(&mut self, raw: &[u8]) -> Done {
        let mut rest = trimmed(raw);
        loop {
            // A statement may change how the next is to be read.
            let how = (self.state.encoding, self.state.mode);
            let text = readable(rest, how.0, how.1);
            let mut at = 0;
            while how == (self.state.encoding, self.state.mode) {
                let first = split::first(&text[at..], self.state.mode);
                let Some(end) = first.end.map(|end| at + end) else {
                    self.note_text(observe::Command::Query, &rest[at..]);
                    return self.query(&rest[at..]).await;
                };
                if first.empty {
                    return Ok(Err(Problem::near(&text[at..], end - at)));
                }
                (self.client.more, self.failed) = (true, false);
                self.note_text(observe::Command::Query, &rest[at..end]);
                let done = self.query(&rest[at..end]).await;
                self.client.more = false;
                if self.failed || self.quitting || !matches!(done, Ok(Ok(()))) {
                    return done;
                }
                self.questions += 1;
                if self.notes.is_on() {
                    self.tell_one(&rest[end + 1..]);
                }
                self.client.next_answer(FULL).await?;
                at = rest.len() - rest[end + 1..].trim_ascii_start().len();
            }
            rest = &rest[at..];
        }
    }
}

/// The text without what servers overlook at its end.
#[inline]
fn trimmed(raw: &[u8]) -> &[u8] {
    let mut text = raw;
    while let [rest @ .., b';' | b' ' | b'\t'..=b'\r'] = text {
        text = rest;
    }
    text
}
