//! Conditions in every form.

use weir_tests::Argument;

use super::chance::Chance;
use super::draft::Draft;
use super::schema::{Kind, key};
use super::scope::{Name, Scope, is_plain, moment, number, text};
use super::tree::subquery;

/// ` WHERE …`, mostly.
pub(super) fn filter(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    if !chance.one_in(5) {
        draft.say(" WHERE ");
        condition(draft, chance, scope, 2);
    }
}

/// A condition of at most `depth` levels of AND, OR and XOR.
pub(super) fn condition(draft: &mut Draft, chance: &mut Chance, scope: &Scope, depth: u32) {
    if depth > 0 && chance.one_in(2) {
        draft.say(chance.word(&["(", "(", "(", "(", "(", "NOT ("]));
        condition(draft, chance, scope, depth - 1);
        draft.say(chance.word(&[" AND ", " AND ", " OR ", " OR ", " AND ", " XOR "]));
        condition(draft, chance, scope, depth - 1);
        return draft.say(")");
    }
    if !draft.flat && chance.one_in(14) {
        return subquery(draft, chance, scope);
    }
    match chance.below(16) {
        0 | 6 if scope.columns.iter().any(|name| name.kind == Kind::Sealed) => {
            let column = scope.some(chance, |kind| kind == Kind::Sealed).unwrap_or_else(|| scope.any(chance));
            sealed(draft, chance, &column);
        }
        0..=5 => of_key(draft, chance, scope),
        6 | 7 => {
            let column = scope.some(chance, is_plain).unwrap_or_else(|| scope.any(chance));
            compared(draft, chance, &column);
        }
        8 => {
            let column = scope.any(chance);
            draft.say(&format!("{} IS {}NULL", column.text, chance.word(&["", "NOT "])));
        }
        9 => listed(draft, chance, scope),
        10 => between(draft, chance, scope),
        11 => pattern(draft, chance, scope),
        12 => calculated(draft, chance, scope),
        13 => row(draft, chance, scope),
        14 => odd(draft, chance, scope),
        _ => {
            draft.say("(");
            condition(draft, chance, scope, 0);
            draft.say(chance.word(&[
                ") IS TRUE",
                ") IS NOT TRUE",
                ") IS FALSE",
                ") IS UNKNOWN",
                ") IS NOT NULL",
            ]));
        }
    }
}

/// What routing reads.
fn of_key(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let Some(Name { text: name, kind }) =
        scope.some(chance, |kind| matches!(kind, Kind::Key | Kind::TextKey))
    else {
        return number_test(draft, chance, scope);
    };
    let not = chance.word(&["", "", "", "", "", "NOT "]);
    match chance.below(10) {
        0..=2 => {
            let sign = chance.word(&["=", "=", "=", "<", ">", "<=", ">=", "<>", "<=>", "!="]);
            let value = kind.given(chance);
            if chance.one_in(4) {
                draft.value(chance, value);
                draft.say(&format!(" {sign} {name}"));
            } else {
                draft.say(&format!("{name} {sign} "));
                draft.value(chance, value);
            }
        }
        3..=5 => {
            draft.say(&format!("{name} {not}IN ("));
            for at in 0..=chance.below(5) as usize {
                draft.comma(at);
                let value = if chance.one_in(20) { Argument::Null } else { kind.given(chance) };
                draft.value(chance, value);
            }
            draft.say(")");
        }
        6 | 7 if kind == Kind::Key => {
            let low = key(chance);
            let high = low + chance.within(-1, 14);
            draft.say(&format!("{name} {not}BETWEEN "));
            draft.value(chance, Argument::Int(low));
            draft.say(" AND ");
            draft.value(chance, Argument::Int(high));
        }
        8 if kind == Kind::Key => {
            draft.say(&format!("{name} = "));
            let value = Argument::Int(key(chance));
            draft.value(chance, value);
            draft.say(chance.word(&[" + ", " - ", " * "]));
            let value = Argument::Int(chance.within(0, 3));
            draft.value(chance, value);
        }
        9 => written_otherwise(draft, chance, &name, kind),
        _ => {
            draft.say(&format!("{not}{name} = "));
            draft.given(chance, kind);
        }
    }
}

