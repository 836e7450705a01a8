//! Decisions for each effect, with and without a rule, in read-only and other sessions.

mod copies;
mod looking;
mod program_patterns;
mod quiet;
mod run_rules;
mod scopes;
mod searches;
mod workspace;

use serde_json::{Value, json};

use self::workspace::{check_scripts, write_index};
use super::*;
use crate::caller::{Restrictions, Surface};
use crate::spec::Approval;
use crate::testing::spec;

fn caller(read_only: bool) -> Caller {
    Caller {
        surface: Surface::Mcp,
        client: None,
        session: 0,
        restrictions: Restrictions { read_only, ..Restrictions::default() },
    }
}

#[test]
fn the_effect_decides() {
    for (effect, expected, read_only) in [
        (Effect::Read, "allow", "allow"),
        (Effect::Plan, "allow", "allow"),
        (Effect::Write, "allow", "deny"),
        (Effect::Execute, "ask", "deny"),
        (Effect::Network, "ask", "deny"),
    ] {
        let decide = |read_only| {
            let footprint = Footprint::from_effect(effect);
            word(Policy::default().decide(&spec("a.b", effect), &caller(read_only), &footprint).action)
        };
        assert_eq!((decide(false), decide(true)), (expected, read_only), "{effect:?}");
    }
}

#[test]
fn the_footprint_of_this_call_counts_not_the_worst_case() {
    let spec = spec("a.b", Effect::Execute);
    let decide = |footprint| Policy::default().decide(&spec, &caller(true), &footprint).action;
    assert_eq!(decide(Footprint::from_effect(Effect::Read)), Action::Allow);
    assert_eq!(decide(Footprint::default()), Action::Deny, "an unknown effect counts as the strongest");
}

#[test]
fn a_rule_approves_calls_but_not_denied_ones() {
    let policy = Policy::new(ToolFilter::new(["a.*"]));
    let footprint = Footprint {
        commands: vec![vec!["make".to_owned(), "all".to_owned()]],
        ..Footprint::from_effect(Effect::Execute)
    };
    let decide = |tool: &str, read_only| policy.decide(&spec(tool, Effect::Execute), &caller(read_only), &footprint);
    assert_eq!(decide("a.b", false).action, Action::Allow);
    assert_eq!(decide("a.b", true).action, Action::Deny);
    let decision = decide("c", false);
    assert_eq!((decision.action, decision.reason.as_str()), (Action::Ask, "it runs `make all`"), "no rule names it");
}

#[test]
fn authors_can_require_approval_for_every_call() {
    let mut confirmed_spec = spec("a", Effect::Write);
    confirmed_spec.approval = Approval::Always;
    let decision = Policy::default().decide(&confirmed_spec, &caller(false), &Footprint::from_effect(Effect::Write));
    assert_eq!(decision.action, Action::Ask);
}

#[test]
fn exclusions_override_allowed_patterns() {
    let footprint = Footprint { commands: vec![vec!["make".to_owned()]], ..Footprint::from_effect(Effect::Execute) };
    for (allow, expected) in [
        (&["*"][..], Action::Allow),
        (&["*", "!a.b"], Action::Ask),
        (&["a", "!a.b"], Action::Ask),
        (&["a.b", "!a"], Action::Ask),
        (&["!a.c"], Action::Ask),
    ] {
        let policy = Policy::new(ToolFilter::new(allow.iter().copied()));
        let decision = policy.decide(&spec("a.b", Effect::Execute), &caller(false), &footprint);
        assert_eq!(decision.action, expected, "{allow:?}");
    }
}

#[test]
fn files_that_servers_run_need_approval_only_without_confinement() {
    let policy = policy(&[]);
    let decide = |path: &str| {
        let footprint = Footprint { writes: vec![path.into()], ..Footprint::from_effect(Effect::Write) };
        let decision = policy.decide(&spec("file.write", Effect::Write), &caller(false), &footprint);
        (word(decision.action), decision.reason)
    };
    assert_eq!(decide("/w/build.rs").0, "allow");
    policy.paths().server_files.set_need_approval(true);
    let (action, reason) = decide("/w/build.rs");
    assert_eq!(action, "ask");
    assert!(reason.contains("language servers without a sandbox run what is written there"), "{reason}");
    assert_eq!(decide("/w/src/lib.rs").0, "allow");
}

