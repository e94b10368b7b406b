//! A scripted MySQL server: it follows transactions and prepared statements by itself, the rest is the script's.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use bytes::BytesMut;
use wire::caps::{Capabilities, Status};
use wire::column::{Column, ColumnType};
use wire::command::code;
use wire::frame::{Assembler, put_with};
use wire::handshake::{Greeting, Login};
use wire::reply;
use wire::scan::Prepared;

/// What a peer answers to a statement.
#[derive(Clone)]
pub(crate) enum Answer {
    /// These bytes behind the frames of `Rows`, and then the end of the connection.
    Break(Vec<&'static str>),
    /// The end of the connection without a word.
    Close,
    /// An ERR packet.
    Err(u16),
    /// An ERR packet with this text.
    Said(u16, &'static str),
    /// OK, one row with this generated key.
    Inserted(u64),
    /// OK, one row changed, and then the end of the connection.
    Last,
    /// OK, so many rows changed.
    Ok(u64),
    /// OK, so many rows changed, with so many warnings.
    Warned(u64, u16),
    /// Like `Rows`, a byte at a time.
    Pieces(Vec<&'static str>),
    /// Rows of integers, their columns parted by commas: `id` of the table in the statement, then columns `c`.
    Rows(Vec<&'static str>),
}

/// What a peer answers to each statement; the peers of a world share one.
pub(crate) type Answers = Arc<dyn Fn(&str) -> Answer + Send + Sync>;

/// The server; its threads end with its connections.
pub(crate) struct Peer {
    pub(crate) port: u16,
    statements: Receiver<String>,
}

impl Peer {
    pub(crate) fn start(answer: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, statements) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (sender, answer) = (sender.clone(), Arc::clone(&answer));
                std::thread::spawn(move || {
                    stream.set_nodelay(true).unwrap();
                    let end = stream.try_clone().unwrap();
                    let mut talk = Talk::new(stream, sender, answer);
                    // A script that closes the connection ends it with nothing.
                    let _ = talk.serve();
                    let _ = end.shutdown(Shutdown::Both);
                });
            }
        });
        Self { port, statements }
    }

    /// The statements since the last call, of all connections.
    pub(crate) fn take(&self) -> Vec<String> {
        self.statements.try_iter().collect()
    }
}

struct Talk {
    stream: TcpStream,
    input: BytesMut,
    assembler: Assembler,
    sender: Sender<String>,
    answer: Answers,
    agreed: Capabilities,
    status: Status,
    prepared: Vec<String>,
    database: String,
}

impl Talk {
    fn new(stream: TcpStream, sender: Sender<String>, answer: Answers) -> Self {
        Self {
            stream,
            input: BytesMut::new(),
            assembler: Assembler::new(1 << 24),
            sender,
            answer,
            agreed: Capabilities::empty(),
            status: Status::AUTOCOMMIT,
            prepared: Vec::new(),
            database: String::new(),
        }
    }

    fn serve(&mut self) -> Option<()> {
        let capabilities = Capabilities::from_bits_retain(0xFFFF_FFFF)
            - (Capabilities::SSL | Capabilities::QUERY_ATTRIBUTES);
        let greeting = Greeting {
            version: "9.7.0".into(),
            thread: 1,
            nonce: (1..=20).collect(),
            capabilities,
            charset: 45,
            status: Status::AUTOCOMMIT,
            plugin: "mysql_native_password".into(),
        };
        self.put(0, |out| greeting.encode(out))?;
        self.assembler.expect(1);
        let login = self.message()?;
        let login = Login::decode(&login, capabilities).ok()?;
        self.agreed = login.capabilities;
        let database = login.identity.as_ref()?.database.unwrap_or_default();
        self.database = String::from_utf8_lossy(database).into_owned();
        let sequence = self.assembler.expected();
        self.ok(sequence, 0)?;
        loop {
            self.assembler.reset();
            let payload = self.message()?;
            let text = String::from_utf8_lossy(&payload[1..]).into_owned();
            if text.contains("SET @@SESSION.session_track") {
                self.ok(1, 0)?;
                continue;
            }
            match payload[0] {
                code::QUIT => return Some(()),
                code::STMT_CLOSE => self.sender.send("close".to_owned()).ok()?,
                code::STMT_PREPARE => {
                    self.sender.send(format!("prepare {text}")).ok()?;
                    let columns =
                        u16::from(matches!((self.answer)(&text), Answer::Pieces(_) | Answer::Rows(_)));
                    self.prepared.push(text);
                    let statement = u32::try_from(self.prepared.len()).ok()?;
                    let mut out = BytesMut::new();
                    let mut sequence = 1;
                    let prepared = Prepared { statement, columns, params: 0, warnings: 0 };
                    put_with(&mut out, &mut sequence, |out| prepared.encode(out));
                    if columns > 0 {
                        put_with(&mut out, &mut sequence, |out| Column::integer("c").encode(out));
                    }
                    self.stream.write_all(&out).ok()?;
                }
                code::STMT_EXECUTE => {
                    let statement = u32::from_le_bytes(*payload[1..].first_chunk()?);
                    let text = self.prepared.get(statement as usize - 1)?.clone();
                    self.sender.send(format!("execute {text}")).ok()?;
                    self.statement(&text, true)?;
                }
                _ => {
                    self.sender.send(text.clone()).ok()?;
                    self.statement(&text, false)?;
                }
            }
        }
    }

