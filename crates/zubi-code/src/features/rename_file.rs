//! Plans the move of a file or folder, with the changes to the imports that refer to it.

use camino::Utf8Path;
use serde_json::json;
use zubi_base::endpoint::DocumentRef;
use zubi_base::position::Encoding;
use zubi_base::uri;
use zubi_base::walk::{self, WalkOptions};

use crate::edit::{Plan, ServerEdit};
use crate::error::CodeError;
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
            walk::files(from, WalkOptions { depth: None, sorted: true }).next()
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
        let plan = self.intel.edits.plan_combined(&title, &edits, by.as_deref().unwrap_or("zubi")).await?;
        Ok(QualifiedAnswer { value: Move { plan, imports: by }, status })
    }
}
