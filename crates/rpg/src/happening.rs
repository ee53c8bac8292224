//! What happens in a campaign, as those who witness it note it for the records of their chapters.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use playhouse_engine::context::{ChapterRecord, Chapters, Common, Happened, Note};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drama::FightResult;

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Pledge {
    Made,
    Kept,
    Broken,
}

/// A fight, as far as one knows of it.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(default, deny_unknown_fields)]
pub struct FightNote {
    /// Its id; empty if one only heard of it.
    pub fight: Arc<str>,
    pub place: Arc<str>,
    pub heroes: Vec<Arc<str>>,
    pub foes: Vec<Arc<str>>,
    /// How it ended for the party; `None` while it lasts.
    pub result: Option<FightResult>,
    /// Who fell, of both sides.
    pub fallen: Vec<Arc<str>>,
    pub fled: Vec<Arc<str>>,
    pub yielded: Vec<Arc<str>>,
    /// What the party gained.
    pub gains: Vec<Arc<str>>,
}

/// Something that happened in a campaign, as far as its witness can tell.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Happening {
    /// A fight began, ended or was reported.
    Fight(FightNote),
    /// An actor was wounded, or has recovered.
    Wounded {
        who: Arc<str>,
        /// The number of days until it heals; 0 if it has.
        days: u32,
    },
    /// An actor took or found an item.
    Took { who: Arc<str>, item: Arc<str> },
    /// An actor gave an item to another.
    Gave {
        who: Arc<str>,
        item: Arc<str>,
        to: Arc<str>,
    },
    /// An actor lost an item.
    Lost {
        who: Arc<str>,
        item: Arc<str>,
        /// Where it was hidden, if that is how it was lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hidden_at: Option<Arc<str>>,
    },
    /// An actor made, kept or broke a promise.
    Promised {
        who: Arc<str>,
        to: Arc<str>,
        words: Arc<str>,
        state: Pledge,
    },
    /// The witness feels differently for an actor.
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
    /// An actor tried something.
    Tried {
        who: Arc<str>,
        /// What, in its words; empty if only the outcome is known.
        attempt: Arc<str>,
        /// `full`, `cost` or `not`; empty until it is known.
        outcome: Arc<str>,
        /// The item that was found by it; else empty.
        found: Arc<str>,
        /// The item that was left there by it; else empty.
        left: Arc<str>,
    },
    /// An actor decided what a scene hung on.
    Decided {
        who: Arc<str>,
        /// What, as others see it.
        choice: Arc<str>,
        /// What it was asked, if it decided itself; else empty.
        #[serde(default)]
        asked: Arc<str>,
    },
    #[serde(untagged)]
    Common(Common),
}

impl Happened for Happening {
    fn facts(&self) -> Vec<&str> {
        match self {
            Self::Promised { words, to, .. } => vec![words, to],
            Self::Took { item, .. } | Self::Lost { item, .. } => vec![item],
            Self::Tried { found, left, .. } => vec![found, left],
            Self::Gave { item, to, .. } => vec![item, to],
            Self::Common(common) => common.facts(),
            _ => Vec::new(),
        }
    }

    fn concerns(&self) -> (u8, Vec<&str>) {
        match self {
            Self::Promised { who, to, state, .. } => match state {
                Pledge::Broken => (5, vec![who, to]),
                Pledge::Made | Pledge::Kept => (4, vec![who, to]),
            },
            Self::Decided { who, .. } => (4, vec![who]),
            Self::Fight(fight) if fight.result.is_some() => {
                (3, fight.foes.iter().map(|foe| &**foe).collect())
            }
            Self::Gave { who, to, .. } => (3, vec![who, to]),
            Self::Felt { about, .. } => (2, vec![about]),
            Self::Tried { who, .. } => (1, vec![who]),
            Self::Common(common) => common.concerns(),
            _ => (0, Vec::new()),
        }
    }

    fn without_words(mut self) -> Option<Self> {
        match &mut self {
            Self::Promised { words, .. } => *words = "".into(),
            Self::Felt { why, .. } => *why = "".into(),
            Self::Tried {
                attempt, outcome, ..
            } if !outcome.is_empty() => *attempt = "".into(),
            Self::Tried { .. } | Self::Decided { .. } => return None,
            Self::Common(common) => return common.clone().without_words().map(Self::Common),
            _ => {}
        }
        Some(self)
    }
}

/// A record with the notes of all chapters inside it, each thing once, in order of time.
pub fn merged(chapters: &Chapters, record: &ChapterRecord) -> ChapterRecord<Happening> {
    let merged = chapters.merged(record).read();
    ChapterRecord {
        notes: deduplicated(&merged.notes),
        ..merged
    }
}

/// Each fight, fact, promise, feeling and attempt once, as it stands at the end: a promise on the
/// day when it was kept, a feeling when it last moved.
fn deduplicated(notes: &[Note<Happening>]) -> Vec<Note<Happening>> {
    let mut fights: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut feelings: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut promises: BTreeMap<[Arc<str>; 3], usize> = BTreeMap::new();
    let mut facts: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut told: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut attempts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut seen: BTreeSet<(u32, &Happening)> = BTreeSet::new();
    let mut merged: Vec<Note<Happening>> = Vec::new();
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
                let earlier = promises.entry([who.clone(), to.clone(), words.clone()]);
                let earlier = earlier.or_insert(next);
                // The same promise made once more is open again.
                if *state == Pledge::Made {
                    *earlier = next;
                }
                *earlier
            }
            Happening::Common(Common::Learned { fact, .. }) if facts.insert(fact.clone()) => next,
            Happening::Common(Common::Learned { .. }) => continue,
            Happening::Common(Common::Told { fact, .. }) => {
                *told.entry(fact.clone()).or_insert(next)
            }
            Happening::Tried { who, outcome, .. } if outcome.is_empty() => {
                attempts.insert(who.clone(), next);
                next
            }
            Happening::Tried { who, .. } => attempts.remove(who).unwrap_or(next),
            once_a_day if seen.insert((note.day, once_a_day)) => next,
            _ => continue,
        };
        match merged.get_mut(earlier) {
            Some(earlier) => {
                earlier.happening.continued(&note.happening);
                if !matches!(note.happening, Happening::Fight(_)) {
                    let happening = earlier.happening.clone();
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
            (
                Self::Common(Common::Told { to, .. }),
                Self::Common(Common::Told { to: more, .. }),
            ) => add_new(to, more),
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

fn add_new(to: &mut Vec<Arc<str>>, from: &[Arc<str>]) {
    for name in from {
        if !to.contains(name) {
            to.push(name.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::context::EntryId;

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
            let notes: Vec<_> = notes.collect();
            match deduplicated(&notes).pop().map(|note| note.happening) {
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
