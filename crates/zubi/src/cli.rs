//! The command line of `zubi`: its arguments and help texts. [`crate::commands`] runs the commands.

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand};
use zubi_cli::language_server::Flags;

pub(crate) mod agent;
pub(crate) mod index;

/// Gives AI agents what an editor gives a person: the language servers' understanding of the code.
#[derive(Debug, Parser)]
#[command(name = "zubi", version, max_term_width = 100, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

const EXAMPLES: &str = "\
Examples:
  zubi mcp                                   serve an agent over MCP (stdin and stdout)
  zubi serve --detach                        share language servers among all agents in this folder
  zubi tools list                            list the tools
  zubi call lsp_hover --at src/lib.rs:12:5   call one tool
  zubi agent run --model mock 'list files'   give zubi's own agent a task (`mock` needs no API key)
  zubi trust                                 let language servers run this project's code
  zubi doctor                                list installed and missing language servers

Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.";

/// The host that a command uses, the value of `--host`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HostChoice {
    Auto,
    Own,
}

/// Flags of every command; the help lists them after the command's own flags.
#[derive(Debug, Clone, Args)]
#[command(next_display_order = 100)]
pub(crate) struct Global {
    /// Workspace folder; repeat for several folders [default: the current directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) workspace: Vec<Utf8PathBuf>,
    /// Disable all tools that write
    #[arg(long, global = true)]
    pub(crate) read_only: bool,
    /// Enable toolsets: names, all, default (comma-separated; `!x` excludes)
    #[arg(long, value_name = "LIST", global = true)]
    pub(crate) toolsets: Option<String>,
    /// Enable only these tools (comma-separated; `lsp_*` matches, `!name` excludes)
    #[arg(long, value_name = "LIST", global = true)]
    pub(crate) tools: Option<String>,
    /// Trust the workspace for this session only
    #[arg(long, global = true)]
    pub(crate) trust: bool,
    /// Host to use: `auto` (an editor's, a daemon's or another agent's) or `own` (private) [default: auto]
    #[arg(long, value_name = "auto|own", global = true, hide_possible_values = true)]
    pub(crate) host: Option<HostChoice>,
    /// Increase log verbosity (-vv for debug)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Serve an agent over MCP on stdin and stdout
    #[command(after_help = MCP_EXAMPLES)]
    Mcp,
    /// Serve an editor: DomainLang's language server, and zubi's tools if the editor requests them
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(Lsp),
    /// Run a daemon that shares one set of language servers among all agents in this workspace
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Show the running hosts, their language servers and their clients
    #[command(after_help = STATUS_EXAMPLES)]
    Status(StatusArgs),
    /// Stop the daemon of this workspace
    #[command(after_help = "Example:\n  zubi stop")]
    Stop(Stop),
    /// Show, build or delete the index of this workspace
    #[command(subcommand, after_help = index::EXAMPLES)]
    Index(index::IndexCommand),
    /// Call one method of the IPC protocol
    #[command(after_help = IPC_EXAMPLES)]
    Ipc(Ipc),
    /// Call one tool and print its result
    #[command(after_help = CALL_EXAMPLES, override_usage = CALL_USAGE)]
    Call(CallArgs),
    /// Print the most important declarations of this workspace
    #[command(after_help = MAP_EXAMPLES)]
    Map(MapArgs),
    /// List and inspect tools; check and run workspace-declared tools
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Explain and list the permission rules
    #[command(subcommand, after_help = POLICY_HELP)]
    Policy(PolicyCommand),
    /// Give zubi's own agent a task, or chat with it
    #[command(subcommand, after_help = agent::HELP)]
    Agent(agent::AgentCommand),
    /// Chat with the agent in a browser
    #[command(after_help = agent::WEB_EXAMPLES)]
    Web(agent::Web),
    /// Let language servers run a project's code
    #[command(after_help = TRUST_EXAMPLES)]
    Trust(TrustArgs),
    /// Check the language servers of this workspace and list the missing ones
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// Check that zubi works on this machine and report the result as JSON
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify,
}

