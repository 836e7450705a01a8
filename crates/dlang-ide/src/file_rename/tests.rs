//! Specifiers before and after a move.

use dlang_syntax::parse;

use super::{MovedImport, import_edits, moved_specifier};
use dlang_model::edit::apply;

/// Renders the specifier after a move of the importing file `/w/a/main.dlang` or of another file; `=` if it is
/// unchanged.
#[track_caller]
fn check(specifier: &str, from: &str, to: &str, target: &str) -> String {
    check_move(specifier, from, to, target, false)
}

/// Moves a file or folder, with everything below it.
fn check_move(specifier: &str, from: &str, to: &str, target: &str, has_sibling_folder: bool) -> String {
    let moved = |path: &str| match path.strip_prefix(from) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{to}{rest}"),
        _ => path.to_owned(),
    };
    let importer = "/w/a/main.dlang";
    let (importer_after, target_after) = (moved(importer), moved(target));
    let moved = MovedImport {
        importer_before: importer,
        importer: &importer_after,
        target_before: target,
        target: &target_after,
        has_sibling_folder,
        aliases: &[("@", "/w"), ("@lib", "/w/lib"), ("@lib/deep", "/w/elsewhere")],
    };
    moved_specifier(specifier, &moved).unwrap_or_else(|| "=".to_owned())
}

#[test]
fn a_target_moves() {
    let target = "/w/a/b.dlang";
    assert_eq!(check("./b.dlang", target, "/w/a/c.dlang", target), "./c.dlang");
    assert_eq!(check("./b", target, "/w/a/c.dlang", target), "./c");
    assert_eq!(check_move("./b", target, "/w/a/c.dlang", target, true), "./c.dlang");
    assert_eq!(check("../a/./b.dlang", target, "/w/x/y/b.dlang", target), "../x/y/b.dlang");
    assert_eq!(check("..\\a\\b", target, "/b.dlang", target), "../../b");
    assert_eq!(check("./b.dlang", "/w/z", "/w/y", target), "=");
}

#[test]
fn a_folder_moves() {
    let target = "/w/shop/index.dlang";
    assert_eq!(check("../shop", "/w/shop", "/w/store", target), "../store");
    assert_eq!(check("../shop/index.dlang", "/w/shop", "/w/a/store", target), "./store/index.dlang");
    // An alias with another name does not match.
    assert_eq!(check("../shop", target, "/w/shop/main.dlang", target), "../shop/main.dlang");
    assert_eq!(check("../shop", "/w", "/v", target), "=");
}

#[test]
fn the_importing_file_moves() {
    let importer = "/w/a/main.dlang";
    assert_eq!(check("./b", importer, "/w/main.dlang", "/w/a/b.dlang"), "./a/b");
    assert_eq!(check("../shop", importer, "/w/x/y/main.dlang", "/w/shop/index.dlang"), "../../shop");
    assert_eq!(check("../shop", importer, "/w/b/other.dlang", "/w/shop/index.dlang"), "=");
    assert_eq!(check("@lib/b", importer, "/w/x/y/main.dlang", "/w/lib/b.dlang"), "=");
    // The importing file is also the target.
    assert_eq!(check("./main.dlang", importer, "/w/x/new.dlang", importer), "./new.dlang");
}

#[test]
fn aliases() {
    assert_eq!(check("@lib/b", "/w/lib/b.dlang", "/w/lib/x/c.dlang", "/w/lib/b.dlang"), "@lib/x/c");
    assert_eq!(check("@/lib/b", "/w/lib", "/w/libs", "/w/lib/b.dlang"), "@/libs/b");
    // Only the manifest determines the folder of an alias.
    assert_eq!(check("@lib/b", "/w/lib", "/w/libs", "/w/lib/b.dlang"), "../libs/b");
    assert_eq!(check("@lib", "/w/lib", "/w/libs", "/w/lib/index.dlang"), "../libs");
    assert_eq!(check("@lib/b", "/w/lib/b.dlang", "/w/lib/deep/b.dlang", "/w/lib/b.dlang"), "../lib/deep/b");
    assert_eq!(check("@other/b", "/w/lib", "/w/libs", "/w/lib/b.dlang"), "=");
}

#[test]
fn imports_of_packages_do_not_change() {
    let target = "/w/.dlang/packages/acme/core/0/index.dlang";
    assert_eq!(check("acme/core", "/w", "/v", target), "=");
}

#[test]
fn quote_style_is_preserved() {
    let text = "import './a' import \"./a\" as b import \"./b\" import \"./\\a\" import \"./a";
    let edits =
        |new: &str| apply(text, &import_edits(&parse(text), |specifier| (specifier == "./a").then(|| new.to_owned())));
    insta::assert_snapshot!(edits("./c"), @r#"import './c' import "./c" as b import "./b" import "./c" import "./a"#);
    insta::assert_snapshot!(edits("./it's \"c\""), @r#"import "./it's \"c\"" import "./it's \"c\"" as b import "./b" import "./it's \"c\"" import "./a"#);
}
