use dlang_model::testing::host;

use super::{DiagramFormat, diagram};

const SHOP: &str = r#"
//- shop.dlang
import "./pay.dlang" as pay
Domain Sales { vision: "v" type: Core }
Domain Ordering in Sales { vision: "v" }
Domain Baskets in Ordering { vision: "v" type: Core }
Classification Core
Namespace Shop {
    bc Orders for Sales {
        relationships {
            this [OHS, PL] -> [ACL] Shipping
            this -> Stock
        }
    }
    bc Shipping for Ordering
    bc Stock
    cmap Overview {
        contains Orders, Shipping, Missing, pay.Billing
        Shipping [ACL] <- [OHS, PL] Orders
        Orders <-> pay.Billing
        Orders [BBoM] <-> [CF] pay.Billing
        Orders [P] Shipping
        Shipping [P] Orders
        Outside >< Orders
        Shipping -> Missing
    }
    bc Outside for Sales
}
dmap Everything { contains Sales, Baskets, Nothing }
cmap Empty { }
//- pay.dlang
bc Billing
cmap Overview { contains Billing }
cmap Payments { contains Billing }
"#;

#[track_caller]
fn draw(fixture: &str, fqn: &str, format: DiagramFormat) -> String {
    let answer = diagram(host(fixture).db(), fqn, format);
    answer["diagram"].as_str().expect("a diagram").to_owned()
}

#[track_caller]
fn check(fqn: &str) -> String {
    let mut answer = diagram(host(SHOP).db(), fqn, DiagramFormat::Mermaid);
    if let Some(text) = answer["diagram"].as_str() {
        answer["diagram"] = text.lines().count().into();
    }
    answer.to_string()
}

#[test]
fn a_context_map() {
    insta::assert_snapshot!(draw(SHOP, "Shop.Overview", DiagramFormat::Mermaid), @r#"
    ---
    title: "Shop.Overview"
    ---
    flowchart LR
      subgraph g0["Sales"]
        n0["Orders"]
        n4["Outside"]
      end
      subgraph g1["Ordering"]
        n1["Shipping"]
      end
      n2["Missing<br/>not found"]
      n3["Billing"]
      n0 -->|"U [OHS, PL] → D [ACL]"| n1
      n0 <--> n3
      n0 <-->|"[BBoM] ↔ [CF]"| n3
      n0 ---|"[P]"| n1
      n4 -.-|"[SW]"| n0
    "#);
    insta::assert_snapshot!(draw(SHOP, "Shop.Overview", DiagramFormat::PlantUml), @r#"
    @startuml
    title Shop.Overview
    left to right direction
    package "Sales" as g0 {
      rectangle "Orders" as n0
      rectangle "Outside" as n4
    }
    package "Ordering" as g1 {
      rectangle "Shipping" as n1
    }
    rectangle "Missing\nnot found" as n2
    rectangle "Billing" as n3
    n0 --> n1 : U [OHS, PL] → D [ACL]
    n0 <--> n3
    n0 <--> n3 : [BBoM] ↔ [CF]
    n0 -- n1 : [P]
    n4 .. n0 : [SW]
    @enduml
    "#);
}

#[test]
fn a_domain_map() {
    insta::assert_snapshot!(draw(SHOP, "Everything", DiagramFormat::Mermaid), @r#"
    ---
    title: "Everything"
    ---
    flowchart TB
      n0["Sales<br/>Core"]
      n1["Baskets<br/>Core"]
      n2["Nothing<br/>not found"]
      n0 --> n1
    "#);
    insta::assert_snapshot!(draw(SHOP, "Everything", DiagramFormat::PlantUml), @r#"
    @startuml
    title Everything
    rectangle "Sales\nCore" as n0
    rectangle "Baskets\nCore" as n1
    rectangle "Nothing\nnot found" as n2
    n0 --> n1
    @enduml
    "#);
}

#[test]
fn domains_that_contain_themselves() {
    let circle = "Domain A in B Domain B in C Domain C in B dmap M { contains A }";
    insta::assert_snapshot!(draw(circle, "M", DiagramFormat::Mermaid), @r#"
    ---
    title: "M"
    ---
    flowchart TB
      n0["A"]
    "#);
}

#[test]
fn special_and_duplicate_names_are_drawn() {
    let fixture = "ns end { bc end  cmap graph { contains end, subgraph.end, __init__, Missing.\"x } }
        ns subgraph { bc end for class } bc __init__ Domain class";
    insta::assert_snapshot!(draw(fixture, "end.graph", DiagramFormat::Mermaid), @r##"
    ---
    title: "end.graph"
    ---
    flowchart LR
      subgraph g0["class"]
        n1["subgraph.end"]
      end
      n0["end.end"]
      n2["#95;#95;init#95;#95;"]
      n3["Missing.<br/>not found"]
    "##);
}

#[test]
fn maps_are_found_by_name() {
    insta::assert_snapshot!(check("Shop.Overview"), @r#"{"fqn":"Shop.Overview","type":"ContextMap","format":"mermaid","diagram":18}"#);
    insta::assert_snapshot!(check("Overview"), @r#"{"fqn":"Overview","type":"ContextMap","format":"mermaid","diagram":5}"#);
    insta::assert_snapshot!(check("Payments"), @r#"{"fqn":"Payments","type":"ContextMap","format":"mermaid","diagram":5}"#);
    insta::assert_snapshot!(check("Empty"), @r#"{"fqn":"Empty","type":"ContextMap","format":"mermaid","diagram":4}"#);
    insta::assert_snapshot!(check("Paymnets"), @r#"{"fqn":"Paymnets","type":null,"format":"mermaid","diagram":null,"error":"Map 'Paymnets' not found","suggestions":["Payments"]}"#);
    insta::assert_snapshot!(check("Orders"), @r#"{"fqn":"Orders","type":"BoundedContext","format":"mermaid","diagram":null,"error":"'Orders' is a BoundedContext, not a map","suggestions":["Overview","Payments","Shop.Overview","Everything","Empty"]}"#);
    insta::assert_snapshot!(check("\"<x>"), @r#"{"fqn":"\"<x>","type":null,"format":"mermaid","diagram":null,"error":"Map '\"<x>' not found","suggestions":["Overview","Payments","Shop.Overview","Everything","Empty"]}"#);
    assert_eq!("svg".parse::<DiagramFormat>().unwrap_err().field, "format");
}
