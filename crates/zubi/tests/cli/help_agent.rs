//! Help of the agent's commands.

use insta::assert_snapshot;

use crate::check::check;

#[test]
fn agent_commands() {
    assert_snapshot!(check(&["agent", "--help"]), @r#"
    exit 0
    --- stdout
    Give zubi's own agent a task, or talk with it

    Usage: zubi agent [OPTIONS] <COMMAND>

    Commands:
      run     Give the agent one task, and print its answer
      chat    Talk with the agent in this terminal
      resume  Go on with a conversation
      list    List the conversations of this workspace
      show    Print a conversation
      export  Write a conversation as a scenario, which `replay` and `--model mock:FILE` play
      replay  Make the calls of a scenario or conversation again, and compare what comes of them
      models  List the models that can be asked, and what others need
      delete  Remove a conversation for good
      help    Print this message or the help of the given subcommand(s)

    Options:
          --workspace <DIR>  Workspace folder; may be given several times [default: the current directory]
          --read-only        No tool that writes exists
          --toolsets <LIST>  Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>     Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace in this session only
          --host <WHOSE>     `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...       Say more on stderr; twice for debugging
      -h, --help             Print help

    An agent of zubi's own: it asks a model, makes the calls that the model wants with the tools of `zubi tools list`, under the
    rules of `zubi policy list`, and goes on until it has the answer. Conversations are kept below $XDG_STATE_HOME/zubi/sessions
    (~/.local/state), on this machine alone; `zubi agent delete` removes one.

    Examples:
      zubi agent run --model mock 'read the file "README.md"'    nothing needs to be installed
      zubi agent models                                         who can be asked, and what others need
      zubi agent chat
      zubi agent resume
    "#);
    assert_snapshot!(check(&["agent", "run", "--help"]), @r#"
    exit 0
    --- stdout
    Give the agent one task, and print its answer

    Usage: zubi agent run [OPTIONS] <TASK>

    Arguments:
      <TASK>  What is to be done; `-` reads it from stdin

    Options:
          --model <MODEL>         Who is asked: `provider/model`, `mock`, or `mock:FILE` with a scenario [default: the setting `model`]
          --max-iterations <N>    How often the model may be asked in a turn [default: 20]
          --max-calls <N>         How many calls a turn may make [default: 200]
          --max-tokens <N>        How many tokens a turn may cost, prompts and answers together [default: any number]
          --max-time <TIME>       How long a turn may take, as 90s, 15m or 2h [default: any time]
          --auto-approve <RULE>   Calls that run without a question: a tool's id, or `shell.run:cargo test *`. Never one that a rule denies
          --instructions <FILE>   A file that the model is told in front of zubi's own instructions
          --json                  Print what happens, as JSON, one event per line
          --output-schema <FILE>  The answer is data that fits the JSON Schema in this file, printed as JSON
          --workspace <DIR>       Workspace folder; may be given several times [default: the current directory]
          --read-only             No tool that writes exists
          --toolsets <LIST>       Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>          Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                 Trust the workspace in this session only
          --host <WHOSE>          `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...            Say more on stderr; twice for debugging
      -h, --help                  Print help

    The answer goes to stdout; what is called, asked and retried goes to stderr. Looking and writing in the workspace need no
    question; commands, the network and whatever a rule says are asked about in the terminal. Where nobody can be asked such a
    call is refused, and the refusal says which rule would allow it; --auto-approve does so for this run alone.

    The conversation is kept: `zubi agent list` shows it, `zubi agent resume` goes on with it. --json prints the same events.
    Where nobody reads stdout any more (`| head`), the turn is stopped as by Ctrl-C.

    A model needs a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY), a server such as Ollama, or [models] in zubi.toml:
    `zubi agent models` says which there are. `--model mock` needs none: it follows keywords and shows how everything else works.

    Exit codes: 0 done, 1 ended otherwise (stderr says how), 2 wrong usage, 3 no model, no key or no answer, 130 interrupted.

    Examples:
      zubi agent run --model mock 'read the file "README.md"'
      zubi agent run 'rename Parser::next to advance, and see that the tests pass' --auto-approve 'shell.run:cargo test *'
      git diff | zubi agent run - --instructions review.md --max-time 10m
      zubi agent run 'which modules have no tests?' --output-schema modules.schema.json | jq
      zubi --read-only agent run 'how does the parser recover?' --json
    "#);
    assert_snapshot!(check(&["agent", "chat", "--help"]), @r"
    exit 0
    --- stdout
    Talk with the agent in this terminal

    Usage: zubi agent chat [OPTIONS]

    Options:
          --conversation <ID>    Go on with this one: its id, or the beginning of it [default: a new one]
          --model <MODEL>        Who is asked: `provider/model`, `mock`, or `mock:FILE` with a scenario [default: the setting `model`]
          --max-iterations <N>   How often the model may be asked in a turn [default: 20]
          --max-calls <N>        How many calls a turn may make [default: 200]
          --max-tokens <N>       How many tokens a turn may cost, prompts and answers together [default: any number]
          --max-time <TIME>      How long a turn may take, as 90s, 15m or 2h [default: any time]
          --auto-approve <RULE>  Calls that run without a question: a tool's id, or `shell.run:cargo test *`. Never one that a rule denies
          --instructions <FILE>  A file that the model is told in front of zubi's own instructions
          --workspace <DIR>      Workspace folder; may be given several times [default: the current directory]
          --read-only            No tool that writes exists
          --toolsets <LIST>      Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>         Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                Trust the workspace in this session only
          --host <WHOSE>         `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...           Say more on stderr; twice for debugging
      -h, --help                 Print help

    What is typed while the agent works is told to it as soon as it is asked next. A line that ends in \ goes on in the next.
    Ctrl-C stops the turn, a second one leaves. /help lists the commands. Lines may come from a pipe; then the exit code is that
    of the last turn, as of `zubi agent run`, or of the first line that was wrong.

    Examples:
      zubi agent chat
      zubi agent chat --model anthropic/claude-sonnet-4-5
      zubi agent chat --model mock
    ");
    assert_snapshot!(check(&["agent", "resume", "--help"]), @"
    exit 0
    --- stdout
    Go on with a conversation

    Usage: zubi agent resume [OPTIONS] [ID] [TEXT]

    Arguments:
      [ID]    Id of the conversation, or its beginning [default: the latest]
      [TEXT]  What to say. A single argument of several words is this [default: that it should go on]

    Options:
          --model <MODEL>         Who is asked: `provider/model`, `mock`, or `mock:FILE` with a scenario [default: the setting `model`]
          --max-iterations <N>    How often the model may be asked in a turn [default: 20]
          --max-calls <N>         How many calls a turn may make [default: 200]
          --max-tokens <N>        How many tokens a turn may cost, prompts and answers together [default: any number]
          --max-time <TIME>       How long a turn may take, as 90s, 15m or 2h [default: any time]
          --auto-approve <RULE>   Calls that run without a question: a tool's id, or `shell.run:cargo test *`. Never one that a rule denies
          --instructions <FILE>   A file that the model is told in front of zubi's own instructions
          --json                  Print what happens, as JSON, one event per line
          --output-schema <FILE>  The answer is data that fits the JSON Schema in this file, printed as JSON
          --workspace <DIR>       Workspace folder; may be given several times [default: the current directory]
          --read-only             No tool that writes exists
          --toolsets <LIST>       Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>          Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                 Trust the workspace in this session only
          --host <WHOSE>          `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...            Say more on stderr; twice for debugging
      -h, --help                  Print help

    The model is told everything that was said and done, also where the process was killed in the middle: of a call whose
    outcome was not kept it is said that nobody knows whether it took effect.

    Examples:
      zubi agent resume
      zubi agent resume 'and now the documentation'
      zubi agent resume 01a20a25dd52-554913fdac59fa64 'and now the documentation'
    ");
    assert_snapshot!(check(&["agent", "replay", "--help"]), @"
    exit 0
    --- stdout
    Make the calls of a scenario or conversation again, and compare what comes of them

    Usage: zubi agent replay [OPTIONS] <WHAT>

    Arguments:
      <WHAT>  A scenario's file, or the id of a conversation

    Options:
          --auto-approve <RULE>  Calls that run without a question, as `zubi agent run` has it
          --json                 Print JSON
          --workspace <DIR>      Workspace folder; may be given several times [default: the current directory]
          --read-only            No tool that writes exists
          --toolsets <LIST>      Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>         Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                Trust the workspace in this session only
          --host <WHOSE>         `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...           Say more on stderr; twice for debugging
      -h, --help                 Print help

    No model is asked: the scenario says what it answered. The tools are real, and so are the rules. Exit codes: 0 everything
    came out as it stands there, 1 something did not.

    Examples:
      zubi agent replay rename.yaml
      zubi agent replay 01a20a25dd52-554913fdac59fa64 --json
    ");
    assert_snapshot!(check(&["agent", "models", "--help"]), @r#"
    exit 0
    --- stdout
    List the models that can be asked, and what others need

    Usage: zubi agent models [OPTIONS]

    Options:
          --json             Print JSON
          --workspace <DIR>  Workspace folder; may be given several times [default: the current directory]
          --read-only        No tool that writes exists
          --toolsets <LIST>  Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>     Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace in this session only
          --host <WHOSE>     `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...       Say more on stderr; twice for debugging
      -h, --help             Print help

    Examples:
      zubi agent models
      OPENAI_API_KEY=… zubi agent models --json

    In zubi.toml, for any server that speaks one of these APIs:
      model = "local/qwen3"
      [models.local]
      api = "openai-chat"               # or openai-responses, anthropic, gemini, ollama
      url = "http://localhost:8080/v1"
      key = "LOCAL_KEY"                 # the name of an environment variable, or of an entry of [env]
    "#);
    assert_snapshot!(check(&["web", "--help"]), @"
    exit 0
    --- stdout
    Talk with the agent in a browser

    Usage: zubi web [OPTIONS]

    Options:
          --port <PORT>          Port on 127.0.0.1 [default: any that is free]
          --no-open              Open no browser
          --model <MODEL>        Who is asked: `provider/model`, `mock`, or `mock:FILE` with a scenario [default: the setting `model`]
          --max-iterations <N>   How often the model may be asked in a turn [default: 20]
          --max-calls <N>        How many calls a turn may make [default: 200]
          --max-tokens <N>       How many tokens a turn may cost, prompts and answers together [default: any number]
          --max-time <TIME>      How long a turn may take, as 90s, 15m or 2h [default: any time]
          --auto-approve <RULE>  Calls that run without a question: a tool's id, or `shell.run:cargo test *`. Never one that a rule denies
          --workspace <DIR>      Workspace folder; may be given several times [default: the current directory]
          --read-only            No tool that writes exists
          --toolsets <LIST>      Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>         Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                Trust the workspace in this session only
          --host <WHOSE>         `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...           Say more on stderr; twice for debugging
      -h, --help                 Print help

    Prints the address, with the token that lets this browser in, and serves until Ctrl-C. Nobody but this machine can connect,
    and nobody without the token. It opens a browser if it is started in a terminal on a display.

    Examples:
      zubi web
      zubi web --no-open --port 8080
    ");
}
