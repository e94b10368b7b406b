//! Names of constraints on data nodes. A server keeps those of `CHECK` and `FOREIGN KEY` once per schema, so several
//! shards of one table in one schema cannot all use the name that the client gave: each appends its table's.

use super::ShardedTable;
use crate::snapshot::DataNode;

impl ShardedTable {
    /// What a constraint of this table is called on a node. Names that a server gave by itself (`t_chk_1`) are those
    /// of the node's table (`t_3_chk_1`).
    pub fn physical_constraint(&self, node: &DataNode, name: &str) -> String {
        let (logical, physical) = (self.spec.name.as_str(), node.table.as_str());
        if logical == physical {
            return name.to_owned();
        }
        match given_by_server(name, logical) {
            Some(rest) => format!("{physical}{rest}"),
            None => format!("{name}_{physical}"),
        }
    }
}

/// What a client calls a constraint of a node's table; nothing when the name is not one of
/// [`ShardedTable::physical_constraint`].
pub fn logical_constraint(name: &str, physical: &str, logical: &str) -> Option<String> {
    if logical == physical {
        return None;
    }
    if let Some(rest) = given_by_server(name, physical) {
        return Some(format!("{logical}{rest}"));
    }
    let stem = name.strip_suffix(physical)?.strip_suffix('_')?;
    (!stem.is_empty()).then(|| stem.to_owned())
}

/// The end of a name that a server made of a table's: `_chk_1`, `_ibfk_1`.
fn given_by_server<'a>(name: &'a str, table: &str) -> Option<&'a str> {
    let head = name.get(..table.len()).filter(|head| head.eq_ignore_ascii_case(table))?;
    let rest = &name[head.len()..];
    let number = ["_chk_", "_ibfk_"].iter().find_map(|word| rest.strip_prefix(word))?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_clients_name_again() {
        for (physical, logical) in [
            ("c_t_3", Some("c")),
            ("t_3_t_3", Some("t_3")),
            ("t_3_chk_1", Some("t_chk_1")),
            ("t_3_ibfk_12", Some("t_ibfk_12")),
            ("t_3_chk_x_t_3", Some("t_3_chk_x")),
            ("c", None),
            ("c_t_33", None),
            ("_t_3", None),
            ("t_3_chk_", None),
        ] {
            assert_eq!(logical_constraint(physical, "t_3", "t").as_deref(), logical, "{physical}");
        }
        assert_eq!(logical_constraint("c_t", "t", "t"), None);
    }
}
