//! Edits that an ended process left unfinished: the host recovers them before it answers, and its first answer says so.

use serde_json::{Value, json};
use zubi_code::CodeIntel;
use zubi_code::edit::{EditError, RecoveredChanges};

use super::LocalHost;
use crate::service::CallAnswer;

/// The field of a JSON answer with the notes.
const NOTES_FIELD: &str = "recoveredEdits";

/// Recovers what can be recovered without an open editor.
pub(super) fn recover_at_start(intel: &CodeIntel) {
    report(intel.edits().recover_now());
}

fn report(recovered: Result<RecoveredChanges, EditError>) {
    match recovered {
        Ok(recovered) if recovered != RecoveredChanges::default() => {
            tracing::info!(?recovered, "recovered interrupted edits");
        }
        Ok(_) => {}
        // Every edit tries again, and reports the error.
        Err(error) => tracing::warn!(%error, "interrupted edits could not be recovered"),
    }
}

impl LocalHost {
    /// Recovers the edits that an ended process left unfinished. Cheap without such edits.
    pub(crate) async fn recover_edits(&self) {
        if let Some(intel) = &self.intel {
            report(intel.edits().recover().await);
        }
    }

    /// Adds the notes about recovered edits to an answer: as its first lines, or as a field of its JSON.
    pub(super) fn add_recovery_notes(&self, answer: &mut CallAnswer) {
        // Before the text is parsed: nearly all answers have none.
        let Some(intel) = self.intel.as_ref().filter(|intel| intel.edits().has_recovery_notes()) else { return };
        let is_json = answer.text.starts_with(['{', '[']) && serde_json::from_str::<Value>(&answer.text).is_ok();
        // There is no place for a note in another JSON value; the next answer has it.
        if is_json && !matches!(&answer.data, Some(Value::Object(_))) {
            return;
        }
        let notes = intel.edits().take_recovery_notes();
        if notes.is_empty() {
            return;
        }
        match &mut answer.data {
            Some(data @ Value::Object(_)) if is_json => {
                data[NOTES_FIELD] = json!(notes);
                answer.text = data.to_string();
            }
            _ => {
                let lines: Vec<_> = notes.iter().map(|note| format!("note: {note}\n")).collect();
                answer.text.insert_str(0, &lines.concat());
            }
        }
    }
}
