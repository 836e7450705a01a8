//! Test fixtures: several files in one text, in memory or on disk.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::ModelDiagnostic;
use dlang_syntax::DiagnosticCode as _;
use tempfile::TempDir;
use text_size::TextRange;

use crate::files::MemoryFiles;

/// Returns the files of a fixture: lines `//- path` separate them, and `//- path -> target` is a link (only on disk).
fn parts(fixture: &str) -> impl Iterator<Item = (&str, &str)> {
    fixture.split("//- ").skip(1).map(|part| part.split_once('\n').unwrap_or((part, "")))
}

/// Creates a fixture in memory, below `/w` unless its paths are absolute.
pub(crate) fn in_memory(fixture: &str) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    for (path, text) in parts(fixture) {
        files.insert(Utf8Path::new("/w").join(path.trim()), text);
    }
    files
}

/// Creates a fixture in a temporary folder, and returns the folder's path.
pub(crate) fn on_disk(fixture: &str) -> (TempDir, Utf8PathBuf) {
    let guard = TempDir::new().unwrap();
    let root = Utf8Path::from_path(guard.path()).unwrap().canonicalize_utf8().unwrap();
    for (path, text) in parts(fixture) {
        let (path, target) = path.split_once(" -> ").map_or((path, None), |(path, target)| (path, Some(target)));
        let path = root.join(path.trim());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match target {
            Some(target) => std::os::unix::fs::symlink(target.trim(), path).unwrap(),
            None => write_file(&path, text),
        }
    }
    (guard, root)
}

#[expect(clippy::disallowed_methods, reason = "a fixture need not survive a crash")]
pub(crate) fn write_file(path: &Utf8Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

/// Renders diagnostics, one per line: severity, code, the text of their range, message.
pub(crate) fn show(text: &str, diagnostics: &[ModelDiagnostic]) -> String {
    let mut lines = String::new();
    for diagnostic in diagnostics {
        let message = diagnostic.text().replace('\n', "⏎");
        let location = render_location(text, diagnostic.range);
        writeln!(lines, "{} {} {location} {message}", diagnostic.severity().number(), diagnostic.code.as_str())
            .unwrap();
    }
    lines
}

/// Renders line and column (1-based, columns in bytes) and the text of a range.
pub(crate) fn render_location(text: &str, range: TextRange) -> String {
    let before = text.get(..range.start().into()).unwrap();
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    let there: String = text.get(std::ops::Range::<usize>::from(range)).unwrap().chars().take(30).collect();
    format!("{line}:{column} {there:?}")
}
