//! Programs that run another program of their words, and programs that write what their options name.

use super::table::{list_covered, list_subcommand};
use super::{Operands, Options, Program, Style};
use Operands::{Files, Inside, LooksWith, None as NoOperands, PatternAndFiles, Runs, Words, Writes};
use Options::{AllBut, Only};

/// A subcommand that runs another program, which follows its options.
const fn list_runner(names: &'static str, subcommands: &'static str, list: &'static str) -> Program {
    Program { style: Style::Posix, ..list_subcommand(names, subcommands, Only(list), Runs(0)) }
}

/// The subcommands without a row: the rule must spell out the subcommand.
const fn list_others(names: &'static str, refused: &'static str) -> Program {
    list_subcommand(names, "*", AllBut(refused), Words)
}

const ENVIRONMENTS: &str = "poetry pdm pipenv rye hatch pixi bundle mise asdf rbenv pyenv nodenv opam stack cabal composer \
    volta fnm nvm doppler op heroku foreman conda mamba micromamba";

pub(super) const PROGRAMS: &[Program] = &[
    // Programs that run others.
    list_runner(
        "uv",
        "run",
        "-qv --quiet --verbose --frozen --locked --no-sync --offline --dev --no-dev --all-extras --extra= --group=",
    ),
    list_others("uv", "-p --python --config-file --directory --project --cache-dir"),
    list_runner(ENVIRONMENTS, "run exec x shell develop", "-q --quiet"),
    list_others(ENVIRONMENTS, "-C --directory --project -p --config --config-file"),
    Program { style: Style::Posix, ..list_subcommand("rustup", "run", Only("--install"), Runs(1)) },
    list_others("rustup", "--path"),
    Program { style: Style::Posix, ..list_subcommand("direnv", "exec", Only(""), Runs(1)) },
    list_others("direnv", ""),
    list_runner("npm pnpm yarn bun", "exec x dlx", "-qy --yes --no --quiet"),
    list_runner("pipx", "run", "-q --quiet"),
    list_others("pipx", "--pip-args --python"),
    Program { style: Style::Posix, ..list_covered("npx bunx uvx", "-qy --yes --no-install --no --quiet", Runs(0)) },
    Program { style: Style::Posix, ..list_subcommand("coverage", "run", Only("-p --branch --parallel-mode"), Inside) },
    list_others("coverage", "-d -o --rcfile --data-file --directory"),
    // They run what the flake of the folder or of another place names, also without words.
    list_subcommand("nix", "run shell develop", Only(""), Writes),
    list_others("nix", "-c -f -E -I --command --file --expr --include"),
    Program {
        style: Style::Posix,
        ..list_covered(
            "valgrind ccache sccache distcc dotenv dotenvx cross-env caffeinate xcrun tini dumb-init",
            "-q",
            Runs(0),
        )
    },
    // Their words are scripts of a shell.
    list_covered("hyperfine watchexec nodemon concurrently npm-run-all run-p run-s", "--version", NoOperands),
    // Programs that write or run what an option or an operand names.
    Program {
        rest: Some(""),
        ..list_covered(
            "cmake",
            "-N -B@ -S@ -G= -j[=] --build@ --parallel[=] --target= --config= --clean-first --fresh --verbose -v --version --list-presets[=] -W=",
            Inside,
        )
    },
    list_covered(
        "gpg gpg2",
        "-kKqv --list-keys --list-secret-keys --list-sigs --fingerprint --verify --version --with-colons --quiet --batch --no-tty --keyid-format=",
        LooksWith("k K list-keys list-secret-keys list-sigs fingerprint verify version"),
    ),
    list_covered("ffmpeg convert magick mogrify montage composite gm sox", "", Writes),
    list_covered("ffprobe identify", "-v --version", Inside),
    list_covered(
        "pandoc",
        "-sNv --standalone --toc --wrap= --columns= --number-sections --toc-depth= --version --list-input-formats --list-output-formats",
        Inside,
    ),
    list_covered("iconv", "-cls -f= -t= --from-code= --to-code= --list --silent", Files),
    list_covered("tcpdump", "-neqvxXAStDpNLKO -i= -c= -s= -r@ --count --interface= --snapshot-length=", Words),
    list_covered("tshark", "-nqVxpDl -i= -c= -r@ -f= -Y= -T= -e= -s=", Words),
    Program {
        style: Style::Single,
        ..list_subcommand("openssl", "version dgst", Only("-a -v -sha1 -sha256 -sha512 -md5 -r"), Files)
    },
    list_covered("xmllint", "--noout --valid --format --nonet --recover --xpath= --noblanks --huge --version", Files),
    list_covered(
        "ag ack",
        "-nivwlLcQ -A= -B= -C= -m= --color --nocolor --nogroup --noheading --literal --ignore-case",
        PatternAndFiles,
    ),
    Program { covered: AllBut("-S --suffix --strip-program"), operands: Words, names: "install", ..super::BASE },
    Program {
        names: "helm",
        covered: AllBut("-f --post-renderer --post-renderer-args --output-dir --values --kubeconfig --set-file"),
        operands: Words,
        ..super::BASE
    },
    Program { names: "zcat zgrep", ..super::BASE },
];
