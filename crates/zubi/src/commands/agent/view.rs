//! Renders events as lines for people. Pure: each segment states where it belongs, and [`super::output`] writes it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use zubi_agent::event::{AgentEvent, EventKind, StopReason, TurnEnded};
use zubi_base::escape::{on_lines, printable};
use zubi_base::text::{ellipsize, pluralize};
use zubi_tool_api::cx::ApprovalAnswer;
use zubi_tool_api::{Effect, ErrorCode};

/// The number of consecutive read-only calls that are shown; further ones are only counted.
const READS: usize = 5;
/// The maximum number of characters shown of a line of a failure.
const FAILURE: usize = 200;
/// The maximum number of lines shown of a denial that names the rule which would allow the call.
const ADVICE: usize = 20;
/// The maximum number of lines shown of a preview.
const PREVIEW: usize = 40;

/// The style in which the answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// For a user who reads along: text appears as it arrives.
    Live,
    /// For another program: only the final answer is printed. Text between calls is not part of it, and text before a
    /// retry is discarded.
    Whole,
    /// The answer is JSON, printed at the end.
    Data,
    /// For a whole saved conversation.
    Page,
}

/// One thing to write.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OutputSegment {
    /// Text of the answer, unchanged; no line break is added.
    Answer(String),
    /// A line that is not part of the answer.
    Row(String),
    /// Progress, for a terminal; removed by the next segment.
    Progress { fraction: Option<f64>, message: String },
}

/// The state of the output so far.
#[derive(Debug)]
pub(super) struct AgentView {
    style: Style,
    /// The length of the shown part of the streamed answer, in UTF-16 code units.
    shown: u64,
    /// Text that may or may not be the answer: the next event decides.
    pending_text: String,
    /// Whether the answer's last line is incomplete.
    is_open: bool,
    /// The number of consecutive read-only calls.
    reads: usize,
    /// The summaries of running calls.
    calls: BTreeMap<String, String>,
    /// The preview of a call's changes, until it is known whether an approval prompt shows it.
    preview: Option<String>,
}

