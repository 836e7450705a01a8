//! Help that teaches.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

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
      zubi call lsp_references --symbol Parser/next --maxTokens 500
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
    lsp_explain                 lsp         read     Explain a symbol
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
    set_update_imports_setting  settings    write    Update imports on file moves
    editor                      editor      read     Editor state
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

    Reverts an applied edit, byte for byte. Fails if a file changed since.

    toolset edit, effect write

    Arguments:
      plan (string, required)  Applied p-… or a-…
      maxTokens (integer)  Upper bound of the answer, default 2000
      waitMs (integer)  How long to wait for servers that are loading (default 30000) or checking an edit (default 5000)
      format (string)  Default text

    Undo a rename:
      zubi call undo_edit --input '{"plan":"p-k3m7q2x9ab"}'
    "#);
    assert_snapshot!(check(&["call", "undo_edit", "--help"]), @"
    exit 0
    --- stdout
    Undo an applied plan

    Reverts an applied edit, byte for byte. Fails if a file changed since.

    Usage: zubi call undo_edit [OPTIONS]

    Options:
          --plan <TEXT>
              Applied p-… or a-…

          --maxTokens <NUMBER>
              Upper bound of the answer, default 2000

          --waitMs <NUMBER>
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
      Undo a rename
        zubi call undo_edit --plan p-k3m7q2x9ab
    ");
}

#[test]
fn nothing_at_all_is_answered_with_help() {
    let output = check(&[]);
    assert!(output.starts_with("exit 2\n--- stderr\nGives AI agents"), "{output}");
}

#[test]
fn json_is_json() {
    let sandbox = Sandbox::new();
    let output = sandbox.zubi().args(["tools", "list", "--json"]).output().unwrap();
    let tools: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["description"].as_str().unwrap().len() <= 1024);
    }
}
