use camino::Utf8Path;

use crate::files::Files;
use crate::modules::Modules;
use crate::testing::{in_memory, on_disk};

use super::{Origin, check, unused_entries};

fn show(files: impl Files, root: &Utf8Path) -> String {
    let modules = Modules::new(files);
    let module = modules.module_at(root);
    let mut lines = Vec::new();
    for row in check(&modules, &module) {
        let origin = match &row.origin {
            None => "?".to_owned(),
            Some(Origin::Git { repository, reference }) => format!("{repository}@{reference}"),
            Some(Origin::Path(path)) => path.clone(),
        };
        let folder = row.folder.as_ref().map_or("?", |folder| folder.strip_prefix(root).unwrap().as_str());
        lines.push(format!("{} {} {origin} {folder}", if row.is_there() { "+" } else { "-" }, row.key));
        lines.extend(
            row.findings.iter().map(|it| format!("    {} {it}", if it.is_fatal() { "error" } else { "warning" })),
        );
    }
    lines.extend(unused_entries(&module).iter().map(|it| format!("unused {it}")));
    lines.join("\n")
}

#[test]
fn installed_and_missing_packages() {
    let fixture = r#"
//- model.yaml
dependencies:
  acme/core: v1.0.0
  short:
    source: acme/other
    ref: 1234567
  acme/moved: v2.0.0
  acme/new: main
  acme/gone: v1.0.0
  acme/wrong: v1.0.0
  acme/bare: v1.0.0
  acme/silent: v1.0.0
  acme/torn: v1.0.0
  acme/pinned:
    ref: v1.0.0
    integrity: sha512-pinned
  acme/noref: {}
  local:
    path: ./packages/local
  file:
    path: ./one
  nolocal:
    path: ./packages/none
overrides:
  acme/core: v1.1.0
//- model.lock
{"version":"1","dependencies":{
  "acme/core":{"ref":"v1.1.0","resolved":"r","commit":"aaaaaaaa","integrity":"sha512-core"},
  "acme/other":{"ref":"v0","resolved":"r","commit":"12345678"},
  "acme/moved":{"ref":"v1.0.0","resolved":"r","commit":"bbbbbbbb"},
  "acme/gone":{"ref":"v1.0.0","resolved":"r","commit":"cccccccc"},
  "acme/wrong":{"ref":"v1.0.0","resolved":"r","commit":"dddddddd","integrity":"sha512-wrong"},
  "acme/bare":{"ref":"v1.0.0","resolved":"r","commit":"eeeeeeee","integrity":"sha512-bare"},
  "acme/silent":{"ref":"v1.0.0","resolved":"r","commit":"ffffffff","integrity":"sha512-silent"},
  "acme/torn":{"ref":"v1.0.0","resolved":"r","commit":"abababab"},
  "acme/pinned":{"ref":"v1.0.0","resolved":"r","commit":"cdcdcdcd","integrity":"sha512-other"},
  "acme/left":{"ref":"v1.0.0","resolved":"r","commit":"99999999"}}}
//- .dlang/packages/acme/core/aaaaaaaa/.dlang-metadata.json
{"integrity":"sha512-core","resolved":"r","commitSha":"aaaaaaaa"}
//- .dlang/packages/acme/other/12345678/.dlang-metadata.json
{"integrity":"sha512-any","resolved":"r","commitSha":"12345678"}
//- .dlang/packages/acme/moved/bbbbbbbb/.dlang-metadata.json
{"commitSha":"bbbbbbbb"}
//- .dlang/packages/acme/wrong/dddddddd/.dlang-metadata.json
{"integrity":"sha512-else","commitSha":"00000000"}
//- .dlang/packages/acme/bare/eeeeeeee/index.dlang
//- .dlang/packages/acme/silent/ffffffff/.dlang-metadata.json
{}
//- .dlang/packages/acme/torn/abababab/.dlang-metadata.json
{"commitSha":
//- .dlang/packages/acme/pinned/cdcdcdcd/.dlang-metadata.json
{"integrity":"sha512-other","commitSha":"cdcdcdcd"}
//- packages/local/index.dlang
//- one.dlang
"#;
    insta::assert_snapshot!(show(in_memory(fixture), "/w".into()), @"
    + acme/core acme/core@v1.1.0 .dlang/packages/acme/core/aaaaaaaa
    + short acme/other@1234567 .dlang/packages/acme/other/12345678
    + acme/moved acme/moved@v2.0.0 .dlang/packages/acme/moved/bbbbbbbb
        warning model.yaml has 'v2.0.0', and model.lock has 'v1.0.0'
    - acme/new acme/new@main ?
        error model.lock has no entry for it
    - acme/gone acme/gone@v1.0.0 .dlang/packages/acme/gone/cccccccc
        error the package cache does not have commit cccccccc
    - acme/wrong acme/wrong@v1.0.0 .dlang/packages/acme/wrong/dddddddd
        error the package cache has commit 00000000 in the folder of dddddddd
        error its integrity is sha512-else, and sha512-wrong was promised
    + acme/bare acme/bare@v1.0.0 .dlang/packages/acme/bare/eeeeeeee
        warning it cannot be checked: .dlang-metadata.json is missing
    + acme/silent acme/silent@v1.0.0 .dlang/packages/acme/silent/ffffffff
        warning it cannot be checked: .dlang-metadata.json has no integrity
    + acme/torn acme/torn@v1.0.0 .dlang/packages/acme/torn/abababab
        warning it cannot be checked: .dlang-metadata.json cannot be read: EOF while parsing a value at line 2 column 0
    - acme/pinned acme/pinned@v1.0.0 .dlang/packages/acme/pinned/cdcdcdcd
        error its integrity is sha512-other, and sha512-pinned was promised
    - acme/noref ? ?
        error Git dependency 'acme/noref' requires a ref.
    Hint: Add a git ref: 'ref: v1.0.0' (tag), 'ref: main' (branch), or a commit SHA.
    + local ./packages/local packages/local
    + file ./one one
    - nolocal ./packages/none packages/none
        error there is nothing at './packages/none' inside the folder of model.yaml
    unused acme/left
    ");
}

#[test]
fn a_link_out_of_the_project_is_reported() {
    let (_guard, root) = on_disk(
        r#"
//- outside/index.dlang
//- p/model.yaml
dependencies:
  acme/core: v1.0.0
  local:
    path: ./local
//- p/model.lock
{"dependencies":{"acme/core":{"ref":"v1.0.0","resolved":"r","commit":"aaaaaaaa"}}}
//- p/.dlang/packages/acme/core/aaaaaaaa -> ../../../../../outside
//- p/local -> ../outside
"#,
    );
    insta::assert_snapshot!(show(crate::files::DiskFiles, &root.join("p")), @"
    - acme/core acme/core@v1.0.0 .dlang/packages/acme/core/aaaaaaaa
        error its folder in the package cache leads out of the project
    - local ./local local
        error there is nothing at './local' inside the folder of model.yaml
    ");
}

#[test]
fn modules_without_dependencies_are_not_checked() {
    assert_eq!(show(in_memory("//- a.dlang\n"), "/w".into()), "");
    assert_eq!(show(in_memory("//- model.yaml\n: : :\n//- model.lock\n{}\n"), "/w".into()), "");
}
