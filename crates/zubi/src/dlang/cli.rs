//! What can be typed. Texts only; what happens is in [`crate::commands`].

use std::ffi::OsStr;

use camino::Utf8PathBuf;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, Args, Parser, Subcommand, ValueEnum};
use dlang_ide::query::{EntityType, InvalidInput};
use zubi_base::nearest::nearest;
use zubi_cli::language_server::Flags;

/// Checks and asks DomainLang models: domains, bounded contexts, and how they are related
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
    /// Print version; so does -v
    #[arg(short = 'V', short_alias = 'v', long, action = ArgAction::Version)]
    version: Option<bool>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dlang init shop                              begin a model
  dlang validate                               check everything below this folder
  dlang query bcs --domain Sales               bounded contexts, as a table
  dlang query relationships --pattern ACL --json
  dlang explain Shop.Orders                    one element, for reading
  dlang fmt --check                            for CI: is everything formatted?

Data goes to stdout, everything else to stderr. With --json stdout is always JSON, errors included:
{\"success\":false,\"error\":\"…\",\"hints\":[…]}.

Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.";

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print JSON, errors included
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print the bare answer, a line for each thing
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    #[arg(
        long,
        global = true,
        help = "No colour; so it is as well with NO_COLOR, TERM=dumb, and where no terminal is"
    )]
    pub(crate) no_color: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find out what is wrong with a model
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// List elements of one type
    #[command(after_help = QUERY_EXAMPLES)]
    Query(Query),
    /// Print one element as data, or how much there is of what
    #[command(after_help = GET_EXAMPLES)]
    Get(Get),
    /// Explain one element, for reading
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Format models
    #[command(after_help = FMT_EXAMPLES)]
    Fmt(Fmt),
    /// Begin a model: model.yaml, index.dlang, .gitignore and a folder for domains
    #[command(after_help = INIT_EXAMPLES)]
    Init(Init),
    /// Find out whether every dependency is there
    #[command(after_help = INSTALL_EXAMPLES)]
    Install(Install),
    /// Answer an agent's questions over MCP, on stdin and stdout
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Mcp),
    /// Serve an editor: the language server, on stdin and stdout
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(Flags),
}

/// How the models of a command are named: said once, for several helps.
macro_rules! what_a_path_is {
    () => {
        "\
A folder stands for every model and module below it, a file for itself and all it imports. No network is used:
dependencies are read from .dlang/packages (`dlang install` says whether they are there)."
    };
}

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Folder or file
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
    /// Warnings count as errors: the exit code is 1
    #[arg(long)]
    pub(crate) deny_warnings: bool,
    /// Go on until Ctrl-C, and answer anew when a file changes
    #[arg(long)]
    pub(crate) watch: bool,
}

const VALIDATE_EXAMPLES: &str = concat!(
    "\
Examples:
  dlang validate                      the current directory
  dlang validate shop.dlang -q        lines of the form file:line:column: error: message
  dlang validate --deny-warnings      for CI: the exit code is 1 with warnings, too
  dlang validate --json

The exit code is 1 when there are errors. With -q warnings come after errors, without a column. Paths are relative to the
current directory, in JSON to the folder that is validated (of a file: to the folder of its model.yaml).

",
    what_a_path_is!()
);

#[derive(Debug, Args)]
pub(crate) struct Query {
    /// What to list
    #[arg(value_name = "TYPE", value_parser = EntityParser)]
    pub(crate) entity: EntityType,
    /// Folder or file
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
    /// How to print it [default: table; json with --json]
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Print only how many there are
    #[arg(long)]
    pub(crate) count: bool,
    /// All there is to know of each, as JSON or YAML, instead of a row
    #[arg(long, conflicts_with = "count")]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) filters: Filters,
}

