//! `zubi map`: prints the most important declarations of the workspace.

use std::process::ExitCode;

use serde_json::{Map, json};
use zubi_cli::failure::Failure;
use zubi_cli::runtime::block_on;

use super::call;
use crate::cli::MapArgs;
use crate::session::CliSession;

/// The tool that makes the map.
const TOOL: &str = "repo_map";

pub(super) fn run(session: &CliSession, map: &MapArgs) -> Result<ExitCode, Failure> {
    let mut input = Map::new();
    if let Some(budget) = map.budget {
        input.insert("budget".to_owned(), budget.into());
    }
    if !map.focus.is_empty() {
        input.insert("focus".to_owned(), json!(map.focus));
    }
    let mut words = vec!["--input".to_owned(), serde_json::Value::from(input).to_string()];
    if map.json {
        words.push("--json".to_owned());
    }
    block_on(async {
        let attached = session.attach(false, |_| {}).await?;
        call::call(attached.service.as_ref(), TOOL, &words, "zubi map").await
    })?
}
