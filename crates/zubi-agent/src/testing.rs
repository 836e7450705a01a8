//! The programs of tests.

use camino::Utf8PathBuf;
use zubi_base::process::Spawner;

/// Returns the spawner of a host whose commands run in a sandbox. zubi's own program confines them, which a build of the
/// workspace puts next to the folder of this test. Without it, no command runs, and the error says why.
pub(crate) fn confining_spawner() -> Spawner {
    let test = std::env::current_exe().ok().and_then(|test| Utf8PathBuf::from_path_buf(test).ok());
    let zubi = test.and_then(|test| Some(test.parent()?.parent()?.join("zubi"))).filter(|zubi| zubi.is_file());
    zubi.map_or_else(Spawner::direct, Spawner::with_supervisor)
}
