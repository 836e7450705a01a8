//! `examples/agent-tools` as somebody finds it who has just copied it: its checks, its tests, its tools.

use insta::assert_snapshot;

use crate::check::Place;

/// A copy of the example as the workspace, without the other files of a place.
pub(crate) fn example() -> Place {
    let place = Place::new();
    std::fs::remove_dir_all(place.path("work/src")).unwrap();
    let from = camino::Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/agent-tools"));
    copy(&place, from, "work");
    place
}

fn copy(place: &Place, from: &camino::Utf8Path, to: &str) {
    place.directory(to);
    for entry in from.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let to = format!("{to}/{}", entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(place, entry.path(), &to);
        } else {
            place.write(&to, &zubi_base::fs::read_text(entry.path()).unwrap());
        }
    }
}

/// The example, trusted, by a person who lets its tools run but those that ask before each call.
pub(crate) fn trusted() -> Place {
    let place = example();
    place.write("config/zubi/zubi.toml", "allow = [\"licence.*\", \"release.*\", \"todo.*\", \"tracker.find\"]\n");
    assert!(place.check(&["trust"]).starts_with("exit 0"));
    place
}

#[test]
fn nothing_is_wrong_but_a_secret_that_nobody_has_here() {
    assert_snapshot!(example().check(&["tools", "check"]), @"");
}

#[test]
fn its_tests_pass() {
    assert_snapshot!(trusted().check(&["tools", "check", "--test"]), @"");
}

#[test]
fn its_tools_are_called() {
    let place = trusted();
    assert_snapshot!(stable(&place.check(&["call", "licence.missing"])), @"");
    assert_snapshot!(stable(&place.check(&["call", "release.notes", "--version", "1.4.0", "--kinds", "fixed", "--kinds", "added"])), @"");
    assert_snapshot!(stable(&place.check(&["call", "release.notes", "--version", "1.4.0", "--kinds", "none"])), @"");
    assert_snapshot!(place.check(&["call", "todo.report"]), @"");
    assert_snapshot!(place.check(&["call", "tracker.find", "--project", "LEND"]), @"");
    assert_snapshot!(place.check(&["call", "workspace.format_document"]), @"");
    assert_snapshot!(place.check(&["call", "docs.ask", "--question", "How long is a loan?"]), @"");
}

#[test]
fn an_author_sees_what_would_run() {
    assert_snapshot!(stable(&trusted().check(&["tools", "run", "--dry-run", "release.notes", "--version", "1.0; rm -rf /"])), @"");
}

/// An answer without what differs from machine to machine: the sandbox, and how long it took.
fn stable(answer: &str) -> String {
    let level = ["landlock+seccomp", "bubblewrap", "landlock", "seccomp", "no sandbox"];
    let mut lines: Vec<String> = Vec::new();
    for line in answer.lines() {
        let line = level.iter().find_map(|level| {
            let rest = line.strip_prefix(&format!("[{level} · "))?;
            Some(format!("[SANDBOX · {} · TIME]", rest.rsplit_once(" · ").map_or(rest, |(rest, _)| rest)))
        });
        lines.push(line.unwrap_or_default());
    }
    let told = lines.iter().zip(answer.lines()).map(|(line, given)| if line.is_empty() { given } else { line });
    told.collect::<Vec<_>>().join("\n")
}
