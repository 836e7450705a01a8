//! YAML output, quoted wherever that is needed to read the same data back.

use serde_json::Value;
use zubi_cli::failure::Failure;

/// Renders data as one YAML document, with a line feed at its end.
pub(crate) fn render(value: &Value) -> Result<String, Failure> {
    // Folded long texts would not help readers, and scripts can parse one form for every text more easily.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let mut text = String::new();
    serde_saphyr::to_fmt_writer_with_options(&mut text, value, options)
        .map_err(|error| Failure::environment(format!("cannot write YAML: {error}")))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::render;

    #[test]
    fn ambiguous_scalars_are_quoted() {
        let value = json!({
            "entityType": "bcs", "count": 2,
            "results": [
                { "name": "Picking", "description": "Pick\nitems", "team": null, "none": [], "empty": {} },
                { "name": "yes", "description": "a: b # c", "fqn": "- x", "number": "007", "blank": " ", "nothing": "" },
                { "name": "é\u{1b}\u{9b}\u{2028}", "quote": "'\"\\", "float": 1.5, "true": true },
            ],
        });
        insta::assert_snapshot!(render(&value).unwrap(), @r#"
        entityType: bcs
        count: 2
        results:
        - name: Picking
          description: "Pick\nitems"
          team: null
          none: []
          empty: {}
        - name: "yes"
          description: "a: b # c"
          fqn: "- x"
          number: "007"
          blank: " "
          nothing: ""
        - name: "é\e\x9B\L"
          quote: "'\"\\"
          float: 1.5
          "true": true
        "#);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            any::<String>(),
            "[-:#'\" \\n\\t~&*!|>%@`a0.,{}\\[\\]?]{0,12}",
            "(yes|No|null|~|0x1F|1e3|\\.inf|2026-01-01|<<|=)"
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..5)
                    .prop_map(|rows| Value::Object(rows.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn rendered_values_parse_to_the_original(value in any_value()) {
            let text = render(&value).unwrap();
            let back: Value = serde_yaml_ng::from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(back, value, "{}", text);
        }
    }
}
