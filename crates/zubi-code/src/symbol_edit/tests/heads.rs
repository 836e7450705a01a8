//! Comments, annotations and words before a declaration, and the ends of lists and lines.

use super::statements::check_cases;
use super::*;

#[tokio::test]
async fn the_last_member_of_an_enumeration_is_no_macro() {
    for (head, end) in [
        ("typedef enum {\n  /** First. */\n  NUM_A,\n  /** Second. */\n", "} num_t;\n"),
        ("enum e2 {\n  A,\n  // last\n", "};\n"),
        ("enum e3 {\n", "};\n"),
        ("enum e4 {\n#if X\n  A,\n#endif\n", "};\n"),
        ("enum class Color {\n  /// red\n", "};\n"),
    ] {
        let text = format!("{head}  $0NUM_B\n{end}");
        let after = format!("{head}  NUM_B,\n  NUM_C\n{end}");
        check_cases("a.cc", &text, &[(InsertAfter, "NUM_C", &after)]).await;
    }
}

#[tokio::test]
async fn a_semicolon_in_the_next_line_is_not_a_part() {
    let text = "const $0a = 1 // one\n;(async () => { await a })()\n";
    check_cases(
        "a.js",
        text,
        &[
            (Replace, "const a = 1", &text.replace("$0", "")),
            (Replace, "const a = 2; // two", "const a = 2; // two\n;(async () => { await a })()\n"),
            (Delete, "", ";(async () => { await a })()\n"),
            (InsertAfter, "let z = 1", "const a = 1 // one\nlet z = 1\n;(async () => { await a })()\n"),
        ],
    )
    .await;
    let text = "const $0five = 5\n\n// Start the thing.\n;run()\n";
    check_cases("a.js", text, &[(Delete, "", "// Start the thing.\n;run()\n")]).await;
    let text = "class $0K {}\n;[1].map(f)\n";
    check_cases("a.ts", text, &[(InsertAfter, "let z = 1", "class K {}\nlet z = 1\n;[1].map(f)\n")]).await;
    let text = "function $0f(){return 1}function g(){return 2}\n";
    let changed = "function f(){return 3}function g(){return 2}\n";
    check_cases("a.js", text, &[(Replace, "function f(){return 3}", changed)]).await;
    check_cases("a.js", "class A{$0x(){}y(){}}\n", &[(Replace, "x(){1}", "class A{x(){1}y(){}}\n")]).await;
}

#[tokio::test]
async fn annotations_stay_beside_new_comments() {
    check_cases(
        "a.php",
        "<?php\nclass A {\n  /** Doc. */\n  #[Route(\"/x\")]\n  public function $0f() {}\n}\n",
        &[
            (
                Replace,
                "/** New. */\npublic function f() { 1; }",
                "<?php\nclass A {\n  /** New. */\n  #[Route(\"/x\")]\n  public function f() { 1; }\n}\n",
            ),
            (
                Replace,
                "#[New]\npublic function f() {}",
                "<?php\nclass A {\n  /** Doc. */\n  #[New]\n  public function f() {}\n}\n",
            ),
        ],
    )
    .await;
    check_cases(
        "a.go",
        "package a\n\n//go:embed x.txt\nvar $0s string\n",
        &[
            (
                Replace,
                "// s is the text.\nvar s string",
                "package a\n\n// s is the text.\n//go:embed x.txt\nvar s string\n",
            ),
            (Replace, "var s []byte", "package a\n\n//go:embed x.txt\nvar s []byte\n"),
        ],
    )
    .await;
    check_cases(
        "a.ts",
        "// @ts-expect-error\nexport const $0a: number = 'x';\n",
        &[(
            Replace,
            "/** New. */\nexport const a: number = 'y';",
            "/** New. */\n// @ts-expect-error\nexport const a: number = 'y';\n",
        )],
    )
    .await;
    let elixir = "defmodule A do\n  @doc \"Old.\"\n  @spec f(integer) :: integer\n  def $0f(a), do: a\nend\n";
    check_cases(
        "a.ex",
        elixir,
        &[
            (
                Replace,
                "@doc \"New.\"\ndef f(a), do: -a",
                "defmodule A do\n  @spec f(integer) :: integer\n  @doc \"New.\"\n  def f(a), do: -a\nend\n",
            ),
            (
                Replace,
                "@spec f(any) :: any\ndef f(a), do: a",
                "defmodule A do\n  @doc \"Old.\"\n  @spec f(any) :: any\n  def f(a), do: a\nend\n",
            ),
        ],
    )
    .await;
    check_cases(
        "A.java",
        "class A {\n  /** Old. */\n  @Override public int $0area() { return 1; }\n}\n",
        &[(
            Replace,
            "/** New. */\npublic int area() { return 2; }",
            "class A {\n  /** New. */\n  @Override public int area() { return 2; }\n}\n",
        )],
    )
    .await;
    check_cases(
        "a.c",
        "typedef struct $0N {\n  int a;\n} N;\n",
        &[(
            Replace,
            "struct N {\n  int b;\n};",
            "note: the old `N` has `typedef`, and the new one has not\nstruct N {\n  int b;\n};\n",
        )],
    )
    .await;
}

