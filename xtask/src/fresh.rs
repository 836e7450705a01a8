//! Committed files that a program generates: writes them, or compares them with the new text.

use anyhow::{Context as _, Result, bail};
use camino::Utf8PathBuf;

use crate::paths;

/// A generated file and its new content.
pub(crate) struct Fresh {
    pub(crate) file: Utf8PathBuf,
    pub(crate) text: String,
}

/// Writes the files.
pub(crate) fn write(files: &[Fresh]) -> Result<()> {
    for Fresh { file, text } in files {
        std::fs::write(file, text).with_context(|| format!("cannot write {file}"))?;
        println!("   wrote {}", file.strip_prefix(&*paths::ROOT).unwrap_or(file));
    }
    Ok(())
}

/// Fails if a file on disk differs from its new text; the error names the `command` that writes it.
pub(crate) fn check(files: &[Fresh], command: &str) -> Result<String> {
    let stale = |fresh: &&Fresh| std::fs::read_to_string(&fresh.file).unwrap_or_default() != fresh.text;
    let message = |fresh: &Fresh| format!("{} is out of date: run `{command}`", fresh.file);
    let stale: Vec<_> = files.iter().filter(stale).map(message).collect();
    if stale.is_empty() { Ok(format!("{} files", files.len())) } else { bail!("{}", stale.join("\n")) }
}
