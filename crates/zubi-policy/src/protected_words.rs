//! Words of commands that a rule must spell out because of the files that they name: files that git, editors and agents
//! run of themselves, and paths that a link leads out of the workspace.
//!
//! The rule for `cp` with any arguments says nothing about `cp a .git/hooks/pre-commit`. Commands that only read such a
//! file are not concerned.

use camino::Utf8Path;

mod copies;

use crate::footprint::Footprint;
use crate::pattern::{absolute, is_glob};
use crate::{PolicyPaths, looking, programs, shell};

/// The maximum number of paths of one command that are looked up. A command with more needs a rule with its words.
const MAX_PATHS: usize = 2000;
/// The maximum length of a path in bytes; Linux accepts no longer one.
const MAX_PATH: usize = 4096;

/// A word that a rule must spell out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProtectedWord {
    /// The index of the word.
    pub(super) index: usize,
    pub(super) reason: ProtectionReason,
}

/// The reason why a rule must spell out a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtectionReason {
    /// Programs run or obey the file, so that a rule for whole calls does not cover the command either.
    Automatic(&'static str),
    /// The path may be outside of the workspace.
    Outside(&'static str),
}

impl ProtectedWord {
    /// Returns whether only a rule about this command can allow it, not a rule for whole calls.
    pub(super) fn is_automatic(&self) -> bool {
        matches!(self.reason, ProtectionReason::Automatic(_))
    }

    pub(super) fn describe(&self, argv: &[String]) -> String {
        let word = argv.get(self.index).map_or("", String::as_str);
        let (ProtectionReason::Automatic(reason) | ProtectionReason::Outside(reason)) = self.reason;
        format!("`{}`: {reason}; a rule must spell it out", shell::shorten(word))
    }
}

/// Returns the words of a command that a rule must spell out.
pub(super) fn find_protected_words(argv: &[String], footprint: &Footprint, paths: &PolicyPaths) -> Vec<ProtectedWord> {
    let read_from = programs::find_read_words(argv).unwrap_or(argv.len());
    let mut directories = looking::find_directories(footprint);
    if directories.is_empty() {
        directories.extend(paths.roots.first().cloned());
    }
    let is_git = argv.first().is_some_and(|program| Utf8Path::new(program).file_name() == Some("git"));
    let mut found = Vec::new();
    let mut count = 0;
    for (index, word) in argv.iter().enumerate().take(read_from).skip(1) {
        let mut candidates = find_candidates(word);
        candidates.retain(|text| !text.is_empty() && text.len() <= MAX_PATH && !text.contains('\0'));
        let reason = candidates.iter().find_map(|text| {
            // A revision of git, or the program.
            let is_revision = is_git || *text == "head";
            directories.iter().find_map(|directory| {
                count += 1;
                if count > MAX_PATHS {
                    return Some(ProtectionReason::Automatic("the command has more paths than are looked up"));
                }
                paths.protection_reason(text, directory, is_revision)
            })
        });
        found.extend(reason.map(|reason| ProtectedWord { index, reason }));
    }
    found.extend(copies::find_copied_words(argv, &directories, paths));
    found
}

/// Returns the parts of a word that could be a path: the whole word, the parts between `=`, `:`, `,` and `@`, the texts
/// after letters of options, and the file name of an address.
fn find_candidates(word: &str) -> Vec<&str> {
    if let Some((_, address)) = word.split_once("://") {
        return address.split(['?', '#']).next().and_then(|path| path.rsplit('/').next()).into_iter().collect();
    }
    let mut candidates: Vec<&str> = word.split(['=', ':', ',', '@']).collect();
    if word.starts_with('-') && !word.starts_with("--") {
        let end = word.find('/').unwrap_or(word.len());
        candidates
            .extend(word.char_indices().skip(2).take_while(|(at, _)| *at < end).filter_map(|(at, _)| word.get(at..)));
    } else {
        candidates.push(word);
    }
    candidates
}

impl PolicyPaths {
    /// Returns the reason why a rule must spell out a path, if any.
    fn protection_reason(&self, text: &str, directory: &Utf8Path, is_revision: bool) -> Option<ProtectionReason> {
        let is_hidden_glob = |name: &str| name.starts_with(['.', '[']) && is_glob(name);
        if text.split('/').any(is_hidden_glob) {
            return Some(ProtectionReason::Automatic("its matches may be files that git, editors or agents run"));
        }
        let path = absolute(text, Some(directory));
        let is_head = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("head"));
        let judged = if is_head && is_revision { path.parent().unwrap_or(&path) } else { &path };
        if let Some(reason) = self.automatic_file_reason(judged) {
            return Some(ProtectionReason::Automatic(reason));
        }
        if !self.contains(&path) {
            return None;
        }
        match zubi_base::fs::canonical_for_creation(&path) {
            Ok(target) if !self.contains(&target) => {
                Some(ProtectionReason::Outside("a link leads out of the workspace"))
            }
            Ok(target) if target != path && !is_head => {
                self.automatic_file_reason(&target).map(ProtectionReason::Automatic)
            }
            Ok(_) => None,
            // Only a link without a target is not found.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Some(ProtectionReason::Outside("the target of a link does not exist"))
            }
            Err(_) => None,
        }
    }
}
