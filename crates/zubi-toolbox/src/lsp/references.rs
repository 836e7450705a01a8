//! `lsp_references`: every use of a symbol, grouped by file, with its source line.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::locations::Relation;
use zubi_code::locate::Snap;
use zubi_code::{CodeError, Question};
use zubi_tools::Effect;

use crate::lsp::arguments::{Paging, Target};
use crate::lsp::code_tool::{About, CodeTool, Reply};
use crate::lsp::definition::MAX_CONTEXT;
use crate::lsp::view::{View, count, file_count, hit_json, resolved_json};

pub(crate) struct References;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: Target,
    /// Default true
    #[serde(rename = "includeDeclaration")]
    include_declaration: Option<bool>,
    /// Source lines around each
    context: Option<u32>,
    #[serde(flatten)]
    paging: Paging,
}

#[async_trait]
impl CodeTool for References {
    const ABOUT: About = About {
        id: "lsp_references",
        title: "Find references",
        description: "Every use of a symbol: exact total, then path, line:col and source line of each, by file. No namesakes, comments or strings. Before changing or deleting something.",
        operation: "find references",
        effect: Effect::Read,
        toolset: "lsp",
        tags: &["references", "usages", "callers", "who uses", "find all"],
        example: || ("Who uses the function parse?", json!({ "symbol": "parse", "path": "src/lib.rs" })),
    };
    type Input = Input;

    async fn answer(question: &Question<'_>, input: Input, view: &View) -> Result<Reply, CodeError> {
        let at = question.resolve(&input.target.input(), Snap::Identifier).await?;
        let relation = Relation::References { include_declaration: input.include_declaration.unwrap_or(true) };
        let context = input.context.unwrap_or(0).min(MAX_CONTEXT);
        let found = question.locations(&at, relation).await?;
        let (list, hits) = view.hits(question, &found.value, context, &input.paging).await?;
        let mut text = at.header();
        let name = at.name.as_deref().unwrap_or("this place");
        let files = file_count(&found.value);
        let total = match (found.status.text_search, found.value.len()) {
            (false, total) => format!("{} to", count(total, "reference")),
            (true, 1) => "1 word match of".to_owned(),
            (true, total) => format!("{total} word matches of"),
        };
        let _ = writeln!(text, "\n{total} `{name}` in {}", count(files, "file"));
        text.push_str(&list.text);
        let mut status = found.status;
        status.merge(at.status.clone());
        let data = view.data(|| {
            let items: Vec<_> = hits.iter().map(hit_json).collect();
            json!({ "resolved": resolved_json(&at), "items": items, "total": found.value.len() })
        });
        Ok(Reply { text, data, status, truncated: list.truncated })
    }
}
