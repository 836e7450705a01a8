//! Git worktrees inside a workspace.
//!
//! A linked worktree (git-worktree(1)) is a second checkout of a repository, often below the first
//! (`.claude/worktrees/fix`). It has the same files in another state, so for every question about the code it is a
//! workspace of its own. A submodule and a nested clone are parts of the surrounding project.

use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

/// The maximum size of a `.git` file, which has one path.
const MAX_GIT_FILE: u64 = 64 << 10;

/// Whether a directory is the top of a linked worktree: its `.git` is a file that leads to `…/worktrees/NAME`
/// (gitrepository-layout(5)). The `.git` file of a submodule leads to `…/modules/NAME`.
pub fn is_linked_worktree(directory: &Path) -> bool {
    let Some(file) = Utf8PathBuf::from_path_buf(directory.join(".git")).ok() else { return false };
    if !std::fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_GIT_FILE) {
        return false;
    }
    let Ok(text) = crate::fs::read_text(&file) else { return false };
    let Some(target) = text.strip_prefix("gitdir:").map(str::trim) else { return false };
    // The path may be relative to the directory.
    let target = directory.join(target);
    let name_of = |path: Option<&Path>| path.and_then(Path::file_name).map(ToOwned::to_owned);
    let parent = target.parent();
    name_of(parent).is_some_and(|name| name == "worktrees")
        // A submodule may have the name `worktrees/NAME`.
        && (target.join("commondir").exists() || name_of(parent.and_then(Path::parent)).is_none_or(|name| name != "modules"))
}

/// Returns the linked worktree below `folder` that contains a path: the innermost one, without `folder` itself. Looks
/// for a file in each directory on the way.
pub fn nested_worktree_of(path: &Utf8Path, folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let inside = |directory: &&Utf8Path| *directory != folder && directory.starts_with(folder);
    let mut directories = path.ancestors().take_while(inside);
    directories.find(|directory| is_linked_worktree(directory.as_std_path())).map(Utf8Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_worktrees_are_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap();
        for (path, text) in [
            (".git/worktrees/fix/commondir", "../..\n"),
            (".git/modules/worktrees/lib/HEAD", ""),
            (".git/modules/lib/worktrees/x/commondir", "../..\n"),
            ("wt/fix/.git", "gitdir: ROOT/.git/worktrees/fix\n"),
            ("wt/gone/.git", "gitdir: /absent/.git/worktrees/gone\n"),
            ("relative/.git", "gitdir: ../.git/worktrees/fix\n"),
            ("lib/.git", "gitdir: ../.git/modules/lib\n"),
            ("odd/.git", "gitdir: ../.git/modules/worktrees/lib\n"),
            ("of-lib/.git", "gitdir: ../.git/modules/lib/worktrees/x\n"),
            ("clone/.git/HEAD", ""),
            ("other/.git", "no path\n"),
            ("plain/a.py", ""),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            crate::fs::write_atomic(&root.join(path), text.replace("ROOT", root.as_str()).as_bytes()).unwrap();
        }
        let mut found = Vec::new();
        for name in ["wt/fix", "wt/gone", "relative", "lib", "odd", "of-lib", "clone", "other", "plain", "absent", "."]
        {
            if is_linked_worktree(root.join(name).as_std_path()) {
                found.push(name);
            }
        }
        assert_eq!(found, ["wt/fix", "wt/gone", "relative", "of-lib"]);
        let nested = |path: &str, folder: &str| nested_worktree_of(&root.join(path), &root.join(folder));
        assert_eq!(nested("wt/fix/src/a.py", ""), Some(root.join("wt/fix")));
        assert_eq!(nested("wt/fix", ""), Some(root.join("wt/fix")));
        assert_eq!(nested("wt/fix/src/a.py", "wt/fix"), None, "the folder itself");
        assert_eq!(nested("wt/a.py", ""), None);
    }
}
