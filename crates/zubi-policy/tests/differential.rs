//! The shell script reader and the policy, compared with a real Bash: whatever creates the mark there must have been
//! listed or unresolved.

#[cfg(test)]
mod bash {
    use std::collections::BTreeMap;
    use std::process::{Command, Stdio};
    use std::sync::Mutex;
    use std::time::Duration;

    use camino::{Utf8Path, Utf8PathBuf};
    use proptest::prelude::*;
    use serde_json::json;
    use zubi_policy::caller::{Caller, Restrictions, Surface};
    use zubi_policy::filter::ToolFilter;
    use zubi_policy::footprint::Footprint;
    use zubi_policy::rule::Action;
    use zubi_policy::shell::{ShellReading, read};
    use zubi_policy::spec::{Approval, Effect, Exposure, ToolSpec};
    use zubi_policy::{Policy, PolicyPaths};

    /// A new directory with a second program `sleep` in `evil`.
    struct TestDirectory {
        folder: tempfile::TempDir,
        directory: Utf8PathBuf,
    }

    impl TestDirectory {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let directory = zubi_base::fs::canonical(Utf8Path::from_path(folder.path()).unwrap()).unwrap();
            let programs = directory.join("evil");
            std::fs::create_dir(&programs).unwrap();
            zubi_base::fs::write_atomic(&programs.join("sleep"), b"#!/bin/sh\n: > pwn\n").unwrap();
            let mut permissions = std::fs::metadata(programs.join("sleep")).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
            std::fs::set_permissions(programs.join("sleep"), permissions).unwrap();
            Self { folder, directory }
        }

