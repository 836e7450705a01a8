//! `textDocument/documentSymbol`, `workspace/symbol`.

use dlang_ide::{Symbol, document_symbols, symbol_search};
use dlang_model::parse;
use zubi_base::lsp;

use super::answer::answer_for_model;
use crate::convert::{DocumentLines, PositionMapper, symbol_kind};
use crate::request::RequestError;
use crate::snapshot::Snapshot;

/// Maximum number of workspace symbols. Typing more of the name narrows the result.
const MAX_SYMBOLS: usize = 256;

pub(super) fn document(
    snapshot: &Snapshot,
    params: &lsp::DocumentSymbolParams,
) -> Result<Option<lsp::DocumentSymbolResponse>, RequestError> {
    let document = &params.text_document;
    Ok(answer_for_model(snapshot, document, |db, file, lines| {
        let symbols = document_symbols(parse(db, file));
        if snapshot.settings.has_nested_symbols {
            let nested = symbols.iter().map(|symbol| to_document_symbol(symbol, lines));
            return lsp::DocumentSymbolResponse::DocumentSymbolList(nested.collect());
        }
        let mut flat = Vec::new();
        flatten(&symbols, &document.uri, lines, &mut flat);
        lsp::DocumentSymbolResponse::SymbolInformationList(flat)
    })?)
}

/// Converts a symbol, recursively: the parser limits the nesting depth.
fn to_document_symbol(symbol: &Symbol, lines: &DocumentLines) -> lsp::DocumentSymbol {
    let children: Vec<_> = symbol.children.iter().map(|child| to_document_symbol(child, lines)).collect();
    #[expect(deprecated, reason = "the type contains a field that the protocol has deprecated")]
    lsp::DocumentSymbol {
        name: symbol.name.clone(),
        detail: symbol.detail.clone(),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: lines.range(symbol.range),
        selection_range: lines.range(symbol.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Lists symbols in text order, each with the name of its container.
fn flatten(symbols: &[Symbol], uri: &lsp::Uri, lines: &DocumentLines, flat: &mut Vec<lsp::SymbolInformation>) {
    let mut stack: Vec<(&Symbol, Option<&str>)> = symbols.iter().rev().map(|symbol| (symbol, None)).collect();
    while let Some((symbol, container)) = stack.pop() {
        let location = lsp::Location { uri: uri.clone(), range: lines.range(symbol.range) };
        flat.push(information(&symbol.name, symbol_kind(symbol.kind), location, container));
        stack.extend(symbol.children.iter().rev().map(|child| (child, Some(symbol.name.as_str()))));
    }
}

fn information(
    name: &str,
    kind: lsp::SymbolKind,
    location: lsp::Location,
    container: Option<&str>,
) -> lsp::SymbolInformation {
    let container_name = container.map(str::to_owned);
    let base_symbol_information =
        lsp::BaseSymbolInformation { name: name.to_owned(), kind, tags: None, container_name };
    #[expect(deprecated, reason = "the type contains a field that the protocol has deprecated")]
    lsp::SymbolInformation { deprecated: None, location, base_symbol_information }
}

/// Returns the matching symbols, with fully qualified names, as in DomainLang's original server, to distinguish them.
pub(super) fn workspace(
    snapshot: &Snapshot,
    params: &lsp::WorkspaceSymbolParams,
) -> Result<Option<lsp::WorkspaceSymbolResponse>, RequestError> {
    let found = snapshot.query(|db| {
        let mapper = PositionMapper::new(snapshot);
        let found = symbol_search(db, &params.query, MAX_SYMBOLS);
        let found = found.symbols.iter().map(|symbol| {
            let location = mapper.location(db, symbol.file, symbol.selection);
            let name = symbol.fqn.as_ref().unwrap_or(&symbol.name);
            information(name, symbol_kind(symbol.kind), location, None)
        });
        found.collect()
    })?;
    Ok(Some(lsp::WorkspaceSymbolResponse::SymbolInformationList(found)))
}
