//! Files that move with their imports, and back again byte for byte.

use serde_json::json;
use zubi_tests::zubi::{id, text};
use zubi_tests::{Project, Zubi};

/// Moves a file, checks the text of an importer, and reverts the move.
async fn move_and_back(project: &Project, servers: &[&str], from: &str, to: &str, importer: &str, import: &str) {
    let zubi = Zubi::start(project, servers).await;
    let before = project.everything();
    let answer = text(&zubi.result("rename_file", json!({ "oldUri": from, "newUri": to })).await);
    assert!(project.root().join(to).is_file() && !project.root().join(from).exists(), "{answer}");
    assert!(project.read(importer).contains(import), "{answer}\n{}", project.read(importer));
    let plan = id(&answer, "p-").expect("an undo handle");
    let undone = text(&zubi.result("undo_edit", json!({ "plan": plan })).await);
    assert!(project.everything() == before, "{undone}");
}

#[tokio::test]
async fn typescript_imports_follow_a_file() {
    let project = Project::fixture("typescript");
    let servers = ["node", "typescript-language-server"];
    move_and_back(&project, &servers, "src/shape.ts", "src/lib/forms.ts", "src/report.ts", "\"./lib/forms.js\"").await;
}

#[tokio::test]
async fn domainlang_imports_follow_a_file() {
    let project = Project::empty();
    project.write("index.dlang", "import \"./sales.dlang\"\n\nbc Orders for Sales {\n}\n");
    project.write("sales.dlang", "Domain Sales {\n}\n");
    move_and_back(&project, &[], "sales.dlang", "domains/selling.dlang", "index.dlang", "./domains/selling.dlang")
        .await;
}
