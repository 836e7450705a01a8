//! Clients, projects that tests read, and the programs that check, test and measure.

use super::servers::QUICKLY_BUILT;
use super::{Component, PLAIN, Source};

/// The components, in the order of installation.
pub(super) const TOOLS: &[Component] = &[
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
        name: "agent-sdks",
        version: "0.24.0",
        source: Source::Pip(&["openai-agents==0.24.0", "google-genai==3.6.1", "anthropic==2.14.0"]),
        check: &[
            "python3",
            "-c",
            "import importlib.metadata as m; print(*(m.version(n) for n in ('openai-agents', 'google-genai', 'anthropic')))",
        ],
        says: "0.24.0",
        why: "what the SDKs of OpenAI, Google and Anthropic make of the tools' schemas",
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
        // It finds its libraries through `LD_LIBRARY_PATH`, and its own files through `VIMRUNTIME`.
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
        // Its client parses capabilities with cattrs, which from version 25 on rejects what other clients accept.
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
        name: "bubblewrap",
        version: "release",
        source: Source::Deb(&["bubblewrap"]),
        programs: &[("bwrap", "usr/bin/bwrap")],
        check: &["bwrap", "--version"],
        says: "bubblewrap",
        why: "the namespaces of the highest level of the sandbox",
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
            ("prettier", "node_modules/.bin/prettier"),
            ("esbuild", "node_modules/.bin/esbuild"),
            ("vitest", "node_modules/.bin/vitest"),
            ("vsce", "node_modules/.bin/vsce"),
        ],
        check: &["tsc", "--version"],
        says: "Version ",
        why: "checks, bundles, tests and packages the VS Code extension",
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
        name: "cargo-cyclonedx",
        version: "0.5.9",
        source: Source::Cargo { package: "cargo-cyclonedx", arguments: &[] },
        programs: &[("cargo-cyclonedx", "bin/cargo-cyclonedx")],
        check: &["cargo-cyclonedx", "cyclonedx", "--version"],
        says: "0.5.9",
        why: "writes the bill of materials of a package, for `cargo xtask package`",
        on_demand: true,
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
        name: "homeassistant",
        version: "2026.11.0",
        source: Source::PythonProject {
            requirement: "homeassistant==2026.11.0",
            sha256: "7ca5fbde9dea879ac7723949fc84347aac5182e6309c357b2e4973fd391b00f7",
        },
        why: "the large Python project of `cargo xtask bench -- index`",
        on_demand: true,
        ..PLAIN
    },
    Component {
        name: "ctags",
        version: "release",
        source: Source::Apt(&[&["universal-ctags"]]),
        programs: &[("ctags", "/usr/bin/ctags")],
        check: &["ctags", "--version"],
        says: "Universal Ctags",
        why: "what the index and its outlines are measured against, for `cargo xtask bench -- index` and `-- outlines`",
        on_demand: true,
    },
    Component {
        name: "valgrind",
        version: "release",
        source: Source::Deb(&["valgrind"]),
        // The script `valgrind` would start an installed program; see [`super::VALGRIND_TOOLS`].
        programs: &[("valgrind", "usr/bin/valgrind.bin")],
        check: &["valgrind", "--version"],
        says: "valgrind-",
        why: "counts instructions, for `cargo xtask bench -- model`",
        on_demand: true,
    },
    Component {
        name: "postgresql",
        version: "release",
        // The programs of the server are in a folder of its version, where the tests find them.
        source: Source::Apt(&[&["postgresql", "postgresql-client"]]),
        programs: &[("psql", "/usr/bin/psql")],
        check: &["psql", "--version"],
        says: "PostgreSQL",
        why: "the server of a team's index, which the tests start in a folder of their own",
        ..PLAIN
    },
    Component {
        name: "ripgrep",
        version: "release",
        source: Source::Apt(&[&["ripgrep"]]),
        programs: &[("rg", "/usr/bin/rg")],
        check: &["rg", "--version"],
        says: "ripgrep",
        why: "what `file.search` is measured against, for `cargo xtask bench -- tools`",
        on_demand: true,
    },
    Component {
        name: "agent-lsp",
        version: "0.23.5",
        source: Source::PythonProgram(&["agent-lsp==0.23.5"]),
        programs: &[("agent-lsp", "bin/agent-lsp")],
        why: "a bridge that `cargo xtask bench -- tasks` compares with zubi",
        on_demand: true,
        ..PLAIN
    },
    Component {
        name: "codescout",
        version: "0.15.0",
        // Its build with optimization takes half an hour. The benchmark counts tokens, which do not depend on it.
        source: Source::Cargo { package: "codescout", arguments: QUICKLY_BUILT },
        programs: &[("codescout", "bin/codescout")],
        check: &["codescout", "--version"],
        says: "codescout 0.15.0",
        why: "a bridge that `cargo xtask bench -- tasks` compares with zubi",
        on_demand: true,
    },
    Component {
        name: "serena",
        version: "2.1.0",
        source: Source::PythonProgram(&["serena-agent==2.1.0"]),
        programs: &[("serena", "bin/serena")],
        why: "a bridge that `cargo xtask bench -- tasks` compares with zubi",
        on_demand: true,
        ..PLAIN
    },
];
