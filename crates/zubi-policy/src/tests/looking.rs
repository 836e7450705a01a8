//! A session of commands that only look needs no approval, and dangerous variants of the same commands do.

use super::*;

/// A workspace with a few files and its policy.
pub(super) fn check(files: &[&str], rules: &[Value], scripts: &[&str], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    for file in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let is_key = path.file_name() == Some("key.txt");
        let content: &[u8] = if is_key { b"-----BEGIN PRIVATE KEY-----\nx" } else { b"x" };
        zubi_base::fs::write_atomic(&path, content).unwrap();
    }
    std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("linked-passwd")).unwrap();
    std::fs::create_dir(root.join("links")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("links/passwd")).unwrap();
    std::os::unix::fs::symlink("/nonexistent/x", root.join("dangling")).unwrap();
    check_scripts(&root, rules, scripts, expected);
}

const FILES: &[&str] = &["a", "b", "src/a.rs", ".env", "server/id_rsa"];

#[test]
fn a_session_of_reading_needs_no_approval() {
    let scripts = [
        "ls",
        "ls -la src",
        "ls *.rs",
        "ls src/*.rs",
        "pwd && ls; echo done",
        "cat a",
        "cat -n a b",
        "cat src/*.rs | head -20",
        "head -5 a",
        "tail -n 3 a",
        "wc -l a b",
        "wc -l src/*.rs",
        "nl -ba a",
        "cut -d: -f1 a",
        "tr a-z A-Z < a",
        "rev a",
        "stat src/a.rs",
        "file a",
        "du -sh src",
        "basename src/a.rs .rs",
        "dirname src/a.rs",
        "realpath a",
        "seq 3",
        "uname -a",
        "whoami",
        "id -u",
        "date +%F",
        "which cargo",
        "sort -rn a",
        "sort a | uniq -c",
        "comm a b",
        "diff -u a b",
        "cmp a b",
        "sed -n 1,5p a",
        "find . -name '*.rs' -type f",
        "grep -n 'fn .*' src/a.rs",
        "grep -c x *.rs",
        "rg -n x src",
        "cat a | head -3 | wc -l",
        "cd src && ls",
        "cargo --version",
        "echo $HOME",
        "echo *.rs",
        "for f in a b; do echo $f; done",
        "for f in a b; do wc -l \"$f\"; done",
        "for f in src/*.rs; do head -3 \"$f\"; done",
        "test -f a && cat a",
        "env -u X ls",
        "timeout 5 head -1 a",
        "bash -c 'ls src'",
        "sleep 1",
        "od -c a | head -2",
        "base64 -d < a",
        "cat < a",
        "git diff HEAD~1 -- src/a.rs",
        "git show HEAD:src/a.rs",
        "git log main..HEAD",
        "git status --short",
        "git log --oneline -5",
        "git diff --stat",
        "git show --name-only HEAD",
        "git branch --show-current",
        "git rev-parse HEAD",
        "cat <<'E'\ntext\nE",
        "cat <<E | wc -l\ntext\nE",
    ];
    assert!(scripts.len() >= 40);
    check(FILES, &[], &scripts, "allow");
}

