//! Search for symbols of the whole workspace by name.

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use zubi_base::endpoint::DocumentRef;
use zubi_base::position::Encoding;
use zubi_base::text::pluralize;
use zubi_base::uri;

use super::index_search::{is_code_file, mark_unknown};
use super::symbol_filter::SymbolFilter;
use super::symbol_rank::{SymbolMatch, SymbolRanking};
use crate::error::CodeError;
use crate::locate::{Candidate, IndexedSymbols, MAX_WORD_FILES, NamePath, describe_loading};
use crate::location::SourceLocation;
use crate::markup::clean_line;
use crate::outline::{IMPORT, TYPE_ALIAS, corrected_kind};
use crate::query::CodeQuery;
use crate::request::SearchEndpoints;
use crate::searched_files::SearchedFiles;
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::worktrees::WorktreeFilter;

/// The maximum number of symbols in one answer; each may cost a file read for its source line.
const MAX_FOUND: usize = 500;

/// The time limit of a search for a file that a filter selects, which an empty answer needs only for its note.
const SELECTION_TIME: Duration = Duration::from_millis(500);

/// The request for the declarations of a file.
const OUTLINE: &str = "textDocument/documentSymbol";

/// A symbol found by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSymbol {
    pub name: String,
    pub kind: &'static str,
    pub container: Option<String>,
    /// The position of the declaration; `None` if the server returned only the file.
    pub location: Option<SourceLocation>,
    /// The file as answers show it.
    pub display_path: String,
}

