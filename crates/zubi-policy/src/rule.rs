//! One rule: the tools to which it applies, the parts of a call that it matches, and its action. A rule is invalid if
//! any of its fields is not understood or one of its examples fails.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zubi_base::escape::is_printed;

use super::PolicyPaths;
use super::command_words::CommandPaths;
use super::part::Access;
use super::pattern::{self, CommandPattern, Paths, WordPattern};
use super::protected_words::ProtectedWord;
use crate::filter::{self, ToolFilter};
use crate::spec::Effect;

/// The action of a rule. Stricter actions are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Allow,
    Ask,
    Deny,
}

/// The text of a rule: a `[[policy]]` table. Without `command`, `read`, `write`, `hosts` and `secrets` the rule applies
/// to whole calls, otherwise to these parts of calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleText {
    pub action: Action,
    /// Filter for the tools to which the rule applies; see [`filter`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Effect of the calls to which the rule applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Patterns for the words of one command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Globs of paths that a call reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// `host:port` or `host`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Names of secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Shown in the approval prompt and to the caller of a denied call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Examples::is_empty")]
    pub examples: Examples,
}

/// The words of a command that a rule covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandCoverage {
    All,
    /// All but this one, which is the first that the rule's `*` does not cover.
    AllBut(String),
}

impl RuleText {
    /// Creates a rule that allows calls of one tool. The caller can narrow it.
    pub fn allow_tool(tool: &str) -> Self {
        Self {
            action: Action::Allow,
            tools: vec![tool.to_owned()],
            effect: None,
            command: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
            hosts: Vec::new(),
            secrets: Vec::new(),
            reason: None,
            examples: Examples::default(),
        }
    }

    /// Formats the rule as in a configuration file.
    pub fn to_toml(&self) -> String {
        let action = match self.action {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        };
        let mut lines = vec!["[[policy]]".to_owned(), format!("action = \"{action}\"")];
        lines.extend(self.lists());
        lines.join("\n")
    }

    /// Formats an `allow` rule as an argument of `--auto-approve`: `TOOL`, `TOOL:COMMAND WORDS`, or its lists in braces
    /// if the short forms are not sufficient. Rules from approvals have no other fields.
    pub fn to_argument(&self) -> String {
        let is_plain = |word: &String| !word.is_empty() && !word.contains(|c: char| c == ' ' || !is_printed(c));
        let others = [&self.read, &self.write, &self.hosts, &self.secrets];
        match self.tools.as_slice() {
            [tool]
                if is_plain(tool)
                    && !tool.starts_with('{')
                    && !tool.contains(':')
                    && others.into_iter().all(Vec::is_empty)
                    && self.command.iter().all(is_plain) =>
            {
                if self.command.is_empty() {
                    tool.clone()
                } else {
                    format!("{tool}:{}", self.command.join(" "))
                }
            }
            _ => format!("{{{}}}", self.lists().collect::<Vec<_>>().join(", ")),
        }
    }

    /// Returns the rule's non-empty lists as TOML.
    fn lists(&self) -> impl Iterator<Item = String> {
        let lists = [
            ("tools", &self.tools),
            ("command", &self.command),
            ("read", &self.read),
            ("write", &self.write),
            ("hosts", &self.hosts),
            ("secrets", &self.secrets),
        ];
        lists.into_iter().filter(|(_, items)| !items.is_empty()).map(|(name, items)| {
            let items: Vec<String> = items.iter().map(|item| toml_string(item)).collect();
            format!("{name} = [{}]", items.join(", "))
        })
    }
}

