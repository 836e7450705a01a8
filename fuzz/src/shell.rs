//! The body of the target for shell scripts (`crates/zubi-tool-api/tests/fuzz_corpus.rs` includes this file).

use std::time::{Duration, Instant};

use camino::Utf8Path;
use zubi_policy::shell::read;

/// Far more than the longest script needs on a busy machine.
const BOUND: Duration = Duration::from_secs(20);

/// Any text as a script: no panic, termination, absolute paths, commands with a program. And no text hides what
/// follows: with one more line, everything read before is still there and that line's command is too, or the script is
/// undecidable.
pub fn shell_reader(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let directory = Utf8Path::new("/w");
    let started = Instant::now();
    let before = read(text, directory);
    assert!(before.commands.iter().all(|argv| !argv.is_empty()), "a command without a program: {before:?}");
    assert!(before.reads.iter().chain(&before.writes).all(|path| path.is_absolute()), "a relative path: {before:?}");
    // A backslash at the end escapes the line end: the next line continues the same command.
    if before.unresolved.is_empty() && !text.ends_with('\\') {
        let after = read(&format!("{text}\nrm x\n"), directory);
        if after.unresolved.is_empty() {
            let is_preserved = before.commands.iter().all(|argv| after.commands.contains(argv));
            assert!(is_preserved, "a command is hidden by what follows it: {before:?} {after:?}");
            let is_read = after.commands.iter().any(|argv| argv == &["rm", "x"]);
            assert!(is_read, "the preceding text hides a command: {after:?}");
        }
    }
    // The same text in a here-document is data.
    if before.unresolved.is_empty() && !text.contains("E_O_F") {
        let quoted = read(&format!("cat <<'E_O_F'\n{text}\nE_O_F\nrm x\n"), directory);
        if quoted.unresolved.is_empty() {
            let programs: Vec<&str> =
                quoted.commands.iter().filter_map(|argv| argv.first()).map(String::as_str).collect();
            assert_eq!(programs, ["cat", "rm"], "a here-document is misread: {quoted:?}");
        }
    }
    assert!(started.elapsed() < BOUND, "it took {:?}", started.elapsed());
}
