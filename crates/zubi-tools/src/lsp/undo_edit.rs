//! `undo_edit`: reverts an applied plan.

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::apply::Direction;
use zubi_code::{CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::Effect;
use zubi_tool_api::spec::EDIT_TOOLSET;

use crate::adapter::ToolMeta;
use crate::lsp::apply_edit::{AppliedVerb, render_applied};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::OutputBudget;

pub(crate) struct UndoEdit;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Applied p-… or a-…
    plan: String,
}

#[async_trait]
impl CodeTool for UndoEdit {
    const META: ToolMeta = ToolMeta {
        id: "undo_edit",
        title: "Undo an edit",
        description: "Reverts an applied edit, byte for byte.",
        effect: Effect::Write,
        toolset: EDIT_TOOLSET,
        tags: &["undo", "revert an edit", "roll back", "take back"],
        example: || ("Undo a rename", json!({ "plan": "p-k3m7q2x9ab" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "undo the edit";
    type Input = Input;

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        intel.edits().files_of(&input.plan).unwrap_or_default()
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        // An empty text means that the argument is not given.
        if input.plan.trim().is_empty() {
            return Err(CodeError::input("plan", "it is missing", "Pass the plan or action that was applied."));
        }
        let changed = query.change(&input.plan, Direction::Undo).await?;
        Ok(render_applied(view, &input.plan, AppliedVerb::Undone, &[], changed))
    }
}