const VERIFY_EXAMPLES: &str = "\
Always prints one JSON object to stdout, and one line per check to stderr:
  {\"timestamp\":…, \"success\":…, \"summary\":{\"passed\":…,\"failed\":…,\"skipped\":…}, \"checks\":[{\"id\",\"name\",\"status\",…}]}
Exits with 0 if no check failed, otherwise with 1.

Example:
  zubi verify 2>/dev/null";

const MCP_EXAMPLES: &str = "\
In an agent's MCP configuration:
  {\"mcpServers\": {\"zubi\": {\"command\": \"zubi\", \"args\": [\"mcp\"]}}}

Language servers start with the first tool call. The process exits when stdin closes.";

const LSP_EXAMPLES: &str = "\
Your editor runs this command for *.dlang files. Neovim 0.11:
  vim.filetype.add({ extension = { dlang = 'domain-lang' } })
  vim.lsp.config('zubi', { cmd = { 'zubi', 'lsp' }, filetypes = { 'domain-lang' }, root_markers = { 'model.yaml', '.git' } })
  vim.lsp.enable('zubi')

If the editor sends the initializationOptions {\"zubi\": {\"editorProtocol\": 1}}, zubi offers it the
tools of `zubi tools list` that write nothing (requests zubi/tools/list and zubi/tools/call), and
sends the editor code queries (zubi/editor/request) instead of starting language servers. For any
other editor, `zubi lsp` behaves like `dlang lsp`.

The workspace is the folders that the editor has open; --workspace applies only if the editor has
none open. Exits with 0 after an LSP `shutdown`/`exit`, otherwise with 1.";

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Run in the background; return once the daemon accepts connections
    #[arg(long)]
    pub(crate) detach: bool,
    /// Mark this process as the detached daemon
    #[arg(long, hide = true, conflicts_with = "detach")]
    pub(crate) detached: bool,
    /// Port on 127.0.0.1 [default: 9847; if taken, one of the next ten, then any free port]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Listen on the Unix socket only
    #[arg(long, conflicts_with = "port")]
    pub(crate) no_port: bool,
    /// Exit after this long without a client; 0 never exits
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    pub(crate) idle: u64,
}

const SERVE_EXAMPLES: &str = "\
Every `zubi mcp` and `zubi call` in these folders uses the daemon instead of starting language
servers of its own, until an editor with zubi's extension opens the folders. --read-only, --tools
and --toolsets given here apply to all clients.

Examples:
  zubi serve
  zubi serve --detach --idle 0
  zubi serve --no-port";

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const STATUS_EXAMPLES: &str = "\
Shows the hosts of all workspaces of the current user and ignores --workspace.

Examples:
  zubi status
  zubi status --json";

#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// Stop the daemons of all workspaces
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    pub(crate) flags: Flags,
    /// Print the editor protocol: every message that extends LSP, with JSON Schemas
    #[arg(long)]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ipc {
    /// Method name
    #[arg(required_unless_present = "schema")]
    pub(crate) method: Option<String>,
    /// Parameters of the method; `-` reads them from stdin
    #[arg(long, value_name = "JSON")]
    pub(crate) params: Option<String>,
    /// How long to wait for the response
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Print the protocol: every method, with JSON Schemas
    #[arg(long, conflicts_with_all = ["method", "params"])]
    pub(crate) schema: bool,
}

const IPC_EXAMPLES: &str = "\
Sends the request to this workspace's host. If no host is running, handles it in this process.
Prints the result as JSON.

Exit codes: 0 success, 1 the method failed, 2 invalid parameters or unknown method, 3 loading, timed
out or not allowed.

Examples:
  zubi ipc getWorkspaceErrors
  zubi ipc validateFile --params '{\"path\": \"src/main.py\"}'
  zubi ipc host/status";

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    #[command(subcommand)]
    pub(crate) tool: CallToolCommand,
}

/// The tool and its arguments, which zubi parses once the host has sent the tool's schema.
#[derive(Debug, Subcommand)]
pub(crate) enum CallToolCommand {
    #[command(external_subcommand)]
    Tool(Vec<String>),
}

const CALL_USAGE: &str = "zubi call [OPTIONS] TOOL [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]";

const CALL_EXAMPLES: &str = "\
Examples:
  zubi call lsp_hover --help                                     the tool's arguments
  zubi call lsp_references --symbol Parser/next --maxTokens 500
  zubi call lsp_definition --input '{\"at\": \"src/lib.rs:12:5\"}'
  echo '{\"query\": \"parse\"}' | zubi call lsp_workspace_symbols --input -
  zubi call lsp_document_symbols --path src/lib.rs --json

