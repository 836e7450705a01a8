//! Effective values, relationships, usages, and look-up of definitions.

use crate::testing::{host, location_text, position};
use crate::{
    Definition, ElementKind, RelationshipArrow, context_domain, definition_at, definitions, definitions_by_fqn,
    definitions_by_name, domain_parent, effective_classification, effective_team, file_model, metadata_map,
    project_files, relationship_views, resolve_name, resolve_reference, usages, visible_names,
};
use dlang_syntax::{AstNode as _, ast};

fn find_element(host: &crate::ModelHost, fqn: &str) -> Definition {
    let db = host.db();
    let mut all = project_files(db).iter().flat_map(|file| definitions(db, *file));
    all.find(|definition| definition.fqn(db).as_deref() == Some(fqn)).unwrap()
}

#[test]
fn headers_and_first_values_take_precedence() {
    let host = host(
        r#"
Classification Core  Classification Other
Team One  Team Two
Metadata Language  Metadata Owner
Domain Care
Domain Wards in Care
bc Both for Wards as Core by One { classification: Other team: Two }
bc Body for Care { team: Two team: One classification: Other }
bc Broken as Nothing { classification: Core }
bc Facts { metadata { Language: "C" Owner: "me" Unknown: "x" } meta { Language = "Rust" } }
"#,
    );
    let db = host.db();
    let name = |definition: Option<Definition>| definition.and_then(|it| it.name(db)).unwrap_or_default().to_string();
    let line = |fqn: &str| {
        let context = find_element(&host, fqn);
        let classification = name(effective_classification(db, context));
        let metadata = metadata_map(db, context);
        format!(
            "{fqn}: {classification} / {} / {} / {metadata:?}",
            name(effective_team(db, context)),
            name(context_domain(db, context)),
        )
    };
    insta::assert_snapshot!(["Both", "Body", "Broken", "Facts"].map(line).join("\n"), @r#"
    Both: Core / One / Wards / []
    Body: Other / Two / Care / []
    Broken:  /  /  / []
    Facts:  /  /  / [("Language", "Rust"), ("Owner", "me")]
    "#);
    assert_eq!(name(domain_parent(db, find_element(&host, "Wards"))), "Care");
    assert_eq!(effective_team(db, find_element(&host, "Wards")), None);
}

#[test]
fn relationships_and_their_kinds() {
    let host = host(
        r#"
cmap Map {
    contains A
    A [SK] B
    this -> A
    A [PL] <- B
}
bc A { relationships {
    this [OHS, PL] -> [ACL] B
    this [S] -> B
    this <- [C] B
    this [S] <-> [C] B
    this [P] B
    this [SW] B
    this >< B
    this -> Gone
    this [] B
} }
bc B { integrations { this -> A } }
"#,
    );
    let db = host.db();
    let mut lines = Vec::new();
    for view in relationship_views(db, host.files().next().unwrap()) {
        let side = |side: &crate::RelationshipSide| {
            let patterns: Vec<_> = side.patterns.iter().map(|pattern| pattern.short_name()).collect();
            let this = if side.is_this { "this " } else { "" };
            format!("{this}{} {patterns:?}", side.context.name(db).unwrap())
        };
        let arrow = match view.arrow {
            RelationshipArrow::Directional(arrow) => arrow.as_str(),
            RelationshipArrow::Pattern(pattern) => pattern.long_name(),
            RelationshipArrow::Apart => "><",
        };
        let upstream = view.upstream().map(|side| side.context.name(db).unwrap()).unwrap_or_default();
        let downstream = view.downstream().map(|side| side.context.name(db).unwrap()).unwrap_or_default();
        lines.push(format!(
            "{} {}: {} {arrow} {}, {}, up {upstream:?}, down {downstream:?}",
            view.source_kind.as_str(),
            view.source.name(db).unwrap(),
            side(&view.left),
            side(&view.right),
            view.kind.as_str(),
        ));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    BoundedContext A: this A ["OHS", "PL"] -> B ["ACL"], UpstreamDownstream, up "A", down "B"
    BoundedContext A: this A ["S"] -> B [], CustomerSupplier, up "A", down "B"
    BoundedContext A: this A [] <- B ["C"], CustomerSupplier, up "B", down "A"
    BoundedContext A: this A ["S"] <-> B ["C"], Bidirectional, up "", down ""
    BoundedContext A: this A [] Partnership B [], Partnership, up "", down ""
    BoundedContext A: this A [] SeparateWays B [], SeparateWays, up "", down ""
    BoundedContext A: this A [] >< B [], SeparateWays, up "", down ""
    BoundedContext B: this B [] -> A [], UpstreamDownstream, up "B", down "A"
    ContextMap Map: A [] SharedKernel B [], SharedKernel, up "", down ""
    ContextMap Map: A ["PL"] <- B [], UpstreamDownstream, up "B", down "A"
    "#);
}

#[test]
fn usages_of_an_element_in_all_files() {
    let host = host(
        r#"
//- a.dlang
Namespace Ns { bc Beds  bc Meals { relationships { this -> Beds  Ns.Beds >< this } } }
//- b.dlang
import "./a.dlang" as a
cmap M { contains a.Ns.Beds, a.Ns.Meals }
bc Beds
"#,
    );
    let db = host.db();
    let lines: Vec<_> = usages(db, find_element(&host, "Ns.Beds"))
        .iter()
        .map(|usage| {
            format!("{}:{} {}", usage.file.path(db), position(usage.file.text(db), usage.range.start()), usage.text)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    a.dlang:1:60 Beds
    a.dlang:1:66 Ns.Beds
    b.dlang:2:19 a.Ns.Beds
    ");
}

#[test]
fn elements_are_found_at_their_ranges() {
    let host = host("Namespace A.B {\n    Domain X\n    Namespace C { Team Y }\n}\nTeam Z\n");
    let db = host.db();
    let file = host.files().next().unwrap();
    for definition in definitions(db, file) {
        let node = definition.syntax(db).unwrap();
        assert_eq!(Some(node.syntax().text_range()), definition.range(db));
        assert_eq!(node.name_text().as_deref(), definition.name(db).as_deref());
        assert_eq!(definition_at(db, file, definition.range(db).unwrap()), Some(definition));
        assert_eq!(definition_at(db, file, definition.focus(db).unwrap()), Some(definition));
    }
    let outer = find_element(&host, "A.B");
    let children: Vec<_> = outer.children(db).iter().map(|child| child.fqn(db).unwrap()).collect();
    assert_eq!(children, ["A.B.X", "A.B.C"]);
    assert_eq!(find_element(&host, "A.B.C.Y").container(db).unwrap().container(db), Some(outer));
    assert_eq!(definition_at(db, file, dlang_syntax::TextRange::empty(3.into())), None);
}

#[test]
fn tree_references_and_bare_names_are_resolved() {
    let host = host(
        "//- a.dlang\nTeam There\n//- b.dlang\nimport \"./a.dlang\" as a\nNamespace N { Team Here  bc C by Here }\nbc D by a.There\n",
    );
    let db = host.db();
    let file = host.file("b.dlang").unwrap();
    let mut found = Vec::new();
    for node in crate::parse(db, file).syntax().descendants() {
        if let Some(reference) = ast::Reference::cast(node) {
            let targets = resolve_reference(db, file, &reference).iter();
            found.extend(targets.map(|target| format!("{} {}", reference.text(), location_text(db, *target))));
        }
    }
    insta::assert_snapshot!(found.join("\n"), @r"
    Here b.dlang:2:20
    a.There a.dlang:1:6
    ");
    let model = file_model(db, file);
    let start = model.references[1].range.start();
    assert_eq!(model.reference_touching(start), Some(crate::ReferenceId(1)));
    assert_eq!(model.reference_touching(model.references[1].range.end()), Some(crate::ReferenceId(1)));
    assert_eq!(model.reference_touching(0.into()), None);
    assert_eq!(definitions_by_fqn(db, "N.Here"), [find_element(&host, "N.Here")]);
    let namespace = find_element(&host, "N");
    let names = |container| {
        let names = visible_names(db, file, container, ElementKind::Team);
        names.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(" ")
    };
    insta::assert_snapshot!(names(None), @"N.Here a.There");
    insta::assert_snapshot!(names(Some(namespace)), @"Here N.Here a.There");
    assert_eq!(resolve_name(db, file, Some(namespace), ElementKind::Team, "Here"), Some(find_element(&host, "N.Here")));
    assert_eq!(resolve_name(db, file, None, ElementKind::Team, "Here"), None);
}

#[test]
fn content_of_a_context() {
    let host = host(
        r#"
bc A {
    terminology { term Order: "A \"purchase\"" aka Purchase, PO examples "1", "2"  Term Line }
    glossary { term More }
    decisions { decision [X] D: "d", policy P is "p" }
    rules { Rule R = "r" }
}
"#,
    );
    let crate::Body::Context(context) = find_element(&host, "A").body(host.db()).unwrap() else { panic!("no context") };
    let terms: Vec<_> = context
        .terms
        .iter()
        .map(|term| format!("{:?} {:?} {:?} {:?}", term.name, term.meaning, term.synonyms, term.examples))
        .collect();
    insta::assert_snapshot!(terms.join("\n"), @r#"
    Some("Order") Some("A \"purchase\"") ["Purchase", "PO"] ["1", "2"]
    Some("Line") None [] []
    Some("More") None [] []
    "#);
    let decisions: Vec<_> = context
        .decisions
        .iter()
        .map(|decision| {
            format!(
                "{:?} {:?} {:?} {}",
                decision.kind,
                decision.name,
                decision.value,
                decision.classification.is_some()
            )
        })
        .collect();
    insta::assert_snapshot!(decisions.join("\n"), @r#"
    Decision Some("D") Some("d") true
    Policy Some("P") Some("p") false
    Rule Some("R") Some("r") false
    "#);
    assert_eq!(file_model(host.db(), host.files().next().unwrap()).references.len(), 1);
}

#[test]
fn elements_of_a_project_by_name() {
    let host = host(
        r#"
//- a.dlang
Namespace N { Team Crew Namespace Inner.Deep { Domain Crew } }
//- b.dlang
Namespace N { Team Crew Team }
Namespace { Team Lost }
"#,
    );
    let db = host.db();
    let render_locations =
        |found: &[Definition]| found.iter().map(|it| location_text(db, *it)).collect::<Vec<_>>().join(" ");
    assert_eq!(render_locations(definitions_by_name(db, "Crew")), "a.dlang:1:20 a.dlang:1:55 b.dlang:1:20");
    assert_eq!(render_locations(definitions_by_name(db, "Inner.Deep")), "a.dlang:1:35");
    assert_eq!(render_locations(definitions_by_fqn(db, "N.Crew")), "a.dlang:1:20 b.dlang:1:20");
    // An element in a nameless namespace has only a simple name.
    assert_eq!(render_locations(definitions_by_name(db, "Lost")), "b.dlang:2:18");
    assert_eq!(render_locations(definitions_by_fqn(db, "Lost")), "");
    assert_eq!(render_locations(definitions_by_name(db, "Deep")), "");
}
