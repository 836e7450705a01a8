//! Queries over the toy endpoint: addressing, verdicts, answers.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

use std::fmt::Write as _;
use std::time::Duration;

use zubi_base::endpoint::Readiness;
use zubi_base::position::Encoding;
use zubi_code::features::locations::Relation;
use zubi_code::features::rename::TextMentions;
use zubi_code::features::symbol_filter::SymbolFilter;
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::testing::Toy;
use zubi_code::{CodeError, Completeness};

const SHAPES: &str = "\
//- shapes.toy
class Shape
  def area
  def name
class Square
  def area # area of a square
let unit
//- app.toy
use Shape
  print area unit
# naïve: unit
let élan → unit
";

fn at_target(at: &str) -> TargetInput {
    TargetInput { at: Some(at.to_owned()), ..TargetInput::default() }
}

fn symbol(symbol: &str, path: Option<&str>) -> TargetInput {
    TargetInput { symbol: Some(symbol.to_owned()), path: path.map(str::to_owned), ..TargetInput::default() }
}

fn position(uri: &str, line: u32, character: u32) -> TargetInput {
    TargetInput { uri: Some(uri.to_owned()), line: Some(line), character: Some(character), ..TargetInput::default() }
}

fn show(error: &CodeError) -> String {
    format!("{error}\n{}", error.hint())
}

/// Resolves each target and shows the result, or the error for the caller.
async fn check_resolve(snap: PositionIntent, targets: &[TargetInput]) -> String {
    let toy = Toy::new(SHAPES);
    let mut out = String::new();
    for target in targets {
        let query = toy.intel.query(Toy::cx()).await;
        let rendered = match query.resolve(target, snap).await {
            Ok(resolved) => resolved.header(),
            Err(error) => show(&error).replace(toy.root.as_str(), "[root]"),
        };
        writeln!(out, "{rendered}").unwrap();
    }
    out
}

