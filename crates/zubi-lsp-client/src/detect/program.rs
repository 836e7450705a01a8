//! Finds a server's program and checks that it runs.
//!
//! A program on the PATH may not be usable: `rustup` puts a `rust-analyzer` there that fails until the component is
//! installed, version managers put stubs there, and an older `tsc` has no language server. So zubi runs every candidate
//! to print its version, and skips one that fails.

use std::ffi::OsStr;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::process::{CommandOutput, CommandSpec, Spawner};

use super::version::{at_least, version_in};
use crate::catalogue::ServerEntry;
use crate::sandbox::ServerSandbox;

/// The directories in which a project has programs of its own, relative to the project's directory.
const PROJECT_DIRECTORIES: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin"];

/// The time limit for a program to print its version. Node.js programs need half a second, and ten times as long on a
/// machine that compiles on all cores.
const PROBE_TIMEOUT: Duration = Duration::from_secs(20);

/// The maximum number of bytes of its output that are read.
const PROBE_BYTES: usize = 16 * 1024;

/// The longest quotation from a program that failed, in characters.
const MAX_QUOTE_CHARS: usize = 200;

/// A program that was found and runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The path as found, with links unresolved, because programs depend on the name they are called by.
    pub path: Utf8PathBuf,
    /// `None` when the version was not queried or the program printed none.
    pub version: Option<String>,
}

/// The error for a missing usable program, with the rejected candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingProgram {
    /// The name that was searched.
    pub command: String,
    pub tried: Vec<RejectedCandidate>,
}

/// A candidate that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedCandidate {
    pub path: Utf8PathBuf,
    /// The reason as one clause: `it failed: error: Unknown binary`, `version 5.9.2, but 7 is needed`.
    pub reason: String,
}

impl fmt::Display for MissingProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.tried.split_first() else {
            return write!(f, "`{}` is not installed", self.command);
        };
        write!(f, "`{}` is not usable: {}: {}", self.command, first.path, first.reason)?;
        for RejectedCandidate { path, reason } in others {
            write!(f, "; {path}: {reason}")?;
        }
        Ok(())
    }
}

/// Finds programs. Caches the result for each program until its file changes.
#[derive(Debug)]
pub struct ProgramFinder {
    spawner: Spawner,
    sandbox: Option<Arc<dyn ServerSandbox>>,
    /// The absolute directories of PATH, in order. A relative one would contain files of the project.
    path: Vec<Utf8PathBuf>,
    answers: Mutex<FxHashMap<ProgramSearchKey, Result<Option<String>, String>>>,
}

/// The arguments on which the result of a search depends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ProgramSearchKey {
    program: Utf8PathBuf,
    args: Vec<String>,
    /// The working directory, by which `rustup` and other version managers choose.
    directory: Utf8PathBuf,
    modified: Option<SystemTime>,
}

impl ProgramFinder {
    /// Creates a finder. `path` is the value of the PATH variable.
    pub fn new(spawner: Spawner, sandbox: Option<Arc<dyn ServerSandbox>>, path: Option<&OsStr>) -> Self {
        let path = path
            .into_iter()
            .flat_map(std::env::split_paths)
            .filter_map(|directory| Utf8PathBuf::from_path_buf(directory).ok())
            .filter(|directory| directory.is_absolute())
            .collect();
        Self { spawner, sandbox, path, answers: Mutex::default() }
    }

    /// Finds the program of a server for a project at `root` in the workspace folder `folder`.
    ///
    /// Tries the project's own programs first (`node_modules/.bin`, `.venv/bin`, from `root` up to `folder`), then
    /// every match on PATH. In a folder that is not `trusted`, zubi does not run programs of the folder, not even to
    /// print their version: they are as untrusted as its sources.
    pub async fn find(
        &self,
        row: &ServerEntry,
        root: &Utf8Path,
        folder: &Utf8Path,
        trusted: bool,
    ) -> Result<Program, MissingProgram> {
        let mut tried = Vec::new();
        let mut seen = Vec::new();
        // Only a trusted project may choose a toolchain.
        let directory = if trusted { root } else { Utf8Path::new("/") };
        for path in self.candidates(&row.command, root, folder) {
            if !is_executable(&path) {
                continue;
            }
            let real = zubi_base::fs::canonical(&path).unwrap_or_else(|_| path.clone());
            if !trusted && (path.starts_with(folder) || real.starts_with(folder)) {
                let reason = "it belongs to the folder, which is not trusted".to_owned();
                tried.push(RejectedCandidate { path, reason });
                continue;
            }
            // `/bin` is `/usr/bin` on many systems.
            if seen.contains(&real) {
                continue;
            }
            seen.push(real);
            match self.check(row, &path, directory).await {
                Ok(version) => return Ok(Program { path, version }),
                Err(reason) => tried.push(RejectedCandidate { path, reason }),
            }
        }
        Err(MissingProgram { command: row.command.clone(), tried })
    }

