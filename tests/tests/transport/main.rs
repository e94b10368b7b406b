//! What carries the protocol, on real servers: compression, files of the client, query attributes, proxies in front.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod attributes;
mod compress;
mod infile;
mod proxied;

use std::sync::LazyLock;

use weir_tests::{Bed, Logical};

/// Two units, whose servers load local files, as the plain one does; `local_infile` is off on the second unit.
fn bed() -> &'static Bed {
    static BED: LazyLock<Bed> = LazyLock::new(|| {
        let bed = Bed::with(2, |builder| builder.option("--local-infile=ON"));
        bed.unit(1).client().run("SET GLOBAL local_infile = OFF");
        for account in [bed.plain(), bed.unit(0), bed.unit(1)] {
            account.client().run("INSTALL COMPONENT 'file://component_query_attributes'");
        }
        bed
    });
    &BED
}

/// A logical database that passes everything through to a unit, with a table `t (id, v)` on either side.
fn passed_to(unit: usize, name: &str) -> Logical<'static> {
    let logical = bed().bare(name);
    logical.client().run(format!("REGISTER STORAGE UNIT {}", logical.definition(unit)));
    for mut client in [logical.client(), logical.plain()] {
        client.run("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v LONGBLOB)");
    }
    logical
}
