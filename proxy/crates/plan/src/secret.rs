//! Which values of a statement are those of encrypted columns: logs must not show them.

use sql::{Scalar, SlotIndex, SlotKind};

use crate::scope::Scope;
use crate::template::{Many, Template};
use crate::text::Text;

/// Slots whose values are not for logs, in their order.
pub(crate) fn secrets(scope: &Scope<'_>, one: Option<&Text>, many: Option<&Many>) -> Box<[SlotIndex]> {
    let tables = scope.statement.tables.iter().filter_map(|table| scope.database.encrypt.table(&table.name));
    if tables.flat_map(|table| &table.columns).any(|column| column.plain.is_some()) {
        // A column that is also kept in the clear is compared as it is: which values are its is not told.
        return (0..).take(scope.slots.len()).collect();
    }
    let texts = one.into_iter().chain(many.map(|many| &many.text));
    let mut found = Vec::new();
    texts.flat_map(Text::ciphered).for_each(|it| collect(&it.value, &mut found));
    found.sort_unstable();
    found.dedup();
    found.into()
}

fn collect(scalar: &Scalar, found: &mut Vec<SlotIndex>) {
    match scalar {
        Scalar::Slot(slot) => found.push(*slot),
        Scalar::Cast { inner, .. } | Scalar::Negative(inner) => collect(inner, found),
        Scalar::Arithmetic(_, left, right) => {
            collect(left, found);
            collect(right, found);
        }
        Scalar::Default | Scalar::Null | Scalar::Opaque | Scalar::Truth(_) | Scalar::Values(_) => {}
    }
}

impl Template {
    /// Slots whose values belong to encrypted columns, in their order.
    pub fn secrets(&self) -> &[SlotIndex] {
        &self.secrets
    }

    /// Whether the parameter of this number, counted from 0, belongs to an encrypted column.
    pub fn hides(&self, param: usize) -> bool {
        self.secrets.iter().any(|slot| {
            let slot = *slot as usize;
            self.slots.get(slot).is_some_and(|slot| slot.kind == SlotKind::Param)
                && self.ordinals.get(slot).is_some_and(|before| *before as usize == param)
        })
    }
}
