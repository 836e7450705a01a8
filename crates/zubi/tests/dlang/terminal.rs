//! Differences on a terminal: colours, table widths, indented JSON.

use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::check::Sandbox;

const SHOP: &str = "\
//- shop.dlang
Domain Commerce { vision: \"Sell things to people who want them, and to nobody else in the world\" }
Domain Bare
";

/// The output of dlang on a terminal that is 60 columns wide.
#[expect(clippy::disallowed_methods, reason = "the program under test, whose stdout has to be a terminal")]
fn on_terminal(line: &str, environment: &[(&str, &str)]) -> String {
    let sandbox = Sandbox::new(SHOP);
    let mut terminal = File::from(openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let other_end = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlang"));
    command.current_dir(&sandbox.root).env_clear().envs(environment.iter().copied()).args(line.split_whitespace());
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(other_end).spawn().unwrap();
    // Only the child holds the other end now, so that end closes when the child ends.
    drop(command);
    let mut screen = Vec::new();
    let mut buffer = [0; 1024];
    // When the other end is closed, Linux returns an error.
    while let Ok(read @ 1..) = terminal.read(&mut buffer) {
        screen.extend_from_slice(&buffer[..read]);
    }
    child.wait().unwrap();
    String::from_utf8(screen).unwrap().replace("\r\n", "\n")
}

#[test]
fn tables_fit_the_terminal_width() {
    insta::assert_snapshot!(on_terminal("query domains", &[]), @"
    Name      FQN       Vision                      Type  Parent
    ────────────────────────────────────────────────────────────
    Commerce  Commerce  Sell things to people who   -     -
                        want them, and to nobody
                        else in the world
    Bare      Bare      -                           -     -
    ");
}

#[test]
fn json_is_laid_out() {
    insta::assert_snapshot!(on_terminal("query domains --count --json", &[]), @r#"
    {
      "count": 2
    }
    "#);
}

#[test]
fn colours_can_be_switched_off() {
    let is_coloured = |line, environment| on_terminal(line, environment).contains('\u{1b}');
    assert!(is_coloured("validate", &[("TERM", "xterm")]));
    assert!(!is_coloured("validate", &[("TERM", "dumb")]));
    assert!(!is_coloured("validate", &[("NO_COLOR", "1")]));
    assert!(!is_coloured("validate --no-color", &[]));
}
