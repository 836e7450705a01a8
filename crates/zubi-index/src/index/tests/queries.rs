//! Queries.

use zubi_code::features::symbol_filter::FileCondition;
use zubi_code::symbol_index::{SymbolIndex as _, SymbolQuery};

use super::Fixture;

const FILES: &str = r#"
//- src/request.rs
/// Parameters.
pub struct RequestParams {
    pub limit: usize,
}

impl RequestParams {
    pub fn limit(&self) -> usize {
        self.limit
    }
}

pub const LIMIT: usize = 5;
//- app/request_params.py
LIMIT = 5

class Params:
    def limit(self):
        return LIMIT

def request_params(limit):
    """Größe."""
    return limit
//- server.go
package server

type Server struct{}

func (s *Server) Run(limit int) {}
//- settings.json
{"limit": 5}
//- notes.txt
The limit of RequestParams is limited.
"#;

/// Runs searches on the files above.
async fn check(query: &str) -> String {
    Fixture::with_built_index(FILES).await.search(query).await
}

#[tokio::test]
async fn names_and_their_parts() {
    insta::assert_snapshot!(check("limit").await, @"
    src/request.rs:7 method impl RequestParams/limit (Exact)
    app/request_params.py:4 method Params/limit (Exact)
    src/request.rs:3 field RequestParams/limit (Exact)
    settings.json:1 key limit (Exact)
    src/request.rs:12 constant LIMIT (OtherCase)
    app/request_params.py:1 variable LIMIT (OtherCase)
    ");
    insta::assert_snapshot!(check("RequestParams").await, @"
    src/request.rs:2 struct RequestParams (Exact)
    src/request.rs:6 object impl RequestParams (Exact)
    app/request_params.py:7 function request_params (Humps)
    ");
    insta::assert_snapshot!(check("ReqPar").await, @"
    src/request.rs:2 struct RequestParams (Humps)
    app/request_params.py:7 function request_params (Humps)
    src/request.rs:6 object impl RequestParams (Humps)
    ");
    insta::assert_snapshot!(check("params").await, @"
    app/request_params.py:3 class Params (OtherCase)
    src/request.rs:2 struct RequestParams (Substring)
    app/request_params.py:7 function request_params (Substring)
    src/request.rs:6 object impl RequestParams (Substring)
    ");
    insta::assert_snapshot!(check("RequestPrams").await, @"
    src/request.rs:2 struct RequestParams (Typo)
    src/request.rs:6 object impl RequestParams (Typo)
    ");
    insta::assert_snapshot!(check("Run").await, @"server.go:5 method (*Server).Run (Exact)");
    insta::assert_snapshot!(check("unknown").await, @"");
    insta::assert_snapshot!(check(" ").await, @"");
}

#[tokio::test]
async fn name_paths() {
    insta::assert_snapshot!(check("RequestParams/limit").await, @"
    src/request.rs:7 method impl RequestParams/limit (Exact)
    src/request.rs:3 field RequestParams/limit (Exact)
    ");
    insta::assert_snapshot!(check("Params.lim").await, @"app/request_params.py:4 method Params/limit (Prefix)");
    insta::assert_snapshot!(check("Server/Run").await, @"server.go:5 method (*Server).Run (Exact)");
    insta::assert_snapshot!(check("request_params::Params").await, @"
    app/request_params.py:3 class Params (Exact)
    app/request_params.py:7 function request_params (Substring)
    ");
    insta::assert_snapshot!(check("Other/limit").await, @"");
}

#[tokio::test]
async fn filters() {
    let fixture = Fixture::with_built_index(FILES).await;
    let search = async |kinds: &[&str], language: Option<&str>, path: Option<&str>, limit| {
        let query = SymbolQuery {
            text: "limit".to_owned(),
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            language: language.map(str::to_owned),
            path: path.map(|path| fixture.root.join(path)),
            files: FileCondition::default(),
        };
        fixture.render(&fixture.index.search(&query, limit).await.unwrap())
    };
    insta::assert_snapshot!(search(&["method", "field"], None, None, 9).await, @"
    src/request.rs:7 method impl RequestParams/limit (Exact)
    app/request_params.py:4 method Params/limit (Exact)
    src/request.rs:3 field RequestParams/limit (Exact)
    ");
    insta::assert_snapshot!(search(&[], Some("python"), None, 9).await, @"
    app/request_params.py:4 method Params/limit (Exact)
    app/request_params.py:1 variable LIMIT (OtherCase)
    ");
    insta::assert_snapshot!(search(&[], None, Some("src"), 9).await, @"
    src/request.rs:7 method impl RequestParams/limit (Exact)
    src/request.rs:3 field RequestParams/limit (Exact)
    src/request.rs:12 constant LIMIT (OtherCase)
    ");
    insta::assert_snapshot!(search(&[], None, Some("app/request_params.py"), 1).await, @"
    app/request_params.py:4 method Params/limit (Exact)
    more
    ");
    insta::assert_snapshot!(search(&[], None, Some("ap"), 9).await, @"");
    insta::assert_snapshot!(search(&["no such kind"], None, None, 9).await, @"");
    insta::assert_snapshot!(search(&[], None, Some("/elsewhere"), 9).await, @"");
}

#[tokio::test]
async fn exact_declarations_and_outlines() {
    let fixture = Fixture::with_built_index(FILES).await;
    let declarations = async |name| fixture.render(&fixture.index.declarations(name, 9).await.unwrap());
    insta::assert_snapshot!(declarations("limit").await, @"
    src/request.rs:7 method impl RequestParams/limit (Exact)
    app/request_params.py:4 method Params/limit (Exact)
    src/request.rs:3 field RequestParams/limit (Exact)
    settings.json:1 key limit (Exact)
    ");
    insta::assert_snapshot!(declarations("LIMIT").await, @"
    src/request.rs:12 constant LIMIT (Exact)
    app/request_params.py:1 variable LIMIT (Exact)
    ");
    insta::assert_snapshot!(declarations("Params/limit").await, @"app/request_params.py:4 method Params/limit (Exact)");
    insta::assert_snapshot!(declarations("lim").await, @"");
    for path in ["src/request.rs", "app/request_params.py", "server.go", "settings.json"] {
        let path = fixture.root.join(path);
        let text = zubi_base::fs::read_text(&path).unwrap();
        let parsed = zubi_syntax::outline_of_file(path.file_name().unwrap(), &text, &|| false).unwrap().unwrap();
        assert_eq!(fixture.index.outline(&path).await.unwrap().unwrap().outline, parsed);
    }
    assert_eq!(fixture.index.outline(&fixture.root.join("notes.txt")).await.unwrap(), None);
}

#[tokio::test]
async fn files_that_contain_words() {
    let fixture = Fixture::with_built_index(FILES).await;
    insta::assert_snapshot!(fixture.files_with("limit").await, @"app/request_params.py notes.txt server.go settings.json src/request.rs");
    insta::assert_snapshot!(fixture.files_with("RequestParams").await, @"notes.txt src/request.rs");
    insta::assert_snapshot!(fixture.files_with("Größe").await, @"app/request_params.py");
    insta::assert_snapshot!(fixture.files_with("LIMIT.limit").await, @"app/request_params.py src/request.rs");
    insta::assert_snapshot!(fixture.files_with("absent").await, @"");
    insta::assert_snapshot!(fixture.files_with("+").await, @"unknown");
}

#[tokio::test]
async fn notebooks_are_indexed_by_their_cells() {
    let image = "A".repeat(300_000);
    let notebook = format!(
        r#"{{"cells":[{{"cell_type":"code","outputs":[{{"data":{{"image/png":"{image}"}}}}],"source":["class Shape:\n","  def area(self): pass"]}}]}}"#
    );
    let fixture = Fixture::new("//- broken.ipynb\n{\n");
    fixture.write("explore.ipynb", &notebook);
    fixture.build().await;
    insta::assert_snapshot!(fixture.search("area").await, @"explore.ipynb:1 method Shape/area (Exact)");
    assert_eq!(fixture.state().omitted.failed, 1);
}

#[tokio::test]
async fn hits_satisfy_the_condition_of_the_query() {
    let fixture = Fixture::with_built_index("//- a/one.py\ndef area(): pass\n//- b/two.py\ndef area(): pass\n").await;
    let files = FileCondition::new(|path| path.as_str().ends_with("two.py"));
    let query = SymbolQuery { text: "area".to_owned(), files, ..SymbolQuery::default() };
    let hits = fixture.index.search(&query, 9).await.unwrap();
    insta::assert_snapshot!(fixture.render(&hits), @"b/two.py:1 function area (Exact)");
}
