//! Replays the committed corpus of a fuzz target without a fuzzer: inputs that once failed are tested again. Compiled
//! into the tests of each crate that has a fuzz target.

use std::path::Path;

/// The minimum number of inputs of a corpus. Fewer means that it was not found, or that its directory was renamed.
const FEWEST: usize = 5;

/// Calls `body` with each input and with truncated forms of it, so that incomplete inputs are covered as well.
#[track_caller]
pub(crate) fn replay(target: &str, body: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut replayed = 0;
    for entry in std::fs::read_dir(&corpus).unwrap() {
        let input = std::fs::read(entry.unwrap().path()).unwrap();
        body(&input);
        for cut in [input.len() / 3, input.len() / 2, input.len().saturating_sub(1)] {
            let (head, tail) = input.split_at(cut);
            body(head);
            body(tail);
        }
        replayed += 1;
    }
    assert!(replayed >= FEWEST, "the corpus of {target} is missing");
}
