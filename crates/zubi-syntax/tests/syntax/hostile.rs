//! Texts that were made to take long, or to exhaust the stack or the memory.

use std::time::{Duration, Instant};

use zubi_syntax::{MAX_DECLARATIONS, MAX_DEPTH, MAX_TEXT_BYTES, OutlineError, SyntaxLanguage, SyntaxOutline};

/// The time after which the caller stops a parse.
const BUDGET: Duration = Duration::from_secs(2);

/// The time after the budget in which a parse must end. Grammars do not call the check all the time.
const GRACE: Duration = Duration::from_secs(8);

fn outline(id: &str, text: &str) -> Result<SyntaxOutline, OutlineError> {
    let start = Instant::now();
    let language = SyntaxLanguage::from_id(id).unwrap();
    let outline = zubi_syntax::outline(language, text, &|| start.elapsed() > BUDGET);
    assert!(start.elapsed() < BUDGET + GRACE, "{id} took {:?}", start.elapsed());
    outline
}

#[test]
fn hostile_texts_end_within_the_budget() {
    for (id, unit, count) in [
        ("javascript", "[", 60_000),
        ("rust", "fn a() {", 20_000),
        ("python", "[1, ", 60_000),
        ("typescript", "a<b<", 20_000),
        ("cpp", "a<b>(c)*", 20_000),
        ("json", "[", 60_000),
        ("yaml", "[", 20_000),
        ("yaml", "a: ", 20_000),
        ("markdown", "> ", 20_000),
        ("html", "<p id=a>", 20_000),
        ("css", "a{", 20_000),
        ("go", "func(", 20_000),
        ("javascript", "var a=b,", 20_000),
        ("javascript", "({a:", 20_000),
        ("lua", "a.", 60_000),
        ("ruby", "a ? ", 20_000),
        ("shellscript", "$(", 20_000),
        ("php", "<?php if(", 10_000),
    ] {
        let text = unit.repeat(count);
        assert!(text.len() <= MAX_TEXT_BYTES, "{id}");
        match outline(id, &text) {
            Ok(_) | Err(OutlineError::Stopped) => {}
            Err(error) => panic!("{id}: {error}"),
        }
    }
}

#[test]
fn large_texts_are_refused() {
    let error = outline("rust", &" ".repeat(MAX_TEXT_BYTES + 1)).unwrap_err();
    let expected = "the file has 262145 bytes, which is too large to parse; the maximum is 262144 bytes";
    assert_eq!(error.to_string(), expected);
    assert!(outline("rust", &" ".repeat(MAX_TEXT_BYTES)).is_ok());
}

/// The grammar of YAML would end the process.
#[test]
fn deep_indentation_is_refused() {
    let nested = |depth: usize, key: &str| {
        let lines: Vec<String> = (0..depth).map(|column| " ".repeat(column) + key).collect();
        lines.concat()
    };
    let indented = nested(400, "a:\n");
    for text in [indented.as_str(), &"- ".repeat(300), &"? ".repeat(300)] {
        assert_eq!(outline("yaml", text), Err(OutlineError::TooDeep));
    }
    assert!(outline("yaml", &nested(118, "- a:\n")).is_ok());
    assert!(outline("yaml", &"- ".repeat(60)).is_ok());
}

#[test]
fn a_stopped_parse_has_no_outline() {
    let language = SyntaxLanguage::from_id("rust").unwrap();
    let text = "fn a() {}\n".repeat(10_000);
    assert_eq!(zubi_syntax::outline(language, &text, &|| true), Err(OutlineError::Stopped));
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!("{}{}", "mod a {".repeat(depth), "}".repeat(depth));
    let deepest = outline("rust", &nested(MAX_DEPTH)).unwrap();
    assert_eq!((deepest.declarations.len(), deepest.is_cut), (MAX_DEPTH, false));
    let too_deep = outline("rust", &nested(MAX_DEPTH + 1)).unwrap();
    assert_eq!((too_deep.declarations.len(), too_deep.is_cut), (MAX_DEPTH, true));
    // Objects are declarations only around functions.
    let object = |inner: &str| format!("x = {}{inner}{}", "{a: ".repeat(2 * MAX_DEPTH), "}".repeat(2 * MAX_DEPTH));
    let plain = outline("javascript", &object("1")).unwrap();
    assert_eq!((plain.declarations.len(), plain.is_cut), (0, false));
    assert!(outline("javascript", &object("{ f() {} }")).unwrap().is_cut);
}

#[test]
fn the_number_of_declarations_is_limited() {
    for (count, is_cut) in [(MAX_DECLARATIONS, false), (MAX_DECLARATIONS + 5, true)] {
        let one_each = outline("rust", &"fn a(){}\n".repeat(count)).unwrap();
        assert_eq!((one_each.declarations.len(), one_each.is_cut), (MAX_DECLARATIONS, is_cut));
        let many_at_once = outline("go", &format!("package a\nvar {}b int", "a,".repeat(count - 1))).unwrap();
        assert_eq!((many_at_once.declarations.len(), many_at_once.is_cut), (MAX_DECLARATIONS, is_cut));
    }
}
