//! Writes the model into a folder.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::{MARK, Size, files};

/// The reason why nothing or not everything was written.
#[derive(Debug)]
pub enum Refusal {
    /// The folder is not empty and has no `model.yaml` that this program wrote.
    NotOurs,
    /// A count is 0 or more than [`Size::MOST`].
    Size,
    Io(io::Error),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotOurs => f.write_str("the folder is not empty and does not hold a model written by this program"),
            Self::Size => {
                let Size { areas, contexts } = Size::MOST;
                write!(f, "there are 1 to {areas} areas with 1 to {contexts} contexts each")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a model of this size into a folder, and creates the folder if necessary. A folder with files must hold an
/// earlier model of this program, of which only the areas are removed. Returns the number of written files and bytes.
pub fn write(folder: &Path, size: Size) -> Result<(usize, usize), Refusal> {
    let is_valid = |count: usize, max: usize| (1..=max).contains(&count);
    if !is_valid(size.areas, Size::MOST.areas) || !is_valid(size.contexts, Size::MOST.contexts) {
        return Err(Refusal::Size);
    }
    if !is_empty(folder)? {
        if !is_generated(&folder.join("model.yaml"))? {
            return Err(Refusal::NotOurs);
        }
        remove_areas(&folder.join("areas"))?;
    }
    let (mut count, mut bytes) = (0, 0);
    for file in files(size) {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        #[expect(clippy::disallowed_methods, reason = "a text that can be made again need not be written atomically")]
        std::fs::write(path, &file.text)?;
        count += 1;
        bytes += file.text.len();
    }
    Ok((count, bytes))
}

fn is_empty(folder: &Path) -> io::Result<bool> {
    match folder.read_dir() {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether the first line of a file has this program's mark.
fn is_generated(file: &Path) -> io::Result<bool> {
    match std::fs::read(file) {
        Ok(bytes) => {
            let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            Ok(first.ends_with(MARK.as_bytes()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn remove_areas(folder: &Path) -> io::Result<()> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "dlang") && is_generated(&path)? {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}
