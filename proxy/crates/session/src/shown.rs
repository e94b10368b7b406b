//! What logs may show of a statement: neither passwords nor values of encrypted columns.

use std::borrow::Cow;

use bytes::BytesMut;
use observe::record;
use observe::{Class, Error, Value};
use plan::Template;
use sql::Mode;
use sql::lexer::Lexer;
use wire::column::ColumnType;
use wire::errno;
use wire::execute::Params;

use crate::redact::redacted;
use crate::session::Session;
use crate::text::readable;

/// What stands in the place of a value of an encrypted column.
const HIDDEN: &[u8] = b"***";

/// A text, and what is known of it.
pub(crate) struct Said<'a> {
    /// As the client sent it, maybe cut.
    pub(crate) raw: &'a [u8],
    pub(crate) class: Class,
    /// What it was planned as.
    pub(crate) template: Option<&'a Template>,
    /// It could not be planned, so that nobody knows which values are those of encrypted columns.
    pub(crate) refused: bool,
}

/// A text as it may be shown.
pub(crate) struct Shown<'a> {
    /// The client's own, where nothing is left out.
    pub(crate) text: Cow<'a, [u8]>,
    /// What was left out may stand in the error's text, too.
    quoted: bool,
}

impl Shown<'_> {
    /// Whether something was left out.
    pub(crate) const fn is_masked(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// As much of an error's text as may be shown beside it.
    pub(crate) fn message<'e>(&self, error: &Error<'e>) -> &'e [u8] {
        if self.quoted || error.code == errno::PARSE.code { b"" } else { error.message }
    }
}

/// Which slots are left out.
enum Hide<'a> {
    /// All values of a text that nobody understands.
    All,
    /// These.
    Slots(&'a [u32]),
}

impl Session {
    /// A text without what is not for others.
    pub(crate) fn shown<'a>(&self, said: &Said<'a>) -> Shown<'a> {
        let hide = match said.template {
            Some(template) => {
                Some(Hide::Slots(template.secrets())).filter(|_| !template.secrets().is_empty())
            }
            None => self.may_be_secret(said).then_some(Hide::All),
        };
        let open = is_open(said.class);
        if open && hide.is_none() {
            return Shown { text: Cow::Borrowed(said.raw), quoted: false };
        }
        let text = readable(said.raw, self.state.encoding, self.state.mode);
        if !open && let Cow::Owned(shown) = redacted(&text, self.state.mode) {
            return Shown { text: Cow::Owned(shown.into_bytes()), quoted: false };
        }
        let Some(hide) = hide else { return Shown { text: Cow::Borrowed(said.raw), quoted: false } };
        let quoted = matches!(hide, Hide::All);
        Shown { text: hidden(said.raw, &text, self.state.mode, &hide), quoted }
    }

    /// What a server was sent: values of encrypted columns are ciphertext there.
    pub(crate) fn shown_physical<'a>(&self, text: &'a [u8], class: Class) -> Cow<'a, [u8]> {
        if is_open(class) || text.is_empty() {
            return Cow::Borrowed(text);
        }
        match redacted(&readable(text, self.state.encoding, self.state.mode), self.state.mode) {
            Cow::Owned(shown) => Cow::Owned(shown.into_bytes()),
            Cow::Borrowed(_) => Cow::Borrowed(text),
        }
    }

    /// Whether a statement that was refused may hold values of encrypted columns.
    fn may_be_secret(&self, said: &Said<'_>) -> bool {
        said.refused
            && self.local.snapshot().databases.values().any(|database| !database.encrypt.tables.is_empty())
    }
}

/// What moves or shows rows holds no password.
const fn is_open(class: Class) -> bool {
    matches!(class, Class::Select | Class::Insert | Class::Update | Class::Delete | Class::Tcl | Class::Rql)
}