/// The key beside a value of another type.
fn written_otherwise(draft: &mut Draft, chance: &mut Chance, name: &str, kind: Kind) {
    let sign = chance.word(&["=", "=", "=", "<", ">=", "<>", "<=>"]);
    let number = chance.within(0, 30);
    let value = if kind == Kind::Key {
        match chance.below(14) {
            0 => format!("'{number}'"),
            1 => format!("{number}.0"),
            2 => format!("{number}.5"),
            3 => format!("{number}e0"),
            4 => format!("0x{number:02x}"),
            5 => "TRUE".to_owned(),
            6 => format!("-(-{number})"),
            7 => format!("'0{number}'"),
            8 => format!("({number})"),
            9 => format!("ABS(-{number})"),
            10 => format!("CAST({number} AS DECIMAL(10,2))"),
            11 => "18446744073709551615".to_owned(),
            12 => format!("IFNULL(NULL, {number})"),
            _ => format!("+{number}"),
        }
    } else {
        match chance.below(6) {
            0 => format!("CONCAT('k', {number})"),
            1 => format!("_utf8mb4'k{number}'"),
            2 => format!("X'6B{:02X}'", 0x30 + number % 10),
            3 => format!("'k{number} '"),
            4 => format!("BINARY 'k{number}'"),
            _ => format!("'K{number}' COLLATE utf8mb4_general_ci"),
        }
    };
    draft.say(&format!("{name} {sign} {value}"));
    // Conversions and BINARY warn, once for each node.
    draft.rules.repeated = true;
}

fn number_test(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    number(draft, chance, scope, 0);
    draft.say(chance.word(&[" = ", " < ", " > ", " <> ", " <=> "]));
    let value = Argument::Int(chance.within(0, 20));
    draft.value(chance, value);
}

fn compared(draft: &mut Draft, chance: &mut Chance, column: &Name) {
    let sign = chance.word(&["=", "<", ">", "<=", ">=", "<>", "<=>"]);
    let value = column.kind.value(chance);
    if chance.one_in(4) {
        draft.value(chance, value);
        draft.say(&format!(" {sign} {}", column.text));
    } else {
        draft.say(&format!("{} {sign} ", column.text));
        draft.value(chance, value);
    }
}

fn listed(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let column = scope.some(chance, is_plain).unwrap_or_else(|| scope.any(chance));
    draft.say(&format!("{} {}IN (", column.text, chance.word(&["", "", "NOT "])));
    for at in 0..=chance.below(4) as usize {
        draft.comma(at);
        let value = if chance.one_in(15) { Argument::Null } else { column.kind.given(chance) };
        draft.value(chance, value);
    }
    draft.say(")");
}

fn between(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let column = scope.some(chance, is_plain).unwrap_or_else(|| scope.any(chance));
    draft.say(&format!("{} {}BETWEEN ", column.text, chance.word(&["", "", "NOT "])));
    draft.given(chance, column.kind);
    draft.say(" AND ");
    draft.given(chance, column.kind);
}

fn pattern(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    text(draft, chance, scope);
    match chance.below(4) {
        0 => draft.say(chance.word(&[" REGEXP '^[ab]'", " NOT REGEXP 'b$'", " RLIKE 'a'"])),
        at => {
            draft.say(if at == 1 { " NOT LIKE " } else { " LIKE " });
            let pattern = Argument::Text(chance.word(&["a%", "%b", "_", "%", "", "A_", "x!%"]).to_owned());
            draft.value(chance, pattern);
            if chance.one_in(3) {
                draft.say(" ESCAPE '!'");
            }
        }
    }
}

