//! The recall of outlines in the fixtures of the end-to-end tests, against ctags and the real language servers.
//!
//! `cargo xtask bench -- outlines fixtures` writes their declarations to `declarations.txt`, so that this test needs neither.

use std::collections::BTreeMap;

/// A line is `PATH:LINE NAME REFERENCES`: a class, a function or a method, the line of its name (1-based), and who reports it.
const DECLARATIONS: &str = include_str!("declarations.txt");

/// The files of the table, by their paths in the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn outlines_have_the_declarations_of_ctags_and_of_servers() {
    let mut by_file: BTreeMap<&str, Vec<(usize, &str, &str)>> = BTreeMap::new();
    for line in DECLARATIONS.lines().filter(|line| !line.starts_with('#')) {
        let (at, rest) = line.split_once(' ').unwrap();
        let (path, number) = at.rsplit_once(':').unwrap();
        let (name, references) = rest.rsplit_once(' ').unwrap();
        by_file.entry(path).or_default().push((number.parse().unwrap(), name, references));
    }
    let (mut total, mut missed) = (0, Vec::new());
    for (path, declarations) in by_file {
        #[expect(clippy::disallowed_methods, reason = "the crate is pure, so it does not depend on zubi-base")]
        let text = std::fs::read_to_string(format!("{ROOT}/{path}")).unwrap();
        let name = path.rsplit('/').next().unwrap();
        let Some(outline) = zubi_syntax::outline_of_file(name, &text, &|| false) else { continue };
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        let own: Vec<_> = outline
            .unwrap()
            .declarations
            .into_iter()
            .map(|own| (line(own.range.start)..=line(own.signature.end), text[own.name_range].to_owned()))
            .collect();
        for (number, name, references) in declarations {
            total += 1;
            if !own.iter().any(|(lines, own)| lines.contains(&number) && own.replace(' ', "") == name) {
                missed.push(format!("{path}:{number} {name} ({references})"));
            }
        }
    }
    assert!(total > 50, "the table is empty");
    let missed = missed.join("\n");
    insta::assert_snapshot!(missed, @"");
}
