//! The side that checks a password.

use std::sync::Arc;

use super::{
    Nonce, Plugin, Verifier,
    caching::{self, FAST_DONE, REQUEST_KEY, SHOW_PASSWORD},
    native,
    rsa::KeyPair,
};
use crate::handshake::{AuthMoreData, AuthSwitch};

/// What the server does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Refuse: 1045.
    Denied,
    /// Let in: first this payload if there is one, then OK.
    Done(Option<Vec<u8>>),
    /// Send this payload and feed the client's answer.
    Send(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// For the answer to the nonce.
    Answer(Plugin),
    /// For the password, or the request for the key.
    Password,
    /// For nothing: the exchange is over.
    Over,
}

/// One login, seen from the server.
///
/// Whether the user exists shows neither in the messages nor in their number: an unknown user has a
/// [decoy](Verifier::decoy) for a record.
#[derive(Debug)]
pub struct Server {
    record: Verifier,
    nonce: Nonce,
    secure: bool,
    key: Option<Arc<KeyPair>>,
    wait: Wait,
}

impl Server {
    /// For a user with this record, after a greeting with this nonce.
    ///
    /// `secure` says that nobody can listen (TLS, or a local socket); `key` serves the clients of whom that is not true.
    pub const fn new(record: Verifier, nonce: Nonce, secure: bool, key: Option<Arc<KeyPair>>) -> Self {
        Self { record, nonce, secure, key, wait: Wait::Over }
    }

    /// Takes method and answer of the login; a client that names no method means the native one.
    pub fn start(&mut self, plugin: Option<&[u8]>, answer: &[u8]) -> Step {
        let used = plugin.map_or(Some(Plugin::Native), Plugin::named);
        let wanted = self.record.required.or(used).unwrap_or(Plugin::CachingSha2);
        if used == Some(wanted) {
            return self.answer(wanted, answer);
        }
        if plugin.is_none() {
            return self.over(Step::Denied); // cannot be asked to switch
        }
        self.switch(wanted)
    }

    /// Takes method and answer of `COM_CHANGE_USER`. MySQL's own library sends no answer there before it is asked, with a
    /// password or without.
    pub fn restart(&mut self, plugin: Option<&[u8]>, answer: &[u8]) -> Step {
        let used = plugin.map(|name| Plugin::named(name).unwrap_or(Plugin::CachingSha2));
        match self.record.required.or(used) {
            Some(wanted) if plugin.is_some() && answer.is_empty() => self.switch(wanted),
            _ => self.start(plugin, answer),
        }
    }

    fn switch(&mut self, wanted: Plugin) -> Step {
        self.wait = Wait::Answer(wanted);
        let mut switch = bytes::BytesMut::new();
        AuthSwitch { plugin: wanted.name().as_bytes(), nonce: &self.nonce }.encode(&mut switch);
        Step::Send(switch.to_vec())
    }

    /// Takes the next message of the client.
    pub fn feed(&mut self, payload: &[u8]) -> Step {
        match self.wait {
            Wait::Answer(plugin) => self.answer(plugin, payload),
            Wait::Password => self.password(payload),
            Wait::Over => Step::Denied,
        }
    }

    fn answer(&mut self, plugin: Plugin, answer: &[u8]) -> Step {
        let fast = match plugin {
            Plugin::Native => {
                let right = native::verify(&self.record, &self.nonce, answer);
                return self.over(if right { Step::Done(None) } else { Step::Denied });
            }
            Plugin::CachingSha2 => caching::verify_fast(&self.record, &self.nonce, answer),
        };
        let empty = caching::is_empty(answer);
        if self.record.full && !empty {
            self.wait = Wait::Password;
            return Step::Send(more(&[SHOW_PASSWORD]));
        }
        let last = (!empty).then(|| more(&[FAST_DONE]));
        self.over(if fast { Step::Done(last) } else { Step::Denied })
    }

    fn password(&mut self, payload: &[u8]) -> Step {
        let password = if self.secure {
            payload.strip_suffix(&[0]).unwrap_or(payload).to_vec()
        } else {
            match (&self.key, payload) {
                (Some(key), [REQUEST_KEY]) => return Step::Send(more(key.public_pem().as_bytes())),
                (Some(key), encrypted) => key.decrypt(encrypted, &self.nonce).unwrap_or_default(),
                (None, _) => return self.over(Step::Denied),
            }
        };
        let right = self.record.matches(&password);
        self.over(if right { Step::Done(None) } else { Step::Denied })
    }

    const fn over(&mut self, step: Step) -> Step {
        self.wait = Wait::Over;
        step
    }
}

fn more(data: &[u8]) -> Vec<u8> {
    let mut payload = bytes::BytesMut::with_capacity(1 + data.len());
    AuthMoreData(data).encode(&mut payload);
    payload.to_vec()
}
