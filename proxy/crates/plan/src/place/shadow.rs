//! Shadow: test traffic goes to the shadow of a source (`algorithms.md` §4).
//!
//! A comment decides alone, so that the template knows. What values say is decided for each execution: every row of an
//! `INSERT` must be test traffic, or any one `column = value` or `column IN (values)` of a condition, wherever `OR` puts
//! it, in subqueries too. Values are compared by their text; `NULL` is never that of test traffic. An `INSERT … SELECT`,
//! and what is under `NOT`, in another comparison or not understood, is production.
//!
//! Refused: values of an `INSERT` that only the server can compute, and moments, where a rule asks for the column; and
//! what cannot be read, where it could be test traffic.

mod given;

use meta::{
    Database, ShadowAlgorithm, ShadowHint, ShadowOperation, ShadowValue, Source, SourceIndex, Sources,
    UnitIndex,
};
use smallvec::SmallVec;
use sql::{Body, Scalar, SlotKind, Statement};

use super::Placing;
use crate::call::{Bound, Value};
use crate::clear::Clear;
use crate::error::Error;
use crate::scope::{Home, Scope};
use crate::template::Template;

/// What a template knows of test traffic. A statement is test traffic as a whole: of every shadow rule that it goes to,
/// whichever of them lists its tables, so that none of it reaches production.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    /// A comment says so, for any values.
    hinted: bool,
    tests: Box<[Test]>,
}

/// What a column's values are asked for.
#[derive(Clone, Debug)]
struct Test {
    /// Logical table and column, for errors.
    table: Box<str>,
    column: Box<str>,
    wanted: ShadowValue,
    given: Given,
}

/// The values of a column.
#[derive(Clone, Debug)]
enum Given {
    /// Predicates, each with the values that it names.
    Any(Box<[Box<[Scalar]>]>),
    /// The n-th column of every row.
    Rows(usize, Box<[Scalar]>),
}

impl Shadow {
    /// Of a statement that is asked for nothing but its comments; nothing when it is production for certain.
    pub(crate) fn hinted(database: &Database, statement: &Statement) -> Option<Box<Self>> {
        Self::by_comment(database.shadow.hints().iter().any(|hint| asks(hint, statement)))
    }

    fn by_comment(hinted: bool) -> Option<Box<Self>> {
        hinted.then(|| Box::new(Self { hinted, tests: Box::default() }))
    }

    /// Of any statement. The structure of a table may be wanted first.
    pub(crate) fn of(scope: &Scope<'_>) -> Result<Option<Box<Self>>, Error> {
        let (rule, statement) = (&scope.database.shadow, scope.statement);
        if rule.is_empty() {
            return Ok(None);
        }
        let Some(operation) = operation(&statement.body) else {
            return Ok(Self::hinted(scope.database, statement));
        };
        let homes = scope.homes.iter().zip(&statement.tables).enumerate();
        let own = homes.filter(|(_, (home, _))| **home != Home::Foreign);
        let ruled: SmallVec<[_; 4]> = own
            .filter_map(|(mention, (_, table))| Some((mention, table, rule.table(&table.name)?)))
            .collect();
        let mut hints =
            ruled.iter().flat_map(|(_, _, ruled)| &ruled.algorithms).filter_map(ShadowAlgorithm::hint);
        let hinted = match rule.default_hint().filter(|_| ruled.is_empty()) {
            Some(default) => asks(default, statement),
            None => hints.any(|hint| asks(hint, statement)),
        };
        if hinted {
            return Ok(Self::by_comment(hinted));
        }
        let mut tests = Vec::new();
        for (mention, table, ruled) in &ruled {
            for algorithm in &ruled.algorithms {
                let ShadowAlgorithm::Column(asked) = algorithm else { continue };
                if asked.operation != operation {
                    continue;
                }
                if let Some(error) = &statement.unparsed {
                    return Err(error.clone().into());
                }
                if let Some(given) = given::given(scope, *mention, asked)? {
                    tests.push(Test {
                        table: table.name.as_str().into(),
                        column: asked.column.as_str().into(),
                        wanted: asked.wanted.clone(),
                        given,
                    });
                }
            }
        }
        Ok((!tests.is_empty()).then(|| Box::new(Self { hinted: false, tests: tests.into() })))
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        let values = self.tests.iter().map(|test| match &test.given {
            Given::Any(predicates) => predicates.iter().map(|values| values.len()).sum(),
            Given::Rows(_, values) => values.len(),
        });
        values.map(|values: usize| 128 + values * size_of::<Scalar>()).sum()
    }

