//! Descriptions and schemas of all tools: conventions, and changes of arguments.

use std::fmt::Write as _;

use serde_json::{Value, json};
use zubi_code::testing::Toy;
use zubi_tool_api::schema;

use crate::support::{SHAPES, registry};

/// Every tool follows the rules of the registry, and all tools together fit the list's budget.
#[test]
fn the_whole_registry_follows_the_rules() {
    let toy = Toy::new(SHAPES);
    let registry = registry(&toy);
    let mut problems = registry.problems();
    for tool in registry.all_tools() {
        problems
            .extend(schema::problems(tool.spec()).into_iter().map(|problem| format!("{}: {problem}", tool.spec().id)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Names, effects and parameters of every tool: other programs depend on them, so a change must be deliberate.
#[test]
fn schemas() {
    let toy = Toy::new(SHAPES);
    let mut out = String::new();
    for tool in registry(&toy).all_tools() {
        let spec = tool.spec();
        writeln!(out, "{} {:?} {}", spec.id, spec.effect, spec.toolset).unwrap();
        let required: Vec<_> = spec.input.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, property) in spec.input.get("properties").and_then(Value::as_object).unwrap() {
            let kind = property.get("type").or_else(|| property.get("enum")).cloned().unwrap_or_default();
            let mark = if required.contains(&json!(name)) { " required" } else { "" };
            writeln!(out, "  {name}: {kind}{mark}").unwrap();
        }
    }
    insta::assert_snapshot!(out, @r#"
    lsp_definition Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      context: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_references Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      includeDeclaration: "boolean"
      context: "integer"
      includeText: "boolean"
      limit: "integer"
      cursor: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_hover Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_completion Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      triggerKind: "integer"
      triggerCharacter: "string"
      limit: "integer"
      cursor: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_workspace_symbols Read lsp
      query: "string" required
      kind: "string"
      limit: "integer"
      cursor: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_document_symbols Read lsp
      path: "string"
      uri: "string"
      depth: "integer"
      limit: "integer"
      cursor: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_rename_symbol Plan lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      newName: "string" required
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_code_actions Plan lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      range: "object"
      context: "object"
      diff: "boolean"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_format_document Plan lsp
      path: "string"
      uri: "string"
      options: "object"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_signature_help Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      triggerKind: "integer"
      triggerCharacter: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_diagnostics Read lsp
      path: "string"
      severity: "string"
      since: "string"
      limit: "integer"
      cursor: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_call_hierarchy Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      direction: "string" required
      depth: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_implementations Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      limit: "integer"
      cursor: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_type_definition Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      context: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_type_hierarchy Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      direction: "string" required
      depth: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    lsp_explain Read lsp
      symbol: "string"
      path: "string"
      at: "string"
      uri: "string"
      line: "integer"
      character: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    apply_edit Write edit
      plan: "string"
      action: "string"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    undo_edit Write edit
      plan: "string" required
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    domainlang_validate Read domainlang
      file: "string"
      path: "string"
      text: "string"
    domainlang_list Read domainlang
      type: "string" required
      name: "string"
      fqn: "string"
      domain: "string"
      team: "string"
      classification: "string"
      metadata: "string"
      context: "string"
      pattern: "string"
      detail: "string"
      path: "string"
      text: "string"
    domainlang_get Read domainlang
      fqn: "string"
      path: "string"
      text: "string"
    domainlang_explain Read domainlang
      fqn: "string" required
      path: "string"
      text: "string"
    domainlang_search Read domainlang
      query: "string" required
      limit: "integer"
      path: "string"
      text: "string"
    domainlang_diagram Read domainlang
      fqn: "string" required
      format: "string"
      path: "string"
      text: "string"
    file.read Read file
      path: "string" required
      startLine: "integer"
      endLine: "integer"
    file.write Write file
      path: "string" required
      content: "string" required
      overwrite: "boolean"
      expected: "string"
    file.edit Write file
      path: "string" required
      old: "string"
      new: "string"
      replaceAll: "boolean"
      edits: "array"
      expected: "string"
    file.list Read file
      path: "string"
      pattern: "string"
      maxDepth: "integer"
      limit: "integer"
    file.search Read file
      query: "string" required
      pattern: "string"
      path: "string"
      regex: "boolean"
      caseSensitive: "boolean"
      context: "integer"
      maxResults: "integer"
    file.getCurrent Read file
      includeSelection: "boolean"
    rename_file Write refactor
      oldUri: "string" required
      newUri: "string" required
      save: "boolean"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    rename_symbol Write refactor
      uri: "string" required
      originalName: "string" required
      newName: "string" required
      save: "boolean"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    organize_imports Write refactor
      uri: "string" required
      save: "boolean"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    get_setting Read settings
      key: "string" required
      scope: "string"
    set_setting Write settings
      key: "string" required
      value: ["string","number","boolean"]
      scope: "string"
    set_update_imports_setting Write settings
      value: "string" required
    editor Read editor
      command: "string" required
      path: "string"
      severity: "string"
      source: "string"
      limit: "integer"
      maxTokens: "integer"
      waitMs: "integer"
      format: "string"
    find_tools Read tools
      query: "string"
      category: "string"
      tag: "string"
      limit: "integer"
    call_read_tool Plan tools
      tool: "string" required
      arguments: "object"
    call_tool Execute tools
      tool: "string" required
      arguments: "object"
    "#);
}
