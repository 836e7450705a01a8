//! `zubi doctor` with real servers.

use insta::assert_snapshot;
use serde_json::Value;
use zubi_tests::Project;
use zubi_tests::zubi::Start;

/// Returns the output, with times and the machine's paths replaced, and the exit code.
fn doctor(start: &Start<'_>, arguments: &[&str]) -> (String, Option<i32>) {
    let output = start.command().arg("doctor").args(arguments).output().expect("zubi starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (printed, stderr_text) = (text(output.stdout), text(output.stderr));
    let line = |line: &str| match line.split_once(" after ") {
        Some((head, _)) if line.ends_with(" s") => format!("{head} after [time]"),
        _ if line.trim_start().starts_with("sandbox: ") => {
            let permissions =
                line.find(": reads all but credentials").and_then(|start| line.get(start..)).unwrap_or_default();
            format!("          sandbox: [level]{permissions}")
        }
        _ => line.split("  /").next().unwrap_or_default().to_owned(),
    };
    // The sandbox differs between machines; without a report, the output has no line about it.
    let (report, sandbox) = printed.split_once("\nsandbox of commands: ").unwrap_or((&printed, "none"));
    assert!(printed.is_empty() || sandbox.trim().len() > 3, "{printed}");
    let text = format!("{}\n{stderr_text}", report.trim_end());
    (text.trim().lines().map(line).collect::<Vec<_>>().join("\n"), output.status.code())
}

#[test]
fn installed_and_missing_servers_are_reported() {
    let project = Project::fixture("python");
    project.write("web/app.ts", "export const a = 1;\n");
    let (text, code) = doctor(&Start::new(&project, &["ty", "ruff"]), &[]);
    assert_eq!(code, Some(1), "TypeScript has no server");
    assert_snapshot!(text, @"
    python · 5 files
      + ty 0.0.104
              sandbox: [level]: reads all but credentials, writes its own cache and temporary files, no network
          ready after [time]
          note: no virtual environment: installed packages may be unknown
            run: python -m venv .venv
          definition, references, hover, completion, signature help, outline, symbol search, implementations, type definition, call hierarchy, type hierarchy, rename, code actions
      + ruff 0.17.5
              sandbox: [level]: reads all but credentials, writes its own cache and temporary files, no network
          ready after [time]
          code actions, formatting

    typescript · 1 file
      - TypeScript (tsc --lsp): `tsc` is not installed
          install it with npm: npm install --global typescript@7

    without a server, not needed for the code: toml
    ");
    assert_eq!(zubi_tests::processes::find_by_command("ty server"), Vec::new(), "a server is left running");
}

#[test]
fn a_built_in_server_is_reported() {
    let project = Project::fixture("python");
    project.write("docs/model.dlang", "Domain D { vision: \"v\" }\n");
    let (text, code) = doctor(&Start::new(&project, &["ty"]), &[]);
    assert_eq!(code, Some(0));
    assert_snapshot!(text.split("\n\n").next().expect("a language"), @"
    domain-lang · 1 file
      + built in
          ready after [time]
          definition, references, hover, completion, outline, symbol search, rename, code actions, formatting
    ");
}

#[test]
fn the_json_report_is_complete() {
    let project = Project::fixture("python");
    let output = Start::new(&project, &["ty"]).command().args(["doctor", "--json"]).output().expect("zubi starts");
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["complete"], true);
    let servers = report["languages"][0]["servers"].as_array().expect("servers");
    let ty = servers.iter().find(|server| server["id"] == "ty").expect("ty is reported");
    assert_eq!((&ty["state"], &ty["readiness"], &ty["tested"]), (&"works".into(), &"ready".into(), &true.into()));
    assert!(
        ty["readyMs"].as_u64().is_some() && ty["abilities"].as_array().is_some_and(|abilities| abilities.len() > 5),
        "{ty}"
    );
}

/// Two modules, one of which needs a newer Go, and a TypeScript file without a project.
#[test]
fn each_project_has_its_limits_and_cures() {
    let project = Project::empty();
    project.write("a/go.mod", "module example.test/a\n\ngo 1.24\n");
    project.write("a/a.go", "package a\n");
    project.write("b/go.mod", "module example.test/b\n\ngo 1.99\n");
    project.write("b/b.go", "package b\n");
    project.write("app.ts", "export const a = 1;\n");
    let start = Start::new(&project, &["go", "gopls", "node", "typescript"]);
    let trust = start.command().arg("trust").output().expect("zubi starts");
    assert!(trust.status.success());
    let (text, code) = doctor(&start, &[]);
    assert_eq!(code, Some(0));
    for line in
        ["      in `a`: ready after", "      in `b`: ready after", "go.mod requires go >= 1.99", "run: npx tsc --init"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    let output = start.command().args(["doctor", "--json"]).output().expect("zubi starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let languages = report["languages"].as_array().expect("languages").iter();
    let servers = languages.flat_map(|language| language["servers"].as_array().expect("servers"));
    let projects = servers.filter_map(|server| server["projects"].as_array()).flatten();
    let limits = projects.flat_map(|project| project["limits"].as_array().expect("limits"));
    let cures: Vec<_> = limits.filter_map(|limit| Some((limit["kind"].as_str()?, limit["cure"].as_str()?))).collect();
    for cure in [("health", "GOTOOLCHAIN=auto go version"), ("project", "npx tsc --init")] {
        assert!(cures.contains(&cure), "{cure:?}: {cures:?}");
    }
}

#[test]
fn an_untrusted_folder_starts_no_server() {
    let project = Project::fixture("rust");
    let (text, code) = doctor(&Start::new(&project, &["rust-analyzer"]).without_trust(), &[]);
    assert_eq!(code, Some(1));
    assert_snapshot!(text.replace(project.root().as_str(), "[project]"), @"
    rust · 5 files
      ! rust-analyzer 1.96.0
          not started: the folder is not trusted
          `zubi trust [project]` allows it; it would run cargo and the compiler that the project names, its build scripts and its procedural macros

    without a server, not needed for the code: toml
    ");
}

#[test]
fn nothing_is_installed_without_a_request() {
    let project = Project::fixture("typescript");
    let (text, code) = doctor(&Start::new(&project, &[]), &["--fix"]);
    assert_eq!(code, Some(2));
    assert_snapshot!(text, @"
    error: `--fix` prompts before it installs, and there is no terminal
    hint: Add `--yes` to install without confirmation.
    ");
}

/// A fake package manager, because a real one would change the machine; the test checks its command line.
#[test]
fn a_missing_server_is_installed_by_its_package_manager() {
    let project = Project::fixture("typescript");
    project.install("npm", "#!/bin/sh\necho \"npm was asked to $*\"\n");
    let (text, code) = doctor(&Start::new(&project, &[]), &["--fix", "--yes"]);
    assert_eq!(code, Some(0));
    assert_snapshot!(text, @"
    typescript · 4 files
      - TypeScript (tsc --lsp): `tsc` is not installed
          install it with npm: npm install --global typescript@7

    without a server, not needed for the code: json
    npm install --global typescript@7
    npm was asked to install --global typescript@7
    run `zubi doctor` to see what works now
    ");
    project.install("npm", "#!/bin/sh\necho no network >&2; exit 1\n");
    let (text, code) = doctor(&Start::new(&project, &[]), &["--fix", "--yes"]);
    assert_eq!(code, Some(1));
    assert_snapshot!(text.lines().skip(3).collect::<Vec<_>>().join("\n"), @"

    without a server, not needed for the code: json
    npm install --global typescript@7
    no network
    `npm install --global typescript@7` failed
    run `zubi doctor` to see what works now
    ");
}
