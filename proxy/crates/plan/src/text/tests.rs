//! Encrypted values in texts, as literals and as parameters, in rows and out of them.

use meta::{AlgorithmSpec, Otherwise, PoolSpec, Snapshot, TlsMode, UnitSpec};
use sql::{Fingerprinter, SlotIndex};
use wire::execute::Arg;
use wire::value::Value as Sent;

use super::*;
use crate::call::{Arguments, Value};
use crate::error::Error;
use crate::plan::Variant;
use crate::template::Template;

const PHONE: &str = "13800001111";
const AES: &str = "sFlUS8NkKpiSI2iT5H6MdQ==";
const MD5: &str = "596348fb29f87debf950ef0af1755126";

fn cipher(kind: &str, properties: &[(&str, &str)]) -> Arc<Cipher> {
    let properties = properties.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Arc::new(Cipher::parse(&AlgorithmSpec { kind: kind.to_owned(), properties }).unwrap())
}

fn of(value: Scalar, cipher: &Arc<Cipher>, role: Role) -> Op {
    Op::Cipher(Box::new(Ciphered {
        value,
        cipher: Arc::clone(cipher),
        role,
        table: "t_user".into(),
        column: "phone".into(),
    }))
}

fn aes(slot: SlotIndex) -> Op {
    of(Scalar::Slot(slot), &cipher("AES", &[("aes-key-value", "123456abc")]), Role::Stored)
}

fn md5(slot: SlotIndex) -> Op {
    of(Scalar::Slot(slot), &cipher("MD5", &[]), Role::Stored)
}

fn literal(text: &str) -> Op {
    Op::Literal(text.into())
}

struct Sheet {
    text: String,
    slots: SmallVec<[Slot; 12]>,
    mode: Mode,
}

impl Sheet {
    fn new(text: &str, mode: Mode) -> Self {
        let slots = Fingerprinter::fixed().fingerprint(text, mode).unwrap().slots;
        Self { text: text.to_owned(), slots, mode }
    }

    /// Where a slot stands.
    fn slot(&self, slot: u32) -> Span {
        let slot = self.slots[slot as usize];
        Span::at(slot.start..slot.end, &self.slots)
    }

    /// Where something stands for the n-th time, from 0.
    fn find(&self, what: &str, nth: usize) -> Span {
        let (start, found) = self.text.match_indices(what).nth(nth).unwrap();
        let start = u32::try_from(start).unwrap();
        Span::at(start..start + u32::try_from(found.len()).unwrap(), &self.slots)
    }

    /// The n-th stretch in parentheses.
    fn parens(&self, nth: usize) -> Span {
        Span { start: self.find("(", nth).start, end: self.find(")", nth).end }
    }

    fn end(&self) -> Place {
        Place::at(u32::try_from(self.text.len()).unwrap(), &self.slots)
    }

    fn write(&self, text: &Text, rows: &[u32], spans: &[Span]) -> String {
        let call = Call {
            text: &self.text,
            raw: self.text.as_bytes(),
            slots: &self.slots,
            params: None,
            ..Call::default()
        };
        let context = Context { database: None, rows: spans, limit: None, ordinals: &[], mode: self.mode };
        let mut out = Vec::new();
        text.write(&call, &unit(rows), context, &mut out);
        String::from_utf8(out).unwrap()
    }
}

fn unit(rows: &[u32]) -> RouteUnit {
    let variant = if rows.is_empty() { Variant::One } else { Variant::Many };
    RouteUnit { source: 0, unit: 0, node: None, variant, rows: rows.to_vec() }
}

#[test]
fn one_value_is_written_for_each_of_its_columns() {
    for value in [format!("'{PHONE}'"), PHONE.to_owned()] {
        let sheet = Sheet::new(&format!("({value}, 'a')"), Mode::default());
        let mut edits = Edits::default();
        edits.replace(sheet.slot(0), vec![aes(0), literal(", "), md5(0)]);
        let written = sheet.write(&edits.text(sheet.end()), &[], &[]);
        assert_eq!(written, format!("('{AES}', '{MD5}', 'a')"), "{value}");
    }
}

#[test]
fn null_stays_null() {
    let sheet = Sheet::new("x = NULL", Mode::default());
    let mut edits = Edits::default();
    edits.replace(sheet.find("NULL", 0), vec![of(Scalar::Null, &cipher("MD5", &[]), Role::Stored)]);
    assert_eq!(sheet.write(&edits.text(sheet.end()), &[], &[]), "x = NULL");
}

