//! Properties of the answers to queries about every model.

use std::sync::Arc;

use dlang_ide::query::{
    Detail, EntityType, ListInput, Lookup, Query, find, get, list, namesakes, serialize, serialize_node,
};
use dlang_model::{Db, File, ModelChange, ModelHost, definitions, project_files};
use dlang_syntax::ast::schema::{assignments, node_type};
use dlang_syntax::{MAX_NESTING, SyntaxNode};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value};

use crate::generated::model;
use crate::limits::with_small_stack;

fn host(texts: &[&str]) -> ModelHost {
    let mut host = ModelHost::new();
    let change =
        |(number, text): (usize, &&str)| ModelChange::Text { path: format!("{number}.dlang"), text: Arc::from(*text) };
    host.apply(texts.iter().enumerate().map(change));
    host
}

/// Checks the JSON object of a node and of every node inside it, with a list instead of recursion.
fn check_object(db: &dyn Db, file: File, node: &SyntaxNode) {
    let object = serialize_node(db, file, node).expect("a type");
    let mut waiting: Vec<(SyntaxNode, Map<String, Value>)> = vec![(node.clone(), object)];
    while let Some((node, mut object)) = waiting.pop() {
        let node_type = node_type(&node).expect("a type");
        assert_eq!(object["$type"], node_type.name);
        let assignments = assignments(&node);

        // The order of the properties: first as in the text, then alphabetical, then computed ones.
        let mut expected: Vec<&str> = vec!["$type"];
        for assignment in &assignments {
            if !expected.contains(&assignment.property) {
                expected.push(assignment.property);
            }
        }
        let mut lists: Vec<&str> = node_type.properties.iter().filter(|it| it.is_list).map(|it| it.name).collect();
        lists.sort_unstable();
        for name in lists {
            if !expected.contains(&name) {
                assert_eq!(object[name], Value::Array(Vec::new()));
                expected.push(name);
            }
        }
        expected.extend(["inferredKind", "fqn"].iter().filter(|name| object.contains_key(**name)));
        assert_eq!(object.keys().collect::<Vec<_>>(), expected);
        assert_eq!(object.contains_key("name"), object.contains_key("fqn"));

        // Each object in a property corresponds to one node in the text, in the same order.
        for property in node_type.properties {
            let Some(value) = object.shift_remove(property.name) else { continue };
            assert_eq!(value.is_array(), property.is_list, "{} of {}", property.name, node_type.name);
            let values = if let Value::Array(values) = value { values } else { vec![value] };
            let assigned = assignments.iter().filter(|assignment| assignment.property == property.name);
            let nodes = assigned.filter_map(|assignment| match &assignment.value {
                dlang_syntax::ast::schema::Value::Node(node) => Some(node.clone()),
                _ => None,
            });
            let objects = values.into_iter().filter_map(|value| match value {
                Value::Object(object) => Some(object),
                other => {
                    assert!(other.is_string(), "{other}");
                    None
                }
            });
            let (mut nodes, objects): (Vec<_>, Vec<_>) = (nodes.collect(), objects.collect());
            if !property.is_list {
                // The last of several assignments counts.
                nodes = nodes.split_off(nodes.len().saturating_sub(1));
            }
            assert_eq!(nodes.len(), objects.len());
            waiting.extend(nodes.into_iter().zip(objects));
        }
    }
}

