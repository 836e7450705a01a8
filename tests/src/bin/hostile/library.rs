//! A server whose definitions are in virtual documents, as Java's are, and its answers to requests for their text. The
//! correct variant follows LSP 3.18.

use serde_json::{Value, json};

/// A class URI of Eclipse JDT; the part after the question mark is the path of the library on the machine.
const CLASS: &str = "jdt://contents/java.base/java.lang/String.class?=project/%5C/usr%5C/lib%5C/jvm%5C/lib%5C/jrt-fs.jar%60java.base=/javadoc_location=/https:%5C/%5C/docs.oracle.com%5C/=/%3Cjava.lang(String.class";

/// A document whose text is not available.
const ARCHIVE: &str = "jar:///library.jar!/Other.hostile";

const TEXT: &str = "package java.lang;\n\n/** A text. */\npublic final class String {\n    private final byte[] value;\n\n    public int length() {\n        return value.length;\n    }\n}\n";

/// A size in bytes above that of any source file.
const LARGE: usize = 9 << 20;

/// Returns the answer of a server with this fault; `None` if it behaves like every other server.
pub(crate) fn answer(fault: &str, method: &str, reply: &Value) -> Option<Value> {
    let at = |line: u32, from: u32, to: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
    let class = json!({ "uri": CLASS, "range": at(3, 19, 25) });
    Some(match method {
        "initialize" => {
            let mut answer = reply.clone();
            let capabilities = answer.get_mut("capabilities")?.as_object_mut()?;
            capabilities.insert("workspaceSymbolProvider".to_owned(), json!(true));
            if fault != "library-own" {
                capabilities.insert("workspace".to_owned(), json!({ "textDocumentContent": { "schemes": ["jdt"] } }));
            }
            answer
        }
        "textDocument/definition" => json!([class, { "uri": ARCHIVE, "range": at(0, 0, 5) }]),
        "textDocument/references" => json!([class, { "uri": CLASS, "range": at(6, 15, 21) }]),
        "workspace/symbol" => json!([
            { "name": "String", "kind": 5, "location": class },
            { "name": "StringBuilder", "kind": 5, "location": class },
        ]),
        "hostile/contents" => json!(TEXT),
        "workspace/textDocumentContent" => match fault {
            "library-large" => json!({ "text": "x".repeat(LARGE) }),
            "library-wrong" => json!([1]),
            "library-empty" => json!({ "text": "" }),
            _ => json!({ "text": TEXT }),
        },
        _ => return None,
    })
}
