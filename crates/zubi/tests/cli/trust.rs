//! `zubi trust`.

use insta::assert_snapshot;

use crate::check::Place;

#[test]
fn trusting_listing_and_revoking() {
    let place = Place::new();
    place.write("work/.zubi.toml", "read-only = true\n");
    assert_snapshot!(place.check(&["trust", "--list"]), @"exit 0");
    assert_snapshot!(place.check(&["trust"]), @"
    exit 0
    --- stdout
    trusted: [PLACE]/work
    trusted as it is now: [PLACE]/work/.zubi.toml
    ");
    assert_snapshot!(place.check(&["trust", "src"]), @"
    exit 0
    --- stdout
    trusted: [PLACE]/work/src
    ");
    assert_snapshot!(place.check(&["trust", "--list"]), @"
    exit 0
    --- stdout
    [PLACE]/work
    [PLACE]/work/src
    ");
    assert_snapshot!(place.check(&["trust", "--revoke", "src"]), @"
    exit 0
    --- stdout
    no longer trusted: [PLACE]/work/src
    ");
    assert_snapshot!(place.check(&["trust", "--revoke", "src"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work/src` is trusted because `[PLACE]/work` is; revoke that one
    hint: `zubi trust --list` shows which folders are trusted.
    ");
    assert_snapshot!(place.check(&["trust", "--revoke"]), @"
    exit 0
    --- stdout
    no longer trusted: [PLACE]/work
    ");
    assert_snapshot!(place.check(&["trust", "--revoke"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work` is not trusted, so there is nothing to revoke
    hint: `zubi trust --list` shows which folders are trusted.
    ");
    assert_snapshot!(place.check(&["trust", "/"]), @"
    exit 2
    --- stderr
    error: `/` cannot be trusted: it holds every folder of this machine; name the project's
    ");
    assert_snapshot!(place.check(&["trust", "absent"]), @"
    exit 2
    --- stderr
    error: `[PLACE]/work/absent` cannot be trusted: No such file or directory (os error 2)
    ");
    assert_snapshot!(place.check(&["trust", "--list", "src"]), @"
    exit 2
    --- stderr
    error: the argument '--list' cannot be used with '[PATH]'

    Usage: zubi trust --list [PATH]

    For more information, try '--help'.
    ");
}
