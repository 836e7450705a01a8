//! Recomputation after an edit, counted in queries.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::testing::{host_with, render_diagnostics};
use crate::{Database, ModelChange, ModelHost, definitions_by_name};

/// Applies a change and returns how often each query ran until every diagnostic was up to date.
fn check(fixture: &str, path: &str, from: &str, to: &str) -> String {
    let [is_same, counts] = check_query(render_diagnostics, fixture, path, from, to);
    format!("{is_same} diagnostics\n{counts}")
}

/// Applies a change and returns whether the result of `query` is the same, and how often each salsa query ran for it.
fn check_query(query: impl Fn(&ModelHost) -> String, fixture: &str, path: &str, from: &str, to: &str) -> [String; 2] {
    let names: Arc<Mutex<Vec<salsa::DatabaseKeyIndex>>> = Arc::default();
    let log = Arc::clone(&names);
    let db = Database::with_events(move |event| {
        if let salsa::EventKind::WillExecute { database_key } = event.kind {
            log.lock().unwrap().push(database_key);
        }
    });
    let mut host = host_with(ModelHost::with_database(db), fixture, &[]);
    let before = query(&host);
    let text = host.file(path).unwrap().text(host.db()).replace(from, to);
    names.lock().unwrap().clear();
    host.apply([ModelChange::Text { path: path.to_owned(), text: Arc::from(text) }]);
    let after = query(&host);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for key in names.lock().unwrap().iter() {
        let name = salsa::Database::ingredient_debug_name(host.db(), key.ingredient_index()).into_owned();
        *counts.entry(name).or_default() += 1;
    }
    let counts: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let comparison = if before == after { "same" } else { "other" };
    [comparison.to_owned(), counts.join("\n")]
}

const MODEL: &str = r#"
//- a.dlang
import "./shared.dlang"
bc A for D by T { description: "d" }
//- b.dlang
import "./a.dlang"
import "./shared.dlang"
bc B for D { description: "d" relationships { this -> A } }
//- shared.dlang
Domain D { vision: "v" }
Team T
"#;

#[test]
fn an_edit_in_a_body_stays_in_its_file() {
    insta::assert_snapshot!(check(MODEL, "shared.dlang", "vision: \"v\"", "vision: \"\" description: \"longer\""), @r"
    other diagnostics
    file_diagnostics 1
    file_index 1
    file_model 1
    resolutions 1
    ");
}

#[test]
fn an_edit_without_a_change_recomputes_nothing() {
    insta::assert_snapshot!(check(MODEL, "shared.dlang", "vision", "vision"), @"same diagnostics");
}

#[test]
fn an_appended_declaration_recomputes_importer_scopes() {
    insta::assert_snapshot!(check(MODEL, "shared.dlang", "Team T", "Team T\nTeam U"), @r"
    same diagnostics
    exports 1
    file_diagnostics 1
    file_index 1
    file_model 1
    global_scope 3
    imported_files 1
    local_scope 1
    resolutions 3
    ");
}

#[test]
fn body_edits_do_not_recompute_project_names() {
    let find = |host: &ModelHost| format!("{:?}", definitions_by_name(host.db(), "D"));
    let [answer, counts] = check_query(find, MODEL, "shared.dlang", "vision: \"v\"", "vision: \"other\"");
    assert_eq!(answer, "same");
    insta::assert_snapshot!(counts, @r"
    file_index 1
    file_model 1
    ");
    let [answer, counts] = check_query(find, MODEL, "shared.dlang", "Team T", "Team T Team D");
    assert_eq!(answer, "other");
    insta::assert_snapshot!(counts, @r"
    file_index 1
    file_model 1
    project_index 1
    ");
}
