//! Paths of files: an editor that has opened a folder through a link uses the path of the link, while zubi uses paths
//! with links resolved.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use zubi_base::lsp;
use zubi_base::uri;

/// Fields with document URIs in LSP.
const FIELDS: [&str; 5] = ["uri", "targetUri", "oldUri", "newUri", "target"];

/// Two paths of a folder: on the side of the sender and on that of the receiver.
type FolderMapping = (Utf8PathBuf, Utf8PathBuf);

/// Replaces the paths of these folders in all document URIs.
pub(super) fn map_uris(mut value: Value, folders: &[FolderMapping]) -> Value {
    if !folders.is_empty() {
        map_value(&mut value, folders);
    }
    value
}

fn map_value(value: &mut Value, folders: &[FolderMapping]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| map_value(item, folders)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(uri) if FIELDS.contains(&name.as_str()) => {
                        if let Some(mapped) = map_uri(uri, folders) {
                            *uri = mapped;
                        }
                    }
                    field => map_value(field, folders),
                }
            }
        }
        _ => {}
    }
}

fn map_uri(uri: &str, folders: &[FolderMapping]) -> Option<String> {
    let path = uri::to_path(&lsp::Uri(uri.to_owned()))?;
    let map_path = |(from, to): &FolderMapping| path.strip_prefix(from).ok().map(|rest: &Utf8Path| to.join(rest));
    folders.iter().find_map(map_path).map(|path| uri::from_path(&path).0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_document_uris_are_mapped() {
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
