//! `cargo xtask package`: the VS Code extension as packages (VSIX), with zubi's program and without it, and the bill of
//! materials of the program.
//!
//! A package is assembled in a directory of its own, so that it holds only the files that `.vscodeignore` allows and no
//! stray files of the sources. [`reproducible`] makes the bytes of all of them independent of time and place, and
//! `--verify` builds everything twice to prove it.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::{extension, paths, run, setup};

mod materials;
mod reproducible;
mod verify;

/// The systems of the packages, with vsce's names and Rust's targets.
const TARGETS: &[(&str, &str)] = &[
    ("linux-x64", "x86_64-unknown-linux-gnu"),
    ("linux-arm64", "aarch64-unknown-linux-gnu"),
    ("linux-armhf", "armv7-unknown-linux-gnueabihf"),
    ("alpine-x64", "x86_64-unknown-linux-musl"),
    ("alpine-arm64", "aarch64-unknown-linux-musl"),
    ("darwin-x64", "x86_64-apple-darwin"),
    ("darwin-arm64", "aarch64-apple-darwin"),
    ("win32-x64", "x86_64-pc-windows-msvc"),
    ("win32-arm64", "aarch64-pc-windows-msvc"),
];

/// The system of the package that is built by default, besides the package for all systems.
const USUAL: &str = "linux-x64";

/// The arguments of the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The only system to package for. Without it: the default one, and all systems without a program.
    target: Option<String>,
    /// An existing build of the program.
    program: Option<Utf8PathBuf>,
    /// The directory for the packages instead of `target/vsix`.
    out: Option<Utf8PathBuf>,
    /// The package of the workspace whose programs are built twice and compared. Nothing is packaged for use then.
    verify: Option<String>,
}

impl Options {
    /// Parses the command line.
    pub(crate) fn read(arguments: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            if flag == "--verify" {
                options.verify = Some(rest.next().map_or("zubi", String::as_str).to_owned());
                continue;
            }
            let value = rest.next().with_context(|| format!("`{flag}` needs a value"))?;
            match flag.as_str() {
                "--target" => options.target = Some(value.clone()),
                "--program" => options.program = Some(value.into()),
                "--out" => options.out = Some(value.into()),
                _ => bail!(
                    "`package` takes only `--target T`, `--program FILE`, `--out DIRECTORY` and `--verify [PACKAGE]`"
                ),
            }
        }
        if options.verify.is_some() && arguments.len() > 2 {
            bail!("`--verify` takes no other options: it builds for this machine");
        }
        Ok(options)
    }
}

/// Builds the packages and prints their sizes.
pub(crate) fn run(options: &Options) -> Result<()> {
    let components = extension::COMPONENTS.into_iter().chain([materials::COMPONENT]);
    setup::run(&components.map(str::to_owned).collect::<Vec<_>>())?;
    if let Some(package) = &options.verify {
        println!("{}", verify::run(package)?);
        return Ok(());
    }
    let target = options.target.as_deref().unwrap_or(USUAL);
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build(target)?,
    };
    let out = options.out.clone().unwrap_or_else(|| paths::target().join("vsix"));
    println!("{}", package(Some((target, &program)), &out)?);
    if options.target.is_none() {
        println!("{}", package(None, &out)?);
    }
    println!("{}", materials::write(triple(target)?, &out)?);
    Ok(())
}

/// Rust's name of a system.
fn triple(target: &str) -> Result<&'static str> {
    let names: Vec<_> = TARGETS.iter().map(|(name, _)| *name).collect();
    let found = TARGETS.iter().find(|(name, _)| *name == target);
    let (_, triple) = found
        .with_context(|| format!("there is no target `{target}` with a program; there are {}", names.join(", ")))?;
    Ok(triple)
}

/// Builds zubi for a system, small and without symbols, as the profile says.
fn build(target: &str) -> Result<Utf8PathBuf> {
    let triple = triple(target)?;
    let mut directory = paths::target();
    let mut cargo = reproducible::build_command(&paths::ROOT, &directory, "zubi")?;
    if triple != output_after("host: ", Command::new("rustc").arg("-vV"))? {
        if !reproducible::sysroot()?.join("lib/rustlib").join(triple).is_dir() {
            bail!("Rust's target {triple} is missing, which {target} needs: `rustup target add {triple}`");
        }
        cargo.args(["--target", triple]);
        directory.push(triple);
    }
    run::loud(&mut cargo)?;
    Ok(directory.join("dist").join(program_name(target)))
}

