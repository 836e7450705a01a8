//! Answers from a text search, for languages whose server is not installed or not allowed to run.
//!
//! These know only names: they do not distinguish two symbols with one name, and include words in comments and strings.
//! Every answer says so and how to get a better one. Requests that need more than names (types, edits) still fail.
//! The declarations are those of the syntax ([`crate::syntax`]).

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::endpoint::MissingServer;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange, size};
use zubi_base::text::pluralize;
use zubi_base::uri;
use zubi_syntax::{MAX_DECLARATIONS, MAX_DEPTH, SyntaxOutline};

use crate::embedding;
use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::{ResolvedTarget, WORD_SEARCH};
use crate::outline::OutlineSymbol;
use crate::query::CodeQuery;
use crate::status::{AnswerSource, AnswerStatus, Completeness, QualifiedAnswer};
use crate::syntax::to_symbols;
use crate::text_search::{self, WordSearchResult};

/// The maximum number of locations in one answer.
const MAX_LOCATIONS: usize = 2_000;

/// The maximum number of files with a word that the index parses first.
const MAX_PREFERRED: usize = 64;

/// The time limit of parsing the files that contain a name.
const PARSE_TIME: Duration = Duration::from_secs(3);

/// Returns a note about files with more declarations than an outline has.
pub(crate) fn cut_note(files: &str) -> String {
    format!("at most {MAX_DECLARATIONS} declarations in at most {MAX_DEPTH} levels: {files}")
}

/// Returns the reasons why an outline may lack declarations.
fn outline_notes(display_path: &str, outline: &SyntaxOutline) -> Vec<String> {
    let mut notes = Vec::new();
    if outline.has_errors {
        notes.push(format!("syntax errors, so declarations may be missing: {display_path}"));
    }
    if outline.is_cut {
        notes.push(cut_note(display_path));
    }
    notes
}

impl AnswerStatus {
    /// Creates the status of an answer without a server; `absent` are the servers that could have answered better.
    pub(crate) fn from_source(source: AnswerSource, absent: Vec<MissingServer>) -> Self {
        let completeness = Completeness::Unknown { reason: "names only".to_owned() };
        Self { absent, completeness, source, ..Self::default() }
    }
}

