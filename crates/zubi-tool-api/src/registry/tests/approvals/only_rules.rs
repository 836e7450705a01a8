//! Calls that are refused if only the rules of a run count as approval (`--auto-approve`), and the rules that the error
//! suggests.

use super::*;

/// Returns the error of a call that the rules in `given` do not cover completely, in a workspace with `rules`.
async fn refusal_text(rules: &[Value], run_rules: &[Value], text: &str) -> String {
    let session = Session::new(rules);
    let rules = run_rules.iter().map(|rule| serde_json::from_value(rule.clone()).unwrap()).collect();
    session.queue_answer(ApprovalAnswer::OnlyRules { rules });
    session.call(text).await
}

fn touch() -> Value {
    json!({"action": "allow", "tools": ["shell.run"], "command": ["touch", "*"]})
}

#[tokio::test]
async fn refusals_name_the_parts_that_no_rule_allows() {
    assert_snapshot!(refusal_text(&[], &[touch()], "touch a && rm b").await, @r#"
    Failed to run shell.run: it runs `rm b`, and no one can approve it here
    The user can allow it for one run with
    --auto-approve 'shell.run:rm b'
    The user can allow it in zubi.toml with
    [[policy]]
    action = "allow"
    tools = ["shell.run"]
    command = ["rm", "b"]
    (deny, approval_unavailable)
    "#);
    assert_snapshot!(refusal_text(&[], &[touch()], "touch a && rm 'b c'\\''d'").await, @r#"
    Failed to run shell.run: it runs `rm b c'd`, and no one can approve it here
    The user can allow it for one run with
    --auto-approve '{tools = ["shell.run"], command = ["rm", "b c'\''d"]}'
    The user can allow it in zubi.toml with
    [[policy]]
    action = "allow"
    tools = ["shell.run"]
    command = ["rm", "b c'd"]
    (deny, approval_unavailable)
    "#);
}

#[tokio::test]
async fn a_whole_call_ask_rule_leaves_the_whole_call_unapproved() {
    let ask_rule = json!({"action": "ask", "tools": ["shell.run"], "reason": "slow"});
    assert_snapshot!(refusal_text(std::slice::from_ref(&ask_rule), &[touch()], "touch a && rm b").await, @"
    Failed to run shell.run: it runs `rm b`, and no one can approve it here
    The user can allow it for one run with
    --auto-approve 'shell.run'
    The rule at zubi.toml:1 requires approval whatever others allow; the user can change it, or run this themselves.
    (deny, approval_unavailable)
    ");
    assert_snapshot!(refusal_text(&[ask_rule], &[touch()], "touch a").await, @"
    Failed to run shell.run: slow, and no one can approve it here
    The user can allow it for one run with
    --auto-approve 'shell.run'
    The rule at zubi.toml:1 requires approval whatever others allow; the user can change it, or run this themselves.
    (deny, approval_unavailable)
    ");
}

#[tokio::test]
async fn only_sufficient_rules_are_suggested() {
    assert_snapshot!(refusal_text(&[], &[touch()], "touch a; $x").await, @"
    Failed to run shell.run: its effects cannot be determined: `$x` is worked out only when it runs (a rule never allows effects that cannot be determined), and no one can approve it here
    No rule can allow a call with an unknown effect; make it more explicit, or let the user run it.
    (deny, approval_unavailable)
    ");
    let ask_rule = json!({"action": "ask", "command": ["rm"]});
    assert_snapshot!(refusal_text(&[ask_rule], &[touch()], "touch a; rm b").await, @"
    Failed to run shell.run: it runs `rm b`, and no one can approve it here
    The user can allow it for one run with
    --auto-approve 'shell.run:rm b'
    The rule at zubi.toml:1 requires approval whatever others allow; the user can change it, or run this themselves.
    (deny, approval_unavailable)
    ");
}
