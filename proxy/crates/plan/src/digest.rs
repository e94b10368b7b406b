//! The digest of a template, by which figures of statements are kept.

use sql::Digest;

use crate::template::Template;

/// What a statement has in common with others of its database that differ in their values.
#[derive(Clone, Debug)]
pub struct Digested {
    /// Number of the text ([`Digest::id`]).
    pub id: u64,
    /// The text.
    pub text: Box<str>,
    /// Of text and database; not 0.
    pub key: u64,
}

impl Digested {
    pub(crate) fn new(template: &Template) -> Self {
        let Digest { id, text } = Digest::of(&template.text, template.mode());
        let database = template.database().map_or("", |database| &database.name);
        let key = database.bytes().fold(id, |key, byte| {
            (key ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        });
        Self { id, text, key: key.max(1) }
    }
}