/// Every filter that is given must fit. One that does not suit the type is an error.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters (exact; all that are given must fit)")]
pub(crate) struct Filters {
    /// Its name
    #[arg(short, long)]
    pub(crate) name: Option<String>,
    /// Its name with its namespaces: Shop.Orders
    #[arg(long)]
    pub(crate) fqn: Option<String>,
    /// Bounded contexts for this domain
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

/// Reads a type of elements: what is none is told in the words of every channel, and help shows the first name of each.
#[derive(Debug, Clone)]
struct EntityParser;

impl TypedValueParser for EntityParser {
    type Value = EntityType;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, word: &OsStr) -> Result<EntityType, clap::Error> {
        let parse = |word: &str| word.parse().map_err(|error: InvalidInput| error.message);
        parse.parse_ref(command, arg, word).map_err(|mut error| {
            let names = EntityType::ALL.into_iter().flat_map(EntityType::names).copied();
            if let Some(meant) = nearest(&word.to_string_lossy(), names, 1).first() {
                error.insert(ContextKind::SuggestedValue, ContextValue::String((*meant).to_owned()));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |entity: EntityType| PossibleValue::new(entity.as_str()).aliases(entity.names().iter().skip(1));
        Some(Box::new(EntityType::ALL.into_iter().map(value)))
    }
}

/// How a list is printed.
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
  dlang query bcs -q                           their names, one a line
  dlang query relationships --context Orders --pattern ACL
  dlang query domains shop.dlang --format yaml
  dlang query teams --count

Other names of types: bounded-contexts, contexts, rels, cmaps, dmaps.

",
    what_a_path_is!()
);

#[derive(Debug, Args)]
pub(crate) struct Get {
    /// Name of the element: Shop.Orders, or Orders if there is only one; without it, how much there is of what
    pub(crate) fqn: Option<String>,
    /// Folder or file [default: the current directory]
    pub(crate) path: Option<Utf8PathBuf>,
}

const GET_EXAMPLES: &str = concat!(
    "\
Examples:
  dlang get                      how many files, domains, bounded contexts, … there are
  dlang get Shop.Orders
  dlang get Orders examples/shop
  dlang get examples/shop        a single word with a slash or ending in .dlang is a path

The answer is JSON. The exit code is 1 when there is no such element; the nearest names are told.

",
    what_a_path_is!()
);

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Name of the element: Shop.Orders, or Orders if there is only one
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

The answer is Markdown. The exit code is 1 when there is no such element; the nearest names are told.

",
    what_a_path_is!()
);

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Folders and files [default: the current directory]
    pub(crate) paths: Vec<Utf8PathBuf>,
    /// Write nothing; list the files that would change, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// Format what comes in on stdin and print it
    #[arg(long, conflicts_with = "paths")]
    pub(crate) stdin: bool,
}

const FMT_EXAMPLES: &str = "\
Examples:
  dlang fmt                       every model below the current directory
  dlang fmt shop.dlang
  dlang fmt --check               for CI
  dlang fmt --stdin < shop.dlang

Prints the files that changed. A file with syntax errors is left alone, with exit code 2. Packages in .dlang and
what .gitignore names are not formatted.";

#[derive(Debug, Args)]
pub(crate) struct Init {
    /// Folder, which is made if it does not exist
    #[arg(default_value = ".")]
    pub(crate) directory: Utf8PathBuf,
    /// Nothing is asked anyway; accepted for scripts that give it
    #[arg(short, long, hide = true)]
    yes: bool,
}

const INIT_EXAMPLES: &str = "\
Examples:
  dlang init          in the current directory
  dlang init shop     in the folder shop
  dlang init --json   {\"success\":true,\"projectPath\":\"…\",\"files\":[…],\"kept\":[…]}

No file is overwritten: what is there already is kept, and said.";

#[derive(Debug, Args)]
pub(crate) struct Install {
    /// Folder with a model.yaml, in it or above it
    #[arg(default_value = ".")]
    pub(crate) directory: Utf8PathBuf,
    #[arg(long, help = "The lock must say exactly what the manifest asks for; so it is with DLANG_FROZEN=1, too")]
    pub(crate) frozen: bool,
}

const INSTALL_EXAMPLES: &str = "\
Examples:
  dlang install
  dlang install --frozen      for CI

Looks at model.yaml, model.lock and .dlang/packages, and says for each dependency whether it is there and what the lock
promises. It never uses the network: for what is missing it prints the commands that fetch it. The exit code is 1
when something is missing.";

#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Folder, or a file, which stands for itself and all it imports
    #[arg(default_value = ".")]
    pub(crate) path: Utf8PathBuf,
}

const MCP_EXAMPLES: &str = "\
Examples:
  dlang mcp                   the models below the current directory
  dlang mcp shop/index.dlang

For clients with an mcpServers configuration:
  {\"mcpServers\": {\"domainlang\": {\"command\": \"dlang\", \"args\": [\"mcp\"]}}}

The tools are domainlang_validate, _list, _get, _explain, _search and _diagram; each also takes a path or a text to ask
that instead. The resource domainlang://syntax-reference explains the language. Files are read anew for every question.";

const LSP_EXAMPLES: &str = "\
An editor starts this by itself. It needs the command `dlang lsp`, the files `*.dlang`, and the folder that has the
model.yaml (or .git) as root. Neovim 0.11:
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

Answers come from the text in the editor, saved or not. What goes wrong is told on stderr. The exit code is 0 when the
editor said goodbye, else 1.";
