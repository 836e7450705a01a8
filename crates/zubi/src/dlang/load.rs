//! The workspace that a command's path selects.

use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use dlang_model::{Db, File, ImportOutcome, Reference, file_index, file_model, project_files, resolutions};
use dlang_workspace::files::{DiskFiles, WalkGap};
use dlang_workspace::workspace::{LoadError, Root};
use dlang_workspace::{Workspace, WorkspaceSnapshot};
use zubi_base::text::pluralize;
use zubi_cli::failure::Failure;
use zubi_cli::terminal::{self, ProgressLine};
use zubi_tool_api::cx::ProgressSink as _;

use crate::interrupt::Interrupt;
use crate::output::DlangOutput;
use crate::path_error;

/// The delay before the progress line is shown.
const DELAY: Duration = Duration::from_millis(300);

/// The result of loading.
pub(crate) enum LoadResult {
    Complete(Box<Workspace>),
    /// Ctrl-C, with the exit code.
    Interrupted(ExitCode),
}

/// Loads the models that a path selects. While they load, Ctrl-C stops in an orderly way; afterwards it ends the
/// process at once.
pub(crate) fn load(output: &DlangOutput, path_argument: &Utf8Path) -> Result<LoadResult, Failure> {
    let root = root(output, path_argument)?;
    let interrupt = Interrupt::listen()?;
    load_until(root, path_argument, &interrupt)
}

/// Returns the folder or file from which to load the models of a path.
pub(crate) fn root(output: &DlangOutput, path_argument: &Utf8Path) -> Result<Root, Failure> {
    let path = output.absolute(path_argument);
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => {
            path_error::ensure_readable_dir(path_argument, &path)?;
            Ok(Root::Folder(path))
        }
        Ok(_) => Ok(Root::File(path)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(path_error::not_found(path_argument))
        }
        Err(error) => Err(path_error::unreadable(path_argument, &error)),
    }
}

fn load_until(root: Root, path_argument: &Utf8Path, interrupt: &Interrupt) -> Result<LoadResult, Failure> {
    let line = ProgressLine::new();
    let start = Instant::now();
    let reported = Cell::new(0);
    let loaded = Workspace::load(Arc::new(DiskFiles), vec![root], &mut |progress| {
        if let Some(line) = line.as_ref().filter(|_| start.elapsed() > DELAY && reported.get() != progress.loaded) {
            reported.set(progress.loaded);
            line.report(None, &format!("loading: {} of {}", progress.loaded, pluralize(progress.total, "file")));
        }
        if interrupt.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(line) = &line {
        line.clear();
    }
    match loaded {
        Err(LoadError::Interrupted) => Ok(LoadResult::Interrupted(Interrupt::code())),
        Err(LoadError::NotAModel(_) | LoadError::NotAFile(_)) => Err(path_error::wrong_extension(path_argument)),
        Err(LoadError::NotFound(_) | LoadError::NotAFolder(_)) => Err(path_error::not_found(path_argument)),
        Ok(workspace) => {
            interrupt.disarm();
            Ok(LoadResult::Complete(Box::new(workspace)))
        }
    }
}

/// Loads a model and runs a query on it; returns the exit code if loading was interrupted.
pub(crate) fn query_model(
    output: &DlangOutput,
    path: &Utf8Path,
    query: impl FnOnce(&WorkspaceSnapshot) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    match load(output, path)? {
        LoadResult::Interrupted(code) => Ok(code),
        LoadResult::Complete(workspace) => {
            let snapshot = workspace.snapshot();
            if file_count(&snapshot)? == 0 {
                return Err(no_models(path));
            }
            let code = query(&snapshot)?;
            warn_of_missing_parts(&snapshot)?;
            Ok(code)
        }
    }
}

pub(crate) fn file_count(snapshot: &WorkspaceSnapshot) -> Result<usize, Failure> {
    snapshot.query(|db| project_files(db).len()).map_err(Failure::environment)
}

/// Returns the error for a folder without a model: reporting it as valid, or without domains, would be misleading.
pub(crate) fn no_models(path_argument: &Utf8Path) -> Failure {
    Failure::usage(format!("No DomainLang file in `{path_argument}` or below it"))
        .hint("Pass a .dlang file or a folder with .dlang files, or create a model with `dlang init`.")
}

/// Warns that the answer may be incomplete if parts of the model could not be read.
fn warn_of_missing_parts(snapshot: &WorkspaceSnapshot) -> Result<(), Failure> {
    let counted = snapshot.query(|db| {
        let files = project_files(db);
        let broken = files.iter().filter(|file| dlang_model::parse(db, **file).has_errors()).count();
        let imports = files.iter().map(|file| unresolved_imports(db, *file)).sum();
        let references = files.iter().map(|file| unresolved_references(db, *file)).sum();
        (broken, imports, references)
    });
    let (broken, imports, references) = counted.map_err(Failure::environment)?;
    // An entry that was passed over is not a model.
    let unscanned = snapshot.cuts().iter().filter(|(_, cut)| !matches!(cut, WalkGap::PassedOver { .. })).count();
    let missing: Vec<String> = [
        (broken, "files with syntax errors"),
        (snapshot.faults().len(), "files that cannot be read"),
        (unscanned, "locations that were not scanned"),
        (imports, "unresolved imports"),
        (references, "unresolved references"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, description)| format!("{description}: {number}"))
    .collect();
    if !missing.is_empty() {
        terminal::print_err(&format!("warning: the answer may be incomplete ({})", missing.join(", ")));
        terminal::print_err("hint: `dlang validate` shows them.");
    }
    Ok(())
}

fn unresolved_imports(db: &dyn Db, file: File) -> usize {
    let outcomes = file.import_outcomes(db);
    let imports = file_index(db, file).imports.iter().filter_map(|import| import.specifier.as_deref());
    imports.filter(|specifier| matches!(outcomes.get(specifier), Some(ImportOutcome::Problem(_)))).count()
}

/// Counts unresolved references and map entries. An incomplete one is a syntax error and counted as such.
fn unresolved_references(db: &dyn Db, file: File) -> usize {
    let resolutions = resolutions(db, file);
    let is_complete = |reference: &Reference| !reference.text.is_empty() && !reference.text.ends_with('.');
    let references = file_model(db, file).numbered_references();
    references.filter(|(id, it)| is_complete(it) && resolutions.targets(*id).is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_load_ends_cleanly() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        let interrupt = Interrupt::default();
        let load = || load_until(Root::Folder(path.to_owned()), path, &interrupt).unwrap();
        assert!(matches!(load(), LoadResult::Complete(_)));
        // From here on the state is that after Ctrl-C.
        let LoadResult::Interrupted(code) = load() else { panic!("loading was not interrupted") };
        assert_eq!(code, ExitCode::from(zubi_cli::failure::INTERRUPTED));
    }
}
