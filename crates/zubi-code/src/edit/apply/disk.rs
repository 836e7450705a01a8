//! The edit sink that writes to disk.

use std::collections::BTreeMap;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::{EditOptions, EditOutcome, EditSink, FileOperation, SinkError};

use super::journal::EditJournal;
use super::prepare::prepare;
use super::step;

/// A sink that writes to disk atomically. The caller must hold the edit lock, as [`crate::edit::EditService`] does.
pub struct DiskSink {
    state_dir: Utf8PathBuf,
    #[cfg(test)]
    pub(in crate::edit) fault: InjectedFault,
}

/// A fault for tests, with the point at which it occurs. Points are 0-based: two for each step (before it, and between
/// it and its mark), one before the commit mark, and one before the removal of the journal.
#[cfg(test)]
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::edit) enum InjectedFault {
    #[default]
    None,
    /// The write fails, as with a full disk.
    Fail(usize),
    /// The process dies: nothing more happens.
    Die(usize),
    /// The write fails at the first point; the process dies after it has undone the second number of steps.
    FailThenDie(usize, usize),
}

impl DiskSink {
    /// Creates a sink whose journals are in `<state_dir>/journal/`.
    pub fn new(state_dir: &Utf8Path) -> Self {
        Self {
            state_dir: state_dir.to_owned(),
            #[cfg(test)]
            fault: InjectedFault::None,
        }
    }

    fn run(&self, operations: &[FileOperation]) -> Result<(), SinkError> {
        let steps = prepare(operations, &BTreeMap::new())?;
        let Some(first) = operations.first() else { return Ok(()) };
        let io = |path: &Utf8Path| {
            let path = path.to_owned();
            move |source| SinkError::Io { path, source }
        };
        let mut journal = EditJournal::begin(&self.state_dir, &steps).map_err(io(first.path()))?;
        for (index, step) in steps.iter().enumerate() {
            let done = self
                .point(index * 2, step.operation.path())
                .and_then(|()| step::execute(&step.operation))
                .and_then(|()| self.point(index * 2 + 1, step.operation.path()))
                .and_then(|()| journal.done(index).map_err(io(step.operation.path())));
            if let Err(error) = done {
                #[cfg(test)]
                if let Some(stopped) = self.simulate_death(&mut journal, &steps, index) {
                    return Err(stopped);
                }
                return Err(take_back(journal, &steps, index, error));
            }
        }
        let last = steps.len() - 1;
        let committed =
            self.point(steps.len() * 2, first.path()).and_then(|()| journal.commit().map_err(io(first.path())));
        if let Err(error) = committed {
            #[cfg(test)]
            if let Some(stopped) = self.simulate_death(&mut journal, &steps, last) {
                return Err(stopped);
            }
            return Err(take_back(journal, &steps, last, error));
        }
        #[cfg(test)]
        if matches!(self.fault, InjectedFault::Die(point) if point == steps.len() * 2 + 1) {
            return Err(SinkError::Refused { reason: "died".to_owned() });
        }
        // The change is complete. If its journal cannot be removed, the next start removes it.
        if let Err(error) = journal.remove() {
            tracing::warn!(%error, "a finished journal could not be removed");
        }
        Ok(())
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the test build fails here on purpose")]
    fn point(&self, _number: usize, _path: &Utf8Path) -> Result<(), SinkError> {
        Ok(())
    }

    #[cfg(test)]
    fn point(&self, number: usize, path: &Utf8Path) -> Result<(), SinkError> {
        match self.fault {
            InjectedFault::Fail(at) | InjectedFault::Die(at) | InjectedFault::FailThenDie(at, _) if at == number => {
                Err(SinkError::Io { path: path.to_owned(), source: std::io::ErrorKind::StorageFull.into() })
            }
            _ => Ok(()),
        }
    }

    #[cfg(test)]
    fn simulate_death(
        &self,
        journal: &mut EditJournal,
        steps: &[super::prepare::ReversibleStep],
        failed: usize,
    ) -> Option<SinkError> {
        match self.fault {
            InjectedFault::FailThenDie(_, reverted_count) => {
                let rest = (failed + 1).saturating_sub(reverted_count);
                journal.revert_down_to(steps, failed, rest);
            }
            InjectedFault::Die(_) => {}
            InjectedFault::None | InjectedFault::Fail(_) => return None,
        }
        Some(SinkError::Refused { reason: "died".to_owned() })
    }
}

/// Undoes all steps after a failure, including the failed step, which may be half done.
fn take_back(
    mut journal: EditJournal,
    steps: &[super::prepare::ReversibleStep],
    failed: usize,
    error: SinkError,
) -> SinkError {
    let unrestored = journal.revert(steps, failed);
    if unrestored.is_empty() {
        if let Err(error) = journal.remove() {
            tracing::warn!(%error, "a worked-off journal could not be removed");
        }
        return error;
    }
    // The journal stays, so that the next start tries again.
    let path = steps.get(failed).map(|step| step.operation.path().to_owned()).unwrap_or_default();
    let source = match error {
        SinkError::Io { source, .. } => source,
        other => std::io::Error::other(other),
    };
    SinkError::Stuck { path, source, unrestored: unrestored.join("; ") }
}

#[async_trait]
impl EditSink for DiskSink {
    async fn apply(&self, operations: &[FileOperation], _options: &EditOptions) -> Result<EditOutcome, SinkError> {
        // Each of possibly thousands of steps waits for the disk.
        let operations = operations.to_vec();
        let sink = Self {
            state_dir: self.state_dir.clone(),
            #[cfg(test)]
            fault: self.fault,
        };
        match tokio::task::spawn_blocking(move || sink.run(&operations)).await {
            Ok(result) => result.map(|()| EditOutcome::default()),
            Err(error) => Err(SinkError::Refused { reason: format!("the write was interrupted: {error}") }),
        }
    }
}
