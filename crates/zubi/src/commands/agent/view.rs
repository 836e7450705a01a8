//! Events as lines for a person. Pure: what comes out says where it belongs, and [`super::output`] writes it.

use std::collections::BTreeMap;

use zubi_agent::event::{TurnEnded, Event, StopReason, EventKind};
use zubi_base::escape::{on_lines, printable};
use zubi_tool_api::cx::ApprovalAnswer;
use zubi_tool_api::{Code, Effect};

/// How many calls that only look are shown one after the other; of the others it is said how many they are.
const READS: usize = 5;
/// How many characters of a line of a failure are shown.
const FAILURE: usize = 200;
/// How many lines of a refusal that says which rule would allow the call.
const ADVICE: usize = 20;
/// How many lines of a preview.
const PREVIEW: usize = 40;

/// What the answer is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Somebody reads along: text comes as it is said.
    Live,
    /// Another program reads: the answer comes once it is known to be the answer. What is said between calls is none, and
    /// what was heard before a retry counts for nothing.
    Whole,
    /// The answer is data, and comes at the end.
    Data,
    /// All of a conversation, after the fact.
    Page,
}

/// One thing to write.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OutputSegment {
    /// Of the answer, as it is; no line break is added.
    Answer(String),
    /// A line beside it.
    Row(String),
    /// How far it is, for a terminal; gone with the next piece.
    Progress { fraction: Option<f64>, message: String },
}

/// What has been shown so far.
#[derive(Debug)]
pub(super) struct View {
    style: Style,
    /// How much of the answer that is being given is shown, in UTF-16 code units.
    shown: u64,
    /// Text whose standing is not known yet: what comes next says whether it was the answer.
    held: String,
    /// Whether the answer's last line is not at its end.
    is_open: bool,
    /// Calls that only look, one after the other.
    reads: usize,
    /// The summaries of calls that are being made.
    calls: BTreeMap<String, String>,
    /// What a call would change, until it is known whether a question shows it.
    preview: Option<String>,
}

impl View {
    pub(super) fn new(style: Style) -> Self {
        Self { style, shown: 0, held: String::new(), is_open: false, reads: 0, calls: BTreeMap::new(), preview: None }
    }

    /// What an event adds.
    pub(super) fn event(&mut self, event: &Event) -> Vec<OutputSegment> {
        let mut pieces = Vec::new();
        self.flush_pending(&event.what, &mut pieces);
        match &event.what {
            EventKind::Text { offset, text, .. } if self.style == Style::Live => self.stream(*offset, text, &mut pieces),
            EventKind::Thought { .. } if self.style == Style::Live => {
                pieces.push(OutputSegment::Progress { fraction: None, message: "thinking …".to_owned() });
            }
            EventKind::Progress { fraction, message, .. } => {
                pieces.push(OutputSegment::Progress { fraction: *fraction, message: message.clone() });
            }
            EventKind::Asked { text, .. } if self.style == Style::Page => {
                let text = on_lines(text.trim_end()).replace('\n', "\n> ");
                pieces.push(OutputSegment::Answer(format!("\n> {text}\n\n")));
            }
            EventKind::Titled { title } if self.style == Style::Page => self.row(&format!("# {title}"), &mut pieces),
            EventKind::Iteration { .. } => self.shown = 0,
            EventKind::Answered { said, interrupted, .. } => {
                self.render_answer(&said.text, &mut pieces);
                if *interrupted && self.style == Style::Page {
                    self.row("! stopped here", &mut pieces);
                }
            }
            EventKind::Calling { call, summary, effect, preview, .. } => {
                self.render_call(call, summary, *effect, preview.as_deref(), &mut pieces);
            }
            EventKind::Result { call, text, failure, .. } => {
                let summary = self.calls.remove(call);
                match failure {
                    None => {}
                    // The rule that would have allowed it is for whoever reads this.
                    Some(Code::ApprovalUnavailable) => self.render_failure(summary.as_deref(), text, ADVICE, &mut pieces),
                    Some(_) => self.render_failure(summary.as_deref(), text, 1, &mut pieces),
                }
            }
            EventKind::Question { request, .. } if self.style == Style::Page => {
                let why = request.get("why").and_then(|why| why.as_str()).unwrap_or_default();
                self.row(&format!("  ? asked: {why}"), &mut pieces);
            }
            EventKind::Decision { answer, by, .. } if self.style == Style::Page || by != "terminal" => {
                self.row(&format!("  {}", render_decision(answer, by)), &mut pieces);
            }
            EventKind::Retrying { message, attempt, wait, .. } => {
                self.shown = 0;
                let seconds = wait.div_ceil(1_000);
                let message = message.trim_end_matches('.');
                self.row(&format!("! {message}; asking again in {seconds} s (try {attempt} failed)"), &mut pieces);
            }
            EventKind::Compacted { tokens_before, tokens_after, .. } => self.row(
                &format!("! what was said before is told in short now: {tokens_before} → {tokens_after} tokens"),
                &mut pieces,
            ),
            EventKind::Notice { text, .. } => self.row(&format!("! {text}"), &mut pieces),
            EventKind::Ended(ended) => self.render_end(ended, &mut pieces),
            _ => {}
        }
        pieces
    }

