//! The rules that approvals and suggestions offer.

use super::*;

/// Returns the patterns of the rules that zubi offers for a script that needs approval: in the prompt, in the hints of
/// errors, and as suggestions.
fn find_patterns(script: &str) -> Vec<Vec<String>> {
    let reading = crate::shell::read(script, "/w".into());
    let footprint = Footprint {
        commands: reading.commands,
        unresolved: reading.unresolved,
        directory: Some("/w".into()),
        ..Footprint::from_effect(Effect::Execute)
    };
    let policy = policy(&[]);
    let spec = spec("shell.run", Effect::Execute);
    let decision = policy.decide(&spec, &caller(false), &footprint);
    let call = RecentCall { spec: Arc::new(spec), caller: Arc::new(caller(false)), footprint };
    let mut rules: Vec<_> =
        options(&policy, &call, &decision, &[], true).into_iter().flat_map(|option| option.rules).collect();
    rules.extend(suggest_auto_approve(&policy, &policy, &call, &decision).into_iter().flatten());
    let other = format!("{script} other");
    let suggestions = crate::suggestion::suggest_rules([script, other.as_str()], policy.paths());
    rules.extend(suggestions.into_iter().map(|suggestion| suggestion.rule));
    rules.into_iter().map(|rule| rule.command).filter(|words| words.last().is_none_or(|word| word != "other")).collect()
}

/// A rule with a star is offered only for programs and subcommands whose arguments the table lists. Otherwise, the rule has
/// exactly the words of the command.
#[test]
fn offered_rules_are_not_wider_than_the_table() {
    for script in [
        "iconv -f latin1 a",
        "uv run pytest",
        "uv pip install x",
        "cmake .",
        "tcpdump -i lo",
        "gpg --list-keys",
        "ffmpeg -i a b",
        "poetry run x",
        "bundle exec rake",
        "rustup run nightly x",
        "pandoc a.md",
        "cp a b",
        "npm version patch",
        "npm run build",
        "git commit -m x",
        "git push origin",
        "git -C sub log",
        "cargo run",
        "go run .",
        "mytool a",
        "./cat a",
        "sh a",
        "python3 a.py",
        "docker run x",
        "ssh h ls",
        "make test",
        "cp a .git/hooks/x",
    ] {
        let argv = crate::shell::read(script, "/w".into()).commands.remove(0);
        let patterns = find_patterns(script);
        assert!(!patterns.is_empty(), "{script}");
        assert!(patterns.iter().all(|words| *words == argv), "{script}: {patterns:?}");
    }
    for (script, expected) in [
        ("cargo test -p a", &["cargo", "test", "*"][..]),
        ("go test ./...", &["go", "test", "*"]),
        ("npm test", &["npm", "test", "*"]),
        ("git log -3", &["git", "log", "*"]),
        ("docker ps -a", &["docker", "ps", "*"]),
        ("zgrep -c x a", &["zgrep", "*"]),
        ("cat /etc/hosts", &["cat", "*"]),
    ] {
        let patterns = find_patterns(script);
        assert!(patterns.iter().any(|words| words == expected), "{script}: {patterns:?}");
    }
}
