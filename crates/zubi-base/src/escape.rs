//! Escapes characters that a reader cannot see: zubi shows the code point of every character that prints as nothing,
//! that reorders others, or that a terminal would interpret.
//!
//! This is for texts that a user must judge by reading them: file names, prompts, and files that the user is about to
//! trust. Joiners and unusual spaces are escaped as well, although scripts and emoji need them, so that two different
//! texts never look the same.

use std::borrow::Cow;

/// Escapes a text to one line: line ends and tabs are escaped as well.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape_with(text, |_| false)
}

/// Escapes a text of any number of lines: line ends and tabs remain.
pub fn on_lines(text: &str) -> Cow<'_, str> {
    escape_with(text, |c| matches!(c, '\n' | '\t'))
}

fn escape_with(text: &str, is_exempt: fn(char) -> bool) -> Cow<'_, str> {
    let is_verbatim = |c: char| is_printed(c) || is_exempt(c);
    if text.chars().all(is_verbatim) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if is_verbatim(c) => escaped.push(c),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            c => escaped.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(escaped)
}

/// Restores the text that [`printable`] has escaped; `None` if `escaped` contains no escape.
pub fn unescape(escaped: &str) -> Option<String> {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let character = match after.strip_prefix("u{").and_then(|after| after.split_once('}')) {
            Some((digits, after)) if digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                c.filter(|c| !is_printed(*c)).map(|c| (c, after))
            }
            _ => [('n', '\n'), ('t', '\t')].into_iter().find_map(|(name, c)| Some((c, after.strip_prefix(name)?))),
        };
        match character {
            Some((c, after)) => {
                text.push(c);
                rest = after;
            }
            None => {
                text.push('\\');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    (text != escaped).then_some(text)
}

/// Whether a character is visible and does not reorder others.
pub fn is_printed(c: char) -> bool {
    c == ' ' || !(is_hidden(c) || c.is_whitespace())
}

/// Whether a character is invisible or reorders others: control characters, every character that Unicode allows
/// renderers to ignore (`Default_Ignorable_Code_Point`), other format characters, line and paragraph separators, and
/// characters with an empty glyph, but not spaces. No other table of them exists in zubi.
pub fn is_hidden(c: char) -> bool {
    match c {
        // Soft hyphen, combining grapheme joiner, direction mark, fillers and vowels of scripts, Mongolian selectors.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' => true,
        // Zero-width spaces, joiners, direction marks, overrides and isolates, separators, invisible operators.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        // Characters with an empty glyph: a braille pattern, Hangul and Khitan fillers, a musical note head.
        '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{16fe4}' | '\u{1d159}' => true,
        // Variation selectors, byte order mark, annotations, format characters of shorthand, music and hieroglyphs,
        // tags.
        '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

/// Whether scripts and emoji need a hidden character: joiners, the two emoji selectors, and the braille blank.
pub fn is_script_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{2800}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        for (text, expected) in [
            ("é 日本", "é 日本"),
            ("a\n\tb", r"a\n\tb"),
            ("\u{1b}[2J\r\u{202e}gnp.\u{2066}", r"\u{1b}[2J\u{d}\u{202e}gnp.\u{2066}"),
            ("x\u{200b}\u{200d}\u{2028}\u{85}\u{a0}\u{e0041}", r"x\u{200b}\u{200d}\u{2028}\u{85}\u{a0}\u{e0041}"),
        ] {
            assert_eq!(printable(text), expected);
        }
        // Each character alone: a run of them must not be required to detect one.
        for c in "\u{34f}\u{115f}\u{17b4}\u{180b}\u{200c}\u{200f}\u{2028}\u{2029}\u{2064}\u{2800}\u{3164}\u{fe0f}\u{ffa0}\u{fff9}\u{1d173}\u{e0100}\u{e01ef}".chars() {
            assert_eq!(on_lines(&format!("a{c}")), format!("a{}", c.escape_unicode()));
            assert!(is_hidden(c));
        }
        assert_eq!(on_lines("a\n\tb\r\u{202e}"), "a\n\tb\\u{d}\\u{202e}");
    }

    #[test]
    fn only_hidden_characters_are_unescaped() {
        for same in ["", "a", r"\", r"\x", r"\u{41}", r"\u{}", r"\u{1234567}", r"\u{d800}", r"\u{1b", "é\\"] {
            assert_eq!(unescape(same), None, "{same}");
        }
        assert_eq!(unescape(r"a\u{202e}\n\").as_deref(), Some("a\u{202e}\n\\"));
    }

    proptest! {
        #[test]
        fn escaped_text_unescapes_to_the_original(text in "[a-z \n\t\u{1b}\u{202e}\u{200d}é]{0,20}") {
            let shown = printable(&text);
            prop_assert!(shown.chars().all(is_printed));
            prop_assert_eq!(unescape(&shown).unwrap_or_else(|| shown.to_string()), text);
        }
    }
}
