//! Fixture models written as text, for the tests of this crate and of those above it.
//!
//! One text contains several files, each after a line `//- path`; without such a line it is `main.dlang`. `//- path
//! package=name` puts a file into an installed package. Relative imports resolve to the file with that path; the test
//! provides the outcome of others. `$0` marks a position.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "an invalid fixture should fail its test")]

pub mod queries;

use std::fmt::Write as _;
use std::sync::Arc;

use dlang_syntax::{DiagnosticCode as _, TextSize};

use crate::edit::{TextEdit, apply};
use crate::{
    Database, Definition, File, ImportOutcome, ImportProblem, ModelChange, ModelDiagnostic, ModelHost, RelatedLocation,
    file_diagnostics, file_index,
};

/// Marks a position.
pub const MARKER: &str = "$0";

/// Returns the files of a fixture: path, package, text.
fn files(fixture: &str) -> Vec<(String, Option<String>, String)> {
    let mut files: Vec<(String, Option<String>, String)> = Vec::new();
    for line in fixture.trim_start_matches('\n').split_inclusive('\n') {
        if let Some(header) = line.strip_prefix("//- ") {
            let mut words = header.split_whitespace();
            let path = words.next().unwrap().to_owned();
            let package = words.next().and_then(|word| word.strip_prefix("package=")).map(str::to_owned);
            files.push((path, package, String::new()));
            continue;
        }
        if files.is_empty() {
            files.push(("main.dlang".to_owned(), None, String::new()));
        }
        files.last_mut().unwrap().2.push_str(line);
    }
    if files.is_empty() {
        files.push(("main.dlang".to_owned(), None, String::new()));
    }
    files
}

/// Outcomes of specifiers that are not relative paths to a file of the fixture.
pub type ResolveFn<'a> = &'a [(&'a str, ImportProblem)];

/// Creates a model of the files of a fixture.
pub fn host(fixture: &str) -> ModelHost {
    host_with(ModelHost::new(), fixture, &[])
}

/// Adds the files of a fixture to an existing host.
pub fn host_with(mut host: ModelHost, fixture: &str, problems: ResolveFn<'_>) -> ModelHost {
    for (path, package, text) in files(fixture) {
        host.apply([
            ModelChange::Text { path: path.clone(), text: Arc::from(text) },
            ModelChange::Package { path, package: package.map(Arc::from) },
        ]);
    }
    resolve_imports(&mut host, problems);
    host
}

/// Resolves the imports of every file.
pub fn resolve_imports(host: &mut ModelHost, problems: ResolveFn<'_>) {
    let files: Vec<File> = host.files().collect();
    for file in files {
        let path = file.path(host.db()).to_owned();
        let specifiers = file_index(host.db(), file).imports.iter().filter_map(|import| import.specifier.clone());
        let outcomes = specifiers.filter_map(|specifier| {
            let outcome = match problems.iter().find(|(known, _)| *known == specifier) {
                Some((_, problem)) => ImportOutcome::Problem(problem.clone()),
                None => ImportOutcome::File(host.file(&join_path(&path, &specifier))?),
            };
            Some((specifier.to_string(), outcome))
        });
        let outcomes = outcomes.collect();
        host.apply([ModelChange::Imports { path, outcomes }]);
    }
}

/// Joins a relative path to the directory of a file.
fn join_path(from: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Creates a model of the files of a fixture with exactly one `$0`, which is removed. Returns it with the marked file
/// and offset.
pub fn host_at(fixture: &str) -> (ModelHost, File, TextSize) {
    let before = fixture.split_once(MARKER).expect("the fixture marks a position").0;
    assert_eq!(fixture.matches(MARKER).count(), 1, "one position is marked");
    let host = host(&fixture.replacen(MARKER, "", 1));
    let (path, _, text) = files(before).pop().expect("a file precedes each position");
    let file = host.file(&path).expect("the marked file is in the model");
    (host, file, TextSize::of(text.as_str()))
}

/// Returns line and column, both 1-based.
pub fn position(text: &str, at: TextSize) -> String {
    let before = text.get(..usize::from(at)).unwrap();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    format!("{line}:{column}")
}

/// Renders every diagnostic of every file, one per line.
pub fn render_diagnostics(host: &ModelHost) -> String {
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

fn render(db: &Database, file: File, diagnostic: &ModelDiagnostic, text: &mut String) {
    let (start, severity) = (position(file.text(db), diagnostic.range.start()), diagnostic.severity().as_str());
    writeln!(text, "{start}: {severity}: {} [{}]", diagnostic.text(), diagnostic.code.as_str()).unwrap();
    for related in &diagnostic.related {
        let location = match related.location {
            RelatedLocation::SameFile(range) => position(file.text(db), range.start()),
            RelatedLocation::Definition(definition) => location_text(db, definition),
        };
        writeln!(text, "    {location}: {}", related.message).unwrap();
    }
}

/// Returns the position of an element's name, with its file.
pub fn location_text(db: &Database, definition: Definition) -> String {
    let start = definition.focus(db).unwrap().start();
    format!("{}:{}", definition.file.path(db), position(definition.file.text(db), start))
}

/// Returns the text after the edits of a fix, which must be in order.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    assert!(edits.is_sorted_by(|one, next| one.range.end() <= next.range.start()), "edits overlap");
    apply(text, edits)
}
