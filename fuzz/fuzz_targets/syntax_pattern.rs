//! See `zubi_fuzz::syntax_pattern`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::syntax_pattern(bytes));
