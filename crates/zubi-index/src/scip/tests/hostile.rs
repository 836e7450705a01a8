//! Hostile files: no panic, no memory without bound, and a report or an error.

use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::notation::{field, index, metadata, number, occurrence};
use super::{Folder, import};
use crate::scip::document::{ScipDocument, ScipTool};
use crate::scip::wire::{StreamField, WireError, WireFields, WireStream, WireValue, put_number, take_number};
use crate::scip::{ScipLimits, check_bytes};

#[test]
fn the_corpus_of_the_fuzz_target_is_read_without_a_panic() {
    super::replay::replay("scip_reader", |bytes| {
        check_bytes(bytes, &ScipLimits::default());
    });
}

#[test]
fn numbers_of_any_size() {
    for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
        let mut bytes = Vec::new();
        put_number(&mut bytes, value);
        assert_eq!(take_number(&mut bytes.as_slice()), Ok(value));
        assert_eq!(take_number(&mut &bytes[..bytes.len() - 1]), Err(WireError::Truncated));
    }
    assert_eq!(take_number(&mut [0xff; 11].as_slice()), Err(WireError::LongNumber));
    let mut long = [0x80; 10];
    long[9] = 2;
    assert_eq!(take_number(&mut long.as_slice()), Err(WireError::LongNumber));
}

#[test]
fn defects_of_fields() {
    let error = |bytes: &[u8]| WireFields::new(bytes).next().unwrap_err();
    assert_eq!(error(&[0x0a, 5, 1]), WireError::Truncated);
    assert_eq!(error(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), WireError::Truncated);
    assert_eq!(error(&[0x0b]), WireError::UnknownType(3));
    assert_eq!(error(&[0x00]), WireError::FieldZero);
    assert_eq!(error(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), WireError::OutOfRange);
    let mut fields = WireFields::new(&[0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4]);
    assert_eq!(fields.next(), Ok(Some((1, WireValue::Fixed))));
    assert_eq!(fields.next(), Ok(Some((2, WireValue::Fixed))));
    assert_eq!(fields.next(), Ok(None));
}

/// Returns the number of occurrences of a document, and of those without a valid range.
fn occurrences(fields: &[Vec<u8>]) -> (usize, usize) {
    let message = [field(1, b"a.py"), fields.concat()].concat();
    let document = ScipDocument::parse(&message, &ScipLimits::default()).unwrap();
    (document.occurrences.len(), document.invalid)
}

#[test]
fn ranges_in_every_form() {
    let symbol = field(2, b"t . p 1 a.");
    let typed = |range: Vec<u8>| field(2, &[range, symbol.clone()].concat());
    let single = field(8, &[number(1, 3), number(2, 4), number(3, 9)].concat());
    let multi = field(9, &[number(1, 3), number(3, 4), number(4, 9)].concat());
    assert_eq!(occurrences(&[typed(single), typed(multi)]), (2, 0));
    // One number per field, as old encoders write lists.
    assert_eq!(occurrences(&[typed([number(1, 3), number(1, 4), number(1, 9)].concat())]), (1, 0));
    for range in
        [&[][..], &[1], &[1, 2], &[1, 2, 3, 4, 5], &[2, 5, 1, 9], &[1, 5, 4], &[1, 5, u64::MAX], &[1 << 31, 0, 1]]
    {
        assert_eq!(occurrences(&[occurrence(range, "a.", 1)]), (0, 1), "{range:?}");
    }
    assert_eq!(occurrences(&[occurrence(&[1, 2, 3], "local 1", 1), occurrence(&[1, 2, 3], "", 1)]), (1, 0));
}

