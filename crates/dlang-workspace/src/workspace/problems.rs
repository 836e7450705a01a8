//! The diagnostics of a workspace: models, manifests, locks, and paths that could not be read.

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{
    Db, File, ModelCode, ModelDiagnostic, QueryCancelled, RelatedLocation, file_diagnostics, project_files,
};
use dlang_syntax::{Diagnostic, Severity};
use text_size::{TextRange, TextSize};

use super::positions::{LinePosition, PositionFinder};
use super::snapshot::{View, WorkspaceSnapshot};
use super::{MAX_MODEL_BYTES, parallel};
use crate::diagnostic::SOURCE as MANIFEST_SOURCE;
use crate::files::{ReadError, WalkGap};
use crate::modules::{ManifestText, Module};

/// The `source` of diagnostics on models, as in DomainLang's original tools.
const MODEL_SOURCE: &str = "domain-lang";

/// A diagnostic with its file and line positions, for printing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedDiagnostic {
    /// The absolute path of the file, or of a folder that could not be searched.
    pub path: Utf8PathBuf,
    /// The start of its range.
    pub start: LinePosition,
    /// The end of its range.
    pub end: LinePosition,
    /// `domain-lang` for models, `domainlang` for everything else.
    pub source: &'static str,
    pub diagnostic: Diagnostic<ModelCode, RelatedRange>,
}

/// A location that is related to a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedRange {
    /// The absolute path of the file.
    pub path: Utf8PathBuf,
    /// The range in bytes of its text.
    pub range: TextRange,
    /// The start of the range.
    pub start: LinePosition,
}

impl WorkspaceSnapshot {
    /// Returns all diagnostics, by path and then in the order of the text.
    ///
    /// For files in packages it returns only errors: their users cannot fix anything else there.
    pub fn problems(&self) -> Result<Vec<LocatedDiagnostic>, QueryCancelled> {
        let files: Vec<File> = self.query(|db| project_files(db).to_vec())?;
        let view = &*self.view;
        let found =
            parallel::map(&files, || self.clone(), |snapshot, file| snapshot.query(|db| diagnose(view, db, *file)));
        let mut problems = Vec::new();
        for found in found {
            problems.extend(found?);
        }
        problems.extend(self.view.modules.iter().flat_map(|module| module_diagnostics(module)));
        problems.extend(self.view.cuts.iter().map(|(folder, cut)| gap_diagnostic(folder, cut)));
        // The sort is stable: the diagnostics of one file are already in order.
        problems.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(problems)
    }

    /// Returns the diagnostics of one file: a model, a manifest or a lock.
    pub fn problems_of(&self, path: &Utf8Path) -> Result<Vec<LocatedDiagnostic>, QueryCancelled> {
        if let Some(file) = self.file(path)? {
            return self.query(|db| diagnose(&self.view, db, file));
        }
        let found = self.view.modules.iter().filter(|module| path.starts_with(&module.root));
        Ok(found.flat_map(|module| module_diagnostics(module)).filter(|problem| problem.path == path).collect())
    }
}

fn diagnose(view: &View, db: &dyn Db, file: File) -> Vec<LocatedDiagnostic> {
    let diagnostics = file_diagnostics(db, file);
    let path = Utf8Path::new(file.path(db));
    let fault = view.faults.get(path);
    if diagnostics.is_empty() && fault.is_none() {
        return Vec::new();
    }
    let text = Text::new(path, file.text(db));
    let fault = fault.map(|fault| fault_diagnostic(&text, fault));
    let is_packaged = file.package(db).is_some();
    let relevant = diagnostics.iter().filter(|it| !is_packaged || it.severity() == Severity::Error);
    let located = relevant.map(|diagnostic| {
        let converted = diagnostic.convert(diagnostic.code, |location| related_range(db, &text, *location));
        text.locate(converted, MODEL_SOURCE)
    });
    fault.into_iter().chain(located).collect()
}

/// A text with the positions of its lines.
struct Text<'t> {
    path: &'t Utf8Path,
    finder: PositionFinder<'t>,
}

impl<'t> Text<'t> {
    fn new(path: &'t Utf8Path, text: &'t str) -> Self {
        Self { path, finder: PositionFinder::new(text) }
    }

