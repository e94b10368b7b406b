//! Settings of the audit log: what is shown is what was set, and stays.

use super::*;

fn settings(bench: &Bench, pattern: &str) -> Vec<String> {
    bench.rows(&format!("SHOW AUDIT LOG LIKE '{pattern}'")).into_iter().skip(1).collect()
}

#[test]
fn settings_stand_above_the_file_until_they_are_reset() {
    let bench = Bench::new();
    let rows = bench.rows("SHOW AUDIT LOG");
    assert_eq!(rows[..3], ["name|value|set_by", "enabled|false|agent.yaml", "file|audit.log|agent.yaml"]);
    bench.ok("ALTER AUDIT LOG (enabled = TRUE, 'Rotate_Size' = '10MB', include_classes=\"ddl,DCL\")");
    bench.ok("ALTER AUDIT LOG (format=csv)");
    let altered = [
        "enabled|true|ALTER AUDIT LOG",
        "format|CSV|ALTER AUDIT LOG",
        "include-classes|ddl,dcl|ALTER AUDIT LOG",
        "rotate-size|10485760|ALTER AUDIT LOG",
    ];
    let shown = |bench: &Bench| -> Vec<_> {
        settings(bench, "%").into_iter().filter(|row| row.ends_with("ALTER AUDIT LOG")).collect()
    };
    assert_eq!(shown(&bench), altered);
    let bench = bench.restart();
    assert_eq!(shown(&bench), altered);
    bench.ok("RESET AUDIT LOG");
    assert!(shown(&bench).is_empty());
    assert!(shown(&bench.restart()).is_empty());
}

#[test]
fn what_is_wrong_changes_nothing() {
    let bench = Bench::new();
    bench.ok("ALTER AUDIT LOG (format=NEW)");
    for (text, refusal) in [
        ("ALTER AUDIT LOG (nosuch=1)", "11000 (HY004): unknown setting `nosuch` of the audit log"),
        (
            "ALTER AUDIT LOG (enabled=true, sample='2')",
            "11000 (HY004): `sample` must be a share from 0 to 1, not `2`",
        ),
        (
            "SET DIST VARIABLE sql_audit = '{}'",
            "30001 (0A000): Unsupported SQL operation: SET DIST VARIABLE sql_audit: use ALTER AUDIT LOG",
        ),
    ] {
        assert_eq!(bench.refusal(text), refusal);
    }
    assert_eq!(settings(&bench, "format"), ["format|NEW|ALTER AUDIT LOG"]);
    assert_eq!(settings(&bench, "enabled"), ["enabled|false|agent.yaml"]);
}
