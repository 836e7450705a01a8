//! The remarks that each session has seen: an answer shows what is the same in every answer once, and again when it changes.

use std::sync::Mutex;

use rustc_hash::{FxHashMap, FxHashSet};
use zubi_base::sync::lock;

use crate::status::AnswerStatus;

/// The maximum number of sessions and of remarks of one session that are stored.
const MAX_STORED: usize = 256;

/// The remarks of the answers to each session.
#[derive(Debug, Default)]
pub struct SessionRemarks(Mutex<FxHashMap<u64, FxHashSet<String>>>);

impl SessionRemarks {
    /// Removes the remarks that a session has seen, and stores the others.
    pub fn retain_new(&self, session: u64, remarks: &mut Vec<String>) {
        if remarks.is_empty() {
            return;
        }
        let mut sessions = lock(&self.0);
        if sessions.len() >= MAX_STORED && !sessions.contains_key(&session) {
            // A remark that is repeated does no harm.
            sessions.clear();
        }
        let seen = sessions.entry(session).or_default();
        if seen.len() >= MAX_STORED {
            seen.clear();
        }
        remarks.retain(|remark| seen.insert(remark.clone()));
    }

    /// Removes the hints about absent servers that a session has seen; the reasons stay.
    pub fn remove_seen_hints(&self, session: u64, status: &mut AnswerStatus) {
        for absent in status.absent.iter_mut().filter(|absent| !absent.hint.is_empty()) {
            let mut shown = vec![format!("{}: {}", absent.reason, absent.hint)];
            self.retain_new(session, &mut shown);
            if shown.is_empty() {
                absent.hint.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_sees_a_remark_once() {
        let seen = SessionRemarks::default();
        let shown = |session, remarks: &[&str]| {
            let mut remarks = remarks.iter().map(|remark| (*remark).to_owned()).collect();
            seen.retain_new(session, &mut remarks);
            remarks.join(", ")
        };
        assert_eq!(shown(1, &["restricted", "no environment"]), "restricted, no environment");
        assert_eq!(shown(1, &["restricted", "packages of .venv"]), "packages of .venv");
        assert_eq!(shown(2, &["restricted"]), "restricted");
        assert_eq!(shown(1, &["restricted"]), "");
    }
}
