#![no_main]

#[path = "../../tests/support/fuzz/files.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|text: &str| target::run(text));
