//! The targets of `fuzz/` on the stable toolchain: files of the repository, changed at random.
//!
//! `PLAYHOUSE_FUZZ=100000 cargo test --test minds fuzz` tries as many inputs per target, and
//! `PLAYHOUSE_FUZZ=100000..200000` goes on from there.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
#![expect(clippy::disallowed_methods, reason = "how many inputs are tried")]

use std::fs;
use std::ops::Range;
use std::panic::catch_unwind;
use std::path::Path;

use playhouse::mind::SplitMix64;

#[path = "../support/fuzz/answers.rs"]
mod answers;
#[path = "../support/fuzz/dialects.rs"]
mod dialects;
#[path = "../support/fuzz/files.rs"]
mod files;
#[path = "../support/fuzz/words.rs"]
mod words;

/// No input is longer, in bytes, so that each is tried in no time.
const LONGEST: usize = 4 * 1024;
/// Files that are longer than an input are cut into parts of so many bytes.
const PART: usize = 1024;

/// What is put into inputs.
const PARTS: [&str; 18] = [
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "\\",
    "{{",
    "{%",
    "data: ",
    "<think>",
    "\n\n",
    "\u{202e}",
    "NaN",
    "99999999999999999999",
    "null",
    "大",
];

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

/// The numbers of the inputs to try.
fn wanted() -> Range<u64> {
    let Ok(wanted) = std::env::var("PLAYHOUSE_FUZZ") else {
        return 0..100;
    };
    let (from, to) = wanted.split_once("..").unwrap_or(("0", &wanted));
    let number = |text: &str| text.parse().expect("PLAYHOUSE_FUZZ is N or N..N");
    number(from)..number(to)
}

fn fuzz(folders: &[&str], target: fn(&[u8])) {
    let seeds = seeds(folders);
    for number in wanted() {
        let mut rng = SplitMix64::new(number);
        let mut input = rng.pick(&seeds).unwrap().clone();
        for _ in 0..=rng.below(8) {
            change(&mut input, &seeds, &mut rng);
        }
        input.truncate(LONGEST);
        let tried = catch_unwind(|| target(&input));
        let shown = String::from_utf8_lossy(&input);
        assert!(tried.is_ok(), "input {number} fails:\n{shown}");
    }
}

fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut SplitMix64) {
    let from = rng.below(input.len() + 1);
    let to = (from + rng.below(64)).min(input.len());
    match rng.below(5) {
        0 => drop(input.drain(from..to)),
        1 => drop(input.splice(from..from, rng.pick(&PARTS).unwrap().bytes())),
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

fn as_text(input: &[u8], target: fn(&str)) {
    target(&String::from_utf8_lossy(input));
}

#[test]
fn answers_never_panic() {
    fuzz(
        &["crates/rpg/tests/recorded", "tests/conformance/agentchat"],
        answers::run,
    );
}

#[test]
fn dialects_never_panic() {
    fuzz(&["tests/conformance/agentchat"], |input| {
        as_text(input, dialects::run)
    });
}

#[test]
fn files_never_panic() {
    let folders = [
        "tests/support/fuzz/seeds",
        "data",
        "data/teams/en",
        "data/prompts/en/asks",
        "crates/rpg/src/world_file",
    ];
    fuzz(&folders, |input| as_text(input, files::run));
}

#[test]
fn words_never_panic() {
    let folders = ["data/prompts/en/asks", "tests/conformance/agentchat"];
    fuzz(&folders, |input| as_text(input, words::run));
}
