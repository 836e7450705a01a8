//! The properties of an outline hold for cut and spliced samples.

use proptest::prelude::*;
use proptest::sample::Index;
use zubi_syntax::LANGUAGES;

use crate::samples::samples;
use crate::{fuzz, replay};

/// Returns the offset of a character of a text.
fn boundary(text: &str, index: Index) -> usize {
    let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
    offsets[index.index(offsets.len())]
}

#[test]
fn the_committed_corpus_holds() {
    replay::replay("syntax_outline", fuzz::syntax_outline);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn cut_and_spliced_samples(
        which: [Index; 3],
        cuts: [Index; 4],
        between in prop::sample::select(vec!["", "\n", "{", "}", "(", "\"", "/*", "é", "\u{feff}", "\r\n", "名", "\0"]),
    ) {
        let samples = samples();
        let (first, second) = (&samples[which[0].index(samples.len())], &samples[which[1].index(samples.len())]);
        let (start, end) = (boundary(&second.text, cuts[1]), boundary(&second.text, cuts[2]));
        let piece = &second.text[start.min(end)..start.max(end)];
        let (head, tail) = (boundary(&first.text, cuts[0]), boundary(&first.text, cuts[3]));
        let text = format!("{}{between}{piece}{between}{}", &first.text[..head], &first.text[tail..]);
        fuzz::check(first.language, &text);
        fuzz::check(&LANGUAGES[which[2].index(LANGUAGES.len())], &text);
    }
}
