//! The errors and warnings that a server reports about itself or its project, apart from the diagnostics of files.
//!
//! rust-analyzer has a status for them (`health`). Others write a message, or begin a progress that stays open as long
//! as the state lasts; a row of the catalogue lists these as [`HealthSign`]s.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The maximum length of a reason, in characters.
const MAX_REASON_CHARS: usize = 400;

/// The error or warning that a server reports about itself or the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// The server works, but something is missing: part of the standard library, a build script that failed.
    Warning(String),
    /// The server cannot work on the project.
    Error(String),
}

/// The way in which a server reports an error or a warning about itself or the project.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HealthSign {
    /// Parts of messages to the user or the log that report the state.
    #[serde(default)]
    pub messages: Vec<String>,
    /// The beginnings of the titles of progresses that stay open as long as the state lasts.
    #[serde(default)]
    pub titles: Vec<String>,
    /// Parts of messages that report the end of the state.
    #[serde(default)]
    pub ends: Vec<String>,
    /// Texts before the reason in a report; the last one that occurs counts. Without one, the whole report is the
    /// reason.
    #[serde(default)]
    pub reason_after: Vec<String>,
    #[serde(default)]
    pub level: HealthLevel,
    /// The effect of the state, as a clause before the reason: "the workspace could not be loaded".
    pub effect: String,
}

/// How a server that reports its state with `experimental/serverStatus` explains an error or a warning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusReason {
    /// Texts before the reason, in the status or in standard error; the last one that occurs counts.
    pub after: Vec<String>,
    /// A part of statuses that do not have the reason.
    pub unexplained: String,
    /// A part of the first line in standard error of the report that has the reason then.
    pub logged: String,
}

impl StatusReason {
    /// Returns the message of a status with its reason, as one line. `read_log` returns the lines of standard error.
    pub(crate) fn explain(&self, message: &str, read_log: impl FnOnce() -> Vec<String>) -> String {
        if !self.unexplained.is_empty() && message.contains(self.unexplained.as_str()) {
            let report = self.logged_report(&read_log()).unwrap_or_default();
            return match self.position(&report).and_then(|(_, start)| report.get(start..)) {
                Some(reason) => join_lines(&format!("{}: {reason}", message.trim().trim_end_matches('.'))),
                None => join_lines(message),
            };
        }
        // Between the two parts there may be warnings.
        let parts =
            self.position(message).and_then(|(first, start)| Some((message.get(..first)?, message.get(start..)?)));
        match parts {
            Some((before, reason)) => join_lines(&format!("{before}{reason}")),
            None => join_lines(message),
        }
    }

    /// Returns the end of the first text in `after` that occurs and the end of the last one, in bytes.
    fn position(&self, text: &str) -> Option<(usize, usize)> {
        let ends = self.after.iter().filter_map(|before| Some(text.find(before.as_str())? + before.len()));
        ends.fold(None, |found, end| {
            let (first, last) = found.unwrap_or((end, end));
            Some((first.min(end), last.max(end)))
        })
    }

    /// Returns the last report in standard error, up to the next line of the log.
    fn logged_report(&self, log: &[String]) -> Option<String> {
        let first = log.iter().rposition(|line| line.contains(self.logged.as_str()))?;
        let mut lines = log.iter().skip(first);
        let rest = lines.next().into_iter().chain(lines.take_while(|line| !is_log_line(line)));
        Some(rest.map(String::as_str).collect::<Vec<_>>().join("\n"))
    }
}

/// The severity of a [`HealthSign`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthLevel {
    /// The server cannot work on the project.
    #[default]
    Error,
    /// The server works, but something is missing.
    Warning,
}

/// The state that one server has reported by its [`HealthSign`]s.
#[derive(Debug, Default)]
pub(crate) struct HealthMonitor {
    signs: Vec<HealthSign>,
    /// The reasons, by the number of the sign.
    reports: BTreeMap<usize, HealthReport>,
}

#[derive(Debug)]
struct HealthReport {
    reason: String,
    /// The token of the progress that lasts as long as the state, if the server has begun one.
    token: Option<String>,
}

impl HealthMonitor {
    pub(crate) fn new(signs: Vec<HealthSign>) -> Self {
        Self { signs, reports: BTreeMap::new() }
    }

