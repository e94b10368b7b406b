//! Sources: what a data node or a table without a rule can be on. A storage unit is one; so is every rule that chooses
//! among others, under its own name.

use indexmap::IndexMap;

use crate::error::{Error, Names, RuleKind};
use crate::rule::{ReadwriteSpec, ShadowPair};

/// Number of a source in [`Sources`]. The number of a storage unit there is that in [`crate::Database::units`].
pub type SourceIndex = u16;

/// Number of a storage unit in [`crate::Database::units`].
pub type UnitIndex = u16;

/// What a source is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    /// A readwrite-splitting group, by its number among them. Its members: the one written to, then the replicas.
    Readwrite(u16),
    /// A shadow rule, by its number among them. Its members: production, then shadow.
    Shadow(u16),
    /// A storage unit.
    Unit,
}

/// All sources of a database: storage units in their order, then readwrite-splitting groups, then shadow rules.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    all: IndexMap<String, Node>,
}

#[derive(Clone, Debug)]
struct Node {
    source: Source,
    members: Vec<SourceIndex>,
    /// Behind a rule, so that no table is placed on it by its own name.
    hidden: bool,
    /// The unit that is written to in production.
    primary: UnitIndex,
}

impl Sources {
    /// Puts units and rules together. Refuses names that are taken or missing, and rules that lead to themselves.
    pub(crate) fn build<'a>(
        database: &str,
        units: impl Iterator<Item = &'a String>,
        readwrite: &[ReadwriteSpec],
        shadow: &[ShadowPair],
    ) -> Result<Self, Error> {
        let mut named: Vec<(RuleKind, &str, Source, Vec<&str>)> = Vec::new();
        let number = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        for (index, group) in readwrite.iter().enumerate() {
            let members = std::iter::once(&group.write).chain(&group.reads).map(String::as_str).collect();
            named.push((RuleKind::Readwrite, &group.name, Source::Readwrite(number(index)), members));
        }
        for (index, pair) in shadow.iter().enumerate() {
            let members = vec![pair.source.as_str(), pair.shadow.as_str()];
            named.push((RuleKind::Shadow, &pair.name, Source::Shadow(number(index)), members));
        }
        let mut all = IndexMap::new();
        for unit in units {
            let node =
                Node { source: Source::Unit, members: Vec::new(), hidden: false, primary: number(all.len()) };
            all.insert(unit.clone(), node);
        }
        let units = all.len();
        for (kind, name, source, _) in &named {
            let node = Node { source: *source, members: Vec::new(), hidden: false, primary: 0 };
            if let Some(before) = all.insert((*name).to_owned(), node) {
                let what = if before.source == Source::Unit { "storage unit" } else { "another rule" };
                return Err(invalid(*kind, name, format!("[{name}] already exists in {what}")));
            }
        }
        let mut missing = Vec::new();
        for (index, (_, _, _, members)) in named.iter().enumerate() {
            for member in members {
                match all.get_index_of(*member) {
                    Some(found) => {
                        all[units + index].members.push(number(found));
                        all[found].hidden = true;
                    }
                    None if !missing.contains(&(*member).to_owned()) => missing.push((*member).to_owned()),
                    None => {}
                }
            }
        }
        if !missing.is_empty() {
            return Err(Error::MissingUnits { names: Names(missing), database: database.to_owned() });
        }
        let mut sources = Self { all };
        let mut passed = vec![false; sources.all.len()];
        for (index, (kind, name, _, _)) in named.iter().enumerate() {
            let at = number(units + index);
            sources.check_cycle(*kind, name, at, &mut vec![at], &mut passed)?;
        }
        for at in units..sources.all.len() {
            let primary = sources.first_unit(number(at));
            sources.all[at].primary = primary;
        }
        Ok(sources)
    }

    /// Follows every rule once, whatever leads to it.
    fn check_cycle(
        &self,
        kind: RuleKind,
        name: &str,
        at: SourceIndex,
        path: &mut Vec<SourceIndex>,
        passed: &mut [bool],
    ) -> Result<(), Error> {
        let Some(passed_here) = passed.get_mut(usize::from(at)) else { return Ok(()) };
        if std::mem::replace(passed_here, true) {
            return Ok(());
        }
        for member in self.members(at) {
            let again = path.contains(member);
            path.push(*member);
            if again {
                let names: Vec<_> = path.iter().filter_map(|index| self.name(*index)).collect();
                return Err(invalid(kind, name, format!("it leads to itself: {}", names.join(" -> "))));
            }
            self.check_cycle(kind, name, *member, path, passed)?;
            path.pop();
        }
        Ok(())
    }

    /// Follows the first members; there is no cycle.
    fn first_unit(&self, at: SourceIndex) -> UnitIndex {
        match self.members(at).first() {
            Some(first) => self.first_unit(*first),
            None => at,
        }
    }

    /// Whether any source is a rule.
    pub fn has_rules(&self) -> bool {
        self.all.last().is_some_and(|(_, node)| node.source != Source::Unit)
    }

    /// The source of that name, whose letter case counts.
    pub fn index(&self, name: &str) -> Option<SourceIndex> {
        self.all.get_index_of(name).and_then(|index| u16::try_from(index).ok())
    }

    /// What a source is.
    pub fn source(&self, at: SourceIndex) -> Option<Source> {
        self.node(at).map(|node| node.source)
    }

    /// A source's name.
    pub fn name(&self, at: SourceIndex) -> Option<&str> {
        self.all.get_index(usize::from(at)).map(|(name, _)| name.as_str())
    }

    /// What a rule chooses among; nothing for a unit.
    pub fn members(&self, at: SourceIndex) -> &[SourceIndex] {
        self.node(at).map_or(&[], |node| &node.members)
    }

    /// The unit that a source is when nothing speaks for another: written to, and in production.
    pub fn primary(&self, at: SourceIndex) -> UnitIndex {
        self.node(at).map_or(0, |node| node.primary)
    }

    /// Those that are behind no rule: tables are on them.
    pub fn visible(&self) -> impl Iterator<Item = SourceIndex> + '_ {
        (0..).zip(self.all.values()).filter(|(_, node)| !node.hidden).map(|(at, _)| at)
    }

    /// The only visible source, when there is but one.
    pub fn only(&self) -> Option<SourceIndex> {
        let mut visible = self.visible();
        visible.next().filter(|_| visible.next().is_none())
    }

    /// The units whose tables are a source's: replicas hold no other than what they replicate.
    pub fn holders(&self, at: SourceIndex) -> Vec<UnitIndex> {
        match self.source(at) {
            Some(Source::Readwrite(_)) => {
                self.members(at).first().map(|write| self.holders(*write)).unwrap_or_default()
            }
            Some(Source::Shadow(_)) => self.members(at).iter().flat_map(|it| self.holders(*it)).collect(),
            Some(Source::Unit) => vec![at],
            None => Vec::new(),
        }
    }

    /// The visible source that holds now what another held `before` rules came or went.
    pub(crate) fn heir(&self, before: &Self, name: &str) -> Option<&str> {
        let unit = match self.index(name) {
            Some(at) => self.primary(at),
            None => self.index(before.name(before.primary(before.index(name)?))?)?,
        };
        let holds = |source: &SourceIndex| self.holders(*source).contains(&unit);
        self.visible().find(holds).and_then(|source| self.name(source))
    }

    /// Names of the rules that have a source as a member, with their kinds.
    pub fn users<'a>(&'a self, name: &str) -> impl Iterator<Item = (RuleKind, &'a str)> + use<'a> {
        let member = self.index(name);
        self.all.iter().filter_map(move |(name, node)| {
            let kind = match node.source {
                Source::Readwrite(_) => RuleKind::Readwrite,
                Source::Shadow(_) => RuleKind::Shadow,
                Source::Unit => return None,
            };
            member.is_some_and(|member| node.members.contains(&member)).then_some((kind, name.as_str()))
        })
    }

    fn node(&self, at: SourceIndex) -> Option<&Node> {
        self.all.get_index(usize::from(at)).map(|(_, node)| node)
    }
}