#[tokio::test]
async fn limits_skip_documents_and_occurrences() {
    let folder = Folder::new("//- a.py\na = a\n");
    let limits =
        ScipLimits { document_bytes: 2_000, documents: 2, occurrences: 20, symbol_bytes: 30, ..Default::default() };
    let index_of = folder.index_with(limits);
    let symbol = |length: usize| format!("{}.", "a".repeat(length));
    let document = |path: &str, parts: &[Vec<u8>]| field(2, &[field(1, path.as_bytes()), parts.concat()].concat());
    let bytes = [
        metadata("test", "1"),
        document("long.py", &[field(5, &[b'x'; 3_000])]),
        document("many.py", &vec![occurrence(&[0, 0, 1], "a.", 1); 21]),
        document("a.py", &[occurrence(&[0, 0, 1], &symbol(5), 0), occurrence(&[0, 0, 1], &symbol(40), 0)]),
        document("../../etc/passwd", &[]),
        // Unknown fields of any depth are skipped as they are.
        field(99, &(0..1_000).fold(Vec::new(), |inner, _| field(1, &inner))),
    ]
    .concat();
    let report = import(&folder, &index_of, &folder.request_of_bytes(&bytes)).await;
    insta::assert_snapshot!(report, @r"
    test 1: 1 documents, 1 exact, 1 occurrences, 1 invalid
    1 with a path outside the folder ()
    2 too large ()
    ");
}

#[tokio::test]
async fn a_million_documents_are_counted() {
    let folder = Folder::new("//- a.py\na = a\n");
    let document = field(2, &field(1, b"gone.py"));
    let bytes = [index("doc a.py\ndef 1:0-1 a."), document.repeat(1_000_000)].concat();
    let index_of = folder.index_with(ScipLimits { documents: 1, ..Default::default() });
    let report = import(&folder, &index_of, &folder.request_of_bytes(&bytes)).await;
    insta::assert_snapshot!(report, @r"
    test 1: 1 documents, 1 exact, 1 occurrences
    1000000 beyond the maximum number (gone.py)
    ");
}

#[tokio::test]
async fn a_file_above_the_limit_is_refused() {
    let folder = Folder::new("//- a.py\na = a\n");
    let index_of = folder.index_with(ScipLimits { file_bytes: 10, ..Default::default() });
    let report = import(&folder, &index_of, &folder.request("doc a.py\ndef 1:0-1 a.")).await;
    insta::assert_snapshot!(report, @"`…/data.scip` has 47 bytes, more than the 10 that an import reads; index a part of the project");
    let mut request = folder.request("doc a.py");
    request.file = folder.root.clone();
    insta::assert_snapshot!(import(&folder, &index_of, &request).await, @"cannot read `…/project`: it is not a file");
}

#[test]
fn a_length_beyond_the_end_reserves_no_memory() {
    let mut bytes = vec![0x12];
    put_number(&mut bytes, 60 << 20);
    bytes.extend(b"short");
    let mut message = Vec::new();
    let mut stream = WireStream::new(bytes.as_slice(), 64 << 20);
    assert!(stream.next(|_| true, &mut message).is_err());
    assert!(message.capacity() < 1 << 20);
}

/// A message of random fields that are often those of SCIP.
fn message(depth: u32) -> BoxedStrategy<Vec<u8>> {
    let leaf = prop_oneof![
        (1..12_u32, any::<u64>()).prop_map(|(id, value)| number(id, value)),
        (1..12_u32, 0..200_u64).prop_map(|(id, value)| number(id, value)),
        (1..12_u32, "[a-z /#.`é]{0,20}").prop_map(|(id, text)| field(id, text.as_bytes())),
        (1..12_u32, "[a-c]{1,3}(/[a-c.]{1,3}){0,2}").prop_map(|(id, text)| field(id, text.as_bytes())),
        (1..12_u32, "[a-c]#[a-c]\\(\\)\\.").prop_map(|(id, text)| field(id, format!("s . p 1 {text}").as_bytes())),
        (1..12_u32, prop::collection::vec(0..40_u8, 0..6)).prop_map(|(id, bytes)| field(id, &bytes)),
    ];
    let fields = |part: BoxedStrategy<Vec<u8>>| prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat());
    if depth == 0 {
        return fields(leaf.boxed()).boxed();
    }
    let inner = (1..4_u32, message(depth - 1)).prop_map(|(id, bytes)| field(id, &bytes));
    fields(prop_oneof![leaf, inner].boxed()).boxed()
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_bytes(&bytes, &ScipLimits::default());
        ScipTool::from_metadata(&bytes).ok();
        ScipDocument::parse(&bytes, &ScipLimits::default()).ok();
    }

    #[test]
    fn any_messages_are_read_without_a_panic(bytes in message(3)) {
        check_bytes(&bytes, &ScipLimits::default());
    }

    #[test]
    fn fields_are_read_as_they_were_written(parts in prop::collection::vec((1..2000_u32, any::<u64>(), "[a-z]{0,9}"), 0..9)) {
        let bytes: Vec<u8> =
            parts.iter().flat_map(|(id, value, text)| [number(*id, *value), field(*id, text.as_bytes())].concat()).collect();
        let mut fields = WireFields::new(&bytes);
        for (id, value, text) in &parts {
            prop_assert_eq!(fields.next(), Ok(Some((*id, WireValue::Number(*value)))));
            prop_assert_eq!(fields.next(), Ok(Some((*id, WireValue::Bytes(text.as_bytes())))));
        }
        prop_assert_eq!(fields.next(), Ok(None));
        let mut stream = WireStream::new(bytes.as_slice(), 100);
        let mut message = Vec::new();
        for (id, _, text) in &parts {
            prop_assert_eq!(stream.next(|_| true, &mut message).unwrap(), Some(StreamField::Skipped));
            prop_assert_eq!(stream.next(|_| true, &mut message).unwrap(), Some(StreamField::Message(*id)));
            prop_assert_eq!(&message, text.as_bytes());
        }
        prop_assert_eq!(stream.next(|_| true, &mut message).unwrap(), None);
        prop_assert_eq!(stream.offset(), bytes.len() as u64);
    }
}

#[tokio::test]
async fn a_cancelled_token_imports_nothing() {
    let folder = Folder::new("//- a.py\na = a\n");
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = folder.request("doc a.py\ndef 1:0-1 a.");
    let imported = folder.index().import(&request, &zubi_base::text::DiskText, &cancel, &|_| {}).await;
    assert!(imported.is_err());
}
