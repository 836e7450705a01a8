//! `zubi trust`: which folders' code may run, and which files of theirs count.

use std::process::ExitCode;

use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::config::WORKSPACE_FILE;
use zubi_base::text::ContentHash;
use zubi_base::trust::{Grant, Trust, TrustError};
use zubi_base::visible::{on_lines, on_one_line};
use zubi_base::workspace::Workspace;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;
use zubi_host::declared::{self, Loaded, LoadedFile, Severity, Standing};

use crate::cli;
use crate::session::Session;

pub(super) fn run(session: &Session, trust: &cli::Trust) -> Result<ExitCode, Failure> {
    let store = session.trust_store();
    if trust.list {
        let grants = store.list();
        if trust.json {
            terminal::print_json(&grants.iter().map(describe).collect())?;
        } else {
            for grant in &grants {
                terminal::print(&on_one_line(grant.folder.as_str()))?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let folders = match &trust.path {
        Some(path) => vec![session.folders.first().map_or_else(|| path.clone(), |here| here.join(path))],
        None => session.folders.clone(),
    };
    for folder in &folders {
        if trust.revoke {
            let revoked = store.revoke(folder).map_err(|error| failure(&error))?;
            if trust.json {
                terminal::print_json(&json!({ "revoked": revoked }))?;
            } else {
                terminal::print(&format!("no longer trusted: {}", on_one_line(revoked.as_str())))?;
            }
            continue;
        }
        let root = zubi_base::fs::canonical(folder).unwrap_or_else(|_| folder.clone());
        let files = || {
            let mut files = vec![root.join(WORKSPACE_FILE)];
            files.extend(declared::files_of(&root));
            files
        };
        if trust.diff {
            // Before anything is shown: what changes while it is read is noticed.
            let contents = store.contents(&files());
            if preview(&root, &Trust::new(store.clone(), false))? {
                terminal::say(&format!("to trust exactly this: zubi trust --expect {} '{root}'", contents.0));
            }
            continue;
        }
        let grant = match &trust.expect {
            Some(hash) => store.trust_exactly(folder, &files(), &ContentHash(hash.clone()), SystemClock.now()),
            None => store.trust(folder, &files(), SystemClock.now()),
        };
        let grant = grant.map_err(|error| failure(&error))?;
        if trust.json {
            terminal::print_json(&describe(&grant))?;
        } else {
            terminal::print(&format!("trusted: {}", on_one_line(grant.folder.as_str())))?;
            // Read after it was trusted: a file that has another content than the one trusted says so itself.
            let loaded = loaded(&root, &Trust::new(store.clone(), false))?;
            for file in grant.files.keys() {
                terminal::print(&format!("trusted as it is now: {}", on_one_line(file.as_str())))?;
                for file in loaded.files.iter().filter(|loaded| loaded.path == *file) {
                    if let Some(why) = file.standing.reason() {
                        terminal::print(&format!("  it {why} just now; look at it and trust it again"))?;
                    }
                    show_tools(file)?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn loaded(root: &Utf8Path, trust: &Trust) -> Result<Loaded, Failure> {
    let workspace = Workspace::open(&[root.to_owned()]).map_err(Failure::usage)?;
    Ok(declared::load(&workspace, trust, &[]))
}

/// What the tools of a file would run, word for word: that is what is trusted.
fn show_tools(file: &LoadedFile) -> Result<(), Failure> {
    for line in declared::disclosure::of_file(file) {
        terminal::print(&format!("  {line}"))?;
    }
    let broken = file.problems.iter().filter(|told| told.problem.severity == Severity::Error).count();
    if broken > 0 {
        terminal::print("  it has errors; what has them is left out (`zubi tools check`)")?;
    }
    Ok(())
}

/// What trusting would let in, if there is anything.
fn preview(root: &Utf8Path, trust: &Trust) -> Result<bool, Failure> {
    let workspace = Workspace::open(&[root.to_owned()]).map_err(Failure::usage)?;
    let loaded = declared::load(&workspace, trust, &[]);
    let mut anything = show_rules(root, trust)?;
    for file in loaded.files.iter().filter(|file| file.standing != Standing::Trusted) {
        anything = true;
        terminal::print(&format!("{}: {}", file.standing.word(), on_one_line(file.path.as_str())))?;
        match file.diff(&workspace) {
            Some(diff) => terminal::print(&on_lines(diff.trim_end()))?,
            None => show_tools(file)?,
        }
    }
    if !anything {
        terminal::say(&format!("{root}: there is no tool file and no rule that is new or has changed"));
    }
    Ok(anything)
}

/// The workspace's own configuration, if it is new or has changed: its rules count in full once it is trusted.
fn show_rules(root: &Utf8Path, trust: &Trust) -> Result<bool, Failure> {
    let path = root.join(WORKSPACE_FILE);
    // What cannot be read is not trusted either.
    let Ok(bytes) = zubi_base::fs::read_bytes(&path) else { return Ok(false) };
    if trust.file(root, &path, &ContentHash::of(&bytes)) {
        return Ok(false);
    }
    let word = if trust.known(root, &path).is_some() { "changed" } else { "new" };
    terminal::print(&format!("{word}: {}", on_one_line(path.as_str())))?;
    for line in String::from_utf8_lossy(&bytes).lines() {
        terminal::print(&format!("  {}", on_lines(line)))?;
    }
    Ok(true)
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
