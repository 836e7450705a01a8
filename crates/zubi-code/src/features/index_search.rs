//! Declarations from the index of the workspace, compared with the present texts before they are shown.
//!
//! The index answers at once, without a server or while the servers load. It knows names, not their meaning, so an answer
//! from it has a label, and is never the basis of an edit.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::credentials;
use zubi_base::position::{TextRange, size};
use zubi_base::text::{list_first, pluralize};
use zubi_syntax::{Notebook, SyntaxLanguage, SyntaxOutline};

use super::symbol_filter::SymbolFilter;
use super::symbols::FoundSymbol;
use crate::locate::NamePath;
use crate::markup::clean_line;
use crate::query::{CodeQuery, SourceDocument};
use crate::status::{AnswerSource, AnswerStatus};
use crate::symbol_index::{
    IndexPhase, IndexState, NameMatch, SymbolHit, SymbolHits, SymbolIndex, SymbolQuery, WordFiles,
};
use crate::unread_files::may_contain;

/// The maximum number of declarations in one answer.
const MAX_HITS: usize = 200;

/// The maximum number of declarations from the index for one exact name.
pub(crate) const MAX_EXACT: usize = 200;

/// The maximum number of files whose texts one search parses, because they differ from the index or are unsaved.
const MAX_PARSED: usize = 32;

/// The maximum number of files without words in the index that one search reads.
const MAX_LARGE: usize = 64;

/// The maximum number of files without declarations that a mark names.
const MAX_NAMED: usize = 3;

/// Languages of data and prose.
const DATA_LANGUAGES: &[&str] = &["json", "markdown", "toml", "yaml"];

/// Languages of pages and their styles.
const PAGE_LANGUAGES: &[&str] = &["css", "html"];

/// The time that the servers have before the index answers instead of them: ready servers need less to be found.
pub(crate) const SERVER_WAIT: Duration = Duration::from_millis(250);

/// The time that an index of an earlier process has in addition, to compare the files: about 0.2 s for 10,000.
const COMPARISON_WAIT: Duration = Duration::from_secs(1);

/// The maximum number of files without declarations, or changed ones, with which an index is nearly complete.
const MAX_MISSING: usize = 64;

