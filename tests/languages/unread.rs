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
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "Open", "path": "store" })).await, @"");
    let rename = json!({ "symbol": "Open", "path": "store", "newName": "Create" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @"");
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
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "priceOf" })).await, @"");
    let rename = json!({ "symbol": "priceOf", "newName": "priceText" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @"");
}

#[tokio::test]
async fn the_server_of_a_component_is_queried_too() {
    let project = components();
    let zubi = Zubi::start(&project, &["node", "typescript", "svelte-language-server"]).await;
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "priceOf" })).await, @"");
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
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "fit_line" })).await, @"");
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
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "tally" })).await, @"");
    let rename = json!({ "symbol": "tally", "newName": "sum_up" });
    assert_snapshot!(zubi.call_stable("lsp_rename_symbol", rename).await, @"");
    // What does not mention the name cannot be missing.
    assert_snapshot!(zubi.call_stable("lsp_references", json!({ "symbol": "report" })).await, @"");
    assert_snapshot!(zubi.call_stable("lsp_diagnostics", json!({ "path": "src/lib.rs" })).await, @"");
}
