//! The fuzz target of stores on its committed corpus, and on random damage.

#[cfg(test)]
#[expect(unreachable_pub, reason = "the fuzz package calls this from other crates")]
#[path = "../../../fuzz/src/index_store.rs"]
mod index_store;
#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod corpus {
    use proptest::prelude::*;

    use super::index_store::index_store;
    use super::replay::replay;

    #[test]
    fn no_damaged_store_causes_a_panic_or_stays_damaged() {
        replay("index_store", index_store);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_damage_of_rows(data in prop::collection::vec(any::<u8>(), 3..60)) {
            index_store(&[&[2], data.as_slice()].concat());
        }

        #[test]
        fn any_damage_of_pages(data in prop::collection::vec(any::<u8>(), 4..200)) {
            index_store(&[&[1], data.as_slice()].concat());
        }
    }
}
