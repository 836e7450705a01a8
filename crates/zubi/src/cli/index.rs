//! The command line of `zubi index`.

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Show the size and the state of the index
    Status(IndexArgs),
    /// Build the index now, or update it to the present files
    Build(IndexArgs),
    /// Import a SCIP file: exact definitions and references from an indexer
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportArgs),
    /// Push a SCIP file to the team's database, as the exact data of a commit
    #[command(after_help = PUSH_EXAMPLES)]
    Push(PushArgs),
    /// Find the uses of a symbol in all repositories of the team
    #[command(after_help = USES_EXAMPLES)]
    Uses(UsesArgs),
    /// Delete the index and the imported data
    Clear(IndexArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PushArgs {
    /// The SCIP file
    pub(crate) file: Utf8PathBuf,
    /// The revision that the indexer has read
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub(crate) commit: String,
    /// The name of the repository; by default, host and path of the remote `origin`
    #[arg(long, value_name = "NAME")]
    pub(crate) repository: Option<String>,
    /// The folder in which the indexer ran; by default, the workspace folder
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<Utf8PathBuf>,
    /// Create the tables and roles first if the database has none
    #[arg(long)]
    pub(crate) create_schema: bool,
    /// Delete the oldest commits' data beyond this number
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) snapshots: u32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const PUSH_EXAMPLES: &str = "\
CI runs an indexer on a commit and pushes its file. Every clone at this commit or a later one then
has the data: exact in files that are as the indexer has read them, by name in the others. A push is
one transaction, and pushing the same data again changes nothing.

The connection string is in the variable ZUBI_TEAM_INDEX, or in `team-index` of your own zubi.toml.
The database is PostgreSQL 14 or later. --create-schema needs a role that may create schemas and
roles; then grant `zubi_writer` to CI's role and `zubi_reader` to the others, and list the
repositories of each in the table `zubi.access`.

Exits with 0 if the database has the data, 2 if the file or an argument is invalid, 3 if the server
does not answer or refuses.

Examples:
  zubi index push index.scip --create-schema
  zubi index push web/index.scip --folder web --commit HEAD --repository git.example/team/app";

#[derive(Debug, Args)]
pub(crate) struct UsesArgs {
    /// A name, a name path such as `Type/method`, or a whole SCIP symbol
    pub(crate) symbol: String,
    /// Search only this repository
    #[arg(long, value_name = "NAME")]
    pub(crate) repository: Option<String>,
    /// Print at most this many lines
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const USES_EXAMPLES: &str = "\
Searches the newest commit of each repository that the team's database has and your role may see.
The lines are those of that commit. An empty answer does not prove that nothing uses the symbol:
the data cover what the indexers have read.

Examples:
  zubi index uses parse_config
  zubi index uses Client/connect --repository git.example/team/app --json";

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The SCIP file
    pub(crate) file: Utf8PathBuf,
    /// The revision that the indexer has read; by default, zubi compares the data with the files
    #[arg(long, value_name = "REV")]
    pub(crate) commit: Option<String>,
    /// The folder in which the indexer ran; by default, the workspace folder
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<Utf8PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const IMPORT_EXAMPLES: &str = "\
An indexer such as `rust-analyzer scip .` or `scip-python index` writes every use of every symbol
to a file. zubi answers from its data if no language server can answer: exact in files that are
as the indexer has read them, by name in files that have changed since. A later import of the same
folder and indexer replaces the data. A host imports `index.scip` in the workspace by itself.

Examples:
  zubi index import index.scip
  zubi index import build/ts.scip --folder web --commit HEAD";

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) const EXAMPLES: &str = "\
The index has the declarations and words of the workspace's source files. It answers searches
by name without a language server and while the servers load, and a search for uses reads only
the files that it lists. A host makes it by itself and follows every change; build it in advance
where the first answer matters, as in a container image. It is in the cache directory and can be
deleted at any time. `index = false` in zubi.toml turns it off.

Examples:
  zubi index build
  zubi index status --json
  zubi index import index.scip
  zubi index uses parse_config
  zubi index clear";