#[tokio::test]
async fn a_symbol_is_found_by_its_name_path() {
    let targets = [
        symbol("Shape", None),
        symbol("Square/area", None),
        symbol("Square.name", None),
        symbol("shapes::Shape::name", None),
        symbol("unit", Some("shapes.toy")),
        symbol("area", None),
        symbol("Shap", None),
        symbol("Shape", Some("app.toy")),
        symbol("", None),
    ];
    insta::assert_snapshot!(check_resolve(PositionIntent::Identifier, &targets).await, @r#"
    at shapes.toy:1:7 Shape (class)
    at shapes.toy:5:7 area (function)
    symbol: no symbol `Square.name` in the workspace
    Nearest names:
      symbol: "name"   at shapes.toy:3
    at shapes.toy:3:7 name (function)
    at shapes.toy:6:5 unit (variable)
    symbol: `area` names 2 symbols
    Use one of:
      symbol: "Shape/area"   function at shapes.toy:2:7  def area
      symbol: "Square/area"   function at shapes.toy:5:7  def area # area of a square
    symbol: no symbol `Shap` in the workspace
    Nearest names:
      symbol: "Shape"   at shapes.toy:1
    at app.toy:1:5 Shape; declared at shapes.toy:1
    symbol: the name is empty
    Give a name such as "Type/method".
    "#);
}

#[tokio::test]
async fn a_place_is_read_and_repaired() {
    let targets = [
        at_target("app.toy:2:9"),
        at_target("app.toy:2:8"),
        at_target("shapes.toy:1"),
        at_target("app.toy:1"),
        at_target("app.toy:2"),
        at_target("app.toy:2:3"),
        at_target("shapes.toy:4 def name"),
        at_target("shapes.toy:1 let unit"),
        at_target("app.toy:4:5"),
        at_target("app.toy:99:1"),
        at_target("app.toy:0:1"),
        at_target("nowhere.toy:1:1"),
        at_target("../secret:1:1"),
        at_target("app.toy"),
        position("app.toy", 1, 8),
        position("app.toy", 2, 9),
        position("app.toy", 7, 0),
        TargetInput { line: Some(1), ..TargetInput::default() },
        TargetInput { at: Some("app.toy:1:1".to_owned()), ..symbol("Shape", None) },
        TargetInput::default(),
    ];
    insta::assert_snapshot!(check_resolve(PositionIntent::Identifier, &targets).await, @r#"
    at app.toy:2:9 area
    at app.toy:2:3 print
    at shapes.toy:1:7 Shape (class)
    at: line 1 declares no symbol and names several; say which
    Identifiers on line 1:
      at: "app.toy:1:1" (`use`)
      at: "app.toy:1:5" (`Shape`)
    at: line 2 declares no symbol and names several; say which
    Identifiers on line 2:
      at: "app.toy:2:3" (`print`)
      at: "app.toy:2:9" (`area`)
      at: "app.toy:2:14" (`unit`)
    at app.toy:2:3 print
    at shapes.toy:3:7 name (function); line repaired from 4
    at: `let unit` is not within 3 lines of `shapes.toy:1`; that line reads `class Shape`
    Look the place up with `lsp_document_symbols`, or give symbol: "name".
    at app.toy:4:5 élan
    at: line 99 is past the end; `app.toy` has 5 lines
    `lsp_document_symbols` shows where things are now.
    at: lines count from 1
    Use at: "src/lib.rs:12:5" (1-based line and column) or at: "src/lib.rs:12 fn parse" (text of that line).
    `nowhere.toy` does not exist in the workspace; paths are relative to `[root]`
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    `../secret` does not exist in the workspace; paths are relative to `[root]`
    Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    at: `app.toy` is not a place
    Use at: "src/lib.rs:12:5" (1-based line and column) or at: "src/lib.rs:12 fn parse" (text of that line).
    at app.toy:2:9 area
    at app.toy:3:10 unit
    line: line 7 (0-based) is past the end; `app.toy` has 5 lines
    Lines of `uri`/`line`/`character` count from 0; the `at` form counts from 1.
    position: `uri`, `line` and `character` belong together
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    position: the position was given in more than one way
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    position: no position was given
    Give the position in exactly one of two ways:
      symbol: "Type/method" (optionally with path: "src/lib.rs")
      at: "src/lib.rs:12:5" (1-based, as answers print it) or at: "src/lib.rs:12 fn parse"
    "#);
}

#[tokio::test]
async fn a_place_to_type_at_is_taken_as_given() {
    let targets =
        [at_target("app.toy:2:8"), at_target("app.toy:2 print"), at_target("app.toy:2"), position("app.toy", 1, 3)];
    insta::assert_snapshot!(check_resolve(PositionIntent::Exact, &targets).await, @"
    at app.toy:2:8
    at app.toy:2:8
    at app.toy:2:18
    at app.toy:2:3 print
    ");
}

async fn check_references(toy: &Toy, target: &TargetInput) -> String {
    let query = toy.intel.query(Toy::cx()).await;
    let at = match query.resolve(target, PositionIntent::Identifier).await {
        Ok(at) => at,
        Err(error) => return show(&error),
    };
    match query.references(&at, true).await {
        Ok(found) => {
            let mut out = format!("{}\n", at.header());
            for found in &found.value.locations {
                let hit = query.hit(found, 0).await;
                let mark = if hit.declaration { " (declaration)" } else { "" };
                writeln!(out, "  {} {}{mark}", hit.location.to_at(), hit.location.source.unwrap_or_default()).unwrap();
            }
            writeln!(out, "{:?}", found.status.completeness).unwrap();
            out
        }
        Err(error) => show(&error),
    }
}

#[tokio::test]
async fn references_are_the_same_in_every_encoding() {
    let mut answers = Vec::new();
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        let toy = Toy::with_fixture(SHAPES, encoding);
        answers.push(check_references(&toy, &symbol("unit", None)).await);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1);
    insta::assert_snapshot!(answers[0], @"
    at shapes.toy:6:5 unit (variable)
      app.toy:2:14 print area unit
      app.toy:4:12 let élan → unit
      shapes.toy:6:5 let unit (declaration)
    Complete
    ");
}

#[tokio::test]
async fn the_remainder_is_the_same_in_every_encoding() {
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        let toy = Toy::with_fixture("//- a.toy\nlet x\n𝄞é x # x\n", encoding);
        let query = toy.intel.query(Toy::cx()).await;
        let at = query.resolve(&at_target("a.toy:1:5"), PositionIntent::Identifier).await.unwrap();
        let mentions = query.references(&at, true).await.unwrap().value.mentions.unwrap();
        let mut positions = Vec::new();
        for found in &mentions.in_text {
            positions.push(query.hit(found, 0).await.location.to_at());
        }
        assert_eq!(positions, ["a.toy:2:8"], "{encoding:?}");
    }
}

#[tokio::test]
async fn excluded_declarations_are_omitted() {
    let toy = Toy::new(SHAPES);
    let query = toy.intel.query(Toy::cx()).await;
    *toy.endpoint.declarations_always.lock().unwrap() = true;
    // For a query from another position the declaration stays: some servers treat an import line as a declaration.
    for (target_input, expected) in [(symbol("unit", None), 2), (at_target("app.toy:2:14"), 3)] {
        let target = query.resolve(&target_input, PositionIntent::Identifier).await.unwrap();
        let found = query.locations(&target, Relation::References { include_declaration: false }).await.unwrap();
        assert_eq!(found.value.len(), expected, "{target_input:?}");
    }
}

#[tokio::test]
async fn answers_while_loading_are_marked_and_waiting_completes() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Loading { percent: Some(40), message: None });
    let no_wait = zubi_code::CallCx { wait: Duration::ZERO, ..Toy::cx() };
    let query = toy.intel.query(no_wait).await;
    let target = query.resolve(&at_target("shapes.toy:6:5"), PositionIntent::Identifier).await.unwrap();
    let found = query.locations(&target, Relation::References { include_declaration: true }).await.unwrap();
    insta::assert_snapshot!(found.status.note().unwrap(), @"may be incomplete: toy was still loading; call again");
    assert_eq!(found.status.readiness_line(), "loading 40 %");

    let query = toy.intel.query(Toy::cx()).await;
    let request = query.locations(&target, Relation::References { include_declaration: true });
    let loading = async {
        toy.endpoint.readiness.send_replace(Readiness::Ready);
    };
    let (found, ()) = tokio::join!(request, loading);
    assert_eq!(found.unwrap().status.completeness, Completeness::Complete);
}