impl CodeQuery<'_> {
    /// Lets a running build of the index parse the files and folders of this question first.
    pub(crate) fn prefer_in_index(&self, paths: &[&Utf8Path]) {
        if let Some(index) = &self.intel.index {
            index.prefer(paths);
        }
    }

    /// Returns the index if it has the declarations of all files that it can parse.
    pub(crate) fn complete_index(&self) -> Option<&Arc<dyn SymbolIndex>> {
        self.intel.index.as_ref().filter(|index| index.state().has_all_declarations())
    }

    /// Returns whether the index has the declarations of all files that it can parse. One that compares the files with those
    /// of an earlier process has a short time to end.
    pub(crate) async fn wait_for_index(&self) -> bool {
        let Some(index) = &self.intel.index else { return false };
        let is_decided = |state: &IndexState| {
            let has_begun = matches!(state.phase, IndexPhase::Declarations | IndexPhase::Ready) && state.undeclared > 0;
            state.has_all_declarations() || state.problem.is_some() || has_begun
        };
        let state = self.wait_for_index_state(index.as_ref(), SERVER_WAIT, is_decided).await;
        if is_nearly_complete(&state) {
            self.wait_for_index_state(index.as_ref(), COMPARISON_WAIT, |state| !is_nearly_complete(state)).await;
        }
        self.complete_index().is_some()
    }

    /// Waits until the state of an index is enough, for a limited time. Returns the state at the end.
    pub(crate) async fn wait_for_index_state(
        &self,
        index: &dyn SymbolIndex,
        wait: Duration,
        is_enough: impl FnMut(&IndexState) -> bool + Send,
    ) -> IndexState {
        let until = self.cx.deadline.min(Instant::now() + wait);
        let mut changes = index.changes();
        tokio::select! {
            // The last state is as good if no other can follow.
            _ = changes.wait_for(is_enough) => {}
            () = tokio::time::sleep_until(until.into()) => {}
            () = self.cx.cancel.cancelled() => {}
        }
        index.state()
    }

    /// Searches declarations by name in the index. Returns `None` if there is no index, or nothing to show before it is
    /// complete: then a search of the files knows more.
    pub(crate) async fn search_index(
        &self,
        text: &str,
        filter: &SymbolFilter,
    ) -> Option<(Vec<FoundSymbol>, AnswerStatus)> {
        let index = self.intel.index.as_ref()?;
        let query = filter.to_query(text);
        let found = find_hits(index.as_ref(), &query).await?;
        if found.hits.is_empty() && !found.is_complete {
            return None;
        }
        Some(self.answer_hits(index.as_ref(), &found, &query).await)
    }

    /// Like [`Self::search_index`], for files of which no server has searched the names. Returns `None` without
    /// declarations: the servers' answer needs no marks of the index then. Similar names say little beside that answer.
    pub(crate) async fn search_index_beside_servers(
        &self,
        text: &str,
        filter: &SymbolFilter,
    ) -> Option<(Vec<FoundSymbol>, AnswerStatus)> {
        let index = self.intel.index.as_ref()?;
        let query = filter.to_query(text);
        let mut found = find_hits(index.as_ref(), &query).await?;
        found.hits.retain(|hit| hit.name_match != NameMatch::Typo);
        if found.hits.is_empty() {
            return None;
        }
        Some(self.answer_hits(index.as_ref(), &found, &query).await).filter(|(symbols, _)| !symbols.is_empty())
    }

    /// Returns the present declarations for the hits of a query.
    async fn answer_hits(
        &self,
        index: &dyn SymbolIndex,
        found: &SymbolHits,
        query: &SymbolQuery,
    ) -> (Vec<FoundSymbol>, AnswerStatus) {
        let state = index.state();
        let mut status = index_status(&state, found.is_complete);
        let symbols = self.compare_hits(found, query, &mut status).await;
        if found.has_more {
            status.notes.push(format!("best {MAX_HITS}, and there are more: give a longer name, a kind or a path"));
        }
        self.mark_unparsed(index, &state, query, &symbols, &mut status).await;
        (symbols, status)
    }

    /// Replaces the hits of files whose texts differ from those that the index has read by the declarations of the present
    /// texts, and adds those of unsaved texts.
    async fn compare_hits(
        &self,
        found: &SymbolHits,
        query: &SymbolQuery,
        status: &mut AnswerStatus,
    ) -> Vec<FoundSymbol> {
        let mut texts: FxHashMap<&Utf8Path, Option<(Arc<SourceDocument>, bool)>> = FxHashMap::default();
        let mut symbols = Vec::new();
        let mut parsed: Vec<Utf8PathBuf> = Vec::new();
        let mut unread = 0;
        for hit in &found.hits {
            let path = hit.path.as_path();
            if !texts.contains_key(path) {
                // A file that is gone declares nothing.
                let document = self.document(path).await.ok();
                let is_same = |document: &Arc<SourceDocument>| hit.matches_text(&document.text);
                texts.insert(path, document.map(|document| (Arc::clone(&document), is_same(&document))));
            }
            match texts.get(path) {
                Some(Some((document, true))) => symbols.push(self.found_symbol(hit, document)),
                Some(Some((document, false))) if !parsed.iter().any(|known| known == path) => {
                    parsed.push(path.to_owned());
                    if parsed.len() > MAX_PARSED {
                        unread += 1;
                        continue;
                    }
                    let names: BTreeSet<&str> =
                        found.hits.iter().filter(|hit| hit.path == path).map(|hit| hit.name.as_str()).collect();
                    symbols.extend(self.present_matches(path, document, query, &names).await);
                }
                _ => {}
            }
        }
        let checked = texts.values().flatten().count();
        for path in self.intel.texts.unsaved_texts().into_keys() {
            let is_selected = self.workspace().contains(&path) && query.files.admits(&path);
            if texts.contains_key(path.as_path()) || !is_selected || parsed.len() >= MAX_PARSED {
                continue;
            }
            if let Ok(document) = self.document(&path).await {
                parsed.push(path.clone());
                symbols.extend(self.present_matches(&path, &document, query, &BTreeSet::new()).await);
            }
        }
        status.notes.push(if symbols.is_empty() {
            let files = self.intel.index.as_ref().map(|index| index.state().files).unwrap_or_default();
            format!("searched the names of {}", pluralize(files, "file"))
        } else {
            format!("{} of {} checked", checked - unread.min(checked), pluralize(checked, "file"))
        });
        if found.hits.iter().all(|hit| hit.name_match == NameMatch::Typo) && !symbols.is_empty() {
            status.notes.push(format!("no name contains `{}`: these are similar", clean_line(&query.text)));
        }
        if unread > 0 {
            status.mark_incomplete(format!("{} changed and zubi did not read them again", pluralize(unread, "file")));
        }
        symbols
    }

    /// Returns the declarations of a present text that match a query, or have one of `names`.
    async fn present_matches(
        &self,
        path: &Utf8Path,
        document: &Arc<SourceDocument>,
        query: &SymbolQuery,
        names: &BTreeSet<&str>,
    ) -> Vec<FoundSymbol> {
        let Some(Ok(outline)) = self.parse_outline(path, &document.text).await else { return Vec::new() };
        let Some(name_path) = NamePath::parse(&query.text) else { return Vec::new() };
        let folded = name_path.last().to_lowercase();
        let mut found = Vec::new();
        for (at, declaration) in outline.declarations.iter().enumerate() {
            let is_match = names.contains(declaration.name.as_str())
                || declaration.name.to_lowercase().contains(&folded) && !name_path.is_qualified();
            let above = outline.above(at);
            let is_exact = name_path.matches(&above, &declaration.name, path);
            let kind = declaration.kind.lsp_name();
            if (is_match || is_exact) && (query.kinds.is_empty() || query.kinds.iter().any(|one| one == kind)) {
                found.push(self.declared_symbol(path, document, &outline, at));
            }
        }
        found.into_iter().flatten().collect()
    }

    fn declared_symbol(
        &self,
        path: &Utf8Path,
        document: &SourceDocument,
        outline: &SyntaxOutline,
        at: usize,
    ) -> Option<FoundSymbol> {
        let declaration = outline.declarations.get(at)?;
        let container = outline.above(at).join("/");
        let range = TextRange::new(size(declaration.name_range.start), size(declaration.name_range.end));
        Some(FoundSymbol {
            name: declaration.name.clone(),
            kind: declaration.kind.lsp_name(),
            container: (!container.is_empty()).then_some(container),
            location: Some(self.location_in(document, path, range)),
            display_path: self.workspace().display(path),
        })
    }

    fn found_symbol(&self, hit: &SymbolHit, document: &SourceDocument) -> FoundSymbol {
        let container = hit.containers.join("/");
        let range = TextRange::new(size(hit.name_range.start), size(hit.name_range.end));
        FoundSymbol {
            name: hit.name.clone(),
            kind: hit.kind.lsp_name(),
            container: (!container.is_empty()).then_some(container),
            location: Some(self.location_in(document, &hit.path, range)),
            display_path: self.workspace().display(&hit.path),
        }
    }

    /// Marks an answer if files that contain the name have no declarations in the index, although zubi knows their language.
    async fn mark_unparsed(
        &self,
        index: &dyn SymbolIndex,
        state: &IndexState,
        query: &SymbolQuery,
        symbols: &[FoundSymbol],
        status: &mut AnswerStatus,
    ) {
        let omitted = &state.omitted;
        let without_language = if symbols.is_empty() { omitted.no_language } else { 0 };
        if omitted.words_only + omitted.failed + omitted.too_large + omitted.not_text + without_language == 0 {
            return;
        }
        let name = NamePath::parse(&query.text).map(|path| path.last().to_owned()).unwrap_or_default();
        let Ok(WordFiles::Files { texts, unread, others }) = index.files_with(&name).await else { return };
        let shown: BTreeSet<&str> = symbols.iter().map(|symbol| symbol.display_path.as_str()).collect();
        let has_found = !symbols.is_empty();
        let (mut unparsed, mut unknown) = (Vec::new(), Vec::new());
        // A data file has the words of most names, which says nothing about a symbol that was found elsewhere.
        let is_data = |path: &Utf8Path| has_found && is_data_file(path);
        for path in texts.into_iter().filter(|path| query.files.admits(path)) {
            if credentials::is_credential_path(&path) || is_data(&path) {
                continue;
            }
            let has_language = path.file_name().is_some_and(|name| self.intel.parser.has_language(name));
            let display_path = self.workspace().display(&path);
            if !has_language {
                unknown.extend((!has_found).then_some(display_path));
            } else if !shown.contains(display_path.as_str()) && matches!(index.outline(&path).await, Ok(None)) {
                unparsed.push(display_path);
            }
        }
        let has_language = |path: &Utf8PathBuf| {
            query.files.admits(path)
                && !is_data(path)
                && path.file_name().is_some_and(|name| self.intel.parser.has_language(name))
        };
        let large: Vec<_> = unread.into_iter().chain(others).filter(has_language).collect();
        let beyond = large.len().saturating_sub(MAX_LARGE);
        let search = move || large.into_iter().take(MAX_LARGE).filter(|path| may_contain(path, &name)).collect();
        // Reading large files would block other tasks of this thread.
        let found: Vec<Utf8PathBuf> = tokio::task::spawn_blocking(search).await.unwrap_or_default();
        unparsed.extend(found.iter().map(|path| self.workspace().display(path)));
        if symbols.is_empty() && beyond > 0 {
            status.mark_incomplete(format!("zubi did not search {}", pluralize(beyond, "more large file")));
        }
        let without_declarations = omitted.words_only + omitted.failed + omitted.too_large;
        if symbols.is_empty() && without_declarations > 0 {
            let files = pluralize(without_declarations, "file");
            status
                .notes
                .push(format!("{files} too large to parse, or rejected: only the whole name was searched there"));
        }
        mark_unknown(unknown, status);
        if !unparsed.is_empty() {
            status.mark_incomplete(format!(
                "these contain the name and are not parsed: {}",
                list_first(unparsed, MAX_NAMED)
            ));
        }
    }
}

