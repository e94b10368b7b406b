//! One pass over the text: a hash of all but the values, and where the values are.

use crate::lexer::Lexer;
use crate::{Error, Mode};
use foldhash::fast::SeedableRandomState;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

/// What kind of value a slot holds.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, serde::Serialize)]
pub enum SlotKind {
    /// `b'01'`, `0b01`.
    Bit,
    /// `/* … */`, `-- …`, `# …`: left out of the hash, so that trace comments do not split the cache, unless it may be
    /// a hint ([`crate::Hints`]). Not `/*! … */` or `/*+ … */`, which are part of the statement.
    Comment,
    /// `1.5`.
    Decimal,
    /// `1e5`.
    Float,
    /// `x'1f'`, `0x1f`.
    Hex,
    /// `42`.
    Integer,
    /// `?`.
    Param,
    /// `'…'`, `"…"` (unless `ANSI_QUOTES`); adjacent strings are slots of their own.
    String,
}

/// A value in the text, quotes included.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Slot {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What it is.
    pub kind: SlotKind,
}

impl Slot {
    /// Its text, quotes included.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }

    /// What it says to the proxy, if it is a comment that may do so: then it belongs to what is alike in texts.
    #[inline]
    fn hint<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        if self.kind == SlotKind::Comment { crate::hints::content(self.text(text)) } else { None }
    }
}

/// What [`Fingerprinter::fingerprint`] found.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint {
    /// Of the text with every slot left out (a text with literals and one with parameters there hash alike).
    /// Not proof of equality: whoever finds something by it must ask [`Fingerprint::alike`].
    pub hash: u64,
    /// In the order of the text.
    pub slots: SmallVec<[Slot; 12]>,
}

impl Fingerprint {
    /// Whether `text` differs from `other`'s text in nothing but the values of slots. This is what makes two texts
    /// share one analysis (with [`crate::Statement::fixed`] compared as well).
    pub fn alike(&self, text: &str, other: &[Slot], other_text: &str) -> bool {
        if self.slots.len() != other.len() {
            return false;
        }
        let (mut left, mut right) = (Marker::default(), Marker::default());
        for (slot, other) in self.slots.iter().zip(other) {
            if text.get(left.end..slot.start as usize) != other_text.get(right.end..other.start as usize)
                || left.mark(text, slot) != right.mark(other_text, other)
                || slot.hint(text) != other.hint(other_text)
            {
                return false;
            }
        }
        text.get(left.end..) == other_text.get(right.end..)
    }
}

/// Makes fingerprints; all that are compared must come from one seed.
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    state: SeedableRandomState,
}

impl Fingerprinter {
    /// With a seed of its own, so that clients cannot make texts that collide.
    pub fn random() -> Self {
        Self { state: SeedableRandomState::random() }
    }

    /// The same in every process: for tests and tools.
    pub fn fixed() -> Self {
        Self { state: SeedableRandomState::fixed() }
    }

    /// One pass over `text`. Refuses what the lexer refuses: strings, names and comments without an end.
    pub fn fingerprint(&self, text: &str, mode: Mode) -> Result<Fingerprint, Error> {
        let mut lexer = Lexer::new(text, mode);
        let mut hasher = self.state.build_hasher();
        let mut slots = SmallVec::new();
        let mut marker = Marker::default();
        while let Some(token) = lexer.token()? {
            let Some(kind) = token.kind.slot() else { continue };
            let slot = Slot { start: token.start, end: token.end, kind };
            hasher.write(&text.as_bytes()[marker.end..slot.start as usize]);
            hasher.write_u8(marker.mark(text, &slot));
            if let Some(hint) = slot.hint(text) {
                hasher.write(hint.as_bytes());
            }
            slots.push(slot);
        }
        hasher.write(&text.as_bytes()[marker.end..]);
        Ok(Fingerprint { hash: hasher.finish(), slots })
    }
}

/// Says what the hash keeps of a slot: whether it is a comment or a value. Where two values stand side by side it
/// decides the structure whether they are strings (`'a' 'b'` is one value, `1 'b'` a value and its alias), so there
/// it keeps that as well.
#[derive(Default)]
struct Marker {
    /// End of the slot before.
    end: usize,
    /// Of the value before, while only blanks and comments stand between.
    value: Option<SlotKind>,
}