/// The rest of the output line that begins with `before`.
fn output_after(before: &str, command: &mut Command) -> Result<String> {
    let output = run::quiet(command)?;
    let line = output.lines().find_map(|line| line.strip_prefix(before));
    Ok(line.with_context(|| format!("`{}` prints no such line", run::display(command)))?.to_owned())
}

fn program_name(target: &str) -> &'static str {
    if target.starts_with("win32") { "zubi.exe" } else { "zubi" }
}

/// Builds one package: for a system with its program, or for all systems without one. Returns its path and size.
fn package(program: Option<(&str, &Utf8Path)>, out: &Utf8Path) -> Result<String> {
    let stage = out.join(program.map_or("universal", |(target, _)| target));
    if stage.exists() {
        std::fs::remove_dir_all(&stage).with_context(|| format!("cannot empty {stage}"))?;
    }
    std::fs::create_dir_all(&stage).with_context(|| format!("cannot create {stage}"))?;
    copy_allowed(&extension::directory(), &stage)?;
    // Only the bundle: another step checks the types.
    run::quiet(extension::node().args(["build.ts", stage.join("dist/extension.cjs").as_str(), "--minify"]))?;
    let version = version(&stage)?;
    let mut vsce = extension::tool("vsce");
    // The bundle contains the dependencies; there is no repository address, and there are two licence files.
    vsce.args(["package", "--no-dependencies", "--allow-missing-repository", "--skip-license"]);
    let name = match program {
        Some((target, program)) => {
            copy_program(program, &stage.join("server").join(program_name(target)))?;
            vsce.args(["--target", target]);
            format!("zubi-{target}-{version}.vsix")
        }
        None => format!("zubi-{version}.vsix"),
    };
    let vsix = out.join(name);
    reproducible::fix_time(&mut vsce)?;
    run::quiet(vsce.args(["--out", vsix.as_str()]).current_dir(&stage))?;
    let size = std::fs::metadata(&vsix).with_context(|| format!("{vsix} was not created"))?.len();
    let kib = size.div_ceil(1024);
    Ok(format!("{vsix}  {}.{} MiB", kib / 1024, kib % 1024 * 10 / 1024))
}

/// Copies the program and makes it executable; the package preserves that.
fn copy_program(program: &Utf8Path, to: &Utf8Path) -> Result<()> {
    let directory = to.parent().context("a path without a directory")?;
    std::fs::create_dir_all(directory)?;
    std::fs::copy(program, to).with_context(|| format!("cannot copy {program}"))?;
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Copies the files that `.vscodeignore` allows, except built ones, and `.vscodeignore` itself.
fn copy_allowed(from: &Utf8Path, to: &Utf8Path) -> Result<()> {
    const LIST: &str = ".vscodeignore";
    let list = std::fs::read_to_string(from.join(LIST)).with_context(|| format!("cannot read {from}/{LIST}"))?;
    let is_built = |pattern: &&str| pattern.starts_with("dist/") || pattern.starts_with("server/");
    for pattern in list.lines().filter_map(|line| line.strip_prefix('!')).filter(|pattern| !is_built(pattern)) {
        let (directory, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let (begins, ends) = name.split_once('*').unwrap_or((name, ""));
        let mut copied = 0;
        for entry in from.join(directory).read_dir_utf8().with_context(|| format!("`{pattern}` of {LIST}"))? {
            let entry = entry?;
            let is_match = entry.file_name().starts_with(begins) && entry.file_name().ends_with(ends);
            if is_match && entry.file_type()?.is_file() {
                std::fs::create_dir_all(to.join(directory))?;
                std::fs::copy(entry.path(), to.join(directory).join(entry.file_name()))?;
                copied += 1;
            }
        }
        if copied == 0 {
            bail!("`{pattern}` of {LIST} matches no file");
        }
    }
    std::fs::copy(from.join(LIST), to.join(LIST))?;
    Ok(())
}

fn version(stage: &Utf8Path) -> Result<String> {
    let manifest: Value = serde_json::from_str(&std::fs::read_to_string(stage.join("package.json"))?)?;
    Ok(manifest["version"].as_str().context("package.json has no version")?.to_owned())
}

#[cfg(test)]
mod tests;
