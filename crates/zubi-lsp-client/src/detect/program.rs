//! Finding a server's program and proving that it runs.
//!
//! Being on the PATH proves little: `rustup` puts a `rust-analyzer` there that fails until the component is installed,
//! version managers put stubs there, and an older `tsc` has no language server. So every candidate is asked for its
//! version, and one that fails is passed over for the next.

use std::ffi::OsStr;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use zubi_base::process::{CommandSpec, Output, Spawner};

use super::version::{at_least, version_in};
use crate::catalogue::ServerEntry;

/// Where a project keeps programs of its own, relative to its directory.
const PROJECT_DIRECTORIES: &[&str] = &["node_modules/.bin", ".venv/bin", "venv/bin"];

/// How long a program may take to print its version. Node.js programs need half a second, and ten times that were seen on
/// a machine that was compiling on all cores.
const PROBE_TIMEOUT: Duration = Duration::from_secs(20);

/// How much of what it prints is read, in bytes.
const PROBE_BYTES: usize = 16 * 1024;

/// The longest quotation from a program that failed, in characters.
const MAX_QUOTE_CHARS: usize = 200;

/// A program that was found and runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// As it was found: a symbolic link is not resolved, because programs act on the name they are called by.
    pub path: Utf8PathBuf,
    /// `None` when it was not asked or printed none.
    pub version: Option<String>,
}

/// No usable program, and what was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingProgram {
    /// The name that was looked for.
    pub command: String,
    pub tried: Vec<RejectedCandidate>,
}

/// A candidate that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedCandidate {
    pub path: Utf8PathBuf,
    /// One clause: `it failed: error: Unknown binary`, `version 5.9.2, but 7 is needed`.
    pub why: String,
}

impl fmt::Display for MissingProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.tried.split_first() else {
            return write!(f, "`{}` is not installed", self.command);
        };
        write!(f, "`{}` is not usable: {}: {}", self.command, first.path, first.why)?;
        for RejectedCandidate { path, why } in others {
            write!(f, "; {path}: {why}")?;
        }
        Ok(())
    }
}

/// Finds programs. Remembers what each one answered until its file changes.
#[derive(Debug)]
pub struct ProgramFinder {
    spawner: Spawner,
    /// Directories of PATH, in order. Relative ones are left out: they would name files of the project.
    path: Vec<Utf8PathBuf>,
    answers: Mutex<FxHashMap<Question, Result<Option<String>, String>>>,
}

/// What an answer depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Question {
    program: Utf8PathBuf,
    args: Vec<String>,
    /// `rustup` and other version managers choose by directory.
    directory: Utf8PathBuf,
    modified: Option<SystemTime>,
}

impl ProgramFinder {
    /// `path` is the value of the PATH variable.
    pub fn new(spawner: Spawner, path: Option<&OsStr>) -> Self {
        let path = path
            .into_iter()
            .flat_map(std::env::split_paths)
            .filter_map(|directory| Utf8PathBuf::from_path_buf(directory).ok())
            .filter(|directory| directory.is_absolute())
            .collect();
        Self { spawner, path, answers: Mutex::default() }
    }

    /// The program of a server for a project at `root` in the workspace folder `folder`.
    ///
    /// In order: what the project brings along (`node_modules/.bin`, `.venv/bin`, from `root` up to `folder`), then
    /// every hit on PATH. In a folder that is not `trusted`, programs inside it are not even asked for their version:
    /// they are as much the project's as its sources.
    pub async fn find(&self, row: &ServerEntry, root: &Utf8Path, folder: &Utf8Path, trusted: bool) -> Result<Program, MissingProgram> {
        let mut tried = Vec::new();
        let mut seen = Vec::new();
        // Where a project may choose a toolchain, it must be trusted to do so.
        let directory = if trusted { root } else { Utf8Path::new("/") };
        for path in self.candidates(&row.command, root, folder) {
            if !is_executable(&path) {
                continue;
            }
            let real = zubi_base::fs::canonical(&path).unwrap_or_else(|_| path.clone());
            if !trusted && (path.starts_with(folder) || real.starts_with(folder)) {
                tried.push(RejectedCandidate { path, why: "it belongs to the folder, which is not trusted".to_owned() });
                continue;
            }
            // `/bin` is `/usr/bin` on many systems.
            if seen.contains(&real) {
                continue;
            }
            seen.push(real);
            match self.check(row, &path, directory).await {
                Ok(version) => return Ok(Program { path, version }),
                Err(why) => tried.push(RejectedCandidate { path, why }),
            }
        }
        Err(MissingProgram { command: row.command.clone(), tried })
    }

