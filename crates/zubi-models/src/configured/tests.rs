//! The list of providers, their addresses, and the origin of their keys.

use std::os::unix::fs::PermissionsExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use insta::assert_snapshot;
use zubi_base::config::{Layers, UserLayer, file};

use super::*;

const KEY: &str = "sk-never-shown-0123456789";

/// Returns the providers of a user's file in an environment, one per line. No line contains a key.
fn check(toml: &str, environment: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    let path: Utf8PathBuf = root.join("zubi.toml");
    for (name, mode) in [("own", 0o600), ("open", 0o644)] {
        zubi_base::owner_only::write_atomic(&root.join(name), format!("{KEY}\n").as_bytes()).unwrap();
        std::fs::set_permissions(root.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let layer = file::parse(toml, &path).unwrap();
    let layers = Layers { user: Some(UserLayer { path: path.clone(), layer }), ..Layers::default() };
    let settings = layers.resolve();
    let secrets = Secrets::read(&settings.env, &path, None);
    let variables =
        |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let redacted = secrets_of_models(&settings, &variables);
    let is_key = |name: &str| name.ends_with("_KEY") || name == "GITHUB_TOKEN";
    for (name, value) in environment.iter().filter(|(name, _)| is_key(name)) {
        assert!(redacted.contains(&value.trim().to_owned()), "{name} is not redacted");
    }
    let sources = configured_sources(&settings, &secrets, &variables);
    let line = |source: &Arc<dyn ModelSource>| {
        let by_name = if source.is_only_by_name() { ", only by its name" } else { "" };
        format!("{}: {}{by_name}", source.provider(), source.describe())
    };
    let lines: Vec<_> = sources.iter().map(line).collect();
    let text = lines.join("\n").replace(root.as_str(), "[DIR]");
    assert!(!text.contains(KEY), "{text}");
    text
}

#[test]
fn nothing_is_configured() {
    assert_snapshot!(check("", &[]), @r#"
    openai: needs a key: set OPENAI_API_KEY, or write `OPENAI_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    anthropic: needs a key: set ANTHROPIC_API_KEY, or write `ANTHROPIC_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    gemini: needs a key: set GEMINI_API_KEY, or write `GEMINI_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    openrouter: needs a key: set OPENROUTER_API_KEY, or write `OPENROUTER_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    github: needs a key: set GITHUB_TOKEN, or write `GITHUB_TOKEN = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    ollama: ollama at http://localhost:11434/ (no key)
    "#);
}

#[test]
fn keys_and_addresses_from_the_environment() {
    let environment = [
        ("OPENAI_API_KEY", KEY),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9"),
        ("ANTHROPIC_API_KEY", "two\nlines"),
        ("GEMINI_API_KEY", " sk-spaces-around \n"),
        ("OPENROUTER_API_KEY", KEY),
        ("OPENROUTER_BASE_URL", "http://example.com"),
        ("GITHUB_TOKEN", KEY),
        ("OLLAMA_HOST", "0.0.0.0:9"),
    ];
    assert_snapshot!(check("", &environment), @"
    openai: openai-chat at http://127.0.0.1:9/v1 (key from the environment variable OPENAI_API_KEY)
    anthropic: its key, the environment variable ANTHROPIC_API_KEY, is empty or has characters that are invalid in a key
    gemini: gemini at https://generativelanguage.googleapis.com/v1beta (key from the environment variable GEMINI_API_KEY)
    openrouter: the environment variable OPENROUTER_BASE_URL: `http://example.com` is neither on this machine nor on its network, so others could read what is sent: use https, or write `allow-http = true`
    github: openai-chat at https://models.github.ai/inference (key from the environment variable GITHUB_TOKEN), only by its name
    ollama: ollama at http://127.0.0.1:9/ (no key)
    ");
}

#[test]
fn a_configured_provider_is_listed() {
    let listing = check("[models.github]\n", &[("GITHUB_TOKEN", KEY)]);
    let github =
        "github: openai-chat at https://models.github.ai/inference (key from the environment variable GITHUB_TOKEN)";
    assert!(listing.lines().any(|line| line == github), "{listing}");
}

#[test]
fn user_defined_providers() {
    let toml = r#"
        [env]
        MINE = { file = "own" }
        OPEN = { file = "open" }

        [models.work]
        url = "https://gateway.example/v1"
        key = "MINE"
        headers = { x-team = "a" }
        models = ["large"]

        [models.azure]
        url = "https://x.example/openai/deployments/y"
        key = "AZURE_KEY"
        key-header = "api-key"
        query = { api-version = "2024-10-21" }

        [models.broken]
        url = "https://gateway.example/v1"
        key = "OPEN"

        [models.unnamed]
        url = "https://gateway.example/v1"
        key = "sk-proj-0123456789abcdefghij"

        [models.nowhere]
        [models."no name"]
        [models.mock]

        [models.header]
        url = "https://gateway.example/v1"
        headers = { "a b" = "c" }

        [models.hasty]
        url = "https://gateway.example/v1"
        timeout = 0

        [models.small]
        url = "https://gateway.example/v1"
        context = 1

        [models.openai]
        url = "https://mine.example/v1"
    "#;
    assert_snapshot!(check(toml, &[("AZURE_KEY", KEY), ("OPENAI_API_KEY", KEY)]), @r#"
    azure: openai-chat at https://x.example/openai/deployments/y (key from the environment variable AZURE_KEY)
    broken: its key, `OPEN` in [env] of `[DIR]/zubi.toml`, cannot be used: `[DIR]/open` is open to others (mode 644); make it yours alone: `chmod 600 [DIR]/open`
    hasty: its `timeout` is 0 seconds, in which no answer comes: leave it out for 120
    header: `a b` in its `headers` is not a valid header
    mock: invalid provider name; use letters, digits, `-`, `_` and `.`, and no name that zubi reserves
    no name: invalid provider name; use letters, digits, `-`, `_` and `.`, and no name that zubi reserves
    nowhere: needs an address: write `url = "…"` into [models.nowhere]
    openai: openai-chat at https://mine.example/v1 (no key)
    small: its `context` is 1, and a question with its tools has more tokens than 1024: write how many the model takes, or leave it out
    unnamed: has an invalid `key`: name an environment variable or an entry of [env] there, and leave the key itself out of this file
    work: openai-chat at https://gateway.example/v1 (key from `MINE` in [env] of `[DIR]/zubi.toml`)
    anthropic: needs a key: set ANTHROPIC_API_KEY, or write `ANTHROPIC_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    gemini: needs a key: set GEMINI_API_KEY, or write `GEMINI_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    openrouter: needs a key: set OPENROUTER_API_KEY, or write `OPENROUTER_API_KEY = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    github: needs a key: set GITHUB_TOKEN, or write `GITHUB_TOKEN = { file = "…" }` into [env] of `[DIR]/zubi.toml`
    ollama: ollama at http://localhost:11434/ (no key)
    "#);
}

#[test]
fn the_docs_state_the_provider_timeouts() {
    let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/guide/models.md");
    let page = zubi_base::fs::read_text(&path).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let ProviderTimeouts { idle, heartbeats_only, answer, .. } = ProviderTimeouts::default();
    let (hours, minutes) = (answer.as_secs() / 3_600, heartbeats_only.as_secs() / 60);
    for sentence in [
        format!("before zubi cancels the request; at least 1, default {}.", idle.as_secs()),
        format!(
            "An answer may take at most {hours} hour. If the server holds the connection open but sends no text, zubi waits {minutes} minutes."
        ),
    ] {
        assert!(page.contains(&sentence), "`{path}` has to say: {sentence}");
    }
}

#[tokio::test]
async fn a_misconfigured_provider_is_listed_with_its_problem() {
    let toml = "[models.my]\nurl = 'gateway.example'\n[models.open]\nurl = 'http://example.com'\n[models.none]\n";
    let layer = file::parse(toml, Utf8Path::new("/zubi.toml")).unwrap();
    let user = UserLayer { path: "/zubi.toml".into(), layer };
    let settings = Layers { user: Some(user), ..Layers::default() }.resolve();
    let sources = configured_sources(&settings, &Secrets::default(), &|_| None);
    let mut errors = Vec::new();
    for source in sources.iter().take(3) {
        errors.push(source.open("x").await.unwrap_err().message);
    }
    let listed = registry::ModelRegistry::new(sources.into_iter().take(3).collect(), None).list().await;
    errors.extend(listed.problems.iter().map(|it| format!("({}: {})", it.provider, it.message)));
    assert_snapshot!(errors.join("\n"), @r#"
    my: its address begins with neither `https://` nor `http://`
    none needs an address: write `url = "…"` into [models.none]
    open: `http://example.com` is neither on this machine nor on its network, so others could read what is sent: use https, or write `allow-http = true`
    (my: its address begins with neither `https://` nor `http://`)
    (none: needs an address: write `url = "…"` into [models.none])
    (open: `http://example.com` is neither on this machine nor on its network, so others could read what is sent: use https, or write `allow-http = true`)
    "#);
}
