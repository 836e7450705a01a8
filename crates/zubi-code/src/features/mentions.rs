//! Whole-word matches of a name that a server did not report as references: in comments and strings; other symbols of the
//! same name; in code that the server does not resolve or has not read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::endpoint::DocumentRef;
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::text::pluralize;
use zubi_base::uri;

use crate::exclusion::ExcludedParts;
use crate::features::locations::RawLocation;
use crate::locate::ResolvedTarget;
use crate::query::{CodeQuery, SourceDocument};
use crate::text_search::{self, FileKind, Quotation, SearchLimit, WordFile, WordOccurrences, WordPosition};
use crate::unread_files::TextObstacle;

mod proof;
mod sample;
mod shape;

use proof::Candidate;
pub(crate) use proof::{ProofOutcome, RecentDefinitions};
pub(crate) use shape::import_around;

/// The time for the search, which accompanies every answer about references, even if the caller does not wait. Its result
/// is stored until a file changes, so only the first answer about a name in a large workspace can take this long.
const WORD_SEARCH: Duration = Duration::from_secs(1);

/// The maximum time for the search if the caller waits for servers that long.
const LONGEST_WORD_SEARCH: Duration = Duration::from_secs(10);

/// The maximum number of files with unread mentions that a clause names.
const MAX_NAMED: usize = 4;

const LONE_RETURNS: &str = "carriage returns without line feeds";

/// The word matches that are not in an answer about references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// In comments and strings, sorted by path and line.
    pub in_text: Vec<RawLocation>,
    /// Strings that are exactly the name, such as `"area"` in `__all__`, or a dotted path through the symbol's module
    /// (`"shapes.area"`): code may look the name up. Sorted by path and line.
    pub quoted: Vec<RawLocation>,
    /// In code, proven to be other symbols of the same name. Sorted by path and line.
    pub namesakes: Vec<RawLocation>,
    /// In code that the server reads but does not resolve, because it does not know a type or a package. Sorted by path
    /// and line.
    pub unresolved: Vec<RawLocation>,
    /// In code, but not checked. Sorted by path and line.
    pub unchecked: Vec<RawLocation>,
    /// In code that may be a use that the servers do not report, by file.
    pub unread: Vec<UnreadMentions>,
    /// Whether every namesake is proven, not only a sample of its file.
    pub(crate) are_namesakes_proven: bool,
}

/// The reason for [`UnreadMentions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadKind {
    /// No server has read the code.
    Unread,
    /// A server has read the file, but neither reports these mentions nor resolves them to another symbol.
    Unconfirmed,
}

/// The mentions in a file that may be uses, although the servers do not report them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadMentions {
    pub path: Utf8PathBuf,
    pub display_path: String,
    /// The reason, as a clause: ``build constraint `integration` ``.
    pub reason: String,
    pub kind: UnreadKind,
    /// The number of mentions; zero if it is not known, as in a file that is not UTF-8.
    pub count: usize,
    /// The positions; empty in a notebook, whose cells are in `reason`.
    pub locations: Vec<RawLocation>,
}

impl Mentions {
    /// The number of all word matches.
    pub fn count(&self) -> usize {
        let unread: usize = self.unread.iter().map(|file| file.count).sum();
        self.in_text.len() + self.quoted.len() + self.in_code() + unread
    }

    /// Whether every match in code is a reference, so that the servers cannot have missed one.
    pub fn has_no_code(&self) -> bool {
        self.in_code() == 0 && self.unread.is_empty()
    }

    /// Whether every match in code is a reference or proven to be another symbol.
    pub(crate) fn has_only_namesakes(&self) -> bool {
        let is_rest_empty = self.unresolved.is_empty() && self.unchecked.is_empty() && self.unread.is_empty();
        is_rest_empty && (self.namesakes.is_empty() || self.are_namesakes_proven)
    }

