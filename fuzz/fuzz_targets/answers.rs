#![no_main]

#[path = "../../tests/support/fuzz/answers.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|body: &[u8]| target::run(body));
