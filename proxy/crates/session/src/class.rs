//! What kind of statement something is, as events tell it.

use observe::Class;

/// The same for events.
pub(crate) const fn classed(class: sql::Class) -> Class {
    use sql::Class as C;
    match class {
        C::Unknown => Class::Unknown,
        C::Select => Class::Select,
        C::Insert => Class::Insert,
        C::Update => Class::Update,
        C::Delete => Class::Delete,
        C::Dml => Class::Dml,
        C::Ddl => Class::Ddl,
        C::Dcl => Class::Dcl,
        C::Dal => Class::Dal,
        C::Tcl => Class::Tcl,
        C::Prepared => Class::Prepared,
    }
}

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
