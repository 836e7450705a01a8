//! See `zubi_fuzz::template`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::template(bytes));
