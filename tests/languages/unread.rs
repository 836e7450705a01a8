//! Code that a server has not read: another build, another language, a broken toolchain. Answers name it.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::zubi::Start;
use zubi_tests::{Project, Zubi};

#[tokio::test]
async fn code_for_other_builds_is_named_by_gopls() {
    let project = Project::empty();
    project.write("go.mod", "module example.test/a\n\ngo 1.24\n");
    project
        .write("store/store.go", "package store\n\n// Open opens.\nfunc Open(name string) int { return len(name) }\n");
    project.write(
        "store/it_test.go",
        "//go:build integration\n\npackage store\n\nimport \"testing\"\n\nfunc TestOpen(t *testing.T) { _ = Open(\"x\") }\n",
    );
    project.write("store/open_windows.go", "package store\n\nfunc fromRegistry() int { return Open(\"reg\") }\n");
    project.write(
        "store/plain_test.go",
        "package store\n\nimport \"testing\"\n\n// Open again.\nfunc TestPlain(t *testing.T) { _ = Open(\"y\") }\n",
    );
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Open", "path": "store" })).await, @r#"
    at store/store.go:4:6 Open (function)
    2 references to `Open` in 2 files
    store/plain_test.go
      6:36  func TestPlain(t *testing.T) { _ = Open("y") }
    store/store.go
      4:6  func Open(name string) int { return len(name) }  (declaration)
    4 further word matches: 2 in comments or strings, 2 in code that no server has read: includeText=true
    [gopls · ready · may be incomplete: `Open` also occurs in store/it_test.go (1: build constraint `integration`), store/open_windows.go (1: only for windows, by its name)]
    "#);
    let rename = json!({ "symbol": "Open", "path": "store", "newName": "Create" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @r#"
    at store/store.go:4:6 Open (function)
    plan p-[plan]: rename `Open` to `Create`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `Open` in comments, strings and documents (1 file) will stay: includeText=true
    note: uses may be left: `lsp_references` with includeText=true lists them
    diff --git a/store/plain_test.go b/store/plain_test.go
    --- a/store/plain_test.go
    +++ b/store/plain_test.go
    @@ -3,4 +3,4 @@
     import "testing"
     
     // Open again.
    -func TestPlain(t *testing.T) { _ = Open("y") }
    +func TestPlain(t *testing.T) { _ = Create("y") }
    diff --git a/store/store.go b/store/store.go
    --- a/store/store.go
    +++ b/store/store.go
    @@ -1,4 +1,4 @@
     package store
     
    -// Open opens.
    -func Open(name string) int { return len(name) }
    +// Create opens.
    +func Create(name string) int { return len(name) }
    apply_edit {"plan":"p-[plan]"} writes it
    [gopls · ready · may be incomplete: `Open` also occurs in store/it_test.go (1: build constraint `integration`), store/open_windows.go (1: only for windows, by its name)]
    "#);
}

/// A module in TypeScript with uses in a component, a template and a page.
fn components() -> Project {
    let project = Project::empty();
    project.write(
        "tsconfig.json",
        r#"{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "noEmit": true } }"#,
    );
    project.write("src/price.ts", "export function priceOf(cents: number): string { return `${cents}`; }\n");
    project.write("src/use.ts", "import { priceOf } from \"./price\";\nexport const p = priceOf(1); // priceOf\n");
    project.write(
        "src/Cart.vue",
        "<script setup lang=\"ts\">\nimport { priceOf } from \"./price\";\n</script>\n<template><b>priceOf {{ priceOf(3) }}</b></template>\n",
    );
    project.write(
        "src/Item.svelte",
        "<script lang=\"ts\">\n  import { priceOf } from \"./price\";\n</script>\n<b>{priceOf(4)}</b>\n",
    );
    project
}

#[tokio::test]
async fn uses_in_components_are_named() {
    let project = components();
    let zubi = Zubi::start(&project, &["node", "typescript"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "priceOf" })).await, @r#"
    at src/price.ts:1:17 priceOf (function)
    3 references to `priceOf` in 2 files
    src/price.ts
      1:17  export function priceOf(cents: number): string { return `${cents}`; }  (declaration)
    src/use.ts
      1:10  import { priceOf } from "./price";
      2:18  export const p = priceOf(1); // priceOf
    5 further word matches: 1 in comments or strings, 4 in code that no server has read: includeText=true
    [typescript · ready · may be incomplete: `priceOf` also occurs in src/Cart.vue (2: no queried server reads it), src/Item.svelte (2: no queried server reads it)]
    "#);
    let rename = json!({ "symbol": "priceOf", "newName": "priceText" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @r#"
    at src/price.ts:1:17 priceOf (function)
    plan p-[plan]: rename `priceOf` to `priceText`, 3 edits in 2 files; nothing is written yet
    note: 1 mention of `priceOf` in comments, strings and documents (1 file) will stay: includeText=true
    note: uses may be left: `lsp_references` with includeText=true lists them
    diff --git a/src/price.ts b/src/price.ts
    --- a/src/price.ts
    +++ b/src/price.ts
    @@ -1 +1 @@
    -export function priceOf(cents: number): string { return `${cents}`; }
    +export function priceText(cents: number): string { return `${cents}`; }
    diff --git a/src/use.ts b/src/use.ts
    --- a/src/use.ts
    +++ b/src/use.ts
    @@ -1,2 +1,2 @@
    -import { priceOf } from "./price";
    -export const p = priceOf(1); // priceOf
    +import { priceText } from "./price";
    +export const p = priceText(1); // priceOf
    apply_edit {"plan":"p-[plan]"} writes it
    [typescript · ready · may be incomplete: `priceOf` also occurs in src/Cart.vue (2: no queried server reads it), src/Item.svelte (2: no queried server reads it)]
    "#);
}

#[tokio::test]
async fn the_server_of_a_component_is_queried_too() {
    let project = components();
    let zubi = Zubi::start(&project, &["node", "typescript", "svelte-language-server"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "priceOf" })).await, @r#"
    at src/price.ts:1:17 priceOf (function)
    5 references to `priceOf` in 3 files
    src/Item.svelte
      2:12  import { priceOf } from "./price";
      4:5  <b>{priceOf(4)}</b>
    src/price.ts
      1:17  export function priceOf(cents: number): string { return `${cents}`; }  (declaration)
    src/use.ts
      1:10  import { priceOf } from "./price";
      2:18  export const p = priceOf(1); // priceOf
    3 further word matches: 1 in comments or strings, 2 in code that no server has read: includeText=true
    [typescript + svelte-language-server · readiness unknown · may be incomplete: `priceOf` also occurs in src/Cart.vue (2: no queried server reads it)]
    "#);
}

#[tokio::test]
async fn cells_of_notebooks_are_named() {
    let project = Project::empty();
    project.write("pyproject.toml", "[project]\nname = \"a\"\nversion = \"0\"\n");
    project.write("model.py", "def fit_line(xs: list[float]) -> float:\n    return sum(xs)\n");
    project.write("train.py", "from model import fit_line\n\nfit_line([1.0])\n");
    project.write(
        "explore.ipynb",
        &json!({ "cells": [
            { "cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["from model import fit_line\n", "fit_line([2.0])"] },
        ], "metadata": { "kernelspec": { "display_name": "Python 3", "language": "python", "name": "python3" } }, "nbformat": 4, "nbformat_minor": 5 })
        .to_string(),
    );
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "fit_line" })).await, @"
    at model.py:1:5 fit_line (function)
    3 references to `fit_line` in 2 files
    model.py
      1:5  def fit_line(xs: list[float]) -> float:  (declaration)
    train.py
      1:19  from model import fit_line
      3:1  fit_line([1.0])
    2 further word matches in code that no server has read: includeText=true
    [ty · ready · may be incomplete: `fit_line` also occurs in explore.ipynb (2: cell 1:1:19, cell 1:2:1)]
    ");
}

