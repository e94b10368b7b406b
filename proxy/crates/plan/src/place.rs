//! Pass *place*: which storage unit stands for a source in this execution.
//!
//! What a statement and its values say is known to the template; what the session and the servers say comes as a
//! [`Placement`]. A source is followed from rule to member until a unit is reached; each kind of rule has a file.

mod readwrite;
mod shadow;

pub(crate) use shadow::Shadow;

use std::sync::Arc;

use meta::{Database, Rotation, Source, SourceIndex, StorageUnit, UnitId, UnitIndex};
use smallvec::SmallVec;

use crate::call::Call;
use crate::error::Error;
use crate::plan::Plan;
use crate::template::Template;

/// What the session knows that decides where a statement goes.
pub struct Placement<'a> {
    /// A transaction is open, or the statement will open one.
    pub in_transaction: bool,
    /// The transaction cannot write (`START TRANSACTION READ ONLY`).
    pub read_only: bool,
    /// The session was told to read where is written, or must.
    pub write_only: bool,
    /// Only asks: nothing is counted, nothing chosen for later.
    pub preview: bool,
    /// Members chosen for the rest of the transaction.
    pub chosen: &'a mut Chosen,
    /// Whether a unit takes statements now.
    pub is_up: &'a dyn Fn(&StorageUnit) -> bool,
    /// A random number for this statement.
    pub random: u64,
    /// Told: a group that is read from where it is written to, because no replica is left.
    pub bereft: Option<SourceIndex>,
}

/// The unit that each readwrite-splitting group was given for the rest of a transaction.
#[derive(Clone, Debug, Default)]
pub struct Chosen(SmallVec<[(Arc<Rotation>, UnitId); 1]>);

/// One statement on its way: what its rules have to go by.
struct Placing<'a, 'p> {
    template: &'a Template,
    database: &'a Database,
    call: &'a Call<'a>,
    placement: &'a mut Placement<'p>,
    /// The member that each rule was given: all nodes of a statement on one source go to one unit.
    members: SmallVec<[(SourceIndex, SourceIndex); 2]>,
    /// Whether it is test traffic, once a shadow rule has asked.
    is_test: Option<bool>,
}

impl Chosen {
    /// The transaction is over.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// A unit turned out not to take statements.
    pub fn forget(&mut self, unit: UnitId) {
        self.0.retain(|(_, chosen)| *chosen != unit);
    }
}

impl Template {
    /// Whether [`Self::place`] has anything to choose.
    #[inline]
    pub fn is_movable(&self) -> bool {
        self.database().is_some_and(|database| database.sources.has_rules())
    }

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
                Placing { template: self, database, call, placement, members: SmallVec::new(), is_test: None }
                    .run(plan)
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
                Source::Shadow(_) => self.shadow(at)?,
                Source::Readwrite(number) => self.readwrite(at, number),
                Source::Unit => at,
            };
            self.members.push((at, member));
            at = member;
        }
        Ok(at)
    }
}
