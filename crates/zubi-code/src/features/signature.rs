//! The signatures that match the call at a position.

use serde_json::{Value, json};
use zubi_base::lsp;

use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::markup::{clean_block, clean_line, decode_markdown};
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::QualifiedAnswer;

/// The trigger of a completion or signature request (LSP `CompletionTriggerKind`, `SignatureHelpTriggerKind`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trigger {
    /// 1 invoked, 2 trigger character, 3 again (incomplete completion list; signature on content change).
    pub kind: Option<u32>,
    pub character: Option<String>,
}

impl Trigger {
    /// Returns the `context` of a request; without a kind and a character, it counts as invoked by hand.
    pub(crate) fn context(&self) -> Value {
        let kind = self.kind.unwrap_or(if self.character.is_some() { 2 } else { 1 });
        match &self.character {
            Some(character) => json!({ "triggerKind": kind, "triggerCharacter": character }),
            None => json!({ "triggerKind": kind }),
        }
    }
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub label: String,
    /// The text of the current parameter in the label.
    pub active_parameter: Option<String>,
    pub parameter_documentation: Option<String>,
    pub documentation: Option<String>,
    /// Whether the server considers this overload the best match.
    pub active: bool,
}

impl CodeQuery<'_> {
    /// Returns the signatures of the call around a position; empty outside a call.
    pub async fn signatures(
        &self,
        at: &ResolvedTarget,
        trigger: &Trigger,
    ) -> Result<QualifiedAnswer<Vec<Signature>>, CodeError> {
        let method = "textDocument/signatureHelp";
        let ready = self.ready_for(&at.reference, method, "show signatures", ReadinessLevel::Project).await?;
        let document = self.document(&at.path).await?;
        let cx = self.request_cx().for_document(&at.reference);
        let replies = self
            .request_all(&ready, method, &cx, |endpoint| {
                let mut params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
                let mut context = trigger.context();
                context["isRetrigger"] = Value::Bool(false);
                params["context"] = context;
                params
            })
            .await?;
        let mut signatures = Vec::new();
        for reply in replies.replies {
            if let Ok(help) = serde_json::from_value::<lsp::SignatureHelp>(reply.result) {
                let active = help.active_signature.unwrap_or(0) as usize;
                let parameter = serde_json::to_value(&help).ok().and_then(|help| help.get("activeParameter")?.as_u64());
                for (at, signature) in help.signatures.iter().enumerate() {
                    signatures.push(signature_of(signature, parameter, at == active));
                }
            }
        }
        let mut status = replies.status;
        status.add_library_caveats(signatures.is_empty());
        Ok(QualifiedAnswer { value: signatures, status })
    }
}

fn signature_of(signature: &lsp::SignatureInformation, outer: Option<u64>, active: bool) -> Signature {
    // As JSON, because LSP allows a number or null or absence here and its versions have different types.
    let value = serde_json::to_value(signature).unwrap_or_default();
    let at = value.get("activeParameter").and_then(Value::as_u64).or(outer);
    let parameter = at.and_then(|at| value.get("parameters")?.as_array()?.get(usize::try_from(at).ok()?).cloned());
    let label = parameter.as_ref().and_then(|parameter| match parameter.get("label")? {
        Value::String(text) => Some(clean_line(text)),
        // Offsets into the label, in UTF-16 units (the protocol's default; servers that differ send ASCII labels).
        Value::Array(ends) => {
            let units: Vec<u16> = signature.label.encode_utf16().collect();
            let end = |at: usize| ends.get(at).and_then(Value::as_u64).and_then(|end| usize::try_from(end).ok());
            Some(clean_line(&String::from_utf16_lossy(units.get(end(0)?..end(1)?)?)))
        }
        _ => None,
    });
    Signature {
        label: clean_line(&signature.label),
        active_parameter: label,
        parameter_documentation: parameter.as_ref().and_then(|parameter| documentation(parameter.get("documentation"))),
        documentation: documentation(value.get("documentation")),
        active,
    }
}

/// Reads a documentation field, plain or with markup.
pub(crate) fn documentation(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => clean_block(text),
        Value::Object(content) => {
            let text = clean_block(content.get("value")?.as_str()?);
            if content.get("kind").and_then(Value::as_str) == Some("plaintext") { text } else { decode_markdown(&text) }
        }
        _ => return None,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
