//! Rules of one run (`--auto-approve`) against the questions of a policy.

use super::*;

/// Whether rules that a run was given approve everything that the policy with these `ask` rules requires approval for.
fn is_answered_by(asking: &[Value], allow_rules: &[Value], spec: &ToolSpec, footprint: &Footprint) -> bool {
    policy(asking).remaining_after(&policy(allow_rules), spec, &caller(false), footprint).action == Action::Allow
}

fn runs(commands: &[&str]) -> Footprint {
    let argv = |command: &&str| command.split(' ').map(str::to_owned).collect();
    Footprint {
        commands: commands.iter().map(argv).collect(),
        directory: Some("/w".into()),
        ..Footprint::of_effect(Effect::Execute)
    }
}

fn writes(path: &str) -> Footprint {
    Footprint { writes: vec![path.into()], ..Footprint::of_effect(Effect::Write) }
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
    let unresolved = Footprint { unresolved: vec!["`$(x)`".to_owned()], ..runs(&["cargo test"]) };
    for (asking, yes, spec, footprint, expected) in [
        (vec![], vec![&test], &shell, runs(&["cargo test --all"]), true),
        (vec![], vec![&test], &shell, runs(&["cargo test", "rm -rf x"]), false),
        (vec![], vec![&test], &shell, unresolved.clone(), false),
        (vec![], vec![&all], &shell, runs(&["rm -rf x"]), true),
        (vec![], vec![&all], &shell, unresolved, false),
        (vec![&deny], vec![&test], &shell, runs(&["cargo test"]), false),
        // A part that other rules already allow needs no further approval.
        (vec![&rm], vec![&test], &shell, runs(&["cargo test", "rm -rf x"]), true),
        // An `ask` rule is satisfied by an `allow` rule about the same thing.
        (vec![&ask_git], vec![&all], &shell, runs(&["git push"]), false),
        (vec![&ask_docs], vec![&docs], &file, writes("/w/docs/a.md"), true),
        (vec![&ask_docs], vec![&test], &file, writes("/w/docs/a.md"), false),
        (vec![&ask_docs], vec![&writing], &file, writes("/w/docs/a.md"), false),
        (vec![&ask_every], vec![&writing], &file, writes("/w/a"), true),
        (vec![&ask_every], vec![&docs], &file, writes("/w/docs/a.md"), false),
    ] {
        let values = |rules: &[&Value]| rules.iter().map(|rule| (*rule).clone()).collect::<Vec<_>>();
        let (asking, yes) = (values(&asking), values(&yes));
        assert_eq!(is_answered_by(&asking, &yes, spec, &footprint), expected, "{asking:?} {yes:?} {footprint:?}");
    }
}

#[test]
fn remaining_decision_lists_unapproved_parts() {
    let shell = spec("shell.run", Effect::Execute);
    let touch = json!({"action": "allow", "tools": ["shell.run"], "command": ["touch", "*"]});
    let ask_rm = json!({"action": "ask", "command": ["rm"], "reason": "it is gone then"});
    let ask_all = json!({"action": "ask", "tools": ["shell.run"]});
    let values = |rules: &[&Value]| rules.iter().map(|rule| (*rule).clone()).collect::<Vec<_>>();
    let left = |asking: &[&Value], allow_rules: &[&Value]| {
        let footprint = runs(&["touch a", "rm b", "pwd"]);
        let left =
            policy(&values(asking)).remaining_after(&policy(&values(allow_rules)), &shell, &caller(false), &footprint);
        let unapproved: Vec<_> =
            left.parts.iter().filter(|part| part.action == Action::Ask).map(|part| &part.description).collect();
        format!("{:?} {} ({}) {unapproved:?}", left.action, left.reason, left.rule.unwrap_or_default())
    };
    let all = json!({"action": "allow", "tools": ["shell.run"]});
    let results = [
        left(&[], &[]),
        left(&[], &[&touch]),
        left(&[&ask_rm], &[&touch]),
        left(&[&ask_rm], &[&all]),
        left(&[&ask_all], &[&touch]),
        left(&[&ask_all], &[&all]),
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
