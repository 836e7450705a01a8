//! The declarations in the tests' fixtures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use zubi_tests::tools;

use crate::corpus::CORPORA;
use crate::recall::is_declared;

/// The file that the quick test of `zubi-syntax` reads.
const FILE: &str = "crates/zubi-syntax/tests/syntax/declarations.txt";

/// Writes the declarations that the references report for the fixtures: a line `path:line name`, and who reports it.
pub(crate) fn write() -> Result<()> {
    let mut reported: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for corpus in CORPORA {
        let Some(directory) = corpus.fixture() else { continue };
        let sources = corpus.copy_from(&tools::ROOT.join(&directory))?;
        if sources.files.is_empty() || !seen.insert(directory.clone()) {
            continue;
        }
        for reference in corpus.references() {
            for declaration in reference.declarations(&sources)? {
                let text = sources.text(&declaration.file);
                let line = text.lines().nth(declaration.line - 1).unwrap_or_default();
                if !is_declared(corpus, line, &declaration) {
                    continue;
                }
                let line = (directory.join(&declaration.file), declaration.line, declaration.name);
                reported.entry(line).or_default().insert(reference.name());
            }
        }
    }
    let mut text =
        String::from("# By `cargo xtask bench -- outlines fixtures`: the declarations, and who reports them.\n");
    for ((file, line, name), references) in &reported {
        let references: Vec<_> = references.iter().copied().collect();
        writeln!(text, "{file}:{line} {name} {}", references.join(","))?;
    }
    std::fs::write(tools::ROOT.join(FILE), text)?;
    println!("{} declarations in {FILE}", reported.len());
    Ok(())
}
