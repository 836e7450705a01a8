//! Answers of the refactoring and settings tools to a model, and the absence of defects that earlier versions of these
//! tools had.

use serde_json::{Value, json};
use zubi_code::testing::Toy;
use zubi_tool_api::cx::Restrictions;

use crate::support::{call, cx, plan_of, without_ids};

const SHAPES: &str = "\
//- shapes.toy
class Shape
  def area
//- app.toy
# Shape and shapes are words of a comment
use shapes Shape
let local
  print local area
//- notes.txt
shapes
";

async fn call_masked(toy: &Toy, tool: &str, args: Value) -> String {
    without_ids(&call(toy, tool, args).await).replace(toy.root.as_str(), "[root]")
}

async fn check(tool: &str, args: Value) -> String {
    call_masked(&Toy::new(SHAPES), tool, args).await
}

fn read(toy: &Toy, path: &str) -> String {
    String::from_utf8(std::fs::read(toy.root.join(path)).unwrap()).unwrap()
}

#[tokio::test]
async fn rename_file() {
    let toy = Toy::new(SHAPES);
    let answer = call(&toy, "rename_file", json!({ "oldUri": "shapes.toy", "newUri": "lib/forms.toy" })).await;
    insta::assert_snapshot!(without_ids(&answer), @r#"
    applied p-…: rename file `shapes.toy` to `lib/forms.toy` in 3 files
    undo_edit {"plan":"p-…"} undoes it
    note: 1 edit of imports by toy
      lib  directory created
      lib/forms.toy  renamed from shapes.toy
      app.toy  written
    problems: no change
    [toy · ready]
    "#);
    assert_eq!(read(&toy, "app.toy").lines().nth(1), Some("use forms Shape"));
    assert!(!toy.root.join("shapes.toy").exists());
    let plan = plan_of(&answer);
    insta::assert_snapshot!(call_masked(&toy, "undo_edit", json!({ "plan": plan })).await, @"
    undone p-…: rename file `shapes.toy` to `lib/forms.toy` in 3 files
      app.toy  written
      shapes.toy  renamed from lib/forms.toy
      lib  directory removed
    problems: no change
    [toy · ready]
    ");
    assert!(toy.root.join("shapes.toy").exists() && !toy.root.join("lib").exists());
    assert_eq!(read(&toy, "app.toy").lines().nth(1), Some("use shapes Shape"));
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "notes.txt", "newUri": "n.txt", "save": false })).await, @r#"
    applied p-…: rename file `notes.txt` to `n.txt` in 1 file
    undo_edit {"plan":"p-…"} undoes it
    note: no server updates imports here: no server for .txt
    note: the files on disk were changed, so they are saved although save is false
      n.txt  renamed from notes.txt
    no file mentions the old path
    [no server · problems not compared: no server for .txt]
    "#);
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "absent", "newUri": "x" })).await, @"
    Invalid input: oldUri: `absent` does not exist in the workspace; paths are relative to `[root]`
    Name files of the workspace.
    ");
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "app.toy", "newUri": "shapes.toy" })).await, @"
    Invalid input: newUri: `shapes.toy` already exists
    Pass the whole new path, including the name; it must not exist yet.
    ");
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "app.toy", "newUri": "../x.toy" })).await, @"
    Invalid input: newUri: `../x.toy` is outside the workspace `[root]`
    Name files of the workspace.
    ");
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "app.toy", "newUri": ".git/x" })).await, @"
    Failed to rename the file: `.git/x` belongs to git or to zubi's own settings, which no edit may touch
    Nothing was changed. The user must change this file.
    ");
}

#[tokio::test]
async fn rename_file_moves_a_link_and_not_its_target() {
    let toy = Toy::new(SHAPES);
    std::os::unix::fs::symlink("shapes.toy", toy.root.join("alias.toy")).unwrap();
    std::os::unix::fs::symlink("/nowhere", toy.root.join("dangling")).unwrap();
    let answer = call(&toy, "rename_file", json!({ "oldUri": "alias.toy", "newUri": "other.toy" })).await;
    assert!(answer.contains("the link itself moves"), "{answer}");
    assert!(toy.root.join("shapes.toy").is_file() && !toy.root.join("alias.toy").is_symlink(), "{answer}");
    assert_eq!(toy.root.join("other.toy").read_link_utf8().unwrap(), "shapes.toy");
    let plan = plan_of(&answer);
    call(&toy, "undo_edit", json!({ "plan": plan })).await;
    assert_eq!(toy.root.join("alias.toy").read_link_utf8().unwrap(), "shapes.toy");
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "alias.toy", "newUri": "dangling" })).await, @"
    Invalid input: newUri: `dangling` leads nowhere: `dangling` is a symbolic link to `/nowhere`, which does not exist
    Name files of the workspace.
    ");
}

