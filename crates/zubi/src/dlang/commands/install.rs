//! `dlang install`: checks that every dependency is installed. It downloads nothing, but prints the commands that fetch
//! missing dependencies.

use std::process::ExitCode;

use camino::Utf8Path;
use dlang_model::{ModelCode, ModelDiagnostic};
use dlang_workspace::files::{DiskFiles, Files as _, Kind, MANIFEST};
use dlang_workspace::modules::{ManifestFile, Module, Modules};
use dlang_workspace::packages::{self, DependencyProblem, InstalledDependency, Origin};
use dlang_workspace::workspace::PositionFinder;
use serde_json::{Value, json};
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::terminal;

use crate::cli::InstallArgs;
use crate::excerpt::{self, ExcerptPosition};
use crate::output::{DlangOutput, Mode};
use crate::path_error;
use crate::table;

pub(super) fn run(output: &DlangOutput, arguments: &InstallArgs) -> Result<ExitCode, Failure> {
    let folder = output.absolute(&arguments.directory);
    match DiskFiles.kind(&folder) {
        Some(Kind::Directory) => {}
        Some(_) => return Err(Failure::usage(format!("`{}` is not a folder", arguments.directory))),
        None => return Err(path_error::not_found(&arguments.directory)),
    }
    let modules = Modules::new(DiskFiles);
    let module = modules.module_of_file(&folder.join(MANIFEST));
    let Some(manifest) = &module.manifest else {
        return Err(Failure::usage(format!("there is no model.yaml in `{}` or above it", arguments.directory))
            .hint("`dlang init` creates one."));
    };
    if module.package.is_some() {
        return Err(Failure::usage(format!("`{}` is in the package cache", arguments.directory))
            .hint("Run the command in the project that owns the cache."));
    }
    print_manifest_diagnostics(output, &module);
    if !is_known(manifest) {
        return Err(Failure::usage(format!("`{}` has no valid list of dependencies", output.show(&manifest.path)))
            .hint("Fix the errors above."));
    }
    let rows = packages::check(&modules, &module);
    let unused = packages::unused_entries(&module);
    let is_frozen = arguments.frozen || output.environment.frozen;
    let error = error(&rows, &unused, is_frozen);
    print(output, &module, &rows, &unused, error.as_deref())?;
    Ok(ExitCode::from(if error.is_some() { NEGATIVE } else { 0 }))
}

/// Whether the manifest lists its dependencies completely. Other errors in the manifest do not matter here: a
/// dependency with an error is listed, and reported as missing.
fn is_known(file: &ManifestFile) -> bool {
    // The messages for a manifest without a mapping at `dependencies` or at its top level.
    const NO_MAPPING: [&str; 2] = ["'dependencies' must be a mapping", "'model.yaml' must be a mapping"];
    let hides = |diagnostic: &ModelDiagnostic| match diagnostic.code {
        ModelCode::ManifestYamlError | ModelCode::ManifestDuplicateKey | ModelCode::ManifestUnreadable => true,
        ModelCode::ManifestUnexpectedValue => NO_MAPPING.iter().any(|what| diagnostic.message.starts_with(what)),
        // An unlisted diagnostic may be any of these.
        ModelCode::ManifestTooManyProblems => true,
        _ => false,
    };
    file.manifest.complete && !file.diagnostics.iter().any(hides)
}

/// Returns the error, if the answer is negative.
fn error(rows: &[InstalledDependency], unused: &[String], is_frozen: bool) -> Option<String> {
    let missing = rows.iter().filter(|row| !row.is_there()).count();
    if missing > 0 {
        return Some(format!("dependencies missing or different from model.lock: {missing} of {}", rows.len()));
    }
    let is_other = rows.iter().flat_map(|row| &row.findings).any(|it| matches!(it, DependencyProblem::OtherRef { .. }));
    (is_frozen && (is_other || !unused.is_empty())).then(|| "model.lock does not match model.yaml".to_owned())
}

