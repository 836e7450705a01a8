//! Folders and archives that bring files into place which git, editors or agents run: `cp -r template/. .`.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials::{FileSearch, SearchScope};

use super::{ProtectedWord, ProtectionReason};
use crate::PolicyPaths;
use crate::pattern::{absolute, is_glob, may_become};
use crate::programs::find_git_subcommand;

/// Returns the words of a command that name a folder with such files, or an archive.
pub(super) fn find_copied_words(
    argv: &[String],
    directories: &[Utf8PathBuf],
    paths: &PolicyPaths,
) -> Vec<ProtectedWord> {
    let Some(mut name) = argv.first().and_then(|program| Utf8Path::new(program).file_name()) else { return Vec::new() };
    let mut first = 1;
    if name == "git" {
        let Some(at) = find_git_subcommand(argv).filter(|at| argv.get(*at).is_some_and(|word| word == "mv")) else {
            return Vec::new();
        };
        (name, first) = ("mv", at + 1);
    }
    if matches!(name, "tar" | "bsdtar" | "gtar") {
        let reason = ProtectionReason::Automatic("its files may be ones that git, editors or agents run");
        return find_archive(argv).map(|index| ProtectedWord { index, reason }).into_iter().collect();
    }
    let letters =
        |word: &str, letters: &[char]| word.starts_with('-') && !word.starts_with("--") && word.contains(letters);
    let is_recursive =
        |word: &String| letters(word, &['r', 'R', 'a']) || word.starts_with("--r") || word.starts_with("--a");
    let copies_folders = matches!(name, "mv" | "rsync") || (name == "cp" && argv.iter().skip(1).any(is_recursive));
    if !copies_folders && !matches!(name, "cp" | "install" | "ln") {
        return Vec::new();
    }
    let mut operands: Vec<usize> =
        (first..argv.len()).filter(|index| argv.get(*index).is_some_and(|word| !word.starts_with('-'))).collect();
    let attached =
        argv.iter().find_map(|word| word.strip_prefix("--target-directory=").or_else(|| word.strip_prefix("-t")));
    let target = match attached.filter(|target| !target.is_empty()) {
        Some(target) => target,
        // The value of `-t` is one of the operands.
        None => {
            let last = if argv.iter().any(|word| word == "-t") { None } else { operands.pop() };
            last.and_then(|index| argv.get(index)).map_or(".", String::as_str)
        }
    };
    let find_reason = |source: &str| {
        directories.iter().find_map(|directory| {
            let source = absolute(source, Some(directory));
            let target = absolute(target, Some(directory));
            expand(&source).iter().find_map(|source| paths.find_copied_reason(source, &target, copies_folders))
        })
    };
    let words = operands.into_iter().filter_map(|index| Some((index, argv.get(index)?)));
    words.filter_map(|(index, word)| Some(ProtectedWord { index, reason: find_reason(word)? })).collect()
}

/// Returns the index of the archive from which `tar` extracts.
fn find_archive(argv: &[String]) -> Option<usize> {
    let first = argv.get(1)?;
    let extracts = |(index, word): (usize, &String)| match word.strip_prefix("--") {
        Some(long) => !long.is_empty() && ["extract", "get"].iter().any(|name| name.starts_with(long)),
        None => (word.starts_with('-') || index == 1) && word.contains('x') && word.len() < 12,
    };
    argv.iter().enumerate().skip(1).find(|(index, word)| extracts((*index, word)))?;
    let from = if first.starts_with('-') { 1 } else { 2 };
    let archive = (from..argv.len()).find(|index| argv.get(*index).is_some_and(|word| !word.starts_with('-')));
    Some(archive.unwrap_or(argv.len() - 1))
}

/// Returns the paths to which a pattern in the last name of a path may expand.
fn expand(path: &Utf8Path) -> Vec<Utf8PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return vec![path.to_owned()] };
    if !is_glob(name) {
        return vec![path.to_owned()];
    }
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries.filter(|entry| may_become(name, entry.file_name())).map(|entry| entry.path().to_owned()).collect()
}

impl PolicyPaths {
    /// Returns the reason why a file needs approval that a copy of `source` brings to `target`.
    fn find_copied_reason(&self, source: &Utf8Path, target: &Utf8Path, has_folders: bool) -> Option<ProtectionReason> {
        let name = source.file_name().unwrap_or_default();
        if !has_folders || !source.is_dir() {
            return self.automatic_file_reason(&target.join(name)).map(ProtectionReason::Automatic);
        }
        // The target may be a folder, or the new name.
        let targets = [target.to_owned(), target.join(name)];
        let reason =
            |relative: &Utf8Path| targets.iter().find_map(|target| self.automatic_file_reason(&target.join(relative)));
        let is_wanted = |path: &Utf8Path| path.strip_prefix(source).is_ok_and(|relative| reason(relative).is_some());
        let found = FileSearch { scope: SearchScope::ALL, ..FileSearch::default() }.find_files(source, &is_wanted);
        match found.paths.first().and_then(|path| reason(path.strip_prefix(source).ok()?)) {
            Some(reason) => Some(ProtectionReason::Automatic(reason)),
            None if found.is_complete => None,
            None => Some(ProtectionReason::Automatic("the folder has more files than are looked at")),
        }
    }
}
