//! `SHOW CREATE TABLE`, `SHOW INDEX` and `SHOW COLUMNS` of tables under a rule: one physical table is asked, and its
//! answer told in logical names.

use std::sync::Arc;

use backend::Settings;
use bytes::{Bytes, BytesMut};
use meta::{Database, EncryptColumn, EncryptPart, EncryptTable, like};
use plan::{Call, Decoration, Template};
use sql::{Body, Show, ShowWhat};
use wire::column::Column;

use crate::command::query::Done;
use crate::error::Problem;
use crate::reply::Format;
use crate::session::Session;

/// A result set with its definitions.
pub(crate) struct Described {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
}

/// The table that is described.
struct Names<'a> {
    physical: &'a str,
    logical: &'a str,
    schema: &'a str,
    encrypt: Option<&'a EncryptTable>,
    /// Where it is.
    database: &'a Database,
    source: &'a str,
}

impl Session {
    /// Answers a statement that [`Template::describes`] a table.
    pub(crate) async fn describe(&mut self, template: &Template, call: &Call<'_>, format: Format) -> Done {
        Ok(self.described(template, call).await.map(|it| self.put_rows(&it.columns, &it.rows, format)))
    }

    /// The answer, and with it the columns for a prepare.
    pub(crate) async fn described(
        &mut self,
        template: &Template,
        call: &Call<'_>,
    ) -> Result<Described, Problem> {
        let Body::Show(show) = &template.statement().body else {
            return Err(Problem::unsupported("a description of anything but a table"));
        };
        let plan = template.bind(call).map_err(|error| Problem::plan(&error, call.text))?;
        let database = template.database().ok_or_else(Problem::no_database)?;
        let (Some(route), Some(table)) = (plan.units.first(), template.statement().tables.first()) else {
            return Err(Problem::no_database());
        };
        let unit = database.units.get_index(usize::from(route.unit)).map(|(_, unit)| unit);
        let unit = unit.ok_or_else(Problem::no_database)?;
        let rule = database.sharding.table(&table.name);
        let node = rule.and_then(|rule| rule.nodes.get(route.node.unwrap_or_default() as usize));
        let names = Names {
            physical: node.map_or(table.name.as_str(), |node| node.table.as_str()),
            logical: rule.map_or(table.name.as_str(), |rule| rule.spec.name.as_str()),
            schema: &database.name,
            encrypt: database.encrypt.table(&table.name),
            database,
            source: database.sources.name(route.source).unwrap_or_default(),
        };
        let text = if show.filtered {
            if names.encrypt.is_some() {
                return Err(Problem::unsupported("SHOW … WHERE of an encrypted table (use LIKE)"));
            }
            if show.what == ShowWhat::Index && call.text.to_ascii_lowercase().contains("`table`") {
                return Err(Problem::unsupported("SHOW INDEX … WHERE `Table` of a sharding table"));
            }
            if self.state.mode.ansi_quotes {
                return Err(Problem::unsupported("SHOW … WHERE with sql_mode ANSI_QUOTES"));
            }
            let mut text = Vec::new();
            template.render(call, route, &mut text);
            text
        } else {
            question(show, names.physical).into_bytes()
        };
        // The answer is read below: it must come in the standard form. A condition means what it does in the session.
        let settings = if show.filtered {
            let mut settings = self.executor.settings().clone();
            settings.set("character_set_results", "'utf8mb4'");
            settings
        } else {
            Settings::default()
        };
        let mut connection = self.lend(unit).await?;
        connection.apply(&settings).await.map_err(|error| Problem::backend(&error))?;
        let result = connection.query(&text).await.map_err(|error| Problem::backend(&error))?;
        let mut columns = result.columns;
        for column in &mut columns {
            if !column.schema.is_empty() && *column.schema == *unit.spec.database.as_bytes() {
                column.schema = Bytes::copy_from_slice(names.schema.as_bytes());
            }
        }
        let cell = |cell: Option<Bytes>| cell.map(|cell| String::from_utf8_lossy(&cell).into_owned());
        let mut rows: Vec<Vec<Option<String>>> =
            result.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        rows.retain_mut(|row| tell(show, row, &names));
        Ok(Described { columns, rows })
    }
}

/// What the server is asked.
fn question(show: &Show, physical: &str) -> String {
    let name = physical.replace('`', "``");
    match show.what {
        ShowWhat::CreateTable => format!("SHOW CREATE TABLE `{name}`"),
        ShowWhat::Index => format!("SHOW INDEX FROM `{name}`"),
        _ => format!("SHOW {}COLUMNS FROM `{name}`", if show.full { "FULL " } else { "" }),
    }
}

