//! The uses of a symbol in all repositories of a team: the query, the answer, and its text and JSON, which are the same on
//! every surface.
//!
//! The data are those of pushed commits. So they prove nothing about present files, and no answer is the basis of an edit.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use zubi_base::text::{display_age, ellipsize, pluralize};

use crate::exact_index::ExactIndexError;

/// The maximum length of a symbol in a text, in characters.
const MAX_SYMBOL: usize = 200;

/// The maximum number of symbols in the JSON of an answer.
const MAX_JSON_SYMBOLS: usize = 100;

/// An index of the uses in several repositories.
#[async_trait]
pub trait SymbolUseIndex: Send + Sync {
    /// Returns the uses and definitions of a symbol in the newest commit of each repository.
    async fn find_uses(&self, query: &UseQuery) -> Result<SymbolUses, ExactIndexError>;
}

/// A query for uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseQuery {
    /// A name, a name path (`Type/method`), or a whole symbol of SCIP.
    pub symbol: String,
    /// The name of the only repository to search.
    pub repository: Option<String>,
    /// The number of lines to skip: those of the answers before.
    pub start: usize,
    /// The maximum number of lines. Definitions do not count.
    pub limit: usize,
}

/// The uses of a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolUses {
    /// The symbols that the query means; sorted.
    pub symbols: Vec<String>,
    /// The documents with occurrences, sorted by repository and path.
    pub documents: Vec<DocumentUses>,
    /// Whether a limit omitted symbols, documents or lines.
    pub has_more: bool,
    /// The `start` of the query for the omitted lines. `None` without omitted lines, or if a limit of the index omitted them.
    pub next: Option<usize>,
}

/// The uses in a document of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentUses {
    /// The name of the repository.
    pub repository: String,
    /// The path relative to the top folder of the repository.
    pub path: String,
    /// The id of the commit that the indexer has read.
    pub commit: String,
    /// The time of the commit since the Unix epoch.
    pub committed_at: Duration,
    /// The indexer.
    pub tool: String,
    /// The 1-based lines of the uses, without duplicates; sorted.
    pub lines: Vec<u32>,
    /// The 1-based lines of the definitions; sorted.
    pub definitions: Vec<u32>,
}

impl DocumentUses {
    fn age(&self, now: Duration) -> u64 {
        now.saturating_sub(self.committed_at).as_secs()
    }
}

impl SymbolUses {
    /// Returns the number of lines with uses.
    pub fn line_count(&self) -> usize {
        self.documents.iter().map(|document| document.lines.len()).sum()
    }

    /// Returns the number of lines with definitions.
    pub fn definition_count(&self) -> usize {
        self.documents.iter().map(|document| document.definitions.len()).sum()
    }

    /// Removes the definitions after the first `limit`, and the documents that have only such ones. No later answer has them.
    pub fn truncate_definitions(&mut self, limit: usize) {
        let mut rest = limit;
        self.documents.retain_mut(|document| {
            self.has_more |= document.definitions.len() > rest;
            document.definitions.truncate(rest);
            rest -= document.definitions.len();
            !document.definitions.is_empty() || !document.lines.is_empty()
        });
    }

    /// Removes the lines after the first `limit`. The first line of the query has the index `start`.
    pub fn truncate(&mut self, start: usize, limit: usize) {
        if self.line_count() <= limit {
            return;
        }
        let mut rest = limit;
        self.documents.retain_mut(|document| {
            let is_shown = rest > 0;
            document.lines.truncate(rest);
            rest -= document.lines.len();
            is_shown
        });
        self.has_more = true;
        self.next = Some(start.saturating_add(limit));
    }

    /// Renders the answer for a person or a model. `more` says how to get the omitted part.
    pub fn describe(&self, query: &UseQuery, now: Duration, more: &str) -> String {
        let symbol = ellipsize(&query.symbol, MAX_SYMBOL);
        let files = pluralize(self.documents.len(), "file");
        let mut text = match (self.documents.is_empty(), query.start) {
            (true, 0) => format!("the data have no use of `{symbol}`"),
            (true, _) => format!("the data have no more uses of `{symbol}`"),
            (false, 0) => format!("{} of `{symbol}` in {files}", pluralize(self.line_count(), "use")),
            (false, _) => format!("{} of `{symbol}` in {files}", pluralize(self.line_count(), "more use")),
        };
        let mut last = None;
        for document in &self.documents {
            let origin = (&document.repository, &document.commit);
            // Writing to a `String` cannot fail.
            if last != Some(origin) {
                let commit = document.commit.get(..7).unwrap_or(&document.commit);
                let age = display_age(document.age(now));
                let _ = write!(text, "\n{} at {commit}, committed {age} ago", document.repository);
                last = Some(origin);
            }
            for (lines, note) in [(&document.definitions, "  (definition)"), (&document.lines, "")] {
                for line in lines {
                    let _ = write!(text, "\n  {}:{line}{note}", document.path);
                }
            }
        }
        text.push_str("\n[scip · the newest pushed commit of each repository, not the present files");
        if self.has_more {
            let _ = write!(text, " · more are left out: {more}");
        }
        if self.symbols.is_empty() {
            text.push_str(" · the symbol is not in them, which does not prove that it has no uses");
        }
        text.push(']');
        text
    }

