//! Preserved parts of a settings file, and rejected files.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn comments_and_order_are_preserved() {
    let text = "// mine\n{\n  \"a\": 1, // one\n  \"b\": [true],\n}\n";
    insta::assert_snapshot!(set_value(text, "a", &json!("x")).unwrap(), @r#"
    // mine
    {
      "a": "x", // one
      "b": [true],
    }
    "#);
    insta::assert_snapshot!(set_value(text, "c.d", &json!(false)).unwrap(), @r#"
    // mine
    {
      "a": 1, // one
      "b": [true],
      "c.d": false,
    }
    "#);
    insta::assert_snapshot!(set_value("", "a", &json!(2)).unwrap(), @r#"
    {
      "a": 2
    }
    "#);
    assert_eq!(find_value(text, "a"), Ok(Some(json!(1))));
    assert_eq!(find_value("{\"a\": 1, \"a\": 2}", "a"), Ok(Some(json!(2))), "the last one wins");
    assert_eq!(find_value("// nothing\n", "a"), Ok(None));
}

#[test]
fn malformed_files_are_reported_with_the_position() {
    for (text, position) in
        [("{\n  \"a\" 1\n}", "2:"), ("[]", "1:1: its root"), ("{\"a\": 1 \"b\": 2}", "1:"), ("{", "1:")]
    {
        let problem = set_value(text, "a", &json!(1)).unwrap_err();
        assert!(problem.starts_with(position), "{text}: {problem}");
    }
    let deep_json = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(find_value(&deep_json, "a").unwrap_err().contains("nested deeper"));
}

proptest! {
    #[test]
    fn set_values_are_read_back(key in "[a-z.\"\\\\]{1,8}", number: i32, other in "[ -~]{0,12}") {
        let text = format!("{{\"x\": {}}}", serde_json::Value::String(other));
        let set = set_value(&text, &key, &json!(number)).unwrap();
        prop_assert_eq!(find_value(&set, &key), Ok(Some(json!(number))));
    }

    #[test]
    fn every_text_gets_an_answer(text in "[\\[\\]{}\",:a-c0-9/* \n]{0,60}") {
        if let Ok(set) = set_value(&text, "a", &json!(true)) {
            prop_assert_eq!(find_value(&set, "a"), Ok(Some(json!(true))));
        }
    }
}
