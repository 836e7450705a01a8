//! Names of files that contain credentials. The policy requires approval before a tool reads one, and searches over
//! many files skip them.

use std::io::Read as _;

use camino::Utf8Path;

use crate::fs;

mod search;
mod stores;

pub use search::{FileSearch, FoundFiles, SearchScope};
pub use stores::{find_files_in_home, find_stores, store_paths};

/// Directories with credentials in any place.
const DIRECTORIES: &[&str] = &["keyrings"];
/// Names of files with credentials in any directory, in addition to [`store_paths`].
const FILES: &[&str] = &[
    ".env",
    "credentials",
    "credentials.toml",
    "credentials.json",
    "shadow",
    "gshadow",
    "auth.json",
    "kubeconfig",
    "secrets.yml",
    "secrets.yaml",
    "wp-config.php",
];
/// Endings of files that contain keys or secrets: private keys and their stores, VPN profiles, the variables and the state
/// of Terraform, and variables of programs.
const ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".kdbx",
    ".ovpn",
    ".tfvars",
    ".tfvars.json",
    ".tfstate",
    ".tfstate.backup",
    ".env",
    ".env~",
];

/// Names that [`is_credential_path`] recognizes by a part of them.
const EXAMPLES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".env.local",
    ".envrc",
    "server.key",
    "key.pem",
    "cert.p12",
    "app.env",
    "terraform.tfvars",
    "terraform.tfstate",
    "service-account.json",
];

/// Returns the names that [`is_credential_path`] recognizes in any directory, with examples for parts of names. Callers
/// compare patterns with them and with [`store_paths`].
pub fn names() -> impl Iterator<Item = &'static str> {
    DIRECTORIES.iter().chain(FILES).chain(EXAMPLES).copied()
}

/// Returns patterns of gitignore(5) for the names that [`is_credential_path`] recognizes, in any case, and whether files that
/// match one contain credentials. Later patterns take precedence.
pub fn patterns() -> Vec<(String, bool)> {
    const KEYS: &[&str] = &["id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"];
    const PARTS: &[&str] =
        &[".env.*", ".envrc", ".*_history", "*service-account*.json", "*service_account*.json", "gha-creds-*.json"];
    let endings = ENDINGS.iter().map(|ending| format!("*{ending}"));
    let names = FILES.iter().chain(PARTS).map(|name| (*name).to_owned()).chain(endings);
    let folders = DIRECTORIES.iter().flat_map(|name| [format!("**/{name}"), format!("**/{name}/**")]);
    let stores = store_paths().iter().flat_map(|store| [format!("**/{store}"), format!("**/{store}/**")]);
    // A key without its public part.
    let keys = KEYS.iter().map(|key| ((*key).to_owned(), true)).chain([("id_*.pub".to_owned(), false)]);
    let others = names.chain(folders).chain(stores).map(|pattern| (pattern, true));
    let public = PUBLIC.iter().map(|name| ((*name).to_owned(), false));
    keys.chain(others).chain(public).map(|(pattern, state)| (in_any_case(&pattern), state)).collect()
}

/// Writes a pattern that ignores case, and has no white space.
fn in_any_case(pattern: &str) -> String {
    let mut text = String::new();
    for c in pattern.chars() {
        match c {
            ' ' => text.push('?'),
            c if c.is_ascii_alphabetic() => text.extend(['[', c.to_ascii_lowercase(), c.to_ascii_uppercase(), ']']),
            c => text.push(c),
        }
    }
    text
}

/// Examples and templates of `.env` files, which contain no secrets.
const PUBLIC: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", "sample.env"];

/// Whether the path is a known location of credentials. Compares the names of the file and of all parent directories.
/// Case does not matter: some file systems do not distinguish `.ENV` from `.env`.
pub fn is_credential_path(path: &Utf8Path) -> bool {
    let path = path.as_str().to_ascii_lowercase();
    let path = Utf8Path::new(&path);
    let Some(name) = path.file_name() else { return false };
    if PUBLIC.contains(&name) {
        return false;
    }
    let directory = path.components().any(|component| DIRECTORIES.contains(&component.as_str()));
    let key = name.starts_with("id_")
        && ["rsa", "dsa", "ecdsa", "ed25519"]
            .iter()
            .any(|kind| name.strip_prefix("id_").is_some_and(|rest| rest.starts_with(kind)))
        && path.extension() != Some("pub");
    let cloud_key = path.extension() == Some("json")
        && (name.contains("service-account") || name.contains("service_account") || name.starts_with("gha-creds-"));
    let ending = ENDINGS.iter().any(|ending| name.ends_with(ending));
    let history = name.starts_with('.') && name.ends_with("_history");
    directory
        || key
        || cloud_key
        || ending
        || history
        || FILES.contains(&name)
        || name.starts_with(".env.")
        || name == ".envrc"
        || stores::is_in_store(path.as_str())
}

