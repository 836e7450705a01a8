//! The textual remainder of an answer about references: whole-word matches of the name that are none. They are what a
//! search for the text would have found besides: comments, strings, namesakes.

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use rustc_hash::FxHashMap;
use zubi_base::endpoint::DocumentRef;
use zubi_base::lsp;
use zubi_base::position::{Encoding, TextRange};
use zubi_base::uri;

use crate::error::CodeError;
use crate::features::locations::{Found, Relation};
use crate::locate::Resolved;
use crate::question::Question;
use crate::words::{self, WordPlaces};

/// The longest the search may take: it goes along with every answer about references and must not be felt.
const WORD_SEARCH: Duration = Duration::from_millis(150);

impl Question<'_> {
    /// Where the name stands as a whole word in the workspace's files of the same language: those that the servers of
    /// the symbol's own file serve. `None`: there is no name, or the search came to its bound and says nothing.
    pub async fn word_matches(&self, at: &Resolved) -> Option<WordPlaces> {
        let word = at.name.clone()?;
        let endpoints = self.navigators(&at.reference).await;
        let roots: Vec<Utf8PathBuf> = self.workspace().folders().iter().map(|folder| folder.path.clone()).collect();
        let deadline = self.cx.deadline;
        let search = move || {
            let until = deadline.min(Instant::now() + WORD_SEARCH);
            words::places(&roots, &word, until, |path| {
                let document = DocumentRef::new(path);
                endpoints.iter().any(|endpoint| endpoint.serves(&document))
            })
        };
        // Reading thousands of files would hold up the calls that share this thread.
        tokio::task::spawn_blocking(search).await.ok().flatten()
    }

    /// The matches that are not among the references of a complete answer, by path and line.
    pub async fn remainder(
        &self,
        at: &Resolved,
        relation: Relation,
        references: &[Found],
        matches: &WordPlaces,
    ) -> Result<Vec<Found>, CodeError> {
        // Declarations that were left out of the answer are no remainder of it.
        let with_declarations;
        let references = match relation {
            Relation::References { include_declaration: false } => {
                let all = Relation::References { include_declaration: true };
                with_declarations = self.locations(at, all).await?.value;
                &with_declarations
            }
            _ => references,
        };
        let mut by_file: FxHashMap<Utf8PathBuf, Vec<&Found>> = FxHashMap::default();
        for found in references {
            if let Some(path) = uri::to_path(&found.location.uri) {
                by_file.entry(path).or_default().push(found);
            }
        }
        let mut rest = Vec::new();
        for file in &matches.files {
            let known: Vec<TextRange> = by_file
                .get(&file.path)
                .into_iter()
                .flatten()
                .map(|found| file.index.range_from_lsp(&found.location.range, found.encoding))
                .collect();
            // A server may mark more than the name: `super::parse`, `parse!`.
            let others = file.ranges.iter().filter(|range| !known.iter().any(|known| known.contains_range(**range)));
            for range in others {
                let range = file.index.range_to_lsp(*range, Encoding::Utf16);
                let location = lsp::Location { uri: uri::from_path(&file.path), range };
                let (shown, external) = self.shown(&location);
                let encoding = Encoding::Utf16;
                rest.push(Found { location, encoding, shown, external, declaration: false, text_only: true });
            }
        }
        rest.sort_by_cached_key(|found| (found.shown.clone(), found.location.range.start.line));
        Ok(rest)
    }
}
