//! The map of the workspace: its most important declarations within a size, by the index of names and words.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::text::pluralize;
use zubi_syntax::{Declaration, SyntaxOutline};

use crate::edit::generated::is_generated;
use crate::error::CodeError;
use crate::file_graph::{self, FileGraph, GraphFocus, MAX_DECLARING_FILES, RankedName};
use crate::locate::declared_segments;
use crate::markup::{clean_line, join_words};
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus, QualifiedAnswer};
use crate::symbol_index::{
    DeclaredNames, IndexPhase, IndexState, NameSelection, SymbolIndex, SymbolIndexError, TextHash,
};

mod focus;

/// The time for which a map waits until an index that is being built has all declarations.
const BUILD_WAIT: Duration = Duration::from_secs(5);

/// The time limit of reading the files that a map shows.
const READ_TIME: Duration = Duration::from_secs(5);

/// The maximum number of files that one map reads.
const MAX_FILES: usize = 500;

/// The maximum number of declarations with one name that a map shows of a file, for instance overloads.
const MAX_EQUAL_NAMES: usize = 3;

/// The maximum number of characters of a signature.
const MAX_SIGNATURE: usize = 110;

const OFF_HINT: &str =
    "Set `index = true` in zubi's configuration (`zubi.toml`, or `.zubi.toml` of a trusted folder), and restart zubi.";

const BUILD_HINT: &str = "`zubi index build` builds it again; `lsp_document_symbols` outlines folders without it.";

/// The subject and the size of a map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepoMapQuery {
    /// Paths, patterns for paths, or names of symbols. Their files, and the names that these use, come first.
    pub focus: Vec<String>,
    /// The maximum size of the map's text, in bytes.
    pub bytes: usize,
}

/// The most important declarations of a workspace.
#[derive(Debug, Default)]
pub struct RepoMap {
    /// The files of the most important declarations, best first.
    pub files: Vec<MapFile>,
    /// The number of files with declarations in the index.
    pub file_count: usize,
    /// The number of their names, counted in each file.
    pub name_count: usize,
    /// The number of those names that the map shows.
    pub shown_names: usize,
}

/// The declarations of a map in one file.
#[derive(Debug)]
pub struct MapFile {
    /// The path as answers show it.
    pub display_path: String,
    /// The present text, to which the ranges refer.
    pub document: Arc<SourceDocument>,
    /// The declarations in the order of the text, with those around them.
    pub entries: Vec<MapEntry>,
}

/// A declaration of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEntry {
    /// The name as the text spells it.
    pub name: String,
    /// The kind in LSP's spelling.
    pub kind: &'static str,
    /// The 1-based line of the name.
    pub line: u32,
    /// The number of declarations around it.
    pub depth: usize,
    /// The first part of the declaration, on one line.
    pub signature: String,
    /// The range of the name in the text.
    pub name_range: Range<usize>,
}

impl MapFile {
    /// Appends the file as text.
    pub fn write(&self, text: &mut String) {
        text.push_str(&self.display_path);
        text.push('\n');
        for entry in &self.entries {
            entry.write(text);
        }
    }
}

impl MapEntry {
    fn write(&self, text: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{:>6}  {:indent$}{}", self.line, "", self.signature, indent = 2 * self.depth);
    }
}

/// A file while the map is built.
struct OpenFile {
    display_path: String,
    document: Arc<SourceDocument>,
    outline: Arc<SyntaxOutline>,
    /// The last parts of the names of the declarations.
    names: Vec<String>,
    /// The entries that are chosen, by the index of the declaration.
    entries: Vec<Option<MapEntry>>,
}

/// The files that the map leaves out.
#[derive(Default)]
struct LeftOut {
    generated: usize,
    unreadable: usize,
}

