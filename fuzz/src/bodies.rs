//! The body of each fuzz target. Plain functions, so that a normal test replays the committed corpus
//! (`crates/zubi-code/tests/fuzz_corpus.rs` includes this file). Each panics if a property does not hold.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::clock::SystemClock;
use zubi_base::framing::{self, Frame, FrameDecoder, Message};
use zubi_base::lsp::Uri;
use zubi_base::position::Encoding;
use zubi_base::text::DiskText;
use zubi_base::workspace::WorkspaceFolders;
use zubi_base::{fs, uri};
use zubi_code::edit::replace::{self, LineFeedText, TextReplacement};
use zubi_code::edit::{DiskSink, EditService};
use zubi_code::features::text_replace::{OccurrenceNumbers, ReplacePattern};

/// The largest body that the framing target accepts; small, so that inputs reach the limit.
const MAX_BODY: usize = 4096;

/// Bytes from a server, fed in pieces: no panic, no body over the limit, the same frames however the stream is cut, and
/// our own frames are read back.
pub fn framing(bytes: &[u8]) {
    let frames = |piece: usize| {
        let mut decoder = FrameDecoder::new(MAX_BODY);
        let mut frames = Vec::new();
        'stream: for chunk in bytes.chunks(piece) {
            decoder.feed(chunk);
            loop {
                match decoder.next_frame() {
                    Ok(Some(frame)) => frames.push(frame),
                    Ok(None) => break,
                    Err(_) => break 'stream,
                }
            }
        }
        frames
    };
    let expected = frames(bytes.len().max(1));
    assert_eq!(frames(1), expected, "the frames depend on how the stream was cut");
    for frame in expected {
        if let Frame::Body(body) = frame {
            assert!(body.len() <= MAX_BODY, "a body over the limit");
            if let Ok(message) = Message::parse(&body) {
                Message::parse(&message.to_body()).expect("what we send can be read");
            }
        }
    }
    drop(Message::parse(bytes));
    let body = bytes.get(..MAX_BODY).unwrap_or(bytes);
    let mut decoder = FrameDecoder::new(MAX_BODY);
    decoder.feed(&framing::frame(body));
    assert_eq!(decoder.next_frame(), Ok(Some(Frame::Body(body.to_vec()))), "our own frame is read back");
}

/// A pattern, its replacement, numbers and a text, one per line besides the text: occurrences are in order and between
/// characters, and replacing each by itself leaves the text as it is.
pub fn text_replace(bytes: &[u8]) {
    let Ok(input) = std::str::from_utf8(bytes) else { return };
    let mut parts = input.splitn(4, '\n');
    let (Some(pattern), Some(new), Some(numbers), Some(text)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    if let Ok(numbers) = OccurrenceNumbers::parse([numbers]) {
        assert_eq!(numbers.beyond(usize::MAX), None);
        assert!(numbers.beyond(0).is_some_and(|first| first > 0));
    }
    let searched = LineFeedText::new(text);
    let patterns = [ReplacePattern::literal_text(pattern, new).ok(), ReplacePattern::regex(pattern, new).ok()];
    for pattern in patterns.into_iter().flatten() {
        let Some(found) = pattern.find(searched.text(), 1_000) else { continue };
        let mut end = 0;
        let mut same = Vec::new();
        for (range, _) in found {
            let range = searched.original_range(range);
            assert!(range.start >= end && range.end >= range.start, "the occurrences overlap");
            end = range.end;
            let old = text.get(range.clone()).expect("an occurrence is between characters");
            same.push((range, old.to_owned()));
        }
        assert_eq!(replace::apply(text, &same).as_deref(), Ok(text));
    }
    let replacement = TextReplacement { old: pattern.to_owned(), new: new.to_owned(), every: true, near: None };
    if let Ok(replaced) = replace::replace_all(text, &[replacement]) {
        assert!(replaced.count > 0);
    }
}

/// A workspace edit as JSON, with `file:///W` for the workspace: planned, applied and undone, or refused; in both cases
/// the tree is as before, and nothing outside was touched.
pub fn workspace_edit(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // Most inputs of a fuzzer are not JSON; they need no tree.
    if serde_json::from_str::<serde_json::Value>(text).is_err() {
        return;
    }
    let guard = tempfile::tempdir().expect("a temporary directory");
    let base = fs::canonical(Utf8Path::from_path(guard.path()).expect("a UTF-8 path")).expect("it exists");
    let (root, outside) = (base.join("W"), base.join("beside"));
    for (path, content) in [
        (root.join("a.txt"), "\u{feff}one\r\ntwo 👍\r\nthree"),
        (root.join("d/b.txt"), "é\nx\n"),
        (root.join("d/e/c.txt"), ""),
        (outside.join("secret"), "secret"),
    ] {
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write_atomic(&path, content.as_bytes()).expect("a file");
    }
    #[cfg(unix)]
    for (target, link) in [("../beside/secret", "leak"), ("..", "up"), ("a.txt", "link")] {
        std::os::unix::fs::symlink(target, root.join(link)).expect("a link");
    }
    let text = text.replace("file:///W", &uri::from_path(&root).0);
    let Ok(edit) = serde_json::from_str::<serde_json::Value>(&text) else { return };
    let state = || (tree(&root), tree(&outside));
    let before = state();
    let workspace = Arc::new(WorkspaceFolders::open(std::slice::from_ref(&root)).expect("a workspace"));
    let state_dir = base.join("state");
    let sink = Arc::new(DiskSink::new(&state_dir));
    let edits = EditService::new(workspace, Arc::new(DiskText), sink, &state_dir, Arc::new(SystemClock));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        runtime.block_on(async {
            if let Ok(plan) = edits.plan("fuzz", &edit, encoding, "fuzz").await {
                assert_eq!(state(), before, "planning wrote something");
                // A path may be too long for the file system, which only the write detects.
                if edits.apply(&plan.id).await.is_ok() {
                    assert_eq!(tree(&outside), before.1, "something outside the workspace changed");
                    edits.undo(&plan.id).await.expect("what was just applied can be undone");
                }
            }
        });
        assert_eq!(state(), before, "the tree differs from before");
    }
}

