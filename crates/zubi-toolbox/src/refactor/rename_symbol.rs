//! `rename_symbol`: renames a symbol of a file wherever it is used.

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::words;
use zubi_code::{CodeError, CodeIntel, Question};
use zubi_tools::{Effect, Exposure};

use super::{How, apply, file, files_in_uri};
use crate::lsp::code_tool::{CodeToolMeta, CodeTool, CodeAnswer};
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
}

/// Most occurrences tried for a name that is not a declared symbol.
const MAX_TRIED: usize = 20;

#[async_trait]
impl CodeTool for RenameSymbol {
    const ABOUT: CodeToolMeta = CodeToolMeta {
        id: "rename_symbol",
        title: "Rename a symbol",
        description: "Renames a symbol of a file at once, wherever it is used; returns the changed files, the new and fixed diagnostics, and an undo handle. To see the diff first, use lsp_rename_symbol.",
        operation: "rename the symbol",
        effect: Effect::Write,
        toolset: "refactor",
        tags: &["rename", "symbol", "refactor"],
        example: || ("Rename a function", json!({ "uri": "src/lib.rs", "originalName": "parse", "newName": "read" })),
    };
    const EXPOSURE: Exposure = Exposure::Deferred;
    type Input = Input;

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        files_in_uri(intel, &input.uri)
    }

    async fn answer(question: &Question<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let path = file(question, &input.uri)?;
        let shown = question.workspace().display(&path);
        let declared = TargetInput {
            symbol: Some(input.original_name.clone()),
            path: Some(shown.clone()),
            ..TargetInput::default()
        };
        let (at, planned) = match question.resolve(&declared, PositionIntent::Identifier).await {
            Ok(at) if at.path == path => {
                let planned = question.rename(&at, &input.new_name).await?;
                (at, planned)
            }
            Ok(_) | Err(CodeError::Input { .. }) => {
                let places = places(question, &path, &shown, &input.original_name).await?;
                let mut first = None;
                let mut found = None;
                // The server declines to rename mere text matches (in comments or strings).
                for at in places {
                    let place = TargetInput { at: Some(at), ..TargetInput::default() };
                    let at = question.resolve(&place, PositionIntent::Identifier).await?;
                    match question.rename(&at, &input.new_name).await {
                        Ok(planned) => {
                            found = Some((at, planned));
                            break;
                        }
                        Err(error @ (CodeError::Declined { .. } | CodeError::Edit(_))) => {
                            first.get_or_insert(error);
                        }
                        Err(error) => return Err(error),
                    }
                }
                found.ok_or_else(|| first.unwrap_or_else(|| unknown(&shown, &input.original_name)))?
            }
            Err(error) => return Err(error),
        };
        let mut status = planned.status;
        status.merge(at.status.clone());
        let how = How { save: input.save, lines: format!("{}\n", at.header()), ..How::default() };
        apply(question, view, &planned.value, status, how).await
    }
}

fn unknown(shown: &str, name: &str) -> CodeError {
    let what = format!("`{}` does not occur in `{shown}`", name.chars().take(80).collect::<String>());
    CodeError::input("originalName", what, "`lsp_document_symbols` lists the names of a file.")
}

/// Returns the whole-word occurrences of a name, in the format of `at`.
async fn places(
    question: &Question<'_>,
    path: &camino::Utf8Path,
    shown: &str,
    name: &str,
) -> Result<Vec<String>, CodeError> {
    let document = question.document(path).await?;
    let mut places = Vec::new();
    for (index, line) in document.text.lines().enumerate() {
        for at in words::occurrences(line, name) {
            let column = line.get(..at).unwrap_or_default().chars().count() + 1;
            places.push(format!("{shown}:{}:{column}", index + 1));
        }
        if places.len() >= MAX_TRIED {
            break;
        }
    }
    if places.is_empty() { Err(unknown(shown, name)) } else { Ok(places) }
}
