//! Conventions for the descriptions and schemas of all tools. The generated page docs/src/reference/tools.md shows
//! changes of them.

use std::sync::Arc;

use serde_json::{Value, json};
use zubi_code::testing::Toy;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::schema::{self, ArgumentChecker};
use zubi_tool_api::{Effect, Tool, ToolSpec};

use crate::support::{SHAPES, call_in, check, cx, registry, without_ids};

/// Every tool follows the rules of the registry, and all tools together fit the list's budget.
#[test]
fn all_tools_follow_the_schema_rules() {
    let toy = Toy::new(SHAPES);
    let registry = registry(&toy);
    let mut problems = registry.problems();
    for tool in registry.all_tools() {
        problems
            .extend(schema::problems(tool.spec()).into_iter().map(|problem| format!("{}: {problem}", tool.spec().id)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Adds every other property of the schema with this value.
fn with_all_properties(spec: &ToolSpec, args: &Value, value: &Value) -> Value {
    let mut all = args.clone();
    for name in spec.input["properties"].as_object().unwrap().keys().filter(|name| args.get(*name).is_none()) {
        all[name] = value.clone();
    }
    all
}

/// Clients that convert schemas to strict ones require every property, and send an empty value for those that the model
/// omits.
#[tokio::test]
async fn a_call_with_every_property_equals_the_call_without_them() {
    let toy = Toy::new(SHAPES);
    let registry = registry(&toy);
    for tool in registry.all_tools() {
        let spec = tool.spec();
        let checker = ArgumentChecker::new(spec).unwrap();
        let example = spec.examples[0].args.clone();
        let checked = |args| checker.check(spec, args).map_err(|error| error.render(&spec.id));
        for value in [Value::Null, json!("")] {
            let all = with_all_properties(spec, &example, &value);
            assert_eq!(checked(all.clone()), checked(example.clone()), "{} {all}", spec.id);
            if spec.effect <= Effect::Plan {
                let cx = || cx(&toy, Restrictions::default());
                let answers = (
                    without_ids(&call_in(&registry, &spec.id, all.clone(), cx()).await),
                    without_ids(&call_in(&registry, &spec.id, example.clone(), cx()).await),
                );
                assert_eq!(answers.0, answers.1, "{} {all}", spec.id);
            }
        }
    }
}

/// The strict conversion of the OpenAI Agents SDK makes every property required and not null.
#[tokio::test]
async fn numbers_of_zero_without_a_file_are_not_given() {
    let toy = Toy::new(SHAPES);
    let registry = registry(&toy);
    let strict = |tool: &Arc<dyn Tool>, given: Value| {
        let mut args = given;
        for (name, property) in tool.spec().input["properties"].as_object().unwrap() {
            let value = match property["type"].as_str().unwrap() {
                "string" => json!(""),
                // A call need not wait, and the toy server is ready.
                "integer" => json!(0),
                "array" => json!([]),
                _ if name == "range" => {
                    let zero = json!({ "line": 0, "character": 0 });
                    json!({ "start": zero, "end": zero })
                }
                "object" => json!({}),
                _ => Value::Null,
            };
            if args.get(name).is_none() {
                args[name] = value;
            }
        }
        args
    };
    for (id, given) in [
        ("lsp_definition", json!({ "symbol": "Square" })),
        ("lsp_references", json!({ "symbol": "unit" })),
        ("lsp_hover", json!({ "at": "app.toy:1:5" })),
        ("lsp_rename_symbol", json!({ "symbol": "unit", "newName": "size" })),
        ("lsp_code_actions", json!({ "at": "app.toy:1" })),
        ("lsp_code_actions", json!({ "symbol": "unit" })),
        ("lsp_document_symbols", json!({ "path": "shapes.toy" })),
        ("lsp_workspace_symbols", json!({ "query": "area" })),
        ("read_symbol", json!({ "symbols": ["unit"] })),
        ("lsp_diagnostics", json!({})),
        ("lsp_hover", json!({ "uri": "app.toy", "line": 0, "character": 4 })),
    ] {
        let tool = registry.find(id, &Restrictions::default()).unwrap();
        let lenient = check(SHAPES, id, given.clone()).await;
        assert!(!lenient.starts_with("Invalid input"), "{id}: {lenient}");
        let strict = strict(&tool, given);
        assert_eq!(check(SHAPES, id, strict.clone()).await, lenient, "{id} {strict}");
    }
}

#[tokio::test]
async fn other_names_of_arguments_are_accepted() {
    let by_uri = check(SHAPES, "lsp_hover", json!({ "uri": "app.toy", "line": 1, "character": 8 })).await;
    assert!(!by_uri.starts_with("Invalid input"), "{by_uri}");
    assert_eq!(check(SHAPES, "lsp_hover", json!({ "path": "app.toy", "line": 1, "character": 8 })).await, by_uri);
    let moved = check(SHAPES, "rename_file", json!({ "oldUri": "app.toy", "newUri": "new.toy" })).await;
    assert!(!moved.starts_with("Invalid input"), "{moved}");
    for (old, new) in [("oldPath", "newPath"), ("old_path", "new_path"), ("from", "to"), ("path", "newPath")] {
        let answer = check(SHAPES, "rename_file", json!({ old: "app.toy", new: "new.toy" })).await;
        assert_eq!(answer, moved, "{old} {new}");
    }
    let organized = check(SHAPES, "organize_imports", json!({ "uri": "app.toy" })).await;
    assert_eq!(check(SHAPES, "organize_imports", json!({ "path": "app.toy" })).await, organized);
}
