//! The program that reads a rendered text gets exactly the original value, for every value.

use std::collections::BTreeMap;
use std::process::Stdio;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::super::*;
use super::names;

pub(super) const TESTED_SHELLS: [&str; 2] = ["/bin/sh", "/bin/bash"];

/// Fragments of values: all special characters of shells, URLs, headers and JSON, and ordinary text.
const FRAGMENTS: &[&str] = &[
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "$(touch canary)",
    "`touch canary`",
    "${HOME}",
    "$text",
    "${arg:text}",
    "\n",
    "\r\n",
    "\t",
    " ",
    ";",
    "&&",
    "|",
    ">canary",
    "<",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "*",
    "?",
    "~",
    "#",
    "!",
    "=",
    "%",
    "%2e%2e",
    "..",
    "/",
    "&",
    "+",
    "-",
    "--",
    "-rf",
    "@",
    ":",
    ",",
    "\u{202e}",
    "\u{200b}",
    "’",
    "“",
    "é",
    "\u{81}",
    "Á",
    "漢",
    "👍",
    "\u{feff}",
    "a",
    "word",
    "0",
    "EOF\n",
    "\\u0022",
    "\u{1b}[0m",
    "\u{7f}",
];

pub(super) fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::collection::vec(prop::sample::select(FRAGMENTS), 0..8).prop_map(|pieces| pieces.concat()),
        4 => "[^\\x00]{0,40}",
        1 => "-[a-z]{1,6}",
        1 => prop::sample::select(FRAGMENTS).prop_map(|piece| piece.repeat(3000)),
    ]
}

pub(super) fn render(text: &str, escaping: Escaping, arguments: &Value) -> String {
    let template = Template::parse(text, escaping, &names()).unwrap();
    let values =
        Values { arguments: arguments.as_object().unwrap(), environment: &BTreeMap::new(), workspace_folder: "/W" };
    template.render(values).unwrap().text
}

/// Runs a script file in a directory. A command line has a limit below the size of our values.
#[expect(clippy::disallowed_methods, reason = "the tests of what a real shell makes of a script")]
pub(super) fn run(shell: &str, script: &str, directory: &std::path::Path) -> Vec<u8> {
    let file = directory.join("script");
    std::fs::write(&file, script).unwrap();
    let mut command = std::process::Command::new(shell);
    command.arg(&file).current_dir(directory).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/nowhere");
    command.stdin(Stdio::null()).stderr(Stdio::null()).output().unwrap().stdout
}

