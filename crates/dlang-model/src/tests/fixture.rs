//! A helper for each thing to look at in a model that is written as texts ([`crate::testing`]).

use std::fmt::Write as _;
use std::sync::Arc;

use dlang_syntax::{TextRange, TextSize};

use crate::testing::{Leads, host, host_with, position};
use crate::{Change, Database, Definition, Diagnostic, File, ModelHost, Place, file_diagnostics, fixes};

/// Every diagnostic of every file, one a line.
pub(super) fn check(fixture: &str) -> String {
    rendered(&host(fixture))
}

pub(super) fn check_with(fixture: &str, leads: Leads<'_>) -> String {
    rendered(&host_with(ModelHost::new(), fixture, leads))
}

pub(super) fn rendered(host: &ModelHost) -> String {
    let db = host.db();
    let mut text = String::new();
    let is_one = host.files().count() == 1;
    for file in host.files() {
        for diagnostic in file_diagnostics(db, file) {
            if !is_one {
                write!(text, "{}:", file.path(db)).unwrap();
            }
            render(db, file, diagnostic, &mut text);
        }
    }
    text
}

fn render(db: &Database, file: File, diagnostic: &Diagnostic, text: &mut String) {
    let (place, severity) = (position(file.text(db), diagnostic.range.start()), diagnostic.severity().as_str());
    writeln!(text, "{place}: {severity}: {} [{}]", diagnostic.text(), diagnostic.code.as_str()).unwrap();
    for related in &diagnostic.related {
        let place = match related.place {
            Place::Here(range) => position(file.text(db), range.start()),
            Place::Definition(definition) => place_of(db, definition),
        };
        writeln!(text, "    {place}: {}", related.message).unwrap();
    }
}

pub(super) fn place_of(db: &Database, definition: Definition) -> String {
    let start = definition.focus(db).unwrap().start();
    format!("{}:{}", definition.file.path(db), position(definition.file.text(db), start))
}

/// What each diagnostic of the only file underlines.
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

/// The fixes of each diagnostic of the only file, and the lines that each changes.
pub(super) fn check_fixes(fixture: &str) -> String {
    let host = host(fixture);
    let file = host.files().last().unwrap();
    let before = file.text(host.db());
    let mut text = String::new();
    for diagnostic in file_diagnostics(host.db(), file) {
        writeln!(text, "{}", diagnostic.code.as_str()).unwrap();
        for fix in fixes(host.db(), file, diagnostic) {
            writeln!(text, "  {}{}", fix.title, if fix.is_preferred { " (preferred)" } else { "" }).unwrap();
            let after = applied(before, &fix.edits);
            for line in after.lines().filter(|line| !before.lines().any(|old| old == *line)) {
                writeln!(text, "    {line}").unwrap();
            }
            // A fix does what it says: the diagnostic is gone, and the text is no worse than before.
            let mut again = crate::testing::host(fixture);
            let path = file.path(host.db()).to_owned();
            again.apply([Change::Text { path: path.clone(), text: Arc::from(after) }]);
            let fixed = again.file(&path).unwrap();
            let count = |host: &ModelHost, file: File| {
                let of_code = file_diagnostics(host.db(), file).iter().filter(|other| other.code == diagnostic.code);
                of_code.count()
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

pub(super) fn applied(text: &str, edits: &[crate::TextEdit]) -> String {
    let mut result = String::new();
    let mut done = TextSize::new(0);
    for edit in edits {
        assert!(done <= edit.range.start(), "edits overlap");
        result.push_str(text.get(std::ops::Range::<usize>::from(TextRange::new(done, edit.range.start()))).unwrap());
        result.push_str(&edit.text);
        done = edit.range.end();
    }
    result.push_str(text.get(usize::from(done)..).unwrap());
    result
}