/// Makes every possible query about a model.
fn check_model(texts: &[&str]) {
    let host = host(texts);
    let db = host.db();
    let mut count = 0;
    for file in project_files(db) {
        check_object(db, *file, &dlang_model::parse(db, *file).syntax());
        for definition in definitions(db, *file) {
            count += 1;
            assert!(serialize(db, definition).is_some());
            let Some(fqn) = definition.fqn(db) else { continue };
            let found = find(db, &fqn).element().expect("a declared element");
            assert_eq!(found.fqn(db).as_ref(), Some(&fqn));
            let element = get(db, Some(&fqn), &|file| file.path(db).to_owned())["element"].take();
            assert_eq!(element["fqn"], fqn.as_str());
            // The answer has `file` only if other declarations have the same name.
            let others = namesakes(db, found);
            assert_eq!(element.get("file").is_some(), !others.is_empty());
            assert!(others.iter().all(|other| other.fqn(db).as_ref() == Some(&fqn) && *other != found));
            // The shortened name either is another element's, or the answer suggests names.
            if let Lookup::NotFound { suggestions } = find(db, &fqn[..fqn.len() - 1]) {
                assert!(suggestions.len() <= 5);
            }
        }
    }
    for entity in EntityType::ALL {
        let show = |file: File| file.path(db).to_owned();
        let list_with = |detail| list(db, &ListInput { detail, ..ListInput::new(entity) }, &show).expect("it is valid");
        let (rows, full) = (list_with(Detail::Row), list_with(Detail::Full));
        assert_eq!(rows["count"], full["count"]);
        let (rows, full) = (rows["results"].as_array().expect("a list"), full["results"].as_array().expect("a list"));
        let columns = entity.columns();
        for (row, full) in rows.iter().zip(full) {
            let row = row.as_object().expect("an object");
            assert_eq!(row.get("name"), full.get("name"));
            let mut expected = columns.iter().copied().chain(["file"]);
            assert!(row.keys().all(|key| expected.any(|column| column == key)), "{row:?} has other columns");
            assert!(row.values().all(Value::is_string));
        }
        if let Some(kind) = entity.kind() {
            assert_eq!(rows.len(), Query::new(db).elements(kind).count());
        }
    }
    assert!(count >= get(db, None, &|_| String::new())["summary"]["boundedContextCount"].as_u64().expect("a number"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_model(one in model(), other in model()) {
        check_model(&[&one, &other]);
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check_model(&[&text]);
    }

    #[test]
    fn a_changed_model(text in model(), position in any::<Index>(), length in 0usize..20, inserted in select(vec!["", "{", "}", "\"", "/*", ",", "->", "Domain ", "[", "this "])) {
        let mut text = text;
        let from = text.floor_char_boundary(position.index(text.len() + 1));
        let to = text.floor_char_boundary((from + length).min(text.len())).max(from);
        text.replace_range(from..to, inserted);
        check_model(&[&text]);
    }
}

#[test]
fn maximum_nesting() {
    with_small_stack(|| {
        for depth in [MAX_NESTING, 10_000] {
            let text = format!("{}bc X {{ }} {}", "ns A { Team T ".repeat(depth), "} ".repeat(depth));
            let host = host(&[&text]);
            let outermost = get(host.db(), Some("A"), &|_| String::new()).to_string();
            assert_eq!(outermost.matches("NamespaceDeclaration").count(), MAX_NESTING);
        }
    });
}

/// Quadratic behaviour would exceed the time limit of the test.
#[test]
fn twenty_thousand_contexts() {
    let many = 20_000;
    let contexts: Vec<_> = (0..many)
        .map(|number| {
            format!(
                "bc C{number} for D as K by T {{ description: \"d\" relationships {{ this -> C{} }} }}\n",
                number / 2
            )
        })
        .collect();
    let same = "bc C for D\n".repeat(many);
    let host = host(&[&format!("Domain D Classification K Team T\n{}", contexts.concat()), &same]);
    let db = host.db();
    let show = |file: File| file.path(db).to_owned();
    for detail in [Detail::Row, Detail::Full] {
        for entity in [EntityType::BoundedContexts, EntityType::Relationships] {
            let answer = list(db, &ListInput { detail, ..ListInput::new(entity) }, &show).expect("it is valid");
            let expected = if entity == EntityType::Relationships { many } else { 2 * many };
            assert_eq!(answer["count"], expected);
        }
    }
    for number in 0..many {
        assert!(find(db, &format!("D.C{number}")).element().is_some());
    }
    let Lookup::NotFound { suggestions } = find(db, "C1234x") else { panic!("no element") };
    assert_eq!(suggestions.len(), 5);
}
