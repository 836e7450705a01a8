//! The fuzz targets on their committed corpora.

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../fuzz/src/workspace.rs"]
mod workspace;

#[cfg(test)]
mod corpus {
    use super::replay::replay;
    use super::workspace;

    /// Runs the target on every prefix of a text: the inputs are short, and an incomplete text is what people type.
    fn every_beginning(input: &[u8], body: fn(&[u8])) {
        for end in 0..=input.len() {
            body(&input[..end]);
        }
    }

    #[test]
    fn manifest() {
        replay("manifest", |input| every_beginning(input, workspace::manifest));
    }

    #[test]
    fn lock() {
        replay("lock", |input| every_beginning(input, workspace::lock));
    }

    #[test]
    fn specifier() {
        replay("specifier", |input| every_beginning(input, workspace::specifier));
    }
}
