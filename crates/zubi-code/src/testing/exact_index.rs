//! An index of exact occurrences that answers as a test says.

#![expect(clippy::expect_used, reason = "data that do not fit the fixture must fail their test")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::position::Encoding;
use zubi_base::text::TextSource;

use super::Toy;
use crate::exact_index::{
    ExactAnswer, ExactContent, ExactDocument, ExactImport, ExactImportFailure, ExactImportStatus, ExactIndex,
    ExactIndexError, ExactLocation, ExactQuery, ExactRole, ExactSymbol,
};

/// An index whose data are the lines `PATH:LINE:NAME [definition]`, at the first occurrence of the name.
#[derive(Default)]
pub struct ScriptedExactIndex {
    root: Mutex<Utf8PathBuf>,
    pub lines: Mutex<Vec<String>>,
    /// The error of every query.
    pub error: Mutex<Option<ExactIndexError>>,
    /// Ends of the paths of files that the data do not cover.
    pub uncovered: Mutex<Vec<Utf8PathBuf>>,
    pub failures: Mutex<Vec<ExactImportFailure>>,
    /// The number of queries.
    pub queries: AtomicUsize,
}

impl ScriptedExactIndex {
    /// Creates a workspace whose code intelligence has an index with these data.
    pub fn toy(fixture: &str, lines: &[&str]) -> (Toy, Arc<Self>) {
        let index = Arc::new(Self::default());
        index.lines.lock().unwrap_or_else(PoisonError::into_inner).extend(lines.iter().map(|line| (*line).to_owned()));
        let toy = Toy::with_config(fixture, Encoding::Utf16, |mut config| {
            config.exact = vec![Arc::clone(&index) as Arc<dyn ExactIndex>];
            config
        });
        index.root.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&toy.root);
        (toy, index)
    }
}

#[async_trait]
impl ExactIndex for ScriptedExactIndex {
    async fn find(&self, query: &ExactQuery, _texts: &dyn TextSource) -> Result<ExactAnswer, ExactIndexError> {
        self.queries.fetch_add(1, Ordering::SeqCst);
        if let Some(error) = self.error.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(error);
        }
        let root = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut answer = ExactAnswer { imports: vec![origin()], ..ExactAnswer::default() };
        for line in self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let (place, role) = line.split_once(' ').unwrap_or((line, ""));
            let mut parts = place.split(':');
            let (path, number, name) =
                (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let is_definition = role == "definition";
            if is_definition == (query.role == ExactRole::References) {
                continue;
            }
            let (line, range) = find_name(&root.join(path), number.parse().expect("a line number"), name);
            let location = ExactLocation { range, line, symbol: 0, is_definition, is_write: false, is_import: false };
            let content = ExactContent::Exact(vec![location]);
            answer.documents.push(ExactDocument { path: root.join(path), import: 0, content });
            answer.symbols = vec![ExactSymbol {
                moniker: name.to_owned(),
                package: None,
                name: name.to_owned(),
                containers: Vec::new(),
                kind: None,
            }];
        }
        Ok(answer)
    }

    async fn status(&self, _texts: &dyn TextSource) -> Result<Vec<ExactImportStatus>, ExactIndexError> {
        Ok(Vec::new())
    }

    async fn find_uncovered(
        &self,
        paths: &[Utf8PathBuf],
        _texts: &dyn TextSource,
    ) -> Result<Vec<Utf8PathBuf>, ExactIndexError> {
        let uncovered = self.uncovered.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(paths.iter().filter(|path| uncovered.iter().any(|one| path.ends_with(one))).cloned().collect())
    }

    async fn failed_imports(&self) -> Vec<ExactImportFailure> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn origin() -> ExactImport {
    let commit = Some("3f2a91c0123456789abcdef0123456789abcdef0".to_owned());
    ExactImport { tool: "tool".to_owned(), version: String::new(), commit, imported_at: Duration::ZERO }
}

/// Returns the 0-based line and the range of a name on a 1-based line.
fn find_name(path: &Utf8Path, line: u32, name: &str) -> (u32, std::ops::Range<usize>) {
    let text = zubi_base::fs::read_text(path).expect("a file of the fixture");
    let before: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let start = before + text.get(before..).and_then(|rest| rest.find(name)).expect("the name");
    (line - 1, start..start + name.len())
}
