//! The declarations that universal-ctags reports.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use zubi_tests::tools;

use crate::corpus::SourceCopy;
use crate::recall::{ReportedDeclaration, is_name, last_part};

/// Returns the declarations of the kinds `kinds` (letters, as in `--kinds-Rust`) of ctags' language `language`.
pub(crate) fn declarations(sources: &SourceCopy, language: &str, kinds: &str) -> Result<BTreeSet<ReportedDeclaration>> {
    let mut ctags = Command::new(tools::program("ctags", "ctags"));
    ctags.args(["--options=NONE", "--output-format=json", "--fields=+n", "--sort=no", "-f", "-"]);
    ctags.arg(format!("--languages={language}")).arg(format!("--kinds-{language}={kinds}"));
    ctags.arg(format!("--language-force={language}"));
    ctags.args(&sources.files).current_dir(sources.root());
    let output = ctags.output().context("ctags does not start")?;
    ensure!(output.status.success(), "ctags failed: {}", String::from_utf8_lossy(&output.stderr));
    let tags = String::from_utf8_lossy(&output.stdout);
    let tags = tags.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(tags.filter_map(|tag| declaration(&tag)).collect())
}

fn declaration(tag: &Value) -> Option<ReportedDeclaration> {
    let name = tag["name"].as_str()?;
    let line = usize::try_from(tag["line"].as_u64()?).ok()?;
    let name = last_part(name);
    let is_anonymous =
        name.starts_with("__anon") || name.starts_with("anonymous") || name.starts_with("AnonymousFunction");
    (is_name(&name) && !is_anonymous).then(|| ReportedDeclaration {
        file: tag["path"].as_str().unwrap_or_default().into(),
        line,
        name,
    })
}
