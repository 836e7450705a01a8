//! The surroundings of a change: elements other than declarations, variables of the same statement, words before the
//! declaration.

use super::*;

#[tokio::test]
async fn a_removal_takes_no_neighbour() {
    let object = |inner: &str| format!("export const w = {{ {inner} }};\n");
    for (marked, expected) in [
        ("a() {}, ...base, $0g() { return 4; }", "a() {}, ...base"),
        ("m() {}, n: 2, $0k: () => 3", "m() {}, n: 2"),
        ("a: 1, f: () => 2, z: 3, $0g() {}", "a: 1, f: () => 2, z: 3"),
        ("$0g() {}, ...base", "...base"),
        ("...base, $0g() {}, h() {}", "...base, h() {}"),
        ("...base, /* the last */ $0g() {}", "...base, /* the last */"),
    ] {
        assert_eq!(check("a.ts", &object(marked), Delete, "").await, object(expected), "{marked}");
    }
    let comment = "f();\n\n// One, two,\n\nfunction $0g() {}\n";
    assert_eq!(check("a.ts", comment, Delete, "").await, "f();\n\n// One, two,\n");
    let lines = "export const w = {\n  a() {},\n  n: 2, // two\n  $0g() {},\n  ...base,\n};\n";
    assert_eq!(check("a.ts", lines, Delete, "").await, lines.replace("  $0g() {},\n", ""));
}

#[tokio::test]
async fn variables_of_one_statement_stay_together() {
    let text = "export const $0one = 1, two = 2;\n";
    insta::assert_snapshot!(check("a.ts", text, InsertAfter, "let zz = 1;").await, @"
    error: text: not a part of the statement that declares `one` and `two`
    Nothing was changed. Pass only the part between the commas, as in `name = value`, or edit the text with `edit_files`.
    ");
    insta::assert_snapshot!(check("a.ts", text, InsertAfter, "zz = 1").await, @"export const one = 1, zz = 1, two = 2;");
    insta::assert_snapshot!(check("a.ts", text, InsertBefore, "function f() {}").await, @"
    error: text: not a part of the statement that declares `one` and `two`
    Nothing was changed. Pass only the part between the commas, as in `name = value`, or edit the text with `edit_files`.
    ");
    insta::assert_snapshot!(check("a.ts", text, Replace, "const one = 10;").await, @"
    error: text: not a part of the statement that declares `one` and `two`
    Nothing was changed. Pass only the part between the commas, as in `name = value`, or edit the text with `edit_files`.
    ");
    insta::assert_snapshot!(check("a.ts", "export const one = 1, $0two = 2;\n", InsertAfter, "let zz = 1;").await, @"export const one = 1, two = 2; let zz = 1;");
    insta::assert_snapshot!(check("a.js", "var $0p = 1,\n    q = 2;\n", InsertAfter, "let z = 0;").await, @"
    error: text: not a part of the statement that declares `p` and `q`
    Nothing was changed. Pass only the part between the commas, as in `name = value`, or edit the text with `edit_files`.
    ");
}

#[tokio::test]
async fn a_lost_prefix_is_noted() {
    insta::assert_snapshot!(check("a.ts", "export default function $0main() {}\n", Replace, "function main() { f(); }").await, @"
    note: the old `main` has `export`, and the new one has not
    note: the old `main` has `default`, and the new one has not
    function main() { f(); }
    ");
    insta::assert_snapshot!(check("a.cpp", "template <typename T>\nT $0twice(T v) { return v + v; }\n", Replace, "T twice(T v) { return 2 * v; }").await, @"
    note: the old `twice` has `template`, and the new one has not
    T twice(T v) { return 2 * v; }
    ");
}

#[tokio::test]
async fn a_type_with_a_variable_is_not_removed_alone() {
    let text = "struct $0Pt { int x; } origin;\n";
    insta::assert_snapshot!(check("a.cc", text, Delete, "").await, @"
    error: the change would affect `origin` too
    Nothing was changed. Edit the text with `edit_files`.
    ");
}
