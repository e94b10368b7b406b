//! `LIKE` as `SHOW … LIKE` uses it: `%` any text, `_` one character, `\` takes the next one literally; letter case
//! does not count.

/// Whether `text` matches `pattern`.
pub(crate) fn like(pattern: &str, text: &str) -> bool {
    let pattern: Vec<Piece> = pieces(pattern);
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    // Positions in the text that the pattern up to here can end at: linear in the product, whatever the pattern.
    let mut ends = vec![false; text.len() + 1];
    if let Some(first) = ends.first_mut() {
        *first = true;
    }
    for piece in pattern {
        let mut next = vec![false; text.len() + 1];
        match piece {
            Piece::Many => {
                let from = ends.iter().position(|end| *end).unwrap_or(ends.len());
                next.iter_mut().skip(from).for_each(|end| *end = true);
            }
            Piece::One | Piece::Char(_) => {
                for ((end, character), next) in ends.iter().zip(&text).zip(next.iter_mut().skip(1)) {
                    *next = *end && matches(piece, *character);
                }
            }
        }
        ends = next;
    }
    ends.last().copied().unwrap_or(false)
}

#[derive(Clone, Copy)]
enum Piece {
    Char(char),
    Many,
    One,
}

fn matches(piece: Piece, character: char) -> bool {
    match piece {
        Piece::Char(wanted) => wanted == character,
        Piece::Many | Piece::One => true,
    }
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut characters = pattern.chars().flat_map(char::to_lowercase);
    while let Some(character) = characters.next() {
        pieces.push(match character {
            '%' => Piece::Many,
            '_' => Piece::One,
            '\\' => Piece::Char(characters.next().unwrap_or('\\')),
            other => Piece::Char(other),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::like;

    #[test]
    fn matches_as_mysql_does() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("t_user", "T_USER", true),
            ("t_user", "txuser", true),
            ("t\\_user", "txuser", false),
            ("%test%", "sbtest1", true),
            ("a%b%c", "axxbyyc", true),
            ("a%b%c", "axxbyy", false),
            ("a\\", "a\\", true),
            ("_", "é", true),
        ] {
            assert_eq!(like(pattern, text), expected, "{text:?} like {pattern:?}");
        }
    }
}
