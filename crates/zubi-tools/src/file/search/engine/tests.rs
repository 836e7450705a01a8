//! Excerpts of lines, rejected expressions, and the selection of findings.

use proptest::prelude::*;

use super::*;

#[test]
fn excerpts() {
    assert_eq!(excerpt("  let é = x;\n".as_bytes(), 9), (9, "let é = x;".to_owned()));
    let long = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
    let (column, shown) = excerpt(long.as_bytes(), 1000);
    assert_eq!(column, 1001);
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("needle"), "{shown}");
    assert!(shown.chars().count() <= MAX_EXCERPT + 2);
    assert_eq!(excerpt(&[0xff, b'x'], 1).0, 2, "invalid UTF-8 counts as one character per byte");
}

#[test]
fn expressions() {
    let query = |text: &str, is_regex| {
        let text = text.to_owned();
        SearchQuery { text, is_regex, case_sensitive: None, context: 0, pattern: None }
    };
    for text in ["", "a(", "\\w{9999}{999}", "a\\nb", "(?=x)"] {
        assert!(query(text, true).matcher().is_err(), "{text}");
    }
    let is_match = |query: SearchQuery, line: &str| query.matcher().unwrap().is_match(line.as_bytes()).unwrap();
    assert!(is_match(query("a(", false), "A("));
    assert!(!is_match(query("A(", false), "a("), "a capital letter makes the query case-sensitive");
    // Exponential in backtracking engines.
    assert!(!is_match(query("(a+)+$", true), &format!("{}!", "a".repeat(50_000))));
}

proptest! {
    /// In any arrival order, the shown lines are the first ones by path, and at most one file's worth of further lines
    /// is stored.
    #[test]
    fn lines_of_the_first_files_are_retained(
        files in proptest::collection::btree_map("[a-f]{1,3}", 1..12_usize, 1..20),
        order in any::<u64>(),
        limit in 1..30_usize,
    ) {
        let line = |number: usize| {
            let number = u64::try_from(number).unwrap_or_default();
            MatchedLine { number, column: 1, text: String::new(), before: Vec::new(), after: Vec::new() }
        };
        let mut arriving: Vec<(&String, &usize)> = files.iter().collect();
        let offset = usize::try_from(order % 1_000).unwrap_or_default() % arriving.len();
        arriving.rotate_left(offset);
        if order % 2 == 0 {
            arriving.reverse();
        }
        let mut pending = PendingFindings::default();
        for (name, lines) in arriving {
            let path = Utf8PathBuf::from(name);
            let line_limit = if pending.may_show(&path) { limit } else { 0 };
            pending.add(path, *lines, (1..=(*lines).min(line_limit)).map(line).collect(), limit);
        }
        let visible_lines = |files: Vec<(String, usize)>| -> Vec<(String, usize)> {
            let lines = files.into_iter().flat_map(|(name, lines)| (1..=lines).map(move |line| (name.clone(), line)));
            lines.take(limit).collect()
        };
        let expected = files.iter().map(|(name, lines)| (name.clone(), *lines)).collect();
        let actual = pending.findings.files.iter().map(|(path, lines)| (path.to_string(), lines.len())).collect();
        prop_assert_eq!(visible_lines(actual), visible_lines(expected));
        prop_assert_eq!(pending.findings.lines, files.values().sum::<usize>());
        prop_assert!(pending.lines < limit + 12, "{} of {limit}", pending.lines);
    }
}
