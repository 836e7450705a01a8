//! Properties 4–6: whatever the arguments, a failure has one of three forms and a hint, a success has a text, and zubi
//! refuses arguments that the schema does not allow before anything runs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use zubi_host::{CallAnswer, ToolService as _};
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::{ErrorCode, ToolSpec};

use crate::arguments::{Arguments, Kind, for_schema};
use crate::sandbox::{ApproveAll, Sandbox};

/// The number of calls of each tool for each property.
const CASES: u32 = 128;

/// The number of those that run with an approver that allows everything.
const CASES_ALLOWED: u32 = 24;

/// The maximum bytes of an answer; none repeats a huge argument. A tool's own budget is at most 20,000 tokens.
const MAX_TEXT: usize = 100_000;

const PREFIXES: [&str; 3] = ["Invalid input: ", "Error in ", "Failed to "];

fn specs(sandbox: &Sandbox, runtime: &Runtime) -> Vec<Arc<ToolSpec>> {
    let specs = runtime.block_on(sandbox.host.list(&Restrictions::default())).unwrap();
    assert!(specs.len() > 40, "the registry has lost its tools: {}", specs.len());
    specs
}

/// Checks properties 4 and 5.
fn check_answer_text(spec: &ToolSpec, answer: &CallAnswer) -> Result<(), TestCaseError> {
    let text = &answer.text;
    prop_assert!(!text.trim().is_empty(), "an empty answer");
    prop_assert!(!text.contains(['\0', '\u{1b}', '\u{202e}']), "a hidden character is not escaped: {text:?}");
    prop_assert!(!text.contains("panicked"), "it panicked: {text}");
    // The answer about a DomainLang text is data, as long as its diagnostics require.
    prop_assert!(text.len() <= MAX_TEXT || spec.toolset == "domainlang", "{} bytes of text", text.len());
    if answer.failure.is_none() || is_loading(spec, text) {
        return Ok(());
    }
    prop_assert!(PREFIXES.iter().any(|prefix| text.starts_with(prefix)), "no known beginning: {text}");
    let next_step = text.trim_end().lines().skip(1).last().unwrap_or_default();
    prop_assert!(next_step.split_whitespace().count() >= 2, "no next step: {text}");
    prop_assert!(answer.failure != Some(ErrorCode::Fatal), "zubi itself failed: {text}");
    Ok(())
}

/// Whether this is the one failure that is data: the model is still loading. Every channel reports it in this form.
fn is_loading(spec: &ToolSpec, text: &str) -> bool {
    spec.id.starts_with("domainlang_") && text.starts_with(r#"{"error":"workspace is loading""#)
}

/// Checks property 6.
fn is_refused(arguments: &Arguments, answer: &CallAnswer) -> Result<(), TestCaseError> {
    let Some(invalid) = &arguments.invalid else { return Ok(()) };
    prop_assert_eq!(answer.failure, Some(ErrorCode::InvalidInput), "`{}` was accepted: {}", invalid, &answer.text);
    prop_assert!(answer.text.starts_with("Invalid input: "), "{}", &answer.text);
    Ok(())
}

fn run(cases: u32, check: impl Fn(&Sandbox, &Runtime, &ToolSpec, &Arguments) -> Result<(), TestCaseError>) {
    let runtime = Runtime::new().unwrap();
    let sandbox = Sandbox::new();
    let kinds: BTreeMap<Kind, AtomicUsize> = BTreeMap::new();
    let mut kinds = kinds;
    for kind in [Kind::None, Kind::Valid, Kind::Invalid, Kind::Extra, Kind::Huge, Kind::Hostile] {
        kinds.insert(kind, AtomicUsize::new(0));
    }
    let mut failed = Vec::new();
    for spec in specs(&sandbox, &runtime) {
        let config = Config { cases, failure_persistence: None, max_shrink_iters: 64, ..Config::default() };
        let outcome = TestRunner::new(config).run(&for_schema(&spec.input), |arguments| {
            kinds[&arguments.kind].fetch_add(1, Ordering::Relaxed);
            check(&sandbox, &runtime, &spec, &arguments)
        });
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, arguments)) => {
                let arguments_excerpt: String = arguments.value.to_string().chars().take(300).collect();
                failed.push(format!("{} ({:?} {arguments_excerpt}): {reason}", spec.id, arguments.kind));
            }
            Err(error) => failed.push(format!("{}: {error}", spec.id)),
        }
    }
    runtime.block_on(sandbox.host.shutdown());
    println!("arguments: {kinds:?}");
    assert!(failed.is_empty(), "{} tools:\n{}", failed.len(), failed.join("\n"));
    sandbox.assert_unharmed();
}

#[test]
fn every_call_has_valid_answer_text() {
    run(CASES, |sandbox, runtime, spec, arguments| {
        let answer = runtime.block_on(sandbox.call(&spec.id, arguments.value.clone(), CancellationToken::new()));
        check_answer_text(spec, &answer)?;
        is_refused(arguments, &answer)
    });
}

/// An approved call runs: its failures still have the right form, and it changes nothing outside.
#[test]
fn every_allowed_call_has_valid_answer_text() {
    run(CASES_ALLOWED, |sandbox, runtime, spec, arguments| {
        let approver = Arc::new(ApproveAll);
        let cancel = CancellationToken::new();
        let answer = runtime.block_on(sandbox.call_with_approver(&spec.id, arguments.value.clone(), cancel, approver));
        if spec.id == "shell.run" {
            sandbox.remove_injection_files();
        }
        check_answer_text(spec, &answer)
    });
}

#[test]
fn cancelled_call_has_valid_answer_text() {
    run(CASES, |sandbox, runtime, spec, arguments| {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let answer = runtime.block_on(sandbox.call(&spec.id, arguments.value.clone(), cancel));
        check_answer_text(spec, &answer)
    });
}
