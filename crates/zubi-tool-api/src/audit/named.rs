//! Secrets in texts that name them: `PASSWORD=…`, `--token …`, `X-Api-Key: …`, `?token=…`, `-u name:…`.
//!
//! For records only, where an unnecessarily masked word does no harm.

use std::sync::OnceLock;

use regex::{Captures, Regex};
use zubi_base::secret;

/// The placeholder for a value.
const MASKED_VALUE: &str = "(not logged)";

/// A name, the separator, and the value: quoted, or up to the next blank or the end of a URL's parameter.
const NAMED_VALUE: &str = r#"([A-Za-z0-9_-]+)(["']?\s*[=:]\s*|\s+)("[^"]*"|'[^']*'|[^\s&;|"']+)"#;
/// Passwords that are recognized by their position: after a user name, as in curl, and after `-p` for the programs that
/// take a password there.
const POSITIONAL_PASSWORD: &str =
    r"(\s(?:-u|--user)[\s=]+[^\s:]+:|\b(?:mysql|mariadb)[a-z-]*\s(?:[^|;&\n]*\s)?-p|\bsshpass\s+-p\s*)[^\s\x22]+";

/// Masks the values of secret names in a text.
pub(super) fn mask_values(text: &str) -> String {
    static PATTERNS: OnceLock<Option<(Regex, Regex)>> = OnceLock::new();
    let compiled =
        PATTERNS.get_or_init(|| Some((Regex::new(NAMED_VALUE).ok()?, Regex::new(POSITIONAL_PASSWORD).ok()?)));
    let Some((named, positional)) = compiled else { return MASKED_VALUE.to_owned() };
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = named.captures(rest) {
        let (part, end) = mask_secret(&found);
        let Some(matched) = found.get(0) else { break };
        masked.push_str(rest.get(..matched.start()).unwrap_or_default());
        masked.push_str(&part);
        rest = rest.get(end..).unwrap_or_default();
    }
    masked.push_str(rest);
    positional.replace_all(&masked, format!("${{1}}{MASKED_VALUE}")).into_owned()
}

/// Returns the masked name and value, and the offset at which scanning continues: after the value of a secret, else at
/// the value, which may be the next name.
fn mask_secret(found: &Captures<'_>) -> (String, usize) {
    let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
    let (name, join) = (part(1), part(2));
    let value = found.get(3).map_or(0..0, |value| value.range());
    let is_assignment = join.contains(['=', ':']) || name.starts_with("--");
    if is_assignment && secret::is_secret_name(name) {
        (format!("{name}{join}{MASKED_VALUE}"), value.end)
    } else {
        (format!("{name}{join}"), value.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_table() {
        for (text, expected) in [
            ("PGPASSWORD=hunter2pw psql -h db", "PGPASSWORD=(not logged) psql -h db"),
            ("mysql --password hunter2pw db", "mysql --password (not logged) db"),
            ("mysql --password='a b' db", "mysql --password=(not logged) db"),
            ("curl -u bob:hunter2pw https://h/", "curl -u bob:(not logged) https://h/"),
            ("mysql -u bob -phunter2pw db", "mysql -u bob -p(not logged) db"),
            ("mysqldump -phunter2pw db", "mysqldump -p(not logged) db"),
            ("mysql -p db; cp -pr a b", "mysql -p db; cp -pr a b"),
            ("sshpass -p hunter2pw ssh h", "sshpass -p (not logged) ssh h"),
            ("curl -H \"X-Api-Key: abc\" h", "curl -H \"X-Api-Key: (not logged)\" h"),
            ("curl 'https://h/?a=1&token=abc&b=2'", "curl 'https://h/?a=1&token=(not logged)&b=2'"),
            ("{\"password\": \"x y\"}", "{\"password\": (not logged)}"),
            ("A=B TOKEN=x C=D", "A=B TOKEN=(not logged) C=D"),
            ("the password is here, and max_tokens=5", "the password is here, and max_tokens=5"),
            ("cargo test --workspace é", "cargo test --workspace é"),
        ] {
            assert_eq!(mask_values(text), expected);
        }
    }
}
