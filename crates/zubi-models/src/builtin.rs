//! The built-in providers: the only table of them.

use zubi_base::config::Api;
use zubi_base::env::{self, Variable};

/// A provider that works without configuration.
#[derive(Debug, Clone, Copy)]
pub struct WellKnown {
    pub name: &'static str,
    pub api: Api,
    pub url: &'static str,
    /// The variable for the key; the provider cannot be called without one.
    pub key: Option<Variable>,
    /// The variable for another address.
    pub address: Variable,
    /// The prefixes of its own models' names, by which zubi recognizes a bare name.
    pub prefixes: &'static [&'static str],
    /// The preferred models if the user names only the provider, the best first. If it lists none of them, zubi uses
    /// the first listed model.
    pub preferred: &'static [&'static str],
    /// Whether zubi uses the provider only if the user names it. Other programs use the variable of its key too, so a
    /// set variable does not permit zubi to call its models.
    pub is_only_by_name: bool,
}

/// The built-in providers, in the order in which zubi searches them.
pub const PROVIDERS: &[WellKnown] = &[
    WellKnown {
        name: "openai",
        api: Api::OpenaiChat,
        url: "https://api.openai.com/v1",
        key: Some(env::OPENAI_API_KEY),
        address: env::OPENAI_BASE_URL,
        prefixes: &["gpt-", "chatgpt-", "codex-", "o1", "o3", "o4"],
        preferred: &["gpt-5.1", "gpt-5", "gpt-4.1", "gpt-4o"],
        is_only_by_name: false,
    },
    WellKnown {
        name: "anthropic",
        api: Api::Anthropic,
        url: "https://api.anthropic.com/v1",
        key: Some(env::ANTHROPIC_API_KEY),
        address: env::ANTHROPIC_BASE_URL,
        prefixes: &["claude-"],
        preferred: &["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-20250514"],
        is_only_by_name: false,
    },
    WellKnown {
        name: "gemini",
        api: Api::Gemini,
        url: "https://generativelanguage.googleapis.com/v1beta",
        key: Some(env::GEMINI_API_KEY),
        address: env::GEMINI_BASE_URL,
        prefixes: &["gemini-"],
        preferred: &["gemini-2.5-pro", "gemini-2.5-flash"],
        is_only_by_name: false,
    },
    WellKnown {
        name: "openrouter",
        api: Api::OpenaiChat,
        url: "https://openrouter.ai/api/v1",
        key: Some(env::OPENROUTER_API_KEY),
        address: env::OPENROUTER_BASE_URL,
        prefixes: &[],
        preferred: &["openrouter/auto"],
        is_only_by_name: false,
    },
    WellKnown {
        name: "github",
        api: Api::OpenaiChat,
        url: "https://models.github.ai/inference",
        key: Some(env::GITHUB_TOKEN),
        address: env::GITHUB_MODELS_BASE_URL,
        prefixes: &[],
        preferred: &["openai/gpt-4.1", "openai/gpt-4o"],
        is_only_by_name: true,
    },
    WellKnown {
        name: "ollama",
        api: Api::Ollama,
        url: "http://localhost:11434",
        key: None,
        address: env::OLLAMA_HOST,
        prefixes: &[],
        preferred: &[],
        is_only_by_name: false,
    },
];

/// Returns the provider whose models have names like this one. A name with a tag, such as `gpt-oss:20b`, means open
/// weights that any provider may have.
pub fn vendor(model: &str) -> Option<&'static str> {
    let has_prefix = |well_known: &&WellKnown| well_known.prefixes.iter().any(|prefix| model.starts_with(prefix));
    let vendor = PROVIDERS.iter().find(has_prefix).filter(|_| !model.contains(':'));
    vendor.map(|well_known| well_known.name)
}

/// Returns [`WellKnown::preferred`] of a provider.
pub fn preferred_models(provider: &str) -> &'static [&'static str] {
    PROVIDERS.iter().find(|well_known| well_known.name == provider).map_or(&[], |well_known| well_known.preferred)
}
