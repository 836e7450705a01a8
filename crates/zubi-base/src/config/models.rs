//! Providers of models: the table `models` of the user's own `zubi.toml`. Like secrets, an address that receives a key
//! belongs to the machine: a workspace that could set the address would receive the key. The agent defines the built-in
//! providers and finds the keys.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// One `[models.NAME]` table. Fields that are not set have the built-in value for a provider of this name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProviderLayer {
    pub api: Option<Api>,
    /// The base address to which the paths of the API are appended: `https://gateway.example/v1`.
    pub url: Option<String>,
    /// The name of an environment variable or of an entry of `env`, never the key itself.
    pub key: Option<String>,
    /// The header that contains the bare key, for gateways that do not take `Authorization: Bearer`.
    pub key_header: Option<String>,
    pub headers: Fields,
    pub query: Fields,
    /// The context size, in tokens of prompt and answer together.
    pub context: Option<u64>,
    /// The provider's models. If the list is empty, zubi queries the provider for them.
    pub models: Vec<String>,
    /// The time without a byte of the answer after which zubi cancels the request, in seconds.
    pub timeout: Option<u64>,
    /// Whether zubi may send requests over plain HTTP to an address outside this machine and its network.
    pub allow_http: Option<bool>,
}

/// The API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// `POST …/chat/completions`, which most servers and gateways support.
    OpenaiChat,
    /// `POST …/responses`.
    OpenaiResponses,
    /// `POST …/messages`.
    Anthropic,
    /// `POST …:streamGenerateContent`.
    Gemini,
    /// `POST …/api/chat`.
    Ollama,
}

impl Api {
    /// The name in a configuration file.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }
}

/// Headers or query parameters. Their values are never shown, because one may be a secret.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Fields(pub BTreeMap<String, String>);

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Serialized as the names of the fields, without the values.
impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.keys())
    }
}
