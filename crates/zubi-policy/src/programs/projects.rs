//! Programs that check, test or build a project. Their options load files as code, name other configurations, or write.

use super::lists::PYTEST;
use super::table::{list_covered, list_subcommand};
use super::{Operands, Options, Program, Style};
use Operands::{Inside, Located, OneOf, Recipes, Targets, Words};
use Options::Only;

const BAZEL: &str = "-k -c= -j= --config= --keep_going --compilation_mode= --jobs= --test_output= --test_filter= \
    --nocache_test_results --cache_test_results= --verbose_failures --noshow_progress --color= --curses= --test_tag_filters= \
    --build_tag_filters= --build_tests_only --runs_per_test= --local_test_jobs= --test_arg= --test_timeout= --test_summary= \
    --flaky_test_attempts= --nobuild --build_manual_tests --show_result=";

pub(super) const PROGRAMS: &[Program] = &[
    list_covered(
        "pylint",
        "-vE -j= -d= -e= --disable= --enable= --jobs= --errors-only --verbose --score= --reports= --recursive= --fail-under= \
        --fail-on= --ignore= --ignore-paths= --ignore-patterns= --max-line-length= --py-version= --version",
        Inside,
    ),
    list_covered(
        "flake8",
        "-vq -j= --select= --ignore= --extend-select= --extend-ignore= --max-line-length= --max-complexity= --count --statistics \
        --show-source --no-show-source --exclude= --extend-exclude= --filename= --per-file-ignores= --jobs= --quiet --verbose \
        --version --doctests --exit-zero --color= --isolated --max-doc-length= --benchmark",
        Inside,
    ),
    Program { style: Style::Posix, ..list_covered("elixir iex erl escript", "-v --version", Inside) },
    list_covered(
        "rspec",
        "-bpwvc -P= -e= -E= -t= -f= --example= --example-matches= --tag= --format= --pattern= --exclude-pattern= --seed= --order= \
        --fail-fast[=] --no-fail-fast --profile[=] --no-profile --backtrace --color --no-color --dry-run --only-failures \
        --next-failure --warnings --version --bisect[=] --force-color",
        Located,
    ),
    list_covered(
        "phpunit",
        "-v --filter= --exclude-filter= --testsuite= --exclude-testsuite= --group= --exclude-group= --testdox --colors[=] --verbose \
        --debug --no-coverage --order-by= --random-order --stop-on-failure --stop-on-error --stop-on-defect --stop-on-warning \
        --fail-on-warning --fail-on-risky --list-tests --list-suites --list-groups --no-progress --no-results --no-output \
        --display-deprecations --display-errors --display-notices --display-warnings --display-skipped --do-not-cache-result \
        --version --columns=",
        Inside,
    ),
    list_covered(
        "rubocop",
        "-dDSElLPFvV -f= --only= --except= --lint --display-cop-names --no-display-cop-names --extra-details --display-style-guide \
        --parallel --no-parallel --fail-level= --force-exclusion --format= --color --no-color --cache= --fail-fast --version \
        --verbose-version --display-only-fail-level-offenses --list-target-files --show-cops[=] --ignore-unrecognized-cops \
        --raise-cop-error --debug --safe",
        Inside,
    ),
    list_subcommand("bazel bazelisk", "", Only("--version"), Targets),
    list_subcommand("bazel bazelisk", "build test coverage", Only(BAZEL), Targets),
    Program { rest: Some("*"), ..list_subcommand("bazel bazelisk", "run", Only(BAZEL), Targets) },
    list_subcommand(
        "bazel bazelisk",
        "query cquery aquery info version",
        Only(
            "-k --keep_going --output= --noshow_progress --color= --curses= --notool_deps --noimplicit_deps --order_output= --config=",
        ),
        Targets,
    ),
    list_covered(
        "just",
        "-lnqvVy -s= --list --dry-run --quiet --verbose --summary --version --show= --variables --unsorted --no-deps --color= \
        --yes --evaluate --dump --groups --highlight --no-highlight --list-submodules --explain --one --timestamp",
        Recipes,
    ),
    Program {
        rest: Some(PYTEST),
        ..list_covered(
            "tox",
            "-vqrl -p[=] -e= -m= -f= -s[=] --recreate --parallel[=] --skip-env= --notest --listenvs --quiet --verbose --version \
            --skip-missing-interpreters[=] --skip-pkg-install --colored= --list-dependencies --no-list-dependencies --fail-fast",
            OneOf("run r run-parallel p list l config c legacy le"),
        )
    },
    Program {
        rest: Some(PYTEST),
        ..list_covered(
            "nox",
            "-lrRvN -s= -e= -p= -k= -t= --list --sessions= --session= --python= --keywords= --tags= --reuse-existing-virtualenvs \
            --no-install --verbose --version --stop-on-first-error --error-on-missing-interpreters",
            Words,
        )
    },
    list_covered(
        "rake",
        "-nPTDAWqsvVm -j= --dry-run --tasks[=] --all --prereqs --describe[=] --where[=] --quiet --silent --verbose[=] --version --trace[=] \
        --multitask --jobs[=] --build-all --job-stats[=] --backtrace[=] --comments --rules",
        Targets,
    ),
    list_covered(
        "webpack webpack-cli",
        "-d= -o@ -v --mode= --devtool= --output-path@ --stats[=] --no-stats --color --no-color --version --node-env= --progress[=] \
        --fail-on-warnings --no-watch",
        OneOf("build b bundle"),
    ),
    list_covered(
        "vite",
        "-m= -d -l= -v --mode= --minify[=] --sourcemap[=] --debug --logLevel= --clearScreen --version --outDir@ --base= --target= --port= \
        --strictPort --force",
        Inside,
    ),
    list_covered(
        "rollup",
        "-cmv -f= -i@ -o@ -d@ -e= -n= -g= --format= --input@ --file@ --dir@ --external= --name= --globals= --silent --sourcemap[=] --version \
        --failAfterWarnings --no-treeshake",
        Inside,
    ),
];
