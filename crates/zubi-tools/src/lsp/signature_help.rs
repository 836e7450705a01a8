//! `lsp_signature_help`: the signatures of the call around a position.

use std::fmt::Write as _;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use zubi_base::text::pluralize;
use zubi_code::features::signature::Trigger;
use zubi_code::locate::PositionIntent;
use zubi_code::{CodeError, CodeQuery};
use zubi_tool_api::Exposure;

use crate::adapter::ToolMeta;
use crate::lsp::arguments::TargetArgs;
use crate::lsp::code_tool::{CODE_TOOL, CodeAnswer, CodeTool};
use crate::lsp::view::{OutputBudget, resolved_json};

/// The default size of the answer: the signatures and the beginning of the documentation.
const DEFAULT_BYTES: usize = 2_400;

pub(crate) struct SignatureHelp;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(flatten)]
    target: TargetArgs,
    /// 1 invoked, 2 character, 3 change
    #[serde(rename = "triggerKind")]
    trigger_kind: Option<u32>,
    /// Such as (
    #[serde(rename = "triggerCharacter")]
    trigger_character: Option<String>,
}

#[async_trait]
impl CodeTool for SignatureHelp {
    const META: ToolMeta = ToolMeta {
        id: "lsp_signature_help",
        title: "Signatures of a call",
        description: "Parameters and overloads of the call around a position inside its parentheses: at \"path:line text(\".",
        tags: &["signature", "parameters of a call", "arguments of a call", "overloads"],
        example: || ("Which arguments does open take?", json!({ "at": "app.py:9 open(" })),
        exposure: Exposure::Deferred,
        ..CODE_TOOL
    };
    const OPERATION: &str = "show signatures";
    type Input = Input;

    async fn answer(query: &CodeQuery<'_>, input: Input, view: &OutputBudget) -> Result<CodeAnswer, CodeError> {
        let at = query.resolve(&input.target.input(), PositionIntent::Exact).await?;
        let trigger = Trigger { kind: input.trigger_kind, character: input.trigger_character };
        let answer = query.signatures(&at, &trigger).await?;
        let mut full_text = String::new();
        for signature in &answer.value {
            let has_several = answer.value.len() > 1;
            let _ =
                writeln!(full_text, "{} {}", if has_several && signature.active { ">" } else { " " }, signature.label);
            if let Some(parameter) = &signature.active_parameter {
                let _ = write!(full_text, "    parameter: {parameter}");
                if let Some(documentation) = &signature.parameter_documentation {
                    let _ = write!(full_text, " ({})", documentation.lines().next().unwrap_or_default());
                }
                full_text.push('\n');
            }
            if let Some(documentation) = signature.documentation.as_ref().filter(|_| signature.active) {
                for line in documentation.lines() {
                    let _ = writeln!(full_text, "    {line}");
                }
            }
        }
        let (body, truncated) = view.with_default(DEFAULT_BYTES).block(&full_text);
        let mut text = at.header();
        let _ = match answer.value.len() {
            0 => writeln!(text, "\nno call at this position; it must be inside the parentheses of a call"),
            total => writeln!(text, "\n{}", pluralize(total, "signature")),
        };
        text.push_str(&body);
        let mut status = answer.status;
        status.merge(at.status.clone());
        if !answer.value.is_empty() {
            status.excuse_found();
        }
        let data = view.data(|| {
            let items: Vec<_> = answer
                .value
                .iter()
                .map(|signature| {
                    json!({ "label": signature.label, "activeParameter": signature.active_parameter,
                        "documentation": signature.documentation, "active": signature.active })
                })
                .collect();
            json!({ "resolved": resolved_json(&at), "total": items.len(), "items": items })
        });
        Ok(CodeAnswer { text, data, status, truncated })
    }
}
