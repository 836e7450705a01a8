//! The sessions of one connection ([`zubi_tool_api::cx::Caller::session`]): its own, and those that its client has
//! named.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first number of named sessions in this process. These numbers differ from those of connections and of a
/// conversation manager in this process, whatever names clients choose.
const FIRST_NAMED_SESSION: u64 = 1 << 62;

/// The maximum number of named sessions of a client at a time.
const MAX_NAMED_SESSIONS: usize = 10_000;

static NEXT_SESSION: AtomicU64 = AtomicU64::new(FIRST_NAMED_SESSION);

/// The numbers of a connection's sessions in this process.
pub(super) struct Sessions {
    own_session: u64,
    named_sessions: Mutex<NamedSessions>,
}

/// The sessions that the client has named.
#[derive(Default)]
struct NamedSessions {
    /// The sessions by the client's names.
    sessions: BTreeMap<u64, SessionEntry>,
    /// The number of uses of all sessions.
    use_count: u64,
}

struct SessionEntry {
    /// The session's number in this process.
    number: u64,
    /// The value of `use_count` at the last use of the session.
    last_use: u64,
}

impl Sessions {
    /// Creates the sessions of connection number `peer`. The connection's own session is never 0, the host's own.
    pub(super) fn new(peer: u64) -> Self {
        Self { own_session: peer.saturating_add(1), named_sessions: Mutex::default() }
    }

    /// The number of the connection's own session.
    pub(super) fn own_session(&self) -> u64 {
        self.own_session
    }

    /// Returns the session with the client's name `name`. If there are too many, removes the least recently used one
    /// and calls `end` with its number. The number is not used again, and its name then denotes a new session.
    pub(super) fn session_for(&self, name: u64, end: impl FnOnce(u64)) -> u64 {
        let mut named_sessions = self.named_sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let NamedSessions { sessions, use_count } = &mut *named_sessions;
        *use_count += 1;
        if sessions.len() >= MAX_NAMED_SESSIONS && !sessions.contains_key(&name) {
            let least_recent = sessions.iter().min_by_key(|(_, session)| session.last_use).map(|(name, _)| *name);
            if let Some(least_recent) = least_recent.and_then(|name| sessions.remove(&name)) {
                end(least_recent.number);
            }
        }
        let new = || SessionEntry { number: NEXT_SESSION.fetch_add(1, Ordering::Relaxed), last_use: 0 };
        let session = sessions.entry(name).or_insert_with(new);
        session.last_use = *use_count;
        session.number
    }

    /// Returns the numbers of all sessions that have not ended.
    pub(super) fn active_numbers(&self) -> Vec<u64> {
        let named_sessions = self.named_sessions.lock().unwrap_or_else(PoisonError::into_inner);
        named_sessions.sessions.values().map(|session| session.number).chain([self.own_session]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unexpected_end(session: u64) {
        panic!("{session} is ended");
    }

    #[test]
    fn session_numbers_are_distinct() {
        let (one, other) = (Sessions::new(0), Sessions::new(1));
        let all = [
            one.own_session(),
            one.session_for(1, unexpected_end),
            one.session_for(2, unexpected_end),
            other.own_session(),
            other.session_for(1, unexpected_end),
            other.session_for(2, unexpected_end),
        ];
        let mut different = all.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), all.len(), "{all:?}");
        assert_eq!(one.session_for(2, unexpected_end), all[2], "the same name is the same session");
    }

    /// The least recently used session is removed completely, whatever its name.
    #[test]
    fn the_least_recently_used_session_is_removed() {
        let sessions = Sessions::new(0);
        let most = MAX_NAMED_SESSIONS as u64;
        let numbers: Vec<u64> = (0..most).map(|n| sessions.session_for(most - n, unexpected_end)).collect();
        assert_eq!(sessions.session_for(most, unexpected_end), numbers[0], "the first session still exists");
        let mut ended = Vec::new();
        let new = sessions.session_for(most + 1, |session| ended.push(session));
        assert_eq!(ended, [numbers[1]]);
        let mut all = sessions.active_numbers();
        all.sort_unstable();
        assert_eq!(all, [&[sessions.own_session(), numbers[0]], &numbers[2..], &[new]].concat());
        assert!(sessions.session_for(most - 1, drop) > new, "the name of an ended session denotes a new one");
    }
}