#[test]
fn digests_of_characters_are_quoted_for_the_mode() {
    let like = cipher("CHAR_DIGEST_LIKE", &[]);
    // With this mask `&` becomes a quote; with the usual one `[` becomes a backslash.
    let quote = cipher("CHAR_DIGEST_LIKE", &[("mask", "255")]);
    let raw = Mode { no_backslash_escapes: true, ..Mode::default() };
    for (mode, cipher, role, value, expected) in [
        (Mode::default(), &like, Role::Stored, "1234", "'0145'"),
        (Mode::default(), &like, Role::Stored, "[1", r"'\\0'"),
        (raw, &like, Role::Stored, "[1", r"'\0'"),
        (Mode::default(), &quote, Role::Stored, "&", "''''"),
        (raw, &quote, Role::Stored, "&", "''''"),
        (Mode::default(), &like, Role::Pattern, "[1%", r"'\\\\0%'"),
        (raw, &like, Role::Pattern, "12_4%", "'01_5%'"),
        (raw, &like, Role::Pattern, "[1%", r"'\0%'"),
    ] {
        let sheet = Sheet::new(&format!("'{value}'"), mode);
        let mut edits = Edits::default();
        edits.replace(sheet.slot(0), vec![of(Scalar::Slot(0), cipher, role)]);
        assert_eq!(sheet.write(&edits.text(sheet.end()), &[], &[]), expected, "{value} {mode:?}");
    }
}

/// Three rows whose second value is encrypted into two columns.
fn rows_of(sheet: &Sheet) -> (Text, [Span; 3]) {
    let mut edits = Edits::default();
    edits.name(sheet.find("t_user", 0), literal("t_user_0"));
    edits.insert(sheet.find(")", 0).start, vec![literal(", phone_md5")]);
    for row in 0..3_u32 {
        let slot = 2 * row + 1;
        edits.replace(sheet.slot(slot), vec![aes(slot)]);
        edits.insert(sheet.find(")", row as usize + 1).start, vec![literal(", "), md5(slot)]);
    }
    let rows = [sheet.parens(1), sheet.parens(2), sheet.parens(3)];
    (edits.split(&rows, sheet.end()).unwrap(), rows)
}

#[test]
fn rows_are_edited_wherever_they_go() {
    let text = "INSERT INTO t_user (id, phone) VALUES (1, '13800001111'), (2, 'b'), (3, '1') ON DUPLICATE KEY UPDATE id = 3";
    let sheet = Sheet::new(text, Mode::default());
    let (text, rows) = rows_of(&sheet);
    assert_eq!(
        sheet.write(&text, &[0, 2], &rows),
        format!(
            "INSERT INTO t_user_0 (id, phone, phone_md5) VALUES (1, '{AES}', '{MD5}'), \
             (3, 'Lm04PRW+sp+mG/QuimAUew==', 'c4ca4238a0b923820dcc509a6f75849b') ON DUPLICATE KEY UPDATE id = 3"
        )
    );
}

#[test]
fn rows_of_a_prepared_statement_take_their_own_parameters_along() {
    let sheet =
        Sheet::new("INSERT INTO t_user (id, phone) VALUES (?, ?), (2, 'b'), (?, '1')", Mode::default());
    let (text, rows) = rows_of(&sheet);
    let written = sheet.write(&text, &[2, 0], &rows);
    assert!(
        written.ends_with(
            "VALUES (?, 'Lm04PRW+sp+mG/QuimAUew==', 'c4ca4238a0b923820dcc509a6f75849b'), (?, ?, ?)"
        ),
        "{written}"
    );
    let context = Context { database: None, rows: &rows, limit: None, ordinals: &[], mode: sheet.mode };
    let params = text.params(&sheet.slots, &unit(&[2, 0]), context);
    let of = |param: &Param<'_>| match param {
        Param::Client(slot) => format!("{slot}"),
        Param::Own(it) => format!("{}:{:?}", it.cipher.name(), it.value),
        Param::Key(row) => format!("key {row}"),
        Param::Limit => "limit".to_owned(),
    };
    let params: Vec<String> = params.iter().map(of).collect();
    assert_eq!(params, ["4", "0", "AES:Slot(1)", "MD5:Slot(1)"]);
}

#[test]
fn rows_without_edits_are_copied() {
    let sheet = Sheet::new("INSERT INTO tt VALUES (1, 'a'), (2, 'b')", Mode::default());
    let mut edits = Edits::default();
    edits.name(sheet.find("tt", 0), literal("tt_0"));
    let rows = [sheet.parens(0), sheet.parens(1)];
    let text = edits.split(&rows, sheet.end()).unwrap();
    assert!(text.rows.is_empty());
    assert_eq!(sheet.write(&text, &[1], &rows), "INSERT INTO tt_0 VALUES (2, 'b')");
}

#[test]
fn what_is_added_around_a_replaced_value_stays() {
    let sheet = Sheet::new("a = 1", Mode::default());
    let mut edits = Edits::default();
    let value = sheet.slot(0);
    edits.replace(value, vec![literal("2")]);
    edits.insert(value.start, vec![literal("(")]);
    edits.insert(value.end, vec![literal(")")]);
    assert_eq!(sheet.write(&edits.text(sheet.end()), &[], &[]), "a = (2)");
}

struct Params(Vec<Value<'static>>);

impl Arguments for Params {
    fn value(&self, index: usize) -> Value<'_> {
        self.0.get(index).copied().unwrap_or(Value::Other)
    }
}

