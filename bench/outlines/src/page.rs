//! The page of the book.

use std::fmt::Write as _;

use anyhow::Result;
use zubi_tests::tools;

use crate::recall::RecallRow;

const FILE: &str = "docs/src/reference/outlines.md";

/// The text before the table.
const BEFORE: &str = "\
<!-- By `cargo xtask bench -- outlines`. Do not edit. -->
# Outlines by syntax

Without a ready language server, zubi takes outlines, symbols and bodies from the syntax of the files. This page says how
many of the classes, functions and methods that other programs find are in these outlines. The references are
[Universal Ctags](https://ctags.io) and the language servers that zubi's tests use (`textDocument/documentSymbol`).

Each reference reads the same files, at most 150 of each corpus. Classes include structs, interfaces, traits and
enumerations. A declaration is found if the outline has its name in its lines. Functions without a name are not counted.

The column \"others\" counts names that a reference reports although the text of the line does not declare them: names
that a macro makes (`TEST(suite, case)`), types of C++ that are only announced (`class Options;`), imported names
(jedi-language-server), objects that ctags takes for classes (`rules.paragraph = {`), and types of comments
(`@typedef {…} Option`). They are not among the declarations. A rule for each
language decides this, and only for names that the outline lacks, so a rule that is too wide would raise the recall.

";

/// The text after the table.
const AFTER: &str = "
Other servers of the tests have no row:

- ruff reports no symbols.
- The languages of tombi (TOML) and of the servers for YAML, JSON, HTML and CSS have no classes, functions and methods.
  Outlines have their keys, elements and rules.
- Fortran (fortls), Protocol Buffers (buf), just (just-lsp) and Dockerfiles (docker-langserver) have no grammar in zubi:
  zubi has no outline of such a file without its server, and says so.
";

/// Writes the page.
pub(crate) fn write(rows: &[RecallRow]) -> Result<()> {
    let mut text = BEFORE.to_owned();
    text.push_str("| corpus | reference | files | declarations | found | recall | others | missed, and why |\n");
    text.push_str("|---|---|--:|--:|--:|--:|--:|---|\n");
    for row in rows {
        let RecallRow { corpus, reference, files, declarations, found, others } = row;
        let reason = corpus.reasons.iter().find(|(name, _)| name == reference).map_or("", |(_, reason)| *reason);
        let recall = row.recall();
        let title = corpus.title;
        writeln!(
            text,
            "| {title} | {reference} | {files} | {declarations} | {found} | {recall:.3} | {others} | {reason} |"
        )?;
    }
    text.push_str(AFTER);
    std::fs::write(tools::ROOT.join(FILE), text)?;
    println!("written: {FILE}");
    Ok(())
}
