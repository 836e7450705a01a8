//! The store of plans between preview and application: one JSON file for each plan, for 24 hours.
//!
//! Files have mode 0600, in a directory with mode 0700. Their names are random, so that a client cannot guess the id of
//! another client's plan. zubi still validates a file before it uses it.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use zubi_base::clock::Clock;
use zubi_base::owner_only;
use zubi_base::random;
use zubi_base::text::{ContentHash, FileOperation, Setting};
use zubi_base::workspace::WorkspaceFolders;

use super::change::BaseText;
use super::error::EditError;

/// The storage time of plans.
pub const RETENTION: Duration = Duration::from_hours(24);
/// The maximum number of records; the oldest are removed first.
pub const MAX_RECORDS: usize = 500;
/// The maximum total size of all records in bytes; the oldest are removed first.
pub const MAX_STORE_BYTES: u64 = 512 << 20;
/// The maximum size of a record that is read: the limit of a change, before and after, with JSON escapes.
const MAX_RECORD_BYTES: u64 = 6 * super::change::MAX_CHANGE_BYTES;
/// The version of the record format; zubi does not read records of another version.
const VERSION: u32 = 1;
/// Characters of an id after its prefix: 50 random bits.
const ID_LENGTH: usize = 10;

/// The content that a path must have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExpectedContent {
    Absent,
    /// A file with these bytes, or a link to this path.
    Content(ContentHash),
    /// A directory with any contents.
    Directory,
}

/// The state of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum PlanState {
    /// The plan can be applied: it is new, or it was undone.
    Planned,
    /// Stored before the first file is touched. A plan in this state means that a process ended meanwhile; the files
    /// show whether the change was made.
    Applying(Undo),
    Applied(Undo),
}

/// The data for undoing a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Undo {
    pub operations: Vec<FileOperation>,
    /// The content of every touched path after the change. An undo over any other content would lose someone's work.
    pub after: Vec<(Utf8PathBuf, ExpectedContent)>,
    /// Editor settings to set during the undo.
    #[serde(default)]
    pub settings: Vec<Setting>,
}

/// A plan as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredPlan {
    pub id: String,
    pub title: String,
    /// The server or tool that made the plan, as answers show it: `rust-analyzer`.
    #[serde(rename = "by")]
    pub produced_by: String,
    pub operations: Vec<FileOperation>,
    pub based_on: Vec<BaseText>,
    pub state: PlanState,
}

/// The envelope of every record.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordEnvelope<T> {
    version: u32,
    /// The creation time, in seconds since the Unix epoch.
    created: u64,
    workspace: Vec<Utf8PathBuf>,
    record: T,
}

/// Parses the id of a plan or of a code action. A code action *is* a stored plan whose id has another first letter. No
/// other input becomes a file name.
pub fn plan_id(handle: &str) -> Result<String, EditError> {
    let random = handle.strip_prefix("p-").or_else(|| handle.strip_prefix("a-")).unwrap_or_default();
    if random.len() != ID_LENGTH || !random.bytes().all(|byte| random::BASE32.contains(&byte)) {
        let handle = handle.chars().filter(|character| !character.is_control()).take(40).collect();
        return Err(EditError::NotAnId { input: handle });
    }
    Ok(format!("p-{random}"))
}

/// Returns the id of the code action that a plan belongs to.
pub fn action_id(plan: &str) -> String {
    format!("a-{}", plan.trim_start_matches("p-"))
}

/// Creates an id from the operating system's random numbers.
pub(super) fn fresh_id() -> Result<String, EditError> {
    let random =
        random::base32::<ID_LENGTH>().map_err(|error| state("the operating system gave no random numbers", &error))?;
    Ok(format!("p-{random}"))
}

/// See the module's documentation.
pub struct PlanStore {
    directory: Utf8PathBuf,
    workspace: Arc<WorkspaceFolders>,
    clock: Arc<dyn Clock>,
}

impl PlanStore {
    pub fn new(state_dir: &Utf8Path, workspace: Arc<WorkspaceFolders>, clock: Arc<dyn Clock>) -> Self {
        Self { directory: state_dir.join("plans"), workspace, clock }
    }

    pub(super) fn directory(&self) -> &Utf8Path {
        &self.directory
    }

