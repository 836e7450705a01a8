//! Requests as surfaces make them: rows, filters, and the messages for invalid ones.

use dlang_model::testing::host;

use crate::query::{Detail, EntityType, ListInput, get, list};

const MODEL: &str = r#"
//- a.dlang
import "./b.dlang"
Namespace Shop {
    bc Orders for Sales as Core by Crew { metadata { Language: "a=b" } relationships { this [OHS] -> Billing } }
    bc Billing for Nowhere as Ghost by Ghost { team: Crew description: "" }
}
Domain Sales in Ghost { type: Core }
Team Twice
cmap Map { contains Orders, Ghost, Shop.Billing }
//- b.dlang
Domain Sales { vision: "v" }
Classification Core
Team Crew
Classification Twice
Metadata Language
"#;

/// Renders a list, one line per result, or the error of the request.
#[track_caller]
fn check(entity: &str, filter: impl Fn(&mut ListInput)) -> String {
    let host = host(MODEL);
    let answer = entity.parse().and_then(|entity| {
        let mut input = ListInput::new(entity);
        filter(&mut input);
        list(host.db(), &input, &|file| format!("shown/{}", file.path(host.db())))
    });
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return error.to_string(),
    };
    let results = answer["results"].as_array().expect("a list");
    assert_eq!(answer["count"], results.len());
    let lines = results.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    format!("{}\n{lines}", answer["entityType"].as_str().expect("a type"))
}