/// Marks an answer without symbols if files that contain the name have no known language.
pub(crate) fn mark_unknown(files: Vec<String>, status: &mut AnswerStatus) {
    if !files.is_empty() {
        let files = list_first(files, MAX_NAMED);
        status.mark_incomplete(format!("these contain the name, and zubi does not know their language: {files}"));
    }
}

/// Searches an index, and once again if it has become complete meanwhile. `None` after an error, whose reason is in the state
/// of the index.
async fn find_hits(index: &dyn SymbolIndex, query: &SymbolQuery) -> Option<SymbolHits> {
    let found = index.search(query, MAX_HITS).await.ok()?;
    if found.is_complete || !index.state().has_all_declarations() {
        return Some(found);
    }
    index.search(query, MAX_HITS).await.ok()
}

/// Whether an index has the declarations of most files, and has yet to compare the files or to read some of them.
fn is_nearly_complete(state: &IndexState) -> bool {
    state.problem.is_none()
        && state.files > 0
        && state.undeclared.max(state.unread) <= MAX_MISSING
        && !state.has_all_declarations()
        && state.omitted.beyond_limit == 0
}

/// Whether a file has code that declares symbols: also a notebook, but no data, prose, page or style sheet, whose servers
/// are not queried beside those of code.
pub(crate) fn is_code_file(path: &Utf8Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let is_code =
        |language: &SyntaxLanguage| !DATA_LANGUAGES.contains(&language.id) && !PAGE_LANGUAGES.contains(&language.id);
    Notebook::is_notebook(name) || SyntaxLanguage::from_file_name(name).is_some_and(is_code)
}