    /// The program that [`Self::find`] will ask first, so that a server can be started while it is being asked.
    pub fn first_candidate(&self, row: &ServerEntry, root: &Utf8Path, folder: &Utf8Path, trusted: bool) -> Option<Utf8PathBuf> {
        self.candidates(&row.command, root, folder).into_iter().find(|path| {
            let belongs_to_folder = || {
                let real = zubi_base::fs::canonical(path).unwrap_or_else(|_| path.clone());
                path.starts_with(folder) || real.starts_with(folder)
            };
            is_executable(path) && (trusted || !belongs_to_folder())
        })
    }

    /// Whether PATH has a program of this name; it is not asked whether it runs.
    pub fn has(&self, name: &str) -> bool {
        self.path.iter().any(|directory| is_executable(&directory.join(name)))
    }

    fn candidates(&self, command: &str, root: &Utf8Path, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let command = Utf8Path::new(command);
        if command.is_absolute() {
            return vec![command.to_owned()];
        }
        let of_the_project = root
            .ancestors()
            .take_while(|directory| directory.starts_with(folder))
            .flat_map(|directory| PROJECT_DIRECTORIES.iter().map(move |programs| directory.join(programs)));
        of_the_project.chain(self.path.iter().cloned()).map(|directory| directory.join(command)).collect()
    }

    /// The version of a program that runs and is new enough, else why it is not usable.
    async fn check(&self, row: &ServerEntry, path: &Utf8Path, directory: &Utf8Path) -> Result<Option<String>, String> {
        let asked = match &row.version_command {
            None => path.to_owned(),
            Some(sibling) => path.with_file_name(sibling),
        };
        let ask = !row.version_args.is_empty() && is_executable(&asked);
        let version = if ask { self.version(asked, &row.version_args, directory).await? } else { None };
        match (&row.minimum_version, &version) {
            (None, _) => Ok(version),
            (Some(minimum), Some(found)) if at_least(found, minimum) => Ok(version),
            (Some(minimum), Some(found)) => Err(format!("version {found}, but {minimum} is needed")),
            (Some(minimum), None) => Err(format!("it does not tell its version, and {minimum} is needed")),
        }
    }

    async fn version(
        &self,
        program: Utf8PathBuf,
        args: &[String],
        directory: &Utf8Path,
    ) -> Result<Option<String>, String> {
        let modified = std::fs::metadata(&program).and_then(|metadata| metadata.modified()).ok();
        let question = Question { program, args: args.to_vec(), directory: directory.to_owned(), modified };
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = answers().get(&question) {
            return answer.clone();
        }
        let command = CommandSpec::new(question.program.clone(), directory).args(args);
        let answer = match self.spawner.output(&command, PROBE_BYTES, PROBE_TIMEOUT).await {
            Ok(output) => version_of(&output),
            // Time may do better when the machine is less busy, so this is not remembered.
            Err(error) => return Err(error.to_string()),
        };
        answers().insert(question, answer.clone());
        answer
    }
}

fn version_of(output: &Output) -> Result<Option<String>, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok(version_in(&stdout).or_else(|| version_in(&stderr)).map(str::to_owned));
    }
    let lines = || stderr.lines().chain(stdout.lines()).map(str::trim).filter(|line| !line.is_empty());
    // A Python or Node.js program prints a page of stack before or after the line that matters.
    let said = lines().find(|line| line.contains("rror")).or_else(|| lines().next());
    let quote = said.map(|line| line.chars().filter(|c| !c.is_control()).take(MAX_QUOTE_CHARS).collect::<String>());
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
