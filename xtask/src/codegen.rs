//! `cargo xtask codegen`: the files generated from DomainLang's grammar and keyword table: parts of `dlang-syntax`, the
//! page about the syntax, and the `TextMate` grammar for editors.
//!
//! The results are committed, so that building the product needs no generator; `cargo xtask check` fails if they are
//! outdated.

use anyhow::{Context as _, Result};

use crate::fresh::{self, Fresh};
use crate::{paths, run};

mod grammar;
mod keywords;
mod nodes;
mod reference;
mod textmate;

const NOTICE: &str = "Written by `cargo xtask codegen`; change `dlang.ungram` or `keywords.toml` instead.";

const PAGE_NOTICE: &str = "<!-- Written by `cargo xtask codegen` from crates/dlang-syntax/reference.md, the grammar and the table of words. -->\n\n";

/// Writes the generated files.
pub(crate) fn write() -> Result<()> {
    fresh::write(&sources()?)
}

/// Fails when a file on disk differs from the generated text.
pub(crate) fn check() -> Result<String> {
    fresh::check(&sources()?, "cargo xtask codegen")
}

fn sources() -> Result<Vec<Fresh>> {
    let home = paths::ROOT.join("crates/dlang-syntax");
    let read = |name: &str| {
        let file = home.join(name);
        std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))
    };
    let words = keywords::read(&read("keywords.toml")?)?;
    let rules = read("dlang.ungram")?;
    let grammar = grammar::read(&rules, &words)?;
    let page = reference::page(&read("reference.md")?, &rules, &words)?;
    let source = |name: &str, text: String| -> Result<Fresh> {
        Ok(Fresh { file: home.join("src/generated").join(name), text: format_source(&text)? })
    };
    Ok(vec![
        source("kinds.rs", keywords::kinds(&words, &grammar))?,
        source("keywords.rs", keywords::table(&words))?,
        source("nodes.rs", nodes::nodes(&grammar))?,
        Fresh { file: home.join("src/generated/reference.md"), text: page.clone() },
        Fresh {
            file: paths::ROOT.join("docs/src/reference/domainlang-syntax.md"),
            text: format!("{PAGE_NOTICE}{page}"),
        },
        Fresh {
            file: paths::ROOT.join("editors/vscode/syntaxes/domain-lang.tmLanguage.json"),
            text: textmate::grammar(&words),
        },
    ])
}

/// Formats a source as `cargo fmt` does.
fn format_source(text: &str) -> Result<String> {
    run::filter(run::command("rustfmt").args(["--edition", "2024", "--quiet"]), text)
}
