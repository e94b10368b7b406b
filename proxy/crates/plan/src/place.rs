//! Pass *place*: which storage unit stands for a source in this execution.
//!
//! What a statement and its values say is known to the template; what the session and the servers say comes as a
//! [`Placement`]. A source is followed from rule to member until a unit is reached; each kind of rule has a file.

mod readwrite;
mod shadow;

use meta::{Database, Source, SourceIndex, StorageUnit, UnitIndex};
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

/// One statement on its way: what its rules have to go by.
struct Placing<'a, 'p> {
    template: &'a Template,
    database: &'a Database,
    #[expect(dead_code, reason = "shadow rules read the values of a statement")]
    call: &'a Call<'a>,
    placement: &'a mut Placement<'p>,
    /// The member that each rule was given: all nodes of a statement on one source go to one unit.
    members: SmallVec<[(SourceIndex, SourceIndex); 2]>,
}

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
            Some(database) if database.sources.has_rules() => {
                Placing { template: self, database, call, placement, members: SmallVec::new() }.run(plan)
            }
            _ => Ok(()),
        }
    }
}

impl Placing<'_, '_> {
    fn run(mut self, plan: &mut Plan) -> Result<(), Error> {
        for route in &mut plan.units {
            route.unit = self.unit(route.source)?;
        }
        Ok(())
    }

    /// Follows a source to its unit; rules do not lead to themselves.
    fn unit(&mut self, source: SourceIndex) -> Result<UnitIndex, Error> {
        let mut at = source;
        while let Some(rule @ (Source::Readwrite(_) | Source::Shadow(_))) = self.database.sources.source(at) {
            if let Some((_, member)) = self.members.iter().find(|(known, _)| *known == at) {
                at = *member;
                continue;
            }
            let member = match rule {
                Source::Shadow(number) => self.shadow(at, number)?,
                Source::Readwrite(_) => self.readwrite(at),
                Source::Unit => at,
            };
            self.members.push((at, member));
            at = member;
        }
        Ok(at)
    }
}
