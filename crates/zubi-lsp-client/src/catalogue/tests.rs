//! Tests of `catalogue`.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Reads a user's file over the built-in rows and returns one row of the result, or the error, as text.
fn check(text: &str, show: impl Fn(&Catalogue) -> String) -> String {
    match Catalogue::builtin().with_user(text) {
        Ok(catalogue) => show(&catalogue),
        Err(error) => error.to_string(),
    }
}

/// Returns the built-in rows, including disabled ones.
fn builtin_entries() -> Vec<Arc<ServerEntry>> {
    read(BUILTIN.iter().copied()).unwrap()
}

#[test]
fn builtin_catalogue_equals_its_files() {
    assert_eq!(Catalogue::builtin().rows, builtin_entries());
}

fn languages(row: &ServerEntry) -> String {
    row.languages.iter().map(|language| language.id.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_tested_servers() {
    let table: Vec<String> = builtin_entries()
        .iter()
        .filter(|row| row.tested)
        .map(|row| {
            let untrusted = match &row.untrusted {
                UntrustedRule::Run => "run",
                UntrustedRule::Restricted(_) => "restricted",
                UntrustedRule::Never => "never",
            };
            format!("{} | {} {} | {} | {untrusted}", row.id, row.command, row.args.join(" "), languages(row))
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
    basedpyright | basedpyright-langserver --stdio | python | restricted
    pyrefly | pyrefly lsp | python | never
    zuban | zuban server | python | run
    jedi-language-server | jedi-language-server  | python | never
    vtsls | vtsls --stdio | typescript typescriptreact javascript javascriptreact | never
    svelte-language-server | svelteserver --stdio | svelte | never
    intelephense | intelephense --stdio | php | never
    fortls | fortls --disable_autoupdate --use_signature_help | fortran | never
    emmylua_ls | emmylua_ls  | lua | never
    bash-language-server | bash-language-server start | shellscript | never
    vscode-html-language-server | vscode-html-language-server --stdio | html | run
    vscode-css-language-server | vscode-css-language-server --stdio | css scss less | run
    vscode-json-language-server | vscode-json-language-server --stdio | json jsonc | run
    yaml-language-server | yaml-language-server --stdio | yaml | never
    docker-langserver | docker-langserver --stdio | dockerfile | run
    tombi | tombi lsp --offline | toml | run
    buf | buf lsp serve --log-format=text | proto | never
    just-lsp | just-lsp  | just | never
    ");
}

#[test]
fn ids_are_unique() {
    let count = |text: &&str| toml::from_str::<CatalogueFile<ServerEntry>>(text).unwrap().server.len();
    // Rows with the same id are merged, so a duplicate id makes one row less.
    assert_eq!(builtin_entries().len(), BUILTIN.iter().map(count).sum::<usize>());
}

#[test]
fn every_entry_has_required_fields() {
    for row in builtin_entries() {
        let id = &row.id;
        assert!(!row.install.is_empty(), "{id}: no way to install it");
        assert!(!row.root_markers.is_empty() && row.root_markers.iter().all(|group| !group.is_empty()), "{id}");
        for language in &row.languages {
            let recognized = [&language.extensions, &language.file_names, &language.shebangs];
            assert!(recognized.iter().any(|list| !list.is_empty()), "{id}: no file is {}", language.id);
            assert!(language.extensions.iter().all(|extension| *extension == extension.to_lowercase()), "{id}");
        }
        // The text is the object of "it would run …".
        assert!(!row.runs.ends_with('.') && !row.runs.contains('\n'), "{id}: {}", row.runs);
        // A server that has not been tested is not promised to be complete, unless it gives a signal itself.
        let signal = matches!(row.readiness, ReadinessSignal::Progress { .. } | ReadinessSignal::Unknown);
        assert!(row.tested || signal, "{id}");
        assert!(row.enabled || !row.tested, "{id}");
    }
}

#[test]
fn one_server_of_a_group_answers() {
    for row in builtin_entries().iter().filter(|row| row.enabled && row.roles.contains(&ServerRole::Navigation)) {
        for language in &row.languages {
            let servers = Catalogue::builtin().for_language(&language.id);
            let navigators: Vec<_> = servers.iter().filter(|row| row.roles.contains(&ServerRole::Navigation)).collect();
            for pair in navigators.windows(2) {
                let ids = format!("{}: {} and {}", language.id, pair[0].id, pair[1].id);
                assert!(pair[0].group.is_some() && pair[0].group == pair[1].group, "no group of one: {ids}");
                assert!(pair[0].priority < pair[1].priority, "no order: {ids}");
                assert!(pair[0].tested >= pair[1].tested, "one that is tested comes first: {ids}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A user's row changes only the fields that it names, in the row with its id.
    #[test]
    fn user_row_changes_only_its_fields(at in 0..builtin_entries().len(), priority in 0..10_000_u32, enabled: bool) {
        let before = builtin_entries();
        let id = &before[at].id;
        let text = format!("[[server]]\nid = \"{id}\"\npriority = {priority}\nenabled = {enabled}");
        let after = Catalogue::builtin().with_user(&text).unwrap();
        let expected: Vec<ServerEntry> = before
            .iter()
            .map(|row| if row.id == *id { ServerEntry { priority, enabled, ..ServerEntry::clone(row) } } else { ServerEntry::clone(row) })
            .collect();
        let found: Vec<ServerEntry> = after.rows.iter().map(|row| ServerEntry::clone(row)).collect();
        prop_assert_eq!(found, expected);
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
fn servers_of_a_language_are_listed_in_order() {
    let ids = |language: &str| {
        let rows = Catalogue::builtin().for_language(language);
        let ids: Vec<_> =
            rows.iter().map(|row| format!("{} ({})", row.id, row.group.as_deref().unwrap_or("-"))).collect();
        ids.join(", ")
    };
    assert_snapshot!(ids("python"), @"pyright (python types), ty (python types), ruff (-), basedpyright (python types), pyrefly (python types), zuban (python types), jedi-language-server (python types), pylsp (python types)");
    assert_snapshot!(ids("typescript"), @"typescript (typescript types), typescript-language-server (typescript types), vtsls (typescript types), deno (typescript types)");
    assert_snapshot!(ids("cobol"), @"");
}

#[test]
fn roles_determine_supported_methods() {
    let answers = |id: &str, method: &str| Catalogue::builtin().row(id).unwrap().answers(method);
    assert!(answers("ruff", "textDocument/formatting") && answers("ruff", "codeAction/resolve"));
    assert!(!answers("ruff", "workspace/symbol") && !answers("ruff", "textDocument/hover"));
    assert!(!answers("ruff", "textDocument/codeLens") && answers("ty", "textDocument/codeLens"));
}

#[test]
fn restriction_overrides_the_settings() {
    let pyright = Catalogue::builtin().row("pyright").unwrap();
    let analysis = json!({"autoSearchPaths": true, "useLibraryCodeForTypes": true});
    assert_eq!(pyright.settings(true, None), json!({"python": {"analysis": analysis}}));
    assert_eq!(pyright.settings(false, None), json!({"python": {"analysis": analysis, "pythonPath": "/dev/null"}}));
    let clangd = Catalogue::builtin().row("clangd").unwrap();
    assert_eq!(clangd.settings(false, None), Value::Null);
}

#[test]
fn user_rows_override_and_extend() {
    let show = |id: &'static str| {
        move |catalogue: &Catalogue| {
            let row = catalogue.row(id).unwrap();
            format!(
                "{} {:?} {} {} enabled={}",
                row.command, row.args, row.initialization_options, row.timeouts.request_ms, row.enabled
            )
        }
    };
    // Tables are merged, lists and plain values replaced, and fields that are not named stay.
    assert_snapshot!(check(r#"
        [[server]]
        id = "typescript-language-server"
        args = ["--stdio", "--log-level=4"]
        initialization_options = { tsserver = { logVerbosity = "verbose" } }
        timeouts = { request_ms = 5 }
    "#, show("typescript-language-server")), @r#"typescript-language-server ["--stdio", "--log-level=4"] {"disableAutomaticTypingAcquisition":true,"hostInfo":"zubi","preferences":{"includeInlayFunctionLikeReturnTypeHints":true,"includeInlayPropertyDeclarationTypeHints":true,"includeInlayVariableTypeHints":true},"tsserver":{"logVerbosity":"verbose","useClientFileWatcher":true,"useSyntaxServer":"never"}} 5 enabled=true"#);
    assert_snapshot!(check(r#"
        [[server]]
        id = "cobol"
        title = "COBOL"
        command = "/opt/cobol/server"
        readiness = "unknown"
        untrusted = "never"
        runs = "copybooks"
        languages = [{ id = "cobol", extensions = ["cob"] }]
    "#, show("cobol")), @"/opt/cobol/server [] null 60000 enabled=true");
    assert_snapshot!(check(r#"
        [[server]]
        id = "pyright"
        enabled = false
    "#, |catalogue| catalogue.for_language("python").iter().map(|row| row.id.clone()).collect::<Vec<_>>().join(" ")), @"ty ruff basedpyright pyrefly zuban jedi-language-server pylsp");
}

#[test]
fn invalid_entries_are_reported() {
    let refused = |text: &str| check(text, |_| "accepted".to_owned());
    assert_snapshot!(refused("[[server]]\nid = \"x\""), @"server `x`: missing field `title`");
    let unknown = refused("[[server]]\nid = \"ty\"\nprio = 1");
    assert!(unknown.starts_with("server `ty`: unknown field `prio`, expected one of `id`, `title`"), "{unknown}");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nreadiness = \"soon\""), @"server `ty`: unknown variant `soon`, expected one of `server_status`, `progress`, `log`, `initialized`, `unknown`");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nuntrusted = \"never\""), @"server `ty`: `runs` must describe what an untrusted project could execute, unless `untrusted` is `run`");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nlanguages = [{ id = \"python\", extensions = [\".py\"] }]"), @"server `ty`: `extensions` must be written without the dot");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\nminimum_version = \"new\""), @"server `ty`: `minimum_version` must be numbers with dots");
    assert_snapshot!(refused("[[server]]\nid = \"ty\"\n[[server]]\nid = \"ty\""), @"server `ty`: it is in the file twice");
    assert_snapshot!(refused("[[server]]\ntitle = \"x\""), @"a [[server]] without an `id`");
    assert_snapshot!(refused("[[serve]]"), @r"
    TOML parse error at line 1, column 3
      |
    1 | [[serve]]
      |   ^^^^^
    unknown field `serve`, expected `server`
    ");
}
