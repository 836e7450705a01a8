//! Search results, and the rule that the index is only an optimization.

use std::fmt::Write as _;
use std::sync::Arc;

use insta::assert_snapshot;
use zubi_base::clock::FixedClock;
use zubi_tool_api::redact::Redactor;

use super::*;
use crate::conversation::{Conversation, ConversationContext};
use crate::journal::Journal as _;

struct Fixture {
    _guard: tempfile::TempDir,
    context: ConversationContext,
}

fn fixture() -> Fixture {
    let guard = tempfile::tempdir().unwrap();
    let state = Utf8PathBuf::from_path_buf(guard.path().to_owned()).unwrap();
    let context = ConversationContext {
        dir: ConversationDir::new(&state, &["/project".into()]).unwrap(),
        folders: Vec::new(),
        clock: Arc::new(FixedClock(Duration::from_secs(1))),
        redactor: Redactor::default(),
        listener: Arc::new(|_, _| {}),
        cache: crate::conversation::ConversationCache::default(),
    };
    Fixture { _guard: guard, context }
}

impl Fixture {
    /// Adds a conversation that begins at this second and has these messages.
    fn add_conversation(&mut self, second: u64, texts: &[&str]) -> String {
        self.context.clock = Arc::new(FixedClock(Duration::from_secs(second)));
        let conversation = Conversation::create(&self.context).unwrap();
        for text in texts {
            conversation.add(EventKind::UserMessage { turn: 1, text: (*text).to_owned() }).unwrap();
        }
        conversation.id().to_owned()
    }

    fn database(&self) -> Utf8PathBuf {
        self.context.dir.sessions.join("index.db")
    }

    /// Returns the titles that the index on the disk finds, without the fallback in memory.
    fn titles(&self, query: &str) -> Vec<String> {
        let found = on_disk(&self.context.dir, &FtsQuery::parse(Some(query)), 10).unwrap();
        found.conversations.iter().map(|row| row.digest.title()).collect()
    }
}

