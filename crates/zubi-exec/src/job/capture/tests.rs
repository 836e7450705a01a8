use super::*;

fn stream(secrets: &[&str]) -> (tempfile::TempDir, OutputStore, Stream) {
    let directory = tempfile::tempdir().unwrap();
    let store = OutputStore::new(camino::Utf8Path::from_path(directory.path()).unwrap());
    let secrets: Vec<_> = secrets.iter().map(|secret| (*secret).to_owned()).collect();
    let stream = Stream::new(&store, &secrets).unwrap();
    (directory, store, stream)
}

#[test]
fn all_output_is_stored_and_the_view_has_both_ends() {
    let (_guard, store, stream) = stream(&[]);
    let lines: Vec<_> = (1..=20_000).map(|number| format!("line {number}\n")).collect();
    let text = lines.concat();
    for chunk in text.as_bytes().chunks(999) {
        stream.append(chunk, false);
    }
    let captured = stream.persist(&store).unwrap();
    assert_eq!((captured.lines, captured.bytes), (20_000, text.len() as u64));
    assert_eq!(store.read(captured.id.as_ref().unwrap()).unwrap(), text.as_bytes());
    let view = captured.excerpt(100);
    assert!(view.starts_with("line 1\nline 2\n") && view.ends_with("line 20000\n"), "{view}");
    assert!(view.len() < 200 && view.contains(&format!("bytes of {} are not shown", text.len())), "{view}");
}

#[test]
fn lines_are_counted_across_chunks() {
    let (_guard, store, stream) = stream(&[]);
    for chunk in ["a", "b\nc", "", "\n", "d"] {
        stream.append(chunk.as_bytes(), false);
    }
    let captured = stream.persist(&store).unwrap();
    assert_eq!((captured.lines, captured.text().as_str()), (3, "ab\nc\nd"));
}

#[test]
fn secrets_split_across_chunks_are_redacted() {
    let (_guard, store, stream) = stream(&["hunter2", "hun"]);
    for chunk in ["x hun", "ter", "2 y", " hunted hu"] {
        stream.append(chunk.as_bytes(), false);
    }
    let captured = stream.persist(&store).unwrap();
    let text = captured.text();
    assert!(!text.contains("hunter2") && !text.contains("hun"), "{text}");
    assert!(text.ends_with(" hu"), "an incomplete secret is printed at the end: {text}");
    assert_eq!(store.read(captured.id.as_ref().unwrap()).unwrap(), text.as_bytes());
}

#[test]
fn empty_output_is_not_stored() {
    let (_guard, store, stream) = stream(&[]);
    let captured = stream.persist(&store).unwrap();
    assert!(captured.id.is_none() && captured.text().is_empty());
}
