//! What recall finds in conversations over months.
//!
//! `cargo test --test engine recall:: -- --nocapture` prints the figures of `docs/memory.md`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that breaks should stop, and says what it measured"
)]

mod talk;
mod words;

use playhouse::memory::{Hit, Index, IndexEntry};

use self::talk::{Kind, Question, Talk, talks};

fn index(talk: &Talk) -> Index {
    let mut index = Index::new();
    for line in &talk.lines {
        index.add(&IndexEntry {
            speaker: line.speaker,
            text: &line.text,
            time: &line.time,
            session: &line.session,
            about: &[],
        });
    }
    index
}

fn search(index: &Index, talk: &Talk, question: &str, most: usize) -> Vec<Hit> {
    let text = |entry: u32| talk.lines[entry as usize].text.as_str().into();
    index.search(question, most, text)
}

/// The share of a question's evidence among the first `most` hits.
fn found(index: &Index, talk: &Talk, question: &Question, most: usize) -> f64 {
    let hits = search(index, talk, &question.text, most);
    let is_found = |id: &&String| {
        let mut hits = hits.iter();
        hits.any(|hit| talk.lines[hit.entry as usize].id == **id)
    };
    let count = question.evidence.iter().filter(is_found).count();
    count as f64 / question.evidence.len() as f64
}

/// The mean shares in percent, by the kind of question.
fn shares(talks: &[Talk], most: usize) -> [f64; Kind::ALL.len()] {
    let mut sums = [(0.0, 0); Kind::ALL.len()];
    for talk in talks {
        let index = index(talk);
        for question in &talk.questions {
            let (sum, count) = &mut sums[question.kind as usize];
            *sum += found(&index, talk, question, most);
            *count += 1;
        }
    }
    sums.map(|(sum, count)| 100.0 * sum / f64::from(count))
}

#[test]
fn every_kind_of_question_finds_what_docs_memory_says() {
    for (tongue, least) in [(&words::ENGLISH, 61.0), (&words::CHINESE, 78.0)] {
        let shares = shares(&talks(tongue, 7, 4), 10);
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        println!(
            "{}: {:?} {shares:.0?}, mean {mean:.1}",
            tongue.name,
            Kind::ALL
        );
        assert!(mean > least, "{mean}");
    }
}

#[test]
fn planted_facts_are_among_the_first_five() {
    for tongue in [&words::ENGLISH, &words::CHINESE] {
        // Other data than the weights were chosen on.
        let talks = talks(tongue, 1_729, 4);
        let shares = shares(&talks, 5);
        let of = |kind: Kind| shares[kind as usize];
        assert!(of(Kind::Plain) >= 95.0, "{}: {shares:?}", tongue.name);
        assert!(of(Kind::Paraphrased) >= 85.0, "{}: {shares:?}", tongue.name);
    }
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
    let mut index = Index::new();
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
