//! What is shown of a line, which expressions are refused, and what is kept of many findings.

use super::*;

#[test]
fn excerpts() {
    assert_eq!(excerpt("  let é = x;\n".as_bytes(), 9), (9, "let é = x;".to_owned()));
    let long = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
    let (column, shown) = excerpt(long.as_bytes(), 1000);
    assert_eq!(column, 1001);
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("needle"), "{shown}");
    assert!(shown.chars().count() <= MAX_SHOWN + 2);
    assert_eq!(excerpt(&[0xff, b'x'], 1).0, 2, "bytes that are no text count as one character each");
}

#[test]
fn expressions() {
    let query = |text: &str, is_regex| {
        let text = text.to_owned();
        Query { text, is_regex, case_sensitive: None, context: 0, pattern: None }
    };
    for text in ["", "a(", "\\w{9999}{999}", "a\\nb", "(?=x)"] {
        assert!(query(text, true).matcher().is_err(), "{text}");
    }
    let finds = |query: Query, line: &str| query.matcher().unwrap().is_match(line.as_bytes()).unwrap();
    assert!(finds(query("a(", false), "A("));
    assert!(!finds(query("A(", false), "a("), "a capital asks for itself");
    // Takes exponential time where expressions are tried back and forth.
    assert!(!finds(query("(a+)+$", true), &format!("{}!", "a".repeat(50_000))));
}

#[test]
fn the_first_files_keep_their_lines() {
    let line = |number| Line { number, column: 1, text: String::new(), before: Vec::new(), after: Vec::new() };
    let mut kept = Kept::default();
    for name in ["e", "c", "a", "d", "b"] {
        kept.add(name.into(), 10, (1..=10).map(line).collect(), 10);
    }
    assert_eq!((kept.found.lines, kept.found.files.len()), (50, 5));
    let first = kept.found.files.values().next().map(Vec::len);
    assert_eq!(first, Some(10), "what is shown first is kept");
    assert!(kept.lines <= 20, "{}", kept.lines);
}
