//! Alternatives for the program of a rule: names and files.

use super::*;

#[test]
fn a_program_pattern_has_names_and_files() {
    let rule = |action: &str| policy(&[json!({"action": action, "command": ["npx|uv|./gradlew|/opt/t/*", "x", "*"]})]);
    for (text, expected) in [
        ("npx x", "allow"),
        ("uv x a", "allow"),
        ("./gradlew x", "allow"),
        ("/opt/t/tool x", "allow"),
        ("gradlew x", "ask"),
        ("./uv x", "ask"),
        ("/opt/tool x", "ask"),
        ("other x", "ask"),
    ] {
        assert_eq!(shell(&rule("allow"), text), expected, "{text}");
    }
    // A name in a rule that denies is this program in any folder.
    for (text, expected) in [
        ("npx x", "deny"),
        ("./bin/npx x", "deny"),
        ("./gradlew x", "deny"),
        ("/opt/t/tool x", "deny"),
        ("other x", "ask"),
    ] {
        assert_eq!(shell(&rule("deny"), text), expected, "{text}");
    }
}
