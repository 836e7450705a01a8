//! The samples.

use std::path::Path;

use zubi_syntax::SyntaxLanguage;

/// A sample.
pub(crate) struct Sample {
    pub(crate) file_name: String,
    pub(crate) text: String,
    pub(crate) language: &'static SyntaxLanguage,
}

/// Returns the samples of the languages that this build includes, by their names.
pub(crate) fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut samples: Vec<Sample> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let entry = entry.unwrap();
            let file_name = entry.file_name().into_string().unwrap();
            let language = SyntaxLanguage::from_file_name(&file_name)?;
            let text = String::from_utf8(std::fs::read(entry.path()).unwrap()).unwrap();
            Some(Sample { file_name, text, language })
        })
        .collect();
    samples.sort_by(|a, b| a.file_name.cmp(&b.file_name));
    samples
}