/// The client's bytes, whose places are those of `text`, with values left out; what cannot be read any more is cut off.
fn hidden<'a>(raw: &'a [u8], text: &str, mode: Mode, hide: &Hide<'_>) -> Cow<'a, [u8]> {
    let mut lexer = Lexer::new(text, mode);
    let (mut kept, mut copied, mut read) = (Vec::new(), 0, 0);
    let mut slot = 0;
    let whole = loop {
        let token = match lexer.token() {
            Ok(Some(token)) => token,
            Ok(None) => break true,
            Err(_) => break false,
        };
        read = token.end as usize;
        let Some(kind) = token.kind.slot() else { continue };
        let is_hidden = match hide {
            Hide::All => kind != sql::SlotKind::Param,
            Hide::Slots(slots) => slots.binary_search(&slot).is_ok() && kind != sql::SlotKind::Param,
        };
        slot += 1;
        if is_hidden {
            kept.extend_from_slice(&raw[copied..token.start as usize]);
            kept.extend_from_slice(HIDDEN);
            copied = token.end as usize;
        }
    };
    if whole && copied == 0 {
        return Cow::Borrowed(raw);
    }
    kept.extend_from_slice(&raw[copied..if whole { raw.len() } else { read }]);
    Cow::Owned(kept)
}

/// Whether values of a type are bytes rather than text.
const fn is_blob(kind: ColumnType) -> bool {
    matches!(
        kind,
        ColumnType::TINY_BLOB
            | ColumnType::BLOB
            | ColumnType::MEDIUM_BLOB
            | ColumnType::LONG_BLOB
            | ColumnType::BIT
            | ColumnType::GEOMETRY
    )
}

/// A parameter as it will be shown; of bytes, those there is room for.
pub(crate) fn put_parameter(
    out: &mut Vec<u8>,
    params: &Params<'_>,
    at: usize,
    hidden: bool,
    room: &mut usize,
) {
    use wire::value::Value as V;
    let kind = params.types().get(at).map(|kind| kind.column);
    let value = match params.value(at) {
        _ if hidden || params.long(at) => Value::Hidden,
        Err(_) => Value::Hidden,
        Ok(V::Null) => Value::Null,
        Ok(V::Int(number)) => Value::Signed(number),
        Ok(V::UInt(number)) => Value::Unsigned(number),
        Ok(V::Float(number)) => Value::Float(f64::from(number)),
        Ok(V::Double(number)) => Value::Float(number),
        Ok(V::Bytes(bytes)) if bytes.len() > *room => {
            Value::Cut { start: &bytes[..std::mem::take(room)], length: bytes.len() as u64 }
        }
        Ok(V::Bytes(bytes)) if matches!(kind, Some(ColumnType::DECIMAL | ColumnType::NEWDECIMAL)) => {
            Value::Number(bytes)
        }
        Ok(V::Bytes(bytes)) if kind.is_some_and(is_blob) => Value::Bytes(bytes),
        Ok(V::Bytes(bytes)) => Value::Text(bytes),
        Ok(moment @ (V::Date(_) | V::DateTime(_) | V::Time(_))) => {
            let mut text = BytesMut::new();
            moment.write_text(&mut text, 6);
            record::put_value(out, Value::Text(&text));
            return;
        }
    };
    if let Value::Number(bytes) | Value::Text(bytes) | Value::Bytes(bytes) = value {
        *room -= bytes.len();
    }
    record::put_value(out, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(raw: &[u8], hide: &Hide<'_>) -> String {
        let text = readable(raw, crate::text::Encoding::Plain, Mode::default());
        String::from_utf8_lossy(&hidden(raw, &text, Mode::default(), hide)).into_owned()
    }

    #[test]
    fn hidden_values_are_left_out() {
        let text = b"INSERT /* c */ INTO t VALUES (1, 'a\\'b', ?, 0x1f)";
        assert_eq!(shown(text, &Hide::Slots(&[2])), "INSERT /* c */ INTO t VALUES (1, ***, ?, 0x1f)");
        assert_eq!(shown(text, &Hide::Slots(&[3])), "INSERT /* c */ INTO t VALUES (1, 'a\\'b', ?, 0x1f)");
        assert_eq!(shown(text, &Hide::All), "INSERT *** INTO t VALUES (***, ***, ?, ***)");
        // What was cut within a value ends before it.
        assert_eq!(
            shown(b"SELECT 1 FROM t WHERE c = 'secr", &Hide::Slots(&[1])),
            "SELECT 1 FROM t WHERE c ="
        );
        assert_eq!(shown(b"SELECT 'a\xff', 'b'", &Hide::Slots(&[1])), "SELECT 'a\u{fffd}', ***");
    }
}
