//! All environment variables that zubi reads, with their documentation, and the typed reader for them.
//!
//! Only the composition root calls [`Environment::read`]; libraries get values. An empty variable counts as not set.

use std::ffi::OsString;

/// One environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static str,
    /// The effect of the variable, for `zubi --help`.
    pub help: &'static str,
}

/// The directories in which zubi searches for programs.
pub const PATH: Variable = Variable { name: "PATH", help: "where language servers are looked for" };

/// The home directory, the default base of the two XDG directories.
pub const HOME: Variable = Variable { name: "HOME", help: "home directory" };

/// Base of the user's configuration (XDG Base Directory Specification 0.8).
pub const XDG_CONFIG_HOME: Variable =
    Variable { name: "XDG_CONFIG_HOME", help: "zubi/zubi.toml below it is the user's configuration" };

/// Base directory of persistent state (XDG Base Directory Specification 0.8).
pub const XDG_STATE_HOME: Variable =
    Variable { name: "XDG_STATE_HOME", help: "zubi/ below it holds trust, plans, the journal and the audit log" };

/// Base directory of caches (XDG Base Directory Specification 0.8).
pub const XDG_CACHE_HOME: Variable =
    Variable { name: "XDG_CACHE_HOME", help: "pypoetry/ below it has the Python environments of Poetry" };

/// Base directory of programs' data (XDG Base Directory Specification 0.8).
pub const XDG_DATA_HOME: Variable =
    Variable { name: "XDG_DATA_HOME", help: "hatch/ below it has the Python environments of Hatch" };

/// Base directory of files that exist as long as the user is logged in (XDG Base Directory Specification 0.8).
pub const XDG_RUNTIME_DIR: Variable =
    Variable { name: "XDG_RUNTIME_DIR", help: "zubi/ below it holds the sockets of running hosts" };

/// Equivalent to `--read-only`.
pub const ZUBI_READ_ONLY: Variable = Variable { name: "ZUBI_READ_ONLY", help: "1: no tool that writes exists" };

/// Equivalent to `--toolsets`.
pub const ZUBI_TOOLSETS: Variable =
    Variable { name: "ZUBI_TOOLSETS", help: "toolsets that exist, separated by commas" };

/// Equivalent to `--tools`.
pub const ZUBI_TOOLS: Variable = Variable { name: "ZUBI_TOOLS", help: "tools that exist, separated by commas" };

/// Equivalent to `--host`.
pub const ZUBI_HOST: Variable = Variable { name: "ZUBI_HOST", help: "own: share no host with other processes" };

/// The host to try first, by the name in its discovery file. An editor sets it for the processes that it starts.
pub const ZUBI_INSTANCE: Variable =
    Variable { name: "ZUBI_INSTANCE", help: "the host to try first if a folder has several" };

/// The active Python environment; some servers look for packages there.
pub const VIRTUAL_ENV: Variable =
    Variable { name: "VIRTUAL_ENV", help: "Python servers use it if the project has none" };

/// The active Conda environment.
pub const CONDA_PREFIX: Variable = Variable { name: "CONDA_PREFIX", help: "like VIRTUAL_ENV" };

/// Filter for the log on stderr, in the syntax of `tracing-subscriber`'s `EnvFilter`.
pub const ZUBI_LOG: Variable =
    Variable { name: "ZUBI_LOG", help: "log filter, for instance debug or zubi_lsp_client=trace" };

/// Disables colour, whatever its value (no-color.org).
pub const NO_COLOR: Variable = Variable { name: "NO_COLOR", help: "no colour" };

/// The connection string of the team's database. It takes precedence over the setting `team-index`.
pub const ZUBI_TEAM_INDEX: Variable =
    Variable { name: "ZUBI_TEAM_INDEX", help: "connection string of the team's PostgreSQL, like `team-index`" };

/// The displays of X11 and Wayland. zubi only checks whether they are set.
pub const DISPLAYS: [Variable; 2] = [
    Variable { name: "DISPLAY", help: "a browser is opened on it" },
    Variable { name: "WAYLAND_DISPLAY", help: "a browser is opened on it" },
];

/// The type of the terminal. Only `dlang` reads it.
pub const TERM: Variable = Variable { name: "TERM", help: "dumb: no colour" };

