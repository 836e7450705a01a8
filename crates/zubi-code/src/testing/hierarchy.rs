//! The toy language's calls and types. `def f` calls the functions that its deeper indented lines name; `class X < Y`
//! extends `Y`; `let x = X` has type `X`. Only these requests find symbols in `library/` next to the workspace. A
//! request about a symbol named `bad` fails.

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use zubi_base::endpoint::EndpointError;
use zubi_base::fs;
use zubi_base::position::{LineCol, TextIndex, TextRange, size};
use zubi_base::walk::{self, WalkOptions};

use super::ToyEndpoint;
use crate::text_search;

const CLASS: u32 = 5;
const FUNCTION: u32 = 12;

/// A declared symbol with its source.
struct FixtureSymbol {
    name: String,
    kind: u32,
    /// The rest of the line after the name.
    tail: String,
    /// The deeper indented lines that follow, with their numbers.
    body: Vec<(u32, String)>,
    path: Utf8PathBuf,
    index: TextIndex,
    range: TextRange,
}

impl ToyEndpoint {
    /// Returns the response to a request about calls or types; `None` for other requests.
    pub(super) fn relations(&self, method: &str, params: &Value) -> Option<Result<Value, EndpointError>> {
        let word = || self.word_at(params).map(|(word, _)| word).unwrap_or_default();
        let item = |field: &str| params.pointer(&format!("/item/{field}")).cloned().unwrap_or_default();
        let all = self.symbols();
        if item("name") == "bad" {
            let failure = EndpointError::Server {
                endpoint: self.id.clone(),
                method: method.to_owned(),
                code: -32603,
                message: "this is bad".to_owned(),
            };
            return Some(Err(failure));
        }
        let prepared = |kind: u32| {
            let word = word();
            let items: Vec<_> = all.iter().filter(|one| one.kind == kind && one.name == word).collect();
            // LSP's other form of "none".
            if items.is_empty() { Value::Null } else { items.into_iter().map(|one| self.item(one)).collect() }
        };
        let requested_symbol = || all.iter().find(|one| Some(&self.item(one)) == params.get("item"));
        let named =
            |word: &str| all.iter().filter(move |one| one.kind == CLASS && one.name == word).collect::<Vec<_>>();
        let extending = |word: &str| -> Vec<&FixtureSymbol> {
            all.iter().filter(|one| one.kind == CLASS && text_search::count(&one.tail, word) > 0).collect()
        };
        let locations = |found: Vec<&FixtureSymbol>| {
            found.into_iter().map(|one| self.location(&one.path, &one.index, one.range)).collect()
        };
        Some(Ok(match method {
            "textDocument/prepareCallHierarchy" => prepared(FUNCTION),
            "textDocument/prepareTypeHierarchy" => prepared(CLASS),
            "callHierarchy/incomingCalls" => {
                let name = item("name");
                let callers = all.iter().filter(|one| one.kind == FUNCTION);
                let calls = callers.map(|one| (one, self.calls(one, name.as_str().unwrap_or_default())));
                calls
                    .filter(|(_, calls)| !calls.is_empty())
                    .map(|(one, calls)| json!({ "from": self.item(one), "fromRanges": calls }))
                    .collect()
            }
            "callHierarchy/outgoingCalls" => {
                let caller = requested_symbol();
                let calls = all.iter().filter(|one| one.kind == FUNCTION).filter_map(|one| {
                    let calls = self.calls(caller?, &one.name);
                    (!calls.is_empty()).then(|| json!({ "to": self.item(one), "fromRanges": calls }))
                });
                calls.collect()
            }
            "typeHierarchy/supertypes" => {
                let tail = requested_symbol().map(|own| own.tail.clone()).unwrap_or_default();
                let names = text_search::identifiers(&tail).into_iter().filter_map(|range| tail.get(range));
                names.flat_map(named).map(|one| self.item(one)).collect()
            }
            "typeHierarchy/subtypes" => {
                extending(item("name").as_str().unwrap_or_default()).into_iter().map(|one| self.item(one)).collect()
            }
            "textDocument/implementation" => locations(extending(&word())),
            "textDocument/typeDefinition" => {
                let word = word();
                let tail: String = all.iter().filter(|one| one.name == word).map(|one| one.tail.as_str()).collect();
                let names = text_search::identifiers(&tail).into_iter().filter_map(|range| tail.get(range));
                locations(names.flat_map(named).collect())
            }
            _ => return None,
        }))
    }

    fn item(&self, symbol: &FixtureSymbol) -> Value {
        let location = self.location(&symbol.path, &symbol.index, symbol.range);
        json!({
            "name": symbol.name, "kind": symbol.kind, "uri": location["uri"],
            "range": location["range"], "selectionRange": location["range"],
        })
    }

    /// Returns the calls of a word in a symbol's body.
    fn calls(&self, symbol: &FixtureSymbol, word: &str) -> Vec<Value> {
        let mut calls = Vec::new();
        for (line, code) in &symbol.body {
            for range in
                text_search::identifiers(code).into_iter().filter(|range| code.get(range.clone()) == Some(word))
            {
                let start = symbol.index.offset(LineCol { line: *line, col: size(range.start).into() });
                let range = TextRange::at(start, size(range.len()));
                calls.push(json!(symbol.index.range_to_lsp(range, self.encoding)));
            }
        }
        calls
    }

    fn symbols(&self) -> Vec<FixtureSymbol> {
        let library = self.root.parent().map(|beside| beside.join("library")).unwrap_or_default();
        let library = walk::files(&library, WalkOptions { sorted: true, ..WalkOptions::default() })
            .filter_map(|path| Some((path.clone(), fs::read_text(&path).ok()?)));
        let mut found = Vec::new();
        for (path, text) in self.files().into_iter().chain(library) {
            let index = TextIndex::new(&text);
            let code: Vec<&str> = text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
            for declared in Self::declared_symbols(&text) {
                let own = code.get(declared.line as usize).copied().unwrap_or_default();
                let body = (declared.line + 1..).zip(code.iter().skip(declared.line as usize + 1));
                let deeper = |line: &str| line.trim().is_empty() || indentation(line) > declared.depth;
                found.push(FixtureSymbol {
                    tail: own.split_once(declared.name.as_str()).map(|(_, tail)| tail.to_owned()).unwrap_or_default(),
                    body: body
                        .take_while(|(_, line)| deeper(line))
                        .map(|(at, line)| (at, (*line).to_owned()))
                        .collect(),
                    name: declared.name,
                    kind: declared.kind,
                    path: path.clone(),
                    index: index.clone(),
                    range: declared.range,
                });
            }
        }
        found
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
