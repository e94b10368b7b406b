//! Where the table lies that the rows of a query are stored in.

use sql::{BlockIndex, OutputKind};

use super::{Keys, Spreader};
use crate::condition::{Condition, Keyed};
use crate::error::Refused;
use crate::key::Domain;
use crate::route::Mentioned;
use crate::write;

impl Spreader<'_> {
    /// Rows of one node stay there when they keep the keys of a table that lies like the one that they are stored in, and
    /// all go to one node when their keys are constants.
    pub(super) fn stored(&mut self, index: BlockIndex, keys: &[Keys<usize>]) {
        let Some((mention, rule, places)) = write::stored_keys(self.scope) else { return };
        let domains = self.domains(rule);
        let lies_alike = |keys: &&Keys<usize>| {
            self.alike(keys.rule, rule)
                && self.is_by_columns(rule)
                && keys.sure
                && keys.domains == domains
                && keys.columns.len() == places.len()
                && keys.columns.iter().zip(&places).all(|(columns, place)| columns.contains(place))
        };
        let found = keys.iter().find(lies_alike).map(|keys| keys.class);
        let constants = if found.is_some() { None } else { self.constants(index, &places) };
        let class = match (found, &constants) {
            (Some(class), _) => class,
            (None, Some(_)) => {
                self.refuse(Refused::InsertSelect);
                self.class()
            }
            (None, None) => return,
        };
        let mut conditions = constants.unwrap_or_default().into_iter();
        let mut domains = domains.into_iter();
        let mut keyed = |_: &String| Keyed {
            condition: conditions.next().unwrap_or(Condition::Any),
            domain: domains.next().unwrap_or(Domain::Other),
        };
        let strategies = self.scope.rule(rule).into_iter().flat_map(|table| &table.strategies);
        let strategies =
            strategies.map(|strategy| strategy.columns.iter().map(&mut keyed).collect()).collect();
        self.seen.push(mention);
        self.relations.push(Mentioned { rule, strategies, class, block: index, core: true, derived: false });
    }

    /// The constants that a query gives in these places, if all are some.
    fn constants(&self, index: BlockIndex, places: &[usize]) -> Option<Vec<Condition>> {
        let block = self.block(index)?;
        if !block.operations.is_empty() || !block.branches.is_empty() {
            return None;
        }
        let is_list = |kind: &OutputKind| matches!(kind, OutputKind::All | OutputKind::AllOf { .. });
        let listed = block.outputs.iter().position(|output| is_list(&output.kind));
        let single = &block.outputs[..listed.unwrap_or(block.outputs.len())];
        let constant = |place: &usize| match &single.get(*place)?.kind {
            OutputKind::Value(value) => Some(Condition::Stored(value.clone())),
            _ => None,
        };
        places.iter().map(constant).collect()
    }
}
