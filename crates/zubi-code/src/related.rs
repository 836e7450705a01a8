//! Files that a change can affect without touching them: they mention a name or a path that it adds, removes or edits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::endpoint::{DocumentRef, ProjectServerState};
use zubi_base::position::TextIndex;
use zubi_base::text::FileOperation;
use zubi_base::walk::{self, WalkOptions};
use zubi_base::{credentials, fs};
use zubi_syntax::Notebook;

use crate::lexical::NonCode;
use crate::outline::{self, OutlineSymbol};
use crate::query::CodeQuery;
use crate::{syntax, text_search};

/// The maximum number of related files whose diagnostics are compared.
const MAX_RELATED: usize = 12;

/// The time limit of the search.
const SEARCH: Duration = Duration::from_millis(400);

/// The number of files with a word above which it is too common to relate a file to the change.
const COMMON: usize = 40;

/// The maximum number of lines of a declaration in front of its body.
const MAX_HEADER: usize = 12;

/// Kinds of symbols whose members other files can use.
const TYPE_KINDS: [&str; 5] = ["class", "struct", "enum", "interface", "object"];

/// The files that a change can affect.
#[derive(Debug, Default)]
pub(crate) struct RelatedFiles {
    /// The most related first.
    pub(crate) files: Vec<Utf8PathBuf>,
    /// The number of files above the limit.
    pub(crate) omitted: usize,
}

impl CodeQuery<'_> {
    /// Returns the files of the same servers that mention a name or a path which these operations change, without the
    /// files that the operations touch. Call it before the operations are executed.
    pub(crate) async fn related_files(&self, operations: Vec<FileOperation>, touched: &[Utf8PathBuf]) -> RelatedFiles {
        let mut words = FxHashSet::default();
        let mut source = None;
        for operation in &operations {
            match operation {
                FileOperation::Write { path, before: Some(_), content } => {
                    source.get_or_insert_with(|| path.clone());
                    if let Ok(document) = self.document(path).await {
                        let after = String::from_utf8_lossy(content).into();
                        words.extend(self.changed_names(path, &document.text, &after).await);
                    }
                }
                FileOperation::Rename { from, to } => {
                    let first = || walk::files(from, WalkOptions { sorted: true, ..WalkOptions::default() }).next();
                    source = source.or_else(|| if from.is_dir() { first() } else { Some(from.clone()) });
                    words.extend([module_name(from), module_name(to)].into_iter().flatten().map(str::to_owned));
                }
                FileOperation::Delete { path, .. } => {
                    source.get_or_insert_with(|| path.clone());
                    if let Ok(document) = self.document(path).await {
                        words.extend(self.changed_names(path, &document.text, &Arc::from("")).await);
                    }
                    words.extend(module_name(path).map(str::to_owned));
                }
                _ => {}
            }
        }
        let Some(source) = source.map(DocumentRef::new).filter(|_| !words.is_empty()) else {
            return RelatedFiles::default();
        };
        let endpoints = self.navigators(&source).await;
        let (roots, touched) = (self.search_roots(&source.path), touched.to_vec());
        let moved: Vec<_> = operations.iter().filter_map(moved_from).collect();
        let until = self.cx.deadline.min(Instant::now() + SEARCH);
        let unsaved = self.intel.texts.unsaved_texts();
        let search = move || {
            let is_related = |path: &Utf8PathBuf| {
                let document = DocumentRef::new(path.clone());
                !touched.contains(path)
                    && !moved.iter().any(|directory| path.starts_with(directory))
                    && !credentials::is_credential_path(path)
                    && endpoints.iter().any(|endpoint| endpoint.supports_language(&document))
            };
            let files =
                roots.iter().flat_map(|root| walk::files(root, WalkOptions { sorted: true, ..WalkOptions::default() }));
            let texts =
                files.take_while(|_| Instant::now() < until).filter(is_related).filter_map(|path| {
                    match unsaved.get(&path) {
                        Some(text) => Some((path, text.to_string())),
                        None => fs::read_text_in_place(&path).ok().map(|text| (path, text)),
                    }
                });
            rank(texts, &words)
        };
        let mut related = tokio::task::spawn_blocking(search).await.unwrap_or_default();
        // A check of an edit starts no further server.
        let method = "textDocument/references";
        if !related.files.is_empty() && self.intel.router.has_other_projects(&source, method).await {
            let others = self.intel.router.other_projects(&source, method, related.files.clone()).await;
            let stopped: Vec<_> =
                others.iter().filter(|other| other.server_state == ProjectServerState::Stopped).collect();
            let count = related.files.len();
            related.files.retain(|path| !stopped.iter().any(|other| path.starts_with(&other.root)));
            related.omitted += count - related.files.len();
        }
        related
    }

    async fn changed_names(&self, path: &Utf8Path, before: &Arc<str>, after: &Arc<str>) -> FxHashSet<String> {
        let declared = async |text: &Arc<str>| {
            let outline = self.parse_outline(path, text).await;
            let notebook = path.file_name().filter(|name| Notebook::is_notebook(name));
            let notebook = notebook.and_then(|_| Notebook::parse(text).ok());
            let outline = outline.and_then(Result::ok);
            outline.map(|outline| syntax::to_symbols(&outline, text, notebook.as_ref())).unwrap_or_default()
        };
        let (old, new) = (declared(before).await, declared(after).await);
        changed_names(path, (before, &old), (after, &new))
    }
}

