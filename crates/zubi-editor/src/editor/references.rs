//! References: the editor always includes declarations, so zubi removes them with the help of its definitions.

use serde_json::Value;
use zubi_base::endpoint::{EndpointError, RequestCx};

use super::connection::Editor;
use super::locations;

/// Methods that return the declarations of a symbol.
const DECLARING: [&str; 2] = ["textDocument/definition", "textDocument/declaration"];

/// References of a symbol, with or without its declarations, as the context says.
pub(super) async fn request_references(
    editor: &Editor,
    method: &str,
    params: Value,
    cx: &RequestCx,
) -> Result<Value, EndpointError> {
    let with_declarations = params.pointer("/context/includeDeclaration").and_then(Value::as_bool) != Some(false);
    let declared = async { if with_declarations { Vec::new() } else { declarations(editor, &params, cx).await } };
    let (references, declared) = tokio::join!(editor.request_with_links(method, params.clone(), cx), declared);
    let mut references = locations::dedup_locations(references?);
    if let Value::Array(references) = &mut references {
        references.retain(|location| locations::start(location).is_none_or(|start| !declared.contains(&start)));
    }
    Ok(references)
}

/// Start positions of a symbol's declarations, as far as the editor knows them.
async fn declarations(editor: &Editor, params: &Value, cx: &RequestCx) -> Vec<locations::NamePosition> {
    let mut position = params.clone();
    if let Value::Object(fields) = &mut position {
        fields.remove("context");
    }
    let mut declared = Vec::new();
    for method in DECLARING.into_iter().filter(|method| editor.answers(method)) {
        if let Ok(Value::Array(definitions)) = editor.request_with_links(method, position.clone(), cx).await {
            declared.extend(definitions.iter().filter_map(locations::start));
        }
    }
    declared
}