fn print(
    output: &DlangOutput,
    module: &Module,
    rows: &[InstalledDependency],
    unused: &[String],
    error: Option<&str>,
) -> Result<(), Failure> {
    match output.mode {
        Mode::Json => terminal::print_json(&to_json(module, rows, unused, error))?,
        Mode::Quiet => {
            for row in rows.iter().filter(|row| !row.is_there()) {
                terminal::print(&row.key)?;
            }
        }
        Mode::Rich if rows.is_empty() => terminal::print("no dependencies")?,
        Mode::Rich => {
            let cells: Vec<_> = rows.iter().map(cells).collect();
            let heads = ["Dependency", "From", "Commit", "State"];
            terminal::print(table::render(&heads, &cells, output.on_stdout().width).trim_end())?;
        }
    }
    let commands: Vec<String> = rows.iter().flat_map(|row| fill(module, row)).collect();
    if let Some(error) = error {
        terminal::print_err(&format!("error: {error}"));
    }
    if !commands.is_empty() && output.mode != Mode::Quiet {
        terminal::print_err(&format!("hint: nothing is downloaded here; in `{}` run:", output.show(&module.root)));
        for command in commands {
            terminal::print_err(&format!("  {command}"));
        }
    }
    Ok(())
}

fn cells(row: &InstalledDependency) -> Vec<Option<String>> {
    let from = row.origin.as_ref().map(|origin| match origin {
        Origin::Git { repository, reference } => format!("{repository}@{reference}"),
        Origin::Path(path) => path.clone(),
    });
    let commit = row.locked.as_ref().map(|locked| locked.commit.chars().take(7).collect());
    let mut state: Vec<String> = row.findings.iter().map(|finding| first_line(&finding.to_string())).collect();
    if row.is_there() {
        state.insert(0, "installed".to_owned());
    }
    vec![Some(row.key.clone()), from, commit, Some(state.join("; "))]
}

/// The message without its hint, which is shown with the diagnostic.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The answer as JSON. The keys are those of DomainLang's TypeScript CLI; `installed` is always 0 and
/// `lockFileModified` always false, because this command installs nothing.
fn to_json(module: &Module, rows: &[InstalledDependency], unused: &[String], error: Option<&str>) -> Value {
    let installed_count = rows.iter().filter(|row| row.is_there()).count();
    let mut added = Vec::new();
    let mut changed = Vec::new();
    let mut warnings = Vec::new();
    for row in rows {
        for finding in &row.findings {
            match finding {
                DependencyProblem::NotLocked => added.push(row.key.as_str()),
                DependencyProblem::OtherRef { declared, locked } => {
                    changed.push(json!({ "pkg": row.key, "manifestRef": declared, "lockRef": locked }));
                }
                _ => {}
            }
            if !finding.is_fatal() {
                warnings.push(format!("{}: {finding}", row.key));
            }
        }
    }
    let dependencies: Vec<Value> = rows.iter().map(|row| dependency(module, row)).collect();
    let mut value = json!({
        "success": error.is_none(),
        "installed": 0,
        "cached": installed_count,
        "lockFileModified": false,
        "warnings": warnings,
        "dependencies": dependencies,
        "added": added,
        "removed": unused,
        "changed": changed,
    });
    if let (Some(error), Some(object)) = (error, value.as_object_mut()) {
        object.insert("error".to_owned(), error.into());
    }
    value
}

fn dependency(module: &Module, row: &InstalledDependency) -> Value {
    let mut value = json!({ "name": row.key, "present": row.is_there() });
    let mut insert = |key: &str, text: Option<String>| {
        if let (Some(text), Some(object)) = (text, value.as_object_mut()) {
            object.insert(key.to_owned(), text.into());
        }
    };
    match &row.origin {
        Some(Origin::Git { repository, reference }) => {
            insert("source", Some(repository.clone()));
            insert("ref", Some(reference.clone()));
        }
        Some(Origin::Path(path)) => insert("path", Some(path.clone())),
        None => {}
    }
    insert("commit", row.locked.as_ref().map(|locked| locked.commit.clone()));
    insert("integrity", row.locked.as_ref().and_then(|locked| locked.integrity.clone()));
    insert("folder", row.folder.as_deref().map(|folder| path_in_module(module, folder).to_owned()));
    let problems: Vec<String> = row.findings.iter().map(ToString::to_string).collect();
    let commands = fill(module, row);
    if let Some(object) = value.as_object_mut() {
        object.insert("problems".to_owned(), problems.into());
        object.insert("commands".to_owned(), commands.into());
    }
    value
}

