//! What kind of DistSQL a statement is, as events tell it; of SQL its verb says so ([`sql::Verb`]).

use observe::Class;

/// The kind of DistSQL that begins with these words.
pub(crate) fn distsql_class(title: &str) -> Class {
    let (first, rest) = title.split_once(' ').unwrap_or((title, ""));
    match first {
        "PREVIEW" | "PARSE" | "FORMAT" => Class::Rul,
        "SHOW" | "COUNT" if rest.starts_with("DIST") || rest.starts_with("COMPUTE") => Class::Ral,
        "SHOW" | "COUNT" => Class::Rql,
        "CREATE" | "ALTER" | "DROP" | "REGISTER" | "UNREGISTER" | "LOAD" | "UNLOAD" => Class::Rdl,
        "SET" if rest.starts_with("DEFAULT") => Class::Rdl,
        _ => Class::Ral,
    }
}
