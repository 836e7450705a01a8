//! The conditions under which two builds of one commit have the same bytes, in any directory and at any time.
//!
//! Programs contain the paths of their sources (in panic messages and `assert`), and archives contain times. So the paths
//! are replaced by fixed ones, and the time is that of the commit (`SOURCE_DATE_EPOCH`, reproducible-builds.org).

use std::process::Command;

use anyhow::{Context as _, Result};
use camino::{Utf8Path, Utf8PathBuf};

use super::output_after;
use crate::run;

/// The command that builds the programs of a package in `sources` with the profile `dist`.
pub(super) fn build_command(sources: &Utf8Path, target: &Utf8Path, package: &str) -> Result<Command> {
    let mut cargo = run::cargo();
    cargo.args(["build", "--locked", "--profile", "dist", "--package", package, "--bins"]);
    cargo.current_dir(sources).env("CARGO_TARGET_DIR", target);
    let replaced = [
        (cargo_home()?, "/cargo"),
        (sysroot()?, "/rust"),
        (sources.to_owned(), "/zubi"),
        // Usually below the one before: the last match counts, for rustc and for C compilers.
        (target.to_owned(), "/target"),
    ];
    let flags = |option: &str, separator: &str| {
        let flags = replaced.iter().map(|(from, to)| format!("{option}{from}={to}"));
        flags.collect::<Vec<_>>().join(separator)
    };
    // The separator of this variable is the byte 31, so that a path may contain spaces.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags("--remap-path-prefix=", "\u{1f}"));
    for compiler_flags in ["CFLAGS", "CXXFLAGS"] {
        cargo.env(compiler_flags, flags("-ffile-prefix-map=", " "));
    }
    for wrapper in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS"] {
        cargo.env_remove(wrapper);
    }
    fix_time(&mut cargo)?;
    Ok(cargo)
}

/// Sets the time of the commit, and the time zone in which archives store it.
pub(super) fn fix_time(command: &mut Command) -> Result<()> {
    let time = run::quiet(run::command("git").args(["log", "-1", "--format=%ct"]))?;
    command.env("SOURCE_DATE_EPOCH", time.trim()).env("TZ", "UTC");
    Ok(())
}

/// The directory of Rust's own libraries and sources.
pub(super) fn sysroot() -> Result<Utf8PathBuf> {
    Ok(Utf8PathBuf::from(output_after("", Command::new("rustc").args(["--print", "sysroot"]))?))
}

/// The directory in which cargo has the sources of dependencies.
fn cargo_home() -> Result<Utf8PathBuf> {
    let own = std::env::var("CARGO_HOME").ok().filter(|directory| !directory.is_empty()).map(Utf8PathBuf::from);
    let default = || std::env::var("HOME").ok().map(|home| Utf8PathBuf::from(home).join(".cargo"));
    own.or_else(default).context("neither CARGO_HOME nor HOME is set")
}
