//! `lsp_format_document`: the formatting of a file, as a plan.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::format::FormatOptions;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::{Effect, Exposure};

use crate::adapter::ToolMeta;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::document_symbols::resolve_file;
use crate::lsp::plan_answer::plan_answer;
use crate::lsp::view::OutputBudget;

pub(crate) struct FormatDocument;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File to format
    path: Option<String>,
    /// The file as file:// URI
    uri: Option<String>,
    /// Default: detected from the file
    options: Option<FormatDocumentOptions>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Options")]
struct FormatDocumentOptions {
    #[serde(rename = "tabSize")]
    #[schemars(description = "Columns of an indentation")]
    tab_size: Option<u32>,
    #[serde(rename = "insertSpaces")]
    #[schemars(description = "Indent with spaces, not tabs")]
    insert_spaces: Option<bool>,
}

#[async_trait]
impl CodeTool for FormatDocument {
    const META: ToolMeta = ToolMeta {
        id: "lsp_format_document",
        title: "Plan formatting",
        description: "Plans the formatting of a file by the project's formatter: plan id, diff. Writes nothing; apply_edit does.",
        effect: Effect::Plan,
        exposure: Exposure::Deferred,
        tags: &["format code", "style", "indentation", "pretty print"],
        example: || ("Format a file", json!({ "path": "src/lib.rs" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "format the file";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let path = resolve_file(query, input.path.as_deref(), input.uri.as_deref())?;
        let options = input.options.map_or_else(FormatOptions::default, |options| FormatOptions {
            tab_size: options.tab_size,
            insert_spaces: options.insert_spaces,
        });
        let planned = query.format(&path, &options).await?;
        match planned.value {
            Some(plan) => Ok(plan_answer(view, None, &plan, planned.status)),
            None => Ok(CodeAnswer {
                text: format!("`{}` is already formatted; nothing to change\n", query.workspace().display(&path)),
                data: view.data(|| json!({ "plan": null, "items": [], "total": 0 })),
                status: planned.status,
                truncated: None,
            }),
        }
    }
}
