//! Mistakes: every failure recorded from DomainLang's TypeScript CLI, and similar ones.

use insta::assert_snapshot;

use crate::check::{Sandbox, check};

const FILES: &str = "//- a.txt\n//- emptyd/\n//- broken.dlang\nDomain { vision: \"v\" }\nTeam T\n";

#[test]
fn paths() {
    assert_snapshot!(check(FILES, "validate nope.dlang --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"Path not found: nope.dlang","hints":["Pass a folder, or a file that ends in .dlang."]}
    --- stderr
    error: Path not found: nope.dlang
    hint: Pass a folder, or a file that ends in .dlang.
    "#);
    assert_snapshot!(check(FILES, "validate nope.dlang"), @"
    exit 2
    --- stderr
    error: Path not found: nope.dlang
    hint: Pass a folder, or a file that ends in .dlang.
    ");
    assert_snapshot!(check(FILES, "validate a.txt --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"Invalid file extension. Expected: .dlang","hints":["`a.txt` is not a DomainLang file."]}
    --- stderr
    error: Invalid file extension. Expected: .dlang
    hint: `a.txt` is not a DomainLang file.
    "#);
    assert_snapshot!(check(FILES, "validate emptyd --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"No DomainLang file in `emptyd` or below it","hints":["Pass a .dlang file or a folder with .dlang files, or create a model with `dlang init`."]}
    --- stderr
    error: No DomainLang file in `emptyd` or below it
    hint: Pass a .dlang file or a folder with .dlang files, or create a model with `dlang init`.
    "#);
    assert_snapshot!(check(FILES, "query bcs emptyd --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"No DomainLang file in `emptyd` or below it","hints":["Pass a .dlang file or a folder with .dlang files, or create a model with `dlang init`."]}
    --- stderr
    error: No DomainLang file in `emptyd` or below it
    hint: Pass a .dlang file or a folder with .dlang files, or create a model with `dlang init`.
    "#);
    assert_snapshot!(check(FILES, "query bcs nope --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"Path not found: nope","hints":["Pass a folder, or a file that ends in .dlang."]}
    --- stderr
    error: Path not found: nope
    hint: Pass a folder, or a file that ends in .dlang.
    "#);
    assert_snapshot!(check(FILES, "get Orders a.txt -q"), @"
    exit 2
    --- stderr
    error: Invalid file extension. Expected: .dlang
    hint: `a.txt` is not a DomainLang file.
    ");
}

#[test]
fn words() {
    assert_snapshot!(check(FILES, "query foo broken.dlang --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"invalid value 'foo' for '<TYPE>': unknown type 'foo'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.","hints":[]}
    --- stderr
    error: invalid value 'foo' for '<TYPE>': unknown type 'foo'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.

    For more information, try '--help'.
    "#);
    assert_snapshot!(check(FILES, "query"), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      <TYPE>

    Usage: dlang query <TYPE> [PATH]

    For more information, try '--help'.
    ");
    assert_snapshot!(check(FILES, "frob --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"unrecognized subcommand 'frob'","hints":[]}
    --- stderr
    error: unrecognized subcommand 'frob'

    Usage: dlang [OPTIONS] <COMMAND>

    For more information, try '--help'.
    "#);
    assert_snapshot!(check(FILES, "valdiate"), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'valdiate'

      tip: a similar subcommand exists: 'validate'

    Usage: dlang [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(check(FILES, "query domians --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"invalid value 'domians' for '<TYPE>': unknown type 'domians'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.","hints":["a similar value exists: 'domains'"]}
    --- stderr
    error: invalid value 'domians' for '<TYPE>': unknown type 'domians'. Use one of domains, bcs, bounded-contexts, contexts, teams, classifications, relationships, rels, context-maps, cmaps, domain-maps, dmaps.

      tip: a similar value exists: 'domains'

    For more information, try '--help'.
    "#);
    assert_snapshot!(check(FILES, "install --frozen --force --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"unexpected argument '--force' found","hints":["a similar argument exists: '--frozen'"]}
    --- stderr
    error: unexpected argument '--force' found

      tip: a similar argument exists: '--frozen'

    Usage: dlang install --frozen [DIRECTORY]

    For more information, try '--help'.
    "#);
    assert_snapshot!(check(FILES, "add foo"), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'add'

    Usage: dlang [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(check(FILES, "validate -- --json"), @"
    exit 2
    --- stderr
    error: Path not found: --json
    hint: Pass a folder, or a file that ends in .dlang.
    ");
}

#[test]
fn invalid_filters() {
    assert_snapshot!(check(FILES, "query teams --domain Sales"), @"
    exit 2
    --- stderr
    error: --domain: does not filter teams. Filters for teams: name, fqn.
    hint: `dlang query --help` lists all filters.
    ");
    assert_snapshot!(check(FILES, "query rels --pattern XYZ --json"), @r#"
    exit 2
    --- stdout
    {"success":false,"error":"--pattern: unknown pattern 'XYZ'. Use one of OHS (OpenHostService), PL (PublishedLanguage), S (Supplier), C (Customer), CF (Conformist), ACL (AntiCorruptionLayer), BBoM (BigBallOfMud), SK (SharedKernel), P (Partnership), SW (SeparateWays).","hints":["`dlang query --help` lists all filters."]}
    --- stderr
    error: --pattern: unknown pattern 'XYZ'. Use one of OHS (OpenHostService), PL (PublishedLanguage), S (Supplier), C (Customer), CF (Conformist), ACL (AntiCorruptionLayer), BBoM (BigBallOfMud), SK (SharedKernel), P (Partnership), SW (SeparateWays).
    hint: `dlang query --help` lists all filters.
    "#);
    assert_snapshot!(check(FILES, "query bcs --metadata =x"), @"
    exit 2
    --- stderr
    error: --metadata: the key is missing. Use key or key=value.
    hint: `dlang query --help` lists all filters.
    ");
}

/// A query answers from the readable parts, and says that it is incomplete.
#[test]
fn broken_texts() {
    assert_snapshot!(check(FILES, "query teams broken.dlang --json"), @r#"
    exit 0
    --- stdout
    {"entityType":"teams","count":1,"results":[{"name":"T","fqn":"T"}]}
    --- stderr
    warning: the answer may be incomplete (files with syntax errors: 1)
    hint: `dlang validate` shows them.
    "#);
    assert_snapshot!(check(FILES, "validate broken.dlang"), @r#"
    exit 1
    --- stdout
    error[expected-token]: Expecting token of type 'ID' but found `{`.
     --> broken.dlang:1:8
      |
    1 | Domain { vision: "v" }
      |        ^

    1 file, 1 domain, 0 bounded contexts: 1 error
    "#);
}

/// A failed write to stdout is not a success, and dlang reports a full disk.
#[test]
#[expect(clippy::disallowed_methods, reason = "the program under test, with a stdout that takes nothing")]
fn failed_write_to_stdout_is_reported() {
    let sandbox = Sandbox::new("//- a.dlang\nTeam   A\n");
    for line in ["--help", "validate --help", "--version", "validate", "query teams", "fmt --check", "get --json"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dlang"));
        command.current_dir(&sandbox.root).env_clear().args(line.split_whitespace());
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full).stderr(std::process::Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{line}: {stderr}");
        assert!(stderr.contains("cannot write to stdout: No space left on device"), "{line}: {stderr}");
    }
}

/// A reader that closes the pipe early is not an error.
#[test]
#[expect(clippy::disallowed_methods, reason = "the program under test, whose reader goes away")]
fn closed_stdout_pipe_is_not_an_error() {
    let sandbox = Sandbox::new("//- a.dlang\nTeam A\n");
    for line in ["--help", "validate", "query teams", "get --json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dlang"));
        command.current_dir(&sandbox.root).env_clear().args(line.split_whitespace());
        let output = command.stdout(writer).stderr(std::process::Stdio::piped()).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{line}");
    }
}
