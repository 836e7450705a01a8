//! Imports: missing specifiers, unresolved imports and cycles.
//!
//! The resolver of an import provides the reason and message of a failure ([`crate::ImportProblem`]). Programs read
//! the reason in the diagnostic's data, for any code.

use super::checker::{Checker, ImportSubject};
use crate::code::ModelCode;
use crate::diagnostics::{DiagnosticData, ModelDiagnostic};
use crate::inputs::{File, ImportOutcome};

/// Codes of [`check_unresolved`].
pub(super) const PROBLEMS: &[ModelCode] = &[
    ModelCode::ImportUnresolved,
    ModelCode::ImportRequiresManifest,
    ModelCode::ImportNotInManifest,
    ModelCode::ImportNotInstalled,
    ModelCode::ImportEscapesWorkspace,
    ModelCode::ImportConflictingSourcePath,
    ModelCode::ImportMissingSourceOrPath,
    ModelCode::ImportMissingRef,
    ModelCode::ImportAbsolutePath,
    ModelCode::ImportNotValidated,
];

/// Maximum number of files of a cycle in a message. More would not fit on a screen.
const MAX_NAMED_FILES: usize = 12;

/// Reports an import with an empty specifier.
pub(super) fn missing_uri(checker: &mut Checker<'_>, subject: &ImportSubject<'_>) {
    // The parser has already reported a missing string.
    if subject.import.specifier.as_deref() == Some("") {
        let message = "Import statement must have a URI. Use: import \"package\" or import \"./local-path\"";
        checker.report(ModelDiagnostic::new(subject.data.keyword, ModelCode::ImportMissingUri, message.to_owned()));
    }
}

/// Reports an unresolved import.
pub(super) fn check_unresolved(checker: &mut Checker<'_>, subject: &ImportSubject<'_>) {
    let Some(specifier) = subject.import.specifier.as_ref().filter(|specifier| !specifier.is_empty()) else { return };
    let outcomes = checker.file.import_outcomes(checker.db);
    let Some(ImportOutcome::Problem(problem)) = outcomes.get(specifier) else { return };
    let range = subject.data.specifier.unwrap_or(subject.data.range);
    let data = DiagnosticData::Import { specifier: specifier.clone(), reason: problem.reason };
    let mut diagnostic = ModelDiagnostic::new(range, problem.code, problem.message.clone()).data(data);
    diagnostic.hint.clone_from(&problem.hint);
    checker.report(diagnostic);
}

/// Reports an import that closes a cycle.
pub(super) fn cycle(checker: &mut Checker<'_>, subject: &ImportSubject<'_>) {
    let Some(cycle) = subject.cycle else { return };
    let message = format!("Import cycle detected: {}.", describe_cycle(checker, cycle));
    let range = subject.data.specifier.unwrap_or(subject.data.range);
    checker.report(
        ModelDiagnostic::new(range, ModelCode::ImportCycleDetected, message)
            .hint("Break the cycle by extracting shared definitions into a separate file."),
    );
}

/// Formats the files with arrows between them; a long cycle is shortened in the middle.
fn describe_cycle(checker: &Checker<'_>, cycle: &[File]) -> String {
    let path = |file: &File| file.path(checker.db).to_owned();
    let mut names: Vec<String> = cycle.iter().take(MAX_NAMED_FILES - 1).map(path).collect();
    if cycle.len() > MAX_NAMED_FILES {
        names.push(format!("… {} more …", cycle.len() - MAX_NAMED_FILES));
    }
    names.extend(cycle.iter().skip(MAX_NAMED_FILES - 1).next_back().map(path));
    names.join(" → ")
}
