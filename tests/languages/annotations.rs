//! An editor's annotations in the explanation of a symbol: types that the servers infer, and titles of code lenses.

use insta::assert_snapshot;
use serde_json::json;
use zubi_tests::{Project, Zubi};

/// The parts of an explanation that come from hints and lenses.
async fn hints_and_lenses(zubi: &Zubi, symbol: &str) -> String {
    let answer = zubi.call_stable("lsp_explain", json!({ "symbol": symbol, "maxTokens": 10_000 })).await;
    let types = answer.lines().skip_while(|line| *line != "inferred types");
    let types = types.take_while(|line| *line == "inferred types" || line.starts_with("   "));
    let lenses = answer.lines().filter(|line| line.starts_with("code lenses: "));
    types.chain(lenses).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn rust() {
    let project = Project::fixture("rust");
    project.replace("src/report.rs", "/// Nothing calls this.\n", "#[test]\nfn sums() {\n    let sum = describe(1.0) + 1.0;\n    assert!(sum > 0.0);\n}\n\n/// Nothing calls this.\n");
    let zubi = Zubi::start(&project, &["rust-analyzer"]).await;
    assert_snapshot!(hints_and_lenses(&zubi, "describe").await, @"
    inferred types
          7  let circle: Circle = Circle { radius };
          8  let square: Rectangle = Rectangle { width: 2.0, height: 2.0 };
    ");
    assert_snapshot!(hints_and_lenses(&zubi, "sums").await, @"
    inferred types
         14  let sum: f64 = describe(1.0) + 1.0;
    code lenses: ▶︎ Run Test
    ");
    assert_snapshot!(hints_and_lenses(&zubi, "Shape").await, @"code lenses: 2 implementations");
}

#[tokio::test]
async fn go() {
    let project = Project::fixture("go");
    let zubi = Zubi::start(&project, &["go", "gopls"]).await;
    assert_snapshot!(hints_and_lenses(&zubi, "Describe").await, @"
    inferred types
          8  circle shape.Circle := shape.Circle{Radius: radius}
          9  square shape.Rectangle := shape.Rectangle{Width: 2, Height: 2}
    ");
}

#[tokio::test]
async fn typescript() {
    let project = Project::fixture("typescript");
    // The server shows no hint if the name states the type, as in `const circle = new Circle()`.
    project.replace("src/report.ts", "  const square", "  const scaled = [radius * 2];\n  const square");
    let zubi = Zubi::start(&project, &["typescript"]).await;
    let latest = hints_and_lenses(&zubi, "describe").await;
    assert_snapshot!(latest, @"
    inferred types
          7  const scaled : number[] = [radius * 2];
    ");
    let zubi = Zubi::start(&project, &["node", "typescript-language-server"]).await;
    assert_eq!(hints_and_lenses(&zubi, "describe").await, latest);
}

#[tokio::test]
async fn python() {
    let project = Project::fixture("python");
    project.replace("shapes/report.py", "    square = ", "    scaled = total_area(circle, circle, 1)\n    square = ");
    let zubi = Zubi::start(&project, &["ty"]).await;
    assert_snapshot!(hints_and_lenses(&zubi, "describe").await, @"
    inferred types
          9  scaled: float = total_area(circle, circle, 1)
    ");
}
