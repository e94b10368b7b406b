//! What is said before the first command: greeting, login, switch of the authentication method, change of user.

use bytes::{BufMut, BytesMut};

use crate::{
    Error,
    caps::{Capabilities, Status},
    cursor::{Cursor, put_lenenc, put_string},
};

/// The length of a login's fixed part; a login that ends there asks for TLS.
pub const SSL_REQUEST: usize = 32;

/// The longest plugin data both sides of the 4.1 protocol take.
const NONCE: usize = 20;

/// The first message of a server (protocol 10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The version, as `SELECT VERSION()` gives it.
    pub version: String,
    /// The id of the session.
    pub thread: u32,
    /// What the authentication method needs, without its closing zero: 20 random bytes.
    pub nonce: Vec<u8>,
    /// What the server can do.
    pub capabilities: Capabilities,
    /// The default collation id.
    pub charset: u8,
    /// The state of the session.
    pub status: Status,
    /// The authentication method that the nonce is for.
    pub plugin: String,
}

impl Greeting {
    /// Reads a greeting.
    pub fn decode(payload: &[u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        let what = "a greeting";
        if cursor.u8(what)? != 10 {
            return Err(Error::Malformed { what: "protocol version of a greeting" });
        }
        let version = text(cursor.zero_terminated(what)?);
        let thread = cursor.u32(what)?;
        let mut nonce = cursor.bytes(8, what)?.to_vec();
        cursor.u8(what)?;
        let low = cursor.u16(what)?;
        let charset = cursor.u8(what)?;
        let status = Status::from_bits_retain(cursor.u16(what)?);
        let high = cursor.u16(what)?;
        let capabilities = Capabilities::from_bits_retain(u64::from(low) | u64::from(high) << 16);
        let len = usize::from(cursor.u8(what)?);
        cursor.bytes(10, what)?;
        nonce.extend_from_slice(cursor.bytes(len.saturating_sub(8).max(13).min(cursor.rest().len()), what)?);
        if nonce.len() > NONCE && nonce.last() == Some(&0) {
            nonce.pop();
        }
        let plugin = if capabilities.contains(Capabilities::PLUGIN_AUTH) {
            text(to_zero(&mut cursor))
        } else {
            "mysql_native_password".to_owned()
        };
        Ok(Self { version, thread, nonce, capabilities, charset, status, plugin })
    }

    /// Writes a greeting.
    pub fn encode(&self, out: &mut BytesMut) {
        let (first, second) = self.nonce.split_at(self.nonce.len().min(8));
        out.put_u8(10);
        put_zero_terminated(out, self.version.as_bytes());
        out.put_u32_le(self.thread);
        out.extend_from_slice(first);
        out.put_bytes(0, 8 - first.len() + 1);
        let bits = self.capabilities.bits();
        out.put_u16_le(bits as u16);
        out.put_u8(self.charset);
        out.put_u16_le(self.status.bits());
        out.put_u16_le((bits >> 16) as u16);
        out.put_u8((self.nonce.len() + 1).clamp(NONCE + 1, 255) as u8);
        out.put_bytes(0, 10);
        out.extend_from_slice(second);
        out.put_bytes(0, 1 + 12_usize.saturating_sub(second.len()));
        if self.capabilities.contains(Capabilities::PLUGIN_AUTH) {
            put_zero_terminated(out, self.plugin.as_bytes());
        }
    }
}

/// Connection attributes, still encoded.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Attributes<'a>(pub &'a [u8]);

impl<'a> Attributes<'a> {
    /// Name and value of each, as far as they can be read.
    pub fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut cursor = Cursor::new(self.0);
        std::iter::from_fn(move || {
            let name = cursor.string("name of an attribute").ok()?;
            Some((name, cursor.string("value of an attribute").ok()?))
        })
    }

    /// The value of one of them.
    pub fn get(self, name: &str) -> Option<&'a [u8]> {
        self.iter().find(|(each, _)| *each == name.as_bytes()).map(|(_, value)| value)
    }

    /// Appends one to the encoded form.
    pub fn put(out: &mut BytesMut, name: &str, value: &str) {
        put_string(out, name.as_bytes());
        put_string(out, value.as_bytes());
    }
}

/// The first message of a client (`HandshakeResponse41`), or its request for TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login<'a> {
    /// What the client can do; agreed is what both can.
    pub capabilities: Capabilities,
    /// The largest packet the client sends.
    pub max_packet: u32,
    /// The collation id.
    pub charset: u8,
    /// What stands behind the fixed part; nothing in a request for TLS.
    pub identity: Option<Identity<'a>>,
}