#[test]
fn dangerous_variants_of_reading_need_approval() {
    let scripts = [
        "ls ..",
        "ls --color /etc",
        "cat < /etc/passwd",
        "cat < linked-passwd",
        "head -c 100 < link/passwd",
        "echo \"$(< /etc/passwd)\"",
        "printf x < /etc/passwd",
        "cat links/pass*",
        "cat links/p*",
        "cat l*/passwd",
        "uniq src/*.rs",
        "uniq src/f*.txt",
        "git diff /dev/null /etc/passwd",
        "git diff -- a /etc/hostname",
        "git diff a ../b",
        "git diff a ~/b",
        "git show HEAD:../b",
        "ls /etc",
        "ls > .git/config",
        "ls > out",
        "ls \"$(x)\"",
        "./ls",
        "src/ls a",
        "PATH=. ls",
        "ls; x",
        "ls | x",
        "ls & x",
        "cat .env",
        "cat src/../.env",
        "cat link/passwd",
        "cat /etc/passwd",
        "cat ~/x",
        "cat $HOME/x",
        "cat < .env",
        "cat server/*",
        "cat *",
        "cat server/*rsa",
        "head ../a",
        "tail -f a",
        "tail --pid=1 a",
        "tail -F a",
        "wc --files0-from=a",
        "cut -f1 /etc/passwd",
        "cd .. && cat a",
        "cd / && ls",
        "cd && ls",
        "cd link && ls",
        "cd src && cat ../../x",
        "stat $X",
        "file -C -m a",
        "file -f a",
        "du --files0-from=a",
        "which -a x; y",
        "date -s x",
        "date -f a",
        "date 01010000",
        "hostname x",
        "sort -o a b",
        "sort -ro a b",
        "sort --outp=a b",
        "sort -T .. a",
        "sort --compress-program=x a",
        "sort *.rs",
        "uniq a b",
        "uniq -c a b",
        "comm .env a",
        "diff --to-file=.env a",
        "diff -r . ..",
        "diff a /etc/passwd",
        "sed -n 1wb a",
        "sed -n 1ex a",
        "sed -i s/a/b/ a",
        "sed -n 1,5p -i a",
        "sed -n -f a b",
        "sed s/a/b/e a",
        "find . -delete",
        "find . -fprint x",
        "find . -exec x {} \\;",
        "find / -name x",
        "find . -files0-from a",
        "grep -r x .",
        "grep -f .env a",
        "grep x ../a",
        "rg --pre x a",
        "rg --hidden x",
        "rg -uu x",
        "rg -z x",
        "rg x ..",
        "cargo --version x",
        "cargo -V; x",
        "git log --output=a",
        "git log -p --ext-diff",
        "git diff --no-index a b",
        "git branch x",
        "git branch -D x",
        "git -C .. status",
        "git status; git push",
        "git show --format=%GG",
        "for f in a b; do rm $f; done",
        "for f in a ../b; do cat $f; done",
        "for f in a .env; do cat $f; done",
        "for f in *; do cat $f; done",
        "for f in a; do f=.env; cat $f; done",
        "for f in a; do read f; cat $f; done",
        "cat $f; for f in a; do :; done",
        "cat <<E\n$(x)\nE",
        "cat <<$'E'\nE\nx\n$E\n",
        "tree -o x",
        "env",
        "xxd a b",
        "cat a | tee b",
        "ls | xargs x",
    ];
    assert!(scripts.len() >= 60);
    check(FILES, &[], &scripts, "ask");
}

/// Credentials that no word of a command names.
#[test]
fn contents_that_are_credentials_need_approval() {
    const WITH_KEY: &[&str] = &["a", "d/key.txt", "d/a.txt", "e/a.rs", ".env", "conf/secrets.yml", "conf/a.rs"];
    let scripts = [
        "cat d/key.txt",
        "cat < d/key.txt",
        "head -3 d/key.txt",
        "sed -n 2,3p d/key.txt",
        "tail -n +2 d/key.txt",
        "tail -n +2 d/*.txt",
        "cd d && cat key.txt",
        "rg x",
        "rg pass .",
        "rg x conf",
        "rg -g '*.yml' x",
        "rg -g '.*' x",
        "rg --glob='.e*' x",
        "rg -tyaml x",
        "cd conf && rg x",
        "diff conf d",
        "git show HEAD:secrets.yml",
        "git show HEAD:conf/../.env",
        "git log -L1,3:.env",
        "git log -p -- ':(glob).e*'",
        "git log -p -- ':(icase)SECRETS.Y*'",
        "git diff -- '.e*'",
        "git diff -- ':/.env'",
    ];
    check(WITH_KEY, &[], &scripts, "ask");
    let scripts = [
        "cat d/a.txt",
        "cat < d/a.txt",
        "tail -n +2 e/*.rs",
        "rg x e",
        "rg -trust x",
        "rg -g '*.rs' x",
        "rg --files",
        "rg -g '!conf' x",
        "git show HEAD:src/a.rs",
        "git log -p -- '*.rs'",
    ];
    check(WITH_KEY, &[], &scripts, "allow");
}

