//! Arguments shared by several code tools.
//!
//! The doc comments of fields are the parameter descriptions, which clients send to the model with every list;
//! therefore they are short. A list with a size budget omits the fields marked `x-common`, unless the tool names them in
//! [`ToolMeta::listed`](crate::adapter::ToolMeta): every tool accepts them, and most calls do not need them. An answer
//! must not name an argument that the list omits.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zubi_code::locate::TargetInput;
use zubi_tool_api::cx::BYTES_PER_TOKEN;

/// A code position, given in exactly one of three ways.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct TargetArgs {
    /// Name or Type/method
    #[schemars(extend("x-aliases" = ["name", "name_path", "namePath"]))]
    symbol: Option<String>,
    /// File or folder
    path: Option<String>,
    /// path:line:col or path:line text
    at: Option<String>,
    /// File of line and character
    #[schemars(extend("x-common" = true))]
    uri: Option<String>,
    /// 0-based
    #[schemars(extend("x-common" = true))]
    line: Option<u32>,
    /// 0-based, in UTF-16
    #[schemars(extend("x-common" = true))]
    character: Option<u32>,
}

impl TargetArgs {
    pub(crate) fn input(&self) -> TargetInput {
        let is_zero = [self.line, self.character].into_iter().flatten().all(|number| number == 0);
        // `path` with a line is the file of the line. A zero without a file is not given: see `remove_absent` of the
        // schema.
        let has_other = self.symbol.is_some() || self.at.is_some();
        let uri = self.uri.clone().or_else(|| self.path.clone().filter(|_| !is_zero && !has_other));
        let (line, character) = if uri.is_none() && is_zero { (None, None) } else { (self.line, self.character) };
        let character = character.or(line.filter(|_| self.uri.is_none() && uri.is_some()).map(|_| 0));
        TargetInput { symbol: self.symbol.clone(), path: self.path.clone(), at: self.at.clone(), uri, line, character }
    }
}

/// Output format of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutputFormat {
    #[default]
    Text,
    Json,
}

/// Arguments accepted by every code tool.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
pub(crate) struct CommonArgs {
    /// Answer size
    #[schemars(range(min = 1), extend("x-common" = true))]
    #[serde(rename = "maxTokens")]
    max_tokens: Option<u32>,
    /// For servers, default 30000
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

    /// Whether the caller gave the size of the answer.
    pub(crate) fn has_size(&self) -> bool {
        self.max_tokens.is_some()
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
    /// All projects
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
    /// ready: wait for servers instead of using the index
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
    /// Most items
    #[schemars(range(min = 1), extend("x-common" = true))]
    limit: Option<u32>,
    /// Next part
    #[schemars(extend("x-common" = true, "x-number" = true))]
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

    /// Whether the caller chose a part of the list.
    pub(crate) fn is_given(&self) -> bool {
        self.limit.is_some() || self.cursor.is_some()
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
