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