impl CodeQuery<'_> {
    /// Returns the most important declarations of the workspace. Its lines are those of the present files. Fails if the index
    /// is turned off or does not work, or if a part of the focus matches nothing.
    pub async fn repo_map(&self, query: &RepoMapQuery) -> Result<QualifiedAnswer<RepoMap>, CodeError> {
        let Some(index) = self.intel.index.clone() else {
            let reason = "the index of the workspace is turned off".to_owned();
            return Err(CodeError::Index { reason, hint: OFF_HINT.to_owned() });
        };
        // Without the index there is no map, so it waits for a whole build, unlike an answer that a server can give.
        let is_built = |state: &IndexState| state.phase == IndexPhase::Ready || state.problem.is_some();
        let state = self.wait_for_index_state(index.as_ref(), self.cx.wait.min(BUILD_WAIT), is_built).await;
        let mut status = AnswerStatus::from_source(AnswerSource::Index, Vec::new());
        let selection = NameSelection { kinds: file_graph::shown_kinds(), max_declaring_files: MAX_DECLARING_FILES };
        let names = match index.declared_names(&selection).await {
            Ok(names) => Arc::new(names),
            Err(error) => {
                status.mark_incomplete(mark_unanswered(&state, &error)?);
                return Ok(QualifiedAnswer { value: RepoMap::default(), status });
            }
        };
        if let Some(reason) = describe_gaps(&state).or_else(|| (!names.is_complete).then(describe_unfinished)) {
            status.mark_incomplete(reason);
        }
        status.notes.extend(describe_omitted(&state));
        let focus = self.focus(index.as_ref(), &names, &query.focus, &state).await?;
        let roots = self.workspace().roots();
        let (ranked_names, ranked_focus) = (Arc::clone(&names), focus.clone());
        let rank = move || {
            let graph = FileGraph::new(&ranked_names, |path| in_folder(path, &roots));
            (graph.rank(&ranked_focus), graph.is_cut)
        };
        // A large workspace takes longer than other tasks of this thread may wait.
        let ranked = tokio::task::spawn_blocking(rank).await;
        let (ranked, is_cut) = ranked.map_err(|error| no_answer(&error.to_string()))?;
        if names.has_more || is_cut {
            status.mark_incomplete("the limits of the index omitted names".to_owned());
        }
        let map = self.draw(index.as_ref(), &names, &ranked, &focus, query.bytes, &mut status).await;
        if map.files.is_empty() {
            let files = pluralize(names.files.len(), "file");
            status.notes.push(format!("the index has no types, functions or constants to show in {files}"));
        }
        Ok(QualifiedAnswer { value: map, status })
    }

    /// Chooses the best names until the map has its size, and reads their files.
    async fn draw(
        &self,
        index: &dyn SymbolIndex,
        names: &DeclaredNames,
        ranked: &[RankedName],
        focus: &GraphFocus,
        bytes: usize,
        status: &mut AnswerStatus,
    ) -> RepoMap {
        let mut opened: FxHashMap<u32, Option<usize>> = FxHashMap::default();
        let mut files: Vec<OpenFile> = Vec::new();
        let mut left_out = LeftOut::default();
        let until = self.cx.deadline.min(Instant::now() + READ_TIME);
        let (mut used, mut shown_names) = (0, 0);
        for RankedName { name, file, .. } in ranked {
            let Some(uses) = names.names.get(*name as usize) else { continue };
            let at = match opened.get(file) {
                Some(at) => *at,
                None if opened.len() >= MAX_FILES || Instant::now() >= until => {
                    let limit = if opened.len() >= MAX_FILES { "500 files" } else { "5 s" };
                    status.mark_incomplete(format!("the map reads files for at most {limit}"));
                    break;
                }
                None => {
                    let Some(path) = names.files.get(*file as usize) else { continue };
                    let is_focus = focus.files.binary_search(file).is_ok();
                    let at = self.open_file(index, path, is_focus, &mut left_out).await.map(|file| {
                        files.push(file);
                        files.len() - 1
                    });
                    opened.insert(*file, at);
                    at
                }
            };
            let Some(file) = at.and_then(|at| files.get_mut(at)) else { continue };
            let additions = file.additions(&uses.name);
            let length = file.length_with(&additions);
            if used + length > bytes && shown_names > 0 {
                break;
            }
            if !additions.is_empty() {
                used += length;
                shown_names += 1;
                file.add(additions);
            }
        }
        if left_out.generated > 0 {
            status.notes.push(format!("left out {}", pluralize(left_out.generated, "generated file")));
        }
        if left_out.unreadable > 0 {
            let files = pluralize(left_out.unreadable, "file");
            status.notes.push(format!("left out {files} that changed and cannot be read or parsed now"));
        }
        let files = files.into_iter().map(OpenFile::close).filter(|file| !file.entries.is_empty()).collect();
        RepoMap { files, file_count: names.files.len(), name_count: ranked.len(), shown_names }
    }

    /// Reads a file with its present declarations.
    async fn open_file(
        &self,
        index: &dyn SymbolIndex,
        path: &Utf8Path,
        is_focus: bool,
        left_out: &mut LeftOut,
    ) -> Option<OpenFile> {
        let Ok(document) = self.document(path).await else {
            left_out.unreadable += 1;
            return None;
        };
        if !is_focus && is_generated(path, &document.text) {
            left_out.generated += 1;
            return None;
        }
        let indexed = index.outline(path).await.ok().flatten();
        let indexed = indexed.filter(|indexed| indexed.hash == TextHash::from_text(&document.text));
        let outline = match indexed {
            Some(indexed) => Some(Arc::new(indexed.outline)),
            // The file has changed since.
            None => self.parse_outline(path, &document.text).await.and_then(Result::ok),
        };
        let Some(outline) = outline else {
            left_out.unreadable += 1;
            return None;
        };
        let last_segment = |it: &Declaration| declared_segments(&it.name).pop().unwrap_or_default();
        Some(OpenFile {
            display_path: clean_line(&self.workspace().display(path)),
            names: outline.declarations.iter().map(last_segment).collect(),
            entries: outline.declarations.iter().map(|_| None).collect(),
            document,
            outline,
        })
    }
}

