//! Tests of `documents`.

use std::cell::RefCell;
use std::fmt::Write as _;

use insta::assert_snapshot;

use super::*;

#[derive(Default)]
struct Wire(RefCell<Vec<String>>);

impl OutgoingSync for Wire {
    fn notify(&self, method: &str, params: Value) -> bool {
        let document = &params["textDocument"];
        let name = document["uri"].as_str().unwrap().rsplit('/').next().unwrap();
        let text =
            document.get("text").or_else(|| params.pointer("/contentChanges/0/text")).or_else(|| params.get("text"));
        let mut line = format!("{} {name}", method.trim_start_matches("textDocument/"));
        if let Some(version) = document.get("version") {
            write!(line, " v{version}").unwrap();
        }
        if let Some(text) = text {
            write!(line, " {text}").unwrap();
        }
        self.0.borrow_mut().push(line);
        true
    }
}

impl Wire {
    fn take(&self) -> String {
        self.0.take().join("\n")
    }
}

struct Fixture {
    _directory: tempfile::TempDir,
    root: Utf8PathBuf,
    documents: MirroredDocuments,
    wire: Wire,
    sync: Sync,
}

/// A time that is later than every file written during the test, so that stamps are reliable.
const LATER: Duration = Duration::from_secs(4_000_000_000);

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(directory.path().to_owned()).unwrap();
        let sync = Sync { open_close: true, change: ChangeSync::Whole, save: None };
        Self { _directory: directory, root, documents: MirroredDocuments::default(), wire: Wire::default(), sync }
    }

    fn write(&self, name: &str, content: &[u8]) -> Utf8PathBuf {
        let path = self.root.join(name);
        zubi_base::fs::write_atomic(&path, content).unwrap();
        path
    }

    fn touch_at(&mut self, name: &str, now: Duration, certainly: bool) -> Result<SyncAction, ReadError> {
        let opening = DocumentOpenParams { language: "rust", sync: self.sync, now };
        self.documents.sync(&self.root.join(name), opening, certainly, &self.wire)
    }

    fn touch(&mut self, name: &str) -> Result<SyncAction, ReadError> {
        self.touch_at(name, LATER, false)
    }
}