#[test]
fn names_of_types() {
    let all = EntityType::ALL.map(|entity| format!("{entity}: {}", entity.columns().join(" ")));
    insta::assert_snapshot!(all.join("\n"), @"
    domains: name fqn vision type parent
    bcs: name fqn domain description classification team
    teams: name fqn
    classifications: name fqn
    relationships: name left right type kind arrow leftPatterns rightPatterns
    context-maps: name contexts
    domain-maps: name domains
    ");
    for entity in EntityType::ALL {
        assert!(entity.names().iter().all(|name| name.parse() == Ok(entity)));
    }
}

#[test]
fn rows_resolve_references() {
    insta::assert_snapshot!(check("contexts", |_| ()), @r#"
    bcs
    {"name":"Orders","fqn":"Shop.Orders","domain":"Sales","classification":"Core","team":"Crew"}
    {"name":"Billing","fqn":"Shop.Billing","description":""}
    "#);
    insta::assert_snapshot!(check("cmaps", |_| ()), @r#"
    context-maps
    {"name":"Map","contexts":"Billing"}
    "#);
}

#[test]
fn duplicate_names_are_listed_with_their_files() {
    insta::assert_snapshot!(check("domains", |_| ()), @r#"
    domains
    {"name":"Sales","fqn":"Sales","type":"Core","file":"shown/a.dlang"}
    {"name":"Sales","fqn":"Sales","vision":"v","file":"shown/b.dlang"}
    "#);
    insta::assert_snapshot!(check("domains", |input| {
        input.fqn = Some("Sales".into());
        input.detail = Detail::Full;
    }), @r#"
    domains
    {"$type":"Domain","name":"Sales","parent":"Ghost","type":"Core","fqn":"Sales","file":"shown/a.dlang"}
    {"$type":"Domain","name":"Sales","vision":"v","fqn":"Sales","file":"shown/b.dlang"}
    "#);
    // A team and a classification of one name are never in the same list.
    insta::assert_snapshot!(check("teams", |_| ()), @r#"
    teams
    {"name":"Twice","fqn":"Twice"}
    {"name":"Crew","fqn":"Crew"}
    "#);
}

#[test]
fn filters() {
    let names = |filter: fn(&mut ListInput)| check("bcs", filter).matches("\"name\"").count();
    assert_eq!(names(|input| input.name = Some("Orders".into())), 1);
    assert_eq!(names(|input| input.fqn = Some("Orders".into())), 0);
    assert_eq!(names(|input| input.fqn = Some("Shop.Orders".into())), 1);
    assert_eq!(names(|input| input.domain = Some("Sales".into())), 1);
    assert_eq!(names(|input| input.team = Some("Crew".into())), 1);
    assert_eq!(names(|input| input.classification = Some("Core".into())), 1);
    assert_eq!(names(|input| input.metadata = Some("Language".into())), 1);
    // The first `=` counts.
    assert_eq!(names(|input| input.metadata = Some("Language=a=b".into())), 1);
    assert_eq!(names(|input| input.metadata = Some("Language=a".into())), 0);
    assert_eq!(names(|input| input.metadata = Some("Language=".into())), 0);
    assert_eq!(names(|input| (input.team, input.name) = (Some("Crew".into()), Some("Billing".into()))), 0);
}

#[test]
fn filters_of_relationships() {
    let with = |filter: fn(&mut ListInput)| check("rels", filter);
    insta::assert_snapshot!(with(|input| input.context = Some("Shop.Billing".into())), @r#"
    relationships
    {"name":"Orders -> Billing","left":"Orders","right":"Billing","type":"directional","kind":"UpstreamDownstream","arrow":"->","leftPatterns":"OpenHostService","rightPatterns":""}
    "#);
    assert_eq!(
        with(|input| input.pattern = Some("openhostservice".into())),
        with(|input| input.context = Some("Orders".into()))
    );
    assert_eq!(with(|input| input.pattern = Some("ACL".into())), "relationships\n");
}

#[test]
fn invalid_inputs_are_rejected() {
    let errors = [
        check("nope", |_| ()),
        check("teams", |input| input.team = Some("Crew".into())),
        check("rels", |input| input.name = Some("A".into())),
        check("bcs", |input| input.pattern = Some("OHS".into())),
        check("rels", |input| input.pattern = Some("Nope".into())),
        check("bcs", |input| input.metadata = Some("=v".into())),
        "fuller".parse::<Detail>().expect_err("an unknown detail").to_string(),
    ];
    insta::assert_snapshot!(errors.join("\n"), @"
    Invalid input: type: unknown type 'nope'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.
    Invalid input: team: does not filter teams. Filters for teams: name, fqn.
    Invalid input: name: does not filter relationships. Filters for relationships: context, pattern.
    Invalid input: pattern: does not filter bcs. Filters for bcs: name, fqn, domain, team, classification, metadata.
    Invalid input: pattern: unknown pattern 'Nope'. Use one of OHS (OpenHostService), PL (PublishedLanguage), S (Supplier), C (Customer), CF (Conformist), ACL (AntiCorruptionLayer), BBoM (BigBallOfMud), SK (SharedKernel), P (Partnership), SW (SeparateWays).
    Invalid input: metadata: the key is missing. Use key or key=value.
    Invalid input: detail: unknown detail 'fuller'. Use row or full.
    ");
}

#[test]
fn one_element() {
    let host = host(MODEL);
    let show = |file: dlang_model::File| format!("shown/{}", file.path(host.db()));
    let rendered =
        ["Sales.Orders", "Billing", "Order", "Twice"].map(|name| get(host.db(), Some(name), &show).to_string());
    insta::assert_snapshot!(rendered.join("\n"), @r#"
    {"found":true,"element":{"$type":"BoundedContext","name":"Orders","domain":"Sales","classification":["Core"],"team":["Crew"],"metadata":[{"$type":"MetadataEntry","key":"Language","value":"a=b"}],"relationships":[{"$type":"DirectionalRelationship","left":{"$type":"ThisRef"},"leftPatterns":[{"$type":"OpenHostService"}],"arrow":"->","right":{"$type":"BoundedContextRef","link":"Billing"},"rightPatterns":[],"inferredKind":"UpstreamDownstream"}],"decisions":[],"terminology":[],"fqn":"Shop.Orders","effectiveTeam":"Crew","effectiveClassification":"Core","metadataMap":{"Language":"a=b"}}}
    {"found":true,"element":{"$type":"BoundedContext","name":"Billing","domain":"Nowhere","classification":["Ghost"],"team":["Ghost","Crew"],"description":"","decisions":[],"metadata":[],"relationships":[],"terminology":[],"fqn":"Shop.Billing","metadataMap":{}}}
    {"found":false,"fqn":"Order","suggestions":["Shop.Orders"]}
    {"found":true,"element":{"$type":"Team","name":"Twice","fqn":"Twice","file":"shown/a.dlang"}}
    "#);
}

#[test]
fn an_empty_project() {
    let db = dlang_model::Database::default();
    insta::assert_snapshot!(get(&db, None, &|_| String::new()), @r#"{"summary":{"fileCount":0,"domainCount":0,"boundedContextCount":0,"teamCount":0,"classificationCount":0,"contextMapCount":0,"domainMapCount":0,"namespaceCount":0,"relationshipCount":0,"classificationBreakdown":{}}}"#);
}
