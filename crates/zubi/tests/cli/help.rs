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
      mcp     Serve an agent over MCP on stdin and stdout
      lsp     Serve an editor: DomainLang's language server, and zubi's tools if the editor requests them
      serve   Run a daemon that shares one set of language servers among all agents in this workspace
      status  Show the running hosts, their language servers and their clients
      stop    Stop the daemon of this workspace
      ipc     Call one method of the IPC protocol
      call    Call one tool and print its result
      tools   List and inspect tools; check and run workspace-declared tools
      policy  Explain and list the permission rules
      agent   Give zubi's own agent a task, or chat with it
      web     Chat with the agent in a browser
      trust   Let language servers run a project's code
      doctor  Check the language servers of this workspace and list the missing ones
      verify  Check that zubi works on this machine and report the result as JSON
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
      -V, --version          Print version

    Examples:
      zubi mcp                                   serve an agent over MCP (stdin and stdout)
      zubi serve --detach                        share language servers among all agents in this folder
      zubi tools list                            list the tools
      zubi call lsp_hover --at src/lib.rs:12:5   call one tool
      zubi agent run --model mock 'list files'   give zubi's own agent a task (`mock` needs no API key)
      zubi trust                                 let language servers run this project's code
      zubi doctor                                list installed and missing language servers

    Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.
    ");
    assert_snapshot!(check(&["mcp", "--help"]), @r#"
    exit 0
    --- stdout
    Serve an agent over MCP on stdin and stdout

    Usage: zubi mcp [OPTIONS]

    Options:
          --workspace <DIR>  Workspace folder; repeat for several folders [default: the current directory]
          --read-only        Disable all tools that write
          --toolsets <LIST>  Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>     Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace for this session only
          --host <HOST>      Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...       Increase log verbosity (-vv for debug)
      -h, --help             Print help

    In an agent's MCP configuration:
      {"mcpServers": {"zubi": {"command": "zubi", "args": ["mcp"]}}}

    Language servers start with the first tool call. The process exits when stdin closes.
    "#);
    assert_snapshot!(check(&["lsp", "--help"]), @r#"
    exit 0
    --- stdout
    Serve an editor: DomainLang's language server, and zubi's tools if the editor requests them

    Usage: zubi lsp [OPTIONS]

    Options:
          --stdio                  Use stdin and stdout (always the case; accepted because many editors pass it)
          --clientProcessId <PID>  Exit when this process, usually the editor, has exited (Linux only)
          --schema                 Print the editor protocol: every message that extends LSP, with JSON Schemas
          --workspace <DIR>        Workspace folder; repeat for several folders [default: the current directory]
          --read-only              Disable all tools that write
          --toolsets <LIST>        Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>           Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust                  Trust the workspace for this session only
          --host <HOST>            Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...             Increase log verbosity (-vv for debug)
      -h, --help                   Print help

    Your editor runs this command for *.dlang files. Neovim 0.11:
      vim.filetype.add({ extension = { dlang = 'domain-lang' } })
      vim.lsp.config('zubi', { cmd = { 'zubi', 'lsp' }, filetypes = { 'domain-lang' }, root_markers = { 'model.yaml', '.git' } })
      vim.lsp.enable('zubi')

    If the editor sends the initializationOptions {"zubi": {"editorProtocol": 1}}, zubi offers it the
    tools of `zubi tools list` that write nothing (requests zubi/tools/list and zubi/tools/call), and
    sends the editor code queries (zubi/editor/request) instead of starting language servers. For any
    other editor, `zubi lsp` behaves like `dlang lsp`.

    The workspace is the folders that the editor has open; --workspace applies only if the editor has
    none open. Exits with 0 after an LSP `shutdown`/`exit`, otherwise with 1.
    "#);
    assert_snapshot!(check(&["call", "--help"]), @r#"
    exit 0
    --- stdout
    Call one tool and print its result

    Usage: zubi call [OPTIONS] TOOL [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]

    Options:
          --workspace <DIR>  Workspace folder; repeat for several folders [default: the current directory]
          --read-only        Disable all tools that write
          --toolsets <LIST>  Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>     Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace for this session only
          --host <HOST>      Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...       Increase log verbosity (-vv for debug)
      -h, --help             Print help

    Examples:
      zubi call lsp_hover --help                                     the tool's arguments
      zubi call lsp_references --symbol Parser/next --maxTokens 500
      zubi call lsp_definition --input '{"at": "src/lib.rs:12:5"}'
      echo '{"query": "parse"}' | zubi call lsp_workspace_symbols --input -
      zubi call lsp_document_symbols --path src/lib.rs --json

    Errors go to stderr; with --json, also to stdout as {"error": {"code", "message"}}.
    `zubi tools codes` lists the codes. Put zubi's own options before the tool's name, and the tool's
    arguments after it.
    "#);
    assert_snapshot!(check(&["tools", "--help"]), @"
    exit 0
    --- stdout
    List and inspect tools; check and run workspace-declared tools

    Usage: zubi tools [OPTIONS] <COMMAND>

    Commands:
      list    List the tools of this session
      show    Describe one tool: its arguments, its effect and an example
      check   Check the files in which this workspace declares tools
      run     Run a workspace-declared tool (for tool authors)
      init    Create a tool file with a working example
      codes   List the error codes with their meaning, a hint, and the exit code of `zubi call`
      schema  Print the JSON Schema of tool files
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
    ");
    assert_snapshot!(check(&["trust", "--help"]), @"
    exit 0
    --- stdout
    Let language servers run a project's code

    Usage: zubi trust [OPTIONS] [PATH]

    Arguments:
      [PATH]  Folder to trust, including its subfolders [default: the current directory]

    Options:
          --list             List the trusted folders
          --revoke           Revoke trust
          --diff             Show new tool files and changes in trusted ones, without trusting anything
          --expect <HASH>    Trust only if the files still have the hash that `--diff` printed
          --json             Print JSON
          --workspace <DIR>  Workspace folder; repeat for several folders [default: the current directory]
          --read-only        Disable all tools that write
          --toolsets <LIST>  Enable only these toolsets (comma-separated; `!name` excludes)
          --tools <LIST>     Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
          --trust            Trust the workspace for this session only
          --host <HOST>      Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
      -v, --verbose...       Increase log verbosity (-vv for debug)
      -h, --help             Print help

    Some language servers run code from the project they analyse: build scripts, macros, plugins. zubi
    starts them only in folders you trust. Trust includes subfolders. It also covers the current content
    of `.zubi.toml` and of the tool files (`.vscode/agent-tools.json`, `.vscode/agent-tools/*.json`): if
    one of these files changes, zubi ignores it until you trust it again.

    Examples:
      zubi trust                 the current directory
      zubi trust --diff          preview what would become trusted
      zubi trust ~/work          all folders below ~/work
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
