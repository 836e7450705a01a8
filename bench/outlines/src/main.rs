//! The recall of outlines, run as `cargo xtask bench -- outlines`: which classes, functions and methods that ctags and the
//! real language servers report are in the outlines of `zubi-syntax`.
//!
//! Each reference reads the same files, in a copy of published sources. A declaration of a reference is found if the outline
//! has its name in the same lines. The command prints a table and writes the page `docs/src/reference/outlines.md`; with
//! names of corpora it measures only these and prints each missed declaration. With `fixtures` it writes the declarations
//! in `tests/fixtures` that the quick test of `zubi-syntax` compares with the outlines.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that measures: it prints its figures and starts what it measures"
)]

mod corpus;
mod ctags;
mod fixtures;
mod page;
mod recall;
mod server;

use anyhow::{Result, bail};

use corpus::{CORPORA, Corpus};
use recall::RecallRow;

fn main() -> Result<()> {
    zubi_tests::processes::adopt_orphans();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [first] if first == "fixtures" => fixtures::write(),
        [] => {
            let mut rows = Vec::new();
            for corpus in CORPORA {
                rows.extend(measure(corpus, false)?);
            }
            page::write(&rows)
        }
        names => {
            for name in names {
                let Some(corpus) = CORPORA.iter().find(|corpus| corpus.name == name) else {
                    let known: Vec<_> = CORPORA.iter().map(|corpus| corpus.name).collect();
                    bail!("unknown corpus `{name}`; there are {} and `fixtures`", known.join(", "));
                };
                measure(corpus, true)?;
            }
            Ok(())
        }
    }
}

/// Compares the outlines of a corpus with each of its references.
fn measure(corpus: &'static Corpus, prints_missed: bool) -> Result<Vec<RecallRow>> {
    let sources = corpus.copy()?;
    let mut rows = Vec::new();
    for reference in corpus.references() {
        let reported = reference.declarations(&sources)?;
        let row = recall::compare(corpus, reference.name(), &sources, &reported, prints_missed);
        println!("{row}");
        rows.push(row);
    }
    Ok(rows)
}
