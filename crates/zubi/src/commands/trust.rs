//! `zubi trust`: trusts folders, so that their code may run, and the files that configure zubi in them.

use std::io::ErrorKind;
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::config::WORKSPACE_FILE;
use zubi_base::escape::{on_lines, printable};
use zubi_base::owner_only;
use zubi_base::text::ContentHash;
use zubi_base::trust::{self, Contents, Grant, Trust, TrustError, TrustStore};
use zubi_base::workspace::WorkspaceFolders;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_declared::{DeclaredTools, LoadedFile, ProblemSeverity, TrustState};

use crate::cli;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, arguments: &cli::TrustArgs) -> Result<ExitCode, Failure> {
    let store = session.trust_store();
    if arguments.list {
        let grants = store.list();
        if arguments.json {
            terminal::print_json(&grants.iter().map(describe).collect())?;
        } else {
            for grant in &grants {
                terminal::print(&printable(grant.folder.as_str()))?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let folders = match &arguments.path {
        Some(path) => vec![session.folders.first().map_or_else(|| path.clone(), |folder| folder.join(path))],
        None => session.folders.clone(),
    };
    for folder in &folders {
        if arguments.revoke {
            let revoked = store.revoke(folder).map_err(|error| failure(&error))?;
            if arguments.json {
                terminal::print_json(&json!({ "revoked": revoked }))?;
            } else {
                terminal::print(&format!("no longer trusted: {}", printable(revoked.as_str())))?;
            }
            continue;
        }
        let root = zubi_base::fs::canonical(folder).unwrap_or_else(|_| folder.clone());
        let found = TrustCandidates::read(&root, &Trust::new(store.clone(), false))?;
        if arguments.diff {
            if found.preview(&store)? {
                let hash = trust::hash_of(&found.contents);
                terminal::print_err(&format!("to trust exactly this content: zubi trust --expect {} '{root}'", hash.0));
            }
            continue;
        }
        let expected = arguments.expect.clone().map(ContentHash);
        let grant = store.trust_contents(folder, &found.contents, expected.as_ref(), SystemClock.now());
        let grant = grant.map_err(|error| failure(&error))?;
        if arguments.json {
            let mut described = describe(&grant);
            if let Some(object) = described.as_object_mut() {
                let files = found.untrusted_files().map(|(path, reason)| json!({ "file": path, "why": reason }));
                object.insert("notTrusted".to_owned(), files.collect());
            }
            terminal::print_json(&described)?;
        } else {
            terminal::print(&format!("trusted: {}", printable(grant.folder.as_str())))?;
            for path in grant.files.keys() {
                terminal::print(&format!("trusted as it is now: {}", printable(path.as_str())))?;
                found.files().filter(|file| file.path == *path).try_for_each(show_tools)?;
            }
            found.show_untrusted_files()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The trust candidates of a folder, read once: the same bytes are shown, hashed and recorded.
#[derive(Default)]
struct TrustCandidates {
    /// The text of the folder's own configuration, or why it cannot be read.
    rules: Option<(Utf8PathBuf, Result<String, String>)>,
    loaded: DeclaredTools,
    workspace: Option<WorkspaceFolders>,
    /// Everything that can be shown and therefore trusted.
    contents: Contents,
}

impl TrustCandidates {
    fn read(root: &Utf8Path, trust: &Trust) -> Result<Self, Failure> {
        if !root.is_dir() {
            // The code that records the trust reports why the folder cannot be trusted.
            return Ok(Self::default());
        }
        let workspace = WorkspaceFolders::open(&[root.to_owned()]).map_err(Failure::usage)?;
        let loaded = zubi_declared::load(&workspace, trust, &[]);
        let path = root.join(WORKSPACE_FILE);
        let rules = match owner_only::read(&path, trust::MAX_CONFIG_BYTES) {
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

    /// Returns the tool files that can be shown.
    fn files(&self) -> impl Iterator<Item = &LoadedFile> {
        self.loaded.files.iter().filter(|file| file.trust_content().is_some())
    }

    /// Returns the files that exist but cannot be trusted, with the reason.
    fn untrusted_files(&self) -> impl Iterator<Item = (&Utf8Path, &str)> {
        let rules = self.rules.iter().filter_map(|(path, text)| Some((path.as_path(), text.as_ref().err()?.as_str())));
        let unread = self.loaded.files.iter().filter(|file| file.trust_content().is_none());
        rules.chain(unread.map(|file| {
            let error = file.problems.iter().find(|located| located.problem.severity == ProblemSeverity::Error);
            (file.path.as_path(), error.map_or("it cannot be read", |located| located.problem.message.as_str()))
        }))
    }

    fn show_untrusted_files(&self) -> Result<(), Failure> {
        self.untrusted_files().try_for_each(|(path, reason)| {
            terminal::print(&format!("not trusted: {}\n  {}", printable(path.as_str()), printable(reason)))
        })
    }

    /// Prints what would become trusted. Returns whether there is anything.
    fn preview(&self, store: &TrustStore) -> Result<bool, Failure> {
        let mut has_changes = self.show_rules(store)?;
        for file in self.files().filter(|file| file.trust != TrustState::Trusted) {
            has_changes = true;
            terminal::print(&format!("{}: {}", file.trust.as_str(), printable(file.path.as_str())))?;
            match self.workspace.as_ref().and_then(|workspace| file.diff(workspace)) {
                Some(diff) => terminal::print(&on_lines(diff.trim_end()))?,
                None => show_tools(file)?,
            }
        }
        self.show_untrusted_files()?;
        if !has_changes && self.untrusted_files().next().is_none() {
            let root = self.workspace.as_ref().and_then(|workspace| workspace.folders().first());
            let root = root.map_or("there", |folder| folder.path.as_str());
            terminal::print_err(&format!("{root}: no new or changed tool files or rules"));
        }
        Ok(has_changes)
    }

    /// Shows the workspace's configuration if it is new or has changed; its rules count in full once it is trusted.
    fn show_rules(&self, store: &TrustStore) -> Result<bool, Failure> {
        let Some((path, Ok(text))) = &self.rules else { return Ok(false) };
        let trusted_hash = path.parent().and_then(|root| store.trusted_hash(root, path));
        if trusted_hash.as_ref() == Some(&ContentHash::from_bytes(text.as_bytes())) {
            return Ok(false);
        }
        let word = if trusted_hash.is_some() { "changed" } else { "new" };
        terminal::print(&format!("{word}: {}", printable(path.as_str())))?;
        for line in text.lines() {
            terminal::print(&format!("  {}", on_lines(line)))?;
        }
        Ok(true)
    }
}

/// Prints everything that the tools of a file would run and say, verbatim, since that is what becomes trusted.
fn show_tools(file: &LoadedFile) -> Result<(), Failure> {
    for line in zubi_declared::trust_report::describe_file(file).unwrap_or_default() {
        terminal::print(&format!("  {line}"))?;
    }
    if file.has_errors() {
        terminal::print("  it has errors; zubi ignores the tools with errors (`zubi tools check`)")?;
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
            Failure::usage(error).hint("`zubi trust --list` lists the trusted folders.")
        }
        TrustError::Changed { .. } => {
            Failure::usage(error).hint("Review the changes with `zubi trust --diff`, which prints their hash.")
        }
        _ => Failure::usage(error),
    }
}
