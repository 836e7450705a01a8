//! Credentials that git prints although no word of the command names them: in files that it tracks, and in addresses of
//! remotes.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::{credentials, git_index};

use crate::programs;

/// Returns whether a command of git that runs in a directory prints no credentials of the index or of the configuration.
pub(super) fn has_no_credentials(argv: &[String], directory: &Utf8Path) -> bool {
    if argv.first().is_none_or(|name| name != "git") {
        return true;
    }
    let subcommand = programs::find_git_subcommand(argv).and_then(|at| argv.get(at)).map_or("", String::as_str);
    let folder = || directory.ancestors().map(|path| path.join(".git")).find(|path| path.is_dir());
    match subcommand {
        "grep" => folder().is_none_or(|git| tracks_plain_files(&git)),
        "remote" => folder().is_none_or(|git| {
            zubi_base::fs::read_text(&git.join("config")).is_ok_and(|text| !text.lines().any(has_password))
        }),
        _ => true,
    }
}

/// Returns whether a line has an address with a user or a password.
fn has_password(line: &str) -> bool {
    let addresses = line.split("://").skip(1);
    let is_ssh = line.contains("ssh://") && line.matches("://").count() == 1;
    addresses.into_iter().any(|address| {
        let host = address.split('/').next().unwrap_or_default();
        host.rsplit_once('@').is_some_and(|(user, _)| !is_ssh || user.contains(':'))
    })
}

/// Returns whether the files of an index contain no credentials, and none of their folders is a link. Errs towards `false`.
fn tracks_plain_files(git: &Utf8Path) -> bool {
    let (Some(paths), Some(root)) = (git_index::tracked_paths(&git.join("index")), git.parent()) else { return false };
    let paths: Vec<&Utf8Path> = paths.iter().map(Utf8Path::new).collect();
    let folders: BTreeSet<Utf8PathBuf> = paths.iter().filter_map(|path| Some(root.join(path.parent()?))).collect();
    let is_plain =
        |folder: &Utf8PathBuf| zubi_base::fs::canonical_for_creation(folder).is_ok_and(|path| path == *folder);
    // The path is empty if its name is not UTF-8.
    let is_known = |path: &&Utf8Path| !path.as_str().is_empty() && !credentials::is_credential_path(path);
    paths.iter().all(is_known) && folders.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_passwords_are_known() {
        for line in ["url = https://u:p@h/x", "url = https://token@h/x", "url=ssh://u:p@h/x"] {
            assert!(has_password(line), "{line}");
        }
        for line in ["url = https://h/x@y", "url = git@h:x/y", "url = ssh://git@h/x", "fetch = +refs/heads/*:x"] {
            assert!(!has_password(line), "{line}");
        }
    }
}
