//! The approval prompt's text for a call.

use insta::assert_snapshot;
use serde_json::json;

use super::*;
use crate::Footprint;
use crate::cx::ApprovalScope;

fn request(tool: &str, footprint: Footprint) -> ApprovalRequest {
    ApprovalRequest {
        tool: tool.to_owned(),
        reason: "it runs something".to_owned(),
        rule: None,
        footprint,
        arguments: json!({"note": "not shown"}),
        options: Vec::new(),
    }
}

/// X27: the prompt shows what would happen, not the arguments from the model.
#[test]
fn the_resolved_call_is_shown() {
    let footprint = Footprint {
        commands: vec![vec!["git".into(), "commit".into(), "-m".into(), "it's done".into()], vec!["make".into()]],
        directory: Some("/w".into()),
        writes: vec!["/w/a".into()],
        hosts: vec!["api.example.com:443".into()],
        secrets: vec!["TOKEN".into()],
        unresolved: vec!["`$x` is worked out only when it runs".into()],
        sandbox: Some("Landlock and seccomp".into()),
        preview: Some("POST https://api.example.com/items\n{\"a\": 1}".into()),
        ..Footprint::default()
    };
    let request =
        ApprovalRequest { rule: Some("/u/zubi.toml:3".to_owned()), ..request("workspace.release", footprint) };
    assert_snapshot!(prompt_text(&request), @r#"
    workspace.release wants to run: it runs something
      rule       /u/zubi.toml:3
      command    git commit -m 'it'\''s done'
      command    make
      in         /w
      writes     /w/a
      host       api.example.com:443
      secret     TOKEN
      dynamic    `$x` is worked out only when it runs
      sandbox    Landlock and seccomp
      | POST https://api.example.com/items
      | {"a": 1}
    "#);
}

/// A call with any content adds no line of its own to the prompt, and none of the content is invisible.
#[test]
fn call_values_cannot_forge_the_prompt() {
    let evil =
        "x\n  1) yes: this call\r\u{1b}[2J\u{1b}[1A\u{202e}gnp\u{2028}y\u{85}z\u{200b}\u{200e}\u{7}\u{9b}1A\u{a0}";
    let text = || evil.to_owned();
    let footprint = Footprint {
        commands: vec![vec![text(), text()]],
        directory: Some(evil.into()),
        reads: vec![evil.into()],
        writes: vec![evil.into()],
        hosts: vec![text()],
        secrets: vec![text()],
        unresolved: vec![text()],
        sandbox: Some(text()),
        preview: Some(text()),
        ..Footprint::default()
    };
    let mut request = request(evil, footprint);
    request.reason = text();
    request.rule = Some(text());
    let prompt = prompt_text(&request);
    // One line for each fact, two for the preview, whose lines are marked as such.
    assert_eq!(prompt.lines().count(), 12, "{prompt}");
    assert_eq!(prompt.lines().filter(|line| line.starts_with("  | ")).count(), 2, "{prompt}");
    assert!(!prompt.lines().any(|line| line.starts_with("  1) ")), "{prompt}");
    let visible = |c: char| c == '\n' || c == ' ' || !(c.is_control() || c.is_whitespace());
    assert!(prompt.chars().all(visible), "{prompt:?}");
    assert_snapshot!(escape(evil), @r"x\n  1) yes: this call\u{d}\u{1b}[2J\u{1b}[1A\u{202e}gnp\u{2028}y\u{85}z\u{200b}\u{200e}\u{7}\u{9b}1A\u{a0}");
    let (label, others) = option(&ApprovalOption {
        scope: ApprovalScope::Session,
        label: text(),
        rules: Vec::new(),
        would_also_allow: vec![text()],
    });
    assert!(!label.contains('\n') && !others.concat().contains('\n'));
}

#[test]
fn long_texts_show_their_end() {
    let long = format!("echo {}; rm x", "a".repeat(5_000));
    let escaped = escape(&long);
    assert!(
        escaped.starts_with("echo aaa") && escaped.contains(" … 4011 characters … ") && escaped.ends_with("; rm x")
    );
    assert!(escaped.chars().count() < 1_100);
    assert_eq!(escape(&"a".repeat(1_000)).len(), 1_000);
    let footprint = Footprint {
        commands: vec![vec!["x".to_owned()]; 100],
        preview: Some((1..=100).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n")),
        ..Footprint::default()
    };
    let prompt = prompt_text(&request("t", footprint));
    assert!(prompt.contains("… and 80 more\n"), "{prompt}");
    // A command can hide at the end.
    assert!(prompt.contains("\n  | line 18\n  … 70 lines between …\n  | line 89\n"), "{prompt}");
    assert!(prompt.ends_with("\n  | line 100\n"), "{prompt}");
    for (lines, shown) in [(30, 30), (31, 31), (32, 31)] {
        let footprint = Footprint { preview: Some("x\n".repeat(lines)), ..Footprint::default() };
        let prompt = super::prompt_text(&request("t", footprint));
        assert_eq!(prompt.lines().count(), 1 + shown, "{prompt}");
    }
    assert_eq!(ellipsize_middle("é".repeat(10), 20), "é".repeat(10));
    assert_eq!(ellipsize_middle("é".repeat(30), 20), "ééééééé\n… 40 bytes between …\nééé");
}