#[test]
fn documents_open_once_and_resend_only_changed_text() {
    let mut fixture = Fixture::new();
    fixture.write("a.rs", b"\xEF\xBB\xBFone\r\n");
    assert_eq!(fixture.touch("a.rs").unwrap(), SyncAction::Opened);
    assert_eq!(fixture.touch("a.rs").unwrap(), SyncAction::Unchanged);
    // A rewrite with the same text: zubi compares the content and sends nothing.
    fixture.write("a.rs", b"\xEF\xBB\xBFone\r\n");
    assert_eq!(fixture.touch("a.rs").unwrap(), SyncAction::Unchanged);
    fixture.write("a.rs", b"two");
    assert_eq!(fixture.touch("a.rs").unwrap(), SyncAction::Changed);
    assert_eq!(fixture.documents.version(&fixture.root.join("a.rs")), Some(2));
    assert_snapshot!(fixture.wire.take(), @r#"
    didOpen a.rs v1 "one\r\n"
    didChange a.rs v2 "two"
    "#);
}

#[test]
fn a_change_within_one_tick_of_the_clock_is_seen() {
    let mut fixture = Fixture::new();
    let path = fixture.write("a.rs", b"one");
    let now = Stamp::from_file(&path).map(|_| std::fs::metadata(&path).unwrap().modified().unwrap()).unwrap();
    let now = now.duration_since(std::time::UNIX_EPOCH).unwrap();
    fixture.touch_at("a.rs", now, false).unwrap();
    // The same length, inode and modification time.
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut &file, b"two").unwrap();
    file.set_modified(std::time::UNIX_EPOCH + now).unwrap();
    assert_eq!(fixture.touch_at("a.rs", now, false).unwrap(), SyncAction::Changed);
    assert_snapshot!(fixture.wire.take(), @r#"
    didOpen a.rs v1 "one"
    didChange a.rs v2 "two"
    "#);
}

#[test]
fn change_events_override_the_stamp() {
    let mut fixture = Fixture::new();
    let path = fixture.write("a.rs", b"one");
    fixture.touch("a.rs").unwrap();
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    std::io::Write::write_all(&mut &file, b"two").unwrap();
    file.set_modified(modified).unwrap();
    assert_eq!(fixture.touch("a.rs").unwrap(), SyncAction::Unchanged);
    assert_eq!(fixture.touch_at("a.rs", LATER, true).unwrap(), SyncAction::Changed);
}

#[test]
fn changes_are_sent_in_the_negotiated_sync_kind() {
    let mut fixture = Fixture::new();
    fixture.sync = Sync { save: Some(true), ..fixture.sync };
    fixture.write("a.rs", b"one");
    fixture.touch("a.rs").unwrap();
    fixture.write("a.rs", b"two");
    fixture.touch("a.rs").unwrap();
    fixture.sync = Sync { change: ChangeSync::None, save: Some(false), ..fixture.sync };
    fixture.write("a.rs", b"three");
    fixture.touch("a.rs").unwrap();
    fixture.sync = Sync { open_close: false, ..fixture.sync };
    fixture.write("b.rs", b"x");
    assert_eq!(fixture.touch("b.rs").unwrap(), SyncAction::NotSynced);
    assert_snapshot!(fixture.wire.take(), @r#"
    didOpen a.rs v1 "one"
    didChange a.rs v2 "two"
    didSave a.rs "two"
    didClose a.rs
    didOpen a.rs v3 "three"
    didSave a.rs
    "#);
}

#[test]
fn documents_that_are_no_longer_text_are_closed() {
    let mut fixture = Fixture::new();
    fixture.write("a.rs", b"one");
    fixture.touch("a.rs").unwrap();
    fixture.write("a.rs", b"\0");
    assert!(matches!(fixture.touch("a.rs"), Err(ReadError::NotText { .. })));
    fixture.write("a.rs", b"two");
    fixture.touch("a.rs").unwrap();
    std::fs::remove_file(fixture.root.join("a.rs")).unwrap();
    assert!(matches!(fixture.touch("a.rs"), Err(ReadError::NotFound { .. })));
    assert_snapshot!(fixture.wire.take(), @r#"
    didOpen a.rs v1 "one"
    didClose a.rs
    didOpen a.rs v2 "two"
    didClose a.rs
    "#);
    assert!(!fixture.documents.is_open(&fixture.root.join("a.rs")));
}

#[test]
fn the_least_recently_used_documents_are_closed_but_never_one_in_use() {
    let mut fixture = Fixture::new();
    for number in 0..MAX_OPEN {
        fixture.write(&format!("{number}.rs"), b"x");
        fixture.touch(&format!("{number}.rs")).unwrap();
    }
    fixture.documents.pin(&fixture.root.join("0.rs"));
    fixture.touch("1.rs").unwrap();
    fixture.wire.take();
    fixture.write("new.rs", b"x");
    fixture.write("newer.rs", b"x");
    fixture.touch("new.rs").unwrap();
    fixture.touch("newer.rs").unwrap();
    assert_snapshot!(fixture.wire.take(), @r#"
    didOpen new.rs v101 "x"
    didClose 2.rs
    didOpen newer.rs v102 "x"
    didClose 3.rs
    "#);
    fixture.documents.unpin(&fixture.root.join("0.rs"));
    fixture.write("newest.rs", b"x");
    fixture.touch("newest.rs").unwrap();
    assert_snapshot!(fixture.wire.take(), @r#"
    didOpen newest.rs v103 "x"
    didClose 0.rs
    "#);
    assert_eq!(fixture.documents.paths().len(), MAX_OPEN);
}