    /// The number of matches that may be uses of the symbol: in code that no server resolves or has read, and in strings
    /// that may look it up.
    pub(crate) fn unconfirmed_count(&self) -> usize {
        let unread: usize = self.unread.iter().map(|file| file.count).sum();
        self.quoted.len() + self.unresolved.len() + self.unchecked.len() + unread
    }

    /// The number of matches in code of files that the servers read.
    pub(crate) fn in_code(&self) -> usize {
        self.namesakes.len() + self.unresolved.len() + self.unchecked.len()
    }

    fn sort(&mut self) {
        for class in
            [&mut self.in_text, &mut self.quoted, &mut self.namesakes, &mut self.unresolved, &mut self.unchecked]
        {
            sort_by_line(class);
        }
        self.unread.sort_by(|one, other| one.display_path.cmp(&other.display_path));
    }

    /// All positions, sorted by path and line.
    pub fn into_locations(self) -> Vec<RawLocation> {
        let unread = self.unread.into_iter().flat_map(|file| file.locations);
        let in_code = self.namesakes.into_iter().chain(self.unresolved).chain(self.unchecked);
        let mut all: Vec<_> = self.in_text.into_iter().chain(self.quoted).chain(in_code).chain(unread).collect();
        sort_by_line(&mut all);
        all
    }

    /// Names the files with mentions that may be uses: `src/Cart.vue (3), open_windows.go (1: only for windows, …)`.
    pub(crate) fn describe_unread(&self) -> Option<String> {
        if self.unread.is_empty() {
            return None;
        }
        let part = |file: &UnreadMentions| match file.count {
            0 => file.reason.clone(),
            count => format!("{count}: {}", file.reason),
        };
        let name = |files: &[UnreadMentions]| {
            let parts: Vec<_> = files.iter().map(part).collect();
            let path = files.first().map(|file| file.display_path.as_str()).unwrap_or_default();
            format!("{path} ({})", parts.join("; "))
        };
        let mut names: Vec<_> =
            self.unread.chunk_by(|one, next| one.display_path == next.display_path).map(name).collect();
        let more = names.len().saturating_sub(MAX_NAMED);
        names.truncate(MAX_NAMED);
        names.extend((more > 0).then(|| pluralize(more, "more file")));
        Some(names.join(", "))
    }
}

/// The parts of one file that servers may not have read.
pub(crate) struct FileExclusions {
    document: Arc<SourceDocument>,
    parts: ExcludedParts,
}

impl FileExclusions {
    pub(crate) fn reason_for(&self, occurrence: &WordPosition) -> Option<&str> {
        let offset = self.document.index.from_lsp(occurrence.start(Encoding::Utf16), Encoding::Utf16);
        let uncertain = self.document.uncertain_after(offset).map(|_| LONE_RETURNS);
        self.parts.reason_at(usize::from(offset)).or(uncertain)
    }

    pub(crate) fn file_reason(&self) -> Option<&str> {
        self.parts.file_reason()
    }
}

/// Mentions that are sorted by their texts, with those in code that a request must decide about.
#[derive(Default)]
pub(crate) struct SortedMentions {
    mentions: Mentions,
    candidates: Vec<Candidate>,
}

impl SortedMentions {
    /// Whether every match in code is a reference.
    pub(crate) fn has_no_code(&self) -> bool {
        self.mentions.has_no_code() && self.candidates.is_empty()
    }

    pub(crate) fn unread(&self) -> &[UnreadMentions] {
        &self.mentions.unread
    }
}