    /// What had to wait for the next event.
    fn flush_pending(&mut self, next: &EventKind, pieces: &mut Vec<OutputSegment>) {
        let is_read = matches!(next, EventKind::Calling { effect, .. } if looks(*effect));
        let goes_on = matches!(next, EventKind::Result { .. } | EventKind::Progress { .. } | EventKind::Iteration { .. });
        // Answers without a word between calls do not part them.
        let is_silent = matches!(next, EventKind::Answered { said, .. } if said.text.is_empty());
        if !(is_read || goes_on || is_silent) {
            let more = std::mem::take(&mut self.reads).saturating_sub(READS);
            if more > 0 {
                self.row(&format!("  … and {more} more"), pieces);
            }
        }
        if !matches!(next, EventKind::Progress { .. })
            && let Some(preview) = self.preview.take()
            && !matches!(next, EventKind::Question { .. })
        {
            let lines: Vec<&str> = preview.lines().collect();
            for line in lines.iter().take(PREVIEW) {
                self.row(&format!("  | {line}"), pieces);
            }
            let more = lines.len().saturating_sub(PREVIEW);
            if more > 0 {
                self.row(&format!("  … and {more} more lines"), pieces);
            }
        }
        if matches!(next, EventKind::Answered { .. } | EventKind::Calling { .. } | EventKind::Retrying { .. }) {
            for line in std::mem::take(&mut self.held).lines() {
                self.row(line, pieces);
            }
        }
    }

    fn stream(&mut self, offset: u64, text: &str, pieces: &mut Vec<OutputSegment>) {
        // What was heard twice, or before this began, is not said again.
        let known = self.shown.saturating_sub(offset);
        let new = skip_units(text, known);
        if new.is_empty() {
            return;
        }
        self.shown = offset + units(text);
        self.is_open = !new.ends_with('\n');
        pieces.push(OutputSegment::Answer(new.to_owned()));
    }

    fn render_answer(&mut self, text: &str, pieces: &mut Vec<OutputSegment>) {
        match self.style {
            Style::Live => {
                let shown = self.shown;
                self.stream(shown, skip_units(text, shown), pieces);
                self.close(pieces);
            }
            Style::Whole | Style::Data => text.clone_into(&mut self.held),
            Style::Page if text.is_empty() => {}
            Style::Page => pieces.push(OutputSegment::Answer(format!("{}\n", text.trim_end()))),
        }
    }

    fn render_call(
        &mut self,
        call: &str,
        summary: &str,
        effect: Option<Effect>,
        preview: Option<&str>,
        pieces: &mut Vec<OutputSegment>,
    ) {
        self.calls.insert(call.to_owned(), summary.to_owned());
        if looks(effect) {
            self.reads += 1;
            if self.reads > READS {
                return;
            }
        }
        self.row(&format!("→ {summary}"), pieces);
        self.preview = preview.filter(|_| !looks(effect) && self.style != Style::Whole).map(str::to_owned);
    }

    fn render_failure(&mut self, summary: Option<&str>, text: &str, lines: usize, pieces: &mut Vec<OutputSegment>) {
        let more = if lines > 1 { text.lines().count().saturating_sub(lines) } else { 0 };
        let mut text = text.lines().map(truncate_line).take(lines);
        let first = text.next().unwrap_or_default();
        // Side by side it is not clear which one is meant, nor is it where the row was left out.
        let which = summary.filter(|_| !self.calls.is_empty() || self.reads > READS);
        let which = which.map(|summary| format!("{summary}: ")).unwrap_or_default();
        self.row(&format!("  ✗ {which}{first}"), pieces);
        text.for_each(|line| self.row(&format!("    {line}"), pieces));
        if more > 0 {
            self.row(&format!("    … and {more} more lines"), pieces);
        }
    }

