//! Minds behind servers, and servers of tools, all played on loopback; `real_server` has a real
//! one.

mod embeddings;
mod fuzz;
#[path = "../support/http.rs"]
mod http;
mod http_mind;
mod mcp;
#[path = "../support/openai.rs"]
mod openai;
mod providers;
mod question;
mod real_server;
mod request_schemas;
mod scripts;
mod server_dialects;
mod tls;
mod web;

/// The text has all of these words.
#[track_caller]
fn has(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
}
