//! The part of zubi's environment that a child inherits: the variables that tools need to find files, without secrets.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::secret;

/// Names of inherited variables: directories, the language of messages, and the settings of toolchains. Without them a
/// server would analyse another project than the user's own build.
const NAMES: &[&str] = &[
    // The user and the machine.
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // Rust.
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUST_SRC_PATH",
    // C and C++.
    "CC",
    "CFLAGS",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "LDFLAGS",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "PKG_CONFIG_PATH",
    "SDKROOT",
    // Go (go help environment).
    "GO111MODULE",
    "GOARCH",
    "GOBIN",
    "GOCACHE",
    "GOENV",
    "GOEXPERIMENT",
    "GOFLAGS",
    "GOINSECURE",
    "GOMODCACHE",
    "GONOPROXY",
    "GONOSUMDB",
    "GOOS",
    "GOPATH",
    "GOPRIVATE",
    "GOPROXY",
    "GOROOT",
    "GOSUMDB",
    "GOTMPDIR",
    "GOTOOLCHAIN",
    "GOVCS",
    "GOWORK",
    // Python.
    "CONDA_DEFAULT_ENV",
    "CONDA_PREFIX",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "PYTHONHOME",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    // JavaScript.
    "FNM_DIR",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "NVM_BIN",
    "NVM_DIR",
    "VOLTA_HOME",
    // Java, .NET, Ruby.
    "DOTNET_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "GRADLE_USER_HOME",
    "JAVA_HOME",
    "JDK_HOME",
    // Proxies and certificate authorities for package managers.
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Prefixes of the names of inherited variables.
const PREFIXES: &[&str] = &["CARGO_", "CGO_", "LC_", "NIX_", "RUSTUP_", "XDG_"];

/// A child's whole environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChildEnvironment(BTreeMap<OsString, OsString>);

impl ChildEnvironment {
    /// Returns the variables of this process's environment that tools need. The allow-list prevents secrets with
    /// unknown names from being inherited.
    pub fn from_allowlist() -> Self {
        Self::from_allowed(std::env::vars_os())
    }

    /// Returns the allow-listed environment and the variables with these names. A name in the list is explicit consent,
    /// even for a secret.
    pub fn inherited_with(names: &[String]) -> Self {
        let named = names.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        named.fold(Self::from_allowlist(), |environment, (name, value): (OsString, OsString)| {
            environment.with_variable(name, value)
        })
    }

    /// Returns those of the given variables that [`Self::from_allowlist`] would include.
    pub fn from_allowed(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(variables.into_iter().filter(|(name, _)| is_passed_on(name)).collect())
    }

    /// Returns this environment with one more variable set.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_passed_on(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    // A name that may be a secret is excluded even if it is on the list (`CARGO_REGISTRY_TOKEN`).
    (NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        && !secret::may_be_secret_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_paths_are_passed_on_and_secrets_are_not() {
        let variables = [
            "PATH",
            "HOME",
            "LC_ALL",
            "XDG_CACHE_HOME",
            "CARGO_HOME",
            "RUSTUP_TOOLCHAIN",
            "GOFLAGS",
            "VIRTUAL_ENV",
            "CARGO_REGISTRY_TOKEN",
            "CARGO_REGISTRIES_X_TOKEN",
            "GOAUTH",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "SSH_AUTH_SOCK",
            "GOOGLE_CLOUD_PROJECT",
            "ANTHROPIC_API_KEY",
            "LD_PRELOAD",
            "EDITOR",
            "MY_UNKNOWN",
        ];
        let environment = ChildEnvironment::from_allowed(variables.map(|name| (name.into(), "x".into())));
        let names: Vec<_> = environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        insta::assert_snapshot!(
            names.join(" "),
            @"CARGO_HOME GOFLAGS HOME LC_ALL PATH RUSTUP_TOOLCHAIN VIRTUAL_ENV XDG_CACHE_HOME"
        );
        assert_eq!(environment.with_variable("A", "1").get("A"), Some(OsStr::new("1")));
    }
}
