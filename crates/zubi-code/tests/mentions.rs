//! Word matches that an endpoint does not report: what it resolves to another symbol, to this one, or not at all.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test that called it")]

use std::fmt::Write as _;

use zubi_code::Completeness;
use zubi_code::features::rename::TextMentions;
use zubi_code::locate::{PositionIntent, TargetInput};
use zubi_code::testing::{Toy, ToyFile};

/// Shows the classes of the further matches of the symbol `unit`, the mark, and the number of requests for definitions.
async fn check(fixture: &str, files: &[(&'static str, ToyFile)]) -> String {
    let toy = Toy::new(fixture);
    *toy.endpoint.file_changes.lock().unwrap() = Some(1);
    toy.endpoint.files.lock().unwrap().extend_from_slice(files);
    let mut shown = String::new();
    for _ in 0..2 {
        let query = toy.intel.query(Toy::cx()).await;
        let input = TargetInput { at: toy.cursor.clone(), ..TargetInput::default() };
        let at = query.resolve(&input, PositionIntent::Identifier).await.unwrap();
        *toy.endpoint.definition_requests.lock().unwrap() = 0;
        let answer = query.references(&at, true).await.unwrap();
        let mentions = answer.value.mentions.unwrap();
        let counts =
            [&mentions.in_text, &mentions.quoted, &mentions.namesakes, &mentions.unresolved, &mentions.unchecked];
        let [in_text, quoted, namesakes, unresolved, unchecked] = counts.map(Vec::len);
        let requests = *toy.endpoint.definition_requests.lock().unwrap();
        writeln!(
            shown,
            "text {in_text}, quoted {quoted}, namesakes {namesakes}, unresolved {unresolved}, unchecked {unchecked}; {requests} requests"
        )
        .unwrap();
        if let Completeness::Partial { reason } = answer.status.completeness {
            writeln!(shown, "{reason}").unwrap();
        }
    }
    shown
}

const MODULE: &str = "//- shapes.toy\nlet $0unit\nunit\n";

#[tokio::test]
async fn no_request_is_sent_if_every_match_is_a_reference() {
    // One request marks the declaration among the references.
    insta::assert_snapshot!(check(MODULE, &[]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    ");
}

#[tokio::test]
async fn a_match_that_is_resolved_elsewhere_is_a_namesake() {
    let fixture = format!("{MODULE}//- other.toy\nlet unit\nprint unit\n");
    insta::assert_snapshot!(check(&fixture, &[("other.toy", ToyFile::Separate)]).await, @"
    text 0, quoted 0, namesakes 2, unresolved 0, unchecked 0; 2 requests
    text 0, quoted 0, namesakes 2, unresolved 0, unchecked 0; 1 requests
    ");
}

#[tokio::test]
async fn a_match_in_a_file_that_the_server_does_not_read_is_a_mark() {
    let fixture = format!("{MODULE}//- lost.toy\ndef lost\nprint unit\n");
    insta::assert_snapshot!(check(&fixture, &[("lost.toy", ToyFile::Unread)]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 3 requests
    `unit` also occurs in lost.toy (1: the server resolves nothing in it)
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    `unit` also occurs in lost.toy (1: the server resolves nothing in it)
    ");
}

#[tokio::test]
async fn a_match_that_the_server_resolves_but_does_not_report_is_a_mark() {
    let fixture = format!("{MODULE}//- left.toy\ndef left\nprint unit\n");
    insta::assert_snapshot!(check(&fixture, &[("left.toy", ToyFile::Unreported)]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 4 requests
    `unit` also occurs in left.toy (1: the server resolves it to this symbol, but does not report it)
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 2 requests
    `unit` also occurs in left.toy (1: the server resolves it to this symbol, but does not report it)
    ");
}

#[tokio::test]
async fn uses_that_the_server_reports_only_to_a_request_at_them_are_references() {
    let fixture = format!("{MODULE}//- left.toy\ndef left\nprint unit\n");
    let files = [("left.toy", ToyFile::OneWay)];
    insta::assert_snapshot!(check(&fixture, &files).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 4 requests
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 2 requests
    ");
    let toy = Toy::new(&fixture);
    toy.endpoint.files.lock().unwrap().extend_from_slice(&files);
    let query = toy.intel.query(Toy::cx()).await;
    let input = TargetInput { at: toy.cursor.clone(), ..TargetInput::default() };
    let at = query.resolve(&input, PositionIntent::Identifier).await.unwrap();
    let references = query.references(&at, false).await.unwrap();
    let shown: Vec<_> = references.value.locations.iter().map(|one| one.display_path.as_str()).collect();
    assert_eq!(shown, ["left.toy", "shapes.toy"]);
    let plan = query.rename(&at, "length", TextMentions::Leave { hint: "they stay" }).await.unwrap();
    assert!(matches!(plan.status.completeness, Completeness::Complete), "{:?}", plan.status);
    assert_eq!((plan.value.files.len(), plan.value.edit_count), (2, 3));
}

#[tokio::test]
async fn a_symbol_without_references_that_the_server_does_not_resolve_is_a_mark() {
    let fixture = "//- other.toy\ndef other\nprint $0unit\n";
    insta::assert_snapshot!(check(fixture, &[("other.toy", ToyFile::Separate)]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 3 requests
    `unit` also occurs in other.toy (1: the server resolves no symbol here, and reports no references)
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    `unit` also occurs in other.toy (1: the server resolves no symbol here, and reports no references)
    ");
    // Only the declaration is known.
    insta::assert_snapshot!(check("//- other.toy\ndef other\nlet $0unit\n", &[]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    ");
}

#[tokio::test]
async fn members_of_unknown_types_are_no_mark() {
    let fixture = format!("{MODULE}//- other.toy\ndef other\nprint x.unit\nf(unit=1)\n");
    insta::assert_snapshot!(check(&fixture, &[("other.toy", ToyFile::Separate)]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 2, unchecked 0; 4 requests
    text 0, quoted 0, namesakes 0, unresolved 2, unchecked 0; 1 requests
    ");
}

#[tokio::test]
async fn a_name_of_a_file_without_the_symbol_is_a_mark() {
    let fixture = format!("{MODULE}//- other.toy\ndef other\nprint unit\n");
    insta::assert_snapshot!(check(&fixture, &[("other.toy", ToyFile::Separate)]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 3 requests
    `unit` also occurs in other.toy (1: the server does not resolve it)
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    `unit` also occurs in other.toy (1: the server does not resolve it)
    ");
}

#[tokio::test]
async fn unresolved_imports_are_a_mark_if_they_name_the_module() {
    for module in ["shapes", "elsewhere"] {
        let fixture = format!("{MODULE}//- other.toy\ndef other\nfrom {module} import unit\nprint unit\n");
        let shown = check(&fixture, &[("other.toy", ToyFile::Separate)]).await;
        if module == "shapes" {
            insta::assert_snapshot!(shown, @"
            text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 3 requests
            `unit` also occurs in other.toy (2: the server does not resolve its import)
            text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
            `unit` also occurs in other.toy (2: the server does not resolve its import)
            ");
        } else {
            insta::assert_snapshot!(shown, @"
            text 0, quoted 0, namesakes 0, unresolved 2, unchecked 0; 3 requests
            text 0, quoted 0, namesakes 0, unresolved 2, unchecked 0; 1 requests
            ");
        }
    }
}

#[tokio::test]
async fn a_string_that_is_the_name_is_a_class_of_its_own() {
    let fixture = format!("{MODULE}//- other.toy\nprint \"unit\" 'unit' \"a unit\" # \"unit\"\n");
    insta::assert_snapshot!(check(&fixture, &[("other.toy", ToyFile::Separate)]).await, @"
    text 2, quoted 2, namesakes 0, unresolved 0, unchecked 0; 1 requests
    text 2, quoted 2, namesakes 0, unresolved 0, unchecked 0; 1 requests
    ");
}

#[tokio::test]
async fn many_files_are_sampled() {
    let names = ["a.toy", "b.toy", "c.toy", "d.toy", "e.toy", "f.toy", "g.toy", "h.toy", "i.toy", "j.toy"];
    let others = names.map(|name| format!("//- {name}\nlet unit\nunit\nunit\nunit\n"));
    let fixture = [MODULE, &others.concat()].concat();
    let files = names.map(|name| (name, ToyFile::Separate));
    insta::assert_snapshot!(check(&fixture, &files).await, @"
    text 0, quoted 0, namesakes 34, unresolved 0, unchecked 6; 17 requests
    text 0, quoted 0, namesakes 34, unresolved 0, unchecked 6; 1 requests
    ");
}

#[tokio::test]
async fn a_position_that_the_server_does_not_resolve_proves_nothing() {
    let fixture = "//- lost.toy\ndef lost\nprint $0unit\n//- shapes.toy\nlet unit\nunit\n";
    insta::assert_snapshot!(check(fixture, &[("lost.toy", ToyFile::Unread), ("shapes.toy", ToyFile::Separate)]).await, @"
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 5 requests
    `unit` also occurs in lost.toy (1: the server resolves nothing in it), shapes.toy (2: the server does not resolve the queried one)
    text 0, quoted 0, namesakes 0, unresolved 0, unchecked 0; 1 requests
    `unit` also occurs in lost.toy (1: the server resolves nothing in it), shapes.toy (2: the server does not resolve the queried one)
    ");
}
