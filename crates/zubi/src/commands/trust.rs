//! `zubi trust`: which folders' code may run, and which files of theirs count.

use std::io::ErrorKind;
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::config::WORKSPACE_FILE;
use zubi_base::owner_only;
use zubi_base::text::ContentHash;
use zubi_base::trust::{self, Contents, Grant, Trust, TrustError, TrustStore};
use zubi_base::escape::{on_lines, printable};
use zubi_base::workspace::Workspace;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_host::declared::{self, DeclaredTools, LoadedFile, ProblemSeverity, TrustState};

use crate::cli;
use crate::session::Session;

pub(super) fn run(session: &Session, given: &cli::Trust) -> Result<ExitCode, Failure> {
    let store = session.trust_store();
    if given.list {
        let grants = store.list();
        if given.json {
            terminal::print_json(&grants.iter().map(describe).collect())?;
        } else {
            for grant in &grants {
                terminal::print(&printable(grant.folder.as_str()))?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let folders = match &given.path {
        Some(path) => vec![session.folders.first().map_or_else(|| path.clone(), |here| here.join(path))],
        None => session.folders.clone(),
    };
    for folder in &folders {
        if given.revoke {
            let revoked = store.revoke(folder).map_err(|error| failure(&error))?;
            if given.json {
                terminal::print_json(&json!({ "revoked": revoked }))?;
            } else {
                terminal::print(&format!("no longer trusted: {}", printable(revoked.as_str())))?;
            }
            continue;
        }
        let root = zubi_base::fs::canonical(folder).unwrap_or_else(|_| folder.clone());
        let found = TrustCandidates::read(&root, &Trust::new(store.clone(), false))?;
        if given.diff {
            if found.preview(&store)? {
                let hash = trust::hash_of(&found.contents);
                terminal::print_err(&format!("to trust exactly this: zubi trust --expect {} '{root}'", hash.0));
            }
            continue;
        }
        let expected = given.expect.clone().map(ContentHash);
        let grant = store.trust_contents(folder, &found.contents, expected.as_ref(), SystemClock.now());
        let grant = grant.map_err(|error| failure(&error))?;
        if given.json {
            let mut described = describe(&grant);
            if let Some(object) = described.as_object_mut() {
                let left_out = found.left_out().map(|(path, why)| json!({ "file": path, "why": why }));
                object.insert("notTrusted".to_owned(), left_out.collect());
            }
            terminal::print_json(&described)?;
        } else {
            terminal::print(&format!("trusted: {}", printable(grant.folder.as_str())))?;
            for path in grant.files.keys() {
                terminal::print(&format!("trusted as it is now: {}", printable(path.as_str())))?;
                found.files().filter(|file| file.path == *path).try_for_each(show_tools)?;
            }
            found.show_left_out()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What there is to be trusted in a folder, read once: what is shown, what the hash is of and what is recorded are the same
/// bytes.
#[derive(Default)]
struct TrustCandidates {
    /// The text of the folder's own configuration, or why it cannot be read.
    rules: Option<(Utf8PathBuf, Result<String, String>)>,
    loaded: DeclaredTools,
    workspace: Option<Workspace>,
    /// All that can be shown, and so be trusted.
    contents: Contents,
}

impl TrustCandidates {
    fn read(root: &Utf8Path, trust: &Trust) -> Result<Self, Failure> {
        if !root.is_dir() {
            // Why nothing can be trusted there, whoever is to record it says.
            return Ok(Self::default());
        }
        let workspace = Workspace::open(&[root.to_owned()]).map_err(Failure::usage)?;
        let loaded = declared::load(&workspace, trust, &[]);
        let path = root.join(WORKSPACE_FILE);
        let rules = match private::read(&path, trust::MAX_CONFIG_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => Some((path, Err(error.to_string()))),
            Ok(bytes) => Some((path, String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned()))),
        };
        let mut contents = Contents::new();
        if let Some((path, Ok(text))) = &rules {
            contents.insert(path.clone(), text.clone().into_bytes());
        }
        for file in &loaded.files {
            contents.extend(file.trust_content().map(|bytes| (file.path.clone(), bytes.to_vec())));
        }
        Ok(Self { rules, loaded, workspace: Some(workspace), contents })
    }

    /// Tool files that can be shown.
    fn files(&self) -> impl Iterator<Item = &LoadedFile> {
        self.loaded.files.iter().filter(|file| file.trust_content().is_some())
    }

    /// Files that are there and cannot be trusted, and why.
    fn left_out(&self) -> impl Iterator<Item = (&Utf8Path, &str)> {
        let rules = self.rules.iter().filter_map(|(path, text)| Some((path.as_path(), text.as_ref().err()?.as_str())));
        let unread = self.loaded.files.iter().filter(|file| file.trust_content().is_none());
        rules.chain(unread.map(|file| {
            let error = file.problems.iter().find(|told| told.problem.severity == ProblemSeverity::Error);
            (file.path.as_path(), error.map_or("it cannot be read", |told| told.problem.message.as_str()))
        }))
    }

    fn show_left_out(&self) -> Result<(), Failure> {
        self.left_out().try_for_each(|(path, why)| {
            terminal::print(&format!("not trusted: {}\n  {}", printable(path.as_str()), printable(why)))
        })
    }

    /// Shows what trusting would let in. Whether there is anything.
    fn preview(&self, store: &TrustStore) -> Result<bool, Failure> {
        let mut anything = self.show_rules(store)?;
        for file in self.files().filter(|file| file.trust != TrustState::Trusted) {
            anything = true;
            terminal::print(&format!("{}: {}", file.trust.as_str(), printable(file.path.as_str())))?;
            match self.workspace.as_ref().and_then(|workspace| file.diff(workspace)) {
                Some(diff) => terminal::print(&on_lines(diff.trim_end()))?,
                None => show_tools(file)?,
            }
        }
        self.show_left_out()?;
        if !anything && self.left_out().next().is_none() {
            let root = self.workspace.as_ref().and_then(|workspace| workspace.folders().first());
            let root = root.map_or("there", |folder| folder.path.as_str());
            terminal::print_err(&format!("{root}: there is no tool file and no rule that is new or has changed"));
        }
        Ok(anything)
    }

    /// The workspace's own configuration, if it is new or has changed: its rules count in full once it is trusted.
    fn show_rules(&self, store: &TrustStore) -> Result<bool, Failure> {
        let Some((path, Ok(text))) = &self.rules else { return Ok(false) };
        let known = path.parent().and_then(|root| store.trusted_hash(root, path));
        if known.as_ref() == Some(&ContentHash::from_bytes(text.as_bytes())) {
            return Ok(false);
        }
        let word = if known.is_some() { "changed" } else { "new" };
        terminal::print(&format!("{word}: {}", printable(path.as_str())))?;
        for line in text.lines() {
            terminal::print(&format!("  {}", on_lines(line)))?;
        }
        Ok(true)
    }
}

/// All that the tools of a file would run and say, word for word: that is what is trusted.
fn show_tools(file: &LoadedFile) -> Result<(), Failure> {
    for line in declared::trust_report::describe_file(file).unwrap_or_default() {
        terminal::print(&format!("  {line}"))?;
    }
    if file.has_errors() {
        terminal::print("  it has errors; what has them is left out (`zubi tools check`)")?;
    }
    Ok(())
}

fn describe(grant: &Grant) -> Value {
    json!({ "folder": grant.folder, "since": grant.since, "files": grant.files.keys().collect::<Vec<_>>() })
}

fn failure(error: &TrustError) -> Failure {
    match error {
        TrustError::Write { .. } => Failure::environment(error),
        TrustError::NotTrusted { .. } | TrustError::TrustedByParent { .. } => {
            Failure::usage(error).hint("`zubi trust --list` shows which folders are trusted.")
        }
        TrustError::Changed { .. } => {
            Failure::usage(error).hint("Look again with `zubi trust --diff`; it prints the hash of what it shows.")
        }
        _ => Failure::usage(error),
    }
}
