//! Tables of scripts and the commands that they run; random scripts in which no command may be missed.

use proptest::prelude::*;

use super::*;

fn read_in_work(text: &str) -> ShellReading {
    read(text, Utf8Path::new("/w"))
}

/// Renders commands, paths and clauses on one line: `git status; rm x < /w/a > /w/b ? why`.
fn render_reading(reading: &ShellReading) -> String {
    let mut parts: Vec<String> =
        vec![reading.commands.iter().map(|argv| argv.join(" ")).collect::<Vec<_>>().join("; ")];
    parts.extend(reading.reads.iter().map(|path| format!("< {path}")));
    parts.extend(reading.writes.iter().map(|path| format!("> {path}")));
    parts.extend(reading.unresolved.iter().map(|reason| format!("? {reason}")));
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

#[test]
fn scripts_are_read_as_commands() {
    for (text, expected) in [
        ("", ""),
        ("# nothing", ""),
        ("git status", "git status"),
        ("make 2>&1 | tail -3", "make; tail -3"),
        ("make >/dev/null 2>&1 &", "make"),
        ("a;b\nc||d&e", "a; b; c; d; e"),
        ("(a; { b; }) && ! c", "a; b; c"),
        ("if a; then b; elif c; then d; else e; fi", "a; b; c; d; e"),
        ("while a; do b; done; until c; do d; done", "a; b; c; d"),
        ("for i in x y; do a; done", "a"),
        ("case x in a|b) c;; (d) e;; esac; f", "c; e; f"),
        ("case x in a) case y in b) c;; esac;; d) e;; esac", "c; e"),
        ("f() { a; }; f b", "a; f b"),
        ("function f { a; }", "a"),
        ("time a; time -p b", "a; b"),
        ("FOO=1 BAR='x y' LC_ALL=C tool arg", "tool arg"),
        ("x=1; y='a b' z=/c; tool", "tool"),
        ("echo 'a b' \"c d\" e\\ f", "echo a b c d e f"),
        ("\"git\" sta'tus'", "git status"),
        ("'if' x", "if x"),
        ("a <in >out 2>>err", "a < /w/in > /w/out > /w/err"),
        ("a &>x; b >|y; c <>z; d >&v", "a; b; c; d < /w/z > /w/x > /w/y > /w/z > /w/v"),
        ("cat <<'E'\n$(x)\nE\nb", "cat; b"),
        ("cat <<E | b\nplain\nE", "cat; b"),
        ("cat <<<text", "cat"),
        ("ls src/*.rs", "ls src/*.rs"),
        ("a > ../x", "a > /x"),
        ("./gradlew build", "/w/gradlew build"),
        ("/usr/bin/git push", "/usr/bin/git push"),
        ("git show 'HEAD^{tree}' stash@{0} a$ b%c", "git show HEAD^{tree} stash@{0} a$ b%c"),
        // Wrappers.
        ("sh -c 'git push; rm x'", "git push; rm x"),
        ("bash -euo pipefail -c 'a | b' name", "a; b"),
        ("sh script.sh", "sh script.sh"),
        ("env -i FOO=1 nohup nice -n 5 timeout -k 1 5 stdbuf -oL a b", "a b"),
        ("env -- a; command -- b; exec c", "a; b; c"),
        ("command -v git", "command -v git"),
        ("sudo -u root a b", "sudo -u root a b; a b"),
        ("find . -name '*.rs' -exec grep x {} +", "find . -name *.rs -exec grep x {} +; grep x {}"),
        ("find . -exec a \\; -execdir b \\;", "find . -exec a ; -execdir b ;; a; b"),
        ("./env git status", "/w/env git status; git status"),
        ("//usr/bin/env a; /usr//bin/sh -c b", "a; b"),
        ("/opt/bin/bash -c 'rm x'", "/opt/bin/bash -c rm x; rm x"),
        ("flock -n lock a b; taskset -c 1 a", "flock -n lock a b; a b; a"),
        ("/usr/lib/git-core/git-push x", "/usr/lib/git-core/git-push x; git push x"),
        // Shells with their script on standard input, and interpreters with data there.
        ("bash <<'E'\na; b\nE", "a; b"),
        ("env bash -s <<< 'a; b'", "a; b"),
        ("./bash /dev/stdin <<< a", "/w/bash /dev/stdin; a"),
        ("a | python3 -u x.py | perl -ne 'print'", "a; python3 -u x.py; perl -ne print"),
        ("python3 --version; node x.js; sqlite3 db 'select 1'", "python3 --version; node x.js; sqlite3 db select 1"),
        // Builtins with harmless words.
        ("set -euo pipefail; export FOO=bar; [ -f x ]", "set -euo pipefail; export FOO=bar; [ -f x ]"),
        ("[[ a == b && 1 -eq 2 ]]", "[[ a == b; 1 -eq 2 ]]"),
        ("git -C a -c color.ui=never log", "git -C a -c color.ui=never log"),
        ("yarn -- test", "yarn -- test"),
        // Directories.
        ("cd sub && ./x > out", "cd sub; /w/sub/x < /w/sub > /w/sub/out"),
        ("(cd /tmp && a > x); b > y", "cd /tmp; a; b < /tmp > /tmp/x > /w/y"),
        // A test in Bash, three commands elsewhere.
        ("[[ a || b ]]", "[[ a; b ]]"),
        ("((1 + 2)); !(a b)", "1 + 2; a b"),
    ] {
        assert_eq!(render_reading(&read_in_work(text)), expected, "{text}");
    }
}

#[test]
fn undecidable_scripts_are_unresolved() {
    for (text, commands) in [
        ("echo $(git push)", "git push; echo $(git push)"),
        ("echo `git push`", "git push; echo `git push`"),
        ("echo \"a $(b \"$(c)\")\"", "c; b \"$(c)\"; echo \"a $(b \"$(c)\")\""),
        ("case x in a|b c", ""),
        ("case x in a) c;;", "c"),
        ("case x in a|b\nrm x", ""),
        ("rm $X", "rm $X"),
        ("rm \"${X:-y}\"", "rm \"${X:-y}\""),
        ("$X y", "$X y"),
        ("git pus[h]", "git pus[h]"),
        ("*.sh a", "*.sh a"),
        ("bin/*.sh a", ""),
        ("rm *.rs", "rm *.rs"),
        ("{rm,-rf,x}", "{rm,-rf,x}"),
        ("eval 'git push'", "eval git push; git push"),
        ("source x", "source x"),
        (". ./x", ". ./x"),
        ("sh -c \"$x\"", "sh -c \"$x\""),
        ("alias git=rm; git x", "alias git=rm; git x"),
        ("git() { x; }; cd() { y; }; cd /", "x; y; cd /"),
        ("diff <(a) <(b)", "diff; a; b"),
        ("PATH=. git status", "git status"),
        ("GIT_SSH_COMMAND=x git fetch", "git fetch"),
        ("LD_PRELOAD=x env git", "git"),
        ("env LD_PRELOAD=x git", "git"),
        ("OPENSSL_CONF=1 git", "git"),
        ("XX=1; git", "git"),
        ("x=1 git", "git"),
        ("LANG=../x git", "git"),
        ("LC_ALL=$x git", "git"),
        ("env x=1 git push", "git push"),
        ("export x; git", "export x; git"),
        ("x='a[0]'; git", "git"),
        ("a[x]=1; git", "git"),
        ("for X in a; do git; done", "git"),
        ("read -r X", "read -r X"),
        ("((i++)); !(a b)", "i++; a b"),
        ("[[ a || x -eq 1 ]]", "[[ a; x -eq 1 ]]"),
        ("jobs -lx a", "jobs -lx a"),
        ("declare -n x=y", "declare -n x=y"),
        ("set -eux", "set -eux"),
        ("set -o xtrace", "set -o xtrace"),
        ("bash -lc \"a && b\"", "a; b"),
        ("bash -ic a", "a"),
        ("git log && curl x | sh", "git log; curl x; sh"),
        ("bash <<E\n$x\nE", "bash"),
        ("bash <<< a <<< b", "bash"),
        ("bash", "bash"),
        ("b | bash 3<<< a", "b; bash"),
        ("b | bash {x}<<< a", "b; bash"),
        ("python3 - <<E\nx\nE", "python3 -"),
        ("a | .venv/bin/python3.12 -W ignore", "a; /w/.venv/bin/python3.12 -W ignore"),
        ("a | node", "a; node"),
        ("psql db <<< '\\! a'", "psql db"),
        ("a | awk -f -", "a; awk -f -"),
        ("fish -c 'rm x'", "fish -c rm x; rm x"),
        ("su -c 'rm x'", "su -c rm x"),
        ("parallel rm x", "parallel rm x"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/rm x", "/lib64/ld-linux-x86-64.so.2 /bin/rm x"),
        ("git -c alias.p='!rm -rf x' p", "git -c alias.p=!rm -rf x p; rm -rf x"),
        ("git -c alias.p=push p", "git -c alias.p=push p; git push"),
        ("git -c core.fsmonitor=x status", "git -c core.fsmonitor=x status"),
        ("git --git-dir=x status", "git --git-dir=x status"),
        ("git submodule foreach --recursive git push", "git submodule foreach --recursive git push; git push"),
        ("git submodule foreach 'rm x; y'", "git submodule foreach rm x; y; rm x; y"),
        ("git bisect run make x", "git bisect run make x; make x"),
        ("git rebase -x 'rm x' HEAD", "git rebase -x rm x HEAD; rm x"),
        ("git rebase --ex='rm x' HEAD", "git rebase --ex=rm x HEAD; rm x"),
        ("git config alias.p push", "git config alias.p push"),
        ("export PATH=.; git", "export PATH=.; git"),
        ("printf -v PATH .", "printf -v PATH ."),
        ("test 'a[$(x)]' -eq 1", "test a[$(x)] -eq 1"),
        ("a=(b c)", "b c"),
        ("for ((;;)); do a; done", "a"),
        ("cat <<E\n$(rm x)\nE", "rm x; cat"),
        ("a > $X", "a"),
        ("a > ~/x", "a"),
        ("a > b/../c", "a"),
        ("a > /dev/tcp/h/80", "a"),
        ("cd x; a > y", "cd x; a"),
        ("cd x | a && b > y", "cd x; a; b"),
        ("! cd x && a > y", "cd x; a"),
        ("z || cd x && a > y", "z; cd x; a"),
        ("a | cd x && b > y", "a; cd x; b"),
        ("while a; do b > y; cd ..; done", "a; b; cd .."),
        ("f() { a > x; }; cd y; f", "a; cd y; f"),
        ("cd x && cd .. && a > y", "cd x; cd ..; a"),
        ("xargs -0 rm", "rm"),
        ("/usr/bin/xargs rm", "rm"),
        ("/lib/x/ld-linux-x86-64.so.2 /bin/rm x", "/lib/x/ld-linux-x86-64.so.2 /bin/rm x"),
        ("find . -exec sh -c 'a {}' \\;", "find . -exec sh -c a {} ;"),
        ("env -S 'a b'", "env -S a b"),
        ("bash --rcfile x -i", "bash --rcfile x -i"),
        ("echo 'open", ""),
        ("a )", "a"),
        ("a ;; b", "a; b"),
        ("$'rm' x", "$'rm' x"),
        ("a\0b", ""),
        ("trap 'rm x' EXIT", "trap rm x EXIT; rm x"),
        ("coproc a", "a"),
    ] {
        let reading = read_in_work(text);
        assert!(!reading.unresolved.is_empty(), "{text}: {}", render_reading(&reading));
        let found = reading.commands.iter().map(|argv| argv.join(" ")).collect::<Vec<_>>().join("; ");
        if !commands.is_empty() {
            assert_eq!(found, commands, "{text}");
        }
    }
}

#[test]
fn excessive_scripts_are_rejected_quickly() {
    let started = std::time::Instant::now();
    for fragment in [
        "(",
        "((",
        "{ ",
        "$(",
        "`",
        "\"",
        "'",
        "${",
        "$((",
        "a=(",
        "<(",
        "case x in a) ",
        "if ",
        "f() ",
        "! ",
        "|",
        "\\",
        "[[ ( ",
        "cat <<A\n",
        "cat <<A;",
        "env ",
        "sudo ",
        "find -exec ",
        "sh -c '",
        "eval ",
        "cd x && ",
        "a\n",
        ">",
        "*/",
        "é",
        "{a,",
    ] {
        for count in [20, MAX_SCRIPT / fragment.len()] {
            let reading = read_in_work(&fragment.repeat(count));
            assert!(reading.unresolved.len() <= MAX_CLAUSES && reading.commands.len() <= MAX_COMMANDS, "{fragment}");
        }
    }
    assert!(!read_in_work(&"a ".repeat(MAX_SCRIPT)).unresolved.is_empty(), "a script that is too long is unresolved");
    assert!(started.elapsed() < std::time::Duration::from_mins(1), "{:?}", started.elapsed());
}

/// Generates scripts that contain the command `mark N` once for every N.
fn script() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "mark #",
        "'mark' #",
        "\"mark\" \"#\"",
        "m\\ark '#'",
        "X=1 mark #",
        "mark # 2>&1",
        ">/dev/null mark #",
        "env mark #",
        "timeout 5 mark #",
        "sh -c 'mark #'",
        "echo $(mark #)",
        "echo \"a `mark #`\"",
        "command -- mark #",
        "mark \\\n#",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), "(&&|\\|\\||;|\\||&|\n| ; )", inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            inner.clone().prop_map(|a| format!("{{ {a}; }}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if {a}; then {b}; fi")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("while {a}; do {b}; done")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("case x in y|z) {a};; *) {b};; esac")),
            inner.clone().prop_map(|a| format!("! {a}")),
            inner.prop_map(|a| format!("f() {{ {a}; }}; f")),
        ]
    })
}

proptest! {
    #[test]
    fn no_command_is_overlooked(text in script()) {
        let mut count = 0;
        let numbered: String = text.split_inclusive('#').map(|part| match part.strip_suffix('#') {
            Some(before) => { count += 1; format!("{before}{count}") }
            None => part.to_owned(),
        }).collect();
        let reading = read_in_work(&numbered);
        for number in 1..=count {
            let command = vec!["mark".to_owned(), number.to_string()];
            prop_assert!(reading.commands.contains(&command), "{numbered}\n{reading:?}");
        }
    }

    #[test]
    fn any_text_is_read(text in "(\\PC|[\n\t$`'\"(){}<>|&;*~=#\\\\ ]|case|esac|in|for|do|<<E\n){0,80}") {
        let reading = read_in_work(&text);
        prop_assert!(reading.reads.iter().chain(&reading.writes).all(|path| path.is_absolute()));
    }

    #[test]
    fn quoted_text_is_one_word(word in "[^\0']{1,30}") {
        let reading = read_in_work(&format!("mark '{word}'"));
        prop_assert_eq!(&reading.commands, &vec![vec!["mark".to_owned(), word]]);
        prop_assert!(reading.unresolved.is_empty());
    }
}
