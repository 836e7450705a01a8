//! Narrow rules for commands that a user has approved again and again.

use std::collections::BTreeMap;

use crate::approval;
use crate::footprint::Footprint;
use crate::rule::RuleText;
use crate::spec::Effect;
use crate::{PolicyPaths, looking, shell};

/// A rule that would have allowed commands that a user approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedRule {
    pub rule: RuleText,
    /// The number of approved commands that the rule allows.
    pub count: usize,
    /// Different commands among them, in the order of the log.
    pub commands: Vec<String>,
}

/// The number of different commands that a suggestion lists.
const MAX_LISTED: usize = 4;

/// Returns rules for the commands of approved scripts, most frequent first. A rule is exactly the command if it was always
/// the same, or if other arguments could run, load or write something. Scripts that cannot be determined are left out.
pub fn suggest_rules<'a>(scripts: impl IntoIterator<Item = &'a str>, paths: &PolicyPaths) -> Vec<SuggestedRule> {
    let directory = paths.roots.first().cloned().unwrap_or_else(|| "/".into());
    let mut groups: BTreeMap<Vec<String>, Vec<Vec<String>>> = BTreeMap::new();
    for script in scripts {
        let reading = shell::read(script, &directory);
        if !reading.unresolved.is_empty() {
            continue;
        }
        let footprint = Footprint {
            commands: reading.commands.clone(),
            reads: reading.reads,
            wrappers: reading.wrappers,
            directory: Some(directory.clone()),
            ..Footprint::from_effect(Effect::Execute)
        };
        for argv in reading.commands {
            let is_allowed = looking::is_harmless(&argv, &footprint, paths);
            if !is_allowed {
                groups.entry(approval::command(&argv, true)).or_default().push(argv);
            }
        }
    }
    let mut suggestions: Vec<SuggestedRule> = groups.into_values().map(|commands| suggest(&commands)).collect();
    suggestions.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.commands.cmp(&other.commands)));
    suggestions
}

fn suggest(commands: &[Vec<String>]) -> SuggestedRule {
    let mut different: Vec<&Vec<String>> = Vec::new();
    for argv in commands {
        if !different.contains(&argv) {
            different.push(argv);
        }
    }
    let first = different.first().map_or(&[][..], |argv| argv.as_slice());
    let command = approval::command(first, different.len() > 1);
    let rule = RuleText { command, ..RuleText::allow_tool("shell.run") };
    let commands_listed = different.iter().take(MAX_LISTED).map(|argv| argv.join(" ")).collect();
    SuggestedRule { rule, count: commands.len(), commands: commands_listed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scripts: &[&str], expected: &[(&[&str], usize)]) {
        let paths = PolicyPaths { roots: vec!["/w".into()], ..PolicyPaths::default() };
        let found = suggest_rules(scripts.iter().copied(), &paths);
        let found: Vec<(Vec<&str>, usize)> = found
            .iter()
            .map(|suggestion| (suggestion.rule.command.iter().map(String::as_str).collect(), suggestion.count))
            .collect();
        let expected: Vec<(Vec<&str>, usize)> =
            expected.iter().map(|(words, count)| (words.to_vec(), *count)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn rules_are_narrow() {
        check(
            &[
                "cargo test -p a",
                "cargo test --release && echo done",
                "make x",
                "make x",
                "make x",
                "./deploy.sh a",
                "./deploy.sh b",
            ],
            &[
                (&["make", "x"], 3),
                (&["cargo", "test", "*"], 2),
                (&["/w/deploy.sh", "a"], 1),
                (&["/w/deploy.sh", "b"], 1),
            ],
        );
        check(
            &["cargo test --config x", "sort -o a b", "git log -1 --output=x"],
            &[
                (&["cargo", "test", "--config", "x"], 1),
                (&["git", "log", "-1", "--output=x"], 1),
                (&["sort", "-o", "a", "b"], 1),
            ],
        );
        check(&["$x y", "ls -l", "cat a | head", "echo $(x)"], &[]);
    }
}
