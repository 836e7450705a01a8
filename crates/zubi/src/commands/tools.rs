//! `zubi tools`: lists the tools, and checks and runs those that a workspace declares in files.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};
use zubi_cli::failure::Failure;
use zubi_cli::runtime::block_on;
use zubi_cli::terminal;
use zubi_host::ToolService as _;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolQuery;
use zubi_tool_api::{ErrorCode, ToolSpec};

use super::call::host_failure;
use super::end::end;
use crate::cli::ToolsCommand;
use crate::session::CliSession;

mod check;
mod init;
mod run;
mod test;

pub(super) fn run(session: &CliSession, tools: &ToolsCommand) -> Result<ExitCode, Failure> {
    match tools {
        ToolsCommand::Check(files) => return check::run(session, files),
        ToolsCommand::Init => return init::run(session),
        ToolsCommand::Run(run) => return self::run::run(session, run),
        ToolsCommand::Schema => {
            // The same text as the published file.
            terminal::print_exact(&format!("{:#}\n", zubi_declared::format::schema()))?;
            return Ok(ExitCode::SUCCESS);
        }
        ToolsCommand::Codes { json } => return codes(*json),
        ToolsCommand::List { .. } | ToolsCommand::Show { .. } => {}
    }
    let unrestricted = Restrictions::default();
    block_on(async {
        let attached = session.attach(false, |_| {}).await?;
        let host = &attached.service;
        match tools {
            ToolsCommand::List { toolset, category, tag, json } => {
                let mut specs = host.list(&unrestricted).await.map_err(|error| host_failure(&error))?;
                (ToolQuery { toolset: toolset.as_deref(), category: category.as_deref(), tag: tag.as_deref() })
                    .retain(&mut specs, |spec| spec.as_ref())
                    .map_err(|error| Failure::usage(&error).hint(error.hint()))?;
                for note in attached.local_host.iter().flat_map(|host| host.hidden_tool_notes()) {
                    terminal::print_err(&format!("note: {note}"));
                }
                if *json {
                    terminal::print_json(&specs.iter().map(|spec| spec.to_json()).collect())?;
                } else {
                    let ids = specs.iter().map(|spec| spec.id.len()).max().unwrap_or_default();
                    let sets = specs.iter().map(|spec| spec.toolset.len()).max().unwrap_or_default();
                    for spec in &specs {
                        let effect = word(spec);
                        terminal::print(&format!(
                            "{:ids$}  {:sets$}  {effect:7}  {}",
                            spec.id, spec.toolset, spec.title
                        ))?;
                    }
                }
            }
            ToolsCommand::Show { tool, json } => {
                let spec = host.find(tool, &unrestricted).await.map_err(|error| host_failure(&error))?;
                if *json {
                    terminal::print_json(&spec.to_json())?;
                } else {
                    terminal::print(&page(&spec))?;
                }
            }
            ToolsCommand::Check(_)
            | ToolsCommand::Init
            | ToolsCommand::Run(_)
            | ToolsCommand::Codes { .. }
            | ToolsCommand::Schema => {}
        }
        end(host.as_ref()).await;
        Ok(ExitCode::SUCCESS)
    })?
}

fn codes(as_json: bool) -> Result<ExitCode, Failure> {
    if as_json {
        let row = |code: ErrorCode| json!({ "code": code, "exit": code.exit().number(), "meaning": code.description(), "nextStep": code.next_step() });
        terminal::print_json(&ErrorCode::ALL.into_iter().map(row).collect())?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = ErrorCode::ALL.iter().map(|code| code.as_str().len()).max().unwrap_or_default();
    for code in ErrorCode::ALL {
        let (exit, description, next) = (code.exit().number(), code.description(), code.next_step());
        terminal::print(&format!("{:width$}  exit {exit:<3}  {description} {next}", code.as_str()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the name of the effect, as in the configuration.
fn word(spec: &ToolSpec) -> String {
    json!(spec.effect).as_str().unwrap_or_default().to_owned()
}

fn page(spec: &ToolSpec) -> String {
    let mut text = format!("{}: {}\n\n{}\n", spec.id, spec.title, spec.description);
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "\ntoolset {}, effect {}", spec.toolset, word(spec));
    let required = |name: &str| {
        spec.input.get("required").and_then(Value::as_array).is_some_and(|list| list.iter().any(|item| item == name))
    };
    let properties = spec.input.get("properties").and_then(Value::as_object);
    for (index, (name, schema)) in properties.into_iter().flatten().enumerate() {
        if index == 0 {
            text.push_str("\nArguments:\n");
        }
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or("string");
        let required = if required(name) { ", required" } else { "" };
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "  {name} ({kind}{required})  {description}");
    }
    for example in &spec.examples {
        let _ = write!(text, "\n{}:\n  zubi call {} --input '{}'\n", example.title, spec.id, example.args);
    }
    if !spec.notes.is_empty() {
        let _ = writeln!(text, "\n{}", spec.notes);
    }
    text.trim_end().to_owned()
}