    /// Handles a message to the user or the log.
    pub(crate) fn on_message(&mut self, message: &str) {
        for (index, sign) in self.signs.iter().enumerate() {
            if contains_any(message, &sign.ends) {
                self.reports.remove(&index);
            }
            if contains_any(message, &sign.messages) {
                let token = self.reports.remove(&index).and_then(|report| report.token);
                self.reports.insert(index, HealthReport { reason: reason(message, sign), token });
            }
        }
    }

    /// Handles the beginning of a progress.
    pub(crate) fn on_begin(&mut self, token: &str, title: &str, message: Option<&str>) {
        for (index, sign) in self.signs.iter().enumerate() {
            if sign.titles.iter().any(|expected| title.starts_with(expected.as_str())) {
                let reason = reason(message.unwrap_or(title), sign);
                self.reports.insert(index, HealthReport { reason, token: Some(token.to_owned()) });
            }
        }
    }

    /// Handles a new message of an open progress.
    pub(crate) fn on_report(&mut self, token: &str, message: &str) {
        for (index, report) in &mut self.reports {
            if report.token.as_deref() == Some(token)
                && let Some(sign) = self.signs.get(*index)
            {
                report.reason = reason(message, sign);
            }
        }
    }

    /// Handles the end of a progress.
    pub(crate) fn on_end(&mut self, token: &str) {
        self.reports.retain(|_, report| report.token.as_deref() != Some(token));
    }

    /// Whether the server has reported a state whose end it does not report.
    pub(crate) fn is_lasting(&self) -> bool {
        let mut reported = self.reports.iter().filter_map(|(index, report)| Some((self.signs.get(*index)?, report)));
        reported.any(|(sign, report)| sign.ends.is_empty() && report.token.is_none())
    }

    /// Returns the reported error, or else the reported warning.
    pub(crate) fn health(&self) -> Option<Health> {
        let reported = self.reports.iter().filter_map(|(index, report)| Some((self.signs.get(*index)?, report)));
        let (sign, report) = reported.min_by_key(|(sign, _)| sign.level == HealthLevel::Warning)?;
        let text = format!("{}: {}", sign.effect, report.reason);
        Some(match sign.level {
            HealthLevel::Error => Health::Error(text),
            HealthLevel::Warning => Health::Warning(text),
        })
    }
}

/// Levels of log lines, as a word at the beginning of a line or after a time.
const LEVELS: &[&str] = &["ERROR", "WARN", "INFO", "DEBUG", "TRACE"];

/// Levels of log lines that do not explain an end.
const CHATTER: &[&str] = &["INFO", "DEBUG", "TRACE"];

/// The number of words at the beginning of a line in which a level is searched: a time of day may be two words.
const WORDS_BEFORE_LEVEL: usize = 3;

/// Whether a line of standard error begins an entry of a log.
fn is_log_line(line: &str) -> bool {
    has_level(line, LEVELS)
}

/// Whether a line was logged at a level that servers use in normal operation.
pub(crate) fn is_chatter(line: &str) -> bool {
    has_level(line, CHATTER)
}

fn has_level(line: &str, levels: &[&str]) -> bool {
    line.split_whitespace().take(WORDS_BEFORE_LEVEL).any(|word| {
        let word = word.trim_matches(|character: char| !character.is_ascii_alphanumeric());
        levels.contains(&word)
    })
}

fn contains_any(message: &str, parts: &[String]) -> bool {
    parts.iter().any(|part| message.contains(part.as_str()))
}

/// Returns the part of a report that has the reason, as one line.
fn reason(report: &str, sign: &HealthSign) -> String {
    let start = sign.reason_after.iter().filter_map(|before| Some(report.find(before.as_str())? + before.len())).max();
    let text = start.and_then(|start| report.get(start..)).map(str::trim).filter(|text| !text.is_empty());
    join_lines(text.unwrap_or(report))
}

/// Returns a message as one line of at most [`MAX_REASON_CHARS`]: its last line often names the cure.
pub(crate) fn join_lines(text: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = text.lines().map(words).filter(|line| !line.is_empty()).collect();
    lines.join("; ").replace(":; ", ": ").chars().filter(|c| !c.is_control()).take(MAX_REASON_CHARS).collect()
}

