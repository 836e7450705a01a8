//! `team_uses`: the uses of a symbol in all repositories of a team.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::clock::Clock;
use zubi_code::exact_index::ExactIndexError;
use zubi_code::symbol_uses::{SymbolUseIndex, SymbolUses, UseQuery};
use zubi_tool_api::{ToolCx, ToolError, ToolOutput};

use crate::adapter::{ToolMeta, TypedTool};
use crate::lsp::arguments::{CommonArgs, OutputFormat, PagingArgs};
use crate::lsp::code_tool::CODE_TOOL;

pub(crate) struct TeamUses;

/// The maximum number of lines of an answer, unless the call has a limit.
const DEFAULT_LIMIT: u32 = 200;

/// The maximum `limit`.
const MAX_LIMIT: usize = 2_000;

/// The team's index, and the clock for the age of its commits.
pub(crate) struct TeamContext {
    pub(crate) index: Arc<dyn SymbolUseIndex>,
    pub(crate) clock: Arc<dyn Clock>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// A name, Type/method, or a whole SCIP symbol
    #[schemars(length(min = 1, max = 2_000))]
    symbol: String,
    /// Only this one: host/path, as in an answer
    #[schemars(length(max = 300))]
    repository: Option<String>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    common: CommonArgs,
}

#[async_trait]
impl TypedTool for TeamUses {
    const META: ToolMeta = ToolMeta {
        id: "team_uses",
        title: "Uses in the team's repositories",
        description: "Which repositories of the team use a symbol: files and lines by repository, with the commit and its age. The data are those of the newest pushed commits, so an empty answer does not prove that nothing uses it. For this workspace use lsp_references.",
        tags: &["cross-repository", "usages", "consumers", "dependents", "who uses", "other repositories"],
        example: || ("Find the users of a method of our library", json!({ "symbol": "Shape/area" })),
        ..CODE_TOOL
    };
    type Context = TeamContext;
    type Input = Input;

    async fn run(context: &TeamContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let Input { symbol, repository, paging, common } = input;
        let paging = paging.with_default_limit(DEFAULT_LIMIT);
        let start = paging.start().map_err(|error| ToolError::invalid("cursor", "not a cursor", error.hint()))?;
        let query = UseQuery { symbol, repository, start, limit: paging.limit().min(MAX_LIMIT) };
        let uses = context.index.find_uses(&query).await.map_err(|error| failure(&error))?;
        Ok(answer(&query, uses, context, &common, common.byte_budget(cx.token_budget)))
    }
}

/// Renders an answer of at most `bytes`, but with at least one line or definition.
fn answer(
    query: &UseQuery,
    mut uses: SymbolUses,
    context: &TeamContext,
    common: &CommonArgs,
    bytes: usize,
) -> ToolOutput {
    let now = context.clock.now();
    loop {
        let mut data = uses.to_json(now);
        data["cursor"] = json!(uses.next.map(|next| next.to_string()));
        let text = match common.format() {
            OutputFormat::Json => data.to_string(),
            OutputFormat::Text => {
                let more = match uses.next {
                    Some(next) => format!("pass cursor \"{next}\", or repository"),
                    None => "pass repository".to_owned(),
                };
                uses.describe(query, now, &more)
            }
        };
        let (lines, definitions) = (uses.line_count(), uses.definition_count());
        let longer = lines.max(definitions);
        if text.len() <= bytes || longer <= 1 {
            return ToolOutput { text, data: Some(data), status: None, truncated: None };
        }
        // The lines have about the same length, and each step removes at least one.
        let limit = longer.saturating_mul(bytes).checked_div(text.len()).unwrap_or_default().clamp(1, longer - 1);
        if definitions > lines {
            uses.truncate_definitions(limit);
        } else {
            uses.truncate(query.start, limit);
        }
    }
}

fn failure(error: &ExactIndexError) -> ToolError {
    let step = match error {
        ExactIndexError::Unusable(_) => "Ask the user to correct the team's index",
        _ => "Call team_uses again later",
    };
    let hint = format!(
        "{step}; `zubi index status` shows the state of the team's index. lsp_references searches this workspace without it."
    );
    ToolError::operation_failed("search the team's repositories", error, hint)
}