Errors go to stderr; with --json, also to stdout as {\"error\": {\"code\", \"message\"}}.
`zubi tools codes` lists the codes. Put zubi's own options before the tool's name, and the tool's
arguments after it.";

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    /// Size of the map in tokens of about four characters [default: 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(200..=20_000))]
    pub(crate) budget: Option<u32>,
    /// Begin with this path, pattern for paths or symbol, and with what it uses; repeat for several
    #[arg(long, value_name = "NAME")]
    pub(crate) focus: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const MAP_EXAMPLES: &str = "\
Ranks the names by the files that use them, from the index of declarations and words, and prints
them by file with lines and signatures. Tests and generated files come last. Agents call the same
map as the tool `repo_map`.

Examples:
  zubi map
  zubi map --budget 5000
  zubi map --focus src/storage --focus 'Parser/next'
  zubi map --focus '**/*.go' --json";

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List the tools of this session
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// List only tools of this toolset
        #[arg(long, value_name = "NAME")]
        toolset: Option<String>,
        /// List only tools of this category
        #[arg(long, value_name = "NAME")]
        category: Option<String>,
        /// List only tools with this tag
        #[arg(long, value_name = "NAME")]
        tag: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Describe one tool: its arguments, its effect and an example
    #[command(after_help = "Example:\n  zubi tools show lsp_references")]
    Show {
        /// Tool id, as printed by `zubi tools list`
        tool: String,
        /// Print JSON, with the full input schema
        #[arg(long)]
        json: bool,
    },
    /// Check the files in which this workspace declares tools
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckTools),
    /// Run a workspace-declared tool (for tool authors)
    #[command(after_help = RUN_EXAMPLES, override_usage = RUN_USAGE)]
    Run(RunTool),
    /// Create a tool file with a working example
    #[command(after_help = "Never overwrites a file.\n\nExample:\n  zubi tools init")]
    Init,
    /// List the error codes with their meaning, a hint, and the exit code of `zubi call`
    #[command(after_help = "Example:\n  zubi tools codes --json")]
    Codes {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of tool files
    #[command(after_help = "Example:\n  zubi tools schema > .vscode/agent-tools.schema.json")]
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct RunTool {
    /// Print the fully expanded command and the policy decision without running anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(subcommand)]
    pub(crate) tool: CallToolCommand,
}

const RUN_USAGE: &str = "zubi tools run [--dry-run] ID [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]";

const RUN_EXAMPLES: &str = "\
If a rule requires approval, zubi shows the call and prompts before running it. A tool runs only if
the current content of its file is trusted. Exit codes are those of `zubi call`; a dry run exits
with 1 if the rules would deny the call.

Examples:
  zubi tools run greet --help              the tool's arguments
  zubi tools run greet --name Ada
  zubi tools run --dry-run greet --name '$(id)'
  zubi --trust tools run greet --name Ada  trust the file, and this folder, for this run only";

const LIST_EXAMPLES: &str = "\
Unknown names are rejected with a list of the valid ones.

Examples:
  zubi tools list
  zubi tools list --category Files
  zubi tools list --toolset lsp --tag rename
  zubi --read-only tools list --json";

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show the policy decision for each part of a call, without making the call
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainPolicy),
    /// List the rules in force
    #[command(after_help = "Example:\n  zubi policy list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Propose narrow rules for the commands that you have approved
    #[command(after_help = SUGGEST_EXAMPLES)]
    Suggest {
        /// Propose a rule only for commands that you have approved this often
        #[arg(long, value_name = "N", default_value_t = 2)]
        min: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

const SUGGEST_EXAMPLES: &str = "\
Reads the audit log (all workspaces) and prints [[policy]] tables; it changes nothing. A rule is
exactly the command, unless you approved it with different arguments that run, load and write
nothing else: then its last word is \"*\", which covers only such arguments. Read each rule before
you copy it into zubi.toml, and check it with `zubi policy explain --shell`.

Examples:
  zubi policy suggest
  zubi policy suggest --min 5";

#[derive(Debug, Args)]
pub(crate) struct ExplainPolicy {
    /// Tool id, optionally followed by its arguments as JSON
    #[arg(required_unless_present = "shell")]
    pub(crate) call: Option<String>,
    /// Arguments of the tool
    #[arg(long, value_name = "JSON", conflicts_with = "shell")]
    pub(crate) input: Option<String>,
    /// Explain this command for `shell.run` instead of a tool call
    #[arg(long, value_name = "TEXT", conflicts_with = "call")]
    pub(crate) shell: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Exit codes: 0 allowed, 1 needs approval or denied.

Examples:
  zubi policy explain --shell 'git log | head -3'
  zubi policy explain shell.run --input '{\"command\": \"git push\"}'
  zubi policy explain 'file.write {\"path\": \"a.txt\", \"content\": \"\"}' --json";

const POLICY_HELP: &str = "\
zubi reads rules from zubi.toml and from the workspace's .zubi.toml (until it is trusted, only its
`ask` and `deny` rules):
  [[policy]]
  action = \"allow\"                            # `deny` beats `ask` beats `allow`, in any order
  command = [\"git\", \"status|log|diff\", \"*\"]   # a last \"*\": further arguments that only look
  reason = \"these look\"
  examples = { match = [\"git log -3\"], no-match = [\"git push\"] }
Further keys: tools, effect, read, write, hosts, secrets. An invalid rule or a failing example
disables every tool that writes or executes until you fix it.";

#[derive(Debug, Args)]
pub(crate) struct CheckTools {
    /// Tool files [default: `.vscode/agent-tools.json` and `.vscode/agent-tools/*.json` of the workspace]
    pub(crate) files: Vec<Utf8PathBuf>,
    /// Run the tests in the files: of these tools (id, or location `FILE:LINE`), or of all tools
    #[arg(long, value_name = "ID", num_args = 0..)]
    pub(crate) test: Option<Vec<String>>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail on warnings as well
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

const CHECK_EXAMPLES: &str = "\
Reports every problem with file, line and column, and lists the files that are ignored because their
current content is not trusted.

--test runs the `tests` of the tools in trusted files, each in its own directory with its `fixtures`
and `files`, and in the same sandbox as any call. A test contacts no server and calls no other tool:
its `http` and `calls` entries supply the answers.

Exit codes: 0 success; 1 errors, failed tests or, with --deny-warnings, warnings; 3 tests skipped
because their file is not trusted.

Examples:
  zubi tools check
  zubi tools check --test
  zubi tools check --test greet kb.search
  zubi tools check --test .vscode/agent-tools.json:12
  zubi tools check --deny-warnings .vscode/agent-tools.json";

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Folder to trust, including its subfolders [default: the current directory]
    #[arg(conflicts_with = "list")]
    pub(crate) path: Option<Utf8PathBuf>,
    /// List the trusted folders
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Revoke trust
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Show new tool files and changes in trusted ones, without trusting anything
    #[arg(long, conflicts_with_all = ["list", "revoke", "json"])]
    pub(crate) diff: bool,
    /// Trust only if the files still have the hash that `--diff` printed
    #[arg(long, value_name = "HASH", conflicts_with_all = ["list", "revoke", "diff"])]
    pub(crate) expect: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Install missing language servers, with confirmation
    #[arg(long, conflicts_with = "json")]
    pub(crate) fix: bool,
    /// Install without confirmation
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
    /// How long to wait for a server to become ready
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) wait: u64,
}

const DOCTOR_EXAMPLES: &str = "\
Starts each installed server for the workspace's languages and reports whether it became ready.
Exits with 1 if a language has no working server.

Examples:
  zubi doctor
  zubi doctor --json
  zubi doctor --fix          install missing servers";

const TRUST_EXAMPLES: &str = "\
Some language servers run code from the project they analyse: build scripts, macros, plugins. zubi
starts them only in folders you trust. Trust includes subfolders. It also covers the current content
of `.zubi.toml` and of the tool files (`.vscode/agent-tools.json`, `.vscode/agent-tools/*.json`): if
one of these files changes, zubi ignores it until you trust it again.

Examples:
  zubi trust                 the current directory
  zubi trust --diff          preview what would become trusted
  zubi trust ~/work          all folders below ~/work
  zubi trust --list
  zubi trust --revoke ~/work";
