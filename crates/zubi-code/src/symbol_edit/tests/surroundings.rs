//! Code around a declaration that does not belong to it: macros, other statements, comments behind it.

use super::*;

#[tokio::test]
async fn a_macro_between_declarations_stays() {
    let text = "#define BEGIN_NS namespace fm {\n#define END_NS }\nBEGIN_NS\n\nvoid $0first(int) {}\nvoid second(int) {}\nEND_NS\n";
    insta::assert_snapshot!(check("a.cpp", text, Replace, "void first(int x) { (void)x; }").await, @"
    #define BEGIN_NS namespace fm {
    #define END_NS }
    BEGIN_NS

    void first(int x) { (void)x; }
    void second(int) {}
    END_NS
    ");
    insta::assert_snapshot!(check("a.cpp", text, InsertBefore, "void zero() {}").await, @"
    #define BEGIN_NS namespace fm {
    #define END_NS }
    BEGIN_NS

    void zero() {}
    void first(int) {}
    void second(int) {}
    END_NS
    ");
    let text = "#include \"x.h\"\n\nG_BEGIN_DECLS\n\nint $0cf(void);\n\nG_END_DECLS\n";
    insta::assert_snapshot!(check("a.h", text, Delete, "").await, @r#"
    #include "x.h"

    G_BEGIN_DECLS

    G_END_DECLS
    "#);
    let text = "int a(void) { return 1; }\nSTATIC int $0b(void) { return 2; }\nint c(void) { return 3; }\n";
    insta::assert_snapshot!(check("a.c", text, Delete, "").await, @"
    int a(void) { return 1; }
    int c(void) { return 3; }
    ");
    insta::assert_snapshot!(check("a.c", text, Replace, "STATIC int b(void) { return 4; }").await, @"
    int a(void) { return 1; }
    STATIC int b(void) { return 4; }
    int c(void) { return 3; }
    ");
}

#[tokio::test]
async fn annotations_before_a_blank_line_belong_to_the_declaration() {
    let text = "#[cfg(feature = \"x\")]\n\nfn $0gated() {}\npub fn always() {}\n";
    insta::assert_snapshot!(check("a.rs", text, Delete, "").await, @"pub fn always() {}");
    insta::assert_snapshot!(check("a.rs", text, InsertBefore, "fn other() {}").await, @r#"
    fn other() {}
    #[cfg(feature = "x")]

    fn gated() {}
    pub fn always() {}
    "#);
    let text = "class K {\n  @H('x')\n\n  $0m() {}\n  n() {}\n}\n";
    insta::assert_snapshot!(check("a.ts", text, Delete, "").await, @"
    class K {
      n() {}
    }
    ");
    let text = "// A remark.\n\nfn $0f() {}\n";
    insta::assert_snapshot!(check("a.rs", text, Delete, "").await, @"// A remark.");
    let text = "#[derive(Debug, Clone)]\n// note\n#[allow(dead_code)]\npub struct $0S {}\n";
    insta::assert_snapshot!(check("a.rs", text, Replace, "#[derive(Debug)]\npub struct S { a: u8 }").await, @"
    // note
    #[derive(Debug)]
    pub struct S { a: u8 }
    ");
}

#[tokio::test]
async fn the_comment_of_the_text_replaces_the_one_behind_the_declaration() {
    insta::assert_snapshot!(check("a.py", "$0z1 = 1  # c1\nz2 = 2\n", Replace, "z1 = 5  # c2").await, @"
    z1 = 5  # c2
    z2 = 2
    ");
    let text = "enum E {\n    A,\n    $0B, // keep\n    C,\n}\n";
    insta::assert_snapshot!(check("a.rs", text, Replace, "B = 1, // kept").await, @"
    enum E {
        A,
        B = 1, // kept
        C,
    }
    ");
    insta::assert_snapshot!(check("a.rs", text, Replace, "B = 5 // trailing").await, @"
    enum E {
        A,
        B = 5, // trailing
        C,
    }
    ");
    let text = "struct Tail {\n    $0a: u8,\n    b: u8,\n}\n";
    insta::assert_snapshot!(check("a.rs", text, InsertAfter, "c: u8, // tc").await, @"
    struct Tail {
        a: u8,
        c: u8, // tc
        b: u8,
    }
    ");
    insta::assert_snapshot!(check("a.rs", text, InsertAfter, "c: u8 // tc").await, @"
    struct Tail {
        a: u8,
        c: u8, // tc
        b: u8,
    }
    ");
    let text = "class A:\n    x = 1\n    def $0go(self):\n        return 1\n";
    insta::assert_snapshot!(check("a.py", text, Replace, "def go(self):\n    return 2  # ok").await, @"
    class A:
        x = 1
        def go(self):
            return 2  # ok
    ");
    insta::assert_snapshot!(check("a.py", text, InsertAfter, "def stop(self):\n    return 3 // 2  # ok").await, @"
    class A:
        x = 1
        def go(self):
            return 1
        def stop(self):
            return 3 // 2  # ok
    ");
}

#[tokio::test]
async fn a_statement_is_not_joined_with_the_one_before() {
    let text = "class Two: v = 1; $0w = 2\n";
    insta::assert_snapshot!(check("a.py", text, InsertAfter, "def k(self): pass").await, @"class Two: v = 1; w = 2; def k(self): pass");
    let text = "let $0one = 1\nlet two = 2\n";
    insta::assert_snapshot!(check("a.js", text, InsertAfter, "(() => 1)()").await, @"
    error: text: its `(` would continue the statement before it, which has no semicolon
    Nothing was changed. End that statement with `;` first, with `edit_files`.
    ");
}

/// Deletes all declarations of a name.
async fn delete_all(name: &str, text: &str, symbol: &str) -> bool {
    let parsed = ParsedText::parse(&DirectParser, name, text.into()).await.unwrap();
    let all = parsed.outline.declarations.iter().enumerate();
    let indices = all.filter(|(_, it)| it.name == symbol).map(|(index, _)| index).collect();
    SymbolUnit::new(&parsed, indices).unwrap().is_contiguous()
}

#[tokio::test]
async fn declarations_with_other_code_between_are_not_one() {
    for (name, text, expected) in [
        ("a.py", "def f(x):\n    return 1\n\nconnect(f)\n\ndef f(x):\n    return 2\n", false),
        ("a.py", "@overload\ndef f(x: int): ...\n# For texts.\n@overload\ndef f(x: str): ...\ndef f(x): pass\n", true),
        ("a.cpp", "#if W\nint f() { return 1; }\n#else\nint f() { return 2; }\n#endif\n", false),
        ("a.ts", "interface f { a: 1 }\nregister();\ninterface f { b: 1 }\n", false),
        ("a.rs", "#[cfg(unix)]\nfn f() {}\n#[cfg(not(unix))]\nfn f() {}\n", true),
    ] {
        assert_eq!(delete_all(name, text, "f").await, expected, "{text}");
    }
}

#[tokio::test]
async fn a_kept_head_leaves_one_comment_behind_the_text() {
    for (name, text, given, expected) in [
        (
            "a.rs",
            "struct S {\n    /// d\n    $0a: i32, // old\n}\n",
            "a: u8 // new",
            "struct S {\n    /// d\n    a: u8, // new\n}\n",
        ),
        (
            "a.py",
            "@deco\ndef $0f(): return 1  # old\n",
            "def f(): return 2  # new",
            "@deco\ndef f(): return 2  # new\n",
        ),
        (
            "a.go",
            "package a\n\n// d\nvar $0x = 1 // old\n",
            "var x = 2 // new",
            "package a\n\n// d\nvar x = 2 // new\n",
        ),
    ] {
        assert_eq!(check(name, text, Replace, given).await, expected);
    }
}

#[tokio::test]
async fn only_python_has_an_empty_statement() {
    let text = "class K {\n signals:\n  void $0changed();\n private:\n  int x;\n};\n";
    assert!(!check("d.hpp", text, Delete, "").await.contains("pass"));
}