#[tokio::test]
async fn a_loading_server_that_answers_nothing_delays_no_answer() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Loading { percent: None, message: None });
    *toy.endpoint.unanswered.lock().unwrap() = Some(Vec::new());
    let query = toy.intel.query(zubi_code::CallCx { wait: Duration::from_millis(1), ..Toy::cx() }).await;
    let target = query.resolve(&symbol("Shape", None), PositionIntent::Identifier).await.unwrap();
    let found = query.references(&target, true).await.unwrap();
    assert!(found.status.source == zubi_code::AnswerSource::Text && !found.value.locations.is_empty(), "{found:?}");
    let times = toy.endpoint.unanswered.lock().unwrap().take().unwrap();
    assert!(!times.is_empty() && times.iter().all(|time| *time <= Duration::from_secs(5)), "{times:?}");
}

#[tokio::test]
async fn occurrences_are_counted_without_a_readiness_signal() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Unknown { elapsed: Duration::ZERO });
    // Each occurrence of `Shape` is a reference; one of `unit` is in a comment.
    insta::assert_snapshot!(check_references(&toy, &symbol("Shape", None)).await, @"
    at shapes.toy:1:7 Shape (class)
      app.toy:1:5 use Shape
      shapes.toy:1:7 class Shape (declaration)
    Complete
    ");
    insta::assert_snapshot!(check_references(&toy, &symbol("unit", None)).await, @"
    at shapes.toy:6:5 unit (variable)
      app.toy:2:14 print area unit
      app.toy:4:12 let élan → unit
      shapes.toy:6:5 let unit (declaration)
    Complete
    ");
}

/// pyrefly answers before it has read all files, and has no signal.
#[tokio::test]
async fn a_server_without_a_readiness_signal_is_queried_until_it_has_every_mention() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Unknown { elapsed: Duration::ZERO });
    // More than the requests that a check of the mentions causes.
    *toy.endpoint.early_answers.lock().unwrap() = 4;
    insta::assert_snapshot!(check_references(&toy, &symbol("unit", None)).await, @"
    at shapes.toy:6:5 unit (variable)
      app.toy:2:14 print area unit
      app.toy:4:12 let élan → unit
      shapes.toy:6:5 let unit (declaration)
    Complete
    ");
}