    fn position(&self, offset: TextSize) -> LinePosition {
        self.finder.position(offset)
    }

    fn locate(&self, diagnostic: Diagnostic<ModelCode, RelatedRange>, source: &'static str) -> LocatedDiagnostic {
        LocatedDiagnostic {
            path: self.path.to_owned(),
            start: self.position(diagnostic.range.start()),
            end: self.position(diagnostic.range.end()),
            source,
            diagnostic,
        }
    }
}

fn related_range(db: &dyn Db, here: &Text<'_>, location: RelatedLocation) -> Option<RelatedRange> {
    Some(match location {
        RelatedLocation::SameFile(range) => {
            RelatedRange { path: here.path.to_owned(), range, start: here.position(range.start()) }
        }
        RelatedLocation::Definition(definition) => {
            let range = definition.focus(db)?;
            let path = Utf8Path::new(definition.file.path(db));
            let start = Text::new(path, definition.file.text(db)).position(range.start());
            RelatedRange { path: path.to_owned(), range, start }
        }
    })
}

fn fault_diagnostic(text: &Text<'_>, fault: &ReadError) -> LocatedDiagnostic {
    let (code, offset, hint) = match fault {
        ReadError::NotUtf8 { valid } => {
            let offset = TextSize::try_from(*valid).unwrap_or_default();
            (ModelCode::FileNotUtf8, offset, "Save it as UTF-8. Until then U+FFFD replaces invalid bytes.".to_owned())
        }
        ReadError::TooLarge { .. } => {
            let megabytes = MAX_MODEL_BYTES / (1024 * 1024);
            (
                ModelCode::FileUnreadable,
                TextSize::default(),
                format!("Models of up to {megabytes} MiB are read. Split it."),
            )
        }
        _ => {
            let hint = "Until it can be read, what it declares is not known.".to_owned();
            (ModelCode::FileUnreadable, TextSize::default(), hint)
        }
    };
    let message = format!("The file cannot be read: {fault}.");
    text.locate(Diagnostic::new(TextRange::empty(offset), code, message).hint(hint), MANIFEST_SOURCE)
}

fn module_diagnostics(module: &Module) -> Vec<LocatedDiagnostic> {
    let text_diagnostics = |own: ManifestText<'_>| {
        let text = Text::new(own.path, own.text);
        // Diagnostics of manifests and locks have no related locations.
        let located = |it: &ModelDiagnostic| text.locate(it.convert(it.code, |_| None), MANIFEST_SOURCE);
        own.diagnostics.iter().map(located).collect::<Vec<_>>()
    };
    module.own_texts().flat_map(text_diagnostics).collect()
}

fn gap_diagnostic(folder: &Utf8Path, cut: &WalkGap) -> LocatedDiagnostic {
    const SMALLER: &str = "Name a smaller folder, or let .gitignore leave out what holds no models.";
    const EXCLUDE_OR_ADD_MODEL: &str = "Let .gitignore leave it out, or put a model there.";
    let (path, code, message, hint) = match cut {
        WalkGap::Entries(count) => {
            let message = format!("After {count} files and folders the rest was not looked at.");
            (folder, ModelCode::FolderIncomplete, message, SMALLER)
        }
        WalkGap::Depth(path) => {
            let message = "The folders below are nested too deep and were not read.".to_owned();
            (path.as_path(), ModelCode::FolderIncomplete, message, SMALLER)
        }
        WalkGap::Unreadable { path, reason } => {
            let hint = "Its declarations are unknown. Add it to .gitignore if it has no models.";
            (path.as_path(), ModelCode::FolderIncomplete, format!("It could not be looked at: {reason}."), hint)
        }
        WalkGap::PassedOver { path, kind } => (
            path.as_path(),
            ModelCode::FilePassedOver,
            format!("It is named like a model and is {kind}."),
            EXCLUDE_OR_ADD_MODEL,
        ),
        WalkGap::Unlisted(count) => {
            (folder, ModelCode::FolderIncomplete, format!("{count} further places were not looked at."), SMALLER)
        }
    };
    Text::new(path, "").locate(Diagnostic::new(TextRange::default(), code, message).hint(hint), MANIFEST_SOURCE)
}
