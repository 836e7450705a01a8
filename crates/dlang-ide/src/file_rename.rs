//! Updates of imports when files move.
//!
//! The caller, which knows manifests and the disk, determines the targets of a specifier before and after the move.
//! This module only decides how to write the new specifier.

use dlang_syntax::Parse;
use dlang_syntax::ast::quote;

use dlang_model::edit::TextEdit;

/// An import whose file or target moves. Paths are absolute, with `/` as separator and without `.` and `..`.
#[derive(Debug, Clone, Copy)]
pub struct MovedImport<'a> {
    /// The importing file before the move.
    pub importer_before: &'a str,
    /// The importing file after the move.
    pub importer: &'a str,
    /// The target of the import before the move.
    pub target_before: &'a str,
    /// The target after the move.
    pub target: &'a str,
    /// Whether, after the move, a folder has the target's path without its extension. Then the specifier needs the
    /// extension, because it would otherwise resolve to the folder.
    pub has_sibling_folder: bool,
    /// The aliases in the importing file's manifest: keys such as `@lib`, and their folders. Includes `@` with the root
    /// folder if it is valid there.
    pub aliases: &'a [(&'a str, &'a str)],
}

/// Returns the specifier of the target after the move, in the form of the old one: with an alias if the target is still
/// in its folder, without the extension if the old one omitted it, as a folder if the old one named a folder. Returns
/// `None` if the old specifier remains valid, or names a package, whose files have no location of their own.
pub fn moved_specifier(specifier: &str, moved: &MovedImport<'_>) -> Option<String> {
    let parts = parts(specifier);
    let is_relative = matches!(specifier.split(['/', '\\']).next(), Some("." | ".."));
    if !is_relative {
        let (key, folder, rest) = alias(specifier, moved.aliases)?;
        let form = SpecifierForm::detect(&join_paths(folder, rest), moved);
        if leads(&join_paths(folder, rest), form, moved) {
            return None;
        }
        let written = form.render_path(moved);
        let Some(below) = strip_folder(&written, folder) else { return Some(relative(form, moved)) };
        let new = format!("{key}{}{below}", if below.is_empty() { "" } else { "/" });
        // A longer key could match the new specifier and resolve it elsewhere.
        let is_same = alias(&new, moved.aliases).is_some_and(|(other, ..)| other == key);
        return Some(if is_same { new } else { relative(form, moved) });
    }
    let form = SpecifierForm::detect(&resolve_from(folder_of(moved.importer_before), &parts), moved);
    if leads(&resolve_from(folder_of(moved.importer), &parts), form, moved) {
        return None;
    }
    Some(relative(form, moved))
}

/// Returns the edits of the imports of a text. `new` returns the new specifier, if it differs.
pub fn import_edits(parse: &Parse, new: impl Fn(&str) -> Option<String>) -> Vec<TextEdit> {
    let strings =
        parse.tree().imports().filter_map(|import| import.uri()).filter(dlang_syntax::ast::StringToken::is_terminated);
    let edit = |uri: dlang_syntax::ast::StringToken| {
        let value = new(&uri.value())?;
        // Plain paths retain their quotes.
        let is_plain = quote(&value).len() == value.len() + 2 && !value.contains('\'');
        Some(if is_plain {
            TextEdit { range: uri.raw_range(), insert: value }
        } else {
            TextEdit { range: uri.syntax().text_range(), insert: quote(&value) }
        })
    };
    strings.filter_map(edit).collect()
}

/// The form in which a specifier names its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpecifierForm {
    /// By its complete path.
    Whole,
    /// Without `.dlang`.
    Short,
    /// By the folder whose entry it is, without this number of bytes at the end of the target's path.
    Folder(usize),
}

const EXTENSION: &str = ".dlang";

impl SpecifierForm {
    /// Returns the form in which a path names the target before the move, if that form can also name it afterwards.
    fn detect(path: &str, moved: &MovedImport<'_>) -> Self {
        let Some(rest) = moved.target_before.strip_prefix(path) else { return Self::Whole };
        if rest == EXTENSION && moved.target.ends_with(EXTENSION) && !moved.has_sibling_folder {
            Self::Short
        } else if rest.starts_with('/') && moved.target.ends_with(rest) {
            // The folder moved with its entry.
            Self::Folder(rest.len())
        } else {
            Self::Whole
        }
    }

    /// Returns the path of the target after the move, in this form.
    fn render_path(self, moved: &MovedImport<'_>) -> String {
        let omitted = match self {
            Self::Whole => 0,
            Self::Short => EXTENSION.len(),
            Self::Folder(length) => length,
        };
        let prefix_len = moved.target.len().saturating_sub(omitted);
        moved.target.get(..prefix_len).unwrap_or(moved.target).to_owned()
    }
}

/// Whether a path written before the move resolves to the target after it.
fn leads(path: &str, form: SpecifierForm, moved: &MovedImport<'_>) -> bool {
    path == form.render_path(moved)
}

/// Returns the target's path relative to the importing file, after the move.
fn relative(form: SpecifierForm, moved: &MovedImport<'_>) -> String {
    let written = form.render_path(moved);
    let from = parts(folder_of(moved.importer));
    let to = parts(&written);
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from.len() - common;
    let mut steps = if up == 0 { vec!["."] } else { vec![".."; up] };
    steps.extend(to.iter().skip(common));
    steps.join("/")
}

/// Returns the longest key that matches a specifier, its folder, and the text after the key.
fn alias<'a>(specifier: &'a str, aliases: &'a [(&str, &str)]) -> Option<(&'a str, &'a str, &'a str)> {
    let prefix_match = |(key, folder): &(&'a str, &'a str)| {
        let rest = specifier.strip_prefix(key)?;
        (rest.is_empty() || rest.starts_with('/')).then_some((*key, *folder, rest))
    };
    aliases.iter().filter_map(prefix_match).max_by_key(|(key, ..)| key.len())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn parts(path: &str) -> Vec<&str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect()
}

fn join_paths(folder: &str, rest: &str) -> String {
    resolve_from(folder, &parts(rest))
}

/// Resolves the segments of a path from a folder. `..` at the root has no effect.
fn resolve_from(folder: &str, path: &[&str]) -> String {
    let mut all = parts(folder);
    for part in path {
        if *part == ".." {
            all.pop();
        } else {
            all.push(part);
        }
    }
    all.iter().flat_map(|part| ["/", part]).collect()
}

/// Returns a path relative to a folder that contains it.
fn strip_folder<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests;
