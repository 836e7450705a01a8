//! Mentions of moved files that no server updates: paths in texts (includes, imports, build files, strings), dotted
//! modules of Python, and `mod` declarations of Rust.
//!
//! The scan knows no grammar. It resolves each token that looks like a path or a module from the place of its file, and
//! proposes an edit if the token leads to a moved file.

use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::fs::without_dots;

mod aliases;
mod python;
mod rust;

pub(crate) use aliases::directory_names;

/// One move of a file or a directory. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathMove {
    pub(crate) from: Utf8PathBuf,
    pub(crate) to: Utf8PathBuf,
}

/// A proposed replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathEdit {
    /// In bytes.
    pub(crate) range: Range<usize>,
    pub(crate) new_text: String,
}

/// The surroundings of a move, read once.
#[derive(Debug, Clone, Default)]
pub(crate) struct MoveSurroundings {
    /// Names by which texts refer to a directory, such as the module path of a `go.mod`; the longest first.
    pub(crate) names: Vec<(String, Utf8PathBuf)>,
    /// Whether no other file of the workspace has the moved file's name, so that the bare name is a mention.
    pub(crate) has_unique_name: bool,
}

impl PathMove {
    /// Returns the path after the move.
    pub(crate) fn forward(&self, path: &Utf8Path) -> Utf8PathBuf {
        rebase(path, &self.from, &self.to).unwrap_or_else(|| path.to_owned())
    }

    fn backward(&self, path: &Utf8Path) -> Utf8PathBuf {
        rebase(path, &self.to, &self.from).unwrap_or_else(|| path.to_owned())
    }

    /// Returns the new path of what a token led to, if that has moved. Tokens often omit the extension of a source file.
    fn target(&self, resolved: &Utf8Path) -> Option<Utf8PathBuf> {
        if let Some(moved) = rebase(resolved, &self.from, &self.to) {
            return Some(moved);
        }
        let stem = without_extension(&self.from)?;
        if resolved == stem {
            return without_extension(&self.to);
        }
        // TypeScript refers to `a.ts` as `a.js`.
        let is_compiled = resolved.extension().is_some_and(|extension| JAVASCRIPT.contains(&extension))
            && self.from.extension().is_some_and(|extension| TYPESCRIPT.contains(&extension));
        if is_compiled && without_extension(resolved)? == stem {
            return Some(self.to.with_extension(resolved.extension()?));
        }
        None
    }
}

const JAVASCRIPT: [&str; 4] = ["js", "mjs", "cjs", "jsx"];
const TYPESCRIPT: [&str; 4] = ["ts", "mts", "cts", "tsx"];

/// Returns the proposed edits of a text whose file has this path after the move, in order.
pub(crate) fn find(text: &str, path: &Utf8Path, moved: &PathMove, around: &MoveSurroundings) -> Vec<PathEdit> {
    let old_path = moved.backward(path);
    let mut edits: Vec<PathEdit> = tokens(text)
        .filter_map(|range| {
            let token = text.get(range.clone())?;
            let mut new_text = rewrite(token, path, &old_path, moved, around)?;
            if token.ends_with('/') && !new_text.ends_with('/') {
                new_text.push('/');
            }
            (new_text != token).then_some(PathEdit { range, new_text })
        })
        .collect();
    match path.extension() {
        Some("py" | "pyi") => edits.extend(python::find(text, path, &old_path, moved)),
        Some("rs") => edits.extend(rust::find(text, path, moved)),
        _ => {}
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits.dedup_by(|next, edit| next.range.start < edit.range.end);
    edits
}

/// Returns the parts of a text that may be paths, without those of URLs and with no punctuation at the end.
fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_./@~+-#$".contains(&byte) || !byte.is_ascii();
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while bytes.get(at).is_some_and(|byte| is_part(*byte)) {
                at += 1;
            }
            let mut end = at;
            at += 1;
            while end > start && bytes.get(end - 1).is_some_and(|byte| b".+-".contains(byte)) {
                end -= 1;
            }
            let has_scheme = start > 0
                && bytes.get(start - 1) == Some(&b':')
                && text.get(start..end).is_some_and(|token| token.starts_with("//"));
            let is_path = text.get(start..end).is_some_and(|token| token.contains(['/', '.']));
            if is_path && !has_scheme {
                return Some(start..end);
            }
        }
        None
    })
}

