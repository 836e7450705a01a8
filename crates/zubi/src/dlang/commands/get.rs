//! `dlang get`: one element as JSON, or element counts.

use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use dlang_ide::{Lines, query};
use dlang_workspace::files::EXTENSION;
use dlang_workspace::{WorkspaceSnapshot, queries};
use serde_json::Value;
use zubi_cli::failure::{Failure, NEGATIVE};
use zubi_cli::terminal;

use crate::cli::Get;
use crate::load;
use crate::output::{DlangOutput, Mode};

pub(super) fn run(output: &DlangOutput, arguments: &Get) -> Result<ExitCode, Failure> {
    let (fqn, path) = words(arguments);
    load::query_model(output, &path, |snapshot| {
        let answer = queries::get(snapshot, fqn).map_err(Failure::environment)?;
        if answer.get("found") == Some(&Value::Bool(false)) {
            let code = not_found(output, fqn.unwrap_or_default(), &answer);
            if let Some(word) =
                fqn.filter(|word| arguments.path.is_none() && output.absolute(Utf8Path::new(word)).exists())
            {
                terminal::print_err(&format!("hint: `dlang get ./{word}` summarizes the folder."));
            }
            return code;
        }
        terminal::print_json(&answer)?;
        if let Some(fqn) = fqn {
            warn_of_namesakes(output, snapshot, fqn)?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// The maximum number of other declarations that are reported.
const MAX_NAMESAKES: usize = 5;

/// Warns of other declarations of the same name, because the answer is about one of them.
pub(super) fn warn_of_namesakes(output: &DlangOutput, snapshot: &WorkspaceSnapshot, name: &str) -> Result<(), Failure> {
    let warning = snapshot.query(|db| {
        let found = query::find(db, name).element()?;
        let others = query::namesakes(db, found);
        let locations = others.iter().take(MAX_NAMESAKES).filter_map(|other| {
            let (file, at) = (other.file, other.focus(db)?.start());
            let line = Lines::new(file.text(db)).number(at) + 1;
            Some(format!("{}:{line}", output.show(Utf8Path::new(file.path(db)))))
        });
        let locations: Vec<String> = locations.collect();
        let more = others.len() - locations.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let fqn = found.fqn(db).filter(|_| !locations.is_empty())?;
        Some(format!("`{fqn}` is also declared in {}{more}", locations.join(", ")))
    });
    if let Some(warning) = warning.map_err(Failure::environment)? {
        terminal::print_err(&format!("warning: {warning}"));
    }
    Ok(())
}

/// Reports an element that does not exist, with suggestions: as JSON, and as text on stderr.
pub(super) fn not_found(output: &DlangOutput, fqn: &str, answer: &Value) -> Result<ExitCode, Failure> {
    if output.mode == Mode::Json {
        terminal::print_json(answer)?;
    }
    let suggestions: Vec<&str> =
        answer.get("suggestions").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    terminal::print_err(&format!("error: Element '{fqn}' not found"));
    if suggestions.is_empty() {
        terminal::print_err("hint: list the names with `dlang query bcs -q` or another type.");
    } else {
        terminal::print_err(&format!("hint: did you mean {}?", suggestions.join(" or ")));
    }
    Ok(ExitCode::from(NEGATIVE))
}

/// Returns the name and the path. A single word that cannot be a name is a path.
fn words(arguments: &Get) -> (Option<&str>, Utf8PathBuf) {
    let is_path = |word: &str| {
        word.contains(['/', '\\']) || [".", ".."].contains(&word) || Utf8Path::new(word).extension() == Some(EXTENSION)
    };
    match (arguments.fqn.as_deref(), &arguments.path) {
        (Some(word), None) if is_path(word) => (None, word.into()),
        (fqn, path) => (fqn, path.clone().unwrap_or_else(|| ".".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Get, words};

    #[test]
    fn a_single_word_is_a_name_or_a_path() {
        let read = |fqn: Option<&str>, path: Option<&str>| {
            let get = Get { fqn: fqn.map(str::to_owned), path: path.map(Into::into) };
            let (fqn, path) = words(&get);
            format!("{} in {path}", fqn.unwrap_or("summary"))
        };
        let all = [
            read(None, None),
            read(Some("Shop.Orders"), None),
            read(Some("Orders"), Some("shop")),
            read(Some("./shop"), None),
            read(Some("shop.dlang"), None),
            read(Some(".."), None),
            read(Some("a/b"), Some("shop")),
        ];
        insta::assert_snapshot!(all.join("\n"), @"
        summary in .
        Shop.Orders in .
        Orders in shop
        summary in ./shop
        summary in shop.dlang
        summary in ..
        a/b in shop
        ");
    }
}
