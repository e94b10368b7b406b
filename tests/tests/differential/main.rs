//! The same statements on one plain MySQL and through the proxy, as text and prepared: the answers are the same.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod generated;
mod refusal;

use std::fmt::Write as _;
use std::path::Path;

use weir_tests::{
    Argument, Bed, Client, Failure, MODERN, Prepared, Reply, Rules, Script, Setup, Side, Step, differ, inline,
};
use wire::caps::Capabilities;

/// How statements travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Binary,
}

/// Runs a statement on both sides in the same form: what one of them does not prepare goes as text on both.
pub(crate) fn ask_both(
    plain: &mut Client,
    proxied: &mut Client,
    form: Form,
    text: &str,
    arguments: &[Argument],
) -> (Reply, Reply) {
    let query = inline(text, arguments);
    if form == Form::Text {
        return (plain.query(&query), proxied.query(&query));
    }
    let prepared = [plain.prepare(text), proxied.prepare(text)];
    let unfit = |prepared: &Result<Prepared, Failure>| matches!(prepared, Err(Failure::Server(fault)) if fault.code == 1295);
    if prepared.iter().any(unfit) {
        return (plain.query(&query), proxied.query(&query));
    }
    let [one, other] = prepared;
    (finish(plain, one, text, arguments), finish(proxied, other, text, arguments))
}

/// Runs a statement on one side.
fn ask(client: &mut Client, form: Form, text: &str, arguments: &[Argument]) -> Reply {
    let query = inline(text, arguments);
    if form == Form::Text {
        return client.query(query);
    }
    match client.prepare(text) {
        Err(Failure::Server(fault)) if fault.code == 1295 => client.query(query),
        prepared => finish(client, prepared, text, arguments),
    }
}

/// Executes and closes what was prepared; an error of preparing is the answer.
fn finish(
    client: &mut Client,
    prepared: Result<Prepared, Failure>,
    text: &str,
    arguments: &[Argument],
) -> Reply {
    let values: Vec<_> = arguments.iter().map(Argument::value).collect();
    let executed = prepared.and_then(|prepared| {
        let reply = client.execute(prepared.id, &values)?;
        client.close(prepared.id)?;
        Ok(reply)
    });
    match executed {
        Ok(reply) => reply,
        Err(Failure::Server(fault)) => Reply::Error(fault),
        Err(failure) => panic!("{text}: {failure}"),
    }
}

/// Runs a file of statements and reports every difference at once.
fn compare(file: &str, form: Form, setup: Setup) {
    compare_as(file, form, setup, MODERN);
}

/// The same as a client of these abilities.
fn compare_as(file: &str, form: Form, setup: Setup, capabilities: Capabilities) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql").join(file).with_extension("sql");
    let letter = if form == Form::Text { "text" } else { "binary" };
    let found = if capabilities.contains(Capabilities::FOUND_ROWS) { "_found" } else { "" };
    let name = format!("{file}_{letter}{}{found}", if setup == Setup::Units { "" } else { setup.prefix() });
    let script = Script::parse(&std::fs::read_to_string(&path).unwrap().replace("{db}", &name));
    let logical = Bed::shared().logical_on(&name, setup);
    let account = logical.bed.plain().database(&logical.name);
    let mut plain = account.capabilities(capabilities).client();
    let mut proxied = logical.account().capabilities(capabilities).client();
    let mut rules = Rules { named: file == "catalog", ..Rules::default() };
    let mut report = String::new();
    let mut differences = 0;
    for step in &script.steps {
        for (table, column) in &step.sharded {
            logical.shard(&format!("`{table}`"), column);
        }
        if let Some(difference) = take(step, form, &mut plain, &mut proxied, &mut rules) {
            differences += 1;
            let _ = writeln!(
                report,
                "\n{file}.sql:{} {form:?} {setup:?}: {}\n  {difference}",
                step.line, step.text
            );
        }
    }
    assert!(differences == 0, "{differences} of {} statements differ\n{report}", script.steps.len());
}

/// Runs one statement where it belongs and says what is not as it should be.
fn take(
    step: &Step,
    form: Form,
    plain: &mut Client,
    proxied: &mut Client,
    rules: &mut Rules,
) -> Option<String> {
    let form = if step.textual { Form::Text } else { form };
    rules.ordered = step.ordered;
    rules.approximate = step.approximate;
    rules.repeated = step.repeated;
    rules.worded = step.worded;
    rules.unwarned = step.unwarned;
    rules.planned = step.planned;
    rules.spelled = step.spelled;
    rules.shuffled = step.shuffled;
    rules.gathered = step.gathered;
    let succeeds = |reply: Reply| match reply {
        Reply::Error(fault) => Some(fault.to_string()),
        Reply::Done(_) | Reply::Rows(_) => None,
    };
    match &step.side {
        Side::Plain => succeeds(ask(plain, form, &step.text, &step.arguments)),
        Side::Proxy => succeeds(ask(proxied, form, &step.text, &step.arguments)),
        Side::Both => {
            let (expected, told) = ask_both(plain, proxied, form, &step.text, &step.arguments);
            differ(&expected, &told, rules)
        }
        Side::Either => {
            // A statement that is refused has not been begun, so that the other side is not asked for it.
            let told = ask(proxied, form, &step.text, &step.arguments);
            match &told {
                Reply::Error(fault) if refusal::kind(fault).is_some() => None,
                _ => differ(&ask(plain, form, &step.text, &step.arguments), &told, rules),
            }
        }
        Side::Refused(code, words) => match ask(proxied, form, &step.text, &step.arguments) {
            Reply::Error(fault) if fault.code == *code && fault.text.contains(words.as_str()) => None,
            Reply::Error(fault) => Some(format!("refused with {fault}\n  expected {code} … {words}")),
            Reply::Done(done) => Some(format!("was carried out: {done:?}")),
            Reply::Rows(table) => Some(format!("was answered: {:?}", table.text())),
        },
    }
}

macro_rules! files {
    ($($file:ident)*) => {$(
        mod $file {
            use super::{Form, Setup, compare};

            #[test]
            fn as_text() {
                compare(stringify!($file), Form::Text, Setup::Units);
            }

            #[test]
            fn prepared() {
                compare(stringify!($file), Form::Binary, Setup::Units);
            }

            #[test]
            fn over_readwrite_groups() {
                compare(stringify!($file), Form::Binary, Setup::Readwrite);
            }

            #[test]
            fn over_shadows() {
                compare(stringify!($file), Form::Binary, Setup::Shadow);
            }

            #[test]
            fn over_shadows_of_readwrite_groups() {
                compare(stringify!($file), Form::Text, Setup::Nested);
            }
        }
    )*};
}

files! {
    aggregate blocks catalog ddl encrypt errors filter finish insert keys modify names order refused select session single types
    definitions distinct grouping order_by
    bullets_select bullets_joins bullets_dml
    insert_select messages multi_table writes
}

/// Counts of clients that want the rows found instead of the rows changed.
mod found_rows {
    use wire::caps::Capabilities;

    use super::{Form, MODERN, Setup, compare_as};

    fn compare(file: &str) {
        compare_as(file, Form::Text, Setup::Units, MODERN | Capabilities::FOUND_ROWS);
    }

    #[test]
    fn of_modify() {
        compare("modify");
    }

    #[test]
    fn of_multi_table() {
        compare("multi_table");
    }

    #[test]
    fn of_insert_select() {
        compare("insert_select");
    }

    #[test]
    fn of_insert() {
        compare("insert");
    }
}

files! { define explain show }