/// A template of a database of one unit, edited.
fn template(text: &str, edit: impl FnOnce(&Sheet, &mut Edits)) -> (Template, Sheet) {
    let spec = UnitSpec {
        host: "127.0.0.1".into(),
        port: 3306,
        database: "shop".into(),
        user: "app".into(),
        password: String::new(),
        tls: TlsMode::Disabled,
        pool: PoolSpec::default(),
        other: Default::default(),
    };
    let snapshot = Snapshot::default().create_database("shop", Otherwise::Fail).unwrap();
    let snapshot = snapshot.register_units("shop", vec![("ds_0".into(), spec)], Otherwise::Fail).unwrap();
    let sheet = Sheet::new(text, Mode::default());
    let fingerprint = Fingerprinter::fixed().fingerprint(text, sheet.mode).unwrap();
    let mut template = Template::draft(text, &fingerprint, sheet.mode, &snapshot, Some("shop")).unwrap();
    let mut edits = Edits::default();
    edit(&sheet, &mut edits);
    let written = edits.text(sheet.end());
    template.own_values = written.ciphered().next().is_some();
    template.own_params = written.has_own_params(&sheet.slots);
    template.one = Some(written);
    (template, sheet)
}

/// What a server gets in the place of the client's parameters.
fn args(template: &Template, sheet: &Sheet, params: Vec<Value<'static>>) -> Option<Vec<String>> {
    let params = Params(params);
    let call = Call {
        text: &sheet.text,
        raw: sheet.text.as_bytes(),
        slots: &sheet.slots,
        params: Some(&params),
        ..Call::default()
    };
    let plan = template.bind(&call).unwrap();
    let of = |arg: Arg<'_>| match arg {
        Arg::Client(at) => format!("client {at}"),
        Arg::Unsigned(number) => number.to_string(),
        Arg::Value(Sent::Bytes(bytes)) => String::from_utf8(bytes.to_vec()).unwrap(),
        Arg::Value(value) => format!("{value:?}"),
    };
    Some(template.args(&call, &plan.units[0])?.iter().map(of).collect())
}

#[test]
fn parameters_are_encrypted_doubled_and_put_in_another_order() {
    let text = "UPDATE u SET phone = ?, a = ? WHERE id = ?";
    let (template, sheet) = template(text, |sheet, edits| {
        let value = sheet.slot(0);
        let second = sheet.slot(1);
        edits.replace(
            value,
            vec![aes(0), literal(", phone_md5 = "), md5(0), literal(", b = "), Op::Copy(second)],
        );
    });
    let call = Call { text, raw: text.as_bytes(), slots: &sheet.slots, params: None, ..Call::default() };
    let mut out = Vec::new();
    template.render(&call, &unit(&[]), &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "UPDATE u SET phone = ?, phone_md5 = ?, b = ?, a = ? WHERE id = ?"
    );
    let values = vec![Value::Bytes(b"13800001111"), Value::Int(2), Value::Int(3)];
    let sent = args(&template, &sheet, values).unwrap();
    assert_eq!(sent, [AES, MD5, "client 1", "client 1", "client 2"]);
    let values = vec![Value::Null, Value::Int(2), Value::Int(3)];
    let sent = args(&template, &sheet, values).unwrap();
    assert_eq!(sent, ["Null", "Null", "client 1", "client 1", "client 2"]);
}

#[test]
fn the_clients_own_parameters_are_sent_when_no_other_is_needed() {
    let (template, sheet) = template("UPDATE u SET phone = '13800001111', a = ?", |sheet, edits| {
        edits.replace(sheet.slot(0), vec![aes(0)]);
    });
    assert_eq!(args(&template, &sheet, vec![Value::Int(1)]), None);
    assert!(!template.has_own_params());
}

#[test]
fn a_text_with_encrypted_parameters_can_be_named() {
    let (mut template, _) = template("UPDATE u SET phone = ?", |sheet, edits| {
        edits.replace(sheet.slot(0), vec![aes(0)]);
    });
    template.id = 7;
    assert!(template.text_id(&unit(&[])).is_some());
}

#[test]
fn a_value_that_is_no_text_is_refused_at_bind_but_not_at_prepare() {
    let (template, sheet) = template("UPDATE u SET phone = ?", |sheet, edits| {
        edits.replace(sheet.slot(0), vec![aes(0)]);
    });
    let bind = |params: Option<&dyn Arguments>| {
        let call = Call {
            text: &sheet.text,
            raw: sheet.text.as_bytes(),
            slots: &sheet.slots,
            params,
            ..Call::default()
        };
        template.bind(&call).map(|_| ())
    };
    assert_eq!(bind(None), Ok(()));
    assert_eq!(bind(Some(&Params(vec![Value::Bytes(b"ok")]))), Ok(()));
    let error = bind(Some(&Params(vec![Value::Bytes(b"\xff")]))).unwrap_err();
    assert_eq!(error, Error::Unencryptable { table: "t_user".into(), column: "phone".into() });
    assert_eq!((error.code(), error.state()), (30_001, "0A000"));
}