/// Whether a text begins as a private key does (RFC 7468, and the formats of OpenSSH and `PuTTY`), whatever its file is
/// called.
pub fn is_private_key(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let line = String::from_utf8_lossy(line.get(..100).unwrap_or(line));
    (line.starts_with("-----BEGIN ") && line.contains("PRIVATE KEY")) || line.starts_with("PuTTY-User-Key-File-")
}

/// Whether a file begins as a private key does. `false` if it cannot be read.
pub fn has_private_key(path: &Utf8Path) -> bool {
    let Ok(file) = fs::open_no_follow(path) else { return false };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = Vec::new();
    file.take(FIRST_LINE).read_to_end(&mut start).is_ok() && is_private_key(&start)
}

/// Whether a file has no ending, is as small as a key, and begins as a private key does: keys have any name. For searches,
/// which read too many files to open each.
pub fn is_unnamed_key(path: &Utf8Path) -> bool {
    let is_small = || path.symlink_metadata().is_ok_and(|metadata| metadata.len() <= MAX_KEY);
    path.extension().is_none() && is_small() && has_private_key(path)
}

/// The maximum size of a private key, in bytes: one of 16,384 bits in text takes 13 KB.
const MAX_KEY: u64 = 32 * 1024;

/// More than the first line of a private key, in bytes.
const FIRST_LINE: u64 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_file_without_ending_may_be_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n";
        for (name, text, expected) in [
            ("deploy", key.to_owned(), true),
            ("deploy.txt", key.to_owned(), false),
            ("large", format!("{key}{}", "x".repeat(64 * 1024)), false),
            ("plain", "text".to_owned(), false),
        ] {
            fs::write_atomic(&folder.join(name), text.as_bytes()).unwrap();
            assert_eq!(is_unnamed_key(&folder.join(name)), expected, "{name}");
        }
    }

    #[test]
    fn credentials_are_known_by_name_and_ending_in_any_case() {
        let check = |text: &str, expected: bool| {
            for name in text.split(' ') {
                assert_eq!(is_credential_path(Utf8Path::new("/w").join(name).as_path()), expected, "{name}");
            }
        };
        check(".env .ENV .env.local app.env .env~ .Env.Production Id_Rsa id_ed25519 .NPMRC .AWS/config", true);
        check("server.key key.pem cert.p12 x.pfx master.key x.kdbx x.ovpn terraform.tfvars terraform.tfstate", true);
        check("secrets.yml kubeconfig my-service-account.json gha-creds-1.json wp-config.php .vault_pass", true);
        check(
            "id_rsa.pub .env.example keys.rs key.rs environment.ts pem.py package.json config.json secrets.rs",
            false,
        );
        check("monkey keyboard.json environ.env.ts envrc", false);
        // The policy compares patterns with these names.
        check(&FILES.iter().chain(EXAMPLES).copied().collect::<Vec<_>>().join(" "), true);
    }

    /// git and the policy recognize the same names.
    #[test]
    fn patterns_match_the_same_paths() {
        let mut builder = ignore::gitignore::GitignoreBuilder::new("/w");
        for (pattern, has_credentials) in patterns() {
            builder.add_line(None, &format!("{}{pattern}", if has_credentials { "" } else { "!" })).unwrap();
        }
        let matcher = builder.build().unwrap();
        let stores =
            store_paths().iter().flat_map(|store| [(*store).to_owned(), format!("{store}/x"), store.to_uppercase()]);
        let others =
            "id_rsa.pub .env.example keys.rs src/a.rs package.json .Env.Local ID_RSA x.PEM a.envrc .envrc id_x.key";
        let paths = names().map(str::to_owned).chain(stores).chain(others.split(' ').map(str::to_owned));
        for path in paths.flat_map(|path| [format!("/w/sub/{path}"), format!("/w/{path}")]) {
            let is_matched = matcher.matched(&path, false).is_ignore();
            assert_eq!(is_matched, is_credential_path(Utf8Path::new(&path)), "{path}");
        }
    }

    #[test]
    fn a_private_key_is_known_by_its_first_line() {
        for text in
            ["-----BEGIN OPENSSH PRIVATE KEY-----\nx", "\n-----BEGIN PRIVATE KEY-----", "PuTTY-User-Key-File-3: x"]
        {
            assert!(is_private_key(text.as_bytes()), "{text}");
        }
        for text in ["-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "a PRIVATE KEY", ""] {
            assert!(!is_private_key(text.as_bytes()), "{text}");
        }
    }
}