impl CodeQuery<'_> {
    /// Returns the symbols that pass a filter and whose name matches `query`, best first; see [`SymbolMatch`]. The
    /// workspace's symbols precede those of libraries. If no name matches, those that are a typing error away follow.
    pub async fn workspace_symbols(
        &self,
        query: &str,
        filter: &SymbolFilter,
    ) -> Result<QualifiedAnswer<Vec<FoundSymbol>>, CodeError> {
        let Some(name_path) = NamePath::parse(query) else {
            return Err(CodeError::input("query", "the query is empty", "Give (the beginning of) a name."));
        };
        // Only the texts show these kinds.
        let has_text_kind = filter.kind.as_deref().is_some_and(|kind| kind == TYPE_ALIAS || kind == IMPORT);
        let search_filter = if has_text_kind { &filter.without_kind() } else { filter };
        let mut answer = self.search_symbols(query, &name_path, search_filter).await?;
        self.correct_symbols(&mut answer.value, filter).await;
        let word = name_path.last();
        if sort_symbols(word, &mut answer.value).is_none_or(|best| best >= SymbolMatch::Similar) {
            let mut similar = self.similar_symbols(word, search_filter).await;
            self.correct_symbols(&mut similar, filter).await;
            similar.retain(|symbol| !answer.value.contains(symbol));
            if !similar.is_empty() {
                answer.status.notes.push(format!("no symbol is named `{}`: similar names", clean_line(word)));
                similar.append(&mut answer.value);
                answer.value = similar;
                sort_symbols(word, &mut answer.value);
            }
        }
        if answer.value.is_empty() && !filter.files().is_all() {
            self.mark_empty_selection(filter, &mut answer.status).await;
        }
        Ok(answer)
    }

    /// Adds a note if no file of the workspace satisfies the condition of a filter.
    async fn mark_empty_selection(&self, filter: &SymbolFilter, status: &mut AnswerStatus) {
        let files = SearchedFiles::Below(self.workspace().roots());
        let (condition, until) = (filter.files().clone(), self.cx.deadline.min(Instant::now() + SELECTION_TIME));
        let search = move || {
            let mut searched = files.paths().take_while(|_| Instant::now() < until);
            !searched.any(|path| condition.admits(&path)) && Instant::now() < until
        };
        // Reading many folders would block other tasks of this thread.
        if tokio::task::spawn_blocking(search).await.unwrap_or_default() {
            status.notes.push("no file of the workspace has this path and language".to_owned());
        }
    }

    /// Corrects the kinds of symbols by their texts, and removes those that a filter does not admit then.
    async fn correct_symbols(&self, symbols: &mut Vec<FoundSymbol>, filter: &SymbolFilter) {
        for symbol in &mut *symbols {
            let Some(location) = symbol.location.as_ref().filter(|location| !location.external) else { continue };
            let Some(path) = location.path.as_deref() else { continue };
            // The document was read for the location.
            let Ok(document) = self.document(path).await else { continue };
            let offset = document.index.range_from_lsp(&location.range, Encoding::Utf16).start();
            symbol.kind = corrected_kind(&document.text, offset, symbol.kind);
        }
        symbols.retain(|symbol| filter.kind.as_deref().is_none_or(|kind| kind == symbol.kind));
    }

    /// Returns the symbols whose names are most similar to a word.
    async fn similar_symbols(&self, word: &str, filter: &SymbolFilter) -> Vec<FoundSymbol> {
        let mut symbols = Vec::new();
        for (name, _) in self.nearest(word, None).await {
            let Some(name_path) = NamePath::parse(&name) else { continue };
            let found = Box::pin(self.search_symbols(name_path.last(), &name_path, filter)).await;
            let named = |symbol: &FoundSymbol| symbol.name == name_path.last();
            symbols.extend(found.map(|found| found.value).unwrap_or_default().into_iter().filter(named));
        }
        symbols
    }

    /// Searches with the servers' indexes.
    ///
    /// If no server has an index, or the indexes have no match and a server is absent, the symbols come from the
    /// outlines of files that contain the word. If a server is absent and the indexes have matches, exact names from
    /// the files of that server's language follow them. Then come those of zubi's own index from files of code in languages
    /// of no queried server, such as notebooks.
    async fn search_symbols(
        &self,
        query: &str,
        name_path: &NamePath,
        filter: &SymbolFilter,
    ) -> Result<QualifiedAnswer<Vec<FoundSymbol>>, CodeError> {
        let found = match self.endpoints_of_symbols().await {
            SearchEndpoints::Settled(found) => found,
            SearchEndpoints::Loading(loading) => {
                let found = self.search_index(query, filter).await;
                // The servers may know declarations that the syntax does not show.
                if let Some((symbols, mut status)) = found.filter(|(symbols, _)| !symbols.is_empty()) {
                    status.notes.push(describe_loading(&loading));
                    return Ok(QualifiedAnswer { value: symbols, status });
                }
                self.endpoints_for_workspace().await
            }
        };
        let mut index = match self.indexed_by(found, name_path.last()).await {
            Ok(index) => index,
            Err(CodeError::Unsupported { servers, .. }) => {
                let reason = format!("{servers} has no symbol index");
                return self.symbols_by_outline(query, name_path, filter, AnswerStatus::default(), &reason).await;
            }
            Err(error) => {
                let status = self.texts_answer(AnswerSource::Syntax, error.absent_servers()?)?;
                return self.symbols_by_outline(query, name_path, filter, status, "without a server").await;
            }
        };
        // A server may read files of other languages, too: a component's server its scripts.
        let mut named: FxHashSet<_> = index.symbols.iter().map(|symbol| symbol.path.clone()).collect();
        index.symbols.retain(|symbol| filter.admits(symbol.kind, &symbol.path));
        let mut worktrees = WorktreeFilter::new(self.workspace(), self.workspace().root());
        index.symbols.retain(|symbol| worktrees.admits(&uri::from_path(&symbol.path)));
        index.status.notes.extend(worktrees.note("symbol"));
        if index.symbols.is_empty() && !index.status.absent.is_empty() {
            // The name may be in a language whose server is absent.
            return self.symbols_by_outline(query, name_path, filter, index.status, "without a server").await;
        }
        let unindexed = self.missing_from_index(&index, name_path).await?;
        let reason = if unindexed.is_some() { "beside an index that may lack names" } else { "without a server" };
        let mut outlined = match unindexed {
            Some(unindexed) => unindexed,
            None => self.unindexed_matches(&index, name_path, None).await?,
        };
        let IndexedSymbols { symbols: mut found, mut status, endpoints } = index;
        let ranking = SymbolRanking::new(name_path.last(), found.iter().map(|symbol| symbol.name.as_str()));
        found.sort_by_cached_key(|symbol| {
            (!self.workspace().contains(&symbol.path), ranking.rank(&symbol.name, symbol.kind))
        });
        if found.len() > MAX_FOUND {
            status.notes.push(format!("best {MAX_FOUND} of {}", found.len()));
        }
        let mut symbols = Vec::new();
        for symbol in found.into_iter().take(MAX_FOUND) {
            let location = self.indexed_location(&symbol).await;
            symbols.push(FoundSymbol {
                display_path: self.workspace().display(&symbol.path),
                name: symbol.name,
                kind: symbol.kind,
                container: symbol.container,
                location,
            });
        }
        named.extend(outlined.candidates.iter().map(|candidate| candidate.path.clone()));
        outlined.candidates.retain(|candidate| filter.admits(candidate.kind, &candidate.path));
        // Files that were not parsed may declare the name, too.
        let is_partial = matches!(outlined.status.completeness, Completeness::Partial { .. });
        if is_partial || !outlined.candidates.is_empty() {
            status.merge(outlined.status);
        }
        if !outlined.candidates.is_empty() {
            note_word_search(&mut status, reason, outlined.files, outlined.cut);
            symbols.extend(outlined.candidates.into_iter().map(FoundSymbol::from));
        }
        let others = filter.with_files(move |path| {
            let is_queried = || {
                let document = DocumentRef::new(path);
                endpoints.iter().any(|endpoint| endpoint.supports_language(&document))
            };
            is_code_file(path) && !named.contains(path) && !is_queried()
        });
        let others = self.uncovered_symbols(query, name_path, &others, !symbols.is_empty()).await;
        if let Some((mut others, own)) = others {
            others.retain(|symbol| symbol.path().is_none_or(|path| worktrees.contains(path)));
            // A search that was cut short does not prove that there is no symbol.
            let is_cut = symbols.is_empty() && matches!(own.completeness, Completeness::Partial { .. });
            if !others.is_empty() || is_cut {
                status.merge(own);
                symbols.extend(others);
            }
        }
        if symbols.is_empty() {
            self.mark_unread_files(name_path.last(), None, &mut status).await;
        }
        Ok(QualifiedAnswer { value: symbols, status })
    }

    /// Searches without the servers' indexes: in zubi's own index, or, if a server outlines the found files, exact names from
    /// the outlines of files that contain the word.
    async fn symbols_by_outline(
        &self,
        query: &str,
        name_path: &NamePath,
        filter: &SymbolFilter,
        status: AnswerStatus,
        reason: &str,
    ) -> Result<QualifiedAnswer<Vec<FoundSymbol>>, CodeError> {
        let indexed = self.search_index(query, filter).await;
        if let Some((symbols, own)) = &indexed
            && !symbols.is_empty()
            && !self.has_outline_server(symbols).await
        {
            let mut status = status;
            status.merge(own.clone());
            return Ok(QualifiedAnswer { value: symbols.clone(), status });
        }
        let mut outlined = status.clone();
        let files = self.files_with_word(name_path.last(), None, filter.files(), MAX_WORD_FILES, &mut outlined).await;
        let mut candidates = self.find_by_outline(&files, name_path, &mut outlined).await?;
        candidates.retain(|candidate| filter.admits(candidate.kind, &candidate.path));
        if candidates.is_empty()
            && let Some((symbols, own)) = indexed
        {
            // The marks of the index also say what an empty answer does not prove.
            let mut status = status;
            status.merge(own);
            return Ok(QualifiedAnswer { value: symbols, status });
        }
        if candidates.is_empty() {
            self.mark_unknown_languages(&files, &mut outlined).await;
        }
        note_word_search(&mut outlined, reason, files.len(), files.len() >= MAX_WORD_FILES);
        Ok(QualifiedAnswer { value: candidates.into_iter().map(FoundSymbol::from).collect(), status: outlined })
    }
}

