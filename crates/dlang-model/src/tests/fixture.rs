//! Helpers that check one aspect of a fixture model ([`crate::testing`]).

use std::fmt::Write as _;
use std::sync::Arc;

use dlang_syntax::DiagnosticCode as _;

use crate::testing::{ResolveFn, apply_edits, host, host_with, render_diagnostics};
use crate::{File, ModelChange, ModelHost, file_diagnostics, fixes};

/// Renders every diagnostic of every file, one per line.
pub(super) fn check(fixture: &str) -> String {
    render_diagnostics(&host(fixture))
}

pub(super) fn check_with(fixture: &str, problems: ResolveFn<'_>) -> String {
    render_diagnostics(&host_with(ModelHost::new(), fixture, problems))
}

/// Renders the range of each diagnostic of the only file.
pub(super) fn check_ranges(fixture: &str) -> String {
    let host = host(fixture);
    let file = host.files().next().unwrap();
    let mut text = String::new();
    for diagnostic in file_diagnostics(host.db(), file) {
        let range = std::ops::Range::<usize>::from(diagnostic.range);
        writeln!(text, "{}: {}", diagnostic.code.as_str(), file.text(host.db()).get(range).unwrap()).unwrap();
    }
    text
}

/// Renders the fixes of each diagnostic of the last file, and the lines that each one changes.
pub(super) fn check_fixes(fixture: &str) -> String {
    let host = host(fixture);
    let file = host.files().last().unwrap();
    let before = file.text(host.db());
    let mut text = String::new();
    for diagnostic in file_diagnostics(host.db(), file) {
        writeln!(text, "{}", diagnostic.code.as_str()).unwrap();
        for fix in fixes(host.db(), file, diagnostic) {
            writeln!(text, "  {}{}", fix.title, if fix.is_preferred { " (preferred)" } else { "" }).unwrap();
            let after = apply_edits(before, &fix.edits);
            for line in after.lines().filter(|line| !before.lines().any(|old| old == *line)) {
                writeln!(text, "    {line}").unwrap();
            }
            // A fix must resolve its diagnostic and not break the text.
            let mut again = crate::testing::host(fixture);
            let path = file.path(host.db()).to_owned();
            again.apply([ModelChange::Text { path: path.clone(), text: Arc::from(after) }]);
            let fixed = again.file(&path).unwrap();
            let count = |host: &ModelHost, file: File| {
                file_diagnostics(host.db(), file).iter().filter(|other| other.code == diagnostic.code).count()
            };
            let is_to_fill_in = fix.title.ends_with(" to fill in");
            assert!(
                is_to_fill_in || count(&again, fixed) < count(&host, file),
                "{} is still there after: {}",
                diagnostic.message,
                fix.title
            );
            assert!(!crate::parse(again.db(), fixed).has_errors(), "{} breaks the syntax", fix.title);
        }
    }
    text
}
