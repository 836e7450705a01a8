//! The arguments and help texts of `zubi agent` and `zubi web`.

use std::time::Duration;

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Give the agent one task and print its answer
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Chat with the agent in this terminal
    #[command(after_help = CHAT_EXAMPLES)]
    Chat(Chat),
    /// Resume a conversation
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(Resume),
    /// List the conversations of this workspace
    #[command(after_help = "Examples:\n  zubi agent list\n  zubi agent list --search 'invoice rounding'")]
    List {
        /// List only conversations that contain all of these words
        #[arg(long, value_name = "WORDS")]
        search: Option<String>,
        /// List at most this many conversations (never more than 500)
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a conversation
    #[command(after_help = "Example:\n  zubi agent show 2>/dev/null | less")]
    Show {
        /// Conversation id, or a prefix of it [default: the latest]
        id: Option<String>,
        /// Print the events as JSON, one per line
        #[arg(long)]
        json: bool,
    },
    /// Export a conversation as a scenario for `replay` and `--model mock:FILE`
    #[command(
        after_help = "Examples:\n  zubi agent export -o rename.yaml\n  zubi agent run --model mock:rename.yaml 'the same'"
    )]
    Export {
        /// Conversation id, or a prefix of it [default: the latest]
        id: Option<String>,
        /// Write to this file, which must not exist yet [default: stdout]
        #[arg(short, long, value_name = "FILE")]
        output: Option<Utf8PathBuf>,
    },
    /// Repeat the calls of a scenario or conversation and compare the results
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// List the available models, and the requirements of the others
    #[command(after_help = MODELS_EXAMPLES)]
    Models {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete a conversation permanently
    #[command(after_help = "Example:\n  zubi agent delete 01a20a25dd52-554913fdac59fa64")]
    Delete {
        /// Full conversation id (a prefix is rejected)
        id: String,
    },
}

pub(super) const HELP: &str = "\
zubi's own agent sends a task to a model and makes the tool calls that the model requests until the
model answers. The tools are those of `zubi tools list`, and the rules of `zubi policy list` apply.
zubi stores conversations on this machine only, below $XDG_STATE_HOME/zubi/sessions (default
~/.local/state/zubi/sessions); `zubi agent delete` removes one.

Examples:
  zubi agent run --model mock 'read the file \"README.md\"'    needs no API key and no installation
  zubi agent models                                         list the models and their requirements
  zubi agent chat
  zubi agent resume";

/// Model, limits and approvals for every turn of this process.
#[derive(Debug, Clone, Args)]
pub(crate) struct TurnArgs {
    /// Model: `provider/model`, `mock`, or `mock:FILE` to replay a scenario [default: `model` in zubi.toml]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Maximum number of model requests per turn
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) max_iterations: u64,
    /// Maximum number of tool calls per turn
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) max_calls: u64,
    /// Maximum number of tokens per turn, prompts and answers together [default: unlimited]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// Time limit per turn, as in 90s, 15m or 2h [default: unlimited]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) max_time: Option<Duration>,
    /// Approve these calls in advance: a tool id, or `shell.run:cargo test *`; `deny` rules still apply
    #[arg(long, value_name = "RULE")]
    pub(crate) auto_approve: Vec<String>,
}

/// Output format of one turn.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputArgs {
    /// Print the events as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Require an answer that matches the JSON Schema in this file, and print it as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Task for the agent; `-` reads it from stdin
    pub(crate) task: String,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
    /// File with instructions for the model, inserted before zubi's own
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub(crate) output_args: OutputArgs,
}

const RUN_EXAMPLES: &str = "\
The answer goes to stdout; calls, approval prompts and retries go to stderr. The agent reads and
writes in the workspace without approval; for commands, network access and calls that a rule marks
`ask`, zubi prompts in the terminal. Without a terminal it denies such a call and names the rule
that would allow it; --auto-approve allows it for this run only.

