//! `dlang query`: the elements of one type, as a table, JSON or YAML.

use std::process::ExitCode;

use dlang_ide::query::{Detail, EntityType, InvalidInput, ListInput};
use dlang_workspace::queries::{self, QueryError};
use serde_json::{Value, json};
use zubi_cli::failure::Failure;
use zubi_cli::terminal;

use crate::cli::{Format, QueryArgs};
use crate::load;
use crate::output::{DlangOutput, Mode};
use crate::{table, yaml};

pub(super) fn run(output: &DlangOutput, arguments: &QueryArgs) -> Result<ExitCode, Failure> {
    let input = input(arguments);
    load::query_model(output, &arguments.path, |snapshot| {
        let answer = queries::list(snapshot, &input).map_err(|error| match error {
            QueryError::InvalidInput(error) => invalid(&error),
            QueryError::Cancelled(error) => Failure::environment(error),
        })?;
        print(output, arguments, input.entity, &answer)?;
        Ok(ExitCode::SUCCESS)
    })
}

fn input(arguments: &QueryArgs) -> ListInput {
    let filters = &arguments.filters;
    // On every surface, an empty text means that a filter is not given.
    let given = |filter: &Option<String>| filter.clone().filter(|text| !text.is_empty());
    ListInput {
        entity: arguments.entity,
        name: given(&filters.name),
        fqn: given(&filters.fqn),
        domain: given(&filters.domain),
        team: given(&filters.team),
        classification: given(&filters.classification),
        metadata: given(&filters.metadata),
        context: given(&filters.context),
        pattern: given(&filters.pattern),
        detail: if arguments.full { Detail::Full } else { Detail::Row },
    }
}

/// Returns the error for an invalid filter, by the name of its flag.
fn invalid(error: &InvalidInput) -> Failure {
    Failure::usage(format!("--{}: {}", error.field, error.message)).hint("`dlang query --help` lists all filters.")
}

fn print(output: &DlangOutput, arguments: &QueryArgs, entity: EntityType, answer: &Value) -> Result<(), Failure> {
    let is_json = output.mode == Mode::Json || arguments.format == Some(Format::Json);
    if arguments.count {
        let count = json!({ "count": answer.get("count") });
        return match arguments.format {
            _ if is_json => terminal::print_json(&count),
            Some(Format::Yaml) => terminal::print(yaml::render(&count)?.trim_end()),
            _ => terminal::print(&answer.get("count").map(Value::to_string).unwrap_or_default()),
        };
    }
    // A table has no room for every property.
    if is_json || arguments.full && arguments.format != Some(Format::Yaml) {
        return terminal::print_json(answer);
    }
    if arguments.format == Some(Format::Yaml) {
        return terminal::print(yaml::render(answer)?.trim_end());
    }
    let rows: Vec<&Value> = answer.get("results").and_then(Value::as_array).into_iter().flatten().collect();
    if output.mode == Mode::Quiet && arguments.format.is_none() {
        return rows.iter().filter_map(|row| cell(row, "name")).try_for_each(|name| terminal::print(&name));
    }
    if rows.is_empty() {
        terminal::print_err(&format!("no {entity}"));
        return Ok(());
    }
    let columns = columns(entity, &rows);
    let heads: Vec<String> = columns.iter().map(|column| head(column)).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let cells: Vec<_> = rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
    terminal::print(table::render(&heads, &cells, output.on_stdout().width).trim_end())
}

/// Returns the columns of the type, plus the file if rows have one, to distinguish elements of the same name.
fn columns(entity: EntityType, rows: &[&Value]) -> Vec<&'static str> {
    let mut columns = entity.columns();
    if rows.iter().any(|row| row.get("file").is_some()) {
        columns.push("file");
    }
    columns
}

fn cell(row: &Value, column: &str) -> Option<String> {
    row.get(column).and_then(Value::as_str).map(str::to_owned)
}

/// Formats `leftPatterns` as `Left patterns`.
fn head(column: &str) -> String {
    if column == "fqn" {
        return "FQN".to_owned();
    }
    let mut head = String::new();
    for (at, c) in column.chars().enumerate() {
        match c {
            _ if at == 0 => head.extend(c.to_uppercase()),
            c if c.is_uppercase() => {
                head.push(' ');
                head.extend(c.to_lowercase());
            }
            c => head.push(c),
        }
    }
    head
}
