//! Lists of options that several rows of the table have, or that are long.

pub(super) const GIT_LOG: &str = "-0123456789 -pqwbizmcgs -S= -G= -E -F -n= -U= -u -M[=] -C[=] -B[=] --patch --no-patch --oneline \
    --stat[=] --shortstat --numstat --name-only --name-status --summary --dirstat[=] --graph --decorate[=] --no-decorate \
    --format= --pretty[=] --since= --until= --after= --before= --author= --committer= --grep= --all --branches[=] --tags[=] \
    --remotes[=] --merges --no-merges --first-parent --reverse --follow --date= --abbrev-commit --no-abbrev-commit --abbrev[=] \
    --no-color --color[=] --cached --staged --diff-filter= --ignore-all-space \
    --ignore-space-change --ignore-blank-lines --ignore-space-at-eol --minimal --patience --histogram --diff-algorithm= \
    --unified= --find-renames[=] --no-renames --max-count= --skip= --topo-order --date-order --left-right --cherry-pick \
    --cherry --cherry-mark --left-only --right-only --merge-base --exit-code --quiet --check --raw --full-index --no-ext-diff \
    --no-textconv --no-prefix --relative[=] --ancestry-path --boundary --no-notes --source --stat-width= --stat-count= \
    --compact-summary --invert-grep --regexp-ignore-case --no-walk --full-history --children --parents --no-mailmap \
    --mailmap --function-context -W --ignore-submodules[=] --submodule[=] --pickaxe-regex --no-patch --inter-hunk-context=";
pub(super) const GIT_STATUS: &str = "-sbvz -u[=] --short --branch --porcelain[=] --long --show-stash --untracked-files[=] --ignored[=] \
    --ahead-behind --no-ahead-behind --renames --no-renames --no-column --ignore-submodules[=]";
pub(super) const GIT_GREP: &str = "-0123456789niwvlLcohHEFPGpWqIrz -A= -B= -C= -e= -m= --line-number --ignore-case --word-regexp \
    --files-with-matches --files-without-match --name-only --count --only-matching --extended-regexp --fixed-strings \
    --perl-regexp --basic-regexp --heading --break --no-color --color[=] --show-function --function-context --cached --and --or \
    --not --all-match --max-depth= --max-count= --after-context= --before-context= --context= --full-name --column --null \
    --quiet --invert-match";
pub(super) const GIT_BLAME: &str = "-wlstfenbc -M[=] -C[=] -L= --date= --since= --show-email --show-name --show-number --porcelain \
    --line-porcelain --root --abbrev= --first-parent";
pub(super) const GIT_REV_LIST: &str = "-0123456789 -n= --count --all --branches[=] --tags[=] --remotes[=] --max-count= --skip= \
    --since= --until= --after= --before= --author= --committer= --grep= --merges --no-merges --first-parent --reverse --topo-order \
    --date-order --left-right --cherry-pick --cherry-mark --left-only --right-only --oneline --abbrev-commit --abbrev[=] \
    --parents --children --boundary --ancestry-path --no-walk --objects --pretty[=] --format= --date= --timestamp --full-history";
pub(super) const GIT_DIFF_TREE: &str = "-rtpvcmsz -M[=] --no-commit-id --name-only --name-status --stat[=] --numstat --shortstat \
    --root --patch --raw --diff-filter= --find-renames[=] --cc --summary --no-color --unified=";
pub(super) const FIND: &str = "-name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype= -type= -xtype= \
    -maxdepth= -mindepth= -size= -mtime= -mmin= -atime= -amin= -ctime= -cmin= -newer= -newermt= -perm= -user= -group= -links= \
    -inum= -empty -not -o -a -or -and -print -print0 -printf= -ls -prune -quit -depth -xdev -mount -executable -readable \
    -writable -true -false -daystart -nouser -nogroup -noleaf -lname= -ilname=";
pub(super) const GREP: &str = "-0123456789nivwxclLoEFGPqsHhrIaUzTb -A= -B= -C= -m= -e= --color[=] --include= --exclude= \
    --exclude-dir= --recursive --line-number --ignore-case --invert-match --word-regexp --line-regexp --count \
    --files-with-matches --files-without-match --only-matching --extended-regexp --fixed-strings --perl-regexp --quiet --silent \
    --no-messages --with-filename --no-filename --after-context= --before-context= --context= --max-count= --regexp= --text \
    --binary-files= --null --byte-offset --line-buffered";
pub(super) const RG: &str = "-nilcowvFSNHIsxUuap.0 -A= -B= -C= -g= -t= -T= -e= -m= -r= -M= -j= --files --json --hidden --no-ignore \
    --no-ignore-vcs --glob= --type= --type-not= --regexp= --max-count= --context= --after-context= --before-context= --count \
    --count-matches --files-with-matches --files-without-match --ignore-case --smart-case --case-sensitive --fixed-strings \
    --word-regexp --line-regexp --line-number --no-line-number --no-heading --heading --color= --with-filename --no-filename \
    --only-matching --multiline --multiline-dotall --replace= --max-depth= --max-columns= --max-filesize= --sort= --sortr= \
    --stats --trim --vimgrep --column --text --null --threads= --no-config --type-list --invert-match --passthru --no-messages \
    --unrestricted --quiet -q";
pub(super) const CARGO: &str = "-qvr -p= -j= -F= --package= --lib --bins --bin= --tests --test= --examples --example= --benches --bench= \
    --workspace --all --exclude= --all-targets --all-features --no-default-features --features= --release --profile= --target@ \
    --jobs= --no-run --no-fail-fast --doc --quiet --verbose --color= --locked --offline --frozen --message-format= \
    --keep-going --ignore-rust-version --no-deps --manifest-path@ --depth= --edges= -e= --invert= -i= --duplicates -d \
    --format-version= --check --prefix= --document-private-items -E= --filterset= --filter-expr=";
pub(super) const PYTEST: &str = "-qvxslh -k= -m= -r= -n= --tb= --maxfail= --lf --ff --nf --sw --last-failed --failed-first --stepwise --co \
    --collect-only --durations= --cov[=] --cov-report@ --no-cov --timeout= --log-level= --log-cli-level= --ignore@ --deselect= \
    --rootdir@ --import-mode= --asyncio-mode= -W= --verbose --quiet --exitfirst --capture= --color= --disable-warnings --no-header --no-summary \
    --showlocals --strict-markers --strict-config --numprocesses= --markers --fixtures --version --help --runxfail --setup-show";
pub(super) const GO: &str = "-v -run= -count= -short -race -timeout= -bench= -benchmem -cover -failfast -json -parallel= -p= -tags= -list= \
    -cpu= -shuffle= -skip= -x -n -m -f= -deps -test -e -find -versions -all -src -u -trimpath -benchtime= -fuzztime= \
    -coverprofile@ -covermode= -coverpkg=";
pub(super) const NPM: &str = "-slag --silent --if-present --json --depth= --all --long --workspaces --workspace@ -w@ --prod --production \
    --include= --omit= --offline --color= --quiet --parseable -p";
pub(super) const MAKE: &str = "-ksnBiqrwR -j[=] -l[=] -C@ --keep-going --silent --quiet --dry-run --always-make --jobs[=] --no-print-directory \
    --ignore-errors --question --directory@";
pub(super) const DIFF: &str = "-uqwbBiys -U= --brief --unified[=] --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case \
    --side-by-side --report-identical-files --color[=] -W= --width= --suppress-common-lines";
pub(super) const SQLITE: &str =
    "-csv -json -readonly -header -noheader -line -column -list -markdown -table -box -bail -batch -safe -version";
