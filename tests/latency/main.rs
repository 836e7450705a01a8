//! A slow query never delays a quick one.
#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

use serde_json::json;
use tokio::sync::mpsc;
use zubi_tests::{Project, Zubi};

/// Sends a slow request and then a quick one, in every round; the quick response must come first. The test compares the
/// order of arrival, not the clock.
async fn assert_quick_first(published: &str, components: &[&str], slow: (&str, &str), quick: &str) {
    let project = Project::copy_published(published);
    let zubi = Zubi::start(&project, components).await;
    let references = || zubi.call("lsp_references", json!({ "symbol": slow.0, "path": slow.1, "maxTokens": 20_000 }));
    let hover = || zubi.call("lsp_hover", json!({ "at": quick }));
    references().await;
    hover().await;
    for round in 0..10 {
        let (sender, mut arrivals) = mpsc::unbounded_channel();
        let (slow_sender, quick_sender) = (sender.clone(), sender);
        tokio::join!(
            async {
                references().await;
                slow_sender.send("references").expect("open");
            },
            async {
                hover().await;
                quick_sender.send("hover").expect("open");
            }
        );
        assert_eq!(arrivals.recv().await, Some("hover"), "{components:?}, round {round}");
    }
}

#[tokio::test]
async fn hover_passes_references_on_rust_analyzer() {
    let slow = ("Command", "src/builder/command.rs");
    assert_quick_first("clap_builder", &["rust-analyzer"], slow, "src/builder/arg_group.rs:70 ArgGroup").await;
}

#[tokio::test]
async fn hover_passes_a_cold_start() {
    // The references wait for a project that takes seconds to read; queries about an open file do not wait.
    let project = Project::copy_published("leveldb");
    let zubi = Zubi::start(&project, &["clangd"]).await;
    let (sender, mut arrivals) = mpsc::unbounded_channel();
    let (slow_sender, quick_sender) = (sender.clone(), sender);
    tokio::join!(
        async {
            zubi.call_stable("lsp_references", json!({ "at": "include/leveldb/slice.h:28 Slice", "limit": 1 })).await;
            slow_sender.send("references").expect("open");
        },
        async {
            zubi.call_stable("lsp_document_symbols", json!({ "path": "util/arena.h" })).await;
            quick_sender.send("symbols").expect("open");
        }
    );
    assert_eq!(arrivals.recv().await, Some("symbols"));
}
