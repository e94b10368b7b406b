//! Aggregates as aggregates of the nodes' parts.

use sql::{AggregateCall, Clause, ColumnUse, Function, ItemKind, Span, Use};

use super::{Builder, DERIVED, holds};
use crate::text::{Edits, Op};

/// How an aggregate is put together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum How {
    /// `SUM` over `COUNT`, as many digits as the item shows.
    Average,
    /// The same with the digits that MySQL keeps within an expression.
    AverageWithin,
    /// The sum of counts.
    Count,
    /// By the same function.
    Same,
    /// As it is, over the columns within it: with `DISTINCT`.
    Whole,
}

impl Builder<'_> {
    /// Whether rows become groups, or one.
    pub(super) fn is_aggregated(&self) -> bool {
        !self.select.group_by.is_empty() || self.calls().next().is_some()
    }

    /// Whether every aggregate can be put together from parts of the nodes.
    pub(super) fn decomposes(&self) -> bool {
        let late = |mention: &&ColumnUse| self.names.is_late(mention) && !self.is_in_parts(mention.span);
        let document = |mention: &ColumnUse| {
            self.names.column(mention).is_some_and(|column| self.names.is_document(&column))
        };
        self.calls().all(|call| self.how(call).is_some())
            && !self.scope.statement.uses.iter().filter(late).any(document)
    }

    /// Whether a mention stands in an aggregate of which nodes give parts.
    pub(super) fn is_in_parts(&self, span: Span) -> bool {
        self.calls().any(|call| holds(call.span, span) && self.how(call) != Some(How::Whole))
    }

    /// Replaces aggregates.
    pub(super) fn aggregates(&mut self, finish: &mut Edits) {
        let scope = self.scope;
        let own = self.names.own();
        for call in scope.statement.aggregates.iter().filter(|call| call.block == own) {
            let text = match self.how(call) {
                None | Some(How::Whole) => continue,
                // Never NULL where there is a group, and like a count in all that the server tells of it.
                Some(How::Count) if self.is_shown_count(call) => {
                    format!("SUM({})", self.part(call, &call.name))
                }
                Some(How::Count) => {
                    format!("IFNULL(CAST(SUM({}) AS SIGNED), 0)", self.part(call, &call.name))
                }
                Some(How::Same) => format!("{}({})", call.name, self.part(call, &call.name)),
                Some(How::Average) => {
                    let (sum, count) = (self.part(call, "SUM"), self.part(call, "COUNT"));
                    format!("(SUM({sum}) / SUM({count}))")
                }
                Some(How::AverageWithin) => {
                    let (sum, count) = (self.part(call, "SUM"), self.part(call, "COUNT"));
                    format!(
                        "TRUNCATE(CAST(SUM({sum}) AS DECIMAL(65,30)) / SUM({count}), \
                         9 * CEIL(@@div_precision_increment / 9))"
                    )
                }
            };
            finish.replace(call.span, vec![Op::Literal(text.into())]);
        }
    }

    /// Whether a count is a select item over groups.
    fn is_shown_count(&self, call: &AggregateCall) -> bool {
        let shown = |item: &sql::Item| item.span == call.span;
        // ROLLUP has a row even where there are no groups.
        let grouped = !self.select.group_by.is_empty() && !self.select.rollup;
        grouped && self.select.items.iter().any(shown)
    }

    fn calls(&self) -> impl Iterator<Item = &AggregateCall> {
        let own = self.names.own();
        self.scope.statement.aggregates.iter().filter(move |call| call.block == own)
    }

    /// A part that nodes give, as the derived table calls it.
    fn part(&mut self, call: &AggregateCall, function: &str) -> String {
        let mut ops = vec![Op::Literal(format!("{function}(").into())];
        match call.aggregate.argument {
            Some(argument) => ops.extend(self.edits.copy(argument)),
            None => ops.push(Op::Literal("*".into())),
        }
        ops.push(Op::Literal(")".into()));
        // Where no value stands in it, the same text is the same part.
        let fixed = call.aggregate.argument.filter(|span| span.start.after == span.end.after);
        let text = fixed.map(|span| span.text(self.scope.text, self.scope.slots));
        if let Some(text) = text {
            let name = format!("{function}({text})");
            if let Some((_, number)) = self.called.iter().find(|(known, _)| *known == name) {
                return format!("{DERIVED}.`p{number}`");
            }
            self.called.push((name, self.parts.len()));
        }
        let known = self.parts.iter().position(|part| *part == ops);
        let number = known.unwrap_or_else(|| {
            self.parts.push(ops);
            self.parts.len() - 1
        });
        format!("{DERIVED}.`p{number}`")
    }

    /// How an aggregate is put together, if it can be.
    fn how(&self, call: &AggregateCall) -> Option<How> {
        let aggregate = &call.aggregate;
        match aggregate.function {
            Function::Max | Function::Min => Some(How::Same),
            Function::Avg | Function::Count | Function::Sum if aggregate.distinct => Some(How::Whole),
            Function::Count => Some(How::Count),
            Function::Sum => Some(How::Same),
            Function::Avg => self.average(call),
            Function::Other => {
                let same = ["ANY_VALUE", "BIT_AND", "BIT_OR", "BIT_XOR"].contains(&call.name.as_str());
                (same && !aggregate.distinct).then_some(How::Same)
            }
        }
    }

    /// Within an expression MySQL computes with more digits of an average than it shows. These are told for integers,
    /// and where it does not matter how many digits the average seems to have.
    fn average(&self, call: &AggregateCall) -> Option<How> {
        let argument =
            self.scope.statement.uses.iter().find(|mention| {
                holds(call.span, mention.span) && matches!(mention.place, Use::Aggregate { .. })
            });
        let column = argument.and_then(|mention| self.names.column(mention));
        if column.as_ref().is_some_and(|column| self.names.is_float(column)) {
            return Some(How::Average);
        }
        let shown = self.select.items.iter().any(|item| {
            item.span == call.span
                && matches!(item.kind, ItemKind::Aggregate(_))
                && !self.names.having_names(item)
        });
        let sorted = self.select.order_by.iter().any(|sort| sort.span == call.span);
        if shown || sorted {
            return Some(How::Average);
        }
        let whole = column.is_some_and(|column| self.names.is_whole(&column));
        (whole && self.is_apart(call)).then_some(How::AverageWithin)
    }

    /// Whether an average is rounded, or compared in `HAVING`.
    fn is_apart(&self, call: &AggregateCall) -> bool {
        let (text, slots) = (self.scope.text, self.scope.slots);
        let range = call.span.range(slots);
        let before = text.get(..range.start).unwrap_or_default().trim_end();
        let after = text.get(range.end..).unwrap_or_default().trim_start();
        let ends = |word: &str| {
            before.len() >= word.len()
                && before.get(before.len() - word.len()..).is_some_and(|end| end.eq_ignore_ascii_case(word))
        };
        let rounded = ["ROUND(", "TRUNCATE(", "FORMAT("].iter().any(|call| ends(call));
        if rounded {
            return after.starts_with([',', ')']);
        }
        let begins = |word: &str| after.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        let opened =
            ["HAVING", " AND", " OR"].iter().any(|word| ends(word)) || ends(">") || ends("<") || ends("=");
        let closed = after.is_empty()
            || after.starts_with(['>', '<', '=', '!', ')'])
            || ["AND ", "OR ", "BETWEEN ", "IS ", "ORDER ", "LIMIT "].iter().any(|word| begins(word));
        let having =
            |mention: &&ColumnUse| holds(call.span, mention.span) && mention.clause == Clause::Having;
        opened && closed && self.scope.statement.uses.iter().find(having).is_some()
    }
}
