//! The root directory of a document's project.

use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::worktree::nested_worktree_of;

use crate::catalogue::{RootRule, ServerEntry};

mod cargo;
mod typescript;

pub(crate) use cargo::Manifests;

/// Returns the directory in which `row`'s server should work for a document: the nearest one with a marker of the best
/// group, never above `folder` or the document's git worktree in it. Without any marker it is that directory.
pub fn project_root(row: &ServerEntry, document: &Utf8Path, folder: &Utf8Path) -> Utf8PathBuf {
    let worktree = nested_worktree_of(document, folder);
    let folder = worktree.as_deref().unwrap_or(folder);
    let ancestors = || document.ancestors().skip(1).take_while(|directory| directory.starts_with(folder));
    let nearest = row
        .root_markers
        .iter()
        .find_map(|group| ancestors().find(|directory| group.iter().any(|marker| directory.join(marker).exists())));
    match (nearest, row.root) {
        (None, _) => folder.to_owned(),
        (Some(directory), RootRule::Nearest) => directory.to_owned(),
        (Some(directory), RootRule::CargoWorkspace) => Manifests::new(folder).project(directory),
        (Some(directory), RootRule::TypescriptSolution) => typescript::solution(directory, document, folder),
    }
}

/// Returns the project that a document belongs to for the server of its root: the nearest directory below that root
/// with one of the row's inner markers, else the root.
pub fn inner_project(row: &ServerEntry, document: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    let mut ancestors = document.ancestors().skip(1).take_while(|directory| directory.starts_with(root));
    let nearest = ancestors.find(|directory| row.inner_projects.iter().any(|marker| directory.join(marker).exists()));
    nearest.unwrap_or(root).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    /// Creates the files (`path` or `path: content`) and returns the root of a document's project.
    fn check(server: &str, document: &str, files: &[&str]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let folder = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for file in files.iter().chain([&document]) {
            let (path, content) = file.split_once(": ").unwrap_or((file, ""));
            std::fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
            zubi_base::fs::write_atomic(&folder.join(path), content.as_bytes()).unwrap();
        }
        let row = Catalogue::builtin().row(server).unwrap();
        let root = project_root(row, &folder.join(document), &folder);
        let relative = root.strip_prefix(&folder).unwrap().to_string();
        if relative.is_empty() { "(folder)".to_owned() } else { relative }
    }

    #[test]
    fn markers_in_order() {
        for (server, document, files, expected) in [
            ("pyright", "a/b/c.py", &[] as &[&str], "(folder)"),
            ("pyright", "a/b/c.py", &["a/setup.py"], "a"),
            ("pyright", "a/b/c.py", &["a/pyproject.toml", "a/b/setup.py"], "a/b"),
            // A better group wins over a nearer directory.
            ("pyright", "a/b/c.py", &["a/pyrightconfig.json", "a/b/setup.py"], "a"),
            ("gopls", "a/b/c.go", &["go.work", "a/go.mod"], "(folder)"),
            ("clangd", "a/b/c.c", &["a/build/compile_commands.json"], "a"),
            ("typescript", "packages/x/src/a.ts", &["package-lock.json", "packages/x/tsconfig.json"], "(folder)"),
            ("typescript", "packages/x/src/a.ts", &["pnpm-workspace.yaml", "packages/x/tsconfig.json"], "(folder)"),
        ] {
            assert_eq!(check(server, document, files), expected, "{server} {files:?}");
        }
    }

    #[test]
    fn cargo_workspaces() {
        for (files, expected) in [
            (&["a/Cargo.toml: [package]"] as &[&str], "a"),
            (&["Cargo.toml: [workspace]", "a/Cargo.toml: [package]"], "(folder)"),
            // A package of its own in between does not end the search; a workspace of its own does.
            (&["Cargo.toml: [workspace]", "a/Cargo.toml: [package]", "a/b/Cargo.toml: [package]"], "(folder)"),
            (&["Cargo.toml: [workspace]", "a/Cargo.toml: [workspace]", "a/b/Cargo.toml: [package]"], "a"),
            (&["Cargo.toml: [workspace]\nexclude = [\"a/b\"]", "a/b/Cargo.toml: [package]"], "a/b"),
            (&["w/Cargo.toml: [workspace]", "a/b/Cargo.toml: [package]\nworkspace = \"../../w\""], "w"),
            // A root is never outside the folder.
            (&["a/b/Cargo.toml: [package]\nworkspace = \"../../..\""], "a/b"),
            // A file that is not valid TOML does not make a workspace.
            (&["Cargo.toml: [workspace", "a/Cargo.toml: [package]"], "a"),
            (&["Cargo.toml: [workspace]", "a/rust-project.json"], "a"),
            // Inner workspaces that depend on the outer one, or that it excludes and depends on, share its server.
            (
                &[
                    "Cargo.toml: [package]\n[workspace]",
                    "a/b/Cargo.toml: [dependencies]\nx = { path = \"../..\" }\n[workspace]",
                ],
                "(folder)",
            ),
            (
                &[
                    "Cargo.toml: [workspace]\nmembers = [\"crates/*\"]",
                    "a/Cargo.toml: [workspace]\nmembers = [\"b\"]",
                    "a/b/Cargo.toml: [target.'cfg(unix)'.dev-dependencies]\nx.path = \"../../crates/x\"",
                    "crates/x/Cargo.toml: [package]",
                ],
                "(folder)",
            ),
            (
                &[
                    "Cargo.toml: [workspace]\nexclude = [\"a\"]\n[workspace.dependencies]\nx = { path = \"a/b\" }",
                    "a/b/Cargo.toml: [package]",
                ],
                "(folder)",
            ),
            // Only with the same name.
            (&["Cargo.toml: [package]\n[workspace]", "a/b/Cargo.toml: [dependencies]\nx = \"1\"\n[workspace]"], "a/b"),
            // On a package of its own, and on one outside the folder.
            (
                &[
                    "Cargo.toml: [workspace]",
                    "a/Cargo.toml: [workspace]\n[dependencies]\nb = { path = \"b\" }\nx = { path = \"../../x\" }",
                    "a/b/Cargo.toml: [package]",
                ],
                "a",
            ),
        ] {
            assert_eq!(check("rust-analyzer", "a/b/src/lib.rs", files), expected, "{files:?}");
        }
    }

    #[test]
    fn typescript_solutions() {
        let solution = |references: &str| format!("tsconfig.json: {{ \"files\": [], \"references\": [{references}] }}");
        let core = "core/tsconfig.json: { \"references\": [] }";
        for (files, expected) in [
            (vec![core.to_owned()], "core"),
            (vec![solution("{ \"path\": \"./core\" }"), core.to_owned()], "(folder)"),
            (vec![solution("{ \"path\": \"core/tsconfig.json\" }, // last\n"), core.to_owned()], "(folder)"),
            // Only through another project.
            (
                vec![
                    solution("{ \"path\": \"app\" }"),
                    "app/tsconfig.json: { \"references\": [{ \"path\": \"../core\" }, { \"path\": \"..\" }] }"
                        .to_owned(),
                    core.to_owned(),
                ],
                "(folder)",
            ),
            (vec![solution("{ \"path\": \"app\" }"), core.to_owned()], "core"),
            (vec!["tsconfig.json: {}".to_owned(), core.to_owned()], "(folder)"),
            (vec!["tsconfig.json: { \"include\": [\"**/src\"] }".to_owned(), core.to_owned()], "(folder)"),
            (vec!["tsconfig.json: { \"include\": [\"tools\"] }".to_owned(), core.to_owned()], "core"),
            (vec!["tsconfig.json: { \"exclude\": [\"core\"] }".to_owned(), core.to_owned()], "core"),
            (vec!["tsconfig.json: { \"extends\": \"./base.json\" }".to_owned(), core.to_owned()], "(folder)"),
            (
                vec![
                    "base.json: { \"include\": [\"tools\"] }".to_owned(),
                    "tsconfig.json: { \"extends\": \"./base.json\" }".to_owned(),
                    core.to_owned(),
                ],
                "core",
            ),
            // A file that is not valid JSON does not make a solution.
            (vec!["tsconfig.json: {".to_owned(), core.to_owned()], "core"),
            (vec!["package.json: { \"workspaces\": [\"core\"] }".to_owned(), core.to_owned()], "(folder)"),
            (vec!["package.json: {}".to_owned(), core.to_owned()], "core"),
        ] {
            let files: Vec<_> = files.iter().map(String::as_str).collect();
            assert_eq!(check("typescript", "core/src/a.ts", &files), expected, "{files:?}");
        }
    }

    #[test]
    fn an_inner_project_is_the_nearest_below_the_root() {
        let row = Catalogue::builtin().row("typescript").unwrap();
        let directory = tempfile::tempdir().unwrap();
        let root = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        for file in ["tsconfig.json", "a/tsconfig.json", "a/b/package.json"] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::File::create(root.join(file)).unwrap();
        }
        for (document, outer_root, expected) in
            [("x.ts", "", ""), ("a/x.ts", "", "a"), ("a/b/x.ts", "", "a"), ("a/b/x.ts", "a/b", "a/b")]
        {
            let inner = inner_project(row, &root.join(document), &root.join(outer_root));
            assert_eq!(inner, root.join(expected), "{document}");
        }
    }
}