impl OpenFile {
    /// Returns the entries that a name adds: its declarations and those around them, unless they are chosen already.
    fn additions(&self, name: &str) -> Vec<(usize, MapEntry)> {
        let kinds = file_graph::shown_kinds();
        let mut indexes: Vec<usize> = Vec::new();
        let is_named = |index: &usize| self.names.get(*index).is_some_and(|known| known == name);
        let declarations = &self.outline.declarations;
        let is_shown = |index: &usize| declarations.get(*index).is_some_and(|it| kinds.contains(&it.kind));
        for index in (0..declarations.len()).filter(is_named).filter(is_shown).take(MAX_EQUAL_NAMES) {
            let mut next = Some(index);
            while let Some(index) = next {
                let is_new = self.entries.get(index).is_some_and(Option::is_none) && !indexes.contains(&index);
                if is_new {
                    indexes.push(index);
                }
                next = declarations.get(index).and_then(|it| it.parent).filter(|_| is_new);
            }
        }
        indexes.into_iter().filter_map(|index| Some((index, self.entry(index)?))).collect()
    }

    fn entry(&self, index: usize) -> Option<MapEntry> {
        let declaration = self.outline.declarations.get(index)?;
        let start = u32::try_from(declaration.name_range.start).ok()?;
        Some(MapEntry {
            name: clean_line(&declaration.name),
            kind: declaration.kind.lsp_name(),
            line: self.document.index.line_col(start.into()).line + 1,
            depth: self.outline.above(index).len(),
            signature: signature_line(declaration, &self.document.text),
            name_range: declaration.name_range.clone(),
        })
    }

    /// Returns the number of bytes that entries add to the text of the map.
    fn length_with(&self, additions: &[(usize, MapEntry)]) -> usize {
        let mut text = String::new();
        if self.entries.iter().all(Option::is_none) {
            text.push_str(&self.display_path);
            text.push('\n');
        }
        for (_, entry) in additions {
            entry.write(&mut text);
        }
        text.len()
    }

