//! Whole-word matches of a name that are not references (comments, strings, namesakes), which a text search would find.

use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::endpoint::DocumentRef;
use zubi_base::lsp;
use zubi_base::position::Encoding;
use zubi_base::uri;

use crate::error::CodeError;
use crate::features::locations::{RawLocation, Relation};
use crate::locate::ResolvedTarget;
use crate::query::CodeQuery;
use crate::text_search::{self, WordOccurrences, WordPosition};

/// The time limit of the search, which accompanies every answer about references and must not delay it noticeably.
const WORD_SEARCH: Duration = Duration::from_millis(150);

impl CodeQuery<'_> {
    /// Returns the whole-word matches of the name in the workspace's files of the same language, that is, the language
    /// of the servers that serve the symbol's file. `None` without a name, or if the search reached its limit.
    pub async fn word_matches(&self, at: &ResolvedTarget) -> Option<Arc<WordOccurrences>> {
        let word = at.name.clone()?;
        // Read before any file, so that a later change makes the entry obsolete.
        let changes = self.intel.router.file_changes();
        let key = (word.clone(), at.path.extension().map(str::to_owned));
        if let Some(cached) = self.intel.words.get(changes, &key) {
            return Some(cached);
        }
        let endpoints = self.navigators(&at.reference).await;
        let roots = self.workspace().roots();
        let (deadline, unsaved) = (self.cx.deadline, self.intel.texts.unsaved_texts());
        let search = move || {
            let until = deadline.min(Instant::now() + WORD_SEARCH);
            text_search::find_occurrences(&roots, &word, until, &unsaved, |path| {
                let document = DocumentRef::new(path);
                endpoints.iter().any(|endpoint| endpoint.supports_language(&document))
            })
        };
        // Reading thousands of files would block other tasks of this thread.
        let found = Arc::new(tokio::task::spawn_blocking(search).await.ok().flatten()?);
        self.intel.words.insert(changes, key, &found);
        Some(found)
    }

    /// Returns the matches that are not references of a complete answer, sorted by path and line.
    pub async fn text_matches(
        &self,
        at: &ResolvedTarget,
        relation: Relation,
        references: &[RawLocation],
        matches: &WordOccurrences,
    ) -> Result<Vec<RawLocation>, CodeError> {
        // Excluded declarations are references too, so they are not text matches.
        let with_declarations;
        let references = match relation {
            Relation::References { include_declaration: false } => {
                let all = Relation::References { include_declaration: true };
                with_declarations = self.locations(at, all).await?.value;
                &with_declarations
            }
            _ => references,
        };
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
        let word = at.name.as_deref().unwrap_or_default();
        let mut rest = Vec::new();
        for file in &matches.files {
            let file_references = by_path.get(&file.path);
            let others = file.occurrences.iter().filter(|occurrence| {
                !file_references.is_some_and(|file_references| file_references.covers(occurrence, word))
            });
            for occurrence in others {
                let encoding = Encoding::Utf16;
                let range = lsp::Range { start: occurrence.start(encoding), end: end(occurrence, word, encoding) };
                let location = lsp::Location { uri: uri::from_path(&file.path), range };
                let (shown, external) = self.display_location(&location);
                rest.push(RawLocation {
                    location,
                    encoding,
                    display_path: shown,
                    external,
                    declaration: false,
                    text_only: true,
                });
            }
        }
        rest.sort_by_cached_key(|found| (found.display_path.clone(), found.location.range.start.line));
        Ok(rest)
    }
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
