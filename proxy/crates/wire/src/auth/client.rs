//! The side that knows a password.

use std::fmt;

use super::{
    Plugin,
    caching::{self, FAST_DONE, REQUEST_KEY, SHOW_PASSWORD},
    native, rsa,
};
use crate::{
    Error,
    handshake::{AuthMoreData, AuthSwitch},
    reply,
};

/// What the client does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reaction {
    /// Give up: the payload is the server's ERR.
    Denied,
    /// In: the payload is the server's OK.
    Done,
    /// Send this payload (it may be empty) and feed the answer.
    Send(Vec<u8>),
    /// Feed the next message.
    Wait,
}

/// One login, seen from the client.
pub struct Client {
    password: String,
    secure: bool,
    plugin: Plugin,
    nonce: Vec<u8>,
    /// Whether the server was asked for its key.
    asked_for_key: bool,
}

impl Client {
    /// With this password; `secure` says that nobody can listen (TLS, or a local socket).
    pub const fn new(password: String, secure: bool) -> Self {
        Self { password, secure, plugin: Plugin::CachingSha2, nonce: Vec::new(), asked_for_key: false }
    }

    /// The method to name in the login and the answer to put into it, for a server that greets with these.
    ///
    /// A server with a method of another kind gets the answer of a known one and will ask to switch.
    pub fn start(&mut self, plugin: &str, nonce: &[u8]) -> (Plugin, Vec<u8>) {
        self.plugin = Plugin::named(plugin.as_bytes()).unwrap_or(Plugin::CachingSha2);
        self.nonce = nonce.to_vec();
        (self.plugin, self.answer())
    }

    /// Takes the next message of the server.
    pub fn feed(&mut self, payload: &[u8]) -> Result<Reaction, Error> {
        match payload.first() {
            Some(&reply::OK) => Ok(Reaction::Done),
            Some(&reply::ERR) => Ok(Reaction::Denied),
            Some(&AuthSwitch::HEADER) => {
                let switch = AuthSwitch::decode(payload)?;
                self.plugin = Plugin::named(switch.plugin).ok_or_else(|| Error::UnknownPlugin {
                    name: String::from_utf8_lossy(switch.plugin).into_owned(),
                })?;
                self.nonce = switch.nonce.to_vec();
                self.asked_for_key = false;
                Ok(Reaction::Send(self.answer()))
            }
            Some(&AuthMoreData::HEADER) => self.more(AuthMoreData::decode(payload)?.0),
            _ => Err(Error::Malformed { what: "answer to a login" }),
        }
    }

    fn answer(&self) -> Vec<u8> {
        match self.plugin {
            Plugin::CachingSha2 => caching::scramble(self.password.as_bytes(), &self.nonce),
            Plugin::Native => native::scramble(self.password.as_bytes(), &self.nonce),
        }
    }

    fn more(&mut self, data: &[u8]) -> Result<Reaction, Error> {
        if self.plugin != Plugin::CachingSha2 {
            return Err(Error::Malformed { what: "authentication data" });
        }
        Ok(match data {
            _ if self.asked_for_key => {
                self.asked_for_key = false;
                Reaction::Send(rsa::encrypt(data, self.password.as_bytes(), &self.nonce)?)
            }
            [FAST_DONE] => Reaction::Wait,
            [SHOW_PASSWORD] if self.secure => Reaction::Send([self.password.as_bytes(), &[0]].concat()),
            [SHOW_PASSWORD] => {
                self.asked_for_key = true;
                Reaction::Send(vec![REQUEST_KEY])
            }
            _ => return Err(Error::Malformed { what: "authentication data" }),
        })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("plugin", &self.plugin).finish_non_exhaustive()
    }
}
