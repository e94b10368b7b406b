//! The blocks of `server.yaml`.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::users::{Privileges, User, Users};

/// `rules:` of older releases, where global blocks are rules.
#[derive(Deserialize)]
#[expect(dead_code, reason = "rules without an effect are read only to be checked")]
pub(super) enum Rule {
    #[serde(rename = "AUTHORITY")]
    Authority(Authority),
    #[serde(rename = "SQL_PARSER")]
    SqlParser(SqlParser),
    #[serde(rename = "TRANSACTION")]
    Transaction(Transaction),
}

/// `authority:`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "authenticators are read only to be checked")]
pub(super) struct Authority {
    #[serde(default)]
    users: Vec<Account>,
    #[serde(alias = "provider")]
    privilege: Option<Privilege>,
    authenticators: Option<HashMap<String, Named>>,
    default_authenticator: Option<String>,
}

/// A `type` with properties nobody reads.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "read only to be checked")]
pub(super) struct Named {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    props: HashMap<String, String>,
}

/// An account: `{user: root@%, password: root}` or, of old, `root@%:root`.
struct Account(User);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "some keys are read only to be checked")]
struct AccountMap {
    user: String,
    #[serde(default)]
    password: String,
    /// May use all databases, and do what concerns all.
    #[serde(default)]
    admin: bool,
    authentication_method_name: Option<String>,
}

/// `privilege:`.
struct Privilege(Privileges);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PrivilegeMap {
    #[serde(rename = "type")]
    kind: PrivilegeKind,
    #[serde(default)]
    props: PrivilegeProps,
}

#[derive(Deserialize)]
enum PrivilegeKind {
    #[serde(rename = "ALL_PERMITTED", alias = "ALL_PRIVILEGES_PERMITTED")]
    All,
    #[serde(rename = "DATABASE_PERMITTED")]
    Database,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PrivilegeProps {
    user_database_mappings: Option<String>,
}

/// `mode:`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the data folder is the only store; read only to be checked")]
pub(super) struct Mode {
    #[serde(rename = "type")]
    kind: ModeKind,
    repository: Option<Named>,
    overwrite: Option<bool>,
}

/// `Standalone`; `Memory` would forget what DistSQL has done, which nobody asks for.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct ModeKind;

/// `transaction:`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "there is one kind of transaction; read only to be checked")]
pub(super) struct Transaction {
    #[serde(default)]
    default_type: TransactionKind,
    provider_type: Option<String>,
    props: Option<HashMap<String, String>>,
}

#[derive(Default, Deserialize)]
#[serde(try_from = "String")]
struct TransactionKind;

/// `sqlParser:`; the caches of the original, this one sizes its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read only to be checked")]
pub(super) struct SqlParser {
    sql_comment_parse_enabled: Option<bool>,
    sql_statement_cache: Option<Cache>,
    parse_tree_cache: Option<Cache>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "read only to be checked")]
struct Cache {
    initial_capacity: Option<u32>,
    maximum_size: Option<u64>,
}

/// `sqlFederation:`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "there is no federation; read only to be checked")]
pub(super) struct SqlFederation {
    sql_federation_enabled: Option<Off>,
    #[serde(rename = "allQueryUseSQLFederation")]
    all_query_use_sql_federation: Option<Off>,
    execution_plan_cache: Option<Cache>,
}

/// `false`.
#[derive(Deserialize)]
#[serde(try_from = "bool")]
struct Off;

impl Rule {
    pub(super) fn authority(self) -> Option<Authority> {
        match self {
            Self::Authority(authority) => Some(authority),
            Self::SqlParser(_) | Self::Transaction(_) => None,
        }
    }
}

impl Authority {
    pub(super) fn users(self) -> Users {
        let privileges = self.privilege.map_or(Privileges::All, |privilege| privilege.0);
        Users::new(self.users.into_iter().map(|account| account.0).collect(), privileges)
    }
}

impl TryFrom<String> for ModeKind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "Standalone" => Ok(Self),
            "Cluster" => Err("mode `Cluster` is not supported yet; there is `Standalone`".to_owned()),
            _ => Err(format!("unknown mode `{text}`; there is `Standalone`")),
        }
    }
}

impl TryFrom<String> for TransactionKind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.to_ascii_uppercase().as_str() {
            "LOCAL" => Ok(Self),
            "XA" | "BASE" => Err(format!("transaction type `{text}` is not supported yet; there is `LOCAL`")),
            _ => Err(format!("unknown transaction type `{text}`; there is `LOCAL`")),
        }
    }
}

impl TryFrom<bool> for Off {
    type Error = &'static str;

    fn try_from(on: bool) -> Result<Self, Self::Error> {
        if on { Err("federated queries are not supported") } else { Ok(Self) }
    }
}

impl<'de> Deserialize<'de> for Account {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Account;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an account: `user: name@host` and `password`, or `name@host:password`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Account, E> {
                // An IPv6 host cannot be told from its password here; the other form can.
                let (account, password) = text
                    .split_once(':')
                    .ok_or_else(|| E::custom(format_args!("`{text}` has no `:password`")))?;
                Ok(Account(User::parse(account, password)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Account, A::Error> {
                let it = AccountMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Account(User { administrator: it.admin, ..User::parse(&it.user, &it.password) }))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl<'de> Deserialize<'de> for Privilege {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let it = PrivilegeMap::deserialize(deserializer)?;
        match (it.kind, it.props.user_database_mappings) {
            (PrivilegeKind::All, _) => Ok(Self(Privileges::All)),
            (PrivilegeKind::Database, Some(text)) => mappings(&text).map(Self).map_err(D::Error::custom),
            (PrivilegeKind::Database, None) => {
                Err(D::Error::custom("`DATABASE_PERMITTED` needs props `user-database-mappings`"))
            }
        }
    }
}

/// Reads `root@%=db1, root@%=db2, sharding@=*`.
fn mappings(text: &str) -> Result<Privileges, String> {
    let mut map: HashMap<String, HashSet<String>> = HashMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (account, database) =
            pair.split_once('=').ok_or_else(|| format!("`{pair}` is not `user@host=database`"))?;
        let account = User::parse(account.trim(), "").account();
        map.entry(account).or_default().insert(database.trim().to_owned());
    }
    Ok(Privileges::Databases(map))
}