    /// Whether a statement is test traffic with these values.
    fn decide(&self, template: &Template, bound: Bound<'_>) -> Result<bool, Error> {
        if self.hinted {
            return Ok(true);
        }
        for test in &self.tests {
            if test.holds(template, bound)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Test {
    fn holds(&self, template: &Template, bound: Bound<'_>) -> Result<bool, Error> {
        match &self.given {
            Given::Any(predicates) => {
                for values in predicates {
                    if self.all(values, template, bound, |_| Ok(false))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Given::Rows(index, values) => {
                self.all(values, template, bound, |_| Err(Error::ShadowInsert { index: *index }))
            }
        }
    }

    /// Whether all values are those of test traffic; all are looked at, since one may be refused.
    fn all(
        &self,
        values: &[Scalar],
        template: &Template,
        bound: Bound<'_>,
        computed: impl Fn(&Scalar) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let mut all = !values.is_empty();
        for value in values {
            all &= match value {
                Scalar::Arithmetic(..)
                | Scalar::Cast { .. }
                | Scalar::Default
                | Scalar::Opaque
                | Scalar::Values(_) => computed(value)?,
                Scalar::Negative(inner) if !matches!(**inner, Scalar::Slot(_)) => computed(value)?,
                Scalar::Negative(_) | Scalar::Null | Scalar::Slot(_) | Scalar::Truth(_) => {
                    if let Some(kind) = moment(value, bound) {
                        let (table, column) = (self.table.to_string(), self.column.to_string());
                        return Err(Error::ShadowType { table, column, kind });
                    }
                    match bound.clear(value, template.mode) {
                        Clear::Text(text) => self.wanted.accepts(&text),
                        Clear::Null | Clear::Unknown => false,
                    }
                }
            };
        }
        Ok(all)
    }
}

/// The type of a parameter that is a date or time.
fn moment(value: &Scalar, bound: Bound<'_>) -> Option<&'static str> {
    let (Scalar::Slot(slot), Some(params)) = (value, bound.call.params) else { return None };
    let slot = *slot as usize;
    bound.call.slots.get(slot).filter(|slot| slot.kind == SlotKind::Param)?;
    match params.value(*bound.ordinals.get(slot)? as usize) {
        Value::Moment(wire::value::Value::Date(_)) => Some("DATE"),
        Value::Moment(wire::value::Value::Time(_)) => Some("TIME"),
        Value::Moment(_) => Some("DATETIME"),
        _ => None,
    }
}

impl Template {
    /// The unit of a source before values are known: where is written, in production unless a comment says otherwise.
    pub(crate) fn resting(&self, sources: &Sources, source: SourceIndex) -> UnitIndex {
        let Some(shadow) = &self.shadow else { return sources.primary(source) };
        let mut at = source;
        loop {
            let is_test = shadow.hinted && matches!(sources.source(at), Some(Source::Shadow(_)));
            match sources.members(at).get(usize::from(is_test)) {
                Some(member) => at = *member,
                None => return at,
            }
        }
    }
}

impl Placing<'_, '_> {
    /// The member of a shadow rule that the statement goes to: production, then shadow.
    pub(super) fn shadow(&mut self, rule: SourceIndex) -> Result<SourceIndex, Error> {
        let is_test = match (&self.template.shadow, self.is_test) {
            (_, Some(known)) => known,
            (Some(shadow), None) => shadow.decide(self.template, self.template.bound(self.call))?,
            (None, None) => false,
        };
        self.is_test = Some(is_test);
        let members = self.database.sources.members(rule);
        Ok(members.get(usize::from(is_test)).copied().unwrap_or(rule))
    }
}

/// The operation that column algorithms ask for; nothing for statements that only comments tell.
fn operation(body: &Body) -> Option<ShadowOperation> {
    match body {
        Body::Delete(_) => Some(ShadowOperation::Delete),
        Body::Insert(_) => Some(ShadowOperation::Insert),
        Body::Select(_) => Some(ShadowOperation::Select),
        Body::Update(_) => Some(ShadowOperation::Update),
        _ => None,
    }
}

/// Whether a comment is what an algorithm asks for.
fn asks(hint: &ShadowHint, statement: &Statement) -> bool {
    statement.hints.shadow() || statement.hints.matches_all(&hint.pairs)
}
