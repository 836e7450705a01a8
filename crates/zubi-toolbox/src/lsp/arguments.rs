//! Arguments that several code tools share.
//!
//! Descriptions are short on purpose: they are sent to the model with every list. The doc comments of fields *are*
//! the descriptions. Fields marked `x-common` are accepted by every tool and described once, in the server's
//! instructions; surfaces that pay for each byte leave them out of lists. Of fields marked `x-plain` they leave out the
//! description, for the instructions or the name itself say as much.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use zubi_code::locate::TargetInput;
use zubi_tools::cx::BYTES_PER_TOKEN;

/// A code position, given in exactly one of three ways.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct Target {
    #[schemars(description = "Type/method", extend("x-plain" = true))]
    symbol: Option<String>,
    /// File or folder of symbol
    #[schemars(extend("x-plain" = true))]
    path: Option<String>,
    /// path:line:col or path:line text, 1-based
    at: Option<String>,
    /// Path or file:// URI
    #[schemars(extend("x-plain" = true))]
    uri: Option<String>,
    /// 0-based
    line: Option<u32>,
    /// 0-based
    #[schemars(extend("x-plain" = true))]
    character: Option<u32>,
}

impl Target {
    pub(crate) fn input(&self) -> TargetInput {
        TargetInput {
            symbol: self.symbol.clone(),
            path: self.path.clone(),
            at: self.at.clone(),
            uri: self.uri.clone(),
            line: self.line,
            character: self.character,
        }
    }
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Text,
    Json,
}

/// What every code tool accepts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct Common {
    /// Upper bound of the answer, default 2000
    #[schemars(extend("x-common" = true))]
    max_tokens: Option<u32>,
    /// How long to wait for servers that are loading (default 30000) or checking an edit (default 5000)
    #[schemars(extend("x-common" = true))]
    wait_ms: Option<u64>,
    /// Default text
    #[schemars(extend("x-common" = true))]
    format: Option<Format>,
}

impl Common {
    const DEFAULT_TOKENS: u32 = 2_000;
    const MAX_TOKENS: u32 = 20_000;
    const DEFAULT_WAIT: Duration = Duration::from_secs(30);
    /// Shorter, because the edit is done and only its effect is awaited: a whole build may come after it.
    const DEFAULT_CHECK_WAIT: Duration = Duration::from_secs(5);

    /// Upper bound of the answer's text in bytes.
    pub(crate) fn bytes(&self, session: Option<usize>) -> usize {
        let asked = self.max_tokens.unwrap_or(Self::DEFAULT_TOKENS).clamp(100, Self::MAX_TOKENS) as usize;
        asked.min(session.unwrap_or(usize::MAX)) * BYTES_PER_TOKEN
    }

    pub(crate) fn wait(&self) -> Duration {
        self.wait_ms.map_or(Self::DEFAULT_WAIT, Duration::from_millis)
    }

    pub(crate) fn check_wait(&self) -> Duration {
        self.wait_ms.map_or(Self::DEFAULT_CHECK_WAIT, Duration::from_millis)
    }

    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or_default()
    }
}

/// What tools with long lists accept.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct PagingArgs {
    /// Most items
    #[schemars(extend("x-common" = true))]
    limit: Option<u32>,
    /// From a cut answer, to go on
    #[schemars(extend("x-common" = true))]
    cursor: Option<String>,
}

impl PagingArgs {
    /// The same, with a limit where none was given.
    pub(crate) fn or_limit(&self, limit: u32) -> Self {
        Self { limit: Some(self.limit.unwrap_or(limit)), cursor: self.cursor.clone() }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.max(1) as usize)
    }

    /// Index of the first item wanted.
    pub(crate) fn start(&self) -> Result<usize, zubi_code::CodeError> {
        match &self.cursor {
            None => Ok(0),
            Some(cursor) => cursor.parse().map_err(|_| {
                zubi_code::CodeError::input(
                    "cursor",
                    "not a cursor",
                    "Pass the cursor that the cut answer gave, or none.",
                )
            }),
        }
    }
}
