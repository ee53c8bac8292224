//! The branches of a story: other slots whose journals begin like its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::board::Contents;
use super::library::{Library, Story};
use super::reader::{MOST, Reader};
use super::request::difference;
use crate::journal::{JournalHeader, Line, Meeting, Recording};
use crate::locale::{Localize, UiText};
use crate::save::{SaveError, Slot};
use crate::session::messages_of;

/// The course of a slot: its head, its meetings, and its seed, which a branch may have changed.
struct Course {
    head: JournalHeader,
    meetings: Vec<Meeting>,
    seed: u64,
}

impl Course {
    fn of(slot: &Slot) -> Result<Option<Self>, SaveError> {
        let mut lines = slot.read_journal()?.into_iter();
        let Some(Line::Header(head)) = lines.next() else {
            return Ok(None);
        };
        let mut meetings = Vec::new();
        let recording = Recording::of(lines.inspect(|line| {
            if let Line::Meeting(meeting) = line {
                meetings.push(meeting.clone());
            }
        }));
        let seed = recording.seed_at(u64::MAX, head.seed);
        Ok(Some(Self {
            head,
            meetings,
            seed,
        }))
    }

    /// The last turn up to which another course is the same; `None` if they are of other stories.
    fn parts_from(&self, other: &Self) -> Option<u64> {
        let (head, others) = (&self.head, &other.head);
        if (&head.world, head.seed) != (&others.world, others.seed) {
            return None;
        }
        let both = self.meetings.iter().zip(&other.meetings);
        let same = both.take_while(|(one, other)| one == other).last();
        Some(same.map_or(0, |(meeting, _)| meeting.turn))
    }

    fn last(&self) -> u64 {
        self.meetings.last().map_or(0, |meeting| meeting.turn)
    }
}

/// The story and its branches, each with the last turn that they share.
pub(super) fn branches(library: &dyn Library, story: &Story) -> Result<Value, UiText> {
    let own = &story.slot;
    let failed = |error: SaveError| error.text();
    let Some(course) = Course::of(own).map_err(failed)? else {
        return Ok(json!({"this": own.name().as_str(), "tree": []}));
    };
    let row = |slot: &str, course: &Course, turn: u64| json!({"slot": slot, "turn": turn, "last": course.last(), "seed": course.seed});
    let mut tree = vec![row(own.name().as_str(), &course, 0)];
    let Some(root) = own.folder().parent() else {
        return Ok(json!({"this": own.name().as_str(), "tree": tree}));
    };
    for listed in library.list() {
        if listed.slot == own.name().as_str() {
            continue;
        }
        // A slot that can't be read is no branch that could be shown.
        let slot = Slot::find(root, &listed.slot).ok();
        let other = slot.and_then(|slot| Course::of(&slot).ok().flatten());
        if let Some(other) = other
            && let Some(turn) = course.parts_from(&other)
        {
            let mut row = row(&listed.slot, &other, turn);
            row["parent"] = own.name().as_str().into();
            tree.push(row);
        }
    }
    Ok(json!({"this": own.name().as_str(), "tree": tree}))
}

/// Two branches from where they part: what happened in each, what only one of them made known, and
/// how the contexts of somebody differ.
pub(super) fn compare(here: &Reader<'_>, there: &Reader<'_>, turn: u64, who: Option<u32>) -> Value {
    let after = |reader: &Reader<'_>| {
        let contents = reader.board.read();
        let shared = contents
            .events
            .partition_point(|event| event.record.turn < turn);
        drop(contents);
        json!(reader.events_from(shared as u32, MOST))
    };
    let known = |reader: &Reader<'_>| {
        let state = reader.board.read().state.clone();
        let beings = state.beings.iter();
        let known = beings.map(|being| {
            let facts = being.knowledge.value.all();
            (being.id, facts.map(|(fact, _)| fact.clone()).collect())
        });
        known.collect::<BTreeMap<u32, BTreeSet<Arc<str>>>>()
    };
    let (mine, theirs) = (known(here), known(there));
    let nothing = BTreeSet::new();
    let knows = mine.keys().chain(theirs.keys()).collect::<BTreeSet<_>>();
    let knows = knows.into_iter().filter_map(|who| {
        let mine = mine.get(who).unwrap_or(&nothing);
        let theirs = theirs.get(who).unwrap_or(&nothing);
        let (here, there): (Vec<_>, Vec<_>) = (
            mine.difference(theirs).collect(),
            theirs.difference(mine).collect(),
        );
        let differs = !here.is_empty() || !there.is_empty();
        differs.then(|| json!({"who": who, "here": here, "there": there}))
    });
    let knows: Vec<_> = knows.collect();
    let mut compared =
        json!({"turn": turn, "here": after(here), "there": after(there), "knows": knows});
    if let Some(who) = who {
        let (here, there) = (here.board.read(), there.board.read());
        let context = |contents: &Contents| {
            let being = contents.state.being(who);
            being.map_or_else(Vec::new, |being| messages_of(&being.context.value))
        };
        let (mine, theirs) = (context(&here), context(&there));
        compared["diff"] = difference((&here, &mine), (&there, &theirs));
    }
    compared
}

/// The last turn that two slots share; `None` if they are of different stories.
pub(super) fn parting(here: &Slot, there: &Slot) -> Result<Option<u64>, UiText> {
    let course = |slot| Course::of(slot).map_err(|error: SaveError| error.text());
    let (here, there) = (course(here)?, course(there)?);
    Ok(here
        .zip(there)
        .and_then(|(here, there)| here.parts_from(&there)))
}
