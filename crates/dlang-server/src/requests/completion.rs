//! `textDocument/completion`, `completionItem/resolve`.
//!
//! The documentation of an element is long and rarely shown. Therefore it is returned when an item is resolved.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_ide::{
    Completion, CompletionKind, ImportAlias, ImportCandidates, ImportDependency, completions, element_markdown,
    import_prefix,
};
use dlang_model::{Db, Definition, File, project_files};
use dlang_workspace::manifest::{Manifest, Source};
use serde::{Deserialize, Serialize};
use zubi_base::lsp;

use super::answer::answer_at_position;
use crate::convert::{DocumentLines, completion_kind, markup};
use crate::request::RequestError;
use crate::snapshot::Snapshot;

/// Data of an item for resolving it: the element, and its name to check that it still is the same.
#[derive(Debug, Serialize, Deserialize)]
struct ElementId {
    uri: lsp::Uri,
    number: u32,
    fqn: String,
}

pub(super) fn completion(
    snapshot: &Snapshot,
    params: &lsp::CompletionParams,
) -> Result<Option<lsp::CompletionResponse>, RequestError> {
    let found = answer_at_position(snapshot, &params.text_document_position_params, |db, file, lines, offset| {
        let imports = match import_prefix(db, file, offset) {
            Some(prefix) => candidates(snapshot, db, file, &prefix),
            None => ImportCandidates::default(),
        };
        let found = completions(db, file, offset, &imports);
        let supported = found.items.into_iter().filter(|it| !it.is_snippet || snapshot.settings.has_snippets);
        let items = supported.map(|completion| item(snapshot, db, lines, completion)).collect();
        let list =
            lsp::CompletionList { is_incomplete: found.is_incomplete, items, item_defaults: None, apply_kind: None };
        lsp::CompletionResponse::CompletionList(list)
    });
    Ok(found?)
}

pub(super) fn resolve(snapshot: &Snapshot, item: &lsp::CompletionItem) -> Result<lsp::CompletionItem, RequestError> {
    let mut item = item.clone();
    let id = item.data.clone().and_then(|data| serde_json::from_value::<ElementId>(data).ok());
    if let Some(id) = id
        && let Some(file) = snapshot.file(&id.uri)?
    {
        let definition = Definition { file, number: id.number };
        let text = snapshot.query(|db| {
            let is_match = definition.fqn(db).is_some_and(|fqn| fqn == id.fqn);
            let uri = |file: File| snapshot.uri(Utf8Path::new(file.path(db))).0;
            is_match.then(|| element_markdown(db, definition, snapshot.settings.links(&uri))).flatten()
        })?;
        item.documentation = text.map(|text| documentation(snapshot, text));
    }
    Ok(item)
}

fn item(snapshot: &Snapshot, db: &dyn Db, lines: &DocumentLines, completion: Completion) -> lsp::CompletionItem {
    let data = completion.definition.and_then(|definition| {
        let uri = snapshot.uri(Utf8Path::new(definition.file.path(db)));
        let id = ElementId { uri, number: definition.number, fqn: definition.fqn(db)?.to_string() };
        serde_json::to_value(id).ok()
    });
    let (format, mode) = if completion.is_snippet {
        (lsp::InsertTextFormat::Snippet, Some(lsp::InsertTextMode::AdjustIndentation))
    } else {
        (lsp::InsertTextFormat::PlainText, None)
    };
    lsp::CompletionItem {
        label: completion.label,
        kind: Some(kind(completion.kind)),
        detail: completion.detail,
        documentation: completion.documentation.map(|text| documentation(snapshot, text)),
        sort_text: Some(completion.sort),
        filter_text: Some(completion.filter),
        insert_text_format: Some(format),
        insert_text_mode: mode,
        text_edit: Some(lsp::CompletionItemTextEdit::TextEdit(lines.edit(&completion.edit))),
        data,
        ..lsp::CompletionItem::default()
    }
}

fn documentation(snapshot: &Snapshot, text: String) -> lsp::Documentation {
    lsp::Documentation::MarkupContent(markup(snapshot.settings.has_markdown_completion, text))
}

