//! Edits of a rename that replace more than the name.
//!
//! Some servers replace a whole selector (`.card`, vscode-css-languageserver 4.10), a qualified name
//! (`acme.v1.Column`, buf 1.72) or a string (`"show"`, `emmylua_ls` 0.25) with the bare new name. zubi puts the new name in
//! the place of the old one and preserves the rest. Any other new text is the server's decision: `{ a: b }` for `{ a }`.

use std::ops::Range;

use serde_json::{Value, json};
use zubi_base::lsp;
use zubi_base::position::TextSize;
use zubi_base::text::pluralize;
use zubi_base::uri;

use super::new_name::check_place;
use super::projects::CompletedRename;
use super::range_of;
use crate::edit::EditError;
use crate::error::CodeError;
use crate::locate::ResolvedTarget;
use crate::location::column_of;
use crate::markup::clean_line;
use crate::query::CodeQuery;
use crate::text_search;

/// Extensions of the languages in which `$` marks a variable and is not a part of its name.
const DOLLAR_IS_MARK: [&str; 10] = ["php", "pl", "pm", "ps1", "psm1", "sh", "bash", "zsh", "scss", "sass"];

/// The delimiters of raw identifiers. The server decides whether the new name needs them.
const RAW_IDENTIFIERS: [(&str, &str); 3] = [("r#", ""), ("`", "`"), ("@\"", "\"")];

/// The separators of two names of which the server writes only one if they become equal: `Point { x: y }`, `x as y`.
const PAIR_SEPARATORS: [&str; 3] = [":", "=", "as"];

/// The maximum number of characters of the replaced text in an error.
const MAX_SHOWN: usize = 60;

/// The new text of an edit whose new text is the bare new name.
#[derive(Debug, PartialEq, Eq)]
enum Fit {
    /// The text that the server sent.
    Unchanged,
    /// The replaced text with the new name in the place of the old one.
    Within(String),
    /// The position of the old name in the replaced text is not known.
    Unknown,
}

impl CodeQuery<'_> {
    /// Changes the edits that replace more than the old name with the bare new name, so that they replace the name only.
    /// Returns an error if zubi does not find the old name in a replaced text.
    pub(super) async fn fit_names(
        &self,
        at: &ResolvedTarget,
        language: &str,
        new_name: &str,
        rename: &mut CompletedRename,
    ) -> Result<(), CodeError> {
        let Some(old) = at.name.as_deref() else { return Ok(()) };
        let mut changed = 0;
        for (edit, encoding) in rename.edits_with_encodings() {
            for (uri, edits) in text_edits_mut(edit) {
                let Some(path) = uri::to_path(&lsp::Uri(uri)) else { continue };
                // A file that the same edit moves does not exist yet.
                let Ok(document) = self.document(&path).await else { continue };
                for edit in edits {
                    let (Some(range), true) = (range_of(edit), edit["newText"] == new_name) else { continue };
                    let range = document.index.range_from_lsp(&range, encoding);
                    let offsets = usize::from(range.start())..usize::from(range.end());
                    let text = |range: Range<usize>| document.text.get(range).unwrap_or_default();
                    let around = (text(0..offsets.start), text(offsets.end..document.text.len()));
                    check_place(language, around.0, around.1, new_name)?;
                    let replaced = document.text.get(offsets).unwrap_or_default();
                    match fit(replaced, old, new_name, path.extension().unwrap_or_default()) {
                        Fit::Unchanged => {}
                        Fit::Within(text) => {
                            edit["newText"] = json!(text);
                            changed += 1;
                        }
                        Fit::Unknown => {
                            let start: TextSize = range.start();
                            let line = document.index.line_col(start).line + 1;
                            return Err(CodeError::Edit(EditError::NotTheName {
                                position: format!(
                                    "{}:{line}:{}",
                                    self.workspace().display(&path),
                                    column_of(&document, start)
                                ),
                                replaced: clean_line(&replaced.chars().take(MAX_SHOWN).collect::<String>()),
                                old: old.to_owned(),
                            }));
                        }
                    }
                }
            }
        }
        if changed > 0 {
            let edits = pluralize(changed, "edit");
            rename.notes.push(format!("the server replaces more than the name in {edits}: zubi preserves the rest"));
        }
        Ok(())
    }
}

/// Returns the text edits of a workspace edit by the URI of their file.
pub(crate) fn text_edits_mut(edit: &mut Value) -> impl Iterator<Item = (String, &mut Vec<Value>)> {
    let Some(fields) = edit.as_object_mut() else { return Vec::new().into_iter() };
    let mut found = Vec::new();
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("changes", Value::Object(changes)) => {
                let changes = changes.iter_mut();
                found.extend(changes.filter_map(|(uri, edits)| Some((uri.clone(), edits.as_array_mut()?))));
            }
            ("documentChanges", Value::Array(changes)) => {
                found.extend(changes.iter_mut().filter_map(|change| {
                    let uri = change.pointer("/textDocument/uri")?.as_str()?.to_owned();
                    Some((uri, change.get_mut("edits")?.as_array_mut()?))
                }));
            }
            _ => {}
        }
    }
    found.into_iter()
}

