//! Networks by which others are told apart.

use std::net::IpAddr;

use crate::users::within;

/// Whether an address is in a network: `*` (all), an address, or `10.0.0.0/8`; nothing where `network` is none of these.
pub fn is_in_network(peer: IpAddr, network: &str) -> Option<bool> {
    let peer = peer.to_canonical();
    if network == "*" {
        return Some(true);
    }
    match network.split_once('/') {
        Some((network, mask)) => within(peer, network, mask),
        None => network.parse::<IpAddr>().ok().map(|address| address.to_canonical() == peer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_who_is_in_a_network() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("10.0.0.0/255.0.0.0", "10.255.0.1", "11.0.0.1"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
            ("192.0.2.7", "::ffff:192.0.2.7", "::1"),
            ("2001:db8::/32", "2001:db8:1::1", "2001:db9::1"),
            ("0.0.0.0/0", "1.2.3.4", "::1"),
        ] {
            assert_eq!(is_in_network(inside.parse().unwrap(), network), Some(true), "{network}");
            assert_eq!(is_in_network(outside.parse().unwrap(), network), Some(false), "{network}");
        }
        assert_eq!(is_in_network("::1".parse().unwrap(), "*"), Some(true));
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "host", "10.0.0.0/", "**"] {
            assert_eq!(is_in_network("10.0.0.1".parse().unwrap(), wrong), None, "{wrong}");
        }
    }
}
