//! The queries of the index itself, without zubi's process: no transport, and no reading of the files that an answer shows.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use camino::Utf8Path;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use zubi_code::symbol_index::{SymbolIndex as _, SymbolQuery, WordFiles};
use zubi_code::syntax::DirectParser;
use zubi_index::{IndexLimits, LocalIndex};

use super::names::{Name, Query};
use super::row;
use crate::stats::Samples;
use crate::table::{Aim, Table};

/// The number of declarations that an answer has at most.
const LIMIT: usize = 200;

/// Measures the queries about some names in the store of a folder, given by its state in `zubi index build --json`.
pub(super) fn queries(table: &mut Table, folder: &Value, names: &[Name]) -> Result<()> {
    let path = |key: &str| folder[key].as_str().map(Utf8Path::new).context("the state names the folder and its store");
    let (root, store) = (path("folder")?, path("store")?);
    let cache = store.parent().and_then(Utf8Path::parent).context("the store is in the cache directory")?;
    let index = LocalIndex::new(root, Some(cache), Arc::new(DirectParser), IndexLimits::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    runtime.block_on(measure(table, &index, root, names))
}

async fn measure(table: &mut Table, index: &LocalIndex, root: &Utf8Path, names: &[Name]) -> Result<()> {
    // Without a comparison, the index does not know whether it has all words.
    index.build(&CancellationToken::new()).await?;
    // The first query reads all names.
    index.search(&SymbolQuery { text: "zubi".to_owned(), ..SymbolQuery::default() }, 1).await?;
    for kind in Query::ALL {
        let mut samples = Samples::default();
        for name in names {
            let query = SymbolQuery { text: kind.text(name), ..SymbolQuery::default() };
            let started = Instant::now();
            let found = index.search(&query, LIMIT).await?;
            samples.push(started.elapsed());
            ensure!(kind != Query::Exact || !found.hits.is_empty(), "`{}` is not found", name.text);
        }
        let aim = if kind == Query::Typo { 15.0 } else { 5.0 };
        push(table, &format!("in the index: symbol search, {}", kind.title()), &samples, aim);
    }
    let (mut words, mut outlines) = (Samples::default(), Samples::default());
    for name in names {
        let started = Instant::now();
        let files = index.files_with(&name.text).await?;
        words.push(started.elapsed());
        ensure!(!matches!(files, WordFiles::Unknown), "the index does not know the files with `{}`", name.text);
        let started = Instant::now();
        let outline = index.outline(&root.join(&name.file)).await?;
        outlines.push(started.elapsed());
        ensure!(outline.is_some(), "`{}` has no outline", name.file);
    }
    push(table, "in the index: files with a word", &words, 1.0);
    push(table, "in the index: outline of a file", &outlines, 0.5);
    Ok(())
}

fn push(table: &mut Table, label: &str, samples: &Samples, aim: f64) {
    for percent in [50, 95] {
        let aim = (percent == 95).then_some(Aim::AtMost(aim));
        table.push(row(format!("{label}, p{percent}"), samples.percentile(percent), "ms", aim));
    }
}
