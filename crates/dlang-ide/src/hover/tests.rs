//! The explanation at each position; here elements, terms and decisions.

use std::ops::Range;

use dlang_model::File;
use dlang_model::testing::host_at;

use super::{Links, hover};

mod parts;

/// Renders the explained text, and the explanation. The URI of a file is `f:` and its path.
#[track_caller]
fn check(fixture: &str) -> String {
    let (host, file, offset) = host_at(fixture);
    let db = host.db();
    let Some(hover) = hover(db, file, offset, Links::FileUri(&|file: File| format!("f:{}", file.path(db)))) else {
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
    - `Missing`: x *(not found)*
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
    insta::assert_snapshot!(check("bc A { decisions { rule R$0: } }"), @"
    <:>
    💡 **:** - Separates a property from its value.

    [Read more](https://domainlang.net/reference/language)
    ");
}
