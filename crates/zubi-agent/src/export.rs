//! A conversation as a scenario: what the person said, what the model answered and what came of its calls.

use std::collections::BTreeMap;

use crate::event::{Event, What};
use crate::scenario::{Answer, Call, Outcome, Scenario, Turn, VERSION};

/// How many characters a file's name has at most.
const NAME: usize = 40;

/// The scenario that plays the conversation again. Answers that were broken off are no answers: they are left out.
pub fn scenario(title: &str, events: &[Event]) -> Scenario {
    let mut turns: Vec<Turn> = Vec::new();
    // Calls by their ids, with the place of the result that is still to come.
    let mut calls: BTreeMap<&str, Call> = BTreeMap::new();
    for event in events {
        match &event.what {
            What::Asked { text, .. } => {
                let is_going_on = turns.last().is_some_and(|turn| turn.ended.is_none());
                match turns.last_mut().filter(|_| is_going_on) {
                    // It was said into the turn, which hears it from the beginning when it is played.
                    Some(turn) => {
                        turn.user.push_str("\n\n");
                        turn.user.push_str(text);
                    }
                    None => {
                        turns.push(Turn { user: text.clone(), answers: Vec::new(), results: Vec::new(), ended: None })
                    }
                }
            }
            What::Answered { said, usage, interrupted: false, .. } => {
                let Some(turn) = turns.last_mut() else { continue };
                let mut answer = Answer {
                    reasoning: said.reasoning.clone(),
                    text: said.text.clone(),
                    usage: (usage.total() > 0).then_some(*usage),
                    ..Answer::default()
                };
                for call in &said.calls {
                    let made = Call { tool: call.tool.clone(), arguments: call.arguments.clone() };
                    calls.insert(&call.id, made.clone());
                    answer.calls.push(made);
                }
                turn.answers.push(answer);
            }
            What::Result { call, text, failure, .. } => {
                if let (Some(turn), Some(made)) = (turns.last_mut(), calls.remove(call.as_str())) {
                    turn.results.push(Outcome {
                        tool: made.tool,
                        arguments: made.arguments,
                        text: text.clone(),
                        failed: failure.is_some(),
                    });
                }
            }
            What::Ended(ended) => {
                if let Some(turn) = turns.last_mut() {
                    turn.ended = Some(ended.reason);
                }
            }
            _ => {}
        }
    }
    Scenario { zubi_scenario: VERSION, title: title.to_owned(), turns }
}

/// A name for the file.
pub fn file_name(title: &str) -> String {
    let mut name = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
        if name.len() >= NAME {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    format!("{}.scenario.yaml", if name.is_empty() { "conversation" } else { name })
}