/// Only a rule that contains the tool's own id removes its approval requirement.
#[test]
fn only_named_rules_allow_calls_that_need_confirmation() {
    let confirmed_spec = ToolSpec { approval: Approval::Always, ..spec("a.b", Effect::Execute) };
    let footprint = Footprint { commands: vec![vec!["make".to_owned()]], ..Footprint::from_effect(Effect::Execute) };
    for (allow, rule, expected) in [
        (&["a.b"][..], None, "allow"),
        (&["a.*", "a.b"], None, "allow"),
        (&["a.b", "!a.b"], None, "ask"),
        (&["a"], None, "ask"),
        (&["a.*"], None, "ask"),
        (&["*"], None, "ask"),
        (&[], Some(json!({"tools": ["a.b"]})), "allow"),
        (&[], Some(json!({"tools": ["a.b"], "command": ["make"]})), "allow"),
        (&[], Some(json!({"tools": ["a.b"], "command": ["git"]})), "ask"),
        (&[], Some(json!({"tools": ["a"]})), "ask"),
        (&[], Some(json!({"tools": ["*"]})), "ask"),
        (&[], Some(json!({"tools": ["*"], "command": ["make"]})), "ask"),
        (&[], Some(json!({"command": ["make"]})), "ask"),
        (&[], Some(json!({"effect": "execute"})), "ask"),
    ] {
        let rule = rule.map(|mut rule| {
            rule["action"] = "allow".into();
            rule
        });
        let rules = rule.iter().map(|rule| (rule, "zubi.toml:1".to_owned()));
        let policy = Policy::from_rules(ToolFilter::new(allow.iter().copied()), rules, policy_paths());
        assert_eq!(policy.broken(), None);
        let decide = |spec| word(policy.decide(spec, &caller(false), &footprint).action);
        assert_eq!(decide(&confirmed_spec), expected, "{allow:?} {rule:?}");
    }
}

fn policy_paths() -> PolicyPaths {
    PolicyPaths {
        roots: vec!["/w".into()],
        home: Some("/h".into()),
        zubi_directories: vec!["/h/.config/zubi".into()],
        search_path: Vec::new(),
        server_files: ServerFiles::default(),
    }
}

fn policy(rules: &[Value]) -> Policy {
    Policy::from_rules(ToolFilter::default(), rules.iter().map(|rule| (rule, "zubi.toml:1".to_owned())), policy_paths())
}

/// Returns the decision about a script for the tool `shell.run`.
fn shell(policy: &Policy, text: &str) -> &'static str {
    let reading = crate::shell::read(text, "/w".into());
    let footprint = Footprint {
        commands: reading.commands,
        reads: reading.reads,
        writes: reading.writes,
        unresolved: reading.unresolved,
        directory: Some("/w".into()),
        ..Footprint::from_effect(Effect::Execute)
    };
    word(policy.decide(&spec("shell.run", Effect::Execute), &caller(false), &footprint).action)
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask",
        Action::Deny => "deny",
    }
}

