//! The fuzz target of answers over OpenAI chat on its committed corpus.

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls this from other crates")]
#[path = "../../../fuzz/src/chat.rs"]
mod chat;
#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod corpus {
    use super::chat;
    use super::replay::replay;

    #[test]
    fn chat_stream() {
        replay("chat_stream", chat::chat_stream);
    }
}
