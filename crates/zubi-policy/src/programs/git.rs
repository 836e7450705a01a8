//! The subcommands of git; see also `shell/git.rs` for options that certainly run something.
//!
//! Not covered is what runs a program of the repository's configuration: signatures (`gpg.program`), editors, drivers of
//! differences, and transports.

use super::lists::{GIT_BLAME, GIT_DIFF_TREE, GIT_GREP, GIT_LOG, GIT_REV_LIST, GIT_STATUS};
use super::table::list_subcommand;
use super::{Operands, Options, Program};
use Operands::{
    Files, Inside, LooksWith, None as NoOperands, OneOf, OnlyWith, OptionalVerb, PatternAndFiles, Prefixed, Verbs,
    Words,
};
use Options::{AllBut, Only};

/// The options of subcommands that print something about the repository, but for those that write or run something.
const PRINTING: Options = AllBut(
    "-o -O --output --output-directory --ext-diff --textconv --show-signature --no-index --contents --open-files-in-pager --edit --filters --batch-command --stdin -u --local-user --gpg-sign --sign -v --verify -F --file --exec --no-textconv",
);

/// A subcommand that prints something about the repository.
const fn list_printing(subcommands: &'static str, looking: &'static str, operands: Operands) -> Program {
    with_looking(list_subcommand("git", subcommands, PRINTING, Words), looking, operands)
}

/// Adds the options and operands that run without approval.
const fn with_looking(row: Program, looking: &'static str, operands: Operands) -> Program {
    Program { looking: Some(looking), looking_operands: Some(operands), ..row }
}