fn rewrite(
    token: &str,
    path: &Utf8Path,
    old_path: &Utf8Path,
    moved: &PathMove,
    around: &MoveSurroundings,
) -> Option<String> {
    let (directory, old_directory) = (path.parent()?, old_path.parent()?);
    let is_relative = token.starts_with("./") || token.starts_with("../");
    let resolved = without_dots(&old_directory.join(token));
    if !token.starts_with('/') {
        if let Some(target) = moved.target(&resolved).filter(|_| !is_bare_word(token)) {
            let is_right = without_dots(&directory.join(token)) == target;
            return (!is_right).then(|| relative(directory, &target, token.starts_with("./")));
        }
        // The moved file's own references to files that stay.
        let is_own = path != old_path && (is_relative || is_include(path));
        if is_own && leads_somewhere(&resolved) && !leads_somewhere(&without_dots(&directory.join(token))) {
            return Some(relative(directory, &resolved, token.starts_with("./")));
        }
    }
    if is_relative { None } else { rewrite_from_root(token, moved, around) }
}

/// Rewrites a token that names a moved file from a directory above it: `src/a.ts`, `@app/state/a`, `example.com/m/a`.
fn rewrite_from_root(token: &str, moved: &PathMove, around: &MoveSurroundings) -> Option<String> {
    for (name, directory) in &around.names {
        let rest = token.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('/'));
        if let Some(target) = rest.and_then(|rest| moved.target(&directory.join(rest)))
            && let Ok(rest) = target.strip_prefix(directory)
        {
            return Some(format!("{name}/{rest}"));
        }
    }
    let parts: Vec<&str> = token.split('/').collect();
    let above: Vec<&Utf8Path> = moved.from.ancestors().skip(1).collect();
    // The deepest directory comes first, so the longest tail is last.
    for (depth, directory) in above.iter().enumerate().rev() {
        let tail = depth + 1;
        for start in 0..parts.len().checked_sub(tail).map_or(0, |last| last + 1) {
            let rest = parts.get(start..)?.join("/");
            let Some(target) = moved.target(&directory.join(&rest)) else { continue };
            let is_enough = tail > 1
                || start == 0 && around.has_unique_name && moved.from.file_name() == Some(token) && token.contains('.');
            if !is_enough {
                continue;
            }
            let new = target.strip_prefix(directory).ok()?;
            return Some(parts.get(..start)?.iter().copied().chain([new.as_str()]).collect::<Vec<_>>().join("/"));
        }
    }
    None
}

/// Whether a token is one word, which also other things have as their name.
fn is_bare_word(token: &str) -> bool {
    !token.contains('/') && !token.contains('.')
}

/// Whether the file is of a language whose includes may be bare names.
fn is_include(path: &Utf8Path) -> bool {
    let extensions = ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu", "cuh", "inl"];
    path.extension().is_some_and(|extension| extensions.contains(&extension))
}

/// Whether a file is at a path, possibly after one of the extensions that imports omit.
fn leads_somewhere(path: &Utf8Path) -> bool {
    let extended = |extension: &&str| Utf8PathBuf::from(format!("{path}.{extension}")).is_file();
    path.is_file()
        || TYPESCRIPT.iter().chain(&JAVASCRIPT).any(extended)
        || path.extension().is_some_and(|extension| JAVASCRIPT.contains(&extension))
            && TYPESCRIPT.iter().any(|extension| path.with_extension(extension).is_file())
}

fn rebase(path: &Utf8Path, from: &Utf8Path, to: &Utf8Path) -> Option<Utf8PathBuf> {
    let rest = path.strip_prefix(from).ok()?;
    Some(if rest.as_str().is_empty() { to.to_owned() } else { to.join(rest) })
}

fn without_extension(path: &Utf8Path) -> Option<Utf8PathBuf> {
    path.extension().map(|_| path.with_extension(""))
}

/// Returns the path from a directory to a target, with `/` as separator.
fn relative(directory: &Utf8Path, target: &Utf8Path, is_dotted: bool) -> String {
    let shared = directory.components().zip(target.components()).take_while(|(one, other)| one == other).count();
    let up = directory.components().skip(shared).map(|_| "..");
    let down = target.components().skip(shared).map(|component| component.as_str());
    let path = up.chain(down).collect::<Vec<_>>().join("/");
    if is_dotted && !path.starts_with("../") { format!("./{path}") } else { path }
}

#[cfg(test)]
mod tests;
