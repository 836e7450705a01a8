//! Tests of `discovery`.

use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use super::*;
use crate::wire::PROTOCOL;

/// A temporary run directory.
struct World {
    run: RunDirectory,
    path: Utf8PathBuf,
    root: Utf8PathBuf,
    _guard: tempfile::TempDir,
}

fn world() -> World {
    let guard = tempfile::tempdir().unwrap();
    let root = zubi_base::fs::canonical(Utf8Path::from_path(guard.path()).unwrap()).unwrap();
    let path = root.join("run");
    World { run: RunDirectory::open(&path, true).unwrap(), path, root, _guard: guard }
}

fn host(instance: &str, folders: &[&str]) -> DiscoveryRecord {
    let pid = std::process::id();
    DiscoveryRecord {
        version: PROTOCOL,
        instance: instance.to_owned(),
        pid,
        started_at: process_start(pid).unwrap(),
        boot: boot_id(),
        namespace: pid_namespace(),
        kind: HostKind::InProcess,
        workspace_folders: folders.iter().map(|&folder| folder.to_owned()).collect(),
        socket: None,
        port: None,
        token: "0".repeat(64),
        capabilities: Vec::new(),
        program: "0.0.0".to_owned(),
    }
}

const ONE: &str = "aaaaaaaaaaaaaaa2";
const TWO: &str = "aaaaaaaaaaaaaaa3";

fn set_mode(path: &Utf8Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    current_uid() == 0
}

impl World {
    fn file(&self, instance: &str) -> Utf8PathBuf {
        self.path.join(format!("{instance}.json"))
    }

    /// Writes a discovery file with arbitrary content.
    fn write_file(&self, instance: &str, content: &[u8]) -> Utf8PathBuf {
        let file = self.file(instance);
        zubi_base::owner_only::write_atomic(&file, content).unwrap();
        file
    }

    fn write_host(&self, host: &DiscoveryRecord) -> Utf8PathBuf {
        self.write_file(&host.instance, &serde_json::to_vec(host).unwrap())
    }

    /// Renders the discovered instances, and a line for each rejected file.
    fn report_discovered(&self) -> String {
        let DiscoveredHosts { hosts, rejected } = self.run.read();
        let mut lines: Vec<String> = hosts.into_iter().map(|host| host.instance).collect();
        lines.extend(rejected.into_iter().map(|RejectedRecord { file, reason: why }| format!("{file}: {why}")));
        lines.join("\n").replace(self.root.as_str(), "[root]")
    }
}

#[test]
fn a_published_host_is_found() {
    let world = world();
    assert_eq!(world.run.read(), DiscoveredHosts::default());
    let socket = world.path.join(format!("{ONE}.sock"));
    let listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let one = DiscoveryRecord { socket: Some(socket.clone()), port: Some(9847), ..host(ONE, &["/w"]) };
    let two = host(TWO, &["/w/inner", "/other"]);
    let published = (world.run.publish(&one).unwrap(), world.run.publish(&two).unwrap());
    assert_eq!(world.run.read(), DiscoveredHosts { hosts: vec![one, two.clone()], rejected: Vec::new() });
    let mode = |path: &Utf8Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&world.path), mode(&world.file(ONE))), (0o700, 0o600));
    drop(published.0);
    assert_eq!(world.run.read().hosts, [two]);
    assert!(!socket.exists(), "the socket is removed with the file");
    drop((published.1, listening));
    assert_eq!(world.path.read_dir().unwrap().count(), 0);
}

