use camino::Utf8Path;
use insta::assert_snapshot;

use super::{Exception, Rules, names, report};

/// The findings for one file under the project's own list.
fn check(file: &str, content: &str) -> String {
    let rules = Rules::parse(include_str!("../../../words.toml")).expect("the list is valid");
    let file = Utf8Path::new(file);
    let mut findings = rules.find_words(file, content);
    findings.extend(rules.names.find(file, &names::declarations(content)));
    let lines = findings.iter().map(|finding| format!("{} {} {}", finding.line, finding.rule, finding.word));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn words_are_refused_in_comments_and_texts() {
    let source = "\
//! The server is told what changed.
/// What it is for.
/// It continues here.
fn count() {
    // Nobody reads `told` here, and \"asked\" is a quotation.
    let text = \"the value is no number\";
    let id = \"told\";
}
";
    assert_snapshot!(check("crates/a/src/a.rs", source), @r"
    1 tell told
    2 fro What
    2 doc-start What
    5 nobody Nobody
    6 is-no is no
    ");
}

#[test]
fn strings_of_tests_are_data() {
    let source = "fn count() {\n    // told\n    let text = \"the server is told\";\n}\n";
    assert_snapshot!(check("crates/a/src/a/tests.rs", source), @"2 tell told");
}

#[test]
fn documents_are_read_without_code() {
    let page =
        "# Servers\n\nThe server is asked.\n\n```\ntold\n```\n\nThere is no server, and it is no longer `asked`.\n";
    assert_snapshot!(check("docs/src/a.md", page), @"3 ask asked");
}

#[test]
fn scripts_are_read_too() {
    let script = "// The page is told.\nconst text = 'is told `twice`';\nconst id = \"told\";\n";
    assert_snapshot!(check("editors/vscode/src/a.ts", script), @r"
    1 tell told
    2 tell told
    ");
}

#[test]
fn private_names_are_refused() {
    let source = "\
pub struct Told;
pub(crate) enum Waiting {}
struct Binding;
struct TurnEnded;
impl Told {
    fn of() {}
    fn bounded() {}
    fn bounded_text() {}
    fn x04_order() {}
    fn i32_of() {}
}
";
    assert_snapshot!(check("crates/a/src/a.rs", source), @r"
    1 type Told
    2 type Waiting
    6 function of
    7 function bounded
    9 function x04_order
    ");
}

#[test]
fn a_type_name_belongs_to_one_crate() {
    let mut declared = names::DeclaredTypes::default();
    for (file, content) in [
        ("crates/a/src/a.rs", "pub struct Limits;\nstruct Private;"),
        ("crates/b/src/b.rs", "pub(crate) struct Limits;\npub struct Private;"),
        ("crates/b/tests/b.rs", "pub struct Private;"),
        ("xtask/src/c.rs", "pub struct Limits;"),
    ] {
        declared.add(Utf8Path::new(file), &names::declarations(content));
    }
    let duplicates = declared.duplicates();
    let lines = duplicates.iter().map(|finding| format!("{}:{} {}", finding.file, finding.line, finding.word));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
    crates/a/src/a.rs:1 Limits
    crates/b/src/b.rs:1 Limits
    ");
}

#[test]
fn an_exception_covers_its_path_and_must_be_used() {
    let rules = Rules::parse(include_str!("../../../words.toml")).expect("the list is valid");
    let findings = rules.find_words(Utf8Path::new("docs/src/a.md"), "Nobody is told.\n");
    let exception = |path: &str, rule: &str, word: Option<&str>, reason: &str| Exception {
        path: path.to_owned(),
        rule: rule.to_owned(),
        word: word.map(str::to_owned),
        reason: reason.to_owned(),
    };
    let exceptions = [
        exception("docs/", "tell", Some("told"), "a quotation"),
        exception("docs/", "ask", None, "unused"),
        exception("docs/src/a.md", "nobody", None, " "),
    ];
    assert_snapshot!(report(&findings, &exceptions).join("\n"), @r"
    xtask/exceptions.toml: ask `*` in docs/ matches nothing; remove it
    xtask/exceptions.toml: `*` in docs/src/a.md has an empty reason
    ");
    assert_snapshot!(report(&findings, &[]).join("\n"), @r"
    docs/src/a.md:1: `told` (tell): print, report, return, send, notify, distinguish
    docs/src/a.md:1: `Nobody` (nobody): name the actor: no client, no one, a user, everyone
    ");
}
