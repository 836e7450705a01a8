//! Code actions: the editor takes one kind at a time, and says of an action's change that it cannot be shown.

use serde_json::{Value, json};
use zubi_base::endpoint::{EndpointError, RequestCx};

use super::Editor;

/// The most kinds asked for at once; each is a question of its own.
const MAX_KINDS: usize = 8;

/// What can be done with a range, of the kinds that the context names.
pub(super) async fn request_actions(editor: &Editor, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
    let kinds = params.pointer("/context/only").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut found = match kinds.as_slice() {
        [] | [_] => editor.question(method, params, cx).await?,
        kinds => {
            let mut found: Vec<Value> = Vec::new();
            for kind in kinds.iter().take(MAX_KINDS) {
                let mut params = params.clone();
                params["context"]["only"] = json!([kind]);
                let Value::Array(more) = editor.question(method, params, cx).await? else { continue };
                // A kind may lie within another.
                let new: Vec<_> = more.into_iter().filter(|action| !found.contains(action)).collect();
                found.extend(new);
            }
            Value::Array(found)
        }
    };
    for action in found.as_array_mut().into_iter().flatten() {
        disable(action);
    }
    Ok(found)
}

/// An action whose change only the editor itself can apply is one that is not available here.
fn disable(action: &mut Value) {
    let Some(fields) = action.as_object_mut() else { return };
    if let Some(why) = fields.get("edit").and_then(|edit| edit.get("refused")).cloned() {
        fields.remove("edit");
        fields.insert("disabled".to_owned(), json!({ "reason": why }));
    }
}
