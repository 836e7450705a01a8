//! `zubi trust`: which folders' code may run.

use std::process::ExitCode;

use serde_json::{Value, json};
use zubi_base::clock::{Clock as _, SystemClock};
use zubi_base::config::WORKSPACE_FILE;
use zubi_base::trust::{Grant, TrustError};
use zubi_cli::failure::Failure;
use zubi_cli::terminal;

use crate::cli::Trust;
use crate::session::Session;

pub(super) fn run(session: &Session, trust: &Trust) -> Result<ExitCode, Failure> {
    let store = session.trust_store();
    if trust.list {
        let grants = store.list();
        if trust.json {
            terminal::print_json(&grants.iter().map(describe).collect())?;
        } else {
            for grant in &grants {
                terminal::print(grant.folder.as_str())?;
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
                terminal::print(&format!("no longer trusted: {revoked}"))?;
            }
            continue;
        }
        let root = zubi_base::fs::canonical(folder).unwrap_or_else(|_| folder.clone());
        let grant =
            store.trust(folder, &[root.join(WORKSPACE_FILE)], SystemClock.now()).map_err(|error| failure(&error))?;
        if trust.json {
            terminal::print_json(&describe(&grant))?;
        } else {
            terminal::print(&format!("trusted: {}", grant.folder))?;
            for file in grant.files.keys() {
                terminal::print(&format!("trusted as it is now: {file}"))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
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
        _ => Failure::usage(error),
    }
}
