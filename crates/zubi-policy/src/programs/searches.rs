//! The patterns and types of a search over many files.

use super::options::parse;
use super::{Options, find};

/// The values of the options of `rg` that select files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchOptions {
    pub(crate) globs: Vec<String>,
    pub(crate) types: Vec<String>,
}

/// Returns the options of a command that prints contents of all files below its folders; `None` for other commands, also
/// for those that print only names.
pub(crate) fn search_options(argv: &[String]) -> Option<SearchOptions> {
    let name = argv.first().filter(|name| *name == "rg")?;
    let row = find(name, "")?;
    let arguments = parse(row, Options::Only(row.looking?), argv, 1);
    let mut options = SearchOptions::default();
    for (name, value) in arguments.options {
        match (name.as_str(), value) {
            ("files", _) => return None,
            ("g" | "glob", Some(value)) => options.globs.push(value),
            ("t" | "type", Some(value)) => options.types.push(value),
            _ => {}
        }
    }
    Some(options)
}
