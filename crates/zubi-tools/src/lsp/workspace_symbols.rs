//! `lsp_workspace_symbols`: the declarations of symbols by name.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::{ellipsize, pluralize};
use zubi_code::location::SourceLocation;
use zubi_code::outline::KINDS;
use zubi_code::{CodeError, CodeQuery};

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{PagingArgs, ProjectArgs, WaitArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::outline_text::adds_to;
use crate::lsp::view::{OutputBudget, location_json};

pub(crate) struct WorkspaceSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name or prefix
    query: String,
    /// As class
    kind: Option<String>,
    /// Such as python
    #[schemars(extend("x-common" = true))]
    language: Option<String>,
    /// Folder or pattern: src/**/*.rs
    path: Option<String>,
    #[serde(flatten)]
    paging: PagingArgs,
    #[serde(flatten)]
    projects: ProjectArgs,
    #[serde(flatten)]
    wait: WaitArgs,
}

/// The default size of the answer: the best symbols are the first ones.
const DEFAULT_BYTES: usize = 3_000;

/// The maximum number of characters of a declaration's line.
const MAX_SOURCE: usize = 80;

/// Default number of symbols. Fuzzy indexes return hundreds of names for a short query.
const DEFAULT_LIMIT: u32 = 40;

#[async_trait]
impl CodeTool for WorkspaceSymbols {
    const META: ToolMeta = ToolMeta {
        id: "lsp_workspace_symbols",
        title: "Find symbols",
        description: "Declarations by name, exact names first.",
        tags: &["symbol", "search", "find class", "find function", "where is", "by name"],
        listed: &["cursor", "allProjects"],
        example: || ("Where is the class Console?", json!({ "query": "Console", "kind": "class" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "search symbols";
    type Input = Input;

    fn all_projects(input: &Input) -> Option<bool> {
        Some(input.projects.all_projects())
    }

    fn may_use_index(input: &Input) -> bool {
        input.wait.may_use_index() && !input.projects.all_projects()
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let kind = input.kind.as_deref().map(str::trim).map(str::to_lowercase);
        if let Some(kind) = &kind
            && !KINDS.contains(&kind.as_str())
        {
            return Err(CodeError::input(
                "kind",
                format!("no kind `{kind}`"),
                format!("Use one of: {}.", KINDS.join(", ")),
            ));
        }
        let filter = query.symbol_filter(kind, input.language.as_deref(), input.path.as_deref())?;
        let answer = query.workspace_symbols(&input.query, &filter).await?;
        let view = &view.with_default(DEFAULT_BYTES);
        let list = view.list(&answer.value, &input.paging.with_default_limit(DEFAULT_LIMIT), |text, _, symbol| {
            let at = symbol.location.as_ref().map_or_else(|| symbol.display_path.clone(), SourceLocation::to_at);
            let _ = write!(text, "  {} {}  {at}", symbol.kind, symbol.name);
            let container = symbol.container.as_deref().unwrap_or_default();
            if !container.is_empty() {
                let _ = write!(text, "  in {container}");
            }
            let source = symbol.location.as_ref().and_then(|location| location.source.as_deref());
            if let Some(source) = source.filter(|source| adds_to(source, &symbol.name, container)) {
                let _ = write!(text, "  {}", ellipsize(source, MAX_SOURCE));
            }
            text.push('\n');
        })?;
        let mut text = format!(
            "{} matching `{}`\n",
            pluralize(answer.value.len(), "symbol"),
            zubi_code::markup::clean_line(&input.query)
        );
        text.push_str(&list.text);
        let data = view.data(|| {
            let items: Vec<_> = answer
                .value
                .get(list.range)
                .unwrap_or_default()
                .iter()
                .map(|symbol| {
                    let mut item =
                        symbol.location.as_ref().map_or_else(|| json!({ "path": symbol.display_path }), location_json);
                    item["name"] = json!(symbol.name);
                    item["kind"] = json!(symbol.kind);
                    item["container"] = json!(symbol.container);
                    item
                })
                .collect();
            json!({ "items": items, "total": answer.value.len() })
        });
        Ok(CodeAnswer { text, data, status: answer.status, truncated: list.truncated })
    }
}
