//! Fixes of duplicates: remove the later one.

use dlang_syntax::{AstNode as _, SyntaxKind, SyntaxNode, TextRange, TextSize};

use super::fix::{Fix, text_at};
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::edit::TextEdit;
use crate::inputs::File;
use crate::lower::parse;

/// Removes the property whose value has no effect.
pub(super) fn redundant(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let Some(node) = ancestor(db, file, diagnostic.range, |kind| {
        matches!(kind, SyntaxKind::CLASSIFICATION_PROPERTY | SyntaxKind::TEAM_PROPERTY)
    }) else {
        return Vec::new();
    };
    let edits = vec![TextEdit::delete(with_blanks(file.text(db), node.text_range()))];
    vec![Fix { title: "Remove the value without effect".to_owned(), edits, is_preferred: true }]
}

/// Removes the repeated relationship.
pub(super) fn relationship(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let Some(node) = ancestor(db, file, diagnostic.range, |kind| {
        matches!(kind, SyntaxKind::DIRECTIONAL_RELATIONSHIP | SyntaxKind::SYMMETRIC_RELATIONSHIP)
    }) else {
        return Vec::new();
    };
    let edits = vec![TextEdit::delete(with_comma(file.text(db), node.text_range()))];
    vec![Fix { title: "Remove the repeated relationship".to_owned(), edits, is_preferred: true }]
}

fn ancestor(db: &dyn Db, file: File, range: TextRange, is_match: fn(SyntaxKind) -> bool) -> Option<SyntaxNode> {
    let tree = parse(db, file).tree();
    let root = tree.syntax();
    let covering = root.text_range().contains_range(range).then(|| root.covering_element(range))?;
    covering.ancestors().find(|node| is_match(node.kind()))
}

/// Extends a range by the blanks before it, so that removal leaves no empty line and no double blank. After a line
/// comment the blanks stay; otherwise the following text would become part of the comment.
fn with_blanks(text: &str, range: TextRange) -> TextRange {
    let before = text_at(text, TextRange::up_to(range.start()));
    if before.trim_end().lines().next_back().is_some_and(|line| line.contains("//")) {
        return range;
    }
    let blanks = before.len() - before.trim_end().len();
    TextRange::new(range.start() - TextSize::try_from(blanks).unwrap_or_default(), range.end())
}

/// Extends a range also by the comma before it, because a list may not end with one. Only repeated relationships are
/// removed, so there is always a relationship before it.
fn with_comma(text: &str, range: TextRange) -> TextRange {
    let range = with_blanks(text, range);
    let before = text_at(text, TextRange::up_to(range.start()));
    if before.ends_with(',') {
        return with_blanks(text, TextRange::new(range.start() - TextSize::of(','), range.end()));
    }
    range
}
