//! Tables named in optimizer hints: `/*+ INDEX(t i) JOIN_ORDER(t, u) */`.

use super::cursor::{Lexeme, Parser};
use crate::Span;
use crate::lexer::{Lexer, TokenKind};

/// Hints whose names are no tables.
const OTHERS: [&str; 6] =
    ["MAX_EXECUTION_TIME", "QB_NAME", "RESOURCE_GROUP", "SEMIJOIN", "SET_VAR", "SUBQUERY"];

/// How much of a hint is read.
const NAMES: usize = 64;

impl Parser<'_> {
    /// Notes the tables that the hints name by their own name. A hint that names none the server ignores.
    pub(super) fn hinted_tables(&mut self) {
        for hint in std::mem::take(&mut self.hints).into_iter().take(NAMES / 4) {
            self.hinted_in(hint);
        }
    }

    fn hinted_in(&mut self, hint: Lexeme) {
        let (start, end) = (hint.token.start + 3, hint.token.end - 2);
        let text = self.text;
        let Some(inside) = text.get(start as usize..end as usize) else { return };
        // The name of the hint, and whether names in it are tables still: behind the table of an index hint stand indexes.
        let (mut hint_name, mut tables) = (String::new(), false);
        let mut word = String::new();
        for token in Lexer::new(inside, self.mode).map_while(Result::ok).take(NAMES) {
            match token.kind {
                TokenKind::LeftParen => {
                    hint_name = std::mem::take(&mut word).to_ascii_uppercase();
                    tables = !OTHERS.contains(&hint_name.trim_start_matches("NO_"));
                }
                TokenKind::RightParen => tables = false,
                TokenKind::Word | TokenKind::Quoted => {
                    let Some(name) = token.name(inside) else { continue };
                    if tables {
                        let from = self.place(hint.slots, start + token.start);
                        let to = self.place(hint.slots, start + token.end);
                        self.scope.hint(&name, Span { start: from, end: to });
                        tables = !is_index_hint(&hint_name);
                    }
                    word = name.into_owned();
                }
                _ => {}
            }
        }
    }
}

/// Whether indexes follow the table in it.
fn is_index_hint(name: &str) -> bool {
    let name = name.trim_start_matches("NO_");
    name.contains("INDEX") || ["MRR", "ICP", "RANGE_OPTIMIZATION", "SKIP_SCAN"].contains(&name)
}
