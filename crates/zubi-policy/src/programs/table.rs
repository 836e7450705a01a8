//! The programs. The manuals of the programs and tests with real ones are the source of the lists.

use super::lists::{CARGO, DIFF, FIND, GO, GREP, MAKE, NPM, PYTEST, RG, SQLITE};
use super::{BASE, Operands, Options, Program, Style};
use Operands::{
    Addresses, AtMost, Awk, Files, Filter, Inside, LooksWith, None as NoOperands, OneOf, PatternAndFiles, Prefixed,
    Resources, Script, ScriptName, Sed, Statements, Targets, TestIds, Words, Writes,
};
use Options::{AllBut, Only};

/// Programs that only print their version with `--version` or `-V` as the only word.
pub(super) const VERSIONED: &str = "git cargo rustc node npm python3 python go gcc make bash rg jq pip3 ruby perl java deno bun cmake clang docker podman tsc tee \
    sed grep find tar curl wget";

/// A program whose options only look, so that `*` covers all of them.
const fn list_looking(names: &'static str, looking: &'static str) -> Program {
    Program { names, is_inert: true, looking: Some(looking), ..BASE }
}

/// A program of which only some options look.
const fn list_mixed(names: &'static str, looking: &'static str) -> Program {
    Program { names, looking: Some(looking), ..BASE }
}

/// A program with a list for rules.
pub(super) const fn list_covered(names: &'static str, list: &'static str, operands: Operands) -> Program {
    Program { names, covered: Only(list), operands, ..BASE }
}

pub(super) const fn list_subcommand(
    names: &'static str,
    subcommands: &'static str,
    covered: Options,
    operands: Operands,
) -> Program {
    Program { names, subcommands, covered, operands, ..BASE }
}

