//! After any edits, a model equals one built from scratch.

use std::sync::Arc;

use proptest::prelude::*;

use crate::testing::{host, render_diagnostics, resolve_imports};
use crate::{ModelChange, ModelHost};

const MODEL: &str = r#"
//- a.dlang
import "./b.dlang" as b
Classification Core
Domain Care in b.Health { vision: "v" }
Namespace Ns { bc Beds for Care as Core { description: "d" relationships { this [OHS] -> [CF] b.Meals } } }
//- b.dlang
import "./c.dlang"
Domain Health { vision: "" }
bc Meals for Health by Cooks
cmap M { contains Meals, Meals  Meals -> Meals }
//- c.dlang
import "./a.dlang"
Team Cooks
"#;

const FRAGMENTS: &[&str] = &[
    "",
    " ",
    "\n",
    "{",
    "}",
    "\"",
    "Domain X",
    "Team Cooks",
    "import \"./a.dlang\"",
    "in Care",
    "Namespace Ns {",
    "bc Beds",
    ".",
    "this -> Beds",
    "contains Meals",
    "[ACL]",
    "->",
    "Core",
    "é",
    "/*",
    "vision: \"v\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn incremental_edits_equal_a_full_rebuild(
        edits in prop::collection::vec((0usize..3, 0usize..10_000, 0usize..12, 0..FRAGMENTS.len()), 1..8)
    ) {
        let mut host = host(MODEL);
        for (file, position, length, fragment) in edits {
            let file = host.files().nth(file).unwrap();
            let path = file.path(host.db()).to_owned();
            let text = file.text(host.db());
            let floor = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let begin = floor(position % (text.len() + 1));
            let end = floor((begin + length).min(text.len())).max(begin);
            let text = format!("{}{}{}", text.get(..begin).unwrap(), FRAGMENTS[fragment], text.get(end..).unwrap());
            host.apply([ModelChange::Text { path, text: Arc::from(text) }]);
            resolve_imports(&mut host, &[]);
            let incremental = render_diagnostics(&host);
            let mut scratch = ModelHost::new();
            scratch.apply(host.files().map(|file| {
                ModelChange::Text { path: file.path(host.db()).to_owned(), text: Arc::from(file.text(host.db())) }
            }));
            resolve_imports(&mut scratch, &[]);
            prop_assert_eq!(incremental, render_diagnostics(&scratch));
        }
    }
}

#[test]
fn files_are_added_and_removed() {
    let mut host = host(MODEL);
    let before = render_diagnostics(&host);
    let text = host.file("c.dlang").unwrap().text(host.db()).to_owned();
    host.apply([ModelChange::Remove { path: "c.dlang".to_owned() }]);
    assert_eq!(host.file("c.dlang"), None);
    assert_eq!(host.files().count(), 2);
    assert!(render_diagnostics(&host).contains("Could not resolve reference to Team named 'Cooks'."));
    resolve_imports(&mut host, &[]);
    host.apply([ModelChange::Remove { path: "c.dlang".to_owned() }]);
    host.apply([ModelChange::Text { path: "c.dlang".to_owned(), text: Arc::from(text) }]);
    resolve_imports(&mut host, &[]);
    assert_eq!(render_diagnostics(&host), before);
}
