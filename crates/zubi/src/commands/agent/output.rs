//! Output of a conversation: the answer to stdout, everything else to stderr; or every event to stdout as JSON.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;
use zubi_agent::event::AgentEvent;
use zubi_base::escape::on_lines;
use zubi_cli::failure::Failure;
use zubi_cli::terminal::{self, ProgressLine};
use zubi_tool_api::cx::ProgressSink as _;

use super::view::{AgentView, OutputSegment, Style};

/// The output format of events.
#[derive(Debug, Clone)]
pub(super) enum EventOutput {
    /// One JSON object per line.
    Json,
    Text(Arc<Mutex<TextOutput>>),
}

/// Events as text.
#[derive(Debug)]
pub(super) struct TextOutput {
    view: AgentView,
    progress: Option<ProgressLine>,
}

impl EventOutput {
    /// Creates the output of one turn.
    pub(super) fn turn(json: bool, is_data: bool) -> Self {
        if json {
            return Self::Json;
        }
        let style = match (is_data, io::stdout().is_terminal()) {
            (true, _) => Style::Data,
            (false, true) => Style::Live,
            (false, false) => Style::Whole,
        };
        Self::text(style)
    }

    /// Creates an output for a user who reads along.
    pub(super) fn live() -> Self {
        Self::text(Style::Live)
    }

    fn text(style: Style) -> Self {
        let text = TextOutput { view: AgentView::new(style), progress: ProgressLine::new() };
        Self::Text(Arc::new(Mutex::new(text)))
    }

    /// Begins to write events on a separate thread, since that may take as long as the reader does: meanwhile a turn
    /// continues and can be stopped. Nothing else may be written until it has finished.
    pub(super) fn write(&self, events: Vec<AgentEvent>) -> JoinHandle<Result<(), Failure>> {
        let output = self.clone();
        tokio::task::spawn_blocking(move || output.write_now(&events))
    }

    fn write_now(&self, events: &[AgentEvent]) -> Result<(), Failure> {
        match self {
            Self::Json => events.iter().try_for_each(print_event),
            Self::Text(text) => {
                let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
                events.iter().try_for_each(|event| text.write(event))
            }
        }
    }

    /// Writes text that is not an event to stderr, such as an approval prompt.
    pub(super) fn write_notice(&self, text: &str) {
        if let Self::Text(shown) = self
            && let Some(progress) = &shown.lock().unwrap_or_else(PoisonError::into_inner).progress
        {
            progress.clear();
        }
        // A failure here cannot be reported anywhere.
        drop(write!(io::stderr().lock(), "{text}"));
    }
}

impl TextOutput {
    fn write(&mut self, event: &AgentEvent) -> Result<(), Failure> {
        for segment in self.view.event(event) {
            match segment {
                OutputSegment::Progress { fraction, message } => {
                    if let Some(line) = &self.progress {
                        line.report(fraction, &message);
                    }
                    continue;
                }
                _ => self.progress.iter().for_each(ProgressLine::clear),
            }
            match segment {
                // On a terminal, control characters are escaped; another program receives the exact bytes.
                OutputSegment::Answer(text) if io::stdout().is_terminal() => terminal::print_exact(&on_lines(&text))?,
                OutputSegment::Answer(text) => terminal::print_exact(&text)?,
                OutputSegment::Row(row) => terminal::print_err(&row),
                OutputSegment::Progress { .. } => {}
            }
        }
        Ok(())
    }
}

/// Prints an event as JSON, for a program.
pub(super) fn print_event(event: &AgentEvent) -> Result<(), Failure> {
    terminal::print_json_line(&serde_json::to_value(event).map_err(Failure::environment)?)
}

/// Renders a whole conversation as text.
pub(super) fn page(events: &[AgentEvent]) -> String {
    let mut view = AgentView::new(Style::Page);
    let segments = events.iter().flat_map(|event| view.event(event));
    let text: String = segments
        .map(|segment| match segment {
            OutputSegment::Answer(text) => text,
            OutputSegment::Row(row) => format!("{row}\n"),
            OutputSegment::Progress { .. } => String::new(),
        })
        .collect();
    text.trim().to_owned()
}
