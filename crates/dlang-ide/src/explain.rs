//! An element explained by its name, for agents and scripts.

use dlang_model::{Db, ElementKind};
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::hover::element::element;
use crate::hover::page::{Links, Page};
use crate::query::{Lookup, find};

/// Returns the hover text of an element, without links: `{fqn, type, explanation}`. `fqn` is the requested name;
/// `resolvedFqn` is present if the element's own name differs. For an unknown name `type` and `explanation` are null,
/// and `error` and `suggestions` help to correct it.
pub fn explain(db: &dyn Db, fqn: &str) -> Value {
    let definition = match find(db, fqn) {
        Lookup::Found(definition) => definition,
        Lookup::NotFound { suggestions } => {
            let suggestions: Vec<&str> = suggestions.iter().map(SmolStr::as_str).collect();
            let error = format!("Element '{fqn}' not found");
            return json!({
                "fqn": fqn, "type": null, "explanation": null, "error": error, "suggestions": suggestions
            });
        }
    };
    let kind = definition.kind(db).map(ElementKind::type_name);
    let explanation = element(&mut Page::new(db, Links::Plain), definition, definition.file);
    let mut answer = json!({ "fqn": fqn, "type": kind, "explanation": explanation });
    if let Some(resolved) = definition.fqn(db).filter(|resolved| resolved != fqn)
        && let Some(answer) = answer.as_object_mut()
    {
        answer.insert("resolvedFqn".to_owned(), Value::from(resolved.as_str()));
    }
    answer
}

#[cfg(test)]
mod tests {
    use dlang_model::testing::host;

    use super::explain;

    #[track_caller]
    fn check(fixture: &str, fqn: &str) -> String {
        serde_json::to_string(&explain(host(fixture).db(), fqn)).unwrap()
    }

    /// The verbatim example of the tool's definition.
    const ORDERS: &str = r#"
Domain Sales { vision: "v" }
Classification Core
Team SalesTeam
bc PaymentContext for Sales { description: "d" }
bc InventoryContext for Sales { description: "d" }
bc OrderContext for Sales as Core by SalesTeam {
    description: "Manages the order lifecycle from creation to fulfillment."
    relationships {
        this [OHS] -> [CF] PaymentContext
        this [ACL] <- [PL] InventoryContext
    }
    terminology {
        term Order: "A customer's request to purchase items"
        term LineItem: "A single product entry in an order"
    }
    decisions {
        decision OrderIdStrategy: "UUIDs for global uniqueness"
    }
}
"#;

    #[test]
    fn a_bounded_context() {
        let explanation = explain(host(ORDERS).db(), "OrderContext");
        let expected = "🎯 **(bounded context) OrderContext**\n\n```domain-lang\nBoundedContext OrderContext for Sales as Core by SalesTeam\n```\n\nManages the order lifecycle from creation to fulfillment.\n\n---\n\n📁 **Domain:** Sales\n🔖 **Classification:** Core\n👥 **Team:** SalesTeam\n\n**Relationships:**\n- OrderContext → PaymentContext [OHS] → [CF]\n- OrderContext ← InventoryContext [ACL] ← [PL]\n\n**Terminology:**\n- `Order`: A customer's request to purchase items\n- `LineItem`: A single product entry in an order\n\n**Decisions:**\n- `OrderIdStrategy`: UUIDs for global uniqueness";
        assert_eq!(explanation["explanation"], expected);
    }

    #[test]
    fn names() {
        insta::assert_snapshot!(check(ORDERS, "SalesTeam"), @r#"{"fqn":"SalesTeam","type":"Team","explanation":"👥 **(team) SalesTeam**\n\n---\n\n**Responsible for:**\n- OrderContext"}"#);
        insta::assert_snapshot!(check(ORDERS, "Sales.PaymentContext"), @r#"{"fqn":"Sales.PaymentContext","type":"BoundedContext","explanation":"🎯 **(bounded context) PaymentContext**\n\n```domain-lang\nBoundedContext PaymentContext for Sales\n```\n\nd\n\n---\n\n📁 **Domain:** Sales","resolvedFqn":"PaymentContext"}"#);
        insta::assert_snapshot!(check(ORDERS, "SalesTaem"), @r#"{"fqn":"SalesTaem","type":null,"explanation":null,"error":"Element 'SalesTaem' not found","suggestions":["SalesTeam"]}"#);
        insta::assert_snapshot!(check("", "\"<x>"), @r#"{"fqn":"\"<x>","type":null,"explanation":null,"error":"Element '\"<x>' not found","suggestions":[]}"#);
    }
}