/// Equivalent to `dlang install --frozen`.
pub const DLANG_FROZEN: Variable = Variable { name: "DLANG_FROZEN", help: "1: the lock must match the manifest" };

/// Equivalent to `--model`.
pub const ZUBI_MODEL: Variable = Variable { name: "ZUBI_MODEL", help: "the model that zubi's own agent uses" };

/// The keys and addresses of the built-in providers of models. The names are those that the providers' own programs
/// use.
pub const OPENAI_API_KEY: Variable = Variable { name: "OPENAI_API_KEY", help: "key for the models of openai" };
pub const OPENAI_BASE_URL: Variable = Variable { name: "OPENAI_BASE_URL", help: "another address for openai" };
pub const ANTHROPIC_API_KEY: Variable = Variable { name: "ANTHROPIC_API_KEY", help: "key for the models of anthropic" };
pub const ANTHROPIC_BASE_URL: Variable = Variable { name: "ANTHROPIC_BASE_URL", help: "another address for anthropic" };
pub const GEMINI_API_KEY: Variable = Variable { name: "GEMINI_API_KEY", help: "key for the models of gemini" };
pub const GEMINI_BASE_URL: Variable = Variable { name: "GEMINI_BASE_URL", help: "another address for gemini" };
pub const OPENROUTER_API_KEY: Variable =
    Variable { name: "OPENROUTER_API_KEY", help: "key for the models of openrouter" };
pub const OPENROUTER_BASE_URL: Variable =
    Variable { name: "OPENROUTER_BASE_URL", help: "another address for openrouter" };
pub const GITHUB_TOKEN: Variable =
    Variable { name: "GITHUB_TOKEN", help: "key for the models of github; used only where one is named" };
pub const GITHUB_MODELS_BASE_URL: Variable =
    Variable { name: "GITHUB_MODELS_BASE_URL", help: "another address for the models of github" };
pub const OLLAMA_HOST: Variable =
    Variable { name: "OLLAMA_HOST", help: "where ollama is, if not at http://localhost:11434" };

/// The proxy for https requests to models, and the hosts that need no proxy. The HTTP client reads both.
pub const HTTPS_PROXY: Variable = Variable { name: "HTTPS_PROXY", help: "proxy for https requests to models" };
pub const NO_PROXY: Variable = Variable { name: "NO_PROXY", help: "hosts that are contacted without the proxy" };

/// All variables of zubi, in the order in which help prints them.
pub const ALL: &[Variable] = &[
    ZUBI_READ_ONLY,
    ZUBI_TOOLSETS,
    ZUBI_TOOLS,
    ZUBI_HOST,
    ZUBI_INSTANCE,
    ZUBI_LOG,
    ZUBI_TEAM_INDEX,
    NO_COLOR,
    PATH,
    VIRTUAL_ENV,
    CONDA_PREFIX,
    HOME,
    XDG_CONFIG_HOME,
    XDG_STATE_HOME,
    XDG_CACHE_HOME,
    XDG_DATA_HOME,
    ZUBI_MODEL,
    OPENAI_API_KEY,
    OPENAI_BASE_URL,
    ANTHROPIC_API_KEY,
    ANTHROPIC_BASE_URL,
    GEMINI_API_KEY,
    GEMINI_BASE_URL,
    OPENROUTER_API_KEY,
    OPENROUTER_BASE_URL,
    GITHUB_TOKEN,
    GITHUB_MODELS_BASE_URL,
    OLLAMA_HOST,
    HTTPS_PROXY,
    NO_PROXY,
];

/// The values of all variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    pub path: Option<OsString>,
    pub read_only: Option<bool>,
    pub toolsets: Option<Vec<String>>,
    pub tools: Option<Vec<String>>,
    pub log: Option<String>,
    pub no_color: bool,
    /// `ZUBI_HOST`. The code that parses `--host` validates it.
    pub host: Option<String>,
    /// `ZUBI_INSTANCE`.
    pub instance: Option<String>,
    /// `VIRTUAL_ENV`, else `CONDA_PREFIX`.
    pub python: Option<String>,
    /// `ZUBI_MODEL`.
    pub model: Option<String>,
}

