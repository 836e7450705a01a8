//! Fetches, links and checks a component, for each kind of source.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use camino::{Utf8Path, Utf8PathBuf};

use super::components::{Component, Source};
use crate::{paths, run};

/// The directory of a component.
pub(crate) fn directory(component: &Component) -> Utf8PathBuf {
    let own = paths::tools().join(component.name);
    if matches!(component.source, Source::Crate { .. }) { own.join(SOURCES) } else { own }
}

/// The directory of a published crate's own sources, next to `vendor` with its dependencies.
const SOURCES: &str = "sources";

/// Whether all programs and sources of the component are on disk.
pub(crate) fn is_there(component: &Component) -> bool {
    let links = paths::tools().join("bin").join(component.name);
    let programs = component.programs.iter().all(|(name, _)| links.join(name).exists());
    if let Source::NpmLocked { package } = component.source
        && !paths::ROOT.join(package).join("node_modules").exists()
    {
        return false;
    }
    programs && (matches!(component.source, Source::Apt(_)) || directory(component).exists())
}

/// Fetches a component into its directory, after emptying that.
pub(crate) fn install(component: &Component) -> Result<()> {
    let own = paths::tools().join(component.name);
    if own.exists() {
        std::fs::remove_dir_all(&own).with_context(|| format!("cannot empty {own}"))?;
    }
    match component.source {
        Source::Pip(packages) => pip(&own, packages),
        Source::PythonProgram(packages) => python_program(&own, packages),
        Source::PythonProject { requirement, sha256 } => python_project(&own, requirement, sha256),
        Source::Npm(packages) => npm(&own, packages),
        Source::NpmProject { package, integrity } => npm_project(&own, package, integrity),
        Source::NpmLocked { package } => npm_locked(&own, package),
        Source::VsCode { package } => vscode(&own, package),
        Source::Apt(choices) => apt(choices),
        Source::Deb(packages) => unpack(&own, packages, None),
        Source::ForeignDeb { suite, package, version } => foreign_deb(&own, suite, package, version),
        Source::StandardLibrary => standard_library(&own),
        Source::Cargo { package, arguments } => cargo_install(&own, package, component.version, arguments),
        Source::Crate { package, sha256 } => crate_sources(&own, package, component.version, sha256),
    }
}

/// Links the programs into the directory that tests put on PATH. Links, because the programs find their own files by
/// their real path.
pub(crate) fn link(component: &Component) -> Result<()> {
    let links = paths::tools().join("bin").join(component.name);
    if links.exists() {
        std::fs::remove_dir_all(&links)?;
    }
    if component.programs.is_empty() {
        return Ok(());
    }
    std::fs::create_dir_all(&links)?;
    for (name, path) in component.programs {
        let real = paths::tools().join(component.name).join(path); // an absolute `path` replaces the directory before it
        if !real.exists() {
            bail!("{real} is missing after the installation");
        }
        std::os::unix::fs::symlink(&real, links.join(name)).with_context(|| format!("cannot link {real}"))?;
    }
    Ok(())
}

/// Runs the component's check and returns the line with its version.
pub(crate) fn check(component: &Component) -> Result<String> {
    let [program, arguments @ ..] = component.check else {
        return Ok(component.version.to_owned());
    };
    let bin = paths::tools().join("bin");
    let own = bin.join(component.name).join(program);
    let mut command = if own.exists() { run::command(own.as_str()) } else { run::command(program) };
    let path = std::env::var("PATH").unwrap_or_default();
    command.args(arguments).env("PATH", format!("{}:{path}", bin.join("node"))).env("PYTHONPATH", directory(component));
    let output = run::quiet(&mut command)?;
    match output.lines().find(|line| line.contains(component.says)) {
        Some(line) => Ok(line.trim().to_owned()),
        None => bail!("`{}` printed `{}` instead of `{}`", run::display(&command), output.trim(), component.says),
    }
}

