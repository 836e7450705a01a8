//! The fuzz target of shell scripts on its committed corpus, and on random scripts from the vocabulary of shells.

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;
#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls this from other crates")]
#[path = "../../../fuzz/src/shell.rs"]
mod shell;

#[cfg(test)]
mod corpus {
    use proptest::prelude::*;

    use super::replay::replay;
    use super::shell;

    #[test]
    fn shell_reader() {
        replay("shell_reader", shell::shell_reader);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]
        #[test]
        fn no_prefix_hides_the_following_commands(
            text in "(a|b c|'q'|\"r\"| |;|;;|&&|\\|\\||&|\\||\n|\\(|\\)|\\{|\\}|!|#|<<E|<<-'E'|\nE\n|<|>|>>|2>&1|\\$x|\\$\\(|`|if |then |else |fi|for |in |do |done|while |case |esac|\\[\\[|\\]\\]|f\\(\\)|=|\\*|cd |sh -c |env |function |time ){0,24}",
        ) {
            shell::shell_reader(text.as_bytes());
        }
    }
}
