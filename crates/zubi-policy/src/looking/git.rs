//! Credentials that git prints although no word of the command names them: in files that it tracks, and in addresses of
//! remotes.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials;

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
    let index = match zubi_base::fs::read_bytes(&git.join("index")) {
        Ok(index) => index,
        Err(error) => return matches!(error, zubi_base::fs::ReadError::NotFound { .. }),
    };
    let (Some(paths), Some(root)) = (read_paths(&index), git.parent()) else { return false };
    let folders: BTreeSet<Utf8PathBuf> = paths.iter().filter_map(|path| Some(root.join(path.parent()?))).collect();
    let is_plain =
        |folder: &Utf8PathBuf| zubi_base::fs::canonical_for_creation(folder).is_ok_and(|path| path == *folder);
    !paths.iter().any(|path| credentials::is_credential_path(path)) && folders.iter().all(is_plain)
}

/// Reads the paths of an index of version 2 or 3 (git-scm.com/docs/index-format). `None` for any other text.
fn read_paths(index: &[u8]) -> Option<Vec<Utf8PathBuf>> {
    /// The bytes of an entry before its flags: the state of the file and a SHA-1.
    const STATE: usize = 60;
    const EXTENDED: u16 = 0x4000;
    let number = |at: usize| index.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    if !index.starts_with(b"DIRC") || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let mut at = 12;
    let mut paths = Vec::new();
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + STATE..at + STATE + 2)?.try_into().ok()?);
        let start = at + STATE + if flags & EXTENDED == 0 { 2 } else { 4 };
        let length = index.get(start..)?.iter().position(|byte| *byte == 0)?;
        paths.push(std::str::from_utf8(index.get(start..start + length)?).ok()?.into());
        // An entry has one to eight zero bytes at its end.
        at += (start + length - at) / 8 * 8 + 8;
    }
    Some(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(paths: &[&str]) -> Vec<u8> {
        let mut index =
            [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &u32::try_from(paths.len()).unwrap().to_be_bytes()].concat();
        for path in paths {
            let mut entry = vec![1; STATE_AND_FLAGS];
            entry.extend(path.bytes());
            entry.resize(entry.len() / 8 * 8 + 8, 0);
            index.extend(entry);
        }
        index
    }

    const STATE_AND_FLAGS: usize = 62;

    #[test]
    fn tracked_credentials_are_known() {
        let read = |paths: &[&str]| {
            read_paths(&index(paths)).map(|paths| paths.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        for paths in [&[] as &[&str], &["a"], &["a.rs", "src/.env", "x/1234567"], &["12345678"]] {
            assert_eq!(read(paths).unwrap(), paths);
        }
        assert_eq!(read_paths(b"DIRC\0\0\0\x04\0\0\0\0"), None);
        assert_eq!(read_paths(&index(&["a", "b"])[..100]), None);
    }

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
