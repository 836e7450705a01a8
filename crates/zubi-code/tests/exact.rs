//! Answers from exact data, with an index that answers as a test says.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use camino::Utf8PathBuf;
use zubi_base::endpoint::Readiness;
use zubi_code::exact_index::{ExactImportFailure, ExactIndexError};
use zubi_code::features::rename::TextMentions;
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::testing::{ScriptedExactIndex, Toy, ToyFile};
use zubi_code::{CallCx, CodeError, CodeQuery};

fn toy(fixture: &str, lines: &[&str]) -> (Toy, Arc<ScriptedExactIndex>) {
    ScriptedExactIndex::toy(fixture, lines)
}

async fn references(toy: &Toy, at: &str, cx: CallCx) -> String {
    let query = toy.intel.query(cx).await;
    let target = TargetInput { at: Some(at.to_owned()), ..TargetInput::default() };
    let at = query.resolve(&target, PositionIntent::Identifier).await.unwrap();
    match query.references(&at, true).await {
        Err(error) => error.to_string(),
        Ok(found) => {
            let mut shown = list(&query, &found.value.locations).await;
            if let Some(others) = &found.value.unqueried {
                writeln!(shown, "{}:", others.origins.join(", ")).unwrap();
                shown.push_str(&list(&query, &others.locations).await);
            }
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
        let renamed = query.rename(&at, "size", TextMentions::Rename).await;
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

#[tokio::test]
async fn projects_that_no_server_was_queried_about_have_a_list_of_their_own() {
    let mut fixture = "//- a.toy\nlet unit\n".to_owned();
    for project in 1..=6 {
        writeln!(fixture, "//- p{project}/use.toy\nunit").unwrap();
    }
    // The data of project 6 do not know the use in it.
    let (toy, index) = toy(&fixture, &["a.toy:1:unit definition", "p1/use.toy:1:unit", "p5/use.toy:1:unit"]);
    toy.endpoint.files.lock().unwrap().push(("use.toy", ToyFile::Unread));
    assert!(!references(&toy, "a.toy:1:5", Toy::cx()).await.contains("3f2a91c"), "one project");
    toy.endpoint.other_projects.lock().unwrap().extend(["p1", "p2", "p3", "p4", "p5", "p6"]);
    insta::assert_snapshot!(references(&toy, "a.toy:1:5", Toy::cx()).await, @"
    a.toy:1:5
    3f2a91c:
    p5/use.toy:1:1
    [toy · may be incomplete: `unit` also occurs in p5, p6 (not queried; allProjects=true queries all)] complete: Some(false)
    ");
    let all = CallCx { all_projects: Some(true), ..Toy::cx() };
    assert!(!references(&toy, "a.toy:1:5", all).await.contains("3f2a91c"), "every server was queried");
    // Neither a rename nor an answer without such projects queries the data.
    index.queries.store(0, Ordering::SeqCst);
    let query = toy.intel.query(Toy::cx()).await;
    let target = TargetInput { at: Some("a.toy:1:5".to_owned()), ..TargetInput::default() };
    let at = query.resolve(&target, PositionIntent::Identifier).await.unwrap();
    let planned = query.rename(&at, "size", TextMentions::Rename).await.unwrap();
    assert!(matches!(planned.status.completeness, zubi_code::Completeness::Partial { .. }), "{:?}", planned.status);
    assert_eq!(index.queries.load(Ordering::SeqCst), 0);
}
