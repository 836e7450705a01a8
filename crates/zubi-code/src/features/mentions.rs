//! Whole-word matches of a name that a server did not report as references, in three classes: in comments and strings;
//! in code that the server has read (other symbols of the same name); in code that it has not read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::endpoint::DocumentRef;
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::uri;

use crate::exclusion::ExcludedParts;
use crate::features::locations::RawLocation;
use crate::locate::ResolvedTarget;
use crate::query::{CodeQuery, SourceDocument};
use crate::text_search::{self, FileKind, WordFile, WordOccurrences, WordPosition};

mod unresolved;

/// The time limit of the search, which accompanies every answer about references. Its result is stored until a file
/// changes, so only the first answer about a name in a large workspace can take this long.
const WORD_SEARCH: Duration = Duration::from_secs(1);

/// The maximum number of files with unread mentions that a clause names.
const MAX_NAMED: usize = 4;

/// The word matches that are not in an answer about references.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// In comments and strings, sorted by path and line.
    pub in_text: Vec<RawLocation>,
    /// In code that the servers have read: other symbols of the same name. Sorted by path and line.
    pub namesakes: Vec<RawLocation>,
    /// In code that the servers have not read, by file.
    pub unread: Vec<UnreadMentions>,
}

/// The mentions in a file that the servers have not read, at least in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadMentions {
    pub path: Utf8PathBuf,
    pub display_path: String,
    /// The reason, as a clause: ``build constraint `integration` ``.
    pub reason: String,
    /// The number of mentions; zero if it is not known, as in a file that is not UTF-8.
    pub count: usize,
    /// The positions; empty in a notebook, whose cells are in `reason`.
    pub locations: Vec<RawLocation>,
}

impl Mentions {
    /// The number of all word matches.
    pub fn count(&self) -> usize {
        self.in_text.len() + self.namesakes.len() + self.unread.iter().map(|file| file.count).sum::<usize>()
    }

    /// Whether every match in code is a reference, so that the servers cannot have missed one.
    pub fn has_no_code(&self) -> bool {
        self.namesakes.is_empty() && self.unread.is_empty()
    }

    /// All positions, sorted by path and line.
    pub fn into_locations(self) -> Vec<RawLocation> {
        let unread = self.unread.into_iter().flat_map(|file| file.locations);
        let mut all: Vec<_> = self.in_text.into_iter().chain(self.namesakes).chain(unread).collect();
        sort_by_line(&mut all);
        all
    }

    /// Names the files that the servers have not read: `src/Cart.vue (3), open_windows.go (1: only for windows, …)`.
    pub(crate) fn describe_unread(&self) -> Option<String> {
        if self.unread.is_empty() {
            return None;
        }
        let name = |file: &UnreadMentions| match file.count {
            0 => format!("{} ({})", file.display_path, file.reason),
            count => format!("{} ({count}: {})", file.display_path, file.reason),
        };
        let mut names: Vec<_> = self.unread.iter().take(MAX_NAMED).map(name).collect();
        if let Some(more) = self.unread.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            names.push(format!("{more} more files"));
        }
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
        self.parts.reason_at(usize::from(offset))
    }

    pub(crate) fn file_reason(&self) -> Option<&str> {
        self.parts.file_reason()
    }
}

