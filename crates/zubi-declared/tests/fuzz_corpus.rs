//! The fuzz target of tool files on its committed corpus.

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls this from other crates")]
#[path = "../../../fuzz/src/declared.rs"]
mod declared;
#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod corpus {
    use super::declared;
    use super::replay::replay;

    #[test]
    fn tool_files() {
        replay("declared", declared::parse_tool_file);
    }
}
