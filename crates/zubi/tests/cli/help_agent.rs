//! Help of the agent's commands.

use insta::assert_snapshot;

use crate::check::check;

#[test]
fn agent_commands() {
    assert_snapshot!(check(&["agent", "--help"]), @r#"
    exit 0
    --- stdout
    Give zubi's own agent a task, or chat with it

    Usage: zubi agent [OPTIONS] <COMMAND>

    Commands:
      run     Give the agent one task and print its answer
      chat    Chat with the agent in this terminal
      resume  Resume a conversation
      list    List the conversations of this workspace
      show    Print a conversation
      export  Export a conversation as a scenario for `replay` and `--model mock:FILE`
      replay  Repeat the calls of a scenario or conversation and compare the results
      models  List the available models, and the requirements of the others
      delete  Delete a conversation permanently
      help    Print this message or the help of the given subcommand(s)

    Options:
          --workspace <DIR>  Workspace folder; repeat for several folders [default: the current directory]
          --read-only        Disable all tools that write
          --toolsets <LIST>  Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>     Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace for this session only
          --host <HOST>      Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...       Increase log verbosity (-vv for debug)
      -h, --help             Print help

    zubi's own agent sends a task to a model and makes the tool calls that the model requests until the
    model answers. The tools are those of `zubi tools list`, and the rules of `zubi policy list` apply.
    zubi stores conversations on this machine only, below $XDG_STATE_HOME/zubi/sessions (default
    ~/.local/state/zubi/sessions); `zubi agent delete` removes one.

    Examples:
      zubi agent run --model mock 'read the file "README.md"'    needs no API key and no installation
      zubi agent models                                         list the models and their requirements
      zubi agent chat
      zubi agent resume
    "#);
    assert_snapshot!(check(&["agent", "run", "--help"]), @r#"
    exit 0
    --- stdout
    Give the agent one task and print its answer

    Usage: zubi agent run [OPTIONS] <TASK>

    Arguments:
      <TASK>  Task for the agent; `-` reads it from stdin

    Options:
          --model <MODEL>         Model: `provider/model`, `mock`, or `mock:FILE` to replay a scenario [default: `model` in zubi.toml]
          --max-iterations <N>    Maximum number of model requests per turn [default: 20]
          --max-calls <N>         Maximum number of tool calls per turn [default: 200]
          --max-tokens <N>        Maximum number of tokens per turn, prompts and answers together [default: unlimited]
          --max-time <TIME>       Time limit per turn, as in 90s, 15m or 2h [default: unlimited]
          --auto-approve <RULE>   Approve these calls in advance: a tool id, or `shell.run:cargo test *`; `deny` rules still apply
          --instructions <FILE>   File with instructions for the model, inserted before zubi's own
          --json                  Print the events as JSON, one per line
          --output-schema <FILE>  Require an answer that matches the JSON Schema in this file, and print it as JSON
          --workspace <DIR>       Workspace folder; repeat for several folders [default: the current directory]
          --read-only             Disable all tools that write
          --toolsets <LIST>       Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>          Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                 Trust the workspace for this session only
          --host <HOST>           Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...            Increase log verbosity (-vv for debug)
      -h, --help                  Print help

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
      zubi agent run --model mock 'read the file "README.md"'
      zubi agent run 'rename Parser::next to advance, and see that the tests pass' --auto-approve 'shell.run:cargo test *'
      git diff | zubi agent run - --instructions review.md --max-time 10m
      zubi agent run 'which modules have no tests?' --output-schema modules.schema.json | jq
      zubi --read-only agent run 'how does the parser recover?' --json
    "#);
    assert_snapshot!(check(&["agent", "chat", "--help"]), @r"
    exit 0
    --- stdout
    Chat with the agent in this terminal

    Usage: zubi agent chat [OPTIONS]

    Options:
          --conversation <ID>    Resume this conversation: its id, or a prefix of it [default: a new conversation]
          --model <MODEL>        Model: `provider/model`, `mock`, or `mock:FILE` to replay a scenario [default: `model` in zubi.toml]
          --max-iterations <N>   Maximum number of model requests per turn [default: 20]
          --max-calls <N>        Maximum number of tool calls per turn [default: 200]
          --max-tokens <N>       Maximum number of tokens per turn, prompts and answers together [default: unlimited]
          --max-time <TIME>      Time limit per turn, as in 90s, 15m or 2h [default: unlimited]
          --auto-approve <RULE>  Approve these calls in advance: a tool id, or `shell.run:cargo test *`; `deny` rules still apply
          --instructions <FILE>  File with instructions for the model, inserted before zubi's own
          --workspace <DIR>      Workspace folder; repeat for several folders [default: the current directory]
          --read-only            Disable all tools that write
          --toolsets <LIST>      Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>         Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                Trust the workspace for this session only
          --host <HOST>          Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...           Increase log verbosity (-vv for debug)
      -h, --help                 Print help

    Text you type during a turn is sent with the next model request. End a line with \ to continue it on
    the next line. Ctrl-C stops the turn; a second Ctrl-C exits. /help lists the commands. Lines can
    also come from a pipe; the exit code is then that of the last turn, as for `zubi agent run`, or of
    the first invalid line.

    Examples:
      zubi agent chat
      zubi agent chat --model anthropic/claude-sonnet-4-5
      zubi agent chat --model mock
    ");
    assert_snapshot!(check(&["agent", "resume", "--help"]), @"
    exit 0
    --- stdout
    Resume a conversation

    Usage: zubi agent resume [OPTIONS] [ID] [TEXT]

    Arguments:
      [ID]    Conversation id, or a prefix of it [default: the latest]
      [TEXT]  Message to send; a single argument with spaces is the message, not the id [default: continue]

    Options:
          --model <MODEL>         Model: `provider/model`, `mock`, or `mock:FILE` to replay a scenario [default: `model` in zubi.toml]
          --max-iterations <N>    Maximum number of model requests per turn [default: 20]
          --max-calls <N>         Maximum number of tool calls per turn [default: 200]
          --max-tokens <N>        Maximum number of tokens per turn, prompts and answers together [default: unlimited]
          --max-time <TIME>       Time limit per turn, as in 90s, 15m or 2h [default: unlimited]
          --auto-approve <RULE>   Approve these calls in advance: a tool id, or `shell.run:cargo test *`; `deny` rules still apply
          --instructions <FILE>   File with instructions for the model, inserted before zubi's own
          --json                  Print the events as JSON, one per line
          --output-schema <FILE>  Require an answer that matches the JSON Schema in this file, and print it as JSON
          --workspace <DIR>       Workspace folder; repeat for several folders [default: the current directory]
          --read-only             Disable all tools that write
          --toolsets <LIST>       Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>          Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                 Trust the workspace for this session only
          --host <HOST>           Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...            Increase log verbosity (-vv for debug)
      -h, --help                  Print help

    zubi sends the model the whole conversation, even if the process was killed during a turn. If a
    call's result was lost, the model is informed that its effect is unknown.

    Examples:
      zubi agent resume
      zubi agent resume 'and now the documentation'
      zubi agent resume 01a20a25dd52-554913fdac59fa64 'and now the documentation'
    ");
    assert_snapshot!(check(&["agent", "replay", "--help"]), @"
    exit 0
    --- stdout
    Repeat the calls of a scenario or conversation and compare the results

    Usage: zubi agent replay [OPTIONS] <WHAT>

    Arguments:
      <WHAT>  Scenario file, or conversation id

    Options:
          --auto-approve <RULE>  Approve these calls in advance, as for `zubi agent run`
          --json                 Print JSON
          --workspace <DIR>      Workspace folder; repeat for several folders [default: the current directory]
          --read-only            Disable all tools that write
          --toolsets <LIST>      Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>         Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                Trust the workspace for this session only
          --host <HOST>          Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...           Increase log verbosity (-vv for debug)
      -h, --help                 Print help

    Makes no model requests: the answers come from the recording. The tools really run, and the policy
    rules apply.

    Exit codes: 0 all results match the recording, 1 differences found.

    Examples:
      zubi agent replay rename.yaml
      zubi agent replay 01a20a25dd52-554913fdac59fa64 --json
    ");
    assert_snapshot!(check(&["agent", "models", "--help"]), @r#"
    exit 0
    --- stdout
    List the available models, and the requirements of the others

    Usage: zubi agent models [OPTIONS]

    Options:
          --json             Print JSON
          --workspace <DIR>  Workspace folder; repeat for several folders [default: the current directory]
          --read-only        Disable all tools that write
          --toolsets <LIST>  Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>     Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace for this session only
          --host <HOST>      Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...       Increase log verbosity (-vv for debug)
      -h, --help             Print help

    Examples:
      zubi agent models
      OPENAI_API_KEY=… zubi agent models --json

    In zubi.toml, for any server with one of these APIs:
      model = "local/qwen3"
      [models.local]
      api = "openai-chat"               # or openai-responses, anthropic, gemini, ollama
      url = "http://localhost:8080/v1"
      key = "LOCAL_KEY"                 # the name of an environment variable, or of an entry of [env]
    "#);
    assert_snapshot!(check(&["web", "--help"]), @"
    exit 0
    --- stdout
    Chat with the agent in a browser

    Usage: zubi web [OPTIONS]

    Options:
          --port <PORT>          Port on 127.0.0.1 [default: any free port]
          --no-open              Do not open a browser
          --model <MODEL>        Model: `provider/model`, `mock`, or `mock:FILE` to replay a scenario [default: `model` in zubi.toml]
          --max-iterations <N>   Maximum number of model requests per turn [default: 20]
          --max-calls <N>        Maximum number of tool calls per turn [default: 200]
          --max-tokens <N>       Maximum number of tokens per turn, prompts and answers together [default: unlimited]
          --max-time <TIME>      Time limit per turn, as in 90s, 15m or 2h [default: unlimited]
          --auto-approve <RULE>  Approve these calls in advance: a tool id, or `shell.run:cargo test *`; `deny` rules still apply
          --workspace <DIR>      Workspace folder; repeat for several folders [default: the current directory]
          --read-only            Disable all tools that write
          --toolsets <LIST>      Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>         Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                Trust the workspace for this session only
          --host <HOST>          Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...           Increase log verbosity (-vv for debug)
      -h, --help                 Print help

    Prints the address, which contains an access token, and serves until Ctrl-C. Only programs on this
    machine can connect, and only with the token. Opens a browser if started in a terminal with a
    display.

    Examples:
      zubi web
      zubi web --no-open --port 8080
    ");
}
