//! The credential stores of users and of the machine. The policy requires approval before a call reads one, and the
//! sandbox hides them from every confined program.

use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};

/// Files and directories below the home directory, separated by white space. A path that has one of these in another
/// place is a location of credentials, too: a workspace can contain a home directory.
///
/// Files that are settings first, without which a program does not start, are absent: `.gitconfig`, `.bundle/config`,
/// `pip.conf`, `NuGet.Config`, `.terraformrc`.
const HOME_PATHS: &[(&str, &str)] = &[
    (
        "keys and passwords of people",
        ".ssh .gnupg .putty .config/putty .pki .local/share/pki .password-store .local/share/gopass .config/gopass
         .config/keepassxc .lastpass .config/lpass .local/share/lpass .config/1Password .config/op .config/Bitwarden
         .config/rbw .local/share/rbw .authy .config/Yubico .google_authenticator .step .age .config/age .config/sops
         .local/share/keyrings .local/share/kwalletd .config/kwalletd .config/goa-1.0 .Xauthority .ICEauthority",
    ),
    (
        "tokens of agents and models",
        ".codex/auth.json .codex/.env .claude/.credentials.json .claude.json .gemini/oauth_creds.json .gemini/.env
         .gemini/google_accounts.json .gemini/mcp-oauth-tokens.json .qwen/oauth_creds.json .qwen/.env .copilot/config.json
         .config/github-copilot .local/share/opencode/auth.json .local/share/opencode/mcp-auth.json
         .local/share/crush/crush.json .local/share/amp/secrets.json .config/goose/secrets.yaml .factory/auth.json
         .grok/user-settings.json .augment/session.json .config/cursor/auth.json .codeium/config.json
         .config/io.datasette.llm/keys.json .config/openai .config/anthropic .huggingface .cache/huggingface/token
         .cache/huggingface/stored_tokens .kaggle .replicate .modal.toml .runpod .lambda_cloud .wakatime.cfg
         .config/zubi/zubi.toml",
    ),
    (
        "clouds and hosts",
        ".aws .azure .aliyun .bluemix .boto .chef .oci .ovh.conf .databrickscfg .databricks .snowflake .snowsql .pulumi
         .terraform.d/credentials.tfrc.json .config/gcloud .gsutil .config/doctl .config/hcloud .config/scw
         .config/linode-cli .config/exoscale .config/openstack .config/rclone .s3cfg .passwd-s3fs .mc/config.json
         .config/b2 .b2_account_info .fly .config/heroku .local/share/com.vercel.cli .config/netlify .config/configstore
         .config/.wrangler .wrangler/config .railway .supabase .config/stripe .config/planetscale .config/turso
         .config/neonctl .config/ngrok .ngrok2 .cloudflared .sentryclirc .circleci/cli.yml .travis/config.yml
         .local/share/jupyter/runtime .jupyter/jupyter_server_config.json .config/anaconda .continuum .dropbox
         .config/Nextcloud .megarc .config/syncthing .local/state/syncthing .config/borg",
    ),
    (
        "clusters and containers",
        ".kube .minikube/certs .minikube/profiles .config/helm .helm .argocd .config/argocd .docker .dockercfg
         .config/containers/auth.json .vault-token .vault_pass .vault_pass.txt .consul-token .nomad-token .tsh",
    ),
    (
        "version control, packages and builds",
        ".git-credentials .config/git/credentials .git-credential-cache .cache/git/credential .subversion/auth .config/gh
         .config/hub .config/glab-cli .config/tea .npmrc .yarnrc .pypirc .config/pypoetry/auth.toml
         .local/share/uv/credentials .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json
         .config/composer/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
         .ivy2/.credentials .sbt/.credentials .config/coursier/credentials.properties .lein/credentials.clj.gpg
         .hex/hex.config .config/hex/hex.config .stack/upload/credentials.json .pub-cache/credentials.json
         .config/dart/pub-credentials.json .pause .Renviron .clasprc.json",
    ),
    (
        "databases, mail, files and sessions of other machines",
        ".netrc _netrc .authinfo .authinfo.gpg .pgpass .pg_service.conf .my.cnf .mylogin.cnf .htpasswd .htdigest
         .smbcredentials .cifscredentials .davfs2/secrets .fetchmailrc .msmtprc .config/msmtp .mbsyncrc .offlineimaprc
         .muttrc .mutt .config/mutt .config/neomutt .config/filezilla .filezilla .vnc .config/tigervnc
         .local/share/remmina .config/freerdp .config/openvpn .config/wireguard .globus .rhosts .shosts",
    ),
    (
        "histories, in which people have written passwords",
        ".bash_history .zsh_history .zhistory .histfile .sh_history .ksh_history .local/share/fish/fish_history
         .local/share/atuin .config/nushell/history.txt .config/nushell/history.sqlite3 .python_history
         .node_repl_history .irb_history .pry_history .rediscli_history .sqlite_history .psql_history .mysql_history
         .mariadb_history .mongodb .dbshell .lesshst .viminfo .ipython/profile_default/history.sqlite",
    ),
    (
        "profiles of browsers, mail and chat programs",
        ".mozilla .thunderbird .librewolf .waterfox .zen .config/chromium .config/google-chrome
         .config/google-chrome-beta .config/google-chrome-unstable .config/BraveSoftware .config/microsoft-edge
         .config/vivaldi .config/opera .config/qutebrowser .local/share/qutebrowser .local/share/epiphany snap/chromium
         snap/firefox .var/app/org.mozilla.firefox .var/app/com.google.Chrome .var/app/org.chromium.Chromium
         .local/share/evolution .config/evolution .purple .weechat .irssi .config/hexchat .config/Slack .config/discord
         .config/Signal .config/Element .local/share/TelegramDesktop",
    ),
    (
        "wallets",
        ".electrum .bitcoin .litecoin .dogecoin .ethereum .bitmonero .lnd .lightning .config/Exodus .config/solana
         .near-credentials .foundry/keystores .sui .aptos .brownie/accounts",
    ),
];