/// Who logs in, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The user, in the client's character set.
    pub user: &'a [u8],
    /// The first answer of the authentication method.
    pub auth: &'a [u8],
    /// The default database; empty is none.
    pub database: Option<&'a [u8]>,
    /// The authentication method.
    pub plugin: Option<&'a [u8]>,
    /// What the client tells of itself.
    pub attributes: Attributes<'a>,
    /// The level of zstd compression.
    pub zstd_level: Option<u8>,
}

impl<'a> Login<'a> {
    /// Reads a login or a request for TLS.
    ///
    /// `offered` are the capabilities of the greeting: what the client claims beyond them does not count.
    pub fn decode(payload: &'a [u8], offered: Capabilities) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        let what = "a login";
        let claimed = Capabilities::from_bits_retain(u64::from(cursor.u32(what)?));
        if !claimed.contains(Capabilities::PROTOCOL_41) {
            return Err(Error::Malformed { what: "login of a client before 4.1" });
        }
        let mut login = Self {
            capabilities: claimed & offered,
            max_packet: cursor.u32(what)?,
            charset: cursor.u8(what)?,
            identity: None,
        };
        cursor.bytes(23, what)?;
        if cursor.is_empty() && claimed.contains(Capabilities::SSL) {
            return Ok(login);
        }
        login.identity = Some(Identity::read(&mut cursor, claimed)?);
        Ok(login)
    }

    /// Writes a login, or a request for TLS when there is no identity.
    pub fn encode(&self, out: &mut BytesMut) {
        let capabilities = self.capabilities | Capabilities::PROTOCOL_41;
        out.put_u32_le(capabilities.bits() as u32);
        out.put_u32_le(self.max_packet);
        out.put_u8(self.charset);
        out.put_bytes(0, 23);
        if let Some(identity) = &self.identity {
            identity.write(out, capabilities);
        }
    }
}

impl<'a> Identity<'a> {
    fn read(cursor: &mut Cursor<'a>, capabilities: Capabilities) -> Result<Self, Error> {
        let what = "a login";
        let user = cursor.zero_terminated("user of a login")?;
        let auth = if capabilities.contains(Capabilities::PLUGIN_AUTH_LENENC) {
            cursor.string(what)?
        } else if capabilities.contains(Capabilities::SECURE_CONNECTION) {
            let len = cursor.u8(what)?;
            cursor.bytes(usize::from(len), what)?
        } else {
            to_zero(cursor)
        };
        let database = capabilities
            .contains(Capabilities::CONNECT_WITH_DB)
            .then(|| to_zero(cursor))
            .filter(|name| !name.is_empty());
        let plugin = capabilities.contains(Capabilities::PLUGIN_AUTH).then(|| to_zero(cursor));
        let attributes = if capabilities.contains(Capabilities::CONNECT_ATTRS) && !cursor.is_empty() {
            Attributes(cursor.string("attributes of a login")?)
        } else {
            Attributes::default()
        };
        let zstd_level = if capabilities.contains(Capabilities::ZSTD_COMPRESSION) && !cursor.is_empty() {
            Some(cursor.u8(what)?)
        } else {
            None
        };
        Ok(Self { user, auth, database, plugin, attributes, zstd_level })
    }

    fn write(&self, out: &mut BytesMut, capabilities: Capabilities) {
        put_zero_terminated(out, self.user);
        if capabilities.contains(Capabilities::PLUGIN_AUTH_LENENC) {
            put_string(out, self.auth);
        } else if capabilities.contains(Capabilities::SECURE_CONNECTION) {
            let auth = &self.auth[..self.auth.len().min(255)];
            out.put_u8(auth.len() as u8);
            out.extend_from_slice(auth);
        } else {
            put_zero_terminated(out, self.auth);
        }
        if capabilities.contains(Capabilities::CONNECT_WITH_DB) {
            put_zero_terminated(out, self.database.unwrap_or_default());
        }
        if capabilities.contains(Capabilities::PLUGIN_AUTH) {
            put_zero_terminated(out, self.plugin.unwrap_or_default());
        }
        if capabilities.contains(Capabilities::CONNECT_ATTRS) {
            put_lenenc(out, self.attributes.0.len() as u64);
            out.extend_from_slice(self.attributes.0);
        }
        if let (true, Some(level)) = (capabilities.contains(Capabilities::ZSTD_COMPRESSION), self.zstd_level)
        {
            out.put_u8(level);
        }
    }
}

/// A server asks for another authentication method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthSwitch<'a> {
    /// The method.
    pub plugin: &'a [u8],
    /// Its nonce, without the closing zero.
    pub nonce: &'a [u8],
}