    fn render_end(&mut self, ended: &TurnEnded, pieces: &mut Vec<OutputSegment>) {
        let held = std::mem::take(&mut self.held);
        let answer = if ended.reason == StopReason::Completed { &ended.text } else { &held };
        match self.style {
            Style::Whole if !answer.is_empty() => pieces.push(OutputSegment::Answer(format!("{}\n", answer.trim_end()))),
            // Where the answer is a call it was not streamed.
            Style::Live | Style::Page if ended.data.is_some() => {
                pieces.push(OutputSegment::Answer(format!("{}\n", ended.text.trim_end())));
            }
            Style::Data => {
                if let Some(data) = &ended.data {
                    pieces.push(OutputSegment::Answer(format!("{data}\n")));
                } else {
                    held.lines().for_each(|line| self.row(line, pieces));
                }
            }
            _ => {}
        }
        if ended.reason == StopReason::Completed {
            // An answer that is not whole looks like one that is.
            if let Some(problem) = &ended.problem {
                self.row(&format!("! {problem}"), pieces);
            }
        } else {
            let problem = ended.problem.as_deref().unwrap_or_else(|| end_sentence(ended.reason));
            self.row(&format!("! {problem}"), pieces);
            let report = if self.style == Style::Page { "" } else { &ended.text };
            // The report says why as well.
            let report = report.lines().filter(|line| !problem.starts_with(line));
            report.for_each(|line| self.row(&format!("  {line}"), pieces));
        }
        if matches!(self.style, Style::Live | Style::Page) {
            self.row(&sum(ended), pieces);
        }
        self.calls.clear();
    }

    fn row(&mut self, text: &str, pieces: &mut Vec<OutputSegment>) {
        self.close(pieces);
        pieces.push(OutputSegment::Row(printable(text).into_owned()));
    }

    /// Ends the answer's line.
    fn close(&mut self, pieces: &mut Vec<OutputSegment>) {
        if std::mem::take(&mut self.is_open) {
            pieces.push(OutputSegment::Answer("\n".to_owned()));
        }
    }
}

/// A line of a failure, as far as it has room. What is to be given to the next run is whole.
fn truncate_line(line: &str) -> String {
    match line.char_indices().nth(FAILURE) {
        Some((at, _)) if !line.starts_with("--auto-approve ") => format!("{}…", line.get(..at).unwrap_or_default()),
        _ => line.to_owned(),
    }
}

/// Whether a call of this effect only looks.
fn looks(effect: Option<Effect>) -> bool {
    matches!(effect, Some(Effect::Read))
}

fn render_decision(answer: &serde_json::Value, by: &str) -> String {
    match serde_json::from_value(answer.clone()) {
        Ok(ApprovalAnswer::Allow { .. }) => format!("✓ allowed: {by}"),
        Ok(ApprovalAnswer::Deny { text: Some(text) }) => format!("✗ refused: {by}: {text}"),
        Ok(ApprovalAnswer::Deny { text: None }) => format!("✗ refused: {by}"),
        Ok(ApprovalAnswer::Unanswered { how }) => format!("✗ no answer: {how}"),
        Ok(ApprovalAnswer::NotAsked { why }) => format!("✗ not asked: {why}"),
        Ok(ApprovalAnswer::Unavailable | ApprovalAnswer::OnlyRules { .. }) => "✗ nobody to ask".to_owned(),
        Err(_) => format!("answered: {by}"),
    }
}

/// Why a turn ended, as a sentence.
fn end_sentence(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Completed => "It is done.",
        StopReason::Stopped => "It was stopped.",
        StopReason::Iterations => "It was asked as often as --max-iterations allows.",
        StopReason::Calls => "It made as many calls as --max-calls allows.",
        StopReason::Tokens => "It used as many tokens as --max-tokens allows.",
        StopReason::Time => "It took as long as --max-time allows.",
        StopReason::Repeating => "It made the same call over and over.",
        StopReason::Invalid => "It kept giving what cannot be used.",
        StopReason::Model => "The model gave no answer.",
        StopReason::Failed => "zubi itself failed.",
        StopReason::Killed => "The process ended in the middle.",
    }
}

/// What a turn cost.
fn sum(ended: &TurnEnded) -> String {
    let plural = |count: u64, what: &str| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    let tokens = ended.usage.total();
    let tokens = if tokens == 0 { String::new() } else { format!(" · {tokens} tokens") };
    #[expect(clippy::cast_precision_loss, reason = "a duration for a person")]
    let seconds = ended.duration as f64 / 1e3;
    format!("· {} · {}{tokens} · {seconds:.1} s", plural(ended.iterations, "answer"), plural(ended.calls, "call"))
}

fn units(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

/// What follows the first `units` UTF-16 code units.
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
