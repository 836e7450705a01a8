//! The bodies of the targets for outlines and patterns. Plain functions, so that the tests of `zubi-syntax` use it as well: its property
//! tests check the same, and replay the committed corpus. It panics if a property does not hold.

use std::cell::Cell;

use zubi_syntax::{
    LANGUAGES, MAX_DECLARATIONS, MAX_DEPTH, MAX_MATCHES, OutlineError, RewriteTemplate, SyntaxLanguage, SyntaxOutline,
    SyntaxPattern, remove_nested,
};

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

/// A number of a language, a pattern, a zero byte, and any bytes as a text.
pub fn syntax_pattern(bytes: &[u8]) {
    let Some((number, rest)) = bytes.split_first() else { return };
    let Some(language) = LANGUAGES.get(usize::from(*number) % LANGUAGES.len()) else { return };
    let mut parts = rest.splitn(2, |byte| *byte == 0).map(String::from_utf8_lossy);
    if let (Some(pattern), Some(text)) = (parts.next(), parts.next()) {
        check_pattern(language, &pattern, &text);
    }
}

/// Finds a pattern in a text, and checks the properties that hold for any pattern and text: ranges are not empty, begin and
/// end between characters, and contain their captures, and each outermost match can be replaced. Returns the number of
/// matches, or `None` if the pattern is invalid or the search was stopped.
pub fn check_pattern(language: &'static SyntaxLanguage, pattern: &str, text: &str) -> Option<usize> {
    let compiled = SyntaxPattern::compile(language, pattern).ok()?;
    let checks = Cell::new(0);
    let is_stopped = || {
        checks.set(checks.get() + 1);
        checks.get() > MAX_CHECKS
    };
    let found = compiled.find(text, &is_stopped).ok()?;
    assert!(found.matches.len() <= MAX_MATCHES, "too many matches");
    let template = RewriteTemplate::parse(pattern, language, compiled.variables()).ok();
    let mut start = 0;
    for found in &found.matches {
        let context = format!("{pattern} in {}: {found:?}", language.id);
        let code = text.get(found.range.clone()).expect("a range cuts a character");
        assert!(!code.is_empty() && found.range.start >= start, "{context}");
        start = found.range.start;
        for literal in compiled.literals() {
            assert!(code.contains(literal), "without {literal}: {context}");
        }
        for capture in &found.captures {
            assert!(compiled.variables().contains(&capture.variable), "{context}");
            assert!(found.range.start <= capture.range.start && capture.range.end <= found.range.end, "{context}");
            assert!(!text.get(capture.range.clone()).expect("a capture cuts a character").is_empty(), "{context}");
        }
        if let Some(template) = &template {
            template.render(text, found);
        }
    }
    let count = found.matches.len();
    let (outermost, nested) = remove_nested(found.matches);
    assert_eq!(outermost.len() + nested.len(), count);
    assert!(outermost.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "overlapping matches");
    Some(count)
}
