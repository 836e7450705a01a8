//! `cargo xtask check`: every check of the sources that does not run the product.

mod build_time_code;
mod documents;
mod layers;
mod sources;
mod words;

use anyhow::{Result, bail};
use camino::Utf8PathBuf;

use crate::run::{self, Parts};
use crate::{codegen, extension, generate, paths, setup, test};

/// Runs every check, even after a failure, and prints the seconds of each.
pub(crate) fn run() -> Result<()> {
    let mut parts = Parts::default();
    parts.part("cargo-deny", || {
        setup::run(&["cargo-deny".to_owned()])?;
        deny()
    });
    parts.part("build code", build_time_code);
    parts.part("typescript", || {
        setup::run(&extension::COMPONENTS.map(str::to_owned))?;
        extension::lint()
    });
    sources(&mut parts);
    parts.part("build", test::build);
    parts.part("clippy", clippy);
    parts.part("rustdoc", rustdoc);
    parts.part("generated", generate::check);
    parts.finish()
}

/// Runs the checks that read the sources and compile nothing.
pub(crate) fn sources(parts: &mut Parts) {
    parts.part("fmt", || run::loud(run::cargo().args(["fmt", "--all", "--check"])).map(|()| String::new()));
    parts.part("sources", || sources::check(&tracked_files()?));
    parts.part("words", || words::check(&tracked_files()?));
    parts.part("documents", || documents::check(&tracked_files()?));
    parts.part("layers", layers::check);
    parts.part("codegen", codegen::check);
}

/// Checks only words and names.
pub(crate) fn words() -> Result<()> {
    words::check(&tracked_files()?).map(|_| ())
}

/// Fails if the build, which runs clippy, printed a warning.
pub(crate) fn clippy() -> Result<String> {
    let output = test::build_command().output()?;
    if !output.status.success() || !output.stderr.is_empty() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::new())
}

/// Builds the documentation of every item, private ones included; a broken link is an error.
pub(crate) fn rustdoc() -> Result<String> {
    let mut doc = run::cargo();
    doc.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items", "--locked"]);
    run::loud(doc.env("RUSTDOCFLAGS", "-D warnings")).map(|()| String::new())
}

/// Checks licences, sources, and who may use which crate; not advisories, whose database needs the network.
pub(crate) fn deny() -> Result<String> {
    let deny = setup::program("cargo-deny", "cargo-deny");
    run::loud(run::command(deny.as_str()).args(["--log-level", "warn", "check", "bans", "licenses", "sources"]))?;
    Ok(String::new())
}

/// Compares the table of build scripts and macros with the dependencies.
pub(crate) fn build_time_code() -> Result<String> {
    build_time_code::check()
}

/// Lists the files under version control, and new files that are not ignored, relative to the root.
pub(crate) fn tracked_files() -> Result<Vec<Utf8PathBuf>> {
    let list = run::quiet(run::command("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let files: Vec<_> = list.lines().map(Utf8PathBuf::from).filter(|file| paths::ROOT.join(file).is_file()).collect();
    if files.is_empty() {
        bail!("git lists no files; the check must run in a checkout");
    }
    Ok(files)
}