#[test]
fn discovery_file_format() {
    let host = DiscoveryRecord {
        pid: 7,
        started_at: 4242,
        boot: Some("b".to_owned()),
        namespace: Some("4026531836".to_owned()),
        kind: HostKind::Editor,
        socket: Some("/run/zubi/x.sock".into()),
        port: Some(9847),
        capabilities: vec!["editor".to_owned()],
        ..host(ONE, &["/w"])
    };
    assert_snapshot!(serde_json::to_string(&host).unwrap(), @r#"{"version":1,"instance":"aaaaaaaaaaaaaaa2","pid":7,"startedAt":4242,"boot":"b","namespace":"4026531836","kind":"editor","workspaceFolders":["/w"],"socket":"/run/zubi/x.sock","port":9847,"token":"0000000000000000000000000000000000000000000000000000000000000000","capabilities":["editor"],"program":"0.0.0"}"#);
    // Unknown fields of newer versions are ignored.
    let mut newer = serde_json::to_value(&host).unwrap();
    newer.as_object_mut().unwrap().insert("later".to_owned(), true.into());
    assert_eq!(serde_json::from_value::<DiscoveryRecord>(newer).unwrap(), host);
}

#[test]
fn replaced_files_are_not_removed() {
    let world = world();
    let published = world.run.publish(&host(ONE, &[])).unwrap();
    // Another process has replaced the file.
    let other = world.write_host(&host(ONE, &["/other"]));
    drop(published);
    assert!(other.exists());
}

#[test]
fn files_of_hosts_in_other_namespaces_are_ignored() {
    let world = world();
    let elsewhere = Some("elsewhere".to_owned());
    let (alive, dead) = (host(ONE, &["/w"]), DiscoveryRecord { started_at: 1, ..host(ONE, &["/w"]) });
    for host in [
        DiscoveryRecord { boot: elsewhere.clone(), ..alive.clone() },
        DiscoveryRecord { namespace: elsewhere.clone(), ..alive.clone() },
        DiscoveryRecord { boot: elsewhere.clone(), ..dead.clone() },
        DiscoveryRecord { namespace: elsewhere, ..dead.clone() },
    ] {
        let file = world.write_host(&host);
        assert_eq!(world.run.read(), DiscoveredHosts::default(), "{host:?}");
        assert!(file.exists(), "{host:?}");
    }
    // Without these fields, only the process is checked.
    let older = DiscoveryRecord { boot: None, namespace: None, ..alive };
    world.write_host(&older);
    assert_eq!(world.run.read().hosts, [older]);
    let file = world.write_host(&DiscoveryRecord { boot: None, namespace: None, ..dead });
    assert_eq!(world.run.read(), DiscoveredHosts::default());
    assert!(!file.exists());
}

#[test]
fn files_of_dead_hosts_are_removed_silently() {
    let world = world();
    let socket = |instance: &str| world.path.join(format!("{instance}.sock"));
    let elsewhere = world.root.join("elsewhere.sock");
    for path in [socket(ONE), socket(TWO), elsewhere.clone()] {
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    }
    // The first process does not exist, the second reuses the id.
    let ended_host = DiscoveryRecord { pid: u32::MAX, socket: Some(socket(ONE)), ..host(ONE, &["/w"]) };
    let reused = DiscoveryRecord { started_at: 1, socket: Some(elsewhere.clone()), ..host(TWO, &["/w"]) };
    let files = [world.write_host(&ended_host), world.write_host(&reused)];
    assert_eq!(world.run.read(), DiscoveredHosts::default());
    assert!(files.iter().all(|file| !file.exists()));
    assert!(!socket(ONE).exists());
    assert!(elsewhere.exists(), "it is not in this directory");
    assert!(socket(TWO).exists(), "no file names it");
    // Only sockets are removed, whatever a file names.
    let regular_file = socket(ONE);
    zubi_base::owner_only::write_atomic(&regular_file, b"text").unwrap();
    world.write_host(&ended_host);
    assert_eq!(world.run.read(), DiscoveredHosts::default());
    assert!(regular_file.exists());
}

#[test]
fn invalid_files_are_rejected_with_a_reason() {
    let world = world();
    world.write_file("aaaaaaaaaaaaaaaa", b"garbage \xff");
    world.write_file("aaaaaaaaaaaaaaab", b"");
    world.write_file("aaaaaaaaaaaaaaac", b"[1, \"a\", 2]");
    world.write_file("aaaaaaaaaaaaaaad", br#"{"version":1}"#);
    world.write_file("aaaaaaaaaaaaaaae", br#"{"version":9,"kind":"cloud"}"#);
    world.write_file("aaaaaaaaaaaaaaaf", &b"{".repeat(70_000));
    world.write_file("aaaaaaaaaaaaaaag", &serde_json::to_vec(&host(ONE, &[])).unwrap());
    world.write_file("aaaaaaaaaaaaaaah", &serde_json::to_vec(&host("../aaaaaaaaaaaah", &[])).unwrap());
    world.write_host(&DiscoveryRecord { token: "secret".to_owned(), ..host("aaaaaaaaaaaaaaai", &[]) });
    let nested = "[".repeat(60_000);
    world.write_file("aaaaaaaaaaaaaaaj", format!("{{\"version\":{nested}").as_bytes());
    std::fs::create_dir(world.file("aaaaaaaaaaaaaaak")).unwrap();
    set_mode(&world.file("aaaaaaaaaaaaaaak"), 0o600);
    // These two are ignored.
    world.write_file(".hidden", b"garbage");
    zubi_base::owner_only::write_atomic(&world.path.join("note.txt"), b"garbage").unwrap();
    assert_snapshot!(world.report_discovered(), @"
    [root]/run/aaaaaaaaaaaaaaaa.json: it is not a JSON object; remove it
    [root]/run/aaaaaaaaaaaaaaab.json: it is not a JSON object; remove it
    [root]/run/aaaaaaaaaaaaaaac.json: it is not a JSON object; remove it
    [root]/run/aaaaaaaaaaaaaaad.json: it is not a valid discovery file (missing field `instance` at line 1 column 13); remove it
    [root]/run/aaaaaaaaaaaaaaae.json: its host speaks version 9 of the protocol, and this zubi 1; update the older one
    [root]/run/aaaaaaaaaaaaaaaf.json: it has more than 65536 bytes; remove it
    [root]/run/aaaaaaaaaaaaaaag.json: it is not named after the host in it; remove it
    [root]/run/aaaaaaaaaaaaaaah.json: it is not named after the host in it; remove it
    [root]/run/aaaaaaaaaaaaaaai.json: its token is not 64 hexadecimal digits; remove it
    [root]/run/aaaaaaaaaaaaaaaj.json: it is not a valid discovery file (invalid type: sequence, expected u32 at line 1 column 11); remove it
    [root]/run/aaaaaaaaaaaaaaak.json: it is not a plain file; remove it
    ");
}

#[test]
fn files_accessible_to_other_users_are_rejected() {
    let world = world();
    let file = world.write_host(&host(ONE, &[]));
    for mode in [0o644, 0o602, 0o660] {
        set_mode(&file, mode);
        assert!(
            world.report_discovered().contains(&format!("is open to others (mode {mode:03o})")),
            "{}",
            world.report_discovered()
        );
    }
    set_mode(&file, 0o600);
    assert_eq!(world.report_discovered(), ONE);
    let outside = world.root.join("outside.json");
    std::fs::rename(&file, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &file).unwrap();
    assert_snapshot!(world.report_discovered(), @"[root]/run/aaaaaaaaaaaaaaa2.json: it is a link; remove it");
    assert!(outside.exists());
    std::fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, file.as_str(), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_snapshot!(world.report_discovered(), @"[root]/run/aaaaaaaaaaaaaaa2.json: it is not a plain file; remove it");
    if is_root() {
        std::fs::remove_file(&file).unwrap();
        world.write_host(&host(ONE, &[]));
        std::os::unix::fs::chown(&file, Some(65_534), None).unwrap();
        assert_snapshot!(world.report_discovered(), @"[root]/run/aaaaaaaaaaaaaaa2.json: it belongs to another user; remove it");
    }
}

#[test]
fn a_directory_accessible_to_other_users_is_rejected() {
    let world = world();
    world.write_host(&host(ONE, &[]));
    for mode in [0o777, 0o750, 0o701] {
        set_mode(&world.path, mode);
        assert!(world.run.publish(&host(TWO, &[])).is_err());
        let expected =
            format!("[root]/run: it is open to others (mode {mode:03o}); make it yours alone: `chmod 700 [root]/run`");
        assert_eq!(world.report_discovered(), expected);
    }
    // A host that opens the directory restricts it to its user.
    RunDirectory::open(&world.path, true).unwrap();
    assert_eq!(world.report_discovered(), ONE);

    if is_root() {
        std::os::unix::fs::chown(&world.path, Some(65_534), None).unwrap();
        assert_snapshot!(world.report_discovered(), @"[root]/run: it belongs to another user; remove it, or set `XDG_RUNTIME_DIR` to a directory of yours");
        let error = RunDirectory::open(&world.path, true).unwrap_err().to_string();
        assert!(error.contains("belongs to another user"), "{error}");
        std::os::unix::fs::chown(&world.path, Some(current_uid()), None).unwrap();
    }

    let elsewhere = world.root.join("elsewhere");
    std::fs::rename(&world.path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &world.path).unwrap();
    assert_snapshot!(world.report_discovered(), @"[root]/run: it is not a directory of its own; remove it");
    assert!(RunDirectory::open(&world.path, true).is_err());
    std::fs::remove_file(&world.path).unwrap();
    zubi_base::owner_only::write_atomic(&world.path, b"").unwrap();
    assert_snapshot!(world.report_discovered(), @"[root]/run: it is not a directory of its own; remove it");
    std::fs::remove_file(&world.path).unwrap();
    assert_eq!(world.run.read(), DiscoveredHosts::default(), "without a directory there are no hosts");
}

#[test]
fn the_number_of_files_read_is_limited() {
    let world = world();
    for n in 0..300 {
        world.write_file(&format!("a{n:03}"), b"{");
    }
    let DiscoveredHosts { hosts, rejected } = world.run.read();
    assert_eq!((hosts.len(), rejected.len()), (0, 257));
    assert_snapshot!(rejected[0].reason, @"only 256 of its 300 files are read; remove those of no host");
}

#[test]
fn hosts_with_invalid_instance_names_are_not_published() {
    let world = world();
    for name in ["", "..", "../../aaaaaaaaaa", "AAAAAAAAAAAAAAAA", "aaaaaaaaaaaaaaa1", "aaaaaaaaaaaaaaaaa"] {
        assert!(world.run.publish(&host(name, &[])).is_err(), "{name}");
        assert!(world.run.socket(name).is_err(), "{name}");
    }
    let (one, two) = (new_instance().unwrap(), new_instance().unwrap());
    assert!(is_instance(&one) && is_instance(&two) && one != two, "{one} {two}");
}

#[test]
fn a_too_long_socket_path_is_an_error_with_a_hint() {
    let run = RunDirectory::open(format!("/{}", "x".repeat(90)), false).unwrap();
    let error = run.socket(ONE).unwrap_err().to_string().replace(&"x".repeat(90), "xxx");
    assert_snapshot!(error, @"`/xxx/aaaaaaaaaaaaaaa2.sock` is longer than the 107 bytes allowed for a socket path; set `XDG_RUNTIME_DIR` to a directory of yours with a shorter path");
    assert!(RunDirectory::open(format!("/{}", "x".repeat(84)), false).unwrap().socket(ONE).is_ok(), "107 bytes");
}

#[test]
fn the_runtime_directory_must_belong_to_the_user() {
    let world = world();
    let runtime = world.root.join("runtime");
    let state = Utf8Path::new("/state");
    let run_directory_for =
        |runtime: &Utf8Path| run_directory_of(Some(runtime), state).as_str().replace(world.root.as_str(), "[root]");
    assert_eq!(run_directory_of(None, state), "/state/run");
    assert_eq!(run_directory_for(&runtime), "/state/run", "it does not exist");
    std::fs::create_dir(&runtime).unwrap();
    set_mode(&runtime, 0o755);
    assert_eq!(run_directory_for(&runtime), "[root]/runtime/zubi");
    set_mode(&runtime, 0o775);
    assert_eq!(run_directory_for(&runtime), "/state/run", "others may write it");
    if is_root() {
        set_mode(&runtime, 0o700);
        std::os::unix::fs::chown(&runtime, Some(65_534), None).unwrap();
        assert_eq!(run_directory_for(&runtime), "/state/run", "it belongs to another user");
    }
}
