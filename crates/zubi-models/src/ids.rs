//! Ids of calls: the provider's if they are valid, else zubi's own.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::message::PromptMessage;

/// The maximum length of a provider's id, in bytes.
const MAX_LENGTH: usize = 128;

/// The ids in use.
#[derive(Debug, Clone, Default)]
pub struct Ids(BTreeSet<String>);

impl Ids {
    /// Collects the ids of a prompt, because some providers count from 0 in each answer.
    pub fn from_messages(messages: &[PromptMessage]) -> Self {
        let calls = messages.iter().filter_map(|message| match message {
            PromptMessage::Assistant(answer) => Some(&answer.calls),
            _ => None,
        });
        Self(calls.flatten().map(|call| call.id.clone()).collect())
    }

    /// Returns `candidate` if it is a valid unused id, otherwise a new one, and marks it as used.
    pub fn ensure_unique(&mut self, candidate: &str) -> String {
        let is_valid = !candidate.is_empty()
            && candidate.len() <= MAX_LENGTH
            && candidate.bytes().all(|byte| byte.is_ascii_graphic());
        let mut id = if is_valid { candidate.to_owned() } else { random() };
        while !self.0.insert(id.clone()) {
            id = random();
        }
        id
    }
}

/// Returns nine letters and digits, a form that the strictest provider (Mistral) accepts, and so does every other.
fn random() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Ids need only differ from each other; the count alone ensures that if no random number is available.
    let random = getrandom::u64().unwrap_or_default() ^ COUNT.fetch_add(1, Ordering::Relaxed);
    let bytes = random.to_le_bytes().into_iter().chain([random.count_ones().to_le_bytes()[0]]);
    bytes.filter_map(|byte| LETTERS.get(usize::from(byte) % LETTERS.len())).map(|letter| char::from(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{AssistantMessage, ToolCall};

    #[test]
    fn valid_ids_stay_and_others_are_replaced() {
        let call = |id: &str| ToolCall { id: id.to_owned(), tool: "t".to_owned(), arguments: serde_json::json!({}) };
        let message = AssistantMessage { calls: vec![call("call_0")], ..AssistantMessage::default() };
        let mut ids =
            Ids::from_messages(&[PromptMessage::Assistant(message), PromptMessage::User { text: "x".to_owned() }]);
        assert_eq!(ids.ensure_unique("call_1"), "call_1");
        for candidate in ["call_0", "call_1", "", "a b", "é", &"x".repeat(200)] {
            let id = ids.ensure_unique(candidate);
            assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{candidate}: {id}");
            assert_eq!(ids.ensure_unique("call_0").len(), 9);
        }
    }
}
