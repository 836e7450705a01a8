//! What can be typed behind `zubi agent` and `zubi web`.

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Agent {
    /// Give the agent one task, and print its answer
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Talk with the agent in this terminal
    #[command(after_help = CHAT_EXAMPLES)]
    Chat(Chat),
    /// Go on with a conversation
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(Resume),
    /// List the conversations of this workspace
    #[command(after_help = "Examples:\n  zubi agent list\n  zubi agent list --search 'invoice rounding'")]
    List {
        /// Only those in which all of these words were said or done
        #[arg(long, value_name = "WORDS")]
        search: Option<String>,
        /// How many at most; never more than 500
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a conversation
    #[command(after_help = "Example:\n  zubi agent show 2>/dev/null | less")]
    Show {
        /// Id, or its beginning [default: the latest]
        id: Option<String>,
        /// Print its events, as JSON, one per line
        #[arg(long)]
        json: bool,
    },
    /// Write a conversation as a scenario, which `replay` and `--model mock:FILE` play
    #[command(
        after_help = "Examples:\n  zubi agent export -o rename.yaml\n  zubi agent run --model mock:rename.yaml 'the same'"
    )]
    Export {
        /// Id, or its beginning [default: the latest]
        id: Option<String>,
        /// Where to write it; a file that is there is not overwritten [default: stdout]
        #[arg(short, long, value_name = "FILE")]
        output: Option<Utf8PathBuf>,
    },
    /// Make the calls of a scenario or conversation again, and compare what comes of them
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(Replay),
    /// List the models that can be asked, and what others need
    #[command(after_help = MODELS_EXAMPLES)]
    Models {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a conversation for good
    #[command(after_help = "Example:\n  zubi agent delete 01a20a25dd52-554913fdac59fa64")]
    Delete {
        /// Id; its beginning is not enough here
        id: String,
    },
}

pub(super) const HELP: &str = "\
An agent of zubi's own: it asks a model, makes the calls that the model wants with the tools of `zubi tools list`, under the
rules of `zubi policy list`, and goes on until it has the answer. Conversations are kept below $XDG_STATE_HOME/zubi/sessions
(~/.local/state), on this machine alone; `zubi agent delete` removes one.

Examples:
  zubi agent run --model mock 'read the file \"README.md\"'    nothing needs to be installed
  zubi agent models                                         who can be asked, and what others need
  zubi agent chat
  zubi agent resume";

/// What holds for every turn of this process.
#[derive(Debug, Clone, Args)]
pub(crate) struct TurnArgs {
    /// Who is asked: `provider/model`, `mock`, or `mock:FILE` with a scenario [default: the setting `model`]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// How often the model may be asked in a turn
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) max_iterations: u64,
    /// How many calls a turn may make
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) max_calls: u64,
    /// How many tokens a turn may cost, prompts and answers together [default: any number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// How long a turn may take, as 90s, 15m or 2h [default: any time]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) max_time: Option<Duration>,
    /// Calls that run without a question: a tool's id, or `shell.run:cargo test *`. Never one that a rule denies
    #[arg(long, value_name = "RULE")]
    pub(crate) auto_approve: Vec<String>,
}

/// How one turn is shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputArgs {
    /// Print what happens, as JSON, one event per line
    #[arg(long)]
    pub(crate) json: bool,
    /// The answer is data that fits the JSON Schema in this file, printed as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What is to be done; `-` reads it from stdin
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
    /// A file that the model is told in front of zubi's own instructions
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub(crate) shown: OutputArgs,
}

const RUN_EXAMPLES: &str = "\
The answer goes to stdout; what is called, asked and retried goes to stderr. Looking and writing in the workspace need no
question; commands, the network and whatever a rule says are asked about in the terminal. Where nobody can be asked such a
call is refused, and the refusal says which rule would allow it; --auto-approve does so for this run alone.

The conversation is kept: `zubi agent list` shows it, `zubi agent resume` goes on with it. --json prints the same events.
Where nobody reads stdout any more (`| head`), the turn is stopped as by Ctrl-C.

A model needs a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY), a server such as Ollama, or [models] in zubi.toml:
`zubi agent models` says which there are. `--model mock` needs none: it follows keywords and shows how everything else works.

