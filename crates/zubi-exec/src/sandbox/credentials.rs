//! The credential stores of users and of the machine.

use camino::{Utf8Path, Utf8PathBuf};

/// Paths below the home directory: keys, tokens and passwords of well-known programs, and browser profiles.
const HOME_PATHS: &[&str] = &[
    ".aws",
    ".azure",
    ".bash_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/1Password",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/containers/auth.json",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/zubi/zubi.toml",
    ".docker/config.json",
    ".gem/credentials",
    ".git-credentials",
    ".gnupg",
    ".gradle/gradle.properties",
    ".kube",
    ".local/share/keyrings",
    ".m2/settings.xml",
    ".mozilla",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".python_history",
    ".ssh",
    ".terraform.d/credentials.tfrc.json",
    ".thunderbird",
    ".vault-token",
    ".zsh_history",
];

/// Credential stores of the machine. Only root can read most of these, and root may run zubi.
const SYSTEM_PATHS: &[&str] = &[
    "/etc/gshadow",
    "/etc/krb5.keytab",
    "/etc/shadow",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/sudoers",
    "/run/secrets",
    "/var/run/secrets",
];

/// Returns all stores, including those that do not exist.
pub fn credential_stores(home: Option<&Utf8Path>) -> Vec<Utf8PathBuf> {
    let in_home = home.into_iter().flat_map(|home| HOME_PATHS.iter().map(move |name| home.join(name)));
    in_home.chain(SYSTEM_PATHS.iter().map(Utf8PathBuf::from)).collect()
}
