//! The `symbol` form: a name path, resolved through the servers' symbol indexes and the outlines of files.
//!
//! The index (`workspace/symbol`) only suggests files. The outline decides, because it has the exact range of the name
//! and the symbol's container. If a server has no index, or the index lacks the name, zubi outlines the files that
//! contain the word instead.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use futures_util::future::join_all;
use rustc_hash::FxHashSet;
use zubi_base::endpoint::{DocumentRef, Readiness};
use zubi_base::nearest::nearest_by;
use zubi_base::position::TextRange;
use zubi_base::text::{list_first, pluralize, quote_all};

use super::{NamePath, ResolvedTarget, describe_loading, name};
use crate::error::CodeError;
use crate::features::index_search::{MAX_EXACT, index_status};
use crate::features::symbol_filter::FileCondition;
use crate::location::{self, SourceLocation};
use crate::outline::{self, OutlineSymbol};
use crate::query::CodeQuery;
use crate::readiness::ReadinessLevel;
use crate::request::{SearchEndpoints, position_params};
use crate::status::{AnswerSource, AnswerStatus, AnsweringEndpoint, Completeness};
use crate::symbol_index::SymbolQuery;
use crate::syntax::to_symbols;
use crate::text_search;
use crate::worktrees::WorktreeFilter;

/// The maximum number of files outlined because the index has the name in them.
const MAX_INDEXED_FILES: usize = 16;
/// The maximum number of files outlined because they contain the word.
pub(crate) const MAX_WORD_FILES: usize = 48;
/// The time limit of the word search.
pub(crate) const WORD_SEARCH: Duration = Duration::from_secs(2);
/// The time that a search by name leaves for the rest of the answer.
const ANSWER_TIME: Duration = Duration::from_secs(3);
/// The maximum number of names from the index that a misspelt one is compared with.
const MAX_SUGGESTED: usize = 50;
/// The maximum number of unparsed files that a mark names.
const MAX_UNPARSED: usize = 3;
/// The maximum number of candidates that are shown, and for which zubi checks whether they are the same entity.
const MAX_CANDIDATES: usize = 8;

/// A declared symbol that matches the name path.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) path: Utf8PathBuf,
    /// `Type/method`, without the segments of its file.
    pub(crate) name_path: String,
    /// The identifier alone.
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) selection: TextRange,
    depth: usize,
    /// The block around the declaration that its name path does not show: `impl From<&str> for Rate`.
    block: Option<String>,
    /// Whether the candidate's language has no server while an index answered for others.
    pub(super) unindexed: bool,
    pub(crate) location: SourceLocation,
}

