//! What can be typed. Texts only; what happens is in [`crate::commands`].

use camino::Utf8PathBuf;
use clap::{Args, Parser, Subcommand};
use zubi_cli::language_server::Flags;

pub(crate) mod agent;

/// Gives AI agents what an editor gives a person: the language servers' understanding of the code.
#[derive(Debug, Parser)]
#[command(name = "zubi", version, max_term_width = 100, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  zubi mcp                                   answer an agent over MCP (stdin and stdout)
  zubi serve --detach                        share language servers among all agents of this folder
  zubi tools list                            what can be asked
  zubi call lsp_hover --at src/lib.rs:12:5   ask one question
  zubi agent run --model mock 'list files'   give zubi's own agent a task; mock needs no model
  zubi trust                                 let language servers run this project's code
  zubi doctor                                which language servers are there, and which are missing

Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.";

/// Whose host answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HostChoice {
    Auto,
    Own,
}

/// Flags of every command; help shows them behind a command's own.
#[derive(Debug, Clone, Args)]
#[command(next_display_order = 100)]
pub(crate) struct Global {
    /// Workspace folder; may be given several times [default: the current directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) workspace: Vec<Utf8PathBuf>,
    /// No tool that writes exists
    #[arg(long, global = true)]
    pub(crate) read_only: bool,
    /// Only tools of these toolsets exist (comma-separated; `!name` excludes)
    #[arg(long, value_name = "LIST", global = true)]
    pub(crate) toolsets: Option<String>,
    /// Only these tools exist (comma-separated; `lsp_*` matches, `!name` excludes)
    #[arg(long, value_name = "LIST", global = true)]
    pub(crate) tools: Option<String>,
    /// Trust the workspace in this session only
    #[arg(long, global = true)]
    pub(crate) trust: bool,
    /// `own`: share no host with other processes [default: auto, the host of an open editor, of a daemon or of another agent]
    #[arg(long, value_name = "WHOSE", global = true, hide_possible_values = true)]
    pub(crate) host: Option<HostChoice>,
    /// Say more on stderr; twice for debugging
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer an agent over MCP on stdin and stdout
    #[command(after_help = MCP_EXAMPLES)]
    Mcp,
    /// Serve an editor: DomainLang's language server, and zubi's tools for editors that ask for them
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(Lsp),
    /// Serve a workspace until it is told to end: agents that come later share its language servers
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Serve),
    /// Show the hosts that run, their language servers and who is connected
    #[command(after_help = STATUS_EXAMPLES)]
    Status(Status),
    /// End the daemon of this workspace
    #[command(after_help = "Example:\n  zubi stop")]
    Stop(Stop),
    /// Call one method of the IPC protocol, as other programs do
    #[command(after_help = IPC_EXAMPLES)]
    Ipc(Ipc),
    /// Call one tool and print its answer
    #[command(after_help = CALL_EXAMPLES, override_usage = CALL_USAGE)]
    Call(Call),
    /// Show what can be asked; check the tools that this workspace declares
    #[command(subcommand)]
    Tools(Tools),
    /// Find out what calls may do, and which rule says so
    #[command(subcommand, after_help = POLICY_HELP)]
    Policy(Policy),
    /// Give zubi's own agent a task, or talk with it
    #[command(subcommand, after_help = agent::HELP)]
    Agent(agent::Agent),
    /// Talk with the agent in a browser
    #[command(after_help = agent::WEB_EXAMPLES)]
    Web(agent::Web),
    /// Let language servers run a project's code
    #[command(after_help = TRUST_EXAMPLES)]
    Trust(Trust),
    /// Find out which language servers this workspace needs, has, and what is missing
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// Check that zubi works here, and report it as JSON
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify,
}

