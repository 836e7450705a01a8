//! The queries of the team's data themselves, without zubi's process: no transport, and no search of the files for the name.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use zubi_base::clock::SystemClock;
use zubi_base::process::Spawner;
use zubi_base::text::DiskText;
use zubi_code::exact_index::{ExactIndex as _, ExactQuery, ExactRole, ExactTarget};
use zubi_exec::sandbox::Sandbox;
use zubi_index::{GitRepositories, TeamDatabase, TeamIndex};
use zubi_tests::Project;

use super::data::Repository;
use crate::stats::Samples;

/// The maximum number of documents and of locations of an answer.
const LIMIT: usize = 2_000;

/// Measures queries for the references of methods, each in a transaction of its own, with a check of the files that have them.
pub(super) fn references(
    project: &Project,
    connection: &str,
    repository: &Repository,
    number: usize,
) -> Result<Samples> {
    let program = zubi_exec::program::find("git", std::env::var_os("PATH").as_deref()).into_iter().next();
    let sandbox = Arc::new(Sandbox::new(Spawner::direct(), None, None));
    let git = GitRepositories::new(program.context("git is on PATH")?, Spawner::direct(), sandbox);
    let database = TeamDatabase::new(connection, "the benchmark").map_err(anyhow::Error::new)?;
    let index = TeamIndex::new(project.root(), Arc::new(database), Arc::new(git), Arc::new(SystemClock));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let mut samples = Samples::default();
        // The first ones connect, and the server plans their queries.
        for question in 0..number + 10 {
            let target = ExactTarget::Name(repository.name_path(question));
            let query = ExactQuery { target, role: ExactRole::References, limit: LIMIT };
            let started = Instant::now();
            let answer = index.find(&query, &DiskText).await?;
            if question >= 10 {
                samples.push(started.elapsed());
            }
            ensure!(!answer.symbols.is_empty(), "{query:?} has no answer");
        }
        Ok(samples)
    })
}
