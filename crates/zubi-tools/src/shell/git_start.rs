//! Commands of git: the variables with which they start, and the repositories in which they may run.
//!
//! A repository's configuration names programs (`core.fsmonitor`, hooks, filters), and a sandboxed command may write it. A
//! later `git status` must not run these programs without approval.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::fs::ReadError;
use zubi_base::text::ellipsize;
use zubi_exec::job::TEMPORARY;
use zubi_policy::prints_version;
use zubi_policy::shell::ShellReading;

use super::git_attributes;

/// Subcommands that need no hook.
const LOOKING: &[&str] = &[
    "status",
    "log",
    "show",
    "diff",
    "branch",
    "rev-parse",
    "ls-files",
    "grep",
    "blame",
    "shortlog",
    "describe",
    "cat-file",
    "ls-tree",
    "rev-list",
    "merge-base",
    "for-each-ref",
    "show-ref",
    "reflog",
    "remote",
    "tag",
];

/// Settings of a repository that name no program, by section and key.
const PLAIN_SETTINGS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
            "quotepath",
            "abbrev",
            "longpaths",
            "safecrlf",
            "whitespace",
            "untrackedcache",
            "preloadindex",
            "fscache",
            "trustctime",
            "sparsecheckout",
            "sparsecheckoutcone",
            // Commands that only look run no editor, and start with their own folder of hooks.
            "editor",
            "hookspath",
        ],
    ),
    ("remote", &["url", "fetch", "pushurl", "push", "tagopt", "prune", "mirror", "gh-resolved"]),
    (
        "branch",
        &[
            "remote",
            "merge",
            "rebase",
            "description",
            "pushremote",
            "vscode-merge-base",
            "gh-merge-base",
            "autosetupmerge",
            "autosetuprebase",
        ],
    ),
    ("user", &["name", "email", "signingkey", "useconfigonly"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote", "followtags"]),
    ("fetch", &["prune", "prunetags", "parallel"]),
    ("color", &["ui"]),
    ("log", &["date"]),
    ("diff", &["renames", "algorithm", "colormoved", "mnemonicprefix", "noprefix"]),
    ("status", &["showuntrackedfiles", "short", "branch"]),
    ("merge", &["conflictstyle", "ff"]),
    ("rebase", &["autosquash", "autostash", "updaterefs"]),
    ("rerere", &["enabled", "autoupdate"]),
    ("commit", &["gpgsign", "verbose", "cleanup"]),
    ("tag", &["gpgsign", "sort"]),
    ("gpg", &["format"]),
    ("gc", &["auto", "autodetach", "autopacklimit", "pruneexpire", "reflogexpire", "worktreepruneexpire"]),
    ("maintenance", &["auto", "strategy"]),
    ("feature", &["manyfiles"]),
    ("http", &["postbuffer", "version", "sslverify", "lowspeedlimit", "lowspeedtime"]),
    ("submodule", &["url", "active", "branch", "recurse", "fetchjobs"]),
    // `lfs.extension` and `lfs.customtransfer` name programs.
    ("lfs", &["repositoryformatversion", "access", "locksverify"]),
];

/// Returns the directory and those above it in the workspace, innermost first.
pub(super) fn folders_above<'a>(
    directory: &'a Utf8Path,
    roots: &'a [Utf8PathBuf],
) -> impl Iterator<Item = &'a Utf8Path> {
    directory.ancestors().take_while(|path| roots.iter().any(|root| path.starts_with(root)))
}

/// Returns whether a command of git needs no hook.
fn is_looking(argv: &[String]) -> bool {
    let subcommand = zubi_policy::find_git_subcommand(argv).and_then(|at| argv.get(at));
    subcommand.is_some_and(|word| LOOKING.contains(&word.as_str())) || zubi_policy::only_prints(argv)
}

pub(super) fn is_git(argv: &[String]) -> bool {
    argv.first().is_some_and(|program| Utf8Path::new(program).file_name() == Some("git"))
}

/// The name of the file with attributes in the temporary directory of a job.
const ATTRIBUTES: &str = "git-attributes";

/// Returns the files that a script's commands of git need, by name and text.
pub(super) fn files(commands: &[Vec<String>]) -> Vec<(String, String)> {
    let text = || (ATTRIBUTES.to_owned(), git_attributes::write_attributes());
    git_attributes::prints_contents(commands).then(text).into_iter().collect()
}

/// Returns whether a script has commands of git, and all of them look.
fn only_looks(commands: &[Vec<String>]) -> bool {
    let mut git = commands.iter().filter(|argv| is_git(argv)).peekable();
    git.peek().is_some() && git.all(|argv| is_looking(argv))
}