pub(super) const PROGRAMS: &[Program] = &[
    // Programs that only look.
    list_looking("ls", "-1aAlhrtSRFdpinsCx --color[=] --group-directories-first"),
    list_looking("cat", "-nbsETvAeut"),
    list_looking("nl", "-b= -w= -s= -n= -v= -i="),
    list_looking("rev tac", ""),
    list_looking("head", "-0123456789qv -n= -c= --lines= --bytes="),
    // `-f`, `--pid` and `--retry` do not end.
    Program { looking: Some("-0123456789qv -n= -c= --lines= --bytes="), ..list_looking("tail", "") },
    Program { covered: AllBut("--files0-from"), ..list_looking("wc", "-lwcmL --lines --words --bytes --chars") },
    list_looking("cut", "-s -d= -f= -b= -c= --complement --delimiter= --fields= --output-delimiter="),
    Program { operands: Words, ..list_looking("tr", "-dscC") },
    list_looking("paste", "-sz -d="),
    list_looking("comm", "-123"),
    Program { operands: AtMost(4), covered: AllBut(""), ..list_looking("cmp", "-lsb -n=") },
    Program { operands: Words, ..list_looking("sleep", "") },
    Program { operands: Words, ..list_looking("seq", "-w -s= -f=") },
    Program { operands: Words, ..list_looking("expr", "") },
    Program { operands: Words, ..list_looking("basename", "-az -s=") },
    Program { operands: Words, ..list_looking("dirname", "-z") },
    list_looking("realpath", "-emsqzLP --relative-to= --relative-base="),
    list_looking("readlink", "-femnqsvz"),
    list_looking("stat", "-Ltf -c= --format= --printf="),
    Program {
        covered: AllBut("--files0-from --exclude-from -X"),
        ..list_looking("du", "-shadckmbx -d= --max-depth= --apparent-size")
    },
    list_looking("df", "-hTkiP"),
    Program { operands: NoOperands, covered: AllBut(""), ..list_looking("uname", "-asnrvmpio") },
    Program { operands: NoOperands, covered: AllBut(""), ..list_looking("whoami arch", "") },
    Program { operands: NoOperands, covered: AllBut(""), ..list_looking("nproc", "--all") },
    Program { operands: NoOperands, covered: AllBut(""), ..list_looking("uptime", "-ps") },
    Program { looking: Some("-hbkmgtlw"), ..list_covered("free", "-hbkmgtlw", NoOperands) },
    Program { looking: Some("-aebcpJ"), ..list_covered("lscpu", "-aebcpJ", NoOperands) },
    Program {
        looking: Some(""),
        looking_operands: Some(OneOf("PATH HOME PWD USER LOGNAME SHELL TERM LANG TZ")),
        ..list_covered("printenv", "", Words)
    },
    Program { operands: Words, ..list_looking("id groups", "-ugnGrz") },
    Program { operands: Words, ..list_looking("which", "-a") },
    Program { operands: NoOperands, covered: Only("-fsidI"), ..list_looking("hostname", "") },
    list_looking("strings md5sum sha1sum sha256sum sha512sum fold expand tsort", ""),
    list_looking("base64", "-di -w= --decode --wrap="),
    list_looking("od", "-abcdfilosxv -A= -j= -N= -t="),
    list_looking("hexdump", "-bcCdoxv -n= -s="),
    list_looking("column", "-t -s= -o= --table --separator="),
    // Programs that also write or run with some options or operands.
    Program {
        covered: Only("-cdiuDz -f= -s= -w= --count --repeated --unique --ignore-case --all-repeated[=]"),
        operands: AtMost(1),
        ..list_mixed("uniq", "-cdiu -f= -s= -w=")
    },
    Program {
        covered: Only(
            "-bdfghinrRsuVMzcCm -k= -t= -S= --key= --field-separator= --reverse --numeric-sort --unique \
            --human-numeric-sort --version-sort --general-numeric-sort --month-sort --ignore-case --stable --check[=] \
            --zero-terminated --parallel= --ignore-leading-blanks --dictionary-order --debug",
        ),
        ..list_mixed("sort", "-bdfghinrRsuVMzcC -k= -t= --reverse --numeric-sort --unique --key= --field-separator=")
    },
    Program {
        covered: Only("-bLihkrps --brief --mime --mime-type --mime-encoding --dereference"),
        ..list_mixed("file", "-bLi --brief --mime-type")
    },
    Program {
        covered: Only(
            "-uqwbBiysrNaEZtTpcend -U= -C= -W= -x= -I= --brief --unified[=] --recursive --new-file --ignore-all-space \
            --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side --color[=] --width= --exclude= --label= \
            --suppress-common-lines --strip-trailing-cr --text --report-identical-files",
        ),
        operands: AtMost(2),
        ..list_mixed("diff", DIFF)
    },
    Program {
        covered: Only("-u -R -I[=] -d= --date= --utc --iso-8601[=] --rfc-email --rfc-3339="),
        operands: Prefixed("+"),
        ..list_mixed("date", "-uR -I[=] --utc --iso-8601[=]")
    },
    Program {
        covered: Only(
            "-nErsuz -e= -l= --quiet --silent --regexp-extended --expression= --separate --null-data --posix",
        ),
        operands: Sed,
        ..list_mixed("sed gsed", "-nErsz -e= --quiet --silent --regexp-extended --expression=")
    },
    Program {
        style: Style::Single,
        covered: Only(
            "-name= -iname= -path= -ipath= -wholename= -regex= -iregex= -regextype= -type= -xtype= -maxdepth= -mindepth= -size= \
            -mtime= -mmin= -atime= -amin= -ctime= -cmin= -newer= -newermt= -perm= -user= -group= -uid= -gid= -links= -inum= -empty -not \
            -o -a -or -and -print -print0 -printf= -ls -prune -quit -depth -d -xdev -mount -executable -readable -writable -follow -H -L -P \
            -true -false -daystart -samefile= -nouser -nogroup -noleaf -ignore_readdir_race -lname= -ilname= -exec -execdir",
        ),
        ..list_mixed("find", FIND)
    },
    Program {
        covered: Only(
            "-0123456789nivwxclLoEFqsHhbrRIaUzTP -A= -B= -C= -m= -e= --color[=] --include= --exclude= --exclude-dir= --recursive \
            --line-number --ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches \
            --files-without-match --only-matching --extended-regexp --fixed-strings --quiet --no-messages --with-filename \
            --no-filename --after-context= --before-context= --context= --max-count= --regexp= --text --binary-files= --null \
            --perl-regexp --byte-offset --line-buffered",
        ),
        operands: PatternAndFiles,
        is_inert: true,
        ..list_mixed("grep egrep fgrep", GREP)
    },
    Program {
        covered: Only(
            "-nilcowvFSNHIsxPULuab.0p -A= -B= -C= -g= -t= -T= -e= -m= -r= -d= -M= -E= -j= --files --json --hidden --no-ignore --no-ignore-vcs \
            --glob= --iglob= --type= --type-not= --regexp= --max-count= --context= --after-context= --before-context= --count \
            --count-matches --files-with-matches --files-without-match --ignore-case --smart-case --case-sensitive --fixed-strings \
            --word-regexp --line-regexp --line-number --no-line-number --no-heading --heading --color= --with-filename --no-filename \
            --only-matching --multiline --pcre2 --replace= --max-depth= --max-columns= --max-filesize= --sort= --sortr= --stats \
            --trim --vimgrep --column --text --null --threads= --no-config --type-list --invert-match --follow --passthru --no-messages \
            --multiline-dotall --unrestricted --crlf --encoding= --one-file-system --quiet -q",
        ),
        operands: PatternAndFiles,
        ..list_mixed("rg", RG)
    },
    Program {
        covered: AllBut("-o -R --output --fromfile --fromtabfile --info"),
        ..list_mixed("tree", "-dfahpsugDFCntri -L= -I= -P= --dirsfirst --noreport --gitignore --prune")
    },
    Program {
        style: Style::Single,
        looking: Some("-p -ps -plain -i -u -b -e -a -C -d -E -l= -len= -s= -seek= -c= -cols= -g="),
        ..list_covered(
            "xxd",
            "-p -ps -plain -i -u -b -e -a -C -d -E -l= -len= -s= -seek= -c= -cols= -g= -o= -v",
            AtMost(1),
        )
    },
    Program {
        looking: Some("-F= -v="),
        ..list_covered("awk gawk mawk nawk", "-F= -v= --field-separator= --assign= --posix --version", Awk)
    },
    Program {
        // `--arg` and similar options have two values.
        looking: Some(
            "-rcneasSMCjR --raw-output --compact-output --null-input --exit-status --slurp --sort-keys --tab --indent= --raw-input \
            --monochrome-output --color-output --ascii-output --join-output",
        ),
        ..list_covered(
            "jq gojq jaq",
            "-rcneasSMCj0R --raw-output --compact-output --null-input --exit-status --slurp --sort-keys --tab --indent= \
        --arg= --argjson= --args --jsonargs --raw-input --monochrome-output --color-output --ascii-output --join-output --stream --seq --unbuffered",
            Filter,
        )
    },
    list_covered(
        "yq",
        "-rcneNPCMj -o= -p= -I= --output-format= --input-format= --prettyPrint --no-colors --no-doc --null-input --indent= --raw-output --exit-status",
        Filter,
    ),
    Program {
        style: Style::Tar,
        ..list_covered(
            "tar bsdtar gtar",
            "-tvzjJnap -f@ --list --file@ --verbose --gzip --xz --bzip2 --wildcards --numeric-owner --exclude=",
            Words,
        )
    },
    list_covered("unzip", "-lvtZqpUO", LooksWith("l v t Z p")),
    list_covered(
        "less more",
        "-NSRFXinEeIMmrsuwW --no-init --quit-if-one-screen --RAW-CONTROL-CHARS --LINE-NUMBERS --chop-long-lines",
        Targets,
    ),
    list_covered(
        "bat batcat",
        "-npAPuf --plain --number --show-all --style= --color= --paging= -l= --language= -r= --line-range= --theme= \
        --decorations= --wrap= --tabs= --no-config -H= --highlight-line= --list-languages --list-themes",
        Files,
    ),
    Program {
        looking: Some(
            "-HIaispgu1 -e= -t= -d= -E= -S= --type= --extension= --max-depth= --min-depth= --hidden --no-ignore --exclude= --glob \
            --absolute-path --full-path --fixed-strings --case-sensitive --ignore-case --size= --color=",
        ),
        looking_operands: Some(PatternAndFiles),
        ..list_covered(
            "fd fdfind",
            "-HIaisgFpL0uqE1 -e= -t= -d= -E= -S= -c= -j= --type= --extension= --max-depth= --min-depth= --exact-depth= --hidden --no-ignore \
        --exclude= --glob --absolute-path --full-path --follow --fixed-strings --case-sensitive --ignore-case --size= --color= \
        --changed-within= --changed-before= --print0 --max-results= --strip-cwd-prefix --no-ignore-vcs --unrestricted --quiet",
            Words,
        )
    },
    list_covered("man", "-kfw -s= --whatis --apropos --path --where --sections=", Words),
    list_covered(
        "ps",
        "-efAaxlHjLmNTVwu -o= -p= -C= -U= -G= -t= --sort= --no-headers --headers --forest --pid= --ppid= --format=",
        OneOf("aux ax axu auxw auxww"),
    ),
    // Programs that write, or do so without a certain option.
    Program { operands: Writes, ..list_covered("split csplit zip dd patch vi vim nano emacs", "", Writes) },
    list_covered("rustfmt", "-qvl --check --edition= --quiet --verbose --color= --files-with-diff", LooksWith("check")),
    list_covered(
        "black isort",
        "-qvSC --check --check-only --diff --quiet --verbose -l= --line-length= --color --no-color",
        LooksWith("check check-only diff"),
    ),
    list_covered(
        "prettier",
        "-lc --check --list-different --no-color --log-level= --ignore-unknown",
        LooksWith("c l check list-different"),
    ),
    list_covered("clang-format", "-nv --dry-run --Werror --verbose --style= --fallback-style=", LooksWith("n dry-run")),
    list_covered("gofmt", "-lds -e", LooksWith("l d")),
    list_covered(
        "shellcheck",
        "-axCV -s= -e= -i= -f= -S= -o= --shell= --exclude= --include= --format= --severity= --color= --norc --external-sources",
        Files,
    ),
    // Builds and tests, which run the project's code in any case.
    list_subcommand(
        "cargo",
        "",
        Only("-qv --quiet --verbose --locked --offline --frozen --color= --version --list"),
        Targets,
    ),
    Program {
        rest: Some(
            "-q --nocapture --no-capture --test-threads= --exact --ignored --include-ignored --skip= --list --show-output --quiet --color= --format=",
        ),
        ..list_subcommand("cargo", "test t bench", Only(CARGO), Targets)
    },
    Program { rest: Some("-W= -D= -A= -F="), ..list_subcommand("cargo", "clippy", Only(CARGO), NoOperands) },
    Program {
        rest: Some("-lv --check --quiet"),
        ..list_subcommand(
            "cargo",
            "fmt",
            Only("-qv -p= --package= --all --check --quiet --verbose --message-format="),
            NoOperands,
        )
    },
    Program { rest: Some("*"), ..list_subcommand("cargo", "run r", Only(CARGO), Targets) },
    Program {
        rest: Some(""),
        ..list_subcommand(
            "cargo",
            "check c build b doc d tree metadata clean search pkgid version verify-project locate-project",
            Only(CARGO),
            Targets,
        )
    },
    Program { rest: Some(""), ..list_subcommand("cargo", "nextest", Only(CARGO), Prefixed("run list")) },
    list_subcommand("npm pnpm yarn bun", "", Only("-s --silent --version -v --json"), Targets),
    Program {
        rest: Some(""),
        ..list_subcommand("npm", "ls list outdated view info why explain ping prefix root", Only(NPM), Targets)
    },
    // The others run a script of the project with any other name.
    Program {
        rest: Some(""),
        ..list_subcommand("pnpm", "ls list outdated view info why ping prefix root", Only(NPM), Targets)
    },
    Program { rest: Some(""), ..list_subcommand("yarn", "info why", Only(NPM), Targets) },
    Program { rest: Some(""), ..list_subcommand("bun", "outdated why", Only(NPM), Targets) },
    // Words after these are arguments of the script, `audit fix` and `version patch`.
    Program { rest: Some(""), ..list_subcommand("bun", "test", Only(NPM), Inside) },
    Program { rest: Some(""), ..list_subcommand("npm pnpm yarn bun", "test t audit version", Only(NPM), NoOperands) },
    Program { rest: Some(""), ..list_subcommand("npm pnpm yarn bun", "run run-script", Only(NPM), ScriptName) },
    list_subcommand("go", "", Only(""), Targets),
    Program {
        style: Style::Single,
        ..list_subcommand("go", "test vet build list run fmt doc version", Only(GO), Inside)
    },
    Program {
        style: Style::Single,
        ..list_subcommand("go", "mod", Only("-v -x -json"), OneOf("verify graph download"))
    },
    list_covered("make gmake", MAKE, Targets),
    list_covered("ninja", "-vn -j= -k= -l= --verbose --quiet", Targets),
    list_covered(
        "ctest",
        "-VQNF -j= -R= -E= -L= -I= -C= --output-on-failure --verbose --parallel= --stop-on-failure --rerun-failed --timeout= --repeat= --show-only[=]",
        Words,
    ),
    list_covered("pytest py.test", PYTEST, TestIds),
    list_covered(
        "mypy",
        "-v -p= -m= --strict --verbose --no-error-summary --pretty --show-error-codes --ignore-missing-imports --no-incremental --version",
        Inside,
    ),
    list_covered("pyright", "--warnings --stats --verbose --version --outputjson", Inside),
    list_subcommand("ruff", "", Only("-qvs --quiet --verbose --silent --version"), Targets),
    list_subcommand(
        "ruff",
        "check rule linter version",
        Only(
            "-qvne --select= --ignore= --extend-select= --quiet --verbose --statistics --show-files --output-format= --no-cache --exit-zero --preview --target-version= --line-length= --no-fix --diff",
        ),
        Inside,
    ),
    list_subcommand(
        "ruff",
        "format",
        Only("-qv --check --diff --quiet --verbose --no-cache --preview --line-length="),
        LooksWith("check diff"),
    ),
    list_covered(
        "eslint",
        "-v --quiet --ext= --max-warnings= --no-color --color --version --no-inline-config --report-unused-disable-directives",
        Inside,
    ),
    Program {
        style: Style::Single,
        ..list_covered(
            "tsc",
            "-noEmit -p@ -project@ -b -build -pretty -strict -version -v -skipLibCheck -noErrorTruncation -listFiles -help -h -showConfig",
            Inside,
        )
    },
    list_covered(
        "jest vitest mocha",
        "-bi -t= --testNamePattern= --coverage[=] --verbose --silent --ci --bail --runInBand --run --passWithNoTests --version --listTests",
        Prefixed("run list src test tests spec __tests__ ./src ./test components lib app packages pages e2e"),
    ),
    Program {
        style: Style::Single,
        ..list_covered(
            "gcc g++ cc c++ clang clang++ tcc icc nvcc",
            "-fsyntax-only -Wall -Wextra -Werror -Wpedantic -pedantic -std[=] -c -g -O0 -O1 -O2 -O3 -Os --version -version -v -E -w",
            Inside,
        )
    },
    list_covered("rustc javac kotlinc scalac ghc ocamlc", "-V --version -vV --help", NoOperands),
    Program {
        style: Style::Posix,
        covered: Only(
            "-cv --test --test-only --check --version --test-name-pattern= --test-concurrency= --test-reporter=spec --enable-source-maps --no-warnings --trace-warnings",
        ),
        operands: Script,
        names: "node nodejs",
        ..BASE
    },
    Program { style: Style::Posix, ..list_covered("ts-node tsx", "-v --version", Script) },
    list_subcommand("deno", "", Only("-q --quiet -V --version"), Targets),
    list_subcommand("deno", "check lint test info doc", Only("-q --quiet --json --no-run --fail-fast"), Inside),
    Program { style: Style::Posix, ..list_covered("python pypy ipython", "-uBIsSEOqvVPd --version", Inside) },
    Program { style: Style::Posix, ..list_covered("perl", "-wcvW --version", Inside) },
    Program { style: Style::Posix, ..list_covered("ruby", "-wcv --version", Inside) },
    Program { style: Style::Posix, ..list_covered("php", "-lv --version", Inside) },
    Program { style: Style::Posix, ..list_covered("lua luajit julia Rscript", "-v --version", Inside) },
    // A goal with a colon is one of any plug-in.
    Program {
        style: Style::Single,
        ..list_covered(
            "mvn mvnw",
            "-q -B -U -e -X -o -N -am -ntp -pl= -T= -Dtest= -DskipTests[=] -Dit.test= -quiet -batch-mode -errors -offline -no-transfer-progress -v -version",
            OneOf(
                "clean validate initialize generate-sources process-resources compile process-classes test-compile test package verify dependency:tree",
            ),
        )
    },
    list_covered(
        "gradle gradlew",
        "-qidsm --quiet --info --debug --stacktrace --offline --daemon --no-daemon --parallel --continue --dry-run --console= --rerun-tasks --warning-mode= --tests=",
        Targets,
    ),
    list_subcommand("dotnet", "", Only("--version --info --list-sdks"), Targets),
    Program {
        style: Style::Single,
        ..list_subcommand(
            "dotnet",
            "build test restore list",
            Only(
                "-c@ -f@ -v= -t -no-build -no-restore -configuration@ -framework@ -verbosity= -nologo -filter= -list-tests",
            ),
            Inside,
        )
    },
    // Programs that reach other places.
    Program { style: Style::Remote, ..list_covered("ssh", "-vqTnNCx46 -p= -l=", Words) },
    list_subcommand("scp sftp", "", AllBut("-o -S -F -D -J -s"), Words),
    list_covered(
        "rsync",
        "-avrlptgoDzuhnPcixHSWqAXOkLRdmsy --archive --verbose --recursive --compress --human-readable --itemize-changes --checksum \
        --update --delete --dry-run --exclude= --include= --progress --stats --size-only --existing --ignore-existing --partial \
        --max-size= --min-size= --bwlimit= --numeric-ids --links --perms --times --delete-after --delete-excluded --quiet --relative",
        Words,
    ),
    list_covered(
        "wget",
        "-qcNSvn46 -t= -T= -w= -U= --quiet --continue --timestamping --no-verbose --no-clobber --tries= --timeout= --wait= \
        --user-agent= --spider --server-response --show-progress --no-check-certificate --https-only --max-redirect=",
        Addresses,
    ),
    list_covered(
        "curl",
        "-sSfLIivk46g -m= -A= -X= --max-time= --compressed --retry= --retry-delay= --connect-timeout= --fail --silent --show-error --location --head \
        --include --verbose --http1.1 --http2 --ipv4 --ipv6 --user-agent= --range= -r=",
        Addresses,
    ),
    Program { style: Style::Single, ..list_covered("sqlite3 sqlite", SQLITE, Statements) },
    Program { style: Style::Single, ..list_covered("duckdb", SQLITE, Statements) },
    list_covered("mysql mariadb", "-tsNBv -u= -h= -P= -p[=] -e= --user= --host= --port= --execute=", Statements),
    list_covered("psql", "-AtqXxwW -U= -h= -p= -c= --username= --host= --port= --command=", Statements),
    list_subcommand("docker podman", "", Only("-v --version"), Targets),
    list_subcommand(
        "docker podman",
        "ps images logs inspect version info stats top port history search",
        Only(
            "-aqfnlts --all --quiet --filter= --format= --tail= --since= --until= --timestamps --no-trunc --follow --size --last= --latest --type= --no-stream",
        ),
        Words,
    ),
    list_subcommand("kubectl oc", "", Only("-n= --namespace="), Targets),
    list_subcommand(
        "kubectl oc",
        "get describe",
        Only("-Awh -n= -o= -l= --namespace= --all-namespaces --output= --selector= --show-labels --watch"),
        Resources,
    ),
    list_subcommand(
        "kubectl oc",
        "logs top version explain api-resources",
        Only(
            "-Awfhp -n= -l= -c= --namespace= --all-namespaces --selector= --container= --tail= --since= --previous --follow",
        ),
        Words,
    ),
    list_subcommand("gh", "", Only("--version"), Targets),
    list_subcommand("gh", "status", Only(""), NoOperands),
    list_subcommand("terraform tofu", "", Only("-version"), Targets),
    Program {
        style: Style::Single,
        ..list_subcommand("terraform tofu", "validate version providers", Only("-json -no-color"), NoOperands)
    },
];

