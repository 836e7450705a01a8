use insta::assert_snapshot;

use super::{Options, build, package};
use crate::{paths, run};

/// Prints the mode of each file of a package with its name, and the system in the manifest.
const LIST_MODES_SCRIPT: &str = r#"
import re, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as package:
    for entry in sorted(package.infolist(), key=lambda entry: entry.filename):
        print("executable" if entry.external_attr >> 16 & 0o111 == 0o111 else "plain", entry.filename)
    manifest = package.read("extension.vsixmanifest").decode()
    print("TargetPlatform", re.findall('TargetPlatform="([^"]*)"', manifest))
"#;

/// The names and modes of the files in a package with this program.
fn contents(name: &str, program: Option<&str>) -> String {
    let out = paths::target().join("tmp").join(name);
    std::fs::create_dir_all(&out).unwrap();
    let stand_in = out.join("stand-in");
    std::fs::write(&stand_in, "#!/bin/sh\nexit 0\n").unwrap();
    let summary = package(program.map(|target| (target, stand_in.as_path())), &out).unwrap();
    let vsix = summary.split("  ").next().unwrap();
    run::quiet(run::command("python3").args(["-c", LIST_MODES_SCRIPT, vsix])).unwrap()
}

#[test]
fn a_platform_package_has_an_executable_program() {
    assert_snapshot!(contents("dist-linux", Some("linux-x64")), @"
    plain [Content_Types].xml
    plain extension.vsixmanifest
    plain extension/LICENSE-APACHE
    plain extension/LICENSE-MIT
    plain extension/api/zubi.d.ts
    plain extension/dist/extension.cjs
    plain extension/dist/page/app.js
    plain extension/dist/page/approvals.js
    plain extension/dist/page/composer.js
    plain extension/dist/page/diff.js
    plain extension/dist/page/dom.js
    plain extension/dist/page/form.js
    plain extension/dist/page/index.html
    plain extension/dist/page/inspector.js
    plain extension/dist/page/list.js
    plain extension/dist/page/log.js
    plain extension/dist/page/markdown.js
    plain extension/dist/page/page.css
    plain extension/dist/page/schema.js
    plain extension/dist/page/state.js
    plain extension/dist/page/transport.js
    plain extension/language-configuration.json
    plain extension/media/agent.md
    plain extension/media/agents.md
    plain extension/media/declare.md
    plain extension/media/icon.png
    plain extension/media/program.md
    plain extension/media/tools.md
    plain extension/media/trust.md
    plain extension/package.json
    plain extension/readme.md
    plain extension/schemas/agent-tools.schema.json
    executable extension/server/zubi
    plain extension/syntaxes/domain-lang.tmLanguage.json
    TargetPlatform ['linux-x64']
    ");
}

#[test]
fn a_universal_package_has_no_program() {
    assert_snapshot!(contents("dist-universal", None), @"
    plain [Content_Types].xml
    plain extension.vsixmanifest
    plain extension/LICENSE-APACHE
    plain extension/LICENSE-MIT
    plain extension/api/zubi.d.ts
    plain extension/dist/extension.cjs
    plain extension/dist/page/app.js
    plain extension/dist/page/approvals.js
    plain extension/dist/page/composer.js
    plain extension/dist/page/diff.js
    plain extension/dist/page/dom.js
    plain extension/dist/page/form.js
    plain extension/dist/page/index.html
    plain extension/dist/page/inspector.js
    plain extension/dist/page/list.js
    plain extension/dist/page/log.js
    plain extension/dist/page/markdown.js
    plain extension/dist/page/page.css
    plain extension/dist/page/schema.js
    plain extension/dist/page/state.js
    plain extension/dist/page/transport.js
    plain extension/language-configuration.json
    plain extension/media/agent.md
    plain extension/media/agents.md
    plain extension/media/declare.md
    plain extension/media/icon.png
    plain extension/media/program.md
    plain extension/media/tools.md
    plain extension/media/trust.md
    plain extension/package.json
    plain extension/readme.md
    plain extension/schemas/agent-tools.schema.json
    plain extension/syntaxes/domain-lang.tmLanguage.json
    TargetPlatform []
    ");
}

#[test]
fn a_system_without_its_rust_target_is_reported() {
    assert_snapshot!(build("web").unwrap_err(), @"there is no target `web` with a program; there are linux-x64, linux-arm64, linux-armhf, alpine-x64, alpine-arm64, darwin-x64, darwin-arm64, win32-x64, win32-arm64");
    assert_snapshot!(build("win32-arm64").unwrap_err(), @"Rust's target aarch64-pc-windows-msvc is missing, which win32-arm64 needs: `rustup target add aarch64-pc-windows-msvc`");
}

#[test]
fn the_command_line_is_read() {
    let read = |words: &[&str]| Options::read(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
    assert_eq!(read(&[]).unwrap(), Options::default());
    let all = Options {
        target: Some("linux-x64".to_owned()),
        program: Some("zubi".into()),
        out: Some("made".into()),
        verify: None,
    };
    assert_eq!(read(&["--target", "linux-x64", "--program", "zubi", "--out", "made"]).unwrap(), all);
    for (words, package) in [(["--verify"].as_slice(), "zubi"), (&["--verify", "xtask"], "xtask")] {
        assert_eq!(read(words).unwrap().verify.as_deref(), Some(package));
    }
    assert!(read(&["--verify", "zubi", "--target", "linux-x64"]).is_err());
    assert!(read(&["--target"]).is_err() && read(&["--other", "x"]).is_err());
}