/// Returns the variables with which a script starts because it has these commands.
pub(super) fn environment(commands: &[Vec<String>]) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    // A proxy of rustup, and Go, may otherwise install a toolchain to print its version.
    let runs_toolchain = |argv: &[String]| is_rust(argv) || argv.first().is_some_and(|program| program == "go");
    let mut toolchains = commands.iter().filter(|argv| runs_toolchain(argv)).peekable();
    if toolchains.peek().is_some() && toolchains.all(|argv| prints_version(argv)) {
        variables.push(("RUSTUP_AUTO_INSTALL".to_owned(), "0".to_owned()));
        variables.push(("GOTOOLCHAIN".to_owned(), "local".to_owned()));
    }
    if !commands.iter().any(|argv| is_git(argv)) {
        return variables;
    }
    let mut settings = vec![("core.fsmonitor", "false"), ("core.pager", "cat"), ("safe.bareRepository", "explicit")];
    let attributes = format!("{TEMPORARY}{ATTRIBUTES}");
    if git_attributes::prints_contents(commands) {
        settings.push(("core.attributesFile", &attributes));
    }
    if only_looks(commands) {
        settings.push(("core.hooksPath", "/dev/null"));
        variables.push(("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()));
        // A missing object would otherwise be fetched with a program that the configuration names.
        variables.push(("GIT_NO_LAZY_FETCH".to_owned(), "1".to_owned()));
    }
    variables.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (index, (key, value)) in settings.iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{index}"), (*key).to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{index}"), (*value).to_owned()));
    }
    variables
}

/// Returns whether a script has commands of git, and they run no program that the configuration of a repository names: they
/// run in the workspace's own repository without submodules, nothing changes the variables with which git starts, and the
/// configuration has only plain settings.
pub(super) fn is_hardened(reading: &ShellReading, directory: &Utf8Path, roots: &[Utf8PathBuf]) -> bool {
    if !reading.commands.iter().any(|argv| is_git(argv)) {
        return false;
    }
    let is_named =
        |argv: &[String], names: &[&str]| argv.first().is_some_and(|program| names.contains(&program.as_str()));
    let changes_start =
        reading.commands.iter().any(|argv| is_named(argv, &["exec", "export", "declare", "local", "readonly"]))
            || reading.wrappers.iter().any(|wrapper| matches!(wrapper.as_str(), "env" | "exec"));
    let Some(root) = roots.iter().find(|root| directory.starts_with(root)) else { return false };
    // A `cd` into one folder that its words name is in the reads. Any other leads anywhere.
    let is_plain = |to: &str| !to.starts_with(['-', '~', '$']) && !to.contains(['*', '?', '[']);
    let is_lost = |argv: &Vec<String>| is_named(argv, &["cd"]) && !matches!(argv.as_slice(), [_, to] if is_plain(to));
    let is_read =
        |argv: &Vec<String>| !is_git(argv) || zubi_policy::find_git_subcommand(argv).is_some() || prints_version(argv);
    if changes_start
        || !reading.commands.iter().all(is_read)
        || reading.commands.iter().any(is_lost)
        || !find_directories(reading, directory).iter().all(|path| is_below(path, root))
    {
        return false;
    }
    let git = root.join(".git");
    let is_directory = git.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    // Its configuration, or its objects, are in another directory.
    let is_shared = ["commondir", "objects/info/alternates", "info/grafts"]
        .iter()
        .any(|name| git.join(name).symlink_metadata().is_ok());
    // The index may have many megabytes, so it is read last.
    is_directory
        && !is_shared
        && zubi_base::fs::read_text(&git.join("config")).is_ok_and(|text| has_plain_settings(&text))
        && !has_links(&git)
        && !has_submodules(&git)
}

/// Returns the directories in which the commands of git in a script may run.
fn find_directories(reading: &ShellReading, directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut directories = vec![directory.to_owned()];
    directories.extend(reading.reads.iter().filter(|path| !path.is_file()).cloned());
    let chosen = reading.commands.iter().filter_map(|argv| zubi_policy::git_directory(argv));
    let chosen: Vec<Utf8PathBuf> =
        chosen.flat_map(|name| directories.iter().map(move |directory| directory.join(name))).collect();
    directories.extend(chosen);
    directories
}

/// Returns whether git in a folder uses the repository of a workspace folder: no link leads elsewhere, and no folder between
/// them is a repository.
fn is_below(path: &Utf8Path, root: &Utf8Path) -> bool {
    let Ok(path) = zubi_base::fs::canonical(path) else { return false };
    let Ok(relative) = path.strip_prefix(root) else { return false };
    let mut folders = path.ancestors().take_while(|folder| *folder != root);
    !relative.components().any(|name| name.as_str().eq_ignore_ascii_case(".git"))
        && folders.all(|folder| folder.join(".git").symlink_metadata().is_err())
}

