//! The examples, and the fuzz targets on their committed corpora.

use crate::invariants::{dlang_editor, dlang_formatter};
use crate::model::dlang_model;
use crate::on_disk::examples;
use crate::replay::replay;

#[test]
fn examples_are_formatted() {
    for (_, text) in examples() {
        let formatted = dlang_ide::format::format(&dlang_syntax::parse(&text)).expect("no errors");
        assert_eq!(formatted.edits, [], "\n{}", formatted.text);
    }
}

#[test]
fn formatter() {
    replay("dlang_formatter", dlang_formatter);
    replay("dlang_parser", dlang_formatter);
}

#[test]
fn editor() {
    replay("dlang_editor", dlang_editor);
    replay("dlang_parser", dlang_editor);
}

#[test]
fn model() {
    replay("dlang_model", dlang_model);
    replay("dlang_parser", dlang_model);
}