/// A plain text search for the position would find comments and parts of other names.
#[tokio::test]
async fn rename_symbol_finds_the_name_and_no_comment() {
    let toy = Toy::new(SHAPES);
    insta::assert_snapshot!(call_masked(&toy, "rename_symbol", json!({ "uri": "shapes.toy", "originalName": "Shape", "newName": "Form" })).await, @r#"
    at shapes.toy:1:7 Shape (class)
    applied p-…: rename `Shape` to `Form` in 2 files
    undo_edit {"plan":"p-…"} undoes it
    note: 1 mention of `Shape` in comments, strings and documents (1 file) will stay: `lsp_rename_symbol` with includeText=true plans their edits
      app.toy  written
      shapes.toy  written
    problems: no change
    [toy · ready]
    "#);
    assert_eq!(read(&toy, "shapes.toy").lines().next(), Some("class Form"));
    insta::assert_snapshot!(call_masked(&toy, "rename_symbol", json!({ "uri": "app.toy", "originalName": "area", "newName": "size" })).await, @r#"
    at app.toy:4:15 area; declared at shapes.toy:2
    applied p-…: rename `area` to `size` in 2 files
    undo_edit {"plan":"p-…"} undoes it
      app.toy  written
      shapes.toy  written
    problems: no change
    [toy · ready]
    "#);
    insta::assert_snapshot!(call_masked(&toy, "rename_symbol", json!({ "uri": "app.toy", "originalName": "nowhere", "newName": "x" })).await, @"
    Invalid input: originalName: `nowhere` does not occur in `app.toy`
    `lsp_document_symbols` lists the names of a file.
    ");
}

#[tokio::test]
async fn organize_imports() {
    insta::assert_snapshot!(check("organize_imports", json!({ "uri": "app.toy" })).await, @"
    nothing to organize in app.toy: no server offers it for the present text
    [toy · ready]
    ");
    insta::assert_snapshot!(check("organize_imports", json!({ "uri": "notes.txt" })).await, @"
    Failed to organize the imports: no server for .txt
    Add a catalogue row.
    ");
}

/// Regressions: a file rename changed a setting, wrote objects into texts, and left saved files open.
#[tokio::test]
async fn rename_file_changes_no_setting_and_reports_its_changes() {
    let toy = Toy::new(
        "//- a.ts\nlet a\n//- .vscode/settings.json\n{\n  // ours\n  \"typescript.updateImportsOnFileMove.enabled\": \"never\"\n}\n",
    );
    let settings = read(&toy, ".vscode/settings.json");
    insta::assert_snapshot!(call_masked(&toy, "rename_file", json!({ "oldUri": "a.ts", "newUri": "b.ts" })).await, @r#"
    applied p-…: rename file `a.ts` to `b.ts` in 1 file
    undo_edit {"plan":"p-…"} undoes it
    note: imports stay unchanged: updateImportsOnFileMove is "never"
      b.ts  renamed from a.ts
    no file mentions the old path
    [no server · problems not compared: no server for .ts]
    "#);
    assert_eq!(read(&toy, ".vscode/settings.json"), settings);
    call(&toy, "set_update_imports_setting", json!({ "value": "prompt" })).await;
    let answer = call_masked(&toy, "rename_file", json!({ "oldUri": "b.ts", "newUri": "c.ts" })).await;
    assert!(answer.contains("is \"prompt\"; no prompt is possible"), "{answer}");
    assert!(!answer.contains("[object"), "{answer}");
}

/// Regression: a request with the workspace's scope changed the user's settings.
#[tokio::test]
async fn settings_apply_to_the_workspace() {
    let toy = Toy::new("//- a.ts\nlet a\n");
    insta::assert_snapshot!(call_masked(&toy, "get_setting", json!({ "key": "editor.tabSize" })).await, @"
    editor.tabSize is not set for the workspace; the user's setting or the default applies
    [.vscode/settings.json]
    ");
    insta::assert_snapshot!(call_masked(&toy, "set_setting", json!({ "key": "editor.tabSize", "value": 2 })).await, @r#"
    set editor.tabSize = 2: created
    diff --git a/.vscode/settings.json b/.vscode/settings.json
    new file
    --- /dev/null
    +++ b/.vscode/settings.json
    @@ -0,0 +1,3 @@
    +{
    +  "editor.tabSize": 2
    +}
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha 30553530d6c6]
    "#);
    insta::assert_snapshot!(call_masked(&toy, "get_setting", json!({ "key": "editor.tabSize", "scope": "workspace" })).await, @"
    editor.tabSize = 2
    [.vscode/settings.json]
    ");
    insta::assert_snapshot!(call_masked(&toy, "set_setting", json!({ "key": "editor.tabSize", "value": 2, "scope": "user" })).await, @"
    Invalid input: scope: only `workspace` settings are available here; the user's belong to the editor
    Omit `scope`, or ask the user to change it in the editor.
    ");
    insta::assert_snapshot!(call_masked(&toy, "set_setting", json!({ "key": "editor.tabSize", "value": "wide" })).await, @"
    Invalid input: value: `editor.tabSize` must be a number from 1 to 16
    Meaning: width of an indentation.
    ");
    insta::assert_snapshot!(call_masked(&toy, "set_setting", json!({ "key": "terminal.integrated.shell.linux", "value": "x" })).await, @"
    Invalid input: key: tools cannot set `terminal.integrated.shell.linux`
    Writable settings: editor.detectIndentation, editor.formatOnSave, editor.insertSpaces, editor.tabSize, files.eol, files.insertFinalNewline, files.trimFinalNewlines, files.trimTrailingWhitespace, javascript.updateImportsOnFileMove.enabled, js/ts.updateImportsOnFileMove.enabled, typescript.updateImportsOnFileMove.enabled. The user can change others in the editor.
    ");
    insta::assert_snapshot!(call_masked(&toy, "set_update_imports_setting", json!({ "value": "always" })).await, @r#"
    set typescript.updateImportsOnFileMove.enabled = "always", javascript.updateImportsOnFileMove.enabled = "always": written
    diff --git a/.vscode/settings.json b/.vscode/settings.json
    --- a/.vscode/settings.json
    +++ b/.vscode/settings.json
    @@ -1,3 +1,5 @@
     {
    -  "editor.tabSize": 2
    +  "editor.tabSize": 2,
    +  "typescript.updateImportsOnFileMove.enabled": "always",
    +  "javascript.updateImportsOnFileMove.enabled": "always"
     }
    undo_edit {"plan":"p-…"} undoes it
    [disk · sha f7b1ad605321]
    "#);
    zubi_base::fs::write_atomic(&toy.root.join(".vscode/settings.json"), b"{\n  \"a\": 1 \"b\"\n}").unwrap();
    insta::assert_snapshot!(call_masked(&toy, "set_setting", json!({ "key": "editor.tabSize", "value": 4 })).await, @"
    Failed to change the setting: .vscode/settings.json:2:9: Expected comma
    Correct the file, then call again; nothing was written.
    ");
    assert_eq!(read(&toy, ".vscode/settings.json"), "{\n  \"a\": 1 \"b\"\n}", "a malformed file is not overwritten");
}

#[tokio::test]
async fn the_resource_reports_the_imports_setting() {
    let toy = Toy::new("//- a.ts\nlet a\n");
    let resources = zubi_tools::resources::resources(&toy.intel);
    let [resource] = resources.as_slice() else { panic!("one resource") };
    let spec = resource.spec();
    assert_eq!((spec.uri.as_str(), spec.name.as_str()), ("settings://update-imports", "update-imports-enabled"));
    let read = async || {
        let text = resource.read(&spec.uri, &cx(&toy, Restrictions::default())).await.unwrap();
        (text.mime_type, text.text)
    };
    assert_eq!(read().await, ("text/plain".to_owned(), "always".to_owned()), "the default of rename_file");
    call(&toy, "set_update_imports_setting", json!({ "value": "never" })).await;
    assert_eq!(read().await.1, "never");
}
