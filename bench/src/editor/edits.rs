//! The edits; each is typed into an open document and then reverted.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use large_example::{Size, area_path, context_fqn};
use serde_json::{Value, json};
use zubi_tests::Project;

/// The vocabulary of the model, which every other file imports.
const VOCABULARY: &str = "shared/vocabulary.dlang";

/// The inserted text.
const KEYSTROKE: &str = "x";

/// The effect of an edit on the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One more character in a string.
    Body,
    /// Several characters in the same string, as many as a person types while a server is busy.
    Typing,
    /// A new name for an element that other files refer to; the model has errors until the edit is reverted.
    Rename,
}

/// Characters inserted at one position of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) title: &'static str,
    pub(crate) kind: Kind,
    /// The path below the model's folder.
    pub(crate) file: String,
    /// The fully qualified name of an element that shows the edit: its name without the edit, and with it.
    pub(crate) subject: [String; 2],
    /// The byte offset in the text without the edit.
    offset: usize,
    /// The 0-based line of the edit.
    line: usize,
    column: usize,
    /// The number of inserted characters.
    keystrokes: usize,
}

/// Returns all edits for a model on disk.
pub(crate) fn all(project: &Project, size: Size) -> Result<Vec<Edit>> {
    let area = edited_area(size);
    let (file, fqn) = (area_path(area), context_fqn(area, 0));
    let name = fqn.rsplit('.').next().unwrap_or(&fqn);
    let text = project.read(&file);
    let vocabulary = project.read(VOCABULARY);
    let head = format!("BoundedContext {name}");
    let declared = offset_after(&text, &[&head])?;
    let description = offset_after(&text, &[&head, "description", "\""])?;
    let team = team(&text, declared)?;
    let renamed = format!("{fqn}{KEYSTROKE}");
    let unchanged = [fqn.clone(), fqn.clone()];
    let edit = |title, kind, file: &str, text: &str, offset, subject| {
        let (line, column) = line_and_character(text, offset);
        let keystrokes = if kind == Kind::Typing { 20 } else { 1 };
        Edit { title, kind, file: file.to_owned(), subject, offset, line, column, keystrokes }
    };
    let business = "HarbourBusiness".to_owned();
    let vision = offset_after(&vocabulary, &["Domain HarbourBusiness", "\""])?;
    let team = offset_after(&vocabulary, &[&format!("Team {team}")])?;
    Ok(vec![
        edit("a character in a body", Kind::Body, &file, &text, description, unchanged.clone()),
        edit("20 characters typed at once", Kind::Typing, &file, &text, description, unchanged.clone()),
        edit("a context renamed", Kind::Rename, &file, &text, declared, [fqn, renamed]),
        edit(
            "a character in the file that all import",
            Kind::Body,
            VOCABULARY,
            &vocabulary,
            vision,
            [business.clone(), business],
        ),
        edit("a team renamed in the file that all import", Kind::Rename, VOCABULARY, &vocabulary, team, unchanged),
    ])
}

/// An area in the middle, with an even number: those areas use the style with long words.
fn edited_area(size: Size) -> usize {
    size.areas / 4 * 2
}

/// The files that the edits change, without duplicates.
pub(crate) fn files(edits: &[Edit]) -> BTreeSet<&str> {
    edits.iter().map(|edit| edit.file.as_str()).collect()
}

impl Edit {
    /// Whether the edited file is the one that all others import.
    pub(crate) fn is_shared(&self) -> bool {
        self.file == VOCABULARY
    }

    /// The text with the edit applied.
    pub(crate) fn apply_to(&self, text: &str) -> String {
        let mut text = text.to_owned();
        text.insert_str(self.offset, &KEYSTROKE.repeat(self.keystrokes));
        text
    }

    /// The content changes of each `textDocument/didChange` that an editor sends for the edit or its reversal.
    pub(crate) fn changes(&self, is_applied: bool) -> Vec<Value> {
        let change = |keystroke: usize| {
            let from = self.column + keystroke;
            let (to, text) = if is_applied { (from, KEYSTROKE) } else { (from + 1, "") };
            let position = |character: usize| json!({ "line": self.line, "character": character });
            json!([{ "range": { "start": position(from), "end": position(to) }, "text": text }])
        };
        if is_applied {
            (0..self.keystrokes).map(change).collect()
        } else {
            (0..self.keystrokes).rev().map(change).collect()
        }
    }
}

/// Returns the byte offset after the last fragment; each fragment is searched for after the previous one. Fails unless
/// the model is ASCII, so that columns are bytes.
pub(crate) fn offset_after(text: &str, fragments: &[&str]) -> Result<usize> {
    ensure!(text.is_ascii(), "the model has characters of several bytes");
    let mut offset = 0;
    for fragment in fragments {
        let found = text.get(offset..).and_then(|rest| rest.find(fragment));
        offset += found.with_context(|| format!("the model has no `{fragment}`"))? + fragment.len();
    }
    Ok(offset)
}

/// The 0-based line and column of a byte offset.
pub(crate) fn line_and_character(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count();
    (line, before.rsplit('\n').next().unwrap_or_default().len())
}

/// The team in the header of the declaration whose name ends at `declared`.
fn team(text: &str, declared: usize) -> Result<&str> {
    let rest = text.get(declared..).and_then(|rest| rest.lines().next());
    rest.and_then(|head| head.split_once(" by ")?.1.split(' ').next()).context("the context has no team")
}

#[cfg(test)]
mod tests {
    use super::{Edit, Kind, line_and_character, offset_after};
    use serde_json::json;

    #[test]
    fn an_edit_is_typed_and_reverted() {
        let text = "Domain A {\n    vision: \"b\"\n}\n";
        let offset = offset_after(text, &["Domain", "\""]).unwrap();
        let (line, column) = line_and_character(text, offset);
        assert_eq!((offset, line, column), (24, 1, 13));
        let edit = Edit {
            title: "two characters",
            kind: Kind::Typing,
            file: String::new(),
            subject: [String::new(), String::new()],
            offset,
            line,
            column,
            keystrokes: 2,
        };
        assert_eq!(edit.apply_to(text), "Domain A {\n    vision: \"xxb\"\n}\n");
        let range = |from: usize, to: usize| json!({ "start": { "line": 1, "character": from }, "end": { "line": 1, "character": to } });
        assert_eq!(
            edit.changes(true),
            [json!([{ "range": range(13, 13), "text": "x" }]), json!([{ "range": range(14, 14), "text": "x" }])]
        );
        assert_eq!(
            edit.changes(false),
            [json!([{ "range": range(14, 15), "text": "" }]), json!([{ "range": range(13, 14), "text": "" }])]
        );
    }
}
