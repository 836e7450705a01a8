//! Answers from exact data, with an index that answers as a test says.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::endpoint::Readiness;
use zubi_base::position::Encoding;
use zubi_base::text::TextSource;
use zubi_code::exact_index::{
    ExactAnswer, ExactContent, ExactDocument, ExactImport, ExactImportFailure, ExactImportStatus, ExactIndex,
    ExactIndexError, ExactLocation, ExactQuery, ExactRole, ExactSymbol,
};
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::testing::Toy;
use zubi_code::{CallCx, CodeError, CodeQuery};

/// An index whose data are the lines `PATH:LINE:NAME [definition]`, at the first occurrence of the name.
#[derive(Default)]
struct ScriptedIndex {
    root: Mutex<Utf8PathBuf>,
    lines: Mutex<Vec<String>>,
    error: Mutex<Option<ExactIndexError>>,
    uncovered: Mutex<Vec<Utf8PathBuf>>,
    failures: Mutex<Vec<ExactImportFailure>>,
    queries: AtomicUsize,
}

#[async_trait]
impl ExactIndex for ScriptedIndex {
    async fn find(&self, query: &ExactQuery, _texts: &dyn TextSource) -> Result<ExactAnswer, ExactIndexError> {
        self.queries.fetch_add(1, Ordering::SeqCst);
        if let Some(error) = self.error.lock().unwrap().clone() {
            return Err(error);
        }
        let root = self.root.lock().unwrap().clone();
        let mut answer = ExactAnswer { imports: vec![origin()], ..ExactAnswer::default() };
        for line in self.lines.lock().unwrap().iter() {
            let (place, role) = line.split_once(' ').unwrap_or((line, ""));
            let mut parts = place.split(':');
            let (path, number, name) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
            let is_definition = role == "definition";
            if is_definition == (query.role == ExactRole::References) {
                continue;
            }
            let (line, range) = find_name(&root.join(path), number.parse().unwrap(), name);
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
        let uncovered = self.uncovered.lock().unwrap();
        Ok(paths.iter().filter(|path| uncovered.iter().any(|one| path.ends_with(one))).cloned().collect())
    }

    async fn failed_imports(&self) -> Vec<ExactImportFailure> {
        self.failures.lock().unwrap().clone()
    }
}

fn origin() -> ExactImport {
    let commit = Some("3f2a91c0123456789abcdef0123456789abcdef0".to_owned());
    ExactImport { tool: "tool".to_owned(), version: String::new(), commit, imported_at: Duration::ZERO }
}

/// Returns the 0-based line and the range of a name on a 1-based line.
fn find_name(path: &Utf8Path, line: u32, name: &str) -> (u32, std::ops::Range<usize>) {
    let text = zubi_base::fs::read_text(path).unwrap();
    let before: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let start = before + text.get(before..).unwrap().find(name).unwrap();
    (line - 1, start..start + name.len())
}

/// A workspace whose code intelligence has such an index.
fn toy(fixture: &str, lines: &[&str]) -> (Toy, Arc<ScriptedIndex>) {
    let index = Arc::new(ScriptedIndex::default());
    index.lines.lock().unwrap().extend(lines.iter().map(|line| (*line).to_owned()));
    let toy = Toy::with_config(fixture, Encoding::Utf16, |mut config| {
        config.exact = vec![Arc::clone(&index) as Arc<dyn ExactIndex>];
        config
    });
    index.root.lock().unwrap().clone_from(&toy.root);
    (toy, index)
}

async fn references(toy: &Toy, at: &str, cx: CallCx) -> String {
    let query = toy.intel.query(cx).await;
    let target = TargetInput { at: Some(at.to_owned()), ..TargetInput::default() };
    let at = query.resolve(&target, PositionIntent::Identifier).await.unwrap();
    match query.references(&at, true).await {
        Err(error) => error.to_string(),
        Ok(found) => {
            let mut shown = list(&query, &found.value.locations).await;
            let status = &found.status;
            write!(shown, "[{}", status.endpoint_line()).unwrap();
            if let Some(part) = status.note() {
                write!(shown, " · {part}").unwrap();
            }
            write!(shown, "] complete: {:?}", status.complete()).unwrap();
            shown
        }
    }
}

async fn list(query: &CodeQuery<'_>, found: &[zubi_code::features::locations::RawLocation]) -> String {
    let mut shown = String::new();
    for one in found {
        let hit = query.hit(one, 0).await;
        let mark = if hit.text_only { " (text)" } else { "" };
        writeln!(shown, "{}{mark}", hit.location.to_at()).unwrap();
    }
    shown
}

/// Python has no server here.
const PYTHON: &str = "//- a.py\nunit = 1\n# unit\n//- b.py\nprint(unit)\n";
const DATA: [&str; 2] = ["a.py:1:unit definition", "b.py:1:unit"];

#[tokio::test]
async fn data_answer_without_a_server() {
    let (toy, _) = toy(PYTHON, &DATA);
    insta::assert_snapshot!(references(&toy, "a.py:1:1", Toy::cx()).await, @"
    a.py:1:1
    b.py:1:7
    [scip 3f2a91c · 2 files exact · no server for .py: Add a catalogue row.] complete: None
    ");
}

#[tokio::test]
async fn without_a_location_in_the_data_the_texts_answer() {
    let by_text = {
        let (toy, index) = toy(PYTHON, &[]);
        *index.error.lock().unwrap() = Some(ExactIndexError::NothingImported);
        references(&toy, "a.py:1:1", Toy::cx()).await
    };
    insta::assert_snapshot!(by_text, @"
    a.py:1:1
    a.py:2:3
    b.py:1:7
    [text search: names only · no server for .py: Add a catalogue row.] complete: None
    ");
    let path = Utf8PathBuf::from("/a.py");
    for error in [
        ExactIndexError::UnknownDocument(path.clone()),
        ExactIndexError::ChangedDocument(path.clone()),
        ExactIndexError::NoSymbol { path, offset: 0 },
        ExactIndexError::Store("it is damaged".to_owned()),
    ] {
        let (toy, index) = toy(PYTHON, &DATA);
        *index.error.lock().unwrap() = Some(error.clone());
        assert_eq!(references(&toy, "a.py:1:1", Toy::cx()).await, by_text, "{error}");
    }
    // A symbol without a use in the data is not one without a use.
    let (toy, _) = toy(PYTHON, &[]);
    assert_eq!(references(&toy, "a.py:1:1", Toy::cx()).await, by_text);
}

#[tokio::test]
async fn a_loading_server_that_answers_precedes_the_data() {
    let (toy, index) = toy("//- a.toy\nlet unit\n//- b.toy\nunit\n", &["a.toy:1:unit definition"]);
    toy.endpoint.readiness.send_replace(Readiness::Loading { percent: None, message: None });
    let cx = CallCx { wait: Duration::ZERO, ..Toy::cx() };
    let answer = references(&toy, "a.toy:1:5", cx.clone()).await;
    assert!(answer.starts_with("a.toy:1:5\nb.toy:1:1\n[toy · may be incomplete: toy was still loading"), "{answer}");
    assert_eq!(index.queries.load(Ordering::SeqCst), 0);
    // One that does not answer leaves the data.
    *toy.endpoint.unanswered.lock().unwrap() = Some(Vec::new());
    index.lines.lock().unwrap().push("b.toy:1:unit".to_owned());
    let answer = references(&toy, "a.toy:1:5", cx).await;
    assert!(answer.starts_with("a.toy:1:5\nb.toy:1:1\n[scip 3f2a91c · 2 files exact · toy"), "{answer}");
    assert!(answer.ends_with("complete: None"), "{answer}");
}

#[tokio::test]
async fn a_ready_server_answers_as_without_data() {
    let fixture = "//- a.toy\nlet unit\nlet lonely\n//- b.toy\nunit\n";
    let without = Toy::new(fixture);
    let (toy, index) = toy(fixture, &["a.toy:2:lonely definition", "b.toy:1:unit"]);
    for at in ["a.toy:1:5", "a.toy:2:5"] {
        assert_eq!(references(&toy, at, Toy::cx()).await, references(&without, at, Toy::cx()).await, "{at}");
    }
    assert_eq!(index.queries.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_rename_does_not_query_the_data() {
    let (toy, index) = toy(&format!("//- a.toy\nlet unit\n{PYTHON}"), &DATA);
    for (at, has_server) in [("a.toy:1:5", true), ("a.py:1:1", false)] {
        let query = toy.intel.query(Toy::cx()).await;
        let target = TargetInput { at: Some(at.to_owned()), ..TargetInput::default() };
        let at = query.resolve(&target, PositionIntent::Identifier).await.unwrap();
        let renamed = query.rename(&at, "size").await;
        assert_eq!(matches!(renamed, Err(CodeError::NoEndpoint(_))), !has_server, "{:?}", renamed.err());
    }
    assert_eq!(index.queries.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn files_that_the_data_do_not_cover_are_named() {
    let fixture = format!(
        "{PYTHON}//- c.py\nunit\n//- d.ts\nunit\n//- e.py\nunit\n//- README.md\nunit\n//- data.json\n\"unit\"\n"
    );
    let (toy, index) = toy(&fixture, &DATA);
    // Those that the data cover do not have the symbol.
    let all = ["c.py", "d.ts", "README.md", "data.json"].map(Utf8PathBuf::from);
    index.uncovered.lock().unwrap().extend(all);
    insta::assert_snapshot!(references(&toy, "a.py:1:1", Toy::cx()).await, @"
    a.py:1:1
    b.py:1:7
    [scip 3f2a91c · may be incomplete: `unit` also occurs in files that the data do not cover: c.py, d.ts · 2 files exact · no server for .py: Add a catalogue row.] complete: Some(false)
    ");
}

#[tokio::test]
async fn a_failed_import_is_named_where_its_data_would_answer() {
    let (toy, index) = toy(&format!("{PYTHON}//- other/c.py\nsize = 1\n"), &[]);
    index.failures.lock().unwrap().push(ExactImportFailure {
        file: toy.root.join("other/index.scip"),
        folder: toy.root.join("other"),
        reason: "it is\nnot complete".to_owned(),
        age: Duration::ZERO,
    });
    let note = "exact data of `other/index.scip` were not imported: it is not complete";
    let answer = references(&toy, "other/c.py:1:1", Toy::cx()).await;
    assert!(answer.contains(note), "{answer}");
    let answer = references(&toy, "a.py:1:1", Toy::cx()).await;
    assert!(!answer.contains(note), "{answer}");
}
