//! Files of the workspace that editors, agents, shells and tools run, trust or obey without a command that names them.

use camino::Utf8Path;

/// The effect that a file of the workspace has beyond its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEffect {
    Rights(&'static str),
    /// A file that editors, agents or shells run or trust automatically.
    Programs(&'static str),
}

/// Names in lower case, separated by white space. A name matches a file or a folder in any folder; `a/b` matches these two
/// in sequence. `/` at the end demands that something is below, and `$` that nothing is.
type Names = &'static str;

/// The files by what reads them, with the reason that an approval prompt shows. The first match counts.
const TABLE: &[(FileEffect, Names)] = &[
    // git runs hooks, filters and aliases of a repository.
    (FileEffect::Rights("programs run from `.git`"), ".git"),
    (FileEffect::Rights("it decides what tools may do"), ".vscode/agent-tools .vscode/agent-tools.json"),
    // Managers of hooks install or run what these files name at the next commit. `.githooks` is the usual `core.hooksPath`.
    (
        FileEffect::Rights("git runs or fetches what is written there"),
        ".gitmodules .husky .huskyrc .githooks lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook
         .lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json lefthook-local.yml .lefthook-local.yml .overcommit.yml
         .simple-git-hooks.json captainhook.json .hg/hgrc",
    ),
    // Editors run tasks, attach debuggers and install recommended extensions.
    (
        FileEffect::Rights("editors run what is written there"),
        ".vscode/tasks.json .vscode/launch.json .vscode/mcp.json .vscode/extensions.json .vimrc _vimrc .gvimrc .lvimrc
         .local.vimrc .vim .nvim.lua .nvimrc .exrc .dir-locals.el .dir-locals-2.el .emacs .emacs.d .config/nvim .helix",
    ),
    // Agents start the servers, hooks and commands of these files, or read permissions there.
    (
        FileEffect::Rights("agents run or obey what is written there"),
        ".mcp.json .claude .claude.json .cursor .cursorrules .gemini .codex .opencode opencode.json opencode.jsonc .kiro
         .windsurf .windsurfrules .roo .roomodes .clinerules .cline .amp .aider.conf.yml .aider.model.settings.yml .agents
         .continue .continuerc.json .junie .factory .qwen .crush crush.json .crush.json .kilocode .kilocodemodes
         .goosehints .goose .trae .augment .grok .copilot .openhands .amazonq .github/hooks .github/agents",
    ),
    // A `HEAD` makes its folder a repository of git. Version managers, build tools and their wrappers run at the next
    // build, often when an editor opens the folder.
    (
        FileEffect::Rights("tools or editors run programs named there"),
        "head$ .gitattributes rust-toolchain.toml rust-toolchain .cargo .devcontainer .devcontainer.json .idea .zed/
         .direnv .mise mise.toml .mise.toml mise.local.toml .mise.local.toml .config/mise .config/mise.toml
         .tool-versions .asdfrc .rvmrc .yarnrc .yarnrc.yml .yarn/releases .yarn/plugins .yarn/sdks bunfig.toml
         .pre-commit-config.yaml .bazelrc .bazeliskrc tools/bazel$ .clangd .gdbinit .lldbinit .pdbrc .ghci .ocamlinit
         .irbrc .pryrc .rprofile .mvn gradlew gradlew.bat mvnw mvnw.cmd mvnw.bat gradle/wrapper node_modules/.bin/
         .venv/bin/ venv/bin/ env/bin/ .venv/scripts/ venv/scripts/ env/scripts/ pyvenv.cfg",
    ),
    // Services run these with their own secrets after the next push.
    (
        FileEffect::Rights("tools or editors run programs named there"),
        ".github/workflows/ .github/actions/ .gitea/workflows .forgejo/workflows .gitlab-ci.yml .circleci .buildkite",
    ),
    // The workspace may be a home directory.
    (
        FileEffect::Rights("shells run what is written there"),
        ".envrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
         .zlogout .kshrc .cshrc .tcshrc .login .logout .inputrc .config/fish .config/nushell .xinitrc .xprofile
         .xsession .xsessionrc .pam_environment .config/autostart .config/systemd .config/environment.d .local/bin
         .gitconfig .config/git .tmux.conf .screenrc .psqlrc .sqliterc",
    ),
    (FileEffect::Programs("editors run programs named there"), ".vscode/settings.json"),
];

/// Folders of the packages of Python, and of its environments.
const PYTHON_FOLDERS: &[&str] = &["site-packages", "dist-packages", ".venv", "venv", "env"];

/// Endings of such files: projects of editors.
const ENDINGS: &[&str] = &[".code-workspace", ".sublime-project"];

/// Classifies a path below a workspace folder. Case does not matter: some file systems do not distinguish `.Git` from
/// `.git`.
pub(super) fn classify_file(relative: &Utf8Path) -> Option<FileEffect> {
    let names: Vec<String> = relative.components().map(|name| name.as_str().to_lowercase()).collect();
    let file_name = names.last().map_or("", String::as_str);
    if names.first().is_some_and(|name| name == ".zubi.toml") {
        return Some(FileEffect::Rights("it decides what tools may do"));
    }
    let found = TABLE.iter().find(|(_, rows)| rows.split_whitespace().any(|row| is_match(&names, row)));
    if let Some((effect, _)) = found {
        return Some(*effect);
    }
    // Python runs the lines of these files in its folders of packages at each start.
    let has_extension = |extension: &str| Utf8Path::new(file_name).extension() == Some(extension);
    let is_python_path = has_extension("pth") && names.iter().any(|name| PYTHON_FOLDERS.contains(&name.as_str()));
    // Any environment of mise: `mise.production.toml`.
    let is_environment = file_name.trim_start_matches('.').starts_with("mise.") && has_extension("toml");
    (is_python_path || is_environment || ENDINGS.iter().any(|ending| file_name.ends_with(ending)))
        .then_some(FileEffect::Rights("tools or editors run programs named there"))
}

/// Whether the names of a path have those of a row in sequence.
fn is_match(names: &[String], row: &str) -> bool {
    let needs_below = row.ends_with('/');
    let is_last = row.ends_with('$');
    let row: Vec<&str> = row.trim_end_matches(['/', '$']).split('/').collect();
    names.windows(row.len()).enumerate().any(|(at, part)| {
        let below = names.len() - at - row.len();
        part.iter().zip(&row).all(|(name, row)| name == row) && !(needs_below && below == 0) && !(is_last && below > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_run_without_a_command_need_approval() {
        let check = |paths: &str, expected: bool| {
            for path in paths.split_whitespace() {
                assert_eq!(classify_file(Utf8Path::new(path)).is_some(), expected, "{path}");
            }
        };
        // Editors and containers.
        check(
            ".devcontainer.json .devcontainer/x.json .vscode/extensions.json .VSCode/Tasks.json a/.vimrc .exrc",
            true,
        );
        check(
            ".dir-locals.el x.sublime-project x.code-workspace .idea/x.xml .zed/settings.json .helix/languages.toml",
            true,
        );
        // Build tools, version managers and their wrappers.
        check(".yarnrc .yarnrc.yml .yarn/releases/yarn-4.cjs bunfig.toml .mvn/extensions.xml .mvn/jvm.config", true);
        check("gradlew gradlew.bat mvnw mvnw.cmd gradle/wrapper/gradle-wrapper.properties tools/bazel", true);
        check("mise.toml mise.local.toml .mise.local.toml mise.ci.toml .config/mise/config.toml .tool-versions", true);
        check(
            ".venv/pyvenv.cfg .venv/lib/python3.13/site-packages/x.pth .venv/Scripts/python.exe env/bin/python",
            true,
        );
        check("venv/bin/pip node_modules/.bin/tsc bare/HEAD .gitattributes .cargo/config.toml .git/hooks/x", true);
        // Hooks and services.
        check(
            "lefthook.yml .husky/pre-commit .githooks/x .gitmodules .github/workflows/x.yml .github/actions/a/x.js",
            true,
        );
        // Homes.
        check(
            ".bashrc .profile .zshrc .zshenv .config/fish/config.fish .gitconfig .local/bin/ls .envrc .Rprofile",
            true,
        );
        // Agents.
        check(
            ".aider.conf.yml .github/hooks/x.json .github/agents/x.md .agents/x .continue/x .junie/x .factory/x",
            true,
        );
        check(
            ".qwen/x crush.json .crush.json .kilocode/x .roomodes .roo/x .goosehints .trae/x .augment/x .grok/x",
            true,
        );
        check(".claude/settings.json .mcp.json .cursor/mcp.json .gemini/x .codex/x opencode.json .kiro/x .amp/x", true);
        check(".zubi.toml .vscode/agent-tools/x.md .vscode/settings.json", true);
        // Sources, and names that only resemble those above.
        check(
            "src/main.rs build.rs AGENTS.md Cargo.toml package.json header.h head.html src/profile.rs tools/bazel/x.bzl",
            false,
        );
        check(
            "a/.zubi.toml .vscode/x.json environment/bin/x lib/x.py data/x.pth mise.md gradle/libs.versions.toml",
            false,
        );
        check(
            ".github/dependabot.yml .github/ISSUE_TEMPLATE/x.md .venv/lib/x.py docs/login.md bashrc .config/x",
            false,
        );
    }
}