zubi saves the conversation: `zubi agent list` shows it, `zubi agent resume` resumes it. --json
prints the same events. If stdout is closed (as with `| head`), the turn is cancelled as if you had
pressed Ctrl-C.

A model needs a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY), a server such as Ollama, or
[models] in zubi.toml; `zubi agent models` lists the available ones. `--model mock` needs none of
these: it reacts to keywords, to try out the rest.

Exit codes: 0 done, 1 ended early (stderr says why), 2 wrong usage, 3 no model, no key or no answer,
130 interrupted.

Examples:
  zubi agent run --model mock 'read the file \"README.md\"'
  zubi agent run 'rename Parser::next to advance, and test' --auto-approve 'shell.run:cargo test *'
  git diff | zubi agent run - --instructions review.md --max-time 10m
  zubi agent run 'which modules have no tests?' --output-schema modules.schema.json | jq
  zubi --read-only agent run 'how does the parser recover?' --json";

#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// Resume this conversation: its id, or a prefix of it [default: a new conversation]
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
    /// File with instructions for the model, inserted before zubi's own
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions: Option<Utf8PathBuf>,
}

const CHAT_EXAMPLES: &str = "\
Text you type during a turn is sent with the next model request. End a line with \\ to continue it on
the next line. Ctrl-C stops the turn; a second Ctrl-C exits. /help lists the commands. Lines can
also come from a pipe; the exit code is then that of the last turn, as for `zubi agent run`, or of
the first invalid line.

Examples:
  zubi agent chat
  zubi agent chat --model anthropic/claude-sonnet-4-5
  zubi agent chat --model mock";

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// Conversation id, or a prefix of it [default: the latest]
    pub(crate) id: Option<String>,
    /// Message to send; a single argument with spaces is the message, not the id [default: continue]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
    /// File with instructions for the model, inserted before zubi's own
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions: Option<Utf8PathBuf>,
    #[command(flatten)]
    pub(crate) output_args: OutputArgs,
}

const RESUME_EXAMPLES: &str = "\
zubi sends the model the whole conversation, even if the process was killed during a turn. If a
call's result was lost, the model is informed that its effect is unknown.

Examples:
  zubi agent resume
  zubi agent resume 'and now the documentation'
  zubi agent resume 01a20a25dd52-554913fdac59fa64 'and now the documentation'";

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Scenario file, or conversation id
    pub(crate) what: String,
    /// Approve these calls in advance, as for `zubi agent run`
    #[arg(long, value_name = "RULE")]
    pub(crate) auto_approve: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const REPLAY_EXAMPLES: &str = "\
Makes no model requests: the answers come from the recording. The tools really run, and the policy
rules apply.

Exit codes: 0 all results match the recording, 1 differences found.

Examples:
  zubi agent replay rename.yaml
  zubi agent replay 01a20a25dd52-554913fdac59fa64 --json";

const MODELS_EXAMPLES: &str = "\
Examples:
  zubi agent models
  OPENAI_API_KEY=… zubi agent models --json

In zubi.toml, for any server with one of these APIs:
  model = \"local/qwen3\"
  [models.local]
  api = \"openai-chat\"               # or openai-responses, anthropic, gemini, ollama
  url = \"http://localhost:8080/v1\"
  key = \"LOCAL_KEY\"                 # the name of an environment variable, or of an entry of [env]";

#[derive(Debug, Args)]
pub(crate) struct Web {
    /// Port on 127.0.0.1 [default: any free port]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) turns: TurnArgs,
}

pub(super) const WEB_EXAMPLES: &str = "\
Prints the address, which contains an access token, and serves until Ctrl-C. Only programs on this
machine can connect, and only with the token. Opens a browser if started in a terminal with a
display.

Examples:
  zubi web
  zubi web --no-open --port 8080";

/// Parses the maximum length of a list, at least 1.
fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(limit) => Ok(limit),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a duration with its unit: `90s`, `15m` or `2h`.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("invalid duration `{text}`; use a unit, as in 90s, 15m or 2h");
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
