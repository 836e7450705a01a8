//! Where models are asked: the table `models` of the user's own `zubi.toml`. An address with a key belongs to the machine, as
//! secrets do: a workspace that could name one would be sent the key. What is built in and how a key is found is the agent's.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// One `[models.NAME]`. What it leaves open is as it is built in for a provider of this name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProviderLayer {
    pub api: Option<Api>,
    /// What paths of the API are appended to: `https://gateway.example/v1`.
    pub url: Option<String>,
    /// The name of an environment variable or of an entry of `env`, never the key itself.
    pub key: Option<String>,
    /// The header that the key goes into as it is, for gateways that do not take `Authorization: Bearer`.
    pub key_header: Option<String>,
    pub headers: Fields,
    pub query: Fields,
    /// Tokens that prompt and answer may have together.
    pub context: Option<u64>,
    /// Its models; without them it is asked which it has.
    pub models: Vec<String>,
    /// Seconds without a byte of the answer until it is given up.
    pub timeout: Option<u64>,
    /// Ask over plain HTTP although the address is none of this machine or network.
    pub allow_http: Option<bool>,
}

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// `POST …/chat/completions`, which most servers and gateways speak.
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
    /// As it is written in a file.
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

/// Whoever asks learns their names.
impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.keys())
    }
}
