//! See `zubi_fuzz::dlang_model`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::dlang_model(bytes));
