//! Whether blanks at the end of a text count, and what a blank weighs.
//!
//! `WEIGHT_STRING('a')` and `WEIGHT_STRING('a ')` differ although the texts are equal under a `PAD SPACE` collation. The
//! weights of a blank were read from MySQL 9.7 for every collation it has.

/// What stands behind the end of a shorter text when it is compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Pad {
    /// Nothing: blanks count.
    None,
    /// Blanks of this weight.
    Space(&'static [u8]),
}

impl Pad {
    /// Of the collation whose name a server sent, in whichever character set.
    pub(crate) fn told(name: &[u8]) -> Self {
        let letters: String = name.iter().filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
        Self::of(&letters)
    }

    /// Of the collation with that name.
    pub fn of(collation: &str) -> Self {
        let name = collation.to_ascii_lowercase();
        let (charset, rest) = name.split_once('_').unwrap_or((&name, ""));
        if charset == "binary"
            || rest.contains("0900")
            || rest.contains("nopad")
            || rest.ends_with("_czech_cs")
        {
            return Self::None;
        }
        if rest.ends_with("unicode_520_ci") {
            return Self::Space(&[0x02, 0x0a]);
        }
        Self::Space(match charset {
            "ucs2" | "utf8" | "utf8mb3" if rest == "bin" => &[0x00, 0x20],
            "utf16" | "utf16le" | "utf32" | "utf8mb4" if rest == "bin" => &[0x00, 0x00, 0x20],
            "ucs2" | "utf16" | "utf16le" | "utf32" | "utf8" | "utf8mb3" | "utf8mb4" => {
                if rest.starts_with("general") || rest.starts_with("tolower") {
                    &[0x00, 0x20]
                } else {
                    &[0x02, 0x09]
                }
            }
            "latin7" if rest.starts_with("general") => &[0x30],
            "latin7" if rest == "estonian_cs" => &[0x2c],
            _ => &[0x20],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_weight_of_a_blank() {
        for (name, pad) in [
            ("utf8mb4_0900_ai_ci", Pad::None),
            ("utf8mb4_uca1400_nopad_ai_ci", Pad::None),
            ("utf8mb4_general_ci", Pad::Space(&[0, 0x20])),
            ("utf8mb4_bin", Pad::Space(&[0, 0, 0x20])),
            ("utf8mb3_bin", Pad::Space(&[0, 0x20])),
            ("utf8mb4_unicode_ci", Pad::Space(&[2, 9])),
            ("utf8mb4_unicode_520_ci", Pad::Space(&[2, 0x0a])),
            ("latin1_swedish_ci", Pad::Space(&[0x20])),
            ("gbk_chinese_ci", Pad::Space(&[0x20])),
        ] {
            assert_eq!(Pad::of(name), pad, "{name}");
            let wide: Vec<u8> = name.bytes().flat_map(|byte| [0, byte]).collect();
            assert_eq!((Pad::told(name.as_bytes()), Pad::told(&wide)), (pad, pad), "{name}");
        }
    }
}
