//! Replays the fuzz targets' committed corpus: what fuzzing once found stays found, without a fuzzer at hand.

use std::path::Path;

use crate::invariants::{dlang_lexer, dlang_parser};

#[track_caller]
fn replay(target: &str, body: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(&corpus).unwrap() {
        let input = std::fs::read(entry.unwrap().path()).unwrap();
        body(&input);
        // Cut forms of each seed, so that the replay reaches what is unfinished as well.
        for cut in [input.len() / 3, input.len() / 2, input.len().saturating_sub(1)] {
            body(&input[..cut]);
            body(&input[cut..]);
        }
        replayed += 1;
    }
    assert!(replayed >= 10, "the corpus of {target} is missing");
}

#[test]
fn lexer() {
    replay("dlang_lexer", dlang_lexer);
}

#[test]
fn parser() {
    replay("dlang_parser", dlang_parser);
}