impl CodeQuery<'_> {
    /// Creates the status of an answer from texts. If the workspace's folders are gone, returns the error that the request
    /// would have without this fallback.
    pub(crate) fn texts_answer(
        &self,
        source: AnswerSource,
        absent: Vec<MissingServer>,
    ) -> Result<AnswerStatus, CodeError> {
        if self.workspace().folders().iter().any(|folder| folder.path.is_dir()) {
            Ok(AnswerStatus::from_source(source, absent))
        } else {
            Err(CodeError::NoEndpoint(absent))
        }
    }

    /// Returns the declarations of a document by its syntax. For an unknown language, returns the error that the request
    /// would have without this fallback.
    pub(crate) async fn textual_outline(
        &self,
        path: &Utf8Path,
        absent: Vec<MissingServer>,
    ) -> Result<QualifiedAnswer<Vec<OutlineSymbol>>, CodeError> {
        let document = self.document(path).await?;
        let Some(parsed) = self.parse_outline(path, &document.text).await else {
            return Err(CodeError::NoEndpoint(absent));
        };
        let outline = match parsed {
            Ok(outline) => outline,
            Err(error) => {
                let file = self.workspace().display(path);
                return Err(CodeError::Unparsed { file, reason: error.to_string(), absent });
            }
        };
        let mut status = AnswerStatus::from_source(AnswerSource::Syntax, absent);
        status.notes.extend(outline_notes(&self.workspace().display(path), &outline));
        Ok(QualifiedAnswer { value: to_symbols(&outline, &document.text, document.notebook(path)), status })
    }

    /// Returns the locations in imported exact data, or else the occurrences of the name at a position as a whole word, or
    /// those that a file declares by its syntax. Without a name or a declaration, returns the error that the request would have without this
    /// fallback.
    pub(crate) async fn textual_locations(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
        absent: Vec<MissingServer>,
    ) -> Result<QualifiedAnswer<Vec<RawLocation>>, CodeError> {
        let mut notes = Vec::new();
        if let Some(mut exact) = self.exact_locations(at, relation, &mut notes).await {
            exact.status.absent = absent;
            self.add_failed_imports(at, &mut exact.status).await;
            exact.status.notes.extend(notes);
            return Ok(exact);
        }
        let (Some(name), Relation::Definition | Relation::References { .. }) = (&at.name, relation) else {
            return Err(CodeError::NoEndpoint(absent));
        };
        let source = if relation == Relation::Definition { AnswerSource::Syntax } else { AnswerSource::Text };
        let mut status = self.texts_answer(source, absent)?;
        self.add_failed_imports(at, &mut status).await;
        status.notes.extend(notes);
        let searched = self.search_words(name, None).await;
        let (mut found, mut unparsed) = (Vec::new(), 0);
        let parse_until = self.cx.deadline.min(Instant::now() + PARSE_TIME);
        for (index, (path, _)) in searched.files.iter().enumerate() {
            let may_parse = Instant::now() < parse_until;
            if !may_parse && relation == Relation::Definition {
                // A file that is not parsed adds no declaration.
                unparsed += searched.files.len() - index;
                break;
            }
            // The file was removed or changed after the search.
            let Ok(document) = self.document(path).await else { continue };
            let declared = if may_parse {
                self.declared_ranges(path, &document, name).await
            } else {
                unparsed += 1;
                Vec::new()
            };
            for start in text_search::occurrences(&embedding::searchable_text(path, &document.text), name) {
                let range = TextRange::at(size(start), size(name.len()));
                let declaration = declared.contains(&range);
                let is_included = match relation {
                    Relation::References { include_declaration } => include_declaration || !declaration,
                    _ => declaration,
                };
                if is_included {
                    let range = document.index.range_to_lsp(range, Encoding::Utf8);
                    let location = lsp::Location { uri: uri::from_path(path), range };
                    let (shown, external) = self.display_location(&location);
                    // Definitions consist of declarations, so there is nothing to exclude.
                    let declaration = declaration && relation != Relation::Definition;
                    found.push(RawLocation {
                        location,
                        encoding: Encoding::Utf8,
                        display_path: shown,
                        external,
                        declaration,
                        text_only: false,
                    });
                }
            }
        }
        if found.is_empty() && relation == Relation::Definition {
            return Err(CodeError::NoEndpoint(status.absent));
        }
        // Files of the symbol's language come first: the others mention it in prose.
        let extension = at.path.extension();
        let is_other = |found: &RawLocation| Utf8Path::new(&found.display_path).extension() != extension;
        found.sort_by(|a, b| {
            let start = |found: &RawLocation| (found.location.range.start.line, found.location.range.start.character);
            let files = is_other(a).cmp(&is_other(b)).then_with(|| a.display_path.cmp(&b.display_path));
            files.then_with(|| start(a).cmp(&start(b)))
        });
        if found.len() > MAX_LOCATIONS {
            status.notes.push(format!("first {MAX_LOCATIONS} of {} places", found.len()));
            found.truncate(MAX_LOCATIONS);
        }
        self.mark_cut_search(searched.cut, &mut status);
        if relation != Relation::Definition {
            self.mark_unread_files(name, None, &mut status).await;
        }
        if unparsed > 0 {
            status.notes.push(format!(
                "zubi did not look for declarations in {} after {} s",
                pluralize(unparsed, "file"),
                PARSE_TIME.as_secs()
            ));
        }
        Ok(QualifiedAnswer { value: found, status })
    }

    /// Searches the source files below `scope`, or of the whole workspace, for a word.
    pub(crate) async fn search_words(&self, word: &str, scope: Option<&Utf8Path>) -> WordSearchResult {
        let roots = match scope {
            Some(scope) => vec![scope.to_owned()],
            None => self.workspace().roots(),
        };
        if let Some(scope) = scope {
            self.prefer_in_index(&[scope]);
        }
        let found = self.search_words_in(roots, word, WORD_SEARCH).await;
        let files: Vec<_> = found.files.iter().take(MAX_PREFERRED).map(|(path, _)| path.as_path()).collect();
        self.prefer_in_index(&files);
        found
    }

    /// Marks an answer if the search for its word reached the time limit, so that other files may contain the word.
    pub(crate) fn mark_cut_search(&self, is_cut: bool, status: &mut AnswerStatus) {
        if !is_cut {
            return;
        }
        let index = self.intel.index.as_ref().map(|index| index.state());
        let index = index.filter(|state| !state.has_all_words()).map(|state| format!(" (the index is {state})"));
        status.mark_incomplete(format!(
            "the search for the word was stopped after {} s{}: call again",
            WORD_SEARCH.as_secs(),
            index.unwrap_or_default()
        ));
    }

    /// Searches the source files below `roots` for at most `longest`.
    pub(crate) async fn search_words_in(
        &self,
        roots: Vec<Utf8PathBuf>,
        word: &str,
        longest: Duration,
    ) -> WordSearchResult {
        let until = self.cx.deadline.min(Instant::now() + longest);
        let files = self.searched_files(roots, word, |_| false).await;
        let word = word.to_owned();
        // Reading thousands of files would block other tasks of this thread.
        tokio::task::spawn_blocking(move || text_search::search(&files, &word, until)).await.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::symbol_index::{IndexPhase, IndexState, SymbolIndex};
    use crate::testing::{MemoryIndex, Toy};

    /// Returns the mark of a search that reached its time limit beside an index with this state.
    async fn check_mark(state: Option<IndexState>) -> String {
        let toy = Toy::with_config("//- a.toy\nlet x\n", Encoding::Utf16, |mut config| {
            config.index = state.map(|state| {
                let index = MemoryIndex::new(config.workspace.root());
                index.set_state(state);
                Arc::new(index) as Arc<dyn SymbolIndex>
            });
            config
        });
        let query = toy.intel.query(Toy::cx()).await;
        let mut status = AnswerStatus::default();
        query.mark_cut_search(false, &mut status);
        assert_eq!(status, AnswerStatus::default());
        query.mark_cut_search(true, &mut status);
        status.note().unwrap_or_default()
    }

    #[tokio::test]
    async fn a_search_that_was_stopped_is_marked() {
        let ready = IndexState { phase: IndexPhase::Ready, files: 3, ..IndexState::default() };
        let plain = "may be incomplete: the search for the word was stopped after 2 s: call again";
        assert_eq!(check_mark(None).await, plain);
        assert_eq!(check_mark(Some(ready.clone())).await, plain);
        insta::assert_snapshot!(check_mark(Some(IndexState { unread: 7, ..ready.clone() })).await, @"may be incomplete: the search for the word was stopped after 2 s (the index is reading 7 changed files): call again");
        let building = IndexState { phase: IndexPhase::Words { done: 9 }, ..ready };
        insta::assert_snapshot!(check_mark(Some(building)).await, @"may be incomplete: the search for the word was stopped after 2 s (the index is building, 9 files read so far): call again");
    }
}
