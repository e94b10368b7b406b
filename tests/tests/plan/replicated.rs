//! A database of readwrite-splitting groups: one for each strategy, tables on each, and a table sharded over two.

use meta::{AlgorithmSpec, Otherwise, ReadwriteSpec, Snapshot, TransactionalReads};

use super::{rule, table, unit};

/// Adds `groups_db`. Of the two replicas of each group the first comes first.
pub(crate) fn add(snapshot: Snapshot) -> Snapshot {
    let names = (0..4).flat_map(|group| [format!("w{group}"), format!("r{group}a"), format!("r{group}b")]);
    let units = names.enumerate().map(|(number, name)| (name, unit(number, "phys"))).collect();
    let groups = vec![
        group(0, None, None),
        group(1, Some(TransactionalReads::Fixed), None),
        group(2, None, Some(("TRANSACTION_WEIGHT", &[("r2a", "0"), ("r2b", "3")]))),
        group(3, None, Some(("FIXED_PRIMARY", &[]))),
    ];
    let tables = vec![
        table("t0", Some("g0"), &["id bigint", "n int"]),
        table("near0", Some("g0"), &["id bigint", "n int"]),
        table("t1", Some("g1"), &["id bigint", "n int"]),
        table("t2", Some("g2"), &["id bigint", "n int"]),
        table("t3", Some("g3"), &["id bigint", "n int"]),
        table("t_shard", None, &["id bigint", "n int"]),
    ];
    let sharded = vec![rule("t_shard", &["g0", "g1"], "id", &[("sharding-count", "4")])];
    snapshot
        .create_database("groups_db", Otherwise::Fail)
        .and_then(|it| it.register_units("groups_db", units, Otherwise::Fail))
        .and_then(|it| it.create_readwrite("groups_db", groups, Otherwise::Fail))
        .and_then(|it| it.create_sharding("groups_db", sharded, Otherwise::Fail))
        .and_then(|it| it.learn_tables("groups_db", tables))
        .unwrap()
}

fn group(
    number: usize,
    transactional: Option<TransactionalReads>,
    balancer: Option<(&str, &[(&str, &str)])>,
) -> ReadwriteSpec {
    let algorithm = |(kind, weights): (&str, &[(&str, &str)])| AlgorithmSpec {
        kind: kind.to_owned(),
        properties: weights.iter().map(|(unit, weight)| ((*unit).to_owned(), (*weight).to_owned())).collect(),
    };
    ReadwriteSpec {
        name: format!("g{number}"),
        write: format!("w{number}"),
        reads: vec![format!("r{number}a"), format!("r{number}b")],
        transactional,
        balancer: balancer.map(algorithm),
        ..ReadwriteSpec::default()
    }
}
