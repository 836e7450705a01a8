//! Fixes of a misplaced pattern: remove it, move it to the other side, or reverse the arrow.

use dlang_syntax::ast::Arrow;
use dlang_syntax::{TextRange, TextSize};

use super::fix::{Fix, text_at};
use crate::data::{Relationship, RelationshipForm, WrittenPattern};
use crate::db::Db;
use crate::diagnostics::ModelDiagnostic;
use crate::edit::TextEdit;
use crate::inputs::File;
use crate::lower::file_model;

/// Pattern of a relationship with an arrow.
struct ArrowPattern<'a> {
    relationship: &'a Relationship,
    arrow: TextRange,
    direction: Arrow,
    pattern: WrittenPattern,
    /// Patterns of its side, and of the other side.
    own: &'a [WrittenPattern],
    other: &'a [WrittenPattern],
    is_left: bool,
}

fn find(db: &dyn Db, file: File, range: TextRange) -> Option<ArrowPattern<'_>> {
    let relationships = &file_model(db, file).relationships;
    let after = relationships.partition_point(|relationship| relationship.range.start() <= range.start());
    let relationship = relationships.get(after.checked_sub(1)?)?;
    let RelationshipForm::Directional { arrow: Some(direction), left, right } = &relationship.form else { return None };
    let at = |patterns: &[WrittenPattern]| patterns.iter().find(|pattern| pattern.range == range).copied();
    let arrow = relationship.arrow?;
    let found = |pattern, own, other, is_left| ArrowPattern {
        relationship,
        arrow,
        direction: *direction,
        pattern,
        own,
        other,
        is_left,
    };
    at(left)
        .map(|pattern| found(pattern, left, right, true))
        .or_else(|| at(right).map(|pattern| found(pattern, right, left, false)))
}

pub(super) fn remove(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let make = || {
        let found = find(db, file, diagnostic.range)?;
        let edit = found.removal(file.text(db))?;
        let title = format!("Remove '{}'", text_at(file.text(db), found.pattern.range));
        Some(Fix { title, edits: vec![edit], is_preferred: true })
    };
    make().into_iter().collect()
}

pub(super) fn wrong_side(db: &dyn Db, file: File, diagnostic: &ModelDiagnostic) -> Vec<Fix> {
    let text = file.text(db);
    let Some(found) = find(db, file, diagnostic.range) else { return Vec::new() };
    let word = text_at(text, found.pattern.range);
    let mut fixes = Vec::new();
    if let Some(removal) = found.removal(text) {
        let is_there = found.other.iter().any(|pattern| pattern.kind == found.pattern.kind);
        if let Some(insertion) = found.insertion(text, word).filter(|_| !is_there) {
            let mut edits = vec![removal.clone(), insertion];
            edits.sort_by_key(|edit| edit.range.start());
            fixes.push(Fix { title: format!("Move '{word}' to the other side"), edits, is_preferred: false });
        }
        fixes.push(Fix { title: format!("Remove '{word}'"), edits: vec![removal], is_preferred: false });
    }
    let turned = match found.direction {
        Arrow::Right => Some(Arrow::Left),
        Arrow::Left => Some(Arrow::Right),
        Arrow::Both => None,
    };
    if let Some(turned) = turned {
        fixes.push(Fix {
            title: format!("Reverse the arrow: '{}'", turned.as_str()),
            edits: vec![TextEdit { range: found.arrow, insert: turned.as_str().to_owned() }],
            is_preferred: false,
        });
    }
    fixes
}

impl ArrowPattern<'_> {
    /// Removes the pattern from its list, with its comma, or with the brackets if it is the only one.
    fn removal(&self, text: &str) -> Option<TextEdit> {
        let index = self.own.iter().position(|pattern| pattern.range == self.pattern.range)?;
        let next = self.own.get(index + 1);
        let range = match (index.checked_sub(1).and_then(|before| self.own.get(before)), next) {
            (Some(before), _) => TextRange::new(before.range.end(), self.pattern.range.end()),
            (None, Some(next)) => TextRange::new(self.pattern.range.start(), next.range.start()),
            (None, None) => self.brackets(text)?,
        };
        Some(TextEdit::delete(range))
    }

    /// Returns the range of the brackets around the only pattern of a side, with the blanks before them.
    fn brackets(&self, text: &str) -> Option<TextRange> {
        let all = self.relationship.range;
        let before = text_at(text, TextRange::new(all.start(), self.pattern.range.start()));
        let open = before.rfind('[')?;
        let prefix_len = before.get(..open)?.trim_end().len();
        let after_pattern = text_at(text, TextRange::new(self.pattern.range.end(), all.end()));
        let close = after_pattern.find(']')? + 1;
        // A comment between pattern and bracket may contain a bracket; then there is no fix.
        if text_at(text, all).contains("/*") || text_at(text, all).contains("//") {
            return None;
        }
        Some(TextRange::new(
            all.start() + TextSize::try_from(prefix_len).ok()?,
            self.pattern.range.end() + TextSize::try_from(close).ok()?,
        ))
    }

    /// Appends the pattern to the other side's list, or inserts a new list between arrow and context.
    fn insertion(&self, text: &str, word: &str) -> Option<TextEdit> {
        if let Some(last) = self.other.last() {
            return Some(TextEdit::insert(last.range.end(), format!(", {word}")));
        }
        // A text with errors may contain an empty list there.
        if text_at(text, self.relationship.range).contains("[]") {
            return None;
        }
        Some(if self.is_left {
            TextEdit::insert(self.arrow.end(), format!(" [{word}]"))
        } else {
            TextEdit::insert(self.arrow.start(), format!("[{word}] "))
        })
    }
}
