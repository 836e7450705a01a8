//! The description of a symbol by the server: type, signature and documentation.

use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::markup::{begin_with_declaration, hover_text};
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::position_params;
use crate::status::QualifiedAnswer;
use crate::text_search;

impl CodeQuery<'_> {
    /// Returns the distinct Markdown texts of all endpoints, each with the declaration first; empty if none has one.
    pub async fn hover(&self, at: &ResolvedTarget) -> Result<QualifiedAnswer<Vec<String>>, CodeError> {
        let method = "textDocument/hover";
        let ready = self.ready_for(&at.reference, method, "explain symbols", ReadinessLevel::Project).await?;
        let document = self.document(&at.path).await?;
        let cx = self.request_cx().for_document(&at.reference);
        let replies = self
            .request_all(&ready, method, &cx, |endpoint| {
                position_params(&at.reference, &document, at.offset, endpoint.encoding())
            })
            .await?;
        let mut texts: Vec<String> = Vec::new();
        for reply in replies.replies {
            // `null` means "no information" in LSP.
            let text = reply.result.get("contents").map(hover_text).unwrap_or_default().trim().to_owned();
            let name = at.name.as_deref().unwrap_or_default();
            let text = begin_with_declaration(&text, |block| text_search::count(block, name) > 0);
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
        let mut status = replies.status;
        status.add_library_caveats(texts.is_empty());
        Ok(QualifiedAnswer { value: texts, status })
    }
}
