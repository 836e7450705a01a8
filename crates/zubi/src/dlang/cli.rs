//! The command line of `dlang`: its arguments and help texts. [`crate::commands`] runs the commands.

use std::ffi::OsStr;

use camino::Utf8PathBuf;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Args, Parser, Subcommand, ValueEnum};
use dlang_ide::query::{EntityType, InvalidInput};
use zubi_base::nearest::nearest;
use zubi_cli::language_server::Flags;

/// Checks and queries DomainLang models: domains, bounded contexts and their relationships
#[derive(Debug, Parser)]
#[command(
    name = "dlang",
    version,
    disable_version_flag = true,
    max_term_width = 100,
    after_help = EXAMPLES,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Print version (also -v)
    #[arg(short = 'V', short_alias = 'v', long, action = ArgAction::Version)]
    version: Option<bool>,
    #[command(subcommand)]
    pub(crate) command: DlangCommand,
}

const EXAMPLES: &str = "\
Examples:
  dlang init shop                              create a model
  dlang validate                               check all models below this folder
  dlang query bcs --domain Sales               bounded contexts, as a table
  dlang query relationships --pattern ACL --json
  dlang explain Shop.Orders                    one element, as readable text
  dlang fmt --check                            for CI: check the formatting

Data goes to stdout, everything else to stderr. With --json, stdout is always JSON; for errors:
{\"success\":false,\"error\":\"…\",\"hints\":[…]}.

Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.";

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print JSON, including errors
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only the results, one per line
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    #[arg(
        long,
        global = true,
        help = "Disable colour (also off with NO_COLOR, TERM=dumb, or when output is not a terminal)"
    )]
    pub(crate) no_color: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DlangCommand {
    /// Check a model and report its diagnostics
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// List elements of one type
    #[command(after_help = QUERY_EXAMPLES)]
    Query(QueryArgs),
    /// Print one element as JSON, or element counts if no name is given
    #[command(after_help = GET_EXAMPLES)]
    Get(Get),
    /// Explain one element as readable text
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Format models
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(Fmt),
    /// Create a model: model.yaml, index.dlang, .gitignore and a folder for domains
    #[command(after_help = INIT_EXAMPLES)]
    Init(Init),
    /// Check that every dependency is installed
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(InstallArgs),
    /// Serve an agent over MCP on stdin and stdout
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Mcp),
    /// Serve an editor: run the language server on stdin and stdout
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(Flags),
}

/// The paragraph on paths and dependencies that several help texts share.
macro_rules! path_help {
    () => {
        "\
A folder selects every model and module below it; a file selects itself and all files it imports.
dlang never uses the network: it reads dependencies from .dlang/packages (`dlang install` checks
that they are installed)."
    };
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Folder or file
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
    /// Treat warnings as errors (exit code 1)
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Validate again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
}

const VALIDATE_EXAMPLES: &str = concat!(
    "\
Examples:
  dlang validate                      the current directory
  dlang validate shop.dlang -q        lines of the form file:line:column: error: message
  dlang validate --deny-warnings      for CI: exit with 1 on warnings too
  dlang validate --json

Exits with 1 if there are errors. With -q, dlang prints warnings after the errors and without a
column. Paths are relative to the current directory; in JSON, to the validated folder (for a file,
the folder of its model.yaml).

",
    path_help!()
);

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Type of the elements to list
    #[arg(value_name = "TYPE", value_parser = EntityParser)]
    pub(crate) entity: EntityType,
    /// Folder or file
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
    /// Output format [default: table, or json with --json]
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Print only the number of elements
    #[arg(long)]
    pub(crate) count: bool,
    /// Print every property of each element, as JSON or YAML, instead of a row
    #[arg(long, conflicts_with = "count")]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// The filters of `dlang query`: an element must match all of them. A filter that does not suit the type is an error.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters (exact; an element must match all of them)")]
pub(crate) struct Filters {
    /// Elements with this name
    #[arg(short, long)]
    pub(crate) name: Option<String>,
    /// Elements with this fully qualified name: Shop.Orders
    #[arg(long)]
    pub(crate) fqn: Option<String>,
    /// Bounded contexts of this domain
    #[arg(short, long)]
    pub(crate) domain: Option<String>,
    /// Bounded contexts of this team
    #[arg(short, long)]
    pub(crate) team: Option<String>,
    /// Bounded contexts of this classification
    #[arg(short, long, visible_alias = "role")]
    pub(crate) classification: Option<String>,
    /// Bounded contexts with this metadata
    #[arg(short, long, value_name = "KEY[=VALUE]")]
    pub(crate) metadata: Option<String>,
    /// Relationships of this bounded context
    #[arg(long)]
    pub(crate) context: Option<String>,
    #[arg(long, help = "Relationships with this integration pattern, on either side: ACL, OpenHostService, …")]
    pub(crate) pattern: Option<String>,
}

/// Parses an element type. Errors have the same text as on every other surface; the help lists the first name of each.
#[derive(Debug, Clone)]
struct EntityParser;

