//! Ten queries per published project of over a hundred files, in five languages, from a cold start.
//!
//! The recorded answers were checked against the sources by hand and by word counts. A changed answer means a changed
//! server or a defect. The first query about each project goes to a server that has read nothing yet.
#![expect(clippy::expect_used, reason = "a failed expectation is a failed test, also in a helper")]

use insta::assert_snapshot;
use serde_json::{Value, json};
use zubi_tests::{Project, Zubi};

/// The beginning of each answer and its status line, which suffice to recognize a wrong answer.
async fn check(name: &str, components: &[&str], questions: Vec<(&str, Value)>) -> String {
    let project = Project::copy_published(name);
    let zubi = Zubi::start(&project, components).await;
    let mut transcript = String::new();
    for (tool, arguments) in questions {
        // A busy machine may need this time to read a whole project.
        let mut arguments_with_wait = arguments.clone();
        arguments_with_wait["waitMs"] = json!(150_000);
        let answer = zubi.call_stable(tool, arguments_with_wait).await;
        let lines: Vec<&str> = answer.lines().collect();
        let (status, body) = lines.split_last().expect("an answer has a status line");
        let excerpt = format!("{}\n", body.get(..body.len().min(5)).unwrap_or_default().join("\n"));
        let more = if body.len() > 5 { "…\n" } else { "" };
        transcript.extend([format!("> {tool} {arguments}\n"), excerpt, more.to_owned(), format!("{status}\n\n")]);
    }
    transcript.trim_end().to_owned()
}

