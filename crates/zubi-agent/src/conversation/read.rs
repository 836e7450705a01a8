//! Reads a conversation's file, one event per line. Checks every line and bounds every size: a kill or a full disk may
//! have cut the file at any byte, and it may contain anything.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::OpenError;
use crate::event::{AgentEvent, EventKind, VERSION};

/// The maximum length of a line, in bytes.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;
/// The maximum size of a file, in bytes.
pub(crate) const MAX_FILE: u64 = 256 * 1024 * 1024;

/// The fields that every line has, whatever the event.
#[derive(Deserialize)]
struct Head<'a> {
    seq: u64,
    at: u64,
    #[serde(rename = "type")]
    kind: &'a str,
}

/// The version in a file's first line, without its other fields.
#[derive(Deserialize)]
struct Version<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    version: u64,
}

/// The events of a file, and the state of the file.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) events: Vec<AgentEvent>,
    /// The length of the part that consists of whole events, in bytes.
    pub(crate) valid_length: u64,
    /// The length of the file, in bytes.
    pub(crate) length: u64,
    /// Set if the bytes after the last event are not just a partly written line. Says where they begin.
    pub(crate) damage: Option<String>,
}

/// Reads the events after byte `from`, where the event with the number `seq` ends.
pub(crate) fn read(file: &mut File, from: u64, seq: u64) -> Result<Reading, OpenError> {
    let length = file.metadata()?.len();
    if length > MAX_FILE {
        return Err(OpenError::Unusable(format!("its file has {length} bytes; the limit is {MAX_FILE}")));
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.saturating_sub(from)).unwrap_or_default());
    file.take(MAX_FILE.saturating_sub(from)).read_to_end(&mut bytes)?;
    let mut reading =
        Reading { events: Vec::new(), valid_length: from, length: from + bytes.len() as u64, damage: None };
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut last = seq;
    for line in lines.by_ref() {
        match event(line, last) {
            Ok(event) => {
                last = event.seq;
                reading.valid_length += line.len() as u64;
                reading.events.push(event);
            }
            Err(LineError::Newer(version)) => return Err(OpenError::Newer(version)),
            Err(LineError::Invalid) => {
                // An interrupted write leaves a part of a line, with nothing after it.
                if is_complete(line) || lines.any(is_complete) {
                    reading.damage = Some(format!("the next valid event is missing after event {last}"));
                }
                break;
            }
        }
    }
    // An interrupted write at the beginning of the file leaves no event, which is not an error.
    if seq == 0 && reading.events.is_empty() && bytes.contains(&b'\n') {
        return Err(OpenError::Unusable("its file does not begin with a conversation event".to_owned()));
    }
    Ok(reading)
}

pub(crate) fn missing_error(error: io::Error, id: &str) -> OpenError {
    match error.kind() {
        io::ErrorKind::NotFound => OpenError::Missing(id.to_owned()),
        _ => OpenError::from(error),
    }
}

enum LineError {
    /// The line is not an event, or not the next one.
    Invalid,
    Newer(u64),
}

fn event(line: &[u8], last: u64) -> Result<AgentEvent, LineError> {
    if last == 0 {
        // This version may be unable to parse a newer version's events, but it can always parse the version number.
        match serde_json::from_slice::<Version<'_>>(line) {
            Ok(Version { kind: "began", version }) if version > u64::from(VERSION) => {
                return Err(LineError::Newer(version));
            }
            Ok(Version { kind: "began", version }) if version > 0 => {}
            _ => return Err(LineError::Invalid),
        }
    }
    let event = parse_line(line).ok_or(LineError::Invalid)?;
    let is_first = matches!(event.kind, EventKind::Began { .. });
    if event.seq != last + 1 || is_first != (last == 0) || !event.kind.is_persisted() {
        return Err(LineError::Invalid);
    }
    Ok(event)
}

/// Whether a line was written completely, valid or not.
fn is_complete(line: &[u8]) -> bool {
    line.ends_with(b"\n") && (line.len() > MAX_LINE || serde_json::from_slice::<IgnoredAny>(line).is_ok())
}

/// Parses the event of a complete line, which ends in a line feed.
fn parse_line(line: &[u8]) -> Option<AgentEvent> {
    let line = line.strip_suffix(b"\n")?;
    if line.len() > MAX_LINE {
        return None;
    }
    // Parsing the number and the time first, and then the rest directly from the text, is faster than a flattened
    // field, which serde buffers as a tree.
    let Head { seq, at, kind } = serde_json::from_slice(line).ok()?;
    if kind.is_empty() {
        return None;
    }
    Some(AgentEvent { seq, at, kind: serde_json::from_slice(line).ok()? })
}

impl Reading {
    /// The state of a file that cannot be read.
    pub(crate) fn unreadable(length: u64) -> Self {
        Self { events: Vec::new(), valid_length: 0, length, damage: None }
    }
}
