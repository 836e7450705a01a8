//! Stored outputs, and the answer about expired ones.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use serde_json::json;
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

/// Returns the tool's answer about an output some days after it was stored.
async fn check(days: u64) -> String {
    let state = tempfile::tempdir().unwrap();
    let store = OutputStore::new(Utf8Path::from_path(state.path()).unwrap());
    let mut writer = store.create().unwrap();
    writer.write(b"one\ntwo\n").unwrap();
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
    let read = call_in(&registry, "output.read", json!({ "output": id }), cx(&toy, Restrictions::default())).await;
    read.replace(&id, "o-…")
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