#[test]
fn programs_of_the_workspace_need_approval() {
    let folder = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(camino::Utf8Path::from_path(folder.path()).unwrap()).unwrap();
    let paths = |search_path: &[&str]| PolicyPaths {
        roots: vec![root.clone()],
        search_path: search_path.iter().map(|path| root.join(path)).collect(),
        ..PolicyPaths::default()
    };
    std::fs::create_dir(root.join("bin")).unwrap();
    for program in ["ls", "env", "nohup", "id", "pwd", "sleep"] {
        zubi_base::fs::write_atomic(&root.join("bin").join(program), b"x").unwrap();
    }
    let footprint = Footprint {
        commands: vec![vec!["ls".to_owned()]],
        directory: Some(root.clone()),
        ..Footprint::from_effect(Effect::Execute)
    };
    let argv = vec!["ls".to_owned()];
    // The names of builtins that a wrapper starts, and of wrappers, are programs too.
    for (script, is_allowed) in [("pwd", true), ("env pwd", false), ("nohup id", false), ("sleep 1", false)] {
        let reading = crate::shell::read(script, "/w".into());
        let footprint = Footprint { wrappers: reading.wrappers, ..footprint.clone() };
        let paths = paths(&["bin", "/usr/bin"]);
        let is_harmless = |argv: &Vec<String>| crate::looking::is_harmless(argv, &footprint, &paths);
        assert_eq!(reading.commands.iter().all(is_harmless), is_allowed, "{script}");
    }
    let is_looking = |search_path: &[&str]| crate::looking::is_harmless(&argv, &footprint, &paths(search_path));
    assert!(is_looking(&["/usr/bin", "bin"]) && !is_looking(&["bin", "/usr/bin"]));
    let decide = |footprint: &Footprint| {
        let none = std::iter::empty::<(&Value, String)>();
        let policy = Policy::from_rules(ToolFilter::default(), none, paths(&["/usr/bin"]));
        policy.decide(&spec("shell.run", Effect::Execute), &caller(false), footprint).action
    };
    assert_eq!(decide(&footprint), Action::Allow);
    let unconfined = Footprint { unresolved: vec!["there is no sandbox here".to_owned()], ..footprint.clone() };
    assert_eq!(decide(&unconfined), Action::Ask, "without a sandbox");
}

/// The sample rules of the book do not cover arguments that run, load or write something.
#[test]
fn sample_rules_of_the_book_cover_only_arguments_that_look() {
    let page = include_str!("../../../../docs/src/guide/policy.md");
    // TOML arrays of plain strings are JSON.
    let commands: Vec<Value> = page
        .lines()
        .filter_map(|line| line.strip_prefix("command = ")?.split_once(']'))
        .map(|(list, _)| serde_json::from_str(&format!("{list}]")).unwrap())
        .collect();
    assert!(!commands.is_empty());
    let rules: Vec<Value> = commands.iter().map(|command| json!({"action": "allow", "command": command})).collect();
    check(FILES, &rules, &["git log -3", "git diff --stat a", "git status -s"], "allow");
    check(
        FILES,
        &rules,
        &[
            "git log -1 --format='[core]%n fsmonitor = x' --output=.git/config",
            "git log -p --output new",
            "git log --outp=x",
            "git diff --output=.git/hooks/x",
            "git diff --no-index --output=x a b",
            "git log -p --ext-diff",
            "git log --show-signature",
            "git -c core.fsmonitor=x status",
            "cd .. && git status",
            "cd /tmp && git log",
        ],
        "ask",
    );
}

