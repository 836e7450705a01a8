//! What is shown where.

use std::ops::Range;

use dlang_model::testing::{host_at, host_with};
use dlang_model::{Code, File, ImportProblem, ModelHost};

use super::hover;

/// The text that is explained, and the explanation. The URI of a file is `f:` and its path.
#[track_caller]
fn check(fixture: &str) -> String {
    let (host, file, offset) = host_at(fixture);
    let db = host.db();
    let Some(hover) = hover(db, file, offset, &|file: File| format!("f:{}", file.path(db))) else {
        return "nothing".to_owned();
    };
    format!("<{}>\n{}", &file.text(db)[Range::<usize>::from(hover.range)], hover.markdown)
}

#[test]
fn a_domain() {
    insta::assert_snapshot!(check(r#"
/**
 * Everything
 * about *selling*.
 */
Domain Sa$0les in Commerce {
    description: "First line,
        second line."
    vision: 'Make buying "easy"'
    type: Core
}
Domain Commerce { vision: "v" }
Classification Core
"#), @r#"
    <Sales>
    *Everything
    about \*selling\*.*

    ---

    📁 **(domain) Sales**

    ```domain-lang
    Domain Sales in Commerce
    ```

    First line,
    second line.

    ---

    **Vision:** Make buying "easy"

    **Type:** [Core](f:main.dlang#L12,1)

    **Parent:** [Commerce](f:main.dlang#L11,1)
    "#);
    insta::assert_snapshot!(check("Domain $0A"), @r"
    <A>
    📁 **(domain) A**

    ```domain-lang
    Domain A
    ```
    ");
    insta::assert_snapshot!(check("Domain A in B.C { type: $0 }"), @"nothing");
    insta::assert_snapshot!(check("Domain $0A in B.C { type: D vision: '' description: ' ' }"), @r"
    <A>
    📁 **(domain) A**

    ```domain-lang
    Domain A in B.C
    ```

    ---

    **Type:** D *(not found)*

    **Parent:** B.C *(not found)*
    ");
}

#[test]
fn a_bounded_context() {
    insta::assert_snapshot!(check(r#"
Domain Sales { vision: "v" }
Classification Core
Classification Other
Team A
Metadata Language
ns Shop {
    Team B
    bc Ord$0ers for Sales as Core by B {
        classification: Other
        businessModel: Core
        evolution: Nowhere
        archetype: Other
        metadata { Language: "Rust" Missing = "x" }
        glossary { term Order: "A purchase" aka PO term Line }
        rules { decision [Core] ES: "Event
            sourcing", rule Min: '' }
        integrations {
            this [OHS, PL] -> [ACL] Billing,
            this -> Billing
            Billing [S] <- this
            this <-> [CF] Billing
            this [SK] Billing
            this >< Ghost
            this ->
        }
    }
    bc Billing for Sales { description: "d" }
}
"#), @r"
    <Orders>
    🎯 **(bounded context) Shop.Orders**

    ```domain-lang
    BoundedContext Orders for Sales as Core by B
    ```

    ---

    📁 **Domain:** [Sales](f:main.dlang#L1,1)
    🔖 **Classification:** [Core](f:main.dlang#L2,1)
    👥 **Team:** [Shop.B](f:main.dlang#L7,5)
    💼 **Business Model:** [Core](f:main.dlang#L2,1)
    🔄 **Evolution:** Nowhere *(not found)*
    🧩 **Archetype:** [Other](f:main.dlang#L3,1)

    **Relationships:**
    - [Shop.Orders](f:main.dlang#L8,5) → [Shop.Billing](f:main.dlang#L27,5) [OHS, PL] → [ACL]
    - [Shop.Orders](f:main.dlang#L8,5) → [Shop.Billing](f:main.dlang#L27,5)
    - [Shop.Billing](f:main.dlang#L27,5) ← [Shop.Orders](f:main.dlang#L8,5) [S] ←
    - [Shop.Orders](f:main.dlang#L8,5) ↔ [Shop.Billing](f:main.dlang#L27,5) ↔ [CF]
    - [Shop.Orders](f:main.dlang#L8,5) ↔ [Shop.Billing](f:main.dlang#L27,5) [SK]
    - [Shop.Orders](f:main.dlang#L8,5) >< Ghost *(not found)*
    - [Shop.Orders](f:main.dlang#L8,5) → ?

    **Terminology:**
    - `Order`: A purchase
    - `Line`

    **Decisions:**
    - `ES`: Event sourcing
    - `Min`

    **Metadata:**
    - `Language`: Rust
    - `Missing`: x
    ");
    insta::assert_snapshot!(check("bc A { relationships { B [OHS] -> thi$0s } } bc B"), @r"
    <this>
    🎯 **(bounded context) A**

    ```domain-lang
    BoundedContext A
    ```

    **Relationships:**
    - [B](f:main.dlang#L1,44) → [A](f:main.dlang#L1,1) [OHS] →
    ");
    insta::assert_snapshot!(check("cmap M { contains A A -> thi$0s } bc A"), @r"
    <this>
    💡 **this** - The bounded context that contains the relationship.

    [Read more](https://domainlang.net/guide/context-maps#relationships)
    ");
}

#[test]
fn small_elements() {
    let model = r#"
Team T
Classification C
Metadata K
Domain D { type: C }
bc A for D as C by T { businessModel: C metadata { K: "1" K: "2" } decisions { decision [C] X: "x" } }
bc B for D { team: T metadata { K: "3" } }
bc E for D { team: Other team: T }
Team Other
"#;
    insta::assert_snapshot!(check(&model.replacen("Team T", "Team $0T", 1)), @r"
    <T>
    👥 **(team) T**

    ---

    **Responsible for:**
    - [A](f:main.dlang#L5,1)
    - [B](f:main.dlang#L6,1)
    ");
    insta::assert_snapshot!(check(&model.replacen("Classification C", "Classification $0C", 1)), @r"
    <C>
    🏷️ **(classification) C**

    ---

    **Used by:**
    - [D](f:main.dlang#L4,1)
    - [A](f:main.dlang#L5,1)
    ");
    insta::assert_snapshot!(check(&model.replacen("Metadata K", "Metadata $0K", 1)), @r"
    <K>
    🔖 **(metadata) K**

    ---

    **Used by:**
    - [A](f:main.dlang#L5,1)
    - [B](f:main.dlang#L6,1)
    ");
    insta::assert_snapshot!(check("/** Not /* nested. */ Team Team$0"), @r"
    <Team>
    *Not /\* nested.*

    ---

    👥 **(team) Team**
    ");
}

#[test]
fn maps_and_namespaces() {
    insta::assert_snapshot!(check(r#"
ns N { bc A }
bc A
cmap $0M { contains N.A, A, A, Ghost A [P] N.A  A -> Ghost }
"#), @r"
    <M>
    🗺️ **(context map) M**

    ---

    **📕 Bounded Contexts**
    - [N.A](f:main.dlang#L1,8)
    - [A](f:main.dlang#L2,1)
    - Ghost *(not found)*

    ---

    **🔗 Relationships**
    - [A](f:main.dlang#L2,1) ↔ [N.A](f:main.dlang#L1,8) [P]
    - [A](f:main.dlang#L2,1) → Ghost *(not found)*
    ");
    insta::assert_snapshot!(check("ns N { Domain A dmap $0M { contains A } } Domain A"), @r"
    <M>
    🗺️ **(domain map) N.M**

    ---

    **📁 Domains**
    - [N.A](f:main.dlang#L1,8)
    - [A](f:main.dlang#L1,41)
    ");
    insta::assert_snapshot!(check("cmap $0M { }"), @r"
    <M>
    🗺️ **(context map) M**
    ");
    insta::assert_snapshot!(check("ns A { ns B$0 . C { Team T ns D { Team U } } }"), @r"
    <B . C>
    🧭 **(namespace) A.B.C**

    Contains 2 elements.

    - [A.B.C.T](f:main.dlang#L1,19)
    - [A.B.C.D](f:main.dlang#L1,26)
    ");
    insta::assert_snapshot!(check("ns A$0 { }"), @r"
    <A>
    🧭 **(namespace) A**

    Contains 0 elements.
    ");
}

#[test]
fn terms_and_decisions() {
    insta::assert_snapshot!(check("bc A { terminology { term $0Order: 'A [link](x)' aka PO, Purchase examples 'a', '' } }"), @r"
    <Order>
    🗝️ **(term) Order**

    ---

    *A \[link\](x)*

    **Also known as:**
    - `PO`
    - `Purchase`

    **Examples:**
    - a
    - (empty)
    ");
    insta::assert_snapshot!(check("bc A { terminology { /** Doc. */ term T aka S$0 } }"), @r"
    <S>
    *Doc.*

    ---

    🗝️ **(term) T**

    ---

    **Also known as:**
    - `S`
    ");
    insta::assert_snapshot!(check("bc A { decisions { decision [C] $0E: 'e' } } Classification C"), @r"
    <E>
    ⚖️ **(decision) E**

    ---

    *Definition:* e

    🔖 **Classification:** [C](f:main.dlang#L1,44)
    ");
    insta::assert_snapshot!(check("bc A { decisions { policy P$0 is 'p' } }"), @r"
    <P>
    📜 **(policy) P**

    ---

    *Definition:* p
    ");
    insta::assert_snapshot!(check("bc A { decisions { rule R$0: } }"), @r"
    <:>
    💡 **:** - Stands between a property and its value.

    [Read more](https://domainlang.net/reference/language)
    ");
}

#[test]
fn relationships() {
    insta::assert_snapshot!(check("bc A { relationships { this [S] -$0> [C, BBoM] B } } bc B"), @r"
    <->>
    🔗 **(relationship) [A](f:main.dlang#L1,1) → [B](f:main.dlang#L1,52)**

    ---

    **Kind:** CustomerSupplier

    **Upstream:** [A](f:main.dlang#L1,1)

    **Downstream:** [B](f:main.dlang#L1,52)

    **Left patterns:** Supplier

    **Right patterns:** Customer, BigBallOfMud

    ---

    💡 **->** - The left side is upstream, the right side downstream.

    [Read more](https://domainlang.net/guide/context-maps#relationships)
    ");
    insta::assert_snapshot!(check("bc A bc B cmap M { contains A, B A [SK$0] B }"), @r"
    <]>
    🔗 **(relationship) [A](f:main.dlang#L1,1) ↔ [B](f:main.dlang#L1,6)**

    ---

    **Kind:** SharedKernel

    **Pattern:** SharedKernel
    ");
    insta::assert_snapshot!(check("bc A bc B cmap M { contains A, B A $0[SK] B }"), @r"
    <[>
    🔗 **(relationship) [A](f:main.dlang#L1,1) ↔ [B](f:main.dlang#L1,6)**

    ---

    **Kind:** SharedKernel

    **Pattern:** SharedKernel
    ");
    insta::assert_snapshot!(check("bc A { relationships { A >$0< } }"), @r"
    <><>
    🔗 **(relationship) [A](f:main.dlang#L1,1) >< ?**

    ---

    **Kind:** SeparateWays

    ---

    💡 **><** - Separate ways: the two sides decided not to integrate.

    [Read more](https://domainlang.net/guide/context-maps#relationships)
    ");
}

#[test]
fn parts_of_references() {
    let model = "bc X for Shop.Inner.Deep.D ns Shop { ns Inner.Deep { Domain D } }";
    for (part, expected) in [
        ("Sh$0op.", "🧭 **(namespace) Shop**"),
        ("In$0ner.", "🧭 **(namespace) Shop.Inner.Deep**"),
        (".De$0ep", "🧭 **(namespace) Shop.Inner.Deep**"),
        (".D$0 ", "📁 **(domain) Shop.Inner.Deep.D**"),
    ] {
        let shown = check(&model.replacen(&part.replace("$0", ""), part, 1));
        assert!(shown.contains(expected), "{part}: {shown}");
    }
    // What means nothing as a whole: a namespace, a domain, nothing.
    insta::assert_snapshot!(check("ns N { ns M { } bc X for M$0.A.B }"), @r"
    <M>
    🧭 **(namespace) N.M**

    Contains 0 elements.
    ");
    insta::assert_snapshot!(check("Domain Sales cmap M { contains Sales$0.Orders }"), @r"
    <Sales>
    📁 **(domain) Sales**

    ```domain-lang
    Domain Sales
    ```
    ");
    insta::assert_snapshot!(check("cmap M { contains Sales.Or$0ders }"), @"nothing");
}

#[test]
fn other_files() {
    let model = r#"
//- a.dlang
import "./b.dlang" as bb
import "./c.dlang"
Domain D { type: bb.Core }
bc X for N.E as bb.N.Own
//- b.dlang
/** Of b. */
Classification Core
ns N { Classification Own }
//- c.dlang
// ö 𝒳
/* 𝒳 */ ns N { Domain E }
"#;
    insta::assert_snapshot!(check(&model.replace(".Core", ".Core$0")), @r"
    <Core>
    *Of b.*

    ---

    🏷️ **(classification) bb.Core**

    ---

    **Used by:**
    - [D](f:a.dlang#L3,1)
    ");
    insta::assert_snapshot!(check(&model.replace(".Own", ".Own$0")), @r"
    <Own>
    🏷️ **(classification) bb.N.Own**

    ---

    **Used by:**
    - [X](f:a.dlang#L4,1)
    ");
    insta::assert_snapshot!(check(&model.replace("N.E", "N.E$0")), @r"
    <E>
    📁 **(domain) N.E**

    ```domain-lang
    Domain E
    ```
    ");
    insta::assert_snapshot!(check(&model.replace("bc X", "bc X$0")), @r"
    <X>
    🎯 **(bounded context) X**

    ```domain-lang
    BoundedContext X for E as Own
    ```

    ---

    📁 **Domain:** [N.E](f:c.dlang#L2,17)
    🔖 **Classification:** [N.Own](f:b.dlang#L3,8)
    ");
    insta::assert_snapshot!(check(&model.replace("bb.Core", "b$0b.Core")), @r"
    <bb>
    📦 **(import) bb**

    ---

    **URI:** [./b.dlang](f:b.dlang#L1,1)

    **Alias:** bb

    Shows 2 elements.
    ");
    insta::assert_snapshot!(check(&model.replace("./c.", "./$0c.")), @r#"
    <"./c.dlang">
    📦 **(import) ./c.dlang**

    ---

    **URI:** [./c.dlang](f:c.dlang#L1,1)

    Shows 1 element.
    "#);
    insta::assert_snapshot!(check("impo$0rt './x'"), @r"
    <import>
    💡 **import** - Makes the elements of another file or package visible in this file.

    [Read more](https://domainlang.net/guide/imports)
    ");
    insta::assert_snapshot!(check("import './x$0' as x"), @r"
    <'./x'>
    📦 **(import) x**

    ---

    **URI:** ./x

    **Alias:** x
    ");
}

#[test]
fn an_import_that_leads_nowhere() {
    let reason = ImportProblem { code: Code::ImportUnresolved, reason: "file-not-found", message: "No *such* file.".into() };
    let host = host_with(ModelHost::new(), "import './gone'", &[("./gone", reason)]);
    let file = host.file("main.dlang").unwrap();
    let shown = hover(host.db(), file, 9.into(), &|_| String::new()).unwrap();
    insta::assert_snapshot!(shown.markdown, @r"
    📦 **(import) ./gone**

    ---

    **URI:** ./gone

    No \*such\* file.
    ");
}

#[test]
fn words_and_signs() {
    insta::assert_snapshot!(check("bc A { relationships { this [OH$0S] -> B } }"), @r"
    <OHS>
    💡 **OHS** - Open Host Service: the upstream side offers one well-documented protocol to everybody.

    [Read more](https://domainlang.net/guide/context-maps#relationships)
    ");
    insta::assert_snapshot!(check("Do$0main A"), @r"
    <Domain>
    💡 **Domain** - Declares a domain: a sphere of knowledge or activity of the business, with its vision.

    [Read more](https://domainlang.net/guide/domains)
    ");
    insta::assert_snapshot!(check("dom$0 A"), @r"
    <dom>
    💡 **dom** - Declares a domain: a sphere of knowledge or activity of the business, with its vision.

    [Read more](https://domainlang.net/guide/domains)
    ");
    insta::assert_snapshot!(check("Domain A { vision$0: 'v' }"), @r"
    <:>
    💡 **:** - Stands between a property and its value.

    [Read more](https://domainlang.net/reference/language)
    ");
    insta::assert_snapshot!(check("Domain A { vision $0= 'v' }"), @r"
    <=>
    💡 **=** - Stands between a property and its value, as `:` does.

    [Read more](https://domainlang.net/reference/language)
    ");
}

#[test]
fn nothing_to_say() {
    for fixture in [
        " $0", "Domain A $0", "Domain A $0 { }", "Domain A { vision: 'te$0xt' }", "// Te$0am T", "Domain A in No$0where",
        "/** Te$0am */ Team T", "#$0",
    ] {
        assert_eq!(check(fixture), "nothing", "{fixture}");
    }
}

#[test]
fn an_offset_behind_the_end() {
    let (host, file, _) = host_at("Team T$0");
    assert_eq!(hover(host.db(), file, 99.into(), &|_| String::new()), None);
}

#[test]
fn much() {
    let terms: String = (0..60).map(|number| format!("term T{number} ")).collect();
    let shown = check(&format!("bc A$0 {{ terminology {{ {terms} }} description: '{}' }}", "x".repeat(2_001)));
    assert!(shown.contains(&format!("\n{}… (1 more character)\n", "x".repeat(2_000))));
    assert!(shown.ends_with("- `T48`\n- `T49`\n- …and 10 more"), "{shown}");
}

#[test]
fn names_and_addresses_that_are_markup() {
    insta::assert_snapshot!(check("//- a (b)/<c>.dlang\nDomain __a__ in $0_b_\nDomain _b_"), @r"
    <_b_>
    📁 **(domain) \_b\_**

    ```domain-lang
    Domain _b_
    ```
    ");
    insta::assert_snapshot!(check("//- a (b)/<c>.dlang\nDomain _$0_a__ in _b_\nDomain _b_"), @r"
    <__a__>
    📁 **(domain) \_\_a\_\_**

    ```domain-lang
    Domain __a__ in _b_
    ```

    ---

    **Parent:** [\_b\_](f:a#L2,1)
    ");
}
