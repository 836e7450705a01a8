//! Commands of git that print, and their neighbours.

use super::*;

#[test]
fn git_that_prints_needs_no_approval() {
    check_table(
        FILES,
        &[
            Neighbors {
                quiet: &[
                    "git blame src/a.rs",
                    "git blame -L 1,5 -w HEAD~1 -- src/a.rs",
                    "git annotate a",
                    "git -C src blame a.rs",
                ],
                dangerous: &[
                    "git blame --contents=/etc/shadow a",
                    "git blame --contents /etc/shadow a",
                    "git blame -S /etc/shadow a",
                    "git blame --ignore-revs-file=/etc/shadow a",
                    "git blame ../a",
                    "git blame link/passwd",
                    "git blame .env",
                    "git -C src blame ../../a",
                ],
            },
            Neighbors {
                quiet: &[
                    "git branch -a",
                    "git branch -vv",
                    "git branch -r",
                    "git branch --merged",
                    "git branch --merged main",
                    "git branch --list 'f*' --sort=-committerdate",
                    "git branch --contains HEAD~1",
                ],
                dangerous: &[
                    "git branch new",
                    "git branch -v new",
                    "git branch --merged -D x",
                    "git branch --merged main new",
                    "git branch -f main HEAD~1",
                    "git branch -m x",
                    "git branch -u origin/x",
                    "git branch --edit-description",
                    "git branch --sort=refname new",
                    "git branch --format='%(trailers)'",
                ],
            },
            Neighbors {
                quiet: &["git tag", "git tag -l", "git tag --list 'v*'", "git tag -n5", "git tag --contains HEAD"],
                dangerous: &[
                    "git tag x",
                    "git tag -d x",
                    "git tag -a x -m y",
                    "git tag -n5 x",
                    "git tag -f x",
                    "git tag -s x",
                    "git tag -v x",
                    "git tag --sort=x new",
                    "git tag -l --format='%(*signature)'",
                ],
            },
            Neighbors {
                quiet: &[
                    "git stash list",
                    "git stash show -p",
                    "git stash show stash@{0} --stat",
                    "git stash list -n 3",
                ],
                dangerous: &[
                    "git stash",
                    "git stash list --exec=x",
                    "git stash list --output=x",
                    "git stash show -u",
                    "git stash show --include-untracked",
                    "git stash pop",
                    "git stash drop",
                    "git stash push list",
                    "git stash -p",
                ],
            },
            Neighbors {
                quiet: &["git remote", "git remote -v", "git remote get-url origin"],
                dangerous: &[
                    "git remote add x y",
                    "git remote show origin",
                    "git remote set-url origin x",
                    "git remote update",
                    "git remote prune origin",
                    "git remote -v update",
                    "git remote rm x",
                ],
            },
            Neighbors {
                quiet: &["git reflog", "git reflog -n 5", "git reflog show main", "git reflog HEAD"],
                dangerous: &[
                    "git reflog expire --all",
                    "git reflog delete x",
                    "git reflog --output=x",
                    "git reflog -n 5 expire",
                ],
            },
            Neighbors {
                quiet: &["git describe", "git describe --tags --always", "git describe --match 'v*' --abbrev=0"],
                dangerous: &["git describe --dirty", "git describe --broken", "git describe --dirt"],
            },
            Neighbors {
                quiet: &[
                    "git grep -n TODO",
                    "git grep main src",
                    "git grep -e x --and -e y -- '*.rs'",
                    "git grep -c '/x'",
                ],
                dangerous: &[
                    "git grep -O x",
                    "git grep -Oless x",
                    "git grep --open-files-in-pager x",
                    "git grep --no-index x",
                    "git grep --untracked x",
                    "git grep --recurse-submodules x",
                    "git grep -f .env",
                    "git grep --textconv x",
                    "git grep -e x ../b",
                    "git grep x /etc",
                    "git grep x link",
                ],
            },
            Neighbors {
                quiet: &[
                    "git rev-list --count HEAD",
                    "git merge-base main feature",
                    "git shortlog -sn",
                    "git shortlog -sne HEAD --no-merges",
                    "git ls-tree HEAD",
                    "git ls-tree -r HEAD --name-only",
                    "git cat-file -p HEAD",
                    "git cat-file -t HEAD:a",
                    "git show-ref --heads",
                    "git for-each-ref --sort=-committerdate --format='%(refname)' refs/heads",
                    "git check-ignore -v a",
                    "git count-objects -vH",
                    "git diff-tree --no-commit-id --name-only -r HEAD",
                    "git name-rev HEAD",
                    "git worktree list",
                    "git version",
                    "git rev-parse --git-dir",
                    "git ls-files --error-unmatch a",
                ],
                dangerous: &[
                    "git rev-list --stdin",
                    "git rev-list --disk-usage --use-bitmap-index HEAD --output=x",
                    "git shortlog --output=x",
                    "git ls-tree HEAD ../x",
                    "git cat-file --filters HEAD:a",
                    "git cat-file --textconv HEAD:a",
                    "git cat-file --batch",
                    "git cat-file -p HEAD:.env",
                    "git show-ref --exclude-existing",
                    "git for-each-ref --format='%(signature)'",
                    "git for-each-ref --format='%(contents)%(*trailers)'",
                    "git check-ignore --stdin",
                    "git check-ignore /etc/passwd",
                    "git diff-tree --ext-diff -p HEAD",
                    "git diff-index HEAD",
                    "git worktree add x",
                    "git worktree prune",
                    "git worktree",
                    "git version x",
                    "git ls-files -X .env",
                    "git ls-files --exclude-from=x",
                    "git update-ref x y",
                    "git gc",
                    "git fetch",
                    "git hash-object -w a",
                    "git symbolic-ref HEAD x",
                ],
            },
            Neighbors {
                quiet: &["git config user.email", "git config --get user.name", "git config --get core.hooksPath"],
                dangerous: &[
                    "git config --list",
                    "git config -l",
                    "git config user.email x",
                    "git config user.name user.email",
                    "git config --get http.extraheader",
                    "git config --get-regexp user.name",
                    "git config --unset user.name",
                    "git config edit",
                    "git config --edit",
                    "git config --file=.env user.name",
                    "git config --blob=HEAD:.env user.name",
                ],
            },
            Neighbors {
                quiet: &[
                    "git diff --check",
                    "git diff -U5 a",
                    "git log -5 --stat --format=%an",
                    "git log --since '2 weeks ago' --grep x",
                    "git --no-pager diff",
                    "git --no-pager log -5",
                    "git -P show",
                    "git -C . status",
                    "git -C src log --oneline",
                    "cd src && git log -3",
                    "cd src/app && git status",
                ],
                dangerous: &[
                    "git diff -U ../b a",
                    "git diff --inter-hunk-context ../b a",
                    "git diff -U link/passwd /dev/null",
                    "git log --format=%+G?",
                    "git log --format=%-GK",
                    "git log '--format=% GS'",
                    "git log --format='%+(trailers)'",
                    "git --no-pager diff --output=x",
                    "git --no-pager push",
                    "git --exec-path=x status",
                    "git --git-dir=x log",
                    "git --work-tree=/etc status",
                    "git --paginate log",
                    "git -p log",
                    "git -C .. status",
                    "git -C /etc status",
                    "git -C link status",
                    "git -C . -C .. status",
                    "git -C src",
                    "git -c core.fsmonitor=x status",
                    "git -c core.pager=x log",
                    "git -c alias.x='!y' x",
                    "git st",
                    "git --namespace=x log",
                    "cd /etc && git status",
                    "cd link && git status",
                    "cd ./l* && git status",
                    "cd ./l* && ls",
                    "cd src/* && git status",
                    "cd .. && git log",
                ],
            },
        ],
    );
}

