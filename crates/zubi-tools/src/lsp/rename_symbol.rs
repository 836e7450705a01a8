//! `lsp_rename_symbol`: a rename in all files, as a plan.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use zubi_code::features::rename::TextMentions;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Effect;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::{ProjectArgs, TargetArgs};
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::plan_answer::plan_answer;
use crate::lsp::view::{OutputBudget, resolved_json};

pub(crate) struct RenameSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(rename = "newName")]
    #[schemars(description = "New name")]
    new_name: String,
    /// Also in comments, docs
    #[serde(rename = "includeText")]
    include_text: Option<bool>,
    #[serde(flatten)]
    projects: ProjectArgs,
}

/// The default size of the answer: the edits of a rename are alike, so its files say more than its diff.
const DEFAULT_BYTES: usize = 1_400;

/// The maximum number of bytes of a diff that is shown completely.
const SHORT_DIFF: usize = 2_000;

#[async_trait]
impl CodeTool for RenameSymbol {
    const META: ToolMeta = ToolMeta {
        id: "lsp_rename_symbol",
        title: "Plan a rename",
        description: "Plans a rename in all files. apply_edit writes it.",
        effect: Effect::Plan,
        tags: &["rename", "refactor", "change the name", "rename everywhere"],
        listed: &["maxTokens", "allProjects"],
        example: || ("Rename a method", serde_json::json!({ "symbol": "Console/print", "newName": "write" })),
        ..CODE_TOOL
    };
    const OPERATION: &str = "plan the rename";
    type Input = Input;

    fn all_projects(input: &Input) -> Option<bool> {
        Some(input.projects.all_projects())
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Identifier).await?;
        let texts = match input.include_text {
            Some(true) => TextMentions::Rename,
            _ => TextMentions::Leave { hint: "includeText=true" },
        };
        let mut planned = query.rename(&at, &input.new_name, texts).await?;
        let mut status = planned.status;
        if status.complete() == Some(false) {
            let note = "uses may be left: `lsp_references` with includeText=true lists them".to_owned();
            planned.value.notes.push(note);
        }
        status.merge(at.status.clone());
        let is_short = planned.value.diff.len() <= SHORT_DIFF;
        let view = if is_short { view } else { &view.with_default(DEFAULT_BYTES) };
        let mut answer = plan_answer(view, Some(&at.header()), &planned.value, status);
        answer.data["resolved"] = resolved_json(&at);
        Ok(answer)
    }
}
