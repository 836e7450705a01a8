//! Extreme and malformed texts and projects. Each has its diagnostics, and every query returns.

use std::sync::Arc;

use super::fixture::check;
use crate::testing::{host, queries, render_diagnostics};
use crate::{ImportOutcome, ModelChange, ModelCode, ModelHost, file_diagnostics, import_cycles, project_files};

/// Returns the diagnostics of a one-file text, after running every query on it.
fn diagnostics_after_queries(text: &str) -> String {
    let mut host = ModelHost::new();
    host.apply([ModelChange::Text { path: "main.dlang".to_owned(), text: Arc::from(text) }]);
    queries::query_all(&host);
    render_diagnostics(&host)
}

/// Returns the codes of a text's diagnostics.
fn codes(text: &str) -> Vec<ModelCode> {
    let mut host = ModelHost::new();
    host.apply([ModelChange::Text { path: "main.dlang".to_owned(), text: Arc::from(text) }]);
    let file = host.files().next().unwrap();
    file_diagnostics(host.db(), file).iter().map(|it| it.code).collect()
}

/// Runs `work` on a stack as small as the smallest thread stacks.
fn with_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(work).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn strings_and_comments_without_an_end() {
    insta::assert_snapshot!(diagnostics_after_queries("Domain A { vision: \"open }\nbc B for A { description: \"d\" }\n"), @r#"
    1:20: error: unexpected character: ->"<- at offset: 19, skipped 1 characters.
    Hint: The string that begins here is not closed: add " at its end. [unterminated-string]
    "#);
    insta::assert_snapshot!(diagnostics_after_queries("Domain A { vision: \"v\" }\nbc B for A { description: 'open"), @"
    2:27: error: unexpected character: ->'<- at offset: 51, skipped 1 characters.
    Hint: The string that begins here is not closed: add ' at its end. [unterminated-string]
    2:32: error: Expecting token of type '}' but found end of file. [expected-token]
        2:12: This brace has no matching `}`.
    ");
    insta::assert_snapshot!(diagnostics_after_queries("Domain A { vision: \"v\" }\n/* open\nbc B for Nowhere\n"), @r"
    2:1: error: unexpected character: ->/<- at offset: 25, skipped 2 characters.
    Hint: The comment that begins here is not closed: add */. [unterminated-comment]
    3:10: error: Could not resolve reference to Domain named 'Nowhere'. [linking-error]
    3:1: warning: Bounded Context 'B' is missing a description. [bounded-context-no-description]
    ");
}

#[test]
fn nul_and_other_control_characters() {
    insta::assert_snapshot!(diagnostics_after_queries("Domain A\0 { vision: \"v\0\" }\n\0\0\nbc B for A { description: \"\u{1b}\" }\n"), @r"
    1:9: error: unexpected character: ->U+0000<- at offset: 8, skipped 1 characters. [unexpected-character]
    2:1: error: unexpected character: ->U+0000<- at offset: 27, skipped 2 characters. [unexpected-character]
    ");
}

#[test]
fn a_byte_order_mark() {
    let text = "Domain A\nbc B for Nowhere { description: \"d\" }\n";
    let codes_and_offsets = |text: &str| -> Vec<_> {
        let mut host = ModelHost::new();
        host.apply([ModelChange::Text { path: "main.dlang".to_owned(), text: Arc::from(text) }]);
        let file = host.files().next().unwrap();
        file_diagnostics(host.db(), file).iter().map(|it| (it.code, u32::from(it.range.start()))).collect()
    };
    let moved: Vec<_> = codes_and_offsets(text).into_iter().map(|(code, at)| (code, at + 3)).collect();
    assert_eq!(codes_and_offsets(&format!("\u{feff}{text}")), moved);
    assert_eq!(moved.len(), 2);
}

#[test]
fn line_ends_do_not_matter() {
    let text = "Domain A\n\nbc B for Nowhere {\n    description: \"one\ntwo\"\n    terminology {\n term T }\n}\nTeam\n";
    let with_carriage_returns = text.replace('\n', "\r\n");
    assert_eq!(diagnostics_after_queries(&with_carriage_returns), diagnostics_after_queries(text));
    insta::assert_snapshot!(diagnostics_after_queries(&with_carriage_returns), @r"
    9:5: error: Expecting token of type 'ID' but found end of file. [expected-token]
    3:10: error: Could not resolve reference to Domain named 'Nowhere'. [linking-error]
    1:1: warning: Domain 'A' is missing a vision statement. [domain-no-vision]
    ");
}

#[test]
fn ten_megabytes() {
    let long = "Words. ".repeat(750);
    let context = |number: usize| {
        format!("bc B{number} for A {{ description: \"{long}\" relationships {{ this -> B{} }} }}\n", number / 2)
    };
    let contexts: String = (0..2_000).map(context).collect();
    let text = format!("Domain A {{ vision: \"v\" }}\n{contexts}bc Last for Nowhere {{ description: \"d\" }}\n");
    assert!(text.len() > 10_000_000);
    insta::assert_snapshot!(check(&text), @"2002:13: error: Could not resolve reference to Domain named 'Nowhere'. [linking-error]");
}

#[test]
fn namespaces_ten_thousand_deep() {
    with_small_stack(|| {
        let depth = 10_000;
        let text = format!("{}bc B by T {}", "ns N { Team T ".repeat(depth), "} ".repeat(depth));
        assert_eq!(codes(&text), [ModelCode::Syntax(dlang_syntax::SyntaxCode::NestingTooDeep)]);
    });
}

#[test]
fn a_cycle_of_ten_thousand_domains() {
    with_small_stack(|| {
        let domain = |number: usize| format!("Domain D{number} in D{} {{ vision: \"v\" }}\n", (number + 1) % 10_000);
        let text: String = (0..10_000).map(domain).collect();
        assert_eq!(codes(&text), vec![ModelCode::DomainCircularHierarchy; 10_000]);
    });
}

#[test]
fn files_that_import_each_other() {
    let fixture = "
//- a.dlang
import \"./b.dlang\"
import \"./a.dlang\" as me
Domain A in B { vision: \"v\" }
//- b.dlang
import \"./a.dlang\" as a
Domain B in a.A { vision: \"v\" }
";
    queries::query_all(&host(fixture));
    insta::assert_snapshot!(check(fixture), @r"
    a.dlang:1:8: warning: Import cycle detected: a.dlang → b.dlang → a.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    a.dlang:2:8: warning: Import cycle detected: a.dlang → a.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    a.dlang:3:13: error: Circular domain hierarchy detected: A → B → A. [domain-circular-hierarchy]
    b.dlang:1:8: warning: Import cycle detected: b.dlang → a.dlang → b.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    b.dlang:2:13: error: Circular domain hierarchy detected: B → A → B. [domain-circular-hierarchy]
    ");
}

#[test]
fn a_long_chain_of_imports_needs_little_stack() {
    with_small_stack(|| {
        let count = 3_000;
        let path = |number: usize| format!("{:04}.dlang", number % count);
        let mut host = ModelHost::new();
        host.apply((0..count).map(|number| ModelChange::Text {
            path: path(number),
            text: Arc::from(format!("import \"./{}\"\n", path(number + 1))),
        }));
        let files: Vec<_> = host.files().collect();
        host.apply(files.iter().enumerate().map(|(number, _)| {
            let next = path(number + 1);
            let outcome = (format!("./{next}"), ImportOutcome::File(files[(number + 1) % count]));
            ModelChange::Imports { path: path(number), outcomes: [outcome].into_iter().collect() }
        }));
        let db = host.db();
        assert!(project_files(db).iter().all(|file| import_cycles(db).contains(*file)));
        assert_eq!(file_diagnostics(db, files[0]).len(), 1);
    });
}
