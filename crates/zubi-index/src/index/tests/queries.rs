//! Queries.

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
    Fixture::built(FILES).await.search(query).await
}

#[tokio::test]
async fn names_and_their_parts() {
    insta::assert_snapshot!(check("limit").await, @"");
    insta::assert_snapshot!(check("RequestParams").await, @"");
    insta::assert_snapshot!(check("ReqPar").await, @"");
    insta::assert_snapshot!(check("params").await, @"");
    insta::assert_snapshot!(check("RequestPrams").await, @"");
    insta::assert_snapshot!(check("Run").await, @"");
    insta::assert_snapshot!(check("unknown").await, @"");
    insta::assert_snapshot!(check(" ").await, @"");
}

#[tokio::test]
async fn name_paths() {
    insta::assert_snapshot!(check("RequestParams/limit").await, @"");
    insta::assert_snapshot!(check("Params.lim").await, @"");
    insta::assert_snapshot!(check("Server/Run").await, @"");
    insta::assert_snapshot!(check("request_params::Params").await, @"");
    insta::assert_snapshot!(check("Other/limit").await, @"");
}

#[tokio::test]
async fn filters() {
    let fixture = Fixture::built(FILES).await;
    let search = async |kinds: &[&str], language: Option<&str>, path: Option<&str>, limit| {
        let query = SymbolQuery {
            text: "limit".to_owned(),
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            language: language.map(str::to_owned),
            path: path.map(|path| fixture.root.join(path)),
        };
        fixture.render(&fixture.index.search(&query, limit).await.unwrap())
    };
    insta::assert_snapshot!(search(&["method", "field"], None, None, 9).await, @"");
    insta::assert_snapshot!(search(&[], Some("python"), None, 9).await, @"");
    insta::assert_snapshot!(search(&[], None, Some("src"), 9).await, @"");
    insta::assert_snapshot!(search(&[], None, Some("app/request_params.py"), 1).await, @"");
    insta::assert_snapshot!(search(&[], None, Some("ap"), 9).await, @"");
    insta::assert_snapshot!(search(&["no such kind"], None, None, 9).await, @"");
    insta::assert_snapshot!(search(&[], None, Some("/elsewhere"), 9).await, @"");
}

#[tokio::test]
async fn exact_declarations_and_outlines() {
    let fixture = Fixture::built(FILES).await;
    let declarations = async |name| fixture.render(&fixture.index.declarations(name, 9).await.unwrap());
    insta::assert_snapshot!(declarations("limit").await, @"");
    insta::assert_snapshot!(declarations("LIMIT").await, @"");
    insta::assert_snapshot!(declarations("Params/limit").await, @"");
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
    let fixture = Fixture::built(FILES).await;
    insta::assert_snapshot!(fixture.files_with("limit").await, @"");
    insta::assert_snapshot!(fixture.files_with("RequestParams").await, @"");
    insta::assert_snapshot!(fixture.files_with("Größe").await, @"");
    insta::assert_snapshot!(fixture.files_with("LIMIT.limit").await, @"");
    insta::assert_snapshot!(fixture.files_with("absent").await, @"");
    insta::assert_snapshot!(fixture.files_with("+").await, @"");
}