impl CodeQuery<'_> {
    pub(super) async fn resolve_symbol(&self, symbol: &str, path: Option<&str>) -> Result<ResolvedTarget, CodeError> {
        let Some(name_path) = NamePath::parse(symbol) else {
            return Err(CodeError::input("symbol", "the name is empty", "Give a name such as \"Type/method\"."));
        };
        let scope = path.map(|path| self.resolve_path(path)).transpose()?;
        let (mut candidates, status, note) = self.matching_symbols(&name_path, scope.as_deref()).await?;
        match candidates.len() {
            1 => {}
            0 => {
                // Boxed, because resolving a mention queries locations, which may resolve symbols.
                return match Box::pin(self.resolve_mention(&name_path, scope.as_deref())).await {
                    Some(target) => Ok(target),
                    None => Err(self.unknown_symbol_error(symbol, &name_path, scope.as_deref(), &status).await),
                };
            }
            _ => return Err(Self::ambiguous(symbol, &candidates)),
        }
        let Some(found) = candidates.pop() else {
            return Err(self.unknown_symbol_error(symbol, &name_path, None, &status).await);
        };
        let document = self.document(&found.path).await?;
        let status = self.status_of_symbol(&found.path, status).await;
        let start = found.selection.start();
        let mut resolved = if document.notebook(&found.path).is_some() {
            // In the JSON of a notebook, an identifier may follow an escape, as in `\narea`.
            self.resolved_exactly(found.path, &document, start, None, note)
        } else {
            self.resolved_target(found.path, &document, start, note)
        };
        resolved.name = Some(found.name);
        resolved.kind = Some(found.kind);
        resolved.status = status;
        Ok(resolved)
    }

    /// Returns the declarations that a name means: one, or the overloads of a file; none if no file declares it.
    pub(crate) async fn resolve_declarations(
        &self,
        symbol: &str,
        path: Option<&str>,
    ) -> Result<(Vec<Candidate>, AnswerStatus, Option<String>), CodeError> {
        let Some(name_path) = NamePath::parse(symbol) else { return Ok(Default::default()) };
        let scope = path.map(|path| self.resolve_path(path)).transpose()?;
        if let Some((mut candidates, status)) = self.indexed_candidates(&name_path, scope.as_deref()).await? {
            let note = prefer_outermost(&mut candidates, &name_path);
            return if is_one_symbol(&candidates) {
                Ok((candidates, status, note))
            } else {
                Err(Self::ambiguous(symbol, &candidates))
            };
        }
        let (candidates, mut status, note) = self.matching_symbols(&name_path, scope.as_deref()).await?;
        let Some(first) = candidates.first() else { return Ok((candidates, status, note)) };
        if !is_one_symbol(&candidates) {
            return Err(Self::ambiguous(symbol, &candidates));
        }
        status = self.status_of_symbol(&first.path, status).await;
        Ok((candidates, status, note))
    }

    /// Returns the declarations of a name path from the index while all servers are loading. Returns `None` if the servers
    /// or a search of the files must answer.
    async fn indexed_candidates(
        &self,
        name_path: &NamePath,
        scope: Option<&Utf8Path>,
    ) -> Result<Option<(Vec<Candidate>, AnswerStatus)>, CodeError> {
        let Some(index) = self.complete_index().filter(|_| self.cx.may_use_index) else { return Ok(None) };
        let SearchEndpoints::Loading(loading) = self.endpoints_of_symbols().await else { return Ok(None) };
        let Ok(found) = index.declarations(name_path.last(), MAX_EXACT).await else { return Ok(None) };
        let scope_file = scope.unwrap_or_else(|| self.workspace().root()).join("_");
        let mut filter = WorktreeFilter::new(self.workspace(), &scope_file);
        let mut files: Vec<Utf8PathBuf> = Vec::new();
        for hit in found.hits {
            if scope.is_none_or(|scope| hit.path.starts_with(scope))
                && filter.contains(&hit.path)
                && !files.contains(&hit.path)
            {
                files.push(hit.path);
            }
        }
        if found.has_more || !found.is_complete || files.is_empty() || files.len() > MAX_WORD_FILES {
            return Ok(None);
        }
        let mut status = index_status(&index.state(), true);
        let mut candidates = Vec::new();
        for file in &files {
            let Ok(document) = self.document(file).await else { continue };
            // The present text, whether the index has read it or not.
            let Some(Ok(outline)) = self.parse_outline(file, &document.text).await else { return Ok(None) };
            let symbols = to_symbols(&outline, &document.text, document.notebook(file));
            candidates.extend(self.filter_symbols(file, &symbols, name_path).await?);
        }
        if candidates.is_empty() {
            return Ok(None);
        }
        status.notes.push(format!("{} of {} checked", files.len(), pluralize(files.len(), "file")));
        status.notes.push(describe_loading(&loading));
        Ok(Some((candidates, status)))
    }

    /// Returns the declared symbols that a name path means, in a file, in a folder or anywhere, and a note about others
    /// of this name.
    pub(crate) async fn matching_symbols(
        &self,
        name_path: &NamePath,
        scope: Option<&Utf8Path>,
    ) -> Result<(Vec<Candidate>, AnswerStatus, Option<String>), CodeError> {
        let (mut candidates, status) = match scope {
            Some(file) if file.is_file() => {
                let outline = self.declared_in(file).await?;
                (self.filter_symbols(file, &outline.value, name_path).await?, outline.status.clone())
            }
            scope => self.candidates(name_path, scope).await?,
        };
        if candidates.len() > 1 {
            candidates = self.deduplicate_entities(candidates).await;
        }
        let note = prefer_outermost(&mut candidates, name_path);
        Ok((candidates, status, note))
    }

    /// Reduces the status of a search by name to what concerns the symbol that was found: absent servers and those of
    /// other languages did not contribute to it. Servers that were loading remain, because they may declare the name, too.
    async fn status_of_symbol(&self, path: &Utf8Path, mut search: AnswerStatus) -> AnswerStatus {
        if let Ok(outline) = self.declared_in(path).await {
            let own = &outline.status;
            let is_relevant = |state: &AnsweringEndpoint| {
                !matches!(state.readiness, Readiness::Ready) || own.endpoints.iter().any(|own| own.id == state.id)
            };
            search.endpoints.retain(is_relevant);
            search.source = own.source;
            search.absent = if own.source != AnswerSource::Servers { own.absent.clone() } else { Vec::new() };
        }
        // The symbol was found: what servers have not read, or could read in other languages, does not change it.
        search.excuse_gaps();
        if matches!(search.completeness, Completeness::Unknown { .. }) {
            search.completeness = Completeness::Complete;
        }
        search
    }

    /// Returns the candidates from all files: from the index, and by word search if the index has none or a language
    /// has no server.
    async fn candidates(
        &self,
        name_path: &NamePath,
        scope: Option<&Utf8Path>,
    ) -> Result<(Vec<Candidate>, AnswerStatus), CodeError> {
        // A name in the scope, so that a worktree is its own scope.
        let scope_file = scope.unwrap_or_else(|| self.workspace().root()).join("_");
        let mut filter = WorktreeFilter::new(self.workspace(), &scope_file);
        let mut in_scope = |path: &Utf8Path| {
            self.workspace().contains(path)
                && scope.is_none_or(|scope| path.starts_with(scope))
                && filter.contains(path)
        };
        let mut status = AnswerStatus::default();
        let mut files = Vec::new();
        let mut index = None;
        match self.indexed(name_path.last()).await {
            Ok(found) => {
                status = found.status.clone();
                for symbol in &found.symbols {
                    if in_scope(&symbol.path)
                        && !files.contains(&symbol.path)
                        && NamePath::parse(&symbol.name).is_some_and(|own| own.last() == name_path.last())
                    {
                        files.push(symbol.path.clone());
                    }
                }
                index = Some(found);
            }
            // There is no index; the word search below does not need one.
            Err(CodeError::Unsupported { .. }) => {}
            Err(error) => status = self.texts_answer(AnswerSource::Syntax, error.absent_servers()?)?,
        }
        files.truncate(MAX_INDEXED_FILES);
        let mut candidates = self.find_by_outline(&files, name_path, &mut status).await?;
        if candidates.is_empty() {
            let searched_files: FxHashSet<_> = files.into_iter().collect();
            let mut files = self
                .files_with_word(name_path.last(), scope, &FileCondition::default(), MAX_WORD_FILES, &mut status)
                .await;
            files.retain(|file| !searched_files.contains(file));
            candidates = self.find_by_outline(&files, name_path, &mut status).await?;
        } else if let Some(index) = index {
            let unindexed = self.unindexed_matches(&index, name_path, scope).await?;
            if !unindexed.candidates.is_empty() {
                candidates.extend(unindexed.candidates);
                status.merge(unindexed.status);
            }
        }
        Ok((candidates, status))
    }

    /// Returns the files below `scope` that contain a word, most occurrences first. Marks the status if the search did not
    /// read all files.
    pub(crate) async fn files_with_word(
        &self,
        word: &str,
        scope: Option<&Utf8Path>,
        selected: &FileCondition,
        limit: usize,
        status: &mut AnswerStatus,
    ) -> Vec<Utf8PathBuf> {
        let found = self.search_words(word, scope).await;
        self.mark_cut_search(found.cut, status);
        let files = found.files.into_iter().map(|(path, _)| path);
        files.filter(|path| selected.admits(path)).take(limit).collect()
    }

    pub(crate) async fn find_by_outline(
        &self,
        files: &[Utf8PathBuf],
        name_path: &NamePath,
        status: &mut AnswerStatus,
    ) -> Result<Vec<Candidate>, CodeError> {
        let (mut candidates, mut unparsed) = (Vec::new(), Vec::new());
        // Many files that take long to parse leave time for an answer.
        let until = self.cx.deadline.checked_sub(ANSWER_TIME).unwrap_or(self.cx.deadline);
        let outlines = files.iter().map(|file| tokio::time::timeout_at(until.into(), self.declared_in(file)));
        for (file, outline) in files.iter().zip(join_all(outlines).await) {
            match outline {
                Ok(Ok(outline)) => {
                    candidates.extend(self.filter_symbols(file, &outline.value, name_path).await?);
                    status.merge(outline.status.clone());
                }
                Ok(Err(CodeError::Unparsed { file, reason, .. })) => unparsed.push(format!("{file} ({reason})")),
                // A file without a server, or for which the request fails, has no candidates.
                Ok(Err(_)) => {}
                Err(_) => unparsed.push(format!("{} (it took too long)", self.workspace().display(file))),
            }
        }
        if !unparsed.is_empty() {
            status.mark_incomplete(format!("not parsed: {}", list_first(unparsed, MAX_UNPARSED)));
        }
        Ok(candidates)
    }

    pub(super) async fn filter_symbols(
        &self,
        path: &Utf8Path,
        symbols: &[OutlineSymbol],
        name_path: &NamePath,
    ) -> Result<Vec<Candidate>, CodeError> {
        let document = self.document(path).await?;
        let mut candidates = Vec::new();
        outline::walk(symbols, |above, symbol| {
            let names: Vec<&str> = above.iter().map(|symbol| symbol.name.as_str()).collect();
            // `impl Foo` counts as `Foo` above a method, but does not declare `Foo`.
            if is_implementation(&symbol.name) {
                return;
            }
            if name_path.matches(&names, &symbol.name, path) {
                let own = name::join_segments(&names, &symbol.name);
                candidates.push(Candidate {
                    path: path.to_owned(),
                    name: name_path.last().to_owned(),
                    depth: own.split('/').count(),
                    block: names.last().filter(|name| is_implementation(name)).map(|name| (*name).to_owned()),
                    unindexed: false,
                    name_path: own,
                    kind: symbol.kind,
                    selection: name_in(&document.text, symbol.selection, name_path.last()),
                    location: self.location_in(&document, path, symbol.selection),
                });
            }
        });
        Ok(candidates)
    }

    /// Removes candidates that the server's `definition` resolves to another candidate (a prototype in a header, a
    /// forward declaration).
    async fn deduplicate_entities(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let same = candidates.iter().all(|other| other.name_path == candidates[0].name_path);
        if !same || candidates.len() > MAX_CANDIDATES {
            return candidates;
        }
        let definitions = join_all(candidates.iter().map(|candidate| self.definition_of(candidate))).await;
        let mut retained = vec![true; candidates.len()];
        for (at, definition) in definitions.iter().enumerate() {
            let Some(target) = definition else { continue };
            let has_other_target = candidates.iter().enumerate().any(|(other, candidate)| {
                other != at
                    && retained[other]
                    && target.path.as_ref() == Some(&candidate.path)
                    && target.line == candidate.location.line
            });
            if has_other_target {
                retained[at] = false;
            }
        }
        // If two candidates resolve to each other (clangd switches between declaration and definition), one must stay.
        if !retained.contains(&true) {
            retained[0] = true;
        }
        candidates.into_iter().zip(retained).filter_map(|(candidate, retained)| retained.then_some(candidate)).collect()
    }

    async fn definition_of(&self, candidate: &Candidate) -> Option<SourceLocation> {
        let reference = DocumentRef::new(candidate.path.clone());
        let document = self.document(&candidate.path).await.ok()?;
        let method = "textDocument/definition";
        let ready = self.ready_for(&reference, method, "find definitions", ReadinessLevel::Project).await.ok()?;
        let cx = self.request_cx().for_document(&reference);
        let offset = candidate.selection.start();
        let replies = self
            .request_all(&ready, method, &cx, |endpoint| {
                position_params(&reference, &document, offset, endpoint.encoding())
            })
            .await
            .ok()?;
        let reply = replies.replies.into_iter().next()?;
        let location = location::parse(&reply.result).into_iter().next()?;
        Some(self.location(&location, reply.endpoint.encoding(), 0).await)
    }

    fn ambiguous(symbol: &str, candidates: &[Candidate]) -> CodeError {
        let mut lines: Vec<String> = candidates
            .iter()
            .take(MAX_CANDIDATES)
            .map(|candidate| {
                // A name path is a clearer argument, if it is unique among the candidates.
                let unique = candidates.iter().filter(|other| other.name_path == candidate.name_path).count() == 1;
                let argument = if unique && candidate.name_path != symbol {
                    format!("symbol: \"{}\"", candidate.name_path)
                } else {
                    format!("at: \"{}\"", candidate.location.to_at())
                };
                let parts = [candidate.location.source.as_deref(), candidate.block.as_deref()];
                let place = format!("{} at {}", candidate.kind, candidate.location.to_at());
                let shown: Vec<_> = [Some(place.as_str())].into_iter().chain(parts).flatten().collect();
                format!("  {argument}   {}", shown.join("  "))
            })
            .collect();
        if candidates.len() > MAX_CANDIDATES {
            lines.push(format!("  … and {} more; narrow with path", candidates.len() - MAX_CANDIDATES));
        }
        CodeError::input(
            "symbol",
            format!("`{symbol}` names {} symbols", candidates.len()),
            format!("Use one of:\n{}", lines.join("\n")),
        )
    }

    async fn unknown_symbol_error(
        &self,
        symbol: &str,
        name_path: &NamePath,
        scope: Option<&Utf8Path>,
        status: &AnswerStatus,
    ) -> CodeError {
        let nearest = self.nearest(name_path.last(), scope).await;
        let mut message = match scope {
            Some(scope) => format!("no symbol `{symbol}` in `{}`", self.workspace().display(scope)),
            None => format!("no symbol `{symbol}` in the workspace"),
        };
        let mut status = status.clone();
        self.mark_unread_files(name_path.last(), scope, &mut status).await;
        if (status.complete() == Some(false) || !status.gaps.is_empty())
            && let Some(note) = status.note()
        {
            message = format!("{message} so far ({note})");
        }
        let hint = if nearest.is_empty() {
            "Look for it with `lsp_workspace_symbols`, or give its place as at: \"file:line\".".to_owned()
        } else {
            let suggest = |(name, at): &(String, String)| {
                // The name itself was refused.
                if name == symbol {
                    format!("  at: \"{at} {name}\"")
                } else {
                    format!("  symbol: \"{name}\"   at {at}")
                }
            };
            let names = nearest.iter().map(suggest).collect::<Vec<_>>();
            format!("Nearest names:\n{}", names.join("\n"))
        };
        CodeError::input("symbol", message, hint)
    }

    /// Returns the three declared names most similar to a misspelt one.
    pub(crate) async fn nearest(&self, word: &str, scope: Option<&Utf8Path>) -> Vec<(String, String)> {
        let mut names: Vec<(String, String)> = Vec::new();
        match scope {
            Some(file) if file.is_file() => {
                if let (Ok(outline), Ok(document)) = (self.declared_in(file).await, self.document(file).await) {
                    outline::walk(&outline.value, |above, symbol| {
                        let above: Vec<&str> = above.iter().map(|symbol| symbol.name.as_str()).collect();
                        let location = self.location_in(&document, file, symbol.selection).to_at();
                        names.push((name::join_segments(&above, &symbol.name), location));
                    });
                }
            }
            _ => {
                if let Some(index) = &self.intel.index {
                    let query = SymbolQuery { text: word.to_owned(), ..SymbolQuery::default() };
                    // A hint may be missing.
                    for hit in index.search(&query, MAX_SUGGESTED).await.unwrap_or_default().hits {
                        let location = format!("{}:{}", self.workspace().display(&hit.path), hit.line + 1);
                        if !names.iter().any(|(name, _)| *name == hit.name) {
                            names.push((hit.name, location));
                        }
                    }
                }
                // An index matches fuzzily at best, so its hits may be far from the word; a shorter prefix finds a name whose
                // end is misspelt.
                let characters: Vec<char> = word.chars().collect();
                let mut lengths = vec![characters.len(), characters.len() * 2 / 3, 3.min(characters.len())];
                lengths.dedup();
                for length in lengths.into_iter().filter(|length| *length > 0) {
                    let query: String = characters.iter().take(length).collect();
                    if let Ok(index) = self.indexed(&query).await {
                        let near = nearest_by(word, index.symbols, |symbol| last_segment(&symbol.name), MAX_SUGGESTED);
                        for symbol in near {
                            let display_path = self.workspace().display(&symbol.path);
                            let location = symbol
                                .line
                                .map_or_else(|| display_path.clone(), |line| format!("{display_path}:{line}"));
                            if self.workspace().contains(&symbol.path)
                                && !names.iter().any(|(name, _)| *name == symbol.name)
                            {
                                names.push((symbol.name, location));
                            }
                        }
                    }
                }
            }
        }
        nearest_by(word, names, |(name, _)| last_segment(name), 3)
    }
}

