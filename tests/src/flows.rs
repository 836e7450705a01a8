//! Sequences that several tests use.

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::zubi::{id, text};
use crate::{Project, Zubi};

/// Plans a change, applies it and reverts it. Asserts the properties of every plan: planning writes nothing, applying
/// changes something, undoing restores every byte of the project. Returns the three answers.
///
/// `title` selects one of several actions by a part of its title.
pub async fn round_trip(zubi: &Zubi, project: &Project, tool: &str, arguments: Value, title: Option<&str>) -> String {
    let before = project.everything();
    let planned = zubi.result(tool, arguments).await;
    let plan = text(&planned);
    assert_ne!(planned.is_error, Some(true), "{tool} failed:\n{plan}");
    assert_eq!(changed_files(&before, &project.everything()), Vec::<Utf8PathBuf>::new(), "{tool} wrote files");
    let (key, id) = plan_argument(&plan, title);
    // Enough time for every check after an edit, so that the answers do not depend on the machine's speed.
    let wait_ms = 60_000;
    let applied = zubi.call_stable("apply_edit", json!({ key: id, "waitMs": wait_ms })).await;
    assert_ne!(changed_files(&before, &project.everything()), Vec::<Utf8PathBuf>::new(), "applying changed nothing");
    let undone = zubi.call_stable("undo_edit", json!({ "plan": id, "waitMs": wait_ms })).await;
    assert_eq!(changed_files(&before, &project.everything()), Vec::<Utf8PathBuf>::new(), "undo left a difference");
    format!("{}\n──── apply_edit\n{applied}\n──── undo_edit\n{undone}", zubi.stable(&plan))
}

/// Makes the calls one after the other and returns all answers, including failures, each below its call.
pub async fn answers(zubi: &Zubi, questions: &[(&str, Value)]) -> String {
    let mut all = Vec::new();
    for (tool, arguments) in questions {
        let answer = zubi.call(tool, arguments.clone()).await;
        let refused = if answer.is_error { " (refused)" } else { "" };
        all.push(format!("──── {tool} {arguments}{refused}\n{}", answer.text));
    }
    all.join("\n")
}

/// The argument for `apply_edit` from an answer: its plan, or the action whose line contains the title.
fn plan_argument<'a>(answer: &str, title: Option<&'a str>) -> (&'a str, String) {
    match title {
        None => ("plan", id(answer, "p-").unwrap_or_else(|| panic!("no plan in\n{answer}"))),
        Some(title) => {
            let line = answer.lines().find(|line| line.contains(title) && id(line, "a-").is_some());
            let line = line.unwrap_or_else(|| panic!("no action {title:?} in\n{answer}"));
            ("action", id(line, "a-").unwrap_or_default())
        }
    }
}

/// The files that differ between two states of a project.
pub fn changed_files(before: &[(Utf8PathBuf, Vec<u8>)], after: &[(Utf8PathBuf, Vec<u8>)]) -> Vec<Utf8PathBuf> {
    let only_in = |left: &[(Utf8PathBuf, Vec<u8>)], right: &[(Utf8PathBuf, Vec<u8>)]| -> Vec<Utf8PathBuf> {
        left.iter().filter(|file| !right.contains(file)).map(|(path, _)| path.clone()).collect()
    };
    let mut files = only_in(before, after);
    files.extend(only_in(after, before));
    files.sort();
    files.dedup();
    files
}
