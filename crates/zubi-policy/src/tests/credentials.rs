//! Words of commands that name locations of credentials.

use std::fmt::Write as _;

use super::*;

#[test]
fn patterns_of_the_shell_may_become_credentials() {
    let policy = policy(&[json!({"action": "allow", "command": ["cat|sed|grep", "*"]})]);
    for (text, expected) in [
        ("cat .env", "ask"),
        ("cat ./.en*", "ask"),
        ("cat ./.e?v", "ask"),
        ("cat /w/.[e]nv", "ask"),
        ("cat /w/.[[:lower:]]nv", "ask"),
        ("cat /h/.s*/config", "ask"),
        ("cat /h/.conf*/g?/hosts.yml", "ask"),
        ("cat /h/.ssh/*", "ask"),
        ("cat ./id_*", "ask"),
        ("cat ./src/*.rs", "allow"),
        ("cat ./docs/[a-c]*.md", "allow"),
        ("grep '^a.*b$' x", "allow"),
    ] {
        assert_eq!(shell(&policy, text), expected, "{text}");
    }
}

/// An approval prompt names the files that are or may be read, or says that this cannot be determined. It offers a rule
/// if the rule is about one path.
#[test]
fn approval_prompts_name_credential_files() {
    let mut report = String::new();
    let policy = policy(&[json!({"action": "allow", "command": ["cat|python3|git|ls", "*"]})]);
    for text in [
        "cat src/*",
        "cat src/*.rs src/?ssh/*.rs",
        "cat ./.*",
        "cat ./[.]env",
        "shopt -s dotglob; cat ./*sh/x",
        "bash -O dotglob -c 'cat ./*sh/x'",
        "git grep x -- './*sh/x'",
        "cat ~/.ssh/id_rsa",
        "cat $HOME/.ssh/*",
        "cat \"$HOME/.ssh/id_rsa\"",
        "cat ~you/.ssh/id_rsa",
        "cat -- --file=@a/.env",
        "python3 -c \"print(open('/h/.ssh/id_rsa').read())\"",
        "git commit -m 'keep what is in /h/.aws/ out'",
        "cat '/h/my files/.env'",
    ] {
        let reading = crate::shell::read(text, "/w".into());
        let footprint = Footprint {
            commands: reading.commands,
            reads: reading.reads,
            unresolved: reading.unresolved,
            directory: Some("/w".into()),
            ..Footprint::from_effect(Effect::Execute)
        };
        let spec = spec("shell.run", Effect::Execute);
        let decision = policy.decide(&spec, &caller(false), &footprint);
        writeln!(report, "{text}").unwrap();
        let is_shown = |part_decision: &&PartDecision| {
            matches!(
                part_decision.part,
                Access::Read(_) | Access::MayRead(_) | Access::Mentions(_) | Access::Unresolved(_)
            )
        };
        for part_decision in decision.parts.iter().filter(is_shown) {
            let reason = part_decision.reason.as_deref().unwrap_or_default();
            writeln!(report, "    {}: {} ({reason})", word(part_decision.action), part_decision.description).unwrap();
        }
        if decision.action == Action::Allow {
            report.push_str("    allow\n");
            continue;
        }
        let call = RecentCall { spec: Arc::new(spec), caller: Arc::new(caller(false)), footprint };
        for option in options(&policy, &call, &decision, &[], false).iter().skip(1) {
            writeln!(report, "    offered: {}", option.label).unwrap();
        }
    }
    insta::assert_snapshot!(report, @r#"
    cat src/*
        ask: it may read /w/src/* (its matches may include credentials)
    cat src/*.rs src/?ssh/*.rs
        allow
    cat ./.*
        ask: it may read /w/.* (its matches may include credentials)
    cat ./[.]env
        ask: it may read /w/[.]env (its matches may include credentials)
    shopt -s dotglob; cat ./*sh/x
        ask: its effects cannot be determined: `shopt` changes what the script means (a rule never allows effects that cannot be determined)
        ask: it may read /w/*sh/x (its matches may include credentials)
    bash -O dotglob -c 'cat ./*sh/x'
        ask: its effects cannot be determined: `-O` changes what the script means (a rule never allows effects that cannot be determined)
        ask: it may read /w/*sh/x (its matches may include credentials)
    git grep x -- './*sh/x'
        ask: it may read /w/*sh/x (its matches may include credentials)
    cat ~/.ssh/id_rsa
        ask: it may read /h/.ssh/id_rsa (credentials are stored there)
        offered: reading /h/.ssh/id_rsa (shell.run), for this session
    cat $HOME/.ssh/*
        ask: its effects cannot be determined: `$HOME/.ssh/*` is worked out only when it runs (a rule never allows effects that cannot be determined)
        ask: it may read /h/.ssh/* (credentials are stored there)
    cat "$HOME/.ssh/id_rsa"
        ask: it may read /h/.ssh/id_rsa (credentials are stored there)
        offered: reading /h/.ssh/id_rsa (shell.run), for this session
    cat ~you/.ssh/id_rsa
        ask: it mentions a place of credentials: `~you/.ssh/id_rsa` (whether it reads the files there cannot be determined)
    cat -- --file=@a/.env
        ask: it may read /w/a/.env (credentials are stored there)
        offered: reading /w/a/.env (shell.run), for this session
    python3 -c "print(open('/h/.ssh/id_rsa').read())"
        ask: it mentions a place of credentials: `print(open('/h/.ssh/id_rsa').read())` (whether it reads the files there cannot be determined)
    git commit -m 'keep what is in /h/.aws/ out'
        ask: it mentions a place of credentials: `keep what is in /h/.aws/ out` (whether it reads the files there cannot be determined)
    cat '/h/my files/.env'
        ask: it may read /h/my files/.env (credentials are stored there)
        offered: reading /h/my files/.env (shell.run), for this session
    "#);
}
