//! Which addresses may be asked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is of the public internet: not this machine's, not of a private or local
/// network, not set apart for documents, tests or groups.
///
/// Sources: IANA's IPv4 and IPv6 special-purpose address registries (RFC 6890).
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match inner_v4(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let apart = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        // Shared by carriers, for protocols, and for benchmarks.
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (b == 18 || b == 19));
    !apart
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let apart = address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        // Site-local of old, for documents, and discarded.
        || first & 0xffc0 == 0xfec0
        || (first == 0x2001 && second == 0x0db8)
        || first == 0x0100;
    !apart
}

/// The IPv4 address inside of an IPv6 one: mapped, compatible, 6to4 or NAT64.
fn inner_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match s {
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(of(high, low)),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(of(high, low)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        _ => None,
    }
}

/// Whether a host is among those that a list names: itself, or below a `*.` entry.
pub(super) fn is_listed(host: &str, list: &[String]) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    list.iter().any(|entry| {
        let entry = entry.to_ascii_lowercase();
        match entry.strip_prefix("*.") {
            Some(parent) => {
                let below = host.strip_suffix(parent);
                below.is_some_and(|below| below.ends_with('.') && below.len() > 1)
            }
            None => host == entry,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_public() {
        for address in [
            "93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "100.128.0.1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
            "0.0.0.0", "0.1.2.3", "100.64.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1",
            "198.18.0.1", "240.0.0.1", "::", "::1", "fc00::1", "fd12::1", "fe80::1", "ff02::1",
            "fec0::1", "2001:db8::1", "100::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "::127.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_host_is_listed_by_itself_or_by_what_it_stands_below() {
        let list = ["Example.org".to_owned(), "*.wiki.test".to_owned()];
        for host in [
            "example.org", "EXAMPLE.ORG.", "en.wiki.test", "a.b.wiki.test",
        ] {
            assert!(is_listed(host, &list), "{host}");
        }
        for host in [
            "evil-example.org", "a.example.org", "wiki.test", "evilwiki.test", ".wiki.test", "",
        ] {
            assert!(!is_listed(host, &list), "{host}");
        }
    }
}
