//! Reading a conversation's file: one event a line, each checked, everything bounded. The file may have been cut anywhere, by
//! a kill or a full disk, and may hold anything at all.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::OpenError;
use crate::event::{Event, VERSION, EventKind};

/// The longest line, in bytes.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;
/// The longest file that is read, in bytes.
pub(crate) const MAX_FILE: u64 = 256 * 1024 * 1024;

/// What stands in every line, whatever happened.
#[derive(Deserialize)]
struct Head<'a> {
    seq: u64,
    at: u64,
    #[serde(rename = "type")]
    kind: &'a str,
}

/// The version that a first line tells, whatever else stands in it.
#[derive(Deserialize)]
struct Version<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    version: u64,
}

/// What is read of a file.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) events: Vec<Event>,
    /// Up to where the file is made of whole events, in bytes.
    pub(crate) good: u64,
    /// How long it was.
    pub(crate) length: u64,
    /// What follows is no rest of a write that was cut off. Says where it begins.
    pub(crate) damage: Option<String>,
}

/// Reads what stands behind `from`, where an event with the number `seq` ends.
pub(crate) fn read(file: &mut File, from: u64, seq: u64) -> Result<Reading, OpenError> {
    let length = file.metadata()?.len();
    if length > MAX_FILE {
        return Err(OpenError::Unusable(format!("its file has {length} bytes, and at most {MAX_FILE} are read")));
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.saturating_sub(from)).unwrap_or_default());
    file.take(MAX_FILE.saturating_sub(from)).read_to_end(&mut bytes)?;
    let mut reading = Reading { events: Vec::new(), good: from, length: from + bytes.len() as u64, damage: None };
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut last = seq;
    for line in lines.by_ref() {
        match event(line, last) {
            Ok(event) => {
                last = event.seq;
                reading.good += line.len() as u64;
                reading.events.push(event);
            }
            Err(Wrong::Newer(version)) => return Err(OpenError::Newer(version)),
            Err(Wrong::Line) => {
                // Of a write that was cut off there is a part of a line, and nothing behind it.
                if is_whole(line) || lines.any(is_whole) {
                    reading.damage = Some(format!("what stands after event {last} is not the next one"));
                }
                break;
            }
        }
    }
    // Of one that was cut off while it began, nothing is there yet.
    if seq == 0 && reading.events.is_empty() && bytes.contains(&b'\n') {
        return Err(OpenError::Unusable("its file does not begin as one does".to_owned()));
    }
    Ok(reading)
}

pub(crate) fn missing_error(error: io::Error, id: &str) -> OpenError {
    match error.kind() {
        io::ErrorKind::NotFound => OpenError::Missing(id.to_owned()),
        _ => OpenError::from(error),
    }
}

enum Wrong {
    /// No event, or not the next one.
    Line,
    Newer(u64),
}

fn event(line: &[u8], last: u64) -> Result<Event, Wrong> {
    if last == 0 {
        // What a newer version writes may be read by nobody but itself; that it is newer can always be read.
        match serde_json::from_slice::<Version<'_>>(line) {
            Ok(Version { kind: "began", version }) if version > u64::from(VERSION) => {
                return Err(Wrong::Newer(version));
            }
            Ok(Version { kind: "began", version }) if version > 0 => {}
            _ => return Err(Wrong::Line),
        }
    }
    let event = parse_line(line).ok_or(Wrong::Line)?;
    let is_first = matches!(event.what, EventKind::Began { .. });
    if event.seq != last + 1 || is_first != (last == 0) || !event.what.is_persisted() {
        return Err(Wrong::Line);
    }
    Ok(event)
}

/// Whether a line was written to its end, whatever it says.
fn is_whole(line: &[u8]) -> bool {
    line.ends_with(b"\n") && (line.len() > MAX_LINE || serde_json::from_slice::<IgnoredAny>(line).is_ok())
}

/// The event of a line that is whole: it ends in a line feed.
fn parse_line(line: &[u8]) -> Option<Event> {
    let line = line.strip_suffix(b"\n")?;
    if line.len() > MAX_LINE {
        return None;
    }
    // Number and time first, then the rest straight from the text: quicker than through the tree that a flattened field is
    // read by.
    let Head { seq, at, kind } = serde_json::from_slice(line).ok()?;
    if kind.is_empty() {
        return None;
    }
    let what = serde_json::from_slice(line).ok()?;
    Some(Event { seq, at, what })
}

impl Reading {
    /// Of a file that cannot be read.
    pub(crate) fn unreadable(length: u64) -> Self {
        Self { events: Vec::new(), good: 0, length, damage: None }
    }
}