#[cfg(test)]
mod tests {
    use super::super::rows;
    use super::{Options, Style};

    #[test]
    fn lists_have_options_only() {
        for row in rows() {
            let (Options::Only(covered) | Options::AllBut(covered)) = row.covered;
            for option in [covered, row.looking.unwrap_or_default()].iter().flat_map(|list| list.split_whitespace()) {
                assert!(option.starts_with('-') && option.len() > 1, "{}: {option}", row.names);
            }
            assert!(!row.names.is_empty());
        }
    }

    /// In a cluster, each letter of an option with a value takes the rest of the word as its value.
    #[test]
    fn options_with_a_value_have_one_letter() {
        let clusters = rows().filter(|row| row.style != Style::Single);
        for row in clusters {
            let (Options::Only(covered) | Options::AllBut(covered)) = row.covered;
            for option in [covered, row.looking.unwrap_or_default()].iter().flat_map(|list| list.split_whitespace()) {
                let has_value = option.ends_with(['=', '@', ']']);
                let letters = option.trim_end_matches(['=', '@', ']', '[']).trim_start_matches('-');
                assert!(
                    option.starts_with("--") || !has_value || letters.chars().count() == 1,
                    "{}: {option}",
                    row.names
                );
            }
        }
    }

    #[test]
    fn the_table_covers_many_programs() {
        let names: std::collections::BTreeSet<&str> = rows().flat_map(|row| row.names.split(' ')).collect();
        assert!(names.len() >= 60, "{}", names.len());
    }
}