/// Returns whether a link in the folder of the repository may lead git to other files, which it would print.
fn has_links(git: &Utf8Path) -> bool {
    let folders = ["", "info", "objects", "rebase-merge", "rebase-apply", "sequencer", "logs", "worktrees"];
    let worktrees = git.join("worktrees").read_dir_utf8().into_iter().flatten().flatten();
    folders
        .iter()
        .map(|name| git.join(name))
        .chain(worktrees.map(|entry| entry.path().to_owned()))
        .filter_map(|folder| folder.read_dir_utf8().ok())
        .any(|entries| entries.flatten().any(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink())))
}

/// Returns whether a program may be a proxy of rustup.
fn is_rust(argv: &[String]) -> bool {
    let name = argv.first().and_then(|program| Utf8Path::new(program).file_name());
    name.is_some_and(|name| name.starts_with("cargo") || name.starts_with("rust"))
}

/// Returns the reason why printing a version needs approval: `rust-toolchain.toml` names a folder with the programs that
/// rustup would run.
pub(super) fn toolchain_problem(
    commands: &[Vec<String>],
    directory: &Utf8Path,
    roots: &[Utf8PathBuf],
) -> Option<String> {
    if !commands.iter().any(|argv| prints_version(argv) && is_rust(argv)) {
        return None;
    }
    let names_path = |folder: &Utf8Path| {
        ["rust-toolchain.toml", "rust-toolchain"].iter().map(|name| folder.join(name)).find(|file| {
            zubi_base::fs::read_text(file).is_ok_and(|text| text.lines().any(|line| line.contains("path")))
        })
    };
    let file = folders_above(directory, roots).find_map(names_path)?;
    Some(format!("`{}` names the programs that rustup runs", file.file_name().unwrap_or_default()))
}

/// Returns whether the index may have submodules: git runs in them, too, with their own configuration. Errs towards `true`.
fn has_submodules(git: &Utf8Path) -> bool {
    // The mode of such an entry, 160000 (git-scm.com/docs/index-format), in network byte order.
    const MODE: [u8; 4] = [0, 0, 0xe0, 0];
    // An index may be in two files.
    let is_split = || {
        git.read_dir_utf8()
            .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().starts_with("sharedindex.")))
    };
    match zubi_base::fs::read_bytes(&git.join("index")) {
        Ok(index) => index.windows(MODE.len()).any(|bytes| bytes == MODE) || is_split(),
        Err(ReadError::NotFound { .. }) => false,
        Err(_) => true,
    }
}

/// Returns the reason why a command of git that only looks needs approval, whatever rules allow it: the configuration of the
/// repository names programs that git would run.
pub(super) fn configuration_problem(
    commands: &[Vec<String>],
    directory: &Utf8Path,
    roots: &[Utf8PathBuf],
) -> Option<String> {
    commands.iter().find(|argv| is_git(argv) && is_looking(argv))?;
    let git = folders_above(directory, roots).map(|path| path.join(".git")).find(|git| git.is_dir());
    let config = git?.join("config");
    let text = zubi_base::fs::read_text(&config).ok()?.to_ascii_lowercase();
    // Parts of the keys of settings that git-config(1) describes as programs, or as files with more settings.
    let parts = ["external", "textconv", "command", "program", "clean", "smudge", "process", "include"];
    let line = text.lines().find(|line| parts.iter().any(|part| line.contains(part)))?;
    Some(format!("git runs a program that `.git/config` names: `{}`", ellipsize(line.trim(), 60)))
}

/// Returns whether a configuration of git has only settings that name no program.
fn has_plain_settings(text: &str) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        // A continued line could hide a setting.
        if line.ends_with('\\') {
            return false;
        }
        if let Some(header) = line.strip_prefix('[') {
            let Some(header) = header.strip_suffix(']') else { return false };
            let (name, rest) = header.split_once(' ').unwrap_or((header, ""));
            // A setting may follow a header on its line.
            let subsection = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let is_plain = rest.is_empty() || subsection.is_some_and(|name| !name.contains(['"', '\\', '[', ']']));
            section = name.to_ascii_lowercase();
            return is_plain && PLAIN_SETTINGS.iter().any(|(plain, _)| *plain == section);
        }
        let key = line.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        PLAIN_SETTINGS.iter().any(|(plain, keys)| *plain == section && keys.contains(&key.as_str()))
    })
}

