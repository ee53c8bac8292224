//! A record in words: short lines, by day, of what weighs most.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::context::{Happening, Level, Note, Record};
use crate::event::{PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::message::Text;

/// The maximum number of people and of places that a record names in its first line.
const MAX_NAMES: usize = 8;

const RECORD: PromptTemplate<RecordData> = PromptTemplate::new("archive/record");
const LINE: PromptTemplate<LineData> = PromptTemplate::new("archive/line");

#[derive(Default, Serialize)]
struct RecordData<'a> {
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

#[derive(Default, Serialize)]
struct LineData<'a> {
    me: &'a str,
    it: Option<&'a Happening>,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&RECORD).add(&LINE);
}

/// A merged record, as its owner reads it. It says less, but the most important, if all would take
/// more tokens than its level may.
pub(super) fn record_text(
    phrases: &Phrasebook,
    me: &str,
    record: &Record,
    room: u64,
) -> Result<String, PhraseError> {
    let mut lines = Vec::new();
    for note in &record.notes {
        let it = Some(&note.happening);
        let line = phrases.render(&LINE, &LineData { me, it })?;
        let line = line.trim();
        if !line.is_empty() {
            lines.push((note, line.to_owned()));
        }
    }
    let mut left = match record.level {
        Level::Chapter => room / 10,
        Level::Volume => room / 8,
        Level::Life => room / 6,
    };
    // The heaviest first, of these the latest.
    let mut order: Vec<_> = (0..lines.len()).collect();
    order.sort_by_key(|index| {
        let weight = lines.get(*index).map(|(note, _)| weight(note, me));
        std::cmp::Reverse((weight, *index))
    });
    let mut is_told = vec![false; lines.len()];
    for index in order {
        let Some((note, line)) = lines.get(index) else {
            continue;
        };
        // That somebody tried something matters for some days only.
        if record.level > Level::Chapter && weight(note, me) == 0 {
            continue;
        }
        let tokens = u64::from(Text::from(line.as_str()).tokens()) + 1;
        if tokens <= left {
            left -= tokens;
            is_told[index] = true;
        }
    }
    let more = is_told.iter().filter(|told| !**told).count();
    let mut days: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let told = lines.into_iter().zip(is_told).filter(|(_, told)| *told);
    for ((note, line), _) in told {
        days.entry(note.day).or_default().push(line);
    }
    let days = days.into_iter();
    let data = RecordData {
        from: record.days.0,
        to: record.days.1,
        places: first(&record.places),
        with: first(&record.with),
        days: days.map(|(day, lines)| DayLines { day, lines }).collect(),
        more,
    };
    phrases.render(&RECORD, &data)
}

fn first(names: &[Arc<str>]) -> &[Arc<str>] {
    names.get(..MAX_NAMES).unwrap_or(names)
}

/// How much is lost if a line is left out.
fn weight(note: &Note, me: &str) -> u32 {
    match &note.happening {
        Happening::Died { .. } => 6,
        Happening::Fight(fight) if !fight.fallen.is_empty() => 5,
        Happening::Promised { who, to, .. } if **who == *me || **to == *me => 5,
        Happening::Decided { .. } | Happening::Fight(_) | Happening::Learned { .. } => 4,
        Happening::Gave { .. } | Happening::Took { .. } | Happening::Lost { .. } => 3,
        Happening::Promised { .. } | Happening::Felt { .. } => 2,
        Happening::Wounded { .. } | Happening::Journey { .. } => 1,
        Happening::Tried { .. } | Happening::Outcome { .. } => 0,
    }
}