impl FoundSymbol {
    fn path(&self) -> Option<&Utf8Path> {
        self.location.as_ref()?.path.as_deref()
    }
}

impl CodeQuery<'_> {
    /// Returns the symbols of files that no queried server covers, which the filter selects, with their status: from zubi's
    /// own index. If that is not complete and the servers have found nothing, exact names from the outlines of files that
    /// contain the word.
    async fn uncovered_symbols(
        &self,
        query: &str,
        name_path: &NamePath,
        filter: &SymbolFilter,
        has_found: bool,
    ) -> Option<(Vec<FoundSymbol>, AnswerStatus)> {
        let indexed = self.search_index_beside_servers(query, filter).await;
        if indexed.is_some() || has_found || self.complete_index().is_some() {
            return indexed;
        }
        // A file that is gone meanwhile does not affect the servers' answer.
        let outlined = self.symbols_by_outline(query, name_path, filter, AnswerStatus::default(), "without a server");
        outlined.await.ok().map(|outlined| (outlined.value, outlined.status))
    }

    /// Marks an answer without symbols if neither zubi nor a server knows the languages of files that contain the name.
    async fn mark_unknown_languages(&self, files: &[Utf8PathBuf], status: &mut AnswerStatus) {
        let mut unknown = Vec::new();
        for path in files {
            let has_language = path.file_name().is_some_and(|name| self.intel.parser.has_language(name));
            if !has_language && self.find_endpoints(&DocumentRef::new(path), OUTLINE).await.endpoints.is_empty() {
                unknown.push(self.workspace().display(path));
            }
        }
        mark_unknown(unknown, status);
    }

    /// Whether a server outlines the files of some symbols, although it does not search names in the workspace.
    async fn has_outline_server(&self, symbols: &[FoundSymbol]) -> bool {
        let mut extensions = Vec::new();
        for path in symbols.iter().filter_map(FoundSymbol::path) {
            // The files of an extension have the same servers.
            if extensions.contains(&path.extension()) {
                continue;
            }
            extensions.push(path.extension());
            let document = DocumentRef::new(path);
            let found = self.find_endpoints(&document, OUTLINE).await;
            if !found.endpoints.is_empty() {
                return true;
            }
        }
        false
    }
}

