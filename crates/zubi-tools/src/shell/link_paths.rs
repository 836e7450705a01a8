//! Words of commands that a link makes mean another path than their text: `link/../x` is beside the link's target.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Returns the reason why a command's effect cannot be determined: one of its words leads up again through a link or a glob
/// pattern. `directories` are those in which the commands may run.
pub(super) fn problem(commands: &[Vec<String>], directories: &[Utf8PathBuf]) -> Option<String> {
    let words = commands.iter().flat_map(|argv| argv.iter());
    // An option may have its value attached: `--file=x`, `-fx`, `name:x`.
    let mut parts = words.flat_map(|word| word.split(['=', ':']).chain([word.trim_start_matches('-')]));
    let found = parts.find(|part| directories.iter().any(|directory| leads_through_link(part, directory)))?;
    Some(format!("`{found}` leads up again through a link"))
}

/// Returns whether a path has a `..` behind a link, or behind a pattern that may match one.
fn leads_through_link(path: &str, directory: &Utf8Path) -> bool {
    let mut at = directory.to_owned();
    let mut is_below_link = false;
    for component in Utf8Path::new(path).components() {
        match component {
            Utf8Component::ParentDir if is_below_link => return true,
            Utf8Component::ParentDir => {
                at.pop();
            }
            Utf8Component::Normal(name) => {
                at.push(name);
                let is_link = at.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
                is_below_link |= is_link || name.contains(['*', '?', '[']);
            }
            Utf8Component::RootDir | Utf8Component::Prefix(_) => at = Utf8PathBuf::from("/"),
            Utf8Component::CurDir => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_matter() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().to_owned();
        std::fs::create_dir_all(root.join("src/a")).unwrap();
        std::os::unix::fs::symlink("/etc/ssl", root.join("link")).unwrap();
        let is_problem = |text: &str| {
            let argv = text.split(' ').map(str::to_owned).collect();
            problem(&[argv], std::slice::from_ref(&root)).is_some()
        };
        for text in [
            "cat link/../passwd",
            "cat l*/../passwd",
            "x --file=link/../y",
            "x -flink/../y",
            "cat src/../link/certs/../..",
        ] {
            assert_eq!(is_problem(text), text != "x -flink/../y", "{text}");
        }
        for text in ["cat src/../x", "cat ../x", "cat link/certs", "sed s/../x/", "git log main..x", "cat link"] {
            assert!(!is_problem(text), "{text}");
        }
    }
}
