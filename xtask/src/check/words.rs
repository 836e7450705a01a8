//! The project's words: refuses private words in names, comments, texts and documents, as STYLE.md describes them.
//!
//! `xtask/words.toml` lists the refused words and names, with replacements. `xtask/exceptions.toml` lists the files in
//! which one is right, each with its reason. An exception that matches nothing fails the check as well.

mod names;
mod text;

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use fancy_regex::Regex;
use serde::Deserialize;

use crate::paths;

/// `xtask/words.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// Words that are refused in comments, in string literals of more than one word, and in documents.
    word: Vec<Word>,
    /// Names that are refused in Rust code.
    names: names::RefusedNames,
}

/// A refused word or phrase.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    /// The name of the rule, for exceptions and messages.
    rule: String,
    /// A regular expression for a line of text without its code spans.
    pattern: String,
    /// Whether the pattern counts only at the beginning of a documentation comment.
    #[serde(default)]
    at_start: bool,
    /// Whether the pattern is case-sensitive.
    #[serde(default)]
    case: bool,
    /// The words to use instead.
    instead: String,
}

/// `xtask/exceptions.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exceptions {
    exception: Vec<Exception>,
}

/// An exception: files in which a refused word is right.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// A file, or a directory with everything in it, relative to the root.
    path: String,
    /// The name of the rule in `words.toml`, or `type`, `function` or `duplicate`.
    rule: String,
    /// The matched text or the name. Without it, the exception covers every match of the rule in these files.
    word: Option<String>,
    /// The reason for the exception.
    reason: String,
}

impl Exception {
    fn covers(&self, finding: &Finding) -> bool {
        let inside = finding.file.starts_with(&self.path);
        inside
            && self.rule == finding.rule
            && self.word.as_ref().is_none_or(|word| word.eq_ignore_ascii_case(&finding.word))
    }
}

/// A refused word or name in a file.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    file: Utf8PathBuf,
    /// 1-based.
    line: usize,
    rule: String,
    word: String,
    instead: String,
}

/// The compiled rules.
struct Rules {
    words: Vec<(Word, Regex)>,
    names: names::RefusedNames,
}

impl Rules {
    fn parse(text: &str) -> Result<Self> {
        let list: List = toml::from_str(text).context("xtask/words.toml is not valid")?;
        let compile = |word: Word| -> Result<(Word, Regex)> {
            let flags = if word.case { "" } else { "(?i)" };
            let start = if word.at_start { "^" } else { "" };
            let regex = Regex::new(&format!("{flags}{start}{}", word.pattern))
                .with_context(|| format!("the pattern of `{}`", word.rule))?;
            Ok((word, regex))
        };
        Ok(Self { words: list.word.into_iter().map(compile).collect::<Result<_>>()?, names: list.names })
    }

    /// The refused words in the prose of one file.
    fn find_words(&self, file: &Utf8Path, content: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        for line in text::prose(file, content) {
            let prose = text::without_code_spans(&line.text);
            for (word, regex) in &self.words {
                if word.at_start && !line.begins_documentation {
                    continue;
                }
                findings.extend(regex.find_iter(&prose).flatten().map(|found| Finding {
                    file: file.to_owned(),
                    line: line.number,
                    rule: word.rule.clone(),
                    word: found.as_str().trim().to_owned(),
                    instead: word.instead.clone(),
                }));
            }
        }
        findings
    }
}

/// Checks every given file (relative to the root). Prints all findings, grouped by file.
pub(super) fn check(files: &[Utf8PathBuf]) -> Result<String> {
    let read = |path: &Utf8Path| {
        std::fs::read_to_string(paths::ROOT.join(path)).with_context(|| format!("cannot read {path}"))
    };
    let rules = Rules::parse(&read("xtask/words.toml".into())?)?;
    let exceptions: Exceptions =
        toml::from_str(&read("xtask/exceptions.toml".into())?).context("xtask/exceptions.toml is not valid")?;
    let mut findings = Vec::new();
    let mut declared = names::DeclaredTypes::default();
    for file in files.iter().filter(|file| text::is_checked(file)) {
        let content = read(file)?;
        findings.extend(rules.find_words(file, &content));
        if file.extension() == Some("rs") {
            let declarations = names::declarations(&content);
            findings.extend(rules.names.find(file, &declarations));
            declared.add(file, &declarations);
        }
    }
    findings.extend(declared.duplicates());
    let problems = report(&findings, &exceptions.exception);
    if problems.is_empty() {
        Ok(format!("{} exceptions", exceptions.exception.len()))
    } else {
        bail!("{}\nSTYLE.md explains the rules", problems.join("\n"))
    }
}

/// Returns the findings that no exception covers, and the exceptions that cover nothing.
fn report(findings: &[Finding], exceptions: &[Exception]) -> Vec<String> {
    let mut used = BTreeSet::new();
    let mut problems = Vec::new();
    for finding in findings {
        let mut covered = false;
        for (index, _) in exceptions.iter().enumerate().filter(|(_, exception)| exception.covers(finding)) {
            used.insert(index);
            covered = true;
        }
        if !covered {
            let Finding { file, line, rule, word, instead } = finding;
            problems.push(format!("{file}:{line}: `{word}` ({rule}): {instead}"));
        }
    }
    for (index, exception) in exceptions.iter().enumerate() {
        let word = exception.word.as_deref().unwrap_or("*");
        if !used.contains(&index) {
            problems.push(format!(
                "xtask/exceptions.toml: {} `{word}` in {} matches nothing; remove it",
                exception.rule, exception.path
            ));
        }
        if exception.reason.trim().is_empty() {
            problems.push(format!("xtask/exceptions.toml: `{word}` in {} has an empty reason", exception.path));
        }
    }
    problems
}

#[cfg(test)]
mod tests;
