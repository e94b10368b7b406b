//! Configuration as the DistSQL that makes it: what `CONVERT YAML CONFIGURATION` answers.

mod sharding;

use distsql::{Algorithm, Choice, Statement, broadcast, encrypt, mask, readwrite, shadow, single, unit};
use indexmap::IndexMap;
use meta::{
    AlgorithmSpec, DatabaseSpec, EncryptColumnSpec, EncryptTableSpec, MaskColumnSpec, MaskTableSpec,
    PoolSpec, ReadwriteSpec, ShadowPair, ShadowSpec, TlsMode, TransactionalReads, UnitSpec,
};

use super::Error;

/// The text of all statements, each on a line of its own. A statement that would not be read back as it is meant, for a
/// text that DistSQL cannot write, is refused.
pub(super) fn text(spec: &DatabaseSpec) -> Result<String, Error> {
    let plain = spec.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let name = if plain { spec.name.clone() } else { format!("`{}`", spec.name.replace('`', "``")) };
    let mut lines = vec![format!("CREATE DATABASE {name};"), format!("USE {name};")];
    for statement in statements(spec) {
        let text = statement.to_string();
        if distsql::parse(&text).ok().flatten().as_ref() != Some(&statement) {
            return Err(Error::unsupported(&format!(
                "{} cannot be written, since a value has both kinds of quotes",
                statement.title()
            )));
        }
        lines.push(format!("{text};"));
    }
    Ok(lines.join("\n"))
}

/// What makes the database anew, in an order in which it can be carried out.
fn statements(spec: &DatabaseSpec) -> Vec<Statement> {
    let mut all = Vec::new();
    if !spec.units.is_empty() {
        all.push(Statement::Unit(units(&spec.units)));
    }
    if !spec.readwrite.is_empty() {
        all.push(Statement::Readwrite(readwrite(&spec.readwrite)));
    }
    all.extend(shadow(&spec.shadow).into_iter().map(Statement::Shadow));
    if spec.single.default.is_some() {
        all.push(Statement::Single(single::Statement::SetDefault { unit: spec.single.default.clone() }));
    }
    all.extend(sharding::statements(spec).into_iter().map(Statement::Sharding));
    if !spec.broadcast.is_empty() {
        let tables = spec.broadcast.clone();
        all.push(Statement::Broadcast(broadcast::Statement::Create { if_not_exists: false, tables }));
    }
    if !spec.encrypt.is_empty() {
        all.push(Statement::Encrypt(encrypt(&spec.encrypt)));
    }
    if !spec.mask.is_empty() {
        all.push(Statement::Mask(mask(&spec.mask)));
    }
    all
}

fn units(units: &IndexMap<String, UnitSpec>) -> unit::Statement {
    let unit = |(name, spec): (&String, &UnitSpec)| unit::Unit {
        name: name.clone(),
        address: unit::Address::Host {
            host: spec.host.clone(),
            port: spec.port.into(),
            database: spec.database.clone(),
        },
        user: spec.user.clone(),
        password: spec.password.clone(),
        properties: pool(spec),
    };
    unit::Statement::Register { if_not_exists: false, units: units.iter().map(unit).collect() }
}

/// Properties that are not what they are by default.
fn pool(spec: &UnitSpec) -> IndexMap<String, String> {
    let (pool, default) = (&spec.pool, PoolSpec::default());
    let millis = |duration: std::time::Duration| duration.as_millis().to_string();
    let active = |number: Option<u32>| number.map_or_else(|| "auto".to_owned(), |number| number.to_string());
    let all = [
        ("maxPoolSize", pool.max.to_string(), default.max.to_string()),
        ("minPoolSize", pool.min.to_string(), default.min.to_string()),
        (
            "connectionTimeoutMilliseconds",
            millis(pool.connection_timeout),
            millis(default.connection_timeout),
        ),
        ("idleTimeoutMilliseconds", millis(pool.idle_timeout), millis(default.idle_timeout)),
        ("maxLifetimeMilliseconds", millis(pool.max_lifetime), millis(default.max_lifetime)),
        ("keepaliveTime", millis(pool.keepalive), millis(default.keepalive)),
        ("maximumActive", active(pool.active), active(default.active)),
        ("readOnly", pool.read_only.to_string(), default.read_only.to_string()),
    ];
    let differ = all.into_iter().filter(|(_, value, default)| value != default);
    let mut properties: IndexMap<_, _> = differ.map(|(name, value, _)| (name.to_owned(), value)).collect();
    if spec.tls == TlsMode::Required {
        properties.insert("sslMode".to_owned(), "REQUIRED".to_owned());
    }
    properties.extend(spec.other.clone());
    properties
}

