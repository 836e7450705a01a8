//! Effect by effect, with and without a rule, read-only or not.

use super::*;
use crate::cx::{Restrictions, Surface};
use crate::testing::spec;

fn caller(read_only: bool) -> Caller {
    Caller { surface: Surface::Mcp, client: None, restrictions: Restrictions { read_only, ..Restrictions::default() } }
}

#[test]
fn the_effect_decides() {
    for (effect, open, read_only) in [
        (Effect::Read, "allow", "allow"),
        (Effect::Plan, "allow", "allow"),
        (Effect::Write, "allow", "deny"),
        (Effect::Execute, "ask", "deny"),
        (Effect::Network, "ask", "deny"),
    ] {
        let word = |read_only| match Policy::default().decide(
            &spec("a.b", effect),
            &caller(read_only),
            &Footprint::of_effect(effect),
        ) {
            Decision::Allow => "allow",
            Decision::Ask { .. } => "ask",
            Decision::Deny { .. } => "deny",
        };
        assert_eq!((word(false), word(true)), (open, read_only), "{effect:?}");
    }
}

#[test]
fn the_footprint_of_this_call_counts_not_the_worst_case() {
    let spec = spec("a.b", Effect::Execute);
    let decide = |footprint| Policy::default().decide(&spec, &caller(true), &footprint);
    assert_eq!(decide(Footprint::of_effect(Effect::Read)), Decision::Allow);
    assert!(matches!(decide(Footprint::default()), Decision::Deny { .. }), "nothing said is the worst");
}

#[test]
fn a_rule_allows_what_would_ask_but_not_what_is_denied() {
    let policy = Policy::new(ToolFilter::new(["a.*"]));
    let footprint = Footprint {
        commands: vec![vec!["make".to_owned(), "all".to_owned()]],
        ..Footprint::of_effect(Effect::Execute)
    };
    assert_eq!(policy.decide(&spec("a.b", Effect::Execute), &caller(false), &footprint), Decision::Allow);
    assert!(matches!(policy.decide(&spec("a.b", Effect::Execute), &caller(true), &footprint), Decision::Deny { .. }));
    let Decision::Ask { why, .. } = policy.decide(&spec("c", Effect::Execute), &caller(false), &footprint) else {
        panic!("no rule names it")
    };
    assert_eq!(why, "it runs `make all`");
}

#[test]
fn the_author_may_ask_for_every_call() {
    let mut careful = spec("a", Effect::Write);
    careful.approval = Approval::Always;
    let decision = Policy::default().decide(&careful, &caller(false), &Footprint::of_effect(Effect::Write));
    assert!(matches!(decision, Decision::Ask { .. }));
}
