//! A statement under construction, and what two answers to it must have in common.

use weir_tests::{Argument, Rules};

use super::chance::Chance;
use super::schema::Kind;

/// Every value goes through [`Draft::value`], so that it can be a parameter.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) arguments: Vec<Argument>,
    /// Nothing is a parameter: the text is used twice in one statement.
    pub(super) literal: bool,
    /// There are several tables in one `FROM`.
    pub(super) joins: bool,
    /// Conditions have no subqueries.
    pub(super) flat: bool,
    /// How the answers are compared.
    pub(super) rules: Rules,
}

impl Draft {
    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// What comes next and was made apart, since something before it needed to know of it.
    pub(super) fn append(&mut self, tail: Self) {
        self.say(&tail.text);
        self.take(tail);
    }

    /// All but the text of such a part.
    pub(super) fn take(&mut self, mut tail: Self) {
        self.arguments.append(&mut tail.arguments);
        self.joins = tail.joins;
        self.rules.repeated |= tail.rules.repeated;
        self.rules.planned |= tail.rules.planned;
        self.rules.derived |= tail.rules.derived;
    }

    /// The next of several parts between commas.
    pub(super) fn comma(&mut self, at: usize) {
        if at > 0 {
            self.text.push_str(", ");
        }
    }

    /// A value: sometimes a parameter, sometimes a literal.
    pub(super) fn value(&mut self, chance: &mut Chance, value: Argument) {
        if chance.one_in(2) && !self.literal {
            self.text.push('?');
            self.arguments.push(value);
        } else {
            self.text.push_str(&value.literal());
        }
    }

    /// A value of a kind that is there.
    pub(super) fn given(&mut self, chance: &mut Chance, kind: Kind) {
        let value = kind.given(chance);
        self.value(chance, value);
    }

    pub(super) fn reads(&self) -> bool {
        ["SELECT", "WITH", "(SELECT", "TABLE", "VALUES"].iter().any(|word| self.text.starts_with(word))
    }
}
