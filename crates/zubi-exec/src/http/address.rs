//! Distinguishes public addresses from those of this machine, this network and the cloud.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the kind of a special address; `None` for a public one (IANA special-purpose address registries).
pub(super) fn special_kind(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_kind_v4(address),
        IpAddr::V6(address) => special_kind_v6(address),
    }
}

fn special_kind_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    let kind = match (a, b, c) {
        (0, ..) => "unspecified",
        (127, ..) => "loopback",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "private",
        // Includes the metadata services of clouds, which return credentials.
        (169, 254, _) => "link-local",
        (100, 64..=127, _) => "carrier-grade NAT",
        (192, 0, 0 | 2) | (198, 51, 100) | (203, 0, 113) | (198, 18 | 19, _) => "reserved",
        (224..=239, ..) => "multicast",
        (240..=255, ..) => "reserved",
        _ => return None,
    };
    Some(kind)
}

fn special_kind_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    // Checks the IPv4 address that begins at a segment.
    let inner = |at: usize| {
        let [high, low] = [0, 1].map(|next| segments.get(at + next).copied().unwrap_or_default().to_be_bytes());
        special_kind_v4(Ipv4Addr::new(high[0], high[1], low[0], low[1]))
    };
    match segments {
        _ if address.is_unspecified() => Some("unspecified"),
        _ if address.is_loopback() => Some("loopback"),
        // IPv4 addresses in IPv6 form: compatible, mapped, translated (RFC 4291, RFC 2765, RFC 6052).
        [0, 0, 0, 0, 0, 0, ..] => inner(6).or(Some("reserved")),
        [0, 0, 0, 0, 0, 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0, ..] => inner(6),
        [0x64, 0xff9b, ..] => Some("private"),
        // 6to4 and Teredo also reach an IPv4 address.
        [0x2002, ..] => inner(1),
        [0x2001, 0 | 0xdb8, ..] => Some("reserved"),
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => Some("private"),
        [0xfe80..=0xfebf, ..] => Some("link-local"),
        [0xff00..=0xffff, ..] => Some("multicast"),
        _ => None,
    }
}

/// Whether `hosts` contains a host: as `name` (any port), `name:port`, or `*.name` for its subdomains.
pub(super) fn is_named(hosts: &[String], host: &str, port: u16) -> bool {
    let host = normalize_host(host);
    hosts.iter().any(|entry| {
        let (name, entry_port) = split_port(entry);
        let same_port = entry_port.is_none_or(|entry_port| entry_port == port);
        let name = normalize_host(name);
        let same_name = match name.strip_prefix("*.") {
            Some(parent) => {
                host.strip_suffix(parent).is_some_and(|subdomain| subdomain.len() > 1 && subdomain.ends_with('.'))
            }
            None => host == name,
        };
        same_port && same_name && !name.is_empty()
    })
}

/// Removes brackets and the final dot, and converts to lower case.
fn normalize_host(host: &str) -> String {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn split_port(entry: &str) -> (&str, Option<u16>) {
    match entry.rsplit_once(':') {
        // An IPv6 address without brackets has no port.
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (entry, None),
        },
        _ => (entry, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_classified() {
        let kind = |text: &str| special_kind(text.parse().unwrap());
        for (text, expected) in [
            ("127.0.0.1", "loopback"),
            ("127.9.9.9", "loopback"),
            ("0.0.0.0", "unspecified"),
            ("10.1.2.3", "private"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.168.1.1", "private"),
            ("169.254.169.254", "link-local"),
            ("100.64.0.1", "carrier-grade NAT"),
            ("224.0.0.1", "multicast"),
            ("255.255.255.255", "reserved"),
            ("198.18.0.1", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:a9fe:a9fe", "link-local"),
            ("::127.0.0.1", "loopback"),
            ("::ffff:0:10.0.0.1", "private"),
            ("64:ff9b::10.0.0.1", "private"),
            ("64:ff9b:1::1", "private"),
            ("2002:7f00:1::", "loopback"),
            ("2001::1", "reserved"),
            ("fd00:ec2::254", "private"),
            ("fe80::1", "link-local"),
            ("fec0::1", "private"),
            ("ff02::1", "multicast"),
            ("2001:db8::1", "reserved"),
        ] {
            assert_eq!(kind(text), Some(expected), "{text}");
        }
        for text in [
            "1.1.1.1",
            "172.32.0.1",
            "172.15.0.1",
            "100.128.0.1",
            "11.0.0.1",
            "2606:4700::1111",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn host_names_are_matched() {
        let named = |entry: &str, host: &str, port| is_named(&[entry.to_owned()], host, port);
        assert!(
            named("localhost", "LOCALHOST.", 1)
                && named("localhost:80", "localhost", 80)
                && named("[::1]:80", "[::1]", 80)
        );
        assert!(named("::1", "[::1]", 5) && named("*.x.org", "a.x.org", 1) && named("*.x.org", "a.b.x.org", 1));
        assert!(
            !named("localhost:80", "localhost", 81) && !named("x.org", "a.x.org", 1) && !named("*.x.org", "x.org", 1)
        );
        assert!(
            !named("*.x.org", "ax.org", 1)
                && !named("", "", 1)
                && !named("*.", "a.", 1)
                && !named("*.x.org", ".x.org", 1)
        );
    }
}
