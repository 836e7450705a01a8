//! Rules of one run (`--auto-approve`) against the approvals that a policy requires.

use super::*;

/// Returns whether the rules of a run approve everything for which the policy with these `ask` rules requires approval.
fn approves_all(ask_rules: &[Value], allow_rules: &[Value], spec: &ToolSpec, footprint: &Footprint) -> bool {
    policy(ask_rules).remaining_after(&policy(allow_rules), spec, &caller(false), footprint).action == Action::Allow
}

fn commands_footprint(commands: &[&str]) -> Footprint {
    let argv = |command: &&str| command.split(' ').map(str::to_owned).collect();
    Footprint {
        commands: commands.iter().map(argv).collect(),
        directory: Some("/w".into()),
        ..Footprint::from_effect(Effect::Execute)
    }
}

fn write_footprint(path: &str) -> Footprint {
    Footprint { writes: vec![path.into()], ..Footprint::from_effect(Effect::Write) }
}

#[test]
fn every_part_needs_its_own_approval() {
    let (shell, file) = (spec("shell.run", Effect::Execute), spec("file.write", Effect::Write));
    let test = json!({"action": "allow", "tools": ["shell.run"], "command": ["cargo", "test", "*"]});
    let all = json!({"action": "allow", "tools": ["shell.run"]});
    let docs = json!({"action": "allow", "tools": ["file.write"], "write": ["docs/**"]});
    let writing = json!({"action": "allow", "tools": ["file.write"]});
    let ask_docs = json!({"action": "ask", "write": ["docs/**"]});
    let ask_git = json!({"action": "ask", "command": ["git", "push"]});
    let ask_every = json!({"action": "ask", "tools": ["file.write"]});
    let rm = json!({"action": "allow", "command": ["rm", "*"]});
    let deny = json!({"action": "deny", "command": ["cargo"]});
    let unresolved = Footprint { unresolved: vec!["`$(x)`".to_owned()], ..commands_footprint(&["cargo test"]) };
    for (ask_rules, approvals, spec, footprint, expected) in [
        (vec![], vec![&test], &shell, commands_footprint(&["cargo test --all"]), true),
        (vec![], vec![&test], &shell, commands_footprint(&["cargo test", "rm -rf x"]), false),
        (vec![], vec![&test], &shell, unresolved.clone(), false),
        (vec![], vec![&all], &shell, commands_footprint(&["rm -rf x"]), true),
        (vec![], vec![&all], &shell, unresolved, false),
        (vec![&deny], vec![&test], &shell, commands_footprint(&["cargo test"]), false),
        // A part that other rules already allow needs no further approval.
        (vec![&rm], vec![&test], &shell, commands_footprint(&["cargo test", "rm -rf x"]), true),
        // An `ask` rule is satisfied by an `allow` rule about the same thing.
        (vec![&ask_git], vec![&all], &shell, commands_footprint(&["git push"]), false),
        (vec![&ask_docs], vec![&docs], &file, write_footprint("/w/docs/a.md"), true),
        (vec![&ask_docs], vec![&test], &file, write_footprint("/w/docs/a.md"), false),
        (vec![&ask_docs], vec![&writing], &file, write_footprint("/w/docs/a.md"), false),
        (vec![&ask_every], vec![&writing], &file, write_footprint("/w/a"), true),
        (vec![&ask_every], vec![&docs], &file, write_footprint("/w/docs/a.md"), false),
    ] {
        let values = |rules: &[&Value]| rules.iter().map(|rule| (*rule).clone()).collect::<Vec<_>>();
        let (ask_rules, approvals) = (values(&ask_rules), values(&approvals));
        assert_eq!(
            approves_all(&ask_rules, &approvals, spec, &footprint),
            expected,
            "{ask_rules:?} {approvals:?} {footprint:?}"
        );
    }
}

#[test]
fn remaining_decision_lists_unapproved_parts() {
    let shell = spec("shell.run", Effect::Execute);
    let touch = json!({"action": "allow", "tools": ["shell.run"], "command": ["touch", "*"]});
    let ask_rm = json!({"action": "ask", "command": ["rm"], "reason": "it is gone then"});
    let ask_all = json!({"action": "ask", "tools": ["shell.run"]});
    let values = |rules: &[&Value]| rules.iter().map(|rule| (*rule).clone()).collect::<Vec<_>>();
    let remaining = |ask_rules: &[&Value], allow_rules: &[&Value]| {
        let footprint = commands_footprint(&["touch a", "rm b", "pwd"]);
        let remaining = policy(&values(ask_rules)).remaining_after(
            &policy(&values(allow_rules)),
            &shell,
            &caller(false),
            &footprint,
        );
        let unapproved: Vec<_> =
            remaining.parts.iter().filter(|part| part.action == Action::Ask).map(|part| &part.description).collect();
        format!("{:?} {} ({}) {unapproved:?}", remaining.action, remaining.reason, remaining.rule.unwrap_or_default())
    };
    let all = json!({"action": "allow", "tools": ["shell.run"]});
    let results = [
        remaining(&[], &[]),
        remaining(&[], &[&touch]),
        remaining(&[&ask_rm], &[&touch]),
        remaining(&[&ask_rm], &[&all]),
        remaining(&[&ask_all], &[&touch]),
        remaining(&[&ask_all], &[&all]),
    ];
    insta::assert_snapshot!(results.join("\n"), @r#"
    Ask it runs `touch a` () ["it runs `touch a`", "it runs `rm b`"]
    Ask it runs `rm b` () ["it runs `rm b`"]
    Ask it runs `rm b` (it is gone then) (zubi.toml:1) ["it runs `rm b`"]
    Ask it runs `rm b` (it is gone then) (zubi.toml:1) ["it runs `rm b`"]
    Ask it runs `rm b` (zubi.toml:1) ["it runs `rm b`"]
    Allow it runs `touch a` (zubi.toml:1) []
    "#);
}
