//! JDBC URLs: `jdbc:mysql://host[:port]/db[?k=v&k2=v2]` (`distsql.md` §2).

use crate::unit::{TlsMode, UnitError, UnitSpec};

/// Port when the URL names none.
const DEFAULT_PORT: u64 = 3306;

/// What a URL has to look like, for the error.
pub(crate) const PATTERN: &str = "jdbc:mysql://host[:port]/database[?key=value&…]";

/// Reads a URL into a unit without user and password. Parameters we know nothing of are kept.
pub(crate) fn parse(url: &str) -> Result<UnitSpec, UnitError> {
    let refuse = || UnitError::Url(url.to_owned());
    let rest = strip_scheme(url.trim()).ok_or_else(refuse)?;
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, query),
        None => (rest, ""),
    };
    let (authority, database) = rest.split_once('/').ok_or_else(refuse)?;
    let (host, port) = split_port(authority).ok_or_else(refuse)?;
    if host.is_empty() || host.contains([',', '@', '/']) || database.is_empty() || database.contains('/') {
        return Err(refuse());
    }
    let mut spec = UnitSpec::at(host, port, &decode(database))?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decode(name), decode(value));
        if !spec.secure(&name, &value)? {
            spec.other.insert(name, value);
        }
    }
    Ok(spec)
}

/// Writes the URL of a unit; [`parse`] makes of it all but the account and the pool.
pub(crate) fn print(unit: &UnitSpec) -> String {
    let tls = (unit.tls == TlsMode::Required).then(|| "sslMode=REQUIRED".to_owned());
    let others = unit.other.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    let parameters: Vec<_> = tls.into_iter().chain(others).collect();
    let sign = if parameters.is_empty() { "" } else { "?" };
    let database = encode(&unit.database);
    format!("jdbc:mysql://{}/{database}{sign}{}", unit.address(), parameters.join("&"))
}

/// Writes signs that mean something in a URL as `%41`.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b':' | b'$' | b',' | b'+' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn strip_scheme(url: &str) -> Option<&str> {
    ["jdbc:mysql://", "jdbc:mariadb://", "mysql://"].iter().find_map(|scheme| {
        let head = url.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then(|| &url[scheme.len()..])
    })
}

/// Host and port; an IPv6 address is in brackets.
fn split_port(authority: &str) -> Option<(&str, u64)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, tail) = rest.split_once(']')?;
            match tail {
                "" => (host, None),
                _ => (host, Some(tail.strip_prefix(':')?)),
            }
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    match port {
        None => Some((host, DEFAULT_PORT)),
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some((host, port.parse().ok()?)),
        Some(_) => None,
    }
}

/// Undoes `%41`; a percent sign that begins no such thing stays.
fn decode(text: &str) -> String {
    let hex = |digit: Option<&u8>| (*digit? as char).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        match (byte, hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_host_port_database_and_parameters() {
        let spec =
            parse("jdbc:mysql://db.example:13306/sbtest?serverTimezone=UTC&useSSL=true&x=a%26b").unwrap();
        assert_eq!((spec.address().as_str(), spec.database.as_str()), ("db.example:13306", "sbtest"));
        assert_eq!(spec.tls, TlsMode::Required);
        let other: Vec<_> = spec.other.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(other, ["serverTimezone=UTC", "x=a&b"]);
    }

    #[test]
    fn takes_port_3306_and_no_tls_when_nothing_is_said() {
        for url in ["jdbc:mysql://h/d", "JDBC:MySQL://h/d?", "jdbc:mysql://h/d?useSSL=false"] {
            let spec = parse(url).unwrap();
            assert_eq!((spec.address().as_str(), spec.tls), ("h:3306", TlsMode::Disabled), "{url}");
        }
        assert_eq!(parse("jdbc:mysql://h/d?sslMode=REQUIRED").unwrap().tls, TlsMode::Required);
    }

    #[test]
    fn reads_ipv6_addresses_in_brackets() {
        assert_eq!(parse("jdbc:mysql://[::1]:33060/d").unwrap().address(), "[::1]:33060");
        assert_eq!(parse("jdbc:mysql://[fe80::2]/d").unwrap().address(), "[fe80::2]:3306");
    }

    #[test]
    fn writes_what_it_reads() {
        for url in [
            "jdbc:mysql://h:1/d",
            "jdbc:mysql://[::1]:33060/d?sslMode=REQUIRED&serverTimezone=Europe%2FBerlin&x=a%26b%3D%C3%A9",
            "jdbc:mysql://h:3306/a%2Fb%3F",
        ] {
            assert_eq!(print(&parse(url).unwrap()), url);
        }
    }

    #[test]
    fn refuses_what_is_no_url() {
        for url in [
            "",
            "localhost:3306/db",
            "jdbc:postgresql://h/d",
            "jdbc:mysql://h",
            "jdbc:mysql://h/",
            "jdbc:mysql:///d",
            "jdbc:mysql://h:port/d",
            "jdbc:mysql://a,b/d",
            "jdbc:mysql://[::1/d",
            "jdbc:mysql://h/d/e",
        ] {
            let text = parse(url).unwrap_err().to_string();
            assert!(text.starts_with(&format!("The URL `{url}` is not recognized")), "{text}");
        }
        assert_eq!(
            parse("jdbc:mysql://h:99999/d").unwrap_err().to_string(),
            "port 99999 is not between 1 and 65535"
        );
    }
}
