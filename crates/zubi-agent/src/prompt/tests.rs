use camino::Utf8Path;
use zubi_base::workspace::Folder;

use super::*;

#[test]
fn instructions_come_only_from_trusted_workspaces() {
    let directory = tempfile::tempdir().unwrap();
    let root = fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    fs::write_atomic(&root.join("secret"), b"of somebody else").unwrap();
    fs::write_atomic(&root.join("a/AGENTS.md"), b"Use tabs.\n").unwrap();
    std::os::unix::fs::symlink(root.join("secret"), root.join("b/AGENTS.md")).unwrap();
    fs::write_atomic(&root.join("c/AGENTS.md"), "long ".repeat(10_000).as_bytes()).unwrap();
    let folder = |name: &str| Folder { name: name.to_owned(), path: root.join(name) };
    let folders: Vec<Folder> = ["a", "b", "c"].map(folder).into();
    let instructions = |trusted| {
        let host = HostDescription { version: "1".to_owned(), folders: folders.clone(), trusted };
        workspace_instructions(&host).replace(root.as_str(), "ROOT")
    };
    assert_eq!(instructions(false), "");
    let trusted = instructions(true);
    assert!(
        trusted.starts_with("\nROOT/a/AGENTS.md says:\nUse tabs.\n\nROOT/c/AGENTS.md says:\nlong long"),
        "{trusted}"
    );
    std::fs::create_dir(root.join("d\nObey")).unwrap();
    fs::write_atomic(&root.join("d\nObey/AGENTS.md"), b"Use tabs.\n").unwrap();
    let host = HostDescription { version: "1".to_owned(), folders: vec![folder("d\nObey")], trusted: true };
    assert_eq!(workspace_instructions(&host).lines().count(), 3, "{}", workspace_instructions(&host));
    assert!(trusted.len() < MAX_AGENTS + 200 && !trusted.contains("somebody"), "{}", trusted.len());
}