#[tokio::test]
async fn a_linkage_belongs_to_the_declaration() {
    check_cases(
        "a.cc",
        "extern \"C\" int $0w(void);\nint after();\n",
        &[
            (InsertBefore, "int z;", "int z;\nextern \"C\" int w(void);\nint after();\n"),
            (Delete, "", "int after();\n"),
            (Replace, "extern \"C\" int w(int);", "extern \"C\" int w(int);\nint after();\n"),
        ],
    )
    .await;
    let text = "extern \"C\" {\nint $0v(void);\nint after();\n}\n";
    check_cases("a.cc", text, &[(Delete, "", "extern \"C\" {\nint after();\n}\n")]).await;
}

#[tokio::test]
async fn documentation_is_no_directive() {
    for (name, text) in [
        ("a.rs", "/**\n#![allow(x)]\nf();\n*/\nfn $0f() {}\nfn g() {}\n"),
        ("a.js", "/*\n #!/bin/sh\n*/\nfunction $0f() {}\nfn()\n"),
        ("a.lua", "--[[\n-- fmt: off\n]]\nfunction $0f() end\nx = 1\n"),
        ("a.cc", "//! Returns the sum.\nint $0f(int a);\nint g();\n"),
        ("a.cc", "/*! Short. */\nint $0f(int a);\nint g();\n"),
        ("a.js", "// Decoding: reads a frame.\nfunction $0f() {}\nx()\n"),
        ("a.ts", "// Regions are sorted\n// by size.\nfunction $0f() {}\nx()\n"),
        ("a.ts", "// eslint is slow here.\nfunction $0f() {}\nx()\n"),
        ("a.go", "package a\n\n// export is prose.\nfunc $0f() {}\n"),
    ] {
        let changed = check(name, text, Delete, "").await;
        assert!(!changed.contains(" f") && !changed.contains("//") && !changed.contains("/*"), "{text}\n{changed}");
        let own = text.replace("$0", "");
        let comment = text.find('/').filter(|_| name != "a.lua").unwrap_or(0);
        let before = own.get(..comment).unwrap();
        let given = text.lines().skip(before.lines().count()).take_while(|line| !line.contains("$0"));
        let line = text.lines().find(|line| line.contains("$0")).unwrap().replace("$0", "");
        let given: Vec<&str> = given.chain([line.as_str()]).collect();
        assert_eq!(check(name, text, Replace, &given.join("\n")).await, own, "{text}");
    }
}

#[tokio::test]
async fn a_branch_of_python_stays_complete() {
    check_cases("a.py", "if x: # why\n    $0y = 1\n", &[(Delete, "", "if x: # why\n    pass\n")]).await;
    let text = "with z as q:  # note\n    # c\n    def $0f(): pass\n";
    check_cases("a.py", text, &[(Delete, "", "with z as q:  # note\n    pass\n")]).await;
}

#[tokio::test]
async fn directives_of_c_stay_in_the_first_column() {
    let text = "class A {\n  void $0m() {\n#ifdef X\n    a();\n#endif\n  }\n};\n";
    let method = "  void m() {\n#ifdef X\n    a();\n#endif\n  }";
    let dedented = "void m() {\n#ifdef X\n  a();\n#endif\n}";
    let own = text.replace("$0", "");
    check_cases("a.cc", text, &[(Replace, method, &own), (Replace, dedented, &own)]).await;
}

