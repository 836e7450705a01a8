//! `dlang explain`: one element as readable text.

use std::process::ExitCode;

use dlang_workspace::queries;
use serde_json::Value;
use zubi_cli::failure::Failure;
use zubi_cli::terminal;

use super::get::{not_found, warn_of_namesakes};
use crate::cli::Explain;
use crate::load;
use crate::output::{DlangOutput, Mode};

pub(super) fn run(output: &DlangOutput, arguments: &Explain) -> Result<ExitCode, Failure> {
    load::query_model(output, &arguments.path, |snapshot| {
        let answer = queries::explain(snapshot, &arguments.fqn).map_err(Failure::environment)?;
        match answer.get("explanation").and_then(Value::as_str) {
            None => return not_found(output, &arguments.fqn, &answer),
            Some(_) if output.mode == Mode::Json => terminal::print_json(&answer)?,
            Some(explanation) => terminal::print(explanation)?,
        }
        warn_of_namesakes(output, snapshot, &arguments.fqn)?;
        Ok(ExitCode::SUCCESS)
    })
}
