//! Builds a package twice, in two directories of different lengths, and compares the bytes.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::{USUAL, materials, package, program_name, reproducible, triple};
use crate::{check, paths, run};

/// The directories of the two builds, below `target/verify`.
const BUILDS: [&str; 2] = ["a", "the-other-build"];

/// Builds the programs of a package twice. For zubi, also packages each build. Fails if a file differs.
pub(super) fn run(name: &str) -> Result<String> {
    let mut builds = Vec::new();
    for directory in BUILDS {
        let directory = paths::target().join("verify").join(directory);
        let sources = directory.join("sources");
        copy_sources(&sources)?;
        let target = directory.join("target");
        run::loud(&mut reproducible::build_command(&sources, &target, name)?)?;
        let mut files = programs(&target.join("dist"))?;
        if name == "zubi" {
            let out = directory.join("vsix");
            let summary = package(Some((USUAL, &target.join("dist").join(program_name(USUAL)))), &out)?;
            let vsix = Utf8PathBuf::from(summary.split("  ").next().unwrap_or_default());
            files.insert(vsix.file_name().unwrap_or_default().to_owned(), read(&vsix)?);
            files.insert("bill of materials".to_owned(), materials::read(triple(USUAL)?, &sources)?.into_bytes());
        }
        builds.push(files);
    }
    let [first, second] = builds.as_slice() else { bail!("there are not two builds") };
    let differences = compare(first, second);
    if !differences.is_empty() {
        bail!("two builds of `{name}` differ:\n{}", differences.join("\n"));
    }
    let sizes: Vec<_> =
        first.iter().map(|(file, bytes)| format!("{file} ({} KiB)", bytes.len().div_ceil(1024))).collect();
    Ok(format!("two builds of `{name}` have the same bytes: {}", sizes.join(", ")))
}

/// Copies the files under version control, as they are now, to an empty directory.
pub(super) fn copy_sources(to: &Utf8Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to).with_context(|| format!("cannot empty {to}"))?;
    }
    for file in check::tracked_files()? {
        let copy = to.join(&file);
        std::fs::create_dir_all(copy.parent().unwrap_or(to))?;
        std::fs::copy(paths::ROOT.join(&file), &copy).with_context(|| format!("cannot copy {file} to {copy}"))?;
    }
    Ok(())
}

/// The executable files in a directory, by name.
fn programs(directory: &Utf8Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in directory.read_dir_utf8().with_context(|| format!("the build has not written {directory}"))? {
        let entry = entry?;
        if entry.file_type()?.is_file() && !entry.file_name().contains('.') {
            found.insert(entry.file_name().to_owned(), read(entry.path())?);
        }
    }
    if found.is_empty() {
        bail!("the build has written no program to {directory}");
    }
    Ok(found)
}

fn read(file: &Utf8Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {file}"))
}

/// A line for each file that differs or that only one build has.
fn compare(first: &BTreeMap<String, Vec<u8>>, second: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = first.keys().chain(second.keys()).collect();
    let differs = |name: &&&String| first.get(**name) != second.get(**name);
    let line = |name: &String| match (first.get(name), second.get(name)) {
        (Some(one), Some(other)) => {
            let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
            format!("{name}: from byte {same} ({} and {} bytes)", one.len(), other.len())
        }
        _ => format!("{name}: only one build has it"),
    };
    names.iter().filter(differs).map(|name| line(name)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::compare;

    #[test]
    fn each_difference_has_a_line() {
        let build = |files: &[(&str, &str)]| -> BTreeMap<String, Vec<u8>> {
            files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
        };
        let first = build(&[("dlang", "same"), ("only", ""), ("zubi", "a path")]);
        let second = build(&[("dlang", "same"), ("zubi", "a longer path")]);
        insta::assert_snapshot!(compare(&first, &second).join("\n"), @"
        only: only one build has it
        zubi: from byte 2 (6 and 13 bytes)
        ");
        assert!(compare(&first, &first).is_empty());
    }
}
