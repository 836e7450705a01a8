//! The expected answers: those of a new server that finds the edit on disk.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::EditorBench;
use super::edits::Edit;
use super::questions::{Question, TOKENS_DELTA};
use super::server::{Program, Server};

/// The expected answer to each request, without the edit and with it.
///
/// # Errors
///
/// If an answer shows the edit and must not, or does not show it and must: it would prove nothing.
pub(crate) fn expected_answers(bench: &EditorBench, edit: &Edit, questions: &[Question]) -> Result<Vec<[Value; 2]>> {
    let text = bench.project.read(&edit.file);
    let without = collect_answers(bench, edit, questions, false)?;
    bench.project.write(&edit.file, &edit.apply_to(&text));
    let with = collect_answers(bench, edit, questions, true);
    bench.project.write(&edit.file, &text);
    let expected = without.into_iter().zip(with?);
    let expected: Vec<[Value; 2]> = expected.map(|(without, with)| [without, with]).collect();
    for (question, [without, with]) in questions.iter().zip(&expected) {
        ensure!(
            (without != with) == question.depends_on_edit,
            "{} after {}: without the edit {}, with it {}",
            question.title,
            edit.title,
            excerpt(without),
            excerpt(with)
        );
    }
    Ok(expected)
}

/// The first 400 characters of an answer, for an error message.
pub(crate) fn excerpt(answer: &Value) -> String {
    answer.to_string().chars().take(400).collect()
}

fn collect_answers(bench: &EditorBench, edit: &Edit, questions: &[Question], is_edited: bool) -> Result<Vec<Value>> {
    let mut servers: Vec<Server> = Vec::new();
    let answer = |question: &Question| {
        let index = servers.iter().position(|server| question.is_for(server.program));
        let server = match index {
            Some(index) => &mut servers[index],
            None => servers.push_mut(open_server(bench, edit, question)?),
        };
        match question.method {
            TOKENS_DELTA => server.all_tokens(&question.params[usize::from(is_edited)]),
            _ => Ok(server.request(question, is_edited, None)?.1),
        }
    };
    questions.iter().map(answer).collect()
}

/// Starts the first program that supports the request, and opens the edited document.
fn open_server(bench: &EditorBench, edit: &Edit, question: &Question) -> Result<Server> {
    let program = Program::ALL.into_iter().find(|program| question.is_for(*program));
    let mut server = Server::start(bench, program.context("the question is for no program")?, bench.project.root())?;
    server.notify_initialized()?;
    server.open(&edit.file, &bench.project.read(&edit.file))?;
    Ok(server)
}
