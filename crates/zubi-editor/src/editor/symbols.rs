//! Workspace symbols, with the names that extensions of the editor use.

use serde_json::Value;
use zubi_base::endpoint::{DocumentRef, Endpoint as _};
use zubi_base::lsp;
use zubi_base::uri;

use super::connection::Editor;

/// Restores the plain names of symbols (TypeScript's extension appends `()` to functions), and removes those of
/// DomainLang models: this process provides them, to the editor and to other clients.
pub(super) fn normalize_symbols(editor: &Editor, mut symbols: Value) -> Value {
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
