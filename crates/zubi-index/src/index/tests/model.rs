//! Random changes: after each step, the store equals one that is built from the present files.

use camino::Utf8Path;
use proptest::prelude::*;

use super::Fixture;

#[derive(Debug, Clone)]
enum Step {
    Write(&'static str, String),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    /// Another process of this user changed files while zubi was not running.
    Restart,
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a.py", "b.rs", "d", "d/a.py", "d/e/b.rs", "d/e", "f/.gitignore", "f/a.py", "f/g/c.txt"])
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "def price(): pass\n",
        "class Rate:\n    def price(self): pass\n",
        "fn tax() {}\n",
        "impl Rate { fn tax() {} }\n",
        "a.py\n",
        "größe = 1\n",
        "c.txt g\n",
    ]);
    prop::collection::vec(line, 0..4).prop_map(|lines| lines.concat())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (path(), text()).prop_map(|(path, text)| Step::Write(path, text)),
        2 => path().prop_map(Step::Remove),
        3 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => Just(Step::Restart),
    ]
}

fn remove(path: &Utf8Path) {
    if path.is_dir() { std::fs::remove_dir_all(path).unwrap() } else { drop(std::fs::remove_file(path)) }
}

/// Makes room for a file: its parents are folders.
fn prepare(fixture: &Fixture, path: &str) {
    for parent in Utf8Path::new(path).ancestors().skip(1) {
        let parent = fixture.root.join(parent);
        if parent.is_file() {
            remove(&parent);
        }
    }
    remove(&fixture.root.join(path));
    std::fs::create_dir_all(fixture.root.join(path).parent().unwrap()).unwrap();
}

async fn run(steps: Vec<Step>) {
    let mut fixture = Fixture::with_built_index("").await;
    for step in steps {
        let mut is_changed_elsewhere = false;
        let changed = match &step {
            Step::Write(path, text) => {
                prepare(&fixture, path);
                fixture.write(path, text);
                vec![*path]
            }
            Step::Remove(path) => {
                remove(&fixture.root.join(path));
                vec![*path]
            }
            Step::Rename(from, to) => {
                let (source, target) = (fixture.root.join(from), fixture.root.join(to));
                if source.exists() && !target.starts_with(&source) && !source.starts_with(&target) {
                    prepare(&fixture, to);
                    std::fs::rename(source, target).unwrap();
                }
                vec![*from, *to]
            }
            Step::Restart => {
                // Without the lock of the index before it.
                fixture.index = super::open(&fixture.root, Utf8Path::new("/dev/null"));
                fixture.index = super::open(&fixture.root, &fixture.cache);
                prepare(&fixture, "a.py");
                fixture.write("a.py", "def restarted(): pass\n");
                is_changed_elsewhere = true;
                Vec::new()
            }
        };
        if is_changed_elsewhere {
            fixture.build().await;
        } else {
            // A parent that was a file is reported as well.
            let parents = changed.iter().flat_map(|path| Utf8Path::new(path).ancestors().skip(1));
            let parents: Vec<&str> = parents.map(Utf8Path::as_str).filter(|path| !path.is_empty()).collect();
            fixture.update(&[changed.as_slice(), &parents].concat()).await;
        }
        assert_eq!(fixture.dump().await, fixture.fresh_dump().await, "{step:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_follows_every_change(steps in prop::collection::vec(step(), 1..10)) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(run(steps));
    }
}
