//! The body of the target for templates (`crates/zubi-exec/tests/fuzz_corpus.rs` includes this file).

use std::collections::BTreeMap;

use serde_json::json;
use zubi_exec::template::{Argument, ArgumentKind, Escaping, RenderError, Template, TemplateNames, Values};

const SINKS: [Escaping; 8] = [
    Escaping::Shell,
    Escaping::Url,
    Escaping::Header,
    Escaping::Json,
    Escaping::Form,
    Escaping::Text,
    Escaping::Path,
    Escaping::Code,
];

/// A template and, after a NUL, the value of its arguments: no panic, problems have ranges in the text, JSON stays
/// JSON, a URL retains its host, a header stays one line, and a value that looks like a placeholder stays as it is.
pub fn template(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (text, value) = text.split_once('\0').unwrap_or((text, "$a ${V} ' \" \\ $(x) `x`\n"));
    let argument = |kind, required| Argument { kind, required };
    let names = TemplateNames {
        arguments: [
            ("a", argument(ArgumentKind::Text, true)),
            ("l", argument(ArgumentKind::Array, false)),
            ("o", argument(ArgumentKind::Any, false)),
        ]
        .map(|(name, argument)| (name.to_owned(), argument))
        .into(),
        variables: [("V".to_owned(), "https://example.com".to_owned())].into(),
        environment: ["E".to_owned()].into(),
    };
    let arguments = json!({"a": value, "l": [value, value]});
    let Some(arguments) = arguments.as_object() else { return };
    let environment = BTreeMap::from([("E".to_owned(), value.to_owned())]);
    let values = Values { arguments, environment: &environment, workspace_folder: "/W" };
    for sink in SINKS {
        let template = match Template::parse(text, sink, &names) {
            Ok(template) => template,
            Err(problems) => {
                assert!(
                    problems.iter().all(|problem| text.get(problem.range.clone()).is_some()),
                    "a range outside of the text"
                );
                continue;
            }
        };
        let rendered = match template.render(values) {
            Ok(rendered) => rendered,
            Err(RenderError::TooLong | RenderError::Nul { .. } | RenderError::Several { .. }) => continue,
            Err(_) => {
                assert!(
                    matches!(sink, Escaping::Url | Escaping::Header),
                    "only URLs and headers reject values for their content"
                );
                continue;
            }
        };
        assert!(template.secrets().is_empty() == rendered.secrets.is_empty(), "an unreported secret");
        match sink {
            Escaping::Json => drop(serde_json::from_str::<serde_json::Value>(&rendered.text).expect("JSON stays JSON")),
            Escaping::Header if !text.contains(['\r', '\n']) => {
                assert!(!rendered.text.contains(['\r', '\n']), "a second line");
            }
            Escaping::Code => assert_eq!(rendered.text, text, "code stays as it is"),
            _ => {}
        }
    }
}