    /// Removes old plans, then stores a new one. `plan` receives the new id.
    pub fn add(&self, plan: impl FnOnce(&str) -> StoredPlan) -> Result<StoredPlan, EditError> {
        owner_only::create_directory(&self.directory)
            .map_err(|error| state("the plan directory cannot be made", &error))?;
        self.sweep()?;
        let id = fresh_id()?;
        let record = plan(&id);
        let envelope = RecordEnvelope {
            version: VERSION,
            created: self.clock.now().as_secs(),
            workspace: self.folders(),
            record: &record,
        };
        let json = to_json(&envelope)?;
        // Not durable: a caller can make a lost plan again, and a list of twenty code actions stores twenty records.
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        options
            .open(self.file(&id))
            .and_then(|mut file| {
                file.write_all(&json)?;
                file.set_modified(UNIX_EPOCH + self.clock.now())
            })
            .map_err(|error| state("the plan cannot be stored", &error))?;
        Ok(record)
    }

    /// Replaces a plan durably: the undo data must be on disk before a file is touched.
    pub fn update(&self, plan: &StoredPlan) -> Result<(), EditError> {
        let created = self.read::<Value>(&plan.id)?.created;
        let envelope = RecordEnvelope { version: VERSION, created, workspace: self.folders(), record: plan };
        let file = self.file(&plan.id);
        owner_only::write_atomic(&file, &to_json(&envelope)?)
            .and_then(|()| std::fs::File::open(&file)?.set_modified(UNIX_EPOCH + Duration::from_secs(created)))
            .map_err(|error| state("the plan cannot be stored", &error))
    }

    /// Returns the plan with an id, its own or its action's.
    pub fn plan(&self, handle: &str) -> Result<StoredPlan, EditError> {
        Ok(self.read(&plan_id(handle)?)?.record)
    }

    fn read<T: DeserializeOwned>(&self, id: &str) -> Result<RecordEnvelope<T>, EditError> {
        let damaged = |reason: String| EditError::Damaged { id: id.to_owned(), reason };
        let unknown = || EditError::Unknown { id: id.to_owned() };
        let file = self.file(id);
        let metadata = std::fs::metadata(&file).map_err(|_| unknown())?;
        if metadata.len() > MAX_RECORD_BYTES {
            return Err(damaged("its record is too large".to_owned()));
        }
        let bytes = std::fs::read(&file).map_err(|error| damaged(error.to_string()))?;
        let envelope: RecordEnvelope<Value> =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if envelope.version != VERSION {
            return Err(damaged("it was made by another version of zubi".to_owned()));
        }
        if self.is_expired(envelope.created) {
            return Err(unknown());
        }
        if envelope.workspace != self.folders() {
            let workspace = envelope.workspace.iter().map(|folder| folder.as_str()).collect::<Vec<_>>().join(", ");
            return Err(EditError::OtherWorkspace { id: id.to_owned(), workspace });
        }
        let RecordEnvelope { version, created, workspace, record } = envelope;
        let record = serde_json::from_value(record).map_err(|error| damaged(error.to_string()))?;
        Ok(RecordEnvelope { version, created, workspace, record })
    }

    /// Whether a record has expired. A record from the future has, too: the clock was set back.
    fn is_expired(&self, created: u64) -> bool {
        let now = self.clock.now().as_secs();
        now.abs_diff(created) >= RETENTION.as_secs()
    }

    /// Removes expired records, then the oldest until one more fits the limits. The age is the file's modification
    /// time, which zubi sets to its clock's time; so it need not read every record.
    fn sweep(&self) -> Result<(), EditError> {
        let entries =
            self.directory.read_dir_utf8().map_err(|error| state("the plan directory cannot be read", &error))?;
        let mut records: Vec<(Duration, u64, Utf8PathBuf)> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension() == Some("json"))
            .filter_map(|entry| {
                let metadata = entry.metadata().ok()?;
                let written = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
                Some((written, metadata.len(), entry.into_path()))
            })
            .collect();
        records.sort();
        let mut bytes: u64 = records.iter().map(|record| record.1).sum();
        let mut count = records.len();
        let now = self.clock.now();
        for (written, size, path) in records {
            let old = written.abs_diff(now) >= RETENTION;
            if !old && count < MAX_RECORDS && bytes < MAX_STORE_BYTES {
                continue;
            }
            // Another process may have swept it already.
            if std::fs::remove_file(&path).is_ok() {
                tracing::debug!(%path, "swept a stored plan");
            }
            count -= 1;
            bytes -= size;
        }
        Ok(())
    }

    fn file(&self, id: &str) -> Utf8PathBuf {
        self.directory.join(format!("{id}.json"))
    }

    fn folders(&self) -> Vec<Utf8PathBuf> {
        self.workspace.roots()
    }
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, EditError> {
    serde_json::to_vec(value).map_err(|error| state("the plan cannot be written as JSON", &error))
}

pub(super) fn state(context: &str, reason: &dyn std::fmt::Display) -> EditError {
    EditError::State { context: context.to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests;
