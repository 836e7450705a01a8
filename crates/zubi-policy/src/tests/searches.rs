//! Files that a command prints although none of its words names them: rules about reading, and credentials.

use super::*;

/// Tracked files of the repository; the others are in its work tree only.
const TRACKED: &[&str] = &["README.md", "private/p.txt", "src/a.rs", "conf/server.key"];
const FILES: &[&str] =
    &["README.md", "private/p.txt", "src/a.rs", "conf/server.key", "app/.env", "node_modules/x/cert.pem"];

fn check(rules: &[Value], expected: &str, scripts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    for file in FILES.iter().chain(&[".git/HEAD"]) {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&root.join(file), b"x").unwrap();
    }
    write_index(&root, TRACKED);
    check_scripts(&root, rules, scripts, expected);
}

fn allow(programs: &[&str]) -> Vec<Value> {
    programs.iter().map(|program| json!({"action": "allow", "command": [program, "*"]})).collect()
}

#[test]
fn rules_about_reading_apply_to_searches_and_revisions() {
    let mut rules = allow(&["git", "rg", "grep", "find", "cat", "diff"]);
    rules.push(
        json!({"action": "allow", "command": ["git", "grep|show|log|diff|archive|cat-file|stash|blame|-C", "*"]}),
    );
    rules.push(json!({"action": "allow", "command": ["find", ".", "-exec", "*"]}));
    rules.push(json!({"action": "allow", "command": ["git", "diff", "--", ".", ":!private"]}));
    rules.push(json!({"action": "deny", "read": ["private/**"]}));
    check(
        &rules,
        "deny",
        &[
            "rg x",
            "rg x .",
            "rg x private",
            "rg -g '*.txt' x",
            "cd src && rg x ..",
            "grep -r x .",
            "grep -rn x --include='*.txt'",
            "grep --recursive x",
            "find . -exec cat {} +",
            "find . -name '*.txt' -exec cat {} +",
            "diff -r src private",
            "git show HEAD:private/p.txt",
            "git show HEAD:./private/p.txt",
            "git cat-file -p HEAD:private/p.txt",
            "git cat-file blob main:private/p.txt",
            "git blame private/p.txt",
            "git grep x",
            "git grep x -- private",
            "git archive HEAD",
            "git diff",
            "git diff -- private",
            "git diff HEAD -- private/p.txt",
            "git diff HEAD~1",
            "git show HEAD",
            "git log -p",
            "git log -p -- private",
            "git log -p -1 -- .",
            "git log -L1,2:private/p.txt",
            "git stash show -p",
        ],
    );
    // The file is not tracked any more, perhaps.
    check(&rules, "ask", &["git show HEAD -- src", "git log -p -- src README.md", "git diff HEAD -- ':!private'"]);
    check(
        &rules,
        "allow",
        &[
            "rg x src",
            "rg -g '*.rs' x",
            "rg --files",
            "grep -r x src",
            "grep -rn x --include='*.rs' .",
            "grep -rn x --exclude-dir=private --exclude='*.key' --exclude=.env .",
            "grep x README.md",
            "find . -name '*.txt'",
            "git show HEAD:src/a.rs",
            "git grep x -- src",
            "git diff -- src",
            "git diff -- . ':!private'",
            "git diff --stat",
            "git log --oneline -5",
            "git show --stat HEAD",
            "git status -s",
        ],
    );
    // A rule about names of credentials, or another folder, says nothing about changes of other files.
    let rules = [
        json!({"action": "deny", "read": ["**/.env", "~/notes/**"]}),
        json!({"action": "allow", "command": ["git", "log|show|diff", "*"]}),
    ];
    check(&rules, "allow", &["git log -p", "git show HEAD", "git diff"]);
}

/// A rule that allows a program with any words does not allow it to print credentials.
#[test]
fn rules_do_not_cover_credentials_without_their_names() {
    let mut rules = allow(&["grep", "rg", "cat", "find", "ag", "diff", "head", "sed"]);
    rules.push(json!({"action": "allow", "command": ["git", "grep|archive", "*"]}));
    rules.push(json!({"action": "allow", "command": ["find", ".", "-exec", "*"]}));
    let scripts = [
        "grep -r x .",
        "grep -rh x",
        "grep -Rn x app",
        "grep --recursive -e x app src",
        "grep -A 3 -r x",
        "rg x",
        "rg --hidden x app",
        "rg -uu x app",
        "rg -. x app",
        "ag x",
        "find . -exec cat {} +",
        "find app -type f -exec grep x {} +",
        "find . -name '*env' -exec cat {} +",
        "diff -r app src",
        "git grep x",
        "git grep x conf",
        "git archive HEAD",
        "cat app/.env",
        "cat app/.en?",
        "cat app/.en*",
        "cd app && cat .en?",
        "cat conf/*",
        "head app/.[e]nv",
    ];
    check(&rules, "ask", &scripts);
    check(&[json!({"action": "allow", "tools": ["shell.run"]})], "ask", &scripts[..5]);
    check(
        &rules,
        "allow",
        &[
            "grep -r x src",
            "grep -rn x README.md src",
            "grep -rn x --include='*.rs' .",
            "grep -r x node_modules",
            "rg x src",
            "rg x app",
            "rg --files",
            "rg -g '*.md' x",
            "find . -name '*.rs' -exec grep x {} +",
            "find . -exec ls {} +",
            "find app -name x",
            "git grep x -- src",
            "git grep x src",
            "cat README.md src/*.rs",
        ],
    );
    // A rule about the file allows it.
    rules.push(json!({"action": "allow", "read": ["app/.env"]}));
    check(&rules, "allow", &["grep -r x app", "cat app/.env"]);
}

/// zubi's own search reads the files below its folder.
#[test]
fn rules_about_reading_apply_to_the_files_of_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    for file in FILES {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        zubi_base::fs::write_atomic(&root.join(file), b"x").unwrap();
    }
    let paths = PolicyPaths { roots: vec![root.clone()], ..PolicyPaths::default() };
    let decide = |action: &str, path: &str, pattern: Option<&str>, is_search: bool| {
        let rules = [json!({"action": action, "read": ["private/**"]}), json!({"action": "deny", "read": ["**/.env"]})];
        let rules = rules.iter().map(|rule| (rule, "zubi.toml:1".to_owned()));
        let policy = Policy::from_rules(ToolFilter::default(), rules, paths.clone());
        let footprint = Footprint {
            reads: vec![root.join(path)],
            is_search,
            search_pattern: pattern.map(str::to_owned),
            ..Footprint::from_effect(Effect::Read)
        };
        word(policy.decide(&spec("file.search", Effect::Read), &caller(false), &footprint).action)
    };
    for (path, pattern, expected) in [
        ("", None, "deny"),
        ("", Some("*.txt"), "deny"),
        ("private", None, "deny"),
        ("private/p.txt", None, "deny"),
        ("", Some("*.rs"), "allow"),
        ("src", None, "allow"),
        ("app", None, "allow"),
    ] {
        assert_eq!(decide("deny", path, pattern, true), expected, "{path} {pattern:?}");
        let weaker = if expected == "deny" { "ask" } else { expected };
        assert_eq!(decide("ask", path, pattern, true), weaker, "{path} {pattern:?}");
    }
    assert_eq!(decide("deny", "", None, false), "allow", "a list has only names");
}
