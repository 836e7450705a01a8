use std::fmt::Write as _;

use rowan::ast::AstNode as _;

use super::schema::{assignments, node_type};
use super::{
    Arrow, BoundedContext, Element, HasName as _, PatternKind, Reference, Relationship, RelationshipEnd, quote,
    unescape,
};
use crate::{AstPtr, Side, SyntaxNode, parse, trivia};

/// Returns the first node of a type in a text.
fn first<N: rowan::ast::AstNode<Language = crate::DomainLang>>(text: &str) -> N {
    parse(text).syntax().descendants().find_map(N::cast).expect("the text has no such node")
}

/// Renders a node as JSON clients see it: types and properties in text order.
fn outline(node: &SyntaxNode) -> String {
    let name = node_type(node).map(|it| it.name).unwrap_or_default();
    let mut rendered = format!("{name} {{");
    for assignment in assignments(node) {
        _ = match &assignment.value {
            super::schema::Value::Node(node) => write!(rendered, " {}: {}", assignment.property, outline(node)),
            value => write!(rendered, " {}: {:?}", assignment.property, value.text().unwrap_or_default()),
        };
    }
    rendered.push_str(" }");
    rendered
}

#[test]
fn properties_by_name() {
    let model = parse(
        "import \"a\" as b\n\
         Domain D in E { vision: \"v\" description: \"d\" type: T }\n\
         Namespace N.M { Team X cmap Map { contains A, B contains N.C A [OHS] -> B } dmap F { contains D } }",
    );
    insta::assert_snapshot!(outline(&model.syntax()), @r#"Model { imports: ImportStatement { uri: "a" alias: "b" } children: Domain { name: "D" parent: "E" vision: "v" description: "d" type: "T" } children: NamespaceDeclaration { name: "N.M" children: Team { name: "X" } children: ContextMap { name: "Map" boundedContexts: "A" boundedContexts: "B" boundedContexts: "N.C" relationships: DirectionalRelationship { left: BoundedContextRef { link: "A" } leftPatterns: OpenHostService { } arrow: "->" right: BoundedContextRef { link: "B" } } } children: DomainMap { name: "F" domains: "D" } } }"#);
}

#[test]
fn properties_of_a_context_by_name() {
    let context: BoundedContext = first(
        "bc B for D as X by T { team: U archetype: A metadata { K.L: \"v\" } terminology { term W: \"m\" aka V, U examples \
         \"e\" } decisions { decision [N.C] E: \"t\" policy Q: \"q\" rule R: \"r\" } relationships { this [OHS, PL] <- \
         [ACL] X.Y A [SK] B A >< B } }",
    );
    insta::assert_snapshot!(outline(context.syntax()).replace(" { name", "\n{ name").replace(" relationships", "\nrelationships"), @r#"
    BoundedContext
    { name: "B" domain: "D" classification: "X" team: "T" team: "U" archetype: "A" metadata: MetadataEntry { key: "K.L" value: "v" } terminology: DomainTerm
    { name: "W" meaning: "m" synonyms: "V" synonyms: "U" examples: "e" } decisions: Decision { classification: "N.C" name: "E" value: "t" } decisions: Policy
    { name: "Q" value: "q" } decisions: BusinessRule
    { name: "R" value: "r" }
    relationships: DirectionalRelationship { left: ThisRef { } leftPatterns: OpenHostService { } leftPatterns: PublishedLanguage { } arrow: "<-" rightPatterns: AntiCorruptionLayer { } right: BoundedContextRef { link: "X.Y" } }
    relationships: SymmetricRelationship { left: BoundedContextRef { link: "A" } pattern: SharedKernel { } right: BoundedContextRef { link: "B" } }
    relationships: SymmetricRelationship { left: BoundedContextRef { link: "A" } arrow: "><" right: BoundedContextRef { link: "B" } } }
    "#);
}

#[test]
fn every_assigned_property_is_declared_by_its_type() {
    let text = "import \"a\" as b\nDomain D in E { vision: \"v\" }\nbc B for D { meta { K: \"v\" } relationships { A [SK] B } }";
    for node in parse(text).syntax().descendants() {
        let Some(node_type) = node_type(&node) else { continue };
        for assignment in assignments(&node) {
            let is_known = node_type.properties.iter().any(|property| property.name == assignment.property);
            assert!(is_known, "{} has no {}", node_type.name, assignment.property);
        }
    }
}

#[test]
fn ends_are_distinguished_when_one_is_missing() {
    let ends = |text: &str| {
        let relationship: Relationship = first(&format!("bc B {{ relationships {{ {text} }} }}"));
        let render_end = |end: Option<RelationshipEnd>| end.map(|end| end.text()).unwrap_or_default();
        format!("{} | {}", render_end(relationship.left()), render_end(relationship.right()))
    };
    assert_eq!(ends("A [OHS] -> [CF] N . B"), "A | N.B");
    assert_eq!(ends("-> B"), " | B");
    assert_eq!(ends("A ->"), "A | ");
    assert_eq!(ends("[SK] B"), " | B");
    assert_eq!(ends("this [SK]"), "this | ");
    assert_eq!(ends("A B"), "A | B");
    assert_eq!(ends("A [SK] -> B"), "A | B");
    assert_eq!(ends("><"), " | ");
}

#[test]
fn patterns_of_each_side() {
    let relationship: Relationship = first("cmap M { A -> [CF, ACL] B }");
    let Relationship::DirectionalRelationship(it) = relationship else { panic!("an arrow makes it directional") };
    assert_eq!(it.arrow(), Some(Arrow::Right));
    assert!(it.left_patterns().is_none());
    let right: Vec<_> = it.right_patterns().into_iter().flat_map(|list| list.patterns()).collect();
    let kinds: Vec<_> = right.iter().filter_map(super::Pattern::kind).collect();
    assert_eq!(kinds, [PatternKind::Conformist, PatternKind::AntiCorruptionLayer]);
}

#[test]
fn patterns_have_two_names_and_a_side() {
    let rendered = PatternKind::ALL.map(|kind| format!("{} {} {:?}", kind.short_name(), kind.long_name(), kind.side()));
    insta::assert_snapshot!(rendered.join("\n"), @r"
    OHS OpenHostService Upstream
    PL PublishedLanguage Upstream
    S Supplier Upstream
    C Customer Downstream
    CF Conformist Downstream
    ACL AntiCorruptionLayer Downstream
    BBoM BigBallOfMud Either
    SK SharedKernel Symmetric
    P Partnership Symmetric
    SW SeparateWays Symmetric
    ");
    assert_eq!(PatternKind::SharedKernel.side(), Side::Symmetric);
}

#[test]
fn patterns_by_name() {
    assert_eq!(PatternKind::from_name("ohs"), Some(PatternKind::OpenHostService));
    assert_eq!(PatternKind::from_name("bigballofmud"), Some(PatternKind::BigBallOfMud));
    assert_eq!(PatternKind::from_name("S"), Some(PatternKind::Supplier));
    assert_eq!(PatternKind::from_name("OHSX"), None);
    assert_eq!(PatternKind::from_name(""), None);
    assert!(PatternKind::Partnership.matches("PARTNERSHIP") && !PatternKind::Partnership.matches("PL"));
    assert_eq!(PatternKind::AntiCorruptionLayer.spellings(), ["AntiCorruptionLayer", "ACL"]);
}

#[test]
fn reference_text_has_no_trivia() {
    let reference: Reference = first("Domain A in Shop . /* c */ Inner\n.Deep");
    assert_eq!(reference.text(), "Shop.Inner.Deep");
    assert_eq!(reference.qualifier().unwrap().0, "Shop.Inner");
    assert_eq!(first::<Reference>("Domain A in Shop.").text(), "Shop.");
    assert!(first::<Reference>("Domain A in Shop").qualifier().is_none());
}

#[test]
fn elements_by_name() {
    let parse = parse("Team team ns A.B { } cmap M { } Domain");
    let names: Vec<_> = parse.tree().children().map(|element| element.name_text()).collect();
    assert_eq!(names, [Some("team".to_owned()), Some("A.B".to_owned()), Some("M".to_owned()), None]);
    let words: Vec<_> =
        parse.tree().children().filter_map(|it| it.keyword_token()).map(|it| it.text().to_owned()).collect();
    assert_eq!(words, ["Team", "ns", "cmap", "Domain"]);
}

#[test]
fn pointers_outlive_the_tree() {
    let text = "Team A Domain B { vision: \"v\" }";
    let domain = first::<super::Domain>(text);
    let pointer = AstPtr::new(&domain);
    drop(domain);
    let found = pointer.try_to_node(&parse(text).syntax()).expect("the same text has the same tree");
    assert_eq!(found.name().unwrap().text(), "B");
    assert!(pointer.try_to_node(&parse("Team A").syntax()).is_none());
}

#[test]
fn values_of_strings() {
    assert_eq!(unescape(r#"a\nb\t\"\\\'\u0041\0\v\f\b\r"#), "a\nb\t\"\\'u0041\0\u{b}\u{c}\u{8}\r");
    assert_eq!(quote("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    let string = |text: &str| first::<super::ImportStatement>(text).uri().unwrap();
    let closed = string("import 'it\\'s'");
    assert_eq!((closed.value().as_str(), closed.raw(), closed.quote()), ("it's", "it\\'s", '\''));
    assert_eq!(u32::from(closed.raw_range().start()), 8);
    for (text, value) in
        [("import \"open", "open"), ("import \"", ""), ("import \"a\\\"", "a\""), ("import \"a\\\\\"", "a\\")]
    {
        assert_eq!(string(text).value(), value, "{text}");
        assert_eq!(string(text).is_terminated(), text.ends_with("\\\\\""), "{text}");
    }
}

/// Renders the elements of a text with the comments that belong to them.
fn owners(text: &str) -> String {
    let rendered: Vec<_> = parse(text)
        .tree()
        .children()
        .map(|element: Element| {
            let node = element.syntax();
            let leading: Vec<_> = trivia::leading_comments(node).iter().map(|it| it.text().to_owned()).collect();
            format!("{node}: {leading:?} {:?}", trivia::documentation(node))
        })
        .collect();
    rendered.join("\n")
}

const COMMENTED: &str = "// about the file\n\n// about A\n/** doc\n *  - indented\n */\nTeam A // behind A\nTeam B, /* behind */\n/* before C */ Team C\n";

#[test]
fn comments_have_owners() {
    insta::assert_snapshot!(owners(COMMENTED), @r#"
    Team A: ["// about A", "/** doc\n *  - indented\n */"] Some("doc\n - indented")
    Team B: [] None
    Team C: ["/* before C */"] None
    "#);
}

#[test]
fn comment_owners_do_not_depend_on_line_ends() {
    for end in ["\r\n", "\r"] {
        // A comment contains the line ends of its own lines.
        let rendered = owners(&COMMENTED.replace('\n', end)).replace(&format!("doc{}", end.escape_debug()), "doc\\n");
        let rendered = rendered.replace(&format!("indented{}", end.escape_debug()), "indented\\n");
        assert_eq!(rendered, owners(COMMENTED), "{end:?}");
    }
}

#[test]
fn comment_markers_are_removed_from_documentation() {
    assert_eq!(trivia::doc_text("/** One line. */"), "One line.");
    assert_eq!(trivia::doc_text("/**\n * Two\n *\n * lines.\n */"), "Two\n\nlines.");
    assert_eq!(trivia::doc_text("/**\n   bare\n   lines\n*/"), "bare\nlines");
    assert_eq!(trivia::doc_text("/***/"), "");
    assert_eq!(trivia::doc_text("/** open"), "open");
}
