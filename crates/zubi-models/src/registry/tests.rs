//! Ids, bare names, the first model, and the errors without one.

use async_trait::async_trait;
use insta::assert_snapshot;

use super::*;
use crate::{ModelAnswer, OnDelta, Prompt};

/// A scripted provider: its list or the reason for none, and whether it opens any name.
struct ScriptedProvider {
    provider: &'static str,
    models: Result<Vec<&'static str>, ErrorKind>,
    is_only_by_name: bool,
}

struct OpenedModel(ModelInfo);

#[async_trait]
impl LanguageModel for OpenedModel {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    async fn answer(&self, _prompt: Prompt<'_>, _on_delta: OnDelta<'_>) -> Result<ModelAnswer, ModelError> {
        Err(ModelError::new(ErrorKind::Refused, "only chosen"))
    }
}

impl ScriptedProvider {
    /// GitHub's is used only by name, because it is not configured.
    fn new((provider, models): ModelListing) -> Self {
        Self { provider, models, is_only_by_name: provider == "github" }
    }

    fn info(&self, name: &str) -> ModelInfo {
        let id = match (self.provider, name) {
            (MOCK, "") => MOCK.to_owned(),
            (MOCK, file) => format!("mock:{file}"),
            (provider, name) => format!("{provider}/{name}"),
        };
        ModelInfo { id, name: name.to_owned(), provider: self.provider.to_owned(), context: None }
    }
}

#[async_trait]
impl ModelSource for ScriptedProvider {
    fn provider(&self) -> &str {
        self.provider
    }

    fn describe(&self) -> String {
        match self.models {
            Ok(_) => "http://localhost/v1".to_owned(),
            Err(_) => format!("needs {}_KEY", self.provider.to_uppercase()),
        }
    }

    fn is_unusable(&self) -> bool {
        matches!(self.models, Err(ErrorKind::NotConfigured))
    }

    fn is_only_by_name(&self) -> bool {
        self.is_only_by_name
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let models =
            self.models.as_ref().map_err(|kind| ModelError::new(*kind, format!("{} has trouble", self.provider)))?;
        Ok(models.iter().map(|name| self.info(name)).collect())
    }

    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        match &self.models {
            // The editor opens only models that it has.
            Ok(models) if self.provider == EDITOR && !models.contains(&name) => {
                Err(ModelError::new(ErrorKind::NotConfigured, "the editor does not have it"))
            }
            Err(ErrorKind::NotConfigured) => {
                Err(ModelError::new(ErrorKind::NotConfigured, format!("{} needs a key", self.provider)))
            }
            _ => Ok(Arc::new(OpenedModel(self.info(name)))),
        }
    }
}

type ModelListing = (&'static str, Result<Vec<&'static str>, ErrorKind>);

const NO_KEY: Result<Vec<&'static str>, ErrorKind> = Err(ErrorKind::NotConfigured);

/// Opens each id and returns the results.
async fn check(sources: Vec<ModelListing>, ids: &[&str]) -> String {
    open_models(sources.into_iter().map(ScriptedProvider::new), ids).await
}

async fn open_models(sources: impl Iterator<Item = ScriptedProvider>, ids: &[&str]) -> String {
    let models = ModelRegistry::new(sources.map(|source| Arc::new(source) as Arc<dyn ModelSource>).collect(), None);
    let mut lines = Vec::new();
    for id in ids {
        let opened = match models.open(id).await {
            Ok(model) => model.info().id.clone(),
            Err(error) => format!("{:?}: {error}", error.kind),
        };
        lines.push(format!("`{}` is {opened}", id.escape_debug()));
    }
    lines.join("\n")
}

fn default_listings() -> Vec<ModelListing> {
    vec![
        ("editor", Ok(vec!["gpt-4o", "claude-3.5"])),
        ("openai", Ok(vec!["dall-e-3", "gpt-4o", "gpt-5"])),
        ("anthropic", NO_KEY),
        ("github", Ok(vec!["openai/gpt-4.1"])),
        ("ollama", Ok(vec!["qwen3:8b", "gpt-oss:20b", "llama3:latest"])),
        ("mock", Ok(vec![""])),
    ]
}

