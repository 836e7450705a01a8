//! Recovery from a kill at any byte, and the handling of damaged files.

use std::fmt::Write as _;
use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use zubi_base::clock::FixedClock;

use super::*;
use crate::event::StopReason;
use zubi_models::FinishReason;
use zubi_models::message::{AssistantMessage, TokenUsage, ToolCall};

/// A directory for conversations, and the published events.
pub(super) struct Fixture {
    _guard: tempfile::TempDir,
    pub(super) context: ConversationContext,
    published: Arc<Mutex<Vec<AgentEvent>>>,
}

pub(super) fn fixture() -> Fixture {
    let guard = tempfile::tempdir().unwrap();
    let state = Utf8PathBuf::from_path_buf(guard.path().to_owned()).unwrap();
    let folders = vec![Utf8PathBuf::from("/project")];
    let published: Arc<Mutex<Vec<AgentEvent>>> = Arc::default();
    let context = ConversationContext {
        dir: ConversationDir::new(&state, &folders).unwrap(),
        folders,
        clock: Arc::new(FixedClock(Duration::from_secs(1_700_000_000))),
        redactor: Redactor::new(["hunter2hunter2".to_owned()]),
        listener: Arc::new({
            let published = Arc::clone(&published);
            move |_, event| published.lock().unwrap().push(event)
        }),
        cache: ConversationCache::default(),
    };
    Fixture { _guard: guard, context, published }
}

impl Fixture {
    /// Returns the context of another process that has not read anything yet.
    pub(super) fn other_process(&self) -> ConversationContext {
        ConversationContext { cache: ConversationCache::default(), ..self.context.clone() }
    }

    /// Returns all events in the file.
    fn events(&self, id: &str) -> Vec<AgentEvent> {
        self.other_process().load_since(id, 0).unwrap().1
    }
}

fn user_event(turn: u64, text: &str) -> EventKind {
    EventKind::UserMessage { turn, text: text.to_owned() }
}

fn answer_event(turn: u64, iteration: u64, text: &str, calls: &[&str]) -> EventKind {
    let call =
        |id: &&str| ToolCall { id: (*id).to_owned(), tool: "file_read".to_owned(), arguments: json!({"path": id}) };
    EventKind::Answered {
        turn,
        iteration,
        message: AssistantMessage {
            text: text.to_owned(),
            calls: calls.iter().map(call).collect(),
            ..AssistantMessage::default()
        },
        usage: TokenUsage { input: 10, output: 1, cached: 0 },
        stop: FinishReason::Finished,
        interrupted: false,
    }
}

fn call_event(turn: u64, call: &str) -> EventKind {
    EventKind::Calling {
        turn,
        call: call.to_owned(),
        tool: "file.read".to_owned(),
        summary: format!("Read file: {call}"),
        arguments: json!({"path": call}),
        effect: None,
        preview: None,
        delegates: false,
    }
}

fn result(turn: u64, call: &str, text: &str) -> EventKind {
    EventKind::Result { turn, call: call.to_owned(), text: text.to_owned(), failure: None, duration: 3 }
}

fn end_event(turn: u64, text: &str) -> EventKind {
    EventKind::Ended(TurnEnded {
        turn,
        reason: StopReason::Completed,
        text: text.to_owned(),
        data: None,
        problem: None,
        iterations: 1,
        calls: 0,
        usage: TokenUsage::default(),
        duration: 5,
    })
}

/// Returns two turns with calls, one of which required approval.
pub(super) fn recorded_events() -> Vec<EventKind> {
    vec![
        user_event(1, "Rename the é\n\u{2028}thing"),
        EventKind::Iteration { turn: 1, iteration: 1, model: "test/m".to_owned() },
        answer_event(1, 1, "I look.", &["a", "b"]),
        call_event(1, "a"),
        EventKind::Question { turn: 1, call: "a".to_owned(), question: "q1".to_owned(), request: json!({"tool": "x"}) },
        EventKind::Decision { question: "q1".to_owned(), answer: json!("allow"), surface: "web".to_owned() },
        call_event(1, "b"),
        result(1, "b", "B"),
        user_event(1, "and that one"),
        result(1, "a", "A"),
        answer_event(1, 2, "Done.", &[]),
        end_event(1, "Done."),
        user_event(2, "More"),
        answer_event(2, 1, "", &["c"]),
        call_event(2, "c"),
        result(2, "c", "C"),
        EventKind::Compacted {
            turn: 2,
            before: 13,
            summary: "All was well.".to_owned(),
            pruned: Vec::new(),
            tokens_before: 9,
            tokens_after: 2,
        },
        answer_event(2, 2, "Done too.", &[]),
        end_event(2, "Done too."),
    ]
}

