//! Tests of `catalogue`.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use serde_json::json;

use super::*;

/// Reads a user's file over the built-in rows and shows one row of the result, or the error.
fn check(text: &str, show: impl Fn(&Catalogue) -> String) -> String {
    match Catalogue::builtin().with_user(text) {
        Ok(catalogue) => show(&catalogue),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_embedded_file_is_well_formed() {
    let empty = Catalogue { rows: Vec::new(), tables: Vec::new() };
    let catalogue = empty.with_user(BUILTIN).unwrap();
    let table: Vec<String> = catalogue
        .rows()
        .map(|row| {
            let languages: Vec<_> = row.languages.iter().map(|language| language.id.as_str()).collect();
            let untrusted = match &row.untrusted {
                Untrusted::Run => "run",
                Untrusted::Restricted(_) => "restricted",
                Untrusted::Never => "never",
            };
            format!("{} | {} {} | {} | {untrusted}", row.id, row.command, row.args.join(" "), languages.join(" "))
        })
        .collect();
    assert_snapshot!(table.join("\n"), @r"
    rust-analyzer | rust-analyzer  | rust | never
    clangd | clangd --background-index --log=error --limit-references=0 --limit-results=1000 --rename-file-limit=0 | c objective-c objective-cpp cuda-cpp cpp | run
    pyright | pyright-langserver --stdio | python | restricted
    ty | ty server | python | run
    ruff | ruff server | python | run
    gopls | gopls  | go go.mod go.work | never
    typescript | tsc --lsp --stdio | typescript typescriptreact javascript javascriptreact | run
    typescript-language-server | typescript-language-server --stdio | typescript typescriptreact javascript javascriptreact | never
    ");
    for row in catalogue.rows() {
        assert!(!row.install.is_empty(), "{}: someone without it must be told how to get it", row.id);
        assert!(!row.root_markers.is_empty() && row.tested, "{}", row.id);
    }
}

#[test]
fn one_extension_means_one_language() {
    let mut seen = BTreeSet::new();
    for language in Catalogue::builtin().rows().flat_map(|row| &row.languages) {
        for extension in &language.extensions {
            seen.insert((extension.clone(), language.id.clone()));
        }
    }
    let extensions: BTreeSet<_> = seen.iter().map(|(extension, _)| extension).collect();
    assert_eq!(seen.len(), extensions.len(), "{seen:?}");
}

#[test]
fn servers_of_a_language_come_in_order() {
    let ids = |language: &str| {
        let rows = Catalogue::builtin().for_language(language);
        let ids: Vec<_> =
            rows.iter().map(|row| format!("{} ({})", row.id, row.group.as_deref().unwrap_or("-"))).collect();
        ids.join(", ")
    };
    assert_snapshot!(ids("python"), @"pyright (python types), ty (python types), ruff (-)");
    assert_snapshot!(ids("typescript"), @"typescript (typescript types), typescript-language-server (typescript types)");
    assert_snapshot!(ids("cobol"), @"");
}

#[test]
fn roles_decide_what_a_server_is_asked() {
    let asked = |id: &str, method: &str| Catalogue::builtin().row(id).unwrap().answers(method);
    assert!(asked("ruff", "textDocument/formatting") && asked("ruff", "codeAction/resolve"));
    assert!(!asked("ruff", "workspace/symbol") && !asked("ruff", "textDocument/hover"));
    assert!(!asked("ruff", "textDocument/codeLens") && asked("ty", "textDocument/codeLens"));
}

#[test]
fn a_restriction_is_laid_over_the_settings() {
    let pyright = Catalogue::builtin().row("pyright").unwrap();
    let analysis = json!({"autoSearchPaths": true, "useLibraryCodeForTypes": true});
    assert_eq!(pyright.settings(true), json!({"python": {"analysis": analysis}}));
    assert_eq!(pyright.settings(false), json!({"python": {"analysis": analysis, "pythonPath": "/dev/null"}}));
    let clangd = Catalogue::builtin().row("clangd").unwrap();
    assert_eq!(clangd.settings(false), Value::Null);
}

#[test]
fn a_users_rows_change_and_add() {
    let show = |id: &'static str| {
        move |catalogue: &Catalogue| {
            let row = catalogue.row(id).unwrap();
            format!(
                "{} {:?} {} {} enabled={}",
                row.command, row.args, row.initialization_options, row.timeouts.request_ms, row.enabled
            )
        }
    };
    // Tables are merged, lists and plain values replaced, and what is not named stays.
    assert_snapshot!(check(r#"
        [[server]]
        id = "typescript-language-server"
        args = ["--stdio", "--log-level=4"]
        initialization_options = { tsserver = { logVerbosity = "verbose" } }
        timeouts = { request_ms = 5 }
    "#, show("typescript-language-server")), @r#"typescript-language-server ["--stdio", "--log-level=4"] {"disableAutomaticTypingAcquisition":true,"hostInfo":"zubi","tsserver":{"logVerbosity":"verbose","useClientFileWatcher":true,"useSyntaxServer":"never"}} 5 enabled=true"#);
    assert_snapshot!(check(r#"
        [[server]]
        id = "kotlin"
        title = "Kotlin"
        command = "/opt/kotlin/server"
        readiness = "unknown"
        untrusted = "never"
        runs = "Gradle"
        languages = [{ id = "kotlin", extensions = ["kt"] }]
    "#, show("kotlin")), @"/opt/kotlin/server [] null 60000 enabled=true");
    assert_snapshot!(check(r#"
        [[server]]
        id = "pyright"
        enabled = false
    "#, |catalogue| catalogue.for_language("python").iter().map(|row| row.id.clone()).collect::<Vec<_>>().join(" ")), @"ty ruff");
}

#[test]
fn mistakes_are_named() {
    let refused = |text: &str| check(text, |_| "accepted".to_owned());
    assert_snapshot!(refused("[[server]]\nid = \"x\""), @"server `x`: missing field `title`");
    let unknown = refused("[[server]]\nid = \"ty\"\nprio = 1");
    assert!(unknown.starts_with("server `ty`: unknown field `prio`, expected one of `id`, `title`"), "{unknown}");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nreadiness = \"soon\""), @"server `ty`: unknown variant `soon`, expected one of `server_status`, `progress`, `log`, `initialized`, `unknown`");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nuntrusted = \"never\""), @"server `ty`: `runs` says what an untrusted project could make it execute, unless `untrusted` is `run`");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nlanguages = [{ id = \"python\", extensions = [\".py\"] }]"), @"server `ty`: an extension is written without the dot");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nminimum_version = \"new\""), @"server `ty`: `minimum_version` is numbers with dots");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\n[[server]]\nid = \"ty\""), @"server `ty`: it stands in the file twice");
    assert_snapshot!(refused("[[server]]\ntitle = \"x\""), @"a [[server]] without an `id`");
    assert_snapshot!(refused("[[serve]]"), @r"
    TOML parse error at line 1, column 3
      |
    1 | [[serve]]
      |   ^^^^^
    unknown field `serve`, expected `server`
    ");
}
