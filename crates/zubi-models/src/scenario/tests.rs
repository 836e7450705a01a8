//! Reading and writing of scenarios.

use super::*;
use serde_json::json;

#[test]
fn scenarios_round_trip() {
    let scenario = Scenario {
        zubi_scenario: VERSION,
        title: "yes: # no".to_owned(),
        turns: vec![ScenarioTurn {
            user: "- x\n  y\t\u{1b}é".to_owned(),
            answers: vec![
                ScenarioAnswer {
                    text: " 007\n".to_owned(),
                    reasoning: "null".to_owned(),
                    calls: vec![
                        ScenarioCall {
                            tool: "file_read".to_owned(),
                            arguments: json!({ "path": "~", "n": 1.5, "no": [null, "on"] }),
                        },
                        ScenarioCall { tool: "x".to_owned(), arguments: json!("{\"cut") },
                    ],
                    usage: Some(TokenUsage { input: 3, output: 2, cached: 1 }),
                    ..ScenarioAnswer::default()
                },
                ScenarioAnswer {
                    error: Some(ScenarioFailure { kind: ErrorKind::RateLimited, message: "slow: down".to_owned() }),
                    delay_ms: Some(20),
                    expect: Expectation {
                        contains: vec!["a".to_owned()],
                        outcome: BTreeMap::from([("file_read".to_owned(), "1".to_owned())]),
                    },
                    ..ScenarioAnswer::default()
                },
            ],
            results: vec![ScenarioOutcome {
                tool: "file_read".to_owned(),
                arguments: json!({}),
                text: "true".to_owned(),
                failed: true,
            }],
            ended: Some(StopReason::Model),
        }],
    };
    let yaml = scenario.to_yaml().unwrap();
    assert_eq!(Scenario::read(&yaml).unwrap(), scenario, "{yaml}");
    let json = serde_json::to_string(&scenario).unwrap();
    assert_eq!(Scenario::read(&json).unwrap(), scenario, "{json}");
    insta::assert_snapshot!(yaml, @r#"
    zubiScenario: 1
    title: "yes: # no"
    turns:
    - user: "- x\n  y\t\eé"
      answers:
      - reasoning: "null"
        text: |2
           007
        calls:
        - tool: file_read
          arguments:
            path: "~"
            "n": 1.5
            "no":
            - null
            - "on"
        - tool: x
          arguments: "{\"cut"
        usage:
          input: 3
          output: 2
          cached: 1
      - expect:
          contains:
          - a
          outcome:
            file_read: "1"
        error:
          kind: rate_limited
          message: "slow: down"
        delay_ms: 20
      results:
      - tool: file_read
        arguments: {}
        text: "true"
        failed: true
      ended: model
    "#);
}

#[test]
fn an_invalid_scenario_is_reported() {
    let bomb = "zubiScenario: 1\ntitle: &a [x,x,x,x,x,x,x,x]\nturns: [*a,*a]";
    let deep = format!("zubiScenario: 1\nturns: {}", "[".repeat(5_000));
    let call = "{zubiScenario: 1, turns: [{user: x, answers: [{calls: [{tool: t, arguments: 3}]}]}]}";
    let slow = "{zubiScenario: 1, turns: [{user: x, answers: [{delay_ms: 700000}]}]}";
    let texts = ["", "7", "title: x", "zubiScenario: 2\nnew: x", "zubiScenario: 1\nturns: [{user: x, answer: []}]"];
    let mut all = Vec::new();
    for text in texts.into_iter().chain([bomb, &deep, call, slow, &" ".repeat(MAX_BYTES + 1)]) {
        let error = Scenario::read(text).unwrap_err().to_string();
        all.push(error.lines().next().unwrap_or_default().to_owned());
    }
    let all = all.join("\n");
    insta::assert_snapshot!(all, @"
    unexpected end of input at line 1, column 1
    expected mapping start at line 1, column 1
    missing field `zubiScenario` at line 1, column 1
    it has version 2 of the format, and this zubi reads version 1: use a newer zubi
    unknown field `answer`, expected one of user, answers, results, ended at line 2, column 19
    expected string scalar at line 2, column 11
    recursion limit exceeded at line 2, column 263
    the arguments of a call of `t` are neither an object nor a text
    an answer waits 700000 ms, more than the 600000 that it may
    it has 8388609 bytes, more than the 8388608 that a scenario may have
    ");
}

proptest::proptest! {
    #[test]
    fn any_text_round_trips(user in "\\PC*", text in "(?s).*", argument in "[ \\t\\r\\n#:'\"|>~-]{0,8}[a-z0-9]{0,3}[ \\t\\r\\n]{0,4}") {
        let calls = vec![ScenarioCall { tool: "x".to_owned(), arguments: json!({ "a": argument, (argument.clone()): [argument] }) }];
        let answers = vec![ScenarioAnswer { text, calls, ..ScenarioAnswer::default() }];
        let turn = ScenarioTurn { user, answers, results: Vec::new(), ended: None };
        let scenario = Scenario { zubi_scenario: VERSION, title: argument, turns: vec![turn] };
        let yaml = scenario.to_yaml().unwrap();
        proptest::prop_assert_eq!(Scenario::read(&yaml).map_err(|error| error.to_string()), Ok(scenario), "{}", yaml);
    }
}
