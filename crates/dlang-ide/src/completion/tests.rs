//! The proposals at each position.

use std::fmt::Write as _;

use dlang_model::testing::host_at;

use super::snippets::{SNIPPETS, plain};
use super::{
    Completion, CompletionKind, Completions, ImportAlias, ImportCandidates, ImportDependency, completions,
    import_prefix,
};
use dlang_model::edit::apply;

fn candidates() -> ImportCandidates {
    ImportCandidates {
        paths: ["./orders.dlang", "./it's.dlang", "./shared/", "../base.dlang"].map(str::to_owned).into(),
        aliases: vec![ImportAlias { name: "@shared".to_owned(), target: "./libs/shared".to_owned() }],
        dependencies: vec![
            ImportDependency { name: "core".to_owned(), version: Some("v1.0.0".to_owned()) },
            ImportDependency { name: "acme/base".to_owned(), version: None },
        ],
    }
}

#[track_caller]
fn completions_at(fixture: &str) -> Completions {
    let (host, file, offset) = host_at(fixture);
    completions(host.db(), file, offset, &candidates())
}

/// Renders the labels in sort order, one line per kind.
#[track_caller]
fn check(fixture: &str) -> String {
    let mut items = completions_at(fixture).items;
    items.sort_by(|one, other| one.sort.cmp(&other.sort));
    let mut labels_by_kind: Vec<(String, String)> = Vec::new();
    for item in items {
        let kind = match item.kind {
            CompletionKind::Element(kind) => kind.type_name().to_owned(),
            other => format!("{other:?}"),
        };
        match labels_by_kind.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, labels)) => _ = write!(labels, " {}", item.label),
            None => labels_by_kind.push((kind, item.label)),
        }
    }
    if labels_by_kind.is_empty() {
        return "nothing".to_owned();
    }
    let lines: Vec<_> = labels_by_kind.into_iter().map(|(kind, labels)| format!("{kind}: {labels}")).collect();
    lines.join("\n")
}

/// Returns the text after accepting one proposal, with the default texts of its placeholders.
#[track_caller]
fn apply_completion(fixture: &str, label: &str) -> String {
    let (_, file, _) = host_at(fixture);
    let (host, _, _) = host_at(fixture);
    let item = completions_at(fixture).items.into_iter().find(|item| item.label == label).expect("a completion");
    let mut edit = item.edit;
    edit.insert = plain(&edit.insert);
    apply(file.text(host.db()), &[edit])
}

