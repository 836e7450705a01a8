//! Tests of `text`.

use proptest::prelude::*;

use super::*;

fn directory() -> (tempfile::TempDir, Utf8PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(guard.path().to_owned()).unwrap();
    (guard, path)
}

#[test]
fn byte_order_mark_is_stripped_and_preserved() {
    let (_guard, root) = directory();
    let path = root.join("a.txt");
    for (bytes, text, bom) in
        [("\u{feff}x\r\ny", "x\r\ny", true), ("x\n", "x\n", false), ("", "", false), ("\u{feff}", "", true)]
    {
        fs::write_atomic(&path, bytes.as_bytes()).unwrap();
        let read = DiskText::read_now(&path).unwrap();
        assert_eq!((&*read.text, read.bom, &read.origin), (text, bom, &TextOrigin::Disk));
        assert_eq!(read.bytes(), bytes.as_bytes());
        assert_eq!(read.hash(), ContentHash::from_bytes(bytes.as_bytes()), "the hash is of the exact bytes");
    }
}

#[test]
fn the_hash_is_sha_256_in_lower_case() {
    // The test vector for "abc" of FIPS 180-2, appendix B.1.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(ContentHash::from_bytes(b"abc").0, abc);
    assert_eq!(ContentHash::from_parts(&[b"a", b"", b"bc"]).0, abc);
}

#[test]
fn non_text_files_are_refused_with_their_path() {
    let (_guard, root) = directory();
    let path = root.join("a.bin");
    for bytes in [&b"a\0b"[..], b"\xff\xfe"] {
        fs::write_atomic(&path, bytes).unwrap();
        let error = DiskText::read_now(&path).unwrap_err();
        assert_eq!(error.to_string(), format!("`{path}` is not UTF-8 text"));
    }
}

proptest! {
    #[test]
    fn operations_survive_json(content: Vec<u8>, path in "/[a-zé]{1,8}") {
        let operation = FileOperation::Write {
            path: path.into(),
            before: Some(ContentHash::from_bytes(&content)),
            content,
        };
        let json = serde_json::to_string(&operation).unwrap();
        prop_assert_eq!(serde_json::from_str::<FileOperation>(&json).unwrap(), operation);
    }
}

#[test]
fn text_serializes_readably_and_bad_hexadecimal_is_refused() {
    let operation = FileOperation::Write { path: "/a".into(), before: None, content: b"hi\n".to_vec() };
    let json = serde_json::to_string(&operation).unwrap();
    assert_eq!(json, r#"{"operation":"write","path":"/a","before":null,"content":"hi\n"}"#);
    for hex in ["f", "zz", "é"] {
        let json = format!(r#"{{"operation":"write","path":"/a","before":null,"content":{{"hex":"{hex}"}}}}"#);
        assert!(serde_json::from_str::<FileOperation>(&json).is_err(), "{hex}");
    }
}
