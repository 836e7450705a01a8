//! What is said about servers: why one does not answer, and what limits the answers of one that does.

use camino::Utf8Path;
use zubi_base::endpoint::Absent;

use crate::catalogue::{Row, Untrusted};

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
        hint: "add a [[server]] with this language to the user's server catalogue".to_owned(),
        subject,
    }
}

pub(super) fn install_hint(row: &Row) -> String {
    match row.install.first() {
        Some(install) => format!("install it with {}: {}", install.how, install.command),
        None => format!("install `{}` and put it on the PATH", row.command),
    }
}

/// What limits the answers of a server in a root, as far as files tell.
pub(super) fn analysed(row: &Row, root: &Utf8Path, trusted: bool) -> Option<String> {
    let mut facts: Vec<String> = row
        .analysed
        .iter()
        .filter_map(|fact| match fact.files.iter().find(|file| root.join(file).exists()) {
            // Named after its file: that it is there is what everyone expects.
            Some(file) if *file == fact.label => None,
            Some(file) => Some(format!("{} ({file})", fact.label)),
            None => Some(fact.missing.clone()),
        })
        .collect();
    if !trusted && matches!(row.untrusted, Untrusted::Restricted(_)) {
        facts.push(format!("restricted, for the folder is not trusted: it does not run {}", row.runs));
    }
    (!facts.is_empty()).then(|| facts.join("; "))
}
