//! `dlang query`, `get` and `explain`.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

const SHOP: &str = r#"
//- index.dlang
import "./common.dlang"
Domain Commerce { vision: "Sell things" type: Core }
Namespace Shop {
    Domain Sales in Commerce { vision: "Make buying: easy" }
    bc Orders for Sales as Core by OpsTeam {
        description: "From the order\nto the invoice"
        metadata { Language: "Rust" }
        relationships { this [OHS, PL] -> [ACL] Billing }
    }
    bc Billing for Sales { description: "Bills" }
    cmap Map { contains Orders, Billing Orders [P] Billing }
}
//- common.dlang
Classification Core
Team OpsTeam
Metadata Language
"#;

#[test]
fn a_table() {
    assert_snapshot!(check(SHOP, "query domains"), @"
    exit 0
    --- stdout
    Name      FQN         Vision             Type  Parent
    ───────────────────────────────────────────────────────
    Commerce  Commerce    Sell things        Core  -
    Sales     Shop.Sales  Make buying: easy  -     Commerce
    ");
    assert_snapshot!(check(SHOP, "query bcs index.dlang"), @"
    exit 0
    --- stdout
    Name     FQN           Domain  Description                    Classification  Team
    ─────────────────────────────────────────────────────────────────────────────────────
    Orders   Shop.Orders   Sales   From the order to the invoice  Core            OpsTeam
    Billing  Shop.Billing  Sales   Bills                          -               -
    ");
    assert_snapshot!(check(SHOP, "query relationships"), @"
    exit 0
    --- stdout
    Name                          Left    Right    Type         Kind                Arrow  Left patterns                       Right patterns
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    Orders -> Billing             Orders  Billing  directional  UpstreamDownstream  ->     OpenHostService, PublishedLanguage  AntiCorruptionLayer
    Orders [Partnership] Billing  Orders  Billing  symmetric    Partnership         -      -                                   -
    ");
    assert_snapshot!(check(SHOP, "query dmaps"), @"
    exit 0
    --- stderr
    no domain-maps
    ");
}

#[test]
fn other_output_formats() {
    assert_snapshot!(check(SHOP, "query domains --json"), @r#"
    exit 0
    --- stdout
    {"entityType":"domains","count":2,"results":[{"name":"Commerce","fqn":"Commerce","vision":"Sell things","type":"Core"},{"name":"Sales","fqn":"Shop.Sales","vision":"Make buying: easy","parent":"Commerce"}]}
    "#);
    assert_snapshot!(check(SHOP, "query domains -f json -q"), @r#"
    exit 0
    --- stdout
    {"entityType":"domains","count":2,"results":[{"name":"Commerce","fqn":"Commerce","vision":"Sell things","type":"Core"},{"name":"Sales","fqn":"Shop.Sales","vision":"Make buying: easy","parent":"Commerce"}]}
    "#);
    assert_snapshot!(check(SHOP, "query bcs --format yaml -n Orders"), @r#"
    exit 0
    --- stdout
    entityType: bcs
    count: 1
    results:
    - name: Orders
      fqn: Shop.Orders
      domain: Sales
      description: "From the order\nto the invoice"
      classification: Core
      team: OpsTeam
    "#);
    assert_snapshot!(check(SHOP, "query bcs -q"), @"
    exit 0
    --- stdout
    Orders
    Billing
    ");
    assert_snapshot!(check(SHOP, "query bcs --count"), @"
    exit 0
    --- stdout
    2
    ");
    assert_snapshot!(check(SHOP, "query contexts --count --json"), @r#"
    exit 0
    --- stdout
    {"count":2}
    "#);
    assert_snapshot!(check(SHOP, "query rels --full --context Orders --pattern acl"), @r#"
    exit 0
    --- stdout
    {"entityType":"relationships","count":1,"results":[{"type":"directional","kind":"UpstreamDownstream","inferredType":"UpstreamDownstream","name":"Orders -> Billing","left":"Orders","right":"Billing","arrow":"->","leftPatterns":["OpenHostService","PublishedLanguage"],"rightPatterns":["AntiCorruptionLayer"],"upstreamPatterns":["OpenHostService","PublishedLanguage"],"downstreamPatterns":["AntiCorruptionLayer"],"source":"BoundedContext"}]}
    "#);
    assert_snapshot!(check(SHOP, "query teams --full --format yaml"), @"
    exit 0
    --- stdout
    entityType: teams
    count: 1
    results:
    - $type: Team
      name: OpsTeam
      fqn: OpsTeam
    ");
}

#[test]
fn filters() {
    let sandbox = Sandbox::new(SHOP);
    for line in [
        "query bcs -q -d Sales -t OpsTeam -c Core -m Language=Rust",
        "query bcs -q --role Core",
        "query bcs -q --fqn Shop.Billing",
        "query rels -q --pattern P",
    ] {
        let expected = match line {
            line if line.contains("Billing") => "Billing",
            line if line.contains("rels") => "Orders [Partnership] Billing",
            _ => "Orders",
        };
        assert_eq!(sandbox.check(line), format!("exit 0\n--- stdout\n{expected}"), "{line}");
    }
    assert_eq!(sandbox.check("query bcs -q -d Nowhere"), "exit 0");
}

#[test]
fn one_element() {
    assert_snapshot!(check(SHOP, "get Billing"), @r#"
    exit 0
    --- stdout
    {"found":true,"element":{"$type":"BoundedContext","name":"Billing","domain":"Sales","description":"Bills","classification":[],"decisions":[],"metadata":[],"relationships":[],"team":[],"terminology":[],"fqn":"Shop.Billing","metadataMap":{}}}
    "#);
    assert_snapshot!(check(SHOP, "get Shop.Ordrs"), @"
    exit 1
    --- stderr
    error: Element 'Shop.Ordrs' not found
    hint: did you mean Shop.Orders?
    ");
    assert_snapshot!(check(SHOP, "get Nowhere --json"), @r#"
    exit 1
    --- stdout
    {"found":false,"fqn":"Nowhere","suggestions":[]}
    --- stderr
    error: Element 'Nowhere' not found
    hint: list the names with `dlang query bcs -q` or another type.
    "#);
    assert_snapshot!(check(SHOP, "get"), @r#"
    exit 0
    --- stdout
    {"summary":{"fileCount":2,"domainCount":2,"boundedContextCount":2,"teamCount":1,"classificationCount":1,"contextMapCount":1,"domainMapCount":0,"namespaceCount":1,"relationshipCount":2,"classificationBreakdown":{"Core":1}}}
    "#);
    assert_snapshot!(check(SHOP, "get ./common.dlang"), @r#"
    exit 0
    --- stdout
    {"summary":{"fileCount":1,"domainCount":0,"boundedContextCount":0,"teamCount":1,"classificationCount":1,"contextMapCount":0,"domainMapCount":0,"namespaceCount":0,"relationshipCount":0,"classificationBreakdown":{}}}
    "#);
}

#[test]
fn explain_element() {
    assert_snapshot!(check(SHOP, "explain Orders"), @"
    exit 0
    --- stdout
    🎯 **(bounded context) Shop.Orders**

    ```domain-lang
    BoundedContext Orders for Sales as Core by OpsTeam
    ```

    From the order
    to the invoice

    ---

    📁 **Domain:** Shop.Sales
    🔖 **Classification:** Core
    👥 **Team:** OpsTeam

    **Relationships:**
    - Shop.Orders → Shop.Billing [OHS, PL] → [ACL]

    **Metadata:**
    - `Language`: Rust
    ");
    assert_snapshot!(check(SHOP, "explain Team --json"), @r#"
    exit 1
    --- stdout
    {"fqn":"Team","type":null,"explanation":null,"error":"Element 'Team' not found","suggestions":[]}
    --- stderr
    error: Element 'Team' not found
    hint: list the names with `dlang query bcs -q` or another type.
    "#);
    assert_snapshot!(check(SHOP, "explain OpsTem"), @"
    exit 1
    --- stderr
    error: Element 'OpsTem' not found
    hint: did you mean OpsTeam?
    ");
}

/// No one would notice that an unresolved reference removes a row.
#[test]
fn incomplete_answers() {
    let ghost =
        "//- a.dlang\nbc A { relationships { this -> Ghost this -> B } }\nbc B\ncmap M { contains A, Nobody }\n";
    assert_snapshot!(check(ghost, "query relationships -q"), @"
    exit 0
    --- stdout
    A -> B
    --- stderr
    warning: the answer may be incomplete (unresolved references: 2)
    hint: `dlang validate` shows them.
    ");
    // A missing name is a syntax error and is reported as such.
    assert_snapshot!(check("//- a.dlang\nTeam T\nbc A by { }\n", "query teams -q"), @"
    exit 0
    --- stdout
    T
    --- stderr
    warning: the answer may be incomplete (files with syntax errors: 1)
    hint: `dlang validate` shows them.
    ");
}

#[test]
fn skipped_folders_are_reported() {
    let sandbox = Sandbox::new("//- a.dlang\nTeam A\n");
    sandbox.write(&format!("{}/b.dlang", "d/".repeat(70)), "Team B\n");
    assert_snapshot!(sandbox.check("query teams -q"), @"
    exit 0
    --- stdout
    A
    --- stderr
    warning: the answer may be incomplete (locations that were not scanned: 1)
    hint: `dlang validate` shows them.
    ");
}

/// dlang chooses one of several declarations and warns.
#[test]
fn several_declarations_of_one_name() {
    let sandbox = Sandbox::new(
        "//- a.dlang\nNamespace Shop { Team Twice }\n//- sub/b.dlang\nTeam Other\nNamespace Shop { Team Twice }\n",
    );
    assert_snapshot!(sandbox.check("get Shop.Twice"), @r#"
    exit 0
    --- stdout
    {"found":true,"element":{"$type":"Team","name":"Twice","fqn":"Shop.Twice","file":"a.dlang"}}
    --- stderr
    warning: `Shop.Twice` is also declared in sub/b.dlang:2
    "#);
    assert_snapshot!(sandbox.check("explain Twice"), @"
    exit 0
    --- stdout
    👥 **(team) Shop.Twice**
    --- stderr
    warning: `Shop.Twice` is also declared in sub/b.dlang:2
    ");
    assert_snapshot!(sandbox.check("explain Twice sub"), @"
    exit 0
    --- stdout
    👥 **(team) Shop.Twice**
    ");
}