fn pip(own: &Utf8Path, packages: &[&str]) -> Result<()> {
    run::quiet(
        run::command("python3")
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--target"])
            .arg(own)
            .args(packages),
    )
    .context("pip is needed: on Debian, `apt-get install python3-pip`")?;
    Ok(())
}

fn python_program(own: &Utf8Path, packages: &[&str]) -> Result<()> {
    run::quiet(run::command("python3").args(["-m", "venv", "--without-pip"]).arg(own))
        .context("Python's module venv is needed: on Debian, `apt-get install python3-venv`")?;
    run::quiet(
        run::command("python3")
            .args(["-m", "pip", "--python"])
            .arg(own.join("bin/python"))
            .args(["install", "--quiet", "--disable-pip-version-check", "--no-compile"])
            .args(packages),
    )
    .context("pip is needed: on Debian, `apt-get install python3-pip`")?;
    Ok(())
}

fn python_project(own: &Utf8Path, requirement: &str, sha256: &str) -> Result<()> {
    let pinned = paths::tools().join(format!("{}.requirements.txt", own.file_name().unwrap_or("project")));
    std::fs::write(&pinned, format!("{requirement} --hash=sha256:{sha256}\n"))?;
    run::quiet(
        run::command("python3")
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-deps"])
            // The sources are read and never run, so this machine's Python may be older than the project's.
            .args(["--require-hashes", "--ignore-requires-python", "--only-binary", ":all:", "--target"])
            .arg(own)
            .args(["--requirement", pinned.as_str()]),
    )?;
    Ok(())
}

fn npm(own: &Utf8Path, packages: &[&str]) -> Result<()> {
    std::fs::create_dir_all(own)?;
    // Without its own manifest, npm would look for one in the parent directories.
    std::fs::write(own.join("package.json"), "{\"private\": true}\n")?;
    run::quiet(
        run::command("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--save-exact", "--prefix"])
            .arg(own)
            .args(packages),
    )
    .context("npm is needed: on Debian, `apt-get install npm`")?;
    Ok(())
}

/// npm checks a download against the registry's hash; this compares that hash with the pinned one.
fn npm_project(own: &Utf8Path, package: &str, integrity: &str) -> Result<()> {
    npm(own, &[package])?;
    let lock = own.join("package-lock.json");
    let text = std::fs::read_to_string(&lock).with_context(|| format!("cannot read {lock}"))?;
    let lock: serde_json::Value = serde_json::from_str(&text)?;
    let name = package.rsplit_once('@').map_or(package, |(name, _)| name);
    let found = &lock["packages"][format!("node_modules/{name}")]["integrity"];
    if *found != integrity {
        bail!("{package} has the integrity hash {found}, not the pinned {integrity}");
    }
    Ok(())
}

/// Installs the dependencies of a package of this repository, as its lock file says. The package gets a link, because
/// Node looks for modules next to the files that import them.
fn npm_locked(own: &Utf8Path, package: &str) -> Result<()> {
    let package = paths::ROOT.join(package);
    std::fs::create_dir_all(own)?;
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(package.join(file), own.join(file)).with_context(|| format!("cannot copy {package}/{file}"))?;
    }
    run::quiet(
        run::command("npm")
            .args(["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
            .arg(own)
            .current_dir(own),
    )
    .context("npm is needed: on Debian, `apt-get install npm`")?;
    let link = package.join("node_modules");
    if link.is_symlink() {
        std::fs::remove_file(&link)?;
    } else if link.exists() {
        std::fs::remove_dir_all(&link)?;
    }
    std::os::unix::fs::symlink(own.join("node_modules"), &link).with_context(|| format!("cannot link {link}"))
}

/// The lock file of a package of this repository, on which alone its installation depends.
pub(crate) fn lock_of(component: &Component) -> Result<String> {
    let Source::NpmLocked { package } = component.source else { return Ok(String::new()) };
    let file = paths::ROOT.join(package).join("package-lock.json");
    std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))
}

