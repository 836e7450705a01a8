//! Models that need no network: `mock`, which matches keywords, and `mock:FILE`, which plays a scenario.
//!
//! They serve for a first look at zubi, for demonstrations and tests: the same prompt always gets the same answer,
//! streamed word by word without pauses.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use camino::Utf8PathBuf;

use self::keywords::Keywords;
pub use self::playback::{MISMATCH_HINT, check_expectation};
use self::playback::{ScenarioModel, ScenarioPlayback};
use super::{AnswerDelta, ErrorKind, LanguageModel, ModelError, ModelInfo, ModelSource, OnDelta};
use crate::message::PromptMessage;
use crate::scenario::{Scenario, answer_lines};

mod keywords;
mod playback;
mod schema_example;
#[cfg(test)]
mod tests;

const PROVIDER: &str = "mock";
/// The maximum number of scenarios whose position is stored; the one that was opened longest ago is removed first.
const MAX_PLAYBACKS: usize = 32;

/// The source of both mock models.
pub struct Mock {
    /// The base directory for relative paths of scenarios.
    directory: Utf8PathBuf,
    /// The position in each scenario: a model is opened for each turn, and a conversation continues at its position.
    playbacks: Mutex<Vec<(Utf8PathBuf, Arc<ScenarioPlayback>)>>,
}

impl Mock {
    /// Creates the source. `directory`, the current one, is the base of relative scenario paths.
    pub fn new(directory: Utf8PathBuf) -> Self {
        Self { directory, playbacks: Mutex::default() }
    }

    async fn scenario(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let path = self.directory.join(name);
        let read = tokio::task::spawn_blocking({
            let path = path.clone();
            move || zubi_base::fs::read_text(&path)
        });
        let fail = |why: String| {
            let message = format!("the scenario `{name}` cannot be played: {why}");
            ModelError::new(ErrorKind::NotConfigured, message)
        };
        let text = read.await.map_err(|error| fail(error.to_string()))?.map_err(|error| fail(error.to_string()))?;
        let scenario = Scenario::read(&text).map_err(|error| fail(error.to_string()))?;
        let info = ModelInfo {
            id: format!("{PROVIDER}:{name}"),
            name: if scenario.title.is_empty() { format!("Scenario {name}") } else { scenario.title.clone() },
            provider: PROVIDER.to_owned(),
            context: None,
        };
        let lines = answer_lines(&text);
        Ok(Arc::new(ScenarioModel { info, file: name.to_owned(), lines, playback: self.playback_for(path, scenario) }))
    }

    /// Returns the playback of a scenario; it starts again if the file has changed.
    fn playback_for(&self, path: Utf8PathBuf, scenario: Scenario) -> Arc<ScenarioPlayback> {
        let mut all = self.playbacks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, playback)) = all.iter().find(|(known, playback)| *known == path && playback.matches(&scenario))
        {
            return Arc::clone(playback);
        }
        all.retain(|(known, _)| *known != path);
        if all.len() >= MAX_PLAYBACKS {
            all.remove(0);
        }
        let playback = Arc::new(ScenarioPlayback::new(scenario));
        all.push((path, Arc::clone(&playback)));
        playback
    }
}

#[async_trait]
impl ModelSource for Mock {
    fn provider(&self) -> &str {
        PROVIDER
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        Ok(vec![keywords::info()])
    }

    /// Opens a mock model. `name` is empty, or the path of a scenario.
    async fn open(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if name.is_empty() { Ok(Arc::new(Keywords::default())) } else { self.scenario(name).await }
    }
}

/// Sends a text word by word, so that the receiver sees how a model streams.
async fn stream_words(text: &str, make_delta: fn(String) -> AnswerDelta, on_delta: OnDelta<'_>) {
    for word in text.split_inclusive(char::is_whitespace) {
        on_delta(make_delta(word.to_owned()));
        // Lets other tasks run, and the caller cancel.
        tokio::task::yield_now().await;
    }
}

/// Returns the number after which ids of new calls start: the largest one in the prompt.
fn last_call_number(messages: &[PromptMessage]) -> u64 {
    let calls = messages.iter().filter_map(|message| match message {
        PromptMessage::Assistant(answer) => Some(&answer.calls),
        _ => None,
    });
    calls.flatten().filter_map(|call| call.id.strip_prefix("mock-")?.parse().ok()).max().unwrap_or(0)
}