/// Returns the last part of a name with qualifiers.
pub(crate) fn last_segment(name: &str) -> &str {
    name.rsplit(['/', '.', ':']).next().unwrap_or(name)
}

/// Whether candidates are the declarations of one symbol: overloads in one file.
fn is_one_symbol(candidates: &[Candidate]) -> bool {
    candidates.windows(2).all(|pair| match pair {
        [a, b] => a.path == b.path && a.name_path == b.name_path,
        _ => true,
    })
}

/// Whether a server's symbol name is that of an `impl` block.
fn is_implementation(name: &str) -> bool {
    name.starts_with("impl ") || name.starts_with("impl<")
}

/// Returns the range of the identifier within a selection that may be wider (clangd selects `DB::Open`, flat lists the
/// whole declaration).
pub(super) fn name_in(text: &str, selection: TextRange, name: &str) -> TextRange {
    let Some(selected) = text.get(usize::from(selection.start())..usize::from(selection.end())) else {
        return selection;
    };
    let found = text_search::identifiers(selected).into_iter().find(|range| selected.get(range.clone()) == Some(name));
    match found {
        Some(range) => {
            let start = selection.start() + zubi_base::position::size(range.start);
            TextRange::at(start, zubi_base::position::size(range.len()))
        }
        None => selection,
    }
}

