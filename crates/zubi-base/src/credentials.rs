//! Names of files that contain credentials. The policy requires approval before a tool reads one, and searches over
//! many files skip them.

use camino::Utf8Path;

const DIRECTORIES: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    "keyrings",
    "gcloud",
    "kwalletd",
    ".electrum",
    ".bitcoin",
    "gh",
    "op",
];
const FILES: &[&str] = &[
    ".env",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "credentials",
    "credentials.toml",
    "credentials.json",
    ".htpasswd",
    ".vault-token",
    "shadow",
    "gshadow",
    "auth.json",
    ".dockercfg",
];
/// Names that [`is_credential_path`] recognizes by their prefix.
const EXAMPLES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".env.local", ".envrc"];

/// Returns the names that [`is_credential_path`] recognizes, with examples for prefixes. Callers compare patterns with
/// them.
pub fn names() -> impl Iterator<Item = &'static str> {
    DIRECTORIES.iter().chain(FILES).chain(EXAMPLES).copied()
}

/// Whether the path is a known location of credentials. Compares the names of the file and of all parent directories.
pub fn is_credential_path(path: &Utf8Path) -> bool {
    // Examples and templates of `.env` files contain no secrets.
    const PUBLIC: &[&str] = &[".env.example", ".env.sample", ".env.template", ".env.dist"];
    let Some(name) = path.file_name() else { return false };
    if PUBLIC.contains(&name) {
        return false;
    }
    let in_config = path.as_str().contains("/.config/");
    let directory = path.components().any(|component| {
        let component = component.as_str();
        DIRECTORIES.contains(&component) && (component.starts_with('.') || component == "keyrings" || in_config)
    });
    let key = name.starts_with("id_")
        && ["rsa", "dsa", "ecdsa", "ed25519"]
            .iter()
            .any(|kind| name.strip_prefix("id_").is_some_and(|rest| rest.starts_with(kind)))
        && path.extension() != Some("pub");
    directory || key || FILES.contains(&name) || name.starts_with(".env.") || name == ".envrc"
}
