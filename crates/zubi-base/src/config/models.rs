//! Providers of models: the table `models` of the user's own `zubi.toml`. An address with a key belongs to the machine,
//! as secrets do: a workspace that could set the address would receive the key. The agent defines the built-in
//! providers and finds the keys.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// One `[models.NAME]` table. A field that it leaves open has the built-in value for a provider of this name.
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
    /// The most tokens of prompt and answer together.
    pub context: Option<u64>,
    /// The provider's models; if empty, zubi queries the provider for them.
    pub models: Vec<String>,
    /// Seconds without a byte of the answer until the request is cancelled.
    pub timeout: Option<u64>,
    /// Whether to send requests over plain HTTP although the address is outside this machine and its network.
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

/// Headers or query parameters. A gateway may want a secret in one, so their values are not shown.
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
