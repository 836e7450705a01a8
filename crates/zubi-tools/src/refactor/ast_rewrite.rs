//! `ast_rewrite`: replaces code with the structure of a pattern, as a plan.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Effect;

use super::refactor_tool::REFACTOR_TOOL;
use crate::adapter::ToolMeta;
use crate::lsp::ast_search::PatternArgs;
use crate::lsp::code_tool::{CodeAnswer, CodeTool};
use crate::lsp::plan_answer::plan_answer;
use crate::lsp::view::OutputBudget;

pub(crate) struct AstRewrite;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    pattern: PatternArgs,
    /// New code, with the metavariables of the pattern
    rewrite: String,
}

#[async_trait]
impl CodeTool for AstRewrite {
    const META: ToolMeta = ToolMeta {
        id: "ast_rewrite",
        title: "Plan a rewrite by structure",
        description: "Plans the replacement of all code that has the structure of a pattern (as in ast_search): plan id, diff, counts. Writes nothing; apply_edit does. For one change in many places that no rename covers.",
        effect: Effect::Plan,
        tags: &["structural replace", "replace a pattern", "ast-grep", "codemod", "replace calls", "migrate"],
        example: || {
            let arguments =
                json!({ "pattern": "logging.getLogger($NAME)", "rewrite": "get_logger($NAME)", "path": "src" });
            ("Replace calls of a function", arguments)
        },
        listed: &["maxTokens"],
        ..REFACTOR_TOOL
    };
    const OPERATION: &str = "plan the rewrite";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let planned = query.ast_rewrite(&input.pattern.query(query)?, &input.rewrite).await?;
        Ok(plan_answer(view, None, &planned.value, planned.status))
    }
}