/// Puts logical names into a row; whether it is shown at all.
fn tell(show: &Show, row: &mut [Option<String>], names: &Names<'_>) -> bool {
    match (show.what, row) {
        (ShowWhat::CreateTable, [table, text, ..]) => {
            *table = Some(names.logical.to_owned());
            let head = format!("CREATE TABLE `{}`", names.physical.replace('`', "``"));
            if let Some(text) = text
                && let Some(rest) = text.strip_prefix(&head)
            {
                let rest =
                    names.encrypt.map_or_else(|| rest.to_owned(), |table| logical_definition(rest, table));
                let rest =
                    if names.physical == names.logical { rest } else { logical_constraints(&rest, names) };
                *text = format!("CREATE TABLE `{}`{rest}", names.logical.replace('`', "``"));
            }
        }
        (ShowWhat::Index, [table, _, _, _, column, ..]) => {
            *table = Some(names.logical.to_owned());
            if let Some((known, _)) =
                names.encrypt.zip(column.as_ref()).and_then(|(table, column)| table.physical(column))
            {
                *column = Some(known.name.clone());
            }
        }
        (ShowWhat::Columns, [Some(field), rest @ ..]) => {
            match names.encrypt.and_then(|table| table.physical(field)) {
                Some((column, EncryptPart::Cipher)) => {
                    field.clone_from(&column.name);
                    // Type, [Collation,] Null, Key, Default
                    if let Some(Some(default)) = rest.get_mut(if show.full { 4 } else { 3 }) {
                        *default = decrypted(column, default);
                    }
                }
                Some(_) => return false,
                None => {}
            }
            return show.like.as_deref().is_none_or(|pattern| like(pattern, field));
        }
        _ => {}
    }
    true
}

/// The definition of a table, from behind its name on, in the columns that clients know. A server writes one column or
/// key a line (MySQL manual, "SHOW CREATE TABLE Statement").
fn logical_definition(physical: &str, table: &EncryptTable) -> String {
    let Some((body, options)) = physical.split_once("\n)") else { return physical.to_owned() };
    let mut lines = body.split('\n');
    let head = lines.next().unwrap_or_default();
    let shown = lines.filter_map(|line| {
        let line = line.strip_suffix(',').unwrap_or(line);
        let Some(rest) = line.strip_prefix("  `") else { return Some(logical_key(line, table)) };
        let (name, rest) = quoted_name(rest)?;
        match table.physical(&name) {
            Some((column, EncryptPart::Cipher)) => {
                Some(format!("  `{}`{}", column.name.replace('`', "``"), default_decrypted(column, rest)))
            }
            Some(_) => None,
            None => Some(line.to_owned()),
        }
    });
    format!("{head}\n{}\n){options}", shown.collect::<Vec<_>>().join(",\n"))
}

/// A default value as it was given; what is no ciphertext is told as it is.
fn decrypted(column: &EncryptColumn, stored: &str) -> String {
    let decoration = Decoration {
        column: 0,
        decrypt: Some(Arc::clone(&column.encryptor)),
        mask: None,
        table: Box::default(),
        name: Box::default(),
    };
    let mut plain = BytesMut::new();
    match decoration.apply(stored.as_bytes(), &mut plain) {
        Ok(()) => String::from_utf8_lossy(&plain).into_owned(),
        Err(_) => stored.to_owned(),
    }
}

/// The same in the definition of a column. Ciphertexts have no characters that a server writes otherwise.
fn default_decrypted(column: &EncryptColumn, definition: &str) -> String {
    let found = || {
        let (before, rest) = definition.split_once(" DEFAULT '")?;
        let (stored, after) = rest.split_once('\'')?;
        (!before.contains(" COMMENT '")).then_some((before, stored, after))
    };
    found().map_or_else(
        || definition.to_owned(),
        |(before, stored, after)| {
            let plain = decrypted(column, stored).replace('\\', "\\\\").replace('\'', "''");
            format!("{before} DEFAULT '{plain}'{after}")
        },
    )
}

