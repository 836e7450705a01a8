//! The fuzz targets on their committed corpora.

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls these from other crates")]
#[path = "../../../fuzz/src/bodies.rs"]
mod bodies;
#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod corpus {
    use super::bodies;
    use super::replay::replay;

    #[test]
    fn framing() {
        replay("framing", bodies::framing);
    }

    #[test]
    fn workspace_edit() {
        replay("workspace_edit", bodies::workspace_edit);
    }

    #[test]
    fn text_replace() {
        replay("text_replace", bodies::text_replace);
    }

    #[test]
    fn uri_path() {
        replay("uri_path", bodies::uri_path);
    }
}
