//! Dotted modules and import statements of Python.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};

use super::{PathEdit, PathMove};
use crate::lexical::NonCode;

/// Returns the proposed edits of a Python text.
pub(super) fn find(text: &str, path: &Utf8Path, old_path: &Utf8Path, moved: &PathMove) -> Vec<PathEdit> {
    let Some(module) = Module::new(moved) else { return Vec::new() };
    let non_code = NonCode::of_file(path, text);
    let mut edits = Vec::new();
    for (range, token) in find_dotted(text) {
        if let Some(new_text) = module.rewrite_absolute(token) {
            edits.push(PathEdit { range, new_text });
        }
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if !non_code.contains(at + line.len() - line.trim_start().len()) {
            edits.extend(module.rewrite_import(line, at, path, old_path, moved));
        }
    }
    edits
}

/// A moved module or package.
struct Module {
    /// The directory from which absolute imports name it, and its dotted names before and after.
    names: Vec<(Vec<String>, Vec<String>)>,
    old: Utf8PathBuf,
    new: Utf8PathBuf,
}

impl Module {
    fn new(moved: &PathMove) -> Option<Self> {
        let (old, new) = (module_path(&moved.from)?, module_path(&moved.to)?);
        let names = old.ancestors().skip(1).filter_map(|root| {
            let parts = |path: &Utf8Path| -> Option<Vec<String>> {
                let parts = path.strip_prefix(root).ok()?.components().map(|part| part.as_str().to_owned());
                Some(parts.collect())
            };
            Some((parts(&old)?, parts(&new)?))
        });
        Some(Self { names: names.collect(), old: old.clone(), new })
    }

    /// Rewrites `pkg.old` and `pkg.old.work`. A name of one part is too short to be certain; see [`Self::rewrite_import`].
    fn rewrite_absolute(&self, token: &str) -> Option<String> {
        let parts: Vec<&str> = token.split('.').collect();
        let (old, new) = self.names.iter().rev().find(|(old, _)| {
            old.len() > 1 && parts.len() >= old.len() && old.iter().zip(&parts).all(|(one, other)| one == other)
        })?;
        let rest = parts.get(old.len()..)?.iter().map(|part| (*part).to_owned());
        Some(new.iter().cloned().chain(rest).collect::<Vec<_>>().join("."))
    }