#[tokio::test]
async fn a_macro_of_a_class_stays_below_words_about_enumerations() {
    for before in ["// Holds an enum.\n", "/* Wraps the enum class. */\n", "#include \"x/enum.h\"\n"] {
        let text = format!("{before}class A : public Q {{\n  Q_OBJECT\n  int $0a;\n  int b;\n}};\n");
        let after = format!("{before}class A : public Q {{\n  Q_OBJECT\n  int b;\n}};\n");
        check_cases("a.hpp", &text, &[(Delete, "", &after)]).await;
    }
}

#[tokio::test]
async fn directives_and_comments_have_no_separator() {
    let text = "struct $0S {\n  int a;\n};\n";
    for given in [
        "#define N 1",
        "#include <b.h>",
        "#ifdef X\n#define N 1\n#endif",
        "#define M(a) \\\n  (a)",
        "// note",
        "/* c */",
    ] {
        for (action, is_before) in [(InsertBefore, true), (InsertAfter, false)] {
            let changed = check("a.c", text, action, given).await;
            let own = text.replace("$0", "");
            let lines =
                |text: &str| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>();
            let (given, own) = (lines(given), lines(&own));
            let expected = if is_before { [given, own].concat() } else { [own, given].concat() };
            assert_eq!(lines(&changed), expected, "{action:?}");
        }
    }
    check_cases(
        "a.ts",
        "class K {\n  $0a = 1;\n}\n",
        &[
            (InsertBefore, "// note", "class K {\n  // note\n  a = 1;\n}\n"),
            (Replace, "a = 2\n// prettier-ignore-end", "class K {\n  a = 2;\n  // prettier-ignore-end\n}\n"),
        ],
    )
    .await;
    let text = "class A {\n  void $0a();\n};\n";
    let after = "class A {\n  void a();\n#define ZZ 1\n};\n";
    check_cases("a.cc", text, &[(InsertAfter, "#define ZZ 1", after)]).await;
}

#[tokio::test]
async fn whole_lines_of_a_declaration_replace_it() {
    for (name, text, given) in [
        (
            "a.py",
            "class K:\n    # pylint: disable=x\n    def $0m(self):\n        return 1\n",
            "    # pylint: disable=x\n    def m(self):\n        return 1",
        ),
        ("a.py", "# doc\n# isort: off\n$0d = 1\n", "# doc\n# isort: off\nd = 1"),
        ("a.ts", "/* eslint-disable */\nfunction $0f() {}\n", "/* eslint-disable */\nfunction f() {}"),
        ("a.c", "typedef struct $0node {\n  int v;\n} node_t;\n", "typedef struct node {\n  int v;\n} node_t;"),
        ("a.c", "static enum $0state {\n  S\n} cur = S;\n", "static enum state {\n  S\n} cur = S;"),
        ("a.cc", "struct Pt { $0Pt(int a) : a(a) {} int a; };\n", "struct Pt { Pt(int a) : a(a) {} int a; };"),
        ("a.c", "enum E { $0A, B };\n", "enum E { A, B };"),
    ] {
        check_cases(name, text, &[(Replace, given, &text.replace("$0", ""))]).await;
    }
    let nested = check("a.cc", "struct Pt { $0Pt(int a) {} int a; };\n", Replace, "struct Pt { Pt(int b) {} };").await;
    assert!(nested.starts_with("error: text: it does not declare `Pt`"), "{nested}");
}

#[tokio::test]
async fn a_directive_for_the_next_line_stays() {
    for (name, text, given, expected) in [
        (
            "a.ts",
            "class K {\n  // @ts-ignore\n  @Input() $0name: string;\n}\n",
            "@Input() name: number;",
            "class K {\n  // @ts-ignore\n  @Input() name: number;\n}\n",
        ),
        (
            "A.java",
            "class A {\n  //noinspection unused\n  @Override public void $0m() {}\n}\n",
            "@Override public void m() { f(); }",
            "class A {\n  //noinspection unused\n  @Override public void m() { f(); }\n}\n",
        ),
        (
            "a.cc",
            "/// Doc.\n// NOLINTNEXTLINE(foo)\n[[nodiscard]] int $0f();\n",
            "[[nodiscard]] int f(int a);",
            "/// Doc.\n// NOLINTNEXTLINE(foo)\n[[nodiscard]] int f(int a);\n",
        ),
    ] {
        check_cases(name, text, &[(Replace, given, expected)]).await;
    }
}
