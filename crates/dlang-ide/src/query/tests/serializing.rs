//! One fixture for each kind of node.

use dlang_model::testing::host;
use dlang_syntax::SyntaxKind;

use crate::query::{find, serialize, serialize_node};

/// Renders the first file as JSON, one line per import and element.
#[track_caller]
fn check(fixture: &str) -> String {
    let host = host(fixture);
    let db = host.db();
    let file = host.files().next().expect("a file");
    let tree = dlang_model::parse(db, file).syntax();
    let model = serialize_node(db, file, &tree).expect("a model");
    assert_eq!(model.keys().take(1).collect::<Vec<_>>(), ["$type"]);
    let lines = ["imports", "children"].iter().flat_map(|list| model[*list].as_array().expect("a list"));
    lines.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn imports() {
    insta::assert_snapshot!(check("import \"./a.dlang\" import 'b' as c"), @r#"
    {"$type":"ImportStatement","uri":"./a.dlang"}
    {"$type":"ImportStatement","uri":"b","alias":"c"}
    "#);
}

#[test]
fn domains() {
    insta::assert_snapshot!(check(
        "Classification Core Domain A { type: Core vision: \"v\" description: \"d\" } Namespace N { Domain B in A { vision: \"\" } }"
    ), @r#"
    {"$type":"Classification","name":"Core","fqn":"Core"}
    {"$type":"Domain","name":"A","type":"Core","vision":"v","description":"d","fqn":"A"}
    {"$type":"NamespaceDeclaration","name":"N","children":[{"$type":"Domain","name":"B","parent":"A","vision":"","fqn":"N.B"}],"fqn":"N"}
    "#);
}

#[test]
fn repeated_properties_are_merged() {
    // The last value at the first position; lists accumulate.
    insta::assert_snapshot!(check(
        "Team T Team U bc A by T { description: \"1\" team: U description: \"2\" metadata { } terminology { term X } \
         glossary { term Y } } Domain D { vision: \"1\" description: \"d\" vision: \"2\" }"
    ), @r#"
    {"$type":"Team","name":"T","fqn":"T"}
    {"$type":"Team","name":"U","fqn":"U"}
    {"$type":"BoundedContext","name":"A","team":["T","U"],"description":"2","terminology":[{"$type":"DomainTerm","name":"X","examples":[],"synonyms":[],"fqn":""},{"$type":"DomainTerm","name":"Y","examples":[],"synonyms":[],"fqn":""}],"classification":[],"decisions":[],"metadata":[],"relationships":[],"fqn":"A"}
    {"$type":"Domain","name":"D","vision":"2","description":"d","fqn":"D"}
    "#);
}

#[test]
fn unresolved_references_are_serialized_as_written() {
    insta::assert_snapshot!(check(
        "bc A for No . Where as X by Y { businessModel: Z metadata { K: \"v\" } decisions { rule [Q] R: \"r\" } \
         relationships { this -> Ghost } } cmap M { contains A, Ghost }"
    ), @r#"
    {"$type":"BoundedContext","name":"A","domain":"No.Where","classification":["X"],"team":["Y"],"businessModel":"Z","metadata":[{"$type":"MetadataEntry","key":"K","value":"v"}],"decisions":[{"$type":"BusinessRule","classification":"Q","name":"R","value":"r","fqn":""}],"relationships":[{"$type":"DirectionalRelationship","left":{"$type":"ThisRef"},"arrow":"->","right":{"$type":"BoundedContextRef","link":"Ghost"},"leftPatterns":[],"rightPatterns":[],"inferredKind":"UpstreamDownstream"}],"terminology":[],"fqn":"A"}
    {"$type":"ContextMap","name":"M","boundedContexts":["A","Ghost"],"relationships":[],"fqn":"M"}
    "#);
}

#[test]
fn references_are_serialized_as_simple_names() {
    insta::assert_snapshot!(check(
        r#"
//- a.dlang
import "./b.dlang" as b
bc A for b.N.D as b.N.C by b.T { businessModel: b.N.C evolution: b.N.C archetype: b.N.C }
//- b.dlang
Namespace N { Domain D Classification C }
Team T
"#
    ), @r#"
    {"$type":"ImportStatement","uri":"./b.dlang","alias":"b"}
    {"$type":"BoundedContext","name":"A","domain":"D","classification":["C"],"team":["T"],"businessModel":"C","evolution":"C","archetype":"C","decisions":[],"metadata":[],"relationships":[],"terminology":[],"fqn":"A"}
    "#);
}

#[test]
fn entries_of_maps() {
    insta::assert_snapshot!(check(
        "bc A Domain D Namespace N { bc A bc B Domain E cmap M { contains A contains B A -> B } dmap F { contains D, E, D } cmap None { } }"
    ), @r#"
    {"$type":"BoundedContext","name":"A","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"A"}
    {"$type":"Domain","name":"D","fqn":"D"}
    {"$type":"NamespaceDeclaration","name":"N","children":[{"$type":"BoundedContext","name":"A","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"N.A"},{"$type":"BoundedContext","name":"B","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"N.B"},{"$type":"Domain","name":"E","fqn":"N.E"},{"$type":"ContextMap","name":"M","boundedContexts":["A","A","B"],"relationships":[{"$type":"DirectionalRelationship","left":{"$type":"BoundedContextRef","link":"A"},"arrow":"->","right":{"$type":"BoundedContextRef","link":"B"},"leftPatterns":[],"rightPatterns":[],"inferredKind":"UpstreamDownstream"}],"fqn":"N.M"},{"$type":"DomainMap","name":"F","domains":["D","E","D"],"fqn":"N.F"},{"$type":"ContextMap","name":"None","boundedContexts":[],"relationships":[],"fqn":"N.None"}],"fqn":"N"}
    "#);
}

#[test]
fn relationships() {
    insta::assert_snapshot!(check(
        "bc A bc B { relationships { this [OHS, PL] -> [ACL] A  A <- [C] this  A [BBoM] <-> [BBoM] this  A [SK] this  A [P] this \
         A [SW] this  A >< this } }"
    ).replace("},{\"$type\":\"D", "},\n{\"$type\":\"D").replace("},{\"$type\":\"S", "},\n{\"$type\":\"S"), @r#"
    {"$type":"BoundedContext","name":"A","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"A"}
    {"$type":"BoundedContext","name":"B","relationships":[{"$type":"DirectionalRelationship","left":{"$type":"ThisRef"},"leftPatterns":[{"$type":"OpenHostService"},{"$type":"PublishedLanguage"}],"arrow":"->","rightPatterns":[{"$type":"AntiCorruptionLayer"}],"right":{"$type":"BoundedContextRef","link":"A"},"inferredKind":"UpstreamDownstream"},
    {"$type":"DirectionalRelationship","left":{"$type":"BoundedContextRef","link":"A"},"arrow":"<-","rightPatterns":[{"$type":"Customer"}],"right":{"$type":"ThisRef"},"leftPatterns":[],"inferredKind":"CustomerSupplier"},
    {"$type":"DirectionalRelationship","left":{"$type":"BoundedContextRef","link":"A"},"leftPatterns":[{"$type":"BigBallOfMud"}],"arrow":"<->","rightPatterns":[{"$type":"BigBallOfMud"}],"right":{"$type":"ThisRef"},"inferredKind":"Bidirectional"},
    {"$type":"SymmetricRelationship","left":{"$type":"BoundedContextRef","link":"A"},"pattern":{"$type":"SharedKernel"},"right":{"$type":"ThisRef"},"inferredKind":"SharedKernel"},
    {"$type":"SymmetricRelationship","left":{"$type":"BoundedContextRef","link":"A"},"pattern":{"$type":"Partnership"},"right":{"$type":"ThisRef"},"inferredKind":"Partnership"},
    {"$type":"SymmetricRelationship","left":{"$type":"BoundedContextRef","link":"A"},"pattern":{"$type":"SeparateWays"},"right":{"$type":"ThisRef"},"inferredKind":"SeparateWays"},
    {"$type":"SymmetricRelationship","left":{"$type":"BoundedContextRef","link":"A"},"arrow":"><","right":{"$type":"ThisRef"},"inferredKind":"SeparateWays"}],"classification":[],"decisions":[],"metadata":[],"team":[],"terminology":[],"fqn":"B"}
    "#);
}

#[test]
fn terms_and_decisions() {
    insta::assert_snapshot!(check(
        "Classification C bc A { decisions { policy P: \"p\" decision [C] D = \"d\" rule R is \"r\" } terminology { \
         term T: \"m\" aka S examples \"e\" term U aka V, W } }"
    ), @r#"
    {"$type":"Classification","name":"C","fqn":"C"}
    {"$type":"BoundedContext","name":"A","decisions":[{"$type":"Policy","name":"P","value":"p","fqn":""},{"$type":"Decision","classification":"C","name":"D","value":"d","fqn":""},{"$type":"BusinessRule","name":"R","value":"r","fqn":""}],"terminology":[{"$type":"DomainTerm","name":"T","meaning":"m","synonyms":["S"],"examples":["e"],"fqn":""},{"$type":"DomainTerm","name":"U","synonyms":["V","W"],"examples":[],"fqn":""}],"classification":[],"metadata":[],"relationships":[],"team":[],"fqn":"A"}
    "#);
}

#[test]
fn namespaces_with_all_kinds_of_elements() {
    insta::assert_snapshot!(check("Namespace A.B { Team T Namespace C { Metadata M cmap Map { } } } Namespace D { }"), @r#"
    {"$type":"NamespaceDeclaration","name":"A.B","children":[{"$type":"Team","name":"T","fqn":"A.B.T"},{"$type":"NamespaceDeclaration","name":"C","children":[{"$type":"Metadata","name":"M","fqn":"A.B.C.M"},{"$type":"ContextMap","name":"Map","boundedContexts":[],"relationships":[],"fqn":"A.B.C.Map"}],"fqn":"A.B.C"}],"fqn":"A.B"}
    {"$type":"NamespaceDeclaration","name":"D","children":[],"fqn":"D"}
    "#);
}

#[test]
fn unfinished_texts() {
    insta::assert_snapshot!(check(
        "Domain { vision: \"v\" } bc A for { description: team: } Team bc B { relationships { -> A  this [SK]  this [Nope] A } \
         decisions { rule } terminology { term } metadata { : \"v\" } } Namespace { Team T } cmap M { contains }"
    ), @r#"
    {"$type":"Domain","vision":"v"}
    {"$type":"BoundedContext","name":"A","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"A"}
    {"$type":"Team"}
    {"$type":"BoundedContext","name":"B","relationships":[{"$type":"DirectionalRelationship","arrow":"->","right":{"$type":"BoundedContextRef","link":"A"},"leftPatterns":[],"rightPatterns":[],"inferredKind":"UpstreamDownstream"},{"$type":"SymmetricRelationship","left":{"$type":"ThisRef"},"pattern":{"$type":"SharedKernel"},"right":{"$type":"ThisRef"},"inferredKind":"SharedKernel"},{"$type":"SymmetricRelationship","right":{"$type":"BoundedContextRef","link":"A"}}],"decisions":[{"$type":"BusinessRule"}],"terminology":[{"$type":"DomainTerm","examples":[],"synonyms":[]}],"classification":[],"metadata":[],"team":[],"fqn":"B"}
    {"$type":"NamespaceDeclaration","children":[{"$type":"Team","name":"T","fqn":""}]}
    {"$type":"ContextMap","name":"M","boundedContexts":[],"relationships":[],"fqn":"M"}
    "#);
}

#[test]
fn patterns_have_only_a_type() {
    let host = host("bc A { relationships { this [S] -> A } }");
    let file = host.files().next().expect("a file");
    let tree = dlang_model::parse(host.db(), file).syntax();
    let pattern = tree.descendants().find(|node| node.kind() == SyntaxKind::PATTERN).expect("a pattern");
    let object = serialize_node(host.db(), file, &pattern).expect("a type");
    assert_eq!(serde_json::Value::Object(object).to_string(), r#"{"$type":"Supplier"}"#);
    let body = tree.descendants().find(|node| node.kind() == SyntaxKind::CONTEXT_BODY).expect("a body");
    assert_eq!(serialize_node(host.db(), file, &body), None);
}

#[test]
fn elements_without_properties() {
    let host = host("Team T Team\n");
    let found = find(host.db(), "T").element().expect("a team");
    let nameless = dlang_model::Definition { number: 1, ..found };
    let text = |it| serde_json::Value::from(serialize(host.db(), it)).to_string();
    assert_eq!(text(found), r#"{"$type":"Team","name":"T","fqn":"T"}"#);
    assert_eq!(text(nameless), r#"{"$type":"Team"}"#);
}