const VERIFY_EXAMPLES: &str = "\
Prints one JSON object on stdout, always, with a line for each check on stderr:
  {\"timestamp\":…, \"success\":…, \"summary\":{\"passed\":…,\"failed\":…,\"skipped\":…}, \"checks\":[{\"id\",\"name\",\"status\",…}]}
The exit code is 0 when no check failed, else 1.

Example:
  zubi verify 2>/dev/null";

const MCP_EXAMPLES: &str = "\
In an agent's MCP configuration:
  {\"mcpServers\": {\"zubi\": {\"command\": \"zubi\", \"args\": [\"mcp\"]}}}

Nothing is started before the first question; the process ends when its input does.";

const LSP_EXAMPLES: &str = "\
An editor starts this by itself, for files *.dlang. Neovim 0.11:
  vim.filetype.add({ extension = { dlang = 'domain-lang' } })
  vim.lsp.config('zubi', { cmd = { 'zubi', 'lsp' }, filetypes = { 'domain-lang' }, root_markers = { 'model.yaml', '.git' } })
  vim.lsp.enable('zubi')

To an editor that sends the initializationOptions {\"zubi\": {\"editorProtocol\": 1}} it offers the tools of `zubi tools list`
that write nothing, as requests zubi/tools/list and zubi/tools/call, and asks it in turn about code with
zubi/editor/request. It starts no language servers then. To all others it is what `dlang lsp` is.

Folders are those that the editor has open; --workspace counts if it has none. The exit code is 0 when the editor said
goodbye, else 1.";

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Return as soon as it can be found, and leave it running
    #[arg(long)]
    pub(crate) detach: bool,
    /// This process was detached
    #[arg(long, hide = true, conflicts_with = "detach")]
    pub(crate) detached: bool,
    /// Port on 127.0.0.1 [default: 9847, else one of the next ten, else any]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Listen on the socket alone
    #[arg(long, conflicts_with = "port")]
    pub(crate) no_port: bool,
    /// End after so long without a client; 0: never
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    pub(crate) idle: u64,
}

const SERVE_EXAMPLES: &str = "\
Every `zubi mcp` and `zubi call` in these folders asks it instead of starting language servers of its own, until an editor
with zubi's extension has them open. What --read-only, --tools and --toolsets say here holds for all of them.

Examples:
  zubi serve
  zubi serve --detach --idle 0
  zubi serve --no-port";

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const STATUS_EXAMPLES: &str = "\
Shows the hosts of all workspaces of this user, whatever --workspace says.

Examples:
  zubi status
  zubi status --json";

#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// End the daemons of all workspaces
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    pub(crate) flags: Flags,
    /// Print the editor channel: every message beyond LSP's own, with JSON Schemas
    #[arg(long)]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ipc {
    /// Name of the method
    #[arg(required_unless_present = "schema")]
    pub(crate) method: Option<String>,
    /// Its parameters; `-` reads them from stdin
    #[arg(long, value_name = "JSON")]
    pub(crate) params: Option<String>,
    /// How long to wait for the answer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Print the protocol: every method, with JSON Schemas
    #[arg(long, conflicts_with_all = ["method", "params"])]
    pub(crate) schema: bool,
}

const IPC_EXAMPLES: &str = "\
Asks the host of this workspace; where none runs, this process is it for the one question. Prints the result as JSON.
Exit codes: 1 the method failed, 2 wrong parameters or no such method, 3 loading, timed out or not allowed.

Examples:
  zubi ipc getWorkspaceErrors
  zubi ipc validateFile --params '{\"path\": \"src/main.py\"}'
  zubi ipc host/status";

#[derive(Debug, Args)]
pub(crate) struct Call {
    #[command(subcommand)]
    pub(crate) tool: CallTool,
}

/// The tool and its arguments; what they are is known once the host is.
#[derive(Debug, Subcommand)]
pub(crate) enum CallTool {
    #[command(external_subcommand)]
    Tool(Vec<String>),
}

const CALL_USAGE: &str = "zubi call [OPTIONS] TOOL [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]";

const CALL_EXAMPLES: &str = "\
Examples:
  zubi call lsp_hover --help                                     the tool's arguments
  zubi call lsp_references --symbol Parser/next --max_tokens 500
  zubi call lsp_definition --input '{\"at\": \"src/lib.rs:12:5\"}'
  echo '{\"query\": \"parse\"}' | zubi call lsp_workspace_symbols --input -
  zubi call lsp_document_symbols --path src/lib.rs --json

A failure is told on stderr, with --json also as {\"error\": {\"code\", \"message\"}} on stdout. `zubi tools codes` lists the codes.
zubi's own options go before the tool's name, the tool's arguments after it.";

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// List the tools of this session
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Only tools of this toolset
        #[arg(long, value_name = "NAME")]
        toolset: Option<String>,
        /// Only tools of this category
        #[arg(long, value_name = "NAME")]
        category: Option<String>,
        /// Only tools with this tag
        #[arg(long, value_name = "NAME")]
        tag: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Describe one tool: its arguments, its effect, an example
    #[command(after_help = "Example:\n  zubi tools show lsp_references")]
    Show {
        /// Id, as `zubi tools list` prints it
        tool: String,
        /// Print JSON, with the whole input schema
        #[arg(long)]
        json: bool,
    },
    /// Check the files in which this workspace declares tools
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckTools),
    /// Run one tool that this workspace declares, as its author tries it
    #[command(after_help = RUN_EXAMPLES, override_usage = RUN_USAGE)]
    Run(RunTool),
    /// Write a first tool file, with a tool that works
    #[command(after_help = "Nothing is ever overwritten.\n\nExample:\n  zubi tools init")]
    Init,
    /// List the codes of failures: what each means, what to do, and what `zubi call` exits with
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
    /// Print what would run, with everything in its place, and what the rules say of it; run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(subcommand)]
    pub(crate) tool: CallTool,
}

const RUN_USAGE: &str = "zubi tools run [--dry-run] ID [--ARGUMENT VALUE]… [--input JSON | --input -] [--json]";

