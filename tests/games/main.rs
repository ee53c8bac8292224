//! Whole games: the campaign, teams, who is the undercover, and what is agreed with other
//! frameworks.

mod campaign;
mod conformance;
mod course;
mod groupchat;
#[path = "../support/http.rs"]
mod http;
mod long_story;
mod memories;
mod prompts;
mod rehearsal;
mod scripts;
mod undercover;
