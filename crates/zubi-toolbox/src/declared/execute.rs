//! What runs declared tools: one file for each kind of execution, over what `zubi-run` has for it.

pub(super) mod http;
pub(super) mod inline;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use zubi_run::http::Lookup;
use zubi_run::script;
use zubi_tools::ToolCx;
use zubi_tools::registry::Registry;

use super::plan::Execution;
use super::testing::Doubles;

/// How much of an output an answer shows where nothing else is said, in tokens.
const DEFAULT_TOKENS: usize = 8_000;

/// About so many bytes are a token.
const BYTES_PER_TOKEN: usize = 4;

/// What all declared tools of a host share.
pub(super) struct Machinery {
    /// Through which code calls other tools.
    pub(super) registry: OnceLock<Weak<Registry>>,
    /// `None` where zubi does not know its own program.
    pub(super) scripts: Option<script::Runner>,
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) secrets: BTreeMap<String, String>,
    /// In a test of the tool: what stands in for the world.
    pub(super) doubles: Option<Arc<Doubles>>,
}

impl Machinery {
    /// Why something cannot run here, as a clause.
    pub(super) fn unavailable(&self, execution: &Execution) -> Option<&'static str> {
        match execution {
            Execution::Elsewhere { why, .. } => Some(why),
            Execution::Inline { .. } if self.scripts.is_none() => Some("JavaScript needs zubi's own program"),
            Execution::Shell { .. } => Some("shell scripts are not run yet"),
            Execution::Broken => Some("a part of it could not be read"),
            _ => None,
        }
    }
}

/// How many bytes of an output an answer shows.
fn room(cx: &ToolCx) -> usize {
    cx.token_budget.unwrap_or(DEFAULT_TOKENS).saturating_mul(BYTES_PER_TOKEN)
}

/// The beginning of a text, in at most about so many bytes, with a line about what is missing.
fn bounded(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{}\n… {} bytes of {} are not shown …", text.get(..end).unwrap_or_default(), text.len() - end, text.len())
}