fn readwrite(groups: &[ReadwriteSpec]) -> readwrite::Statement {
    let rule = |group: &ReadwriteSpec| readwrite::Rule {
        name: group.name.clone(),
        write: group.write.clone(),
        read: group.reads.clone(),
        transactional: group.transactional.map(TransactionalReads::name).map(str::to_owned),
        balancer: group.balancer.as_ref().map(tree),
    };
    readwrite::Statement::Create { if_not_exists: false, rules: groups.iter().map(rule).collect() }
}

/// Algorithms are named, since rules share them.
fn shadow(shadow: &ShadowSpec) -> Vec<shadow::Statement> {
    let named = |name: &String| {
        let algorithm = shadow.algorithms.get(name)?;
        Some(shadow::Named { name: Some(name.clone()), algorithm: tree(algorithm) })
    };
    let rule = |pair: &ShadowPair| {
        let tables = shadow.tables.iter().filter(|table| table.rules.contains(&pair.name));
        let table = |table: &meta::ShadowTableSpec| shadow::Table {
            name: table.name.clone(),
            algorithms: table.algorithms.iter().filter_map(named).collect(),
        };
        shadow::Rule {
            name: pair.name.clone(),
            source: pair.source.clone(),
            shadow: pair.shadow.clone(),
            tables: tables.map(table).collect(),
        }
    };
    let mut all = Vec::new();
    if !shadow.pairs.is_empty() {
        let rules = shadow.pairs.iter().map(rule).collect();
        all.push(shadow::Statement::Create { if_not_exists: false, rules });
    }
    if let Some(name) = &shadow.default {
        let shared = shadow.tables.iter().any(|table| table.algorithms.contains(name));
        let algorithm = match shadow.algorithms.get(name) {
            Some(algorithm) if !shared => Choice::Type(tree(algorithm)),
            _ => Choice::Name(name.clone()),
        };
        all.push(shadow::Statement::CreateDefault { if_not_exists: false, algorithm });
    }
    all
}

fn encrypt(tables: &[EncryptTableSpec]) -> encrypt::Statement {
    let physical = |name: &String, data_type: &Option<String>| encrypt::Physical {
        name: name.clone(),
        data_type: data_type.clone(),
    };
    let column = |it: &EncryptColumnSpec| {
        let types = &it.types;
        encrypt::Column {
            name: it.name.clone(),
            data_type: types.logical.clone(),
            plain: it.plain.as_ref().map(|name| physical(name, &types.plain)),
            cipher: physical(&it.cipher, &types.cipher),
            assisted: it.assisted.as_ref().map(|name| physical(name, &types.assisted)),
            like: it.like.as_ref().map(|name| physical(name, &types.like)),
            algorithm: tree(&it.encryptor),
            assisted_algorithm: it.assisted_algorithm.as_ref().map(tree),
            like_algorithm: it.like_algorithm.as_ref().map(tree),
        }
    };
    let rule = |table: &EncryptTableSpec| encrypt::Rule {
        table: table.name.clone(),
        unit: None,
        columns: table.columns.iter().map(column).collect(),
        query_with_cipher: table.query_with_cipher,
    };
    encrypt::Statement::Create { if_not_exists: false, rules: tables.iter().map(rule).collect() }
}

fn mask(tables: &[MaskTableSpec]) -> mask::Statement {
    let column = |it: &MaskColumnSpec| mask::Column { name: it.name.clone(), algorithm: tree(&it.algorithm) };
    let rule = |table: &MaskTableSpec| mask::Rule {
        table: table.name.clone(),
        columns: table.columns.iter().map(column).collect(),
    };
    mask::Statement::Create { if_not_exists: false, rules: tables.iter().map(rule).collect() }
}

/// An algorithm as DistSQL writes it.
fn tree(spec: &AlgorithmSpec) -> Algorithm {
    Algorithm { name: spec.kind.clone(), properties: spec.properties.clone() }
}