impl AgentView {
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            shown: 0,
            pending_text: String::new(),
            is_open: false,
            reads: 0,
            calls: BTreeMap::new(),
            preview: None,
        }
    }

    /// Returns the segments that an event adds.
    pub(super) fn event(&mut self, event: &AgentEvent) -> Vec<OutputSegment> {
        let mut segments = Vec::new();
        self.flush_pending(&event.kind, &mut segments);
        match &event.kind {
            EventKind::Text { offset, text, .. } if self.style == Style::Live => {
                self.stream(*offset, text, &mut segments);
            }
            EventKind::Thought { .. } if self.style == Style::Live => {
                segments.push(OutputSegment::Progress { fraction: None, message: "thinking …".to_owned() });
            }
            EventKind::Progress { fraction, message, .. } => {
                segments.push(OutputSegment::Progress { fraction: *fraction, message: message.clone() });
            }
            EventKind::UserMessage { text, .. } if self.style == Style::Page => {
                let text = on_lines(text.trim_end()).replace('\n', "\n> ");
                segments.push(OutputSegment::Answer(format!("\n> {text}\n\n")));
            }
            EventKind::Titled { title } if self.style == Style::Page => self.row(&format!("# {title}"), &mut segments),
            EventKind::Iteration { .. } => self.shown = 0,
            EventKind::Answered { message: answer, interrupted, .. } => {
                self.render_answer(&answer.text, &mut segments);
                if *interrupted && self.style == Style::Page {
                    self.row("! stopped here", &mut segments);
                }
            }
            EventKind::Calling { call, summary, effect, preview, .. } => {
                self.render_call(call, summary, *effect, preview.as_deref(), &mut segments);
            }
            EventKind::Result { call, text, failure, .. } => {
                let summary = self.calls.remove(call);
                match failure {
                    None => {}
                    // The message includes the rule that would have allowed the call, for the reader.
                    Some(ErrorCode::ApprovalUnavailable) => {
                        self.render_failure(summary.as_deref(), text, ADVICE, &mut segments);
                    }
                    Some(_) => self.render_failure(summary.as_deref(), text, 1, &mut segments),
                }
            }
            EventKind::Question { request, .. } if self.style == Style::Page => {
                let reason = request.get("why").and_then(|reason| reason.as_str()).unwrap_or_default();
                self.row(&format!("  ? approval required: {reason}"), &mut segments);
            }
            EventKind::Decision { answer, surface: by, .. } if self.style == Style::Page || by != "terminal" => {
                self.row(&format!("  {}", render_decision(answer, by)), &mut segments);
            }
            EventKind::Retrying { message, attempt, wait, .. } => {
                self.shown = 0;
                let seconds = wait.div_ceil(1_000);
                let message = message.trim_end_matches('.');
                self.row(&format!("! {message}; retrying in {seconds} s (try {attempt} failed)"), &mut segments);
            }
            EventKind::Compacted { tokens_before, tokens_after, .. } => self.row(
                &format!("! earlier messages were summarized: {tokens_before} → {tokens_after} tokens"),
                &mut segments,
            ),
            EventKind::Notice { text, .. } => self.row(&format!("! {text}"), &mut segments),
            EventKind::Ended(ended) => self.render_end(ended, &mut segments),
            _ => {}
        }
        segments
    }

    /// Writes output that had to wait for the next event.
    fn flush_pending(&mut self, next: &EventKind, segments: &mut Vec<OutputSegment>) {
        let is_read = matches!(next, EventKind::Calling { effect, .. } if is_read_only(*effect));
        let continues_call =
            matches!(next, EventKind::Result { .. } | EventKind::Progress { .. } | EventKind::Iteration { .. });
        // Empty answers between calls do not separate them.
        let is_silent = matches!(next, EventKind::Answered { message, .. } if message.text.is_empty());
        if !(is_read || continues_call || is_silent) {
            let more = std::mem::take(&mut self.reads).saturating_sub(READS);
            if more > 0 {
                self.row(&format!("  … and {more} more"), segments);
            }
        }
        if !matches!(next, EventKind::Progress { .. })
            && let Some(preview) = self.preview.take()
            && !matches!(next, EventKind::Question { .. })
        {
            let lines: Vec<&str> = preview.lines().collect();
            for line in lines.iter().take(PREVIEW) {
                self.row(&format!("  | {line}"), segments);
            }
            let more = lines.len().saturating_sub(PREVIEW);
            if more > 0 {
                self.row(&format!("  … and {more} more lines"), segments);
            }
        }
        if matches!(next, EventKind::Answered { .. } | EventKind::Calling { .. } | EventKind::Retrying { .. }) {
            for line in std::mem::take(&mut self.pending_text).lines() {
                self.row(line, segments);
            }
        }
    }

    fn stream(&mut self, offset: u64, text: &str, segments: &mut Vec<OutputSegment>) {
        // Text that was received twice, or before this view began, is not shown again.
        let overlap = self.shown.saturating_sub(offset);
        let new = skip_units(text, overlap);
        if new.is_empty() {
            return;
        }
        self.shown = offset + units(text);
        self.is_open = !new.ends_with('\n');
        segments.push(OutputSegment::Answer(new.to_owned()));
    }

    fn render_answer(&mut self, text: &str, segments: &mut Vec<OutputSegment>) {
        match self.style {
            Style::Live => {
                let shown = self.shown;
                self.stream(shown, skip_units(text, shown), segments);
                self.close(segments);
            }
            Style::Whole | Style::Data => text.clone_into(&mut self.pending_text),
            Style::Page if text.is_empty() => {}
            Style::Page => segments.push(OutputSegment::Answer(format!("{}\n", text.trim_end()))),
        }
    }

    fn render_call(
        &mut self,
        call: &str,
        summary: &str,
        effect: Option<Effect>,
        preview: Option<&str>,
        segments: &mut Vec<OutputSegment>,
    ) {
        self.calls.insert(call.to_owned(), summary.to_owned());
        if is_read_only(effect) {
            self.reads += 1;
            if self.reads > READS {
                return;
            }
        }
        self.row(&format!("→ {summary}"), segments);
        self.preview = preview.filter(|_| !is_read_only(effect) && self.style != Style::Whole).map(str::to_owned);
    }

    fn render_failure(&mut self, summary: Option<&str>, text: &str, lines: usize, segments: &mut Vec<OutputSegment>) {
        let more = if lines > 1 { text.lines().count().saturating_sub(lines) } else { 0 };
        let mut text = text.lines().map(truncate_line).take(lines);
        let first = text.next().unwrap_or_default();
        // Among parallel calls, or if its row was left out, the failure must name the call.
        let prefix = summary.filter(|_| !self.calls.is_empty() || self.reads > READS);
        let prefix = prefix.map(|summary| format!("{summary}: ")).unwrap_or_default();
        self.row(&format!("  ✗ {prefix}{first}"), segments);
        text.for_each(|line| self.row(&format!("    {line}"), segments));
        if more > 0 {
            self.row(&format!("    … and {more} more lines"), segments);
        }
    }

    fn render_end(&mut self, ended: &TurnEnded, segments: &mut Vec<OutputSegment>) {
        let pending_text = std::mem::take(&mut self.pending_text);
        let answer = if ended.reason == StopReason::Completed { &ended.text } else { &pending_text };
        match self.style {
            Style::Whole if !answer.is_empty() => {
                segments.push(OutputSegment::Answer(format!("{}\n", answer.trim_end())));
            }
            // An answer that is a call was not streamed.
            Style::Live | Style::Page if ended.data.is_some() => {
                segments.push(OutputSegment::Answer(format!("{}\n", ended.text.trim_end())));
            }
            Style::Data => {
                if let Some(data) = &ended.data {
                    segments.push(OutputSegment::Answer(format!("{data}\n")));
                } else {
                    pending_text.lines().for_each(|line| self.row(line, segments));
                }
            }
            _ => {}
        }
        if ended.reason == StopReason::Completed {
            // A truncated answer looks like a complete one.
            if let Some(problem) = &ended.problem {
                self.row(&format!("! {problem}"), segments);
            }
        } else {
            let problem = ended.problem.as_deref().unwrap_or_else(|| end_sentence(ended.reason));
            self.row(&format!("! {problem}"), segments);
            let report = if self.style == Style::Page { "" } else { &ended.text };
            // The report may begin with the problem, which is already shown.
            let report = report.lines().filter(|line| !problem.starts_with(line));
            report.for_each(|line| self.row(&format!("  {line}"), segments));
        }
        if matches!(self.style, Style::Live | Style::Page) {
            self.row(&sum(ended), segments);
        }
        self.calls.clear();
    }

    fn row(&mut self, text: &str, segments: &mut Vec<OutputSegment>) {
        self.close(segments);
        segments.push(OutputSegment::Row(printable(text).into_owned()));
    }

    /// Ends the answer's line.
    fn close(&mut self, segments: &mut Vec<OutputSegment>) {
        if std::mem::take(&mut self.is_open) {
            segments.push(OutputSegment::Answer("\n".to_owned()));
        }
    }
}

