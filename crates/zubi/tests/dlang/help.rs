//! Help that teaches.

use insta::assert_snapshot;

use crate::check::check;

#[test]
fn commands() {
    assert_snapshot!(check("", "--help"), @r#"
    exit 0
    --- stdout
    Checks and queries DomainLang models: domains, bounded contexts and their relationships

    Usage: dlang [OPTIONS] <COMMAND>

    Commands:
      validate  Check a model and report its diagnostics
      query     List elements of one type
      get       Print one element as JSON, or element counts if no name is given
      explain   Explain one element as readable text
      fmt       Format models
      init      Create a model: model.yaml, index.dlang, .gitignore and a folder for domains
      install   Check that every dependency is installed
      mcp       Serve an agent over MCP on stdin and stdout
      lsp       Serve an editor: run the language server on stdin and stdout
      help      Print this message or the help of the given subcommand(s)

    Options:
          --json      Print JSON, including errors
      -q, --quiet     Print only the results, one per line
          --no-color  Disable colour (also off with NO_COLOR, TERM=dumb, or when output is not a terminal)
      -V, --version   Print version (also -v)
      -h, --help      Print help

    Examples:
      dlang init shop                              create a model
      dlang validate                               check all models below this folder
      dlang query bcs --domain Sales               bounded contexts, as a table
      dlang query relationships --pattern ACL --json
      dlang explain Shop.Orders                    one element, as readable text
      dlang fmt --check                            for CI: check the formatting

    Data goes to stdout, everything else to stderr. With --json, stdout is always JSON; for errors:
    {"success":false,"error":"…","hints":[…]}.

    Exit codes: 0 success, 1 negative answer, 2 wrong usage or input, 3 environment, 130 interrupted.
    "#);
    assert_snapshot!(check("", "lsp --help"), @"
    exit 0
    --- stdout
    Serve an editor: run the language server on stdin and stdout

    Usage: dlang lsp [OPTIONS]

    Options:
          --json                   Print JSON, including errors
          --stdio                  Use stdin and stdout (always the case; accepted because many editors pass it)
          --clientProcessId <PID>  Exit when this process, usually the editor, has exited (Linux only)
      -q, --quiet                  Print only the results, one per line
          --no-color               Disable colour (also off with NO_COLOR, TERM=dumb, or when output is not a terminal)
      -h, --help                   Print help

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
    after an LSP `shutdown`/`exit`, otherwise with 1.
    ");
    assert_snapshot!(check("", "validate --help"), @"
    exit 0
    --- stdout
    Check a model and report its diagnostics

    Usage: dlang validate [OPTIONS] [PATH]

    Arguments:
      [PATH]  Folder or file [default: .]

    Options:
          --deny-warnings  Treat warnings as errors (exit code 1)
          --json           Print JSON, including errors
      -q, --quiet          Print only the results, one per line
          --watch          Validate again whenever a file changes, until Ctrl-C
          --no-color       Disable colour (also off with NO_COLOR, TERM=dumb, or when output is not a terminal)
      -h, --help           Print help

    Examples:
      dlang validate                      the current directory
      dlang validate shop.dlang -q        lines of the form file:line:column: error: message
      dlang validate --deny-warnings      for CI: exit with 1 on warnings too
      dlang validate --json

    Exits with 1 if there are errors. With -q, dlang prints warnings after the errors and without a
    column. Paths are relative to the current directory; in JSON, to the validated folder (for a file,
    the folder of its model.yaml).

    A folder selects every model and module below it; a file selects itself and all files it imports.
    dlang never uses the network: it reads dependencies from .dlang/packages (`dlang install` checks
    that they are installed).
    ");
    assert_snapshot!(check("", "query -h"), @"
    exit 0
    --- stdout
    List elements of one type

    Usage: dlang query [OPTIONS] <TYPE> [PATH]

    Arguments:
      <TYPE>  Type of the elements to list [possible values: domains, bcs, teams, classifications, relationships, context-maps, domain-maps]
      [PATH]  Folder or file [default: .]

    Options:
      -f, --format <FORMAT>  Output format [default: table, or json with --json] [possible values: table, json, yaml]
          --json             Print JSON, including errors
          --count            Print only the number of elements
      -q, --quiet            Print only the results, one per line
          --full             Print every property of each element, as JSON or YAML, instead of a row
          --no-color         Disable colour (also off with NO_COLOR, TERM=dumb, or when output is not a terminal)
      -h, --help             Print help

    Filters (exact; an element must match all of them):
      -n, --name <NAME>
              Elements with this name
          --fqn <FQN>
              Elements with this fully qualified name: Shop.Orders
      -d, --domain <DOMAIN>
              Bounded contexts of this domain
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
      dlang query bcs -q                           their names, one per line
      dlang query relationships --context Orders --pattern ACL
      dlang query domains shop.dlang --format yaml
      dlang query teams --count

    Other type names: bounded-contexts, contexts, rels, cmaps, dmaps.

    A folder selects every model and module below it; a file selects itself and all files it imports.
    dlang never uses the network: it reads dependencies from .dlang/packages (`dlang install` checks
    that they are installed).
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
