//! The programs that a test may use: those that `cargo xtask setup` installed, this toolchain's, and Debian's; never
//! those on the user's own PATH.

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

/// The directory of a component.
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

/// The Python that `setup` used, for test clients in Python.
pub fn python() -> &'static str {
    text(&MANIFEST["python"])
}

/// The standard library's sources, which rust-analyzer cannot find if the toolchain lacks them.
pub fn rust_sources() -> Option<&'static str> {
    MANIFEST["rust_sources"].as_str()
}

/// The `zubi` that was built together with this test.
pub fn zubi() -> Utf8PathBuf {
    workspace_program("zubi")
}

/// The `dlang` that was built together with this test.
pub fn dlang() -> Utf8PathBuf {
    workspace_program("dlang")
}

/// The program that writes a DomainLang model of any size.
pub fn large_example() -> Utf8PathBuf {
    workspace_program("large-example")
}

/// The project's own commands.
pub fn xtask() -> Utf8PathBuf {
    workspace_program("xtask")
}

/// Returns the path of a program in the workspace.
///
/// Cargo passes a test only the programs of its own package, so this looks in cargo's target directory. It fails for a
/// program that is older than its sources.
fn workspace_program(name: &str) -> Utf8PathBuf {
    let own = Utf8PathBuf::from_path_buf(std::env::current_exe().expect("this program has a path")).expect("in UTF-8");
    let directory = own.ancestors().find(|directory| directory.join(name).is_file());
    let program = directory.map(|directory| directory.join(name)).unwrap_or_else(|| {
        panic!("there is no `{name}` beside {own}: run `cargo build --workspace` or `cargo xtask test`")
    });
    let time = |path: &Utf8Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let built = time(&program).expect("a program has a time");
    // A deleted source is a change too.
    let changed = sources(&program).into_iter().find(|source| time(source).is_none_or(|time| time > built));
    assert!(
        changed.is_none(),
        "{program} is older than {}: run `cargo build --workspace` or `cargo xtask test`",
        changed.unwrap_or_default()
    );
    program
}

/// The source files of a program in this workspace, as cargo lists them in the file next to it: `program: file file …`,
/// with a backslash before each space in a path.
fn sources(program: &Utf8Path) -> Vec<Utf8PathBuf> {
    let file = program.with_extension("d");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("cannot read {file}: {error}"));
    let (_, listed) = text.split_once(": ").unwrap_or_else(|| panic!("{file} lists no sources"));
    listed.trim_end().replace("\\ ", "\0").split(' ').map(|path| path.replace('\0', " ").into()).collect()
}