fn vscode(own: &Utf8Path, package: &str) -> Result<()> {
    std::fs::create_dir_all(own)?;
    std::fs::write(own.join("package.json"), "{\"private\": true}\n")?;
    let name = package.rsplit_once('@').map_or(package, |(name, _)| name);
    let host = own.join("node_modules").join(name).join("lib/vscode");
    // VS Code and its built-in extensions are packages inside the package, each with its own lock file.
    let parts = [(own.to_owned(), Some(package)), (host.clone(), None), (host.join("extensions"), None)];
    for (directory, package) in parts {
        run::quiet(
            run::command("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=dev"])
                .args(package)
                .current_dir(&directory),
        )
        .with_context(|| format!("cannot install what {directory} needs"))?;
    }
    Ok(())
}

fn apt(choices: &[&[&str]]) -> Result<()> {
    if choices.iter().any(|packages| packages.iter().all(|package| is_installed(package))) {
        return Ok(());
    }
    let first = choices.first().copied().unwrap_or_default().join(" ");
    let root = run::quiet(run::command("id").arg("-u"))?.trim() == "0";
    if !root {
        bail!("run `apt-get install --no-install-recommends {first}` as root, then set up again");
    }
    run::quiet(run::command("apt-get").arg("update"))?;
    let available = choices.iter().find(|packages| packages.iter().all(|package| is_known(package)));
    let Some(packages) = available else { bail!("apt knows no package `{first}` here") };
    run::quiet(
        run::command("apt-get")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(["install", "--yes", "--no-install-recommends"])
            .args(*packages),
    )?;
    Ok(())
}

fn is_installed(package: &str) -> bool {
    run::quiet(run::command("dpkg-query").args(["--show", "--showformat=${db:Status-Status}", package]))
        .is_ok_and(|status| status == "installed")
}

fn is_known(package: &str) -> bool {
    run::quiet(run::command("apt-cache").args(["show", "--no-all-versions", package]))
        .is_ok_and(|text| !text.is_empty())
}

