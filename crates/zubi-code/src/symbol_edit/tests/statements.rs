//! Statements without a semicolon, and other texts that would join with the code beside them.

use super::*;

/// Checks that a change is refused, or what it makes.
pub(super) async fn check_cases(name: &str, text: &str, cases: &[(SymbolAction, &str, &str)]) {
    for (action, given, expected) in cases {
        let changed = check(name, text, *action, given).await;
        let shown = changed.lines().next().unwrap_or_default();
        let is_as_expected = match expected.strip_prefix("error: ") {
            Some(reason) => shown.strip_prefix("error: ").is_some_and(|shown| shown.contains(reason)),
            None => changed == *expected,
        };
        assert!(is_as_expected, "{action:?} {given:?} in {text:?}:\n{changed}");
    }
}

#[tokio::test]
async fn a_text_does_not_join_with_its_neighbours() {
    let before = "error: would continue the statement before it";
    let behind = "error: would continue its last statement";
    check_cases(
        "a.js",
        "const o = { a: 1 }\nlet $0s = `x`\nif (a) b\n",
        &[
            (InsertBefore, "[1].map(x => x)", before),
            (InsertBefore, "// why\n[1].map(x => x)", before),
            (InsertAfter, "(1)", before),
            (InsertAfter, "// why\n(1)", before),
            (InsertAfter, ".foo()", before),
            (InsertAfter, "in x", before),
            (InsertAfter, "`t`", before),
            (InsertAfter, ";(1)", "const o = { a: 1 }\nlet s = `x`\n;(1)\nif (a) b\n"),
            (InsertAfter, "++a", "const o = { a: 1 }\nlet s = `x`\n++a\nif (a) b\n"),
            (InsertAfter, "// only a comment", "const o = { a: 1 }\nlet s = `x`\n// only a comment\nif (a) b\n"),
        ],
    )
    .await;
    check_cases(
        "a.js",
        "let a = 1\nlet $0b = 2;\n(function () {})()\n",
        &[
            (Delete, "", "error: without `b`, the line `(function () {})()` would continue"),
            (InsertAfter, "c = d", behind),
            (InsertAfter, "c = d;", "let a = 1\nlet b = 2;\nc = d;\n(function () {})()\n"),
            (InsertAfter, "function f() {}", "let a = 1\nlet b = 2;\nfunction f() {}\n(function () {})()\n"),
        ],
    )
    .await;
    check_cases(
        "a.js",
        "class $0K {}\n(1)\n",
        &[(Replace, "let K = class {}", behind), (Replace, "class K { m() {} }", "class K { m() {} }\n(1)\n")],
    )
    .await;
    check_cases(
        "a.js",
        "class K {\n  $0x = 1\n  y\n}\n",
        &[(InsertAfter, "[k] = 1", before), (InsertAfter, "*gen() {}", "error: text: a syntax error in its line 1")],
    )
    .await;
    check_cases("a.lua", "local $0a = b\nlocal c = 1\n", &[(InsertAfter, "(print)(1)", before)]).await;
    check_cases(
        "a.ts",
        "interface I {\n  $0a: number\n  b: string\n}\n",
        &[
            (InsertAfter, "(x: number): string", "interface I {\n  a: number\n  (x: number): string\n  b: string\n}\n"),
            (
                InsertAfter,
                "[k: string]: unknown",
                "interface I {\n  a: number\n  [k: string]: unknown\n  b: string\n}\n",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_comment_behind_an_element_swallows_no_separator() {
    check_cases(
        "a.ts",
        "let m = 1, // m\n    $0n = 2; // n\nf();\n",
        &[
            (Delete, "", "let m = 1; // m\nf();\n"),
            (InsertAfter, "o = 3", "let m = 1, // m\n    n = 2, // n\n    o = 3;\nf();\n"),
            (InsertAfter, "o = 3; // o", "let m = 1, // m\n    n = 2, // n\n    o = 3; // o\nf();\n"),
        ],
    )
    .await;
    check_cases(
        "E.java",
        "enum E {\n  A, // a\n  $0B; // b\n  int k;\n}\n",
        &[
            (Delete, "", "enum E {\n  A; // a\n  int k;\n}\n"),
            (InsertAfter, "C // c", "enum E {\n  A, // a\n  B, // b\n  C; // c\n  int k;\n}\n"),
        ],
    )
    .await;
    check_cases("a.rs", "enum E {\n    A, // a\n    $0B // b\n}\n", &[(Delete, "", "enum E {\n    A // a\n}\n")]).await;
}

#[tokio::test]
async fn a_line_of_several_declarations_is_not_repeated() {
    check_cases(
        "a.py",
        "$0a = 1; b = 2\n",
        &[
            (Replace, "a = 3; b = 4", "error: text: it declares `b` too, which is beside `a` in the same line"),
            (Replace, "a = 3", "a = 3; b = 2\n"),
        ],
    )
    .await;
    check_cases(
        "a.go",
        "package a\n\nvar (\n\t$0x = 1\n\ty = 2\n)\n",
        &[
            (Replace, "var x = 2", "package a\n\nvar (\n\tx = 2\n\ty = 2\n)\n"),
            (Replace, "const x = 2", "error: "),
            (Replace, "type x int", "error: "),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_old_head_stays_in_parts() {
    check_cases(
        "a.rs",
        "#[a]\n// c1\n#[b] // t\n/// doc\n#[c]\nfn $0f() {}\n",
        &[
            (Replace, "// new\nfn f() { 2 }", "// new\n#[a]\n#[b] // t\n#[c]\nfn f() { 2 }\n"),
            (Replace, "#[z]\nfn f() { 2 }", "// c1\n/// doc\n#[z]\nfn f() { 2 }\n"),
            (Replace, "#[z]\n/// new\nfn f() { 2 }", "#[z]\n/// new\nfn f() { 2 }\n"),
            (Replace, "fn f() { 2 }", "#[a]\n// c1\n#[b] // t\n/// doc\n#[c]\nfn f() { 2 }\n"),
        ],
    )
    .await;
    check_cases(
        "a.ts",
        "@Component({\n  // in it\n  a: 1,\n})\n/** Doc. */\nexport class $0K {}\n",
        &[(
            Replace,
            "/** New. */\nexport class K { a = 1 }",
            "/** New. */\n@Component({\n  // in it\n  a: 1,\n})\nexport class K { a = 1 }\n",
        )],
    )
    .await;
    check_cases(
        "a.c",
        "__attribute__((unused))\nstatic int $0h(void) { return 1; }\n",
        &[(Replace, "static int h(void) { return 2; }", "__attribute__((unused))\nstatic int h(void) { return 2; }\n")],
    )
    .await;
    check_cases(
        "a.c",
        "[[nodiscard]]\nint $0k(void);\n__declspec(dllexport) int l(void);\n",
        &[(Replace, "int k(int);", "[[nodiscard]]\nint k(int);\n__declspec(dllexport) int l(void);\n")],
    )
    .await;
    check_cases(
        "a.c",
        "__declspec(dllexport) int $0l(void);\n",
        &[(Replace, "int l(int);", "__declspec(dllexport) int l(int);\n")],
    )
    .await;
    check_cases(
        "a.c",
        "/* doc g */\nEXPORT int $0g(void);\nint x;\n",
        &[
            (Replace, "int g(int);", "/* doc g */\nEXPORT int g(int);\nint x;\n"),
            (Replace, "/* new */\nEXPORT int g(int);", "/* new */\nEXPORT int g(int);\nint x;\n"),
            (Delete, "", "int x;\n"),
        ],
    )
    .await;
    check_cases(
        "a.c",
        "int x;\nSTATIC INLINE int $0f(void) { return 1; }\nint y;\n",
        &[
            (
                Replace,
                "STATIC INLINE int f(void) { return 2; }",
                "int x;\nSTATIC INLINE int f(void) { return 2; }\nint y;\n",
            ),
            (Delete, "", "int x;\nint y;\n"),
        ],
    )
    .await;
}

#[tokio::test]
async fn attributes_of_elixir_belong_to_the_function() {
    let text = "defmodule A do\n  @moduledoc \"M\"\n\n  @timeout 5\n\n  @doc \"\"\"\n  # Title\n  F.\n  \"\"\"\n  @spec f(integer) :: integer\n  def $0f(1), do: 1\n\n  def g, do: 1\nend\n";
    let kept = "defmodule A do\n  @moduledoc \"M\"\n\n  @timeout 5\n\n  def g, do: 1\nend\n";
    let attributes = "  @doc \"\"\"\n  # Title\n  F.\n  \"\"\"\n  @spec f(integer) :: integer\n";
    let replaced = kept.replace("  def g", &format!("{attributes}  def f(x), do: x\n\n  def g"));
    check_cases("a.ex", text, &[(Delete, "", kept), (Replace, "def f(x), do: x", &replaced)]).await;
}

#[tokio::test]
async fn comments_for_programs_stay() {
    for (name, comment, marked) in [
        ("a.py", "#!/usr/bin/env python\n# -*- coding: latin-1 -*-\n", "def $0f(): pass\nx = 1\n"),
        ("a.py", "#!/usr/bin/env python\n# vim: set fileencoding=latin-1 :\n", "# Doc.\ndef $0f(): pass\nx = 1\n"),
        ("a.ts", "// @ts-nocheck\n", "const $0x = 1\nf()\n"),
        ("a.ts", "f()\n/* eslint-disable */\n", "function $0g() {}\n"),
        ("a.ts", "// #region A\n", "function $0g() {}\n// #endregion\n"),
        ("a.go", "package a\n\n//go:build linux\n", "// F does it.\nfunc $0F() {}\n\nvar x = 1\n"),
    ] {
        let changed = check(name, &format!("{comment}{marked}"), Delete, "").await;
        assert!(changed.starts_with(comment), "{name} {marked:?}:\n{changed}");
        assert!(!changed.contains("Doc") && !changed.contains("F does"), "{name} {marked:?}:\n{changed}");
        let replaced = check(name, &format!("{comment}{marked}"), Replace, &marked.replace("$0", "")).await;
        assert!(replaced.starts_with(comment), "{name} {marked:?}:\n{replaced}");
    }
    let next = "// eslint-disable-next-line no-eval\nfunction $0g() {}\nf()\n";
    assert_eq!(check("a.ts", next, Delete, "").await, "f()\n");
}

#[tokio::test]
async fn a_macro_of_a_class_stays() {
    for (before, marked, behind) in [
        ("class W : public O {\n  Q_OBJECT\n", "  int $0a;\n", " public:\n  Q_DISABLE_COPY(W)\n\n  void m();\n};\n"),
        ("class W {\n  int a;\n  Q_PROPERTY(int x READ x)\n", "  void $0n();\n", "};\n"),
        ("class W {\n public:\n  GTEST_X\n\n", "  void $0m();\n", "};\n"),
        ("namespace n {\nFMT_BEGIN\n", "/// doc\nint $0f() { return 1; }\n", "FMT_END\n}\n"),
        ("#define A(x) \\\n  do { x; } while (0)\nG_BEGIN_DECLS\n", "int $0h();\n", "int t;\n"),
        ("extern \"C\" {\nG_BEGIN_DECLS\n", "int $0h();\n", "int t;\n}\n"),
    ] {
        let changed = check("a.hpp", &format!("{before}{marked}{behind}"), Delete, "").await;
        assert!(changed.starts_with(before.trim_end()), "{marked:?}:\n{changed}");
        assert!(changed.ends_with(behind), "{marked:?}:\n{changed}");
        let given = marked.trim().replace("$0", "");
        let replaced = check("a.hpp", &format!("{before}{marked}{behind}"), Replace, &given).await;
        assert_eq!(replaced, format!("{before}{marked}{behind}").replace("$0", ""), "{marked:?}");
    }
}

#[tokio::test]
async fn the_only_statement_of_a_class_becomes_pass() {
    check_cases("a.py", "class C:\n    # head\n    $0x = 1\n", &[(Delete, "", "class C:\n    pass\n")]).await;
}

#[tokio::test]
async fn a_type_and_its_alias_are_edited_as_one() {
    let changed = "typedef struct N {\n  int b;\n} N;\nint x;\n";
    for marked in ["typedef struct $0N {\n  int a;\n} N;\nint x;\n", "typedef struct N {\n  int a;\n} $0N;\nint x;\n"] {
        let before = marked.replace("$0", "");
        let cases = [
            (Replace, "typedef struct N {\n  int b;\n} N;", changed.to_owned()),
            (Delete, "", "int x;\n".to_owned()),
            (InsertBefore, "int z;", format!("int z;\n{before}")),
        ];
        for (action, given, expected) in cases {
            check_cases("a.c", marked, &[(action, given, &expected)]).await;
        }
    }
    check_cases(
        "a.cc",
        "int y;\nauto& [$0a, b] = f();\n",
        &[(Replace, "auto& [a, b] = g();", "int y;\nauto& [a, b] = g();\n")],
    )
    .await;
}

#[tokio::test]
async fn an_assignment_to_an_exported_name_is_a_declaration() {
    let text = "exports.$0h = function () { return 1; };\nlet x = 1;\n";
    check_cases(
        "a.js",
        text,
        &[
            (Replace, "exports.h = 2;", "exports.h = 2;\nlet x = 1;\n"),
            (Replace, "exports.k = 2;", "error: text: it does not declare `exports.h`"),
        ],
    )
    .await;
}
