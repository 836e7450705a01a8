//! Gaps between two tokens: white space and comments of all kinds, in any order.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The tokens with gaps before, between and after them; the list of gaps repeats as often as necessary.
pub(crate) fn laid_out<T: AsRef<str>>(tokens: &[T], gaps: &[String]) -> String {
    let mut text = String::new();
    let mut gaps = gaps.iter().cycle();
    let mut next_gap = || gaps.next().map_or("", String::as_str);
    for token in tokens.iter().map(AsRef::as_ref) {
        let gap = next_gap();
        let needs_space = gap.is_empty() && !text.ends_with(is_delimiter) && !token.starts_with(is_delimiter);
        text.push_str(if needs_space { " " } else { gap });
        text.push_str(token);
    }
    text.push_str(next_gap());
    text
}

/// Whether a character needs no gap between it and any token.
fn is_delimiter(character: char) -> bool {
    "{}[],.:=\"'".contains(character)
}

/// Gaps with line ends of all kinds, or with line feeds alone: some properties of a range hold only for line feeds.
pub(crate) fn gaps(at_most: usize) -> impl Strategy<Value = Vec<String>> {
    let with_line_feeds = |gap: String| gap.replace("\r\n", "\n").replace('\r', "\n");
    let any = vec(gap(), 1..=at_most);
    prop_oneof![any.clone(), any.prop_map(move |gaps| gaps.into_iter().map(with_line_feeds).collect())]
}

/// White space and comments; often a single space.
fn gap() -> impl Strategy<Value = String> + Clone {
    let fragment = prop_oneof![
        3 => select(vec![" ", "  ", "\t", "\u{a0}", "\u{2028}", "\u{b}"]).prop_map(str::to_owned),
        3 => line_end().prop_map(str::to_owned),
        1 => line_comment(),
        2 => block_comment(),
    ];
    prop_oneof![
        2 => Just(" ".to_owned()),
        1 => vec(fragment, 0..6).prop_map(|fragments| fragments.concat()),
    ]
}

fn line_end() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![6 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")]
}

fn line_comment() -> impl Strategy<Value = String> + Clone {
    let part = select(vec![" ", "\t", "a", "/", "/*", "*/", "\"", "'", "{", "ü", "\u{a0}", A_LONG_TEXT]);
    (vec(part, 0..5), line_end()).prop_map(|(parts, end)| format!("//{}{end}", parts.concat()))
}

/// Block comments, including documentation, with several lines, with and without leading stars.
fn block_comment() -> impl Strategy<Value = String> + Clone {
    let text = select(vec![" ", "\t", "*", "a", "//", "\"", "'", "}", "ü", "\u{a0}", A_LONG_TEXT]);
    let line = select(vec!["\n * b", "\r\n   * b  ", "\r* b", "\n"]);
    let part = prop_oneof![4 => text, 1 => line, 1 => line_end()];
    // A star before a slash would end the comment.
    let without_end = |text: String| text.replace("*/", "* /");
    vec(part, 0..6).prop_map(move |parts| format!("/*{}*/", without_end(parts.concat())))
}

/// Two such texts fill a line.
const A_LONG_TEXT: &str = "a text that takes up nearly half of a line";
