//! The child's side: parses one text after the other until its input ends.

use std::ffi::OsString;
use std::io::{self, BufRead, Read as _, Write};
use std::time::{Duration, Instant};

use zubi_base::process::confine;
use zubi_code::syntax::{PatternSearchError, find_matches_here};
use zubi_syntax::{MAX_TEXT_BYTES, OutlineError, SyntaxLanguage};

use super::{ParseAnswer, ParseJob};

/// The maximum length of the line before a text.
const MAX_LINE: u64 = 64 * 1024;

/// The priority of this process: nothing waits for it but a request of an agent (`nice(2)`, 0 to 19).
const NICE: i32 = 10;

/// Answers jobs in this process, which must not have other threads yet. `backends` are those of
/// [`zubi_base::process::confine::lock_down`] as JSON; they confine the process before it reads the first job.
pub fn run_in_child(backends: Option<OsString>, input: impl BufRead, output: impl Write) -> io::Result<()> {
    // A process that cannot change its priority works as well.
    rustix::process::nice(NICE).ok();
    if let Some(backends) = backends {
        let backends = backends.to_str().ok_or(io::ErrorKind::InvalidInput)?;
        confine::lock_down(&serde_json::from_str(backends)?).map_err(io::Error::other)?;
    }
    answer_jobs(input, output)
}

fn answer_jobs(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        (&mut input).take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        let job: ParseJob = serde_json::from_slice(&line)?;
        if job.bytes > MAX_TEXT_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut text = vec![0; job.bytes];
        input.read_exact(&mut text)?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        let mut answer = serde_json::to_vec(&parse(&job, &text))?;
        answer.push(b'\n');
        output.write_all(&answer)?;
        output.flush()?;
    }
}

fn parse(job: &ParseJob, text: &str) -> ParseAnswer {
    let until = Instant::now() + Duration::from_millis(job.time_ms);
    if let Some(search) = &job.search {
        let Some(language) = SyntaxLanguage::from_id(&search.language) else {
            return ParseAnswer::Failure(format!("the language `{}` is unknown", search.language));
        };
        return match find_matches_here(language, &search.search, text, &|| Instant::now() >= until) {
            Ok(answer) => ParseAnswer::Matches(answer),
            Err(PatternSearchError::Pattern(reason)) => ParseAnswer::Invalid(reason),
            Err(PatternSearchError::Text(error)) => ParseAnswer::Failure(error.to_string()),
        };
    }
    let is_stopped = || Instant::now() >= until;
    let unknown = || ParseAnswer::Failure(format!("the language of `{}` is unknown", job.name));
    let failure = |error: OutlineError| ParseAnswer::Failure(error.to_string());
    if let Some(extent) = job.layout {
        let layout = zubi_syntax::layout_of_file(&job.name, text, extent, &is_stopped);
        return layout.map_or_else(unknown, |layout| layout.map_or_else(failure, ParseAnswer::Layout));
    }
    let outline = if job.cells.is_empty() {
        zubi_syntax::outline_of_file(&job.name, text, &is_stopped)
    } else {
        SyntaxLanguage::from_id(&job.name)
            .map(|language| zubi_syntax::outline_of_cells(language, text, &job.cells, &is_stopped))
    };
    outline.map_or_else(unknown, |outline| outline.map_or_else(failure, ParseAnswer::Outline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use zubi_code::syntax::NodeSearch;

    use crate::parser::PatternSearch;

    fn check(jobs: &[(&str, &str)]) -> io::Result<Vec<ParseAnswer>> {
        check_search(None, jobs)
    }

    fn check_search(search: Option<(&str, &str)>, jobs: &[(&str, &str)]) -> io::Result<Vec<ParseAnswer>> {
        let search = search.map(|(language, pattern)| PatternSearch {
            language: language.into(),
            search: NodeSearch { pattern: pattern.into(), kind: None },
        });
        let mut input = Vec::new();
        for (name, text) in jobs {
            let job = ParseJob {
                name: (*name).to_owned(),
                bytes: text.len(),
                time_ms: 10_000,
                cells: Vec::new(),
                layout: None,
                search: search.clone(),
            };
            serde_json::to_writer(&mut input, &job)?;
            input.push(b'\n');
            input.extend(text.as_bytes());
        }
        let mut output = Vec::new();
        answer_jobs(input.as_slice(), &mut output)?;
        Ok(serde_json::Deserializer::from_slice(&output).into_iter().collect::<Result<_, _>>()?)
    }

    #[test]
    fn each_job_has_an_answer() {
        let answers = check(&[("a.py", "def price():\n    pass\n"), ("b.odd", "x"), ("c.rs", "fn é() {}")]).unwrap();
        let names = |answer: &ParseAnswer| match answer {
            ParseAnswer::Outline(outline) => outline.declarations.iter().map(|it| it.name.clone()).collect(),
            ParseAnswer::Failure(reason) | ParseAnswer::Invalid(reason) => vec![reason.clone()],
            ParseAnswer::Matches(_) | ParseAnswer::Layout(_) => Vec::new(),
        };
        let answers: Vec<Vec<String>> = answers.iter().map(names).collect();
        assert_eq!(answers, [["price"], ["the language of `b.odd` is unknown"], ["é"]]);
    }

    #[test]
    fn a_job_with_a_pattern_has_its_matches() {
        let count = |search| {
            let answers = check_search(Some(search), &[("a.py", "f(1)\nf(f(2))\n"), ("b", "")]).unwrap();
            let count = |answer: &ParseAnswer| match answer {
                ParseAnswer::Matches(answer) => answer.found.matches.len().to_string(),
                ParseAnswer::Failure(reason) | ParseAnswer::Invalid(reason) => reason.clone(),
                ParseAnswer::Outline(_) | ParseAnswer::Layout(_) => String::new(),
            };
            answers.iter().map(count).collect::<Vec<_>>()
        };
        assert_eq!(count(("python", "f($A)")), ["3", "0"]);
        assert_eq!(count(("odd", "f($A)")), ["the language `odd` is unknown"; 2]);
        assert!(
            count(("python", "f(")).iter().all(|reason| reason.starts_with("the pattern is not valid python code"))
        );
    }

    #[test]
    fn invalid_jobs_end_the_process() {
        assert!(answer_jobs(&b"{}\n"[..], Vec::new()).is_err());
        assert!(answer_jobs(&b"{\"name\":\"a.rs\",\"bytes\":9,\"timeMs\":1}\nshort"[..], Vec::new()).is_err());
        assert!(answer_jobs(&b"{\"name\":\"a.rs\",\"bytes\":1000000000,\"timeMs\":1}\n"[..], Vec::new()).is_err());
    }
}