    /// Returns the answer for programs.
    pub fn to_json(&self, now: Duration) -> Value {
        let document = |document: &DocumentUses| {
            json!({
                "repository": document.repository,
                "path": document.path,
                "commit": document.commit,
                "commitAgeSeconds": document.age(now),
                "tool": document.tool,
                "lines": document.lines,
                "definitions": document.definitions,
            })
        };
        let documents: Vec<_> = self.documents.iter().map(document).collect();
        let symbols = self.symbols.get(..MAX_JSON_SYMBOLS).unwrap_or(&self.symbols);
        let has_more = self.has_more || symbols.len() < self.symbols.len();
        json!({ "source": "scip", "symbols": symbols, "documents": documents, "hasMore": has_more })
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn document(path: &str, lines: &[u32], definitions: &[u32]) -> DocumentUses {
        DocumentUses {
            repository: "git.example/app".to_owned(),
            path: path.to_owned(),
            commit: "ab".repeat(20),
            committed_at: Duration::from_secs(1_000),
            tool: "test".to_owned(),
            lines: lines.to_vec(),
            definitions: definitions.to_vec(),
        }
    }

    #[test]
    fn an_answer_names_the_commits_and_the_omitted_part() {
        let query = UseQuery { symbol: "area".to_owned(), repository: None, start: 0, limit: 10 };
        let mut uses = SymbolUses {
            symbols: vec!["test . p 1 area().".to_owned()],
            documents: vec![document("a.py", &[3, 9], &[1]), document("b.py", &[], &[5]), document("c.py", &[4], &[])],
            has_more: false,
            next: None,
        };
        let now = Duration::from_secs(8_300);
        assert_snapshot!(uses.describe(&query, now, "pass `cursor`"), @"
        3 uses of `area` in 3 files
        git.example/app at abababa, committed 2 h ago
          a.py:1  (definition)
          a.py:3
          a.py:9
          b.py:5  (definition)
          c.py:4
        [scip · the newest pushed commit of each repository, not the present files]
        ");
        uses.truncate(0, 3);
        assert!(!uses.has_more);
        uses.truncate(20, 1);
        assert_eq!((uses.next, uses.line_count()), (Some(21), 1));
        assert_snapshot!(uses.describe(&UseQuery { start: 20, ..query.clone() }, now, "pass `cursor`"), @"
        1 more use of `area` in 1 file
        git.example/app at abababa, committed 2 h ago
          a.py:1  (definition)
          a.py:3
        [scip · the newest pushed commit of each repository, not the present files · more are left out: pass `cursor`]
        ");
        assert_snapshot!(uses.to_json(now), @r#"{"source":"scip","symbols":["test . p 1 area()."],"documents":[{"repository":"git.example/app","path":"a.py","commit":"abababababababababababababababababababab","commitAgeSeconds":7300,"tool":"test","lines":[3],"definitions":[1]}],"hasMore":true}"#);
        assert_snapshot!(SymbolUses::default().describe(&query, now, ""), @"
        the data have no use of `area`
        [scip · the newest pushed commit of each repository, not the present files · the symbol is not in them, which does not prove that it has no uses]
        ");
    }

    #[test]
    fn definitions_and_symbols_have_limits() {
        let documents = vec![document("a.py", &[3], &[1, 2]), document("b.py", &[], &[5]), document("c.py", &[4], &[])];
        let mut uses = SymbolUses { documents, ..SymbolUses::default() };
        uses.truncate_definitions(3);
        assert_eq!((uses.documents.len(), uses.definition_count(), uses.has_more), (3, 3, false));
        uses.truncate_definitions(1);
        assert_eq!(uses.documents, [document("a.py", &[3], &[1]), document("c.py", &[4], &[])]);
        assert_eq!((uses.has_more, uses.next), (true, None));

        let symbols = (0..=MAX_JSON_SYMBOLS).map(|number| format!("test . p {number} area().")).collect();
        let shown = SymbolUses { symbols, ..SymbolUses::default() }.to_json(Duration::ZERO);
        assert_eq!(shown["symbols"].as_array().unwrap().len(), MAX_JSON_SYMBOLS);
        assert_eq!(shown["hasMore"], true);
    }
}
