//! A record in words: short lines, by day, of what weighs most.
//!
//! For example, Ann learned a fact, which weighs 8, and Ben promised her something, which weighs 7.
//! The heaviest lines are told first, as long as there are tokens for them, and the record says how
//! many more there are. In a volume or a life, ten promises between the two are one line: how many
//! there were, how many were kept, and the last of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use playhouse_engine::context::{ChapterRecord, Common, Happened, Level, Note};
use playhouse_engine::event::{PhraseError, Phrasebook, Prompt};
use playhouse_engine::knowledge::is_made;
use playhouse_engine::message::Text;
use serde::Serialize;

use crate::happening::{Happening, Pledge};

/// The maximum number of people and of places that a record names in its first line.
const MAX_NAMES: usize = 8;

/// How many lines of a kind weigh the same, before the next weigh half as much, a third, and so on.
const AS_WEIGHTY: u32 = 4;

/// How often something happens in a longer past before it is told in one line.
const FEW: usize = 3;

#[derive(Serialize, Prompt)]
#[prompt("archive/record")]
pub(super) struct RecordData<'a> {
    from: u32,
    to: u32,
    places: &'a [Arc<str>],
    with: &'a [Arc<str>],
    days: Vec<DayLines>,
    /// The number of lines that are left out.
    more: usize,
}

#[derive(Serialize)]
struct DayLines {
    day: u32,
    lines: Vec<String>,
}

#[derive(Serialize, Prompt)]
#[prompt("archive/line")]
pub(super) struct LineData<'a> {
    me: &'a str,
    it: &'a Happening,
}

/// What happened often: how many times, and the last one.
#[derive(Default, Serialize, Prompt)]
#[prompt("archive/often")]
pub(super) struct OftenData<'a> {
    me: &'a str,
    what: &'static str,
    /// The two who promised each other, the one who tried or was wounded, or the item that moved.
    names: [&'a str; 2],
    count: usize,
    /// How many promises were kept or attempts succeeded, and how many promises were broken.
    good: usize,
    bad: usize,
    last: &'a str,
}

/// How many tokens a record may take in a conversation with so much room.
pub(super) fn record_tokens(level: Level, room: u64) -> u64 {
    match level {
        Level::Chapter => room / 10,
        Level::Volume => room / 8,
        Level::Life => room / 6,
    }
}

/// A merged record, as its owner reads it. It says less, but the most important, if all would take
/// more tokens than its level may.
pub(super) fn record_text(
    phrases: &Phrasebook,
    me: &str,
    record: &ChapterRecord<Happening>,
    room: u64,
) -> Result<String, PhraseError> {
    let mut lines = Vec::new();
    let is_mine = |note: &Note<Happening>| matches!(&note.happening, Happening::Promised { to, .. } if **to == *me);
    let mut promised: Vec<_> = record.notes.iter().filter(|note| is_mine(note)).collect();
    for note in &record.notes {
        if is_told_by_attempt(note, record, me) {
            continue;
        }
        // The same words given to several people are one line, preferably about oneself.
        if let Happening::Promised {
            who, words, state, ..
        } = &note.happening
            && !words.is_empty()
            && !is_mine(note)
        {
            let is_same = |known: &&Note<Happening>| {
                matches!(&known.happening, Happening::Promised { who: by, words: said, state: now, .. }
                    if (by, said, now) == (who, words, state))
            };
            if promised.iter().any(is_same) {
                continue;
            }
            promised.push(note);
        }
        let short = told_by_decision(&note.happening, record);
        let it = short.as_ref().unwrap_or(&note.happening);
        let line = phrases.fill(&LineData { me, it })?;
        let line = line.trim();
        if !line.is_empty() {
            lines.push((note, line.to_owned()));
        }
    }
    if record.level > Level::Chapter {
        lines = gathered(phrases, me, lines)?;
    }
    let mut left = record_tokens(record.level, room);
    // The heaviest first, of these the latest. What happens again and again weighs less each time,
    // or else a life would be nothing but promises.
    let mut told_of_kind: BTreeMap<_, u32> = BTreeMap::new();
    let mut order = Vec::new();
    for (index, (note, _)) in lines.iter().enumerate().rev() {
        // For some days only it matters that somebody else tried something.
        if record.level > Level::Chapter && weight(note, me) == 0 {
            continue;
        }
        let told = told_of_kind.entry(kind(&note.happening)).or_default();
        let weight = f64::from(weight(note, me)) / f64::from(1 + *told / AS_WEIGHTY);
        *told += 1;
        order.push((std::cmp::Reverse(weight.to_bits()), index));
    }
    // Stable, so that the latest stay first.
    order.sort_by_key(|(weight, _)| *weight);
    let mut is_told = vec![false; lines.len()];
    for (_, index) in order {
        let tokens = u64::from(Text::from(lines[index].1.as_str()).tokens()) + 1;
        if tokens <= left {
            left -= tokens;
            is_told[index] = true;
        }
    }
    let more = is_told.iter().filter(|told| !**told).count();
    let mut days: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for ((note, line), _) in lines.into_iter().zip(is_told).filter(|(_, told)| *told) {
        days.entry(note.day).or_default().push(line);
    }
    let days = days.into_iter().map(|(day, lines)| DayLines { day, lines });
    let data = RecordData {
        from: record.days.0,
        to: record.days.1,
        places: first(&record.places),
        with: first(&record.with),
        days: days.collect(),
        more,
    };
    phrases.fill(&data)
}

