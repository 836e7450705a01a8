//! Help that teaches.

use insta::assert_snapshot;

use crate::check::{Place, check};

#[test]
fn commands() {
    assert_snapshot!(check(&["--help"]), @"
    exit 0
    --- stdout
    Gives AI agents what an editor gives a person: the language servers' understanding of the code

    Usage: zubi [OPTIONS] <COMMAND>

    Commands:
      mcp     Answer an agent over MCP on stdin and stdout
      lsp     Serve an editor: DomainLang's language server, and zubi's tools for editors that ask for them
      serve   Serve a workspace until it is told to end: agents that come later share its language servers
      status  Show the hosts that run, their language servers and who is connected
      stop    End the daemon of this workspace
      ipc     Call one method of the IPC protocol, as other programs do
      call    Call one tool and print its answer
      tools   Show what can be asked; check the tools that this workspace declares
      policy  Find out what calls may do, and which rule says so
      agent   Give zubi's own agent a task, or talk with it
      web     Talk with the agent in a browser
      trust   Let language servers run a project's code
      doctor  Find out which language servers this workspace needs, has, and what is missing
      verify  Check that zubi works here, and report it as JSON
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
      -V, --version          Print version

    Examples:
      zubi mcp                                   answer an agent over MCP (stdin and stdout)
      zubi serve --detach                        share language servers among all agents of this folder
      zubi tools list                            what can be asked
      zubi call lsp_hover --at src/lib.rs:12:5   ask one question
      zubi agent run --model mock 'list files'   give zubi's own agent a task; mock needs no model
      zubi trust                                 let language servers run this project's code
      zubi doctor                                which language servers are there, and which are missing

    Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.
    ");
    assert_snapshot!(check(&["mcp", "--help"]), @r#"
    exit 0
    --- stdout
    Answer an agent over MCP on stdin and stdout

    Usage: zubi mcp [OPTIONS]

    Options:
          --workspace <DIR>  Workspace folder; may be given several times [default: the current directory]
          --read-only        No tool that writes exists
          --toolsets <LIST>  Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>     Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace in this session only
          --host <WHOSE>     `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...       Say more on stderr; twice for debugging
      -h, --help             Print help

    In an agent's MCP configuration:
      {"mcpServers": {"zubi": {"command": "zubi", "args": ["mcp"]}}}

    Nothing is started before the first question; the process ends when its input does.
    "#);
    assert_snapshot!(check(&["lsp", "--help"]), @r#"
    exit 0
    --- stdout
    Serve an editor: DomainLang's language server, and zubi's tools for editors that ask for them

    Usage: zubi lsp [OPTIONS]

    Options:
          --stdio                  Speak over stdin and stdout; so it does anyway, but many editors say it
          --clientProcessId <PID>  End when this process has ended: the editor's (on Linux)
          --schema                 Print the editor channel: every message beyond LSP's own, with JSON Schemas
          --workspace <DIR>        Workspace folder; may be given several times [default: the current directory]
          --read-only              No tool that writes exists
          --toolsets <LIST>        Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>           Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                  Trust the workspace in this session only
          --host <WHOSE>           `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...             Say more on stderr; twice for debugging
      -h, --help                   Print help

    An editor starts this by itself, for files *.dlang. Neovim 0.11:
      vim.filetype.add({ extension = { dlang = 'domain-lang' } })
      vim.lsp.config('zubi', { cmd = { 'zubi', 'lsp' }, filetypes = { 'domain-lang' }, root_markers = { 'model.yaml', '.git' } })
      vim.lsp.enable('zubi')

    To an editor that sends the initializationOptions {"zubi": {"editorProtocol": 1}} it offers the tools of `zubi tools list`
    that write nothing, as requests zubi/tools/list and zubi/tools/call, and asks it in turn about code with
    zubi/editor/request. It starts no language servers then. To all others it is what `dlang lsp` is.

    Folders are those that the editor has open; --workspace counts if it has none. The exit code is 0 when the editor said
    goodbye, else 1.
    "#);
    assert_snapshot!(check(&["call", "--help"]), @r#"
    exit 0
    --- stdout
    Call one tool and print its answer

    Usage: zubi call [OPTIONS] TOOL [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]

    Options:
          --workspace <DIR>  Workspace folder; may be given several times [default: the current directory]
          --read-only        No tool that writes exists
          --toolsets <LIST>  Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>     Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace in this session only
          --host <WHOSE>     `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...       Say more on stderr; twice for debugging
      -h, --help             Print help

    Examples:
      zubi call lsp_hover --help                                     the tool's arguments
      zubi call lsp_references --symbol Parser/next --max_tokens 500
      zubi call lsp_definition --input '{"at": "src/lib.rs:12:5"}'
      echo '{"query": "parse"}' | zubi call lsp_workspace_symbols --input -
      zubi call lsp_document_symbols --path src/lib.rs --json

    A failure is told on stderr, with --json also as {"error": {"code", "message"}} on stdout. `zubi tools codes` lists the codes.
    zubi's own options go before the tool's name, the tool's arguments after it.
    "#);
    assert_snapshot!(check(&["tools", "--help"]), @"
    exit 0
    --- stdout
    Show what can be asked; check the tools that this workspace declares

    Usage: zubi tools [OPTIONS] <COMMAND>

    Commands:
      list    List the tools of this session
      show    Describe one tool: its arguments, its effect, an example
      check   Check the files in which this workspace declares tools
      run     Run one tool that this workspace declares, as its author tries it
      init    Write a first tool file, with a tool that works
      codes   List the codes of failures: what each means, what to do, and what `zubi call` exits with
      schema  Print the JSON Schema of tool files
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
    ");
    assert_snapshot!(check(&["trust", "--help"]), @"
    exit 0
    --- stdout
    Let language servers run a project's code

    Usage: zubi trust [OPTIONS] [PATH]

    Arguments:
      [PATH]  Folder to trust, with everything below it [default: the current directory]

    Options:
          --list             Show which folders are trusted
          --revoke           Take trust back
          --diff             Show what would be trusted: tool files that are new, and what has changed in the others. Trusts nothing
          --expect <HASH>    Trust only if the files are still those that `--diff` showed: the hash that it printed
          --json             Print JSON
          --workspace <DIR>  Workspace folder; may be given several times [default: the current directory]
          --read-only        No tool that writes exists
          --toolsets <LIST>  Only tools of these toolsets exist (comma-separated; `!name` excludes)
          --tools <LIST>     Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace in this session only
          --host <WHOSE>     `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
      -v, --verbose...       Say more on stderr; twice for debugging
      -h, --help             Print help

    Some language servers run code of the project they read: build scripts, macros, plugins. They are started only in
    folders you trust. A folder covers everything below it. A `.zubi.toml` in it, and the files in which it declares tools
    (`.vscode/agent-tools.json`, `.vscode/agent-tools/*.json`), are trusted as they are now: one that changes is left out until
    it is trusted again.

    Examples:
      zubi trust                 the current directory
      zubi trust --diff          what that would let in
      zubi trust ~/work          everything in it
      zubi trust --list
      zubi trust --revoke ~/work
    ");
    assert_snapshot!(check(&["--version"]), @"
    exit 0
    --- stdout
    zubi 0.1.0
    ");
}

#[test]
fn tools() {
    assert_snapshot!(check(&["tools", "list"]), @"
    exit 0
    --- stdout
    lsp_definition              lsp         read     Go to definition
    lsp_references              lsp         read     Find references
    lsp_hover                   lsp         read     Type and documentation
    lsp_completion              lsp         read     Completions
    lsp_workspace_symbols       lsp         read     Find symbols by name
    lsp_document_symbols        lsp         read     Outline of a file
    lsp_rename_symbol           lsp         plan     Plan a rename
    lsp_code_actions            lsp         plan     Quick fixes and refactorings
    lsp_format_document         lsp         plan     Plan formatting
    lsp_signature_help          lsp         read     Signatures of a call
    lsp_diagnostics             lsp         read     Errors and warnings
    lsp_call_hierarchy          lsp         read     Callers and callees
    lsp_implementations         lsp         read     Find implementations
    lsp_type_definition         lsp         read     Go to the type
    lsp_type_hierarchy          lsp         read     Supertypes and subtypes
    lsp_explain                 lsp         read     Everything about a symbol
    apply_edit                  edit        write    Apply a plan
    undo_edit                   edit        write    Undo an applied plan
    domainlang_validate         domainlang  read     Validate the DomainLang model
    domainlang_list             domainlang  read     List DomainLang elements
    domainlang_get              domainlang  read     Get a DomainLang element
    domainlang_explain          domainlang  read     Explain a DomainLang element
    domainlang_search           domainlang  read     Search the DomainLang model
    domainlang_diagram          domainlang  read     Draw a DomainLang map
    file.read                   file        read     Read a file
    file.write                  file        write    Write a file
    file.edit                   file        write    Edit a file
    file.list                   file        read     List files
    file.search                 file        read     Search in files
    file.getCurrent             file        read     The active editor
    rename_file                 refactor    write    Rename a file
    rename_symbol               refactor    write    Rename a symbol
    organize_imports            refactor    write    Organize imports
    get_setting                 settings    read     Read a setting
    set_setting                 settings    write    Change a setting
    set_update_imports_setting  settings    write    Whether imports follow moves
    editor                      editor      read     What the editor shows
    shell.run                   shell       execute  Run a command
    shell.job                   shell       plan     Background jobs
    shell.which                 shell       read     Find a command
    shell.terminal              shell       execute  Run in a visible terminal
    output.read                 output      read     Read an output
    output.grep                 output      read     Search an output
    find_tools                  tools       read     Find tools
    call_read_tool              tools       plan     Call a tool that changes nothing
    call_tool                   tools       execute  Call any tool
    ");
    assert_snapshot!(check(&["tools", "show", "undo_edit"]), @r#"
    exit 0
    --- stdout
    undo_edit: Undo an applied plan

    Takes an applied edit back, byte for byte. Refuses when a file changed since.

    toolset edit, effect write

    Arguments:
      plan (string, required)  p-… or a-… that was applied
      max_tokens (integer)  Upper bound of the answer, default 2000
      wait_ms (integer)  How long to wait for servers that are loading (default 30000) or checking an edit (default 5000)
      format (string)  Default text

    Take a rename back:
      zubi call undo_edit --input '{"plan":"p-k3m7q2x9ab"}'
    "#);
    assert_snapshot!(check(&["call", "undo_edit", "--help"]), @"
    exit 0
    --- stdout
    Undo an applied plan

    Takes an applied edit back, byte for byte. Refuses when a file changed since.

    Usage: zubi call undo_edit [OPTIONS]

    Options:
          --plan <TEXT>
              p-… or a-… that was applied

          --max_tokens <NUMBER>
              Upper bound of the answer, default 2000

          --wait_ms <NUMBER>
              How long to wait for servers that are loading (default 30000) or checking an edit (default 5000)

          --format <TEXT>
              Default text [possible values: text, json]

          --input <JSON>
              All arguments as a JSON object; - reads it from stdin

          --json
              Print JSON

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      Take a rename back
        zubi call undo_edit --plan p-k3m7q2x9ab
    ");
}

#[test]
fn nothing_at_all_is_answered_with_help() {
    let shown = check(&[]);
    assert!(shown.starts_with("exit 2\n--- stderr\nGives AI agents"), "{shown}");
}

#[test]
fn json_is_json() {
    let place = Place::new();
    let output = place.zubi().args(["tools", "list", "--json"]).output().unwrap();
    let tools: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().unwrap().len() <= 1024);
    }
}

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
    Ctrl-C stops the turn, a second one leaves. /help lists the commands.

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