fn invalid(kind: RuleKind, name: &str, reason: String) -> Error {
    Error::InvalidRule { kind, name: name.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units() -> Vec<String> {
        ["w", "r", "s"].map(str::to_owned).to_vec()
    }

    fn group(name: &str, write: &str, reads: &[&str]) -> ReadwriteSpec {
        ReadwriteSpec {
            name: name.to_owned(),
            write: write.to_owned(),
            reads: reads.iter().map(|read| (*read).to_owned()).collect(),
            ..ReadwriteSpec::default()
        }
    }

    fn pair(name: &str, source: &str, shadow: &str) -> ShadowPair {
        ShadowPair { name: name.to_owned(), source: source.to_owned(), shadow: shadow.to_owned() }
    }

    fn refusal(readwrite: &[ReadwriteSpec], shadow: &[ShadowPair]) -> String {
        Sources::build("db", units().iter(), readwrite, shadow).unwrap_err().to_string()
    }

    #[test]
    fn hides_members_and_finds_the_primary_through_nested_rules() {
        let sources =
            Sources::build("db", units().iter(), &[group("rw", "w", &["r"])], &[pair("sh", "rw", "s")])
                .unwrap();
        let visible: Vec<_> = sources.visible().filter_map(|at| sources.name(at)).collect();
        assert_eq!(visible, ["sh"]);
        let shadow = sources.index("sh").unwrap();
        assert_eq!(sources.only(), Some(shadow));
        assert_eq!(sources.name(sources.primary(shadow)), Some("w"));
        assert_eq!(sources.holders(shadow), [0, 2]);
        assert_eq!(sources.users("w").collect::<Vec<_>>(), [(RuleKind::Readwrite, "rw")]);
    }

    #[test]
    fn follows_rules_once_however_many_lead_to_them() {
        let names: Vec<_> = (0..60).map(|number| format!("rule_{number}")).collect();
        let pairs: Vec<_> = std::iter::once(pair("rule_0", "w", "s"))
            .chain(names.windows(2).map(|two| pair(&two[1], &two[0], &two[0])))
            .collect();
        let sources = Sources::build("db", units().iter(), &[], &pairs).unwrap();
        assert_eq!(sources.index("rule_59").map(|last| sources.primary(last)), Some(0));
    }

    #[test]
    fn refuses_names_that_are_taken_missing_or_lead_to_themselves() {
        assert_eq!(
            refusal(&[group("w", "w", &["r"])], &[]),
            "Invalid Readwrite splitting rule `w`, error message is: [w] already exists in storage unit"
        );
        assert_eq!(
            refusal(&[group("rw", "w", &["r"])], &[pair("rw", "s", "w")]),
            "Invalid shadow rule `rw`, error message is: [rw] already exists in another rule"
        );
        assert_eq!(
            refusal(&[group("rw", "x", &["r", "y"])], &[]),
            "Storage units `[x, y]` do not exist in database `db`."
        );
        assert_eq!(
            refusal(&[group("rw", "sh", &["r"])], &[pair("sh", "rw", "s")]),
            "Invalid Readwrite splitting rule `rw`, error message is: it leads to itself: rw -> sh -> rw"
        );
    }
}
