//! Tests of `components`.

use super::{Source, all};

#[test]
fn names_are_unique_and_versions_are_exact() {
    for (index, component) in all().enumerate() {
        assert!(all().skip(index + 1).all(|other| other.name != component.name), "{}", component.name);
        let pinned = match component.source {
            Source::Pip(packages) | Source::PythonProgram(packages) => {
                packages.iter().all(|package| package.contains("=="))
            }
            Source::PythonProject { requirement, sha256 } => requirement.contains("==") && sha256.len() == 64,
            Source::Npm(packages) => packages.iter().all(|package| package.rfind('@').is_some_and(|at| at > 0)),
            Source::NpmProject { package, integrity } => {
                package.ends_with(&format!("@{}", component.version)) && integrity.starts_with("sha512-")
            }
            Source::NpmLocked { package } => {
                component.version == "locked" && crate::paths::ROOT.join(package).join("package-lock.json").is_file()
            }
            Source::VsCode { package } => package.ends_with(&format!("@{}", component.version)),
            Source::Apt(choices) => component.version == "release" && !choices.is_empty(),
            Source::Deb(_) | Source::StandardLibrary => component.version == "release",
            Source::ForeignDeb { version, .. } => component.version == version,
            Source::Cargo { .. } => component.version.split('.').count() == 3,
            Source::Crate { sha256, .. } => sha256.len() == 64,
        };
        assert!(pinned, "{} is not pinned", component.name);
    }
}