/// Shortens a line of a failure to the available space. A line with an argument for the next run stays whole.
fn truncate_line(line: &str) -> Cow<'_, str> {
    if line.starts_with("--auto-approve ") { line.into() } else { ellipsize(line, FAILURE) }
}

/// Whether a call with this effect is read-only.
fn is_read_only(effect: Option<Effect>) -> bool {
    matches!(effect, Some(Effect::Read))
}

fn render_decision(answer: &serde_json::Value, by: &str) -> String {
    match serde_json::from_value(answer.clone()) {
        Ok(ApprovalAnswer::Allow { .. }) => format!("✓ allowed: {by}"),
        Ok(ApprovalAnswer::Deny { text: Some(text) }) => format!("✗ denied: {by}: {text}"),
        Ok(ApprovalAnswer::Deny { text: None }) => format!("✗ denied: {by}"),
        Ok(ApprovalAnswer::Unanswered { reason }) => format!("✗ no answer: {reason}"),
        Ok(ApprovalAnswer::NotPrompted { reason }) => format!("✗ no approval prompt: {reason}"),
        Ok(ApprovalAnswer::Unavailable | ApprovalAnswer::OnlyRules { .. }) => "✗ approval unavailable".to_owned(),
        Err(_) => format!("answered: {by}"),
    }
}

/// Describes in a sentence why a turn ended.
fn end_sentence(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Completed => "Completed.",
        StopReason::Stopped => "Stopped.",
        StopReason::Iterations => "Reached the limit of model requests (--max-iterations).",
        StopReason::Calls => "Reached the limit of tool calls (--max-calls).",
        StopReason::Tokens => "Reached the token limit (--max-tokens).",
        StopReason::Time => "Reached the time limit (--max-time).",
        StopReason::Repeating => "The model repeated the same call.",
        StopReason::Invalid => "The model repeatedly returned an unusable answer.",
        StopReason::Model => "The model did not answer.",
        StopReason::Failed => "Internal error in zubi.",
        StopReason::Killed => "The process ended during the turn.",
    }
}

/// Summarizes the turn: answers, calls, tokens and duration.
fn sum(ended: &TurnEnded) -> String {
    let tokens = ended.usage.total();
    let tokens = if tokens == 0 { String::new() } else { format!(" · {tokens} tokens") };
    #[expect(clippy::cast_precision_loss, reason = "a duration for a person")]
    let seconds = ended.duration as f64 / 1e3;
    format!("· {} · {}{tokens} · {seconds:.1} s", pluralize(ended.iterations, "answer"), pluralize(ended.calls, "call"))
}

fn units(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

/// Returns the text after its first `units` UTF-16 code units.
fn skip_units(text: &str, units: u64) -> &str {
    let mut passed = 0;
    for (at, c) in text.char_indices() {
        if passed >= units {
            return text.get(at..).unwrap_or_default();
        }
        passed += c.len_utf16() as u64;
    }
    ""
}

#[cfg(test)]
mod tests;
