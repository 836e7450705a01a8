//! `rename_file`: moves a file or folder and updates the imports.

use std::fmt::Write as _;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::{EditOptions, pluralize};
use zubi_code::edit::AppliedChange;
use zubi_code::features::rename_file::ImportUpdates;
use zubi_code::{AnswerStatus, CodeError, CodeIntel, CodeQuery};

use super::refactor_tool::{ApplyRequest, REFACTOR_TOOL, apply};
use crate::adapter::ToolMeta;
use crate::lsp::code_tool::{CodeAnswer, CodeTool};
use crate::lsp::plan_answer::plan_answer;
use crate::lsp::view::OutputBudget;
use crate::settings::update_imports::{ImportUpdatePolicy, UpdateImports};

pub(crate) struct RenameFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// File or folder: path or file:// URI
    #[schemars(extend("x-aliases" = ["oldPath", "from", "path", "source"]))]
    #[serde(rename = "oldUri")]
    old_uri: String,
    /// New path, name included; missing folders are created
    #[schemars(extend("x-aliases" = ["newPath", "to", "destination"]))]
    #[serde(rename = "newUri")]
    new_uri: String,
    /// Save files open in an editor too; default: they stay unsaved. Without an editor all files are saved
    save: Option<bool>,
}

/// The maximum number of files with mentions of the old path that the answer names.
const MAX_NAMED: usize = 20;

#[async_trait]
impl CodeTool for RenameFile {
    const META: ToolMeta = ToolMeta {
        id: "rename_file",
        title: "Rename a file",
        description: "Moves a file or folder at once and lets language servers update its imports; returns the changed files and an undo handle. Plans the update of mentions of the old path that no server updates. Honours the setting updateImportsOnFileMove.",
        tags: &["rename", "move a file", "move a folder", "relocate", "fix imports", "update imports", "refactor"],
        example: || ("Move a module", json!({ "oldUri": "src/util.ts", "newUri": "src/lib/util.ts" })),
        ..REFACTOR_TOOL
    };
    const OPERATION: &str = "rename the file";
    type Input = Input;

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        let workspace = intel.workspace();
        let old = workspace.resolve_entry(&input.old_uri).ok();
        old.into_iter().chain(workspace.resolve_for_creation(&input.new_uri).ok()).collect()
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let workspace = query.workspace();
        let path = |field: &'static str, path: Result<Utf8PathBuf, zubi_base::workspace::PathError>| {
            path.map_err(|error| CodeError::input(field, error.to_string(), "Name files of the workspace."))
        };
        let from = path("oldUri", workspace.resolve_entry(&input.old_uri))?;
        let to = path("newUri", workspace.resolve_for_creation(&input.new_uri))?;
        if from == to {
            return Err(CodeError::input("newUri", "it is the same as `oldUri`", "Pass another path."));
        }
        // A dangling link exists too.
        if to.exists() || to.is_symlink() {
            let problem = format!("`{}` already exists", workspace.display(&to));
            return Err(CodeError::input(
                "newUri",
                problem,
                "Pass the whole new path, including the name; it must not exist yet.",
            ));
        }
        let import_policy = ImportUpdatePolicy::for_path(query, &from, input.save == Some(true)).await?;
        let planned = query.rename_file(&from, &to, import_policy.imports).await?;
        let mut notes = Vec::new();
        if from.is_symlink() {
            notes.push(format!(
                "`{}` is a symbolic link: the link itself moves, its target stays",
                workspace.display(&from)
            ));
        }
        let edits = planned.value.plan.edit_count;
        match &planned.value.imports {
            // Extensions report their result only after the move.
            Ok(_) if import_policy.imports == ImportUpdates::Followed => {}
            Ok(by) if edits == 0 => notes.push(format!("{by} found no import to change")),
            Ok(by) => notes.push(format!("{} of imports by {by}", pluralize(edits, "edit"))),
            Err(_) if import_policy.setting == UpdateImports::Never => {
                notes.push("imports stay unchanged: updateImportsOnFileMove is \"never\"".to_owned());
            }
            Err(reason) => {
                notes.push(format!("no server updates imports here: {reason}"));
            }
        }
        if import_policy.setting == UpdateImports::Prompt {
            notes.push(match import_policy.imports {
                ImportUpdates::Followed => {
                    "updateImportsOnFileMove is \"prompt\"; it was \"always\" for this call".to_owned()
                }
                ImportUpdates::Planned | ImportUpdates::Stay => {
                    "updateImportsOnFileMove is \"prompt\"; no prompt is possible here, so \"always\" applied"
                        .to_owned()
                }
            });
        }
        let by_extensions = import_policy.imports == ImportUpdates::Followed;
        let change_notes = |applied: &AppliedChange| {
            let mut notes = notes.clone();
            let changed = applied.files.iter().filter(|file| file.done.contains("by an extension")).count();
            match changed {
                _ if !by_extensions => {}
                0 => notes.push("no extension of the editor changed an import".to_owned()),
                changed => notes.push(format!("extensions of the editor changed {}", pluralize(changed, "file"))),
            }
            if let Some(folder) = from.parent().filter(|folder| is_empty(folder)) {
                notes.push(format!("the folder `{}` is empty now", workspace.display(folder)));
            }
            notes
        };
        let options = EditOptions {
            settings: import_policy.overrides,
            undo_settings: import_policy.undo_overrides,
            followed: by_extensions,
            ..EditOptions::default()
        };
        let request = ApplyRequest { save: input.save, options, notes: Some(&change_notes), ..ApplyRequest::default() };
        // Writing to a `String` cannot fail.
        let mut answer = apply(query, view, &planned.value.plan, planned.status, request).await?;
        let left = match query.plan_left_mentions(&from, &to).await {
            Ok(left) => left,
            // The file has moved, so the call has not failed.
            Err(error) => {
                let _ = writeln!(answer.text, "mentions of the old path have no plan: {error}");
                return Ok(answer);
            }
        };
        if left.cut {
            answer.text.push_str("the search for mentions of the old path was stopped: file.search finds more\n");
        }
        if let Some(plan) = &left.plan {
            let (mentions, files) = (pluralize(plan.edit_count, "mention"), pluralize(plan.files.len(), "file"));
            let named = plan.files.iter().take(MAX_NAMED).map(|file| format!("{} ({})", file.path, file.edits));
            let more = plan.files.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
            let named: Vec<_> = named.chain(more.map(|more| format!("{more} more"))).collect();
            let _ = writeln!(answer.text, "{mentions} of the old path left in {files}: {}", named.join(", "));
            answer.text.push_str(&plan_answer(view, None, plan, AnswerStatus::default()).text);
            answer.data["mentions"] = json!({ "plan": plan.id, "total": plan.edit_count });
        } else if edits == 0 && !left.cut && !by_extensions {
            answer.text.push_str("no file mentions the old path\n");
        }
        Ok(answer)
    }
}

fn is_empty(folder: &Utf8Path) -> bool {
    folder.read_dir_utf8().is_ok_and(|mut entries| entries.next().is_none())
}
