//! One client on both sides.

use std::collections::VecDeque;
use std::fmt::Write as _;

use fastrand::Rng;
use weir_tests::{Client, Failure, Fault, Reply, Rules, differ};
use wire::caps::Status;

use crate::ground::{Ground, ROWS, fill, home};
use crate::known::known;
use crate::prepared::Statement;
use crate::tally::Tally;

/// Statements that a finding tells.
const TRAIL: usize = 25;

/// The step cannot go on: there is a finding, or the session is gone.
pub(crate) struct Broken;

/// A difference that is known.
pub(crate) enum Known {
    /// Both sides go on.
    Cosmetic(&'static str),
    /// The sessions are not the same any more.
    Parted(&'static str),
}

/// What becomes of a step.
pub(crate) type Outcome<T = ()> = Result<T, Broken>;

/// A client: a session with the proxy and one with the plain server that do the same.
pub(crate) struct Twin<'a> {
    pub(crate) ground: &'a Ground,
    pub(crate) tally: &'a Tally,
    pub(crate) number: u32,
    pub(crate) rng: Rng,
    pub(crate) plain: Client,
    pub(crate) proxied: Client,
    pub(crate) statements: Vec<Statement>,
    /// The state that the plain server told last.
    pub(crate) status: Status,
    /// The current database may have tables on several servers.
    pub(crate) sharded: bool,
    /// Steps since the session began to hold a connection; 0 while it holds none.
    pub(crate) held: u32,
    /// The last answer was no server's: what it left behind is not compared.
    pub(crate) aside: bool,
    steps: u64,
    trail: VecDeque<String>,
}

impl<'a> Twin<'a> {
    pub(crate) fn new(ground: &'a Ground, tally: &'a Tally, number: u32) -> Self {
        let home = home(number);
        Self {
            ground,
            tally,
            number,
            rng: Rng::with_seed(tally.seed.wrapping_mul(1000) + u64::from(number)),
            plain: ground.plain(home).client(),
            proxied: ground.proxied(home).client(),
            statements: Vec::new(),
            status: Status::AUTOCOMMIT,
            sharded: home == "leak_s",
            held: 0,
            aside: false,
            steps: 0,
            trail: VecDeque::new(),
        }
    }

    /// Does something, looks at something.
    pub(crate) fn step(&mut self) {
        self.steps += 1;
        if self.act().is_err() {
            self.reopen();
            self.restore();
        }
    }

    /// Leaves.
    pub(crate) fn end(self) {
        self.free_contested();
    }

    /// Both sides anew, as a client that comes back.
    pub(crate) fn reopen(&mut self) {
        self.free_contested();
        let home = home(self.number);
        self.note("-- a new session");
        let proxied = self.ground.proxied(home).connect();
        match proxied {
            Ok(client) => self.proxied = client,
            Err(failure) => {
                self.find("login", &failure.to_string());
                self.proxied = self.ground.proxied(home).client();
            }
        }
        self.plain = self.ground.plain(home).client();
        self.begin();
    }

    /// Nothing is known but what a new session is.
    pub(crate) fn begin(&mut self) {
        self.statements.clear();
        self.status = Status::AUTOCOMMIT;
        self.sharded = home(self.number) == "leak_s";
        self.held = 0;
        self.aside = true;
    }

    /// The client's rows as at the beginning, where both sides may have parted.
    fn restore(&mut self) {
        fill(&mut self.plain, self.number).unwrap_or_else(|told| panic!("the plain server: {told}"));
        for _ in 0..30 {
            match fill(&mut self.proxied, self.number) {
                Ok(()) => return,
                Err(told) => self.note(&format!("-- its rows could not be put back: {told}")),
            }
            self.reopen();
        }
        self.find("-- its rows anew", "could not be put back in 30 sessions");
    }

    /// Fills in who the client is; `id` and `user` are the session's own.
    fn filled(&self, text: &str, client: &Client, user: &str) -> String {
        let first = self.number * ROWS;
        text.replace("{n}", &self.number.to_string())
            .replace("{lo}", &first.to_string())
            .replace("{hi}", &(first + ROWS - 1).to_string())
            .replace("{mid}", &(first + 8).to_string())
            .replace("{mid1}", &(first + 9).to_string())
            .replace("{id}", &client.greeting.thread.to_string())
            .replace("{user}", user)
    }

