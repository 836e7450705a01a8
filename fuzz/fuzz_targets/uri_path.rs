//! See `zubi_fuzz::uri_path`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::uri_path(bytes));
