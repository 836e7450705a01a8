//! Renaming a symbol everywhere, as a plan that writes nothing.

use serde_json::{Value, json};
use zubi_base::endpoint::EndpointError;
use zubi_base::lsp;

use crate::edit::Plan;
use crate::error::CodeError;
use crate::features::locations::position_params;
use crate::locate::Resolved;
use crate::question::Question;
use crate::readiness::Need;
use crate::status::Answer;

impl Question<'_> {
    /// Plans a rename. The first endpoint that offers one decides: two servers' renames of one symbol would overlap.
    pub async fn rename(&self, at: &Resolved, new_name: &str) -> Result<Answer<Plan>, CodeError> {
        if new_name.trim().is_empty() || new_name.chars().any(char::is_control) {
            return Err(CodeError::input(
                "newName",
                "the new name is empty or holds control characters",
                "Give an identifier of the language.",
            ));
        }
        let method = "textDocument/rename";
        let mut ready = self.ready_for(&at.reference, method, "rename symbols", Need::Project).await?;
        ready.endpoints.truncate(1);
        let document = self.document(&at.path).await?;
        let cx = self.request_cx().about(&at.reference);
        let endpoint = ready.endpoints.first().cloned().ok_or_else(|| CodeError::NoEndpoint(Vec::new()))?;
        let declined = |why: String| CodeError::Declined {
            endpoint: endpoint.id().to_string(),
            why,
            hint: "Check what stands there with `lsp_hover`, or choose another name.".to_owned(),
        };
        let params = position_params(&at.reference, &document, at.offset, endpoint.encoding());
        let prepares =
            endpoint.capabilities().pointer("/renameProvider/prepareProvider").and_then(Value::as_bool) == Some(true);
        if prepares {
            match endpoint.request("textDocument/prepareRename", params.clone(), &cx).await {
                Ok(Value::Null) => return Err(declined("what stands there cannot be renamed".to_owned())),
                Ok(_) => {}
                Err(EndpointError::Server { message, .. }) => return Err(declined(message)),
                Err(error) => return Err(error.into()),
            }
        }
        let mut params = params;
        params["newName"] = json!(new_name);
        let result = match endpoint.request(method, params, &cx).await {
            Ok(result) => result,
            Err(EndpointError::Server { message, .. }) => return Err(declined(message)),
            Err(error) => return Err(error.into()),
        };
        let edit =
            serde_json::from_value::<Option<lsp::WorkspaceEdit>>(result).map_err(|error| EndpointError::Protocol {
                endpoint: endpoint.id().clone(),
                what: format!("its rename is no workspace edit: {error}"),
            })?;
        let Some(edit) = edit else { return Err(declined("it offers no rename there".to_owned())) };
        let old = at.name.as_deref().unwrap_or("symbol");
        let title = format!("rename `{old}` to `{new_name}`");
        let plan = self.intel.edits.plan(&title, &edit, endpoint.encoding(), &endpoint.id().0).await?;
        Ok(Answer { value: plan, status: ready.status })
    }
}
