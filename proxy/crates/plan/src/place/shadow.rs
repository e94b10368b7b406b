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

/// What a template knows of test traffic.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    /// Rules that a comment sends to their shadows.
    hinted: Rules,
    tests: Box<[Test]>,
}

/// Some of the shadow rules of a database, by their numbers.
#[derive(Clone, Debug)]
enum Rules {
    All,
    Some(SmallVec<[u16; 4]>),
}

/// What a column's values are asked for, for some rules.
#[derive(Clone, Debug)]
struct Test {
    rules: SmallVec<[u16; 4]>,
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
        let any = database.shadow.hints().iter().any(|hint| asks(hint, statement));
        any.then(|| Box::new(Self { hinted: Rules::All, tests: Box::default() }))
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
        if ruled.is_empty() {
            let any = rule.default_hint().is_some_and(|hint| asks(hint, statement));
            return Ok(any.then(|| Box::new(Self { hinted: Rules::All, tests: Box::default() })));
        }
        let mut hinted = SmallVec::new();
        let mut tests = Vec::new();
        for (_, _, ruled) in &ruled {
            if ruled.algorithms.iter().filter_map(ShadowAlgorithm::hint).any(|hint| asks(hint, statement)) {
                hinted.extend_from_slice(&ruled.rules);
            }
        }
        for (mention, table, ruled) in &ruled {
            let rules: SmallVec<[u16; 4]> =
                ruled.rules.iter().copied().filter(|rule| !hinted.contains(rule)).collect();
            for algorithm in &ruled.algorithms {
                let ShadowAlgorithm::Column(asked) = algorithm else { continue };
                if asked.operation != operation || rules.is_empty() {
                    continue;
                }
                if let Some(error) = &statement.unparsed {
                    return Err(error.clone().into());
                }
                if let Some(given) = given::given(scope, *mention, asked)? {
                    tests.push(Test {
                        rules: rules.clone(),
                        table: table.name.as_str().into(),
                        column: asked.column.as_str().into(),
                        wanted: asked.wanted.clone(),
                        given,
                    });
                }
            }
        }
        if hinted.is_empty() && tests.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(Self { hinted: Rules::Some(hinted), tests: tests.into() })))
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        let values = self.tests.iter().map(|test| match &test.given {
            Given::Any(predicates) => predicates.iter().map(|values| values.len()).sum(),
            Given::Rows(_, values) => values.len(),
        });
        values.map(|values: usize| 128 + values * size_of::<Scalar>()).sum()
    }

    /// Whether a comment says so, for any values.
    pub(crate) fn is_hinted(&self, rule: u16) -> bool {
        match &self.hinted {
            Rules::All => true,
            Rules::Some(rules) => rules.contains(&rule),
        }
    }

    /// Whether a statement is test traffic of a rule.
    fn decide(&self, rule: u16, template: &Template, bound: Bound<'_>) -> Result<bool, Error> {
        if self.is_hinted(rule) {
            return Ok(true);
        }
        for test in self.tests.iter().filter(|test| test.rules.contains(&rule)) {
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
                Scalar::Arithmetic(..) | Scalar::Default | Scalar::Opaque | Scalar::Values(_) => {
                    computed(value)?
                }
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
            let is_test = matches!(sources.source(at), Some(Source::Shadow(rule)) if shadow.is_hinted(rule));
            match sources.members(at).get(usize::from(is_test)) {
                Some(member) => at = *member,
                None => return at,
            }
        }
    }
}

impl Placing<'_, '_> {
    /// The member of a shadow rule that the statement goes to: production, then shadow.
    pub(super) fn shadow(&self, rule: SourceIndex, number: u16) -> Result<SourceIndex, Error> {
        let is_test = match &self.template.shadow {
            Some(shadow) => shadow.decide(number, self.template, self.template.bound(self.call))?,
            None => false,
        };
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
