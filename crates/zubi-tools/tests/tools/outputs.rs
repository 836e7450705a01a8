//! Stored outputs, and the answer about expired ones.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::{Value, json};
use zubi_base::clock::{Clock as _, FixedClock, SystemClock};
use zubi_code::testing::Toy;
use zubi_exec::store::OutputStore;
use zubi_policy::Policy;
use zubi_tool_api::audit::NoAudit;
use zubi_tool_api::cx::Restrictions;
use zubi_tool_api::filter::ToolFilter;
use zubi_tool_api::registry::{Registry, RegistryConfig};
use zubi_tools::output;

use crate::support::{call_in, cx};

/// Returns the answer about an output some days after it was stored.
async fn check(days: u64) -> String {
    check_tool("one\ntwo\n", days, "output.read", json!({})).await
}

/// Returns a tool's answer about an output with this text.
async fn check_tool(stored: &str, days: u64, tool: &str, mut arguments: Value) -> String {
    let state = tempfile::tempdir().unwrap();
    let store = OutputStore::new(Utf8Path::from_path(state.path()).unwrap());
    let mut writer = store.create().unwrap();
    writer.write(stored.as_bytes()).unwrap();
    let id = store.persist(writer).unwrap().to_string();
    let now = SystemClock.now() + Duration::from_hours(24 * days);
    let registry = Registry::new(RegistryConfig {
        providers: vec![output::provider(&store.with_clock(Arc::new(FixedClock(now))))],
        policy: Policy::new(ToolFilter::default()),
        audit: Arc::new(NoAudit),
        clock: Arc::new(SystemClock),
        restrictions: Restrictions::default(),
    });
    let toy = Toy::new("//- a.txt\n");
    arguments["output"] = json!(id);
    let answer = call_in(&registry, tool, arguments, cx(&toy, Restrictions::default())).await;
    answer.replace(&id, "o-…")
}

#[tokio::test]
async fn an_output_is_stored_for_seven_days() {
    insta::assert_snapshot!(check(6).await, @"
    lines 1-2 of 2
    one
    two
    ");
    insta::assert_snapshot!(check(8).await, @"
    Failed to read the output: there is no output `o-…`; outputs are stored for seven days, and shorter if there are many
    Run the command again to get a new one.
    ");
}

#[tokio::test]
async fn no_line_of_a_key_is_shown() {
    let key = "start\n-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END RSA PRIVATE KEY-----\nend\n";
    insta::assert_snapshot!(check_tool(key, 0, "output.read", json!({ "fromLine": 4 })).await, @"
    lines 4-6 of 6
    (redacted: a line of a private key)
    (redacted)
    end
    [redacted: 1 private-key; the user can show a kind with `show-secrets`]
    ");
    insta::assert_snapshot!(check_tool(key, 0, "output.read", json!({ "fromLine": 1 })).await, @"
    lines 1-6 of 6
    start
    (redacted)
    end
    [redacted: 1 private-key; the user can show a kind with `show-secrets`]
    ");
    insta::assert_snapshot!(check_tool(key, 0, "output.grep", json!({ "pattern": "BKcw", "context": 1 })).await, @"
    1 matching lines in o-…
      3-  (redacted: a line of a private key)
      4:  (redacted: a line of a private key)
    (redacted)
    [redacted: 1 private-key; the user can show a kind with `show-secrets`]
    ");
}
