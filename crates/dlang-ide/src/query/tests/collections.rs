//! Collections, their order, and successive filters.

use dlang_model::testing::host;
use dlang_model::{Db, Definition, ModelHost};
use dlang_syntax::ast::PatternKind;

use crate::query::{Elements, Query, Relationships, serialize_relationship};

const MODEL: &str = r#"
//- a.dlang
import "./b.dlang"
cmap First { contains Orders  Orders >< Orders }
Namespace Shop {
    bc Orders for Sales as Core by Crew {
        classification: Other
        metadata { Language: "C" Language: "Rust" Keys.Size: "1" Ghost: "x" }
        relationships { this [OHS] -> [CF] Billing }
    }
    Namespace Inner { bc Billing for Shop.Sales by Ghost { team: Crew relationships { this [SK] Orders } } }
    Domain Sales
    bc Billing for Sales as Core
}
Metadata Language
Namespace Keys { Metadata Size }
//- b.dlang
bc Orders for Sales as Core by Crew { relationships { this <- [S] Orders  this -> Nowhere } }
Domain Sales
Classification Core
Classification Other
Team Crew
dmap Map { contains Sales }
"#;

fn fqns(db: &dyn Db, definitions: impl IntoIterator<Item = Definition>) -> String {
    let name = |it: Definition| it.fqn(db).map(String::from).unwrap_or_default();
    definitions.into_iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Returns a model that outlives the test, so that tests can name a collection by its method alone.
fn model() -> &'static ModelHost {
    Box::leak(Box::new(host(MODEL)))
}

#[track_caller]
fn elements(select: impl Fn(&Query<'static>) -> Elements<'static>) -> String {
    let host = model();
    let elements = select(&Query::new(host.db()));
    assert_eq!(elements.count(), elements.to_vec().len());
    assert_eq!(elements.first(), elements.iter().next());
    fqns(host.db(), elements)
}

#[track_caller]
fn relationships(select: impl Fn(&Query<'static>) -> Relationships<'static>) -> String {
    let host = model();
    let relationships = select(&Query::new(host.db()));
    assert_eq!(relationships.count(), relationships.to_vec().len());
    assert_eq!(relationships.first(), relationships.iter().next());
    let name = |view| {
        let object = serialize_relationship(host.db(), view);
        object["name"].as_str().expect("a name").to_owned()
    };
    relationships.iter().map(name).collect::<Vec<_>>().join("; ")
}

#[test]
fn elements_of_all_files_in_order() {
    assert_eq!(elements(Query::bounded_contexts), "Shop.Orders Shop.Inner.Billing Shop.Billing Orders");
    assert_eq!(elements(Query::domains), "Shop.Sales Sales");
    assert_eq!(elements(Query::teams), "Crew");
    assert_eq!(elements(Query::classifications), "Core Other");
    assert_eq!(elements(Query::context_maps), "First");
    assert_eq!(elements(Query::domain_maps), "Map");
    assert_eq!(elements(Query::namespaces), "Shop Shop.Inner Keys");
}

#[test]
fn context_relationships_precede_map_relationships() {
    assert_eq!(
        relationships(Query::relationships),
        "Orders -> Billing; Billing [SharedKernel] Orders; Orders <- Orders; Orders >< Orders"
    );
}

#[test]
fn by_name() {
    assert_eq!(elements(|it| it.bounded_contexts().with_name("Orders")), "Shop.Orders Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_fqn("Orders")), "Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_name("orders")), "");
    assert_eq!(elements(|it| it.namespaces().with_fqn("Shop.Inner")), "Shop.Inner");
}

#[test]
fn by_effective_values() {
    assert_eq!(elements(|it| it.bounded_contexts().in_domain("Sales")), elements(Query::bounded_contexts));
    assert_eq!(
        elements(|it| it.bounded_contexts().in_domain("Shop.Sales")),
        "Shop.Orders Shop.Inner.Billing Shop.Billing"
    );
    assert_eq!(elements(|it| it.bounded_contexts().with_team("Crew")), "Shop.Orders Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_team("Ghost")), "");
    assert_eq!(elements(|it| it.bounded_contexts().with_classification("Core")), "Shop.Orders Shop.Billing Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_classification("Other")), "");
    assert_eq!(elements(|it| it.teams().with_team("Crew")), "");
}

#[test]
fn by_metadata() {
    assert_eq!(elements(|it| it.bounded_contexts().with_metadata("Language", None)), "Shop.Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_metadata("Language", Some("Rust"))), "Shop.Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_metadata("Language", Some("C"))), "");
    assert_eq!(elements(|it| it.bounded_contexts().with_metadata("Ghost", None)), "");
    assert_eq!(elements(|it| it.bounded_contexts().with_metadata("Keys.Size", Some("1"))), "Shop.Orders");
    assert_eq!(elements(|it| it.bounded_contexts().with_metadata("Size", Some("1"))), "Shop.Orders");
    assert_eq!(elements(|it| it.domains().with_metadata("Language", None)), "");
}

#[test]
fn filters_do_not_change_the_list() {
    let host = host(MODEL);
    let all = Query::new(host.db()).bounded_contexts();
    let (core, crew) = (all.with_classification("Core"), all.with_team("Crew"));
    assert_eq!((all.count(), core.count(), crew.count()), (4, 3, 2));
    assert_eq!(fqns(host.db(), core.with_team("Crew").in_domain("Shop.Sales")), "Shop.Orders");
    assert_eq!(fqns(host.db(), all.filter(|it| it.container(host.db()).is_none())), "Orders");
}

#[test]
fn relationships_by_context_and_pattern() {
    assert_eq!(
        relationships(|it| it.relationships().filter_by_context("Billing")),
        "Orders -> Billing; Billing [SharedKernel] Orders"
    );
    assert_eq!(relationships(|it| it.relationships().filter_by_context("Shop.Billing")), "Orders -> Billing");
    assert_eq!(relationships(|it| it.relationships().with_pattern(PatternKind::Conformist)), "Orders -> Billing");
    assert_eq!(relationships(|it| it.relationships().with_pattern(PatternKind::Supplier)), "Orders <- Orders");
    assert_eq!(
        relationships(|it| it.relationships().with_pattern(PatternKind::SharedKernel)),
        "Billing [SharedKernel] Orders"
    );
    assert_eq!(relationships(|it| it.relationships().with_pattern(PatternKind::SeparateWays)), "Orders >< Orders");
    assert_eq!(relationships(|it| it.relationships().with_pattern(PatternKind::Partnership)), "");
    assert_eq!(relationships(|it| it.relationships().filter(|view| view.left.is_this).filter_by_context("Orders")), {
        "Orders -> Billing; Billing [SharedKernel] Orders; Orders <- Orders"
    });
}
