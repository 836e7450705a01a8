//! `validateFile` waits for the server's own answer, both with pulled and with published diagnostics.

use serde_json::Value;
use zubi_tests::Project;
use zubi_tests::hosts::HostsProject;

#[test]
fn files_are_validated_with_pull_and_push_diagnostics() {
    for (components, file, wrong, source) in [
        // The server answers `textDocument/diagnostic`.
        (&["pyright"][..], "wrong.py", "number: int = \"a text\"\n", "Pyright"),
        // The server sends only `textDocument/publishDiagnostics`.
        (&["clangd"], "wrong.cpp", "int number = \"a text\";\n", "clang"),
    ] {
        let project = Project::empty();
        project.write(file, wrong);
        let fixture = HostsProject::new(project, components);
        let _daemon = fixture.daemon(&[]);
        let validate = || -> Value {
            let params = format!("{{\"path\": \"{file}\"}}");
            serde_json::from_str(&fixture.output(&["ipc", "validateFile", "--params", &params])).expect("JSON")
        };
        let checked = validate();
        assert_eq!(checked["diagnostics"][0]["source"], source, "{checked}");
        assert_eq!(checked["diagnostics"][0]["severity"], "error", "{checked}");
        assert_eq!(checked["coverage"]["analysed"], 1, "{checked}");
        // A fixed error is not reported any more, however soon the next request follows.
        fixture.project.write(file, "\n");
        let fixed = validate();
        assert_eq!(fixed["diagnostics"].as_array().map(Vec::len), Some(0), "{fixed}");
        assert_eq!(fixed["coverage"]["analysed"], 1, "{fixed}");
    }
}
