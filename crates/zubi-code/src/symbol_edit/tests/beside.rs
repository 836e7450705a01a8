//! Insertions and removals beside other declarations: in one line, between short ones, and before comments.

use super::*;

#[tokio::test]
async fn members_of_a_one_line_body() {
    for (name, text, given, expected) in [
        ("a.ts", "class A { $0f() {} }\n", "g() {}", "class A { f() {} g() {} }\n"),
        ("a.ts", "class A { $0a = 1 }\n", "b = 2", "class A { a = 1; b = 2 }\n"),
        ("a.ts", "interface A { $0a: string }\n", "b: number", "interface A { a: string; b: number }\n"),
        ("a.ts", "interface A { $0a: string; }\n", "b: number", "interface A { a: string; b: number; }\n"),
        ("A.java", "class A { int $0a; }\n", "int b;", "class A { int a; int b; }\n"),
        ("A.java", "class A { void $0f() {} }\n", "void g() {}", "class A { void f() {} void g() {} }\n"),
        ("a.rs", "mod m { fn $0a() {} }\n", "fn b() {}", "mod m { fn a() {} fn b() {} }\n"),
        ("a.rs", "struct A { $0a: u8 }\n", "b: u8", "struct A { a: u8, b: u8 }\n"),
        ("a.go", "package a\n\ntype A struct{ $0a int }\n", "b int", "package a\n\ntype A struct{ a int; b int }\n"),
        ("a.c", "struct A { int $0a; };\n", "int b;", "struct A { int a; int b; };\n"),
    ] {
        assert_eq!(check(name, text, InsertAfter, given).await, expected, "{text}");
    }
    for (name, text, given, expected) in [
        ("a.ts", "class A { $0f() {} }\n", "g() {}", "class A { g() {} f() {} }\n"),
        ("A.java", "class A { int $0a; }\n", "int b;", "class A { int b; int a; }\n"),
    ] {
        assert_eq!(check(name, text, InsertBefore, given).await, expected, "{text}");
    }
}

#[tokio::test]
async fn a_long_declaration_is_apart_from_the_short_ones_around_it() {
    let text = "class A: pass\nclass $0B: pass\nclass C: pass\n";
    insta::assert_snapshot!(check("a.py", text, InsertAfter, "class New:\n    x = 1").await, @"
    class A: pass
    class B: pass

    class New:
        x = 1

    class C: pass
    ");
    insta::assert_snapshot!(check("a.py", text, InsertBefore, "class New:\n    x = 1").await, @"
    class A: pass

    class New:
        x = 1

    class B: pass
    class C: pass
    ");
    insta::assert_snapshot!(check("a.py", text, InsertAfter, "class New: pass").await, @"
    class A: pass
    class B: pass
    class New: pass
    class C: pass
    ");
}

#[tokio::test]
async fn the_comment_behind_the_last_element_goes_with_it() {
    for (name, text, expected) in [
        ("a.ts", "enum E {\n  A, // one\n  $0B // two\n}\n", "enum E {\n  A // one\n}\n"),
        ("a.c", "enum E {\n  A, /* one */\n  $0B /* two */\n};\n", "enum E {\n  A /* one */\n};\n"),
        (
            "A.java",
            "enum E {\n    A,\n    $0B; // end\n\n    int x;\n}\n",
            "enum E {\n    A; // end\n\n    int x;\n}\n",
        ),
    ] {
        assert_eq!(check(name, text, Delete, "").await, expected, "{text}");
    }
}

#[tokio::test]
async fn a_wrong_dedent_is_rejected() {
    let text = "def $0f():\n    pass\n";
    insta::assert_snapshot!(check("a.py", text, Replace, "def f():\n    if x:\n        a()\n      b()").await, @"
    error: text: a syntax error in its line 4: `b()`
    Nothing was changed. Correct the text, which must be the whole source of the declaration.
    ");
    let valid = "def f():\n    if x:\n        a()\n    elif y: b(); c()\n    # End.\n    d(\n  1)\n    e()\n";
    assert_eq!(check("a.py", text, Replace, valid).await, valid);
}

#[tokio::test]
async fn a_member_of_a_go_group_has_no_keyword() {
    let group = "package a\n\ntype (\n\t// An A.\n\t$0A struct{ x int }\n\tB struct{ y int }\n)\n";
    insta::assert_snapshot!(check("a.go", group, Replace, "type A struct{ x int64 }\n").await, @"
    package a

    type (
    	// An A.
    	A struct{ x int64 }
    	B struct{ y int }
    )
    ");
    insta::assert_snapshot!(check("a.go", group, InsertAfter, "// A C.\ntype C struct{}\n").await, @"
    package a

    type (
    	// An A.
    	A struct{ x int }

    	// A C.
    	C struct{}

    	B struct{ y int }
    )
    ");
    let single = "package a\n\ntype $0A struct{ x int }\n";
    insta::assert_snapshot!(check("a.go", single, Replace, "type A struct{ x int64 }\n").await, @"
    package a

    type A struct{ x int64 }
    ");
}