/// Formats a TOML basic string in which every character is visible; others could be lost or changed when a person
/// copies the text.
fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if !is_printed(c) && u32::from(c) > 0xFFFF => quoted.extend(format!("\\U{:08X}", u32::from(c)).chars()),
            c if !is_printed(c) => quoted.extend(format!("\\u{:04X}", u32::from(c)).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Example scripts that test a command pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Examples {
    /// Scripts of which the rule must match every command.
    #[serde(rename = "match")]
    pub matching: Vec<String>,
    /// Scripts of which the rule must match no command.
    pub no_match: Vec<String>,
}

impl Examples {
    fn is_empty(&self) -> bool {
        self.matching.is_empty() && self.no_match.is_empty()
    }
}

/// A rule that is ready to use.
#[derive(Debug, Clone)]
pub struct CompiledRule {
    pub text: RuleText,
    /// The source of the rule: `` `…/zubi.toml`:12 ``, "this session".
    pub source: String,
    tools: ToolFilter,
    command: Option<CommandPattern>,
    read: Paths,
    write: Paths,
    secrets: Vec<WordPattern>,
    root: Option<Utf8PathBuf>,
}

impl CompiledRule {
    /// Reads a rule. The error says what is wrong with the rule, and gives its source.
    pub fn read(value: &Value, source: &str, policy_paths: &PolicyPaths) -> Result<Self, String> {
        let text: RuleText =
            serde_path_to_error::deserialize(value.clone()).map_err(|error| match error.path().to_string() {
                path if path == "." => format!("{source}: {}", error.inner()),
                path => format!("{source}: `{path}`: {}", error.inner()),
            })?;
        Self::new(text, source, policy_paths).map_err(|reason| format!("{source}: {reason}"))
    }

    pub fn new(text: RuleText, source: &str, policy_paths: &PolicyPaths) -> Result<Self, String> {
        // A filter ignores blank names, and a filter that excludes no existing tool permits every tool.
        let is_invalid_tool_name = |name: &&String| {
            let (_, name) = filter::read(name);
            name.is_empty() || name.contains(|c: char| matches!(c, '!' | ' ') || !is_printed(c))
        };
        if let Some(name) = text.tools.iter().find(is_invalid_tool_name) {
            return Err(format!("`tools`: {name:?} names no tool"));
        }
        let paths = |patterns: &[String]| Paths::new(patterns, &policy_paths.roots, policy_paths.home.as_deref());
        let rule = Self {
            source: source.to_owned(),
            tools: ToolFilter::new(text.tools.iter().map(String::as_str)),
            command: if text.command.is_empty() { None } else { Some(CommandPattern::new(&text.command)?) },
            read: paths(&text.read)?,
            write: paths(&text.write)?,
            secrets: text.secrets.iter().map(|name| WordPattern::new(name)).collect(),
            root: policy_paths.roots.first().cloned(),
            text,
        };
        if rule.is_for_calls() && rule.text.tools.is_empty() && rule.text.effect.is_none() {
            return Err(
                "the rule names nothing: `tools`, `effect`, `command`, `read`, `write`, `hosts` or `secrets`".into()
            );
        }
        rule.check_examples()?;
        Ok(rule)
    }

    /// Returns whether the rule applies to whole calls instead of parts of them.
    pub fn is_for_calls(&self) -> bool {
        let text = &self.text;
        text.command.is_empty() && [&text.read, &text.write, &text.hosts, &text.secrets].into_iter().all(Vec::is_empty)
    }

    /// Returns whether the rule applies to calls of a tool with this effect.
    pub(super) fn applies_to_effect(&self, tool: &str, effect: Effect) -> bool {
        (self.text.tools.is_empty() || self.tools.permits(tool))
            && self.text.effect.is_none_or(|required| required == effect)
    }

    /// Returns whether the rule contains the id of the tool itself, not only a pattern or prefix that matches it.
    pub(super) fn names(&self, tool: &str) -> bool {
        self.tools.names(tool)
    }

    /// Returns whether the rule matches a part.
    pub(super) fn matches(&self, part: &Access, directory: Option<&Utf8Path>) -> bool {
        match part {
            Access::Command(argv) => self.matches_command(argv, directory),
            Access::Read(path) => self.read.matches(path),
            Access::MayRead(path) => match self.text.action {
                Action::Allow => self.read.matches(path),
                Action::Ask | Action::Deny => self.read.may_match(path, false),
            },
            Access::Write(path) => self.write.matches(path),
            Access::Host(host) => self.text.hosts.iter().any(|pattern| match self.text.action {
                Action::Allow => pattern::host_matches(pattern, host),
                // A call that may reach any host may reach this one.
                Action::Ask | Action::Deny => pattern::host_may_match(pattern, host),
            }),
            Access::Secret(name) => self.secrets.iter().any(|word| word.matches(name)),
            // The caller has checked with [`Rule::names`] that the rule names the tool, which is the only condition
            // here.
            Access::Call => self.text.action == Action::Allow,
            Access::Effect(_) | Access::Unresolved(_) | Access::Mentions(_) => false,
        }
    }

    /// Returns whether an `ask` or `deny` rule has path patterns and one may match a path that a command names.
    pub(super) fn may_match(&self, named: &CommandPaths) -> bool {
        let is_affected = |paths: &Paths| {
            !paths.is_empty() && named.paths.iter().any(|path| paths.may_match(path, named.include_parents))
        };
        is_affected(&self.read) || (!named.only_reads && is_affected(&self.write))
    }

    /// Returns whether the rule is about reading some paths.
    pub(super) fn has_read_paths(&self) -> bool {
        !self.read.is_empty()
    }

    /// Returns whether the rule is about reading this path.
    pub fn reads(&self, path: &Utf8Path) -> bool {
        self.read.matches(path)
    }

    /// Returns whether the rule may be about files below a directory whose names do not say that they contain credentials.
    pub(super) fn reads_below(&self, directory: &Utf8Path) -> bool {
        self.read.may_match_below(directory)
    }

    /// Returns whether the rule has path patterns.
    pub(super) fn has_paths(&self) -> bool {
        !self.read.is_empty() || !self.write.is_empty()
    }

    /// Returns whether the rule has a command pattern.
    pub(super) fn has_command(&self) -> bool {
        self.command.is_some()
    }

    pub(super) fn matches_command(&self, argv: &[String], directory: Option<&Utf8Path>) -> bool {
        let root = self.root.as_deref();
        let argv = &*pattern::without_toolchain(argv);
        self.command.as_ref().is_some_and(|command| match self.text.action {
            Action::Allow => command.matches_exactly(argv, directory, root),
            Action::Ask | Action::Deny => command.matches_loosely(argv, directory, root),
        })
    }

    /// Returns whether the rule has these words of a command literally.
    pub(super) fn spells_out(&self, part: &Access, words: &[ProtectedWord]) -> bool {
        let Access::Command(argv) = part else { return true };
        words.is_empty()
            || self
                .command
                .as_ref()
                .is_some_and(|command| words.iter().all(|word| command.has_literal(argv, word.index)))
    }

    /// Returns how far the rule covers a command; `None` if its pattern does not match the command.
    pub(super) fn coverage(&self, argv: &[String], directory: Option<&Utf8Path>) -> Option<CommandCoverage> {
        let command = self.command.as_ref()?;
        let root = self.root.as_deref();
        let argv = &*pattern::without_toolchain(argv);
        if !command.has_words(argv, directory, root) {
            return None;
        }
        Some(match command.find_uncovered(argv) {
            Some(index) => CommandCoverage::AllBut(argv.get(index).cloned().unwrap_or_else(|| argv.join(" "))),
            None => CommandCoverage::All,
        })
    }

    fn check_examples(&self) -> Result<(), String> {
        let examples = &self.text.examples;
        if !examples.is_empty() && self.command.is_none() {
            return Err("`examples` are for rules with a `command`".to_owned());
        }
        let directory = self.root.clone().unwrap_or_else(|| "/".into());
        let texts = |texts: &[String], expected: bool| {
            for text in texts {
                let commands = crate::shell::read(text, &directory).commands;
                let other = commands.iter().find(|argv| self.matches_command(argv, Some(&directory)) != expected);
                if let Some(argv) = other {
                    let relation = if expected { "does not mean" } else { "means" };
                    return Err(format!("the example `{text}` fails: the rule {relation} `{}`", argv.join(" ")));
                }
                if commands.is_empty() {
                    return Err(format!("the example `{text}` has no command"));
                }
            }
            Ok(())
        };
        texts(&examples.matching, true)?;
        texts(&examples.no_match, false)
    }
}
