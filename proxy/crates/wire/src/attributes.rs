//! Query attributes (`CLIENT_QUERY_ATTRIBUTES`): named values that travel with a query or an execute.
//!
//! They are kept in the form they came in. Most clients that could send some send none; that is told apart without
//! taking memory.

use bytes::{BufMut, BytesMut};

use crate::Error;
use crate::column::ColumnType;
use crate::command::code;
use crate::cursor::{Cursor, put_lenenc, put_string};
use crate::value::{Kind, Value};

/// The attributes of one statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes(Vec<Attribute>);

/// A named value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its type.
    pub kind: Kind,
    /// Its name; may be empty.
    pub name: Box<[u8]>,
    /// Its encoded value; nothing is NULL.
    pub value: Option<Box<[u8]>>,
}

impl Attributes {
    /// Those of the payload of a command from a client that may send some; nothing where there are none, and for any
    /// command but a query.
    #[inline]
    pub fn of_query(payload: &[u8]) -> Result<Option<Self>, Error> {
        match payload {
            [code::QUERY, 0, ..] => Ok(None),
            [code::QUERY, rest @ ..] => Self::read_query(rest).map(Some),
            _ => Ok(None),
        }
    }

    #[cold]
    fn read_query(rest: &[u8]) -> Result<Self, Error> {
        let what = "attributes of a query";
        let mut cursor = Cursor::new(rest);
        let count = usize::try_from(cursor.lenenc(what)?).map_err(|_| Error::Truncated { what })?;
        cursor.lenenc(what)?;
        Self::read(&mut cursor, count, 0)
    }

    /// Reads the bitmap, the named types and the values of `count` parameters, and keeps those behind the first `skip`.
    pub(crate) fn read(cursor: &mut Cursor<'_>, count: usize, skip: usize) -> Result<Self, Error> {
        let what = "attributes of a query";
        let nulls = cursor.bytes(count.div_ceil(8), what)?;
        if cursor.u8(what)? != 1 {
            return Err(Error::Malformed { what });
        }
        let mut all = Vec::new();
        for at in 0..count {
            let kind = Kind::from_bytes(cursor.array(what)?);
            let name = cursor.string(what)?;
            // The bitmap has a bit for each.
            let null = nulls[at / 8] & (1 << (at % 8)) != 0;
            all.push((kind, name, null));
        }
        let mut kept = Vec::new();
        for (at, (kind, name, null)) in all.into_iter().enumerate() {
            let value = if null { None } else { Some(kind.raw(cursor)?.into()) };
            if at >= skip {
                kept.push(Attribute { kind, name: name.into(), value });
            }
        }
        Ok(Self(kept))
    }

    /// All of them, in the order in which they came.
    pub fn iter(&self) -> std::slice::Iter<'_, Attribute> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first attribute of that name, if it is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        let found = self.iter().find(|attribute| &*attribute.name == name.as_bytes())?;
        match found.kind.decode(found.value.as_deref()?) {
            Ok(Value::Bytes(text)) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }

    /// The trace that the statement belongs to, as W3C's Trace Context writes it:
    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    pub fn traceparent(&self) -> Option<&str> {
        let text = self.text("traceparent")?;
        let mut parts = text.split('-');
        let sizes = [2, 32, 16, 2].iter().all(|size| {
            parts.next().is_some_and(|part| {
                part.len() == *size && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            })
        });
        // Later versions may add parts.
        (sizes && (parts.next().is_none() || !text.starts_with("00"))).then_some(text)
    }

    /// Writes what stands between the number of a query and its text.
    fn write_query(&self, out: &mut BytesMut) {
        put_lenenc(out, self.len() as u64);
        out.put_u8(1);
        if self.is_empty() {
            return;
        }
        let nulls = out.len();
        out.put_bytes(0, self.len().div_ceil(8));
        self.write_nulls(out, nulls, 0);
        out.put_u8(1);
        self.write_types(out);
        self.write_values(out);
    }

    /// Sets bits in the bitmap that stands at `nulls`, the first of them `first`.
    pub(crate) fn write_nulls(&self, out: &mut BytesMut, nulls: usize, first: usize) {
        for (at, _) in self.iter().enumerate().filter(|(_, attribute)| attribute.value.is_none()) {
            out[nulls + (first + at) / 8] |= 1 << ((first + at) % 8);
        }
    }

    pub(crate) fn write_types(&self, out: &mut BytesMut) {
        for Attribute { kind, name, .. } in self.iter() {
            out.extend_from_slice(&kind.to_bytes());
            put_string(out, name);
        }
    }

