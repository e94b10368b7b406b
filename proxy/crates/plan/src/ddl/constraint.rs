//! `CHECK` and `FOREIGN KEY` of sharded tables, read on tokens.

use std::ops::Range;

use sql::lexer::{Token, TokenKind};
use sql::{Place, Span};

use super::{NAME, is_alike};
use crate::error::{Error, Refused};
use crate::scope::{Home, Scope};
use crate::text::{Edits, Op};

/// Tokens that say something.
fn tokens(scope: &Scope<'_>) -> Result<Vec<Token>, Error> {
    let mut tokens = sql::lexer::tokens(scope.text, scope.mode)?;
    tokens.retain(|token| {
        !matches!(
            token.kind,
            TokenKind::Comment | TokenKind::Hint | TokenKind::VersionClose | TokenKind::VersionOpen
        )
    });
    Ok(tokens)
}

/// Gives each constraint that the statement names the name that it has on a node.
pub(super) fn rename(scope: &Scope<'_>, rule: u16, edits: &mut Edits) -> Result<(), Error> {
    let tokens = tokens(scope)?;
    for (number, token) in tokens.iter().enumerate() {
        let Some(at) = named(scope, &tokens, number) else { continue };
        let Some((place, name)) = tokens.get(at).and_then(|name| Some((name, name.name(scope.text)?))) else {
            continue;
        };
        if token.is(scope.text, "CONSTRAINT") && before(scope, &tokens, number, "DROP") {
            // It may be a key, whose name is the same on every node, or a check, whose name is not.
            let what = Refused::DropConstraint;
            return Err(Error::Sharded { what, table: scope.name(rule) });
        }
        if let Some(table) = scope.rule(rule) {
            let names = table.nodes.iter().map(|node| table.physical_constraint(node, &name));
            if let Some(long) = names.into_iter().find(|name| name.chars().count() > NAME) {
                return Err(Error::NameTooLong(long));
            }
        }
        let span =
            Span { start: Place::at(place.start, scope.slots), end: Place::at(place.end, scope.slots) };
        edits.instead(span, vec![Op::Constraint { rule, name: name.into() }]);
    }
    Ok(())
}

fn before(scope: &Scope<'_>, tokens: &[Token], number: usize, word: &str) -> bool {
    number.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|it| it.is(scope.text, word))
}

/// Where the name stands of a check or foreign key that the clause beginning here is about.
fn named(scope: &Scope<'_>, tokens: &[Token], number: usize) -> Option<usize> {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|it| it.is_any(scope.text, words));
    let changes = before(scope, tokens, number, "DROP") || before(scope, tokens, number, "ALTER");
    let token = tokens.get(number)?;
    let at = if token.is(scope.text, "CONSTRAINT") {
        let at = number + 1;
        let other = is(at, &["CHECK", "FOREIGN", "PRIMARY", "UNIQUE"]);
        if other || !(changes || is(at + 1, &["CHECK", "FOREIGN"])) {
            return None;
        }
        at
    } else if changes && token.is(scope.text, "CHECK") {
        number + 1
    } else if changes && token.is(scope.text, "FOREIGN") && is(number + 1, &["KEY"]) {
        number + 2
    } else {
        return None;
    };
    // MariaDB: IF EXISTS
    Some(if is(at, &["IF"]) && is(at + 1, &["EXISTS"]) { at + 2 } else { at })
}