/// The reason why the value of a variable is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    #[error("environment variable `{name}` is `{value}`; it must be 1 or 0")]
    NotABoolean { name: &'static str, value: String },
    #[error("environment variable `{name}` is not UTF-8")]
    NotText { name: &'static str },
}

impl Environment {
    /// Reads the environment of this process.
    pub fn read() -> Result<Self, EnvironmentError> {
        Self::from_lookup(|name| std::env::var_os(name))
    }

    /// Reads the environment through `lookup`.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self, EnvironmentError> {
        let raw = |variable: Variable| lookup(variable.name).filter(|value| !value.is_empty());
        let text = |variable: Variable| {
            raw(variable)
                .map(|value| value.into_string().map_err(|_| EnvironmentError::NotText { name: variable.name }))
                .transpose()
        };
        let list = |variable: Variable| Ok(text(variable)?.map(|value| split_list(&value)));
        let boolean = |variable: Variable| {
            text(variable)?
                .map(|value| match value.to_ascii_lowercase().as_str() {
                    "1" | "true" | "yes" | "on" => Ok(true),
                    "0" | "false" | "no" | "off" => Ok(false),
                    _ => Err(EnvironmentError::NotABoolean { name: variable.name, value }),
                })
                .transpose()
        };
        Ok(Self {
            path: raw(PATH),
            read_only: boolean(ZUBI_READ_ONLY)?,
            toolsets: list(ZUBI_TOOLSETS)?,
            tools: list(ZUBI_TOOLS)?,
            log: text(ZUBI_LOG)?,
            no_color: raw(NO_COLOR).is_some(),
            host: text(ZUBI_HOST)?,
            instance: text(ZUBI_INSTANCE)?,
            // zubi only compares the path, so a lossy conversion from a name that is not UTF-8 is sufficient.
            model: text(ZUBI_MODEL)?,
            python: raw(VIRTUAL_ENV).or_else(|| raw(CONDA_PREFIX)).map(|path| path.to_string_lossy().into_owned()),
        })
    }
}

/// Whether there is a display on which a window can open.
pub fn has_display() -> bool {
    let is_set = |variable: &Variable| std::env::var_os(variable.name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || DISPLAYS.iter().any(is_set)
}

/// The home directory, if it is set to an absolute path.
pub fn home() -> Option<camino::Utf8PathBuf> {
    let home = std::env::var_os(HOME.name)?.into_string().ok()?;
    Some(camino::Utf8PathBuf::from(home)).filter(|home| home.is_absolute())
}

/// The files in which git's configuration for all repositories can be (git-config(1)), whether they exist or not.
pub fn git_configuration_files() -> Vec<std::path::PathBuf> {
    let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(std::path::PathBuf::from);
    let home = path(HOME.name);
    let of_user = path(XDG_CONFIG_HOME.name).or_else(|| Some(home.as_ref()?.join(".config")));
    let files = [
        path("GIT_CONFIG_GLOBAL"),
        home.as_ref().map(|home| home.join(".gitconfig")),
        of_user.map(|directory| directory.join("git/config")),
        Some(path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| std::path::PathBuf::from("/etc/gitconfig"))),
    ];
    files.into_iter().flatten().collect()
}

/// The base directory of the user's caches: `XDG_CACHE_HOME`, else the system's default.
pub fn cache_directory() -> Option<camino::Utf8PathBuf> {
    base_directory(XDG_CACHE_HOME, ".cache", "Library/Caches")
}

/// The base directory of the data of the user's programs: `XDG_DATA_HOME`, else the system's default.
pub fn data_directory() -> Option<camino::Utf8PathBuf> {
    base_directory(XDG_DATA_HOME, ".local/share", "Library/Application Support")
}

fn base_directory(variable: Variable, default: &str, macos: &str) -> Option<camino::Utf8PathBuf> {
    let value =
        std::env::var_os(variable.name).and_then(|value| value.into_string().ok()).map(camino::Utf8PathBuf::from);
    let default = if cfg!(target_os = "macos") { macos } else { default };
    value.filter(|directory| directory.is_absolute()).or_else(|| Some(home()?.join(default)))
}

