//! What is said about servers: why one does not answer, and what limits the answers of one that does.

use camino::Utf8Path;
use zubi_base::endpoint::{Absent, Limits};
use zubi_base::fs;
use zubi_base::workspace::Folder;

use crate::catalogue::{About, Row, Untrusted};

pub(super) fn subject(path: &Utf8Path) -> String {
    match (path.extension(), path.file_name()) {
        (Some(extension), _) => format!(".{extension}"),
        (None, Some(name)) => name.to_owned(),
        (None, None) => path.to_string(),
    }
}

pub(super) fn no_row(path: &Utf8Path) -> Absent {
    let subject = subject(path);
    Absent {
        why: format!("no server for {subject}"),
        hint: "add a [[server]] with this language to ~/.config/zubi/servers.toml".to_owned(),
        subject,
    }
}

/// A workspace folder that was there when zubi was started.
pub(super) fn folder_gone(folder: &Folder) -> Absent {
    Absent {
        subject: folder.name.clone(),
        why: format!("the workspace folder `{}` does not exist any more", folder.path),
        hint: "put it back, or start zubi in another folder".to_owned(),
    }
}

pub(super) fn install_hint(row: &Row) -> String {
    match row.install.first() {
        Some(install) => format!("install it with {}: {}", install.how, install.command),
        None => format!("install `{}` and put it on the PATH", row.command),
    }
}

/// What limits the answers of a server in a root, as far as files tell.
pub(super) fn limits(row: &Row, root: &Utf8Path, trusted: bool) -> Limits {
    let mut limits = Limits::default();
    for fact in &row.limits {
        let present = fact.files.iter().find(|file| root.join(file).exists());
        let clause = match present {
            None => fact.missing.clone(),
            Some(file) => fact.present.iter().find_map(|(text, clause)| {
                // A manifest that cannot be read limits in ways the server itself will tell.
                let content = fs::read_text(&root.join(file)).ok()?;
                content.contains(text).then(|| clause.clone())
            }),
        };
        match fact.about {
            About::Project => limits.project.extend(clause),
            About::Beyond => limits.beyond.extend(clause),
        }
    }
    if !trusted && matches!(row.untrusted, Untrusted::Restricted(_)) {
        limits.beyond.push(format!("restricted, for the folder is not trusted: it does not run {}", row.runs));
    }
    limits
}
