//! Exact replacement: results, errors, and the surrounding text.

use proptest::prelude::*;

use super::*;

fn replacement(old: &str, new: &str, replace_all: bool) -> TextReplacement {
    TextReplacement { old: old.to_owned(), new: new.to_owned(), replace_all: Some(replace_all) }
}

fn replace_one(text: &str, old: &str, new: &str) -> String {
    match replace_all(text, &[replacement(old, new, false)]) {
        Ok(ReplacedText { text, count }) => format!("{count}: {text:?}"),
        Err((_, problem)) => problem.describe("a.txt"),
    }
}

#[test]
fn table() {
    insta::assert_snapshot!(replace_one("one two", "two", "three"), @r#"1: "one three""#);
    insta::assert_snapshot!(replace_one("one two", "", "x"), @"it is empty");
    insta::assert_snapshot!(replace_one("one two", "one", "one"), @"it is the same as `new`");
    insta::assert_snapshot!(replace_one("a\nb\na\n", "a", "x"), @"it occurs 2 times in `a.txt`, on lines 1, 3");
    insta::assert_snapshot!(replace_one("a\r\nb\r\n", "a\nb", "c\nd"), @r#"1: "c\r\nd\r\n""#);
    insta::assert_snapshot!(replace_one("a\r\nb\nc", "a\nb", "x\ny"), @r#"1: "x\r\ny\nc""#);
    insta::assert_snapshot!(replace_one("fn f() {\n  let x  = 1;\n}\n", "fn f() {\n    let x = 1;\n}", ""), @"
    not in `a.txt`, except with other white space; the text from line 1 is
    fn f() {
      let x  = 1;
    }
    ");
    insta::assert_snapshot!(replace_one("let total = price * count;\nlet other = 1;\n", "let total = price + count;", ""), @"
    not in `a.txt`; the nearest lines are
      1: let total = price * count;
    ");
    insta::assert_snapshot!(replace_one("x", "entirely different", ""), @"not in `a.txt`");
}

#[test]
fn several_edits_apply_in_order() {
    let edits = [replacement("a", "b", false), replacement("b", "c", true)];
    assert_eq!(replace_all("a b", &edits).unwrap().text, "c c");
    assert_eq!(replace_all("a a", &edits).unwrap_err().0, 0, "the first is impossible");
}

#[test]
fn line_ends_follow_the_file() {
    assert_eq!(match_line_ends("a\r\nb\r\n", "c\nd\n").0, "c\r\nd\r\n");
    for (old, new) in [("a\nb\r\n", "c\n"), ("a\r\n", "c\r\nd\n"), ("", "c\n"), ("a\r\n", "c")] {
        assert_eq!(match_line_ends(old, new), (new.to_owned(), None), "{old:?} {new:?}");
    }
}

proptest! {
    #[test]
    fn one_replacement_leaves_the_rest_unchanged(
        before in "[a-c\n]{0,20}",
        old in "[x-z][x-z\n]{0,6}",
        after in "[a-c\n]{0,20}",
        new in "[a-z]{0,8}",
    ) {
        let text = format!("{before}{old}{after}");
        let replaced = replace_all(&text, &[replacement(&old, &new, false)]);
        if old != new && text.matches(&old).count() == 1 {
            prop_assert_eq!(replaced.unwrap().text, format!("{before}{new}{after}"));
        }
    }

    #[test]
    fn every_text_gets_an_answer(text in ".{0,60}", old in ".{0,12}", new in ".{0,12}", every: bool) {
        if let Err((_, problem)) = replace_all(&text, &[replacement(&old, &new, every)]) {
            prop_assert!(!problem.describe("f").is_empty() && !problem.hint().is_empty());
        }
    }
}
