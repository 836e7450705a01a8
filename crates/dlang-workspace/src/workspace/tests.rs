//! Workspaces written as texts ([`crate::testing`]), in memory, and on disk when time matters.

mod folders;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use dlang_model::{definitions, project_files};
use dlang_syntax::DiagnosticCode as _;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};

use super::{LoadError, Progress, Root, Workspace, WorkspaceSnapshot};
use crate::files::{Bounds, DiskFiles, Files, Kind, MemoryFiles, ReadError, SharedFiles, Stamp, Walk};
use crate::queries;
use crate::testing::{in_memory, on_disk, write_file};

fn load(files: SharedFiles, roots: &[Root]) -> Workspace {
    Workspace::load(files, roots.to_vec(), &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Returns the workspace of the folder `/w`.
fn folder(fixture: &str) -> Workspace {
    load(Arc::new(in_memory(fixture)), &[Root::Folder("/w".into())])
}

/// Renders every file with the elements that it declares, then every diagnostic.
fn show(snapshot: &WorkspaceSnapshot) -> String {
    let mut rendered = String::new();
    let files = snapshot.query(|db| {
        for file in project_files(db) {
            let names: Vec<_> =
                definitions(db, *file).filter_map(|it| it.fqn(db).map(|name| name.to_string())).collect();
            writeln!(rendered, "{}: {}", snapshot.show(Utf8Path::new(file.path(db))), names.join(" ")).unwrap();
        }
        rendered
    });
    files.unwrap() + &problems(snapshot)
}

fn problems(snapshot: &WorkspaceSnapshot) -> String {
    let mut rendered = String::new();
    for problem in snapshot.problems().unwrap() {
        let (path, start) = (snapshot.show(&problem.path), problem.start);
        let message = problem.diagnostic.text().replace('\n', "⏎");
        let (severity, code) = (problem.diagnostic.severity().as_str(), problem.diagnostic.code.as_str());
        writeln!(rendered, "{path}:{}:{} {severity} {code} {message}", start.line, start.column).unwrap();
        for related in problem.diagnostic.related {
            let (location, position) = (&related.location, related.location.start);
            writeln!(
                rendered,
                "    {}:{}:{} {}",
                snapshot.show(&location.path),
                position.line,
                position.column,
                related.message
            )
            .unwrap();
        }
    }
    rendered
}

const TWO_MODULES: &str = r#"
//- model.yaml
model: {entry: main.dlang}
paths: {"@": "."}
//- main.dlang
import "./parts/core.dlang" as core
import "@/inner"
Domain Main in core.Base { vision: "v" }
bc Sales for Main by Sellers { description: "d" }
//- parts/core.dlang
Domain Base { vision: "v" }
//- draft.dlang
Team Drafters
//- inner/model.yaml
model: {name: acme/inner}
//- inner/index.dlang
Team Sellers
//- target/generated.dlang
Team Nobody
"#;

#[test]
fn a_folder_loads_every_model_below_it() {
    insta::assert_snapshot!(show(&folder(TWO_MODULES).snapshot()), @r"
    draft.dlang: Drafters
    inner/index.dlang: Sellers
    main.dlang: Main Sales
    parts/core.dlang: Base
    ");
}

#[test]
fn a_file_loads_its_imports() {
    let file = |path: &str| load(Arc::new(in_memory(TWO_MODULES)), &[Root::File(path.into())]);
    insta::assert_snapshot!(show(&file("/w/main.dlang").snapshot()), @r"
    inner/index.dlang: Sellers
    main.dlang: Main Sales
    parts/core.dlang: Base
    ");
    insta::assert_snapshot!(show(&file("/w/parts/core.dlang").snapshot()), @"parts/core.dlang: Base");
}

#[test]
fn snapshot_files_have_the_texts_of_the_snapshot() {
    let mut workspace = folder("//- a.dlang\nTeam Saved");
    let (open, new): (&Utf8Path, &Utf8Path) = ("/w/a.dlang".into(), "/w/new.dlang".into());
    workspace.overlay(open, Some("Team Typed".into()));
    // A change waits for a snapshot with a model, but not for its files.
    let files = workspace.snapshot().shared_files();
    workspace.overlay(open, None);
    workspace.overlay(new, Some("Team New".into()));
    assert_eq!(files.read_text(open, 100).as_deref(), Ok("Team Typed"));
    assert_eq!(files.walk("/w".into(), Bounds::default()).files, [open]);
    let now = workspace.snapshot().shared_files();
    assert_eq!(now.read_text(open, 100).as_deref(), Ok("Team Saved"));
    assert_eq!(now.walk("/w".into(), Bounds::default()).files, [open, new]);
}

#[test]
fn problems_are_reported_at_their_source() {
    let mut files = in_memory(
        r#"
//- model.yaml
model: {entry: gone.dlang, version: one}
dependencies: {a/b: v1}
dependencies: {}
//- model.lock
{"version": "1", "dependencies": {"c/d": {"ref": "v1", "resolved": "u", "commit": "abcdef1"}}}
//- main.dlang
import "./nope"
import "../../out.dlang"
import "a/b"
import "./loop.dlang"
Domain Äußeres { vision: "v" } Team X in
//- loop.dlang
import "./main.dlang"
Team T Team T
"#,
    );
    files.insert("/w/latin.dlang", b"Team First\n// caf\xe9\nTeam Last".as_slice());
    let workspace = load(Arc::new(files), &[Root::Folder("/w".into())]);
    insta::assert_snapshot!(show(&workspace.snapshot()), @r#"
    latin.dlang: First Last
    loop.dlang: T T
    main.dlang: u X
    latin.dlang:2:7 error file-not-utf8 The file cannot be read: it is not UTF-8 text (byte 17).⏎Hint: Save it as UTF-8. Until then U+FFFD replaces invalid bytes.
    loop.dlang:2:13 error duplicate-element Duplicate element: 'T' is already defined.
        loop.dlang:2:6 defined here first
    loop.dlang:1:8 warning import-cycle-detected Import cycle detected: /w/loop.dlang → /w/main.dlang → /w/loop.dlang.⏎Hint: Break the cycle by extracting shared definitions into a separate file.
    main.dlang:5:8 error unexpected-character unexpected character: ->Ä<- at offset: 83, skipped 1 characters.
    main.dlang:5:10 error unexpected-character unexpected character: ->ß<- at offset: 85, skipped 1 characters.
    main.dlang:5:11 error unexpected-token Expecting token of type 'EOF' but found `eres`.
    main.dlang:5:39 error unexpected-token Expecting token of type 'EOF' but found `in`.⏎Hint: This word belongs in the body of an element.
    main.dlang:1:8 error import-unresolved Cannot resolve import './nope'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    main.dlang:2:8 error import-unresolved Cannot resolve import '../../out.dlang'.⏎Hint: Check that the file exists and the path is correct.: Relative imports must stay within the workspace directory.
    main.dlang:3:8 error import-unresolved Cannot resolve import 'a/b'.⏎Hint: Check that the file exists and the path is correct.: Run 'dlang install' to fetch dependencies and generate model.lock.
    main.dlang:4:8 warning import-cycle-detected Import cycle detected: /w/main.dlang → /w/loop.dlang → /w/main.dlang.⏎Hint: Break the cycle by extracting shared definitions into a separate file.
    model.lock:1:35 info lock-unused-entry No dependency in model.yaml uses 'c/d'.⏎Hint: 'dlang install' says how to bring model.lock up to date.
    model.yaml:1:9 error manifest-entry-missing Entry file 'gone.dlang' does not exist.⏎Hint: Create it, or let model.entry name the file that shows the model to others.
    model.yaml:1:28 warning manifest-model-invalid-version Version 'one' is not valid SemVer format.⏎Hint: Use SemVer format like "1.0.0" or "1.2.3-beta".
    model.yaml:3:1 error manifest-duplicate-key YAML parse error: the key 'dependencies' is there twice.⏎Hint: The first one counts.
    model.yaml:2:16 warning lock-missing-entry Dependency 'a/b' is not in model.lock.⏎Hint: 'dlang install' says how to bring model.lock up to date.
    "#);
}

#[test]
fn only_imported_package_files_are_loaded() {
    let fixture = r#"
//- model.yaml
dependencies: {core: {source: acme/core, ref: v1}}
//- model.lock
{"dependencies": {"acme/core": {"ref": "v1", "resolved": "u", "commit": "abcdef1"}}}
//- main.dlang
import "core" as core
bc Shop for core.Sales by core.Sellers { description: "d" }
//- .dlang/packages/acme/core/abcdef1/index.dlang
import "./teams.dlang"
Domain Sales
bc Broken for Nowhere
//- .dlang/packages/acme/core/abcdef1/teams.dlang
Team Sellers
//- .dlang/packages/acme/core/abcdef1/unused.dlang
Team Unused
"#;
    // Only errors are reported for the package's files, although they also lack a vision and a description.
    insta::assert_snapshot!(show(&folder(fixture).snapshot()), @r"
    .dlang/packages/acme/core/abcdef1/index.dlang: Sales Broken
    .dlang/packages/acme/core/abcdef1/teams.dlang: Sellers
    main.dlang: Shop
    .dlang/packages/acme/core/abcdef1/index.dlang:3:15 error linking-error Could not resolve reference to Domain named 'Nowhere'.
    ");
}

#[test]
fn unsaved_text_is_used_and_unreachable_files_are_removed() {
    let mut workspace = folder("//- main.dlang\nimport \"../else/a.dlang\"\nTeam Saved\n//- /else/a.dlang\nTeam Else");
    let main = Utf8Path::new("/w/main.dlang");
    insta::assert_snapshot!(show(&workspace.snapshot()), @r"
    /else/a.dlang: Else
    main.dlang: Saved
    ");
    assert!(workspace.overlay(main, Some("import \"./new\"\nTeam Typed".into())));
    assert!(!workspace.overlay(main, Some("import \"./new\"\nTeam Typed".into())), "the same text again");
    insta::assert_snapshot!(show(&workspace.snapshot()), @r"
    main.dlang: Typed
    main.dlang:1:8 error import-unresolved Cannot resolve import './new'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    ");
    workspace.overlay("/w/new.dlang".into(), Some("Team New".into()));
    workspace.overlay("/far/away.dlang".into(), Some("Team Away".into()));
    insta::assert_snapshot!(show(&workspace.snapshot()), @r"
    /far/away.dlang: Away
    main.dlang: Typed
    new.dlang: New
    ");
    workspace.overlay("/w/new.dlang".into(), None);
    workspace.overlay("/far/away.dlang".into(), None);
    workspace.overlay(main, None);
    insta::assert_snapshot!(show(&workspace.snapshot()), @r"
    /else/a.dlang: Else
    main.dlang: Saved
    ");
}

#[test]
fn unsaved_files_are_removed_with_their_text() {
    let files = in_memory("//- a.dlang\nTeam A\n//- b.dlang\nTeam B");
    let mut workspace = load(Arc::new(files), &[Root::File("/w/a.dlang".into())]);
    workspace.overlay("/w/b.dlang".into(), Some("Team B".into()));
    assert_eq!(show(&workspace.snapshot()), "a.dlang: A\nb.dlang: B\n");
    assert!(workspace.overlay("/w/b.dlang".into(), None));
    assert_eq!(show(&workspace.snapshot()), "a.dlang: A\n");
}

#[test]
fn an_unsaved_manifest_is_used() {
    let mut workspace = folder("//- model.yaml\n{}\n//- main.dlang\nimport \"@lib/a\"\n//- src/a.dlang\nTeam A");
    assert!(problems(&workspace.snapshot()).contains("'@lib/a'"));
    workspace.overlay("/w/model.yaml".into(), Some("paths: {\"@lib\": ./src}".into()));
    assert_eq!(problems(&workspace.snapshot()), "");
    workspace.overlay("/w/model.yaml".into(), None);
    assert!(problems(&workspace.snapshot()).contains("'@lib/a'"));
}

/// Each step with its effect on the disk and on the workspace.
#[test]
fn a_refresh_reads_all_changes_on_disk() {
    let (_guard, root) = on_disk("//- a.dlang\nimport \"./sub/b\"\nTeam A\n//- sub/b.dlang\nTeam B");
    let mut workspace = load(Arc::new(DiskFiles), &[Root::Folder(root.clone())]);
    let at = |path: &str| root.join(path);
    let mut step = |title: &str, act: &dyn Fn()| {
        act();
        workspace.refresh();
        format!("{title}\n{}\n", show(&workspace.snapshot()))
    };
    let mut rendered = String::new();
    rendered += &step("changed", &|| write_file(&at("a.dlang"), "import \"./sub/b\"\nTeam A2"));
    rendered += &step("changed again at once, with the same length", &|| {
        write_file(&at("a.dlang"), "import \"./sub/b\"\nTeam A3");
    });
    rendered += &step("created", &|| write_file(&at("sub/c.dlang"), "import \"../a\"\nTeam C"));
    rendered += &step("removed", &|| std::fs::remove_file(at("sub/b.dlang")).unwrap());
    rendered += &step("moved", &|| std::fs::rename(at("sub"), at("moved")).unwrap());
    rendered += &step("a manifest", &|| write_file(&at("moved/model.yaml"), "paths: {x: ./y}"));
    rendered += &step("a manifest again", &|| write_file(&at("moved/model.yaml"), "{}"));
    insta::assert_snapshot!(rendered, @"
    changed
    a.dlang: A2
    sub/b.dlang: B

    changed again at once, with the same length
    a.dlang: A3
    sub/b.dlang: B

    created
    a.dlang: A3
    sub/b.dlang: B
    sub/c.dlang: C
    sub/c.dlang:2:6 hint reserved-name `C` is a reserved word; here it is read as a name.⏎Hint: Parsers that follow the grammar strictly reject it; prefer another name.

    removed
    a.dlang: A3
    sub/c.dlang: C
    a.dlang:1:8 error import-unresolved Cannot resolve import './sub/b'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    sub/c.dlang:2:6 hint reserved-name `C` is a reserved word; here it is read as a name.⏎Hint: Parsers that follow the grammar strictly reject it; prefer another name.

    moved
    a.dlang: A3
    moved/c.dlang: C
    a.dlang:1:8 error import-unresolved Cannot resolve import './sub/b'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    moved/c.dlang:2:6 hint reserved-name `C` is a reserved word; here it is read as a name.⏎Hint: Parsers that follow the grammar strictly reject it; prefer another name.

    a manifest
    a.dlang: A3
    moved/c.dlang: C
    a.dlang:1:8 error import-unresolved Cannot resolve import './sub/b'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    moved/c.dlang:2:6 hint reserved-name `C` is a reserved word; here it is read as a name.⏎Hint: Parsers that follow the grammar strictly reject it; prefer another name.
    moved/c.dlang:1:8 error import-unresolved Cannot resolve import '../a'.⏎Hint: Check that the file exists and the path is correct.: Relative imports must stay within the workspace directory.
    moved/model.yaml:1:9 warning manifest-path-alias-missing-at-prefix Path alias 'x' should start with '@'.⏎Hint: Rename to '@x' for consistency.

    a manifest again
    a.dlang: A3
    moved/c.dlang: C
    a.dlang:1:8 error import-unresolved Cannot resolve import './sub/b'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    moved/c.dlang:2:6 hint reserved-name `C` is a reserved word; here it is read as a name.⏎Hint: Parsers that follow the grammar strictly reject it; prefer another name.
    moved/c.dlang:1:8 error import-unresolved Cannot resolve import '../a'.⏎Hint: Check that the file exists and the path is correct.: Relative imports must stay within the workspace directory.
    ");
    assert!(!load(Arc::new(DiskFiles), &[Root::File(at("moved/c.dlang"))]).snapshot().files().unwrap().is_empty());
}

#[test]
fn unchanged_files_are_not_reread() {
    assert!(!folder(TWO_MODULES).refresh());
    let (_guard, root) = on_disk("//- a.dlang\nTeam A");
    let path = root.join("a.dlang");
    let age = |path: &Utf8Path| {
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_hours(24);
        File::open(path).unwrap().set_modified(long_ago).unwrap();
    };
    assert_ne!(DiskFiles.stamp(&path), DiskFiles.stamp(&path), "the file was written a moment ago");
    age(&path);
    assert_eq!(DiskFiles.stamp(&path), DiskFiles.stamp(&path));
    let old = DiskFiles.stamp(&path);
    write_file(&path, "Team B");
    age(&path);
    assert_ne!(DiskFiles.stamp(&path), old, "equal size and modification time, but another change time of the inode");
}

#[test]
fn invalid_roots_are_rejected() {
    let files: SharedFiles = Arc::new(in_memory("//- a.dlang\n\n//- b.txt\n"));
    let error = |root| {
        let load = Workspace::load(Arc::clone(&files), vec![root], &mut |_| ControlFlow::Continue(()));
        load.err().unwrap().to_string()
    };
    assert_eq!(error(Root::File("/w/none.dlang".into())), "/w/none.dlang does not exist");
    assert_eq!(
        error(Root::File("/w/b.txt".into())),
        "/w/b.txt is not a DomainLang file: its name does not end in .dlang"
    );
    assert_eq!(error(Root::Folder("/w/a.dlang".into())), "/w/a.dlang is not a folder");
}

#[test]
fn a_link_and_its_file_are_one_file() {
    let (_guard, root) = on_disk(
        "//- m/a.dlang\nimport \"./b\"\nTeam A\n//- m/b.dlang\nimport \"./a\"\nTeam B\n//- m/l.dlang -> a.dlang\n\
         //- link.dlang -> m/l.dlang\n//- folder -> m\n//- text.dlang -> m/text.txt\n//- m/text.txt\n",
    );
    let files = |root: Root| {
        let mut workspace = load(Arc::new(DiskFiles), &[root]);
        workspace.overlay(&workspace.roots()[0].path().with_file_name("l.dlang"), Some("Team Typed".into()));
        show(&workspace.snapshot()).lines().filter(|line| !line.contains("cycle")).collect::<Vec<_>>().join(" | ")
    };
    for path in ["m/a.dlang", "m/l.dlang", "link.dlang", "folder/a.dlang", "folder/l.dlang"] {
        assert_eq!(files(Root::File(root.join(path))), "a.dlang: Typed", "{path}");
    }
    let refused = Workspace::load(Arc::new(DiskFiles), vec![Root::File(root.join("text.dlang"))], &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(matches!(refused.err(), Some(LoadError::NotAModel(_))));
}

#[test]
fn skipped_paths_are_reported() {
    let (_guard, root) = on_disk(
        "//- a.dlang\nTeam A\n//- own.dlang -> a.dlang\n//- gone.dlang -> nowhere\n//- loop.dlang -> loop.dlang\n\
         //- out.dlang -> /etc/hostname\n//- text.dlang -> note.txt\n//- note.txt\n\n//- sub.dlang/b.dlang\nTeam B\n\
         //- links.dlang -> sub.dlang\n//- module/model.yaml -> model.yaml\n//- module/c.dlang\nTeam C",
    );
    let name = OsStr::from_bytes(b"b\xff.dlang");
    File::create(root.as_std_path().join(name)).unwrap();
    std::fs::create_dir(root.as_std_path().join(OsStr::from_bytes(b"folder\xff"))).unwrap();
    std::fs::create_dir(root.join("module/model.lock")).unwrap();
    let workspace = load(Arc::new(DiskFiles), &[Root::Folder(root)]);
    insta::assert_snapshot!(show(&workspace.snapshot()), @"
    a.dlang: A
    module/c.dlang: C
    sub.dlang/b.dlang: B
    b�.dlang:1:1 warning folder-incomplete It could not be looked at: its name is not UTF-8.⏎Hint: Its declarations are unknown. Add it to .gitignore if it has no models.
    folder�:1:1 warning folder-incomplete It could not be looked at: its name is not UTF-8.⏎Hint: Its declarations are unknown. Add it to .gitignore if it has no models.
    gone.dlang:1:1 info file-passed-over It is named like a model and is a link that leads nowhere.⏎Hint: Let .gitignore leave it out, or put a model there.
    links.dlang:1:1 info file-passed-over It is named like a model and is a link to a folder, which is not followed.⏎Hint: Let .gitignore leave it out, or put a model there.
    loop.dlang:1:1 info file-passed-over It is named like a model and is a link that leads nowhere.⏎Hint: Let .gitignore leave it out, or put a model there.
    module/c.dlang:1:6 hint reserved-name `C` is a reserved word; here it is read as a name.⏎Hint: Parsers that follow the grammar strictly reject it; prefer another name.
    module/model.lock:1:1 error lock-unreadable model.lock cannot be read: it is not a file.⏎Hint: It counts as empty until it can.
    module/model.yaml:1:1 error manifest-unreadable model.yaml cannot be read: Too many levels of symbolic links (os error 40).⏎Hint: It counts as empty until it can.
    out.dlang:1:1 info file-passed-over It is named like a model and is a link that leads out of the folder, which is not followed.⏎Hint: Let .gitignore leave it out, or put a model there.
    text.dlang:1:1 info file-passed-over It is named like a model and is a link to a path that is not a model.⏎Hint: Let .gitignore leave it out, or put a model there.
    ");
}

#[test]
fn loading_reports_progress_and_can_be_interrupted() {
    let files: SharedFiles = Arc::new(in_memory(TWO_MODULES));
    let mut reports = Vec::new();
    let roots = || vec![Root::File("/w/main.dlang".into())];
    let load = Workspace::load(Arc::clone(&files), roots(), &mut |progress: Progress| {
        reports.push((progress.loaded, progress.total));
        ControlFlow::Continue(())
    });
    assert!(load.is_ok());
    assert_eq!(reports, [(0, 1), (1, 3), (3, 3)]);
    let interrupted = Workspace::load(files, roots(), &mut |progress| {
        if progress.loaded > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(interrupted.err(), Some(LoadError::Interrupted));
}

#[test]
fn a_workspace_from_a_text() {
    let workspace = Workspace::from_text("text.dlang", "import \"./a\"\nbc Sales");
    insta::assert_snapshot!(show(&workspace.snapshot()), @r"
    text.dlang: Sales
    text.dlang:1:8 error import-unresolved Cannot resolve import './a'.⏎Hint: Check that the file exists and the path is correct.: Check that the path is correct and the file exists.
    text.dlang:2:1 warning bounded-context-no-description Bounded Context 'Sales' is missing a description.
    text.dlang:2:1 warning bounded-context-no-domain Bounded Context 'Sales' must belong to a domain. Use 'for DomainName'.
    ");
}

/// Half a minute is a hundred times what a linear algorithm takes.
#[test]
fn a_long_line_takes_linear_time() {
    let text = "Täm é ".repeat(1_000_000);
    let begin = Instant::now();
    let workspace = Workspace::from_text("long.dlang", text);
    let problems = workspace.snapshot().problems().unwrap();
    assert!(problems.len() > 900 && problems.iter().all(|problem| problem.start.line == 1));
    let second = &problems[1];
    assert_eq!((second.start.column, second.end.column), (5, 6), "{}", second.diagnostic.message);
    assert!(begin.elapsed() < Duration::from_secs(30), "it took {:?}", begin.elapsed());
}

#[test]
fn validation() {
    let workspace = folder("//- a.dlang\nDomain A\nbc B for A { description: \"d\" }\n//- sub/b.dlang\nbc \"\n");
    let snapshot = workspace.snapshot();
    let validate = |file: Option<&str>| match queries::validate(&snapshot, file.map(Utf8Path::new)) {
        Ok(validation) => validation.to_json(&snapshot).to_string(),
        Err(error) => error.to_string(),
    };
    let all =
        [validate(None), validate(Some("/w/a.dlang")), validate(Some("/w/b.dlang")), validate(Some("/w/x.dlang"))];
    insta::assert_snapshot!(all.join("\n"), @r#"
    {"valid":false,"fileCount":2,"domainCount":1,"bcCount":2,"errors":[{"severity":1,"message":"unexpected character: ->\"<- at offset: 3, skipped 1 characters.\nHint: The string that begins here is not closed: add \" at its end.","code":"unterminated-string","file":"sub/b.dlang","line":1,"column":4},{"severity":1,"message":"Expecting token of type 'ID' but found `\"`.\nHint: Write names without quotes.","code":"expected-token","file":"sub/b.dlang","line":1,"column":4}],"warnings":[{"severity":2,"message":"Domain 'A' is missing a vision statement.","code":"domain-no-vision","file":"a.dlang","line":1,"column":1}],"infoCount":0}
    {"valid":true,"fileCount":2,"domainCount":1,"bcCount":2,"errors":[],"warnings":[{"severity":2,"message":"Domain 'A' is missing a vision statement.","code":"domain-no-vision","file":"a.dlang","line":1,"column":1}],"infoCount":0}
    Invalid input: file: `b.dlang` is not part of the workspace; did you mean `sub/b.dlang`?
    Invalid input: file: `x.dlang` is not part of the workspace; name a file of the workspace, or leave `file` out to validate all of it
    "#);
}

/// A manifest appears between a file and its previous manifest, or above all manifests.
#[test]
fn a_new_manifest_applies_at_every_level() {
    let files = Arc::new(ChangingFiles::default());
    files.0.write().unwrap().insert("/w/deep/er/a.dlang", "import \"@lib/b\"");
    let mut workspace = load(Arc::clone(&files) as SharedFiles, &[Root::File("/w/deep/er/a.dlang".into())]);
    let mut after = |path: &str, text: &str| {
        files.0.write().unwrap().insert(path, text);
        assert!(workspace.refresh(), "{path}");
        problems(&workspace.snapshot()).lines().map(|line| line.chars().take(60).collect::<String>() + "\n").collect()
    };
    let rendered: [String; 3] =
        [after("/w/model.yaml", "x: y"), after("/w/deep/model.yaml", "{}"), after("/w/deep/er/model.yaml", "paths: [")];
    insta::assert_snapshot!(rendered.join("\n"), @r"
    deep/er/a.dlang:1:8 error import-unresolved Cannot resolve i
    model.yaml:1:1 warning manifest-unknown-key The key 'x' mean

    er/a.dlang:1:8 error import-unresolved Cannot resolve import

    a.dlang:1:8 error import-unresolved Cannot resolve import '@
    model.yaml:1:1 error manifest-unexpected-value 'paths' must 
    model.yaml:1:8 error manifest-yaml-error YAML parse error: u
    ");
}

/// Files in memory that change while a workspace reads them.
#[derive(Default)]
struct ChangingFiles(RwLock<MemoryFiles>);

impl Files for ChangingFiles {
    fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        self.0.read().unwrap().kind(path)
    }

    fn read(&self, path: &Utf8Path, max: usize) -> Result<Vec<u8>, ReadError> {
        self.0.read().unwrap().read(path, max)
    }

    fn canonical(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.0.read().unwrap().canonical(path)
    }

    fn stamp(&self, path: &Utf8Path) -> Option<Stamp> {
        self.0.read().unwrap().stamp(path)
    }

    fn walk(&self, folder: &Utf8Path, bounds: Bounds) -> Walk {
        self.0.read().unwrap().walk(folder, bounds)
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, String),
    Remove(&'static str),
    Open(&'static str, String),
    Close(&'static str),
}

const PATHS: &[&str] = &["/w/a.dlang", "/w/b.dlang", "/w/sub/c.dlang", "/out/d.dlang"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = || proptest::sample::select(PATHS);
    let specifiers = ["./a", "./b.dlang", "../b", "./sub/c", "@lib/c", "../out/d", "/w/a.dlang", "nope"];
    let import = proptest::sample::select(specifiers.to_vec()).prop_map(|it| format!("import \"{it}\"\n"));
    let body =
        prop_oneof![Just("Team A"), Just("Domain D in A { vision: \"v\" }"), Just("bc B for D by A"), Just("bc")];
    let imports = proptest::collection::vec(import, 0..3).prop_map(|imports| imports.concat());
    let model = || (imports.clone(), body.clone()).prop_map(|(imports, body)| imports + body);
    let manifest = prop_oneof![Just("{}"), Just("paths: {\"@lib\": ./sub}"), Just("paths: [")].prop_map(str::to_owned);
    let manifests = ["/w/model.yaml", "/w/sub/model.yaml"];
    let step = prop_oneof![
        4 => (path(), model()).prop_map(|(path, text)| Step::Write(path, text)),
        2 => path().prop_map(Step::Remove),
        2 => (path(), model()).prop_map(|(path, text)| Step::Open(path, text)),
        2 => path().prop_map(Step::Close),
        1 => (proptest::sample::select(manifests.to_vec()), manifest, any::<bool>()).prop_map(|(path, text, is_open)| {
            if is_open { Step::Open(path, text) } else { Step::Write(path, text) }
        }),
        1 => proptest::sample::select(manifests.to_vec()).prop_map(Step::Remove),
        1 => proptest::sample::select(manifests.to_vec()).prop_map(Step::Close),
    ];
    proptest::collection::vec(step, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// After any changes, a workspace equals a newly loaded one.
    #[test]
    fn incremental_updates_equal_a_fresh_load(steps in steps(), is_file in any::<bool>()) {
        let files = Arc::new(ChangingFiles::default());
        files.0.write().unwrap().insert("/w/a.dlang", "import \"./b\"\nTeam A");
        let shared = || -> SharedFiles { Arc::clone(&files) as SharedFiles };
        let roots = [if is_file { Root::File("/w/a.dlang".into()) } else { Root::Folder("/w".into()) }];
        let mut workspace = load(shared(), &roots);
        for step in steps {
            match step.clone() {
                Step::Write(path, text) => files.0.write().unwrap().insert(path, text),
                // The root itself stays.
                Step::Remove("/w/a.dlang") => {}
                Step::Remove(path) => files.0.write().unwrap().remove(path.into()),
                Step::Open(path, text) => _ = workspace.overlay(path.into(), Some(text.into())),
                Step::Close(path) => _ = workspace.overlay(path.into(), None),
            }
            workspace.refresh();
            let mut fresh = load(shared(), &roots);
            for path in workspace.overlaid() {
                fresh.overlay(&path, workspace.overlay.text(&path));
            }
            assert_eq!(show(&workspace.snapshot()), show(&fresh.snapshot()), "after {step:?}");
        }
    }
}
