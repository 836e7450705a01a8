use zubi_base::escape::printable;
use zubi_policy::PolicyPaths;
use zubi_tool_api::output::clean;

use super::*;

fn read(text: &str) -> String {
    auto_approve_rule(text)
        .map_or_else(|why| format!("error: {why}"), |rule| rule.to_toml().replace("[[policy]]\n", ""))
}

#[test]
fn auto_approve_rules_are_parsed() {
    let texts = [
        "shell.run",
        "shell.run:cargo test *",
        " file.* ",
        r#"{tools = ["file.write"], write = ["docs/**"]}"#,
        "",
        "shell.run:",
        "cargo test",
        "{tools = ",
        "{}",
        "!",
        "!!shell.run",
        r#"{tools = [""]}"#,
        "{tools = [\"!\u{200b}\"]}",
        r#"{tools = ["file.read", " ! "], write = ["**"]}"#,
        r#"{tools = ["shell.run"], action = "deny"}"#,
        r#"{tools = ["shell.run"], commands = ["ls"]}"#,
    ];
    let parsed: Vec<String> = texts.iter().map(|text| format!("{text}\n{}", read(text))).collect();
    insta::assert_snapshot!(parsed.join("\n\n").replace('\u{200b}', "ZW"), @r#"
    shell.run
    action = "allow"
    tools = ["shell.run"]

    shell.run:cargo test *
    action = "allow"
    tools = ["shell.run"]
    command = ["cargo", "test", "*"]

     file.* 
    action = "allow"
    tools = ["file.*"]

    {tools = ["file.write"], write = ["docs/**"]}
    action = "allow"
    tools = ["file.write"]
    write = ["docs/**"]


    error: invalid rule ``: it begins with no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    shell.run:
    error: invalid rule `shell.run:`: there is no command behind the colon. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    cargo test
    error: invalid rule `cargo test`: it begins with no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {tools = 
    error: invalid rule `{tools =`: unclosed inline table, expected `}`. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {}
    error: invalid rule `{}`: the rule names nothing: `tools`, `effect`, `command`, `read`, `write`, `hosts` or `secrets`. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    !
    error: invalid rule `!`: `tools`: "!" names no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    !!shell.run
    error: invalid rule `!!shell.run`: `tools`: "!!shell.run" names no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {tools = [""]}
    error: invalid rule `{tools = [""]}`: `tools`: "" names no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {tools = ["!ZW"]}
    error: invalid rule `{tools = ["!ZW"]}`: `tools`: "!\u{200b}" names no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {tools = ["file.read", " ! "], write = ["**"]}
    error: invalid rule `{tools = ["file.read", " ! "], write = ["**"]}`: `tools`: " ! " names no tool. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {tools = ["shell.run"], action = "deny"}
    error: invalid rule `{tools = ["shell.run"], action = "deny"}`: it can only allow; write rules that deny into zubi.toml. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.

    {tools = ["shell.run"], commands = ["ls"]}
    error: invalid rule `{tools = ["shell.run"], commands = ["ls"]}`: `commands`: unknown field `commands`, expected one of `action`, `tools`, `effect`, `command`, `read`, `write`, `hosts`, `secrets`, `reason`, `examples`. Write TOOL, TOOL:COMMAND WORDS as `shell.run:cargo test *`, or {tools = ["…"], …}.
    "#);
}

#[test]
fn printed_rules_parse_as_the_same_rule() {
    let special_texts = [
        "a",
        "*",
        "\\*",
        "a b",
        "",
        "a:b",
        "{a",
        "it's",
        "\"q\"",
        "c:\\d",
        "\u{1}",
        "\u{a0}x",
        "\n",
        "--",
        "é",
        "]}",
        "#",
        "!x",
        "a\u{202e}b",
        "\u{200b}",
        "\u{e0001}",
    ];
    let mut rules = vec![RuleText::allow_tool("shell.run"), RuleText::allow_tool("{a}"), RuleText::allow_tool("a:b")];
    for first in special_texts {
        for second in special_texts {
            let words = vec!["run".to_owned(), first.to_owned(), second.to_owned()];
            rules.push(RuleText { command: words, ..RuleText::allow_tool("shell.run") });
            let names = || vec![first.to_owned(), second.to_owned()];
            rules.push(RuleText { secrets: names(), hosts: names(), ..RuleText::allow_tool("net.ask") });
        }
    }
    rules.push(RuleText { read: vec!["/w/[[]a b]/.env".to_owned()], ..RuleText::allow_tool("file.read") });
    rules.push(RuleText { write: vec!["docs/**".to_owned()], ..RuleText::allow_tool("file.write") });
    // zubi prints only rules that it can compile.
    rules.retain(|rule| zubi_policy::rule::CompiledRule::new(rule.clone(), "here", &PolicyPaths::default()).is_ok());
    assert!(rules.len() > 500, "{}", rules.len());
    for rule in rules {
        let printed = rule.to_argument();
        // The text as it arrives after a user has copied it.
        assert_eq!(printable(&clean(printed.clone())), printed);
        assert_eq!(auto_approve_rule(&printed), Ok(rule), "{printed}");
    }
}

#[test]
fn wire_names_resolve_to_ids_and_unknown_tools_are_reported() {
    let ids = ["shell.run", "file.write", "lsp_hover"];
    let texts =
        ["shell_run:cargo *", "shel.run", "file.*", "lsp_hover", "nope.tool", r#"{tools = ["*", "!file_write"]}"#];
    let read = |texts: &[&str]| texts.iter().map(|text| auto_approve_rule(text).unwrap()).collect::<Vec<_>>();
    let mut rules = read(&texts);
    let unknown = resolve_names(&mut rules, &ids).unwrap();
    // An exclusion that matches nothing would allow the tool that it should exclude.
    let refused = resolve_names(&mut read(&["lsp_hover", "!shel.run"]), &ids).unwrap_err();
    insta::assert_snapshot!(refused, @"--auto-approve: there is no tool `shel.run` here that could be excluded; did you mean `shell.run`?");
    let rules: Vec<String> = rules.iter().map(RuleText::to_argument).collect();
    insta::assert_snapshot!([rules, unknown].concat().join("\n"), @r#"
    shell.run:cargo *
    shel.run
    file.*
    lsp_hover
    nope.tool
    {tools = ["*", "!file.write"]}
    --auto-approve: there is no tool `shel.run` here; did you mean `shell.run`?
    --auto-approve: there is no tool `nope.tool` here; `zubi tools list` shows all
    "#);
}
