//! The package that users install, with its bundled program.

use std::process::Command;

use insta::assert_snapshot;
use zubi_tests::hosts::HostsProject;
use zubi_tests::tools;
use zubi_tests::vscode::Editor;

use crate::{project, project_with_tools};

#[test]
fn the_package_installs_and_runs_the_program_in_it() {
    let project = project();
    let out = project.home().join("vsix");
    let mut package = Command::new(tools::xtask());
    package.args(["package", "--target", "linux-x64", "--program", tools::zubi().as_str(), "--out", out.as_str()]);
    let outcome = package.current_dir(&*tools::ROOT).output().expect("xtask starts");
    let output = format!("{}{}", String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    assert!(outcome.status.success(), "{output}");
    let packages = out.read_dir_utf8().expect("a directory").flatten().map(camino::Utf8DirEntry::into_path);
    let package = packages.into_iter().find(|path| path.extension() == Some("vsix"));
    let package = package.unwrap_or_else(|| panic!("no package was created: {output}"));
    // Only the bundled program exists.
    let missing_program = tools::ROOT.join("no/such/program");
    let installed = Editor::new(&project, &missing_program).package(package.clone());
    assert_snapshot!(installed.window("", "packaged").run(), @"ok      the installed package runs its bundled program");
    let fixture = HostsProject::new(project_with_tools(), &["node"]);
    let untrusted = Editor::new(&fixture.project, &missing_program).package(package).without_trust();
    assert_snapshot!(untrusted.window("", "untrusted").run(), @"ok      in an untrusted folder only the bundled program runs, and no tool of the folder");
}