impl CodeQuery<'_> {
    /// Returns the whole-word matches of the name in the workspace's files of the same language, that is, the language
    /// of the servers that serve the symbol's file, and in files that may contain code of it. `None` without a name, or
    /// if the search reached its limit.
    pub async fn word_matches(&self, at: &ResolvedTarget) -> Option<Arc<WordOccurrences>> {
        let word = at.name.clone()?;
        // Read before any file, so that a later change makes the entry obsolete.
        let changes = self.intel.router.file_changes();
        let roots = self.search_roots(&at.path);
        let key = (word.clone(), at.path.extension().map(str::to_owned), roots.clone());
        if let Some(cached) = self.intel.words.get(changes, &key) {
            return Some(cached);
        }
        let endpoints = self.navigators(&at.reference).await;
        let (deadline, unsaved) = (self.cx.deadline, self.intel.texts.unsaved_texts());
        let extension = at.path.extension().unwrap_or_default().to_owned();
        let search = move || {
            let until = deadline.min(Instant::now() + WORD_SEARCH);
            text_search::find_occurrences(&roots, &word, until, &unsaved, &extension, |path| {
                let document = DocumentRef::new(path);
                endpoints.iter().any(|endpoint| endpoint.supports_language(&document))
            })
        };
        // Reading thousands of files would block other tasks of this thread.
        let found = Arc::new(tokio::task::spawn_blocking(search).await.ok().flatten()?);
        self.intel.words.insert(changes, key, &found);
        Some(found)
    }

    /// Sorts the matches that are not among the references into their classes. `references` includes declarations.
    pub(crate) async fn classify_mentions(
        &self,
        at: &ResolvedTarget,
        references: &[RawLocation],
        matches: &WordOccurrences,
    ) -> Mentions {
        let by_path = group_by_path(references);
        let word = at.name.as_deref().unwrap_or_default();
        let mut mentions = Mentions::default();
        for file in &matches.files {
            match &file.kind {
                FileKind::Own => self.classify_own(file, word, by_path.get(&file.path), &mut mentions).await,
                FileKind::Embedding => {
                    let missed = find_uncovered(file, word, by_path.get(&file.path));
                    let locations: Vec<_> = missed.map(|one| self.mention(&file.path, one, word)).collect();
                    if !locations.is_empty() {
                        let reason = "no queried server reads it".to_owned();
                        mentions.unread.push(self.unread(&file.path, reason, locations.len(), locations));
                    }
                }
                FileKind::Notebook(places) => {
                    let shown = places.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
                    mentions.unread.push(self.unread(&file.path, shown, places.len(), Vec::new()));
                }
                FileKind::NotUtf8 => {
                    mentions.unread.push(self.unread(&file.path, "not UTF-8".to_owned(), 0, Vec::new()));
                }
            }
        }
        self.separate_unresolved(at, &mut mentions).await;
        sort_by_line(&mut mentions.in_text);
        sort_by_line(&mut mentions.namesakes);
        mentions.unread.sort_by(|one, other| one.display_path.cmp(&other.display_path));
        mentions
    }

    async fn classify_own(
        &self,
        file: &WordFile,
        word: &str,
        references: Option<&FileReferences<'_>>,
        mentions: &mut Mentions,
    ) {
        let rest: Vec<_> = find_uncovered(file, word, references).collect();
        let has_code = rest.iter().any(|occurrence| occurrence.is_code);
        let exclusions = if has_code { self.file_exclusions(&file.path).await } else { None };
        let mut unread: BTreeMap<String, Vec<RawLocation>> = BTreeMap::new();
        for occurrence in rest {
            let mention = self.mention(&file.path, occurrence, word);
            if !occurrence.is_code {
                mentions.in_text.push(mention);
            } else if let Some(reason) = exclusions.as_ref().and_then(|exclusions| exclusions.reason_for(occurrence)) {
                unread.entry(reason.to_owned()).or_default().push(mention);
            } else {
                mentions.namesakes.push(mention);
            }
        }
        for (reason, locations) in unread {
            mentions.unread.push(self.unread(&file.path, reason, locations.len(), locations));
        }
    }

    /// Returns the parts of a file that servers may not have read; `None` if the file is not readable.
    pub(crate) async fn file_exclusions(&self, path: &Utf8Path) -> Option<FileExclusions> {
        let document = self.document(path).await.ok()?;
        let parts = ExcludedParts::find(path, &self.workspace().folder_of(path)?.path, &document.text);
        Some(FileExclusions { document, parts })
    }

    fn mention(&self, path: &Utf8Path, occurrence: &WordPosition, word: &str) -> RawLocation {
        let encoding = Encoding::Utf16;
        let range = lsp::Range { start: occurrence.start(encoding), end: end(occurrence, word, encoding) };
        let location = lsp::Location { uri: uri::from_path(path), range };
        let (display_path, external) = self.display_location(&location);
        RawLocation { location, encoding, display_path, external, declaration: false, text_only: true }
    }

    fn unread(&self, path: &Utf8Path, reason: String, count: usize, locations: Vec<RawLocation>) -> UnreadMentions {
        let display_path = crate::markup::clean_line(&self.workspace().display(path));
        UnreadMentions { path: path.to_owned(), display_path, reason, count, locations }
    }
}

fn sort_by_line(found: &mut [RawLocation]) {
    found.sort_by_cached_key(|found| (found.display_path.clone(), found.location.range.start.line));
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
            key(range.start) <= start && key(end(occurrence, word, self.encoding)) <= key(range.end)
        };
        self.starts.contains(&start) || self.all.iter().any(inside)
    }
}

/// Returns the end of the word that begins there; a word never spans lines.
fn end(occurrence: &WordPosition, word: &str, encoding: Encoding) -> lsp::Position {
    let length = match encoding {
        Encoding::Utf8 => word.len(),
        Encoding::Utf16 => word.encode_utf16().count(),
        Encoding::Utf32 => word.chars().count(),
    };
    let start = occurrence.start(encoding);
    let character = start.character.saturating_add(u32::try_from(length).unwrap_or(u32::MAX));
    lsp::Position { character, ..start }
}
