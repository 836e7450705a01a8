//! Differences between two texts.

use std::fmt::Write as _;

use super::*;

fn outline(name: &str, text: &str) -> SyntaxOutline {
    zubi_syntax::outline_of_file(name, text, &|| false).unwrap().unwrap()
}

fn check(name: &str, old: &str, new: &str) -> String {
    let (old_outline, new_outline) = (outline(name, old), outline(name, new));
    let (changes, is_outside) =
        compare(&DeclaredText { text: old, outline: &old_outline }, &DeclaredText { text: new, outline: &new_outline });
    let mut text = String::new();
    for it in changes {
        let names = it.containers.iter().chain([&it.name]).cloned().collect::<Vec<_>>().join("/");
        let members = if it.members > 0 { format!(" ({})", it.members) } else { String::new() };
        writeln!(text, "{} {}-{} {} {names}{members}", it.change.mark(), it.line, it.end_line, it.kind).unwrap();
    }
    if is_outside {
        text.push_str("outside\n");
    }
    text
}

const OLD: &str = "\
import os

class Order:
    limit = 1

    def total(self):
        return 1

    def old(self):
        pass

def price():
    return 2

class Gone:
    def a(self): pass
    def b(self): pass
";

#[test]
fn only_what_differs_is_listed() {
    let new = "\
import os
import sys

class Order:
    limit = 1

    def total(self):
        return 3

    def added(self):
        pass

def price():

    return 2

class Fresh:
    def a(self): pass
";
    insta::assert_snapshot!(check("a.py", OLD, new), @"
    ~ 7-8 method Order/total
    - 9-10 method Order/old
    + 10-11 method Order/added
    - 15-17 class Gone (2)
    + 17-18 class Fresh (1)
    outside
    ");
    insta::assert_snapshot!(check("a.py", OLD, OLD), @"");
}

#[test]
fn comments_and_indentation_inside_count() {
    let old = "/// Old.\nfn a() {\n    if x {\n        y();\n    }\n    z();\n}\n";
    insta::assert_snapshot!(check("a.rs", old, &old.replace("Old", "New")), @"~ 2-7 function a");
    insta::assert_snapshot!(check("a.rs", old, &old.replace("    z", "        z")), @"~ 2-7 function a");
    insta::assert_snapshot!(check("a.rs", old, &format!("mod b {{\n{old}}}\n")), @"
    - 2-7 function a
    + 1-9 module b (1)
    ");
}

#[test]
fn overloads_are_paired() {
    let old = "class A {\n  void f(int a) { one(); }\n  void f(long a) { two(); }\n}\n";
    let new = "class A {\n  void f(long a) { two(); }\n  void f(int a) { three(); }\n  void f(byte a) {}\n}\n";
    insta::assert_snapshot!(check("A.java", old, new), @"
    ~ 3-3 method A/f
    + 4-4 method A/f
    ");
}

#[test]
fn new_and_removed_files() {
    insta::assert_snapshot!(check("a.py", "", OLD), @"
    + 3-10 class Order (3)
    + 12-13 function price
    + 15-17 class Gone (2)
    outside
    ");
    insta::assert_snapshot!(check("a.py", OLD, ""), @"
    - 3-10 class Order (3)
    - 12-13 function price
    - 15-17 class Gone (2)
    outside
    ");
}

proptest::proptest! {
    /// Any texts have a comparison, and equal ones do not differ.
    #[test]
    fn any_texts_are_compared(old in "(def [ab]\\(\\):\n|  x\n|class [ab]:\n|é\t|\r|    def c\\(\\): y\n){0,12}", new in "(def [ab]\\(\\):\n|  x\n|class [ab]:\n|    z\n){0,12}") {
        check("a.py", &old, &new);
        check("a.py", &new, &old);
        proptest::prop_assert_eq!(check("a.py", &old, &old), "");
    }
}
