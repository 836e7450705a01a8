//! `lsp_hover`: type, signature and documentation of a symbol.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::TargetArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::{OutputBudget, resolved_json};

/// The default size of the answer: the declaration and the beginning of the documentation.
const DEFAULT_BYTES: usize = 2_400;

pub(crate) struct HoverTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
}

#[async_trait]
impl CodeTool for HoverTool {
    const META: ToolMeta = ToolMeta {
        id: "lsp_hover",
        title: "Type and documentation",
        description: "Type or full signature and documentation of a symbol, inferred types included. Cheaper than reading the file that defines it.",
        exposure: Exposure::Deferred,
        tags: &[
            "hover",
            "type of",
            "signature",
            "documentation of a function",
            "what type",
            "type of variable",
            "docs",
            "inferred",
        ],
        example: || ("What is the type on line 12?", json!({ "at": "src/lib.rs:12:9" })),
        listed: &["maxTokens"],
        ..CODE_TOOL
    };
    const OPERATION: &str = "explain the symbol";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let hover = query.hover(&at).await?;
        let full_text = hover.value.join("\n\n");
        let (body, truncated) = view.with_default(DEFAULT_BYTES).block(&full_text);
        let mut text = at.header();
        text.push('\n');
        if full_text.is_empty() {
            let name = at.name.as_deref().unwrap_or("this position");
            let _ = writeln!(
                text,
                "no information about `{name}` (a keyword, a literal, or code the server cannot resolve)"
            );
        }
        text.push_str(&body);
        let mut status = hover.status;
        status.merge(at.status.clone());
        if !full_text.is_empty() {
            status.excuse_found();
        }
        let data = view.data(|| {
            let items: Vec<_> = hover.value.iter().map(|text| json!({ "markdown": text })).collect();
            json!({ "resolved": resolved_json(&at), "total": items.len(), "items": items })
        });
        Ok(CodeAnswer { text, data, status, truncated })
    }
}
