//! The report of a turn that ends without an answer: the work that the loop itself has seen, without guesses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use camino::Utf8PathBuf;
use zubi_base::escape::printable;
use zubi_base::workspace::Folder;
use zubi_tool_api::approval_prompt;

/// The maximum number of files in the report.
const MAX_FILES: usize = 20;
/// The maximum length of the model's last text in the report, in bytes.
const MAX_TEXT: usize = 2_000;

/// The work of a turn so far.
#[derive(Debug, Default)]
pub(super) struct TurnReport {
    /// For each tool, the numbers of successful and failed calls.
    calls: BTreeMap<String, (u64, u64)>,
    skipped_count: u64,
    changed: BTreeSet<Utf8PathBuf>,
    last_text: String,
}

impl TurnReport {
    pub(super) fn call(&mut self, tool: &str, has_failed: bool) {
        let (succeeded, failed) = self.calls.entry(tool.to_owned()).or_default();
        *if has_failed { failed } else { succeeded } += 1;
    }

    pub(super) fn count_skipped(&mut self) {
        self.skipped_count += 1;
    }

    pub(super) fn add_changed_files(&mut self, files: &[Utf8PathBuf]) {
        self.changed.extend(files.iter().cloned());
    }

    /// Stores the model's last text. The text must already be redacted: the report shortens it, and the redactor would
    /// not recognize half a secret.
    pub(super) fn set_text(&mut self, text: &str) {
        if !text.trim().is_empty() {
            text.trim().clone_into(&mut self.last_text);
        }
    }

    /// Returns the calls as one line: `file.read 3, file.edit 2 (1 failed)`.
    fn calls(&self) -> String {
        let counts = self.calls.iter().map(|(tool, (succeeded, failed))| match failed {
            0 => format!("{} {succeeded}", printable(tool)),
            _ => format!("{} {} ({failed} failed)", printable(tool), succeeded + failed),
        });
        counts.collect::<Vec<_>>().join(", ")
    }

    /// Returns the report. `why` is a sentence.
    pub(super) fn report(&self, why: &str, folders: &[Folder]) -> String {
        let mut report = format!("{why}\n");
        // Writing to a `String` cannot fail.
        let _ = match self.calls() {
            calls if calls.is_empty() => writeln!(report, "Calls made: none."),
            calls => writeln!(report, "Calls made: {calls}."),
        };
        if self.skipped_count > 0 {
            let _ = writeln!(report, "Calls requested but not made: {}.", self.skipped_count);
        }
        if !self.changed.is_empty() {
            let display_path = |path: &Utf8PathBuf| {
                let relative = folders.iter().find_map(|folder| path.strip_prefix(&folder.path).ok());
                printable(relative.unwrap_or(path).as_str()).into_owned()
            };
            let files: Vec<String> = self.changed.iter().take(MAX_FILES).map(display_path).collect();
            let more = self.changed.len().saturating_sub(MAX_FILES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(report, "Files changed: {}{more}.", files.join(", "));
        }
        if !self.last_text.is_empty() {
            let _ = writeln!(
                report,
                "The last words of the model: {}",
                approval_prompt::ellipsize_middle(self.last_text.clone(), MAX_TEXT)
            );
        }
        report.push_str("The remaining work is not known.");
        report
    }
}
