//! `dlang explain`: one element as readable text.

use std::process::ExitCode;

use dlang_workspace::queries;
use serde_json::Value;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;

use super::get::{not_found, say_namesakes};
use crate::cli::Explain;
use crate::load;
use crate::output::{Mode, Output};

pub(super) fn run(output: &Output, arguments: &Explain) -> Result<ExitCode, Failure> {
    load::query_model(output, &arguments.path, |snapshot| {
        let answer = queries::explain(snapshot, &arguments.fqn).map_err(Failure::environment)?;
        match answer.get("explanation").and_then(Value::as_str) {
            None => return not_found(output, &arguments.fqn, &answer),
            Some(_) if output.mode == Mode::Json => terminal::print_json(&answer)?,
            Some(explanation) => terminal::print(explanation)?,
        }
        say_namesakes(output, snapshot, &arguments.fqn)?;
        Ok(ExitCode::SUCCESS)
    })
}
