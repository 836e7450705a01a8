//! See `zubi_fuzz::index_store`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::index_store(bytes));