    pub(crate) fn write_values(&self, out: &mut BytesMut) {
        for value in self.iter().filter_map(|attribute| attribute.value.as_deref()) {
            out.extend_from_slice(value);
        }
    }
}

/// Begins the payload of a query to a server; with `some`, it takes attributes (`CLIENT_QUERY_ATTRIBUTES`), though there
/// may be none.
#[inline]
pub fn put_query(out: &mut BytesMut, some: bool, attributes: Option<&Attributes>) {
    out.put_u8(code::QUERY);
    if some {
        match attributes {
            None => out.put_slice(&[0, 1]),
            Some(attributes) => attributes.write_query(out),
        }
    }
}

impl Attribute {
    /// A text.
    pub fn text(name: &str, value: &str) -> Self {
        let mut encoded = BytesMut::new();
        put_string(&mut encoded, value.as_bytes());
        let kind = Kind::new(ColumnType::VAR_STRING);
        Self { kind, name: name.as_bytes().into(), value: Some(encoded[..].into()) }
    }
}

impl FromIterator<Attribute> for Attributes {
    fn from_iter<T: IntoIterator<Item = Attribute>>(all: T) -> Self {
        Self(all.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::caps::Capabilities;
    use crate::command::Command;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn any_attribute() -> impl Strategy<Value = Attribute> {
        let text = ("[a-z_]{0,20}", ".{0,300}").prop_map(|(name, value)| Attribute::text(&name, &value));
        let null = "[a-z]{1,5}".prop_map(|name: String| Attribute {
            kind: Kind::new(ColumnType::VAR_STRING),
            name: name.as_bytes().into(),
            value: None,
        });
        let number = any::<[u8; 8]>().prop_map(|bytes| Attribute {
            kind: Kind::new(ColumnType::LONGLONG),
            name: Box::default(),
            value: Some(bytes[..].into()),
        });
        prop_oneof![text, null, number]
    }

    proptest! {
        #[test]
        fn a_query_keeps_its_attributes_on_the_way(
            all in prop::collection::vec(any_attribute(), 0..20),
            text in ".{0,50}",
        ) {
            let attributes: Attributes = all.into_iter().collect();
            let mut out = BytesMut::new();
            put_query(&mut out, true, Some(&attributes));
            out.put_slice(text.as_bytes());
            let read = Attributes::of_query(&out).unwrap();
            prop_assert_eq!(read.unwrap_or_default(), attributes);
            let command = Command::decode(&out, Capabilities::QUERY_ATTRIBUTES).unwrap();
            prop_assert_eq!(command, Command::Query(text.as_bytes()));
        }

        #[test]
        fn whatever_arrives_is_refused_or_read(payload in prop::collection::vec(any::<u8>(), 0..60)) {
            let payload = [&[code::QUERY][..], &payload].concat();
            let command = Command::decode(&payload, Capabilities::QUERY_ATTRIBUTES);
            // What the command's own reader takes for well-formed is so here.
            prop_assert!(command.is_err() || Attributes::of_query(&payload).is_ok());
        }
    }

    #[test]
    fn no_attributes_are_two_bytes_and_none_at_all_where_there_can_be_none() {
        let mut out = BytesMut::new();
        put_query(&mut out, true, None);
        assert_eq!(&out[..], [3, 0, 1]);
        out.clear();
        let attributes: Attributes = [Attribute::text("a", "b")].into_iter().collect();
        put_query(&mut out, false, Some(&attributes));
        assert_eq!(&out[..], [3]);
        assert_eq!(Attributes::of_query(b"\x03\0\x01SELECT 1"), Ok(None));
        assert_eq!(Attributes::of_query(b"\x16\x01\x01SELECT 1"), Ok(None));
        assert!(Attributes::of_query(b"\x03\x01\x01\0").is_err());
    }

    #[test]
    fn a_trace_is_told_from_what_is_none() {
        let of = |value: &str| -> Option<String> {
            let all = [Attribute::text("other", "x"), Attribute::text("traceparent", value)];
            all.into_iter().collect::<Attributes>().traceparent().map(str::to_owned)
        };
        assert_eq!(of(TRACE).as_deref(), Some(TRACE));
        assert!(of(&TRACE.replacen("00", "cc", 1)).is_some());
        assert!(of(&format!("{}-more", TRACE.replacen("00", "cc", 1))).is_some());
        for wrong in
            ["", "00", &TRACE.to_uppercase(), &TRACE[1..], &format!("{TRACE}-x"), &TRACE.replace('-', "_")]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(Attributes::default().traceparent(), None);
    }
}