fn path_in_module<'p>(module: &Module, path: &'p Utf8Path) -> &'p str {
    path.strip_prefix(&module.root).map_or(path.as_str(), Utf8Path::as_str)
}

/// The commands that download a dependency into the cache, or that look up the values for its lock entry. Empty if
/// nothing is missing, or if a text of the manifest or lock could have a special meaning in a shell.
fn fill(module: &Module, row: &InstalledDependency) -> Vec<String> {
    let Some(Origin::Git { repository, reference }) = &row.origin else { return Vec::new() };
    let (Some(address), Some(reference)) = (address(repository), plain(reference)) else { return Vec::new() };
    let folder = row.folder.as_deref().and_then(|folder| plain(path_in_module(module, folder)));
    let mut commands = Vec::new();
    for finding in &row.findings {
        match (finding, folder) {
            (DependencyProblem::NotCached(commit), Some(folder)) => {
                commands.push(format!("git clone {address} {folder}"));
                commands.push(format!("git -C {folder} checkout {commit}"));
            }
            (DependencyProblem::NotLocked | DependencyProblem::OtherRef { .. }, _) => {
                commands
                    .push(format!("git ls-remote {address} {reference}   # the commit, for the entry in model.lock:"));
                commands.push(format!(
                    "# \"{repository}\": {{\"ref\": \"{reference}\", \"refType\": \"tag, branch or commit\", \
                     \"resolved\": \"{address}\", \"commit\": \"…\"}}"
                ));
            }
            _ => {}
        }
    }
    commands
}

fn address(repository: &str) -> Option<String> {
    let (owner, name) = repository.split_once('/')?;
    (!name.contains('/')).then_some(())?;
    Some(format!("https://github.com/{}/{}", plain(owner)?, plain(name)?))
}

/// Returns the text if it has no special meaning in a shell and is not an option.
fn plain(text: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-+".contains(c);
    (!text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)).then_some(text)
}

/// Prints the diagnostics of the manifest and the lock to stderr.
fn print_manifest_diagnostics(output: &DlangOutput, module: &Module) {
    for own in module.own_texts() {
        let position_finder = PositionFinder::new(own.text);
        let display_path = output.show(own.path);
        for diagnostic in own.diagnostics {
            let start = position_finder.position(diagnostic.range.start());
            if output.mode == Mode::Quiet {
                let (word, message) = (diagnostic.severity().as_str(), diagnostic.text());
                terminal::print_err(&format!("{display_path}:{}:{}: {word}: {message}", start.line, start.column));
                continue;
            }
            let range = diagnostic.range.into();
            let position = ExcerptPosition { path: display_path, text: Some(own.text), range, start };
            let excerpt = excerpt::render(diagnostic, &position, &[], output.on_stderr());
            terminal::print_err_styled(&format!("{excerpt}\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{address, plain};

    #[test]
    fn values_unsafe_for_a_shell_are_not_printed() {
        assert_eq!(address("acme/core.x").as_deref(), Some("https://github.com/acme/core.x"));
        for hostile in ["acme", "a/b/c", "a/$(x)", "a/b;c", "-o/b", "a/", "a b/c", "a/`x`", "é/b", "a/-b"] {
            assert_eq!(address(hostile), None, "{hostile}");
        }
        assert_eq!(["v1.0.0", "--upload-pack=x", "a\nb", "~"].map(plain), [Some("v1.0.0"), None, None, None]);
    }
}