/// Whether a file has data or prose, in which a name is not a use or a declaration of a symbol of the code.
pub(crate) fn is_data_file(path: &Utf8Path) -> bool {
    let language = path.file_name().and_then(SyntaxLanguage::from_file_name);
    language.is_some_and(|language| DATA_LANGUAGES.contains(&language.id))
}

/// Creates the status of an answer from the index.
pub(crate) fn index_status(state: &IndexState, is_complete: bool) -> AnswerStatus {
    let mut status = AnswerStatus::from_source(AnswerSource::Index, Vec::new());
    if !is_complete {
        status.mark_incomplete(match &state.problem {
            Some(problem) => problem.clone(),
            None => format!("the index is {state}"),
        });
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_an_earlier_process_is_awaited_and_a_new_one_is_not() {
        let state = |phase, files, undeclared| IndexState { phase, files, undeclared, ..IndexState::default() };
        for (state, expected) in [
            (state(IndexPhase::Unchecked, 0, 0), false),
            (state(IndexPhase::Words { done: 0 }, 0, 0), false),
            (state(IndexPhase::Words { done: 4_096 }, 4_096, 4_096), false),
            (state(IndexPhase::Declarations, 10_000, 9_000), false),
            (state(IndexPhase::Unchecked, 10_000, 0), true),
            (state(IndexPhase::Words { done: 100 }, 10_000, 3), true),
            (state(IndexPhase::Declarations, 10_000, 1), true),
            (state(IndexPhase::Ready, 10_000, 0), false),
            (IndexState { problem: Some("locked".to_owned()), ..state(IndexPhase::Unchecked, 10_000, 0) }, false),
        ] {
            assert_eq!(is_nearly_complete(&state), expected, "{state:?}");
        }
    }
}
