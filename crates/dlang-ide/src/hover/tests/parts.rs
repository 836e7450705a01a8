//! Relationships, parts of references, other files, imports, words; and offsets without an explanation.

use dlang_model::testing::{host_at, host_with};
use dlang_model::{File, ImportProblem, ModelCode, ModelHost, definitions};

use super::check;
use crate::hover::{Links, element_markdown, hover};

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
        let rendered = check(&model.replacen(&part.replace("$0", ""), part, 1));
        assert!(rendered.contains(expected), "{part}: {rendered}");
    }
    // Parts of a reference that does not resolve as a whole: a namespace, a domain, nothing.
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
fn an_unresolved_import() {
    let reason = ImportProblem {
        code: ModelCode::ImportUnresolved,
        reason: "file-not-found",
        message: "No *such* file.".into(),
        hint: None,
    };
    let host = host_with(ModelHost::new(), "import './gone'", &[("./gone", reason)]);
    let file = host.file("main.dlang").unwrap();
    let hover_result = hover(host.db(), file, 9.into(), Links::Plain).unwrap();
    insta::assert_snapshot!(hover_result.markdown, @r"
    📦 **(import) ./gone**

    ---

    **URI:** ./gone

    No \*such\* file.
    ");
}

#[test]
fn words_and_signs() {
    insta::assert_snapshot!(check("bc A { relationships { this [OH$0S] -> B } }"), @"
    <OHS>
    💡 **OHS** - Open Host Service: the upstream side offers one well-documented protocol to all consumers.

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
    insta::assert_snapshot!(check("Domain A { vision$0: 'v' }"), @"
    <:>
    💡 **:** - Separates a property from its value.

    [Read more](https://domainlang.net/reference/language)
    ");
    insta::assert_snapshot!(check("Domain A { vision $0= 'v' }"), @"
    <=>
    💡 **=** - Separates a property from its value, like `:`.

    [Read more](https://domainlang.net/reference/language)
    ");
}

#[test]
fn positions_without_a_symbol_have_no_hover() {
    for fixture in [
        " $0",
        "Domain A $0",
        "Domain A $0 { }",
        "Domain A { vision: 'te$0xt' }",
        "// Te$0am T",
        "Domain A in No$0where",
        "/** Te$0am */ Team T",
        "#$0",
    ] {
        assert_eq!(check(fixture), "nothing", "{fixture}");
    }
}

#[test]
fn an_offset_after_the_end() {
    let (host, file, _) = host_at("Team T$0");
    assert_eq!(hover(host.db(), file, 99.into(), Links::Plain), None);
}

#[test]
fn long_descriptions_and_lists_are_truncated() {
    let terms: Vec<_> = (0..60).map(|number| format!("term T{number}")).collect();
    let terms = terms.join(" ");
    let rendered = check(&format!("bc A$0 {{ terminology {{ {terms} }} description: '{}' }}", "x".repeat(2_001)));
    assert!(rendered.contains(&format!("\n{}… (1 more character)\n", "x".repeat(2_000))));
    assert!(rendered.ends_with("- `T48`\n- `T49`\n- …and 10 more"), "{rendered}");
}

#[test]
fn element_markdown_equals_the_hover() {
    let (host, file, offset) = host_at("//- a.dlang\nTeam $0T");
    let uri = |file: File| file.path(host.db()).to_owned();
    let team = definitions(host.db(), file).next().unwrap();
    let markdown = element_markdown(host.db(), team, Links::FileUri(&uri)).unwrap();
    assert_eq!(markdown, hover(host.db(), file, offset, Links::FileUri(&uri)).unwrap().markdown);
    assert_eq!(markdown, "👥 **(team) T**");
}

#[test]
fn many_patterns() {
    let rendered = check(&format!("bc A {{ relationships {{ this [{}] $0-> A }} }}", vec!["OHS"; 53].join(", ")));
    assert!(rendered.contains("OpenHostService, …and 3 more\n"), "{rendered}");
}

#[test]
fn markup_in_names_and_addresses_is_escaped() {
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
