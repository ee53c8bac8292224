//! Minds behind servers, which are played on loopback; `real_server` has a real one.
#![expect(clippy::unwrap_used, reason = "tests")]

mod embeddings;
mod http_mind;
mod openai;
mod providers;
mod question;
mod real_server;
mod request_schemas;
mod server_dialects;
mod tls;

/// The text has all of these words.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
}