impl CodeQuery<'_> {
    /// Returns the whole-word matches of the name in the workspace's files of the same language, that is, the language
    /// of the servers that serve the symbol's file, and in files that may contain code of it. `None` without a name, or
    /// if the search reached its limit.
    pub async fn word_matches(&self, at: &ResolvedTarget) -> Option<Arc<WordOccurrences>> {
        self.search_word(at).await?.ok()
    }

    /// Like [`Self::word_matches`], with the limit that the search reached. `None` without a name.
    pub(crate) async fn search_word(&self, at: &ResolvedTarget) -> Option<Result<Arc<WordOccurrences>, SearchLimit>> {
        let word = at.name.clone()?;
        // Read before any file, so that a later change makes the entry obsolete.
        let changes = self.intel.router.file_changes();
        let roots = self.search_roots(&at.path);
        let key = (word.clone(), at.path.extension().map(str::to_owned), roots.clone());
        if let Some(cached) = self.intel.words.get(changes, &key) {
            return Some(Ok(cached));
        }
        let endpoints = self.navigators(&at.reference).await;
        let (deadline, wait_until) = (self.cx.deadline, self.wait_until);
        let unsaved = self.intel.texts.unsaved_texts();
        let extension = at.path.extension().unwrap_or_default().to_owned();
        let is_own = move |path: &Utf8Path| {
            let document = DocumentRef::new(path);
            endpoints.iter().any(|endpoint| endpoint.supports_language(&document))
        };
        let files = self.searched_files(roots, &word, &is_own).await;
        let search = move || {
            let now = Instant::now();
            let until = deadline.min((now + WORD_SEARCH).max(wait_until.min(now + LONGEST_WORD_SEARCH)));
            text_search::find_occurrences(&files, &word, until, &unsaved, &extension, is_own)
        };
        // Reading thousands of files would block other tasks of this thread.
        Some(match tokio::task::spawn_blocking(search).await.ok()? {
            Ok(found) => {
                let found = Arc::new(found);
                self.intel.words.insert(changes, key, &found);
                Ok(found)
            }
            Err(limit) => Err(limit),
        })
    }

    /// Sorts the matches that are not among the references by their texts, without a request. `references` includes
    /// declarations.
    pub(crate) async fn sort_mentions(
        &self,
        at: &ResolvedTarget,
        references: &[RawLocation],
        matches: &WordOccurrences,
    ) -> SortedMentions {
        let by_path = group_by_path(references);
        let word = at.name.as_deref().unwrap_or_default();
        let tree = self.tree_of(&at.path);
        let modules = proof::module_names(&at.path, tree.as_deref());
        let mut sorted = SortedMentions::default();
        for file in &matches.files {
            let mentions = &mut sorted.mentions;
            match &file.kind {
                FileKind::Own => self.classify_own(file, word, &modules, by_path.get(&file.path), &mut sorted).await,
                FileKind::Embedding => {
                    let missed = find_uncovered(file, word, by_path.get(&file.path));
                    let mut locations = Vec::new();
                    let start_of_file = self.start_of_file(&file.path);
                    for mention in missed.map(|one| mention_at(&start_of_file, one, word)) {
                        if self.has_same_css_name(at, &file.path, &mention).await {
                            locations.push(mention);
                        }
                    }
                    if !locations.is_empty() {
                        let reason = "no queried server reads it".to_owned();
                        mentions.unread.push(self.unread(&file.path, reason, locations.len(), locations));
                    }
                }
                FileKind::Notebook(places) => {
                    let shown = places.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
                    mentions.unread.push(self.unread(&file.path, shown, places.len(), Vec::new()));
                }
                // A server may read larger files than zubi does.
                FileKind::Unread(TextObstacle::TooLarge(_)) if by_path.contains_key(&file.path) => {}
                FileKind::Unread(obstacle) => {
                    mentions.unread.push(self.unread(&file.path, obstacle.to_string(), 0, Vec::new()));
                }
            }
        }
        sorted
    }

    /// Completes the classes: decides which mentions in code are other symbols; see [`proof`].
    pub(crate) async fn prove_mentions(
        &self,
        at: &ResolvedTarget,
        references: &[RawLocation],
        sorted: SortedMentions,
    ) -> (Mentions, ProofOutcome) {
        let SortedMentions { mut mentions, candidates } = sorted;
        let outcome = if candidates.is_empty() {
            ProofOutcome::default()
        } else {
            self.prove(at, references, candidates, &mut mentions).await
        };
        mentions.sort();
        (mentions, outcome)
    }

    /// Completes the classes without a check.
    pub(crate) fn leave_unchecked(&self, sorted: SortedMentions) -> Mentions {
        let SortedMentions { mut mentions, candidates } = sorted;
        self.add_unchecked(&mut mentions, candidates);
        mentions.sort();
        mentions
    }

    async fn classify_own(
        &self,
        file: &WordFile,
        word: &str,
        modules: &FxHashSet<&str>,
        references: Option<&FileReferences<'_>>,
        sorted: &mut SortedMentions,
    ) {
        let rest: Vec<_> = find_uncovered(file, word, references).collect();
        let has_code = rest.iter().any(|occurrence| occurrence.is_code);
        let exclusions = if has_code { self.file_exclusions(&file.path).await } else { None };
        let is_hidden = exclusions.as_ref().is_some_and(|exclusions| exclusions.file_reason().is_some());
        let start_of_file = self.start_of_file(&file.path);
        for occurrence in rest {
            let mention = mention_at(&start_of_file, occurrence, word);
            if !occurrence.is_code {
                let is_quoted = match occurrence.quotation {
                    Quotation::Whole => true,
                    Quotation::Path => self.is_path_of_module(file, occurrence, modules).await,
                    Quotation::Other => false,
                };
                let class = if is_quoted { &mut sorted.mentions.quoted } else { &mut sorted.mentions.in_text };
                class.push(mention);
                continue;
            }
            let reason = exclusions.as_ref().and_then(|exclusions| exclusions.reason_for(occurrence));
            // The server may count lines otherwise, so a check would be about another place.
            match reason.filter(|reason| is_hidden || *reason == LONE_RETURNS) {
                Some(reason) => {
                    let reason = reason.to_owned();
                    self.add_unread(&mut sorted.mentions, &file.path, reason, UnreadKind::Unread, mention);
                }
                None => {
                    let reason = reason.map(str::to_owned);
                    sorted.candidates.push(Candidate { mention, path: file.path.clone(), reason });
                }
            }
        }
    }

    /// Whether a string is a dotted path to the word that names one of the modules: `"shapes.Circle.area"`.
    async fn is_path_of_module(&self, file: &WordFile, word: &WordPosition, modules: &FxHashSet<&str>) -> bool {
        let Ok(document) = self.document(&file.path).await else { return false };
        let offset = document.index.from_lsp(word.start(Encoding::Utf16), Encoding::Utf16);
        let path = text_search::path_before(&document.text, usize::from(offset));
        path.is_some_and(|path| path.split(['.', ':']).any(|part| modules.contains(part)))
    }

    /// Adds a mention to those of the same file and reason.
    fn add_unread(
        &self,
        mentions: &mut Mentions,
        path: &Utf8Path,
        reason: String,
        kind: UnreadKind,
        mention: RawLocation,
    ) {
        let mut known = mentions.unread.iter_mut();
        match known.find(|known| known.path == path && known.reason == reason && !known.locations.is_empty()) {
            Some(known) => {
                known.count += 1;
                known.locations.push(mention);
            }
            None => mentions.unread.push(UnreadMentions { kind, ..self.unread(path, reason, 1, vec![mention]) }),
        }
    }

    /// Returns the parts of a file that servers may not have read; `None` if the file is not readable.
    pub(crate) async fn file_exclusions(&self, path: &Utf8Path) -> Option<FileExclusions> {
        let document = self.document(path).await.ok()?;
        let parts = ExcludedParts::find(path, &self.tree_of(path)?, &document.text);
        Some(FileExclusions { document, parts })
    }

    /// Returns the location of a word that begins at a position in UTF-16 code units.
    pub(crate) fn location_of_word(&self, path: &Utf8Path, start: lsp::Position, word: &str) -> RawLocation {
        let mut found = self.start_of_file(path);
        found.location.range = lsp::Range { start, end: end(start, word, found.encoding) };
        found
    }

    /// Returns the location of the beginning of a file, in UTF-16 code units.
    fn start_of_file(&self, path: &Utf8Path) -> RawLocation {
        let location = lsp::Location { uri: uri::from_path(path), range: lsp::Range::default() };
        let (display_path, external) = self.display_location(&location);
        let encoding = Encoding::Utf16;
        RawLocation { location, encoding, display_path, external, declaration: false, text_only: false }
    }

    fn unread(&self, path: &Utf8Path, reason: String, count: usize, locations: Vec<RawLocation>) -> UnreadMentions {
        let display_path = crate::markup::clean_line(&self.workspace().display(path));
        UnreadMentions { path: path.to_owned(), display_path, reason, kind: UnreadKind::Unread, count, locations }
    }
}

