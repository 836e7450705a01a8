//! Locks: their content, skipped entries, and differences from the manifest.

use std::fmt::Write as _;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::*;
use crate::manifest::{self, Purpose};
use crate::testing::show;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Renders the valid entries, one per line, then the diagnostics.
fn check(text: &str) -> String {
    let parsed = read(text);
    let entries = parsed.lock.entries.iter().fold(String::new(), |mut lines, (key, it)| {
        writeln!(lines, "{key} {} {:?}", it.commit, it.reference_kind).unwrap();
        lines
    });
    assert!(parsed.skipped.len() <= parsed.diagnostics.len());
    format!("version {}\n{entries}{}", parsed.lock.version, show(text, &parsed.diagnostics))
}

fn check_against(manifest: &str, lock: &str) -> String {
    let found = disagreements(&manifest::read(manifest, Purpose::Use).manifest, &read(lock).lock);
    format!("{}{}", show(manifest, &found.in_manifest), show(lock, &found.in_lock))
}

#[test]
fn entries_are_validated_independently() {
    assert_snapshot!(check(&format!(r#"{{"version": "1", "dependencies": {{
        "acme/core": {{"ref": "v1", "refType": "tag", "resolved": "https://x", "commit": "{COMMIT}", "integrity": "sha512-x"}},
        "acme/short": {{"ref": "main", "refType": "branch", "resolved": "", "commit": "0123abc"}},
        "acme/kind": {{"ref": "0123abc", "resolved": "", "commit": "0123abc", "other": [1]}},
        "acme/no-ref": {{"resolved": "", "commit": "0123abc"}},
        "acme/number": {{"ref": 1, "resolved": "", "commit": "0123abc"}},
        "acme/climbs": {{"ref": "x", "resolved": "", "commit": "../../x"}},
        "acme/list": ["x"],
        "acme/\u006bind": {{"ref": "again", "resolved": "", "commit": "0123abd"}}
    }}}}"#)), @r#"
    version 1
    acme/core 0123456789abcdef0123456789abcdef01234567 Tag
    acme/kind 0123abd Commit
    acme/short 0123abc Branch
    2 lock-entry-skipped 4:9 "\"acme/kind\"" The entry 'acme/kind' of model.lock is passed over: it is there again below.⏎Hint: Write it again; 'dlang install' prints the expected content.
    2 lock-entry-skipped 5:9 "\"acme/no-ref\"" The entry 'acme/no-ref' of model.lock is passed over: it has no text 'ref'.⏎Hint: Write it again; 'dlang install' prints the expected content.
    2 lock-entry-skipped 6:9 "\"acme/number\"" The entry 'acme/number' of model.lock is passed over: it has no text 'ref'.⏎Hint: Write it again; 'dlang install' prints the expected content.
    2 lock-entry-skipped 7:9 "\"acme/climbs\"" The entry 'acme/climbs' of model.lock is passed over: its commit is not 7 to 40 hexadecimal digits.⏎Hint: Write it again; 'dlang install' prints the expected content.
    2 lock-entry-skipped 8:9 "\"acme/list\"" The entry 'acme/list' of model.lock is passed over: it is not an object.⏎Hint: Write it again; 'dlang install' prints the expected content.
    "#);
}