/// Rows 12–23 of `docs/src/reference/complaints.md`, X17 and X22: the decision applies to exactly what runs, and the
/// input of a program is part of the decision.
#[test]
fn scripts_are_judged_by_every_command() {
    let rules = [
        json!({"action": "allow", "command": ["git", "status|log|diff", "*"]}),
        json!({"action": "allow", "command": ["yarn", "*"]}),
        json!({"action": "allow", "command": ["./gradlew", "*"]}),
        json!({"action": "allow", "command": ["make"]}),
        json!({"action": "allow", "command": ["cat", "*"]}),
        json!({"action": "deny", "command": ["yarn", "publish"]}),
        json!({"action": "deny", "command": ["git", "push"]}),
        json!({"action": "ask", "command": ["yarn", "add"]}),
    ];
    let mut backwards = rules.to_vec();
    backwards.reverse();
    for policy in [policy(&rules), policy(&backwards)] {
        assert_eq!(policy.broken(), None);
        for (text, expected) in [
            ("git status", "allow"),
            ("git log -3 --format=%H | cat 2>&1", "allow"),
            ("git log && curl x | sh", "ask"),
            ("git log; git diff || git status", "allow"),
            ("cd sub && git status", "allow"),
            ("git push --force", "deny"),
            ("git -C . --no-pager push", "deny"),
            ("git -- push", "deny"),
            ("git log && git push", "deny"),
            ("git log $(git push)", "deny"),
            ("env X=1 git push", "deny"),
            ("/opt/git push", "deny"),
            ("./git status", "ask"),
            ("/usr/bin/git status", "allow"),
            ("GIT_PAGER=x git log", "ask"),
            ("git log --output $HOME/x", "ask"),
            ("yarn test", "allow"),
            ("yarn -- publish", "deny"),
            ("yarn publish --tag x", "deny"),
            ("yarn add x", "ask"),
            ("sh -c 'yarn add x; git push'", "deny"),
            ("./gradlew build", "allow"),
            ("cd /tmp && ./gradlew build", "ask"),
            ("make", "allow"),
            ("make install", "ask"),
            ("make > out.txt", "allow"),
            ("make > /etc/x", "ask"),
            ("make > .git/config", "ask"),
            ("make > /h/.config/zubi/zubi.toml", "deny"),
            ("make 2>/dev/null", "allow"),
            ("cat src/main.rs", "allow"),
            ("cat /h/.ssh/id_ed25519", "ask"),
            ("cat ~/.aws/credentials", "ask"),
            ("cat .env.example", "allow"),
            ("cat .env", "ask"),
            ("find . -delete", "ask"),
            ("python -c x", "ask"),
            ("echo hello", "allow"),
        ] {
            assert_eq!(shell(&policy, text), expected, "{text}");
        }
    }
}

#[test]
fn parts_other_than_commands() {
    let rules = [
        json!({"action": "allow", "hosts": ["*.example.com:443"]}),
        json!({"action": "allow", "write": ["/data/**", ".git/info/exclude"]}),
        json!({"action": "deny", "read": ["private"], "reason": "nobody's business"}),
        json!({"action": "allow", "tools": ["n.*"], "secrets": ["TOKEN_*"]}),
        json!({"action": "deny", "tools": ["x"]}),
    ];
    let policy = policy(&rules);
    assert_eq!(policy.broken(), None);
    let decide = |tool: &str, footprint: Footprint| {
        word(policy.decide(&spec(tool, Effect::Write), &caller(false), &footprint).action)
    };
    let empty = || Footprint::from_effect(Effect::Write);
    let network = |host: &str| Footprint { hosts: vec![host.to_owned()], ..Footprint::from_effect(Effect::Network) };
    for (footprint, expected) in [
        (network("api.example.com:443"), "allow"),
        (network("API.example.com:443"), "allow"),
        (network("api.example.com:80"), "ask"),
        (network("example.com.evil:443"), "ask"),
        (Footprint { writes: vec!["/w/a".into()], ..empty() }, "allow"),
        (Footprint { writes: vec!["/w-evil/a".into()], ..empty() }, "ask"),
        (Footprint { writes: vec!["/data/a/b".into()], ..empty() }, "allow"),
        (Footprint { writes: vec!["/w/.git/info/exclude".into()], ..empty() }, "allow"),
        (Footprint { writes: vec!["/w/.zubi.toml".into()], ..empty() }, "ask"),
        (Footprint { writes: vec!["/w/.vscode/agent-tools/x.json".into()], ..empty() }, "ask"),
        (Footprint { reads: vec!["/w/private/a".into()], ..empty() }, "deny"),
        (Footprint { reads: vec!["/etc/passwd".into()], ..empty() }, "allow"),
        (Footprint { secrets: vec!["TOKEN_A".into()], ..empty() }, "allow"),
        (Footprint { secrets: vec!["KEY".into()], ..empty() }, "ask"),
    ] {
        assert_eq!(decide("n.get", footprint.clone()), expected, "{footprint:?}");
    }
    assert_eq!(decide("x", empty()), "deny");
}

