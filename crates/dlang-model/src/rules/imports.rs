//! Imports: what they lack, where they do not lead, and circles of them.
//!
//! Why an import leads nowhere is found out and put into words elsewhere ([`crate::ImportProblem`]). Programs find the
//! reason in the diagnostic's data, whatever the code.

use super::{Checker, ImportSubject};
use crate::diagnostics::{Code, Diagnostic, DiagnosticData};
use crate::inputs::{File, ImportOutcome};

/// The codes of [`unresolved`].
pub(super) const PROBLEMS: &[Code] = &[
    Code::ImportUnresolved,
    Code::ImportRequiresManifest,
    Code::ImportNotInManifest,
    Code::ImportNotInstalled,
    Code::ImportEscapesWorkspace,
    Code::ImportConflictingSourcePath,
    Code::ImportMissingSourceOrPath,
    Code::ImportMissingRef,
    Code::ImportAbsolutePath,
    Code::ImportNotValidated,
];

/// How many files of a circle are named. The message of a longer one would be longer than a screen.
const MAX_NAMED_FILES: usize = 12;

/// An import without a specifier.
pub(super) fn missing_uri(checker: &mut Checker<'_>, subject: &ImportSubject<'_>) {
    // When there is no string at all the parser has said so.
    if subject.import.specifier.as_deref() == Some("") {
        let message = "Import statement must have a URI. Use: import \"package\" or import \"./local-path\"";
        checker.report(Diagnostic::new(subject.places.keyword, Code::ImportMissingUri, message.to_owned()));
    }
}

/// An import leads nowhere.
pub(super) fn check_unresolved(checker: &mut Checker<'_>, subject: &ImportSubject<'_>) {
    let Some(specifier) = subject.import.specifier.as_ref().filter(|specifier| !specifier.is_empty()) else { return };
    let outcomes = checker.file.import_outcomes(checker.db);
    let Some(ImportOutcome::Problem(problem)) = outcomes.get(specifier) else { return };
    let range = subject.places.specifier.unwrap_or(subject.places.range);
    let data = DiagnosticData::Import { specifier: specifier.clone(), reason: problem.reason };
    checker.report(Diagnostic::new(range, problem.code, problem.message.clone()).data(data));
}

/// The import closes a circle.
pub(super) fn cycle(checker: &mut Checker<'_>, subject: &ImportSubject<'_>) {
    let Some(cycle) = subject.cycle else { return };
    let message = format!("Import cycle detected: {}.", describe_cycle(checker, cycle));
    let range = subject.places.specifier.unwrap_or(subject.places.range);
    checker.report(
        Diagnostic::new(range, Code::ImportCycleDetected, message)
            .hint("Break the cycle by extracting shared definitions into a separate file."),
    );
}

/// The files with arrows between them; of a long circle the beginning and the end.
fn describe_cycle(checker: &Checker<'_>, cycle: &[File]) -> String {
    let path = |file: &File| file.path(checker.db).to_owned();
    let mut names: Vec<String> = cycle.iter().take(MAX_NAMED_FILES - 1).map(path).collect();
    if cycle.len() > MAX_NAMED_FILES {
        names.push(format!("… {} more …", cycle.len() - MAX_NAMED_FILES));
    }
    names.extend(cycle.iter().skip(MAX_NAMED_FILES - 1).next_back().map(path));
    names.join(" → ")
}
