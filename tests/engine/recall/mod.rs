//! What recall finds in conversations over months, and what each of its parts brings.
//!
//! `cargo test --test engine recall:: -- --nocapture` prints the table of `docs/memory.md`; with
//! `--release` the times are those of that page.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that breaks should stop, and says what it measured"
)]

mod talk;
mod words;

use std::collections::BTreeMap;
use std::time::Instant;

use playhouse::memory::{Builder, Hit, Index, IndexEntry, IndexPart};

use self::talk::{Kind, Question, Talk, Tongue, talks};

fn index(builder: Builder, talk: &Talk) -> Index {
    let mut index = builder.build();
    for line in &talk.lines {
        index.add(&IndexEntry {
            speaker: line.speaker,
            text: &line.text,
            time: &line.time,
            session: &line.session,
            about: &[],
        });
    }
    index.pack();
    index
}

/// How a question is answered.
type Search = fn(&Index, &Talk, &str, usize) -> Vec<Hit>;

fn search(index: &Index, talk: &Talk, question: &str, most: usize) -> Vec<Hit> {
    let text = |entry: u32| talk.lines[entry as usize].text.as_str().into();
    index.search(question, most, text)
}

/// What is new counts up to a third more. No part of the index, since it brings nothing.
fn search_by_recency(index: &Index, talk: &Talk, question: &str, most: usize) -> Vec<Hit> {
    let mut hits = search(index, talk, question, 4 * most);
    for hit in &mut hits {
        hit.score *= 1.0 + hit.entry as f32 / talk.lines.len() as f32 / 3.0;
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.truncate(most);
    hits
}

/// The first three hits are searched for, too. No part of the index, since it costs more than it
/// brings.
fn search_with_feedback(index: &Index, talk: &Talk, question: &str, most: usize) -> Vec<Hit> {
    let first = search(index, talk, question, 4 * most);
    let mut asked = question.to_owned();
    for hit in first.iter().take(3) {
        asked.push(' ');
        asked.push_str(&talk.lines[hit.entry as usize].text);
    }
    let second = search(index, talk, &asked, 4 * most);
    let mut scores = BTreeMap::<u32, f32>::new();
    for (hits, weight) in [(first, 1.0), (second, 0.5)] {
        let best = hits.first().map_or(1.0, |hit| hit.score);
        for hit in hits {
            *scores.entry(hit.entry).or_default() += weight * hit.score / best;
        }
    }
    let hits = scores.into_iter();
    let mut hits: Vec<_> = hits.map(|(entry, score)| Hit { entry, score }).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.truncate(most);
    hits
}

/// The share of a question's evidence among the first `most` hits.
fn found(index: &Index, talk: &Talk, question: &Question, most: usize, search: Search) -> f64 {
    let hits = search(index, talk, &question.text, most);
    let is_found = |id: &&String| {
        let mut hits = hits.iter();
        hits.any(|hit| talk.lines[hit.entry as usize].id == **id)
    };
    let count = question.evidence.iter().filter(is_found).count();
    count as f64 / question.evidence.len() as f64
}

/// The mean shares in percent, by the kind of question.
fn shares(builder: Builder, talks: &[Talk], most: usize) -> [f64; Kind::ALL.len()] {
    shares_of(builder, talks, most, search)
}

fn shares_of(
    builder: Builder,
    talks: &[Talk],
    most: usize,
    search: Search,
) -> [f64; Kind::ALL.len()] {
    let mut sums = [(0.0, 0); Kind::ALL.len()];
    for talk in talks {
        let index = index(builder, talk);
        for question in &talk.questions {
            let (sum, count) = &mut sums[question.kind as usize];
            *sum += found(&index, talk, question, most, search);
            *count += 1;
        }
    }
    sums.map(|(sum, count)| 100.0 * sum / f64::from(count))
}

fn row(name: &str, shares: [f64; Kind::ALL.len()]) -> f64 {
    let cells = shares.map(|share| format!("{share:.0}")).join(" | ");
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    println!("| {name} | {cells} | {mean:.1} |");
    mean
}

fn without(left_out: IndexPart) -> Builder {
    let others = IndexPart::ALL.into_iter().filter(|part| *part != left_out);
    others.fold(Index::builder(), Builder::part)
}

#[test]
fn every_part_is_measured_and_all_are_better_than_none() {
    for tongue in [&words::ENGLISH, &words::CHINESE] {
        let talks = talks(tongue, 7, 4);
        println!("\n{}: {:?}", tongue.name, Kind::ALL);
        let plain = row("plain BM25", shares(Index::builder(), &talks, 10));
        let full = row(
            "all parts",
            shares(Index::builder().all_parts(), &talks, 10),
        );
        for part in IndexPart::ALL {
            let name = format!("without {part:?}");
            row(&name, shares(without(part), &talks, 10));
        }
        let all_parts = || Index::builder().all_parts();
        let recency = shares_of(all_parts(), &talks, 10, search_by_recency);
        row("and recency", recency);
        let feedback = shares_of(all_parts(), &talks, 10, search_with_feedback);
        row("and feedback", feedback);
        assert!(full > plain + 20.0, "{full} against {plain}");
    }
}

#[test]
fn planted_facts_are_among_the_first_five() {
    for tongue in [&words::ENGLISH, &words::CHINESE] {
        // Other data than the weights were chosen on.
        let talks = talks(tongue, 1_729, 4);
        let shares = shares(Index::builder().all_parts(), &talks, 5);
        let of = |kind: Kind| shares[kind as usize];
        assert!(of(Kind::Plain) >= 95.0, "{}: {shares:?}", tongue.name);
        assert!(of(Kind::Paraphrased) >= 85.0, "{}: {shares:?}", tongue.name);
    }
}

#[test]
fn an_index_is_small_and_quick() {
    for tongue in [&words::ENGLISH, &words::CHINESE] {
        let talk = whole(tongue);
        let bytes: usize = talk.lines.iter().map(|line| line.text.len()).sum();
        let begun = Instant::now();
        let index = index(Index::builder().all_parts(), &talk);
        let built = begun.elapsed();
        let share = index.bytes() as f64 / bytes as f64;
        let begun = Instant::now();
        for question in &talk.questions {
            found(&index, &talk, question, 10, search);
        }
        let each = begun.elapsed() / talk.questions.len() as u32;
        let count = talk.lines.len();
        println!(
            "{}: {count} messages, {:.1} % of the text, built in {built:?}, {each:?} a question",
            tongue.name,
            100.0 * share
        );
        // Its lines are shorter than most, so that what is kept of each weighs more.
        assert!(share < 0.3, "{share}");
    }
}

/// All conversations as one.
fn whole(tongue: &Tongue) -> Talk {
    let mut whole = Talk::default();
    for talk in talks(tongue, 7, 10) {
        whole.lines.extend(talk.lines);
        whole.questions.extend(talk.questions);
    }
    whole
}

#[test]
fn messages_in_any_script_are_found_by_their_words() {
    let lines = [
        ("Колокол треснул весной.", "колокол"),
        ("انكسر الجرس في الربيع", "الجرس"),
        ("ระฆังแตกเมื่อฤดูใบไม้ผลิ", "ระฆัง"),
        ("봄에 종이 깨졌다.", "깨졌다"),
        ("鐘は春にひび割れた。", "ひび割れ"),
        ("घंटी वसंत में टूट गई।", "घंटी"),
        ("La cloche s'est fêlée.", "cloche"),
        ("Η καμπάνα ράγισε.", "καμπάνα"),
    ];
    let mut index = Index::builder().all_parts().build();
    for (text, _) in lines {
        let entry = IndexEntry {
            text,
            ..IndexEntry::default()
        };
        index.add(&entry);
    }
    let text = |entry: u32| lines[entry as usize].0.into();
    for (entry, (line, word)) in (0..).zip(lines) {
        let found = index.search(word, 1, text);
        assert!(found.iter().any(|hit| hit.entry == entry), "{word}: {line}");
    }
    for nothing in ["", " ", "\u{0}", "\u{202e}", "🎲🎲", "。。。"] {
        assert!(index.search(nothing, 5, text).is_empty(), "{nothing:?}");
    }
    // Ten thousand words, all of them different.
    let long: Vec<_> = (0..10_000).map(|number| format!("word{number}")).collect();
    assert!(index.search(&long.join(" "), 5, text).is_empty());
}
