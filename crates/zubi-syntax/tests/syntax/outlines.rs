//! The outline of each sample.

use std::fmt::Write as _;
use std::ops::Range;

use zubi_syntax::{LANGUAGES, OUTLINE_VERSION, SyntaxOutline};

use crate::samples::samples;

/// Renders an outline as a tree of lines `kind name line:column-line:column "signature"`, with `doc` if the declaration has
/// documentation. Lines and columns count from 1; columns count characters.
fn render(text: &str, outline: &SyntaxOutline) -> String {
    let position = |offset: usize| {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        format!("{}:{}", before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    };
    let one_line = |range: &Range<usize>| text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rendered = String::new();
    for (index, declaration) in outline.declarations.iter().enumerate() {
        let indentation = "  ".repeat(outline.above(index).len());
        let (start, end) = (position(declaration.range.start), position(declaration.range.end));
        let signature = one_line(&declaration.signature);
        write!(rendered, "{indentation}{:?} {} {start}-{end} {signature:?}", declaration.kind, declaration.name)
            .unwrap();
        if let Some(doc) = &declaration.doc {
            write!(rendered, " doc {:?}", one_line(doc)).unwrap();
        }
        rendered.push('\n');
    }
    if outline.has_errors {
        rendered.push_str("with errors\n");
    }
    rendered
}

#[test]
fn each_sample_has_its_outline() {
    for sample in samples() {
        let outline = crate::fuzz::check(sample.language, &sample.text).unwrap();
        insta::assert_snapshot!(sample.file_name.clone(), render(&sample.text, &outline));
    }
}

#[test]
fn each_language_has_a_sample() {
    let samples = samples();
    for language in LANGUAGES {
        assert!(samples.iter().any(|sample| sample.language.id == language.id), "{}", language.id);
    }
}

/// If this test fails, increment `OUTLINE_VERSION` and update the snapshot: stored outlines must be made again.
#[test]
fn the_version_changes_with_the_outlines() {
    let languages = ["csharp", "haskell", "kotlin", "ocaml", "ocaml.interface", "scala", "sql", "swift"];
    let is_in_every_build = |id: &str| !languages.contains(&id);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for sample in samples().into_iter().filter(|sample| is_in_every_build(sample.language.id)) {
        let outline = crate::fuzz::check(sample.language, &sample.text).unwrap();
        for byte in render(&sample.text, &outline).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    insta::assert_snapshot!(format!("version {OUTLINE_VERSION}: {hash:016x}"), @"version 5: 77f8c51d75114d4e");
}