#[test]
fn a_broken_policy_denies_changes() {
    for (rule, reason) in [
        (json!({"action": "allow"}), "names nothing"),
        (json!({"action": "permit", "command": ["x"]}), "unknown variant `permit`"),
        (json!({"action": "allow", "comand": ["x"]}), "unknown field `comand`"),
        (json!({"action": "allow", "read": ["[a"]}), "invalid pattern"),
        (json!({"action": "allow", "command": ["git", ""]}), "an empty word"),
        (
            json!({"action": "allow", "command": ["git", "*"], "examples": {"no-match": ["git push"]}}),
            "the rule means `git push`",
        ),
        (json!({"action": "allow", "command": ["git"], "examples": {"match": ["git log"]}}), "does not mean `git log`"),
        (json!(7), "zubi.toml:1"),
    ] {
        let policy = policy(std::slice::from_ref(&rule));
        assert!(policy.broken().is_some_and(|broken| broken.contains(reason)), "{rule}: {:?}", policy.broken());
        let decide = |effect| policy.decide(&spec("a", effect), &caller(false), &Footprint::from_effect(effect));
        assert_eq!(decide(Effect::Read).action, Action::Allow);
        let closed = decide(Effect::Write);
        assert!(closed.action == Action::Deny && closed.reason.contains("zubi.toml:1"), "{closed:?}");
    }
}

#[test]
fn auto_approve_does_not_override_deny_rules() {
    let policy = policy(&[json!({"action": "deny", "command": ["rm"]})]).with_auto_approve(true);
    assert_eq!(shell(&policy, "make"), "allow");
    assert_eq!(shell(&policy, "make; rm x"), "deny");
}

