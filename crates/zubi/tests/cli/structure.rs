//! Structural search and replacement with the real parser, `zubi __parse`.

use insta::assert_snapshot;

use crate::check::Sandbox;

fn call(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.zubi().arg("call").args(words).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn code_is_found_and_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("work/prices.py", "log.info('é', price)\nlog.info(log.info(1, 2), 3)\n");
    let search = ["ast_search", "--pattern", "log.info($A, $B)", "--captures", "true"];
    assert_snapshot!(call(&sandbox, &search), @"");
    assert_snapshot!(call(&sandbox, &["ast_search", "--pattern", "log.info("]), @"");
    let rewrite = ["ast_rewrite", "--pattern", "log.info($A, $B)", "--rewrite", "log.debug($B, $A)"];
    let planned = call(&sandbox, &rewrite);
    let plan = planned.split("\"plan\":\"").nth(1).and_then(|rest| rest.get(..12)).unwrap_or_default();
    call(&sandbox, &["apply_edit", "--plan", plan]);
    assert_eq!(sandbox.read("work/prices.py"), "log.debug(price, 'é')\nlog.debug(3, log.info(1, 2))\n", "{planned}");
    call(&sandbox, &["undo_edit", "--plan", plan]);
    assert_eq!(sandbox.read("work/prices.py"), "log.info('é', price)\nlog.info(log.info(1, 2), 3)\n");
}
