//! The floor of every program: it reads and parses the files one after the other.

use std::hint::black_box;

use anyhow::{Result, ensure};
use camino::{Utf8Path, Utf8PathBuf};

/// Reads every model below a folder.
pub(crate) fn read(folder: &Utf8Path) -> Result<()> {
    for path in models(folder)? {
        black_box(std::fs::read_to_string(path)?);
    }
    Ok(())
}

/// Reads and parses every model below a folder, and holds the trees in memory, as a program that answers queries must.
pub(crate) fn parse(folder: &Utf8Path) -> Result<()> {
    let mut trees = Vec::new();
    for path in models(folder)? {
        let parse = dlang_syntax::parse(&std::fs::read_to_string(path)?);
        ensure!(!parse.has_errors(), "the model has errors");
        trees.push(parse);
    }
    black_box(trees);
    Ok(())
}

fn models(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>> {
    let mut models = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8()? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.into_path());
            } else if entry.path().extension() == Some("dlang") {
                models.push(entry.into_path());
            }
        }
    }
    Ok(models)
}
