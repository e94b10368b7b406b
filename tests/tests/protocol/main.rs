//! What the proxy says and takes on the wire: logins, commands, sizes, broken packets.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod broken;
mod commands;
mod login;
mod sizes;

use std::sync::LazyLock;

use weir_tests::{Bed, Logical};

/// Two units are enough here.
fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| Bed::new(2));
    &BED
}

/// A logical database with one sharded table `t (id, v)` on either side.
fn database(name: &str) -> Logical<'static> {
    let logical = bed().logical(name);
    logical.shard("t", "id");
    let create = "CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v LONGBLOB)";
    logical.plain().run(create);
    logical.client().run(create);
    logical
}
