//! Which character set and which order stand behind a collation id.
//!
//! Ids of MariaDB beyond MySQL's are not known here; who meets one must not compare by it.

mod table;

use table::{CHARSETS, COLLATIONS};

/// A character set.
#[derive(Debug, PartialEq, Eq)]
pub struct Charset {
    /// Its name.
    pub name: &'static str,
    /// The most bytes a character takes.
    pub max_len: u8,
    /// The id of its default collation.
    pub default: u16,
}

impl Charset {
    /// The character set of this name, in either case; `utf8` is `utf8mb3`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = if name.eq_ignore_ascii_case("utf8") { "utf8mb3" } else { name };
        CHARSETS.iter().find(|charset| charset.name.eq_ignore_ascii_case(name))
    }

    /// Whether its texts are UTF-8 (or ASCII).
    pub fn is_utf8(&self) -> bool {
        matches!(self.name, "ascii" | "utf8mb3" | "utf8mb4")
    }

    /// Whether quotes and backslashes can be found byte by byte.
    ///
    /// Not so where such a byte may be the second half of a character or a letter of its own.
    pub fn is_ascii_safe(&self) -> bool {
        let hides_ascii = ["big5", "cp932", "gb18030", "gbk", "sjis"];
        self.is_client() && !hides_ascii.contains(&self.name) && self.name != "swe7"
    }

    /// Whether a client may send statements in it.
    pub fn is_client(&self) -> bool {
        !matches!(self.name, "ucs2" | "utf16" | "utf16le" | "utf32")
    }
}

/// What trailing spaces count in a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pad {
    /// They count.
    NoPad,
    /// They do not: the shorter text is filled up with spaces.
    PadSpace,
}

/// An order over the texts of one character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collation {
    /// Its number in the protocol.
    pub id: u16,
    /// Its name.
    pub name: &'static str,
    /// Its character set.
    pub charset: &'static Charset,
}

impl Collation {
    /// The collation with this id.
    pub fn find(id: u16) -> Option<Self> {
        let at = COLLATIONS.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (id, name) = *COLLATIONS.get(at)?;
        let charset = Charset::named(name.split_once('_').map_or(name, |(charset, _)| charset))?;
        Some(Self { id, name, charset })
    }

    /// The collation of this name, in either case; `utf8_…` is `utf8mb3_…`.
    pub fn named(name: &str) -> Option<Self> {
        let long = name.get(..5).filter(|prefix| prefix.eq_ignore_ascii_case("utf8_"));
        let name = long.map_or_else(|| name.to_owned(), |_| format!("utf8mb3_{}", &name[5..]));
        let (id, _) = COLLATIONS.iter().find(|(_, known)| known.eq_ignore_ascii_case(&name))?;
        Self::find(*id)
    }

    /// What trailing spaces count.
    pub fn pad(&self) -> Pad {
        if self.is_bytes() || self.name.contains("_0900_") { Pad::NoPad } else { Pad::PadSpace }
    }

    /// Whether it compares bytes without a character set.
    pub const fn is_bytes(&self) -> bool {
        self.id == crate::column::BINARY_CHARSET
    }

    /// Whether it compares characters by their codes.
    pub fn is_binary(&self) -> bool {
        self.is_bytes() || self.name.ends_with("_bin")
    }

    /// Whether letters of either case are the same.
    pub fn ignores_case(&self) -> bool {
        self.name.ends_with("_ci")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_collation_by_id_and_by_name() {
        assert!(
            COLLATIONS.is_sorted_by_key(|(id, _)| id) && CHARSETS.is_sorted_by_key(|charset| charset.name)
        );
        for (id, name) in COLLATIONS {
            let collation = Collation::find(*id).unwrap();
            assert_eq!((collation.id, collation.name), (*id, *name));
            assert_eq!(Collation::named(&name.to_uppercase()), Some(collation));
            assert!(name.starts_with(collation.charset.name));
        }
        for charset in CHARSETS {
            assert_eq!(Collation::find(charset.default).unwrap().charset, charset);
        }
    }

    #[test]
    fn tells_what_the_common_ones_are_like() {
        use Pad::{NoPad, PadSpace};
        for (id, name, charset, pad, binary, ignores_case) in [
            (8, "latin1_swedish_ci", "latin1", PadSpace, false, true),
            (11, "ascii_general_ci", "ascii", PadSpace, false, true),
            (28, "gbk_chinese_ci", "gbk", PadSpace, false, true),
            (33, "utf8mb3_general_ci", "utf8mb3", PadSpace, false, true),
            (45, "utf8mb4_general_ci", "utf8mb4", PadSpace, false, true),
            (46, "utf8mb4_bin", "utf8mb4", PadSpace, true, false),
            (63, "binary", "binary", NoPad, true, false),
            (255, "utf8mb4_0900_ai_ci", "utf8mb4", NoPad, false, true),
            (304, "utf8mb4_ja_0900_as_cs_ks", "utf8mb4", NoPad, false, false),
        ] {
            let collation = Collation::find(id).unwrap();
            assert_eq!((collation.name, collation.charset.name, collation.pad()), (name, charset, pad));
            assert_eq!((collation.is_binary(), collation.ignores_case()), (binary, ignores_case), "{name}");
        }
        assert_eq!(Collation::named("utf8_general_ci"), Collation::find(33));
        assert_eq!(
            (Collation::find(0), Collation::find(9999), Collation::named("klingon_ci")),
            (None, None, None)
        );
    }

    #[test]
    fn knows_in_which_sets_a_byte_may_hide() {
        let of = |name| Charset::named(name).map(|charset| (charset.is_ascii_safe(), charset.is_client()));
        for (name, expected) in [
            ("utf8mb4", (true, true)),
            ("utf8", (true, true)),
            ("latin1", (true, true)),
            ("euckr", (true, true)),
            ("GBK", (false, true)),
            ("utf16", (false, false)),
        ] {
            assert_eq!(of(name), Some(expected), "{name}");
        }
    }
}
