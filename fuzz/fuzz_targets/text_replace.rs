//! See `zubi_fuzz::text_replace`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::text_replace(bytes));