/// Returns the reason in a progress value's message, which is cut to a useful length only after the reason was found.
pub(crate) fn message_of(value: &Value) -> Option<&str> {
    value.get("message").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_failure() -> HealthSign {
        HealthSign {
            messages: vec!["load failed: ".to_owned()],
            titles: vec!["Error loading".to_owned()],
            ends: vec!["loaded again".to_owned()],
            reason_after: vec!["load failed: ".to_owned(), "stderr: ".to_owned()],
            level: HealthLevel::Error,
            effect: "the workspace could not be loaded".to_owned(),
        }
    }

    fn warning() -> HealthSign {
        HealthSign {
            messages: vec!["No source files".to_owned()],
            titles: Vec::new(),
            ends: vec!["Found ".to_owned()],
            reason_after: Vec::new(),
            level: HealthLevel::Warning,
            effect: "no files are analysed".to_owned(),
        }
    }

    fn show(monitor: &HealthMonitor) -> String {
        format!("{:?}", monitor.health())
    }

    #[test]
    fn a_status_has_its_reason() {
        let texts = ["exited with an error: ", "exited with an error: error: ", "\nerror: "];
        let reason = StatusReason {
            after: texts.map(str::to_owned).to_vec(),
            unexplained: "Failed to load".to_owned(),
            logged: "FetchError: ".to_owned(),
        };
        let explain = |message: &str, log: &str| reason.explain(message, || log.lines().map(str::to_owned).collect());
        insta::assert_snapshot!(explain("no sources\nat all", ""), @"no sources; at all");
        let own = "cannot read a: `cargo` exited with an error: warning: b\n  note: c\nerror: d\ne";
        insta::assert_snapshot!(explain(own, ""), @"cannot read a: `cargo` exited with an error: d; e");
        insta::assert_snapshot!(explain("Failed to load workspaces.", ""), @"Failed to load workspaces.");
        let log = "T ERROR FetchError: f: `cargo` exited with an error: error: old\nT ERROR x\n\
            T ERROR FetchError: f: `cargo` exited with an error: error: no `m`\ncaused by:\n  g\nT  WARN other\nh";
        let explained = explain("Failed to load workspaces.", log);
        insta::assert_snapshot!(explained, @"Failed to load workspaces: no `m`; caused by: g");
    }

    #[test]
    fn a_message_lasts_until_another_ends_it() {
        let mut monitor = HealthMonitor::new(vec![load_failure()]);
        insta::assert_snapshot!(show(&monitor), @"None");
        monitor.on_message("11:12 load failed: exit 1: stderr: go.work is too new\n\n");
        insta::assert_snapshot!(show(&monitor), @r#"Some(Error("the workspace could not be loaded: go.work is too new"))"#);
        monitor.on_message("something else");
        insta::assert_snapshot!(show(&monitor), @r#"Some(Error("the workspace could not be loaded: go.work is too new"))"#);
        monitor.on_message("loaded again");
        insta::assert_snapshot!(show(&monitor), @"None");
    }

    #[test]
    fn a_progress_lasts_until_its_end() {
        let mut monitor = HealthMonitor::new(vec![load_failure()]);
        monitor.on_begin("1", "Other", Some("fine"));
        insta::assert_snapshot!(show(&monitor), @"None");
        monitor.on_message("load failed: first");
        monitor.on_begin("2", "Error loading workspace", Some("second"));
        insta::assert_snapshot!(show(&monitor), @r#"Some(Error("the workspace could not be loaded: second"))"#);
        monitor.on_report("2", "stderr: third");
        monitor.on_end("1");
        insta::assert_snapshot!(show(&monitor), @r#"Some(Error("the workspace could not be loaded: third"))"#);
        monitor.on_end("2");
        insta::assert_snapshot!(show(&monitor), @"None");
    }

    #[test]
    fn an_error_precedes_a_warning() {
        let mut monitor = HealthMonitor::new(vec![warning(), load_failure()]);
        monitor.on_message("No source files found.");
        insta::assert_snapshot!(show(&monitor), @r#"Some(Warning("no files are analysed: No source files found."))"#);
        monitor.on_message("load failed: first\nsecond");
        insta::assert_snapshot!(show(&monitor), @r#"Some(Error("the workspace could not be loaded: first; second"))"#);
        monitor.on_message("loaded again");
        monitor.on_message("Found 3 files");
        insta::assert_snapshot!(show(&monitor), @"None");
    }
}