/// Entries of a later version may have another meaning.
#[test]
fn versions() {
    assert_snapshot!(check(&format!(r#"{{"version": "2", "dependencies": {{"a/b": {{"ref": "v1", "resolved": "", "commit": "{COMMIT}"}}}}}}"#)), @r#"
    version 2
    a/b 0123456789abcdef0123456789abcdef01234567 Commit
    2 lock-unknown-version 1:2 "\"version\"" model.lock has version '2', and '1' is the one that is known.⏎Hint: It is read as if it had that one. See that what wrote it and this program are of one age.
    "#);
    assert_eq!(check(r#"{"version": "1"}"#), "version 1\n");
}

#[test]
fn invalid_locks_are_reported() {
    let cases = [
        "",
        "{}",
        "[]",
        "null",
        "{\"version\": 1}",
        "{\"dependencies\": []}",
        "\u{feff}{\n  \"version\": \"2\",\n  é\n}",
        "{\"a\": \"\0\"}",
        "{\"dependencies\": {\"a/b\": {\"ref\": \"v1\",}}}",
    ];
    assert_snapshot!(cases.map(check).join("--\n"), @r#"
    version 1
    1 lock-invalid 1:1 "" model.lock is not a valid lock: EOF while parsing a value.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    --
    version 1
    1 lock-invalid 1:1 "[" model.lock is not a valid lock: invalid type: sequence, expected an object.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    1 lock-invalid 1:4 "l" model.lock is not a valid lock: invalid type: null, expected an object.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    1 lock-invalid 1:2 "\"version\"" 'version' must be text.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    1 lock-invalid 1:2 "\"dependencies\"" 'dependencies' must be an object.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    1 lock-invalid 3:3 "é" model.lock is not a valid lock: key must be a string.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    1 lock-invalid 1:7 "\"" model.lock is not a valid lock: control character (\u0000-\u001F) found while parsing a string.⏎Hint: Write it again; 'dlang install' prints the expected content.
    --
    version 1
    1 lock-invalid 1:39 "}" model.lock is not a valid lock: key must be a string.⏎Hint: Write it again; 'dlang install' prints the expected content.
    "#);
    let deep = format!("{{\"dependencies\": {}", "[".repeat(1_000_000));
    assert_snapshot!(check(&deep), @r#"
    version 1
    1 lock-invalid 1:1000017 "[" model.lock is not a valid lock: EOF while parsing a list.⏎Hint: Write it again; 'dlang install' prints the expected content.
    "#);
    assert_snapshot!(check(&"x".repeat(10 * 1024 * 1024)), @r#"
    version 1
    1 lock-unreadable 1:1 "" model.lock cannot be read: it has more than 4194304 bytes.⏎Hint: It counts as empty until it can.
    "#);
}

#[test]
fn mismatches_with_the_manifest_are_reported() {
    let entry = |repository: &str, reference: &str| {
        format!(r#""{repository}": {{"ref": "{reference}", "resolved": "", "commit": "{COMMIT}"}}"#)
    };
    let rows =
        [entry("acme/core", "v1"), entry("acme/two", "v2"), entry("acme/short", "0123456"), entry("acme/old", "v1")];
    let lock = format!("{{\"dependencies\": {{{}}}}}", rows.join(", "));
    let manifest = "dependencies:\n  acme/core: v2\n  two: {source: acme/two, ref: v1}\n  acme/new: v1\n  \
        acme/short: 0123456789ab\n  local: {path: ./x}\noverrides: {acme/two: v2}\n";
    assert_snapshot!(check_against(manifest, &lock), @r#"
    2 lock-ref-mismatch 2:3 "acme/core" Dependency 'acme/core' has ref 'v2', and model.lock has 'v1'.⏎Hint: 'dlang install' says how to bring model.lock up to date.
    2 lock-missing-entry 4:3 "acme/new" Dependency 'acme/new' is not in model.lock.⏎Hint: 'dlang install' says how to bring model.lock up to date.
    3 lock-unused-entry 1:318 "\"acme/old\"" No dependency in model.yaml uses 'acme/old'.⏎Hint: 'dlang install' says how to bring model.lock up to date.
    "#);
    // A truncated manifest does not show which entries are unused.
    assert_eq!(check_against("dependencies:\n  a: [", &lock), "");
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_lock_is_read(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ":", ",", "\"version\"", "\"dependencies\"", "\"a/b\"", "\"ref\"", "\"resolved\"", "\"commit\"",
        "\"0123abc\"", "1", "null", "\"\\u00e9\"", "\u{feff}", "\n", "é", "\"",
    ]), 0..40)) {
        check(&pieces.concat());
    }
}
