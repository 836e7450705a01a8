//! `rename_symbol`: renames a symbol of a file wherever it is used.

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::rename::TextMentions;
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::text_search;
use zubi_code::{CodeError, CodeIntel, CodeQuery};

use super::refactor_tool::{ApplyRequest, REFACTOR_TOOL, apply, files_in_uri, resolve_file};
use crate::adapter::ToolMeta;
use crate::lsp::arguments::ProjectArgs;
use crate::lsp::code_tool::{CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct RenameSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File that contains the name: path or file:// URI
    uri: String,
    /// Name as written there, or Type/method
    #[serde(rename = "originalName")]
    original_name: String,
    /// New name
    #[serde(rename = "newName")]
    new_name: String,
    /// Save files open in an editor too; default: they stay unsaved. Without an editor all files are saved
    save: Option<bool>,
    /// Apply even if some uses are known to be left
    #[serde(rename = "allowPartial")]
    allow_partial: Option<bool>,
    #[serde(flatten)]
    projects: ProjectArgs,
}

/// The treatment of mentions in comments and strings: no user has seen them yet.
const TEXTS: TextMentions = TextMentions::Leave { hint: "`lsp_rename_symbol` with includeText=true plans their edits" };

/// Maximum number of occurrences tried for a name that is not a declared symbol.
const MAX_TRIED_OCCURRENCES: usize = 20;

#[async_trait]
impl CodeTool for RenameSymbol {
    const META: ToolMeta = ToolMeta {
        id: "rename_symbol",
        title: "Rename a symbol",
        description: "Renames a symbol of a file at once, wherever it is used; returns the changed files, the new and fixed diagnostics, and an undo handle. Changes nothing if uses are known to be left. To see the diff first, use lsp_rename_symbol.",
        tags: &["rename", "symbol", "refactor"],
        example: || ("Rename a function", json!({ "uri": "src/lib.rs", "originalName": "parse", "newName": "read" })),
        ..REFACTOR_TOOL
    };
    const OPERATION: &str = "rename the symbol";
    type Input = Input;

    fn all_projects(input: &Input) -> Option<bool> {
        Some(input.projects.all_projects())
    }

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        files_in_uri(intel, &input.uri)
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let path = resolve_file(query, &input.uri)?;
        let display_path = query.workspace().display(&path);
        let declared = TargetInput {
            symbol: Some(input.original_name.clone()),
            path: Some(display_path.clone()),
            ..TargetInput::default()
        };
        let (at, planned) = match query.resolve(&declared, PositionIntent::Identifier).await {
            Ok(at) if at.path == path => {
                let planned = query.rename(&at, &input.new_name, TEXTS).await?;
                (at, planned)
            }
            Ok(_) | Err(CodeError::Input { .. }) => {
                let occurrences = find_occurrences(query, &path, &display_path, &input.original_name).await?;
                let mut first_error = None;
                let mut success = None;
                // The server declines to rename mere text matches (in comments or strings).
                for at in occurrences {
                    let target = TargetInput { at: Some(at), ..TargetInput::default() };
                    let at = query.resolve(&target, PositionIntent::Identifier).await?;
                    match query.rename(&at, &input.new_name, TEXTS).await {
                        Ok(planned) => {
                            success = Some((at, planned));
                            break;
                        }
                        Err(error @ (CodeError::Declined { .. } | CodeError::Edit(_))) => {
                            first_error.get_or_insert(error);
                        }
                        Err(error) => return Err(error),
                    }
                }
                success
                    .ok_or_else(|| first_error.unwrap_or_else(|| unknown_name(&display_path, &input.original_name)))?
            }
            Err(error) => return Err(error),
        };
        let mut status = planned.status;
        if status.complete() == Some(false) && input.allow_partial != Some(true) {
            let (reason, id) = (status.note().unwrap_or_default(), &planned.value.id);
            return Err(CodeError::PartialRename {
                reason: reason.strip_prefix("may be incomplete: ").unwrap_or(&reason).to_owned(),
                hint: format!(
                    "Nothing was changed. `lsp_references` with includeText=true lists the uses. If they may stay, pass allowPartial=true, or apply_edit {{\"plan\":\"{id}\"}}."
                ),
            });
        }
        status.merge(at.status.clone());
        let request =
            ApplyRequest { save: input.save, preamble: format!("{}\n", at.header()), ..ApplyRequest::default() };
        apply(query, view, &planned.value, status, request).await
    }
}

fn unknown_name(display_path: &str, name: &str) -> CodeError {
    let problem = format!("`{}` does not occur in `{display_path}`", name.chars().take(80).collect::<String>());
    CodeError::input("originalName", problem, "`lsp_document_symbols` lists the names of a file.")
}

/// Returns the whole-word occurrences of a name, in the format of `at`.
async fn find_occurrences(
    query: &CodeQuery<'_>,
    path: &camino::Utf8Path,
    shown: &str,
    name: &str,
) -> Result<Vec<String>, CodeError> {
    let document = query.document(path).await?;
    let mut occurrences = Vec::new();
    for (index, line) in document.text.lines().enumerate() {
        for at in text_search::occurrences(line, name) {
            let column = line.get(..at).unwrap_or_default().chars().count() + 1;
            occurrences.push(format!("{shown}:{}:{column}", index + 1));
        }
        if occurrences.len() >= MAX_TRIED_OCCURRENCES {
            break;
        }
    }
    if occurrences.is_empty() { Err(unknown_name(shown, name)) } else { Ok(occurrences) }
}
