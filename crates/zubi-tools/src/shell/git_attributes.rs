//! Attributes of git that hide the contents of files with credentials from `git diff`, `log -p`, `show` and `stash show -p`,
//! also of files that only old commits have. git then prints that they differ, as for binary files.
//!
//! An approval for each of these commands would cost more: most repositories have a tracked `.npmrc` or a test's key.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::{credentials, git_index};

/// Returns the lines of gitattributes(5) for all names of files with credentials.
pub(super) fn write_attributes() -> String {
    let mut text = String::new();
    for (pattern, has_credentials) in credentials::patterns() {
        let state = if has_credentials { "-diff" } else { "!diff" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{pattern} {state}");
    }
    text
}

/// Returns the reason why a command of git that looks needs approval: attributes of the repository take precedence.
pub(super) fn problem(commands: &[Vec<String>], directory: &Utf8Path, roots: &[Utf8PathBuf]) -> Option<String> {
    let prints = |word: &String| matches!(word.as_str(), "log" | "show" | "diff" | "stash" | "whatchanged" | "reflog");
    let is_printing = |argv: &Vec<String>| super::git_start::is_git(argv) && argv.iter().any(prints);
    if !commands.iter().any(is_printing) {
        return None;
    }
    let work_tree = super::git_start::folders_above(directory, roots).find(|path| path.join(".git").is_dir())?;
    let tracked = git_index::tracked_paths(&work_tree.join(".git/index")).unwrap_or_default();
    let nested = tracked.iter().filter(|path| path.ends_with("/.gitattributes")).map(|path| work_tree.join(path));
    let files = [work_tree.join(".gitattributes"), work_tree.join(".git/info/attributes")].into_iter().chain(nested);
    let shows =
        |file: &Utf8PathBuf| zubi_base::fs::read_text(file).is_ok_and(|text| text.lines().any(shows_credentials));
    let file = files.into_iter().find(shows)?;
    let file = file.strip_prefix(work_tree).unwrap_or(&file);
    Some(format!("`{file}` lets git print the contents of files with credentials"))
}

/// Returns whether a line may set the attribute `diff` for a file with credentials. Errs towards `true`.
fn shows_credentials(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(pattern) = words.next().filter(|pattern| !pattern.starts_with('#')) else { return false };
    // A macro may have any name.
    if pattern.starts_with("[attr]") {
        return words.any(|word| word.trim_start_matches(['!', '-']).starts_with("diff"));
    }
    if !words.any(|word| word == "diff" || word == "!diff" || word.starts_with("diff=")) {
        return false;
    }
    let name = pattern.trim_matches('"').rsplit('/').next().unwrap_or_default();
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
        ] {
            assert!(shows_credentials(line), "{line}");
        }
    }
}
