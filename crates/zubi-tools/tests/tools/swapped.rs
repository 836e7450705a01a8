//! A program in the workspace replaces directories with links while tools work there.
//!
//! A sandboxed command can do this: the sandbox confines the command, but file tools run outside of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use camino::Utf8Path;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use zubi_code::testing::Toy;
use zubi_tool_api::cx::Restrictions;

use crate::support::{call_in, cx, registry};

/// The minimum number of calls during the swapping. Without protection, a handful of calls shows the defect.
const MIN_CALLS: usize = 150;

/// The time limit for the swapping to affect calls.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// Swaps two entries until `end` is set.
fn swap(one: &Utf8Path, other: &Utf8Path, end: &AtomicBool) {
    while !end.load(Ordering::Relaxed) {
        renameat_with(CWD, one.as_str(), CWD, other.as_str(), RenameFlags::EXCHANGE).unwrap();
    }
}

/// Stops the swapping even if the test fails; otherwise the scope would wait forever.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs calls while `sub` alternates between a folder of the workspace and a link that points outside.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_replaced_by_a_link_does_not_escape() {
    let toy = Toy::new("//- sub/s.txt\ninside\n");
    let outside = tempfile::tempdir().unwrap();
    let file = Utf8Path::from_path(outside.path()).unwrap().join("s.txt");
    zubi_base::fs::write_atomic(&file, b"a secret of somebody else\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), toy.root.join("link")).unwrap();
    let registry = registry(&toy);
    let end = AtomicBool::new(false);
    let started = Instant::now();
    let (mut written, mut rejected) = (0, 0);
    std::thread::scope(|scope| {
        let _stop = StopOnDrop(&end);
        scope.spawn(|| swap(&toy.root.join("sub"), &toy.root.join("link"), &end));
        let run = async |tool: &str, args| call_in(&registry, tool, args, cx(&toy, Restrictions::default())).await;
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                for number in 0_usize.. {
                    // On a busy machine one of the two threads may not run for a while.
                    let both_occurred = written > 0 && rejected > 0;
                    if number >= MIN_CALLS && (both_occurred || started.elapsed() > TIME_LIMIT) {
                        break;
                    }
                    let new = format!("sub/new{number}.txt");
                    let answer = run("file.write", json!({ "path": new, "content": "x\n" })).await;
                    if answer.contains(": created") {
                        written += 1;
                    } else {
                        rejected += 1;
                    }
                    let answer = run("file.read", json!({ "path": "sub/s.txt" })).await;
                    assert!(!answer.contains("secret"), "{answer}");
                    let answer = run("file.search", json!({ "query": "secret", "path": "sub" })).await;
                    assert!(!answer.contains("somebody"), "{answer}");
                    let overwritten = json!({ "path": "sub/s.txt", "content": "mine\n", "overwrite": true });
                    run("file.write", overwritten).await;
                }
            });
        });
    });
    let entries: Vec<_> = std::fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["s.txt"], "nothing was created outside");
    assert_eq!(zubi_base::fs::read_text(&file).unwrap(), "a secret of somebody else\n");
    println!("{written} files written, {rejected} calls refused");
    assert!(written > 0 && rejected > 0, "the swapping must affect calls: {written} written, {rejected} refused");
}