/// Commands that name a file which git, editors or agents run of themselves, or a path outside through a link.
#[test]
fn rules_do_not_cover_files_that_run_of_themselves() {
    let programs = [
        "touch", "cp", "mv", "tee", "iconv", "ln", "install", "rsync", "dd", "mkdir", "chmod", "mytool", "git", "make",
        "cargo", "pytest", "gcc", "cat", "grep", "sort", "wget",
    ];
    let mut rules: Vec<Value> =
        programs.iter().map(|program| json!({"action": "allow", "command": [program, "*"]})).collect();
    rules.push(json!({"action": "allow", "command": ["cp", "a", ".git/hooks/named"]}));
    rules.push(json!({"action": "allow", "command": ["git", "mv|log|add|-C|commit|push|checkout", "*"]}));
    rules.push(json!({"action": "allow", "command": ["sed", "-i", "*"]}));
    let named = [
        "touch .git/hooks/z",
        "touch ./.git/hooks/z",
        "touch src/../.git/hooks/z",
        "touch .GIT/hooks/z",
        "touch \"$PWD\"/.git/x",
        "cp a .git/hooks/zz",
        "cp -t .git/hooks a",
        "cp -t.git/hooks a",
        "cp --target-directory=.git/hooks a",
        "install -Dt.git/hooks a",
        "mv a .git/hooks/x",
        "tee .git/config",
        "tee .vscode/tasks.json < a",
        "iconv -o .git/hooks/x a",
        "ln -s x .git/hooks/x",
        "dd if=a of=.git/config",
        "rsync a .git/config",
        "mkdir -p .claude/commands",
        "chmod +x .git/hooks/x",
        "mytool --output=.mcp.json",
        "mytool --env=A=.envrc",
        "mytool a:.git/config",
        "mytool HEAD",
        "wget https://x.example/.envrc",
        "cd .git && touch hooks/z",
        "cd src && cp a ../.git/x",
        "touch ./.g*t/hooks/z",
        "git mv a .git/hooks/x",
        "git checkout HEAD -- .envrc",
        "sed -i s/a/b/ .git/config",
        "cat a | tee .git/hooks/z",
        "git -C link log",
        "make -C link",
        "cargo test --manifest-path link/Cargo.toml",
        "cargo test --manifest-path=link/Cargo.toml",
        "pytest link",
        "cp a link/x",
        "gcc -c link/x.c",
        "cp -t dangling a",
    ];
    check(FILES, &rules, &named, "ask");
    check(FILES, &[json!({"action": "allow", "tools": ["shell.run"]})], &named[..16], "ask");
    check(
        FILES,
        &rules,
        &[
            "cp a .git/hooks/named",
            "cp a b",
            "tee -a out/log",
            "cat .git/config",
            "grep -rn x .github/workflows .git",
            "sort .cargo/config.toml",
            "git log -- .gitattributes",
            "git add .github/workflows/a.yml",
            "git commit -m 'change .git/config'",
            "git push origin HEAD",
            "git checkout HEAD~1",
            "cp a head",
            "make -C src",
            "pytest src/a.rs",
            "cargo test --manifest-path src/Cargo.toml",
            "mytool --url=https://x.example/y.git",
            "touch .gitignore",
            "sed -i s/a/b/ a",
        ],
        "allow",
    );
}

#[test]
fn rules_cover_only_arguments_that_look() {
    let rules = [
        json!({"action": "allow", "command": ["git", "status|log|diff", "*"]}),
        json!({"action": "allow", "command": ["sort", "*"]}),
        json!({"action": "allow", "command": ["sed", "-i", "*"]}),
        json!({"action": "allow", "command": ["git", "archive", "--output=dist.tar", "*"]}),
        json!({"action": "allow", "command": ["go", "test", "-o", "x"]}),
        json!({"action": "allow", "command": ["cargo", "test", "--target-dir=*", "*"]}),
        json!({"action": "allow", "command": ["make", "test"]}),
    ];
    check(
        FILES,
        &rules,
        &[
            "git log -3",
            "git log -p --stat",
            "sort -u a ../b",
            "sed -i s/a/b/ a",
            "git archive --output=dist.tar HEAD",
            "go test -o x",
            "cargo test --target-dir=x --release",
            "make test",
            "cd src && make test",
        ],
        "allow",
    );
    check(
        FILES,
        &rules,
        &[
            "git log -1 --format='[core]%n fsmonitor = x' --output=.git/config",
            "git log -p --output new",
            "git diff --no-index --output=x a b",
            "git log --outp=x",
            "sort -o a b",
            "sort --compress-program x",
            "sed -i '1e x' a",
            "git archive --output=x HEAD",
            "git archive --output=dist.tar -o x",
            "go test -exec x",
            "cargo test --target-dir=x --config x",
            "make test CC=x",
            "cd .. && make test",
            "cd /tmp && git log",
            "cd link && make test",
        ],
        "ask",
    );
}