/// Sorts symbols by how well they match a name, those of libraries last. Returns the match of the first one.
fn sort_symbols(name: &str, symbols: &mut [FoundSymbol]) -> Option<SymbolMatch> {
    let ranking = SymbolRanking::new(name, symbols.iter().map(|symbol| symbol.name.as_str()));
    let is_external = |symbol: &FoundSymbol| symbol.location.as_ref().is_some_and(|location| location.external);
    symbols.sort_by_cached_key(|symbol| (is_external(symbol), ranking.rank(&symbol.name, symbol.kind)));
    symbols.iter().map(|symbol| ranking.rank(&symbol.name, symbol.kind).0).min()
}

/// Adds a note that says how names were found without an index.
fn note_word_search(status: &mut AnswerStatus, reason: &str, files: usize, cut: bool) {
    if cut {
        status.completeness = Completeness::Partial { reason: format!("only {MAX_WORD_FILES} files were outlined") };
    }
    status.notes.push(format!("{reason}: exact names only, from the outlines of {}", pluralize(files, "file")));
}

impl From<Candidate> for FoundSymbol {
    fn from(candidate: Candidate) -> Self {
        Self {
            container: candidate.name_path.rsplit_once('/').map(|(container, _)| container.to_owned()),
            name: candidate.name,
            kind: candidate.kind,
            display_path: candidate.location.display_path.clone(),
            location: Some(candidate.location),
        }
    }
}
