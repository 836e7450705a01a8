//! Symbols of the workspace, as extensions of the editor name them.

use serde_json::Value;
use zubi_base::endpoint::{DocumentRef, Endpoint as _};
use zubi_base::lsp;
use zubi_base::uri;

use super::Editor;

/// Symbols under their own names (TypeScript's writes the brackets of a call behind functions), without those of models:
/// the editor has them from this process, and whoever asks it has them without it.
pub(super) fn own(editor: &Editor, mut symbols: Value) -> Value {
    let path = |symbol: &Value| uri::to_path(&lsp::Uri(symbol.pointer("/location/uri")?.as_str()?.to_owned()));
    if let Value::Array(symbols) = &mut symbols {
        symbols.retain(|symbol| path(symbol).is_none_or(|path| editor.serves(&DocumentRef::new(path))));
        for name in symbols.iter_mut().filter_map(|symbol| symbol.get_mut("name")) {
            if let Some(plain) =
                name.as_str().and_then(|name| name.strip_suffix("()")).filter(|plain| !plain.is_empty())
            {
                *name = Value::from(plain);
            }
        }
    }
    symbols
}
