//! The fuzz target of templates on its committed corpus.

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls this from other crates")]
#[path = "../../../fuzz/src/template.rs"]
mod template;

#[cfg(test)]
mod corpus {
    use super::replay::replay;
    use super::template;

    #[test]
    fn template() {
        replay("template", template::template);
    }
}
