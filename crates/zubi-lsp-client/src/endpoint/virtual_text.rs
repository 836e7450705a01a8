//! Texts of documents that are not files, by LSP's request or the server's own.

use zubi_base::endpoint::{Endpoint as _, EndpointError, RequestCx};
use zubi_base::fs::MAX_TEXT_BYTES;
use zubi_base::lsp;
use zubi_base::uri;

use super::ServerEndpoint;
use crate::catalogue::virtual_documents;

/// LSP's own request, since 3.18.
const CONTENT: &str = "workspace/textDocumentContent";

impl ServerEndpoint {
    /// Implements [`zubi_base::endpoint::Endpoint::virtual_text`]. A text above the size limit of source files is an
    /// error.
    pub(super) async fn text_of(&self, uri: &lsp::Uri, cx: &RequestCx) -> Result<Option<String>, EndpointError> {
        let Some(scheme) = uri::scheme(uri) else { return Ok(None) };
        let documents = self.shared.launch.virtual_documents.as_ref();
        let is_supported =
            || self.running_now().is_some_and(|session| session.peer().capabilities().provides_content_for(scheme));
        let method = match documents.filter(|documents| documents.schemes.iter().any(|candidate| candidate == scheme)) {
            Some(documents) => documents.request.as_str(),
            None if is_supported() => CONTENT,
            None => return Ok(None),
        };
        // No document is opened, because the requested one is not in the workspace.
        let cx = RequestCx { documents: Vec::new(), ..cx.clone() };
        let answer = self.request(method, virtual_documents::params(&uri.0), &cx).await?;
        let broken = |message: String| EndpointError::Protocol { endpoint: self.id.clone(), message };
        match virtual_documents::text(answer) {
            Ok(Some(text)) if text.len() as u64 > MAX_TEXT_BYTES => {
                Err(broken(format!("the text has {} bytes, more than the {MAX_TEXT_BYTES} that are read", text.len())))
            }
            Ok(text) => Ok(Some(text.unwrap_or_default())),
            Err(()) => Err(broken(format!("its answer to `{method}` is not a text"))),
        }
    }
}
