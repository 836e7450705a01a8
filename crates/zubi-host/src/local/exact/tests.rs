//! The import of `index.scip` by a host.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use zubi_base::clock::SystemClock;
use zubi_code::syntax::{DirectParser, SyntaxParser};
use zubi_index::{IndexLimits, ScipLimits};

use super::*;

/// A folder with an importer.
struct Fixture {
    _directory: TempDir,
    root: Utf8PathBuf,
    cache: Utf8PathBuf,
    /// Makes the names of the tools different.
    version: AtomicU64,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = zubi_base::fs::canonical(Utf8Path::from_path(directory.path()).unwrap()).unwrap();
        let fixture = Self {
            root: base.join("work"),
            cache: base.join("cache"),
            _directory: directory,
            version: AtomicU64::new(0),
        };
        std::fs::create_dir(&fixture.root).unwrap();
        fixture.write("a.py", b"one = 1\n");
        fixture
    }

    fn write(&self, path: &str, content: &[u8]) {
        zubi_base::fs::write_atomic(&self.root.join(path), content).unwrap();
    }

    /// Writes data with a new version of their tool.
    fn write_data(&self) {
        let version = (self.version.fetch_add(1, Ordering::SeqCst) + 1).to_string();
        let tool = [field(1, b"test"), field(2, version.as_bytes())].concat();
        let definition = [field(2, b"test . p 1 a/one."), field(1, &[0, 0, 3]), vec![3 << 3, 1]].concat();
        let document = [field(1, b"a.py"), field(2, &definition)].concat();
        self.write("index.scip", &[field(1, &field(2, &tool)), field(2, &document)].concat());
    }

    fn data(&self) -> ScipIndex {
        ScipIndex::new(&self.root, Some(&self.cache), ScipLimits::default(), Arc::new(SystemClock))
    }

    /// Starts a host's importer, and waits until it has compared the files.
    async fn start(&self) -> ExactImporter {
        let parser: Arc<dyn SyntaxParser> = Arc::new(DirectParser);
        let folders = [self.root.clone()];
        let index = WorkspaceIndex::new(&folders, Some(&self.cache), None, &parser, IndexLimits::default());
        let importer = ExactImporter::new(index, vec![(self.root.clone(), self.data())], None);
        importer.start();
        wait(&importer, 0).await;
        importer
    }

    /// Renders the versions of the imports, and the failures.
    async fn state(&self) -> String {
        let imports = self.data().status(&DiskText).await.unwrap();
        let versions = imports.iter().map(|import| import.import.version.clone());
        let failures = self.data().failed_imports().await;
        let failures = failures.into_iter().map(|failure| failure.reason.replace(self.root.as_str(), "…"));
        versions.chain(failures).collect::<Vec<_>>().join("; ")
    }
}

fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).unwrap()], content].concat()
}

/// Waits until the importer has compared the files after a report.
async fn wait(importer: &ExactImporter, number: u64) {
    let mut compared = importer.compared.subscribe();
    let waiting = compared.wait_for(|compared| compared.is_some_and(|compared| compared >= number));
    drop(
        tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("the importer compares the files").unwrap(),
    );
}

async fn report(importer: &ExactImporter) {
    importer.report(Vec::new());
    let number = *importer.reports.borrow();
    wait(importer, number).await;
}

#[tokio::test]
async fn a_file_is_imported_once_and_again_after_a_change() {
    let fixture = Fixture::new();
    let importer = fixture.start().await;
    assert_eq!(fixture.state().await, "");
    fixture.write_data();
    report(&importer).await;
    assert_eq!(fixture.state().await, "1");
    let imported = async || fixture.data().status(&DiskText).await.unwrap()[0].import.imported_at;
    let first = imported().await;
    report(&importer).await;
    assert_eq!(imported().await, first);
    drop(importer);
    // Another host finds the data.
    let importer = fixture.start().await;
    assert_eq!(imported().await, first);
    fixture.write_data();
    report(&importer).await;
    assert_eq!(fixture.state().await, "2");
}

#[tokio::test]
async fn a_broken_file_is_recorded_once_until_it_changes() {
    let fixture = Fixture::new();
    fixture.write_data();
    let importer = fixture.start().await;
    fixture.write("index.scip", b"no data");
    report(&importer).await;
    let broken = fixture.state().await;
    assert!(broken.starts_with("1; `…/index.scip` is not a complete SCIP file"), "{broken}");
    assert_eq!(importer.failed_imports().await.len(), 1);
    // It is not read again: a record that is removed meanwhile does not come back.
    let lock = fixture.data().store_path().unwrap().with_extension("failures.json");
    std::fs::remove_file(lock).unwrap();
    report(&importer).await;
    assert_eq!(fixture.state().await, "1");
    fixture.write("index.scip", b"no data, either");
    report(&importer).await;
    assert!(fixture.state().await.starts_with("1; `…/index.scip`"));
    fixture.write_data();
    report(&importer).await;
    assert_eq!(fixture.state().await, "2");
}

#[tokio::test]
async fn lost_data_are_imported_again_or_reported() {
    let fixture = Fixture::new();
    fixture.write_data();
    let importer = fixture.start().await;
    drop(importer);
    let store = fixture.data().store_path().unwrap().to_owned();
    zubi_base::fs::write_atomic(&store, b"damaged").unwrap();
    let importer = fixture.start().await;
    assert_eq!(fixture.state().await, "1");
    drop(importer);
    zubi_base::fs::write_atomic(&store, b"damaged").unwrap();
    std::fs::remove_file(fixture.root.join("index.scip")).unwrap();
    let _importer = fixture.start().await;
    let state = fixture.state().await;
    assert!(state.starts_with("cannot read `…/index.scip`: "), "{state}");
}

#[tokio::test]
async fn beside_another_import_a_file_waits_for_the_next_report() {
    let fixture = Fixture::new();
    let importer = fixture.start().await;
    let lock = fixture.data().store_path().unwrap().with_extension("lock");
    zubi_base::owner_only::create_directory(lock.parent().unwrap()).unwrap();
    let other = zubi_base::owner_only::lock(&lock).unwrap();
    assert!(other.is_some());
    fixture.write_data();
    report(&importer).await;
    assert_eq!(fixture.state().await, "");
    drop(other);
    report(&importer).await;
    assert_eq!(fixture.state().await, "1");
}

#[tokio::test]
async fn reports_during_an_import_lead_to_another_comparison() {
    let fixture = Fixture::new();
    let importer = fixture.start().await;
    for _ in 0..4 {
        fixture.write_data();
        importer.report(Vec::new());
        tokio::task::yield_now().await;
    }
    report(&importer).await;
    assert_eq!(fixture.state().await, "4");
}
