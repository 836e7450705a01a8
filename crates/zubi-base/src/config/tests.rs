//! The order of layers, narrowing settings, and the texts of errors.

use camino::Utf8Path;
use insta::assert_snapshot;

use super::file::parse;
use super::key::KEYS;
use super::*;
use crate::text::ContentHash;
use crate::trust::{Trust, TrustStore};

fn layer(text: &str) -> Layer {
    parse(text, Utf8Path::new("x.toml")).unwrap()
}

fn layers(flags: &str, environment: &str, workspace: Option<(&str, bool)>, user: &str) -> Layers {
    Layers {
        flags: layer(flags),
        environment: layer(environment),
        workspace: workspace.map(|(text, trusted)| WorkspaceLayer {
            path: "/w/.zubi.toml".into(),
            layer: layer(text),
            trusted,
        }),
        user: Some(UserLayer { path: "/u/zubi.toml".into(), layer: layer(user) }),
    }
}

/// Renders the effective settings, one per line with its source.
fn show(layers: &Layers) -> String {
    use std::fmt::Write as _;
    let settings = layers.resolve();
    let mut text = format!("read-only {} ({})", settings.read_only.value, settings.read_only.source);
    for (name, filters) in [("toolsets", &settings.toolsets), ("tools", &settings.tools)] {
        for filter in filters {
            write!(text, "\n{name} {:?} ({})", filter.value, filter.source).unwrap();
        }
    }
    write!(text, "\nallow {:?} ({})", settings.allow.value, settings.allow.source).unwrap();
    if settings.show_secrets.source != SettingSource::Default {
        write!(text, "\nshow-secrets {:?} ({})", settings.show_secrets.value, settings.show_secrets.source).unwrap();
    }
    if settings.mcp_approval_fallback.source != SettingSource::Default {
        write!(
            text,
            "\nmcp.ask {:?} ({})",
            settings.mcp_approval_fallback.value, settings.mcp_approval_fallback.source
        )
        .unwrap();
    }
    if let Some(model) = &settings.model {
        write!(text, "\nmodel {} ({})", model.value, model.source).unwrap();
    }
    for (name, provider) in &settings.models {
        write!(text, "\nmodels.{name} {}", provider.url.as_deref().unwrap_or_default()).unwrap();
    }
    for (server, source) in &settings.disabled_servers {
        write!(text, "\nnever {server} ({source})").unwrap();
    }
    for ignored in &settings.ignored {
        write!(text, "\nignored: {ignored}").unwrap();
    }
    text
}

