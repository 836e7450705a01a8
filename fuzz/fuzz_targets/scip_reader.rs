//! See `zubi_fuzz::scip_reader`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::scip_reader(bytes));