/// Prefers an outermost candidate: if only one is at the top level of its file, a plain name means that one; the
/// answer's first line mentions the others. Depths of candidates with and without a server are not comparable.
fn prefer_outermost(candidates: &mut Vec<Candidate>, name_path: &NamePath) -> Option<String> {
    let notes = [prefer_code(candidates), prefer_outermost_code(candidates, name_path)];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Removes keys of data files and headings if code declares the name, too.
fn prefer_code(candidates: &mut Vec<Candidate>) -> Option<String> {
    let is_data = |candidate: &Candidate| matches!(candidate.kind, "key" | "string");
    if candidates.iter().all(is_data) {
        return None;
    }
    let data: Vec<String> = candidates
        .iter()
        .filter(|one| is_data(one))
        .map(|one| format!("{} at {}", one.kind, one.location.to_at()))
        .collect();
    candidates.retain(|candidate| !is_data(candidate));
    (!data.is_empty()).then(|| format!("also {}", list_first(data, MAX_UNPARSED)))
}

fn prefer_outermost_code(candidates: &mut Vec<Candidate>, name_path: &NamePath) -> Option<String> {
    let unindexed = candidates.iter().filter(|candidate| candidate.unindexed).count();
    if candidates.len() < 2 || name_path.is_qualified() || (unindexed > 0 && unindexed < candidates.len()) {
        return None;
    }
    let outermost = candidates.iter().map(|candidate| candidate.depth).min()?;
    if candidates.iter().filter(|candidate| candidate.depth == outermost).count() != 1 {
        return None;
    }
    // The constructors of a class share one name path.
    let mut others: Vec<String> = Vec::new();
    for candidate in candidates.iter().filter(|candidate| candidate.depth != outermost) {
        if !others.contains(&candidate.name_path) {
            others.push(candidate.name_path.clone());
        }
    }
    candidates.retain(|candidate| candidate.depth == outermost);
    let names = quote_all(others.iter().take(3));
    let more = others.len().saturating_sub(3);
    Some(if more > 0 { format!("also {names} and {more} more") } else { format!("also {names}") })
}
