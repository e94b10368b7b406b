//! Places counted from slots, to and from byte offsets.

use crate::{Place, Slot, Span};
use std::ops::Range;

impl Place {
    /// The place at a byte offset of the text that `slots` belong to. An offset inside a slot counts from the slot
    /// before it and holds for that text only.
    pub fn at(offset: u32, slots: &[Slot]) -> Self {
        let after = slots.partition_point(|slot| slot.end <= offset);
        let base = after.checked_sub(1).map_or(0, |last| slots[last].end);
        Self { after: after as u32, offset: offset - base }
    }

    /// The byte offset in the text that `slots` belong to.
    pub fn offset(self, slots: &[Slot]) -> usize {
        let base = match self.after {
            0 => 0,
            after => slots.get(after as usize - 1).map_or(0, |slot| slot.end),
        };
        base as usize + self.offset as usize
    }
}

impl Span {
    /// The span between two byte offsets of the text that `slots` belong to.
    pub fn at(range: Range<u32>, slots: &[Slot]) -> Self {
        Self { start: Place::at(range.start, slots), end: Place::at(range.end, slots) }
    }

    /// The bytes in the text that `slots` belong to.
    pub fn range(self, slots: &[Slot]) -> Range<usize> {
        self.start.offset(slots)..self.end.offset(slots)
    }

    /// Its text in the text that `slots` belong to; empty when the two do not fit together.
    pub fn text<'a>(self, text: &'a str, slots: &[Slot]) -> &'a str {
        text.get(self.range(slots)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Fingerprinter, Mode, Place, Span};

    #[test]
    fn every_offset_outside_values_comes_back_and_moves_with_the_values() {
        let fingerprinter = Fingerprinter::fixed();
        let text = "SELECT 1, 'a' /* c */ FROM t WHERE id = 5 ORDER BY x";
        let other = "SELECT ?, 'abc' /**/ FROM t WHERE id = 12345 ORDER BY x";
        let slots = fingerprinter.fingerprint(text, Mode::default()).unwrap().slots;
        let other_slots = fingerprinter.fingerprint(other, Mode::default()).unwrap().slots;
        for offset in 0..=text.len() as u32 {
            if slots.iter().any(|slot| slot.start < offset && offset < slot.end) {
                continue;
            }
            let place = Place::at(offset, &slots);
            assert_eq!(place.offset(&slots), offset as usize);
            assert!(other.is_char_boundary(place.offset(&other_slots)));
        }
        let start = text.find("ORDER").unwrap() as u32;
        let span = Span::at(start..text.len() as u32, &slots);
        assert_eq!(span.text(text, &slots), "ORDER BY x");
        assert_eq!(span.text(other, &other_slots), "ORDER BY x");
        assert_eq!(Place::at(text.find('5').unwrap() as u32, &slots), Place { after: 3, offset: 19 });
    }
}
