//! The end of a long list of locations: the line numbers in each file, so that a model sees the whole extent at once.

use std::fmt::Write as _;

use camino::Utf8Path;
use zubi_base::text::pluralize;
use zubi_code::features::locations::RawLocation;

use crate::lsp::view::file_count;

/// The minimum number of locations that are shown with their source lines.
const MIN_SHOWN: usize = 3;

/// The form of the end of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TailForm {
    /// `rich/align.py  9, 144, 236`
    Lines,
    /// `rich/align.py (3)`
    Counts,
}

/// Returns the number of locations to show with their source lines, and the text about the others. `item_ends` are the
/// lengths of the text after each location that was written; both parts have at most `budget` bytes.
pub(super) fn fit_tail(locations: &[RawLocation], item_ends: &[usize], budget: usize) -> (usize, String) {
    let min_shown = MIN_SHOWN.min(item_ends.len());
    let before = |shown: usize| shown.checked_sub(1).and_then(|last| item_ends.get(last)).copied().unwrap_or(0);
    for form in [TailForm::Lines, TailForm::Counts] {
        for shown in (min_shown..=item_ends.len()).rev() {
            let rest = locations.get(shown..).unwrap_or_default();
            let (text, written) = render(rest, form, shown, budget.saturating_sub(before(shown)));
            if written == rest.len() {
                return (shown, text);
            }
        }
    }
    let rest = locations.get(min_shown..).unwrap_or_default();
    let (mut text, written) = render(rest, TailForm::Counts, min_shown, budget.saturating_sub(before(min_shown)));
    let unwritten = rest.get(written..).unwrap_or_default();
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "… {} in {}", unwritten.len(), pluralize(file_count(unwritten), "other file"));
    (min_shown, text)
}

/// Renders as many files as the budget allows; returns the number of their locations, too.
fn render(locations: &[RawLocation], form: TailForm, cursor: usize, budget: usize) -> (String, usize) {
    let what = if form == TailForm::Lines { ", by line" } else { "" };
    let mut text = format!("… {} more{what}; with source: cursor=\"{cursor}\"\n", locations.len());
    let mut written = 0;
    for file in locations.chunk_by(|one, next| one.display_path == next.display_path) {
        let before = text.len();
        write_file(&mut text, file, form);
        if text.len() > budget {
            text.truncate(before);
            break;
        }
        written += file.len();
    }
    (text, written)
}

fn write_file(text: &mut String, file: &[RawLocation], form: TailForm) {
    let Some(first) = file.first() else { return };
    text.push_str(&first.display_path);
    if first.external {
        text.push_str(" (external)");
    }
    // The lines of a notebook's JSON are not those of its cells.
    let is_notebook = Utf8Path::new(&first.display_path).extension() == Some("ipynb");
    if form == TailForm::Counts || is_notebook {
        let _ = writeln!(text, " ({})", file.len());
        return;
    }
    let key = |one: &RawLocation| (one.line(), one.declaration, one.text_only);
    for (index, same) in file.chunk_by(|one, next| key(one) == key(next)).enumerate() {
        let Some(one) = same.first() else { continue };
        let _ = write!(text, "{}{}", if index == 0 { "  " } else { ", " }, one.line());
        if same.len() > 1 {
            let _ = write!(text, "×{}", same.len());
        }
        text.push_str(match one {
            RawLocation { text_only: true, .. } => " (text)",
            RawLocation { declaration: true, .. } => " (declaration)",
            _ => "",
        });
    }
    text.push('\n');
}