impl Marker {
    #[inline]
    fn mark(&mut self, text: &str, slot: &Slot) -> u8 {
        if self.value.is_some() {
            let gap = text.as_bytes().get(self.end..slot.start as usize).unwrap_or_default();
            // `*/` and `/*!50100` are as good as blanks.
            if !gap.iter().all(|byte| matches!(byte, b'\t'..=b'\r' | b' ' | b'/' | b'*' | b'!' | b'0'..=b'9'))
            {
                self.value = None;
            }
        }
        self.end = slot.end as usize;
        if slot.kind == SlotKind::Comment {
            return 1;
        }
        let string = |kind| u8::from(kind == SlotKind::String);
        match self.value.replace(slot.kind) {
            Some(before) => 4 + 2 * string(before) + string(slot.kind),
            None => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Fingerprint {
        Fingerprinter::fixed().fingerprint(text, Mode::default()).unwrap()
    }

    fn alike(one: &str, two: &str) -> bool {
        let (left, right) = (read(one), read(two));
        let alike = left.alike(one, &right.slots, two);
        assert_eq!(alike, left.hash == right.hash, "{one} / {two}");
        alike
    }

    #[test]
    fn values_are_slots() {
        let text = "SELECT c /* trace */ FROM t1 WHERE id=5 AND n IN ('a', 0x1f, ?, 1.5, 2e3, b'1') -- end";
        let slots: Vec<_> = read(text).slots.iter().map(|slot| (slot.kind, slot.text(text))).collect();
        assert_eq!(
            slots,
            [
                (SlotKind::Comment, "/* trace */"),
                (SlotKind::Integer, "5"),
                (SlotKind::String, "'a'"),
                (SlotKind::Hex, "0x1f"),
                (SlotKind::Param, "?"),
                (SlotKind::Decimal, "1.5"),
                (SlotKind::Float, "2e3"),
                (SlotKind::Bit, "b'1'"),
                (SlotKind::Comment, "-- end"),
            ]
        );
    }

    #[test]
    fn texts_that_differ_in_values_only_are_alike() {
        for (one, two) in [
            ("SELECT c FROM sbtest1 WHERE id=5", "SELECT c FROM sbtest1 WHERE id=?"),
            ("SELECT c FROM sbtest1 WHERE id=5", "SELECT c FROM sbtest1 WHERE id='a''b'"),
            ("/* a */ SELECT 1", "/* b c */ SELECT 2"),
            ("SELECT 1 -- a:b", "SELECT 1 -- c:d"),
            ("/*shadow:true*/ SELECT 1", "/* shadow:true */ SELECT 2"),
            (
                "/*@TRACE_CONTEXT@a:1@TRACE_CONTEXT@*/ SELECT 1",
                "/*@TRACE_CONTEXT@b:2@TRACE_CONTEXT@*/ SELECT 1",
            ),
        ] {
            assert!(alike(one, two), "{one} / {two}");
        }
    }

    #[test]
    fn texts_that_differ_elsewhere_are_not_alike() {
        for (one, two) in [
            ("SELECT c FROM sbtest1 WHERE id=5", "SELECT c FROM sbtest2 WHERE id=5"),
            ("SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=-5"),
            ("SELECT 'a' 'b'", "SELECT 1 'b'"),
            ("SELECT 'a' /* c */ 'b'", "SELECT 1 /* c */ 'b'"),
            ("SELECT 'a' /*!50100 'b' */", "SELECT 1 /*!50100 'b' */"),
            ("SELECT 1 + /* a */", "SELECT 1 + 2"),
            ("SELECT /*! 1 */", "SELECT /*+ 1 */"),
            ("SELECT 1, 2", "SELECT 1 , 2"),
            ("/*shadow:true*/ SELECT 1", "/*shadow:false*/ SELECT 1"),
            ("SELECT 1 /*shadow:true*/", "SELECT 1 /*trace*/"),
            ("SELECT 1 /* SHARDINGSPHERE_HINT: A=1 */", "SELECT 1 /* SHARDINGSPHERE_HINT: A=2 */"),
            ("SELECT 1", "SELECT 1;"),
        ] {
            assert!(!alike(one, two), "{one} / {two}");
        }
    }

    proptest! {
        #[test]
        fn slots_are_ordered_and_on_character_boundaries(text in r#"([ -~é表]|[0-9'"?#]|/\*|\*/|-- ){0,40}"#) {
            if let Ok(found) = Fingerprinter::fixed().fingerprint(&text, Mode::default()) {
                let mut at = 0;
                for slot in &found.slots {
                    prop_assert!(slot.start >= at && slot.end > slot.start);
                    prop_assert!(!slot.text(&text).is_empty());
                    at = slot.end;
                }
                prop_assert!(found.alike(&text, &found.slots, &text));
            }
        }
    }
}