/// The definition of a node's table, from behind its name on, with the names of constraints, and of the tables that they
/// refer to, that clients know.
fn logical_constraints(physical: &str, names: &Names<'_>) -> String {
    let called = |name: &str| meta::logical_constraint(name, names.physical, names.logical);
    let constraints = physical.lines().filter_map(|line| quoted_name(line.strip_prefix("  CONSTRAINT `")?));
    let constraints: Vec<(String, String)> =
        constraints.filter_map(|(name, _)| Some((called(&name)?, name))).collect();
    let quote = |name: &str| name.replace('`', "``");
    let mut lines = Vec::new();
    for line in physical.split('\n') {
        // A foreign key's own index has its name.
        let head = ["  CONSTRAINT `", "  KEY `"].into_iter().find(|head| line.starts_with(head));
        let found = head.and_then(|head| Some((head, quoted_name(&line[head.len()..])?)));
        let Some((head, (name, rest))) = found else {
            lines.push(line.to_owned());
            continue;
        };
        let logical = constraints.iter().find(|(_, physical)| *physical == name);
        let name = logical.map_or(name.as_str(), |(logical, _)| logical.as_str());
        let mut rest = rest.to_owned();
        if rest.starts_with(" FOREIGN KEY ")
            && let Some(at) = rest.find(") REFERENCES `")
            && let Some((table, behind)) = quoted_name(&rest[at + ") REFERENCES `".len()..])
            && let Some(rule) = names.database.sharding.at(names.source, &table)
        {
            rest = format!("{}) REFERENCES `{}`{behind}", &rest[..at], quote(&rule.spec.name));
        }
        lines.push(format!("{head}{}`{rest}", quote(name)));
    }
    lines.join("\n")
}

/// A key or constraint: the columns of a key stand in its parentheses.
fn logical_key(line: &str, table: &EncryptTable) -> String {
    let is_key =
        line.split('(').next().is_some_and(|head| head.contains("KEY ") && !head.contains("FOREIGN"));
    let Some((head, columns)) = line.split_once('(').filter(|_| is_key) else { return line.to_owned() };
    let mut out = format!("{head}(");
    let mut rest = columns;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((name, tail)) = quoted_name(after) else { break };
        let shown = table.physical(&name).map_or(name.as_str(), |(column, _)| column.name.as_str());
        out.push_str(&format!("{before}`{}`", shown.replace('`', "``")));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// A name behind its opening backquote, and what follows the closing one.
fn quoted_name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('`')?;
        name.push_str(part);
        match after.strip_prefix('`') {
            Some(more) => {
                name.push('`');
                rest = more;
            }
            None => return Some((name, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use meta::{AlgorithmSpec, DatabaseSpec, EncryptColumnSpec, EncryptTableSpec, Snapshot};

    use super::*;

    /// As MySQL 9.7 writes it, with the columns that stand for `phone` and `na`me`.
    const PHYSICAL: &str = " (\n  `id` int NOT NULL,\n  `phone_c` varchar(64) DEFAULT NULL COMMENT 'a, `b`',\n  \
                            `phone_a` varchar(64) DEFAULT NULL,\n  `n_c` varchar(64) NOT NULL,\n  PRIMARY KEY (`id`),\n  \
                            UNIQUE KEY `phone_c` (`phone_a`,`n_c`(5)),\n  KEY `z` (`n_c` DESC),\n  \
                            CONSTRAINT `x` CHECK ((`id` > 0))\n) ENGINE=InnoDB\n/*!50100 PARTITION BY KEY (id)\n\
                            PARTITIONS 2 */";

    #[test]
    fn tells_a_definition_in_logical_columns() {
        let aes = AlgorithmSpec {
            kind: "AES".to_owned(),
            properties: [("aes-key-value".to_owned(), "1".to_owned())].into_iter().collect(),
        };
        let column = |name: &str, cipher: &str, assisted: Option<&str>| EncryptColumnSpec {
            name: name.to_owned(),
            cipher: cipher.to_owned(),
            assisted: assisted.map(str::to_owned),
            assisted_algorithm: assisted.map(|_| aes.clone()),
            encryptor: aes.clone(),
            ..EncryptColumnSpec::default()
        };
        let columns = vec![column("phone", "phone_c", Some("phone_a")), column("na`me", "n_c", None)];
        let table = EncryptTableSpec { name: "t".to_owned(), columns, query_with_cipher: None };
        let spec = DatabaseSpec { name: "db".to_owned(), encrypt: vec![table], ..DatabaseSpec::default() };
        let snapshot = Snapshot::load(vec![spec]).unwrap();
        let table = snapshot.database("db").unwrap().encrypt.table("t").unwrap();
        assert_eq!(
            logical_definition(PHYSICAL, table),
            " (\n  `id` int NOT NULL,\n  `phone` varchar(64) DEFAULT NULL COMMENT 'a, `b`',\n  `na``me` \
             varchar(64) NOT NULL,\n  PRIMARY KEY (`id`),\n  UNIQUE KEY `phone_c` (`phone`,`na``me`(5)),\n  \
             KEY `z` (`na``me` DESC),\n  CONSTRAINT `x` CHECK ((`id` > 0))\n) ENGINE=InnoDB\n/*!50100 PARTITION \
             BY KEY (id)\nPARTITIONS 2 */"
        );
    }
}
