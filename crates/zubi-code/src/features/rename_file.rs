//! Plans the move of a file or folder, with the changes to the imports that refer to it.

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::endpoint::DocumentRef;
use zubi_base::position::{Encoding, TextIndex, TextRange, size};
use zubi_base::text::BOM;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::{credentials, fs, uri};

use crate::edit::{EditError, Plan, ServerEdit};
use crate::error::CodeError;
use crate::path_mentions::{self, MoveSurroundings, PathEdit, PathMove, directory_names};
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::status::{AnswerStatus, QualifiedAnswer};

const METHOD: &str = "workspace/willRenameFiles";

/// A planned move.
#[derive(Debug, Clone)]
pub struct Move {
    pub plan: Plan,
    /// The servers that planned the import changes, or a clause that says why none did.
    pub imports: Result<String, String>,
}

/// The time limit of the search for mentions of the old path.
const MENTION_SEARCH: Duration = Duration::from_secs(1);

/// The maximum number of files with mentions of the old path.
const MAX_MENTIONING: usize = 500;

/// Mentions of the old path that are left after a move.
#[derive(Debug, Clone, Default)]
pub struct LeftMentions {
    /// The edits that update them; `None` without any.
    pub plan: Option<Plan>,
    /// Whether the search reached a limit, so that there may be more.
    pub cut: bool,
}

/// How the imports of moved files change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportUpdates {
    /// Servers compute the changes (`workspace/willRenameFiles`), which become part of the plan.
    Planned,
    /// The extensions of an open editor change them during the move, as for every file moved there.
    Followed,
    /// Imports are not changed.
    Stay,
}

impl CodeQuery<'_> {
    /// Plans a move, together with the import changes that servers compute.
    pub async fn rename_file(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        imports: ImportUpdates,
    ) -> Result<QualifiedAnswer<Move>, CodeError> {
        let params = json!({ "files": [{ "oldUri": uri::from_path(from).0, "newUri": uri::from_path(to).0 }] });
        let mut status = AnswerStatus::default();
        let mut replies = Vec::new();
        let mut by = match imports {
            ImportUpdates::Followed => Ok("the editor".to_owned()),
            ImportUpdates::Planned | ImportUpdates::Stay => Err("imports stay as they are".to_owned()),
        };
        // The first source file of a folder shows which servers serve it.
        let example = if from.is_dir() && !from.is_symlink() {
            walk::files(from, WalkOptions { sorted: true, ..WalkOptions::default() }).next()
        } else {
            None
        };
        let reference = DocumentRef::new(example.as_deref().unwrap_or(from));
        if imports == ImportUpdates::Planned {
            match self.ready_for(&reference, METHOD, "update imports", ReadinessLevel::Project).await {
                Ok(ready) => {
                    let cx = self.request_cx().for_document(&reference);
                    let answers = self.request_all(&ready, METHOD, &cx, |_| params.clone()).await?;
                    status = answers.status;
                    replies = answers.replies;
                    replies.retain(|reply| reply.result.is_object());
                    by = Ok(ready
                        .endpoints
                        .iter()
                        .map(|endpoint| endpoint.id().to_string())
                        .collect::<Vec<_>>()
                        .join(" + "));
                }
                Err(error) if matches!(error, CodeError::NoEndpoint(_)) || error.is_unsupported() => {
                    by = Err(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        let results = replies.iter_mut().map(|reply| &mut reply.result);
        let left_out = self.leave_out_edits_in_other_worktrees(from, results);
        let moves = json!({ "documentChanges": [{
            "kind": "rename", "oldUri": uri::from_path(from).0, "newUri": uri::from_path(to).0,
        }] });
        let mut edits: Vec<ServerEdit<'_>> = replies
            .iter()
            .map(|reply| ServerEdit { edit: &reply.result, encoding: reply.endpoint.encoding() })
            .collect();
        edits.push(ServerEdit { edit: &moves, encoding: Encoding::Utf16 });
        let workspace = self.workspace();
        let title = format!("rename file `{}` to `{}`", workspace.display(from), workspace.display(to));
        let mut plan = self.intel.edits.plan_combined(&title, &edits, by.as_deref().unwrap_or("zubi")).await?;
        plan.notes.extend(left_out);
        Ok(QualifiedAnswer { value: Move { plan, imports: by }, status })
    }

    /// Plans the update of the mentions of the old path that no server has updated. Call it after the move.
    pub async fn plan_left_mentions(&self, from: &Utf8Path, to: &Utf8Path) -> Result<LeftMentions, CodeError> {
        let moved = PathMove { from: from.to_owned(), to: to.to_owned() };
        let roots = self.search_roots(to);
        let names =
            self.workspace().folder_of(to).map(|folder| directory_names(from, &folder.path)).unwrap_or_default();
        let unsaved = self.intel.texts.unsaved_texts();
        let until = self.cx.deadline.min(Instant::now() + MENTION_SEARCH);
        let search = move || {
            let files =
                roots.iter().flat_map(|root| walk::files(root, WalkOptions { sorted: true, ..WalkOptions::default() }));
            let mut candidates = Vec::new();
            let mut has_unique_name = true;
            for path in files {
                if Instant::now() >= until {
                    return (Vec::new(), true);
                }
                has_unique_name &= path == moved.to || path.file_name() != moved.from.file_name();
                if !credentials::is_credential_path(&path) && path.file_name() != Some(".zubi.toml") {
                    candidates.push(path);
                }
            }
            let around = MoveSurroundings { names, has_unique_name };
            let stem = moved.from.file_stem().unwrap_or_default();
            let mut found: Vec<(Utf8PathBuf, Value)> = Vec::new();
            for path in candidates {
                if Instant::now() >= until || found.len() == MAX_MENTIONING {
                    return (found, true);
                }
                let text = match unsaved.get(&path) {
                    Some(text) => text.to_string(),
                    None => match fs::read_text_in_place(&path) {
                        Ok(text) => text,
                        Err(_) => continue,
                    },
                };
                let text = text.strip_prefix(BOM).unwrap_or(&text);
                // A moved file may refer to files that stay.
                if !text.contains(stem) && !path.starts_with(&moved.to) {
                    continue;
                }
                let edits = path_mentions::find(text, &path, &moved, &around);
                if !edits.is_empty() {
                    found.push((path, to_lsp(text, &edits)));
                }
            }
            (found, false)
        };
        let (found, cut) = tokio::task::spawn_blocking(search).await.unwrap_or((Vec::new(), true));
        let changes: serde_json::Map<String, Value> =
            found.into_iter().map(|(path, edits)| (uri::from_path(&path).0, edits)).collect();
        let workspace = self.workspace();
        let title = format!("replace mentions of `{}` by `{}`", workspace.display(from), workspace.display(to));
        let edit = json!({ "changes": changes });
        match self.intel.edits.plan(&title, &edit, Encoding::Utf16, "zubi").await {
            Ok(plan) => Ok(LeftMentions { plan: Some(plan), cut }),
            Err(EditError::Nothing) => Ok(LeftMentions { plan: None, cut }),
            Err(error) => Err(error.into()),
        }
    }
}

fn to_lsp(text: &str, edits: &[PathEdit]) -> Value {
    let index = TextIndex::new(text);
    let edits = edits.iter().map(|edit| {
        let range = TextRange::new(size(edit.range.start), size(edit.range.end));
        json!({ "range": index.range_to_lsp(range, Encoding::Utf16), "newText": edit.new_text })
    });
    edits.collect()
}