/// Python reads Latin-1, which neither ty nor zubi does.
#[tokio::test]
async fn declarations_in_other_encodings_are_named() {
    let project = Project::empty();
    project.write_bytes("shape.py", b"# -*- coding: latin-1 -*-\n# \xe9\ndef surface():\n    return 1\n");
    project.write_bytes("logo.png", b"\x89PNG\0 surface");
    project.write("use.py", "from shape import surface\n\nsurface()\n");
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(zubi.call_refused("lsp_references", json!({ "symbol": "surface" })).await, @r#"
    Invalid input: symbol: no symbol `surface` in the workspace so far (may be incomplete: zubi cannot read files that may contain the word: `shape.py` (not UTF-8))
    Look for it with `lsp_workspace_symbols`, or give its place as at: "file:line".
    "#);
    assert_snapshot!(zubi.call_refused("lsp_references", json!({ "symbol": "volume" })).await, @r#"
    Invalid input: symbol: no symbol `volume` in the workspace
    Look for it with `lsp_workspace_symbols`, or give its place as at: "file:line".
    "#);
    drop(zubi);
    // clangd never says that it has read everything.
    let other = Project::empty();
    other.write_bytes("shape.c", b"/* \xe9 */\n#if 0\nint hidden;\n#endif\n");
    let zubi = Zubi::start(&other, &["clangd"]).await;
    assert_snapshot!(zubi.call_refused("lsp_references", json!({ "symbol": "hidden" })).await, @r#"
    Invalid input: symbol: no symbol `hidden` in the workspace so far (completeness unknown: clangd gives no readiness signal · no compile_commands.json: other files are not read · zubi cannot read files that may contain the word: `shape.c` (not UTF-8))
    Look for it with `lsp_workspace_symbols`, or give its place as at: "file:line".
    "#);
    assert_snapshot!(zubi.call_stable("lsp_workspace_symbols", json!({ "query": "hidden" })).await, @"
    0 symbols matching `hidden`
    [clangd · readiness unknown · completeness unknown: clangd gives no readiness signal · no compile_commands.json: other files are not read · zubi cannot read files that may contain the word: `shape.c` (not UTF-8)]
    ");
    drop(zubi);
    // Without a server, zubi searches the texts.
    let zubi = Zubi::start(&project, &[]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "at": "use.py:3 surface" })).await, @"
    at use.py:3:1 surface
    2 word matches of `surface` in 1 file
    use.py
      1:19  from shape import surface
      3:1  surface()
    [text search: names only · zubi cannot read files that may contain the word: `shape.py` (not UTF-8) · `pyright-langserver` is not installed: install it with npm: npm install --global pyright · `ty` is not installed: install it with uv: uv tool install ty]
    ");
}

/// A package whose toolchain lacks the sources of the standard library: rust-analyzer does not expand its macros.
#[tokio::test]
async fn a_missing_standard_library_is_named_with_its_cure() {
    let project = Project::empty();
    project.write("Cargo.toml", "[package]\nname = \"tally\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    project.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"tally\"\nversion = \"0.1.0\"\n");
    project.write(
        "src/lib.rs",
        "pub fn tally(items: &[u32]) -> u32 { items.iter().sum() }\n\npub fn report() -> String {\n    format!(\"{}\", tally(&[]))\n}\n",
    );
    project.write("sysroot/lib/rustlib/empty", "");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *'--print sysroot'*) echo '{}';; *) PATH=\"${{PATH#*:}}\" exec rustc \"$@\";; esac\n",
        project.root().join("sysroot")
    );
    project.install("rustc", &script);
    let zubi = Start::new(&project, &["rust-analyzer"]).without_variable("RUST_SRC_PATH").mcp().await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "tally" })).await, @"
    at src/lib.rs:1:8 tally (function)
    1 reference to `tally` in 1 file
    src/lib.rs
      1:8  pub fn tally(items: &[u32]) -> u32 { items.iter().sum() }  (declaration)
    1 further word match in code that the server does not confirm: includeText=true
    [rust-analyzer · ready · may be incomplete: `tally` also occurs in src/lib.rs (1: the server does not resolve it in the arguments of `format!`) · rust-analyzer: Workspace `[project]/Cargo.toml` has sysroot errors: can't load standard library from sysroot; [project]/sysroot; (discovered via `rustc --print sysroot`); try installing `rust-src` the same way you installed `rustc`; Failed spawning proc-macro server for workspace `[project]/Cargo.toml`: cannot find proc-macro server in sysroot `/tmp/zub (`rustup component add rust-src`)]
    ");
    let rename = json!({ "symbol": "tally", "newName": "sum_up" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @r#"
    at src/lib.rs:1:8 tally (function)
    plan p-[plan]: rename `tally` to `sum_up`, 1 edit in 1 file; nothing is written yet
    note: uses may be left: `lsp_references` with includeText=true lists them
    diff --git a/src/lib.rs b/src/lib.rs
    --- a/src/lib.rs
    +++ b/src/lib.rs
    @@ -1,4 +1,4 @@
    -pub fn tally(items: &[u32]) -> u32 { items.iter().sum() }
    +pub fn sum_up(items: &[u32]) -> u32 { items.iter().sum() }
     
     pub fn report() -> String {
         format!("{}", tally(&[]))
    apply_edit {"plan":"p-[plan]"} writes it
    [rust-analyzer · ready · may be incomplete: `tally` also occurs in src/lib.rs (1: the server does not resolve it in the arguments of `format!`) · rust-analyzer: Workspace `[project]/Cargo.toml` has sysroot errors: can't load standard library from sysroot; [project]/sysroot; (discovered via `rustc --print sysroot`); try installing `rust-src` the same way you installed `rustc`; Failed spawning proc-macro server for workspace `[project]/Cargo.toml`: cannot find proc-macro server in sysroot `/tmp/zub (`rustup component add rust-src`)]
    "#);
    // Every mention of this name is a reference, so nothing can be missing.
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "report" })).await, @"
    at src/lib.rs:3:8 report (function)
    1 reference to `report` in 1 file
    src/lib.rs
      3:8  pub fn report() -> String {  (declaration)
    [rust-analyzer · ready]
    ");
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "src/lib.rs" })).await, @"
    no problems in `src/lib.rs`; snapshot d-1
    [rust-analyzer · ready · may be incomplete: rust-analyzer: Workspace `[project]/Cargo.toml` has sysroot errors: can't load standard library from sysroot; [project]/sysroot; (discovered via `rustc --print sysroot`); try installing `rust-src` the same way you installed `rustc`; Failed spawning proc-macro server for workspace `[project]/Cargo.toml`: cannot find proc-macro server in sysroot `/tmp/zub (`rustup component add rust-src`)]
    ");
}

