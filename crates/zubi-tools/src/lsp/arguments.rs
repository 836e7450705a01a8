//! Arguments shared by several code tools.
//!
//! The doc comments of fields are the parameter descriptions, which clients send to the model with every list;
//! therefore they are short. Fields marked `x-common` are accepted by every tool and described once, in the server's
//! instructions; lists with a size budget omit them. Lists also omit the descriptions of fields marked `x-plain`,
//! because the instructions or the name are sufficient.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use zubi_code::locate::TargetInput;
use zubi_tool_api::cx::BYTES_PER_TOKEN;

/// A code position, given in exactly one of three ways.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct TargetArgs {
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
    /// UTF-16, 0-based
    #[schemars(extend("x-plain" = true))]
    character: Option<u32>,
}

impl TargetArgs {
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

/// Output format of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutputFormat {
    #[default]
    Text,
    Json,
}

/// Arguments accepted by every code tool.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct CommonArgs {
    /// Upper bound of the answer, default 2000
    #[schemars(extend("x-common" = true))]
    #[serde(rename = "maxTokens")]
    max_tokens: Option<u32>,
    /// How long to wait for servers that are loading (default 30000) or checking an edit (default 5000)
    #[schemars(extend("x-common" = true))]
    #[serde(rename = "waitMs")]
    wait_ms: Option<u64>,
    /// Default text
    #[schemars(extend("x-common" = true))]
    format: Option<OutputFormat>,
}

impl CommonArgs {
    const DEFAULT_TOKENS: u32 = 2_000;
    const MAX_TOKENS: u32 = 20_000;
    const DEFAULT_WAIT: Duration = Duration::from_secs(30);
    /// Shorter, because the edit is done and only its diagnostics are pending, which may need a whole build.
    const DEFAULT_CHECK_WAIT: Duration = Duration::from_secs(5);

    /// Returns the upper bound of the answer's text in bytes.
    pub(crate) fn byte_budget(&self, session: Option<usize>) -> usize {
        let requested = self.max_tokens.unwrap_or(Self::DEFAULT_TOKENS).clamp(100, Self::MAX_TOKENS) as usize;
        requested.min(session.unwrap_or(usize::MAX)) * BYTES_PER_TOKEN
    }

    /// Returns these arguments for a tool with a limit of its own, in tokens.
    pub(crate) fn with_max_tokens(mut self, own: Option<u32>) -> Self {
        self.max_tokens = self.max_tokens.into_iter().chain(own).min();
        self
    }

    pub(crate) fn wait(&self) -> Duration {
        self.wait_ms.map_or(Self::DEFAULT_WAIT, Duration::from_millis)
    }

    pub(crate) fn check_wait(&self) -> Duration {
        self.wait_ms.map_or(Self::DEFAULT_CHECK_WAIT, Duration::from_millis)
    }

    pub(crate) fn format(&self) -> OutputFormat {
        self.format.unwrap_or_default()
    }
}

/// The argument of tools whose answers cover all projects of the workspace.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub(crate) struct ProjectArgs {
    /// Also start servers for projects that an answer names as not queried
    #[schemars(extend("x-common" = true))]
    #[serde(rename = "allProjects")]
    all_projects: Option<bool>,
}

impl ProjectArgs {
    pub(crate) fn all_projects(self) -> bool {
        self.all_projects.unwrap_or(false)
    }
}

/// The argument of tools that the index can answer while the servers load.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub(crate) struct WaitArgs {
    /// Wait for the servers instead of using the index
    #[schemars(extend("x-common" = true))]
    wait: Option<WaitFor>,
}

/// The parts of zubi that an answer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WaitFor {
    // Without a documentation, so that the schema is small: the argument's says it.
    Ready,
}

impl WaitArgs {
    pub(crate) fn may_use_index(self) -> bool {
        self.wait.is_none()
    }
}

/// Arguments of tools with long lists.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct PagingArgs {
    /// Maximum items
    #[schemars(extend("x-common" = true))]
    limit: Option<u32>,
    /// From a cut answer, to continue
    #[schemars(extend("x-common" = true))]
    cursor: Option<String>,
}

impl PagingArgs {
    /// Returns these arguments with a default limit.
    pub(crate) fn with_default_limit(&self, limit: u32) -> Self {
        Self { limit: Some(self.limit.unwrap_or(limit)), cursor: self.cursor.clone() }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.max(1) as usize)
    }

    /// Returns the index of the first requested item.
    pub(crate) fn start(&self) -> Result<usize, zubi_code::CodeError> {
        match &self.cursor {
            None => Ok(0),
            Some(cursor) => cursor.parse().map_err(|_| {
                zubi_code::CodeError::input(
                    "cursor",
                    "not a cursor",
                    "Pass the cursor from the cut answer, or omit it.",
                )
            }),
        }
    }
}
