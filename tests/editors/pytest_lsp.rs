//! pytest-lsp: the capabilities of several editors, and a client that checks every message.

use zubi_tests::{Project, tools};

use crate::run;

#[test]
fn pytest_lsp_finds_nothing_wrong() {
    let project = Project::example("bank");
    let pytest = tools::program("pytest-lsp", "pytest");
    let script = tools::ROOT.join("tests/editors/test_bank.py");
    let printed = run(
        &project,
        pytest.as_str(),
        // pytest-lsp itself warns about recommendations of the protocol.
        &[
            "-q",
            "-p",
            "no:cacheprovider",
            "--strict-markers",
            "-W",
            "error::pytest_lsp.LspSpecificationWarning",
            script.as_str(),
        ],
        &[("PYTHONDONTWRITEBYTECODE", "1")],
    );
    assert!(printed.contains("3 passed"), "{printed}");
}
