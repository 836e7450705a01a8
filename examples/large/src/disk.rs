//! Writing the model into a folder.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::{MARK, Size, files};

/// Why nothing was written, or not everything.
#[derive(Debug)]
pub enum Refusal {
    /// The folder has something in it and no `model.yaml` that this program wrote.
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

/// Writes the model of a size into a folder, which is made if it is not there. Into a folder with files it is written
/// only if they are an earlier model of this program; areas of it that the new one has not are taken away, and nothing
/// else. Returns how many files and bytes were written.
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

/// Whether a file begins with this program's mark.
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
