//! Thrift's compact protocol, as far as a batch of spans needs it.

use std::mem;

pub(super) const TRUE: u8 = 1;
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
pub(super) const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

const PROTOCOL: u8 = 0x82;
const VERSION: u8 = 1;
/// A call without an answer, in the bits beside the version.
const ONEWAY: u8 = 4 << 5;

/// Writes structs, whose fields are numbered upwards.
#[derive(Debug, Default)]
pub(super) struct Compact {
    pub(super) out: Vec<u8>,
    /// Number of the last field of this struct.
    last: u8,
}

impl Compact {
    /// The beginning of a call; its arguments are a struct.
    pub(super) fn call(&mut self, name: &str) {
        self.out.extend_from_slice(&[PROTOCOL, VERSION | ONEWAY, 0]);
        self.bytes(name.as_bytes());
    }

    /// The head of a field; fields come in the order of their numbers, which are less than 16 apart.
    pub(super) fn field(&mut self, number: u8, kind: u8) {
        self.out.push((number - mem::replace(&mut self.last, number)) << 4 | kind);
    }

    pub(super) fn text(&mut self, number: u8, text: &str) {
        self.field(number, BINARY);
        self.bytes(text.as_bytes());
    }

    pub(super) fn long(&mut self, number: u8, value: i64) {
        self.field(number, I64);
        self.zigzag(value);
    }

    pub(super) fn int(&mut self, number: u8, value: i32) {
        self.field(number, I32);
        self.zigzag(value.into());
    }

    /// A field that is a list of so many.
    pub(super) fn list(&mut self, number: u8, kind: u8, count: usize) {
        self.field(number, LIST);
        self.list_head(kind, count);
    }

    pub(super) fn list_head(&mut self, kind: u8, count: usize) {
        match u8::try_from(count) {
            Ok(count) if count < 15 => self.out.push(count << 4 | kind),
            _ => {
                self.out.push(0xf0 | kind);
                self.varint(count as u64);
            }
        }
    }

    /// A struct: an element of a list, or what follows the head of its field.
    pub(super) fn fields(&mut self, write: impl FnOnce(&mut Self)) {
        let outer = mem::take(&mut self.last);
        write(self);
        self.out.push(0);
        self.last = outer;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    fn zigzag(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63).cast_unsigned());
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.out.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.out.push(value as u8);
    }
}
