//! The options of libpq's connection strings that tokio-postgres does not know: `sslrootcert`, and further values of
//! `sslmode`. Both forms of strings are read, as the PostgreSQL manual describes them (section "Connection Strings").

use std::fmt::Write as _;

use camino::Utf8PathBuf;
use percent_encoding::percent_decode_str;

/// The option with the file of certificates.
const ROOT_CERTIFICATES: &str = "sslrootcert";

/// The option that decides about TLS.
const MODE: &str = "sslmode";

/// A connection string without the options that only this module knows.
///
/// It has the password, so only tests can print it.
#[cfg_attr(test, derive(Debug, PartialEq, Eq))]
pub(super) struct LibpqOptions {
    /// The string for tokio-postgres.
    pub(super) connection: String,
    /// The path of the file with the certificates of authorities. `None`: those that the machine trusts.
    pub(super) root_certificates: Option<Utf8PathBuf>,
}

impl LibpqOptions {
    /// Parses a connection string. Returns `None` if it is invalid; tokio-postgres checks the other options.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut root_certificates = None;
        let mut convert = |key: &str, value: String| match key {
            ROOT_CERTIFICATES => {
                // The name of the machine's own authorities, which is also the default here.
                root_certificates = Some(value).filter(|value| value != "system").map(Utf8PathBuf::from);
                None
            }
            // The certificate and the name are always verified. `allow` prefers no TLS, but accepts it.
            MODE => Some(match value.as_str() {
                "verify-ca" | "verify-full" => "require".to_owned(),
                "allow" => "prefer".to_owned(),
                _ => value,
            }),
            _ => Some(value),
        };
        let mut connection = String::new();
        // Writing to a `String` cannot fail.
        if text.starts_with("postgresql://") || text.starts_with("postgres://") {
            let (address, parameters) = split_url(text);
            connection.push_str(address);
            let mut separator = '?';
            for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
                let (key, value) = parameter.split_once('=')?;
                let value = match key {
                    ROOT_CERTIFICATES | MODE => convert(key, decode_percent(value)?),
                    // tokio-postgres takes the first `@` of a URL, wherever it is, for the end of a user and a password.
                    _ => Some(value.replace('@', "%40")),
                };
                if let Some(value) = value {
                    let _ = write!(connection, "{separator}{key}={value}");
                    separator = '&';
                }
            }
        } else {
            let mut rest = text.trim_start();
            while !rest.is_empty() {
                let (key, value, next) = split_option(rest)?;
                if let Some(value) = convert(key, value) {
                    let value = value.replace('\\', r"\\").replace('\'', r"\'");
                    let _ = write!(connection, "{key}='{value}' ");
                }
                rest = next.trim_start();
            }
        }
        Some(Self { connection, root_certificates })
    }
}

/// Splits a URL into the part before the parameters and the parameters. As in libpq, a user and a password end at the first
/// `@` if it is before the first `/`, and may have a `?`.
fn split_url(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let credentials = rest.split_once('/').map_or(rest, |(authority, _)| authority).find('@').unwrap_or_default();
    let after = rest.get(credentials..).unwrap_or_default();
    let Some((_, parameters)) = after.split_once('?') else { return (url, "") };
    let address = url.len() - parameters.len() - 1;
    (url.get(..address).unwrap_or_default(), parameters)
}

/// Splits the first `key = value` off. The value can be in single quotation marks, and a backslash escapes the next
/// character.
fn split_option(text: &str) -> Option<(&str, String, &str)> {
    let (key, rest) = text.split_once('=')?;
    let rest = rest.trim_start();
    let (is_quoted, rest) = rest.strip_prefix('\'').map_or((false, rest), |rest| (true, rest));
    let mut value = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next() {
            Some('\\') => value.push(characters.next()?),
            Some('\'') if is_quoted => break,
            Some(character) if !is_quoted && character.is_whitespace() => break,
            Some(character) => value.push(character),
            None if is_quoted => return None,
            None => break,
        }
    }
    Some((key.trim_end(), value, characters.as_str()))
}

/// Replaces `%2F` by its character. Returns `None` if a `%` has no two digits, as libpq does, or the text is not UTF-8.
fn decode_percent(text: &str) -> Option<String> {
    let has_digits = |after: &str| after.as_bytes().iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2;
    if !text.split('%').skip(1).all(has_digits) {
        return None;
    }
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn options_about_tls_are_read_from_both_forms() {
        for (text, connection, root) in [
            ("host=a", "host='a' ", None),
            ("host=a sslmode=verify-full", "host='a' sslmode='require' ", None),
            ("host = a  sslrootcert = '/x y/ca.pem' user=u", "host='a' user='u' ", Some("/x y/ca.pem")),
            (r"password='it\'s' sslmode=allow", r"password='it\'s' sslmode='prefer' ", None),
            (r"password=a\ b\\c", r"password='a b\\c' ", None),
            ("sslrootcert=system sslmode=disable", "sslmode='disable' ", None),
            ("postgresql://u:p%40@h/x", "postgresql://u:p%40@h/x", None),
            (
                "postgres://h/x?sslmode=verify-ca&sslrootcert=%2Fca%20x.pem&application_name=a%26b",
                "postgres://h/x?sslmode=require&application_name=a%26b",
                Some("/ca x.pem"),
            ),
            ("postgres://h/x?sslrootcert=/ca.pem", "postgres://h/x", Some("/ca.pem")),
            ("postgres://h/x?sslrootcert=/a@b/ca.pem", "postgres://h/x", Some("/a@b/ca.pem")),
            ("postgres://u:p?x@h/x?sslmode=verify-ca", "postgres://u:p?x@h/x?sslmode=require", None),
            ("postgres://u:p?x@h/x", "postgres://u:p?x@h/x", None),
            ("postgres://h/x?application_name=a@b", "postgres://h/x?application_name=a%40b", None),
            ("postgres://h?sslmode=verify-full", "postgres://h?sslmode=require", None),
        ] {
            let expected =
                LibpqOptions { connection: connection.to_owned(), root_certificates: root.map(Utf8PathBuf::from) };
            assert_eq!(LibpqOptions::parse(text), Some(expected), "{text}");
        }
        for text in
            ["x", "host='a", r"host=a\", "postgres://h?x", "postgres://h?sslmode=%2", "postgres://h?sslmode=%ff"]
        {
            assert_eq!(LibpqOptions::parse(text), None, "{text}");
        }
    }

    proptest! {
        /// Other options are those of tokio-postgres without this module.
        #[test]
        fn other_options_do_not_change(host in "[a-z]{1,9}", password in "[ -~]{1,9}", is_quoted: bool) {
            let escaped = password.replace('\\', r"\\").replace('\'', r"\'");
            let value = if is_quoted { format!("'{escaped}'") } else { escaped.replace(' ', r"\ ") };
            let text = format!("host={host} password={value} user=u");
            let read: tokio_postgres::Config = LibpqOptions::parse(&text).unwrap().connection.parse().unwrap();
            prop_assert_eq!(read.get_password(), Some(password.as_bytes()));
            prop_assert_eq!(read.get_user(), Some("u"));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "(postgres://)?[ -~é]{0,40}") {
            LibpqOptions::parse(&text);
        }
    }
}
