use std::os::unix::fs::PermissionsExt as _;

use zubi_base::clock::FixedClock;

use super::*;

fn store() -> (tempfile::TempDir, OutputStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = OutputStore::new(Utf8Path::from_path(directory.path()).unwrap());
    (directory, store)
}

fn persist_bytes(store: &OutputStore, bytes: &[u8]) -> OutputId {
    let mut writer = store.create().unwrap();
    writer.write(bytes).unwrap();
    store.persist(writer).unwrap()
}

#[test]
fn stored_output_is_readable_only_by_its_owner() {
    let (_guard, store) = store();
    let id = persist_bytes(&store, b"one\ntwo\n");
    assert_eq!(id, persist_bytes(&store, b"one\ntwo\n"), "named by its content");
    assert_eq!(OutputId::parse(&id.to_string()), Some(id.clone()));
    assert_eq!(store.read(&id).unwrap(), b"one\ntwo\n");
    let mode = |path: &Utf8Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store.directory), 0o700);
    for entry in store.directory.read_dir_utf8().unwrap() {
        assert_eq!(mode(entry.unwrap().path()), 0o600);
    }
}

#[test]
fn invalid_output_ids_are_rejected() {
    for text in
        ["", "o-", "o-../../etc/passwd", "o-00", "o-0123456789ABCDEF", "0123456789abcdef", "o-0123456789abcdef0"]
    {
        assert_eq!(OutputId::parse(text), None, "{text}");
    }
    let (_guard, store) = store();
    assert!(matches!(store.open(&OutputId::parse("o-0123456789abcdef").unwrap()), Err(StoreError::NotFound(_))));
}

#[test]
fn the_oldest_outputs_are_deleted_first() {
    let (_guard, store) = store();
    let store = store.with_max_bytes(2500);
    let ids: Vec<_> = (0..4_u8)
        .map(|number| {
            let id = persist_bytes(&store, &[number; 1000]);
            let file = store.open(&id).unwrap();
            let time = std::time::UNIX_EPOCH + store.clock.now() - Duration::from_secs(100 - u64::from(number));
            file.set_times(std::fs::FileTimes::new().set_modified(time)).unwrap();
            id
        })
        .collect();
    let is_stored: Vec<_> = ids.iter().map(|id| store.open(id).is_ok()).collect();
    assert_eq!(is_stored, [false, true, true, true], "only the oldest output is deleted");
}

#[test]
fn old_output_expires_and_storing_it_again_renews_it() {
    let (_guard, store) = store();
    let at = |days: u64| Duration::from_hours(24 * (1_000 + days));
    let store_at_day = |days: u64| OutputStore { clock: Arc::new(FixedClock(at(days))), ..store.clone() };
    let store_on = |days: u64, bytes: &[u8]| {
        let id = persist_bytes(&store_at_day(days), bytes);
        let times = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + at(days));
        store.open(&id).unwrap().set_times(times).unwrap();
        id
    };
    let (old, renewed) = (store_on(0, b"old"), store_on(0, b"again"));
    assert_eq!(renewed, store_on(5, b"again"), "the same file, with a new time");
    store_on(6, b"other");
    assert!(store_at_day(7).open(&old).is_ok(), "it has not expired yet");
    let is_stored = |id: &OutputId| {
        store.directory.read_dir_utf8().unwrap().flatten().any(|file| file.file_name().starts_with(&id.0))
    };
    let assert_expired = |store: &OutputStore, id: &OutputId| {
        let error = store.open(id).unwrap_err();
        assert!(matches!(error, StoreError::NotFound(_)) && error.to_string().contains("seven days"), "{error}");
    };
    assert_expired(&store_at_day(8), &old);
    assert!(is_stored(&old), "expired output is deleted only when another one is stored");
    store_on(8, b"newest");
    assert!(!is_stored(&old));
    assert_expired(&store_at_day(8), &old);
    assert!(store_at_day(8).open(&renewed).is_ok());
    assert!(store_at_day(12).open(&renewed).is_ok());
    assert_expired(&store_at_day(13), &renewed);
}

/// A foreign file in the directory is not an output.
#[test]
fn only_stored_ids_can_be_opened() {
    let (_guard, store) = store();
    let id = persist_bytes(&store, b"x");
    let file = store.path(&id).unwrap();
    std::fs::rename(&file, store.directory.join("new-unfinished")).unwrap();
    assert!(store.open(&id).is_err());
    persist_bytes(&store, b"y");
    assert!(store.directory.join("new-unfinished").exists(), "an unfinished file is not deleted");
    let later = store.clock.now() + MAX_AGE + Duration::from_mins(1);
    persist_bytes(&OutputStore { clock: Arc::new(FixedClock(later)), ..store.clone() }, b"z");
    assert!(!store.directory.join("new-unfinished").exists(), "an expired unfinished file is deleted");
}
