//! The tools about the whole workspace, with the real git in its sandbox.

use insta::assert_snapshot;

use crate::check::Sandbox;

fn git(sandbox: &Sandbox, arguments: &[&str]) {
    let mut command = assert_cmd::Command::new("git");
    command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
    command.current_dir(sandbox.path("work")).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent");
    command.assert().success();
}

/// Replaces the hashes of commits.
fn check(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.check(words);
    let is_hash = |word: &&str| word.len() == 10 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hashes: Vec<&str> = output.split([' ', '\n']).filter(is_hash).collect();
    hashes.iter().fold(output.clone(), |text, hash| text.replace(hash, "[HASH]"))
}

#[test]
fn changed_symbols_of_a_branch() {
    let sandbox = Sandbox::new();
    // The numbers of files that mention a name depend on whether the index is complete.
    sandbox.write("config/zubi/zubi.toml", "index = false\n");
    git(&sandbox, &["init", "--quiet", "--initial-branch=main"]);
    sandbox.write("work/prices.py", "class Price:\n    def total(self):\n        return 1\n\ndef load(): ...\n");
    sandbox.write("work/.gitattributes", "*.py filter=evil diff=evil\n");
    git(&sandbox, &["add", "--all"]);
    git(&sandbox, &["commit", "--quiet", "--message=x"]);
    let evil = format!("touch {}", sandbox.path("mark").display());
    for key in ["filter.evil.clean", "diff.evil.textconv", "core.fsmonitor", "core.pager", "diff.external"] {
        git(&sandbox, &["config", key, &evil]);
    }
    sandbox.write("work/prices.py", "class Price:\n    def total(self):\n        return 2\n\ndef store(): ...\n");
    sandbox.write("work/src/new.rs", "pub struct Fresh;\n");
    assert_snapshot!(check(&sandbox, &["call", "changed_symbols", "--from", "main..."]), @"
    exit 0
    --- stdout
    2 files, 4 declarations: 1 changed, 2 added, 1 removed, from [HASH] to the present files
    prices.py
      ~       2-3  def total(self)  in Price
      +         5  def store()
      -         5  def load()
    src/new.rs (new file)
      +         1  pub struct Fresh
    [syntax only: names not resolved]
    ");
    assert_snapshot!(check(&sandbox, &["call", "changed_symbols", "--from=--output=x"]), @"
    exit 2
    --- stderr
    error: Invalid input: from: a revision begins with `-` or `.`
    hint: `from` is a branch, tag or commit (`main`, `HEAD~3`), `main...` (since the branch began) or `v1..v2`; without `to`, the present files are the new state.
    ");
    assert_snapshot!(check(&sandbox, &["call", "changed_symbols", "--from", "absent"]), @"
    exit 1
    --- stderr
    error: Failed to compare the revisions: the repository has no revision `absent`
    hint: Name a branch, a tag or a commit that `git log --all` lists; a shallow clone does not have older commits.
    ");
    assert!(!sandbox.exists("mark"));
}

#[test]
fn the_map_has_a_command() {
    let sandbox = Sandbox::new();
    let help = sandbox.check(&["map", "--help"]);
    assert!(help.contains("--budget <N>") && help.contains("repo_map"), "{help}");
    let output = sandbox.check(&["map", "--focus", "absent", "--json"]);
    assert!(output.contains("--- stdout\n{") && output.contains("\"error\""), "{output}");
    assert_snapshot!(sandbox.check(&["map", "--budget", "3"]).lines().take(3).collect::<Vec<_>>().join("\n"), @"
    exit 2
    --- stderr
    error: invalid value '3' for '--budget <N>': 3 is not in 200..=20000
    ");
}