    pub(crate) fn for_plain(&self, text: &str) -> String {
        self.filled(text, &self.plain, "test")
    }

    pub(crate) fn for_proxied(&self, text: &str) -> String {
        self.filled(text, &self.proxied, "root")
    }

    /// Remembers a statement for the finding it may lead to.
    pub(crate) fn note(&mut self, text: &str) {
        if self.trail.len() == TRAIL {
            self.trail.pop_front();
        }
        self.trail.push_back(text.to_owned());
    }

    /// Keeps a finding.
    pub(crate) fn find(&self, text: &str, what: &str) {
        let mut told = format!(
            "client {} (connection {}), step {}: {text}\n{what}\n  after:",
            self.number, self.proxied.greeting.thread, self.steps
        );
        for earlier in &self.trail {
            let _ = write!(told, "\n    {earlier}");
        }
        self.tally.found(told);
    }

    /// Asks both sides and compares their answers; the answer is the plain server's, or nothing if the proxy refused by
    /// name or had no connection to spare.
    pub(crate) fn ask(&mut self, text: &str) -> Outcome<Option<Reply>> {
        let (plain, proxied) = (self.for_plain(text), self.for_proxied(text));
        self.note(&proxied);
        self.tally.count("answers compared");
        let told = self.proxied.try_query(&proxied);
        let Some(told) = self.heard(&proxied, told)? else { return Ok(None) };
        let expected = self.plain.try_query(&plain);
        self.compare(&proxied, expected, &told).map(Some)
    }

    /// Sorts out the proxy's answer: nothing if it is no server's.
    pub(crate) fn heard(&mut self, text: &str, told: Result<Reply, Failure>) -> Outcome<Option<Reply>> {
        match told {
            Ok(Reply::Error(fault)) if self.is_aside(&fault) => {
                self.aside = true;
                Ok(None)
            }
            Ok(reply) => Ok(Some(reply)),
            Err(failure) => {
                self.find(text, &format!("the proxy: {failure}"));
                Err(Broken)
            }
        }
    }

    /// Whether an error is the proxy's own, about what it has not.
    pub(crate) fn is_aside(&self, fault: &Fault) -> bool {
        match fault.code {
            30001 => self.tally.refused(&fault.text),
            1040 => self.tally.count("no connection to spare"),
            // On a busy machine a server may take long to greet.
            2003 => self.tally.count("no connection opened in time"),
            _ => return false,
        }
        true
    }

    /// Compares an answer.
    pub(crate) fn compare(
        &mut self,
        text: &str,
        expected: Result<Reply, Failure>,
        told: &Reply,
    ) -> Outcome<Reply> {
        let expected = expected.unwrap_or_else(|failure| panic!("the plain server: {text}: {failure}"));
        let rules = Rules {
            ordered: true,
            repeated: self.sharded,
            gathered: self.sharded,
            planned: self.sharded,
            ..Rules::default()
        };
        self.aside = false;
        match &expected {
            Reply::Done(done) => self.status = done.status,
            Reply::Rows(table) => self.status = table.end.status,
            Reply::Error(_) => {}
        }
        let Some(difference) = differ(&expected, told, &rules) else { return Ok(expected) };
        match known(text, &difference, home(self.number)) {
            Some(Known::Cosmetic(what)) => {
                self.tally.count(&format!("known: {what}"));
                return Ok(expected);
            }
            Some(Known::Parted(what)) => self.tally.count(&format!("known: {what}")),
            None => self.find(text, &difference),
        }
        Err(Broken)
    }

    /// Asks for each of these.
    pub(crate) fn ask_all(&mut self, texts: &[&str]) -> Outcome {
        texts.iter().try_for_each(|text| self.ask(text).map(drop))
    }

    /// Asks for one of these.
    pub(crate) fn ask_one(&mut self, texts: &[&str]) -> Outcome<Option<Reply>> {
        let text = self.one_of(texts);
        self.ask(text)
    }

    /// One of these.
    pub(crate) fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.rng.usize(..texts.len())]
    }

    /// Whether statements of this session stay in a transaction.
    pub(crate) fn in_transaction(&self) -> bool {
        self.status.contains(Status::IN_TRANSACTION) || !self.status.contains(Status::AUTOCOMMIT)
    }
}