/// Whether a fact that play made only says that an attempt succeeded, which its own line says.
fn is_told_by_attempt(note: &Note<Happening>, record: &ChapterRecord<Happening>, me: &str) -> bool {
    let Happening::Common(Common::Learned { fact, text, from }) = &note.happening else {
        return false;
    };
    let says = |other: &Note<Happening>| match &other.happening {
        Happening::Tried { who, attempt, .. } if other.day == note.day && **who == *me => {
            let tried = attempt.trim_end_matches(['.', '。']);
            !tried.is_empty() && text.contains(tried)
        }
        _ => false,
    };
    is_made(fact) && from.is_empty() && record.notes.iter().any(says)
}

/// A feeling without its reason, if that is a decision, which has a line of its own.
fn told_by_decision(it: &Happening, record: &ChapterRecord<Happening>) -> Option<Happening> {
    let Happening::Felt { why, .. } = it else {
        return None;
    };
    // It may be cut.
    let why = why.trim_end_matches('…');
    let says = |note: &Note<Happening>| matches!(&note.happening, Happening::Decided { choice, .. } if choice.starts_with(why));
    let is_told = record.notes.iter().any(says);
    is_told.then(|| it.clone().without_words()).flatten()
}

fn first(names: &[Arc<str>]) -> &[Arc<str>] {
    names.get(..MAX_NAMES).unwrap_or(names)
}

/// What can happen by the dozen: what it is, and whom or what it concerns.
fn often<'a>(happening: &'a Happening, me: &str) -> Option<(&'static str, [&'a str; 2])> {
    Some(match happening {
        Happening::Promised { who, to, .. } => {
            let is_in_order = **who == *me || (**to != *me && who < to);
            ("promised", if is_in_order { [who, to] } else { [to, who] })
        }
        Happening::Took { item, .. }
        | Happening::Gave { item, .. }
        | Happening::Lost { item, .. } => ("moved", [item, ""]),
        Happening::Tried { who, .. } => ("tried", [who, ""]),
        Happening::Wounded { who, .. } => ("wounded", [who, ""]),
        Happening::Common(Common::Learned { fact, .. } | Common::Told { fact, .. })
            if is_made(fact) =>
        {
            ("heard", ["", ""])
        }
        _ => return None,
    })
}

