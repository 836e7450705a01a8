//! The behaviour of every store of exact data. Another store runs the same checks: see [`check_store`].

use async_trait::async_trait;
use camino::Utf8Path;
use insta::assert_snapshot;
use zubi_code::exact_index::{ExactIndex, ExactRole};

use super::{Folder, commit, find, find_up_to, import, status};
use crate::scip::{ImportReport, ImportRequest, ScipImportError};

use ExactRole::{Definitions, Implementations, References};

/// A store under test.
#[async_trait]
pub(crate) trait ConformanceStore: Send + Sync {
    fn index(&self) -> &dyn ExactIndex;

    /// Imports a file with the texts on disk.
    async fn import(&self, request: &ImportRequest) -> Result<ImportReport, ScipImportError>;
}

const SHAPES: &str = "//- shapes.py
class Shape:
    def area(self): ...
class Square(Shape):
    def area(self): return 1
//- app.py
from shapes import Square
ä = '😀'; Square().area()
box = Square(); box = 2
";

const SHAPES_DATA: &str = "
    doc shapes.py utf16
    def 1:0-0 shapes/__init__:
    def 1:6-11 shapes/Shape#
    def 2:8-12 shapes/Shape#area().
    def 2:13-17 shapes/Shape#area().(self)
    def 3:6-12 shapes/Square#
    ref 3:13-18 shapes/Shape#
    def 4:8-12 shapes/Square#area().
    shapes/Square# implements shapes/Shape#
    shapes/Square#area(). overrides shapes/Shape#area().
    kind shapes/Shape# 21
    doc app.py utf16
    ref 1:5-11 shapes/__init__:
    import 1:19-25 shapes/Square#
    def 2:0-1 local 1
    ref 2:10-16 shapes/Square#
    ref 2:19-23 shapes/Square#area().
    def 3:0-3 app/box.
    ref 3:6-12 shapes/Square#
    write 3:16-19 app/box.
";

/// Checks a store. `create` returns an empty one for a folder and its cache directory.
pub(crate) async fn check_store<F>(create: F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    answers_by_name_and_position(&create).await;
    changed_documents_have_no_positions(&create).await;
    a_commit_decides_which_texts_are_exact(&create).await;
    data_that_do_not_fit_are_not_exact(&create).await;
    an_import_replaces_that_of_its_folder_and_tool(&create).await;
    a_failed_import_changes_nothing(&create).await;
    limits_cut_answers(&create).await;
    documents_are_skipped_with_reasons(&create).await;
    only_present_texts_of_the_data_are_covered(&create).await;
}

async fn open<F>(create: &F, files: &str) -> (Folder, Box<dyn ConformanceStore>)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let folder = Folder::new(files);
    let store = create(&folder.root, &folder.cache).await;
    (folder, store)
}

async fn answers_by_name_and_position<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, SHAPES).await;
    assert_snapshot!(find(&folder, store.index(), Definitions, "Shape").await, @"no exact data of this folder are imported; `zubi index import FILE` imports a SCIP file");
    assert_snapshot!(status(&folder, store.index()).await, @"");
    assert_snapshot!(import(&folder, &*store, &folder.request(SHAPES_DATA)).await, @"test 1: 2 documents, 2 exact, 14 occurrences, 1 local");
    assert_snapshot!(status(&folder, store.index()).await, @"test/: 2 documents, 2 exact, 0 changed, 0 unchecked; python 2; 0 s");
    let index = store.index();
    assert_snapshot!(find(&folder, index, Definitions, "Square").await, @r"
    shapes.py:3 Square = shapes/Square definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, Definitions, "app.py:2:Square").await, @r"
    shapes.py:3 Square = shapes/Square definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, Definitions, "Shape/area").await, @r"
    shapes.py:2 area = shapes/Shape/area definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, Definitions, "shapes.Square.area").await, @r"
    shapes.py:4 area = shapes/Square/area definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, Definitions, "shapes").await, @r"
    shapes.py:1  = shapes definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, References, "Square").await, @r"
    app.py:1 Square = shapes/Square import
    app.py:2 Square = shapes/Square
    app.py:3 Square = shapes/Square
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, References, "shapes.py:2:area").await, @r"
    app.py:2 area = shapes/Square/area
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, References, "app.py:3:box").await, @r"
    app.py:3 box = app/box write
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, Implementations, "shapes.py:1:Shape").await, @r"
    shapes.py:3 Square = shapes/Square definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, Implementations, "Square").await, @"1 symbols, no documents");
    assert_snapshot!(find(&folder, index, References, "self").await, @"0 symbols, no documents");
    assert_snapshot!(find(&folder, index, References, "").await, @"0 symbols, no documents");
    assert_snapshot!(find(&folder, index, References, "app.py:2:ä").await, @"the imported data have no symbol at byte 26 of `…/app.py`");
    folder.write("other.py", "x");
    assert_snapshot!(find(&folder, index, References, "other.py:1:x").await, @"the imported data do not cover `…/other.py`");
    folder.write("../outside.py", "x");
    assert_snapshot!(find(&folder, index, References, "../outside.py:1:x").await, @"the imported data do not cover `…/../outside.py`");
}