/// Fetches one package of another release from the mirror that this machine uses, without changing the machine's apt.
fn foreign_deb(own: &Utf8Path, suite: &str, package: &str, version: &str) -> Result<()> {
    let mirrors = run::quiet(run::command("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    let mirror = mirrors
        .lines()
        .map(|mirror| mirror.trim_end_matches('/'))
        .find(|mirror| mirror.ends_with("/debian"))
        .context("apt has no Debian mirror configured; this component comes from one")?;
    let sources = paths::tools().join("apt-foreign.list");
    let keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    std::fs::write(&sources, format!("deb [signed-by={keyring}] {mirror} {suite} main\n"))?;
    unpack(own, &[&format!("{package}={version}")], Some(&sources))
}

/// Downloads and unpacks packages with our own package lists, from the given sources or the machine's. It installs
/// nothing, so it does not need root.
fn unpack(own: &Utf8Path, packages: &[&str], sources: Option<&Utf8Path>) -> Result<()> {
    let apt = paths::tools().join(if sources.is_some() { "apt" } else { "apt-release" });
    for directory in ["lists/partial", "cache/archives/partial", "state"] {
        std::fs::create_dir_all(apt.join(directory))?;
    }
    std::fs::write(apt.join("state/status"), "")?;
    let mut options = vec![
        ("Dir::State", apt.join("state")),
        ("Dir::State::lists", apt.join("lists")),
        ("Dir::State::status", apt.join("state/status")),
        ("Dir::Cache", apt.join("cache")),
        ("Acquire::Languages", "none".into()),
        ("APT::Sandbox::User", "".into()),
    ];
    if let Some(sources) = sources {
        options.extend([("Dir::Etc::sourcelist", sources.to_owned()), ("Dir::Etc::sourceparts", "/dev/null".into())]);
    }
    let apt_get = || {
        let mut command = run::command("apt-get");
        for (key, value) in &options {
            command.args(["-o", &format!("{key}={value}")]);
        }
        command
    };
    run::quiet(apt_get().arg("update"))?;
    std::fs::create_dir_all(own)?;
    run::quiet(apt_get().arg("download").args(packages).current_dir(own))?;
    for entry in own.read_dir_utf8()? {
        let entry = entry?;
        if entry.path().extension() == Some("deb") {
            run::quiet(run::command("dpkg-deb").arg("--extract").args([entry.path(), own]))?;
        }
    }
    Ok(())
}

/// Builds a cargo tool. If the caller's own PATH has that exact version, it links that one, which saves minutes and
/// changes nothing.
fn cargo_install(own: &Utf8Path, package: &str, version: &str, arguments: &[&str]) -> Result<()> {
    if let Some(present) = run::on_path(package) {
        let mut version_command = run::command(present.as_str());
        if package == "cargo-nextest" {
            version_command.arg("nextest");
        }
        if run::quiet(version_command.arg("--version"))
            .is_ok_and(|output| output.split_whitespace().any(|word| word == version))
        {
            std::fs::create_dir_all(own.join("bin"))?;
            std::os::unix::fs::symlink(&present, own.join("bin").join(package))?;
            return Ok(());
        }
    }
    let build = paths::tools().join("cargo-build");
    let mut install: Command = run::cargo();
    install
        .args(["install", "--quiet", "--locked", "--root"])
        .arg(own)
        .args(["--version", &format!("={version}"), package])
        .args(arguments)
        .env("CARGO_TARGET_DIR", &build);
    run::quiet(&mut install)?;
    Ok(())
}

/// The newest sources of the standard library that Debian installed: `/usr/src/rustc-<version>/library`.
pub(crate) fn rust_sources() -> Option<Utf8PathBuf> {
    let entries = Utf8Path::new("/usr/src").read_dir_utf8().ok()?.flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.file_name().starts_with("rustc-"))
        .map(|entry| entry.path().join("library"))
        .filter(|library| library.is_dir())
        .collect();
    found.sort();
    found.pop()
}

fn standard_library(own: &Utf8Path) -> Result<()> {
    let sources = rust_sources().context("the standard library's sources are not installed; see `rust-analyzer`")?;
    std::fs::create_dir_all(own)?;
    // A copy, because cargo may write to it. Its manifests use unstable keys, which this compiler accepts if the
    // variable allows them.
    run::quiet(run::command("cp").args(["--recursive", sources.as_str(), own.join("library").as_str()]))?;
    let mut vendor = run::cargo();
    vendor.current_dir(own.join("library")).env("RUSTC_BOOTSTRAP", "1");
    run::quiet(vendor.args(["vendor", "--quiet", "--locked", "--versioned-dirs", "../vendor"]))?;
    Ok(())
}

/// Fetches a crate, checks it against the pinned checksum, and fetches all its dependencies, including optional ones
/// and those of its tests: cargo needs them when the crate is opened as a project.
fn crate_sources(own: &Utf8Path, package: &str, version: &str, sha256: &str) -> Result<()> {
    let fetch = own.join("fetch");
    std::fs::create_dir_all(fetch.join("src"))?;
    std::fs::write(fetch.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{package} = \"={version}\"\n\n[workspace]\n"
    );
    std::fs::write(fetch.join("Cargo.toml"), manifest)?;
    let vendor = |directory: &Utf8Path, into: &str| {
        run::quiet(run::cargo().current_dir(directory).args(["vendor", "--quiet", "--versioned-dirs", into]))
    };
    vendor(&fetch, "vendor")?;
    let fetched = fetch.join("vendor").join(format!("{package}-{version}"));
    let checksums = fetched.join(".cargo-checksum.json");
    let text = std::fs::read_to_string(&checksums).with_context(|| format!("cannot read {checksums}"))?;
    let found: serde_json::Value = serde_json::from_str(&text)?;
    if found["package"] != sha256 {
        bail!("{package} {version} has the checksum {}, not the pinned {sha256}", found["package"]);
    }
    let sources = own.join(SOURCES);
    std::fs::rename(&fetched, &sources)?;
    std::fs::remove_dir_all(&fetch)?;
    vendor(&sources, "../vendor")?;
    Ok(())
}
