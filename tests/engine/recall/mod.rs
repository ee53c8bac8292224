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

use std::time::Instant;

use playhouse::memory::{Builder, Entry, Index, Part};

use self::talk::{Kind, Question, Talk, Tongue, talks};

fn index(builder: Builder, talk: &Talk) -> Index {
    let mut index = builder.build();
    for line in &talk.lines {
        index.add(&Entry {
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

/// The share of a question's evidence among the first `most` hits.
fn found(index: &Index, talk: &Talk, question: &Question, most: usize) -> f64 {
    let text = |entry: u32| talk.lines[entry as usize].text.as_str().into();
    let hits = index.search(&question.text, most, text);
    let is_found = |id: &&String| {
        let mut hits = hits.iter();
        hits.any(|hit| talk.lines[hit.entry as usize].id == **id)
    };
    let count = question.evidence.iter().filter(is_found).count();
    count as f64 / question.evidence.len() as f64
}

/// The mean shares in percent, by the kind of question.
fn shares(builder: Builder, talks: &[Talk], most: usize) -> [f64; Kind::ALL.len()] {
    let mut sums = [(0.0, 0); Kind::ALL.len()];
    for talk in talks {
        let index = index(builder, talk);
        for question in &talk.questions {
            let (sum, count) = &mut sums[question.kind as usize];
            *sum += found(&index, talk, question, most);
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

fn without(left_out: Part) -> Builder {
    let others = Part::ALL.into_iter().filter(|part| *part != left_out);
    others.fold(Index::builder(), Builder::part)
}

#[test]
fn every_part_is_measured_and_all_are_better_than_none() {
    for tongue in [&words::ENGLISH, &words::CHINESE] {
        let talks = talks(tongue, 7, 4);
        println!("\n{}: {:?}", tongue.name, Kind::ALL);
        let plain = row("plain BM25", shares(Index::builder(), &talks, 10));
        let all = row(
            "all parts",
            shares(Index::builder().all_parts(), &talks, 10),
        );
        for part in Part::ALL {
            let name = format!("without {part:?}");
            row(&name, shares(without(part), &talks, 10));
        }
        assert!(all > plain + 20.0, "{all} against {plain}");
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
        let all = whole(tongue);
        let bytes: usize = all.lines.iter().map(|line| line.text.len()).sum();
        let begun = Instant::now();
        let index = index(Index::builder().all_parts(), &all);
        let built = begun.elapsed();
        let share = index.bytes() as f64 / bytes as f64;
        let begun = Instant::now();
        for question in &all.questions {
            found(&index, &all, question, 10);
        }
        let each = begun.elapsed() / all.questions.len() as u32;
        let count = all.lines.len();
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
    let mut all = Talk::default();
    for talk in talks(tongue, 7, 10) {
        all.lines.extend(talk.lines);
        all.questions.extend(talk.questions);
    }
    all
}