async fn changed_documents_have_no_positions<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, SHAPES).await;
    store.import(&folder.request(SHAPES_DATA)).await.unwrap();
    let index = store.index();
    let path = folder.root.join("app.py");
    let before = zubi_base::fs::read_text(&path).unwrap();
    folder.write("app.py", format!("# {before}"));
    assert_snapshot!(find(&folder, index, References, "Square").await, @r"
    app.py changed (3)
    [test 1 no commit: 0 exact, 1 changed]
    ");
    assert_snapshot!(find(&folder, index, References, "app.py:3:Square").await, @"`…/app.py` has changed since the import, so its positions are unknown; search for the symbol by its name");
    assert_snapshot!(status(&folder, index).await, @"test/: 2 documents, 1 exact, 1 changed, 0 unchecked; python 2; 0 s");
    // The same size and the same names, but another content.
    folder.write("app.py", before.replace('2', "3"));
    assert_snapshot!(find(&folder, index, Definitions, "box").await, @r"
    app.py changed (1)
    [test 1 no commit: 0 exact, 1 changed]
    ");
    folder.write("app.py", &before);
    assert_snapshot!(find(&folder, index, Definitions, "box").await, @r"
    app.py:3 box = app/box definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
    std::fs::remove_file(&path).unwrap();
    assert_snapshot!(find(&folder, index, References, "Square").await, @r"
    app.py changed (3)
    [test 1 no commit: 0 exact, 1 changed]
    ");
    std::fs::create_dir(&path).unwrap();
    assert_snapshot!(status(&folder, index).await, @"test/: 2 documents, 1 exact, 1 changed, 0 unchecked; python 2; 0 s");
}

async fn a_commit_decides_which_texts_are_exact<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, "//- a.py\nold = 1\n//- b.py\nnew = 2\n//- built.py\nx = 1\n").await;
    let data = "doc a.py\ndef 1:0-3 a/now.\ndoc b.py\ndef 1:0-3 b/new.\ndoc built.py\ndef 1:0-1 built/x.";
    let mut request = folder.request(data);
    request.commit = Some(commit(&[("a.py", "now = 1\n"), ("b.py", "new = 2\n")]));
    assert_snapshot!(import(&folder, &*store, &request).await, @r"
    test 1: 2 documents, 2 exact, 2 occurrences
    1 not in the commit (built.py)
    ");
    let index = store.index();
    assert_snapshot!(find(&folder, index, Definitions, "now").await, @r"
    a.py changed (1)
    [test 1 abababa: 0 exact, 1 changed]
    ");
    assert_snapshot!(find(&folder, index, Definitions, "new").await, @r"
    b.py:1 new = b/new definition
    [test 1 abababa: 1 exact, 0 changed]
    ");
    folder.write("a.py", "now = 1\n");
    assert_snapshot!(find(&folder, index, Definitions, "now").await, @r"
    a.py:1 now = a/now definition
    [test 1 abababa: 1 exact, 0 changed]
    ");
    // The id is right, but the producer has read another text.
    request.commit = Some(commit(&[("b.py", "renew = 2\n")]));
    store.import(&request).await.unwrap();
    folder.write("b.py", "renew = 2\n");
    assert_snapshot!(find(&folder, index, Definitions, "new").await, @r"
    b.py changed (1)
    [test 1 abababa: 0 exact, 1 changed]
    ");
}

async fn data_that_do_not_fit_are_not_exact<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let files = "//- a.py\none = 1\n//- b.py\ntwo = 2\n//- c.py\nx = 3\n//- d.py\ny = 4\n//- e.py\nä = 5\n";
    let (folder, store) = open(create, files).await;
    folder.write("f.py", "\u{feff}one = two\nz = 6\n");
    let data = "
        doc a.py
        def 1:1-3 a/one.
        doc b.py
        def 1:0-3 b/too.
        doc c.py
        def 3:0-1 c/x.
        doc d.py
        text y = 5\\n
        def 1:0-1 d/y.
        doc e.py
        def 1:4-5 e/x.
        doc f.py utf8
        def 1:0-3 f/one.
        def 2:0-1 f/z.
    ";
    assert_snapshot!(import(&folder, &*store, &folder.request(data)).await, @"test 1: 6 documents, 2 exact, 7 occurrences");
    assert_snapshot!(status(&folder, store.index()).await, @"test/: 6 documents, 2 exact, 4 changed, 0 unchecked; python 6; 0 s");
    assert_snapshot!(find(&folder, store.index(), Definitions, "d/y").await, @r"
    d.py changed (1)
    [test 1 no commit: 0 exact, 1 changed]
    ");
    assert_snapshot!(find(&folder, store.index(), Definitions, "e/x").await, @"more");
    assert_snapshot!(find(&folder, store.index(), Definitions, "one").await, @r"
    a.py changed (1)
    more
    [test 1 no commit: 0 exact, 1 changed]
    ");
    assert_snapshot!(find(&folder, store.index(), Definitions, "f.py:2:z").await, @r"
    f.py:2 z = f/z definition
    [test 1 no commit: 1 exact, 0 changed]
    ");
}

async fn an_import_replaces_that_of_its_folder_and_tool<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, "//- a.py\nold = new\n//- sub/a.py\nold = new\n").await;
    let index = store.index();
    store.import(&folder.request("doc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.")).await.unwrap();
    let mut request = folder.request("doc a.py\ndef 1:0-3 a/old.");
    request.folder = folder.root.join("sub");
    store.import(&request).await.unwrap();
    store.import(&folder.request("tool other 2\ndoc a.py\ndef 1:0-3 a/old.\nref 1:6-9 b/new.")).await.unwrap();
    assert_snapshot!(status(&folder, index).await, @r"
    other/: 1 documents, 1 exact, 0 changed, 0 unchecked; python 1; 0 s
    test/: 1 documents, 1 exact, 0 changed, 0 unchecked; python 1; 0 s
    test/sub: 1 documents, 1 exact, 0 changed, 0 unchecked; python 1; 0 s
    ");
    assert_snapshot!(find(&folder, index, Definitions, "old").await, @r"
    a.py:1 old = a/old definition
    sub/a.py:1 old = a/old definition
    [test 1 no commit: 2 exact, 0 changed]
    [test 1 no commit: 2 exact, 0 changed]
    ");
    assert_snapshot!(find(&folder, index, References, "new").await, @r"
    a.py:1 new = b/new
    [test 1 no commit: 1 exact, 0 changed]
    ");
    store.import(&folder.request("doc a.py\nref 1:0-3 a/old.")).await.unwrap();
    assert_snapshot!(find(&folder, index, Definitions, "old").await, @r"
    a.py:1 old = a/old definition
    sub/a.py:1 old = a/old definition
    [other 2 no commit: 2 exact, 0 changed]
    [test 1 no commit: 2 exact, 0 changed]
    ");
    store.import(&folder.request("tool other 3\ndoc a.py\nref 1:0-3 a/old.")).await.unwrap();
    assert_snapshot!(find(&folder, index, References, "new").await, @"0 symbols, no documents");
    assert_snapshot!(find(&folder, index, References, "a.py:1:old").await, @r"
    a.py:1 old = a/old
    [test 1 no commit: 1 exact, 0 changed]
    ");
}

async fn a_failed_import_changes_nothing<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, SHAPES).await;
    store.import(&folder.request(SHAPES_DATA)).await.unwrap();
    let before = (status(&folder, store.index()).await, find(&folder, store.index(), References, "Square").await);
    let mut request = folder.request(SHAPES_DATA);
    let bytes = std::fs::read(&request.file).unwrap();
    folder.request_of_bytes(&bytes[..bytes.len() - 1]);
    assert_snapshot!(import(&folder, &*store, &request).await, @"`…/data.scip` is not a complete SCIP file (at byte 470: it ends inside a value); make it again with its indexer");
    folder.request_of_bytes(b"{\"version\": 1}");
    assert_snapshot!(import(&folder, &*store, &request).await, @"`…/data.scip` is not a complete SCIP file (at byte 0: a field has the unknown type 3); make it again with its indexer");
    folder.request_of_bytes(b"");
    assert_snapshot!(import(&folder, &*store, &request).await, @"`…/data.scip` is not a complete SCIP file (it is empty); make it again with its indexer");
    folder.request("doc ../a.py\ndoc none.py");
    assert_snapshot!(import(&folder, &*store, &request).await, @"`…/data.scip` has no document of this folder (1 with a path outside the folder, 1 not readable as text); pass the folder in which the indexer ran, and the commit that it has read");
    std::fs::remove_file(&request.file).unwrap();
    assert_snapshot!(import(&folder, &*store, &request).await, @"cannot read `…/data.scip`: No such file or directory (os error 2)");
    request.folder = folder.cache.clone();
    assert_snapshot!(import(&folder, &*store, &request).await, @"`…/cache` is not in the workspace folder `…/project`; pass a folder of the workspace without links");
    request.folder = folder.root.join("..");
    assert!(store.import(&request).await.is_err());
    let after = (status(&folder, store.index()).await, find(&folder, store.index(), References, "Square").await);
    assert_eq!(before, after);
}

async fn limits_cut_answers<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, "//- a0.py\ndef f(): f; f\n").await;
    let mut data = String::from("doc a0.py\ndef 1:4-5 f().\nref 1:9-10 f().\nref 1:12-13 f().\n");
    for number in 1..100 {
        folder.write(&format!("a{number}.py"), "f\n");
        data.push_str(&["doc a", &number.to_string(), ".py\nref 1:0-1 f().\n"].concat());
    }
    store.import(&folder.request(&data)).await.unwrap();
    let index = store.index();
    let all = find_up_to(&folder, index, References, "f", 200).await;
    assert_eq!((all.lines().count(), all.contains("more")), (102, false), "{all}");
    let all = find_up_to(&folder, index, References, "f", 101).await;
    assert_eq!((all.lines().count(), all.contains("more")), (102, false), "{all}");
    assert_snapshot!(find_up_to(&folder, index, References, "f", 3).await, @r"
    a0.py:1 f = f
    a0.py:1 f = f
    a1.py:1 f = f
    more
    [test 1 no commit: 2 exact, 0 changed]
    ");
    assert_snapshot!(find_up_to(&folder, index, References, "f", 1).await, @r"
    a0.py:1 f = f
    more
    [test 1 no commit: 1 exact, 0 changed]
    ");
    assert_snapshot!(find_up_to(&folder, index, References, "f", 0).await, @"more");
}

async fn documents_are_skipped_with_reasons<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, "//- a.py\na = a\n").await;
    folder.write("binary.py", b"\xff\x00");
    std::os::unix::fs::symlink(folder.root.join("a.py"), folder.root.join("link.py")).unwrap();
    let data = "
        doc a.py
        def 1:0-1 a.
        def 1:0-1 a.
        ref 1:4-5 x
        ref 1:2-1 a.
        ref 1:4-5 a.
        doc a.py
        doc .ssh/config
        doc gone.py
        doc link.py
        doc binary.py
        doc ../a.py
        doc /a.py
        doc ./a.py
        doc b//a.py
        doc b\\a.py
    ";
    let mut request = folder.request(data);
    let bytes = [std::fs::read(&request.file).unwrap(), super::notation::field(2, &[0x0a, 5])].concat();
    request = folder.request_of_bytes(&bytes);
    assert_snapshot!(import(&folder, &*store, &request).await, @r"
    test 1: 1 documents, 1 exact, 2 occurrences, 2 invalid
    1 damaged in the file ()
    5 with a path outside the folder ()
    1 that can have credentials (.ssh/config)
    1 listed twice (a.py)
    3 not readable as text (gone.py)
    ");
    assert_snapshot!(find(&folder, store.index(), References, "a").await, @r"
    a.py:1 a = a
    [test 1 no commit: 1 exact, 0 changed]
    ");
}

async fn only_present_texts_of_the_data_are_covered<F>(create: &F)
where
    F: AsyncFn(&Utf8Path, &Utf8Path) -> Box<dyn ConformanceStore>,
{
    let (folder, store) = open(create, "//- a.py\none = 1\n//- b.py\none = 1\n//- c.py\none = 1\n").await;
    let paths = ["a.py", "b.py", "c.py", "gone.py", "../d.py"].map(|path| folder.root.join(path));
    let uncovered = async || {
        let found = store.index().find_uncovered(&paths, &zubi_base::text::DiskText).await.unwrap();
        found.iter().map(|path| path.strip_prefix(&folder.root).unwrap().to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(uncovered().await, "a.py b.py c.py gone.py ../d.py");
    import(&folder, store.as_ref(), &folder.request("doc a.py\ndef 1:0-3 a/one.\ndoc b.py\ndef 1:0-3 b/one.")).await;
    assert_eq!(uncovered().await, "c.py gone.py ../d.py");
    folder.write("b.py", "one = 2\n");
    assert_eq!(uncovered().await, "b.py c.py gone.py ../d.py");
}
