//! Names of files. A folder that the editor has opened by a link is for it another one than where the link leads, and zubi
//! knows files with links resolved.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::uri;

/// The fields in which LSP has URIs of documents.
const FIELDS: [&str; 5] = ["uri", "targetUri", "oldUri", "newUri", "target"];

/// A folder by two names: what it is called on one side and on the other.
type Folder = (Utf8PathBuf, Utf8PathBuf);

/// The same with the documents in these folders called as on the other side.
pub(super) fn map_uris(mut value: Value, folders: &[Folder]) -> Value {
    if !folders.is_empty() {
        call(&mut value, folders);
    }
    value
}

fn call(value: &mut Value, folders: &[Folder]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| call(item, folders)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(uri) if FIELDS.contains(&name.as_str()) => {
                        if let Some(other) = other_name(uri, folders) {
                            *uri = other;
                        }
                    }
                    field => call(field, folders),
                }
            }
        }
        _ => {}
    }
}

fn other_name(uri: &str, folders: &[Folder]) -> Option<String> {
    let path = uri::to_path(&lsp::Uri(uri.to_owned()))?;
    let within = |(from, to): &Folder| path.strip_prefix(from).ok().map(|rest: &Utf8Path| to.join(rest));
    folders.iter().find_map(within).map(|path| uri::from_path(&path).0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_called_otherwise_and_nothing_else_is() {
        let folders = [("/linked".into(), "/real".into())];
        let item = json!({ "from": { "uri": "file:///linked/a.ts" }, "fromRanges": [] });
        let edit = json!({ "documentChanges": [{ "kind": "rename", "oldUri": "file:///linked/a.ts", "newUri": "file:///linked/b%20c.ts" }] });
        let others =
            json!({ "newText": "file:///linked/a.ts", "uri": "file:///linked2/a.ts", "target": "https://linked/" });
        let expected = json!([
            { "from": { "uri": "file:///real/a.ts" }, "fromRanges": [] },
            { "documentChanges": [{ "kind": "rename", "oldUri": "file:///real/a.ts", "newUri": "file:///real/b%20c.ts" }] },
            others,
        ]);
        assert_eq!(map_uris(json!([item, edit, others]), &folders), expected);
        assert_eq!(map_uris(item.clone(), &[]), item);
    }
}
