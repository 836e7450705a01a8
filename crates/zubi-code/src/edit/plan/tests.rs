//! Tests of `plan`.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// A clock that the test moves.
struct Hands(AtomicU64);

impl Clock for Hands {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

struct Setup {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
    clock: Arc<Hands>,
}

impl Setup {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
        for folder in ["one", "two"] {
            std::fs::create_dir(root.join(folder)).unwrap();
        }
        Self { _guard: guard, root, clock: Arc::new(Hands(AtomicU64::new(1_750_000_000))) }
    }

    fn store(&self, folder: &str) -> PlanStore {
        let workspace = WorkspaceFolders::open(&[self.root.join(folder)]).unwrap();
        PlanStore::new(&self.root.join("state"), Arc::new(workspace), Arc::clone(&self.clock) as Arc<dyn Clock>)
    }

    fn pass(&self, time: Duration) {
        self.clock.0.fetch_add(time.as_secs(), Ordering::Relaxed);
    }

    fn records(&self) -> usize {
        self.root.join("state/plans").read_dir_utf8().unwrap().count()
    }
}

fn plan(id: &str) -> StoredPlan {
    StoredPlan {
        id: id.to_owned(),
        title: "rename".to_owned(),
        produced_by: "gopls".to_owned(),
        operations: vec![FileOperation::Write { path: "/x".into(), before: None, content: b"\xff".to_vec() }],
        based_on: Vec::new(),
        state: PlanState::Planned,
    }
}

#[test]
fn stored_records_are_unchanged_and_private() {
    let setup = Setup::new();
    let store = setup.store("one");
    let mut text = store.add(plan).unwrap();
    assert_eq!(store.plan(&text.id).unwrap(), text);
    text.state = PlanState::Applied(Undo {
        operations: vec![FileOperation::SetMode { path: "/x".into(), mode: 0o755 }],
        after: vec![
            ("/x".into(), ExpectedContent::Absent),
            ("/y".into(), ExpectedContent::Content(ContentHash::from_bytes(b""))),
        ],
        settings: vec![Setting { key: "a.b".to_owned(), value: true.into() }],
    });
    store.update(&text).unwrap();
    assert_eq!(store.plan(&text.id).unwrap(), text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: Utf8PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(store.file(&text.id)), 0o600);
        assert_eq!(mode(setup.root.join("state/plans")), 0o700);
    }
}

#[test]
fn only_random_ids_become_file_names() {
    let ids: std::collections::BTreeSet<_> = (0..200).map(|_| fresh_id().unwrap()).collect();
    assert_eq!(ids.len(), 200);
    assert!(ids.iter().all(|id| id.len() == 12 && plan_id(id).unwrap() == *id));
    assert_eq!(plan_id(&action_id("p-aaaaaaaaaa")).unwrap(), "p-aaaaaaaaaa");
    let store = Setup::new().store("one");
    for id in [
        "",
        "p-",
        "p-short",
        "p-ABCDEFGHIJ",
        "p-../../../x",
        "p-aaaaaaaaa/",
        "q-aaaaaaaaaa",
        "p-aaaaaaaaa1",
        "p-aaaaaaaaaaa",
    ] {
        assert!(matches!(store.plan(id).unwrap_err(), EditError::NotAnId { .. }), "{id}");
    }
    let unknown = store.plan("p-aaaaaaaaaa").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no `p-aaaaaaaaaa` here; it is older than 24 hours or was never made");
    assert!(unknown.hint().starts_with("Make the plan again"));
}

#[test]
fn plans_expire_after_a_day() {
    let setup = Setup::new();
    let store = setup.store("one");
    let id = store.add(plan).unwrap().id;
    setup.pass(RETENTION.saturating_sub(Duration::from_secs(1)));
    store.plan(&id).unwrap();
    setup.pass(Duration::from_secs(1));
    assert!(matches!(store.plan(&id).unwrap_err(), EditError::Unknown { .. }));
    store.add(plan).unwrap();
    assert_eq!(setup.records(), 1, "the old record was swept");
}

#[test]
fn another_workspace_is_named() {
    let setup = Setup::new();
    let id = setup.store("one").add(plan).unwrap().id;
    let error = setup.store("two").plan(&id).unwrap_err();
    assert_eq!(error.to_string(), format!("`{id}` belongs to another workspace, `{}`", setup.root.join("one")));
    assert_eq!(error.hint(), "Make the plan again in this workspace.");
}

#[test]
fn damaged_and_missing_records_are_distinguished() {
    let setup = Setup::new();
    let store = setup.store("one");
    let id = store.add(plan).unwrap().id;
    let text = zubi_base::fs::read_text(&store.file(&id)).unwrap();
    for damaged in [text.get(..text.len() / 2).unwrap(), "{}", "", &text.replace("\"version\":1", "\"version\":9")] {
        owner_only::write_atomic(&store.file(&id), damaged.as_bytes()).unwrap();
        assert!(matches!(store.plan(&id).unwrap_err(), EditError::Damaged { .. }), "{damaged}");
    }
}

#[test]
fn the_store_is_bounded() {
    let setup = Setup::new();
    let store = setup.store("one");
    let first = store.add(plan).unwrap().id;
    for _ in 0..MAX_RECORDS {
        setup.pass(Duration::from_secs(1));
        store.add(plan).unwrap();
    }
    assert_eq!(setup.records(), MAX_RECORDS);
    assert!(matches!(store.plan(&first).unwrap_err(), EditError::Unknown { .. }), "the oldest is removed first");
}
