//! The environment that determines which programs a host finds, and its comparison between two processes.

use std::ffi::OsStr;

use zubi_base::text::ContentHash;
use zubi_ipc::wire::host::HostEnvironment;

/// Returns the environment of this process as other processes may see it, with only a hash of `PATH`.
pub fn of_process(path: Option<&OsStr>, python: Option<&str>) -> HostEnvironment {
    HostEnvironment {
        path: path.map(|path| ContentHash::from_bytes(path.as_encoded_bytes()).0),
        python: python.map(str::to_owned),
    }
}

/// Describes, as a clause, how the host's environment differs from this process's; `None` if it does not.
pub(crate) fn difference(own: &HostEnvironment, host: &HostEnvironment) -> Option<String> {
    let mut differs = Vec::new();
    match (&own.python, &host.python) {
        (own, host) if own == host => {}
        (_, Some(host)) => {
            differs.push(format!("the host's Python environment is {}", zubi_base::escape::printable(host)));
        }
        (_, None) => differs.push("the host has no Python environment".to_owned()),
    }
    // Activating a Python environment changes `PATH` too, so a different `PATH` is reported only if nothing else differs.
    if differs.is_empty() && own.path != host.path {
        differs.push("the host has another PATH".to_owned());
    }
    differs.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_differences_are_reported() {
        let environment = |path: &str, python: Option<&str>| of_process(Some(OsStr::new(path)), python);
        let plain = environment("/bin", None);
        for (own, host, expected) in [
            (&plain, environment("/bin", None), None),
            (&plain, environment("/usr/bin", None), Some("the host has another PATH")),
            (&plain, environment("/v/bin:/bin", Some("/v")), Some("the host's Python environment is /v")),
            (&environment("/v/bin:/bin", Some("/v")), plain.clone(), Some("the host has no Python environment")),
        ] {
            assert_eq!(difference(own, &host).as_deref(), expected);
        }
    }
}
