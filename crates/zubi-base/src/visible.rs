//! Text in which nothing hides: every character that prints as nothing, that moves others about or that a terminal would
//! obey is seen as its number.
//!
//! For whoever is to judge a text by what it says: names of files, which may hold any character, questions, and what would
//! be trusted. Joiners and spaces that are not the usual one are shown as well, although scripts and emoji need them: two
//! texts that look the same and are not is what this is against.

use std::borrow::Cow;

/// A text on one line: line ends and tabs are seen as well.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// A text of any number of lines: line ends and tabs stay.
pub fn on_lines(text: &str) -> Cow<'_, str> {
    shown(text, |c| matches!(c, '\n' | '\t'))
}

fn shown(text: &str, stays: fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |c: char| is_printed(c) || stays(c);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if is_shown(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            c => shown.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

/// What [`on_one_line`] was made of, where something in it could be its doing.
pub fn read_back(shown: &str) -> Option<String> {
    let mut text = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let hidden = match after.strip_prefix("u{").and_then(|after| after.split_once('}')) {
            Some((digits, after)) if digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                c.filter(|c| !is_printed(*c)).map(|c| (c, after))
            }
            _ => [('n', '\n'), ('t', '\t')].into_iter().find_map(|(name, c)| Some((c, after.strip_prefix(name)?))),
        };
        match hidden {
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
    (text != shown).then_some(text)
}

/// Whether a character is seen and leaves the others where they are.
fn is_printed(c: char) -> bool {
    match c {
        ' ' => true,
        // Marks of direction, joiners, soft hyphen, zero-width spaces; overrides and isolates of direction; tag characters.
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => false,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => false,
        c => !c.is_control() && !c.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_hidden_is_seen() {
        for (text, expected) in [
            ("é 日本", "é 日本"),
            ("a\n\tb", r"a\n\tb"),
            ("\u{1b}[2J\r\u{202e}gnp.\u{2066}", r"\u{1b}[2J\u{d}\u{202e}gnp.\u{2066}"),
            ("x\u{200b}\u{200d}\u{2028}\u{85}\u{a0}\u{e0041}", r"x\u{200b}\u{200d}\u{2028}\u{85}\u{a0}\u{e0041}"),
        ] {
            assert_eq!(on_one_line(text), expected);
        }
        assert_eq!(on_lines("a\n\tb\r\u{202e}"), "a\n\tb\\u{d}\\u{202e}");
    }

    #[test]
    fn only_what_was_hidden_is_read_back() {
        for same in ["", "a", r"\", r"\x", r"\u{41}", r"\u{}", r"\u{1234567}", r"\u{d800}", r"\u{1b", "é\\"] {
            assert_eq!(read_back(same), None, "{same}");
        }
        assert_eq!(read_back(r"a\u{202e}\n\").as_deref(), Some("a\u{202e}\n\\"));
    }

    proptest! {
        #[test]
        fn what_is_shown_can_be_read_back(text in "[a-z \n\t\u{1b}\u{202e}\u{200d}é]{0,20}") {
            let shown = on_one_line(&text);
            prop_assert!(shown.chars().all(is_printed));
            prop_assert_eq!(read_back(&shown).unwrap_or_else(|| shown.to_string()), text);
        }
    }
}