#[tokio::test]
async fn python() {
    let transcript = check(
        "rich",
        &["node", "pyright"],
        vec![
            ("lsp_references", json!({ "symbol": "Console", "path": "rich/console.py", "limit": 2 })),
            ("lsp_references", json!({ "symbol": "Console/print", "limit": 2 })),
            ("lsp_definition", json!({ "at": "rich/align.py:4 Constrain" })),
            ("lsp_definition", json!({ "symbol": "Segment", "path": "rich/segment.py" })),
            ("lsp_hover", json!({ "symbol": "cell_len" })),
            ("lsp_document_symbols", json!({ "path": "rich/align.py", "depth": 1 })),
            ("lsp_workspace_symbols", json!({ "query": "ConsoleOptions", "kind": "class" })),
            ("lsp_diagnostics", json!({ "path": "rich/align.py" })),
            ("lsp_rename_symbol", json!({ "symbol": "Measurement/with_minimum", "newName": "at_least" })),
            ("lsp_signature_help", json!({ "at": "rich/align.py:270 self.renderable," })),
        ],
    )
    .await;
    assert_snapshot!(transcript, @r#"
    > lsp_references {"symbol":"Console","path":"rich/console.py","limit":2}
    at rich/console.py:580:7 Console (class)
    216 references to `Console` in 46 files
    rich/__init__.py
      11:26  from .console import Console
      14:21  _console: Optional["Console"] = None
    …
    [pyright · ready · may be incomplete: `Console` also occurs in rich/_win32_console.py (2: the server does not resolve its import)]

    > lsp_references {"symbol":"Console/print","limit":2}
    at rich/console.py:1651:9 print (method)
    118 references to `print` in 38 files
    rich/__init__.py
      74:26  return write_console.print(*objects, sep=sep, end=end)
      173:14  _console.print(_inspect)
    …
    [pyright · ready · may be incomplete: `print` also occurs in rich/_win32_console.py (21: the server does not resolve its import) · `print` is also in strings that may look it up: rich/__init__.py:8]

    > lsp_definition {"at":"rich/align.py:4 Constrain"}
    at rich/align.py:4:24 Constrain
    1 definition of `Constrain`
    rich/constrain.py
      10:7  class Constrain(JupyterMixin):
    [pyright · ready]

    > lsp_definition {"symbol":"Segment","path":"rich/segment.py"}
    at rich/segment.py:61:7 Segment (class)
    1 definition of `Segment`
    rich/segment.py
      61:7  class Segment(NamedTuple):
    [pyright · ready]

    > lsp_hover {"symbol":"cell_len"}
    at rich/cells.py:98:5 cell_len (function); also `Text/cell_len`
    ```python
    (function) def cell_len(
        text: str,
        unicode_version: str = "auto"
    …
    [pyright · ready]

    > lsp_document_symbols {"path":"rich/align.py","depth":1}
    7 symbols in `rich/align.py`
      variable AlignMethod  13  AlignMethod = Literal["left", "center", "right"]
      variable VerticalAlignMethod  14  VerticalAlignMethod = Literal["top", "middle", "bottom"]
      class Align  17-239  class Align(JupyterMixin):
      class VerticalCenter  242-296  class VerticalCenter(JupyterMixin):
    …
    [pyright · ready]

    > lsp_workspace_symbols {"query":"ConsoleOptions","kind":"class"}
    1 symbol matching `ConsoleOptions`
      class ConsoleOptions  rich/console.py:112:7
    [pyright · ready]

    > lsp_diagnostics {"path":"rich/align.py"}
    no errors or warnings in `rich/align.py`; snapshot d-1
    3 hints: severity=hint
    [pyright · ready · no virtual environment: packages of the system's Python]

    > lsp_rename_symbol {"symbol":"Measurement/with_minimum","newName":"at_least"}
    at rich/measure.py:46:9 with_minimum (method)
    plan p-[plan]: rename `with_minimum` to `at_least`, 2 edits in 1 file; nothing is written yet
    diff --git a/rich/measure.py b/rich/measure.py
    --- a/rich/measure.py
    +++ b/rich/measure.py
    …
    [pyright · ready]

    > lsp_signature_help {"at":"rich/align.py:270 self.renderable,"}
    at rich/align.py:270:29
    1 signature
      (renderable: RenderableType, options: ConsoleOptions | None = None, *, style: Style | None = None, pad: bool = True, new_lines: bool = False) -> List[List[Segment]]
        parameter: options: ConsoleOptions | None = None (options (Optional[ConsoleOptions], optional): Console options, or None to use self.options. Default to ``None``.)
        Render objects in to a list of lines.
    …
    [pyright · ready]
    "#);
}

#[tokio::test]
async fn cpp() {
    let transcript = check(
        "leveldb",
        &["clangd", "cxx"],
        vec![
            ("lsp_references", json!({ "symbol": "Slice", "path": "include/leveldb/slice.h", "limit": 2 })),
            ("lsp_references", json!({ "symbol": "Status::IsNotFound", "limit": 2 })),
            ("lsp_definition", json!({ "symbol": "DBImpl::Get" })),
            ("lsp_definition", json!({ "symbol": "VersionSet::LogAndApply" })),
            ("lsp_hover", json!({ "symbol": "WriteBatch::Put" })),
            ("lsp_document_symbols", json!({ "path": "db/snapshot.h", "depth": 2 })),
            ("lsp_workspace_symbols", json!({ "query": "SkipList", "kind": "class" })),
            ("lsp_diagnostics", json!({ "path": "util/arena.cc" })),
            ("lsp_rename_symbol", json!({ "symbol": "Arena::MemoryUsage", "newName": "BytesUsed" })),
            ("lsp_completion", json!({ "at": "util/arena.cc:40:10", "limit": 3 })),
        ],
    )
    .await;
    assert_snapshot!(transcript, @r#"
    > lsp_references {"symbol":"Slice","path":"include/leveldb/slice.h","limit":2}
    at include/leveldb/slice.h:28:22 Slice (class); also `leveldb/Slice/Slice`
    498 references to `Slice` in 65 files
    db/builder.cc
      34:7  Slice key = iter->key();
    db/c.cc
    …
    [clangd · ready · may be incomplete: `Slice` also occurs in db/db_bench.cc (7: conditional `#if defined(__linux)`) · 33 of 77 source files are not in compile_commands.json and not read]

    > lsp_references {"symbol":"Status::IsNotFound","limit":2}
    at include/leveldb/status.h:60:8 IsNotFound (method)
    3 references to `IsNotFound` in 3 files
    db/c.cc
      208:12  if (!s.IsNotFound()) {
    db/version_set.cc
    …
    [clangd · ready · may be incomplete: 33 of 77 source files are not in compile_commands.json and not read]

    > lsp_definition {"symbol":"DBImpl::Get"}
    at db/db_impl.cc:1100:16 Get (method)
    1 definition of `Get`
    db/db_impl.cc
      1100:16  Status DBImpl::Get(const ReadOptions& options, const Slice& key,
    db/db_impl.h
    …
    [clangd · ready]

    > lsp_definition {"symbol":"VersionSet::LogAndApply"}
    at db/version_set.cc:801:20 LogAndApply (method)
    1 definition of `LogAndApply`
    db/version_set.cc
      801:20  Status VersionSet::LogAndApply(VersionEdit* edit, port::Mutex* mu) {
    db/version_set.h
    …
    [clangd · ready]

    > lsp_hover {"symbol":"WriteBatch::Put"}
    at include/leveldb/write_batch.h:51:8 Put (method)
    ```cpp
    // In WriteBatch
    public: void Put(const Slice& key, const Slice& value)
    ```
    …
    [clangd · ready · 33 of 77 source files are not in compile_commands.json and not read]

    > lsp_document_symbols {"path":"db/snapshot.h","depth":2}
    4 symbols in `db/snapshot.h`
      namespace leveldb  11-93
        class SnapshotList class  13
        class SnapshotImpl class  17-37
        class SnapshotList class  39-91
    [clangd · ready]

    > lsp_workspace_symbols {"query":"SkipList","kind":"class"}
    1 symbol matching `SkipList`
      class SkipList  db/skiplist.h:42:7  in leveldb
    [clangd · ready · may be incomplete: 33 of 77 source files are not in compile_commands.json and not read]

    > lsp_diagnostics {"path":"util/arena.cc"}
    no problems in `util/arena.cc`; snapshot d-1
    [clangd · ready · 33 of 77 source files are not in compile_commands.json and not read]

    > lsp_rename_symbol {"symbol":"Arena::MemoryUsage","newName":"BytesUsed"}
    at util/arena.h:33:10 MemoryUsage (method)
    plan p-[plan]: rename `MemoryUsage` to `BytesUsed`, 2 edits in 2 files; nothing is written yet
    note: uses may be left: `lsp_references` with includeText=true lists them
    diff --git a/db/memtable.cc b/db/memtable.cc
    --- a/db/memtable.cc
    …
    [clangd · ready · may be incomplete: 33 of 77 source files are not in compile_commands.json and not read · zubi did not check 2 other matches of `MemoryUsage` in code: util/arena_test.cc:48, util/arena_test.cc:50]

    > lsp_completion {"at":"util/arena.cc:40:10","limit":3}
    at util/arena.cc:40:10
    3 completions
      static_assert(expression, message); (snippet)
      static_cast<type>(expression) (snippet)
      •std::static_pointer_cast(…) (function)  [2 overloads]
    [clangd · ready · may be incomplete: 33 of 77 source files are not in compile_commands.json and not read]
    "#);
}

#[tokio::test]
async fn rust() {
    let transcript = check(
        "clap_builder",
        &["rust-analyzer"],
        vec![
            ("lsp_references", json!({ "symbol": "ArgGroup", "path": "src/builder/arg_group.rs", "limit": 2 })),
            ("lsp_references", json!({ "symbol": "Command/get_name", "limit": 2 })),
            ("lsp_definition", json!({ "symbol": "ArgMatcher", "path": "src/parser/arg_matcher.rs" })),
            ("lsp_definition", json!({ "at": "src/builder/arg_group.rs:2 IntoResettable" })),
            ("lsp_hover", json!({ "symbol": "ArgGroup/is_multiple" })),
            ("lsp_document_symbols", json!({ "path": "src/util/id.rs", "depth": 1 })),
            ("lsp_workspace_symbols", json!({ "query": "ValueParser", "kind": "struct" })),
            ("lsp_diagnostics", json!({ "path": "src/util/id.rs" })),
            ("lsp_rename_symbol", json!({ "symbol": "ArgGroup/is_required_set", "newName": "is_required" })),
            ("lsp_format_document", json!({ "path": "src/util/id.rs" })),
        ],
    )
    .await;
    assert_snapshot!(transcript, @r#"
    > lsp_references {"symbol":"ArgGroup","path":"src/builder/arg_group.rs","limit":2}
    at src/builder/arg_group.rs:68:12 ArgGroup (struct)
    41 references to `ArgGroup` in 5 files
    src/builder/arg_group.rs
      68:12  pub struct ArgGroup {  (declaration)
      78:6  impl ArgGroup {
    …
    [rust-analyzer · ready · default cargo features only]

    > lsp_references {"symbol":"Command/get_name","limit":2}
    at src/builder/command.rs:3756:12 get_name (method)
    62 references to `get_name` in 6 files
    src/builder/command.rs
      3746:57  self.bin_name.as_deref().unwrap_or_else(|| self.get_name())
      3756:12  pub fn get_name(&self) -> &str {  (declaration)
    …
    [rust-analyzer · ready · may be incomplete: `get_name` also occurs in src/builder/command.rs (4: the server does not resolve it in the arguments of `debug!`), src/builder/debug_asserts.rs (1: `cfg(feature = "unstable-v5")`; 1: in the body of `checker!`), src/output/help_template.rs (1: the server does not resolve it in the arguments of `debug!`), src/parser/parser.rs (1: the server does not resolve it in the arguments of `debug!`) · default cargo features only]

    > lsp_definition {"symbol":"ArgMatcher","path":"src/parser/arg_matcher.rs"}
    at src/parser/arg_matcher.rs:17:19 ArgMatcher (struct)
    1 definition of `ArgMatcher`
    src/parser/arg_matcher.rs
      17:19  pub(crate) struct ArgMatcher {
    [rust-analyzer · ready · default cargo features only]

    > lsp_definition {"at":"src/builder/arg_group.rs:2 IntoResettable"}
    at src/builder/arg_group.rs:2:21 IntoResettable
    1 definition of `IntoResettable`
    src/builder/resettable.rs
      65:11  pub trait IntoResettable<T> {
    [rust-analyzer · ready · default cargo features only]

    > lsp_hover {"symbol":"ArgGroup/is_multiple"}
    at src/builder/arg_group.rs:263:12 is_multiple (method)
    ```rust
    clap_builder::builder::arg_group::ArgGroup
    ```

    …
    [rust-analyzer · ready · default cargo features only]

    > lsp_document_symbols {"path":"src/util/id.rs","depth":1}
    25 symbols in `src/util/id.rs`
      struct Id  11  pub struct Id(Str);
      object impl Id  13-30
      object impl From<&'_ Self> for Id  32-36
      object impl From<Str> for Id  38-42
    …
    [rust-analyzer · ready · default cargo features only]

    > lsp_workspace_symbols {"query":"ValueParser","kind":"struct"}
    34 symbols matching `ValueParser`
      struct ValueParser  src/builder/mod.rs:63:23  pub use value_parser::ValueParser;
      struct ValueParser  src/builder/value_parser.rs:63:12  pub struct ValueParser(ValueParserInner);
      struct MapValueParser  src/builder/mod.rs:52:23  pub use value_parser::MapValueParser;
      struct MapValueParser  src/builder/value_parser.rs:2014:12  pub struct MapValueParser<P, F> {
    …
    [rust-analyzer · ready · default cargo features only]

    > lsp_diagnostics {"path":"src/util/id.rs"}
    no errors or warnings in `src/util/id.rs`; snapshot d-1
    5 hints: severity=hint
    [rust-analyzer · ready · default cargo features only]

    > lsp_rename_symbol {"symbol":"ArgGroup/is_required_set","newName":"is_required"}
    at src/builder/arg_group.rs:526:12 is_required_set (method)
    plan p-[plan]: rename `is_required_set` to `is_required`, 1 edit in 1 file; nothing is written yet
    diff --git a/src/builder/arg_group.rs b/src/builder/arg_group.rs
    --- a/src/builder/arg_group.rs
    +++ b/src/builder/arg_group.rs
    …
    [rust-analyzer · ready · default cargo features only]

    > lsp_format_document {"path":"src/util/id.rs"}
    `src/util/id.rs` is already formatted; nothing to change
    [rust-analyzer · ready · default cargo features only]
    "#);
}

#[tokio::test]
async fn typescript() {
    let transcript = check(
        "rxjs",
        &["typescript"],
        vec![
            ("lsp_references", json!({ "symbol": "Subscriber", "path": "src/internal/Subscriber.ts", "limit": 2 })),
            ("lsp_references", json!({ "symbol": "operate", "limit": 2 })),
            ("lsp_definition", json!({ "symbol": "Observable/lift", "path": "src/internal/Observable.ts" })),
            ("lsp_definition", json!({ "at": "src/internal/operators/map.ts:2 operate" })),
            ("lsp_hover", json!({ "symbol": "isFunction" })),
            ("lsp_document_symbols", json!({ "path": "src/internal/Subject.ts", "depth": 1 })),
            ("lsp_workspace_symbols", json!({ "query": "BehaviorSubject", "kind": "class" })),
            ("lsp_diagnostics", json!({ "path": "src/internal/Subject.ts" })),
            ("lsp_rename_symbol", json!({ "symbol": "hasLift", "newName": "canLift" })),
            ("lsp_definition", json!({ "at": "src/internal/Subject.ts:1 Operator" })),
        ],
    )
    .await;
    assert_snapshot!(transcript, @r#"
    > lsp_references {"symbol":"Subscriber","path":"src/internal/Subscriber.ts","limit":2}
    at src/internal/Subscriber.ts:19:14 Subscriber (class)
    84 references to `Subscriber` in 30 files
    src/index.ts
      39:10  export { Subscriber } from './internal/Subscriber';
    src/internal/AsyncSubject.ts
    …
    [typescript · ready]

    > lsp_references {"symbol":"operate","limit":2}
    at src/internal/util/lift.ts:17:17 operate (function)
    139 references to `operate` in 70 files
    src/internal/operators/audit.ts
      4:10  import { operate } from '../util/lift';
      54:10  return operate((source, subscriber) => {
    …
    [typescript · ready]

    > lsp_definition {"symbol":"Observable/lift","path":"src/internal/Observable.ts"}
    at src/internal/Observable.ts:60:3 lift (method)
    1 definition of `lift`
    src/internal/Observable.ts
      60:3  lift<R>(operator?: Operator<T, R>): Observable<R> {
    [typescript · ready]

    > lsp_definition {"at":"src/internal/operators/map.ts:2 operate"}
    at src/internal/operators/map.ts:2:10 operate
    1 definition of `operate`
    src/internal/util/lift.ts
      17:17  export function operate<T, R>(
    [typescript · ready]

    > lsp_hover {"symbol":"isFunction"}
    at src/internal/util/isFunction.ts:5:17 isFunction (function)
    ```typescript
    function isFunction(value: any): value is (...args: any[]) => any
    ```
    Returns true if the object is a function.
    …
    [typescript · ready]

    > lsp_document_symbols {"path":"src/internal/Subject.ts","depth":1}
    2 symbols in `src/internal/Subject.ts`
      class Subject  17-157  export class Subject<T> extends Observable<T> implements SubscriptionLike {
      class AnonymousSubject  159-185  export class AnonymousSubject<T> extends Subject<T> {
    11 imports: locals=true
    [typescript · ready]

    > lsp_workspace_symbols {"query":"BehaviorSubject","kind":"class"}
    1 symbol matching `BehaviorSubject`
      class BehaviorSubject  src/internal/BehaviorSubject.ts:9:14  export class BehaviorSubject<T> extends Subject<T> {
    [typescript · ready]

    > lsp_diagnostics {"path":"src/internal/Subject.ts"}
    no errors or warnings in `src/internal/Subject.ts`; snapshot d-1
    28 hints: severity=hint
    [typescript · ready]

    > lsp_rename_symbol {"symbol":"hasLift","newName":"canLift"}
    at src/internal/util/lift.ts:9:17 hasLift (function)
    plan p-[plan]: rename `hasLift` to `canLift`, 4 edits in 2 files; nothing is written yet
    diff --git a/src/internal/observable/ConnectableObservable.ts b/src/internal/observable/ConnectableObservable.ts
    --- a/src/internal/observable/ConnectableObservable.ts
    +++ b/src/internal/observable/ConnectableObservable.ts
    …
    [typescript · ready]

    > lsp_definition {"at":"src/internal/Subject.ts:1 Operator"}
    at src/internal/Subject.ts:1:10 Operator
    1 definition of `Operator`
    src/internal/Operator.ts
      7:18  export interface Operator<T, R> {
    [typescript · ready]
    "#);
}

#[tokio::test]
async fn go() {
    let transcript = check(
        "x-tools",
        &["go", "gopls"],
        vec![
            ("lsp_references", json!({ "symbol": "Pass", "path": "go/analysis/analysis.go", "limit": 2 })),
            ("lsp_references", json!({ "symbol": "Analyzer", "path": "go/analysis/analysis.go", "limit": 2 })),
            ("lsp_definition", json!({ "symbol": "Inspector", "path": "go/ast/inspector/inspector.go" })),
            ("lsp_definition", json!({ "at": "go/ast/inspector/iter.go:28 maskOf" })),
            ("lsp_hover", json!({ "symbol": "Validate", "path": "go/analysis/validate.go" })),
            ("lsp_document_symbols", json!({ "path": "go/analysis/diagnostic.go", "depth": 1 })),
            ("lsp_workspace_symbols", json!({ "query": "AnalysisFlags", "kind": "function" })),
            ("lsp_diagnostics", json!({ "path": "go/analysis/validate.go" })),
            (
                "lsp_rename_symbol",
                json!({ "symbol": "TextEdit", "path": "go/analysis/diagnostic.go", "newName": "Edit" }),
            ),
            ("lsp_format_document", json!({ "path": "go/analysis/validate.go" })),
        ],
    )
    .await;
    assert_snapshot!(transcript, @r#"
    > lsp_references {"symbol":"Pass","path":"go/analysis/analysis.go","limit":2}
    at go/analysis/analysis.go:90:6 Pass (struct)
    104 references to `Pass` in 40 files
    go/analysis/analysis.go
      48:12  Run func(*Pass) (interface{}, error)
      90:6  type Pass struct {  (declaration)
    …
    [gopls · ready]

    > lsp_references {"symbol":"Analyzer","path":"go/analysis/analysis.go","limit":2}
    at go/analysis/analysis.go:17:6 Analyzer (struct); also `Pass/Analyzer`
    99 references to `Analyzer` in 41 files
    go/analysis/analysis.go
      17:6  type Analyzer struct {  (declaration)
      63:14  Requires []*Analyzer
    …
    [gopls · ready]

    > lsp_definition {"symbol":"Inspector","path":"go/ast/inspector/inspector.go"}
    at go/ast/inspector/inspector.go:43:6 Inspector (struct)
    1 definition of `Inspector`
    go/ast/inspector/inspector.go
      43:6  type Inspector struct {
    [gopls · ready]

    > lsp_definition {"at":"go/ast/inspector/iter.go:28 maskOf"}
    at go/ast/inspector/iter.go:28:11 maskOf
    1 definition of `maskOf`
    go/ast/inspector/typeof.go
      218:6  func maskOf(nodes []ast.Node) uint64 {
    [gopls · ready]

    > lsp_hover {"symbol":"Validate","path":"go/analysis/validate.go"}
    at go/analysis/validate.go:24:6 Validate (function)
    ```go
    func Validate(analyzers []*Analyzer) error
    ```

    …
    [gopls · ready]

    > lsp_document_symbols {"path":"go/analysis/diagnostic.go","depth":1}
    4 symbols in `go/analysis/diagnostic.go`
      struct Diagnostic struct{...}  18-52
      struct RelatedInformation struct{...}  58-62
      struct SuggestedFix struct{...}  69-76
      struct TextEdit struct{...}  80-85
    [gopls · ready]

    > lsp_workspace_symbols {"query":"AnalysisFlags","kind":"function"}
    8 symbols matching `AnalysisFlags`
      function analysisflags.Help  go/analysis/internal/analysisflags/help.go:29:6  in golang.org/x/tools/go/analysis/internal/analysisflags  func Help(progname string, analyzers []*analysis.Analyzer, args []string) {
      function analysisflags.Parse  go/analysis/internal/analysisflags/flags.go:43:6  in golang.org/x/tools/go/analysis/internal/analysisflags  func Parse(analyzers []*analysis.Analyzer, multi bool) []*analysis.Analyzer {
      function analysisflags.expand  go/analysis/internal/analysisflags/flags.go:146:6  in golang.org/x/tools/go/analysis/internal/analysisflags  func expand(analyzers []*analysis.Analyzer) map[*analysis.Analyzer]bool {
      function analysisflags.PrintPlain  go/analysis/internal/analysisflags/flags.go:329:6  in golang.org/x/tools/go/analysis/internal/analysisflags  func PrintPlain(out io.Writer, fset *token.FileSet, contextLines int, diag analy…
    …
    [gopls · ready]

    > lsp_diagnostics {"path":"go/analysis/validate.go"}
    no problems in `go/analysis/validate.go`; snapshot d-1
    [gopls · ready]

    > lsp_rename_symbol {"symbol":"TextEdit","path":"go/analysis/diagnostic.go","newName":"Edit"}
    at go/analysis/diagnostic.go:80:6 TextEdit (struct)
    plan p-[plan]: rename `TextEdit` to `Edit`, 18 edits in 9 files; nothing is written yet
    note: 1 mention of `TextEdit` in comments, strings and documents (1 file) will stay: includeText=true
    go/analysis/: diagnostic.go 4
    go/analysis/passes/assign/: assign.go 1
    …
    [gopls · ready]

    > lsp_format_document {"path":"go/analysis/validate.go"}
    `go/analysis/validate.go` is already formatted; nothing to change
    [gopls · ready]
    "#);
}
