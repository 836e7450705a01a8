//! Help that teaches.

use insta::assert_snapshot;

use crate::check::check;

#[test]
fn commands() {
    assert_snapshot!(check("", "--help"), @r#"
    exit 0
    --- stdout
    Checks and queries DomainLang models: domains, bounded contexts, and how they are related

    Usage: dlang [OPTIONS] <COMMAND>

    Commands:
      validate  Find out what is wrong with a model
      query     List elements of one type
      get       Print one element as data, or how much there is of what
      explain   Explain one element, for reading
      fmt       Format models
      init      Begin a model: model.yaml, index.dlang, .gitignore and a folder for domains
      install   Find out whether every dependency is there
      mcp       Answer an agent's questions over MCP, on stdin and stdout
      lsp       Serve an editor: the language server, on stdin and stdout
      help      Print this message or the help of the given subcommand(s)

    Options:
          --json      Print JSON, errors included
      -q, --quiet     Print the bare answer, a line for each thing
          --no-color  No colour; so it is as well with NO_COLOR, TERM=dumb, and where no terminal is
      -V, --version   Print version; so does -v
      -h, --help      Print help

    Examples:
      dlang init shop                              begin a model
      dlang validate                               check everything below this folder
      dlang query bcs --domain Sales               bounded contexts, as a table
      dlang query relationships --pattern ACL --json
      dlang explain Shop.Orders                    one element, for reading
      dlang fmt --check                            for CI: is everything formatted?

    Data goes to stdout, everything else to stderr. With --json stdout is always JSON, errors included:
    {"success":false,"error":"…","hints":[…]}.

    Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.
    "#);
    assert_snapshot!(check("", "lsp --help"), @"
    exit 0
    --- stdout
    Serve an editor: the language server, on stdin and stdout

    Usage: dlang lsp [OPTIONS]

    Options:
          --json                   Print JSON, errors included
          --stdio                  Speak over stdin and stdout; so it does anyway, but many editors say it
          --clientProcessId <PID>  End when this process has ended: the editor's (on Linux)
      -q, --quiet                  Print the bare answer, a line for each thing
          --no-color               No colour; so it is as well with NO_COLOR, TERM=dumb, and where no terminal is
      -h, --help                   Print help

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
    editor said goodbye, else 1.
    ");
    assert_snapshot!(check("", "validate --help"), @"
    exit 0
    --- stdout
    Find out what is wrong with a model

    Usage: dlang validate [OPTIONS] [PATH]

    Arguments:
      [PATH]  Folder or file [default: .]

    Options:
          --deny-warnings  Warnings count as errors: the exit code is 1
          --json           Print JSON, errors included
      -q, --quiet          Print the bare answer, a line for each thing
          --watch          Go on until Ctrl-C, and answer anew when a file changes
          --no-color       No colour; so it is as well with NO_COLOR, TERM=dumb, and where no terminal is
      -h, --help           Print help

    Examples:
      dlang validate                      the current directory
      dlang validate shop.dlang -q        lines of the form file:line:column: error: message
      dlang validate --deny-warnings      for CI: the exit code is 1 with warnings, too
      dlang validate --json

    The exit code is 1 when there are errors. With -q warnings come after errors, without a column. Paths are relative to the
    current directory, in JSON to the folder that is validated (of a file: to the folder of its model.yaml).

    A folder stands for every model and module below it, a file for itself and all it imports. No network is used:
    dependencies are read from .dlang/packages (`dlang install` says whether they are there).
    ");
    assert_snapshot!(check("", "query -h"), @"
    exit 0
    --- stdout
    List elements of one type

    Usage: dlang query [OPTIONS] <TYPE> [PATH]

    Arguments:
      <TYPE>  What to list [possible values: domains, bcs, teams, classifications, relationships, context-maps, domain-maps]
      [PATH]  Folder or file [default: .]

    Options:
      -f, --format <FORMAT>  How to print it [default: table; json with --json] [possible values: table, json, yaml]
          --json             Print JSON, errors included
          --count            Print only how many there are
      -q, --quiet            Print the bare answer, a line for each thing
          --full             All there is to know of each, as JSON or YAML, instead of a row
          --no-color         No colour; so it is as well with NO_COLOR, TERM=dumb, and where no terminal is
      -h, --help             Print help

    Filters (exact; all that are given must fit):
      -n, --name <NAME>
              Its name
          --fqn <FQN>
              Its name with its namespaces: Shop.Orders
      -d, --domain <DOMAIN>
              Bounded contexts for this domain
      -t, --team <TEAM>
              Bounded contexts of this team
      -c, --classification <CLASSIFICATION>
              Bounded contexts of this classification [alias: --role]
      -m, --metadata <KEY[=VALUE]>
              Bounded contexts with this metadata
          --context <CONTEXT>
              Relationships of this bounded context
          --pattern <PATTERN>
              Relationships with this integration pattern, on either side: ACL, OpenHostService, …

    Examples:
      dlang query bcs                              every bounded context below the current directory
      dlang query bcs --domain Sales --team Orders
      dlang query bcs -q                           their names, one a line
      dlang query relationships --context Orders --pattern ACL
      dlang query domains shop.dlang --format yaml
      dlang query teams --count

    Other names of types: bounded-contexts, contexts, rels, cmaps, dmaps.

    A folder stands for every model and module below it, a file for itself and all it imports. No network is used:
    dependencies are read from .dlang/packages (`dlang install` says whether they are there).
    ");
}

/// The help of every command ends in examples of it.
#[test]
fn every_command_has_examples() {
    for command in ["validate", "query", "get", "explain", "fmt", "init", "install"] {
        let help = check("", &format!("{command} --help"));
        assert!(help.starts_with("exit 0") && help.contains("\nExamples:\n  dlang "), "{help}");
    }
}

#[test]
fn the_version_has_three_names() {
    let version = check("", "--version");
    assert_eq!(version, concat!("exit 0\n--- stdout\ndlang ", env!("CARGO_PKG_VERSION")));
    assert_eq!([check("", "-v"), check("", "-V")], [version.clone(), version]);
}

#[test]
fn nothing_at_all_is_answered_with_help() {
    let output = check("", "");
    assert!(output.starts_with("exit 2\n--- stderr\nChecks and queries"), "{output}");
}