/// Every path with its content: bytes, a link's target, or a directory.
fn tree(root: &Utf8Path) -> Vec<(Utf8PathBuf, Option<Vec<u8>>)> {
    let mut entries = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in directory.read_dir_utf8().expect("a directory") {
            let path = entry.expect("an entry").into_path();
            let kind = std::fs::symlink_metadata(&path).expect("it exists");
            let content = if kind.is_symlink() {
                Some(path.read_link_utf8().expect("a link").into_string().into_bytes())
            } else if kind.is_dir() {
                open.push(path.clone());
                None
            } else {
                Some(fs::read_bytes(&path).expect("a file"))
            };
            entries.push((path, content));
        }
    }
    entries.sort();
    entries
}

/// A path or URI from a caller: every resolved path is in the workspace, and URIs of paths are read back.
pub fn uri_path(bytes: &[u8]) {
    let Ok(given) = std::str::from_utf8(bytes) else { return };
    let guard = tempfile::tempdir().expect("a temporary directory");
    let base = fs::canonical(Utf8Path::from_path(guard.path()).expect("a UTF-8 path")).expect("it exists");
    let root = base.join("W");
    std::fs::create_dir_all(root.join("d/e")).expect("a directory");
    std::fs::create_dir_all(base.join("W2")).expect("a directory");
    #[cfg(unix)]
    for (target, link) in [("../W2", "out"), ("..", "up"), ("d", "in"), ("loop", "loop"), ("../none", "dangling")] {
        std::os::unix::fs::symlink(target, root.join(link)).expect("a link");
    }
    let workspace = WorkspaceFolders::open(std::slice::from_ref(&root)).expect("a workspace");
    for given in [given.to_owned(), given.replace("/W", root.as_str())] {
        if let Some(path) = uri::to_path(&Uri(given.clone())) {
            assert!(path.is_absolute() && !path.as_str().contains('\0'));
            assert_eq!(uri::to_path(&uri::from_path(&path)), Some(path));
        }
        if let Ok(path) = workspace.resolve(&given) {
            assert!(fs::canonical(&path).expect("it exists").starts_with(&root), "{path} from {given:?}");
            assert_eq!(workspace.resolve(&workspace.display(&path)), Ok(path), "a displayed path is not accepted");
        }
        if let Ok(path) = workspace.resolve_for_creation(&given) {
            assert!(path.starts_with(&root) && path.components().all(|part| part.as_str() != ".."), "{path}");
            let existing = path.ancestors().find(|above| above.exists()).expect("the root exists");
            assert!(fs::canonical(existing).expect("it exists").starts_with(&root), "{path} from {given:?}");
        }
    }
}
