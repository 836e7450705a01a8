//! `zubi agent models`: the available models.

use std::process::ExitCode;

use serde_json::json;
use zubi_agent::wire::ModelList;
use zubi_base::escape::printable;
use zubi_cli::failure::Failure;
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_models::registry::Provider;

use crate::agent;
use crate::session::CliSession;

pub(super) fn run(session: &CliSession, json: bool) -> Result<ExitCode, Failure> {
    let models = agent::models(session, Vec::new(), None)?;
    let list = block_on(async { models.list().await })?;
    if json {
        let mut value = json!(list);
        if let Some(object) = value.as_object_mut() {
            object.insert("default".to_owned(), json!(models.default_id()));
        }
        terminal::print_json(&value)?;
    } else {
        terminal::print(&render_models(&list))?;
        // The list already says what a provider lacks.
        let is_reported = |provider: &Provider| {
            list.problems.iter().any(|it| it.provider == provider.name && it.message == provider.description)
        };
        for provider in models.providers().iter().filter(|it| !it.description.is_empty() && !is_reported(it)) {
            terminal::print_err(&format!("{}: {}", printable(&provider.name), printable(&provider.description)));
        }
        terminal::print_err(&format!("default model: {}", printable(&models.default_id())));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn render_models(list: &ModelList) -> String {
    let mut lines: Vec<String> = list
        .models
        .iter()
        .map(|model| {
            let context = model.context.map(|tokens| format!(" · {tokens} tokens")).unwrap_or_default();
            let name = if model.name == model.id { String::new() } else { format!("  {}", printable(&model.name)) };
            format!("{}{name}{context}", printable(&model.id))
        })
        .collect();
    lines.extend(list.problems.iter().map(|it| format!("({}: {})", printable(&it.provider), printable(&it.message))));
    lines.join("\n")
}
