//! `mod` declarations of Rust: a module file that leaves its directory needs a `path` attribute.

use camino::Utf8Path;

use super::{PathEdit, PathMove, relative};

/// Returns the attribute for the declaration of a moved module, if the text is that of its parent module.
pub(super) fn find(text: &str, path: &Utf8Path, moved: &PathMove) -> Vec<PathEdit> {
    let (Some(directory), Some(old_directory)) = (path.parent(), moved.from.parent()) else { return Vec::new() };
    let is_root = matches!(path.file_name(), Some("mod.rs" | "lib.rs" | "main.rs"));
    let children = if is_root { directory.to_owned() } else { path.with_extension("") };
    let name = match (moved.from.extension(), moved.from.file_name()) {
        (Some("rs"), Some("mod.rs")) | (None, None) => return Vec::new(),
        (Some("rs"), _) => moved.from.file_stem(),
        // A directory is a module if it has a `mod.rs`.
        (None, Some(name)) if moved.to.join("mod.rs").is_file() => Some(name),
        _ => None,
    };
    let Some(name) = name.filter(|_| children == old_directory) else { return Vec::new() };
    let file = if moved.to.extension() == Some("rs") { moved.to.clone() } else { moved.to.join("mod.rs") };
    let declaration = format!("mod {name};");
    let mut start = 0;
    let mut attribute = false;
    let mut edits = Vec::new();
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        let is_declaration = code
            .strip_suffix(declaration.as_str())
            .is_some_and(|before| before.is_empty() || before.starts_with("pub") && before.ends_with(' '));
        if is_declaration && !attribute {
            let at = start + line.len() - line.trim_start().len();
            let indentation = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
            let path = relative(directory, &file, false);
            edits.push(PathEdit { range: at..at, new_text: format!("#[path = \"{path}\"]\n{indentation}") });
        }
        attribute = code.starts_with("#[path");
        start += line.len();
    }
    edits
}
