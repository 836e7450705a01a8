//! Replays the fuzz targets' committed corpus: what fuzzing once found stays found, without a fuzzer at hand.

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../fuzz/src/bodies.rs"]
mod bodies;

#[cfg(test)]
mod replay {
    use std::path::Path;

    use super::bodies;

    #[track_caller]
    fn replay(target: &str, body: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let mut replayed = 0;
        for entry in std::fs::read_dir(&corpus).unwrap() {
            let input = std::fs::read(entry.unwrap().path()).unwrap();
            body(&input);
            // Cut forms of each seed, so that the replay reaches errors as well.
            for cut in [input.len() / 2, input.len().saturating_sub(1)] {
                body(&input[..cut]);
            }
            replayed += 1;
        }
        assert!(replayed >= 10, "the corpus of {target} is missing");
    }

    #[test]
    fn framing() {
        replay("framing", bodies::framing);
    }

    #[test]
    fn workspace_edit() {
        replay("workspace_edit", bodies::workspace_edit);
    }

    #[test]
    fn uri_path() {
        replay("uri_path", bodies::uri_path);
    }
}