impl TypedValueParser for EntityParser {
    type Value = EntityType;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, word: &OsStr) -> Result<EntityType, clap::Error> {
        let parse = |word: &str| word.parse().map_err(|error: InvalidInput| error.message);
        parse.parse_ref(command, arg, word).map_err(|mut error| {
            let names = EntityType::ALL.into_iter().flat_map(EntityType::names).copied();
            if let Some(suggestion) = nearest(&word.to_string_lossy(), names, 1).first() {
                error.insert(ContextKind::SuggestedValue, ContextValue::String((*suggestion).to_owned()));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |entity: EntityType| PossibleValue::new(entity.as_str()).aliases(entity.names().iter().skip(1));
        Some(Box::new(EntityType::ALL.into_iter().map(value)))
    }
}

/// Output format of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Yaml,
}

const QUERY_EXAMPLES: &str = concat!(
    "\
Examples:
  dlang query bcs                              every bounded context below the current directory
  dlang query bcs --domain Sales --team Orders
  dlang query bcs -q                           their names, one per line
  dlang query relationships --context Orders --pattern ACL
  dlang query domains shop.dlang --format yaml
  dlang query teams --count

Other type names: bounded-contexts, contexts, rels, cmaps, dmaps.

",
    path_help!()
);

#[derive(Debug, Args)]
pub(crate) struct Get {
    /// Element name: Shop.Orders, or Orders if unique [default: print element counts]
    pub(crate) fqn: Option<String>,
    /// Folder or file [default: the current directory]
    pub(crate) path: Option<Utf8PathBuf>,
}

const GET_EXAMPLES: &str = concat!(
    "\
Examples:
  dlang get                      the number of files, domains, bounded contexts, …
  dlang get Shop.Orders
  dlang get Orders examples/shop
  dlang get examples/shop        a single word with a slash or ending in .dlang is a path

Prints JSON. Exits with 1 and suggests similar names if the element does not exist.

",
    path_help!()
);

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Element name: Shop.Orders, or Orders if unique
    pub(crate) fqn: String,
    /// Folder or file
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
}

const EXPLAIN_EXAMPLES: &str = concat!(
    "\
Examples:
  dlang explain Shop.Orders
  dlang explain Orders shop.dlang --json

Prints Markdown. Exits with 1 and suggests similar names if the element does not exist.

",
    path_help!()
);

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Folders and files [default: the current directory]
    pub(crate) paths: Vec<Utf8PathBuf>,
    /// List the files that would change, without writing; exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// Format the text from stdin and print it
    #[arg(long, conflicts_with = "paths")]
    pub(crate) stdin: bool,
}

const FMT_EXAMPLES: &str = "\
Examples:
  dlang fmt                       every model below the current directory
  dlang fmt shop.dlang
  dlang fmt --check               for CI
  dlang fmt --stdin < shop.dlang

Prints the files that changed. Leaves a file with syntax errors unchanged and exits with 2. Skips
packages in .dlang and files that .gitignore lists.";

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Folder; created if it does not exist
    #[arg(default_value = ".")]
    pub(crate) directory: Utf8PathBuf,
    /// Accepted for compatibility with scripts; dlang never prompts
    #[arg(short, long, hide = true)]
    yes: bool,
}

const INIT_EXAMPLES: &str = "\
Examples:
  dlang init          in the current directory
  dlang init shop     in the folder shop
  dlang init --json   {\"success\":true,\"projectPath\":\"…\",\"files\":[…],\"kept\":[…]}

Never overwrites an existing file; lists it under `kept` instead.";

#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Folder with a model.yaml, or below one that has it
    #[arg(default_value = ".")]
    pub(crate) directory: Utf8PathBuf,
    #[arg(long, help = "Fail if model.lock does not match model.yaml exactly [env: DLANG_FROZEN=1]")]
    pub(crate) frozen: bool,
}

const INSTALL_EXAMPLES: &str = "\
Examples:
  dlang install
  dlang install --frozen      for CI

Reads model.yaml, model.lock and .dlang/packages, and reports for each dependency whether it is
installed and which commit model.lock pins. Never uses the network: for missing dependencies, prints
the commands that fetch them. Exits with 1 if a dependency is missing.";

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Folder, or a file with all the files it imports
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
}

const MCP_EXAMPLES: &str = "\
Examples:
  dlang mcp                   the models below the current directory
  dlang mcp shop/index.dlang

For clients with an mcpServers configuration:
  {\"mcpServers\": {\"domainlang\": {\"command\": \"dlang\", \"args\": [\"mcp\"]}}}

The tools are domainlang_validate, _list, _get, _explain, _search and _diagram; each also accepts
another path, or a text, to query instead. The resource domainlang://syntax-reference explains the
language. Every call reads the files again.";

const LSP_EXAMPLES: &str = "\
Your editor runs this command. Configure the command `dlang lsp`, the file pattern `*.dlang`, and as
root the folder that contains model.yaml (or .git). Neovim 0.11:
  vim.filetype.add({ extension = { dlang = 'domain-lang' } })
  vim.lsp.config('dlang', { cmd = { 'dlang', 'lsp' }, filetypes = { 'domain-lang' }, root_markers = { 'model.yaml', '.git' } })
  vim.lsp.enable('dlang')

Helix, in languages.toml:
  [language-server.dlang]
  command = 'dlang'
  args = ['lsp']
  [[language]]
  name = 'domain-lang'
  scope = 'source.domain-lang'
  file-types = ['dlang']
  roots = ['model.yaml']
  language-servers = ['dlang']

The server uses the text in the editor, saved or not, and prints errors to stderr. Exits with 0
after an LSP `shutdown`/`exit`, otherwise with 1.";
