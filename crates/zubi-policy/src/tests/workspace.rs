//! Decisions about scripts in a workspace on the disk.

use super::*;

/// The policy of a workspace with these rules. Programs come from two folders of the system.
fn policy_of(root: &camino::Utf8Path, rules: &[Value]) -> Policy {
    let paths = PolicyPaths {
        roots: vec![root.to_owned()],
        home: Some("/h".into()),
        search_path: vec!["/usr/bin".into(), "/bin".into()],
        ..PolicyPaths::default()
    };
    let rules = rules.iter().map(|rule| (rule, "zubi.toml:1".to_owned()));
    let policy = Policy::from_rules(ToolFilter::default(), rules, paths);
    assert_eq!(policy.broken(), None);
    policy
}

/// Checks the decision about each script in a workspace.
pub(super) fn check_scripts(root: &camino::Utf8Path, rules: &[Value], scripts: &[&str], expected: &str) {
    let policy = policy_of(root, rules);
    let wrong: Vec<String> = scripts
        .iter()
        .filter_map(|text| {
            let reading = crate::shell::read(text, root);
            let footprint = Footprint {
                commands: reading.commands,
                reads: reading.reads,
                wrappers: reading.wrappers,
                writes: reading.writes,
                unresolved: reading.unresolved,
                directory: Some(root.to_owned()),
                is_git_hardened: true,
                ..Footprint::from_effect(Effect::Execute)
            };
            let decision = policy.decide(&spec("shell.run", Effect::Execute), &caller(false), &footprint);
            (word(decision.action) != expected)
                .then(|| format!("{text}: {} {}", word(decision.action), decision.reason))
        })
        .collect();
    assert!(wrong.is_empty(), "expected {expected}:\n{}", wrong.join("\n"));
}

/// Writes the index of a repository with these tracked files (git-scm.com/docs/index-format).
pub(super) fn write_index(root: &camino::Utf8Path, paths: &[&str]) {
    let mut bytes = [b"DIRC".as_slice(), &[0, 0, 0, 2], &[0, 0, 0, u8::try_from(paths.len()).unwrap()]].concat();
    for path in paths {
        let padding = 8 - (62 + path.len()) % 8;
        bytes.extend([vec![0; 62], path.as_bytes().to_vec(), vec![0; padding]].concat());
    }
    bytes.extend([7; 20]);
    zubi_base::fs::write_atomic(&root.join(".git/index"), &bytes).unwrap();
}
