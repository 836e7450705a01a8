//! `organize_imports`: sorts the imports of a file and removes unused ones.

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_code::actions::ActionOutcome;
use zubi_code::{CodeError, CodeIntel, CodeQuery};

use super::refactor_tool::{ApplyRequest, REFACTOR_TOOL, apply, files_in_uri, resolve_file};
use crate::adapter::ToolMeta;
use crate::lsp::code_tool::{CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct OrganizeImports;

/// LSP's `CodeActionKind.SourceOrganizeImports`.
const ACTION_KIND: &str = "source.organizeImports";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File: path or file:// URI
    #[schemars(extend("x-aliases" = ["path", "file"]))]
    uri: String,
    /// Save files open in an editor too; default: they stay unsaved. Without an editor all files are saved
    save: Option<bool>,
}

#[async_trait]
impl CodeTool for OrganizeImports {
    const META: ToolMeta = ToolMeta {
        id: "organize_imports",
        title: "Organize imports",
        description: "Sorts the imports of a file and removes unused ones through its language server; applies at once, with an undo handle. Reports when nothing changes or no server supports it.",
        tags: &["organize imports", "sort imports", "unused imports", "clean up"],
        example: || ("Clean up a file", json!({ "uri": "src/app.ts" })),
        ..REFACTOR_TOOL
    };
    const OPERATION: &str = "organize the imports";
    type Input = Input;

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        files_in_uri(intel, &input.uri)
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let path = resolve_file(query, &input.uri)?;
        let range = query.text_range(&path, None).await?;
        let answer = query.actions(&path, range, &[ACTION_KIND.to_owned()]).await?;
        let (actions, _) = answer.value;
        // Servers may return more kinds than requested.
        let is_requested = |kind: &str| {
            kind == ACTION_KIND || kind.strip_prefix(ACTION_KIND).is_some_and(|rest| rest.starts_with('.'))
        };
        let mut unavailable = None;
        for action in actions.iter().filter(|action| action.kind.as_deref().is_some_and(is_requested)) {
            match &action.outcome {
                ActionOutcome::Plan(plan) => {
                    let request = ApplyRequest { save: input.save, ..ApplyRequest::default() };
                    return apply(query, view, plan, answer.status, request).await;
                }
                ActionOutcome::Unavailable { reason } => unavailable = Some(reason.clone()),
            }
        }
        let display_path = query.workspace().display(&path);
        let text = match unavailable {
            Some(reason) => format!("nothing changed in {display_path}: {reason}\n"),
            None => format!("nothing to organize in {display_path}: no server offers it for the present text\n"),
        };
        Ok(CodeAnswer { text, data: Value::Null, status: answer.status, truncated: None })
    }
}