#[test]
fn words_are_found_anywhere_in_a_conversation() {
    let mut fixture = fixture();
    fixture.add_conversation(1, &["Rename the crème brûlée", "and the function parse_header in src/net.rs"]);
    fixture.add_conversation(2, &["Fix the test", "of the parser"]);
    let id = fixture.add_conversation(3, &["Look at C++ and \"quotes\" AND NOT more*"]);
    let mut text = String::new();
    for query in [
        "",
        "  ",
        "rename",
        "ren",
        "ren ",
        "parse",
        "the parser",
        "parser fix",
        "creme brulee",
        "src/net.rs",
        "parse_header",
        "rename parser",
        "C++",
        "::",
        "\"",
        "\"quotes\"",
        "AND",
        "NOT",
        "more*",
        "NEAR(the test)",
        "text:rename",
        "-test",
        "a\0b",
    ] {
        writeln!(text, "{query:?}: {}", fixture.titles(query).join(" | ")).unwrap();
    }
    assert_snapshot!(text, @r#"
    "": Look at C++ and "quotes" AND NOT more* | Fix the test | Rename the crème brûlée
    "  ": Look at C++ and "quotes" AND NOT more* | Fix the test | Rename the crème brûlée
    "rename": Rename the crème brûlée
    "ren": Rename the crème brûlée
    "ren ": 
    "parse": Fix the test | Rename the crème brûlée
    "the parser": Fix the test
    "parser fix": Fix the test
    "creme brulee": Rename the crème brûlée
    "src/net.rs": Rename the crème brûlée
    "parse_header": Rename the crème brûlée
    "rename parser": 
    "C++": Look at C++ and "quotes" AND NOT more* | Rename the crème brûlée
    "::": 
    "\"": 
    "\"quotes\"": Look at C++ and "quotes" AND NOT more*
    "AND": Look at C++ and "quotes" AND NOT more* | Rename the crème brûlée
    "NOT": Look at C++ and "quotes" AND NOT more*
    "more*": Look at C++ and "quotes" AND NOT more*
    "NEAR(the test)": 
    "text:rename": 
    "-test": Fix the test
    "a\0b":
    "#);
    let found = on_disk(&fixture.context.dir, &FtsQuery::parse(Some("parse_header function")), 10).unwrap();
    assert_snapshot!(found.conversations[0].excerpt.as_deref().unwrap(), @"and the function parse_header in src/net.rs");
    let found = on_disk(&fixture.context.dir, &FtsQuery::All, 2).unwrap();
    assert_eq!((found.conversations[0].id.as_str(), found.more), (id.as_str(), 1));
    // Later messages are found as well.
    let more = Conversation::open(&fixture.context, &id).unwrap();
    more.add(EventKind::UserMessage { turn: 2, text: "Something about zebras".to_owned() }).unwrap();
    assert_eq!(fixture.titles("zebra").len(), 1);
}

#[test]
fn a_missing_broken_or_other_version_index_is_rebuilt() {
    let mut fixture = fixture();
    fixture.add_conversation(1, &["Rename it"]);
    fixture.add_conversation(2, &["Fix the test"]);
    let expected = ["Fix the test", "Rename it"];
    let open = || Connection::open(fixture.database()).unwrap();
    let damages: [(&str, &dyn Fn()); 8] = [
        ("as it was", &|| {}),
        ("missing", &|| std::fs::remove_file(fixture.database()).unwrap()),
        ("empty", &|| owner_only::write_atomic(&fixture.database(), b"").unwrap()),
        ("no database", &|| owner_only::write_atomic(&fixture.database(), &[b'x'; 9000]).unwrap()),
        ("cut in half", &|| {
            let bytes = std::fs::read(fixture.database()).unwrap();
            owner_only::write_atomic(&fixture.database(), &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("older", &|| open().execute_batch("DROP TABLE said; PRAGMA user_version = 0").unwrap()),
        ("newer", &|| open().execute_batch("CREATE TABLE more (x); PRAGMA user_version = 99").unwrap()),
        ("with invalid data", &|| {
            open().execute_batch("UPDATE conversations SET digest = '[]', seen = 0").unwrap();
        }),
    ];
    for (name, damage) in damages {
        damage();
        assert_eq!(fixture.titles(""), expected, "{name}");
        assert_eq!(fixture.titles("test"), ["Fix the test"], "{name}");
    }
}

#[test]
fn the_files_are_read_if_the_index_cannot_be_created() {
    let mut fixture = fixture();
    fixture.add_conversation(1, &["Rename it"]);
    std::fs::create_dir(fixture.database()).unwrap();
    let found = fixture.context.dir.search(Some("rename"), 10).unwrap();
    assert_eq!(found.conversations[0].excerpt.as_deref(), Some("Rename it"));
    let problem = found.problem.unwrap();
    assert!(problem.contains(fixture.database().as_str()), "{problem}");
}

#[test]
fn deleted_conversations_leave_no_text_in_the_index() {
    let mut fixture = fixture();
    fixture.add_conversation(1, &["Keep this one"]);
    let id = fixture.add_conversation(2, &["The walrus is a secret"]);
    assert_eq!(fixture.titles("walrus").len(), 1);
    fixture.context.delete(&id).unwrap();
    for name in ["index.db", "index.db-wal"] {
        let bytes = std::fs::read(fixture.context.dir.sessions.join(name)).unwrap_or_default();
        assert!(!bytes.windows(6).any(|window| window == b"walrus"), "{name}");
    }
    assert_eq!(fixture.titles(""), ["Keep this one"]);
}

#[test]
fn workspaces_are_separate() {
    let mut fixture = fixture();
    fixture.add_conversation(1, &["About the walrus"]);
    let state = fixture.context.dir.sessions.parent().unwrap().to_owned();
    let (first, other) = (fixture.context.dir.clone(), ConversationDir::new(&state, &["/other".into()]).unwrap());
    fixture.context.dir = other.clone();
    fixture.add_conversation(2, &["About the otter"]);
    assert_eq!((fixture.titles("about"), fixture.titles("walrus").len()), (vec!["About the otter".to_owned()], 0));
    // The same folders in another order are the same workspace.
    let folders: Vec<Utf8PathBuf> = vec!["/a".into(), "/b".into()];
    let reversed: Vec<Utf8PathBuf> = folders.iter().rev().cloned().collect();
    assert_eq!(
        ConversationDir::new(&state, &folders).unwrap().name,
        ConversationDir::new(&state, &reversed).unwrap().name
    );
    // After a workspace's directory has been deleted, the index has no text of it.
    fixture.context.dir = first;
    assert_eq!(fixture.titles("walrus").len(), 1);
    std::fs::remove_dir_all(other.directory()).unwrap();
    assert_eq!(fixture.titles("about").len(), 1);
    let bytes = std::fs::read(fixture.database()).unwrap();
    assert!(!bytes.windows(5).any(|window| window == b"otter"));
}

#[test]
fn concurrent_searches_succeed() {
    let mut fixture = fixture();
    let ids: Vec<String> =
        (0..20).map(|second| fixture.add_conversation(second, &[&format!("Number {second}")])).collect();
    let dir = &fixture.context.dir;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let found = on_disk(dir, &FtsQuery::parse(Some("number")), 100).unwrap();
                    assert_eq!(found.conversations.len(), ids.len());
                }
            });
        }
    });
}
