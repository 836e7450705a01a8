//! The sessions of one connection ([`zubi_tools::cx::Caller::session`]): its own, and those of the conversations behind it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Sessions behind connections are numbered from here, by this process: whatever a client calls one of its own, it is no other
/// client's, no connection's and none of a desk in this process.
const BEHIND: u64 = 1 << 62;

/// How many a client may have.
const MOST: usize = 10_000;

static NEXT: AtomicU64 = AtomicU64::new(BEHIND);

/// What a connection's sessions are called here.
pub(super) struct Sessions {
    own: u64,
    behind: Mutex<BTreeMap<u64, u64>>,
}

impl Sessions {
    /// `peer` numbers the connection. Its own session is never 0, which is the host's own.
    pub(super) fn new(peer: u64) -> Self {
        Self { own: peer.saturating_add(1), behind: Mutex::default() }
    }

    /// The session that the client calls this; without a name its own.
    pub(super) fn of(&self, name: Option<u64>) -> u64 {
        let Some(name) = name else { return self.own };
        let mut behind = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        if behind.len() >= MOST && !behind.contains_key(&name) {
            // It has the oldest one's place in here. That one's number is given to nobody else, so that all which is lost is
            // what was allowed for it.
            behind.pop_first();
        }
        *behind.entry(name).or_insert_with(|| NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// All that it has had.
    pub(super) fn all(&self) -> Vec<u64> {
        let behind = self.behind.lock().unwrap_or_else(PoisonError::into_inner);
        behind.values().copied().chain([self.own]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_session_is_another_one() {
        let (one, other) = (Sessions::new(0), Sessions::new(1));
        let all =
            [one.of(None), one.of(Some(1)), one.of(Some(2)), other.of(None), other.of(Some(1)), other.of(Some(2))];
        let mut different = all.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), all.len(), "{all:?}");
        assert_eq!(one.of(Some(2)), all[2], "the same name is the same session");
        for name in 0..2 * MOST as u64 {
            one.of(Some(name));
        }
        assert_eq!(one.all().len(), MOST + 1);
    }
}
