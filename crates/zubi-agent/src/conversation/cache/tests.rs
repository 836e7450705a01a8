//! Which reads use the cache, and which read the file again.

use super::*;
use crate::conversation::tests::{fixture, recorded_events};
use crate::conversation::{Conversation, id};
use crate::event::EventKind;
use crate::journal::Journal as _;

#[test]
fn an_unreadable_conversation_is_found_by_id_with_its_error() {
    let fixture = fixture();
    let id = id::new(fixture.context.clock.now()).unwrap();
    let newer_version = "{\"type\":\"began\",\"version\":2}\n";
    owner_only::write_atomic(&fixture.context.dir.path(&id).unwrap(), newer_version.as_bytes()).unwrap();
    let found = fixture.context.find_by_prefix(&id, 1).unwrap().conversations;
    let titles: Vec<String> = found.iter().map(|row| row.digest.title()).collect();
    assert_eq!(titles, ["(cannot be opened: a newer zubi has written it (version 2 of the format))"]);
}

#[test]
fn a_very_long_conversation_is_not_cached() {
    let cache = ConversationCache::default();
    for (valid_length, is_stored) in [(MAX_CACHED_BYTES, true), (MAX_CACHED_BYTES + 1, false)] {
        cache.store(CachedConversation { id: "a".to_owned(), valid_length, ..CachedConversation::default() });
        assert_eq!(cache.take("a").is_some(), is_stored, "{valid_length}");
    }
}

#[test]
fn cached_events_are_not_read_again() {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    for kind in recorded_events() {
        conversation.add(kind).unwrap();
    }
    let id = conversation.id().to_owned();
    drop(conversation);
    let path = fixture.context.dir.path(&id).unwrap();
    let content = std::fs::read(&path).unwrap();
    let load = |after| {
        let (file_state, events) = fixture.context.load_since(&id, after)?;
        Ok::<_, OpenError>((file_state.digest.seq, events.len()))
    };
    let all = load(0).unwrap();
    assert_eq!(load(u64::MAX).unwrap(), (all.0, 0));
    // The cached part is not in the file any more, but is not read again.
    owner_only::write_atomic(&path, &vec![b'x'; content.len()]).unwrap();
    assert_eq!(load(all.0).unwrap(), (all.0, 0));
    owner_only::write_atomic(&path, &content).unwrap();

    // Another process continues the conversation: its events are read.
    let other = Conversation::open(&fixture.other_process(), &id).unwrap();
    other.add(EventKind::Titled { title: "Elsewhere".to_owned() }).unwrap();
    drop(other);
    assert_eq!(load(all.0).unwrap(), (all.0 + 1, 1));
    assert_eq!(load(0).unwrap(), (all.0 + 1, all.1 + 1));
    assert_eq!(load(all.0 - 1).unwrap(), (all.0 + 1, 2));
    assert_eq!(fixture.context.find_by_prefix(&id, 1).unwrap().conversations[0].digest.title(), "Elsewhere");
    let (first_process, other_process) = [fixture.context.clone(), fixture.other_process()]
        .map(|it| Conversation::open(&it, &id).unwrap().messages())
        .into();
    assert_eq!(first_process, other_process);

    // A file that does not continue where the cached part ends is read again from its beginning; so is a shorter one.
    let added = std::fs::read(&path).unwrap();
    owner_only::write_atomic(&path, &[added.as_slice(), b"{}\n"].concat()).unwrap();
    let (file_state, events) = fixture.context.load_since(&id, u64::MAX).unwrap();
    assert_eq!((file_state.digest.seq, events.len(), file_state.damage.is_some()), (all.0 + 1, 0, true));
    owner_only::write_atomic(&path, &content).unwrap();
    assert_eq!(load(u64::MAX).unwrap(), (all.0, 0));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(load(u64::MAX), Err(OpenError::Missing(_))));
}
