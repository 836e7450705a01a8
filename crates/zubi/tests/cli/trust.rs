//! `zubi trust`.

use insta::assert_snapshot;

use crate::check::Place;

#[test]
fn trusting_listing_and_revoking() {
    let place = Place::new();
    place.write("work/.zubi.toml", "read-only = true\n");
    assert_snapshot!(place.check(&["trust", "--list"]), @"exit 0");
    assert_snapshot!(place.check(&["trust"]), @"
    exit 0
    --- stdout
    trusted: [PLACE]/work
    trusted as it is now: [PLACE]/work/.zubi.toml
    ");
    assert_snapshot!(place.check(&["trust", "src"]), @"
    exit 0
    --- stdout
    trusted: [PLACE]/work/src
    ");
    assert_snapshot!(place.check(&["trust", "--list"]), @"
    exit 0
    --- stdout
    [PLACE]/work
    [PLACE]/work/src
    ");
    assert_snapshot!(place.check(&["trust", "--revoke", "src"]), @"
    exit 0
    --- stdout
    no longer trusted: [PLACE]/work/src
    ");
    assert_snapshot!(place.check(&["trust", "--revoke", "src"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work/src` is trusted because `[PLACE]/work` is; revoke that one
    hint: `zubi trust --list` shows which folders are trusted.
    ");
    assert_snapshot!(place.check(&["trust", "--revoke"]), @"
    exit 0
    --- stdout
    no longer trusted: [PLACE]/work
    ");
    assert_snapshot!(place.check(&["trust", "--revoke"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work` is not trusted, so there is nothing to revoke
    hint: `zubi trust --list` shows which folders are trusted.
    ");
    assert_snapshot!(place.check(&["trust", "/"]), @"
    exit 2
    --- stderr
    error: `/` cannot be trusted: it holds every folder of this machine; name the project's
    ");
    assert_snapshot!(place.check(&["trust", "absent"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work/absent` cannot be trusted: No such file or directory (os error 2)
    ");
    assert_snapshot!(place.check(&["trust", "--list", "src"]), @"
    exit 2
    --- stderr
    error: the argument '--list' cannot be used with '[PATH]'

    Usage: zubi trust --list [PATH]

    For more information, try '--help'.
    ");
}

/// Nothing gets in between looking and trusting.
#[test]
fn what_was_looked_at_is_what_is_trusted() {
    let place = Place::new();
    place.write("work/.zubi.toml", "allow = [\"shell.run\"]\n");
    assert_snapshot!(place.check(&["trust", "--diff"]), @r#"
    exit 0
    --- stdout
    new: [PLACE]/work/.zubi.toml
      allow = ["shell.run"]
    --- stderr
    to trust exactly this: zubi trust --expect [HASH] '[PLACE]/work'
    "#);
    let looked_at = || {
        let shown = place.zubi().args(["trust", "--diff"]).output().unwrap();
        let shown = String::from_utf8(shown.stderr).unwrap();
        shown.split_once("--expect ").unwrap().1.split(' ').next().unwrap().to_owned()
    };
    let hash = looked_at();
    place.write("work/.zubi.toml", "allow = [\"*\"]\n");
    assert_snapshot!(place.check(&["trust", "--expect", &hash]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work` is not trusted: its files have other contents now than the ones that were looked at
    hint: Look again with `zubi trust --diff`; it prints the hash of what it shows.
    ");
    assert_snapshot!(place.check(&["trust", "--list"]), @"exit 0");
    assert_snapshot!(place.check(&["trust", "--expect", &looked_at()]), @"
    exit 0
    --- stdout
    trusted: [PLACE]/work
    trusted as it is now: [PLACE]/work/.zubi.toml
    ");
    assert_snapshot!(place.check(&["trust", "--diff"]), @"
    exit 0
    --- stderr
    [PLACE]/work: there is no tool file and no rule that is new or has changed
    ");
}

/// The name of a file is its maker's text: it forges no line, and a terminal obeys none of it.
#[test]
fn names_of_files_are_shown_as_they_are() {
    let place = Place::new();
    place.write(
        "work/.vscode/agent-tools/a\ntrusted: [everything]\u{202e}\u{1b}[2J.json",
        r#"{"version": "1.0", "tools": []}"#,
    );
    insta::assert_snapshot!(place.check(&["trust", "--diff"]), @r#"
    exit 0
    --- stdout
    new: [PLACE]/work/.vscode/agent-tools/a\ntrusted: [everything]\u{202e}\u{1b}[2J.json
    --- stderr
    to trust exactly this: zubi trust --expect [HASH] '[PLACE]/work'
    "#);
    insta::assert_snapshot!(place.check(&["tools", "check"]), @"
    exit 0
    --- stderr
    1 file, 0 tools, 0 errors, 0 warnings
    ");
    insta::assert_snapshot!(place.check(&["trust"]), @r#"
    exit 0
    --- stdout
    trusted: [PLACE]/work
    trusted as it is now: [PLACE]/work/.vscode/agent-tools/a\ntrusted: [everything]\u{202e}\u{1b}[2J.json
    "#);
}
