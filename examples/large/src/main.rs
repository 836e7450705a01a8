//! The program: `large-example DIR [--areas N] [--contexts N]`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to a terminal")]

use std::path::Path;
use std::process::ExitCode;

use large_example::Size;

const USAGE: &str = "usage: large-example DIR [--areas 200] [--contexts 10]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, size)) = read(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match large_example::write(Path::new(folder), size) {
        Ok((files, bytes)) => {
            println!("{folder}: {} contexts in {files} files, {bytes} bytes", size.areas * size.contexts);
            ExitCode::SUCCESS
        }
        Err(refusal) => {
            eprintln!("{folder}: {refusal}");
            ExitCode::FAILURE
        }
    }
}

fn read(arguments: &[String]) -> Option<(&str, Size)> {
    let mut size = Size::MEASURED;
    let mut folder = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--areas" => size.areas = rest.next()?.parse().ok()?,
            "--contexts" => size.contexts = rest.next()?.parse().ok()?,
            flag if flag.starts_with('-') => return None,
            path if folder.is_none() => folder = Some(path),
            _ => return None,
        }
    }
    Some((folder?, size))
}
