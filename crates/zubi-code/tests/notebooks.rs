//! Queries about notebooks beside the server of another language.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

use std::fmt::Write as _;
use std::sync::Arc;

use zubi_base::position::Encoding;
use zubi_code::features::symbol_filter::SymbolFilter;
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::symbol_index::{IndexPhase, IndexState};
use zubi_code::testing::{MemoryIndex, Toy};

const NOTEBOOKS: &str = r##"//- notes/explore.ipynb
{"cells": [
  {"cell_type": "markdown", "source": ["# Shape"]},
  {"cell_type": "code", "source": ["%matplotlib inline\n", "LIMIT = 3\n"]},
  {"cell_type": "code", "source": "class Shape:\n    def area(self, name=\"x\"):\n        return LIMIT\nsize = 1"},
  {"cell_type": "code", "source": []}
], "metadata": {}, "nbformat": 4}
//- notes/broken.ipynb
{"cells": [
//- shapes.toy
class Shape
  def area
class Square
//- index.html
<p id="Shape"></p>
//- build.sh
Shape() { ls; }
"##;

/// Resolves a position in each form and shows the result with the code from there on, or the error for the caller.
async fn check_resolve(intent: PositionIntent, positions: &[&str]) -> String {
    let toy = Toy::new(NOTEBOOKS);
    let mut out = String::new();
    for at in positions {
        let query = toy.intel.query(Toy::cx()).await;
        let input = TargetInput { at: Some((*at).to_owned()), ..TargetInput::default() };
        let rendered = match query.resolve(&input, intent).await {
            Ok(resolved) => {
                let text = zubi_base::fs::read_text(&resolved.path).unwrap();
                let rest: String = text.get(resolved.offset.into()..).unwrap().chars().take(12).collect();
                format!("{} {rest:?}", resolved.header())
            }
            Err(error) => format!("{error}\n  {}", error.hint()).replace(toy.root.as_str(), "[root]"),
        };
        writeln!(out, "{rendered}").unwrap();
    }
    out
}

#[tokio::test]
async fn a_place_in_a_cell_is_one_in_the_file() {
    let positions = [
        "notes/explore.ipynb cell 2:2",
        "notes/explore.ipynb cell 2:2:3",
        "notes/explore.ipynb cell 3:2:9",
        "notes/explore.ipynb cell 3:2",
        "notes/explore.ipynb cell 3:4:1",
        "notes/explore.ipynb cell 3:1 class Shape",
        "notes/explore.ipynb cell 3:1 return LIMIT",
        "notes/explore.ipynb:4:69",
        "notes/explore.ipynb:4:105",
    ];
    insta::assert_snapshot!(check_resolve(PositionIntent::Identifier, &positions).await, @r#"
    at notes/explore.ipynb cell 2:2:1 LIMIT "LIMIT = 3\\n\""
    at notes/explore.ipynb cell 2:2:1 LIMIT "LIMIT = 3\\n\""
    at notes/explore.ipynb cell 3:2:9 area "area(self, n"
    at notes/explore.ipynb cell 3:2:9 area (method) "area(self, n"
    at notes/explore.ipynb cell 3:4:1 size "size = 1\"},\n"
    at notes/explore.ipynb cell 3:1:7 Shape (class) "Shape:\\n    "
    at notes/explore.ipynb cell 3:3:16 LIMIT; line repaired from 1 "LIMIT\\nsize "
    at notes/explore.ipynb:4:69 name "name=\\\"x\\\"):"
    at notes/explore.ipynb:4:105 size "size = 1\"},\n"
    "#);
    let positions =
        ["notes/explore.ipynb cell 2:1", "notes/explore.ipynb cell 3:4", "notes/explore.ipynb cell 3:2 def"];
    insta::assert_snapshot!(check_resolve(PositionIntent::Exact, &positions).await, @r#"
    at notes/explore.ipynb cell 2:1:19 "\\n\", \"LIMIT "
    at notes/explore.ipynb cell 3:4:9 "\"},\n  {\"cell"
    at notes/explore.ipynb cell 3:2:8 " area(self, "
    "#);
}

#[tokio::test]
async fn an_error_about_a_cell_has_the_next_step() {
    let positions = [
        "notes/explore.ipynb cell 3",
        "notes/explore.ipynb cell 3:0",
        "notes/explore.ipynb cell 3:1:0",
        "notes/explore.ipynb cell 3:9",
        "notes/explore.ipynb cell 3:3",
        "notes/explore.ipynb cell 3:2:2",
        "notes/explore.ipynb cell 3:1 missing",
        "notes/explore.ipynb cell 1:1",
        "notes/explore.ipynb cell 4:1",
        "notes/explore.ipynb cell 99999999999999999999:1",
        "notes/broken.ipynb cell 1:1",
        "nowhere.ipynb cell 1:1",
        "shapes.toy cell 1:1",
    ];
    insta::assert_snapshot!(check_resolve(PositionIntent::Identifier, &positions).await, @r#"
    at: `notes/explore.ipynb cell 3` has no line
      Use at: "explore.ipynb cell 3:2:5" (line 2 and column 5 of the third cell, 1-based) or at: "explore.ipynb cell 3:2 def fit" (text of that line).
    at: lines count from 1
      Use at: "explore.ipynb cell 3:2:5" (line 2 and column 5 of the third cell, 1-based) or at: "explore.ipynb cell 3:2 def fit" (text of that line).
    at: columns count from 1
      Use at: "explore.ipynb cell 3:2:5" (line 2 and column 5 of the third cell, 1-based) or at: "explore.ipynb cell 3:2 def fit" (text of that line).
    at: line 9 is past the end; `notes/explore.ipynb cell 3` has 4 lines
      `lsp_document_symbols` shows where things are now.
    at: line 3 declares no symbol and names several; say which
      Identifiers on line 3:
      at: "notes/explore.ipynb cell 3:3:9" (`return`)
      at: "notes/explore.ipynb cell 3:3:16" (`LIMIT`)
    at: there is no identifier at column 2 of line 2
      Identifiers on line 2:
      at: "notes/explore.ipynb cell 3:2:5" (`def`)
      at: "notes/explore.ipynb cell 3:2:9" (`area`)
      at: "notes/explore.ipynb cell 3:2:14" (`self`)
      at: "notes/explore.ipynb cell 3:2:20" (`name`)
      at: "notes/explore.ipynb cell 3:2:26" (`x`)
    at: `missing` is not within 3 lines of `notes/explore.ipynb cell 3:1`; that line reads `class Shape:`
      Look the place up with `lsp_document_symbols`, or give symbol: "name".
    at: cell 1 of `notes/explore.ipynb` has no code
      These cells have code: 2, 3.
    at: cell 4 of `notes/explore.ipynb` has no code
      These cells have code: 2, 3.
    `notes/explore.ipynb cell 99999999999999999999` does not exist in the workspace; paths are relative to `[root]`
      Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    at: zubi cannot read the cells of `notes/broken.ipynb`: the file is not a Jupyter notebook of format 4
      Give the line in the file, as in at: "notes/broken.ipynb:12:5".
    `nowhere.ipynb` does not exist in the workspace; paths are relative to `[root]`
      Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    `shapes.toy cell 1` does not exist in the workspace; paths are relative to `[root]`
      Give a path relative to the workspace folder, as answers print it; `lsp_workspace_symbols` finds places by name.
    "#);
}

#[tokio::test]
async fn a_symbol_of_a_cell_has_the_position_in_the_cell() {
    let toy = Toy::new(NOTEBOOKS);
    let query = toy.intel.query(Toy::cx()).await;
    let input = TargetInput { symbol: Some("size".to_owned()), ..TargetInput::default() };
    let resolved = query.resolve(&input, PositionIntent::Identifier).await.unwrap();
    let text = zubi_base::fs::read_text(&resolved.path).unwrap();
    assert!(text.get(resolved.offset.into()..).unwrap().starts_with("size = 1"));
    assert_eq!(resolved.header(), "at notes/explore.ipynb cell 3:4:1 size (variable)");
}

/// Searches symbols beside the ready server of the toy language.
async fn check_symbols(toy: &Toy, name: &str, filter: &SymbolFilter) -> String {
    let query = toy.intel.query(Toy::cx()).await;
    let found = query.workspace_symbols(name, filter).await.unwrap();
    let mut out = String::new();
    for symbol in &found.value {
        writeln!(out, "{} {} {}", symbol.kind, symbol.name, symbol.location.as_ref().unwrap().to_at()).unwrap();
    }
    let parts = [found.status.endpoint_line(), found.status.readiness_line()].into_iter().chain(found.status.note());
    out + &parts.collect::<Vec<_>>().join(" · ")
}

fn indexed(state: Option<IndexState>) -> Toy {
    Toy::with_config(NOTEBOOKS, Encoding::Utf16, |config| {
        let index = MemoryIndex::new(config.workspace.root());
        if let Some(state) = state {
            index.set_state(state);
        }
        zubi_code::CodeConfig { index: Some(Arc::new(index)), ..config }
    })
}

#[tokio::test]
async fn the_index_adds_symbols_of_languages_without_a_queried_server() {
    let toy = indexed(None);
    let all = SymbolFilter::default();
    insta::assert_snapshot!(check_symbols(&toy, "Shape", &all).await, @"
    class Shape shapes.toy:1:7
    class Shape notes/explore.ipynb cell 3:1:7
    function Shape build.sh:1:1
    toy + index · syntax only, names not resolved · ready · 2 of 2 files checked
    ");
    insta::assert_snapshot!(check_symbols(&toy, "LIMIT", &all).await, @"
    variable LIMIT notes/explore.ipynb cell 2:2:1
    toy + index · syntax only, names not resolved · ready · 1 of 1 file checked
    ");
    // The answer of a server alone has no label of the index.
    insta::assert_snapshot!(check_symbols(&toy, "Square", &all).await, @"
    class Square shapes.toy:3:7
    toy · ready
    ");
    insta::assert_snapshot!(check_symbols(&toy, "nothing", &all).await, @"toy · ready");
    let query = toy.intel.query(Toy::cx()).await;
    let of_toy = query.symbol_filter(None, None, Some("shapes.toy")).unwrap();
    insta::assert_snapshot!(check_symbols(&toy, "Shape", &of_toy).await, @"
    class Shape shapes.toy:1:7
    toy · ready
    ");
}

#[tokio::test]
async fn an_index_that_is_building_marks_only_what_it_adds() {
    let building = IndexState { phase: IndexPhase::Declarations, files: 3, undeclared: 2, ..IndexState::default() };
    let toy = indexed(Some(building));
    insta::assert_snapshot!(check_symbols(&toy, "Shape", &SymbolFilter::default()).await, @"
    class Shape shapes.toy:1:7
    class Shape notes/explore.ipynb cell 3:1:7
    function Shape build.sh:1:1
    toy + index · syntax only, names not resolved · ready · may be incomplete: the index is building, 1 of 3 files · 2 of 2 files checked
    ");
    insta::assert_snapshot!(check_symbols(&toy, "Square", &SymbolFilter::default()).await, @"
    class Square shapes.toy:3:7
    toy · ready
    ");
}

#[tokio::test]
async fn without_an_index_exact_names_follow_an_empty_answer() {
    let toy = Toy::new(NOTEBOOKS);
    insta::assert_snapshot!(check_symbols(&toy, "LIMIT", &SymbolFilter::default()).await, @"
    variable LIMIT notes/explore.ipynb cell 2:2:1
    toy + syntax only: names not resolved · ready · without a server: exact names only, from the outlines of 1 file · no server for .ipynb: Add a catalogue row.
    ");
    insta::assert_snapshot!(check_symbols(&toy, "nothing", &SymbolFilter::default()).await, @"toy · ready");
}
