//! The PROXY protocol, versions 1 and 2: what a proxy in front tells of the client before the client's first byte.
//!
//! A function of the bytes that have come so far; it never asks for more than [`MAX`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::Error;

/// The longest header that is read: addresses, and room for more than proxies say in TLVs.
pub const MAX: usize = 4096;

/// The longest header of version 1, with its end of line.
const TEXT_MAX: usize = 107;

const TEXT: &[u8] = b"PROXY ";
const BINARY: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";

/// A header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// How many bytes it takes; what follows is the client's.
    pub len: usize,
    /// Where the client is; nothing when the proxy speaks for itself (health checks) or does not know.
    pub client: Option<SocketAddr>,
}

/// Reads the header at the front of `input`; nothing when more bytes are needed.
///
/// Bytes that can't begin one are an error at once.
pub fn read(input: &[u8]) -> Result<Option<Header>, Error> {
    let begins = |signature: &[u8]| input.iter().zip(signature).all(|(a, b)| a == b);
    if begins(TEXT) {
        text(input)
    } else if begins(BINARY) {
        binary(input)
    } else {
        Err(Error::Malformed { what: "no PROXY protocol" })
    }
}

/// `PROXY TCP4 192.0.2.1 198.51.100.1 51234 3306\r\n`
fn text(input: &[u8]) -> Result<Option<Header>, Error> {
    let what = "PROXY line";
    let malformed = Error::Malformed { what };
    let seen = &input[..input.len().min(TEXT_MAX)];
    let Some(end) = memchr::memmem::find(seen, b"\r\n") else {
        return if seen.len() < TEXT_MAX { Ok(None) } else { Err(malformed) };
    };
    let line = std::str::from_utf8(&seen[TEXT.len()..end]).map_err(|_| malformed.clone())?;
    let len = end + 2;
    let mut words = line.split(' ');
    let family = words.next();
    if family == Some("UNKNOWN") {
        return Ok(Some(Header { len, client: None }));
    }
    let mut address = || -> Option<IpAddr> {
        let word = words.next()?;
        match family? {
            "TCP4" => word.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
            "TCP6" => word.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
            _ => None,
        }
    };
    let (Some(source), Some(_)) = (address(), address()) else { return Err(malformed) };
    let mut port =
        || words.next().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok();
    let (Some(port), Some(_), None) = (port(), port(), words.next()) else { return Err(malformed) };
    let _: u16 = port;
    Ok(Some(Header { len, client: Some(SocketAddr::new(source, port)) }))
}

fn binary(input: &[u8]) -> Result<Option<Header>, Error> {
    let malformed = Error::Malformed { what: "PROXY header" };
    let Some(&[command, family, high, low]) = input.get(BINARY.len()..).and_then(<[u8]>::first_chunk) else {
        return Ok(None);
    };
    let start = BINARY.len() + 4;
    let len = start + usize::from(u16::from_be_bytes([high, low]));
    if len > MAX {
        return Err(Error::TooLarge { limit: MAX });
    }
    let proxied = match command {
        0x20 => false,
        0x21 => true,
        _ => return Err(malformed),
    };
    let Some(addresses) = input.get(start..len) else { return Ok(None) };
    // Addresses of both ends, then both ports; TLVs behind them say nothing that is needed here.
    let client = match family {
        // The proxy speaks for itself: whatever it says of addresses does not count.
        _ if !proxied => None,
        0x11 => {
            let (source, port) = source::<4>(addresses, 8).ok_or(malformed)?;
            Some(SocketAddr::new(Ipv4Addr::from(source).into(), port))
        }
        0x21 => {
            let (source, port) = source::<16>(addresses, 32).ok_or(malformed)?;
            Some(SocketAddr::new(Ipv6Addr::from(source).into(), port))
        }
        // Nothing is known, or both are on one machine.
        0x00 | 0x31 => None,
        _ => return Err(malformed),
    };
    Ok(Some(Header { len, client }))
}

