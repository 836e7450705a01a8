//! The table of everything that `setup` installs: name, exact version, source, programs, and check.
//!
//! Versions are pinned so that a test's snapshot means the same on every machine. For programs of Debian's own release,
//! apt decides the version, and `setup` prints it.

mod agents;
mod servers;
mod tools;

/// The source of a component, reached through the ordinary client of its registry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// `pip install --target` of exact versions; the first is the component itself.
    Pip(&'static [&'static str]),
    /// A program written in Python with exact versions of its dependencies, in a separate virtual environment: it runs
    /// from anywhere and sees no other packages. The first is the component itself.
    PythonProgram(&'static [&'static str]),
    /// A pure Python distribution whose sources tests use as a project, also pinned by its wheel's SHA-256.
    PythonProject { requirement: &'static str, sha256: &'static str },
    /// `npm install --prefix` of exact versions.
    Npm(&'static [&'static str]),
    /// A package whose sources tests use as a project, also pinned by the registry's integrity hash.
    NpmProject { package: &'static str, integrity: &'static str },
    /// `npm ci` for a package of this repository, with the versions in its committed lock file. The package's
    /// `node_modules` becomes a link.
    NpmLocked { package: &'static str },
    /// VS Code's server and workbench from npm. Scripts of the package would install its dependencies and compile
    /// native modules. The host starts without those, so no script runs and no compiler is needed.
    VsCode { package: &'static str },
    /// Packages of the running Debian release. Each inner list is one alternative; the first that apt knows is used.
    Apt(&'static [&'static [&'static str]]),
    /// Packages of the running Debian release, unpacked without installing them: one package and the libraries that it
    /// needs.
    Deb(&'static [&'static str]),
    /// A statically linked program from another Debian release's package, unpacked without installing it.
    ForeignDeb { suite: &'static str, package: &'static str, version: &'static str },
    /// `cargo install --locked`.
    Cargo { package: &'static str, arguments: &'static [&'static str] },
    /// The dependencies of the standard library: rust-analyzer queries cargo about them, and cargo must not need a
    /// network. `cargo vendor` fetches them for the sources in the `rust-analyzer` component.
    StandardLibrary,
    /// A published crate with the sources of all its dependencies, fetched with `cargo vendor`; `sha256` is the
    /// registry's checksum of the `.crate` file.
    Crate { package: &'static str, sha256: &'static str },
}

/// A component to install.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Component {
    /// The name for `--only` and the tests; also its directory under `target/tools`.
    pub(crate) name: &'static str,
    /// The exact version; `release` if apt decides.
    pub(crate) version: &'static str,
    pub(crate) source: Source,
    /// Program names with their paths: below the component's directory, or absolute for apt. `setup` links them into
    /// `target/tools/bin/<component>/`, which the tests put on PATH.
    pub(crate) programs: &'static [(&'static str, &'static str)],
    /// A command that must succeed and print `says`; if empty, the programs or sources only have to exist.
    pub(crate) check: &'static [&'static str],
    pub(crate) says: &'static str,
    /// The purpose, which `setup` prints.
    pub(crate) why: &'static str,
    /// Whether a plain `setup` omits the component; a command installs it by name, or `setup --full`.
    pub(crate) on_demand: bool,
}

const PLAIN: Component = Component {
    name: "",
    version: "",
    source: Source::Pip(&[]),
    programs: &[],
    check: &[],
    says: "",
    why: "",
    on_demand: false,
};

/// The directory of valgrind's tools below its component's directory. valgrind needs it in `VALGRIND_LIB`.
pub(crate) const VALGRIND_TOOLS: &str = "usr/libexec/valgrind";

/// All components, in the order of installation.
pub(crate) fn all() -> impl Iterator<Item = &'static Component> {
    servers::SERVERS.iter().chain(tools::TOOLS).chain(agents::AGENTS)
}

/// The components on demand that the tests of a full run use.
pub(crate) fn for_full_tests() -> impl Iterator<Item = &'static Component> {
    agents::AGENTS.iter()
}

#[cfg(test)]
mod tests;
