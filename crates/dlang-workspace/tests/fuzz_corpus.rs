//! Replays the committed corpus of the fuzz targets of this crate: what fuzzing once found stays found.

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../fuzz/src/workspace.rs"]
mod workspace;

#[cfg(test)]
mod replay {
    use std::path::Path;

    use super::workspace;

    #[track_caller]
    fn replay(target: &str, body: fn(&[u8])) {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let mut replayed = 0;
        for entry in std::fs::read_dir(&corpus).unwrap() {
            let input = std::fs::read(entry.unwrap().path()).unwrap();
            // Every beginning of each seed too: these texts are short, and half of one is what people type.
            for end in 0..=input.len() {
                body(&input[..end]);
            }
            replayed += 1;
        }
        assert!(replayed >= 10, "the corpus of {target} is missing");
    }

    #[test]
    fn manifest() {
        replay("manifest", workspace::manifest);
    }

    #[test]
    fn lock() {
        replay("lock", workspace::lock);
    }

    #[test]
    fn specifier() {
        replay("specifier", workspace::specifier);
    }
}