    fn add(&mut self, additions: Vec<(usize, MapEntry)>) {
        for (index, entry) in additions {
            if let Some(slot) = self.entries.get_mut(index) {
                *slot = Some(entry);
            }
        }
    }

    fn close(self) -> MapFile {
        let entries = self.entries.into_iter().flatten().collect();
        MapFile { display_path: self.display_path, document: self.document, entries }
    }
}

/// Returns the beginning of a declaration on one line, without the beginning of its body.
pub(crate) fn signature_line(declaration: &Declaration, text: &str) -> String {
    let signature = text.get(declaration.signature.clone()).unwrap_or(&declaration.name);
    let signature = signature.trim_end().trim_end_matches("=>").trim_end().trim_end_matches(['{', ':', ';', '=']);
    let line = clean_line(&join_words(signature, MAX_SIGNATURE));
    if line.is_empty() { clean_line(&declaration.name) } else { line }
}

/// Returns a path relative to the innermost folder of the workspace.
fn in_folder<'a>(path: &'a Utf8Path, roots: &[Utf8PathBuf]) -> &'a Utf8Path {
    let folders = roots.iter().filter_map(|root| path.strip_prefix(root).ok());
    folders.min_by_key(|path| path.as_str().len()).unwrap_or(path)
}

fn describe_unfinished() -> String {
    "the index does not have all declarations yet".to_owned()
}

/// Returns the reason why an index lacks files; `None` if it has all that it can have.
pub(crate) fn describe_gaps(state: &IndexState) -> Option<String> {
    let files = pluralize(state.files, "file");
    if let Some(problem) = &state.problem {
        return Some(format!("the index of {files} does not follow the files: {problem}"));
    }
    match state.phase {
        IndexPhase::Unchecked => {
            Some(format!("the index has not compared its {files} with the workspace yet; call again soon"))
        }
        IndexPhase::Words { done } => {
            Some(format!("the index is being built: {} so far; call again soon", pluralize(done, "file")))
        }
        IndexPhase::Declarations | IndexPhase::Ready if state.undeclared > 0 => {
            let parsed = state.files.saturating_sub(state.undeclared);
            Some(format!("the index is being built: {parsed} of {files} parsed; call again soon"))
        }
        IndexPhase::Declarations => Some(format!("the index is being built: {files}; call again soon")),
        IndexPhase::Ready if state.omitted.beyond_limit > 0 => {
            let files = pluralize(state.omitted.beyond_limit, "file");
            Some(format!("{files} are beyond the limits of the index"))
        }
        IndexPhase::Ready => None,
    }
}

/// Returns a note about files whose declarations the index cannot have.
fn describe_omitted(state: &IndexState) -> Option<String> {
    let omitted = &state.omitted;
    let large = omitted.words_only + omitted.too_large;
    let mut parts = Vec::new();
    if large > 0 {
        parts.push(format!("{large} too large"));
    }
    if omitted.failed > 0 {
        parts.push(format!("{} not parsed", omitted.failed));
    }
    if omitted.not_text > 0 {
        parts.push(format!("{} not text", omitted.not_text));
    }
    (!parts.is_empty()).then(|| format!("files without declarations: {}", parts.join(", ")))
}

/// Returns the mark of an answer without declarations, or the error if the index will not have any soon.
fn mark_unanswered(state: &IndexState, error: &SymbolIndexError) -> Result<String, CodeError> {
    match (describe_gaps(state), &state.problem) {
        (Some(reason), None) => Ok(reason),
        (Some(reason), Some(_)) => Err(no_answer(&format!("{reason}; {error}"))),
        (None, _) => Err(no_answer(&error.to_string())),
    }
}

fn no_answer(reason: &str) -> CodeError {
    CodeError::Index { reason: reason.to_owned(), hint: BUILD_HINT.to_owned() }
}
