//! The forms of records.

use observe::{Event, Statement};

use super::class::{Classes, command_class};
use super::escape;
use super::record::{Field, Form, Writing, field, put_user, status};
use super::settings::Format;
use crate::file::Frame;

impl Format {
    /// What stands at the ends of each file.
    pub(super) const fn frame(self) -> Frame {
        match self {
            Self::Json => Frame { head: "", tail: "" },
            Self::Csv => Frame { head: field::HEADER, tail: "" },
            Self::Taurus => Frame { head: TAURUS, tail: "" },
            Self::New | Self::Old => {
                Frame { head: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<AUDIT>\n", tail: "</AUDIT>\n" }
            }
        }
    }

    /// Whether a file that starts like this is in this form.
    pub(super) fn begins(self, start: &[u8]) -> bool {
        let record: &[u8] = match self {
            Self::Json => b"{",
            Self::Csv | Self::Taurus => b"\"",
            Self::New => b"<AUDIT_RECORD>\n",
            Self::Old => b"<AUDIT_RECORD\n",
        };
        let rest = start.strip_prefix(self.frame().head.as_bytes());
        start.is_empty() || rest.is_some_and(|rest| rest.starts_with(record) || rest.is_empty())
    }

    /// Appends a record.
    pub(super) fn write(self, writing: &mut Writing, event: &Event<'_>, classes: Classes, out: &mut Vec<u8>) {
        match self {
            Self::Json => {
                out.extend_from_slice(b"{\"audit_record\":{");
                writing.write(&mut Json { out, first: true }, event, classes);
                out.extend_from_slice(b"}}\n");
            }
            Self::Csv => {
                writing.write(&mut Csv { out, first: true }, event, classes);
                out.push(b'\n');
            }
            Self::New => {
                out.extend_from_slice(b"<AUDIT_RECORD>\n");
                writing.write(&mut Elements { out }, event, classes);
                out.extend_from_slice(b"</AUDIT_RECORD>\n");
            }
            Self::Old => {
                out.extend_from_slice(b"<AUDIT_RECORD\n");
                writing.write(&mut Attributes { out }, event, classes);
                out.extend_from_slice(b"/>\n");
            }
            Self::Taurus => taurus(writing, event, out),
        }
    }
}

fn put(out: &mut Vec<u8>, parts: &[&str]) {
    parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

/// A JSON object.
struct Json<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl Json<'_> {
    fn name(&mut self, field: Field) {
        let key = field.key.as_bytes();
        let from = usize::from(std::mem::take(&mut self.first));
        self.out.extend_from_slice(&key[from..]);
    }
}

impl Form for Json<'_> {
    fn text(&mut self, field: Field, bytes: &[u8]) {
        self.name(field);
        self.out.push(b'"');
        let is_text = escape::json(self.out, bytes);
        self.out.push(b'"');
        if !is_text {
            put(self.out, &[",\"", field.name, "_encoding\":\"bytes\""]);
        }
    }

    fn plain(&mut self, field: Field, text: &str) {
        self.name(field);
        put(self.out, &["\"", text, "\""]);
    }

    fn bare(&mut self, field: Field, text: &str) {
        self.name(field);
        put(self.out, &[text]);
    }

    fn absent(&mut self, _: Field) {}
}

/// A line whose columns are all fields.
struct Csv<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl Csv<'_> {
    fn comma(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }
}

impl Form for Csv<'_> {
    fn text(&mut self, _: Field, bytes: &[u8]) {
        self.comma();
        self.out.push(b'"');
        escape::csv(self.out, bytes);
        self.out.push(b'"');
    }

    fn plain(&mut self, _: Field, text: &str) {
        self.comma();
        put(self.out, &["\"", text, "\""]);
    }

    fn bare(&mut self, _: Field, text: &str) {
        self.comma();
        put(self.out, &[text]);
    }

    fn absent(&mut self, _: Field) {
        self.comma();
    }
}

/// An XML element for each field.
struct Elements<'o> {
    out: &'o mut Vec<u8>,
}

impl Form for Elements<'_> {
    fn text(&mut self, field: Field, bytes: &[u8]) {
        let encoding = if escape::is_xml(bytes) { "" } else { " encoding=\"hex\"" };
        put(self.out, &["  <", field.upper, encoding, ">"]);
        escape::xml(self.out, bytes);
        put(self.out, &["</", field.upper, ">\n"]);
    }

    fn plain(&mut self, field: Field, text: &str) {
        self.bare(field, text);
    }

    fn bare(&mut self, field: Field, text: &str) {
        put(self.out, &["  <", field.upper, ">", text, "</", field.upper, ">\n"]);
    }

    fn absent(&mut self, _: Field) {}
}

/// An XML attribute for each field.
struct Attributes<'o> {
    out: &'o mut Vec<u8>,
}

impl Form for Attributes<'_> {
    fn text(&mut self, field: Field, bytes: &[u8]) {
        put(self.out, &["  ", field.upper, "=\""]);
        let is_text = escape::xml(self.out, bytes);
        put(self.out, &["\"\n"]);
        if !is_text {
            put(self.out, &["  ", field.upper, "_ENCODING=\"hex\"\n"]);
        }
    }

    fn plain(&mut self, field: Field, text: &str) {
        self.bare(field, text);
    }

    fn bare(&mut self, field: Field, text: &str) {
        put(self.out, &["  ", field.upper, "=\"", text, "\"\n"]);
    }

    fn absent(&mut self, _: Field) {}
}

/// The columns of TaurusDB's audit log.
const TAURUS: &str = "record_id,connection_id,connection_status,name,timestamp,command_class,sqltext,user,host,\
                      external_user,ip,default_db\n";

fn taurus(writing: &mut Writing, event: &Event<'_>, out: &mut Vec<u8>) {
    let head = event.head();
    let (name, class, text): (_, _, &[u8]) = match event {
        Event::Connect(_) => ("CONNECT", "connect", b""),
        Event::ChangeUser(_) => ("CONNECT", "change_user", b""),
        Event::Quit(_) => ("QUIT", "quit", b""),
        Event::Statement(statement) => (query(statement), command_class(statement), writing.cut(statement).0),
    };
    let host = super::filter::host(head.client).as_bytes();
    let mut user = Vec::new();
    put_user(&mut user, head);
    let mut form = Csv { out, first: true };
    let any = field::NAME;
    form.plain(any, writing.record(head));
    form.plain(any, itoa::Buffer::new().format(head.session));
    form.bare(any, itoa::Buffer::new().format(status(head)));
    form.plain(any, name);
    form.plain(any, writing.second(head));
    form.plain(any, class);
    form.text(any, text);
    form.text(any, &user);
    form.text(any, host);
    form.plain(any, "");
    form.text(any, host);
    form.text(any, head.database.as_bytes());
    out.push(b'\n');
}

/// Every statement is a query there, however it was sent, but for those that are only prepared.
const fn query(statement: &Statement<'_>) -> &'static str {
    match statement.command {
        observe::Command::Prepare => "PREPARE",
        observe::Command::Execute => "EXECUTE",
        _ => "QUERY",
    }
}