/// pyrefly reports a renamed file under both names for a moment.
#[tokio::test]
async fn references_in_deleted_files_are_left_out() {
    let toy = Toy::new(SHAPES);
    *toy.endpoint.deleted.lock().unwrap() = vec![("old.toy", "use Shape\n  print unit\n")];
    insta::assert_snapshot!(check_references(&toy, &symbol("unit", None)).await, @"
    at shapes.toy:6:5 unit (variable)
      app.toy:2:14 print area unit
      app.toy:4:12 let élan → unit
      shapes.toy:6:5 let unit (declaration)
    Complete
    ");
}

#[tokio::test]
async fn a_server_without_an_index_works_through_outlines() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.unsupported.lock().unwrap().push("workspace/symbol");
    let query = toy.intel.query(Toy::cx()).await;
    assert_eq!(
        query.resolve(&symbol("Square/area", None), PositionIntent::Identifier).await.unwrap().display_position,
        "shapes.toy:5:7"
    );
    let found = query.workspace_symbols("Shape", &SymbolFilter::default()).await.unwrap();
    assert_eq!(found.value.len(), 1);
    insta::assert_snapshot!(found.status.note().unwrap(), @"toy has no symbol index: exact names only, from the outlines of 2 files");
}

#[tokio::test]
async fn unsupported_requests_and_missing_servers_are_reported() {
    let toy = Toy::new("//- a.toy\nlet x\n//- b.kt\nval x\n");
    toy.endpoint.unsupported.lock().unwrap().push("textDocument/references");
    insta::assert_snapshot!(check_references(&toy, &at_target("a.toy:1:5")).await, @"
    toy cannot find references
    Use another request, or read the file.
    ");
    insta::assert_snapshot!(check_references(&toy, &at_target("b.kt:1:5")).await, @r#"
    at b.kt:1:5 x
      b.kt:1:5 val x
      a.toy:1:5 let x (declaration)
    Unknown { reason: "names only" }
    "#);
    toy.endpoint
        .readiness
        .send_replace(Readiness::Failed { reason: "it crashed".to_owned(), hint: "Reinstall it.".to_owned() });
    insta::assert_snapshot!(check_references(&toy, &at_target("a.toy:1:5")).await, @"
    toy is not running: it crashed
    Reinstall it.
    ");
}

#[tokio::test]
async fn a_rename_is_planned_applied_and_undone() {
    let toy = Toy::new(SHAPES);
    let query = toy.intel.query(Toy::cx()).await;
    let at = query.resolve(&symbol("unit", None), PositionIntent::Identifier).await.unwrap();
    let plan = query.rename(&at, "bad", TextMentions::Leave { hint: "they stay" }).await.unwrap().value;
    insta::assert_snapshot!(plan.diff, @"
    diff --git a/app.toy b/app.toy
    --- a/app.toy
    +++ b/app.toy
    @@ -1,4 +1,4 @@
     use Shape
    -  print area unit
    +  print area bad
     # naïve: unit
    -let élan → unit
    +let élan → bad
    diff --git a/shapes.toy b/shapes.toy
    --- a/shapes.toy
    +++ b/shapes.toy
    @@ -3,4 +3,4 @@
       def name
     class Square
       def area # area of a square
    -let unit
    +let bad
    ");
    let before = std::fs::read(toy.root.join("app.toy")).unwrap();
    let change = query
        .change(&plan.id, zubi_code::apply::Direction::Apply(zubi_base::text::EditOptions::default()))
        .await
        .unwrap()
        .value;
    let new: Vec<_> = change.delta.unwrap().new.iter().map(|problem| problem.location.to_at()).collect();
    insta::assert_snapshot!(new.join("\n"), @"
    app.toy:2:1
    app.toy:4:1
    shapes.toy:6:1
    ");
    let change = query.change(&plan.id, zubi_code::apply::Direction::Undo).await.unwrap().value;
    assert_eq!(change.delta.unwrap().fixed.len(), 3);
    assert_eq!(std::fs::read(toy.root.join("app.toy")).unwrap(), before);
}

/// Diagnostic reports are for programs: they have UTF-16 columns and say whether all servers have checked.
#[tokio::test]
async fn problem_reports_use_utf_16_columns_with_any_server() {
    let fixture = "//- a.toy\n\"é\u{1f980}\" bad\n//- b.toy\nbad\n//- c.txt\nbad\n";
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        let toy = Toy::with_fixture(fixture, encoding);
        let query = toy.intel.query(Toy::cx()).await;
        let report = query.file_report(&toy.root.join("a.toy")).await.unwrap();
        assert_eq!(report.items[0].range.end.character, 9, "{encoding:?}");
        assert_eq!((report.analysed, report.language.as_deref()), (true, Some("toy")));
        assert!(matches!(query.file_report(&toy.root.join("c.txt")).await, Err(CodeError::NoEndpoint(_))));
    }
    let toy = Toy::new(fixture);
    toy.endpoint.silent.lock().unwrap().push(toy.root.join("b.toy"));
    let report = toy.intel.query(Toy::cx()).await.workspace_report(10).await.unwrap();
    let files: Vec<_> = report.files.iter().map(|file| (file.path.file_name().unwrap(), file.analysed)).collect();
    assert_eq!((files.as_slice(), report.total), ([("a.toy", true), ("b.toy", false)].as_slice(), 2));
    let report = toy.intel.query(Toy::cx()).await.workspace_report(1).await.unwrap();
    assert_eq!((report.files.len(), report.total), (1, 2));
}

#[tokio::test]
async fn the_outline_of_a_file_does_not_wait_for_a_server_that_starts() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Starting);
    let path = toy.root.join("app.toy");
    let started = std::time::Instant::now();
    let outline = toy.intel.query(Toy::cx()).await.outline(&path).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(outline.value.len(), 1, "{outline:?}");
    insta::assert_snapshot!(outline.status.endpoint_line(), @"syntax only: names not resolved");
    insta::assert_snapshot!(outline.status.note().unwrap(), @r#"toy is starting: wait: "ready" waits for the servers"#);
    // `wait: "ready"` waits.
    let cx = zubi_code::CallCx { may_use_index: false, ..Toy::cx() };
    let query = toy.intel.query(cx).await;
    let outline = query.outline(&path);
    let start = async { toy.endpoint.readiness.send_replace(Readiness::Loading { percent: None, message: None }) };
    let (outline, _) = tokio::join!(outline, start);
    let by_server = outline.unwrap();
    assert_eq!(by_server.status.source, zubi_code::AnswerSource::Servers);
    // One that has started answers, whether it has read the project or not.
    let outline = toy.intel.query(Toy::cx()).await.outline(&path).await.unwrap();
    assert_eq!(outline.value, by_server.value);
    assert_eq!(outline.status.source, zubi_code::AnswerSource::Servers);
    // Without a declaration, the server may know more.
    toy.endpoint.readiness.send_replace(Readiness::Starting);
    let path = toy.root.join("empty.toy");
    zubi_base::fs::write_atomic(&path, b"# nothing\n").unwrap();
    let cx = zubi_code::CallCx { wait: Duration::from_millis(1), ..Toy::cx() };
    let outline = toy.intel.query(cx).await.outline(&path).await.unwrap();
    assert_eq!(outline.status.source, zubi_code::AnswerSource::Servers);
}