Exit codes: 0 done, 1 ended otherwise (stderr says how), 2 wrong usage, 3 no model, no key or no answer, 130 interrupted.

Examples:
  zubi agent run --model mock 'read the file \"README.md\"'
  zubi agent run 'rename Parser::next to advance, and see that the tests pass' --auto-approve 'shell.run:cargo test *'
  git diff | zubi agent run - --instructions review.md --max-time 10m
  zubi agent run 'which modules have no tests?' --output-schema modules.schema.json | jq
  zubi --read-only agent run 'how does the parser recover?' --json";

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// Go on with this one: its id, or the beginning of it [default: a new one]
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
    /// A file that the model is told in front of zubi's own instructions
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions: Option<Utf8PathBuf>,
}

const CHAT_EXAMPLES: &str = "\
What is typed while the agent works is told to it as soon as it is asked next. A line that ends in \\ goes on in the next.
Ctrl-C stops the turn, a second one leaves. /help lists the commands. Lines may come from a pipe; then the exit code is that
of the last turn, as of `zubi agent run`, or of the first line that was wrong.

Examples:
  zubi agent chat
  zubi agent chat --model anthropic/claude-sonnet-4-5
  zubi agent chat --model mock";

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// Id of the conversation, or its beginning [default: the latest]
    pub(crate) id: Option<String>,
    /// What to say. A single argument of several words is this [default: that it should go on]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
    /// A file that the model is told in front of zubi's own instructions
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub(crate) shown: OutputArgs,
}

const RESUME_EXAMPLES: &str = "\
The model is told everything that was said and done, also where the process was killed in the middle: of a call whose
outcome was not kept it is said that nobody knows whether it took effect.

Examples:
  zubi agent resume
  zubi agent resume 'and now the documentation'
  zubi agent resume 01a20a25dd52-554913fdac59fa64 'and now the documentation'";

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// A scenario's file, or the id of a conversation
    pub(crate) what: String,
    /// Calls that run without a question, as `zubi agent run` has it
    #[arg(long, value_name = "RULE")]
    pub(crate) auto_approve: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const REPLAY_EXAMPLES: &str = "\
No model is asked: the scenario says what it answered. The tools are real, and so are the rules. Exit codes: 0 everything
came out as it stands there, 1 something did not.

Examples:
  zubi agent replay rename.yaml
  zubi agent replay 01a20a25dd52-554913fdac59fa64 --json";

const MODELS_EXAMPLES: &str = "\
Examples:
  zubi agent models
  OPENAI_API_KEY=… zubi agent models --json

In zubi.toml, for any server that speaks one of these APIs:
  model = \"local/qwen3\"
  [models.local]
  api = \"openai-chat\"               # or openai-responses, anthropic, gemini, ollama
  url = \"http://localhost:8080/v1\"
  key = \"LOCAL_KEY\"                 # the name of an environment variable, or of an entry of [env]";

#[derive(Debug, Args)]
pub(crate) struct Web {
    /// Port on 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
}

pub(super) const WEB_EXAMPLES: &str = "\
Prints the address, with the token that lets this browser in, and serves until Ctrl-C. Nobody but this machine can connect,
and nobody without the token. It opens a browser if it is started in a terminal on a display.

Examples:
  zubi web
  zubi web --no-open --port 8080";

/// How long a list may be.
fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("a list has at least 1".to_owned()),
        Ok(limit) => Ok(limit),
        Err(error) => Err(error.to_string()),
    }
}

/// A time with its unit.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write it as 90s, 15m or 2h");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let seconds = match text.strip_prefix(digits).unwrap_or_default() {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Err(wrong()),
    };
    match number.checked_mul(seconds) {
        Some(seconds @ 1..) => Ok(Duration::from_secs(seconds)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        for (text, seconds) in [("90s", Some(90)), ("15m", Some(900)), ("2h", Some(7_200))] {
            assert_eq!(time(text).ok().map(|time| time.as_secs()), seconds, "{text}");
        }
        for wrong in ["", "5", "s", "0s", "-1s", "1d", "1 s", "99999999999999999999h", "5124095576030432h"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