const RUN_EXAMPLES: &str = "\
Asks before it runs anything that the rules ask about, and shows what that is. A tool of a file that is not trusted as it is
now does not run. Exit codes are those of `zubi call`; of a dry run 1 when the rules would refuse the call.

Examples:
  zubi tools run greet --help              the tool's arguments
  zubi tools run greet --name Ada
  zubi tools run --dry-run greet --name '$(id)'
  zubi --trust tools run greet --name Ada  trusts the file, and this folder, for this run alone";

const LIST_EXAMPLES: &str = "\
A name that no tool has is told with those that there are.

Examples:
  zubi tools list
  zubi tools list --category Files
  zubi tools list --toolset lsp --tag rename
  zubi --read-only tools list --json";

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Say what would become of a call, part by part, without making it
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainPolicy),
    /// List the rules in force
    #[command(after_help = "Example:\n  zubi policy list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExplainPolicy {
    /// The tool, or the tool and its arguments as JSON
    #[arg(required_unless_present = "shell")]
    pub(crate) call: Option<String>,
    /// The arguments
    #[arg(long, value_name = "JSON", conflicts_with = "shell")]
    pub(crate) input: Option<String>,
    /// A command for `shell.run` instead of a tool
    #[arg(long, value_name = "TEXT", conflicts_with = "call")]
    pub(crate) shell: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Exit codes: 0 it would run without a question; 1 somebody would be asked, or it would be refused.

Examples:
  zubi policy explain --shell 'git log | head -3'
  zubi policy explain shell.run --input '{\"command\": \"git push\"}'
  zubi policy explain 'file.write {\"path\": \"a.txt\", \"content\": \"\"}' --json";

const POLICY_HELP: &str = "\
Rules stand in zubi.toml and, once it is trusted, in a workspace's .zubi.toml (before that only those that ask or deny):
  [[policy]]
  action = \"allow\"                            # allow, ask or deny; deny beats ask beats allow, in whatever order
  command = [\"git\", \"status|log|diff\", \"*\"]   # a last \"*\": any further arguments
  reason = \"looking is harmless\"
  examples = { match = [\"git log -3\"], no-match = [\"git push\"] }
Further keys: tools, effect, read, write, hosts, secrets. A rule that is broken, or whose examples fail, closes the policy:
nothing that changes or runs anything is allowed until it is mended.";

#[derive(Debug, Args)]
pub(crate) struct CheckTools {
    /// Tool files [default: `.vscode/agent-tools.json` and `.vscode/agent-tools/*.json` of the workspace]
    pub(crate) files: Vec<Utf8PathBuf>,
    /// Run the tests that stand in the files, of these tools (by id, or by a place `FILE:LINE`) or of all
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
Tells everything that is wrong, with file, line and column, and which files are left out because nobody has trusted them
as they are. The exit code is 1 when there are errors, with --deny-warnings also when there are warnings.

--test runs the `tests` of the tools, those of files that are trusted: each in a directory of its own that holds its
`fixtures` and `files`, in the sandbox of every call. No server is asked and no other tool called; `http` and `calls` of the
test answer in their place. The exit code is 1 when a test fails, 3 when tests did not run because their file is not trusted.

Examples:
  zubi tools check
  zubi tools check --test
  zubi tools check --test greet kb.search
  zubi tools check --test .vscode/agent-tools.json:12
  zubi tools check --deny-warnings .vscode/agent-tools.json";

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Folder to trust, with everything below it [default: the current directory]
    #[arg(conflicts_with = "list")]
    pub(crate) path: Option<Utf8PathBuf>,
    /// Show which folders are trusted
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Take trust back
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Show what would be trusted: tool files that are new, and what has changed in the others. Trusts nothing
    #[arg(long, conflicts_with_all = ["list", "revoke", "json"])]
    pub(crate) diff: bool,
    /// Trust only if the files are still those that `--diff` showed: the hash that it printed
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
    /// Install what is missing, after asking
    #[arg(long, conflicts_with = "json")]
    pub(crate) fix: bool,
    /// Do not ask before installing
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
    /// How long a server may take to become ready
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) wait: u64,
}

const DOCTOR_EXAMPLES: &str = "\
Starts every installed server of the workspace's languages once and tells how it got on. The exit code is 1 when a
language has no server that works.

Examples:
  zubi doctor
  zubi doctor --json
  zubi doctor --fix          install what is missing";

const TRUST_EXAMPLES: &str = "\
Some language servers run code of the project they read: build scripts, macros, plugins. They are started only in
folders you trust. A folder covers everything below it. A `.zubi.toml` in it, and the files in which it declares tools
(`.vscode/agent-tools.json`, `.vscode/agent-tools/*.json`), are trusted as they are now: one that changes is left out until
it is trusted again.

Examples:
  zubi trust                 the current directory
  zubi trust --diff          what that would let in
  zubi trust ~/work          everything in it
  zubi trust --list
  zubi trust --revoke ~/work";
