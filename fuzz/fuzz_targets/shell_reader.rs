//! See `zubi_fuzz::shell_reader`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| zubi_fuzz::shell_reader(bytes));
