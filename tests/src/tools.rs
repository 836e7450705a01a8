//! The programs a test may see: those that `cargo xtask setup` installed, this toolchain's, and Debian's. Never the
//! PATH of whoever runs the tests.

use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

/// The workspace's root directory.
pub static ROOT: LazyLock<Utf8PathBuf> =
    LazyLock::new(|| Utf8Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_owned());

static MANIFEST: LazyLock<Value> = LazyLock::new(|| {
    let file = ROOT.join("target/tools/manifest.json");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("cannot read {file} ({error}): run `cargo xtask setup`"));
    serde_json::from_str(&text).expect("the manifest is JSON")
});

fn component(name: &str) -> &'static Value {
    let component = &MANIFEST["components"][name];
    assert!(component.is_object(), "`{name}` is not set up: run `cargo xtask setup --only {name}`");
    component
}

fn text(value: &Value) -> &str {
    value.as_str().expect("the manifest has this text")
}

/// Where a component's files are.
pub fn directory(name: &str) -> Utf8PathBuf {
    text(&component(name)["directory"]).into()
}

/// A program of a component.
pub fn program(name: &str, program: &str) -> Utf8PathBuf {
    Utf8Path::new(text(&component(name)["path"])).join(program)
}

/// A PATH with exactly these components, the toolchain and Debian's own directories.
pub fn path(components: &[&str]) -> String {
    let base = MANIFEST["base_path"].as_array().expect("the manifest has a base path").iter().map(text);
    let own = components.iter().map(|name| text(&component(name)["path"]));
    own.chain(base).collect::<Vec<_>>().join(":")
}

/// The Python that `setup` used, for clients written in it.
pub fn python() -> &'static str {
    text(&MANIFEST["python"])
}

/// The standard library's sources, which rust-analyzer cannot find by itself beside a toolchain without them.
pub fn rust_sources() -> Option<&'static str> {
    MANIFEST["rust_sources"].as_str()
}

/// The `zubi` that was built together with this test.
///
/// Cargo tells a test only the programs of its own package, so this one is found where cargo puts it. One that is
/// older than its sources would test yesterday's program and is refused.
pub fn zubi() -> Utf8PathBuf {
    let own = Utf8PathBuf::from_path_buf(std::env::current_exe().expect("this program has a path")).expect("in UTF-8");
    let directory = own.ancestors().find(|directory| directory.join("zubi").is_file());
    let program = directory.map(|directory| directory.join("zubi")).unwrap_or_else(|| {
        panic!("there is no `zubi` beside {own}: run `cargo build --workspace` or `cargo xtask test`")
    });
    let built = program.metadata().and_then(|metadata| metadata.modified()).expect("zubi has a time");
    let newest = newest_source(&ROOT.join("crates"));
    assert!(
        newest.as_ref().is_none_or(|(time, _)| *time <= built),
        "{program} is older than {}: run `cargo build --workspace` or `cargo xtask test`",
        newest.map(|(_, file)| file).unwrap_or_default()
    );
    program
}

fn newest_source(directory: &Utf8Path) -> Option<(std::time::SystemTime, Utf8PathBuf)> {
    let entries = directory.read_dir_utf8().ok()?.flatten();
    entries
        .filter_map(|entry| {
            let path = entry.path();
            let kind = entry.file_type().ok()?;
            let is_test = path.file_stem() == Some("tests") || path.file_name() == Some("tests");
            if kind.is_dir() && !is_test {
                newest_source(path)
            } else if path.extension().is_some_and(|extension| matches!(extension, "rs" | "toml" | "md")) && !is_test {
                Some((entry.metadata().ok()?.modified().ok()?, path.to_owned()))
            } else {
                None
            }
        })
        .max()
}
