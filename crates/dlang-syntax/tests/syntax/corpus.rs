//! Fuzz targets on their committed corpora.

use crate::invariants::{dlang_lexer, dlang_parser};
use crate::replay::replay;

#[test]
fn lexer() {
    replay("dlang_lexer", dlang_lexer);
}

#[test]
fn parser() {
    replay("dlang_parser", dlang_parser);
}