fn sort_by_line(found: &mut [RawLocation]) {
    let line = |found: &RawLocation| found.location.range.start.line;
    found.sort_by(|a, b| a.display_path.cmp(&b.display_path).then_with(|| line(a).cmp(&line(b))));
}

/// Returns the location of a mention in a file, whose paths a file with many mentions needs only once.
fn mention_at(start_of_file: &RawLocation, occurrence: &WordPosition, word: &str) -> RawLocation {
    let mut mention = RawLocation { text_only: true, ..start_of_file.clone() };
    let start = occurrence.start(mention.encoding);
    mention.location.range = lsp::Range { start, end: end(start, word, mention.encoding) };
    mention
}

/// Returns the occurrences that are not in a reference.
fn find_uncovered<'a>(
    file: &'a WordFile,
    word: &'a str,
    references: Option<&'a FileReferences<'_>>,
) -> impl Iterator<Item = &'a WordPosition> {
    file.occurrences
        .iter()
        .filter(move |occurrence| !references.is_some_and(|references| references.covers(occurrence, word)))
}

fn group_by_path(references: &[RawLocation]) -> FxHashMap<Utf8PathBuf, FileReferences<'_>> {
    let mut by_path: FxHashMap<Utf8PathBuf, FileReferences<'_>> = FxHashMap::default();
    // Servers group references by file, so zubi parses each URI once per group.
    for group in references.chunk_by(|one, next| one.location.uri == next.location.uri) {
        let path = group.first().and_then(|found| uri::to_path(&found.location.uri));
        if let Some(path) = path {
            let file_references = by_path.entry(path).or_default();
            for found in group {
                file_references.add(found);
            }
        }
    }
    by_path
}