/// The first address, and the first of the two ports that stand at `ports`.
fn source<const N: usize>(addresses: &[u8], ports: usize) -> Option<([u8; N], u16)> {
    let port = addresses.get(ports..ports + 4)?.first_chunk()?;
    Some((*addresses.first_chunk()?, u16::from_be_bytes(*port)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn header(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let len = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [&BINARY[..], &[command, family], &len, rest].concat()
    }

    fn v4() -> Vec<u8> {
        vec![192, 0, 2, 1, 198, 51, 100, 1, 0xC8, 0x22, 0x0C, 0xEA]
    }

    #[track_caller]
    fn told(input: &[u8], client: Option<&str>) {
        let expected = Header { len: input.len(), client: client.map(|client| client.parse().unwrap()) };
        // However it arrives, and whatever follows.
        for end in 0..input.len() {
            assert_eq!(read(&input[..end]), Ok(None), "{end} of {input:?}");
        }
        assert_eq!(read(input), Ok(Some(expected)));
        assert_eq!(read(&[input, b"\r\nmore"].concat()), Ok(Some(expected)));
    }

    #[test]
    fn lines_of_version_1() {
        told(b"PROXY TCP4 192.0.2.1 198.51.100.1 51234 3306\r\n", Some("192.0.2.1:51234"));
        told(b"PROXY TCP6 2001:db8::1 ::1 65535 0\r\n", Some("[2001:db8::1]:65535"));
        told(b"PROXY UNKNOWN\r\n", None);
        // The longest there are, as the specification has them.
        told(b"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", Some("255.255.255.255:65535"));
        let all = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
        told(format!("PROXY TCP6 {all} {all} 65535 65535\r\n").as_bytes(), Some(&format!("[{all}]:65535")));
        let longest = format!("PROXY UNKNOWN {all} {all} 65535 65535\r\n");
        assert_eq!(longest.len(), TEXT_MAX);
        told(longest.as_bytes(), None);
    }

    #[test]
    fn headers_of_version_2() {
        told(&header(0x21, 0x11, &v4()), Some("192.0.2.1:51234"));
        let v6 = [&[0x20, 1, 0x0d, 0xb8][..], &[0; 11], &[1], &[0; 16], &[0, 80, 0, 0]].concat();
        told(&header(0x21, 0x21, &v6), Some("[2001:db8::1]:80"));
        // With TLVs.
        told(&header(0x21, 0x11, &[v4(), vec![4; 500]].concat()), Some("192.0.2.1:51234"));
        // A health check, something unknown, a socket of the machine.
        told(&header(0x20, 0x00, b""), None);
        told(&header(0x20, 0x11, &v4()), None);
        told(&header(0x21, 0x00, b"xyz"), None);
        told(&header(0x21, 0x31, &[0; 216]), None);
    }

    #[test]
    fn what_is_no_header_is_refused() {
        for line in [
            "PROXY TCP4 192.0.2.1 198.51.100.1 51234\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 51234 3306 1\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 51234 65536\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.1 +1 3306\r\n",
            "PROXY TCP4 192.0.2.1  198.51.100.1 1 3306\r\n",
            "PROXY TCP4 ::1 ::1 1 3306\r\n",
            "PROXY TCP6 192.0.2.1 198.51.100.1 51234 3306\r\n",
            "PROXY TCP5 192.0.2.1 198.51.100.1 51234 3306\r\n",
            "PROXY \r\n",
            "PROXY TCP4 localhost 198.51.100.1 51234 3306\r\n",
            "GET / HTTP/1.1\r\n",
            "proxy TCP4",
            "PROXX",
        ] {
            assert!(matches!(read(line.as_bytes()), Err(Error::Malformed { .. })), "{line}");
        }
        let endless = ["PROXY UNKNOWN ", &"x".repeat(200)].concat();
        assert_eq!(read(&endless.as_bytes()[..TEXT_MAX - 1]), Ok(None));
        assert!(read(&endless.as_bytes()[..TEXT_MAX]).is_err());
        for wrong in [
            header(0x11, 0x11, &v4()),
            header(0x22, 0x11, &v4()),
            header(0x21, 0x12, &v4()),
            header(0x21, 0x41, &v4()),
            header(0x21, 0x11, &v4()[..11]),
            header(0x21, 0x21, &v4()),
        ] {
            assert!(matches!(read(&wrong), Err(Error::Malformed { .. })), "{wrong:?}");
        }
        let large = header(0x21, 0x11, &vec![0; MAX]);
        assert_eq!(read(&large[..16]), Err(Error::TooLarge { limit: MAX }));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_refused_read_or_waited_for(
            rest in prop::collection::vec(any::<u8>(), 0..300),
            line in "[TCP46UNKOW0-9a-f:. \r\n]{0,120}",
        ) {
            for input in [&rest[..], &[&BINARY[..], &rest].concat(), &[TEXT, line.as_bytes()].concat()] {
                match read(input) {
                    Ok(Some(header)) => prop_assert!(header.len <= input.len()),
                    Ok(None) => prop_assert!(input.len() < MAX),
                    Err(_) => {}
                }
            }
        }
    }
}