/// Paths below the home directory with white space in their names.
const SPACED_HOME_PATHS: &[&str] = &[".config/Bitwarden CLI", ".config/Ledger Live"];

/// Paths that contain tokens only in the home directory: a project has such a file without one, which a call may read.
/// Other programs of the machine have no business with those of the home directory.
const ONLY_IN_HOME: &[&str] = &[".aider.conf.yml", ".continue/config.json", ".continue/config.yaml", ".yarnrc.yml"];

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

/// The paths that are credential stores in any directory.
static ANYWHERE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let in_tables = HOME_PATHS.iter().flat_map(|(_, paths)| paths.split_whitespace());
    in_tables.chain(SPACED_HOME_PATHS.iter().copied()).collect()
});

/// The maximum number of entries of a home directory in which names are searched.
const MAX_HOME_ENTRIES: usize = 10_000;

/// Returns the relative paths that are credential stores in any directory, in the case that programs use.
pub fn store_paths() -> &'static [&'static str] {
    &ANYWHERE
}

/// Whether a path is a store or in one. Case does not matter.
pub(super) fn is_in_store(path: &str) -> bool {
    if SYSTEM_PATHS.iter().any(|store| begins_with(path, store)) {
        return true;
    }
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    let mut rests = starts.filter_map(|start| path.get(start..));
    // Nearly all names in a project begin otherwise.
    let may_begin = |rest: &str| rest.starts_with(['.', '_']) || begins_with(rest, "snap");
    rests.any(|rest| may_begin(rest) && ANYWHERE.iter().any(|store| begins_with(rest, store)))
}

/// Whether a path begins with the names of another one.
fn begins_with(path: &str, store: &str) -> bool {
    let start = path.as_bytes().get(..store.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(store.as_bytes()))
        && matches!(path.as_bytes().get(store.len()), None | Some(b'/'))
}

/// Finds the credential stores of the home directory and of the system that exist.
pub fn find_stores(home: Option<&Utf8Path>) -> Vec<Utf8PathBuf> {
    let in_home = home.into_iter().flat_map(|home| ANYWHERE.iter().chain(ONLY_IN_HOME).map(|path| home.join(path)));
    let listed = in_home.chain(SYSTEM_PATHS.iter().map(Utf8PathBuf::from));
    listed.filter(|path| path.as_std_path().symlink_metadata().is_ok()).collect()
}

/// Finds the files in a home directory itself whose names say that they contain credentials.
pub fn find_files_in_home(home: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = home.read_dir_utf8().into_iter().flatten().flatten().take(MAX_HOME_ENTRIES);
    // A link can lead to a file that every program needs, such as the certificates of the machine.
    let files = entries.filter(|entry| {
        super::is_credential_path(Utf8Path::new(entry.file_name()))
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    });
    files.map(|entry| entry.path().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credentials::is_credential_path;

    /// The policy and the sandbox have the same list.
    #[test]
    fn every_store_is_a_location_of_credentials() {
        for store in store_paths() {
            for path in [format!("/h/{store}"), format!("/h/{store}/x"), store.to_uppercase()] {
                assert!(is_credential_path(Utf8Path::new(&path)), "{path}");
            }
            let around = store_paths().iter().filter(|other| begins_with(store, other)).count();
            assert_eq!(around, 1, "{store} is listed twice, or is in another one");
        }
        for store in SYSTEM_PATHS {
            assert!(is_credential_path(Utf8Path::new(store)), "{store}");
        }
        for path in
            ["/w/.config/nvim/init.lua", "/w/.sshx", "/w/snap/x", "/w/.yarnrc.yml", "/w/etc/shadow.rs", "/w/.cargo"]
        {
            assert!(!is_credential_path(Utf8Path::new(path)), "{path}");
        }
    }

    #[test]
    fn stores_that_exist_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let home = Utf8Path::from_path(directory.path()).unwrap();
        for path in
            [".codex/auth.json", ".codex/config.toml", ".yarnrc.yml", ".env.local", "my.pem", "notes", "x/y.pem"]
        {
            std::fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
            crate::fs::write_atomic(&home.join(path), b"").unwrap();
        }
        std::os::unix::fs::symlink("notes", home.join("link.pem")).unwrap();
        let mut found = find_stores(Some(home));
        found.retain(|path| path.starts_with(home));
        assert_eq!(found, [".codex/auth.json", ".yarnrc.yml"].map(|path| home.join(path)));
        let mut found = find_files_in_home(home);
        found.sort_unstable();
        assert_eq!(found, [".env.local", "my.pem"].map(|path| home.join(path)));
    }
}
