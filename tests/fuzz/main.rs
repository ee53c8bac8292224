//! Conversations of other frameworks and files of the repository, changed at random: what reads
//! them never panics. And scripts, which the program survives.
#![expect(clippy::unwrap_used, reason = "tests")]

mod scripts;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use playhouse::context::{context_from_json, context_to_json};
use playhouse::groupchat::team::TeamFile;
use playhouse::interop::format::{Api, Format, FormatOptions, Style, Turn};
use playhouse::interop::{Profile, read, write};
use playhouse::mind::SplitMix64;
use playhouse::mind::models::Models;
use playhouse::rpg::world_file::WorldFile;
use playhouse::world_data::Templates;

const INPUTS: u64 = 100;
/// No input is longer, in bytes, so that each is tried in no time.
const LONGEST: usize = 4 * 1024;
/// Files that are longer than an input are cut into parts of so many bytes.
const PART: usize = 1024;

/// What is put into inputs.
const PARTS: &str =
    "[ ] { } ( ) \" \\ {{ {% data: <think> \n\n \u{202e} NaN 99999999999999999999 null 大";

/// The texts in some folders of the repository, in parts.
fn seeds(folders: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.extension().is_none_or(|name| name != "rs"))
        .collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read(path).unwrap());
    let texts: Vec<_> = texts
        .flat_map(|text| {
            let size = if text.len() > LONGEST { PART } else { LONGEST };
            text.chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>()
        })
        .collect();
    assert!(!texts.is_empty());
    texts
}

fn fuzz(folders: &[&str], target: fn(&str)) {
    let seeds = seeds(folders);
    for number in 0..INPUTS {
        let mut rng = SplitMix64::new(number);
        let mut input = rng.pick(&seeds).unwrap().clone();
        for _ in 0..=rng.below(8) {
            change(&mut input, &seeds, &mut rng);
        }
        input.truncate(LONGEST);
        let text = String::from_utf8_lossy(&input);
        let tried = catch_unwind(|| target(&text));
        assert!(tried.is_ok(), "input {number} fails:\n{text}");
    }
}

fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut SplitMix64) {
    let from = rng.below(input.len() + 1);
    let to = (from + rng.below(64)).min(input.len());
    match rng.below(5) {
        0 => drop(input.drain(from..to)),
        1 => {
            let parts: Vec<_> = PARTS.split(' ').collect();
            input.splice(from..from, rng.pick(&parts).unwrap().bytes());
        }
        2 => {
            // Seldom often, so that most inputs stay short.
            let most = 1 << rng.below(8);
            let again = input[from..to].repeat(1 + rng.below(most));
            input.splice(to..to, again);
        }
        3 => {
            let other = rng.pick(seeds).unwrap();
            let start = rng.below(other.len() + 1);
            let end = (start + rng.below(256)).min(other.len());
            input.splice(from..to, other[start..end].iter().copied());
        }
        _ => {
            if let Some(byte) = input.get_mut(from) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}

/// Whatever is read can be written in every format and for every provider.
fn convert(text: &str) {
    let named = Profile::ALL.iter().map(|profile| Some(*profile));
    for profile in named.chain([None]) {
        let Ok(imported) = read(text, profile) else {
            continue;
        };
        for profile in Profile::ALL {
            write(&imported.conversations, *profile);
        }
        for conversation in &imported.conversations {
            let turns = conversation.messages.iter();
            let turns: Vec<_> = turns
                .map(|message| Turn::full(message.role, &message.body))
                .collect();
            for api in Api::ALL {
                for style in Style::ALL {
                    let format = Format::new(api, style, FormatOptions::cautious(api));
                    // A media file is an error.
                    let _ = format.render(None, &turns);
                }
            }
        }
    }
}

/// Model files, worlds, teams, templates, and contexts in our own form.
fn read_files(text: &str) {
    if let Ok(models) = Models::load(text, "fuzz.ron", &|_| None) {
        models.summaries();
        models.server_summaries();
    }
    let _ = WorldFile::parse("fuzz.ron", text);
    let _ = TeamFile::parse("fuzz.ron", text);
    if let Ok(templates) = Templates::from_texts([("fuzz", text)]) {
        let filled = templates.render("fuzz", serde_json::json!({"text": text, "list": [1, text]}));
        assert!(filled.map_or(0, |filled| filled.len()) <= 1024 * 1024);
    }
    if let Ok(value) = serde_json::from_str(text)
        && let Ok(context) = context_from_json(&value)
    {
        assert!(context_from_json(&context_to_json(&context)).is_ok());
    }
}

#[test]
fn conversations_never_panic() {
    fuzz(&["crates/groupchat/tests/agentchat"], convert);
}

#[test]
fn files_never_panic() {
    let folders = [
        "tests/fuzz",
        "data",
        "data/teams/en",
        "data/prompts/en/asks",
        "crates/rpg/src/world_file",
    ];
    fuzz(&folders, read_files);
}
