//! The edit sink that writes to disk.

use std::collections::BTreeMap;

use async_trait::async_trait;
use camino::{Utf8Path, Utf8PathBuf};
use zubi_base::text::{ChangeLabel, EditOptions, EditOutcome, EditSink, FileOperation, SinkError};

use super::journal::{EditJournal, JournalPart};
use super::prepare::prepare;
use super::step;
use super::sweep::sweep_temporary;
use super::unrestored::{RevertOutcome, UnrestoredFile, end_journal};

/// A sink that writes to disk atomically. The caller must hold the edit lock, as [`crate::edit::EditService`] does.
#[derive(Clone)]
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

    pub(super) fn state_dir(&self) -> &Utf8Path {
        &self.state_dir
    }

    fn run(&self, operations: &[FileOperation], label: &ChangeLabel) -> Result<(), SinkError> {
        let Some(first) = operations.first() else { return Ok(()) };
        let part = JournalPart::new(prepare(operations, &BTreeMap::new())?, label);
        let mut journal = EditJournal::begin(&self.state_dir, part).map_err(io(first.path()))?;
        match self.execute(&mut journal).and_then(|()| self.commit(&mut journal)) {
            Ok(()) => {
                #[cfg(test)]
                if matches!(self.fault, InjectedFault::Die(point) if point == journal.steps().count() * 2 + 1) {
                    return Err(SinkError::Refused { reason: "died".to_owned() });
                }
                remove_finished(journal);
                Ok(())
            }
            Err(error) => {
                #[cfg(test)]
                if let Some(stopped) = self.simulate_death(&mut journal) {
                    return Err(stopped);
                }
                Err(revert(journal, error))
            }
        }
    }

    /// Executes the steps of the journal's last part. A failure leaves the finished steps.
    pub(super) fn execute(&self, journal: &mut EditJournal) -> Result<(), SinkError> {
        let Some(part) = journal.parts.len().checked_sub(1) else { return Ok(()) };
        let first = journal.first_step(part);
        for (index, operation) in
            journal.parts.get(part).map(JournalPart::operations).unwrap_or_default().iter().enumerate()
        {
            let step = first + index;
            let path = operation.path();
            tracing::trace!(step, %path, "writes");
            self.point(step * 2, path)?;
            if let Err(error) = step::execute(operation) {
                if matches!(error, SinkError::Changed { .. } | SinkError::Exists { .. }) {
                    journal.refuse_next();
                }
                return Err(error);
            }
            tracing::trace!(step, "written");
            self.point(step * 2 + 1, path)?;
            journal.mark_done().map_err(io(path))?;
        }
        Ok(())
    }

    /// Makes the change final.
    pub(super) fn commit(&self, journal: &mut EditJournal) -> Result<(), SinkError> {
        let first = journal.steps().next().map(|step| step.operation.path().to_owned()).unwrap_or_default();
        self.point(journal.steps().count() * 2, &first)?;
        journal.commit().map_err(io(&first))?;
        tracing::trace!("committed");
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
    fn simulate_death(&self, journal: &mut EditJournal) -> Option<SinkError> {
        match self.fault {
            InjectedFault::FailThenDie(_, reverted_count) => {
                let rest = journal.steps().count().saturating_sub(reverted_count);
                journal.revert_part(0, rest);
            }
            InjectedFault::Die(_) => {}
            InjectedFault::None | InjectedFault::Fail(_) => return None,
        }
        Some(SinkError::Refused { reason: "died".to_owned() })
    }
}

fn io(path: &Utf8Path) -> impl FnOnce(std::io::Error) -> SinkError {
    let path = path.to_owned();
    move |source| SinkError::Io { path, source }
}

/// Removes the journal of a complete change. If that fails, the next start removes it.
pub(super) fn remove_finished(journal: EditJournal) {
    if let Err(error) = journal.remove() {
        tracing::warn!(%error, "a finished journal could not be removed");
    }
}

/// Reverts a change on disk after a failure, including the failed step, which may be half done.
fn revert(mut journal: EditJournal, error: SinkError) -> SinkError {
    let unrestored = journal.revert_part(0, 0).1;
    end_failed(journal, &unrestored, error)
}

/// Ends the journal of a change that has failed and was reverted, and returns the error for the caller.
pub(super) fn end_failed(journal: EditJournal, unrestored: &[UnrestoredFile], error: SinkError) -> SinkError {
    sweep_temporary(journal.steps());
    match end_journal(journal, unrestored, &|path| path.to_string()) {
        RevertOutcome::Restored => error,
        RevertOutcome::Pending(unrestored) => {
            stuck(error, format!("{unrestored}; zubi tries again at the next call and at its next start"))
        }
        RevertOutcome::Conflict(unrestored) => stuck(error, unrestored),
    }
}

fn stuck(error: SinkError, unrestored: String) -> SinkError {
    let (path, source) = match error {
        SinkError::Io { path, source } => (path, source),
        SinkError::Changed { path } => (path, std::io::Error::other("it changed since the plan was made")),
        SinkError::Exists { path } => (path, std::io::ErrorKind::AlreadyExists.into()),
        other => (Utf8PathBuf::new(), std::io::Error::other(other)),
    };
    SinkError::Stuck { path, source, unrestored }
}

#[async_trait]
impl EditSink for DiskSink {
    async fn apply(&self, operations: &[FileOperation], options: &EditOptions) -> Result<EditOutcome, SinkError> {
        // Each of possibly thousands of steps waits for the disk.
        let (operations, label, sink) = (operations.to_vec(), options.label.clone(), self.clone());
        match tokio::task::spawn_blocking(move || sink.run(&operations, &label)).await {
            Ok(result) => result.map(|()| EditOutcome::default()),
            Err(error) => Err(SinkError::Refused { reason: format!("the write was interrupted: {error}") }),
        }
    }
}