fn calculated(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    match chance.below(4) {
        0 => {
            number(draft, chance, scope, 0);
            draft.say(chance.word(&[" < ", " > ", " = ", " <= "]));
            number(draft, chance, scope, 0);
        }
        1 => {
            moment(draft, chance, scope);
            draft.say(" IS NOT NULL");
        }
        2 => {
            draft.say("ABS(");
            number(draft, chance, scope, 0);
            draft.say(&format!(") % {} = {}", 2 + chance.below(5), chance.below(2)));
        }
        _ => {
            draft.say("COALESCE(");
            number(draft, chance, scope, 0);
            draft.say(", 3) ");
            draft.say(chance.word(&["IN (1, 2, 3, 4, 5)", "BETWEEN 2 AND 11", "NOT IN (3, 4)", "> 7"]));
        }
    }
}

/// Row values.
fn row(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let one = scope
        .some(chance, |kind| matches!(kind, Kind::Key | Kind::TextKey))
        .unwrap_or_else(|| scope.any(chance));
    let other =
        scope.some(chance, |kind| kind.is_integer() || kind == Kind::Decimal).unwrap_or_else(|| one.clone());
    draft.say(&format!("({}, {}) ", one.text, other.text));
    let many = chance.one_in(2);
    draft.say(if many { "IN (" } else { chance.word(&["= ", "<> ", "< ", ">= ", "<=> "]) });
    let rows = if many { 1 + chance.below(3) as usize } else { 1 };
    for at in 0..rows {
        draft.comma(at);
        draft.say("(");
        draft.given(chance, one.kind);
        draft.say(", ");
        draft.given(chance, other.kind);
        draft.say(")");
    }
    draft.say(if many { ")" } else { "" });
}

/// What ciphertext can tell.
fn sealed(draft: &mut Draft, chance: &mut Chance, column: &Name) {
    match chance.below(5) {
        0 => draft.say(&format!("{} IS {}NULL", column.text, chance.word(&["", "NOT "]))),
        1 | 2 => {
            draft.say(&format!("{} {}IN (", column.text, chance.word(&["", "", "NOT "])));
            for at in 0..=chance.below(3) as usize {
                draft.comma(at);
                draft.given(chance, column.kind);
            }
            draft.say(")");
        }
        _ => {
            draft.say(&format!("{} {} ", column.text, chance.word(&["=", "=", "<>"])));
            draft.given(chance, column.kind);
        }
    }
}

/// Types with forms of their own.
fn odd(draft: &mut Draft, chance: &mut Chance, scope: &Scope) {
    let kinds = [Kind::Enum, Kind::Set, Kind::Bit, Kind::Json, Kind::Time, Kind::Year];
    let kind = *chance.of_these(&kinds);
    let Some(Name { text, .. }) = scope.some(chance, |other| other == kind) else {
        return draft.say(chance.word(&["1 = 1", "0", "TRUE", "NULL IS NULL", "1 IN (1, 2)", "'a' = 'A'"]));
    };
    draft.say(
        &match kind {
            Kind::Enum => {
                chance.word(&["? = 'small'", "? > 2", "? IN ('a', 'Zed')", "? < 'medium'", "? + 0 > 1"])
            }
            Kind::Set => chance.word(&["FIND_IN_SET('x', ?)", "? & 2", "? = 'x,y'", "? = 3", "? LIKE '%z%'"]),
            Kind::Bit => chance.word(&["? & 1", "? = b'101'", "? > 12", "? + 0 < 9"]),
            Kind::Json => chance.word(&[
                "JSON_TYPE(?) = 'OBJECT'",
                "? -> '$.a' = 1",
                "? ->> '$.a' = 't'",
                "JSON_LENGTH(?) > 1",
                "JSON_CONTAINS(?, '1')",
            ]),
            Kind::Time => chance.word(&["? > '09:00:00'", "HOUR(?) < 12", "TIME_TO_SEC(?) > 0"]),
            _ => chance.word(&["? > 2020", "? + 1 = 2021", "? BETWEEN 2000 AND 2010"]),
        }
        .replace('?', &text),
    );
}
