//! The record of a chapter: what happened, as its owner witnessed it, written by code.
//!
//! Whoever is in the audience of an event notes what it says happened. When a chapter closes, the
//! notes of its messages become its [`ChapterRecord`], which no mind can change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ChapterId, EntryId};

/// How much of a past a chapter covers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Messages: a fight, a few days.
    #[default]
    Chapter,
    /// Chapters: a part of the story.
    Volume,
    /// Volumes, and the life before.
    Life,
}

/// How a fight ended for the party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FightEnd {
    Won,
    Lost,
    Drawn,
}

/// How a promise stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pledge {
    Made,
    Kept,
    Broken,
}

/// A fight, as far as one knows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FightNote {
    /// Its id; empty if one only heard of it.
    pub fight: Arc<str>,
    pub place: Arc<str>,
    pub heroes: Vec<Arc<str>>,
    pub foes: Vec<Arc<str>>,
    /// How it ended for the party; `None` while it lasts.
    pub result: Option<FightEnd>,
    /// Who fell, of both sides.
    pub fallen: Vec<Arc<str>>,
    pub fled: Vec<Arc<str>>,
    pub yielded: Vec<Arc<str>>,
    /// What the party gained.
    pub gains: Vec<Arc<str>>,
}

/// Something that happened, as far as its witness can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Happening {
    /// A fight began, ended or was reported.
    Fight(FightNote),
    Died {
        who: Arc<str>,
        /// By whose hand; empty for nobody's.
        by: Arc<str>,
    },
    /// Somebody was wounded, or has recovered.
    Wounded {
        who: Arc<str>,
        /// The number of days until it heals; 0 if it has.
        days: u32,
    },
    /// The witness learned a fact.
    Learned {
        /// The id of the fact.
        fact: Arc<str>,
        text: Arc<str>,
        /// From whom; empty for nobody.
        from: Arc<str>,
    },
    /// Somebody took or found an item.
    Took { who: Arc<str>, item: Arc<str> },
    /// Somebody gave an item to somebody.
    Gave {
        who: Arc<str>,
        item: Arc<str>,
        to: Arc<str>,
    },
    /// Somebody lost an item.
    Lost {
        who: Arc<str>,
        item: Arc<str>,
        /// Where it was hidden, if that is how it was lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden_at: Option<Arc<str>>,
    },
    /// Somebody made, kept or broke a promise.
    Promised {
        who: Arc<str>,
        to: Arc<str>,
        words: Arc<str>,
        state: Pledge,
    },
    /// The witness feels differently for somebody.
    Felt {
        about: Arc<str>,
        /// By how much; negative for worse.
        change: i32,
        /// Why, in its own words; may be empty.
        why: Arc<str>,
    },
    /// The party set out, went deeper or came home.
    Journey {
        dungeon: Arc<str>,
        /// `enter`, `advance` or `return`.
        part: Arc<str>,
        party: Vec<Arc<str>>,
    },
    /// The witness told a fact to those who did not know it.
    Told {
        /// The id of the fact.
        fact: Arc<str>,
        /// What it is about, or the fact itself if play made it.
        about: Arc<str>,
        to: Vec<Arc<str>>,
    },
    #[serde(alias = "outcome")]
    Tried {
        who: Arc<str>,
        /// What, in its words; empty if only the outcome is known.
        #[serde(default)]
        attempt: Arc<str>,
        /// `full`, `cost` or `not`; empty until it is known.
        #[serde(default)]
        outcome: Arc<str>,
        /// The item that was found by it; else empty.
        #[serde(default)]
        found: Arc<str>,
        /// The item that was left there by it; else empty.
        #[serde(default)]
        left: Arc<str>,
    },
    /// Somebody decided what a scene hung on.
    Decided {
        who: Arc<str>,
        /// What, as others see it.
        choice: Arc<str>,
    },
}

impl Happening {
    /// The same without words of a mind, which guards may have changed for some witnesses. `None`
    /// if nothing is left.
    pub fn without_words(mut self) -> Option<Self> {
        match &mut self {
            Self::Promised { words, .. } => *words = "".into(),
            Self::Felt { why, .. } => *why = "".into(),
            Self::Tried {
                attempt, outcome, ..
            } if !outcome.is_empty() => *attempt = "".into(),
            Self::Tried { .. } | Self::Learned { .. } | Self::Decided { .. } => return None,
            _ => {}
        }
        Some(self)
    }
}

/// Something that happened, with its day, its place and the message that told it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The message of the witness's conversation.
    pub entry: EntryId,
    /// The day; 0 before the first.
    pub day: u32,
    /// Where; empty if nowhere in particular.
    pub place: Arc<str>,
    pub happening: Happening,
}

/// What code knows of a closed chapter. The notes of chapters inside it stay there; see
/// [`Chapters::merged`](super::Chapters::merged).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChapterRecord {
    /// How much it covers.
    pub level: Level,
    /// The first and the last day; 0 before the first.
    pub days: (u32, u32),
    /// Where the owner was.
    pub places: Vec<Arc<str>>,
    pub with: Vec<Arc<str>>,
    /// The chapters inside it, oldest first.
    pub parts: Vec<ChapterId>,
    /// What happened outside of those chapters, oldest first.
    pub notes: Vec<Note>,
}