impl<'a> AuthSwitch<'a> {
    /// The first byte of the message.
    pub const HEADER: u8 = 0xFE;

    /// Reads the request. The one without a method asks for the one of before 4.1, which nobody speaks any more.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload);
        if cursor.u8("an authentication switch")? != Self::HEADER {
            return Err(Error::Malformed { what: "header of an authentication switch" });
        }
        let plugin = cursor.zero_terminated("method of an authentication switch")?;
        let nonce = cursor.take_rest();
        Ok(Self { plugin, nonce: nonce.strip_suffix(&[0]).unwrap_or(nonce) })
    }

    /// Writes the request.
    pub fn encode(&self, out: &mut BytesMut) {
        out.put_u8(Self::HEADER);
        put_zero_terminated(out, self.plugin);
        put_zero_terminated(out, self.nonce);
    }
}

/// A server's next word within an authentication method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthMoreData<'a>(pub &'a [u8]);

impl<'a> AuthMoreData<'a> {
    /// The first byte of the message.
    pub const HEADER: u8 = 0x01;

    /// Reads it.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Error> {
        match payload {
            [Self::HEADER, data @ ..] => Ok(Self(data)),
            _ => Err(Error::Malformed { what: "header of authentication data" }),
        }
    }

    /// Writes it.
    pub fn encode(&self, out: &mut BytesMut) {
        out.put_u8(Self::HEADER);
        out.extend_from_slice(self.0);
    }
}

/// A client becomes another user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeUser<'a> {
    /// The user, in the client's character set.
    pub user: &'a [u8],
    /// The first answer of the authentication method, to the nonce of the greeting.
    pub auth: &'a [u8],
    /// The default database.
    pub database: Option<&'a [u8]>,
    /// The collation id.
    pub charset: Option<u16>,
    /// The authentication method.
    pub plugin: Option<&'a [u8]>,
    /// What the client tells of itself.
    pub attributes: Attributes<'a>,
}

impl<'a> ChangeUser<'a> {
    pub(crate) fn read(mut cursor: Cursor<'a>, capabilities: Capabilities) -> Result<Self, Error> {
        let what = "a change of user";
        let user = cursor.zero_terminated(what)?;
        let auth = if capabilities.contains(Capabilities::SECURE_CONNECTION) {
            let len = cursor.u8(what)?;
            cursor.bytes(usize::from(len), what)?
        } else {
            cursor.zero_terminated(what)?
        };
        let database = Some(to_zero(&mut cursor)).filter(|name| !name.is_empty());
        let charset = if cursor.is_empty() { None } else { Some(cursor.u16(what)?) };
        let plugin = (capabilities.contains(Capabilities::PLUGIN_AUTH) && !cursor.is_empty())
            .then(|| to_zero(&mut cursor));
        let attributes = if capabilities.contains(Capabilities::CONNECT_ATTRS) && !cursor.is_empty() {
            Attributes(cursor.string("attributes of a change of user")?)
        } else {
            Attributes::default()
        };
        Ok(Self { user, auth, database, charset, plugin, attributes })
    }

    /// Writes the command, for a server with these capabilities (those both sides agreed on).
    pub fn encode(&self, out: &mut BytesMut, capabilities: Capabilities) {
        out.put_u8(crate::command::code::CHANGE_USER);
        put_zero_terminated(out, self.user);
        if capabilities.contains(Capabilities::SECURE_CONNECTION) {
            let auth = &self.auth[..self.auth.len().min(255)];
            out.put_u8(auth.len() as u8);
            out.extend_from_slice(auth);
        } else {
            put_zero_terminated(out, self.auth);
        }
        put_zero_terminated(out, self.database.unwrap_or_default());
        let Some(charset) = self.charset else { return };
        out.put_u16_le(charset);
        if capabilities.contains(Capabilities::PLUGIN_AUTH) {
            put_zero_terminated(out, self.plugin.unwrap_or_default());
        }
        if capabilities.contains(Capabilities::CONNECT_ATTRS) {
            put_lenenc(out, self.attributes.0.len() as u64);
            out.extend_from_slice(self.attributes.0);
        }
    }
}

/// Takes a string up to a zero byte, or to the end where a client forgot it.
fn to_zero<'a>(cursor: &mut Cursor<'a>) -> &'a [u8] {
    cursor.zero_terminated("a string").unwrap_or_else(|_| cursor.take_rest())
}

/// Writes a string up to its first zero byte, and that byte.
fn put_zero_terminated(out: &mut BytesMut, text: &[u8]) {
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    out.extend_from_slice(&text[..end]);
    out.put_u8(0);
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
