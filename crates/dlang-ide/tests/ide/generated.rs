//! Valid models generated from the grammar, as tokens and the gaps between them.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::gaps::{gaps, laid_out};

type Tokens = Vec<String>;

/// A valid model in any layout, with comments anywhere.
pub(crate) fn model() -> impl Strategy<Value = String> {
    (tokens(), gaps(40)).prop_map(|(tokens, gaps)| laid_out(&tokens, &gaps))
}

fn words(words: &[&str]) -> Tokens {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn one_of(choices: &[&'static str]) -> impl Strategy<Value = Tokens> + use<> {
    select(choices.to_vec()).prop_map(|word| words(&[word]))
}

fn join(parts: &[Tokens]) -> Tokens {
    parts.concat()
}

fn name() -> impl Strategy<Value = Tokens> {
    one_of(&["A", "B", "Orders", "x-1", "AVeryLongNameThatFillsMuchOfALineByItself", "_"])
}

fn reference() -> impl Strategy<Value = Tokens> {
    vec(name(), 1..3).prop_map(|names| separate(names, "."))
}

fn separate(parts: Vec<Tokens>, sign: &str) -> Tokens {
    let mut tokens = Tokens::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            tokens.push(sign.to_owned());
        }
        tokens.extend(part);
    }
    tokens
}

fn string() -> impl Strategy<Value = Tokens> {
    one_of(&[
        "\"\"",
        "'it'",
        "\"a text\"",
        "\"a \\\" quote, // no comment, /* none\"",
        "\"two\n   lines  \"",
        "'carriage\r\nreturn'",
        "\"a text that is long enough to need most of a line, even where nothing stands before it\"",
        "\"größer\"",
    ])
}

fn assign() -> impl Strategy<Value = Tokens> {
    one_of(&[":", "=", "is"])
}

fn optional(strategy: impl Strategy<Value = Tokens> + 'static) -> BoxedStrategy<Tokens> {
    option::of(strategy).prop_map(Option::unwrap_or_default).boxed()
}

fn block(entry: impl Strategy<Value = Tokens>) -> impl Strategy<Value = Tokens> {
    vec(entry, 0..4).prop_map(|entries| join(&[words(&["{"]), join(&entries), words(&["}"])]))
}

fn text_property(word: &'static [&'static str]) -> impl Strategy<Value = Tokens> {
    (one_of(word), assign(), string()).prop_map(|(word, assign, value)| join(&[word, assign, value]))
}

fn choice_property(word: &'static [&'static str]) -> impl Strategy<Value = Tokens> {
    (one_of(word), assign(), reference()).prop_map(|(word, assign, value)| join(&[word, assign, value]))
}

fn clause(word: &'static str) -> BoxedStrategy<Tokens> {
    optional(reference().prop_map(move |target| join(&[words(&[word]), target])))
}

fn domain() -> impl Strategy<Value = Tokens> {
    let property = prop_oneof![text_property(&["description", "vision"]), choice_property(&["type"])];
    (one_of(&["Domain", "dom"]), name(), clause("in"), optional(block(property)))
        .prop_map(|(word, name, parent, body)| join(&[word, name, parent, body]))
}

fn context() -> impl Strategy<Value = Tokens> {
    let metadata = (reference(), assign(), string()).prop_map(|(key, assign, value)| join(&[key, assign, value]));
    let property = prop_oneof![
        text_property(&["description"]),
        choice_property(&["classification", "team", "businessModel", "evolution", "archetype"]),
        block(metadata).prop_map(|block| join(&[words(&["metadata"]), block])),
        block(relationship()).prop_map(|block| join(&[words(&["integrations"]), block])),
        block(term()).prop_map(|block| join(&[words(&["glossary"]), block])),
        block(decision()).prop_map(|block| join(&[words(&["decisions"]), block])),
    ];
    (one_of(&["BoundedContext", "bc"]), name(), clause("for"), clause("as"), clause("by"), optional(block(property)))
        .prop_map(|(word, name, domain, classification, team, body)| {
            join(&[word, name, domain, classification, team, body])
        })
}