/// Returns the names by which other files can depend on an edit of a text: identifiers that it adds or removes, symbols
/// whose declaration it edits, and members of types on edited lines. Each text has the symbols that it declares.
fn changed_names(
    path: &Utf8Path,
    before: (&str, &[OutlineSymbol]),
    after: (&str, &[OutlineSymbol]),
) -> FxHashSet<String> {
    let (old, new) = (code_words(path, before.0), code_words(path, after.0));
    let mut names: FxHashSet<String> = old.symmetric_difference(&new).map(|word| (*word).to_owned()).collect();
    for ((text, declared), (other, _)) in [(before, after), (after, before)] {
        let unchanged: FxHashSet<&str> = other.lines().collect();
        let index = TextIndex::new(text);
        let lines: Vec<&str> = text.lines().collect();
        let line = |offset| index.line_col(offset).line as usize;
        outline::walk(declared, |_, symbol| {
            let (first, last) = (line(symbol.selection.start()), line(symbol.range.end()));
            let header_end = (first..=last).find(|at| lines.get(*at).is_some_and(|line| opens_body(line)));
            let header = first..=header_end.unwrap_or(last).min(first + MAX_HEADER);
            if header.clone().any(|at| lines.get(at).is_some_and(|line| !unchanged.contains(line))) {
                names.insert(symbol.name.clone());
            }
            if !TYPE_KINDS.contains(&symbol.kind) {
                return;
            }
            let is_in_child = |at: usize| {
                symbol.children.iter().any(|child| (line(child.range.start())..=line(child.range.end())).contains(&at))
            };
            for at in (*header.end() + 1..=last).filter(|at| !is_in_child(*at)) {
                let Some(edited) = lines.get(at).filter(|line| !unchanged.contains(**line)) else { continue };
                names.extend(words_of(edited).map(str::to_owned));
            }
        });
    }
    names
}

fn opens_body(line: &str) -> bool {
    line.contains(['{', '=']) || line.trim_end().ends_with(':')
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let words = |line| text_search::identifiers(line).into_iter().filter_map(move |range| str::get(line, range));
    text.lines().flat_map(words)
}

/// Returns the identifiers of a text outside its comments and strings.
fn code_words<'a>(path: &Utf8Path, text: &'a str) -> FxHashSet<&'a str> {
    let non_code = NonCode::of_file(path, text);
    let mut start = 0;
    let mut words = FxHashSet::default();
    for line in text.split_inclusive('\n') {
        let is_code = |range: &std::ops::Range<usize>| !non_code.contains(start + range.start);
        words.extend(text_search::identifiers(line).into_iter().filter(is_code).filter_map(|range| line.get(range)));
        start += line.len();
    }
    words
}

