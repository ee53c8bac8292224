//! Tools of servers and of the web, which are played on loopback.
#![expect(clippy::unwrap_used, reason = "tests")]

mod example;
mod http;
mod mcp;
mod web;

/// The text has all of these words.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
}
