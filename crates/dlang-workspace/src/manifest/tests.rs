//! Every diagnostic with its position.

mod hostile;

use insta::assert_snapshot;

use super::*;
use crate::testing::show;

fn check(text: &str) -> String {
    show(text, &read(text, Purpose::Use).diagnostics)
}

const ALL: &str = r#"model:
  version: abc
paths: {lib: ./x, "@a": /abs}
dependencies:
  acme/x: {}
  noslash: v1
  a/b: {source: o/r, path: ./p, ref: v1}
  c/d: {path: /abs}
  e/f: "??"
"#;

#[test]
fn wordings_of_the_original_tools() {
    assert_snapshot!(check(ALL), @r#"
    2 manifest-model-invalid-version 2:3 "version" Version 'abc' is not valid SemVer format.⏎Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".
    2 manifest-path-alias-missing-at-prefix 3:9 "lib" Path alias 'lib' should start with '@'.⏎Hint: Rename to '@lib' for consistency.
    1 manifest-path-alias-absolute-path 3:19 "\"@a\"" Path alias '@a' cannot map to absolute path '/abs'.⏎Hint: Use a relative path like './src' or '.'
    1 import-missing-ref 5:3 "acme/x" Git dependency 'acme/x' requires a ref.⏎Hint: Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.
    1 manifest-dependency-invalid-source 6:3 "noslash" Source 'noslash' is not valid owner/repo format.⏎Hint: Use format 'owner/repo' like 'domainlang/core'.
    1 import-conflicting-source-path 7:3 "a/b" Dependency 'a/b' cannot have both 'source' and 'path'.⏎Hint: Use 'source' for git packages or 'path' for local workspace packages.
    1 import-absolute-path 8:9 "path" Local path '/abs' for 'c/d' must be relative.⏎Hint: Use a relative path like './packages/shared'.
    2 manifest-dependency-invalid-ref 9:3 "e/f" Ref '??' for 'e/f' may be invalid.⏎Hint: Use a tag (v1.0.0), branch name (main), or commit SHA.
    "#);
}

#[test]
fn a_valid_manifest_has_no_diagnostics() {
    let text = r#"$schema: https://example.org/model.schema.json
model: {name: shop, version: 1.2.3-beta.1+7, entry: ./main.dlang, description: any}
paths: {"@": ., "@lib": ./libs/lib}
dependencies:
  acme/core: v1.0.0
  "dots.and/slashes.x": {ref: main, integrity: sha512-x, description: d}
  short: {source: acme/core, ref: 0123abc}
  local: {path: ./packages/local}
  number: {source: acme/two, ref: 2.0}
overrides: {acme/core: v2.0.0}
governance: {allowedSources: [acme], requireStableVersions: true, allowedLicenses: [MIT]}
x-other: [anything]
"#;
    assert_eq!(check(text), "");
    let manifest = read(text, Purpose::Use).manifest;
    assert_snapshot!(format!("{manifest:#?}"), @r#"
    Manifest {
        name: Some(
            "shop",
        ),
        version: Some(
            "1.2.3-beta.1+7",
        ),
        entry: Some(
            Ok(
                "./main.dlang",
            ),
        ),
        entry_range: Some(
            92..97,
        ),
        aliases: [
            Alias {
                key: "@",
                key_range: 139..142,
                target: Ok(
                    ".",
                ),
            },
            Alias {
                key: "@lib",
                key_range: 147..153,
                target: Ok(
                    "./libs/lib",
                ),
            },
        ],
        dependencies: [
            Dependency {
                key: "acme/core",
                key_range: 183..192,
                source: Ok(
                    Git {
                        repository: "acme/core",
                        reference: "v1.0.0",
                        reference_range: 183..192,
                    },
                ),
                integrity: None,
                description: None,
            },
            Dependency {
                key: "dots.and/slashes.x",
                key_range: 203..223,
                source: Ok(
                    Git {
                        repository: "dots.and/slashes.x",
                        reference: "main",
                        reference_range: 226..229,
                    },
                ),
                integrity: Some(
                    "sha512-x",
                ),
                description: Some(
                    "d",
                ),
            },
            Dependency {
                key: "short",
                key_range: 276..281,
                source: Ok(
                    Git {
                        repository: "acme/core",
                        reference: "0123abc",
                        reference_range: 303..306,
                    },
                ),
                integrity: None,
                description: None,
            },
            Dependency {
                key: "local",
                key_range: 319..324,
                source: Ok(
                    Path(
                        "./packages/local",
                    ),
                ),
                integrity: None,
                description: None,
            },
            Dependency {
                key: "number",
                key_range: 353..359,
                source: Ok(
                    Git {
                        repository: "acme/two",
                        reference: "2.0",
                        reference_range: 380..383,
                    },
                ),
                integrity: None,
                description: None,
            },
        ],
        overrides: [
            Override {
                repository: "acme/core",
                reference: "v2.0.0",
            },
        ],
        governance: Governance {
            allowed_sources: [
                "acme",
            ],
            blocked_packages: [],
            require_stable_versions: true,
            require_team_ownership: false,
            allowed_licenses: [
                "MIT",
            ],
        },
        complete: true,
    }
    "#);
    assert_eq!(manifest.reference("acme/core", "v1.0.0"), "v2.0.0");
    assert_eq!(show("", &read("", Purpose::Use).diagnostics), "");
}

#[test]
fn a_published_package_needs_a_name_and_a_version() {
    assert_snapshot!(show("paths: {}", &read("paths: {}", Purpose::Publish).diagnostics), @r#"
    1 manifest-model-missing-name 1:1 "" A package to be published needs a name.⏎Hint: Add 'name' under 'model'.
    1 manifest-model-missing-version 1:1 "" A package to be published needs a version.⏎Hint: Add 'version' under 'model', like "1.0.0".
    "#);
}

#[test]
fn rules_beyond_the_original_tools() {
    assert_snapshot!(check(r#"modle: {}
model:
  entry: ../main.dlang
paths:
  "@up": src/../../x
  "@none":
  "@list": [a]
dependencies:
  c/d: {path: ../x}
  word: {}
  word2: {description: d, reff: v1}
  a/list: [v1]
  a/empty: ""
  s/empty: {source: "", ref: v1}
  dots/..: v1
  r/range: {ref: ^1.0.0}
governance: {allowedSources: acme, requireTeamOwnership: maybe, blockedPackages: [[a]]}
overrides: [a]
"#), @r#"
    2 manifest-unknown-key 1:1 "modle" The key 'modle' means nothing here.⏎Hint: Known here: model, paths, dependencies, overrides, governance.
    1 import-escapes-workspace 3:3 "entry" Entry '../main.dlang' leads out of the folder of model.yaml.⏎Hint: Use a path inside the folder, like 'index.dlang'.
    1 import-escapes-workspace 5:3 "\"@up\"" Path alias '@up' leads out of the folder of model.yaml: 'src/../../x'.⏎Hint: Use a relative path like './src' or '.'
    1 manifest-unexpected-value 6:3 "\"@none\"" Path alias '@none' must be a relative path.
    1 manifest-unexpected-value 7:3 "\"@list\"" '@list' must be text.
    1 import-escapes-workspace 9:9 "path" Local path '../x' for 'c/d' leads out of the folder of model.yaml.⏎Hint: Use a relative path like './packages/shared'.
    1 import-missing-source-or-path 10:3 "word" Dependency 'word' has neither 'source' nor 'path'.⏎Hint: Add 'source: owner/repo' and a 'ref' for a git package, or 'path' for a local workspace package.
    1 import-missing-source-or-path 11:3 "word2" Dependency 'word2' has neither 'source' nor 'path'.⏎Hint: Add 'source: owner/repo' and a 'ref' for a git package, or 'path' for a local workspace package.
    2 manifest-unknown-key 11:27 "reff" The key 'reff' means nothing here.⏎Hint: Known here: source, ref, path, integrity, description.
    1 manifest-unexpected-value 12:3 "a/list" Dependency 'a/list' must be a ref or a mapping.
    1 import-missing-ref 13:3 "a/empty" Git dependency 'a/empty' requires a ref.⏎Hint: Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.
    1 manifest-dependency-invalid-source 14:13 "source" Source '' is not valid owner/repo format.⏎Hint: Use format 'owner/repo' like 'domainlang/core'.
    1 manifest-dependency-invalid-source 15:3 "dots/.." Source 'dots/..' is not valid owner/repo format.⏎Hint: Use format 'owner/repo' like 'domainlang/core'.
    2 manifest-dependency-invalid-ref 16:13 "ref" Ref '^1.0.0' for 'r/range' may be invalid.⏎Hint: Use a tag (v1.0.0), branch name (main), or commit SHA.
    1 manifest-unexpected-value 17:14 "allowedSources" 'allowedSources' must be a list.
    1 manifest-unexpected-value 17:36 "requireTeamOwnership" 'requireTeamOwnership' must be true or false.
    1 manifest-unexpected-value 17:65 "blockedPackages" Each of 'blockedPackages' must be text.
    1 manifest-unexpected-value 18:1 "overrides" 'overrides' must be a mapping of keys to values.
    "#);
    assert_snapshot!(check("just text"), @r#"1 manifest-unexpected-value 1:1 "just text" 'model.yaml' must be a mapping of keys to values."#);
    assert_snapshot!(check("- a list"), @r#"1 manifest-unexpected-value 1:1 "- a list" 'model.yaml' must be a mapping of keys to values."#);
}

#[test]
fn duplicate_keys_are_reported() {
    let text = "paths: {\"@a\": x, \"@a\": y}\ndependencies:\n  a/b: v1\n  'a/b': v2\n";
    assert_snapshot!(check(text), @r#"
    1 manifest-duplicate-key 1:18 "\"@a\"" YAML parse error: the key '@a' is there twice.⏎Hint: The first one counts.
    1 manifest-duplicate-key 4:3 "'a/b'" YAML parse error: the key 'a/b' is there twice.⏎Hint: The first one counts.
    "#);
    assert_eq!(read(text, Purpose::Use).manifest.aliases[0].target, Ok("x".to_owned()));
}

#[test]
fn invalid_yaml_is_reported() {
    let cases = [
        "a: \"v1\nb: c",
        "paths:\n  @lib: ./src\ndependencies:\n  a/b: v1\n",
        "dependencies:\n  a/b:\n    source: o/r\n    ref: \"v1\n",
        "model:\n\tname: x\n",
        "a\0b: c",
        "model: {name: x",
        "model: x\n---\nmodel: y\n",
        "model: *none\n",
        "? [a, b]\n: c\n1: 2\n~: 3\n",
        "\u{feff}model:\r\n  version: é\r\n",
        "%YAML 9.9\n---\nmodel:\n",
    ];
    assert_snapshot!(cases.map(check).join("--\n"), @r#"
    2 manifest-unknown-key 1:1 "a" The key 'a' means nothing here.⏎Hint: Known here: model, paths, dependencies, overrides, governance.
    1 manifest-yaml-error 2:1 "b" YAML parse error: invalid indentation in multiline quoted scalar.⏎Hint: A quote that opens before this place is not closed.
    --
    1 manifest-yaml-error 2:3 "@" YAML parse error: unexpected character: `@'.⏎Hint: Put a key or value that begins with '@' into quotes: "@lib": ./src
    --
    1 manifest-yaml-error 5:1 "" YAML parse error: invalid indentation in multiline quoted scalar.⏎Hint: A quote that opens before this place is not closed.
    --
    1 manifest-yaml-error 2:2 "n" YAML parse error: tabs disallowed within this context (block indentation).⏎Hint: Indent with spaces.
    --
    1 manifest-yaml-error 1:2 "\0" YAML parse error: unexpected character: `\u{0}'.
    --
    1 manifest-yaml-error 1:8 "{" YAML parse error: unclosed bracket '{'.
    --
    1 manifest-unexpected-value 1:1 "model" 'model' must be a mapping of keys to values.
    1 manifest-yaml-error 2:1 "---" YAML parse error: a manifest is one document.⏎Hint: The text after '---' is not read.
    --
    1 manifest-yaml-error 1:8 "*none" YAML parse error: there is no anchor '&none' before this alias.
    --
    1 manifest-yaml-error 1:3 "[a, b]" YAML parse error: a key must be text.
    2 manifest-unknown-key 3:1 "1" The key '1' means nothing here.⏎Hint: Known here: model, paths, dependencies, overrides, governance.
    1 manifest-yaml-error 4:1 "~" YAML parse error: a key must be text.
    --
    2 manifest-model-invalid-version 2:3 "version" Version 'é' is not valid SemVer format.⏎Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".
    --
    1 manifest-yaml-error 1:1 "%" YAML parse error: unsupported YAML major version.
    "#);
}

#[test]
fn entries_before_an_error_are_used() {
    let manifest = read("dependencies:\n  a/b: v1\n  c/d:\n    ref: \"v1\n", Purpose::Use).manifest;
    assert!(!manifest.complete);
    let keys: Vec<_> = manifest.dependencies.iter().map(|it| (it.key.as_str(), it.source.is_ok())).collect();
    assert_eq!(keys, [("a/b", true), ("c/d", false)]);
}
