//! Recorded answers of the reference implementation about one model, word for word: `rows.jsonl` is its table of each
//! type, `full.jsonl` its lists of serialized elements (except maps, for which it never answers), `elements.jsonl`
//! single elements.

use dlang_model::testing::host;
use serde_json::{Value, json};

use crate::query::{Detail, EntityType, ListInput, get, list};

const MODEL: &str = include_str!("recorded/full.dlang");
const ROWS: &str = include_str!("recorded/rows.jsonl");
const FULL: &str = include_str!("recorded/full.jsonl");
const ELEMENTS: &str = include_str!("recorded/elements.jsonl");

fn lists(detail: Detail) -> Vec<Value> {
    let host = host(MODEL);
    let list = |entity| {
        let input = ListInput { detail, ..ListInput::new(entity) };
        list(host.db(), &input, &|file| file.path(host.db()).to_owned()).expect("the input is valid")
    };
    EntityType::ALL.map(list).into()
}

/// Compares values as texts, so that the order of keys counts.
#[track_caller]
fn assert_same_json(actual: &Value, recorded: &Value) {
    assert_eq!(actual.to_string(), recorded.to_string());
}

fn parse_lines(lines: &str) -> impl Iterator<Item = Value> + '_ {
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON"))
}

#[test]
fn rows() {
    let mut count = 0;
    for (actual, mut recorded) in lists(Detail::Row).into_iter().zip(parse_lines(ROWS)) {
        // The reference implementation counts the team and the classification of each context again.
        if recorded["entityType"] == "teams" || recorded["entityType"] == "classifications" {
            let mut distinct: Vec<Value> = Vec::new();
            for row in recorded["results"].as_array().expect("a list") {
                if !distinct.contains(row) {
                    distinct.push(row.clone());
                }
            }
            recorded["count"] = distinct.len().into();
            recorded["results"] = distinct.into();
        }
        assert_same_json(&actual, &recorded);
        count += 1;
    }
    assert_eq!(count, EntityType::ALL.len());
}

/// Replaces the reference implementation's two kinds of `<->` by the one used here.
fn with_one_kind(mut recorded: Value) -> Value {
    for relationship in recorded.get_mut("relationships").and_then(Value::as_array_mut).into_iter().flatten() {
        if relationship["arrow"] == "<->" {
            relationship["inferredKind"] = "Bidirectional".into();
        }
    }
    recorded
}

#[test]
fn serialized_elements() {
    let actual = lists(Detail::Full).into_iter().filter(|it| it["entityType"] != "relationships");
    let recorded = parse_lines(FULL).filter(|it| it["entityType"] != "relationships");
    let mut count = 0;
    for (actual, mut recorded) in actual.zip(recorded) {
        for element in recorded["results"].as_array_mut().expect("a list") {
            *element = with_one_kind(element.take());
        }
        assert_same_json(&actual, &recorded);
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn serialized_relationships() {
    let is_relationship_list = |it: &Value| it["entityType"] == "relationships";
    let actual = lists(Detail::Full).into_iter().find(is_relationship_list).expect("a list");
    let mut recorded = parse_lines(FULL).find(is_relationship_list).expect("a line");
    for relationship in recorded["results"].as_array_mut().expect("a list") {
        // All relationships have one form here, which also has the kind under its older name.
        let mut complete = json!({
            "type": relationship["type"], "kind": relationship["kind"], "inferredType": relationship["kind"],
            "name": relationship["name"], "left": relationship["left"], "right": relationship["right"],
        });
        if relationship["type"] == "symmetric" {
            complete["leftPatterns"] = json!([]);
            complete["rightPatterns"] = json!([]);
        }
        for (key, value) in relationship.as_object().expect("an object") {
            complete[key] = value.clone();
        }
        *relationship = complete;
    }
    assert_same_json(&actual, &recorded);
}

#[test]
fn single_elements() {
    let host = host(MODEL);
    let mut count = 0;
    for recorded in parse_lines(ELEMENTS) {
        let mut actual = get(host.db(), recorded["fqn"].as_str(), &|_| String::new());
        assert_eq!(actual["found"], true);
        let element = actual["element"].as_object_mut().expect("an object");
        for added in ["effectiveTeam", "effectiveClassification", "metadataMap"] {
            element.shift_remove(added);
        }
        assert_same_json(&actual["element"], &with_one_kind(recorded));
        count += 1;
    }
    assert_eq!(count, 6);
}

#[test]
fn fields_added_to_a_context() {
    let element = get(host(MODEL).db(), Some("Shop.Orders"), &|_| String::new())["element"].take();
    let added: Vec<String> = element.as_object().expect("an object").keys().rev().take(4).cloned().collect();
    assert_eq!(added, ["metadataMap", "effectiveClassification", "effectiveTeam", "fqn"]);
    assert_eq!(element["effectiveTeam"], "SalesTeam");
    assert_eq!(element["effectiveClassification"], "Core");
    assert_same_json(&element["metadataMap"], &json!({ "Language": "Rust", "Owner": "alice" }));
}

#[test]
fn summary() {
    let summary = get(host(MODEL).db(), None, &|_| String::new());
    insta::assert_snapshot!(summary, @r#"{"summary":{"fileCount":1,"domainCount":3,"boundedContextCount":3,"teamCount":2,"classificationCount":6,"contextMapCount":2,"domainMapCount":1,"namespaceCount":2,"relationshipCount":11,"classificationBreakdown":{"Supporting":2,"Core":1}}}"#);
}
