//! Pass *place*: which storage unit stands for a source in this execution.
//!
//! What a statement and its values say is known to the template; what the session and the servers say comes as a
//! [`Placement`]. A source is followed from rule to member until a unit is reached.

use meta::{SourceIndex, StorageUnit, UnitIndex};
use smallvec::SmallVec;

use crate::call::Call;
use crate::error::Error;
use crate::plan::Plan;
use crate::template::Template;

/// What the session knows that decides where a statement goes.
pub struct Placement<'a> {
    /// A transaction is open, or the statement will open one.
    pub in_transaction: bool,
    /// The session was told to read where is written.
    pub write_only: bool,
    /// Members chosen for the rest of the transaction.
    pub chosen: &'a mut Chosen,
    /// Whether a unit takes statements now.
    pub is_up: &'a dyn Fn(&StorageUnit) -> bool,
    /// A random number for this statement.
    pub random: u64,
}

/// The unit that each source was given for the rest of a transaction.
pub type Chosen = SmallVec<[(SourceIndex, UnitIndex); 1]>;

impl Template {
    /// Chooses the units of a plan.
    #[inline]
    pub fn place(
        &self,
        plan: &mut Plan,
        call: &Call<'_>,
        placement: &mut Placement<'_>,
    ) -> Result<(), Error> {
        match self.database() {
            Some(database) if database.sources.has_rules() => self.choose(plan, call, placement),
            _ => Ok(()),
        }
    }

    fn choose(&self, plan: &mut Plan, _: &Call<'_>, _: &mut Placement<'_>) -> Result<(), Error> {
        let Some(database) = self.database() else { return Ok(()) };
        for unit in &mut plan.units {
            unit.unit = database.sources.primary(unit.source);
        }
        Ok(())
    }
}
