//! The body of the target for outlines. A plain function, so that the tests of `zubi-syntax` use it as well: its property
//! tests check the same, and replay the committed corpus. It panics if a property does not hold.

use std::cell::Cell;

use zubi_syntax::{LANGUAGES, MAX_DECLARATIONS, MAX_DEPTH, OutlineError, SyntaxLanguage, SyntaxOutline};

/// The number of calls after which the check stops a parse, so that a slow input is not a time-out of the fuzzer.
const MAX_CHECKS: u32 = 2_000;

/// A number of a language, and any bytes as a text in it: ranges nest, and begin and end between characters.
pub fn syntax_outline(bytes: &[u8]) {
    let Some((number, text)) = bytes.split_first() else { return };
    if let Some(language) = LANGUAGES.get(usize::from(*number) % LANGUAGES.len()) {
        check(language, &String::from_utf8_lossy(text));
    }
}

/// Extracts the declarations of a text, and checks the properties that hold for any text. Returns `None` if the parse was
/// stopped.
pub fn check(language: &SyntaxLanguage, text: &str) -> Option<SyntaxOutline> {
    let checks = Cell::new(0);
    let is_stopped = || {
        checks.set(checks.get() + 1);
        checks.get() > MAX_CHECKS
    };
    let outline = match zubi_syntax::outline(language, text, &is_stopped) {
        Ok(outline) => outline,
        Err(OutlineError::Stopped | OutlineError::TooDeep | OutlineError::TooLarge { .. }) => return None,
        Err(error) => panic!("{error}"),
    };
    assert!(outline.declarations.len() <= MAX_DECLARATIONS, "too many declarations");
    for (index, declaration) in outline.declarations.iter().enumerate() {
        let context = format!("{} of {}: {declaration:?}", declaration.name, language.id);
        let slice =
            |range: &std::ops::Range<usize>| text.get(range.clone()).expect("a range cuts a character").to_owned();
        assert!(!declaration.name.is_empty() && !declaration.name.contains('\n'), "{context}");
        assert!(!slice(&declaration.name_range).is_empty(), "an empty name: {context}");
        let contains = |outer: &std::ops::Range<usize>, inner: &std::ops::Range<usize>| {
            outer.start <= inner.start && inner.end <= outer.end
        };
        slice(&declaration.range);
        slice(&declaration.signature);
        assert!(contains(&declaration.range, &declaration.name_range), "the name is outside: {context}");
        assert!(contains(&declaration.range, &declaration.signature), "the signature is outside: {context}");
        assert!(contains(&declaration.signature, &declaration.name_range), "the signature has no name: {context}");
        if let Some(doc) = &declaration.doc {
            assert!(!slice(doc).is_empty(), "an empty comment: {context}");
        }
        if let Some(parent) = declaration.parent {
            assert!(parent < index, "the parent is later: {context}");
            let parent = outline.declarations.get(parent).expect("the parent exists");
            assert!(contains(&parent.range, &declaration.range), "{context} is outside {parent:?}");
        }
        assert!(outline.above(index).len() < MAX_DEPTH, "too deep: {context}");
    }
    let mut words = 0;
    for word in zubi_syntax::words(text) {
        assert_eq!(text.get(word.range.clone()), Some(word.text));
        assert!(word.range.start >= words && !word.text.is_empty());
        words = word.range.end;
    }
    Some(outline)
}