/// Merges records, oldest first: notes in order of time, the same thing once.
pub(super) fn merge<'a>(records: impl IntoIterator<Item = &'a ChapterRecord>) -> ChapterRecord {
    let mut merged = ChapterRecord::default();
    let mut notes: Vec<&Note> = Vec::new();
    let mut days: Option<(u32, u32)> = None;
    for record in records {
        let (from, to) = days.unwrap_or(record.days);
        days = Some((from.min(record.days.0), to.max(record.days.1)));
        merged.level = merged.level.max(record.level);
        add_new(&mut merged.places, &record.places);
        add_new(&mut merged.with, &record.with);
        notes.extend(&record.notes);
    }
    merged.days = days.unwrap_or_default();
    notes.sort_by_key(|note| note.entry);
    merged.notes = deduplicated(notes);
    merged
}

fn add_new(to: &mut Vec<Arc<str>>, from: &[Arc<str>]) {
    for name in from {
        if !to.contains(name) {
            to.push(name.clone());
        }
    }
}

/// Each fight, fact, promise, feeling and attempt once, as it stands at the end: a promise on the
/// day when it was kept, a feeling when it last moved.
fn deduplicated(notes: Vec<&Note>) -> Vec<Note> {
    let mut fights: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut feelings: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut promises: BTreeMap<[Arc<str>; 3], usize> = BTreeMap::new();
    let mut facts: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut told: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut attempts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut seen: BTreeSet<(u32, &Happening)> = BTreeSet::new();
    let mut merged: Vec<Note> = Vec::new();
    for note in notes {
        let next = merged.len();
        let earlier = match &note.happening {
            Happening::Fight(fight) if !fight.fight.is_empty() => {
                *fights.entry(fight.fight.clone()).or_insert(next)
            }
            Happening::Felt { about, .. } => *feelings.entry(about.clone()).or_insert(next),
            Happening::Promised {
                who,
                to,
                words,
                state,
            } => {
                let key = [who.clone(), to.clone(), words.clone()];
                // The same promise made once more is open again.
                match promises.get(&key) {
                    Some(earlier) if *state != Pledge::Made => *earlier,
                    _ => {
                        promises.insert(key, next);
                        next
                    }
                }
            }
            Happening::Learned { fact, .. } => {
                if !facts.insert(fact.clone()) {
                    continue;
                }
                next
            }
            Happening::Told { fact, .. } => *told.entry(fact.clone()).or_insert(next),
            Happening::Tried { who, outcome, .. } if outcome.is_empty() => {
                attempts.insert(who.clone(), next);
                next
            }
            Happening::Tried { who, .. } => attempts.remove(who).unwrap_or(next),
            once_a_day => {
                if !seen.insert((note.day, once_a_day)) {
                    continue;
                }
                next
            }
        };
        match merged.get_mut(earlier) {
            Some(earlier) => {
                earlier.happening.continued(&note.happening);
                if !matches!(note.happening, Happening::Fight(_)) {
                    let Note { happening, .. } = earlier.clone();
                    *earlier = Note {
                        happening,
                        ..note.clone()
                    };
                }
            }
            None => merged.push(note.clone()),
        }
    }
    merged.sort_by_key(|note| note.entry);
    merged
}

impl Happening {
    /// Adds how it continued.
    fn continued(&mut self, later: &Self) {
        match (self, later) {
            (Self::Fight(fight), Self::Fight(later)) => {
                fight.result = later.result.or(fight.result);
                for (names, more) in [
                    (&mut fight.heroes, &later.heroes),
                    (&mut fight.foes, &later.foes),
                    (&mut fight.fallen, &later.fallen),
                    (&mut fight.fled, &later.fled),
                    (&mut fight.yielded, &later.yielded),
                    (&mut fight.gains, &later.gains),
                ] {
                    add_new(names, more);
                }
            }
            (
                Self::Felt { change, why, .. },
                Self::Felt {
                    change: by,
                    why: reason,
                    ..
                },
            ) => {
                let total = change.saturating_add(*by);
                // A reason for the better explains nothing that has become worse.
                let still_fits = total.signum() == change.signum();
                if total.signum() == by.signum() && !(reason.is_empty() && still_fits) {
                    *why = reason.clone();
                } else if !still_fits {
                    *why = "".into();
                }
                *change = total;
            }
            (Self::Promised { state, .. }, Self::Promised { state: later, .. }) => *state = *later,
            (Self::Told { to, .. }, Self::Told { to: more, .. }) => add_new(to, more),
            (
                Self::Tried {
                    outcome,
                    found,
                    left,
                    ..
                },
                Self::Tried {
                    outcome: how,
                    found: finds,
                    left: leaves,
                    ..
                },
            ) => {
                outcome.clone_from(how);
                found.clone_from(finds);
                left.clone_from(leaves);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_only_beside_the_change_that_it_is_a_reason_for() {
        let net = |changes: &[(i32, &str)]| {
            let notes = changes.iter().zip(1..).map(|((change, why), number)| Note {
                entry: EntryId(number),
                day: 1,
                place: "".into(),
                happening: Happening::Felt {
                    about: "Jory".into(),
                    change: *change,
                    why: (*why).into(),
                },
            });
            let record = ChapterRecord {
                notes: notes.collect(),
                ..ChapterRecord::default()
            };
            match merge([&record]).notes.pop().map(|note| note.happening) {
                Some(Happening::Felt { change, why, .. }) => (change, why.to_string()),
                other => panic!("{other:?}"),
            }
        };
        let kind = (1, "He asked.");
        assert_eq!(net(&[kind, (-1, ""), (-1, "")]), (-1, String::new()));
        assert_eq!(net(&[kind, (-2, "")]), (-1, String::new()));
        assert_eq!(net(&[kind, (-2, "He lied.")]), (-1, "He lied.".into()));
        assert_eq!(net(&[kind, (1, "")]), (2, "He asked.".into()));
        assert_eq!(
            net(&[(2, "He asked."), (-1, "He lied.")]),
            (1, "He asked.".into())
        );
    }
}