/// The directory of the Python environment that is active in this process, if it is an absolute path: `VIRTUAL_ENV`,
/// else `CONDA_PREFIX`.
pub fn python_environment() -> Option<camino::Utf8PathBuf> {
    let value =
        |variable: Variable| std::env::var_os(variable.name)?.into_string().ok().filter(|value| !value.is_empty());
    let directory = value(VIRTUAL_ENV).or_else(|| value(CONDA_PREFIX))?;
    Some(camino::Utf8PathBuf::from(directory)).filter(|directory| directory.is_absolute())
}

/// Returns the value of a variable for a provider of models: a built-in one, or one that the user's configuration names
/// for a key. `None` if the value is not UTF-8, since it cannot be a key or an address then.
pub fn model_variable(name: &str) -> Option<String> {
    std::env::var_os(name)?.into_string().ok().filter(|value| !value.is_empty())
}

/// Returns the connection string of the team's database; `None` if it is not UTF-8. [`Environment`] does not contain it,
/// because programs may print that.
pub fn team_index() -> Option<String> {
    model_variable(ZUBI_TEAM_INDEX.name)
}

/// The base directory of files that exist as long as the user is logged in, if it is set to an absolute path.
pub fn runtime_directory() -> Option<camino::Utf8PathBuf> {
    let directory = std::env::var_os(XDG_RUNTIME_DIR.name)?.into_string().ok()?;
    Some(camino::Utf8PathBuf::from(directory)).filter(|directory| directory.is_absolute())
}

/// The variables that the command `dlang` reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DlangEnvironment {
    /// Whether `NO_COLOR` is set or the terminal is dumb.
    pub no_color: bool,
    /// Whether `DLANG_FROZEN` is 1 or true, the values that the reference `dlang` accepts.
    pub frozen: bool,
}

impl DlangEnvironment {
    /// Reads the environment of this process.
    pub fn read() -> Self {
        Self::from_lookup(|name| std::env::var_os(name))
    }

    /// Reads the environment through `lookup`.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let raw = |variable: Variable| lookup(variable.name).filter(|value| !value.is_empty());
        Self {
            no_color: raw(NO_COLOR).is_some() || raw(TERM).is_some_and(|value| value == "dumb"),
            frozen: raw(DLANG_FROZEN).is_some_and(|value| value == "1" || value == "true"),
        }
    }
}

/// Whether a text is a valid name of a variable (POSIX, XBD 3.216): letters, digits and `_`, no digit at the start.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Splits a comma-separated list, trims its items and drops empty ones. Flags use the same form.
pub fn split_list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Environment, EnvironmentError> {
        Environment::from_lookup(|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn values_are_typed() {
        let environment = read(&[
            ("ZUBI_READ_ONLY", "Yes"),
            ("ZUBI_TOOLS", " lsp_hover ,, !lsp_completion"),
            ("ZUBI_TOOLSETS", ""),
            ("NO_COLOR", "0"),
        ])
        .unwrap();
        assert_eq!(environment.read_only, Some(true));
        assert_eq!(environment.tools, Some(vec!["lsp_hover".to_owned(), "!lsp_completion".to_owned()]));
        assert_eq!(environment.toolsets, None, "empty is not set");
        assert!(environment.no_color, "any value counts, 0 too");
        assert_eq!(read(&[]).unwrap(), Environment::default());
    }

    #[test]
    fn dlang_environment_is_separate() {
        let read = |pairs: &'static [(&str, &str)]| {
            DlangEnvironment::from_lookup(|name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(read(&[("TERM", "xterm"), ("NO_COLOR", ""), ("DLANG_FROZEN", "0")]), DlangEnvironment::default());
        assert!(read(&[("TERM", "dumb")]).no_color && read(&[("NO_COLOR", "0")]).no_color);
        assert!(read(&[("DLANG_FROZEN", "1")]).frozen);
    }

    #[test]
    fn invalid_values_are_errors_with_the_variable() {
        let error = read(&[("ZUBI_READ_ONLY", "maybe")]).unwrap_err();
        assert_eq!(error.to_string(), "environment variable `ZUBI_READ_ONLY` is `maybe`; it must be 1 or 0");
    }

    #[test]
    fn variable_name_syntax() {
        for name in ["A", "_", "a1_B"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["", "1a", "a-b", "a b", "é", "a=", "a\0"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn variable_table_has_no_duplicates() {
        let mut names: Vec<_> = ALL.iter().map(|variable| variable.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|variable| !variable.help.is_empty()));
    }
}