#[test]
fn files_and_namespaces() {
    insta::assert_snapshot!(check("$0 "), @r"
    Snippet: ⚡ Domain (simple) ⚡ Domain (detailed) ⚡ BoundedContext (simple) ⚡ BoundedContext (detailed) ⚡ ContextMap ⚡ DomainMap ⚡ Team ⚡ Classification ⚡ Metadata ⚡ Namespace ⚡ import
    Keyword: BoundedContext Classification ContextMap Domain DomainMap Import Metadata Namespace Team bc cmap dmap dom import ns
    ");
    insta::assert_snapshot!(check(" import './a' as a\n$0"), @r"
    Snippet: ⚡ Domain (simple) ⚡ Domain (detailed) ⚡ BoundedContext (simple) ⚡ BoundedContext (detailed) ⚡ ContextMap ⚡ DomainMap ⚡ Team ⚡ Classification ⚡ Metadata ⚡ Namespace ⚡ import
    Keyword: BoundedContext Classification ContextMap Domain DomainMap Import Metadata Namespace Team bc cmap dmap dom import ns
    ");
    insta::assert_snapshot!(check("Team A\nD$0"), @r"
    Snippet: ⚡ Domain (simple) ⚡ Domain (detailed) ⚡ BoundedContext (simple) ⚡ BoundedContext (detailed) ⚡ ContextMap ⚡ DomainMap ⚡ Team ⚡ Classification ⚡ Metadata ⚡ Namespace
    Keyword: BoundedContext Classification ContextMap Domain DomainMap Metadata Namespace Team bc cmap dmap dom ns
    ");
    insta::assert_snapshot!(check("ns N { $0 }"), @r"
    Snippet: ⚡ Domain (simple) ⚡ Domain (detailed) ⚡ BoundedContext (simple) ⚡ BoundedContext (detailed) ⚡ ContextMap ⚡ DomainMap ⚡ Team ⚡ Classification ⚡ Metadata ⚡ Namespace
    Keyword: BoundedContext Classification ContextMap Domain DomainMap Metadata Namespace Team bc cmap dmap dom ns
    ");
    insta::assert_snapshot!(check("ns N $0{ }"), @"nothing");
}

#[test]
fn headers() {
    let model = "Domain Sales ns N { Domain Inner Team T } Classification Core Team A\n";
    let check = |text: &str| check(&format!("{model}{text}"));
    // A declaration introduces a new name, so there is nothing to propose.
    insta::assert_snapshot!(check("bc $0"), @"nothing");
    // No snippets on the same line, but the next element may begin there.
    insta::assert_snapshot!(check("bc X $0"), @"Keyword: BoundedContext Classification ContextMap Domain DomainMap Metadata Namespace Team as bc by cmap dmap dom for ns");
    insta::assert_snapshot!(check("bc X for $0"), @"Domain: N.Inner Sales");
    insta::assert_snapshot!(check("bc X for Sa$0les as Core"), @"Domain: N.Inner Sales");
    insta::assert_snapshot!(check("bc X for Sales $0"), @"Keyword: BoundedContext Classification ContextMap Domain DomainMap Metadata Namespace Team as bc by cmap dmap dom ns");
    insta::assert_snapshot!(check("bc X as $0 by A { }"), @"Classification: Core");
    insta::assert_snapshot!(check("bc X for Sales as Core by $0\nTeam B"), @"Team: A B N.T");
    insta::assert_snapshot!(check("Domain X in $0 { }"), @"Domain: N.Inner Sales X");
    insta::assert_snapshot!(check("Domain X $0{ }"), @"Keyword: BoundedContext Classification ContextMap Domain DomainMap Metadata Namespace Team bc cmap dmap dom in ns");
    // The parser skips an element inside another one, so no name in it would resolve.
    insta::assert_snapshot!(check("bc X { bc Y for $0 }"), @"nothing");
    insta::assert_snapshot!(check("import './x' $0"), @"Keyword: BoundedContext Classification ContextMap Domain DomainMap Import Metadata Namespace Team as bc cmap dmap dom import ns");
}

#[test]
fn bodies() {
    let model = "Classification Core Team A Metadata Language bc B ";
    let check = |text: &str| check(&format!("{model}{text}"));
    insta::assert_snapshot!(check("Domain X { $0 }"), @r"
    Snippet: ⚡ description ⚡ vision ⚡ type
    Keyword: description type vision
    ");
    insta::assert_snapshot!(check("Domain X {\n  vision: ''\n  $0\n type: Core }"), @r"
    Snippet: ⚡ description
    Keyword: description type vision
    ");
    insta::assert_snapshot!(check("bc X { $0 }"), @r"
    Snippet: ⚡ description ⚡ team ⚡ classification ⚡ businessModel ⚡ evolution ⚡ archetype ⚡ terminology ⚡ decisions ⚡ relationships ⚡ metadata
    Keyword: archetype businessModel classification decisions description evolution glossary integrations meta metadata relationships rules team terminology
    ");
    insta::assert_snapshot!(check("bc X {\n description: 'd' archetype: Core terminology { } \n$0\n metadata { } }"), @r"
    Snippet: ⚡ team ⚡ classification ⚡ businessModel ⚡ evolution ⚡ decisions ⚡ relationships
    Keyword: archetype businessModel classification decisions description evolution glossary integrations meta metadata relationships rules team terminology
    ");
    insta::assert_snapshot!(check("bc X { description $0 }"), @"Keyword: is");
    insta::assert_snapshot!(check("bc X { description: $0 }"), @"nothing");
    insta::assert_snapshot!(check("bc X { evolution is $0 }"), @"Classification: Core");
    insta::assert_snapshot!(check("bc X { team = $0 description: 'd' }"), @"Team: A");
    insta::assert_snapshot!(check("bc X { metadata { $0 } }"), @"Metadata: Language");
    insta::assert_snapshot!(check("bc X { metadata $0{ } }"), @"nothing");
    insta::assert_snapshot!(check("bc X { metadata { Language $0 } }"), @"Keyword: is");
}

#[test]
fn terms_and_decisions() {
    let model = "Classification Core ";
    let check = |text: &str| check(&format!("{model}{text}"));
    insta::assert_snapshot!(check("bc X { terminology { $0 } }"), @"Keyword: Term term");
    insta::assert_snapshot!(check("bc X { terminology { term A $0 } }"), @"Keyword: Term aka examples is synonyms term");
    insta::assert_snapshot!(check("bc X { terminology { term A: 'a' $0 } }"), @"Keyword: Term aka examples synonyms term");
    insta::assert_snapshot!(check("bc X { terminology { term A aka $0 } }"), @"Keyword: is");
    insta::assert_snapshot!(check("bc X { terminology { term A aka B, $0 } }"), @"nothing");
    insta::assert_snapshot!(check("bc X { terminology { term A aka B $0 } }"), @"Keyword: Term examples term");
    insta::assert_snapshot!(check("bc X { decisions { $0 } }"), @"Keyword: Decision Policy Rule decision policy rule");
    insta::assert_snapshot!(check("bc X { decisions { decision [$0 } }"), @"Classification: Core");
    insta::assert_snapshot!(check("bc X { decisions { policy [Core] $0 } }"), @"nothing");
    insta::assert_snapshot!(check("bc X { decisions { rule A $0 } }"), @"Keyword: is");
}

#[test]
fn maps_and_relationships() {
    let model = "bc A ns N { bc B } Domain D\n";
    let check = |text: &str| check(&format!("{model}{text}"));
    insta::assert_snapshot!(check("cmap M { $0 }"), @r"
    BoundedContext: A N.B
    Snippet: ⚡ contains ⚡ relationship (simple) ⚡ relationship (with patterns) ⚡ relationship (symmetric)
    Keyword: contains this
    ");
    insta::assert_snapshot!(check("cmap M { contains $0 }"), @"BoundedContext: A N.B");
    insta::assert_snapshot!(check("cmap M { contains A, $0 }"), @"BoundedContext: A N.B");
    insta::assert_snapshot!(check("cmap M {\n contains A\n $0 }"), @r"
    BoundedContext: A N.B
    Snippet: ⚡ relationship (simple) ⚡ relationship (with patterns) ⚡ relationship (symmetric)
    Keyword: contains this
    ");
    insta::assert_snapshot!(check("cmap M {\n contains A\n A -> N.B\n $0 }"), @r"
    BoundedContext: A N.B
    Snippet: ⚡ relationship (simple) ⚡ relationship (with patterns) ⚡ relationship (symmetric)
    Keyword: this
    ");
    insta::assert_snapshot!(check("cmap M {\n contains A\n N.B $0 }"), @r"
    BoundedContext: A N.B
    Arrow: -> <- <-> ><
    Pattern: [ACL] [BBoM] [CF] [C] [OHS] [PL] [P] [SK] [SW] [S]
    Keyword: contains this
    ");
    insta::assert_snapshot!(check("dmap M { $0 }"), @r"
    Snippet: ⚡ contains
    Keyword: contains
    ");
    insta::assert_snapshot!(check("dmap M { contains $0 }"), @"Domain: D");
    insta::assert_snapshot!(check("bc X { relationships { $0 } }"), @r"
    BoundedContext: A N.B X
    Keyword: this
    ");
    insta::assert_snapshot!(check("bc X { relationships { this $0 } }"), @r"
    Arrow: -> <- <-> ><
    Pattern: [ACL] [BBoM] [CF] [C] [OHS] [PL] [P] [SK] [SW] [S]
    ");
    insta::assert_snapshot!(check("bc X { relationships { this [$0 } }"), @"Keyword: ACL AntiCorruptionLayer BBoM BigBallOfMud C CF Conformist Customer OHS OpenHostService P PL Partnership PublishedLanguage S SK SW SeparateWays SharedKernel Supplier");
    insta::assert_snapshot!(check("bc X { relationships { this [OHS, $0] -> A } }"), @"Keyword: ACL AntiCorruptionLayer BBoM BigBallOfMud C CF Conformist Customer OHS OpenHostService PL PublishedLanguage S Supplier");
    insta::assert_snapshot!(check("bc X { relationships { this [OHS] $0 } }"), @"Arrow: -> <- <->");
    insta::assert_snapshot!(check("bc X { relationships { this [SK] $0 } }"), @r"
    BoundedContext: A N.B X
    Keyword: this
    ");
    insta::assert_snapshot!(check("bc X { relationships { this -> $0 } }"), @r"
    BoundedContext: A N.B X
    Pattern: [ACL] [BBoM] [CF] [C] [OHS] [PL] [S]
    Keyword: this
    ");
    insta::assert_snapshot!(check("bc X { relationships { this -> [$0 } }"), @"Keyword: ACL AntiCorruptionLayer BBoM BigBallOfMud C CF Conformist Customer OHS OpenHostService PL PublishedLanguage S Supplier");
    insta::assert_snapshot!(check("bc X { relationships { this -> [CF] $0 } }"), @r"
    BoundedContext: A N.B X
    Keyword: this
    ");
    insta::assert_snapshot!(check("bc X { relationships { this >< $0 } }"), @r"
    BoundedContext: A N.B X
    Keyword: this
    ");
}

#[test]
fn dotted_names() {
    let model = "ns Shop { Domain A ns Inner.Deep { Domain B Domain C } Team T } Domain Shopping\n";
    let check = |text: &str| check(&format!("{model}{text}"));
    insta::assert_snapshot!(check("Domain X in $0"), @"Domain: Shop.A Shop.Inner.Deep.B Shop.Inner.Deep.C Shopping X");
    insta::assert_snapshot!(check("Domain X in Shop.$0"), @r"
    Domain: A
    Qualifier: Inner
    ");
    insta::assert_snapshot!(check("Domain X in Shop . In$0"), @r"
    Domain: A
    Qualifier: Inner
    ");
    insta::assert_snapshot!(check("Domain X in Shop.Inner.Deep.$0"), @"Domain: B C");
    insta::assert_snapshot!(check("Domain X in $0.Deep.B"), @"Domain: Shop.Inner");
    insta::assert_snapshot!(check("Domain X in Shop.$0.B"), @"Domain: Inner.Deep");
    insta::assert_snapshot!(check("Domain X in Shop.$0."), @"nothing");
    insta::assert_snapshot!(check("Domain X in Nowhere.$0"), @"nothing");
    insta::assert_snapshot!(check("ns Shop { Domain X in $0 }"), @"Domain: Shop.A Shop.Inner.Deep.B Shop.Inner.Deep.C Shop.X Shopping X");
    assert_eq!(
        apply_completion("ns Shop { Domain A } Domain X in Shop.$0A", "A"),
        "ns Shop { Domain A } Domain X in Shop.A"
    );
}

#[test]
fn imported_names() {
    insta::assert_snapshot!(check(
        "//- a.dlang\nimport './b.dlang' as bb\nimport './c.dlang'\nbc X for $0\n//- b.dlang\nDomain B\nns N { Domain C }\n\
         //- c.dlang\nDomain D Team T\n//- d.dlang\nDomain Invisible"
    ), @"Domain: D bb.B bb.N.C");
    insta::assert_snapshot!(check("//- a.dlang\nimport './b.dlang' as bb\nbc X for bb.$0\n//- b.dlang\nDomain B"), @"Domain: B");
}

#[test]
fn reserved_words_are_completed_as_names() {
    insta::assert_snapshot!(check("Team team Team A bc X by $0"), @"Team: A team");
    insta::assert_snapshot!(check("bc Team bc A cmap M { contains A, $0 }"), @"BoundedContext: A Team");
    // `Team A` would be a declaration.
    insta::assert_snapshot!(check("bc Team bc A cmap M { contains $0 A }"), @"BoundedContext: A");
}

#[test]
fn edits() {
    let model = "Domain Sales\n";
    for (text, label, expected) in [
        ("bc X for $0", "Sales", "bc X for Sales"),
        ("bc X for S$0", "Sales", "bc X for Sales"),
        ("bc X for Sal$0ary as C", "Sales", "bc X for Sales as C"),
        ("bc X for $0\nbc Y", "Sales", "bc X for Sales\nbc Y"),
        ("bc X for $0as C", "Sales", "bc X for Sales as C"),
        ("bc X f$0", "for", "bc X for"),
        ("bc A { relationships { this $0A } }", "->", "bc A { relationships { this -> A } }"),
        ("\n  Te$0", "⚡ Team", "\n  Team Name"),
    ] {
        assert_eq!(apply_completion(&format!("{model}{text}"), label), format!("{model}{expected}"));
    }
}

#[test]
fn nothing_in_comments_and_strings() {
    for fixture in [
        " // $0",
        " // a$0",
        "/* $0 */",
        " /* $0",
        "/** a$0 */",
        "Domain A { vision: '$0' }",
        "Domain A { vision: \"a $0",
        "Domain A { vision: ''$0",
        "bc A { terminology { term A examples '$0' } }",
        " #$0#",
    ] {
        let rendered = check(fixture);
        let is_after_string = fixture.ends_with("''$0");
        assert_eq!(rendered != "nothing", is_after_string, "{fixture}: {rendered}");
    }
}

#[test]
fn import_strings() {
    insta::assert_snapshot!(check("import \"$0\""), @r"
    ImportFolder: ./ ../ ./shared/
    ImportFile: ./orders.dlang ./it's.dlang ../base.dlang
    ImportAlias: @shared
    ImportDependency: core acme/base
    ");
    insta::assert_snapshot!(check("import \"./$0"), @r"
    ImportFile: ./orders.dlang ./it's.dlang
    ImportFolder: ./shared/
    ");
    insta::assert_snapshot!(check("import '@$0'"), @"ImportAlias: @shared");
    insta::assert_snapshot!(check("import 'c$0ore'"), @"ImportDependency: core");
    insta::assert_snapshot!(check("import 'zzz$0'"), @"nothing");
    insta::assert_snapshot!(check("import $0''"), @"nothing");
    assert_eq!(apply_completion("import './it$0' as x", "./it's.dlang"), "import './it\\'s.dlang' as x");
    // The text after an unterminated string is not part of it.
    assert_eq!(apply_completion("import \"./o$0\nTeam A", "./orders.dlang"), "import \"./orders.dlang\nTeam A");
}

#[test]
fn import_prefix_at_the_cursor() {
    for (fixture, expected) in [
        ("import '$0./a'", Some("")),
        ("import './a\\'s$0x'", Some("./a's")),
        ("import \"./a$0\nTeam T", Some("./a")),
        ("import './a'$0", None),
        ("Domain A { vision: './a$0' }", None),
    ] {
        let (host, file, offset) = host_at(fixture);
        assert_eq!(import_prefix(host.db(), file, offset).as_deref(), expected, "{fixture}");
    }
}

#[test]
fn complete_items() {
    let item = |fixture: &str, label: &str| -> Completion {
        completions_at(fixture).items.into_iter().find(|item| item.label == label).expect("a completion")
    };
    insta::assert_debug_snapshot!(item("Team A bc X by $0", "A"), @r#"
    Completion {
        label: "A",
        kind: Element(
            Team,
        ),
        detail: Some(
            "Team",
        ),
        documentation: None,
        definition: Some(
            Definition {
                file: File {
                    [salsa id]: Id(0),
                },
                number: 0,
            },
        ),
        filter: "A",
        edit: TextEdit {
            range: 15..15,
            insert: "A",
        },
        is_snippet: false,
        sort: "0_A",
    }
    "#);
    insta::assert_debug_snapshot!(item("bc X $0", "by"), @r#"
    Completion {
        label: "by",
        kind: Keyword,
        detail: Some(
            "Keyword",
        ),
        documentation: Some(
            "Names the team that is responsible for a bounded context.\n\n[Read more](https://domainlang.net/guide/bounded-contexts)",
        ),
        definition: None,
        filter: "by",
        edit: TextEdit {
            range: 5..5,
            insert: "by",
        },
        is_snippet: false,
        sort: "1_by",
    }
    "#);
    insta::assert_debug_snapshot!(item("bc X { relationships { this $0 } }", "[OHS]"), @r#"
    Completion {
        label: "[OHS]",
        kind: Pattern,
        detail: Some(
            "OpenHostService",
        ),
        documentation: Some(
            "Open Host Service: the upstream side offers one well-documented protocol to all consumers.\n\n[Read more](https://domainlang.net/guide/context-maps#relationships)",
        ),
        definition: None,
        filter: "[OHS]",
        edit: TextEdit {
            range: 28..28,
            insert: "[OHS]",
        },
        is_snippet: false,
        sort: "1_[OHS]",
    }
    "#);
    insta::assert_debug_snapshot!(item("ns N {\n  $0\n}", "⚡ Domain (simple)"), @r#"
    Completion {
        label: "⚡ Domain (simple)",
        kind: Snippet,
        detail: None,
        documentation: Some(
            "```domain-lang\nDomain Name {\n    vision: \"What it is there for\"\n}\n```",
        ),
        definition: None,
        filter: "Domain (simple)",
        edit: TextEdit {
            range: 9..9,
            insert: "Domain ${1:Name} {\n    vision: \"${2:What it is there for}\"\n}",
        },
        is_snippet: true,
        sort: "0_snippet_00",
    }
    "#);
}

#[test]
fn many_names() {
    let teams: Vec<_> = (0..600).map(|number| format!("Team T{number}")).collect();
    let teams = teams.join(" ");
    let all = completions_at(&format!("{teams} bc X by $0 {{ }}"));
    assert!(all.is_incomplete && all.items.len() >= 500);
    let limited = completions_at(&format!("{teams} bc X by t59$0 {{ }}"));
    let names = limited.items.iter().filter(|item| item.definition.is_some());
    assert_eq!(
        names.map(|item| item.label.as_str()).collect::<Vec<_>>(),
        [
            "T159", "T259", "T359", "T459", "T509", "T519", "T529", "T539", "T549", "T559", "T569", "T579", "T589",
            "T59", "T590", "T591", "T592", "T593", "T594", "T595", "T596", "T597", "T598", "T599"
        ]
    );
}

/// Every snippet is valid where it is proposed.
#[test]
fn snippets_parse_without_errors() {
    let mut count = 0;
    for fixture in ["\n$0", "ns N {\n$0\n}", "Domain D {\n$0\n}", "bc X {\n$0\n}", "cmap M {\n$0\n}", "dmap M {\n$0\n}"]
    {
        for item in completions_at(fixture).items.into_iter().filter(|item| item.is_snippet) {
            let text = apply_completion(fixture, &item.label);
            assert_eq!(dlang_syntax::parse(&text).diagnostics(), [], "{text}");
            count += 1;
        }
    }
    // Snippets of elements are proposed in files and in namespaces, `description` in two kinds of bodies.
    assert_eq!(count, SNIPPETS.len() + 10 + 1);
}
