use dlang_model::testing::host;
use serde_json::Value;

use super::{MAX_QUERY, MAX_RESULTS, full_text_search, snippet};

const MODEL: &str = r#"
//- care.dlang
Domain Care { vision: "Every patient is treated in time" }
Metadata Language
Namespace Clinic {
    bc Billing for Care {
        description: "Sends invoices and collects payments"
        metadata { Language: "Rust" }
        terminology {
            term Invoice: "What a patient has to pay" aka Bill examples "INV-1"
        }
        decisions {
            policy Reminders: "Unpaid invoices are reminded after a month"
        }
    }
    bc Wards for Care { description: "Beds and who lies in them" }
    Team PaymentTeam
}
//- sales.dlang
bc PaymentContext { description: "Takes money" }
Namespace { Team Hidden }
"#;

/// Renders the number of matching elements, and for each its name and its matches.
fn check(query: &str) -> String {
    let host = host(MODEL);
    let found = full_text_search(host.db(), query, 10, &|file| file.path(host.db()).to_owned()).unwrap();
    let field = |it: &Value| {
        let part = |key: &str| it[key].as_str().map(|text| format!(" {text:?}")).unwrap_or_default();
        format!("\n  {}{}{}", it["field"].as_str().unwrap(), part("name"), part("text"))
    };
    let results = found["results"].as_array().unwrap().iter().map(|it| {
        let fields: String = it["matches"].as_array().unwrap().iter().map(field).collect();
        format!("\n{} {} {}:{}{fields}", it["type"], it["fqn"], it["file"], it["line"]).replace('"', "")
    });
    let note = found.get("note").map(|note| format!(" ({})", note.as_str().unwrap())).unwrap_or_default();
    format!("{}{note}{}", found["total"], results.collect::<String>())
}

#[test]
fn all_texts_of_a_model_are_searched() {
    insta::assert_snapshot!(check("payment"), @"
    3
    Team Clinic.PaymentTeam care.dlang:15
      name PaymentTeam
    BoundedContext PaymentContext sales.dlang:1
      name PaymentContext
    BoundedContext Clinic.Billing care.dlang:4
      description Sends invoices and collects payments
    ");
    insta::assert_snapshot!(check("patient"), @"
    2
    Domain Care care.dlang:1
      vision Every patient is treated in time
    BoundedContext Clinic.Billing care.dlang:4
      term Invoice What a patient has to pay
    ");
    insta::assert_snapshot!(check("invoice"), @"
    1
    BoundedContext Clinic.Billing care.dlang:4
      term Invoice What a patient has to pay
      description Sends invoices and collects payments
      policy Reminders Unpaid invoices are reminded after a month
    ");
    insta::assert_snapshot!(check("bill"), @"
    1
    BoundedContext Clinic.Billing care.dlang:4
      name Billing
      synonym Invoice Bill
    ");
    insta::assert_snapshot!(check("rust"), @"
    1
    BoundedContext Clinic.Billing care.dlang:4
      metadata Language Rust
    ");
    insta::assert_snapshot!(check("INV"), @"
    1
    BoundedContext Clinic.Billing care.dlang:4
      term Invoice What a patient has to pay
      description Sends invoices and collects payments
      policy Reminders Unpaid invoices are reminded after a month
      example Invoice INV-1
    ");
    insta::assert_snapshot!(check("reminded month"), @"
    1
    BoundedContext Clinic.Billing care.dlang:4
      policy Reminders Unpaid invoices are reminded after a month
    ");
    insta::assert_snapshot!(check("hidden"), @"
    1
    Team null sales.dlang:2
      name Hidden
    ");
}

#[test]
fn slips_and_abbreviations() {
    insta::assert_snapshot!(check("pyament"), @"
    2
    Team Clinic.PaymentTeam care.dlang:15
      name PaymentTeam
    BoundedContext PaymentContext sales.dlang:1
      name PaymentContext
    ");
    insta::assert_snapshot!(check("paycon"), @"
    1
    BoundedContext PaymentContext sales.dlang:1
      name PaymentContext
    ");
}

#[test]
fn several_words() {
    insta::assert_snapshot!(check("beds care"), @"
    2 (nothing has all words; these have some of them)
    Domain Care care.dlang:1
      name Care
    BoundedContext Clinic.Wards care.dlang:14
      description Beds and who lies in them
    ");
    insta::assert_snapshot!(check("beds zebra"), @"
    1 (nothing has all words; these have some of them)
    BoundedContext Clinic.Wards care.dlang:14
      description Beds and who lies in them
    ");
    assert_eq!(check("zebra"), "0");
    insta::assert_snapshot!(check("Clinic.Wards"), @"
    1
    BoundedContext Clinic.Wards care.dlang:14
      name Wards
      namespace Clinic
    ");
}

#[test]
fn fields_of_the_answer() {
    let host = host(MODEL);
    let answer = full_text_search(host.db(), "language", 1, &|_| "shown".to_owned()).unwrap();
    insta::assert_snapshot!(answer, @r#"{"query":"language","count":1,"total":2,"results":[{"type":"Metadata","name":"Language","fqn":"Language","file":"shown","line":2,"matches":[{"field":"name","name":"Language"}]}]}"#);
}

#[test]
fn queries_without_words_are_rejected() {
    let host = host(MODEL);
    let search = |query: &str| full_text_search(host.db(), query, 10, &|_| String::new());
    insta::assert_snapshot!(search(" .-").unwrap_err(), @"Invalid input: query: has no word. Use a few words of what is looked for.");
    insta::assert_snapshot!(search(&"a".repeat(MAX_QUERY + 1)).unwrap_err(), @"Invalid input: query: longer than 512 bytes. Use a few words.");
    assert_eq!(search(&"word ".repeat(MAX_QUERY / 5)).unwrap()["total"], 0);
}

#[test]
fn limits() {
    let teams: Vec<String> = (0..300).map(|number| format!("Team Pay{number}")).collect();
    let host = host(&teams.join("\n"));
    let count = |limit| {
        let found = full_text_search(host.db(), "pay", limit, &|_| String::new()).unwrap();
        (found["count"].as_u64().unwrap(), found["total"].as_u64().unwrap())
    };
    assert_eq!(count(7), (7, 300));
    assert_eq!(count(usize::MAX), (MAX_RESULTS as u64, 300));
}

#[test]
fn long_texts_are_excerpted_around_the_match() {
    let text = format!("{}hit{}", "é ".repeat(300), " z".repeat(300));
    let at = text.find("hit").unwrap();
    let excerpt = snippet(&text, at);
    assert!(excerpt.starts_with('…') && excerpt.ends_with('…') && excerpt.contains("hit"), "{excerpt}");
    assert_eq!(excerpt.chars().count(), 202);
    assert_eq!(snippet("short", 0), "short");
}
