//! Exact replacement: results, errors, and the surrounding text.

use proptest::prelude::*;

use super::*;

fn replacement(old: &str, new: &str, every: bool) -> TextReplacement {
    TextReplacement { old: old.to_owned(), new: new.to_owned(), every, near: None }
}

fn check(text: &str, replacements: &[TextReplacement]) -> String {
    match replace_all(text, replacements) {
        Ok(ReplacedText { text, count }) => format!("{count}: {text:?}"),
        Err(problems) => {
            let lines = problems.iter().map(|(index, problem)| format!("[{index}] {}", problem.describe("a.txt")));
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

fn replace_one(text: &str, old: &str, new: &str) -> String {
    check(text, &[replacement(old, new, false)])
}

/// Replaces the occurrence of `x` that is nearest to a position.
fn replace_near(text: &str, line: usize, column: Option<usize>) -> String {
    let near = Some(NearPosition { line, column });
    check(text, &[TextReplacement { near, ..replacement("x", "y", false) }])
}

#[test]
fn table() {
    insta::assert_snapshot!(replace_one("one two", "two", "three"), @r#"1: "one three""#);
    insta::assert_snapshot!(replace_one("one two", "", "x"), @"[0] it is empty");
    insta::assert_snapshot!(replace_one("one two", "one", "one"), @"[0] it is the same as `new`");
    insta::assert_snapshot!(replace_one("a\nb\na\n", "a", "x"), @"[0] it occurs 2 times in `a.txt`, on lines 1, 3");
    insta::assert_snapshot!(replace_one("a\r\nb\r\n", "a\nb", "c\nd"), @r#"1: "c\r\nd\r\n""#);
    insta::assert_snapshot!(replace_one("a\r\nb\nc", "a\nb", "x\ny"), @r#"1: "x\r\ny\nc""#);
    insta::assert_snapshot!(replace_one("a\nb\r\nc\r\n", "b", "x\ny"), @r#"1: "a\nx\r\ny\r\nc\r\n""#);
    insta::assert_snapshot!(replace_one("a\nb\n", "b", "x\r\ny"), @r#"1: "a\nx\ny\n""#);
    insta::assert_snapshot!(replace_one("a\r\nb\r\n", "\n", ""), @"[0] it occurs 2 times in `a.txt`, on lines 1, 2");
    insta::assert_snapshot!(replace_one("a\r\nb", "\nb", ""), @r#"1: "a""#);
    insta::assert_snapshot!(replace_one("a\rb\r\nc", "b\n", "x"), @r#"1: "a\rxc""#);
    insta::assert_snapshot!(replace_one("fn f() {\n  let x  = 1;\n}\n", "fn f() {\n    let x = 1;\n}", ""), @"
    [0] not in `a.txt`, except with other white space; the text from line 1 is
    fn f() {
      let x  = 1;
    }
    ");
    insta::assert_snapshot!(replace_one("let total = price * count;\nlet other = 1;\n", "let total = price + count;", ""), @"
    [0] not in `a.txt`; the nearest lines are
      1: let total = price * count;
    ");
    insta::assert_snapshot!(replace_one("x", "entirely different", ""), @"[0] not in `a.txt`");
    insta::assert_snapshot!(replace_one("def load(x):\n  return x\n", "retrun", ""), @"
    [0] not in `a.txt`; the nearest lines are
      2:   return x
    ");
    insta::assert_snapshot!(replace_one("def load(x):\n  return x\n", "Load(", ""), @"
    [0] not in `a.txt`; the nearest lines are
      1: def load(x):
    ");
}

#[test]
fn a_position_chooses_the_nearest_occurrence() {
    insta::assert_snapshot!(replace_near("x\nb\nx\nd\nx", 4, None), @"[0] in `a.txt`, the occurrences at 3:1 and 5:1 are equally near to the position");
    insta::assert_snapshot!(replace_near("x\nb\nx\nd\nx", 3, None), @r#"1: "x\nb\ny\nd\nx""#);
    insta::assert_snapshot!(replace_near("x\nb\nx\nd\nx", 99, None), @r#"1: "x\nb\nx\nd\ny""#);
    insta::assert_snapshot!(replace_near("x é x", 1, Some(5)), @r#"1: "x é y""#);
    insta::assert_snapshot!(replace_near("x é x", 1, None), @"[0] in `a.txt`, the occurrences at 1:1 and 1:5 are equally near to the position");
    insta::assert_snapshot!(replace_near("x\r\nb\r\nx\r\n", 1, None), @r#"1: "y\r\nb\r\nx\r\n""#);
    // An occurrence of several lines is at each of them.
    let lines =
        TextReplacement { near: Some(NearPosition { line: 3, column: None }), ..replacement("a\nb\nc", "-", false) };
    insta::assert_snapshot!(check("a\nb\nc\na\nb\nc\n", &[lines]), @r#"1: "-\na\nb\nc\n""#);
}

/// The positions are those of the text that the caller has read.
#[test]
fn positions_are_those_before_all_replacements() {
    let near =
        |line| TextReplacement { near: Some(NearPosition { line, column: None }), ..replacement("x", "y", false) };
    for (edits, expected) in [
        ([replacement("a", "a\n1\n2\n3", false), near(4)], "a\n1\n2\n3\nx\nb\ny"),
        ([replacement("a", "a\n1\n2\n3", false), near(2)], "a\n1\n2\n3\ny\nb\nx"),
        ([replacement("b\n", "", false), near(4)], "a\nx\ny"),
        ([near(4), replacement("x", "z", false)], "a\nz\nb\ny"),
    ] {
        assert_eq!(replace_all("a\nx\nb\nx", &edits).unwrap().text, expected, "{edits:?}");
    }
}

#[test]
fn several_edits_apply_in_order_and_all_failures_are_reported() {
    let edits = [replacement("a", "b", false), replacement("b", "c", true)];
    assert_eq!(replace_all("a b", &edits).unwrap().text, "c c");
    insta::assert_snapshot!(check("a a b", &[edits[0].clone(), edits[1].clone(), replacement("d", "", false)]), @"
    [0] it occurs 2 times in `a.txt`, on lines 1, 1
    [2] not in `a.txt`
    ");
    let missing = vec![replacement("q", "", false); 2 * MAX_ERRORS];
    assert_eq!(replace_all("a", &missing).unwrap_err().len(), MAX_ERRORS);
}

#[test]
fn replacements_are_limited() {
    let many = "a".repeat(MAX_OCCURRENCES + 1);
    insta::assert_snapshot!(check(&many, &[replacement("a", "", true)]), @"[0] it occurs more than 100000 times in `a.txt`");
    let large = "b".repeat(1 << 20);
    insta::assert_snapshot!(check(&"a".repeat(10), &[replacement("a", &large, true)]), @"[0] the file would become larger than 8 MiB");
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
        before in "([a-c]|\r?\n){0,20}",
        old in "[x-z]([x-z]|\r?\n){0,6}",
        after in "([a-c]|\r?\n){0,20}",
        new in "([a-z]|\r?\n){0,8}",
    ) {
        // The replaced text does not divide a CRLF.
        prop_assume!(!(old.ends_with('\r') && after.starts_with('\n')));
        let text = format!("{before}{old}{after}");
        let replaced = replace_all(&text, &[replacement(&old, &new, false)]);
        let searched = LineFeedText::new(&text);
        let lines = |text: &str| text.replace("\r\n", "\n");
        if lines(&old) != lines(&new) && searched.text().matches(&lines(&old)).count() == 1 {
            let replaced = replaced.unwrap().text;
            prop_assert!(replaced.starts_with(&before) && replaced.ends_with(&after), "{:?}", replaced);
            let middle = replaced.get(before.len()..replaced.len() - after.len()).unwrap();
            prop_assert_eq!(lines(middle), lines(&new));
        }
    }

    #[test]
    fn offsets_lead_back_to_the_original(text in "([a-cé]|\r|\n|\r\n){0,30}") {
        let searched = LineFeedText::new(&text);
        prop_assert!(!searched.text().contains("\r\n") || text.contains("\r\r\n"));
        prop_assert_eq!(searched.original_range(0..searched.text().len()), 0..text.len());
        for (at, character) in searched.text().char_indices() {
            let range = searched.original_range(at..at + character.len_utf8());
            let expected = if character == '\n' { ["\n", "\r\n"].as_slice() } else { &[] };
            let original = text.get(range).unwrap();
            prop_assert!(original == character.to_string() || expected.contains(&original), "{:?}", original);
        }
    }

    #[test]
    fn every_text_gets_an_answer(
        text in ".{0,60}", old in ".{0,12}", new in ".{0,12}", every: bool, line: Option<u8>, column: Option<u8>,
    ) {
        let near = line.map(|line| NearPosition { line: line.into(), column: column.map(Into::into) });
        let replacement = TextReplacement { near, ..replacement(&old, &new, every) };
        if let Err(problems) = replace_all(&text, &[replacement.clone(), replacement]) {
            prop_assert!(problems.iter().all(|(_, problem)| !problem.describe("f").is_empty()));
        }
    }
}