    /// Rewrites the import statement of a line: `from .old import x`, `from pkg import old`, `import a, old as b`.
    fn rewrite_import(
        &self,
        line: &str,
        at: usize,
        path: &Utf8Path,
        old_path: &Utf8Path,
        moved: &PathMove,
    ) -> Vec<PathEdit> {
        let words: Vec<Range<usize>> = words(line);
        let word = |index: usize| words.get(index).and_then(|range| line.get(range.clone()));
        let edit =
            |range: &Range<usize>, new_text: String| PathEdit { range: at + range.start..at + range.end, new_text };
        let (Some(from), Some(module)) = (word(0), word(1)) else { return Vec::new() };
        let Some(range) = words.get(1) else { return Vec::new() };
        let (name, new_name) = (self.old.file_name().unwrap_or_default(), self.new.file_name().unwrap_or_default());
        // The new module for the old one, or for one of its parts. The name is compared first, because the other condition
        // reads the disk.
        let renamed = |module: &str| {
            let rest = module.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with('.'))?;
            let new = self.top_level_name().filter(|_| self.is_beside(old_path))?;
            Some(format!("{new}{rest}"))
        };
        if from == "import" {
            let mut edits = Vec::new();
            let mut index = 1;
            while let (Some(imported), Some(range)) = (word(index), words.get(index)) {
                let has_alias = word(index + 1) == Some("as");
                match renamed(imported) {
                    Some(new) if has_alias => edits.push(edit(range, new)),
                    Some(new) if imported == name => edits.push(edit(range, format!("{new} as {name}"))),
                    // `import old.part` binds `old`, which the code then uses.
                    _ => {}
                }
                index += if has_alias { 3 } else { 1 };
            }
            return edits;
        }
        if from != "from" || word(2) != Some("import") {
            return Vec::new();
        }
        let dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let tail = module.get(dots..).unwrap_or_default();
        let base = |path: &Utf8Path| path.ancestors().nth(dots).map(Utf8Path::to_owned);
        let join = |base: Utf8PathBuf| {
            tail.split('.').filter(|part| !part.is_empty()).fold(base, |path, part| path.join(part))
        };
        if dots > 0 {
            let Some(resolved) = base(old_path).map(join) else { return Vec::new() };
            let target = if resolved.starts_with(&self.old) {
                super::rebase(&resolved, &self.old, &self.new)
            } else {
                // The moved module's own relative import.
                let is_broken =
                    path != old_path && exists(&resolved) && base(path).map(join).is_none_or(|new| !exists(&new));
                is_broken.then(|| moved.forward(&resolved))
            };
            if let Some(new_text) = target.and_then(|target| relative_module(path, &target)) {
                return if new_text == module { Vec::new() } else { vec![edit(range, new_text)] };
            }
        } else if let Some(new) = renamed(module) {
            return vec![edit(range, new)];
        }
        // `from pkg import old`: the name of the module itself, if its package stays.
        let package = self.old.parent();
        let is_package = if dots > 0 {
            base(old_path).map(join).as_deref() == package
        } else {
            let parts: Vec<&str> = module.split('.').collect();
            self.names
                .iter()
                .any(|(old, _)| old.split_last().is_some_and(|(_, above)| !above.is_empty() && above == parts))
        };
        if !is_package || self.new.parent() != package {
            return Vec::new();
        }
        let imported = words
            .iter()
            .enumerate()
            .skip(3)
            .filter(|(index, _)| word(*index) == Some(name) && word(index - 1) != Some("as"));
        imported
            .map(|(index, range)| {
                let is_renamed = word(index + 1) == Some("as");
                edit(range, if is_renamed { new_name.to_owned() } else { format!("{new_name} as {name}") })
            })
            .collect()
    }

    /// Returns the dotted name of the moved module, from the directory in which it was.
    fn top_level_name(&self) -> Option<String> {
        let new = self.new.strip_prefix(self.old.parent().unwrap_or(&self.old)).ok()?;
        Some(new.as_str().replace('/', "."))
    }

    /// Whether a file was in the directory of the moved module, which is not in a package.
    fn is_beside(&self, old_path: &Utf8Path) -> bool {
        let parent = self.old.parent();
        old_path.parent() == parent && parent.is_some_and(|parent| !parent.join("__init__.py").is_file())
    }
}

/// Returns the path of a module without its extension; `None` for a file that cannot be one.
fn module_path(path: &Utf8Path) -> Option<Utf8PathBuf> {
    match path.extension() {
        Some("py" | "pyi") if matches!(path.file_stem(), Some("__init__")) => None,
        Some("py" | "pyi") => Some(path.with_extension("")),
        None => Some(path.to_owned()),
        Some(_) => None,
    }
}

fn exists(module: &Utf8Path) -> bool {
    module.is_dir()
        || ["py", "pyi"].iter().any(|extension| Utf8PathBuf::from(format!("{module}.{extension}")).is_file())
}

/// Returns the module of a relative import.
fn relative_module(path: &Utf8Path, target: &Utf8Path) -> Option<String> {
    let directory = path.parent()?;
    let above = directory.ancestors().position(|above| target.starts_with(above))?;
    let rest = target.strip_prefix(directory.ancestors().nth(above)?).ok()?;
    Some(format!("{}{}", ".".repeat(above + 1), rest.as_str().replace('/', ".")))
}

/// Returns the words of an import statement: dotted names, keywords.
fn words(line: &str) -> Vec<Range<usize>> {
    find_words(line.split('#').next().unwrap_or_default())
}

/// Returns the dotted names of a text, in code and in strings.
fn find_dotted(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let at = start;
        start += line.len();
        find_words(line).into_iter().filter_map(move |range| {
            // `x/pkg.old`: a part of a path.
            let is_in_path = line.get(..range.start)?.ends_with('/');
            let token = line.get(range.clone())?.trim_end_matches('.');
            let is_dotted = token.contains('.') && !token.starts_with('.');
            let begin = at + range.start;
            (is_dotted && !is_in_path).then(|| (begin..begin + token.len(), token))
        })
    })
}

/// Returns the runs of characters of names and of dots.
fn find_words(line: &str) -> Vec<Range<usize>> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, is_part(character)) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                found.push(begin..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}