fn moved_from(operation: &FileOperation) -> Option<Utf8PathBuf> {
    match operation {
        FileOperation::Rename { from, .. } => Some(from.clone()),
        _ => None,
    }
}

/// Sorts the files with one of the words; a rare word counts more.
fn rank(texts: impl Iterator<Item = (Utf8PathBuf, String)>, words: &FxHashSet<String>) -> RelatedFiles {
    let mut found: Vec<(Utf8PathBuf, BTreeSet<&str>)> = Vec::new();
    let mut files_with: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, text) in texts {
        let mentioned: BTreeSet<&str> =
            words_of(&text).filter_map(|word| words.get(word)).map(String::as_str).collect();
        for word in &mentioned {
            *files_with.entry(word).or_default() += 1;
        }
        if !mentioned.is_empty() {
            found.push((path, mentioned));
        }
    }
    let weights: FxHashMap<&str, usize> = files_with
        .into_iter()
        .filter(|(_, files)| *files <= COMMON)
        .map(|(word, files)| (word, 1000 / files))
        .collect();
    let weight = |mentioned: &BTreeSet<&str>| mentioned.iter().filter_map(|word| weights.get(word)).sum::<usize>();
    let mut ranked: Vec<_> = found.into_iter().map(|(path, mentioned)| (weight(&mentioned), path)).collect();
    ranked.retain(|(weight, _)| *weight > 0);
    ranked.sort_by(|(one, first), (other, second)| other.cmp(one).then_with(|| first.cmp(second)));
    let omitted = ranked.len().saturating_sub(MAX_RELATED);
    RelatedFiles { files: ranked.into_iter().take(MAX_RELATED).map(|(_, path)| path).collect(), omitted }
}

/// Returns the name by which other files refer to a file or folder: that of the folder for `mod.rs` and `index.ts`, but
/// not for `mod.py`.
fn module_name(path: &Utf8Path) -> Option<&str> {
    let (stem, extension) = (path.file_stem()?, path.extension().unwrap_or_default());
    let is_of_folder = match stem {
        "mod" => extension == "rs",
        "__init__" => extension.starts_with("py"),
        "index" => ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"].contains(&extension),
        _ => false,
    };
    if is_of_folder { path.parent()?.file_name() } else { Some(stem) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_an_edit_changes() {
        let check = |before: &str, after: &str| {
            let declared = |text: &str| {
                let outline = zubi_syntax::outline_of_file("a.rs", text, &|| false).unwrap().unwrap();
                syntax::to_symbols(&outline, text, None)
            };
            let (old, new) = (declared(before), declared(after));
            let mut names: Vec<_> = changed_names("a.rs".into(), (before, &old), (after, &new)).into_iter().collect();
            names.sort();
            names.join(" ")
        };
        let text =
            "struct Rate {\n    value: u32,\n}\n\nfn area(x: u32) -> u32 {\n    let y = x; // a note\n    y\n}\n";
        assert_eq!(check(text, text), "");
        assert_eq!(check(text, &text.replace("a note", "more")), "");
        assert_eq!(check(text, &text.replace("let y = x;", "let y = x + x;")), "");
        assert_eq!(check(text, &text.replace("x: u32)", "x: u32, y: u32)")), "area");
        assert_eq!(check(text, &text.replace("value: u32", "pub value: u32")), "pub value");
        assert_eq!(check(text, &text.replace("area", "surface")), "area surface");
    }

    #[test]
    fn files_with_rare_names_come_first() {
        let words = ["let", "area", "Circle"].map(str::to_owned).into_iter().collect();
        let texts = [("a", "let x"), ("b", "let area"), ("c", "let areas"), ("d", "let Circle area"), ("e", "other")];
        let ranked = rank(texts.map(|(path, text)| (path.into(), text.to_owned())).into_iter(), &words);
        assert_eq!(ranked.files, ["d", "b", "a", "c"]);
        let many = (0..=COMMON).map(|number| (Utf8PathBuf::from(format!("{number}")), "let".to_owned()));
        assert!(rank(many, &words).files.is_empty());
    }
}