    fn statement(&mut self, text: &str, binary: bool) -> Option<()> {
        let answer = (self.answer)(text);
        if !matches!(answer, Answer::Err(_)) {
            if text.contains("autocommit=0") {
                self.status -= Status::AUTOCOMMIT;
            } else if text.contains("autocommit=@@GLOBAL.autocommit") {
                self.status |= Status::AUTOCOMMIT;
            } else if text.contains("t_") && !self.status.contains(Status::AUTOCOMMIT) {
                self.status |= Status::IN_TRANSACTION;
            }
            if text.starts_with("BEGIN") || text.starts_with("START") {
                self.status |= Status::IN_TRANSACTION;
            } else if text == "COMMIT" || text == "ROLLBACK" || text.starts_with("CREATE") {
                self.status -= Status::IN_TRANSACTION;
            }
        }
        match answer {
            Answer::Break(rows) => {
                let mut out = self.rows(text, &rows, binary);
                out.truncate(out.len() - 3);
                self.stream.write_all(&out).ok()?;
                None
            }
            Answer::Close => None,
            Answer::Err(code) => {
                self.put(1, |out| reply::Err { code, state: *b"HY000", message: b"scripted" }.encode(out))
            }
            Answer::Said(code, text) => {
                let error = reply::Err { code, state: *b"HY000", message: text.as_bytes() };
                self.put(1, |out| error.encode(out))
            }
            Answer::Inserted(insert_id) => {
                let ok = reply::Ok { affected: 1, insert_id, status: self.status, ..Default::default() };
                let agreed = self.agreed;
                self.put(1, |out| ok.encode(out, agreed))
            }
            Answer::Last => {
                self.ok(1, 1)?;
                None
            }
            Answer::Ok(affected) => self.ok(1, affected),
            Answer::Warned(affected, warnings) => {
                let ok = reply::Ok { affected, warnings, status: self.status, ..Default::default() };
                let agreed = self.agreed;
                self.put(1, |out| ok.encode(out, agreed))
            }
            Answer::Pieces(rows) => {
                for piece in self.rows(text, &rows, binary).chunks(1) {
                    self.stream.write_all(piece).ok()?;
                    std::thread::sleep(std::time::Duration::from_micros(300));
                }
                Some(())
            }
            Answer::Rows(rows) => {
                let out = self.rows(text, &rows, binary);
                self.stream.write_all(&out).ok()
            }
        }
    }

    fn rows(&self, text: &str, rows: &[&str], binary: bool) -> BytesMut {
        let mut out = BytesMut::new();
        let mut sequence = 1;
        let columns = rows.first().map_or(1, |row| row.split(',').count());
        put_with(&mut out, &mut sequence, |out| out.extend_from_slice(&[u8::try_from(columns).unwrap()]));
        let table =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| word.starts_with("t_"));
        for index in 0..columns {
            let name = if index == 0 { "id" } else { "c" };
            let table = table.unwrap_or_default().to_owned();
            let column = Column {
                schema: self.database.clone().into(),
                table: table.clone().into(),
                org_table: table.into(),
                org_name: name.into(),
                ..Column::new(name, ColumnType::LONG)
            };
            put_with(&mut out, &mut sequence, |out| column.encode(out));
        }
        for row in rows {
            put_with(&mut out, &mut sequence, |out| {
                if binary {
                    out.extend_from_slice(&vec![0; 1 + (columns + 2).div_ceil(8)]);
                    row.split(',')
                        .for_each(|cell| out.extend_from_slice(&cell.parse::<i32>().unwrap().to_le_bytes()));
                } else {
                    wire::row::put_text(out, row.split(',').map(|cell| Some(cell.as_bytes())));
                }
            });
        }
        let end = reply::Ok { status: self.status, ..Default::default() };
        put_with(&mut out, &mut sequence, |out| reply::put_end(out, &end, self.agreed));
        out
    }

    fn ok(&mut self, sequence: u8, affected: u64) -> Option<()> {
        let ok = reply::Ok { affected, status: self.status, ..Default::default() };
        let agreed = self.agreed;
        self.put(sequence, |out| ok.encode(out, agreed))
    }

    fn put(&mut self, mut sequence: u8, write: impl FnOnce(&mut BytesMut)) -> Option<()> {
        let mut out = BytesMut::new();
        put_with(&mut out, &mut sequence, write);
        self.stream.write_all(&out).ok()
    }

    fn message(&mut self) -> Option<BytesMut> {
        loop {
            if let Some(message) = self.assembler.next(&mut self.input).ok()? {
                return Some(message.payload);
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return None,
                Ok(read) => self.input.extend_from_slice(&buffer[..read]),
            }
        }
    }
}