/// Returns the kind in DomainLang's original server.
fn kind(kind: CompletionKind) -> lsp::CompletionItemKind {
    match kind {
        CompletionKind::Element(kind) => completion_kind(kind),
        CompletionKind::Qualifier | CompletionKind::ImportDependency => lsp::CompletionItemKind::Module,
        CompletionKind::Keyword => lsp::CompletionItemKind::Keyword,
        CompletionKind::Pattern => lsp::CompletionItemKind::EnumMember,
        CompletionKind::Arrow => lsp::CompletionItemKind::Operator,
        CompletionKind::Snippet => lsp::CompletionItemKind::Snippet,
        CompletionKind::ImportFile => lsp::CompletionItemKind::File,
        CompletionKind::ImportFolder | CompletionKind::ImportAlias => lsp::CompletionItemKind::Folder,
    }
}

/// Returns the possible targets of a file's imports: models of the workspace, and entries of the manifest.
fn candidates(snapshot: &Snapshot, db: &dyn Db, file: File, prefix: &str) -> ImportCandidates {
    let path = Utf8Path::new(file.path(db));
    let module = snapshot.module_of(path);
    let is_reachable = |other: &Utf8Path| module.is_none_or(|module| other.starts_with(&module.root));
    let others = project_files(db).iter().filter(|other| **other != file && other.package(db).is_none());
    let others = others.map(|other| Utf8Path::new(other.path(db))).filter(|other| is_reachable(other));
    let manifest = module.and_then(|module| module.manifest());
    ImportCandidates {
        paths: steps(path.parent().unwrap_or(path), prefix, others).into_iter().collect(),
        aliases: manifest.map(aliases).unwrap_or_default(),
        dependencies: manifest.map(dependencies).unwrap_or_default(),
    }
}

/// Returns the files and folders one step beyond the typed prefix, as specifiers relative to a folder.
fn steps<'p>(folder: &Utf8Path, prefix: &str, others: impl Iterator<Item = &'p Utf8Path>) -> BTreeSet<String> {
    let written = prefix.rfind('/').and_then(|at| prefix.get(..=at)).unwrap_or_default();
    let mut steps = BTreeSet::new();
    for other in others {
        let specifier = relative(folder, other);
        if let Some(rest) = specifier.strip_prefix(written) {
            // Without a prefix, the first step comes after the dots.
            let from = if written.is_empty() { rest.find('/').map_or(0, |at| at + 1) } else { 0 };
            let is_parent = rest.starts_with("..");
            let step = match rest.get(from..).and_then(|rest| rest.find('/')) {
                _ if written.is_empty() && is_parent => rest.get(..from),
                Some(at) => rest.get(..=from + at),
                None => Some(rest),
            };
            steps.extend(step.map(|step| format!("{written}{step}")));
        }
    }
    steps
}

/// Returns the relative specifier of a file: `./a.dlang`, `../b/c.dlang`.
fn relative(folder: &Utf8Path, path: &Utf8Path) -> String {
    let common = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().count() - common;
    let down: Utf8PathBuf = path.components().skip(common).collect();
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    format!("{start}{down}")
}

fn aliases(manifest: &Manifest) -> Vec<ImportAlias> {
    let usable = manifest.aliases.iter().filter(|alias| alias.key.starts_with('@'));
    let valid_aliases = usable.filter_map(|alias| {
        let target = alias.target.as_ref().ok()?.clone();
        Some(ImportAlias { name: alias.key.clone(), target })
    });
    valid_aliases.collect()
}

fn dependencies(manifest: &Manifest) -> Vec<ImportDependency> {
    let valid_dependencies = manifest.dependencies.iter().filter_map(|dependency| {
        let version = match dependency.source.as_ref().ok()? {
            Source::Git { reference, .. } => Some(reference.clone()),
            Source::Path(_) => None,
        };
        Some(ImportDependency { name: dependency.key.clone(), version })
    });
    valid_dependencies.collect()
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::steps;

    #[test]
    fn import_paths_are_completed_by_segment() {
        let others = ["/w/a/x.dlang", "/w/a/sub/y.dlang", "/w/a/sub/deep/z.dlang", "/w/b.dlang", "/w/c/d.dlang"];
        for (prefix, expected) in [
            ("", "../ ./sub/ ./x.dlang"),
            (".", "../ ./sub/ ./x.dlang"),
            ("./", "./sub/ ./x.dlang"),
            ("./s", "./sub/ ./x.dlang"),
            ("./sub/", "./sub/deep/ ./sub/y.dlang"),
            ("../", "../b.dlang ../c/"),
            ("../c/d", "../c/d.dlang"),
            ("./nowhere/", ""),
        ] {
            let found = steps(Utf8Path::new("/w/a"), prefix, others.into_iter().map(Utf8Path::new));
            assert_eq!(found.into_iter().collect::<Vec<_>>().join(" "), expected, "{prefix:?}");
        }
    }
}
