//! Arms that show what one rule costs beside the pass-through: on the same server, and but for encryption on the very
//! same rows.

use super::topology::definition;
use crate::load::Target;

/// The arms with a rule that is measured only when asked for.
pub const RULE_ARMS: [&str; 7] =
    ["readwrite", "shadow", "encrypt-aes", "encrypt-md5", "encrypt-sm4", "encrypt-sm3", "encrypt-rc4"];

/// What begins the name of an arm that encrypts.
pub(super) const ENCRYPT: &str = "encrypt-";

/// What such an arm needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// What it is, for the report.
    pub(super) about: &'static str,
    /// The logical database.
    pub(super) database: String,
    /// A database that the server must have besides.
    pub(super) beside: Option<String>,
    /// What is said to the proxy.
    pub(super) statements: Vec<String>,
    /// Whether it has rows of its own, written through it.
    pub(super) filled: bool,
}

/// The rule of the arm of this name before `server`.
pub(super) fn rule(name: &str, server: &Target) -> Option<Rule> {
    match name {
        "readwrite" => Some(readwrite(server)),
        "shadow" => Some(shadow(server)),
        _ => encrypt(name, server),
    }
}

fn begin(database: &str, units: &[(&str, &Target)]) -> Vec<String> {
    let units: Vec<String> = units.iter().map(|(name, unit)| definition(name, unit)).collect();
    vec![
        format!("CREATE DATABASE {database}"),
        format!("USE {database}"),
        format!("REGISTER STORAGE UNIT {}", units.join(", ")),
    ]
}

fn readwrite(server: &Target) -> Rule {
    let database = "bench_readwrite".to_owned();
    let mut statements = begin(&database, &[("write_ds", server), ("read_ds", server)]);
    statements.push(
        "CREATE READWRITE_SPLITTING RULE readwrite_ds (WRITE_STORAGE_UNIT=write_ds, READ_STORAGE_UNITS(read_ds), \
         TYPE(NAME=\"FIXED_REPLICA_RANDOM\"))"
            .to_owned(),
    );
    let about = "Weir, reads and writes split over two units that are the same database";
    Rule { about, database, beside: None, statements, filled: false }
}

/// The load carries no hint, and no row is the shadow's: what is measured is the deciding.
fn shadow(server: &Target) -> Rule {
    let (database, beside) = ("bench_shadow".to_owned(), "shadow".to_owned());
    let other = Target { database: beside.clone(), ..server.clone() };
    let mut statements = begin(&database, &[("ds", server), ("ds_shadow", &other)]);
    statements.push(
        "CREATE SHADOW RULE shadow_ds (SOURCE=ds, SHADOW=ds_shadow, sbtest1(\
         TYPE(NAME=\"VALUE_MATCH\", PROPERTIES(\"operation\"=\"select\", \"column\"=\"id\", \"value\"=0)), \
         TYPE(NAME=\"SIMPLE_HINT\", PROPERTIES(\"shadow\"=true))))"
            .to_owned(),
    );
    let about = "Weir, each row's id and each comment looked at for the shadow, all for production";
    Rule { about, database, beside: Some(beside), statements, filled: false }
}

fn encrypt(name: &str, server: &Target) -> Option<Rule> {
    let (about, cipher) = match name.strip_prefix(ENCRYPT)? {
        "aes" => ("Weir, c and pad encrypted by AES", "\"AES\", PROPERTIES(\"aes-key-value\"=\"123456abc\")"),
        "md5" => ("Weir, c and pad digested by MD5", "\"MD5\""),
        "sm4" => (
            "Weir, c and pad encrypted by SM4",
            "\"SM4\", PROPERTIES(\"sm4-key\"=\"4D744E003D713D054E7E407C350E447E\", \"sm4-mode\"=\"ECB\", \
             \"sm4-padding\"=\"PKCS5Padding\")",
        ),
        "sm3" => ("Weir, c and pad digested by SM3", "\"SM3\""),
        "rc4" => ("Weir, c and pad encrypted by RC4", "\"RC4\", PROPERTIES(\"rc4-key-value\"=\"123456abc\")"),
        _ => return None,
    };
    let own = name.replace('-', "_");
    let database = format!("bench_{own}");
    let unit = Target { database: own.clone(), ..server.clone() };
    let mut statements = begin(&database, &[("ds", &unit)]);
    statements.push(format!(
        "CREATE ENCRYPT RULE sbtest1 (COLUMNS((NAME=c, CIPHER=c_cipher, TYPE(NAME={cipher})), \
         (NAME=pad, CIPHER=pad_cipher, TYPE(NAME={cipher}))))"
    ));
    Some(Rule { about, database, beside: Some(own), statements, filled: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arm_has_its_rule_in_a_database_of_its_own() {
        let server = Target {
            host: "127.0.0.1".into(),
            port: 13306,
            user: "test".into(),
            password: "test".into(),
            database: "sbtest".into(),
        };
        let rules: Vec<Rule> = RULE_ARMS.iter().map(|name| rule(name, &server).unwrap()).collect();
        let mut databases: Vec<&str> = rules.iter().map(|rule| rule.database.as_str()).collect();
        databases.sort_unstable();
        databases.dedup();
        assert_eq!(databases.len(), RULE_ARMS.len());
        for rule in &rules {
            assert_eq!(rule.statements[1], format!("USE {}", rule.database));
            assert!(rule.statements[3].contains(" RULE "), "{:?}", rule.statements);
            // Only what encrypts keeps rows that are not those of the pass-through.
            let own = rule.statements[2].contains("DB=\"sbtest\"");
            assert_eq!(own, !rule.filled, "{:?}", rule.statements);
        }
        assert_eq!(rule("encrypt-rot13", &server), None);
    }
}
