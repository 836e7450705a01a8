//! `edit_symbol`: replaces or deletes a symbol, or inserts text beside it.

use async_trait::async_trait;
use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_code::features::symbol_edit::{SymbolAction, SymbolEditRequest};
use zubi_code::locate::TargetInput;
use zubi_code::{CodeError, CodeIntel, CodeQuery};
use zubi_tool_api::{Effect, Exposure};

use super::refactor_tool::{ApplyRequest, REFACTOR_TOOL, apply};
use crate::adapter::ToolMeta;
use crate::lsp::code_tool::{CodeAnswer, CodeTool};
use crate::lsp::plan_answer::plan_answer;
use crate::lsp::view::OutputBudget;

pub(crate) struct EditSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Name, or Type/method
    #[schemars(extend("x-aliases" = ["name", "name_path", "namePath"]))]
    symbol: Option<String>,
    /// Its file
    path: Option<String>,
    /// Or path:line of it
    at: Option<String>,
    action: Action,
    /// New source, with its name
    #[schemars(extend("x-aliases" = ["body", "code", "content", "new_body"]))]
    text: Option<String>,
    /// Write at once; needs path or at
    apply: Option<bool>,
    /// Delete although it is used
    #[schemars(extend("x-common" = true))]
    force: Option<bool>,
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
    fn is_applied(&self) -> bool {
        self.apply == Some(true)
    }

    fn request(&self) -> Result<SymbolEditRequest, CodeError> {
        if self.symbol.is_none() && self.at.is_none() {
            let hint = "Pass symbol: \"Type/method\", or at: \"src/lib.rs:12\".";
            return Err(CodeError::input("symbol", "missing", hint));
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

    /// Returns the file that the arguments name.
    fn file(&self, intel: &CodeIntel) -> Option<Utf8PathBuf> {
        let resolve = |file: &str| intel.workspace().resolve(file).ok().filter(|path| path.is_file());
        let Some(at) = &self.at else { return self.path.as_deref().and_then(resolve) };
        // `src/lib.rs:12:5`: the file is the part before one of the colons.
        let ends = at.match_indices(':').map(|(end, _)| end).chain([at.len()]);
        ends.rev().find_map(|end| resolve(at.get(..end)?))
    }
}

#[async_trait]
impl CodeTool for EditSymbol {
    const META: ToolMeta = ToolMeta {
        id: "edit_symbol",
        title: "Edit a symbol",
        description: "Plans a change of one symbol: replace its source, insert before or after it, delete it. Comments and decorators stay unless text has its own. Returns plan id and diff.",
        exposure: Exposure::Direct,
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
        ..REFACTOR_TOOL
    };
    const OPERATION: &str = "edit the symbol";
    type Input = Input;

    fn effect(input: &Input) -> Effect {
        if input.is_applied() { Effect::Write } else { Effect::Plan }
    }

    fn writes(intel: &CodeIntel, input: &Input) -> Vec<Utf8PathBuf> {
        if input.is_applied() { input.file(intel).into_iter().collect() } else { Vec::new() }
    }

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let request = input.request()?;
        // The rules about files apply before the call, so it must name the file that it writes.
        let file = input.file(query.intel);
        if input.is_applied() && file.is_none() {
            return Err(CodeError::input(
                "path",
                "apply: true needs the file of the symbol",
                "Pass path: \"src/lib.rs\" with the symbol, or omit `apply` and call apply_edit with the plan.",
            ));
        }
        let planned = query.plan_symbol_edit(&request).await?;
        let (plan, status) = (planned.value.plan, planned.status);
        let header = planned.value.symbol;
        if !input.is_applied() {
            return Ok(plan_answer(view, Some(&header), &plan, status));
        }
        if file.is_some_and(|file| !query.intel.edits().files_of(&plan.id).is_ok_and(|files| files == [file])) {
            return Err(CodeError::input(
                "path",
                format!("another file declares it: {header}"),
                format!("Nothing was changed. Pass that path, or apply_edit {{\"plan\":\"{}\"}}.", plan.id),
            ));
        }
        if status.complete() == Some(false) && matches!(input.action, Action::Delete) && !request.force {
            return Err(CodeError::StillUsed {
                reason: format!("uses may be left: {}", status.note().unwrap_or_default()),
                hint: format!(
                    "Nothing was changed. Check `lsp_references`, then apply_edit {{\"plan\":\"{}\"}}.",
                    plan.id
                ),
            });
        }
        let request = ApplyRequest { preamble: format!("{header}\n"), ..ApplyRequest::default() };
        apply(query, view, &plan, status, request).await
    }
}
