//! Tool discovery, and calls through the meta tools.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Notify;
use zubi_base::endpoint::Readiness;
use zubi_code::testing::Toy;
use zubi_tool_api::audit::{AuditRecord, AuditSink, NoAudit};
use zubi_tool_api::cx::{ProgressSink, Restrictions, ToolCx};

use crate::support::{SHAPES, call_in, check, cx, restricted_registry};

#[tokio::test]
async fn tools_are_found_by_words() {
    insta::assert_snapshot!(check(SHAPES, "zubi_find_tools", json!({ "query": "type hierarchy", "limit": 1 })).await, @r#"
    8 tools for `type hierarchy`, best first
    lsp_type_hierarchy (read, toolset lsp): Supertypes or subtypes of a class, interface or struct, as a tree: location and source line of each.
      input: {"type":"object","properties":{"symbol":{"type":"string","description":"Name or Type/method"},"path":{"type":"string","description":"File or folder"},"at":{"type":"string","description":"path:line:col or path:line text"},"uri":{"type":"string","description":"File of line and character"},"line":{"type":"integer","minimum":0,"description":"0-based"},"character":{"type":"integer","minimum":0,"description":"0-based, in UTF-16"},"direction":{"type":"string","enum":["supertypes","subtypes"],"description":"Supertypes or subtypes"},"depth":{"type":"integer","maximum":5,"minimum":1,"description":"Steps, default 1, at most 5"},"maxTokens":{"type":"integer","minimum":1,"description":"Answer size"},"waitMs":{"type":"integer","minimum":0,"description":"For servers, default 30000"},"format":{"type":"string","enum":["text","json"],"description":"Default text"}},"required":["direction"]}
    … 7 more: lsp_call_hierarchy, lsp_type_definition, lsp_hover, lsp_diagnostics, lsp_completion, lsp_explain, domainlang_list
    zubi_call_read_tool {"tool", "arguments"} calls tools that read or plan, zubi_call_tool any
    "#);
    let first = async |query: &str| {
        let answer = check(SHAPES, "zubi_find_tools", json!({ "query": query, "limit": 1 })).await;
        answer.lines().nth(1).unwrap().split(' ').next().unwrap().to_owned()
    };
    let mut wrong = Vec::new();
    for (query, expected) in [
        ("lsp_explain", "lsp_explain"),
        ("who calls a function", "lsp_call_hierarchy"),
        ("inheritance", "lsp_type_hierarchy"),
        ("implement an interface", "lsp_implementations"),
        ("understand everything about a symbol", "lsp_explain"),
        ("undo", "undo_edit"),
        ("errors and warnings", "lsp_diagnostics"),
        ("move a file and fix imports", "rename_file"),
        ("move a folder", "rename_file"),
        ("move file update imports", "rename_file"),
        ("rename a file", "rename_file"),
        ("rename a function everywhere", "lsp_rename_symbol"),
        ("change the name of a variable", "lsp_rename_symbol"),
        ("outline of a file", "lsp_document_symbols"),
        ("what is in this file", "lsp_document_symbols"),
        ("type hierarchy subclasses", "lsp_type_hierarchy"),
        ("which classes implement this trait", "lsp_implementations"),
        ("find all usages of a method", "lsp_references"),
        ("who uses this function", "lsp_references"),
        ("where is a class defined", "lsp_definition"),
        ("go to definition", "lsp_definition"),
        ("find a class by name", "lsp_workspace_symbols"),
        ("show me the body of a function", "read_symbol"),
        ("what is the type of a variable", "lsp_hover"),
        ("documentation of a function", "lsp_hover"),
        ("parameters of a call", "lsp_signature_help"),
        ("quick fix for an error", "lsp_code_actions"),
        ("add a missing import", "lsp_code_actions"),
        ("remove unused imports", "organize_imports"),
        ("sort imports", "organize_imports"),
        ("format the code", "lsp_format_document"),
        ("check for compile errors", "lsp_diagnostics"),
        ("revert an edit", "undo_edit"),
        ("apply a plan", "apply_edit"),
        ("search code by pattern", "ast_search"),
        ("replace a pattern in all files", "ast_rewrite"),
        ("replace text in many files", "replace_in_files"),
        ("find and replace", "replace_in_files"),
        ("search and replace in all files", "replace_in_files"),
        ("edit several files at once", "edit_files"),
        ("what changed on this branch", "changed_symbols"),
        ("overview of the repository", "repo_map"),
        ("search text in files", "file.search"),
        ("create a file", "file.write"),
        ("edit a file", "file.edit"),
        ("read a file", "file.read"),
        ("list files of a directory", "file.list"),
        ("open files of the editor", "editor"),
        ("draw a context map", "domainlang_diagram"),
        ("update imports when files move", "rename_file"),
        ("change a setting", "set_setting"),
    ] {
        let found = first(query).await;
        if found != expected {
            wrong.push(format!("{query}: {found} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The names that the tools had before they got the prefix are accepted in calls, also by each other.
#[tokio::test]
async fn former_names_are_accepted() {
    let direct = check(SHAPES, "lsp_hover", json!({ "symbol": "unit" })).await;
    let inner = json!({ "tool": "lsp_hover", "arguments": { "symbol": "unit" } });
    for caller in ["call_tool", "call_read_tool"] {
        assert_eq!(check(SHAPES, caller, inner.clone()).await, direct, "{caller}");
        let nested = json!({ "tool": caller, "arguments": inner });
        let refused = check(SHAPES, "call_tool", nested).await;
        assert!(refused.starts_with(&format!("Invalid input: tool: `zubi_{caller}` calls other tools")), "{refused}");
    }
    let query = json!({ "query": "undo" });
    assert_eq!(check(SHAPES, "find_tools", query.clone()).await, check(SHAPES, "zubi_find_tools", query).await);
}

/// Models also give the arguments of the called tool beside its name, or as JSON text.
#[tokio::test]
async fn arguments_of_a_called_tool_may_be_flat() {
    let direct = check(SHAPES, "lsp_references", json!({ "symbol": "unit", "limit": 1 })).await;
    for arguments in [
        json!({ "tool": "lsp_references", "symbol": "unit", "limit": 1 }),
        json!({ "tool": "lsp_references", "symbol": "unit", "arguments": { "limit": 1 } }),
        json!({ "tool": "lsp_references", "arguments": "{\"symbol\": \"unit\", \"limit\": 1}" }),
        json!({ "tool": "lsp_references", "symbol": "unit", "limit": 1, "arguments": null }),
        json!({ "tool": "lsp_references", "symbol": "unit", "limit": 1, "arguments": "" }),
    ] {
        for caller in ["zubi_call_read_tool", "zubi_call_tool"] {
            assert_eq!(check(SHAPES, caller, arguments.clone()).await, direct, "{caller} {arguments}");
        }
    }
}

#[tokio::test]
async fn without_a_match_the_toolsets_are_listed() {
    insta::assert_snapshot!(check(SHAPES, "zubi_find_tools", json!({ "query": "send mail" })).await, @"
    no tool matches `send mail`; available, by toolset:
      lsp: lsp_definition, lsp_references, lsp_hover, lsp_completion, lsp_workspace_symbols, lsp_document_symbols, read_symbol, lsp_rename_symbol, lsp_code_actions, lsp_format_document, lsp_signature_help, lsp_diagnostics, lsp_call_hierarchy, lsp_implementations, lsp_type_definition, lsp_type_hierarchy, lsp_explain, ast_search, repo_map, changed_symbols
      edit: apply_edit, undo_edit
      domainlang: domainlang_validate, domainlang_list, domainlang_get, domainlang_explain, domainlang_search, domainlang_diagram
      file: file.read, file.write, file.edit, file.list, file.search, file.getCurrent
      refactor: rename_file, rename_symbol, organize_imports, ast_rewrite, edit_symbol, edit_files, replace_in_files
      settings: get_setting, set_setting, set_update_imports_setting
      editor: editor
    query with words of the task, or an id, for input schemas
    ");
    insta::assert_snapshot!(check(SHAPES, "zubi_find_tools", json!({})).await, @"
    45 tools in all, by toolset:
      lsp: lsp_definition, lsp_references, lsp_hover, lsp_completion, lsp_workspace_symbols, lsp_document_symbols, read_symbol, lsp_rename_symbol, lsp_code_actions, lsp_format_document, lsp_signature_help, lsp_diagnostics, lsp_call_hierarchy, lsp_implementations, lsp_type_definition, lsp_type_hierarchy, lsp_explain, ast_search, repo_map, changed_symbols
      edit: apply_edit, undo_edit
      domainlang: domainlang_validate, domainlang_list, domainlang_get, domainlang_explain, domainlang_search, domainlang_diagram
      file: file.read, file.write, file.edit, file.list, file.search, file.getCurrent
      refactor: rename_file, rename_symbol, organize_imports, ast_rewrite, edit_symbol, edit_files, replace_in_files
      settings: get_setting, set_setting, set_update_imports_setting
      editor: editor
    query with words of the task, or an id, for input schemas
    ");
}

#[tokio::test]
async fn a_call_lasts_longer_than_its_wait_for_servers() {
    let toy = Toy::new(SHAPES);
    let registry = restricted_registry(&toy, Restrictions::default(), Arc::new(NoAudit));
    for id in ["lsp_references", "lsp_diagnostics", "lsp_workspace_symbols", "lsp_rename_symbol"] {
        let tool = registry.find(id, &Restrictions::default()).unwrap();
        let timeout = |wait: u64| tool.timeout(&json!({ "waitMs": wait }));
        assert!(timeout(250_000) > Duration::from_secs(250), "{id}: {:?}", timeout(250_000));
        assert_eq!(timeout(1), tool.timeout(&json!({})), "{id}");
    }
}

#[tokio::test]
async fn an_answer_fits_the_budget() {
    let toy = Toy::new(SHAPES);
    let mut cx = cx(&toy, Restrictions::default());
    cx.token_budget = Some(200);
    let registry = restricted_registry(&toy, Restrictions::default(), Arc::new(NoAudit));
    let answer = call_in(&registry, "zubi_find_tools", json!({ "query": "symbol" }), cx).await;
    insta::assert_snapshot!(answer.lines().last().unwrap(), @r#"zubi_call_read_tool {"tool", "arguments"} calls tools that read or plan, zubi_call_tool any"#);
    assert!(answer.len() < 2_000, "{answer}");
}

#[tokio::test]
async fn a_tool_is_called_through_another() {
    let direct = check(SHAPES, "lsp_type_definition", json!({ "symbol": "unit" })).await;
    let inner = json!({ "tool": "lsp_type_definition", "arguments": { "symbol": "unit" } });
    assert_eq!(check(SHAPES, "zubi_call_read_tool", inner.clone()).await, direct);
    assert_eq!(check(SHAPES, "zubi_call_tool", inner).await, direct);
}

#[tokio::test]
async fn an_invalid_inner_call_fails_like_a_direct_one() {
    for (tool, arguments) in [
        ("lsp_hover", json!({})),
        ("lsp_hover", json!({ "at": 7 })),
        ("lsp_hover", json!({ "symbl": "x" })),
        ("lsp_references", json!({ "symbol": "nothing" })),
    ] {
        let direct = check(SHAPES, tool, arguments.clone()).await;
        let inner = json!({ "tool": tool, "arguments": arguments });
        assert_eq!(check(SHAPES, "zubi_call_read_tool", inner.clone()).await, direct, "{tool}");
        assert_eq!(check(SHAPES, "zubi_call_tool", inner).await, direct, "{tool}");
    }
    insta::assert_snapshot!(check(SHAPES, "zubi_call_tool", json!({ "tool": "lsp_hovr" })).await, @"
    Invalid input: tool: `lsp_hovr`: there is no such tool; did you mean `lsp_hover`?
    `zubi_find_tools` lists the available tools.
    ");
    insta::assert_snapshot!(check(SHAPES, "zubi_call_tool", json!({})).await, @r#"
    Invalid input: tool: is required
    `tool` (string): Name Example: {"tool":"apply_edit","arguments":{"plan":"p-…"}}
    "#);
}

#[tokio::test]
async fn call_read_tool_rejects_writing_tools() {
    insta::assert_snapshot!(check(SHAPES, "zubi_call_read_tool", json!({ "tool": "apply_edit", "arguments": { "plan": "p-x" } })).await, @"
    Invalid input: tool: `apply_edit` is not read-only (its effect is write)
    Call it with zubi_call_tool, or by its own name.
    ");
    insta::assert_snapshot!(check(SHAPES, "zubi_call_tool", json!({ "tool": "apply_edit", "arguments": { "plan": "p-x" } })).await, @"
    Failed to apply the edit: `p-x` is neither a plan (`p-…`) nor an action (`a-…`)
    Give the `plan` or `action` exactly as the tool that made it printed it.
    ");
}

#[tokio::test]
async fn meta_tools_do_not_call_each_other() {
    for outer in ["zubi_call_tool", "zubi_call_read_tool"] {
        for inner in ["zubi_call_tool", "zubi_call_read_tool"] {
            let answer = check(SHAPES, outer, json!({ "tool": inner, "arguments": { "tool": "lsp_hover" } })).await;
            assert!(
                answer.ends_with("calls other tools and cannot be called by one\nPass the id of the tool to call."),
                "{answer}"
            );
        }
    }
    let found =
        check(SHAPES, "zubi_call_tool", json!({ "tool": "zubi_find_tools", "arguments": { "query": "undo" } })).await;
    assert!(found.contains("undo_edit"), "{found}");
}

/// An inner call has the same restrictions as a direct one, whether they come from settings or from the session.
#[tokio::test]
async fn restrictions_cannot_be_bypassed() {
    let toy = Toy::new(SHAPES);
    let read_only = Restrictions { read_only: true, ..Restrictions::default() };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let fewer_tools = Restrictions { tools: vec![names(&["!lsp_hover"])], ..Restrictions::default() };
    let fewer_toolsets = Restrictions { toolsets: vec![names(&["!edit"])], ..Restrictions::default() };
    for (restrictions, outer, inner) in [
        (&read_only, "zubi_call_read_tool", "undo_edit"),
        (&read_only, "zubi_call_tool", "undo_edit"),
        (&fewer_tools, "zubi_call_tool", "lsp_hover"),
        (&fewer_tools, "zubi_call_read_tool", "lsp_hover"),
        (&fewer_toolsets, "zubi_call_tool", "undo_edit"),
    ] {
        let question = json!({ "tool": inner, "arguments": { "plan": "p-x" } });
        let unrestricted = restricted_registry(&toy, Restrictions::default(), Arc::new(NoAudit));
        let closed = restricted_registry(&toy, restrictions.clone(), Arc::new(NoAudit));
        let by_caller = call_in(&unrestricted, outer, question.clone(), cx(&toy, restrictions.clone())).await;
        let by_settings = call_in(&closed, outer, question, cx(&toy, Restrictions::default())).await;
        assert_eq!(by_caller, by_settings);
        assert!(by_caller.contains("read-only") || by_caller.contains("switched off"), "{outer} {inner}: {by_caller}");
        let found = call_in(&closed, "zubi_find_tools", json!({}), cx(&toy, Restrictions::default())).await;
        assert!(!found.contains(inner), "{found}");
    }
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl AuditSink for Log {
    fn record(&self, record: &AuditRecord) {
        let line = format!("{} {:?} {} {}", record.tool, record.effect, record.decision, record.outcome);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

#[tokio::test]
async fn both_calls_are_recorded() {
    let toy = Toy::new(SHAPES);
    let log = Arc::new(Log::default());
    let registry = restricted_registry(&toy, Restrictions::default(), Arc::clone(&log) as Arc<dyn AuditSink>);
    for (outer, inner) in [
        ("zubi_call_read_tool", "lsp_hover"),
        ("zubi_call_tool", "undo_edit"),
        ("zubi_call_read_tool", "undo_edit"),
        ("zubi_call_tool", "nothing"),
    ] {
        call_in(
            &registry,
            outer,
            json!({ "tool": inner, "arguments": { "plan": "p-x" } }),
            cx(&toy, Restrictions::default()),
        )
        .await;
    }
    insta::assert_snapshot!(log.0.lock().unwrap().join("\n"), @"
    lsp_hover Read none invalid_input
    zubi_call_read_tool Read allow invalid_input
    undo_edit Write allow failed
    zubi_call_tool Write allow failed
    zubi_call_read_tool Plan allow invalid_input
    zubi_call_tool Read allow invalid_input
    ");
}

/// Signals that an inner call has started to wait for its server.
#[derive(Default)]
struct WaitSignal(Notify);

impl ProgressSink for WaitSignal {
    fn report(&self, _fraction: Option<f64>, _message: &str) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn cancelling_the_outer_call_cancels_the_inner_one() {
    let toy = Toy::new(SHAPES);
    toy.endpoint.readiness.send_replace(Readiness::Starting);
    let log = Arc::new(Log::default());
    let registry = restricted_registry(&toy, Restrictions::default(), Arc::clone(&log) as Arc<dyn AuditSink>);
    let started = Arc::new(WaitSignal::default());
    let cx = ToolCx { progress: Arc::clone(&started) as Arc<dyn ProgressSink>, ..cx(&toy, Restrictions::default()) };
    let cancel = cx.cancel.clone();
    let question = json!({ "tool": "lsp_hover", "arguments": { "at": "app.toy:1:5" } });
    let (answer, ()) = tokio::join!(call_in(&registry, "zubi_call_read_tool", question, cx), async {
        started.0.notified().await;
        cancel.cancel();
    });
    assert!(answer.contains("the call was cancelled"), "{answer}");
    insta::assert_snapshot!(log.0.lock().unwrap().join("\n"), @"
    lsp_hover Read allow cancelled
    zubi_call_read_tool Read allow cancelled
    ");
}