/// The index and the configuration have credentials.
#[test]
fn credentials_that_git_prints_need_approval() {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    let is_harmless = |text: &str, config: &str, tracked: &str| {
        std::fs::create_dir_all(root.join(".git")).unwrap();
        if !root.join("link").exists() {
            std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        }
        zubi_base::fs::write_atomic(&root.join(".git/config"), config.as_bytes()).unwrap();
        write_index(&root, &[tracked]);
        let paths = PolicyPaths { roots: vec![root.clone()], ..PolicyPaths::default() };
        let argv: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let footprint = Footprint {
            commands: vec![argv.clone()],
            directory: Some(root.clone()),
            is_git_hardened: true,
            ..Footprint::from_effect(Effect::Execute)
        };
        crate::looking::is_harmless(&argv, &footprint, &paths)
    };
    let (plain, secret) = ("url = https://host/x", "url = https://user:password@host/x");
    for (text, config, tracked, expected) in [
        ("git grep x", plain, "src/a.rs", true),
        ("git grep x", plain, "src/.env", false),
        ("git --no-pager grep x", plain, "src/.env", false),
        ("git grep x", plain, "link/passwd", false),
        ("git remote -v", plain, "a", true),
        ("git remote -v", secret, "a", false),
        ("git remote get-url origin", secret, "a", false),
        ("git branch -vv", secret, "a", true),
    ] {
        assert_eq!(is_harmless(text, config, tracked), expected, "{text} {config} {tracked}");
    }
}