#[tokio::test]
async fn model_ids() {
    let ids = [
        "openai/gpt-9",
        "openrouter/x",
        "github/openai/gpt-4.1",
        "openai",
        "mock",
        "mock:a/b.yaml",
        "mocked",
        "/",
        "openai/",
    ];
    assert_snapshot!(check(default_listings(), &ids).await, @"
    `openai/gpt-9` is openai/gpt-9
    `openrouter/x` is NotConfigured: there is no model `openrouter/x`; a model is named `provider/model`; available providers: editor, openai, github, ollama, mock; others lack a key or an address: anthropic
    `github/openai/gpt-4.1` is github/openai/gpt-4.1
    `openai` is openai/gpt-5
    `mock` is mock
    `mock:a/b.yaml` is mock:a/b.yaml
    `mocked` is NotConfigured: there is no model `mocked`; a model is named `provider/model`; available providers: editor, openai, github, ollama, mock; others lack a key or an address: anthropic
    `/` is NotConfigured: there is no model `/`; a model is named `provider/model`; available providers: editor, openai, github, ollama, mock; others lack a key or an address: anthropic
    `openai/` is NotConfigured: there is no model `openai/`; a model is named `provider/model`; available providers: editor, openai, github, ollama, mock; others lack a key or an address: anthropic
    ");
}

#[tokio::test]
async fn bare_names() {
    let ids = ["gpt-4o", "gpt-5", "qwen3:8b", "gpt-oss:20b", "llama3", "claude-3.5", "claude-4", "no\u{1b}such"];
    assert_snapshot!(check(default_listings(), &ids).await, @r"
    `gpt-4o` is editor/gpt-4o
    `gpt-5` is openai/gpt-5
    `qwen3:8b` is ollama/qwen3:8b
    `gpt-oss:20b` is ollama/gpt-oss:20b
    `llama3` is ollama/llama3
    `claude-3.5` is editor/claude-3.5
    `claude-4` is NotConfigured: anthropic needs a key
    `no\u{1b}such` is NotConfigured: there is no model `no\u{1b}such`; a model is named `provider/model`; available providers: editor, openai, github, ollama, mock; others lack a key or an address: anthropic
    ");
}

/// If a list is not available, no error claims that the model does not exist. A program that does not run has no models
/// now, and the error says that it does not run.
#[tokio::test]
async fn a_name_is_not_unknown_if_a_list_is_unavailable() {
    let with = |provider, kind| vec![("openai", NO_KEY), (provider, Err(kind)), ("mock", Ok(vec![""]))];
    let mut text = String::new();
    for sources in [
        with("mine", ErrorKind::Unreachable),
        with("mine", ErrorKind::Unauthorized),
        with("ollama", ErrorKind::Unreachable),
    ] {
        text.push_str(&check(sources, &["nope", "gpt-5"]).await);
        text.push('\n');
    }
    assert_snapshot!(text, @"
    `nope` is Unreachable: there is no model `nope`; a model is named `provider/model`; available providers: mine, mock; others lack a key or an address: openai; not every provider answered: mine has trouble
    `gpt-5` is Unreachable: openai needs a key; not every provider answered: mine has trouble
    `nope` is Unauthorized: there is no model `nope`; a model is named `provider/model`; available providers: mine, mock; others lack a key or an address: openai; not every provider answered: mine has trouble
    `gpt-5` is Unauthorized: openai needs a key; not every provider answered: mine has trouble
    `nope` is NotConfigured: there is no model `nope`; a model is named `provider/model`; available providers: ollama, mock; others lack a key or an address: openai; not every provider answered: ollama has trouble
    `gpt-5` is NotConfigured: openai needs a key
    ");
    let models =
        default_listings().into_iter().map(|listed| Arc::new(ScriptedProvider::new(listed)) as Arc<dyn ModelSource>);
    let models = ModelRegistry::new(models.collect(), None);
    let mut listed = Vec::new();
    for id in ["openai/gpt-5", "openai/gpt-9", "ollama/llama3", "mock:a.yaml"] {
        listed.push((id, models.is_listed(models.open(id).await.unwrap().info()).await));
    }
    assert_snapshot!(format!("{listed:?}"), @r#"[("openai/gpt-5", Some(true)), ("openai/gpt-9", Some(false)), ("ollama/llama3", Some(true)), ("mock:a.yaml", None)]"#);
}

/// The variable of its key serves other programs too, so the key is not sent unless the user names the provider.
#[tokio::test]
async fn github_is_queried_only_by_name() {
    let sources = vec![("github", Ok(vec!["phi-4"]))];
    assert_snapshot!(check(sources, &["phi-4", "github/phi-4", "github"]).await, @"
    `phi-4` is NotConfigured: there is no model `phi-4`; a model is named `provider/model`; available providers: github
    `github/phi-4` is github/phi-4
    `github` is github/phi-4
    ");
}

/// A configured provider's models are treated as those of any other.
#[tokio::test]
async fn a_configured_github_is_used_like_other_providers() {
    let configured =
        |listed: ModelListing| ScriptedProvider { is_only_by_name: false, ..ScriptedProvider::new(listed) };
    let sources = [("openai", NO_KEY), ("github", Ok(vec!["phi-4"])), ("mock", Ok(vec![""]))].map(configured);
    assert_snapshot!(open_models(sources.into_iter(), &["auto", "phi-4"]).await, @"
    `auto` is github/phi-4
    `phi-4` is github/phi-4
    ");
}

#[tokio::test]
async fn the_default_model_is_never_the_mock() {
    let mut text = check(default_listings(), &["auto", ""]).await;
    for sources in [
        vec![("openai", NO_KEY), ("ollama", Ok(vec!["qwen3:8b"]))],
        vec![
            ("openai", NO_KEY),
            ("github", Ok(vec!["x"])),
            ("ollama", Err(ErrorKind::Unreachable)),
            ("mock", Ok(vec![""])),
        ],
        vec![("openai", Err(ErrorKind::Unauthorized)), ("ollama", Ok(vec!["qwen3:8b"]))],
        vec![("openai", Err(ErrorKind::Unreachable)), ("ollama", Ok(vec!["qwen3:8b"]))],
    ] {
        text.push('\n');
        text.push_str(&check(sources, &["auto"]).await);
    }
    assert_snapshot!(text, @"
    `auto` is editor/gpt-4o
    `` is editor/gpt-4o
    `auto` is ollama/qwen3:8b
    `auto` is NotConfigured: no model is configured, and no ollama runs on this machine: set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or start ollama, or name a server in `[models.NAME]` of your zubi.toml; `--model mock` shows the agent at work without any
    `auto` is Unauthorized: openai has trouble
    `auto` is Unreachable: openai has trouble
    ");
}

#[tokio::test]
async fn lists_report_unavailable_providers() {
    let sources =
        default_listings().into_iter().map(|listed| Arc::new(ScriptedProvider::new(listed)) as Arc<dyn ModelSource>);
    let models = ModelRegistry::new(sources.collect(), Some(" ".to_owned()));
    assert_eq!(models.default_id(), AUTO);
    let list = models.list().await;
    let ids: Vec<_> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_snapshot!(format!("{ids:?}\n{:?}", list.problems), @r#"
    ["editor/gpt-4o", "editor/claude-3.5", "openai/dall-e-3", "openai/gpt-4o", "openai/gpt-5", "ollama/qwen3:8b", "ollama/gpt-oss:20b", "ollama/llama3:latest", "mock"]
    [ProviderProblem { provider: "anthropic", message: "has trouble" }, ProviderProblem { provider: "github", message: "is used only by name, as in `--model github/MODEL`; with a section `[models.github]` in your zubi.toml its models are listed" }]
    "#);
}
