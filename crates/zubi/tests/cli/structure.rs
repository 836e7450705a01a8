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
    assert_snapshot!(call(&sandbox, &search), @r"
    3 matches in 1 file, of 2 files searched (python, rust)
    prices.py
      1:1  log.info('é', price)
          $A: 'é'
          $B: price
      2:1  log.info(log.info(1, 2), 3)
          $A: log.info(1, 2)
          $B: 3
      2:10  log.info(log.info(1, 2), 3)
          $A: 1
          $B: 2
    [syntax only: names not resolved]
    ");
    assert_snapshot!(call(&sandbox, &["ast_search", "--pattern", "log.info("]), @r"
    error: Invalid input: pattern: the pattern is not valid python code; an example: `print($$$ARGS)`; the pattern is not valid rust code; an example: `$VALUE.unwrap()`
    hint: Write a whole expression, statement or declaration as in the file; `$NAME` matches one part, `$$$ARGS` any number.
    ");
    let rewrite = ["ast_rewrite", "--pattern", "log.info($A, $B)", "--rewrite", "log.debug($B, $A)"];
    let planned = call(&sandbox, &rewrite);
    let plan = planned.split("\"plan\":\"").nth(1).and_then(|rest| rest.get(..12)).unwrap_or_default();
    call(&sandbox, &["apply_edit", "--plan", plan]);
    assert_eq!(sandbox.read("work/prices.py"), "log.debug(price, 'é')\nlog.debug(3, log.info(1, 2))\n", "{planned}");
    call(&sandbox, &["undo_edit", "--plan", plan]);
    assert_eq!(sandbox.read("work/prices.py"), "log.info('é', price)\nlog.info(log.info(1, 2), 3)\n");
}
