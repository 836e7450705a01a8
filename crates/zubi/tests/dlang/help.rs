//! The help of the commands.

use crate::check::check;
use crate::help_pages::{self, HelpPage};

#[test]
fn every_command_has_help_with_examples() {
    let pages = help_pages::pages(|words| check("", &words.join(" ")));
    let mut problems: Vec<String> = pages.iter().flat_map(HelpPage::problems).collect();
    // The help of `lsp` has editor configurations instead of examples.
    let has_examples = |page: &HelpPage| page.command == ["lsp"] || page.text.contains("\nExamples:\n  dlang ");
    let without = pages.iter().filter(|page| !has_examples(page));
    problems.extend(without.map(|page| format!("{:?}: no examples", page.command)));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn version_flags() {
    let version = check("", "--version");
    assert_eq!(version, concat!("exit 0\n--- stdout\ndlang ", env!("CARGO_PKG_VERSION")));
    assert_eq!([check("", "-v"), check("", "-V")], [version.clone(), version]);
}

#[test]
fn no_arguments_print_help() {
    let output = check("", "");
    assert!(output.starts_with("exit 2\n--- stderr\nChecks and queries"), "{output}");
}
