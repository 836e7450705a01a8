//! Files that keep what proves who somebody is, by their names. The policy asks before one is read, and whatever looks through
//! many files passes them over.

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
/// Names that mean credentials because of how they begin.
const EXAMPLES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".env.local", ".envrc"];

/// The names that [`hold`] knows, and one of each kind that it knows by its beginning: for patterns that may become such.
pub fn names() -> impl Iterator<Item = &'static str> {
    DIRECTORIES.iter().chain(FILES).chain(EXAMPLES).copied()
}

/// Where programs keep what proves who somebody is: directories and files by name, below whatever directory.
pub fn is_credential_path(path: &Utf8Path) -> bool {
    // Examples and templates of `.env` files are there to be read.
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