#[test]
fn the_strongest_layer_wins() {
    let user = "read-only = true\ntools = ['a']\nallow = ['x']\nservers.ruff.disabled = true";
    assert_snapshot!(show(&layers("", "", None, user)), @r#"
    read-only true (`/u/zubi.toml`)
    tools ["a"] (`/u/zubi.toml`)
    allow ["x"] (`/u/zubi.toml`)
    never ruff (`/u/zubi.toml`)
    "#);
    let workspace = "read-only = false\ntools = ['b']\nallow = ['y']\nservers.ruff.disabled = false";
    assert_snapshot!(show(&layers("", "", Some((workspace, true)), user)), @r#"
    read-only false (`/w/.zubi.toml`)
    tools ["b"] (`/w/.zubi.toml`)
    allow ["y"] (`/w/.zubi.toml`)
    "#);
    assert_snapshot!(show(&layers("tools = ['d']", "read-only = true\ntools = ['c']", Some((workspace, true)), user)), @r#"
    read-only true (environment)
    tools ["d"] (command line)
    allow ["y"] (`/w/.zubi.toml`)
    "#);
}

#[test]
fn an_untrusted_workspace_only_narrows() {
    let user = "tools = ['a']\nallow = ['x']\nservers.ruff.disabled = true";
    let widening = "read-only = false\nallow = ['y']\nshow-secrets = ['aws-key']\nservers.ruff.disabled = false";
    assert_snapshot!(show(&layers("", "", Some((widening, false)), user)), @r#"
    read-only false (default)
    tools ["a"] (`/u/zubi.toml`)
    allow ["x"] (`/u/zubi.toml`)
    never ruff (`/u/zubi.toml`)
    ignored: `read-only` in `/w/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    ignored: `allow` in `/w/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    ignored: `show-secrets` in `/w/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    ignored: `servers.ruff.disabled` in `/w/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    "#);
    let narrowing = "read-only = true\ntools = ['b']\ntoolsets = ['lsp']\nservers.gopls.disabled = true";
    assert_snapshot!(show(&layers("", "", Some((narrowing, false)), user)), @r#"
    read-only true (`/w/.zubi.toml`)
    toolsets ["lsp"] (`/w/.zubi.toml`)
    tools ["b"] (`/w/.zubi.toml`)
    tools ["a"] (`/u/zubi.toml`)
    allow ["x"] (`/u/zubi.toml`)
    never gopls (`/w/.zubi.toml`)
    never ruff (`/u/zubi.toml`)
    "#);
}

/// Any layer may set `deny`; only a layer that may widen can set `client`.
#[test]
fn an_untrusted_workspace_can_only_disable_client_approval() {
    assert_snapshot!(show(&layers("", "", Some(("mcp.ask = 'deny'", false)), "mcp.ask = 'client'")), @"
    read-only false (default)
    allow [] (default)
    mcp.ask Deny (`/w/.zubi.toml`)
    ");
    assert_snapshot!(show(&layers("", "", Some(("mcp.ask = 'client'", false)), "mcp.ask = 'deny'")), @"
    read-only false (default)
    allow [] (default)
    mcp.ask Deny (`/u/zubi.toml`)
    ignored: `mcp.ask` in `/w/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    ");
    assert_snapshot!(show(&layers("", "", Some(("mcp.ask = 'client'", true)), "mcp.ask = 'deny'")), @"
    read-only false (default)
    allow [] (default)
    mcp.ask Client (`/w/.zubi.toml`)
    ");
    let error = parse("[mcp]\nask = 'maybe'", Utf8Path::new("zubi.toml")).unwrap_err().to_string();
    assert_snapshot!(error, @"zubi.toml:2:7: `ask`: unknown variant `maybe`, expected `client` or `deny`");
}

/// Without trust, a file can only add `deny` rules; the rules of a trusted file take precedence over the user's.
#[test]
fn client_approval_depends_on_user_and_workspace_settings() {
    use McpApprovalFallback::{Client, Deny};
    use std::fmt::Write as _;
    let values = [None, Some(Client), Some(Deny)];
    let text = |fallback: Option<McpApprovalFallback>| match fallback {
        None => "",
        Some(Client) => "mcp.ask = 'client'",
        Some(Deny) => "mcp.ask = 'deny'",
    };
    let word =
        |fallback: Option<McpApprovalFallback>| fallback.map_or("-".to_owned(), |fallback| format!("{fallback:?}"));
    let mut table = String::from("user    file    untrusted         trusted");
    for user in values {
        for file in values {
            let resolved =
                [false, true].map(|trusted| layers("", "", Some((text(file), trusted)), text(user)).resolve());
            let columns = resolved.map(|settings| {
                let ignored = if settings.ignored.is_empty() { "" } else { ", ignored" };
                format!("{:?}{ignored}", settings.mcp_approval_fallback.value)
            });
            write!(table, "\n{:<7} {:<7} {:<17} {}", word(user), word(file), columns[0], columns[1]).unwrap();
        }
    }
    assert_snapshot!(table, @"
    user    file    untrusted         trusted
    -       -       Client            Client
    -       Client  Client, ignored   Client
    -       Deny    Deny              Deny
    Client  -       Client            Client
    Client  Client  Client, ignored   Client
    Client  Deny    Deny              Deny
    Deny    -       Deny              Deny
    Deny    Client  Deny, ignored     Client
    Deny    Deny    Deny              Deny
    ");
}

#[test]
fn secrets_belong_to_the_machine() {
    let workspace = "[env]\nTOKEN = 'theirs'";
    for trusted in [false, true] {
        let layers = layers("", "", Some((workspace, trusted)), "[env]\nTOKEN = 'mine'");
        let settings = layers.resolve();
        assert_eq!(settings.env.get("TOKEN"), Some(&SecretEntry::Value("mine".to_owned())));
        let messages: Vec<_> = settings.ignored.iter().map(ToString::to_string).collect();
        assert_eq!(messages, ["`env` in `/w/.zubi.toml` has no effect: it belongs in your own zubi.toml"]);
        assert!(!format!("{layers:?}{settings:?}").contains("mine"));
    }
}

/// A workspace cannot choose the server of the team's data, nor a file with a connection string.
#[test]
fn the_team_index_is_a_user_setting() {
    let user = "team-index = { file = 'team' }";
    for (workspace, trusted) in
        [("team-index = 'host=hunter2'", false), ("team-index = { file = '/etc/passwd' }", true)]
    {
        let settings = layers("", "", Some((workspace, trusted)), user).resolve();
        assert_eq!(settings.team_index, Some(SecretEntry::File("team".to_owned())));
        let messages: Vec<String> = settings.ignored.iter().map(ToString::to_string).collect();
        assert_eq!(messages, ["`team-index` in `/w/.zubi.toml` has no effect: it belongs in your own zubi.toml"]);
        let settings = layers("", "", Some((workspace, trusted)), "").resolve();
        assert_eq!(settings.team_index, None);
    }
    let settings = layers("", "", None, "team-index = 'password=hunter2'").resolve();
    assert!(!format!("{settings:?}").contains("hunter2"));
}

/// A workspace cannot lower what the user demands of the sandbox, and not set it either.
#[test]
fn the_demand_on_the_sandbox_is_a_user_setting() {
    let user = "sandbox.at-least = 'landlock+seccomp'";
    for trusted in [false, true] {
        let workspace = "[sandbox]\nat-least = 'none'";
        let settings = layers("", "", Some((workspace, trusted)), user).resolve();
        assert_eq!(settings.sandbox_level, Some(Level::LandlockSeccomp));
        let messages: Vec<String> = settings.ignored.iter().map(ToString::to_string).collect();
        assert_eq!(messages, ["`sandbox` in `/w/.zubi.toml` has no effect: it belongs in your own zubi.toml"]);
        assert_eq!(layers("", "", Some((workspace, trusted)), "").resolve().sandbox_level, None);
    }
    let error = |text: &str| parse(text, Utf8Path::new("zubi.toml")).unwrap_err().to_string();
    assert_snapshot!(error("[sandbox]\nat-least = 'all'"), @"zubi.toml:2:12: `at-least`: unknown variant `all`, expected one of `none`, `seccomp`, `landlock`, `landlock+seccomp`, `bubblewrap`");
    assert_snapshot!(error("[sandbox]\natleast = 'none'"), @"zubi.toml:2:1: unknown setting `atleast`; did you mean `at-least`?");
}

/// A workspace's model applies once the workspace is trusted; its providers and keys never apply.
#[test]
fn model_endpoints_are_user_settings() {
    let user =
        "model = 'openai/mine'\n[models.work]\nurl = 'https://mine.example/v1'\nheaders = { x-secret = 'hunter2' }";
    let workspace = "model = 'work/theirs'\n[models.work]\nurl = 'https://theirs.example/v1'";
    assert_snapshot!(show(&layers("", "", Some((workspace, false)), user)), @"
    read-only false (default)
    allow [] (default)
    model openai/mine (`/u/zubi.toml`)
    models.work https://mine.example/v1
    ignored: `model` in `/w/.zubi.toml` has no effect until the file is trusted (`zubi trust`)
    ignored: `models` in `/w/.zubi.toml` has no effect: it belongs in your own zubi.toml
    ");
    assert_snapshot!(show(&layers("", "", Some((workspace, true)), user)), @"
    read-only false (default)
    allow [] (default)
    model work/theirs (`/w/.zubi.toml`)
    models.work https://mine.example/v1
    ignored: `models` in `/w/.zubi.toml` has no effect: it belongs in your own zubi.toml
    ");
    let flagged = layers("model = 'mock'", "model = 'ollama/x'", Some((workspace, true)), user);
    assert_eq!(flagged.resolve().model, Some(Effective { value: "mock".to_owned(), source: SettingSource::Flag }));
    assert!(!format!("{flagged:?}{:?}", flagged.resolve()).contains("hunter2"));
    let error = |text: &str| parse(text, Utf8Path::new("zubi.toml")).unwrap_err().to_string();
    assert_snapshot!(error("[models.x]\nkeys = 'A'"), @"zubi.toml:2:1: unknown setting `keys`; did you mean `key`?");
    assert_snapshot!(error("[models.x]\napi = 'openai'"), @"zubi.toml:2:7: `api`: unknown variant `openai`, expected one of `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `ollama`");
}

#[test]
fn the_user_alone_decides_how_servers_are_confined() {
    let text = "[servers]\nsandbox = 'off'\n[servers.gopls]\nnetwork = true\n[servers.ruff]\nsandbox = 'on'";
    let resolve = |workspace: Option<(&str, bool)>, user: &str| layers("", "", workspace, user).resolve();
    let user = resolve(None, text).server_confinement;
    let off = |id: &str| user.off_setting(id);
    assert_eq!(off("gopls").as_deref(), Some("[servers] sandbox = \"off\""));
    assert_eq!((off("ruff"), user.allows_network("gopls"), user.allows_network("ruff")), (None, true, false));
    let one = resolve(None, "[servers.ty]\nsandbox = 'off'").server_confinement;
    assert_eq!(one.off_setting("ty").as_deref(), Some("[servers.ty] sandbox = \"off\""));
    assert_eq!((one.off_setting("ruff"), one.is_any_off()), (None, true));
    for trusted in [false, true] {
        let settings = resolve(Some((text, trusted)), "");
        assert_eq!(settings.server_confinement, ServerConfinement::default());
        let ignored: Vec<_> = settings.ignored.iter().map(|ignored| (ignored.key.as_str(), ignored.always)).collect();
        assert_eq!(
            ignored,
            [("servers.sandbox", true), ("servers.gopls.network", true), ("servers.ruff.sandbox", true)]
        );
    }
}

#[test]
fn errors_report_position_and_nearest_key() {
    let error = |text: &str| parse(text, Utf8Path::new(".zubi.toml")).unwrap_err().to_string();
    assert_snapshot!(error("tools = []\nreadonly = true"), @".zubi.toml:2:1: unknown setting `readonly`; did you mean `read-only`?");
    assert_snapshot!(error("[servers.ruff]\n  disabeld = true"), @".zubi.toml:2:3: unknown setting `disabeld`; did you mean `disabled`?");
    assert_snapshot!(error("[servers]\n sandbox = 'of'"), @".zubi.toml:2:12: `sandbox`: unknown variant `of`, expected `on` or `off`");
    assert_snapshot!(error("colour = 'red'"), @".zubi.toml:1:1: unknown setting `colour`");
    assert_snapshot!(error("read-only = 'yes'"), @r#".zubi.toml:1:13: `read-only`: invalid type: string "yes", expected a boolean"#);
    assert_snapshot!(error("read-only = "), @".zubi.toml:1:13: `read-only`: string values must be quoted, expected literal string");
}

#[test]
fn key_table_matches_the_settings_type() {
    let server = ServerLayer { disabled: Some(true), sandbox: Some(ServerSandboxMode::On), network: Some(false) };
    let layer = Layer {
        read_only: Some(true),
        toolsets: Some(Vec::new()),
        tools: Some(Vec::new()),
        allow: Some(Vec::new()),
        show_secrets: Some(Vec::new()),
        policy: Vec::new(),
        env: std::collections::BTreeMap::new(),
        servers: ServersLayer { sandbox: Some(ServerSandboxMode::On), by_id: [("any".to_owned(), server)].into() },
        mcp: McpLayer { approval_fallback: Some(McpApprovalFallback::Deny) },
        sandbox: SandboxLayer { at_least: Some(Level::None) },
        index: Some(false),
        team_index: Some(SecretEntry::Value("host=any".to_owned())),
        model: Some("any/model".to_owned()),
        models: [("any".to_owned(), ProviderLayer::default())].into(),
    };
    let value = serde_json::to_value(&layer).unwrap();
    let mut names = Vec::new();
    for (key, value) in value.as_object().unwrap() {
        names.push(key.clone());
        for (inner, value) in value.as_object().into_iter().flatten() {
            match inner.as_str() {
                "any" => {
                    let settings = value.as_object().into_iter().flatten();
                    names.extend(settings.map(|(setting, _)| format!("{key}.*.{setting}")));
                }
                inner => names.push(format!("{key}.{inner}")),
            }
        }
    }
    assert_eq!(names, KEYS.iter().map(|key| key.name).collect::<Vec<_>>());
}

#[test]
fn a_workspace_file_is_trusted_by_content() {
    let directory = tempfile::tempdir().unwrap();
    let base = crate::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    let (config, root) = (base.join("config"), base.join("work"));
    std::fs::create_dir_all(&config).unwrap();
    std::fs::create_dir_all(&root).unwrap();
    let write = |path: Utf8PathBuf, text: &str| crate::fs::write_atomic(&path, text.as_bytes()).unwrap();
    write(config.join(USER_FILE), "read-only = true");
    write(root.join(WORKSPACE_FILE), "read-only = false");

    let store = TrustStore::new(base.join("state"));
    let trust = Trust::new(store.clone(), false);
    let read_only = || file::load(&config, &root, &trust).unwrap().resolve().read_only.value;
    assert!(read_only(), "not trusted");
    store.trust(&root, &[root.join(WORKSPACE_FILE)], std::time::Duration::ZERO).unwrap();
    assert!(!read_only(), "trusted");
    write(root.join(WORKSPACE_FILE), "read-only = false # changed");
    assert!(read_only(), "the content differs from the trusted one");
    assert!(!trust.file(&root, &root.join("other"), &ContentHash::from_bytes(b"")));

    std::fs::remove_file(root.join(WORKSPACE_FILE)).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(config.join(USER_FILE), root.join(WORKSPACE_FILE)).unwrap();
        assert!(file::load(&config, &root, &trust).is_err(), "a link could point at any file of the user");
    }
}