/// Lines in which what happened often stands once, where it happened last.
fn gathered<'n>(
    phrases: &Phrasebook,
    me: &str,
    lines: Vec<(&'n Note<Happening>, String)>,
) -> Result<Vec<(&'n Note<Happening>, String)>, PhraseError> {
    let mut groups: BTreeMap<_, Vec<&Happening>> = BTreeMap::new();
    for (note, _) in &lines {
        if let Some(what) = often(&note.happening, me) {
            groups.entry(what).or_default().push(&note.happening);
        }
    }
    groups.retain(|_, all| all.len() > FEW);
    let mut gathered = Vec::new();
    for (note, line) in lines {
        let what = often(&note.happening, me);
        let Some((what, all)) = what.and_then(|what| groups.get_key_value(&what)) else {
            gathered.push((note, line));
            continue;
        };
        if all
            .last()
            .is_some_and(|last| std::ptr::eq(*last, &note.happening))
        {
            let data = often_data(*what, all);
            let data = OftenData {
                me,
                last: &line,
                ..data
            };
            gathered.push((note, phrases.fill(&data)?.trim().to_owned()));
        }
    }
    Ok(gathered)
}

fn often_data<'a>(
    (what, names): (&'static str, [&'a str; 2]),
    all: &[&Happening],
) -> OftenData<'a> {
    let count = |is: fn(&Happening) -> bool| all.iter().filter(|each| is(each)).count();
    let is_good = |happening: &Happening| match happening {
        Happening::Promised { state, .. } => *state == Pledge::Kept,
        Happening::Tried { outcome, .. } => matches!(&**outcome, "full" | "cost"),
        _ => false,
    };
    let is_broken = |happening: &Happening| matches!(happening, Happening::Promised { state, .. } if *state == Pledge::Broken);
    OftenData {
        what,
        names,
        count: all.len(),
        good: count(is_good),
        bad: count(is_broken),
        ..OftenData::default()
    }
}

/// What happens again: that the same promise-giver keeps another promise, another gift of the same
/// item.
fn kind(happening: &Happening) -> (u8, [&str; 2]) {
    match happening {
        Happening::Fight(fight) => (0, [&fight.place, ""]),
        Happening::Wounded { who, .. } => (2, [who, ""]),
        Happening::Took { who, item } => (4, [who, item]),
        Happening::Gave { who, item, .. } => (5, [who, item]),
        Happening::Lost { who, item, .. } => (6, [who, item]),
        Happening::Promised { who, to, state, .. } => match state {
            Pledge::Made => (7, [who, to]),
            Pledge::Kept => (8, [who, to]),
            Pledge::Broken => (9, [who, to]),
        },
        Happening::Felt { about, .. } => (10, [about, ""]),
        Happening::Journey { dungeon, .. } => (11, [dungeon, ""]),
        Happening::Tried { who, .. } => (12, [who, ""]),
        Happening::Common(Common::Died { who, .. }) => (1, [who, ""]),
        Happening::Common(Common::Learned { from, .. }) => (3, [from, ""]),
        Happening::Common(Common::Told { .. }) => (13, ["", ""]),
        Happening::Decided { who, .. } => (14, [who, ""]),
    }
}

/// How much is lost if a line is left out: most by what the story depends on and by what one did
/// oneself, least by journeys and by what play made.
fn weight(note: &Note<Happening>, me: &str) -> u32 {
    let is_me = |name: &Arc<str>| **name == *me;
    match &note.happening {
        Happening::Common(Common::Died { .. }) | Happening::Fight(_) => 9,
        Happening::Common(Common::Learned { fact, .. }) if !is_made(fact) => 8,
        Happening::Decided { who, .. } if is_me(who) => 7,
        Happening::Promised { who, to, .. } if is_me(who) || is_me(to) => 7,
        Happening::Decided { .. } => 6,
        Happening::Common(Common::Told { fact, .. }) if !is_made(fact) => 5,
        Happening::Gave { who, to, .. } if is_me(who) || is_me(to) => 4,
        Happening::Took { who, .. } | Happening::Lost { who, .. } if is_me(who) => 4,
        Happening::Wounded { who, .. } if is_me(who) => 3,
        Happening::Felt { .. } => 3,
        Happening::Tried { who, .. } if is_me(who) => 3,
        Happening::Gave { .. } | Happening::Took { .. } | Happening::Lost { .. } => 2,
        Happening::Promised { .. } => 2,
        Happening::Common(_) | Happening::Wounded { .. } => 1,
        Happening::Journey { .. } => 1,
        Happening::Tried { found, left, .. } if !found.is_empty() || !left.is_empty() => 1,
        Happening::Tried { .. } => 0,
    }
}
