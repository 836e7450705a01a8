//! Locations in virtual documents: shown with the server's text, and never dropped silently.

use insta::assert_snapshot;
use serde_json::json;

use crate::harness::run_calls;

/// A query whose answer is in a library's class, and in an archive that cannot be read.
fn definition(context: u32) -> (&'static str, serde_json::Value) {
    ("lsp_definition", json!({ "at": "a.hostile:1:1", "context": context }))
}

#[tokio::test]
async fn library_text_is_requested_with_the_lsp_method() {
    let references = ("lsp_references", json!({ "at": "a.hostile:1:1" }));
    let symbols = ("lsp_workspace_symbols", json!({ "query": "String" }));
    assert_snapshot!(run_calls("library", "", &[definition(0), definition(1), references, symbols]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  public final class String {
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20
            3  /** A text. */
       >    4  public final class String {
            5      private final byte[] value;
    [hostile · ready]
    ────
    at a.hostile:1:1 alpha
    2 references to `alpha` in 1 file
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  public final class String {  (declaration)
      7:16  public int length() {
    [hostile · ready]
    ────
    0 symbols matching `String`
    [hostile + ty · ready · also in virtual documents: `String` in jdt://contents/java.base/java.lang/String.class and 1 more]
    ");
}

#[tokio::test]
async fn library_text_is_requested_with_the_configured_method() {
    let row = "virtual_documents = { schemes = [\"jdt\"], request = \"hostile/contents\" }";
    assert_snapshot!(run_calls("library-own", row, &[definition(0)]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  public final class String {
    [hostile · ready]
    ");
}

#[tokio::test]
async fn a_library_without_text_is_reported_with_the_reason() {
    // The server does not support this.
    assert_snapshot!(run_calls("library-own", "", &[definition(0)]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  (no text: hostile gives none for `jdt:`)
    [hostile · ready]
    ");
    assert_snapshot!(run_calls("library-empty", "", &[definition(0)]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  (no text: hostile has no source of it)
    [hostile · ready]
    ");
    assert_snapshot!(run_calls("library-wrong", "", &[definition(0)]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  (no text: hostile broke the protocol: its answer to `workspace/textDocumentContent` is not a text)
    [hostile · ready]
    ");
    // The server needs time to send the answer, and zubi to read it.
    let long_timeout = "timeouts = { request_ms = 20000 }";
    assert_snapshot!(run_calls("library-large", long_timeout, &[definition(0)]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  (no text: hostile broke the protocol: the text has 9437184 bytes, more than the 8388608 that are read)
    [hostile · ready]
    ");
    assert_snapshot!(run_calls("library-silent", "", &[definition(0)]).await, @"
    at a.hostile:1:1 alpha
    2 definitions of `alpha`
    jar:///library.jar!/Other.hostile (external)
      1:1  (no text: hostile gives none for `jar:`)
    jdt://contents/java.base/java.lang/String.class (external)
      4:20  (no text: hostile did not answer `workspace/textDocumentContent` within 2 s)
    [hostile · ready]
    ");
}
