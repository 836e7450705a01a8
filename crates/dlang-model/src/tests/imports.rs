//! Unresolved imports and import cycles.

use super::fixture::{check, check_with};
use crate::{ImportProblem, ModelCode};

#[test]
fn an_unresolved_import_reports_its_problem() {
    let problem = ImportProblem {
        code: ModelCode::ImportUnresolved,
        reason: "file-not-found",
        message: "Cannot resolve import './gone.dlang'.".to_owned(),
        hint: Some("Look for it.".into()),
    };
    let problems = [("./gone.dlang", problem)];
    insta::assert_snapshot!(check_with("Team T\nimport \"./gone.dlang\"\n", &problems), @"
    2:1: error: Expecting token of type 'EOF' but found `import`.
    Hint: Move this import before the first element. [misplaced-import]
    2:8: error: Cannot resolve import './gone.dlang'.
    Hint: Look for it. [import-unresolved]
    ");
}

#[test]
fn an_import_has_a_specifier() {
    insta::assert_snapshot!(check("import \"\"\nImport ''\nimport\n"), @r#"
    3:7: error: Expecting token of type 'STRING' but found end of file. [expected-token]
    1:1: error: Import statement must have a URI. Use: import "package" or import "./local-path" [import-missing-uri]
    2:1: error: Import statement must have a URI. Use: import "package" or import "./local-path" [import-missing-uri]
    "#);
}

#[test]
fn an_import_without_an_outcome_is_not_reported() {
    assert_eq!(check("import \"./unknown.dlang\"\n"), "");
}

#[test]
fn import_cycles_are_reported() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
import "./b.dlang"
import "./c.dlang"
//- b.dlang
import "./a.dlang"
//- c.dlang
import "./d.dlang"
//- d.dlang
import "./b.dlang" as b
//- outside.dlang
import "./a.dlang"
//- self.dlang
import "./self.dlang"
"#
    ), @r"
    a.dlang:1:8: warning: Import cycle detected: a.dlang → b.dlang → a.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    a.dlang:2:8: warning: Import cycle detected: a.dlang → c.dlang → d.dlang → b.dlang → a.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    b.dlang:1:8: warning: Import cycle detected: b.dlang → a.dlang → b.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    c.dlang:1:8: warning: Import cycle detected: c.dlang → d.dlang → b.dlang → a.dlang → c.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    d.dlang:1:8: warning: Import cycle detected: d.dlang → b.dlang → a.dlang → c.dlang → d.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    self.dlang:1:8: warning: Import cycle detected: self.dlang → self.dlang.
    Hint: Break the cycle by extracting shared definitions into a separate file. [import-cycle-detected]
    ");
}

#[test]
fn a_long_cycle_is_abbreviated() {
    let files = (0..100)
        .map(|number| format!("//- f{number:02}.dlang\nimport \"./f{:02}.dlang\"\n", (number + 1) % 100))
        .collect::<Vec<_>>()
        .concat();
    let rendered = check(&files);
    assert_eq!(rendered.matches("[import-cycle-detected]").count(), 100);
    insta::assert_snapshot!(rendered.lines().next().unwrap(), @"f00.dlang:1:8: warning: Import cycle detected: f00.dlang → f01.dlang → f02.dlang → f03.dlang → f04.dlang → f05.dlang → f06.dlang → f07.dlang → f08.dlang → f09.dlang → f10.dlang → … 89 more … → f00.dlang.");
}
