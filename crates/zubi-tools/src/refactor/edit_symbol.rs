//! `edit_symbol`: replaces or deletes a symbol, or inserts text beside it.

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use zubi_code::CodeError;
use zubi_code::features::symbol_edit::{PlannedSymbolEdit, SymbolAction, SymbolEditRequest};
use zubi_code::locate::TargetInput;
use zubi_tool_api::{Effect, Exposure, Footprint, ToolCx, ToolError, ToolOutput};

use super::text_edit_tool::{TEXT_EDIT_TOOL, TextEditContext, apply_plan, begin_query, footprint, output_budget};
use crate::adapter::{ToolMeta, TypedTool};
use crate::lsp::arguments::CommonArgs;
use crate::lsp::code_tool::{self, code_error, files_in_arguments, finish_answer};
use crate::lsp::plan_answer::plan_answer;

pub(crate) struct EditSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name or Type/method
    #[schemars(extend("x-aliases" = ["name", "name_path", "namePath"]))]
    symbol: Option<String>,
    /// File
    path: Option<String>,
    /// Or path:line
    at: Option<String>,
    /// Change
    action: Action,
    /// New source
    #[schemars(extend("x-aliases" = ["body", "code", "content", "new_body"]))]
    text: Option<String>,
    /// Write at once
    apply: Option<bool>,
    /// Despite uses
    #[schemars(extend("x-common" = true))]
    force: Option<bool>,
    #[serde(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Replace,
    InsertBefore,
    InsertAfter,
    Delete,
}

impl Input {
    fn request(&self) -> Result<SymbolEditRequest, CodeError> {
        if self.symbol.is_none() && self.at.is_none() {
            let hint = "Pass symbol: \"Type/method\", or at: \"src/lib.rs:12\".";
            return Err(CodeError::input("symbol", "missing", hint));
        }
        if self.symbol.is_some() && self.at.is_some() {
            let hint = "Pass symbol (with path), or at; not both.";
            return Err(CodeError::input("symbol", "given together with at", hint));
        }
        let action = match self.action {
            Action::Replace => SymbolAction::Replace,
            Action::InsertBefore => SymbolAction::InsertBefore,
            Action::InsertAfter => SymbolAction::InsertAfter,
            Action::Delete => SymbolAction::Delete,
        };
        let text = match (&self.text, action) {
            (Some(_), SymbolAction::Delete) => {
                return Err(CodeError::input(
                    "text",
                    "a deletion has no text",
                    "Omit it, or pass action: \"replace\".",
                ));
            }
            (None, SymbolAction::Delete) => String::new(),
            (None, _) => {
                return Err(CodeError::input("text", "missing", "Pass the whole source of the declaration."));
            }
            (Some(text), _) => text.clone(),
        };
        let target = match &self.at {
            Some(at) => TargetInput { at: Some(at.clone()), ..TargetInput::default() },
            None => TargetInput { symbol: self.symbol.clone(), path: self.path.clone(), ..TargetInput::default() },
        };
        Ok(SymbolEditRequest { target, action, text, force: self.force == Some(true) })
    }
}

const OPERATION: &str = "edit the symbol";

#[async_trait]
impl TypedTool for EditSymbol {
    const META: ToolMeta = ToolMeta {
        id: "edit_symbol",
        title: "Edit a symbol",
        description: "Plans to replace, delete or insert beside a symbol. Comments and decorators stay.",
        exposure: Exposure::Direct,
        listed: &["force"],
        tags: &[
            "replace function body",
            "insert method",
            "add a method",
            "delete function",
            "edit by symbol",
            "safe delete",
        ],
        example: || {
            let arguments =
                json!({ "symbol": "Shape/area", "action": "replace", "text": "def area(self):\n    return 2" });
            ("Replace a method", arguments)
        },
        ..TEXT_EDIT_TOOL
    };
    type Context = TextEditContext;
    type Input = Input;

    fn footprint(context: &TextEditContext, args: &Value, _cx: &ToolCx) -> Result<Footprint, ToolError> {
        let input = Self::parse(args.clone())?;
        let reads = files_in_arguments(&context.intel, args, Effect::Plan);
        Ok(footprint(reads, input.apply == Some(true)))
    }

    fn timeout(args: &Value) -> Duration {
        code_tool::timeout(&Self::META, args)
    }

    async fn run(context: &TextEditContext, input: Input, cx: &ToolCx) -> Result<ToolOutput, ToolError> {
        let to_error = |error: CodeError| code_error(OPERATION, &error, Effect::Plan);
        let request = input.request().map_err(to_error)?;
        let common = &input.common;
        let query = begin_query(&context.intel, common, cx).await;
        let planned = query.plan_symbol_edit(&request).await.map_err(to_error)?;
        let (PlannedSymbolEdit { plan, symbol }, status) = (planned.value, planned.status);
        if input.apply != Some(true) {
            let answer = plan_answer(&output_budget(common, cx), Some(&symbol), &plan, status);
            return Ok(finish_answer(&context.intel, &query, answer, common.format(), cx).await);
        }
        if status.complete() == Some(false) && request.action == SymbolAction::Delete && !request.force {
            return Err(to_error(CodeError::StillUsed {
                reason: format!("uses may be left: {}", status.note().unwrap_or_default()),
                hint: format!(
                    "Nothing was changed. Check `lsp_references`, then apply_edit {{\"plan\":\"{}\"}}.",
                    plan.id
                ),
            }));
        }
        let notes = [symbol].into_iter().chain(plan.notes.iter().cloned()).chain(status.note());
        let notes = notes.chain(query.uncertain_positions());
        apply_plan(context, &plan.id, notes.collect(), common, cx).await
    }
}