        #[expect(clippy::disallowed_methods, reason = "a real Bash, with nothing of zubi between it and the script")]
        /// Whether the mark exists after Bash has run the script.
        fn is_executed(&self, script: &str) -> bool {
            let mark = self.folder.path().join("pwn");
            if mark.exists() {
                std::fs::remove_file(&mark).unwrap();
            }
            let status = Command::new("timeout")
                .args(["-k", "1", "10", "bash", "-c", "--", script, "sh"])
                .current_dir(self.folder.path())
                .env_clear()
                .env("PATH", "/usr/local/bin:/usr/bin:/bin")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            status.expect("`timeout` and `bash` exist");
            mark.exists()
        }
    }

    fn policy(allow: &[&str], directory: &Utf8Path) -> Policy {
        let rule = json!({"action": "allow", "command": ["sleep", "*"]});
        let policy_paths = PolicyPaths { roots: vec![directory.to_owned()], ..PolicyPaths::default() };
        Policy::from_rules(ToolFilter::new(allow.iter().copied()), [(&rule, "a test".to_owned())], policy_paths)
    }

    fn decide(policy: &Policy, reading: &ShellReading, directory: &Utf8Path) -> Action {
        let spec = ToolSpec {
            id: "shell.run".to_owned(),
            title: String::new(),
            description: String::new(),
            input: serde_json::Map::new(),
            examples: Vec::new(),
            notes: String::new(),
            effect: Effect::Execute,
            toolset: "shell".to_owned(),
            exposure: Exposure::Direct,
            approval: Approval::ByEffect,
            timeout: Duration::from_mins(1),
            category: String::new(),
            tags: Vec::new(),
            icon: None,
        };
        let caller = Caller { surface: Surface::Mcp, client: None, session: 0, restrictions: Restrictions::default() };
        let reading = reading.clone();
        let footprint = Footprint {
            commands: reading.commands,
            reads: reading.reads,
            writes: reading.writes,
            unresolved: reading.unresolved,
            directory: Some(directory.to_owned()),
            ..Footprint::from_effect(Effect::Execute)
        };
        policy.decide(&spec, &caller, &footprint).action
    }

    /// Compares the policy's judgement with whether the script creates the mark. Returns a summary of the judgement, or
    /// a description of the contradiction.
    fn verdict(test_directory: &TestDirectory, script: &str) -> Result<&'static str, String> {
        let directory = test_directory.directory.as_path();
        let reading = read(script, directory);
        let is_reported =
            reading.commands.iter().any(|argv| argv.iter().any(|word| word.contains("touch") || word == "pwn"))
                || reading.writes.iter().any(|path| path.as_str().contains("pwn"));
        let is_executed = test_directory.is_executed(script);
        let strict = decide(&policy(&[], directory), &reading, directory);
        // This policy requires approval only for what cannot be determined.
        let permissive = decide(&policy(&["shell.run"], directory), &reading, directory);
        // A redirection to a file of the workspace is shown and allowed.
        let written = reading.writes.iter().any(|path| path.as_str().contains("pwn"));
        match (is_executed, strict, permissive) {
            (true, Action::Allow, _) if !written => Err(format!("it ran without a question: {script:?}\n{reading:?}")),
            (true, _, Action::Allow) if !is_reported => {
                Err(format!("it ran and was not shown: {script:?}\n{reading:?}"))
            }
            (true, _, Action::Allow) => Ok("ran, shown"),
            (true, ..) => Ok("ran, unresolved"),
            (false, _, Action::Allow) => Ok("did not run, resolved"),
            (false, ..) => Ok("did not run, unresolved"),
        }
    }

    /// Scripts that evade a simple reading: Bash evaluates the text of a variable or a subscript once more, a variable
    /// chooses programs, built-ins run their arguments, and interpreters read their input.
    const EVASIVE_SCRIPTS: &[&str] = &[
        "printf '-va[$(touch pwn)]' x",
        "printf -v 'a[$(touch pwn)]' x",
        "jobs -x touch pwn",
        "jobs -px touch pwn",
        "command jobs -x touch pwn",
        "builtin jobs -x touch pwn",
        "x='a[$(touch pwn)]'; [[ x -eq 0 ]]",
        "x='a[$(touch pwn)]'; [[ 0 -lt x ]]",
        "x='a[$(touch pwn)]'; [[ 1 -eq 1+x ]]",
        "x='a[$(touch pwn)]'; [[ a || 0 -eq x ]]",
        "x='a[$(touch pwn)]'; [[ '' || 0 -eq x ]]",
        "x='a[$(touch pwn)]'; [[ a && b && 0 -eq x ]]",
        "x='a[$(touch pwn)]'; [[ ! 0 -eq x ]]",
        "x='a[$(touch pwn)]'; [[ ( 0 -eq x ) ]]",
        "x='a[$(touch pwn)]'; declare -i y=x",
        "x='a[$(touch pwn)]'; declare -i y; y=x; :",
        "x='a[$(touch pwn)]'; declare -i y; y+=x",
        "x='a[$(touch pwn)]'; declare -ai y=x",
        "x='a[$(touch pwn)]'; declare -a 'a=([x]=1)'",
        "x='a[$(touch pwn)]'; readonly -a 'z=([x]=1)'",
        "x='a[$(touch pwn)]'; a[x]=1; :",
        "x='a[$(touch pwn)]'; declare 'y[x]=1'",
        "x='a[$(touch pwn)]'; export -- 'z[x]=1'",
        "x='a[$(touch pwn)]'; printf -v 'y[x]' 1",
        "x='a[$(touch pwn)]'; test -v 'a[x]'",
        "x='a[$(touch pwn)]'; [ -v 'a[x]' ]",
        "x='a[$(touch pwn)]'; sleep 0 & wait -p 'y[x]' -n",
        "x='a[$(touch pwn)]'; sleep 0 & wait -np 'y[x]'",
        "x='a[$(touch pwn)]'; ((x)); :",
        "x='a[$(touch pwn)]'; let x",
        "x='a[$(touch pwn)]'; exec {x}>/dev/null",
        "read x <<'E'\na[$(touch pwn)]\nE\n(( x ))",
        "declare -n p=PS4; p='$(touch pwn)'; set -x; :",
        "printf -vPS4 '\\44(touch pwn)'; set -x; echo",
        "for PS4 in '$(touch pwn)'; do set -x; :; done",
        "declare -n c=BASH_CMDS; c[sleep]=/usr/bin/touch; sleep pwn",
        "printf -v 'BASH_CMDS[sleep]' /usr/bin/touch; sleep pwn",
        "declare 'BASH_CMDS[sleep]=/usr/bin/touch'; sleep pwn",
        "declare -n r=PATH; r=evil; sleep 0",
        "printf -vPATH evil; sleep 0",
        "PATH=evil sleep 0",
        "PATH=evil; sleep 0",
        "export PATH=evil; sleep 0",
        "set -- PATH=evil; export \"$1\"; sleep 0",
        "read -r PATH <<< evil; sleep 0",
        "set -k; sleep 0 PATH=evil",
        "compgen -C 'touch pwn #'",
        "compgen -W '$(touch pwn)'",
        "bash <<< 'touch pwn'",
        "bash <<A\ntouch pwn\nA",
        "bash <<'A'\ntouch pwn\nA",
        "bash <<-A\n\ttouch pwn\n\tA",
        "bash -s <<< 'touch pwn'",
        "bash /dev/stdin <<< 'touch pwn'",
        "bash - <<< 'touch pwn'",
        "echo touch pwn | bash",
        "printf 'touch %s' pwn | sh -s x",
        "{ bash; } <<< 'touch pwn'",
        "exec <<< 'touch pwn'; bash",
        "env bash <<< 'touch pwn'",
        "bash <<< 'bash <<< \"touch pwn\"'",
        "bash <<< : <<< 'touch pwn'",
        "echo touch pwn | bash 3<<< :",
        "echo touch pwn | bash {x}<<< :",
        "echo touch pwn | bash 0<<< :",
        "//usr/bin/env touch pwn",
        "/usr//bin/sh -c 'touch pwn'",
        "git -c alias.p='!touch pwn' p",
        "[[ a ]] && touch pwn",
        "touch pwn",
        "echo a > pwn",
        "f() { touch pwn; }; f",
        "x=touch; $x pwn",
        "trap 'touch pwn' EXIT",
    ];

    #[test]
    fn executed_commands_are_reported_or_unresolved() {
        let test_directory = TestDirectory::new();
        let failures: Vec<String> =
            EVASIVE_SCRIPTS.iter().filter_map(|script| verdict(&test_directory, script).err()).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    /// Everyday scripts that a rule can allow: the reader resolves all of them.
    #[test]
    fn everyday_scripts_are_resolved() {
        for script in [
            "cd x && npm test",
            "FOO=bar cmd",
            "printf '%s\\n' x",
            "[ -f x ]",
            "[ -f x ] && [ 1 -eq 1 ]",
            "[[ a == b && -f x ]]",
            "set -euo pipefail",
            "set -e; make",
            "export FOO=bar",
            "f() { local x=1; echo x; }; f",
            "i=1; name='a b'",
            "CI=1 RUST_BACKTRACE=1 cargo test",
            "LC_ALL=C TZ=Europe/Berlin date",
            "cat data.json | python3 -m json.tool",
            "cat data.json | python3 -mjson.tool",
            "cat data.json | python3 -u script.py",
            "python3 script.py < in.txt",
            "python3 --version; node --version",
            "perl -ne print < x",
            "cat <<'E' > out\ntext\nE",
            "bash <<'E'\ngit status\nE",
            "git -C sub -c color.ui=always log -3",
            "git config --get user.name",
            "wait; jobs -l; exit 1",
            "while read -r line; do make; done < list",
            "psql -c 'select 1' < data",
            "node script.js | sort",
        ] {
            let reading = read(script, Utf8Path::new("/w"));
            assert!(reading.unresolved.is_empty(), "{script}: {:?}", reading.unresolved);
        }
    }

    const ASSIGNMENTS: &[&str] = &[
        "x='a[$(touch pwn)]'",
        "x=a; x+='[$(touch pwn)]'",
        "y='a[$(touch pwn)]'; x=\"$y\"",
        "x=\"a\"$'\\x5b''$(touch pwn)]'",
        "printf -v x %s 'a[$(touch pwn)]'",
        "read -r x <<'E'\na[$(touch pwn)]\nE\n:",
        "for x in 'a[$(touch pwn)]'; do :; done",
        "declare x='a[$(touch pwn)]'",
        "export x='a[`touch pwn`]'",
        "set -- 'a[$(touch pwn)]'; x=$1",
        "x=1",
    ];

    const EVALUATIONS: &[&str] = &[
        "[[ x -eq 0 ]]",
        "[[ 1 -ne x ]]",
        "[[ b || x -ge 1 ]]",
        "[[ -v x ]]",
        "[[ -t x ]]",
        "[[ x ]]",
        "[[ x == y ]]",
        "[ x -eq 0 ]",
        "test x -lt 1",
        "test -n x",
        "((x))",
        "(( x + 1 ))",
        "( (x) )",
        "let y=x",
        "echo $((x))",
        "echo ${z[x]}",
        "echo ${x:x}",
        "declare -i y=x",
        "local y=x",
        "declare y=x",
        "y=x",
        "y[x]=1",
        "y=([x]=1)",
        "printf %d x",
        "printf -v y %s x",
        "printf x",
        "shift x",
        "exit x",
        "return x",
        "break x",
        "sleep x",
        "umask x",
        "wait x",
        "jobs x",
        "cd x",
        "echo x",
        "type x",
        "read x < /dev/null",
        "unset x",
        "ulimit -n x",
        "kill -0 x",
        "echo touch pwn",
        ": pwn",
        "touch pwn",
        "echo > pwn",
        "exec 3>&x",
        "set x",
        "pwd x",
        "times x",
        "export x",
    ];

    const FRAMES: &[&str] = &[
        "@; #",
        "@ && #",
        "@\n#",
        "@ || :; { #; }",
        "@; ( # )",
        "@; if :; then #; fi",
        "f() { @; #; }; f",
        "@; ! #",
        "@; # | :",
        "@; : || #",
        "@; # &\nwait",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1, ..ProptestConfig::default() })]
        /// Random scripts. `--no-capture` shows how they were judged.
        #[test]
        fn random_scripts_are_reported_or_unresolved(choices in proptest::collection::vec(
            (proptest::sample::select(ASSIGNMENTS), proptest::sample::select(EVALUATIONS), proptest::sample::select(FRAMES)), 150))
        {
            let test_directory = TestDirectory::new();
            let verdicts: Mutex<BTreeMap<&str, usize>> = Mutex::default();
            for (setter, evaluation, frame) in choices {
                let script = frame.replace('@', setter).replace('#', evaluation);
                let verdict = verdict(&test_directory, &script);
                prop_assert!(verdict.is_ok(), "{verdict:?}");
                *verdicts.lock().unwrap().entry(verdict.unwrap()).or_default() += 1;
            }
            println!("{:?}", verdicts.lock().unwrap());
        }
    }
}