/// Returns the reason why a git command needs approval: it may run in a bare repository, which has no `.git` in its name,
/// so that a call may write it. `entered` are directories to which the script may change.
pub(super) fn bare_repository_problem(
    commands: &[Vec<String>],
    directory: &Utf8Path,
    entered: &[Utf8PathBuf],
    roots: &[Utf8PathBuf],
) -> Option<String> {
    let git: Vec<&Vec<String>> = commands.iter().filter(|argv| is_git(argv)).collect();
    if git.is_empty() {
        return None;
    }
    let selected = git.iter().flat_map(|argv| {
        argv.windows(2).filter(|pair| pair.first().is_some_and(|option| option == "-C")).filter_map(|pair| pair.get(1))
    });
    let mut directories: Vec<Utf8PathBuf> = vec![directory.to_owned()];
    directories.extend(entered.iter().cloned());
    let bases = directories.clone();
    directories.extend(selected.flat_map(|path| bases.iter().map(move |base| base.join(path))));
    let is_bare = |path: &Utf8Path| {
        path.join("HEAD").exists()
            && path.join("objects").is_dir()
            && path.join("refs").is_dir()
            && path.file_name() != Some(".git")
    };
    let in_workspace = |path: &Utf8Path| roots.iter().any(|root| path.starts_with(root));
    let bare = directories
        .iter()
        .flat_map(|directory| directory.ancestors())
        .find(|path| in_workspace(path) && is_bare(path))?;
    let name = bare.file_name().unwrap_or_default();
    Some(format!("`{name}` looks like a repository of git, whose configuration may name programs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(texts: &[&str]) -> Vec<Vec<String>> {
        texts.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn only_commands_that_look_start_without_hooks() {
        let has = |texts: &[&str], value: &str| environment(&commands(texts)).iter().any(|(_, other)| other == value);
        assert!(has(&["git status"], "core.hooksPath") && has(&["git status"], "core.fsmonitor"));
        assert!(!has(&["git status", "git commit -m x"], "core.hooksPath"));
        assert!(has(&["git status", "git --version"], "core.hooksPath"));
        for texts in [
            ["git config user.email", "git stash list"],
            ["git --no-pager log", "git -C . status"],
            ["git worktree list", "git remote -v"],
        ] {
            assert!(has(&texts, "core.hooksPath"), "{texts:?}");
        }
        assert!(!has(&["git stash"], "core.hooksPath") && !has(&["git status", "git stash pop"], "core.hooksPath"));
        assert!(has(&["go version", "ls"], "local") && !has(&["go version", "go test"], "local"));
        assert!(has(&["git commit -m x"], "safe.bareRepository"));
        assert!(environment(&commands(&["ls -l"])).is_empty());
    }

    #[test]
    fn settings_that_name_programs_are_not_plain() {
        let plain = "[core]\n\tbare = false\n# x\n[remote \"origin\"]\n\turl = x\n[branch \"main\"]\n\tmerge = y\n";
        let usual = "[core]\nhooksPath = .husky/_\n[remote \"origin\"]\ngh-resolved = base\n[commit]\ngpgsign = true\n[user]\n\
            signingkey = X\n[submodule \"x\"]\nactive = true\nurl = y\n[lfs]\nrepositoryformatversion = 0\n[gc]\nauto = 0\n";
        assert!(has_plain_settings(plain) && has_plain_settings(usual));
        for other in [
            "[core]\nfsmonitor = x",
            "[core] fsmonitor = x",
            "[filter \"x\"]\nclean = y",
            "[diff \"x\"]\ntextconv = y",
            "[include]\npath = x",
            "[core]\nbare = a\\\nb",
            "[core]\nworktree = /x",
            "[alias]\nx = !y",
            "[lfs \"extension.x\"]\nclean = y",
            "[lfs \"customtransfer.x\"]\npath = y",
            "[submodule \"x\"]\nupdate = !y",
            "[gc]\nrecentObjectsHook = x",
            "[http]\nextraheader = x",
            "[gpg]\nprogram = x",
            "[gpg \"ssh\"]\ndefaultKeyCommand = x",
            "[remote \"x\"]\nuploadpack = y",
            "[diff]\norderFile = /etc/passwd",
            "fsmonitor = x",
            "[core \"x\"] [filter \"evil\"] clean = touch x; cat #]",
            "[remote \"x\"] [gpg] program = ./g.sh ;]",
            "[branch \"x\"] [diff] external = x #]",
            "[core ] fsmonitor = x ;]",
            "[remote.x]\nurl = y\n[core\t\"x\"] fsmonitor = x ;]",
        ] {
            assert!(!has_plain_settings(&format!("{plain}{other}\n")), "{other}");
        }
    }

    #[test]
    fn only_a_plain_repository_is_hardened() {
        let folder = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(folder.path()).unwrap()).unwrap();
        let write =
            |path: &str, bytes: &[u8]| zubi_base::fs::write_atomic(&root.join(".git").join(path), bytes).unwrap();
        std::fs::create_dir(root.join(".git")).unwrap();
        let is_hardened =
            |text: &str| is_hardened(&zubi_policy::shell::read(text, &root), &root, std::slice::from_ref(&root));
        let problem = |text: &str| {
            configuration_problem(&zubi_policy::shell::read(text, &root).commands, &root, std::slice::from_ref(&root))
        };
        write("config", b"[core]\n\tbare = false\n");
        assert!(is_hardened("git status") && is_hardened("git log | head -1") && problem("git log").is_none());
        for path in ["src/a", "nested/.git", "bare"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("src"), root.join("link")).unwrap();
        std::os::unix::fs::symlink("/tmp", root.join("out")).unwrap();
        for text in [
            "env -i git status",
            "env -u GIT_CONFIG_COUNT git status",
            "exec -c git status",
            "export -n GIT_CONFIG_COUNT; git status",
            "cd x && git status",
            "cd nested && git status",
            "git -C nested status",
            "cd src && git -C ../nested status",
            "cd .git && git status",
            "git -C .git status",
            "cd out && git status",
            "cd / && git status",
            "cd .. && git status",
            "git -C .. status",
            "git -C /tmp status",
            "cd && git status",
            "cd - && git status",
            "cd -P nested && git status",
            "cd ./n* && git status",
            "cd src/* && git status",
            "cd ~ && git status",
            "git -C src -C ../nested status",
            "ls",
        ] {
            assert!(!is_hardened(text), "{text}");
        }
        let absolute = format!("cd {root} && git status");
        let chosen = format!("git -C {root}/src log");
        for text in [
            "cd src && git status",
            "cd src/a && git log",
            "git -C . status",
            "git -C src/a log",
            "cd link && git log",
            &absolute,
            &chosen,
        ] {
            assert!(is_hardened(text), "{text}");
        }
        write("index", b"DIRC\0\0\0\x02\0\0\xe0\0");
        assert!(!is_hardened("git status"), "a submodule");
        write("index", b"DIRC\0\0\0\x02\0\0\x81\xa4");
        assert!(is_hardened("git status"));
        write("commondir", b"../evil\n");
        assert!(!is_hardened("git status"), "another configuration");
        std::fs::remove_file(root.join(".git/commondir")).unwrap();
        for link in ["packed-refs", "info/exclude", "worktrees/x", "worktrees/y/gitdir"] {
            std::fs::create_dir_all(root.join(".git/info")).unwrap();
            std::fs::create_dir_all(root.join(".git/worktrees/y")).unwrap();
            std::os::unix::fs::symlink("/etc/passwd", root.join(".git").join(link)).unwrap();
            assert!(!is_hardened("git status"), "{link} is a link");
            std::fs::remove_file(root.join(".git").join(link)).unwrap();
        }
        assert!(is_hardened("git status"));
        write("../rust-toolchain.toml", b"[toolchain]\npath = \"/x\"\n");
        let toolchain = |text: &str| {
            let commands = zubi_policy::shell::read(text, &root).commands;
            toolchain_problem(&commands, &root, std::slice::from_ref(&root)).is_some()
        };
        assert!(toolchain("cargo --version") && toolchain("rustc -V") && !toolchain("node --version"));
        write("config", b"[diff]\n\texternal = ./x\n");
        assert!(!is_hardened("git diff") && problem("git diff").is_some() && problem("git commit -m x").is_none());
    }

    #[test]
    fn bare_repositories_need_approval() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().to_owned();
        for path in ["b/objects", "b/refs", "b/sub", "c"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        zubi_base::fs::write_atomic(&root.join("b/HEAD"), b"x").unwrap();
        let problem = |texts: &[&str], entered: &[&str]| {
            let entered: Vec<Utf8PathBuf> = entered.iter().map(|path| root.join(path)).collect();
            bare_repository_problem(&commands(texts), &root, &entered, std::slice::from_ref(&root)).is_some()
        };
        assert!(problem(&["cd b", "git status"], &["b"]) && problem(&["git status"], &["b/sub"]));
        assert!(problem(&["git -C b status"], &[]));
        assert!(!problem(&["git status"], &["c"]) && !problem(&["ls"], &["b"]));
    }
}