fn fit(replaced: &str, old: &str, new: &str, extension: &str) -> Fit {
    // Some languages ignore case in names.
    if replaced.is_empty() || replaced.eq_ignore_ascii_case(old) || is_pair(replaced, old, new) {
        return Fit::Unchanged;
    }
    let dollar = !DOLLAR_IS_MARK.contains(&extension);
    let mut found = text_search::occurrences(replaced, old);
    let (Some(start), None) = (found.next(), found.next()) else {
        // Another name is an alias, a name in another notation, or one of another declaration.
        let is_name = replaced.chars().all(|character| continues_name(character, dollar));
        return if is_name { Fit::Unchanged } else { Fit::Unknown };
    };
    let (before, after) =
        (replaced.get(..start).unwrap_or_default(), replaced.get(start + old.len()..).unwrap_or_default());
    // The name may be longer than an identifier of most languages: `my-card`, `valid?`, `x'`.
    let before = before.trim_end_matches(|character| continues_name(character, dollar));
    let mut after = after.trim_start_matches(|character| continues_name(character, dollar));
    if !before.ends_with('\'') {
        after = after.trim_start_matches(['?', '!', '\'']);
    }
    let dashes = replaced.get(before.len()..).unwrap_or_default();
    let dashes = dashes.len() - dashes.trim_start_matches('-').len();
    let before = replaced.get(..before.len() + dashes).unwrap_or_default();
    let is_raw = RAW_IDENTIFIERS.contains(&(before, after));
    if before.is_empty() && after.is_empty() || is_raw || new.starts_with(before) && new.ends_with(after) {
        return Fit::Unchanged;
    }
    Fit::Within(format!("{before}{new}{after}"))
}

fn continues_name(character: char, dollar: bool) -> bool {
    matches!(character, '-' | '_') || character == '$' && dollar || unicode_ident::is_xid_continue(character)
}

/// Whether a text is a pair of the two names, of which only one remains if they become equal.
fn is_pair(text: &str, old: &str, new: &str) -> bool {
    [(old, new), (new, old)].into_iter().any(|(first, second)| {
        let between = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(second));
        between.is_some_and(|between| PAIR_SEPARATORS.contains(&between.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_replaced_text_is_preserved() {
        for (replaced, old, new, extension, expected) in [
            (".card", "card", "tile", "css", ".tile"),
            (".my-card", "my", "tile", "css", ".tile"),
            (".my-card:hover", "card", "tile", "css", ".tile:hover"),
            ("--brand", "brand", "main", "css", "--main"),
            ("$brand", "brand", "main", "scss", "$main"),
            ("$total", "total", "sum", "php", "$sum"),
            ("acme.col.v1.Column", "Column", "Field", "proto", "acme.col.v1.Field"),
            ("\"show\"", "show", "display", "lua", "\"display\""),
            ("'show'", "show", "display", "lua", "'display'"),
            ("@name", "name", "title", "rb", "@title"),
        ] {
            assert_eq!(fit(replaced, old, new, extension), Fit::Within(expected.to_owned()), "{replaced}");
        }
    }

    #[test]
    fn the_server_decides_about_names() {
        for (replaced, old, new, extension) in [
            ("card", "card", "tile", "css"),
            (".card", "card", ".tile", "css"),
            ("--brand", "brand", "--main", "css"),
            ("acme.Column", "Column", "acme.Field", "proto"),
            ("my-card", "my", "tile", "clj"),
            ("valid?", "valid", "ok?", "rb"),
            ("x'", "x", "y", "hs"),
            ("$store", "store", "shop", "ts"),
            ("r#match", "match", "kind", "rs"),
            ("`when`", "when", "kind", "kt"),
            ("AREA", "area", "size", "f90"),
            ("field: local", "local", "field", "rs"),
            ("local as field", "local", "field", "ts"),
            ("", "area", "size", "rs"),
            ("other", "area", "size", "py"),
        ] {
            assert_eq!(fit(replaced, old, new, extension), Fit::Unchanged, "{replaced}");
        }
    }

    #[test]
    fn a_text_without_the_name_is_refused() {
        for (replaced, old) in [("rea(", "area"), (" are", "area"), ("area(area)", "area"), ("a.b", "area")] {
            assert_eq!(fit(replaced, old, "size", "py"), Fit::Unknown, "{replaced}");
        }
    }
}