fn comma() -> BoxedStrategy<Tokens> {
    optional(Just(words(&[","])))
}

fn term() -> impl Strategy<Value = Tokens> {
    let meaning = optional((assign(), string()).prop_map(|(assign, value)| join(&[assign, value])));
    let list = |word: &'static str, item: BoxedStrategy<Tokens>| {
        let items = vec(item, 1..4).prop_map(|items| separate(items, ","));
        optional((optional(assign()), items).prop_map(move |(assign, items)| join(&[words(&[word]), assign, items])))
    };
    let (aka, examples) = (list("aka", name().boxed()), list("examples", string().boxed()));
    (name(), meaning, aka, examples, any::<bool>()).prop_map(|(name, meaning, aka, examples, has_comma)| {
        // A comma after a list would continue the list.
        let comma = if has_comma && aka.is_empty() && examples.is_empty() { words(&[","]) } else { Tokens::new() };
        join(&[words(&["term"]), name, meaning, aka, examples, comma])
    })
}

fn decision() -> impl Strategy<Value = Tokens> {
    let classification = optional(reference().prop_map(|it| join(&[words(&["["]), it, words(&["]"])])));
    (one_of(&["decision", "Policy", "rule"]), classification, name(), assign(), string(), comma()).prop_map(
        |(word, classification, name, assign, value, comma)| join(&[word, classification, name, assign, value, comma]),
    )
}

fn relationship() -> impl Strategy<Value = Tokens> {
    let end = || prop_oneof![reference().boxed(), Just(words(&["this"])).boxed()];
    let patterns = || {
        let pattern = one_of(&["OHS", "PublishedLanguage", "ACL", "CF", "BBoM"]);
        optional(vec(pattern, 1..3).prop_map(|it| join(&[words(&["["]), separate(it, ","), words(&["]"])])))
    };
    let directional = (patterns(), one_of(&["->", "<-", "<->"]), patterns())
        .prop_map(|(left, arrow, right)| join(&[left, arrow, right]));
    let symmetric = prop_oneof![Just(words(&["><"])), Just(words(&["[", "SK", "]"]))];
    (end(), prop_oneof![directional, symmetric], end()).prop_map(|(left, middle, right)| join(&[left, middle, right]))
}

fn contains() -> impl Strategy<Value = Tokens> {
    (vec(reference(), 1..6), any::<bool>()).prop_map(|(entries, has_commas)| {
        let entries = if has_commas { separate(entries, ",") } else { join(&entries) };
        join(&[words(&["contains"]), entries])
    })
}

fn map() -> impl Strategy<Value = Tokens> {
    let relationships = vec(relationship(), 0..3);
    let relationships = (relationships, any::<bool>())
        .prop_map(|(them, has_commas)| if has_commas { separate(them, ",") } else { join(&them) });
    (one_of(&["ContextMap", "cmap"]), name(), vec(contains(), 0..3), relationships).prop_map(
        |(word, name, contains, relationships)| {
            join(&[word, name, words(&["{"]), join(&contains), relationships, words(&["}"])])
        },
    )
}

fn element() -> impl Strategy<Value = Tokens> {
    let bare = (one_of(&["Team", "Classification", "Metadata"]), name()).prop_map(|(word, name)| join(&[word, name]));
    let domain_map = (name(), block(contains())).prop_map(|(name, block)| join(&[words(&["dmap"]), name, block]));
    let leaf = prop_oneof![domain(), context(), bare, domain_map, map()];
    leaf.prop_recursive(3, 20, 4, |inner| {
        (reference(), block(inner)).prop_map(|(name, block)| join(&[words(&["Namespace"]), name, block]))
    })
}

fn tokens() -> impl Strategy<Value = Tokens> {
    let alias = optional(name().prop_map(|name| join(&[words(&["as"]), name])));
    let import = (string(), alias).prop_map(|(uri, alias)| join(&[words(&["import"]), uri, alias]));
    (vec(import, 0..3), vec(element(), 0..6)).prop_map(|(imports, elements)| join(&[join(&imports), join(&elements)]))
}
