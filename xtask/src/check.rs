//! `cargo xtask check`: everything that can be said about the sources without running the product.

mod documents;
mod layers;
mod sources;

use anyhow::{Result, bail};
use camino::Utf8PathBuf;

use crate::run::{self, Parts};
use crate::{codegen, extension, generate, place, setup};

/// Runs every check, also after one failed, and prints the seconds each took.
pub(crate) fn run() -> Result<()> {
    let mut parts = Parts::default();
    parts.part("cargo-deny", || {
        setup::run(&["cargo-deny".to_owned()])?;
        deny()
    });
    parts.part("typescript", || {
        setup::run(&extension::COMPONENTS.map(str::to_owned))?;
        extension::lint()
    });
    all(&mut parts);
    parts.finish()
}

/// The checks that need nothing installed, for `test`, which has done its own set-up.
pub(crate) fn all(parts: &mut Parts) {
    parts.part("fmt", || run::loud(run::cargo().args(["fmt", "--all", "--check"])).map(|()| String::new()));
    parts.part("sources", || sources::check(&tracked()?));
    parts.part("documents", || documents::check(&tracked()?));
    parts.part("layers", layers::check);
    parts.part("codegen", codegen::check);
    parts.part("clippy", || {
        let mut clippy = run::cargo();
        clippy.args(["clippy", "--quiet", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]);
        run::loud(&mut clippy).map(|()| String::new())
    });
    parts.part("rustdoc", || {
        let mut doc = run::cargo();
        doc.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items", "--locked"]);
        run::loud(doc.env("RUSTDOCFLAGS", "-D warnings")).map(|()| String::new())
    });
    parts.part("generated", generate::check);
}

/// Licences, sources and who may use which crate. Advisories need a database from the network and are not part of it.
pub(crate) fn deny() -> Result<String> {
    let deny = setup::program("cargo-deny", "cargo-deny");
    run::loud(run::command(deny.as_str()).args(["--log-level", "warn", "check", "bans", "licenses", "sources"]))?;
    Ok(String::new())
}

/// The files under version control, and new ones that are not ignored; relative to the root.
fn tracked() -> Result<Vec<Utf8PathBuf>> {
    let list = run::quiet(run::command("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let files: Vec<_> = list.lines().map(Utf8PathBuf::from).filter(|file| place::ROOT.join(file).is_file()).collect();
    if files.is_empty() {
        bail!("git lists no files; the check must run in a checkout");
    }
    Ok(files)
}