pub(super) const PROGRAMS: &[Program] = &[
    list_subcommand(
        "git",
        "",
        Only(
            "-P -C@ -c= --no-pager --no-optional-locks --literal-pathspecs --version -v -p --paginate --glob-pathspecs --icase-pathspecs --no-replace-objects",
        ),
        Words,
    ),
    with_looking(
        list_subcommand("git", "status", Only(GIT_STATUS), Words),
        "-sbz -u[=] --short --branch --porcelain[=] --long --show-stash --untracked-files[=] --ignored[=] --ahead-behind \
        --no-ahead-behind --renames --no-renames --no-column",
        Inside,
    ),
    with_looking(list_subcommand("git", "log show diff", Only(GIT_LOG), Inside), GIT_LOG, Inside),
    with_looking(
        list_subcommand(
            "git",
            "branch",
            Only(
                "-avrl --show-current --all --list --verbose --remotes --merged[=] --no-merged[=] --contains= --sort= --format= --no-color --color[=] --points-at= -dDmMcCf -u= -t --delete --force --move --copy --set-upstream-to= --unset-upstream --track[=] --no-track",
            ),
            Words,
        ),
        "-avri --show-current --all --list --verbose --remotes --merged= --no-merged= --contains= --no-contains= --sort= \
        --format= --no-color --color[=] --points-at= --no-column --no-abbrev --abbrev[=] --ignore-case",
        OnlyWith("list"),
    ),
    with_looking(
        list_subcommand(
            "git",
            "rev-parse",
            Only(
                "-q --show-toplevel --abbrev-ref[=] --short[=] --show-prefix --is-inside-work-tree --verify --git-dir --show-cdup --absolute-git-dir --is-bare-repository --symbolic --all --branches --tags --quiet",
            ),
            Words,
        ),
        "-q --show-toplevel --abbrev-ref[=] --short[=] --show-prefix --is-inside-work-tree --verify --git-dir --show-cdup \
        --absolute-git-dir --is-bare-repository --symbolic --symbolic-full-name --all --branches --tags --remotes --quiet \
        --git-common-dir",
        Words,
    ),
    with_looking(
        list_subcommand(
            "git",
            "ls-files",
            Only(
                "-mocdzsutvk --modified --others --cached --exclude-standard --deleted --stage --unmerged --killed --full-name --error-unmatch --eol --deduplicate",
            ),
            Inside,
        ),
        "-mocdzstvk --modified --others --cached --exclude-standard --deleted --stage --unmerged --killed --full-name \
        --error-unmatch --eol --deduplicate",
        Inside,
    ),
    with_looking(
        list_subcommand(
            "git",
            "grep",
            AllBut("-O -f --open-files-in-pager --ext-grep --no-index --textconv --recurse-submodules"),
            Words,
        ),
        GIT_GREP,
        PatternAndFiles,
    ),
    // Errors print the first line of the files with revisions.
    with_looking(
        list_subcommand("git", "blame annotate", AllBut("-S --ignore-revs-file --contents"), Words),
        GIT_BLAME,
        Files,
    ),
    // `--dirty` writes the index.
    list_printing(
        "describe",
        "--tags --always --long --all --match= --exclude= --abbrev[=] --exact-match --candidates= --contains --first-parent",
        Words,
    ),
    list_printing("rev-list", GIT_REV_LIST, Inside),
    list_printing("merge-base", "-a --all --octopus --is-ancestor --fork-point --independent", Words),
    list_printing(
        "shortlog",
        "-snec --summary --numbered --email --committer --no-merges --merges --since= --until= --after= --before= --all \
        --group= --format= --author=",
        Inside,
    ),
    list_printing(
        "ls-tree",
        "-dtrlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=]",
        Inside,
    ),
    list_printing("cat-file", "-tsep", Inside),
    list_printing(
        "show-ref",
        "-dsq --head --heads --branches --tags --dereference --hash[=] --abbrev[=] --verify --quiet --exists",
        Words,
    ),
    list_printing(
        "for-each-ref",
        "--format= --sort= --count= --contains= --no-contains= --merged= --no-merged= --points-at= --ignore-case \
        --omit-empty --exclude=",
        Words,
    ),
    list_printing("check-ignore", "-vnq --verbose --non-matching --quiet --no-index", Inside),
    list_printing("count-objects", "-vH --verbose --human-readable", NoOperands),
    list_printing("name-rev", "--name-only --tags --refs= --exclude= --all --always --no-undefined", Words),
    list_printing("cherry", "-v --abbrev[=]", Words),
    list_printing("diff-tree", GIT_DIFF_TREE, Inside),
    list_subcommand("git", "whatchanged range-diff diff-index diff-files check-attr var", PRINTING, Words),
    with_looking(
        list_subcommand("git", "reflog", Only(GIT_LOG), Verbs("list show")),
        GIT_LOG,
        OptionalVerb("show list HEAD"),
    ),
    list_subcommand("git", "notes", Only("--ref="), Verbs("list show")),
    // `-u` shows files that git does not track.
    with_looking(
        list_subcommand(
            "git",
            "stash",
            Only("-qup -m= --quiet --include-untracked --message= --index --stat --patch"),
            Verbs("list show push pop apply drop"),
        ),
        "-0123456789p -n= --stat --name-only --name-status --numstat --shortstat --summary --patch --oneline --format= \
        --pretty[=] --date= --no-color",
        Verbs("list show"),
    ),
    // `show` reaches the remote.
    with_looking(
        list_subcommand("git", "remote", Only("-v --verbose --all --push --dry-run -n"), Verbs("show get-url prune")),
        "-v --verbose --all --push",
        OptionalVerb("get-url"),
    ),
    // Without a message, the editor of the repository's configuration runs.
    list_subcommand(
        "git",
        "commit",
        Only(
            "-avqns -m= --message= -F@ --file@ --all --amend --no-edit --allow-empty --quiet --verbose --no-verify --author= --date= --signoff --dry-run --short --branch --porcelain --no-gpg-sign --only --include",
        ),
        LooksWith("m message F file no-edit"),
    ),
    list_subcommand(
        "git",
        "revert",
        Only("-n -m= --no-commit --no-edit --abort --skip --quit --mainline= --no-gpg-sign"),
        LooksWith("n no-commit no-edit abort skip quit"),
    ),
    list_subcommand(
        "git",
        "cherry-pick",
        Only(
            "-nx -m= --no-commit --abort --skip --quit --mainline= --ff --allow-empty --keep-redundant-commits --no-gpg-sign",
        ),
        Words,
    ),
    with_looking(
        list_subcommand(
            "git",
            "tag",
            Only(
                "-ldif -m= -n[=] --list --message= --contains= --no-contains= --merged[=] --no-merged[=] --points-at= --sort= --format= --column[=] --delete --force --ignore-case --no-sign",
            ),
            Words,
        ),
        "-li -n[=] --list --contains= --no-contains= --merged= --no-merged= --points-at= --sort= --format= --column[=] \
        --no-column --ignore-case --color[=]",
        OnlyWith("l list contains no-contains merged no-merged points-at"),
    ),
    list_subcommand(
        "git",
        "add",
        Only(
            "-vAunfN --all --update --force --dry-run --verbose --intent-to-add --no-all --ignore-errors --chmod= --refresh --renormalize",
        ),
        Words,
    ),
    list_subcommand("git", "rm", Only("-rfqn --cached --force --quiet --dry-run --ignore-unmatch"), Words),
    list_subcommand("git", "mv", Only("-fknv --force --dry-run --verbose"), Words),
    list_subcommand(
        "git",
        "checkout",
        Only(
            "-qfdt -b= -B= --quiet --force --detach --track[=] --no-track --ours --theirs --orphan= --guess --no-guess --overlay --no-overlay --progress --no-progress",
        ),
        Words,
    ),
    list_subcommand(
        "git",
        "switch",
        Only(
            "-qfdt -c= -C= --quiet --force --detach --create= --force-create= --track[=] --no-track --orphan= --guess --no-guess --discard-changes --progress --no-progress",
        ),
        Words,
    ),
    list_subcommand(
        "git",
        "restore",
        Only(
            "-qSW -s= --quiet --source= --staged --worktree --ours --theirs --overlay --no-overlay --ignore-unmerged --progress --no-progress",
        ),
        Words,
    ),
    list_subcommand(
        "git",
        "reset",
        Only("-qN --soft --mixed --hard --keep --merge --quiet --no-refresh --intent-to-add"),
        Words,
    ),
    list_subcommand("git", "clean", Only("-nfdxXq -e= --dry-run --force --quiet --exclude="), Words),
    list_subcommand(
        "git",
        "merge",
        Only(
            "-qvn -m= --quiet --verbose --no-edit --no-ff --ff --ff-only --squash --abort --quit --no-commit --stat --no-stat --allow-unrelated-histories --no-verify --no-gpg-sign --autostash --no-autostash",
        ),
        Words,
    ),
    list_subcommand(
        "git",
        "fetch pull",
        Only(
            "-qvpPtn46akf -j= --all --prune --tags --no-tags --depth= --deepen= --unshallow --force --quiet --verbose --progress --no-progress --dry-run --jobs= --multiple --append --shallow-since= --update-shallow --no-recurse-submodules --prune-tags --ff --ff-only --no-ff --rebase --no-rebase --no-edit --autostash --no-autostash --stat --no-stat --no-commit --no-verify",
        ),
        Words,
    ),
    list_subcommand(
        "git",
        "push",
        Only(
            "-uqvnfd46 --set-upstream --force --force-with-lease[=] --force-if-includes --tags --all --branches --delete --dry-run --quiet --verbose --progress --no-progress --no-verify --verify --follow-tags --atomic --porcelain --prune --no-signed",
        ),
        Words,
    ),
    list_subcommand(
        "git",
        "apply",
        Only(
            "-3Rvqz -p= -C= --check --stat --numstat --summary --index --cached --3way --reverse --ignore-whitespace --ignore-space-change --whitespace= --reject --recount --unidiff-zero --verbose --quiet --allow-empty --exclude= --include= --intent-to-add",
        ),
        Inside,
    ),
    list_subcommand(
        "git",
        "am",
        Only("-3qk --3way --abort --skip --quit --quiet --keep --no-verify --keep-cr --no-gpg-sign"),
        Inside,
    ),
    list_subcommand("git", "init", Only("-q -b= --quiet --initial-branch="), Inside),
    list_subcommand(
        "git",
        "clone",
        Only(
            "-qvnl -b= --depth= --branch= --single-branch --no-single-branch --no-tags --quiet --verbose --progress --no-checkout --filter= --sparse",
        ),
        Inside,
    ),
    list_subcommand(
        "git",
        "ls-remote",
        Only("-qthb --quiet --tags --heads --branches --refs --get-url --sort= --symref --exit-code"),
        Words,
    ),
    list_subcommand(
        "git",
        "rebase",
        Only(
            "-qvrfn --onto= --abort --skip --quit --no-autosquash --rebase-merges[=] --autostash --no-autostash --no-verify --force-rebase --keep-base --stat --no-stat --quiet --verbose --fork-point --no-fork-point --ignore-whitespace --committer-date-is-author-date --reapply-cherry-picks --no-gpg-sign",
        ),
        Words,
    ),
    with_looking(
        list_subcommand(
            "git",
            "worktree",
            Only(
                "-vqz -b= -B= --detach --porcelain --verbose --quiet --dry-run --checkout --no-checkout --track --no-track --orphan",
            ),
            Inside,
        ),
        "-vz --porcelain --verbose",
        Verbs("list"),
    ),
    list_subcommand(
        "git",
        "submodule",
        Only("-q --quiet --cached --recursive --summary-limit="),
        Prefixed("status summary"),
    ),
    // Other settings may be credentials.
    with_looking(
        list_subcommand(
            "git",
            "config",
            Only(
                "-lz --get --get-all --get-regexp --list --global --local --system --show-origin --show-scope --name-only --null --includes --all --regexp --default= --type=",
            ),
            Words,
        ),
        "--get --get-all --local --global",
        OneOf(
            "user.name user.email core.autocrlf core.ignorecase core.filemode core.bare core.hooksPath init.defaultBranch pull.rebase push.default",
        ),
    ),
    list_subcommand("git", "bisect", Only(""), Prefixed("log reset skip good bad old new terms start HEAD")),
    list_subcommand("git", "archive", AllBut("-o --output --remote --exec --add-file --add-virtual-file"), Words),
    list_subcommand(
        "git",
        "format-patch",
        AllBut(
            "-o --output-directory --output --ext-diff --textconv --interdiff --range-diff --signature-file --cover-letter --stdout --show-signature",
        ),
        Words,
    ),
];