/// The references in one file.
#[derive(Default)]
struct FileReferences<'a> {
    encoding: Encoding,
    starts: FxHashSet<(u32, u32)>,
    all: Vec<&'a RawLocation>,
}

impl<'a> FileReferences<'a> {
    fn add(&mut self, found: &'a RawLocation) {
        let start = found.location.range.start;
        // All locations have the same encoding here.
        self.encoding = found.encoding;
        self.starts.insert((start.line, start.character));
        self.all.push(found);
    }

    /// Whether a match is in a reference: a server may mark more than the name, such as `super::parse`.
    fn covers(&self, occurrence: &WordPosition, word: &str) -> bool {
        let key = |position: lsp::Position| (position.line, position.character);
        let start = key(occurrence.start(self.encoding));
        let inside = |found: &&RawLocation| {
            let range = found.location.range;
            key(range.start) <= start
                && key(end(occurrence.start(self.encoding), word, self.encoding)) <= key(range.end)
        };
        self.starts.contains(&start) || self.all.iter().any(inside)
    }
}

/// Returns the end of the word that begins there; a word never spans lines.
fn end(start: lsp::Position, word: &str, encoding: Encoding) -> lsp::Position {
    let length = encoding.length(word);
    let character = start.character.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
    lsp::Position { character, ..start }
}