/// Every real shell passes values unchanged: as words, in words, and between double quotes.
fn through_shells(text: &str, other: &str, list: &[String]) {
    let script = r#"printf '%s\0' $text x$text"y" "$other" "pre $text$other post" -- $list ${arg:opt} end; v=$text; printf '%s\0' "$v""#;
    let script = render(script, Escaping::Shell, &json!({"text": text, "other": other, "list": list}));
    let mut expected = vec![
        text.to_owned(),
        format!("x{text}y"),
        other.to_owned(),
        format!("pre {text}{other} post"),
        "--".to_owned(),
    ];
    expected.extend(list.iter().cloned());
    expected.extend(["end".to_owned(), text.to_owned()]);
    let expected: String = expected.iter().flat_map(|word| [word.as_str(), "\0"]).collect();
    let directory = tempfile::tempdir().unwrap();
    for shell in TESTED_SHELLS {
        let output = run(shell, &script, directory.path());
        assert_eq!(String::from_utf8_lossy(&output), expected, "{shell}\n{script}");
        assert!(!directory.path().join("canary").exists());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn script_values_are_unchanged(text in value(), other in value(), list in prop::collection::vec(value(), 0..4)) {
        through_shells(&text, &other, &list);
    }

    #[test]
    fn url_values_are_unchanged(text in value().prop_filter("another resource", |text| !text.is_empty() && text != "." && text != ".."), other in value(), list in prop::collection::vec(value(), 0..4)) {
        let arguments = json!({"text": text, "other": other, "list": list, "n": 7});
        let url = render("https://example.com:1/a/$text/x$text.json?q=$other&list=$list&z=1$other#$text", Escaping::Url, &arguments);
        let url = reqwest::Url::parse(&url).unwrap();
        let decoded = |segment: &str| percent_encoding::percent_decode_str(segment).decode_utf8().unwrap().into_owned();
        prop_assert_eq!((url.host_str(), url.port(), url.path_segments().unwrap().count()), (Some("example.com"), Some(1), 3));
        let segments: Vec<String> = url.path_segments().unwrap().map(decoded).collect();
        prop_assert_eq!(segments, ["a".to_owned(), text.clone(), format!("x{text}.json")]);
        let mut expected = vec![("q".to_owned(), other.clone())];
        expected.extend(list.iter().map(|item| ("list".to_owned(), item.clone())));
        expected.push(("z".to_owned(), format!("1{other}")));
        prop_assert_eq!(url.query_pairs().into_owned().collect::<Vec<_>>(), expected);
        prop_assert_eq!(decoded(url.fragment().unwrap()), text);
    }

    #[test]
    fn json_values_are_unchanged(text in value(), other in value(), list in prop::collection::vec(value(), 0..4)) {
        let arguments = json!({"text": text, "other": other, "list": list, "any": {"k": [text, null, 1.5, true]}, "n": -7});
        let body = render(r#"{"a": "pre $text$other", "b": $other, "c": [$list, $n, $opt], "d": $any}"#, Escaping::Json, &arguments);
        let expected = json!({"a": format!("pre {text}{other}"), "b": other, "c": [list, -7, null], "d": arguments["any"]});
        prop_assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
    }

    /// A header either contains exactly the value or is refused.
    #[test]
    fn header_values_are_unchanged_or_refused(text in value()) {
        let template = Template::parse("X $text", Escaping::Header, &names()).unwrap();
        let arguments = json!({"text": text});
        let values = Values { arguments: arguments.as_object().unwrap(), environment: &BTreeMap::new(), workspace_folder: "/W" };
        // Control characters, and the separators of header parts.
        let control = text.chars().any(|next| (next.is_ascii_control() && next != '\t') || ";,\"\\".contains(next));
        match template.render(values) {
            Ok(rendered) => {
                prop_assert!(!control);
                prop_assert!(reqwest::header::HeaderValue::from_bytes(rendered.text.as_bytes()).is_ok());
            }
            Err(error) => prop_assert!(control, "{}", error),
        }
    }

    /// Every text is parsed without a panic, and the ranges of problems are inside the text.
    #[test]
    fn any_text_is_parsed(pieces in prop::collection::vec(prop_oneof![prop::sample::select(FRAGMENTS), Just("${"), Just("$list"), Just("${x:-")], 0..12)) {
        let text = pieces.concat();
        for escaping in [Escaping::Shell, Escaping::Url, Escaping::Header, Escaping::Json, Escaping::Form, Escaping::Text, Escaping::Path, Escaping::Code] {
            let problems = match Template::parse(&text, escaping, &names()) {
                Ok(template) => template.warnings().to_vec(),
                Err(problems) => problems,
            };
            prop_assert!(problems.iter().all(|problem| text.get(problem.range.clone()).is_some()), "{:?}", problems);
        }
    }
}

/// A value in a part of a header cannot add another part; as a whole header it can contain any.
#[test]
fn values_cannot_add_header_parts() {
    for (template, value, is_accepted) in [
        ("user=$text; role=guest", "ada", true),
        ("user=$text; role=guest", "a; role=admin", false),
        ("user=$text; role=guest", "a, b", false),
        ("user=\"$text\"", "a\"", false),
        ("user=\"$text\"", "a\\", false),
        ("$text", "a; b, \"c\"", true),
        ("$text", "a\nb", false),
    ] {
        let parsed = Template::parse(template, Escaping::Header, &names()).unwrap();
        let arguments = json!({ "text": value });
        let values =
            Values { arguments: arguments.as_object().unwrap(), environment: &BTreeMap::new(), workspace_folder: "/W" };
        assert_eq!(parsed.render(values).is_ok(), is_accepted, "{template} {value}");
    }
}

#[test]
fn megabyte_values_are_unchanged() {
    let text = "'\"$(touch canary)\n".repeat(1024 * 1024 / 18);
    through_shells(&text, "-", std::slice::from_ref(&text));
}

/// Prints the generated inputs (with `--nocapture`), to check that the properties above are not vacuous.
#[test]
fn generators_produce_special_characters() {
    let mut runner = TestRunner::deterministic();
    let values: Vec<String> = (0..1000).map(|_| value().new_tree(&mut runner).unwrap().current()).collect();
    for (label, pattern) in [
        ("single quotes", "'"),
        ("double quotes", "\""),
        ("backquotes", "`"),
        ("dollars", "$"),
        ("substitutions", "$("),
        ("backslashes", "\\"),
        ("line breaks", "\n"),
        ("carriage returns", "\r"),
        ("slashes", "/"),
        ("percent", "%"),
        ("spaces", " "),
    ] {
        let count = values.iter().filter(|text| text.contains(pattern)).count();
        println!("{count:4} of 1000 with {label}");
        assert!(count >= 20, "{label}: {count}");
    }
    for (label, count) in [
        ("empty", values.iter().filter(|text| text.is_empty()).count()),
        ("leading dash", values.iter().filter(|text| text.starts_with('-')).count()),
        ("not ASCII", values.iter().filter(|text| !text.is_ascii()).count()),
        ("over 4 KiB", values.iter().filter(|text| text.len() > 4096).count()),
    ] {
        println!("{count:4} of 1000 {label}");
        assert!(count >= 20, "{label}: {count}");
    }
}