/// Asserts that providers accept the messages: each call is followed by its outcome, and each outcome has a call.
fn assert_valid_for_providers(messages: &[PromptMessage], context: &str) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            PromptMessage::Tool(outcome) => {
                let at = open.iter().position(|call| *call == outcome.call);
                open.remove(at.unwrap_or_else(|| panic!("{context}: an outcome without a call: {messages:#?}")));
            }
            other => {
                assert!(open.is_empty(), "{context}: calls without outcomes {open:?}: {messages:#?}");
                if let PromptMessage::Assistant(answer) = other {
                    open.extend(answer.calls.iter().map(|call| call.id.as_str()));
                }
            }
        }
    }
    assert!(open.is_empty(), "{context}: calls without outcomes {open:?}");
}

/// Returns the types of the events, in order.
fn kinds(events: &[AgentEvent]) -> String {
    let kind = |event: &AgentEvent| json!(event.kind)["type"].as_str().unwrap().to_owned();
    events.iter().map(kind).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_conversation_truncated_at_any_byte_can_be_continued() {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    for kind in recorded_events() {
        conversation.add(kind).unwrap();
    }
    let id = conversation.id().to_owned();
    drop(conversation);
    let path = fixture.context.dir.path(&id).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let lines = fixture.events(&id);
    for cut in 0..=bytes.len() {
        owner_only::write_atomic(&path, &bytes[..cut]).unwrap();
        let complete_lines = bytes[..cut].split(|byte| *byte == b'\n').count() - 1;
        let context = fixture.other_process();
        let (file_state, events) = context.load_since(&id, 0).unwrap();
        assert_eq!((events.as_slice(), file_state.damage), (&lines[..complete_lines], None), "cut at {cut}");

        let opened = Conversation::open(&context, &id).unwrap();
        assert_eq!(opened.digest().open, None, "cut at {cut}");
        assert_valid_for_providers(&opened.messages(), &format!("cut at {cut}"));
        opened.add(user_event(3, "go on")).unwrap();
        opened.add(answer_event(3, 1, "", &["d"])).unwrap();
        opened.add(result(3, "d", "D")).unwrap();
        opened.add(end_event(3, "")).unwrap();
        let (messages, digest) = (opened.messages(), opened.digest());
        drop(opened);

        for context in [context, fixture.other_process()] {
            let again = Conversation::open(&context, &id).unwrap();
            assert_eq!((again.messages(), again.digest()), (messages.clone(), digest.clone()), "cut at {cut}");
        }
        let stored = fixture.events(&id);
        assert_eq!(stored[..complete_lines], lines[..complete_lines], "all complete events remain, cut at {cut}");
        assert!(stored.iter().zip(1..).all(|(event, seq)| event.seq == seq), "cut at {cut}");
    }
}

#[test]
fn an_interrupted_turn_records_results_for_its_calls() {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    for kind in [
        user_event(1, "Do three things"),
        EventKind::Iteration { turn: 1, iteration: 1, model: "test/m".to_owned() },
        answer_event(1, 1, "", &["done", "begun", "later"]),
        call_event(1, "done"),
        call_event(1, "begun"),
        result(1, "done", "It is."),
    ] {
        conversation.add(kind).unwrap();
    }
    let id = conversation.id().to_owned();
    drop(conversation);
    drop(Conversation::open(&fixture.context, &id).unwrap());
    let events = fixture.events(&id);
    let added: String = events[7..].iter().fold(String::new(), |mut text, event| {
        writeln!(text, "{}", json!(event.kind)).unwrap();
        text
    });
    assert_snapshot!(added, @r#"
    {"type":"result","turn":1,"call":"begun","text":"The run was interrupted while this call was made: whether it took effect is not known. Look before you make it again.","failure":"cancelled","duration":0}
    {"type":"result","turn":1,"call":"later","text":"The run was interrupted before this call was made. Nothing has happened by it.","failure":"cancelled","duration":0}
    {"type":"ended","turn":1,"reason":"killed","text":"This turn was cut off: the program ended. Until then: iterations 1, calls 2.","problem":"The program ended while this turn was running. Send a message to continue; the work up to that point is saved.","iterations":1,"calls":2,"usage":{"input":10,"output":1,"cached":0},"duration":0}
    "#);
    assert_eq!(fixture.published.lock().unwrap().last(), events.last(), "listeners receive the last event");
}

#[test]
fn a_call_that_waited_for_an_answer_was_not_made() {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    let question = |call: &str, tool: &str| EventKind::Question {
        turn: 1,
        call: call.to_owned(),
        question: format!("of {call}"),
        request: json!({ "tool": tool }),
    };
    for kind in [
        user_event(1, "Call three tools"),
        answer_event(1, 1, "", &["own", "inner", "through"]),
        call_event(1, "own"),
        question("own", "file.read"),
        call_event(1, "inner"),
        question("inner", "shell.run"),
        EventKind::Calling {
            turn: 1,
            call: "through".to_owned(),
            tool: "zubi_call_tool".to_owned(),
            summary: "Call any tool".to_owned(),
            arguments: json!({ "tool": "shell_run", "arguments": {} }),
            effect: None,
            preview: None,
            delegates: true,
        },
        question("through", "shell.run"),
    ] {
        conversation.add(kind).unwrap();
    }
    let id = conversation.id().to_owned();
    drop(conversation);
    drop(Conversation::open(&fixture.context, &id).unwrap());
    let events = fixture.events(&id);
    let added: Vec<String> = events[9..events.len() - 1].iter().map(|event| json!(event.kind).to_string()).collect();
    assert_snapshot!(added.join("\n"), @r#"
    {"type":"decision","question":"of own","answer":{"unanswered":{"how":"the program ended before they answered"}},"by":"zubi"}
    {"type":"decision","question":"of inner","answer":{"unanswered":{"how":"the program ended before they answered"}},"by":"zubi"}
    {"type":"decision","question":"of through","answer":{"unanswered":{"how":"the program ended before they answered"}},"by":"zubi"}
    {"type":"result","turn":1,"call":"own","text":"The run was interrupted before this call was made. Nothing has happened by it.","failure":"cancelled","duration":0}
    {"type":"result","turn":1,"call":"inner","text":"The run was interrupted while this call was made: whether it took effect is not known. Look before you make it again.","failure":"cancelled","duration":0}
    {"type":"result","turn":1,"call":"through","text":"The run was interrupted before this call was made. Nothing has happened by it.","failure":"cancelled","duration":0}
    "#);
}

/// Returns how a file is read, and how it is opened to be continued.
fn check_file(content: &[u8]) -> String {
    let fixture = fixture();
    let id = id::new(fixture.context.clock.now()).unwrap();
    let path = fixture.context.dir.path(&id).unwrap();
    owner_only::write_atomic(&path, content).unwrap();
    let seen = match fixture.context.load_since(&id, 0) {
        Ok((file_state, events)) => format!("{} [{}]", kinds(&events), file_state.damage.unwrap_or_default()),
        Err(error) => format!("no: {error}"),
    };
    let opened = match Conversation::open(&fixture.context, &id) {
        Ok(opened) => format!("{} events", opened.last()),
        Err(error) => {
            assert_eq!(std::fs::read(&path).unwrap(), content, "the file is unchanged");
            format!("no: {error}")
        }
    };
    let listed = fixture.context.dir.search(None, 10).unwrap();
    let titles: Vec<String> = listed.conversations.iter().map(|row| row.digest.title()).collect();
    format!("read: {seen}\nopened: {opened}\nlisted: {titles:?}\n")
}

fn lines(lines: &[&str]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

const BEGAN: &str = r#"{"seq":1,"at":5,"type":"began","version":1,"conversation":"x","folders":[],"zubi":"0"}"#;
const SECOND: &str = r#"{"seq":2,"at":6,"type":"asked","turn":1,"text":"Hello"}"#;
const THIRD: &str = r#"{"seq":3,"at":7,"type":"notice","turn":1,"text":"x"}"#;

#[test]
fn invalid_files_are_reported_and_not_changed() {
    let mut text = String::new();
    for (name, content) in [
        ("nothing", Vec::new()),
        ("garbage", vec![0xff, 0, b'\n', 7, b'\n']),
        ("zeros at the end, as after a loss of power", [lines(&[BEGAN, SECOND]), vec![0; 100]].concat()),
        ("a line feed too many", lines(&[BEGAN, SECOND, ""])),
        ("damage in the middle", lines(&[BEGAN, "{", SECOND])),
        ("wrong order", lines(&[BEGAN, THIRD, SECOND])),
        ("twice the same", lines(&[BEGAN, SECOND, SECOND])),
        ("a second beginning", lines(&[BEGAN, &BEGAN.replace(":1,\"at\"", ":2,\"at\"")])),
        ("no beginning", lines(&[SECOND])),
        ("newer, with unknown fields", lines(&[r#"{"type":"began","version":2,"new":[]}"#, "whatever"])),
        ("version zero", lines(&[&BEGAN.replace("\"version\":1", "\"version\":0")])),
        ("an event of another kind", lines(&[BEGAN, r#"{"seq":2,"at":1,"type":"danced"}"#])),
        (
            "an event that is not stored",
            lines(&[BEGAN, r#"{"seq":2,"at":1,"type":"progress","call":"x","message":""}"#]),
        ),
        ("deep", lines(&[BEGAN, &format!(r#"{{"seq":2,"at":1,"type":"asked","text":{}"#, "[".repeat(5000))])),
        ("too large numbers", lines(&[BEGAN, &SECOND.replace(":6,", ":18446744073709551615,")])),
    ] {
        writeln!(text, "# {name}\n{}", check_file(&content)).unwrap();
    }
    assert_snapshot!(text, @r#"
    # nothing
    read:  []
    opened: 1 events
    listed: ["New conversation"]

    # garbage
    read: no: its file does not begin with a conversation event
    opened: no: its file does not begin with a conversation event
    listed: ["(cannot be opened: its file does not begin with a conversation event)"]

    # zeros at the end, as after a loss of power
    read: began asked []
    opened: 3 events
    listed: ["Hello"]

    # a line feed too many
    read: began asked []
    opened: 3 events
    listed: ["Hello"]

    # damage in the middle
    read: began [the next valid event is missing after event 1]
    opened: no: its file is damaged: the next valid event is missing after event 1
    listed: ["New conversation"]

    # wrong order
    read: began [the next valid event is missing after event 1]
    opened: no: its file is damaged: the next valid event is missing after event 1
    listed: ["New conversation"]

    # twice the same
    read: began asked [the next valid event is missing after event 2]
    opened: no: its file is damaged: the next valid event is missing after event 2
    listed: ["Hello"]

    # a second beginning
    read: began [the next valid event is missing after event 1]
    opened: no: its file is damaged: the next valid event is missing after event 1
    listed: ["New conversation"]

    # no beginning
    read: no: its file does not begin with a conversation event
    opened: no: its file does not begin with a conversation event
    listed: ["(cannot be opened: its file does not begin with a conversation event)"]

    # newer, with unknown fields
    read: no: a newer zubi has written it (version 2 of the format)
    opened: no: a newer zubi has written it (version 2 of the format)
    listed: ["(cannot be opened: a newer zubi has written it (version 2 of the format))"]

    # version zero
    read: no: its file does not begin with a conversation event
    opened: no: its file does not begin with a conversation event
    listed: ["(cannot be opened: its file does not begin with a conversation event)"]

    # an event of another kind
    read: began [the next valid event is missing after event 1]
    opened: no: its file is damaged: the next valid event is missing after event 1
    listed: ["New conversation"]

    # an event that is not stored
    read: began [the next valid event is missing after event 1]
    opened: no: its file is damaged: the next valid event is missing after event 1
    listed: ["New conversation"]

    # deep
    read: began []
    opened: 1 events
    listed: ["New conversation"]

    # too large numbers
    read: began asked []
    opened: 3 events
    listed: ["Hello"]
    "#);
}

#[test]
fn too_long_lines_are_rejected_without_being_read() {
    let long = format!(r#"{{"seq":2,"at":6,"type":"asked","turn":1,"text":"{}"}}"#, "x".repeat(MAX_LINE));
    assert_snapshot!(check_file(&lines(&[BEGAN, &long])), @r#"
    read: began [the next valid event is missing after event 1]
    opened: no: its file is damaged: the next valid event is missing after event 1
    listed: ["New conversation"]
    "#);

    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    let PersistError(why) = conversation.add(user_event(1, &"x".repeat(MAX_LINE))).unwrap_err();
    assert_snapshot!(why, @"the event to store has 16777279 bytes; the limit is 16777216. Split the text, or put it into a file and name the file");
    conversation.add(user_event(1, "short")).unwrap();
    let (id, path) = (conversation.id().to_owned(), fixture.context.dir.path(conversation.id()).unwrap());
    drop(conversation);
    // A sparse file takes no disk space.
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(MAX_FILE + 1).unwrap();
    assert_snapshot!(fixture.other_process().load_since(&id, 0).unwrap_err(), @"its file has 268435457 bytes; the limit is 268435456");
}

#[test]
fn one_process_writes_and_others_read() {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    conversation.add(user_event(1, "Hello")).unwrap();
    let id = conversation.id().to_owned();
    let other = Conversation::open(&fixture.context, &id).map(|_| ()).unwrap_err();
    assert_snapshot!(other, @"another process has this conversation");
    assert_eq!(fixture.context.dir.locked_ids([id.as_str()].into_iter()).unwrap(), [id.as_str()]);
    assert!(matches!(fixture.context.delete(&id), Err(OpenError::Elsewhere)));
    assert_eq!(kinds(&fixture.events(&id)), "began asked");
    drop(conversation);
    assert!(fixture.context.dir.locked_ids([id.as_str()].into_iter()).unwrap().is_empty());
    fixture.context.delete(&id).unwrap();
    assert!(matches!(Conversation::open(&fixture.context, &id).map(|_| ()), Err(OpenError::Missing(_))));
}

#[test]
fn stored_data_is_owner_only_and_redacted() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    let secret = "hunter2hunter2";
    conversation.add(user_event(1, &format!("My password is {secret}."))).unwrap();
    conversation.add(EventKind::Iteration { turn: 1, iteration: 1, model: "m".to_owned() }).unwrap();
    let mut answer = answer_event(1, 1, secret, &["a"]);
    if let EventKind::Answered { message, .. } = &mut answer {
        message.reasoning = secret.to_owned();
        message.calls[0].arguments = json!({ "key": [secret] });
        message.native =
            Some(zubi_models::message::ProviderMetadata { provider: "p".to_owned(), parts: json!([secret]) });
    }
    conversation.add(answer).unwrap();
    conversation.add(result(1, "a", "aHVudGVyMmh1bnRlcjI=")).unwrap();
    conversation.add(EventKind::Titled { title: secret.to_owned() }).unwrap();
    conversation.add(end_event(1, secret)).unwrap();
    let path = fixture.context.dir.path(conversation.id()).unwrap();
    let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
    assert!(!text.contains(secret) && !text.contains("aHVudGVyMmh1bnRlcjI"), "{text}");
    assert_eq!(text.matches("(redacted)").count(), 7, "{text}");
    assert!(!format!("{:?}{:?}", conversation.messages(), fixture.published.lock().unwrap()).contains(secret));
    fixture.context.dir.search(Some("password"), 10).unwrap();
    let mode = |path: &camino::Utf8Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let sessions = &fixture.context.dir.sessions;
    assert_eq!(mode(&path), 0o600);
    assert_eq!((mode(sessions), mode(&fixture.context.dir.directory())), (0o700, 0o700));
    assert_eq!(mode(&sessions.join("index.db")), 0o600);
}

/// Returns the published deltas of an answer, each with its offset.
fn check_deltas(deltas: &[&str], is_cut: bool) -> String {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    conversation.add(user_event(1, "Hello")).unwrap();
    let mut offset = 0;
    for delta in deltas {
        conversation.add(EventKind::Text { turn: 1, iteration: 1, offset, text: (*delta).to_owned() }).unwrap();
        offset += u64::try_from(delta.encode_utf16().count()).unwrap();
    }
    let mut answer = answer_event(1, 1, &deltas.concat(), &[]);
    if let EventKind::Answered { interrupted, .. } = &mut answer {
        *interrupted = is_cut;
    }
    conversation.add(answer).unwrap();
    conversation.publish_unsaved_end(match end_event(1, "It is hunter2hunter2.") {
        EventKind::Ended(ended) => ended,
        other => panic!("{other:?}"),
    });
    let published = fixture.published.lock().unwrap();
    let line = |event: &AgentEvent| match &event.kind {
        EventKind::Text { offset, text, .. } => format!("{offset} {text:?}"),
        EventKind::Answered { message, .. } => format!("answered {:?}", message.text),
        EventKind::Ended(ended) => format!("{} ended {:?}", event.seq, ended.text),
        other => format!("{other:?}"),
    };
    published.iter().skip(2).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_secret_split_across_deltas_is_redacted() {
    assert_snapshot!(check_deltas(&["It is hun", "ter2", "hunter2 🙂", " in", "deed"], false), @r#"
    0 "It is "
    6 "(redacted) 🙂"
    19 " in"
    22 "deed"
    answered "It is (redacted) 🙂 indeed"
    3 ended "It is (redacted)."
    "#);
    // A text that begins like a secret is published once it differs from the secret, or the answer is complete.
    assert_snapshot!(check_deltas(&["The hunt", " for hun"], false), @r#"
    0 "The "
    4 "hunt for "
    13 "hun"
    answered "The hunt for hun"
    3 ended "It is (redacted)."
    "#);
    assert_snapshot!(check_deltas(&["hunter2hunter2hunter2", "hunter2"], false), @r#"
    0 "(redacted)"
    10 "(redacted)"
    answered "(redacted)(redacted)"
    3 ended "It is (redacted)."
    "#);
    assert_snapshot!(check_deltas(&["It is hunter2", "hun"], true), @r#"
    0 "It is "
    answered "It is "
    3 ended "It is (redacted)."
    "#);
}

#[test]
fn times_do_not_decrease_if_the_clock_goes_backwards() {
    let mut fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    conversation.add(user_event(1, "Hello")).unwrap();
    let id = conversation.id().to_owned();
    drop(conversation);
    fixture.context.clock = Arc::new(FixedClock(Duration::from_secs(1)));
    drop(Conversation::open(&fixture.context, &id).unwrap());
    let events = fixture.events(&id);
    assert!(events.iter().all(|event| event.at == 1_700_000_000_000), "{events:?}");
}

#[test]
fn the_partial_answer_is_available_to_later_clients() {
    let fixture = fixture();
    let conversation = Conversation::create(&fixture.context).unwrap();
    let text = |iteration, offset, text: &str| EventKind::Text { turn: 1, iteration, offset, text: text.to_owned() };
    let partial_answer = || {
        let (_, events) = conversation.snapshot();
        events.iter().map(|event| format!("{} {}", event.seq, json!(event.kind))).collect::<Vec<_>>().join("\n")
    };
    conversation.add(user_event(1, "Hello")).unwrap();
    conversation.add(text(1, 0, "It 🙂")).unwrap();
    conversation.add(text(1, 5, " is")).unwrap();
    conversation.add(EventKind::Thought { turn: 1, iteration: 1, offset: 0, text: "Hm".to_owned() }).unwrap();
    assert_snapshot!(partial_answer(), @r#"
    2 {"type":"thought","turn":1,"iteration":1,"offset":0,"text":"Hm"}
    2 {"type":"text","turn":1,"iteration":1,"offset":0,"text":"It 🙂 is"}
    "#);
    conversation.add(text(1, 0, "Again")).unwrap();
    conversation.add(text(2, 0, "Next")).unwrap();
    assert_snapshot!(partial_answer(), @r#"2 {"type":"text","turn":1,"iteration":2,"offset":0,"text":"Next"}"#);
    conversation.add(answer_event(1, 2, "Next.", &[])).unwrap();
    assert_eq!(partial_answer(), "");
}
