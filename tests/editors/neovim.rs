//! Neovim, with its own language client.

use insta::{assert_json_snapshot, with_settings};
use serde_json::Value;
use zubi_tests::{Project, tools};

use crate::run;

#[test]
fn neovim_edits_a_model() {
    let project = Project::example("bank");
    let files = tools::directory("neovim").join("usr");
    let result = project.home().join("result.json");
    let script = tools::ROOT.join("tests/editors/neovim.lua");
    let nvim = tools::program("neovim", "nvim");
    let command = format!("luafile {script}");
    run(
        &project,
        nvim.as_str(),
        &["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", &command],
        &[
            ("LD_LIBRARY_PATH", files.join("lib/x86_64-linux-gnu").as_str()),
            ("VIMRUNTIME", files.join("share/nvim/runtime").as_str()),
            ("RESULT", result.as_str()),
        ],
    );
    #[expect(clippy::disallowed_methods, reason = "the tests know no crate of the product")]
    let seen = std::fs::read_to_string(&result).expect("Neovim writes what it saw");
    let seen: Value = serde_json::from_str(&seen).expect("as JSON");
    // Lua does not preserve the order of keys.
    with_settings!({ sort_maps => true }, {
        assert_json_snapshot!(seen, @r#"
        {
          "actions": [
            "Change to 'CoreBanking'"
          ],
          "completion": [
            "Compliance",
            "CoreBanking",
            "MoneyMovement"
          ],
          "fixed": "bc Extra for Nowhere by CoreBanking",
          "formatted": "Team Later",
          "hover": "*Every movement of money, once and for ever.*",
          "problems": [
            "Could not resolve reference to Domain named 'Nowhere'.",
            "Could not resolve reference to Team named 'CoreBankin'.",
            "Bounded Context 'Extra' is missing a description."
          ],
          "renamed": [
            {
              "file": "domains/accounts.dlang",
              "new": 3,
              "old": 0
            },
            {
              "file": "index.dlang",
              "new": 3,
              "old": 0
            }
          ]
        }
        "#);
    });
    assert!(project.read("index.dlang").contains("Bank.Accounts.Welcome"));
    assert!(project.read("domains/accounts.dlang").ends_with("}\nTeam Later\n"));
}
