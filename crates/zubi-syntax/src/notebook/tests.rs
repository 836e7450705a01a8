//! Tests on small notebooks.

use std::fmt::Write as _;

use super::*;

/// Renders the outline of a notebook as `kind name cell C:L:C "code of its range"`, or the reason why it has none.
fn check(text: &str) -> String {
    let outline = match crate::outline_of_file("a.ipynb", text, &|| false) {
        Some(Ok(outline)) => outline,
        Some(Err(error)) => return error.to_string(),
        None => panic!("a notebook has a language"),
    };
    let notebook = Notebook::parse(text).unwrap();
    let mut rendered = String::new();
    for declaration in &outline.declarations {
        let name = text.get(declaration.name_range.clone()).unwrap();
        // A name may have escapes, or be in two strings.
        assert!(declaration.name.contains(name) || name.contains(['\\', '"']), "{name}");
        text.get(declaration.range.clone()).unwrap();
        let CellPosition { cell, line, column } = notebook.position(declaration.name_range.start).unwrap();
        let code = notebook.code_in(declaration.range.clone());
        writeln!(rendered, "{:?} {} cell {cell}:{line}:{column} {code:?}", declaration.kind, declaration.name).unwrap();
    }
    if outline.has_errors {
        rendered.push_str("with errors\n");
    }
    rendered
}

const SAMPLE: &str = r##"{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# def title(): pass"]},
  {"cell_type": "code", "execution_count": 1, "metadata": {"tags": []}, "outputs": [{"data": {"a": [1, -2.5e3, null]}}],
   "source": ["%matplotlib inline\n", "import os\n", "LIMIT = 3\n", "files = !ls\n", "\n", "class Shape:\n", "    \"\"\"A \u00e9 shape.\"\"\"\n", "    def area(self, name=\"x\"):\n", "        return 1"]},
  {"cell_type": "code", "source": ["%%bash\n", "def no() { :; }"], "outputs": []},
  {"cell_type": "code", "source": "%%time\nif LIMIT:\n    %timeit 1\ndef last(): pass\nlast?", "outputs": []}
 ],
 "metadata": {"kernelspec": {"language": "python", "name": "python3"}, "language_info": {"name": "python"}},
 "nbformat": 4, "nbformat_minor": 5
}"##;

#[test]
fn declarations_of_cells_have_their_positions() {
    insta::assert_snapshot!(check(SAMPLE), @r#"
    Variable LIMIT cell 2:3:1 "LIMIT = 3"
    Variable files cell 2:4:1 "files = !"
    Class Shape cell 2:6:7 "class Shape:\n    \"\"\"A é shape.\"\"\"\n    def area(self, name=\"x\"):\n        return 1"
    Method area cell 2:8:9 "def area(self, name=\"x\"):\n        return 1"
    Function last cell 4:4:5 "def last(): pass"
    "#);
}

#[test]
fn an_error_in_one_cell_does_not_affect_the_others() {
    let text = r#"{"cells":[{"cell_type":"code","source":["def broken(:\n", "  (("]},
        {"cell_type":"code","source":["def sound(): pass"]}]}"#;
    insta::assert_snapshot!(check(text), @r#"
    Function sound cell 2:1:5 "def sound(): pass"
    with errors
    "#);
}

#[test]
fn a_name_may_be_in_two_strings() {
    let text = r#"{"cells":[{"cell_type":"code","source":["def fi", "t(): pass"]}]}"#;
    insta::assert_snapshot!(check(text), @r#"Function fit cell 1:1:5 "def fit(): pass""#);
}

#[test]
fn offsets_in_cells_are_offsets_in_the_file() {
    let notebook = Notebook::parse(SAMPLE).unwrap();
    assert_eq!(notebook.cell_numbers().collect::<Vec<_>>(), [2, 3, 4]);
    for cell in [2, 3, 4] {
        let code = notebook.cell_code(cell).unwrap();
        for (offset, _) in code.char_indices() {
            let file = notebook.file_offset(cell, offset).unwrap();
            assert_eq!(notebook.to_cell(file..file).unwrap(), (cell, offset..offset), "{cell}: {offset}");
        }
        // A position after the last character is the end of its string.
        let end = notebook.file_offset(cell, code.len()).unwrap();
        assert!(SAMPLE.get(end..).unwrap().starts_with('"'), "{cell}");
        assert_eq!(notebook.file_offset(cell, code.len() + 1), None);
    }
    let empty = Notebook::parse(r#"{"cells":[{"cell_type":"code","source":[]}]}"#).unwrap();
    assert_eq!((empty.cell_code(1), empty.file_offset(1, 0), empty.file_offset(2, 0)), (Some(""), None, None));
    assert_eq!(notebook.position(SAMPLE.find("outputs").unwrap()), None);
}

#[test]
fn the_kernel_decides_the_language() {
    let notebook = |metadata: &str| {
        check(&format!(
            r#"{{"metadata":{metadata},"cells":[{{"source":["function f(a) {{ return a % 2 }}"],"cell_type":"code"}}]}}"#
        ))
    };
    for (metadata, expected) in [
        (r#"{"kernelspec":{"language":"javascript"}}"#, "Function f cell 1:1:10"),
        (r#"{"kernelspec":{"language":"python"},"language_info":{"name":"javascript"}}"#, "Function f cell 1:1:10"),
        (r#"{"language_info":{"name":"R"}}"#, "zubi cannot parse the language of the notebook"),
        (r"[]", "with errors"),
    ] {
        let rendered = notebook(metadata);
        assert!(rendered.starts_with(expected), "{metadata}: {rendered}");
    }
}

#[test]
fn invalid_and_huge_notebooks_have_a_reason() {
    let deep = format!(r#"{{"cells":[],"metadata":{}}}"#, "[".repeat(200_000));
    let large = format!(r#"{{"cells":[{{"cell_type":"code","source":"{}"}}]}}"#, "a\\n".repeat(MAX_TEXT_BYTES));
    for text in ["", "{", "[]", r#"{"cells":{}}"#, r#"{"nbformat":3,"worksheets":[]}"#, r#"{"cells":[]}x"#, &deep] {
        assert_eq!(check(text), OutlineError::Notebook.to_string(), "{text:.40}");
    }
    assert!(check(&large).contains("too large"));
    let many = vec![r#"{"cell_type":"code","source":["def f(): pass"]}"#; MAX_CELLS + 1].join(",");
    let many = Notebook::parse(&format!(r#"{{"cells":[{many}]}}"#)).unwrap();
    assert_eq!((many.cells().len(), many.is_cut), (MAX_CELLS, true));
}

proptest::proptest! {
    #[test]
    fn any_text_has_an_answer(text in ".*", at in 0..SAMPLE.len(), length in 0..40_usize) {
        check(&text);
        let (start, end) = (at, (at + length).min(SAMPLE.len()));
        if SAMPLE.is_char_boundary(start) && SAMPLE.is_char_boundary(end) {
            check(&[SAMPLE.get(..start).unwrap(), &text, SAMPLE.get(end..).unwrap()].concat());
        }
    }
}
