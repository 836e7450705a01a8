//! Parses providers' addresses as people write them: in a file, or in the environment variable of the provider's own
//! program.

use std::net::{IpAddr, Ipv6Addr};

use reqwest::Url;
use zubi_base::config::Api;

/// The port that Ollama listens on by default.
const OLLAMA_PORT: u16 = 11434;

/// Returns the address to which an API's paths are appended; its path ends without `/`. A host alone gets the API's
/// usual path; a final `/` means no path.
pub(super) fn parse(text: &str, api: Api, allow_http: bool) -> Result<Url, String> {
    let text = text.trim();
    let full_address = match api {
        _ if text.contains("://") => text.to_owned(),
        // The same forms that Ollama accepts: a host, a port after a colon, or both.
        Api::Ollama => ollama_address(text),
        _ => return Err("its address begins with neither `https://` nor `http://`".to_owned()),
    };
    // The address may contain a password, so the error does not show it.
    let mut url = Url::parse(&full_address).map_err(|error| format!("its address cannot be read: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("its address has a user or a password in it; name a key with `key` instead".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("its address has a `?` or `#` in it; write parameters into `query`".to_owned());
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    match url.scheme() {
        "https" => {}
        "http" if allow_http || is_local(&host) => {}
        "http" => {
            return Err(format!(
                "`http://{host}` is neither on this machine nor on its network, so others could read what is sent: use \
                 https, or write `allow-http = true`"
            ));
        }
        other => return Err(format!("its address begins with `{other}:`; it must be https or http")),
    }
    let path = url.path().trim_end_matches('/').to_owned();
    let default_path = match api {
        Api::OpenaiChat | Api::OpenaiResponses | Api::Anthropic => "/v1",
        Api::Gemini => "/v1beta",
        Api::Ollama => "",
    };
    url.set_path(if path.is_empty() && !full_address.ends_with('/') { default_path } else { &path });
    Ok(url)
}

fn ollama_address(text: &str) -> String {
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        return format!("http://[{address}]:{OLLAMA_PORT}");
    }
    // If Ollama listens on all interfaces, zubi connects to it on this machine.
    let text = match text.strip_prefix("0.0.0.0") {
        Some(rest) => format!("127.0.0.1{rest}"),
        None if text.starts_with(':') => format!("127.0.0.1{text}"),
        None => text.to_owned(),
    };
    let has_port = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { format!("http://{text}") } else { format!("http://{text}:{OLLAMA_PORT}") }
}

/// Returns whether a host is this machine, or in its local network.
fn is_local(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        // Names outside the public network: single labels, and those of RFC 6761, 6762, 8375 and ICANN's `internal`.
        Err(_) => {
            let name = bare.trim_end_matches('.');
            !name.is_empty()
                && (!name.contains('.')
                    || [".localhost", ".local", ".internal", ".home.arpa", ".lan"]
                        .iter()
                        .any(|end| name.ends_with(end)))
        }
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn check(addresses: &[(&str, Api)]) -> String {
        let lines = addresses.iter().map(|(text, api)| match parse(text, *api, false) {
            Ok(url) => format!("{text} = {url}"),
            Err(why) => format!("{text}: {why}"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn addresses() {
        let all = [
            ("https://api.openai.com/v1", Api::OpenaiChat),
            ("https://api.openai.com/v1/", Api::OpenaiChat),
            ("https://gateway.example", Api::OpenaiChat),
            ("https://gateway.example/", Api::OpenaiChat),
            ("https://gateway.example/openai/deployments/x", Api::OpenaiChat),
            ("https://api.anthropic.com", Api::Anthropic),
            ("https://generativelanguage.googleapis.com", Api::Gemini),
            ("http://localhost:11434", Api::Ollama),
            ("0.0.0.0", Api::Ollama),
            ("0.0.0.0:9", Api::Ollama),
            (":9", Api::Ollama),
            ("::1", Api::Ollama),
            ("[::1]:9", Api::Ollama),
            ("tower", Api::Ollama),
            ("http://10.0.0.7:8000/v1", Api::OpenaiChat),
            ("http://vllm:8000", Api::OpenaiChat),
            ("http://tower.local:8000", Api::OpenaiChat),
            ("http://[fd00::1]/v1", Api::OpenaiChat),
            ("http://example.com/v1", Api::OpenaiChat),
            ("http://8.8.8.8", Api::OpenaiChat),
            ("http://127.0.0.1.example.com", Api::OpenaiChat),
            ("localhost:8000", Api::OpenaiChat),
            ("ftp://localhost", Api::OpenaiChat),
            ("https://user:hunter2@example.com", Api::OpenaiChat),
            ("https://example.com/v1?key=hunter2", Api::OpenaiChat),
            ("https://", Api::OpenaiChat),
            ("", Api::OpenaiChat),
        ];
        assert_snapshot!(check(&all), @"
        https://api.openai.com/v1 = https://api.openai.com/v1
        https://api.openai.com/v1/ = https://api.openai.com/v1
        https://gateway.example = https://gateway.example/v1
        https://gateway.example/ = https://gateway.example/
        https://gateway.example/openai/deployments/x = https://gateway.example/openai/deployments/x
        https://api.anthropic.com = https://api.anthropic.com/v1
        https://generativelanguage.googleapis.com = https://generativelanguage.googleapis.com/v1beta
        http://localhost:11434 = http://localhost:11434/
        0.0.0.0 = http://127.0.0.1:11434/
        0.0.0.0:9 = http://127.0.0.1:9/
        :9 = http://127.0.0.1:9/
        ::1 = http://[::1]:11434/
        [::1]:9 = http://[::1]:9/
        tower = http://tower:11434/
        http://10.0.0.7:8000/v1 = http://10.0.0.7:8000/v1
        http://vllm:8000 = http://vllm:8000/v1
        http://tower.local:8000 = http://tower.local:8000/v1
        http://[fd00::1]/v1 = http://[fd00::1]/v1
        http://example.com/v1: `http://example.com` is neither on this machine nor on its network, so others could read what is sent: use https, or write `allow-http = true`
        http://8.8.8.8: `http://8.8.8.8` is neither on this machine nor on its network, so others could read what is sent: use https, or write `allow-http = true`
        http://127.0.0.1.example.com: `http://127.0.0.1.example.com` is neither on this machine nor on its network, so others could read what is sent: use https, or write `allow-http = true`
        localhost:8000: its address begins with neither `https://` nor `http://`
        ftp://localhost: its address begins with `ftp:`; it must be https or http
        https://user:hunter2@example.com: its address has a user or a password in it; name a key with `key` instead
        https://example.com/v1?key=hunter2: its address has a `?` or `#` in it; write parameters into `query`
        https://: its address cannot be read: empty host
        : its address begins with neither `https://` nor `http://`
        ");
        assert!(parse("http://example.com", Api::OpenaiChat, true).is_ok(), "where `allow_http` is set");
    }
}
