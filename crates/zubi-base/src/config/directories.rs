//! The directories of zubi's own files, by the XDG Base Directory Specification on every platform, so that one page of
//! documentation applies everywhere.

use camino::Utf8PathBuf;
use etcetera::base_strategy::{BaseStrategy as _, Xdg};

/// The name of zubi's directory below the XDG bases.
const NAME: &str = "zubi";

/// Zubi's two directories. They need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// `$XDG_CONFIG_HOME/zubi`: what the user writes.
    pub config: Utf8PathBuf,
    /// `$XDG_STATE_HOME/zubi`: trust, plans, journal, audit log.
    pub state: Utf8PathBuf,
}

/// The reason why the directories cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum DirectoriesError {
    #[error("the home directory is not known; set `HOME`")]
    NoHome,
    #[error("`{0}` is not UTF-8")]
    NotText(String),
}

impl Directories {
    /// The directories for this user; reads `HOME`, `XDG_CONFIG_HOME` and `XDG_STATE_HOME`. Relative values count as
    /// not set, as the specification says.
    pub fn discover() -> Result<Self, DirectoriesError> {
        let strategy = Xdg::new().map_err(|_| DirectoriesError::NoHome)?;
        let text = |path: std::path::PathBuf| {
            Utf8PathBuf::from_path_buf(path).map_err(|path| DirectoriesError::NotText(path.display().to_string()))
        };
        let state = strategy.state_dir().ok_or(DirectoriesError::NoHome)?;
        Ok(Self { config: text(strategy.config_dir())?.join(NAME), state: text(state)?.join(NAME) })
    }
}
