//! The directories of zubi's own files. They follow the XDG Base Directory Specification on every platform, so that one
//! page of documentation is enough.

use camino::Utf8PathBuf;
use etcetera::base_strategy::{BaseStrategy as _, Xdg};

/// The name of zubi's directory below the XDG bases.
const NAME: &str = "zubi";

/// zubi's directories. They may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    /// `$XDG_CONFIG_HOME/zubi`, for files that the user writes.
    pub config: Utf8PathBuf,
    /// `$XDG_STATE_HOME/zubi`: trust, plans, journal, audit log.
    pub state: Utf8PathBuf,
    /// `$XDG_CACHE_HOME/zubi`: files that can be deleted at any time, such as indexes.
    pub cache: Utf8PathBuf,
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
    /// Determines the directories of this user from `HOME`, `XDG_CONFIG_HOME`, `XDG_STATE_HOME` and `XDG_CACHE_HOME`. Relative
    /// values count as not set, as the specification requires.
    pub fn discover() -> Result<Self, DirectoriesError> {
        let strategy = Xdg::new().map_err(|_| DirectoriesError::NoHome)?;
        let text = |path: std::path::PathBuf| {
            Utf8PathBuf::from_path_buf(path).map_err(|path| DirectoriesError::NotText(path.display().to_string()))
        };
        let state = strategy.state_dir().ok_or(DirectoriesError::NoHome)?;
        Ok(Self {
            config: text(strategy.config_dir())?.join(NAME),
            state: text(state)?.join(NAME),
            cache: text(strategy.cache_dir())?.join(NAME),
        })
    }
}
