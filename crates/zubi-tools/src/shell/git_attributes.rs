//! Attributes of git that hide the contents of files with credentials from `git diff`, `log -p`, `show` and `stash show -p`,
//! also of files that only old commits have. git then prints that they differ, as for binary files.
//!
//! An approval for each of these commands would cost more: most repositories have a tracked `.npmrc` or a test's key.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::credentials::{self, FileSearch, SearchScope};
use zubi_base::fs::ReadError;
use zubi_base::git_index;

/// Returns the lines of gitattributes(5) for all names of files with credentials, after those of the user, which git would
/// read otherwise (`core.attributesFile`).
pub(super) fn write_attributes() -> String {
    let of_user = user_files().into_iter().map(|file| file.with_file_name("attributes"));
    let mut text: String = of_user.filter_map(|file| zubi_base::fs::read_text(&file).ok()).collect();
    text.push('\n');
    for (pattern, has_credentials) in credentials::patterns() {
        let state = if has_credentials { "-diff" } else { "!diff" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{pattern} {state}");
    }
    text
}

/// Returns the files with the user's configuration in which git has a file with attributes beside it.
fn user_files() -> Vec<Utf8PathBuf> {
    let files = zubi_base::env::git_configuration_files();
    files
        .into_iter()
        .filter_map(|file| Utf8PathBuf::from_path_buf(file).ok())
        .filter(|file| file.ends_with("git/config"))
        .collect()
}

/// The subcommands that print contents of files, as differences or lines.
const PRINTING: &[&str] = &[
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "format-patch",
    "grep",
    "log",
    "range-diff",
    "reflog",
    "show",
    "stash",
    "whatchanged",
];

/// Returns whether a script has a command of git that may print contents of files.
pub(super) fn prints_contents(commands: &[Vec<String>]) -> bool {
    let is_printing = |argv: &Vec<String>| argv.iter().any(|word| PRINTING.contains(&word.as_str()));
    commands.iter().any(|argv| super::git_start::is_git(argv) && is_printing(argv))
}

/// Returns the reason why a command of git that prints contents needs approval: attributes of the repository take precedence.
pub(super) fn problem(commands: &[Vec<String>], directory: &Utf8Path, roots: &[Utf8PathBuf]) -> Option<String> {
    if !prints_contents(commands) {
        return None;
    }
    let work_tree = super::git_start::folders_above(directory, roots).find(|path| path.join(".git").is_dir())?;
    let tracked = git_index::tracked_paths(&work_tree.join(".git/index")).unwrap_or_default();
    let mut folders: Vec<&Utf8Path> = tracked.iter().flat_map(|path| Utf8Path::new(path).ancestors().skip(1)).collect();
    folders.sort_unstable();
    folders.dedup();
    let mut files: Vec<Utf8PathBuf> =
        folders.iter().map(|folder| work_tree.join(folder).join(".gitattributes")).collect();
    // Those of folders in which git tracks nothing now, for old commits.
    let search = FileSearch {
        globs: &[".gitattributes"],
        scope: SearchScope { has_hidden: true, ..SearchScope::default() },
        ..FileSearch::default()
    };
    files.extend(search.find_files(work_tree, &|_| true).paths);
    files.extend([work_tree.join(".gitattributes"), work_tree.join(".git/info/attributes")]);
    let is_deleted = |file: &Utf8PathBuf| file.symlink_metadata().is_err();
    // git reads the file in the index if the one in the work tree does not exist.
    let deleted = tracked.iter().filter(|path| path.rsplit('/').next() == Some(".gitattributes"));
    let deleted = deleted.map(|path| work_tree.join(path)).find(is_deleted);
    let shows = |file: &Utf8PathBuf| match zubi_base::fs::read_text(file) {
        Ok(text) => text.lines().any(shows_credentials),
        Err(error) => !matches!(error, ReadError::NotFound { .. }),
    };
    let file = deleted.or_else(|| files.into_iter().find(shows))?;
    let file = file.strip_prefix(work_tree).unwrap_or(&file);
    Some(format!("`{file}` may let git print the contents of files with credentials"))
}

/// Returns whether a line may set the attribute `diff` for a file with credentials. Errs towards `true`.
fn shows_credentials(line: &str) -> bool {
    if line.trim_start().starts_with('#') {
        return false;
    }
    // git reads escapes in quotation marks, and a pattern may have backslashes.
    if !line.is_ascii() || line.contains(['\\', '"', '\0']) {
        return line.contains("diff") || line.contains("[attr]");
    }
    let mut words = line.split_whitespace();
    let Some(pattern) = words.next() else { return false };
    // A macro may have any name.
    if pattern.starts_with("[attr]") {
        return words.any(|word| word.trim_start_matches(['!', '-']).starts_with("diff"));
    }
    if !words.any(|word| word == "diff" || word == "!diff" || word.starts_with("diff=")) {
        return false;
    }
    let name = pattern.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit(['*', '?', ']']).next().unwrap_or_default();
    let is_known = |name: &str| credentials::is_credential_path(Utf8Path::new(name));
    if ending.len() == name.len() { is_known(name) } else { ends_credentials(ending) }
}

fn ends_credentials(ending: &str) -> bool {
    credentials::names().any(|name| name.ends_with(ending))
        || credentials::is_credential_path(Utf8Path::new(&format!("x{ending}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_about_credentials_matter() {
        for line in
            ["*.rs diff=rust", "* text=auto", "*.pem binary", "*.pem -diff", "# * diff", "", "*.md diff", "src/a diff"]
        {
            assert!(!shows_credentials(line), "{line}");
        }
        for line in [
            "* diff",
            "*.pem diff",
            "*.env diff=x",
            "conf/* !diff",
            "[attr]x diff",
            ".npmrc diff",
            "a.[k]ey diff=x",
            "*.json diff",
            r#""\056env" diff"#,
            r".\env diff",
            "\u{feff}secrets.yml diff",
        ] {
            assert!(shows_credentials(line), "{line}");
        }
    }

    /// Returns an index with these files (git-scm.com/docs/index-format).
    fn index_of(paths: &[&str]) -> Vec<u8> {
        let mut bytes = [b"DIRC".as_slice(), &[0, 0, 0, 2, 0, 0, 0, u8::try_from(paths.len()).unwrap()]].concat();
        for path in paths {
            let padding = 8 - (62 + path.len()) % 8;
            bytes.extend([vec![0; 62], path.as_bytes().to_vec(), vec![0; padding]].concat());
        }
        [bytes, vec![7; 20]].concat()
    }

    #[test]
    fn attributes_of_the_repository_need_approval() {
        let check = |files: &[(&str, &[u8])], deleted: &str, command: &str| {
            let folder = tempfile::tempdir().unwrap();
            let root = zubi_base::fs::canonical(Utf8Path::from_path(folder.path()).unwrap()).unwrap();
            let write = |path: &str, text: &[u8]| {
                std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
                zubi_base::fs::write_atomic(&root.join(path), text).unwrap();
            };
            write("conf/a.yml", b"x");
            let tracked: Vec<&str> = ["conf/a.yml", deleted].into_iter().filter(|path| !path.is_empty()).collect();
            write(".git/index", &index_of(&tracked));
            for (path, text) in files.iter().filter(|(path, _)| *path != deleted) {
                write(path, text);
            }
            let commands = [command.split(' ').map(str::to_owned).collect()];
            problem(&commands, &root, std::slice::from_ref(&root)).is_some()
        };
        let shows: &[u8] = b"secrets.yml diff\n";
        assert!(!check(&[], "", "git log -p"));
        assert!(!check(&[(".gitattributes", b"*.rs diff=rust\n# \xc3\xa9\n")], "", "git log -p"));
        for (files, deleted, command) in [
            (&[(".gitattributes", shows)][..], "", "git diff-tree -p -r HEAD~1 HEAD"),
            (&[(".gitattributes", shows)], "", "git grep x HEAD~1"),
            (&[("conf/.gitattributes", shows)], "", "git log -p"),
            (&[("new/.gitattributes", shows)], "", "git show HEAD"),
            (&[(".git/info/attributes", shows)], "", "git stash show -p"),
            (&[("conf/.gitattributes", shows)], "conf/.gitattributes", "git diff HEAD~1"),
            (&[(".gitattributes", b"# \xff\n")], "", "git diff"),
        ] {
            assert!(check(files, deleted, command), "{files:?} {deleted} {command}");
        }
        assert!(!check(&[(".gitattributes", shows)], "", "git status"));
    }
}