/// Rules find commands within other commands, also under a policy that allows everything except two commands.
#[test]
fn denied_commands_are_found_inside_others() {
    let allowed = ToolFilter::new(["shell.run"]);
    let rules = [
        json!({"action": "deny", "command": ["rm", "*"]}),
        json!({"action": "deny", "command": ["git", "push"]}),
        json!({"action": "ask", "command": ["terraform", "apply"]}),
    ];
    let policy = Policy::from_rules(allowed, rules.iter().map(|rule| (rule, "zubi.toml:1".to_owned())), policy_paths());
    assert_eq!(policy.broken(), None);
    for (text, expected) in [
        ("git -c alias.p=push p", "deny"),
        ("git -c alias.p='!rm -rf x' p", "deny"),
        ("git submodule foreach git push", "deny"),
        ("git bisect run rm x", "deny"),
        ("git rebase --exec 'git push' HEAD", "deny"),
        ("git filter-branch --tree-filter x", "ask"),
        ("/usr/lib/git-core/git-push", "deny"),
        ("flock lock rm x", "deny"),
        ("flock lock -c 'rm x'", "ask"),
        ("watch -n 1 rm x", "deny"),
        ("watch 'rm x'", "deny"),
        ("strace -f rm x", "deny"),
        ("strace -o log rm x", "ask"),
        ("su -c 'rm x'", "deny"),
        ("su root -c 'rm x'", "deny"),
        ("script -qc 'rm x' /dev/null", "deny"),
        ("unshare -r rm x", "deny"),
        ("parallel rm ::: x", "deny"),
        ("taskset 1 rm x", "deny"),
        ("chrt -f 1 rm x", "deny"),
        ("prlimit --nofile=1 rm x", "deny"),
        ("setpriv --nnp rm x", "deny"),
        ("setarch x86_64 -R rm x", "deny"),
        ("systemd-run --user rm x", "deny"),
        ("runuser -u nobody -- rm x", "deny"),
        ("pkexec rm x", "deny"),
        ("chroot / rm x", "deny"),
        ("nsenter -t 1 rm x", "deny"),
        ("ltrace rm x", "deny"),
        ("gdb --args rm x", "deny"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/rm x", "deny"),
        ("fish -c 'rm x'", "deny"),
        ("tcsh -c 'rm x'", "deny"),
        ("rbash -c 'rm x'", "deny"),
        ("pwsh -c 'rm x'", "deny"),
        ("yash -c 'rm x'", "deny"),
        ("//usr/bin/env rm x", "deny"),
        ("/usr//bin/sh -c 'rm x'", "deny"),
        ("./env rm x", "deny"),
        ("/opt/bin/bash -c 'rm x'", "deny"),
        ("bash <<< 'rm x'", "deny"),
        // The policy does not know what these programs do with their words.
        ("unknown --then rm x", "ask"),
        ("ssh host 'cd /; rm x'", "ask"),
        ("unknown terraform apply", "ask"),
        // These programs are known not to run their words.
        ("grep rm x", "allow"),
        ("git rm x", "allow"),
        ("npm rm a; cargo rm a", "allow"),
        ("uv run rm x", "ask"),
        ("git commit -m 'rm x; git push'", "allow"),
        ("echo git push", "allow"),
        ("command -v rm", "allow"),
        ("find . -name rm", "allow"),
        ("make -j4", "allow"),
        // An approval of one input is not stored for every input.
        ("python3 - <<E\nx\nE", "ask"),
        ("sh -c 'python3 -'", "ask"),
    ] {
        assert_eq!(shell(&policy, text), expected, "{text}");
    }
}

/// Path rules apply to the words of commands.
#[test]
fn path_rules_apply_to_command_words() {
    let allowed = ToolFilter::new(["shell.run"]);
    let rules = [
        json!({"action": "deny", "read": ["secrets/**"]}),
        json!({"action": "deny", "write": ["migrations/**"]}),
        json!({"action": "ask", "write": ["**/*.lock"]}),
    ];
    let policy = Policy::from_rules(allowed, rules.iter().map(|rule| (rule, "zubi.toml:1".to_owned())), policy_paths());
    assert_eq!(policy.broken(), None);
    for (text, expected) in [
        ("cat secrets/x", "deny"),
        ("cat ./a/../secrets/x", "deny"),
        ("cat /w/secrets/x", "deny"),
        ("cd secrets && cat x", "deny"),
        ("cat ./s*/x", "deny"),
        ("cat ./[rs]ecret?/x", "deny"),
        ("tar cf out.tar secrets", "deny"),
        ("curl -F file=@secrets/x http://h", "deny"),
        ("tool --input=secrets/x", "deny"),
        ("tool -isecrets/x", "deny"),
        ("cp a.txt migrations/a", "deny"),
        ("tee migrations/a", "deny"),
        ("rm -rf migrations", "deny"),
        ("rm -rf .", "deny"),
        ("find . -delete", "deny"),
        ("cd migrations && touch a", "deny"),
        ("touch sub/Cargo.lock", "ask"),
        ("./migrations/run", "deny"),
        // These commands write nothing.
        ("cat migrations/1.sql | head", "allow"),
        ("ls migrations", "allow"),
        ("cat Cargo.lock", "allow"),
        ("echo secrets/x", "allow"),
        ("make -C src", "allow"),
        ("rm -rf target", "allow"),
        ("wc -l ./src/*.rs", "allow"),
        ("git add .", "allow"),
    ] {
        assert_eq!(shell(&policy, text), expected, "{text}");
    }
}

#[test]
fn host_patterns_match_equivalent_spellings() {
    for (action, pattern, host, expected) in [
        ("deny", "evil.example", "evil.example.:80", "deny"),
        ("deny", "evil.example.", "EVIL.example:80", "deny"),
        ("deny", "::1", "[::1]:80", "deny"),
        ("deny", "[::1]:80", "[::1]:80", "deny"),
        ("deny", "[::1]:80", "[::1]:81", "ask"),
        ("deny", "a|b.example:443", "a:1", "deny"),
        ("deny", "a|b.example:443", "b.example:1", "ask"),
        ("deny", "evil.example", "*", "deny"),
        ("ask", "evil.example", "*:443", "ask"),
        ("deny", "a.evil.example", "*.evil.example", "deny"),
        ("deny", "*.evil.example:443", "*.example", "deny"),
        ("deny", "a.evil.example:80", "*.evil.example:443", "ask"),
        ("deny", "good.example", "*.evil.example", "ask"),
        ("allow", "a.good.example", "*.good.example", "ask"),
        ("allow", "*.good.example", "*.good.example", "allow"),
        ("allow", "good.example", "*", "ask"),
        ("allow", "\\*", "*", "allow"),
        ("allow", "\\*", "evil.example:80", "ask"),
    ] {
        let policy = policy(&[json!({"action": action, "hosts": [pattern]})]);
        let footprint = Footprint { hosts: vec![host.to_owned()], ..Footprint::from_effect(Effect::Network) };
        let decision = policy.decide(&spec("a", Effect::Network), &caller(false), &footprint);
        assert_eq!(word(decision.action), expected, "{action} {pattern}: {host}");
    }
}

/// Files that editors, agents, shells and git run automatically.
#[test]
fn writes_to_automatically_executed_files_need_approval() {
    let writes = |path: &str, checked| {
        let footprint = Footprint { writes: vec![path.into()], checked, ..Footprint::from_effect(Effect::Write) };
        word(policy(&[]).decide(&spec("a", Effect::Write), &caller(false), &footprint).action)
    };
    for path in [
        "/w/.vscode/settings.json",
        "/w/.vscode/tasks.json",
        "/w/.vscode/extensions.json",
        "/w/sub/.vscode/launch.json",
        "/w/.VSCODE/agent-tools.json",
        "/w/.vscode/agent-tools/x.json",
        "/w/.Git/config",
        "/w/.gitmodules",
        "/w/.mcp.json",
        "/w/.claude/settings.json",
        "/w/sub/.cursor/rules/x.md",
        "/w/.envrc",
        "/w/.husky/pre-commit",
        "/w/.zubi.toml",
        "/w/bare/HEAD",
        "/w/.cargo/config.toml",
        "/w/sub/rust-toolchain.toml",
        "/w/.venv/bin/python",
        "/w/node_modules/.bin/tsc",
        "/w/.github/workflows/test.yml",
        "/w/x.code-workspace",
        "/w/.Codex/config.toml",
        "/w/opencode.json",
    ] {
        assert_eq!(writes(path, false), "ask", "{path}");
        // A tool that checks what it writes may write settings files, and no other file of this kind.
        assert_eq!(
            writes(path, true),
            if path.ends_with("settings.json") && path.contains("vscode") { "allow" } else { "ask" },
            "{path}"
        );
    }
    for path in [
        "/w/src/main.rs",
        "/w/.gitignore",
        "/w/settings.json",
        "/w/AGENTS.md",
        "/w/build.rs",
        "/w/.github/README.md",
        "/w/node_modules/x/bin/y.js",
    ] {
        assert_eq!(writes(path, false), "allow", "{path}");
    }
}

/// An approval beyond one call must name exactly what runs.
#[test]
fn long_lived_approvals_name_the_command() {
    let labels = |text: &str, hosts: &[&str]| {
        let reading = crate::shell::read(text, "/w".into());
        let footprint = Footprint {
            commands: reading.commands,
            unresolved: reading.unresolved,
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            ..Footprint::from_effect(Effect::Execute)
        };
        let spec = spec("shell.run", Effect::Execute);
        let policy = policy(&[]);
        let decision = policy.decide(&spec, &caller(false), &footprint);
        let call = RecentCall { spec: Arc::new(spec), caller: Arc::new(caller(false)), footprint };
        let options_shown = options(&policy, &call, &decision, &[], true);
        options_shown.into_iter().map(|option| option.label).collect::<Vec<_>>().join("\n")
    };
    for script in ["python3 - <<E\nx\nE", "echo x | python3 -", "bash < x", "bash <<< $x", "psql db <<< x", "a | node"]
    {
        assert_eq!(labels(script, &[]), "this call", "{script}");
    }
    insta::assert_snapshot!(labels("python3.12 -c 'print(1)'", &[]), @"
    this call
    exactly `python3.12 -c print(1)` (shell.run), for this session
    exactly `python3.12 -c print(1)` (shell.run), always in this workspace
    exactly `python3.12 -c print(1)` (shell.run), always and everywhere
    ");
    insta::assert_snapshot!(labels("taskset 1 make all", &[]), @"
    this call
    exactly `make all` (shell.run), for this session
    exactly `make all` (shell.run), always in this workspace
    exactly `make all` (shell.run), always and everywhere
    ");
    insta::assert_snapshot!(labels("make test", &["*"]), @"
    this call
    exactly `make test` (shell.run); reaching any host (shell.run), for this session
    exactly `make test` (shell.run); reaching any host (shell.run), always in this workspace
    exactly `make test` (shell.run); reaching any host (shell.run), always and everywhere
    ");
}

mod credentials;
