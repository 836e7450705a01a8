//! The annotations of the toy language: the type of `let x = X` after `x`, and above each class the number of its uses.

use serde_json::{Value, json};
use zubi_base::position::TextIndex;
use zubi_base::{fs, lsp, uri};

use super::ToyEndpoint;

impl ToyEndpoint {
    fn document(params: &Value) -> Option<String> {
        let uri = lsp::Uri(params.pointer("/textDocument/uri")?.as_str()?.to_owned());
        fs::read_text(&uri::to_path(&uri)?).ok()
    }

    /// Types as label parts, and the name of a parameter, which is not a type.
    pub(super) fn inlay_hints(&self, params: &Value) -> Value {
        let text = Self::document(params).unwrap_or_default();
        let index = TextIndex::new(&text);
        let range = params.get("range").cloned().and_then(|range| serde_json::from_value::<lsp::Range>(range).ok());
        let Some(range) = range else { return Value::Null };
        let range = index.range_from_lsp(&range, self.encoding);
        let mut hints = Vec::new();
        for declared in Self::declared_symbols(&text).into_iter().filter(|one| range.contains_range(one.range)) {
            let line = text.lines().nth(declared.line as usize).unwrap_or_default();
            let Some(("let", value)) = line.trim().split_once(' ') else { continue };
            let Some((_, value)) = value.split_once(" = ") else { continue };
            let at = index.to_lsp(declared.range.end(), self.encoding);
            hints.push(json!({ "position": at, "label": [{ "value": ": " }, { "value": value }], "kind": 1 }));
            hints.push(json!({ "position": at, "label": "parameter:", "kind": 2 }));
        }
        Value::Array(hints)
    }

    /// Lenses without titles; resolving one adds its title.
    pub(super) fn lenses(&self, params: &Value) -> Value {
        let text = Self::document(params).unwrap_or_default();
        let index = TextIndex::new(&text);
        let classes = Self::declared_symbols(&text).into_iter().filter(|one| one.kind == 5);
        let lens = |name: String, range| json!({ "range": index.range_to_lsp(range, self.encoding), "data": name });
        classes.map(|one| lens(one.name, one.range)).collect()
    }

    pub(super) fn resolved_lens(&self, mut lens: Value) -> Value {
        let name = lens.get("data").and_then(Value::as_str).unwrap_or_default().to_owned();
        let title = format!("{} uses", self.uses(&name, &Value::Null).len());
        lens["command"] = json!({ "title": title, "command": "toy.show" });
        lens
    }
}