/// Refuses what a node could not keep by itself: foreign keys whose rows may be on different nodes, and other tables that
/// it does not have.
pub(super) fn check(scope: &Scope<'_>, rule: u16) -> Result<(), Error> {
    if scope.homes.len() < 2 {
        return Ok(());
    }
    let tokens = tokens(scope)?;
    let refuse = |what| Err(Error::Sharded { what, table: scope.name(rule) });
    let mut keyed: Option<Vec<String>> = None;
    let mut mention = 1;
    for (number, token) in tokens.iter().enumerate() {
        if token.is(scope.text, "FOREIGN") {
            let open = (number..tokens.len()).find(|at| tokens[*at].kind == TokenKind::LeftParen);
            keyed = open.map(|open| names(scope, &tokens, open));
        }
        let Some(table) = scope.statement.tables.get(mention) else { break };
        let Range { start, end } = table.span.range(scope.slots);
        if tokens.get(number + 1).is_none_or(|next| next.start as usize != start) {
            continue;
        }
        let home = scope.homes.get(mention).copied().unwrap_or(Home::Unknown);
        mention += 1;
        if token.is(scope.text, "REFERENCES") {
            // Without FOREIGN KEY servers may ignore it.
            let Some(own) = keyed.take() else { return refuse(Refused::ForeignKey) };
            let open = (number..tokens.len()).find(|at| tokens[*at].start as usize >= end);
            let theirs = open.map(|open| names(scope, &tokens, open)).unwrap_or_default();
            let rest = &tokens[number + 1..];
            if !is_kept(scope, rule, home, &Key { own, theirs, rest }) {
                return refuse(Refused::ForeignKey);
            }
        } else {
            // EXCHANGE PARTITION p WITH TABLE t
            let alike = matches!(home, Home::Sharded(other) if is_alike(scope, rule, other));
            if !(token.is(scope.text, "TABLE") && alike) {
                return refuse(Refused::Together);
            }
        }
    }
    if mention < scope.homes.len() { refuse(Refused::Together) } else { Ok(()) }
}

/// The names in the parentheses that open here, without what stands in further ones.
fn names(scope: &Scope<'_>, tokens: &[Token], open: usize) -> Vec<String> {
    let mut depth = 0_u32;
    let mut names = Vec::new();
    for token in &tokens[open..] {
        match token.kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth = depth.saturating_sub(1),
            _ if depth == 1 => names.extend(token.name(scope.text).map(std::borrow::Cow::into_owned)),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// A foreign key.
struct Key<'t> {
    /// Its columns.
    own: Vec<String>,
    /// The columns that they refer to.
    theirs: Vec<String>,
    /// What follows `REFERENCES`.
    rest: &'t [Token],
}

/// Whether each node has the rows that its own rows refer to, and what follows a change of those leaves rows where they
/// belong.
fn is_kept(scope: &Scope<'_>, rule: u16, home: Home, key: &Key<'_>) -> bool {
    let Some(table) = scope.rule(rule) else { return false };
    let is = |at: usize, words: &[&str]| key.rest.get(at).is_some_and(|it| it.is_any(scope.text, words));
    let ends = |at: usize| {
        let depth = |kind| key.rest[..=at].iter().filter(|token| token.kind == kind).count();
        is(at, &["REFERENCES", "FOREIGN"])
            || depth(TokenKind::RightParen) > depth(TokenKind::LeftParen)
            || key.rest[at].kind == TokenKind::Comma
                && depth(TokenKind::RightParen) == depth(TokenKind::LeftParen)
    };
    let clause = (0..key.rest.len()).take_while(|at| !ends(*at));
    let (mut sets, mut cascades) = (false, false);
    for at in clause.filter(|at| is(*at, &["ON"])) {
        sets |= is(at + 2, &["SET"]);
        cascades |= is(at + 1, &["UPDATE"]) && is(at + 2, &["CASCADE"]);
    }
    let has = |column: &str| key.own.iter().any(|own| own.eq_ignore_ascii_case(column));
    let moves = table.columns().any(has);
    match home {
        Home::Broadcast => !(moves && (sets || cascades)),
        Home::Sharded(other) if is_alike(scope, rule, other) => {
            let theirs = scope.rule(other).into_iter().flat_map(|table| &table.strategies);
            let theirs = theirs.flat_map(|strategy| &strategy.columns);
            let own = table.strategies.iter().flat_map(|strategy| &strategy.columns);
            let paired = |(own, theirs): (&String, &String)| {
                key.own.iter().zip(&key.theirs).any(|(child, parent)| {
                    child.eq_ignore_ascii_case(own) && parent.eq_ignore_ascii_case(theirs)
                })
            };
            !sets && own.clone().next().is_some() && own.zip(theirs).all(paired)
        }
        _ => false,
    }
}