    /// Returns the program that [`Self::find`] will try first, so that a server can be started while its version is
    /// checked.
    pub fn first_candidate(
        &self,
        row: &ServerEntry,
        root: &Utf8Path,
        folder: &Utf8Path,
        trusted: bool,
    ) -> Option<Utf8PathBuf> {
        self.candidates(&row.command, root, folder).into_iter().find(|path| {
            let belongs_to_folder = || {
                let real = zubi_base::fs::canonical(path).unwrap_or_else(|_| path.clone());
                path.starts_with(folder) || real.starts_with(folder)
            };
            is_executable(path) && (trusted || !belongs_to_folder())
        })
    }

    /// Whether PATH has a program of this name; does not check whether it runs.
    pub fn has(&self, name: &str) -> bool {
        self.path.iter().any(|directory| is_executable(&directory.join(name)))
    }

    fn candidates(&self, command: &str, root: &Utf8Path, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let command = Utf8Path::new(command);
        if command.is_absolute() {
            return vec![command.to_owned()];
        }
        let project_directories = root
            .ancestors()
            .take_while(|directory| directory.starts_with(folder))
            .flat_map(|directory| PROJECT_DIRECTORIES.iter().map(move |programs| directory.join(programs)));
        project_directories.chain(self.path.iter().cloned()).map(|directory| directory.join(command)).collect()
    }

    /// Returns the version of a program that runs and is new enough, or the reason why it is not usable.
    async fn check(&self, row: &ServerEntry, path: &Utf8Path, directory: &Utf8Path) -> Result<Option<String>, String> {
        let executable = match &row.version_command {
            None => path.to_owned(),
            Some(sibling) => path.with_file_name(sibling),
        };
        let has_version_query = !row.version_args.is_empty() && is_executable(&executable);
        let version = if has_version_query { self.version(row, executable, directory).await? } else { None };
        match (&row.minimum_version, &version) {
            (None, _) => Ok(version),
            (Some(minimum), Some(found)) if at_least(found, minimum) => Ok(version),
            (Some(minimum), Some(found)) => Err(format!("version {found}, but {minimum} is needed")),
            (Some(minimum), None) => Err(format!("it does not print its version, and {minimum} is needed")),
        }
    }

    async fn version(
        &self,
        row: &ServerEntry,
        program: Utf8PathBuf,
        directory: &Utf8Path,
    ) -> Result<Option<String>, String> {
        let modified = std::fs::metadata(&program).and_then(|metadata| metadata.modified()).ok();
        let key =
            ProgramSearchKey { program, args: row.version_args.clone(), directory: directory.to_owned(), modified };
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answers().get(&key) {
            return answer.clone();
        }
        let command = CommandSpec::new(key.program.clone(), directory).args(&key.args);
        // A program of the project prints what its authors chose, and may do anything else.
        let command = match &self.sandbox {
            Some(sandbox) => sandbox.confine_probe(command, &row.id).await?,
            None => command.into(),
        };
        let answer = match self.spawner.output(&command.command, PROBE_BYTES, PROBE_TIMEOUT).await {
            Ok(output) => version_of(&output),
            // A retry may succeed when the machine is less busy, so this is not cached.
            Err(error) => return Err(error.to_string()),
        };
        answers().insert(key, answer.clone());
        answer
    }
}

fn version_of(output: &CommandOutput) -> Result<Option<String>, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok(version_in(&stdout).or_else(|| version_in(&stderr)).map(str::to_owned));
    }
    let lines = || stderr.lines().chain(stdout.lines()).map(str::trim).filter(|line| !line.is_empty());
    // A Python or Node.js program prints a page of stack before or after the relevant line.
    let error_line = lines().find(|line| line.contains("rror")).or_else(|| lines().next());
    let quote =
        error_line.map(|line| line.chars().filter(|c| !c.is_control()).take(MAX_QUOTE_CHARS).collect::<String>());
    Err(match (quote, output.status.code()) {
        (Some(quote), _) => format!("it failed: {quote}"),
        (None, Some(code)) => format!("it failed with exit code {code}"),
        (None, None) => "it was killed".to_owned(),
    })
}

fn is_executable(path: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
