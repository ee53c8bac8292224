//! Teams, whose coders need the program, and what is agreed with other frameworks.

mod conformance;
mod groupchat;
#[path = "../support/http.rs"]
mod http;
mod scripts;
