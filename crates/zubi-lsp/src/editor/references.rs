//! References: the editor cannot be asked for them without the declarations, which its definitions tell.

use serde_json::Value;
use zubi_base::endpoint::{EndpointError, RequestCx};

use super::{Editor, places};

/// What tells where a symbol is declared.
const DECLARING: [&str; 2] = ["textDocument/definition", "textDocument/declaration"];

/// Where a symbol is used, with its declarations or without, as the context says.
pub(super) async fn request_references(editor: &Editor, method: &str, params: Value, cx: &RequestCx) -> Result<Value, EndpointError> {
    let with_declarations = params.pointer("/context/includeDeclaration").and_then(Value::as_bool) != Some(false);
    let declared = async { if with_declarations { Vec::new() } else { declarations(editor, &params, cx).await } };
    let (references, declared) = tokio::join!(editor.question(method, params.clone(), cx), declared);
    let mut references = places::dedup_locations(references?);
    if let Value::Array(references) = &mut references {
        references.retain(|place| places::start(place).is_none_or(|start| !declared.contains(&start)));
    }
    Ok(references)
}

/// Where the names begin that declare a symbol, as far as the editor tells.
async fn declarations(editor: &Editor, params: &Value, cx: &RequestCx) -> Vec<places::Start> {
    let mut position = params.clone();
    if let Value::Object(fields) = &mut position {
        fields.remove("context");
    }
    let mut declared = Vec::new();
    for method in DECLARING.into_iter().filter(|method| editor.answers(method)) {
        if let Ok(Value::Array(found)) = editor.question(method, position.clone(), cx).await {
            declared.extend(found.iter().filter_map(places::start));
        }
    }
    declared
}
