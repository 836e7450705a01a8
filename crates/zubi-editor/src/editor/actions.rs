//! Code actions: the editor accepts one kind per request, and marks actions whose edit it cannot serialize.

use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};

use super::connection::Editor;

/// Maximum number of kinds; each is a separate request.
const MAX_KINDS: usize = 8;

/// Code actions for a range, of the kinds in the context.
pub(super) async fn request_actions(
    editor: &Editor,
    method: &str,
    params: Value,
    cx: &RequestCx,
) -> Result<Value, EndpointError> {
    let kinds = params.pointer("/context/only").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut actions = match kinds.as_slice() {
        [] | [_] => editor.request_with_links(method, params, cx).await?,
        kinds => {
            let mut actions: Vec<Value> = Vec::new();
            for kind in kinds.iter().take(MAX_KINDS) {
                let mut params = params.clone();
                params["context"]["only"] = json!([kind]);
                let Value::Array(more) = editor.request_with_links(method, params, cx).await? else { continue };
                // One kind may include another, so actions may repeat.
                let added: Vec<_> = more.into_iter().filter(|action| !actions.contains(action)).collect();
                actions.extend(added);
            }
            Value::Array(actions)
        }
    };
    for action in actions.as_array_mut().into_iter().flatten() {
        disable(action);
    }
    Ok(actions)
}

/// Disables an action whose edit only the editor itself can apply.
fn disable(action: &mut Value) {
    let Some(fields) = action.as_object_mut() else { return };
    if let Some(why) = fields.get("edit").and_then(|edit| edit.get("refused")).cloned() {
        fields.remove("edit");
        fields.insert("disabled".to_owned(), json!({ "reason": why }));
    }
}