#[tokio::test]
async fn names_that_a_barrel_exports_are_found() {
    let project = Project::empty();
    project.write(
        "tsconfig.json",
        r#"{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "noEmit": true } }"#,
    );
    project.write("load.ts", "export function load(): number { return 1; }\n");
    project.write("index.ts", "export { load as read } from \"./load\";\n");
    for server in ["typescript", "typescript-language-server"] {
        let zubi = Zubi::start(&project, &["node", server]).await;
        let answer = zubi.call_stable("lsp_definition", json!({ "symbol": "read" })).await;
        assert!(answer.starts_with("at index.ts:1:18 read"), "{server}: {answer}");
        let answer = zubi.call_stable("lsp_definition", json!({ "symbol": "load", "path": "index.ts" })).await;
        assert!(answer.contains("load.ts\n  1:17  export function load()"), "{server}: {answer}");
    }
}

/// A stub and its module declare the same function.
#[tokio::test]
async fn stubs_and_modules_are_one_symbol() {
    let project = Project::empty();
    project.write("fast.py", "def hashit(x):\n    return x\n");
    project.write("fast.pyi", "def hashit(x: int) -> int: ...\n");
    project.write("usefast.py", "from fast import hashit\n\nhashit(1)\n");
    for components in [&["node", "pyright"][..], &["node", "basedpyright"], &["ty"]] {
        let zubi = Zubi::start(&project, components).await;
        for at in ["fast.py:1:5", "fast.pyi:1:5", "usefast.py:3:1"] {
            let answer = zubi.call_stable("lsp_references", json!({ "at": at })).await;
            assert!(answer.contains("\n4 references to `hashit` in 3 files\n"), "{components:?} {at}: {answer}");
            let rename = json!({ "at": at, "newName": "mix" });
            let answer = zubi.call_stable("lsp_rename_symbol", rename).await;
            assert!(answer.contains("4 edits in 3 files"), "{components:?} {at}: {answer}");
        }
    }
}

/// pyrefly reports no readiness, and answers before it has read the project.
#[tokio::test]
async fn a_server_without_a_signal_is_queried_until_it_has_every_mention() {
    for _ in 0..3 {
        let project = Project::empty();
        project.write("pyproject.toml", "[project]\nname = \"x\"\nversion = \"0\"\n");
        project.write("a.py", "def total(n: int) -> int:\n    return n\n");
        project.write("b.py", "from a import total\n\ntotal(1)\n");
        let zubi = Zubi::start(&project, &["pyrefly"]).await;
        let answer = zubi.call_stable("lsp_references", json!({ "symbol": "total" })).await;
        assert!(answer.contains("\n3 references to `total` in 2 files\n"), "{answer}");
        assert!(answer.ends_with("[pyrefly · ready]"), "{answer}");
    }
}
