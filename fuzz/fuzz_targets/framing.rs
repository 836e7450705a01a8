//! See `zubi_fuzz::framing`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::framing(bytes));
