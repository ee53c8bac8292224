//! Who speaks next in the talk at a stage: one that was addressed answers, else one that has been
//! silent longest speaks.
//!
//! For example, Ann, Ben and Cleo have six turns. Nobody has spoken yet, so dice let Ann begin. She
//! speaks to Cleo, who answers without addressing anybody, and Ben is next, who has been silent
//! longest. If Ann and Cleo went on addressing each other, Ben would have the turn after three
//! turns of silence, as there are three people. The talk of a round is over once all have passed in
//! a row, or the six turns are used up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::engine::Setup;
use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::actions::Attempt;
use crate::drama::AttemptEnd;

/// How near the end of the talk of a round is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ending {
    #[default]
    Open,
    /// After this turn, at most the one who is addressed has another.
    Soon,
    /// Nobody has a turn after this one.
    Now,
    /// The last turn was taken.
    Over,
}

/// On a stage: the talk there. One has a turn after the other.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Talk {
    /// The turn of the world in which the talk of this round takes place.
    round: u64,
    /// The number of turns in this round.
    turns: u32,
    /// Who has passed since an actor last said or did something.
    passed: BTreeSet<Arc<str>>,
    left: BTreeSet<Arc<str>>,
    /// Who alone takes part in it; everybody if empty.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    among: BTreeSet<Arc<str>>,
    /// Whose feelings for whom have changed in this round.
    felt: BTreeSet<(Arc<str>, Arc<str>)>,
    /// How often an actor has tried something in this round.
    attempts: BTreeMap<Arc<str>, u32>,
    /// How the last attempt of each ended in this round.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    ended: BTreeMap<Arc<str>, AttemptEnd>,
    /// Who goes along with whom in this round.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    following: BTreeMap<Arc<str>, Arc<str>>,
    /// To whom an actor spoke last, if there was no answer yet, and who that was.
    addressed: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker: Option<Arc<str>>,
    /// Who has answered after all turns of this round were used up.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    closed: BTreeSet<Arc<str>>,
    /// Whether the last words asked something, and are answered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_prolonged: bool,
    /// For whoever has a turn.
    pub(super) ending: Ending,
    /// Who has searched in this round without losing the turn by it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    searched: BTreeSet<Arc<str>>,
    /// Who has its turn again, having only searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<Arc<str>>,
    /// The number of turns in all rounds.
    all_turns: u64,
    /// For everybody who has been here, the number of all turns after its last one, or when it was
    /// first seen.
    since: BTreeMap<Arc<str>, u64>,
}

pub(super) fn plugin(setup: &mut Setup) {
    setup.saves().component::<Talk>("talk");
}

/// Whether words end in a question, whatever closes them.
pub(crate) fn is_question(text: &str) -> bool {
    let closing = |char: char| char.is_whitespace() || "\"'”’」』）)".contains(char);
    text.trim_end_matches(closing).ends_with(['?', '？'])
}

/// What an actor did with its turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnTaken {
    /// To whom it spoke.
    pub(super) addressed: Option<Arc<str>>,
    pub(super) asks: bool,
    /// To whom it wanted to whisper.
    pub(super) whispered_to: Option<String>,
    /// Whether it said nothing and did nothing.
    pub(super) passed: bool,
    /// Whether it searched and did nothing else.
    pub(super) searched: bool,
    /// Who leaves: itself and whoever follows it.
    pub(super) leave: Vec<Arc<str>>,
    /// For whom its feelings changed.
    pub(super) felt: Option<Arc<str>>,
    /// With whom it goes along.
    pub(super) follows: Option<Arc<str>>,
    /// What it tried, which has to be judged.
    pub(super) tried: Option<Attempt>,
}

impl Talk {
    /// Begins the talk of a round unless it has begun. A person who was addressed at the end of the
    /// last round is still first.
    pub(super) fn begin(&mut self, world_turn: u64) {
        if self.round != world_turn {
            *self = Self {
                round: world_turn,
                addressed: self.addressed.take(),
                asker: self.asker.take(),
                all_turns: self.all_turns,
                since: std::mem::take(&mut self.since),
                ..Self::default()
            };
        }
    }

    /// Only these take part in the talk of this round; everybody if there are none.
    pub(super) fn keep_among(&mut self, names: &[String]) {
        self.among = names.iter().map(|name| name.as_str().into()).collect();
    }

    /// Whether an actor has left in this round, or takes no part. It is on the stage until the
    /// meeting, but sees and hears nothing of it.
    pub(super) fn has_left(&self, name: &str) -> bool {
        self.left.contains(name) || !(self.among.is_empty() || self.among.contains(name))
    }

    /// Whether an actor's feelings for another have changed in this round.
    pub(super) fn has_felt(&self, name: &str, about: &str) -> bool {
        let is_it = |(who, whom): &(Arc<str>, Arc<str>)| **who == *name && **whom == *about;
        self.felt.iter().any(is_it)
    }

    /// Whether an actor has had a turn in this round.
    pub(super) fn has_had_turn(&self, name: &str) -> bool {
        let begun = self.all_turns - u64::from(self.turns);
        self.since.get(name).is_some_and(|since| *since > begun)
    }

    /// How the last attempt of an actor ended in this round.
    pub(super) fn tried(&self, name: &str) -> Option<AttemptEnd> {
        self.ended.get(name).copied()
    }

    pub(super) fn note_end(&mut self, name: &Arc<str>, end: AttemptEnd) {
        self.ended.insert(name.clone(), end);
    }

    /// How often an actor has tried something in this round.
    pub(super) fn attempts(&self, name: &str) -> u32 {
        self.attempts.get(name).copied().unwrap_or_default()
    }

    /// Whose turn is next among those present; `None` if the talk of this round is over: everybody
    /// has passed, or all turns are used up. An actor alone has one turn.
    ///
    /// A person who has only searched gets another turn, once per round. Otherwise whoever was
    /// addressed is next, once even if all turns are used up. Otherwise it is the one who has been
    /// silent longest; dice decide between several. Whoever would have had a turn, but for those
    /// who were addressed, has it after the others.
    pub(super) fn next(
        &mut self,
        present: &[Arc<str>],
        max_turns: u32,
        rng: &mut impl Rng,
    ) -> Option<Arc<str>> {
        if let Some(again) = self.again.take().filter(|name| present.contains(name)) {
            return Some(again);
        }
        let is_alone = present.len() <= 1;
        let max_turns = if is_alone {
            max_turns.min(1)
        } else {
            max_turns
        };
        if self.ending == Ending::Over || present.iter().all(|name| self.passed.contains(name)) {
            return None;
        }
        for name in present {
            self.since.entry(name.clone()).or_insert(self.all_turns);
        }
        let is_over = self.turns >= max_turns;
        let addressed = self.addressed.clone().filter(|name| present.contains(name));
        let addressed = addressed.filter(|name| !is_over || self.closed.insert(name.clone()));
        let silent_for = |name: &Arc<str>| {
            let since = self.since.get(name).copied().unwrap_or(self.all_turns);
            self.all_turns.saturating_sub(since)
        };
        let mut order = present.to_vec();
        order.shuffle(rng);
        order.sort_by_key(|name| std::cmp::Reverse(silent_for(name)));
        let is_enough = max_turns as usize >= present.len();
        let waiting: Vec<_> = order
            .iter()
            .filter(|name| is_enough && !self.has_had_turn(name))
            .collect();
        let silent = if is_over {
            waiting.first().copied()
        } else {
            order.first()
        };
        let next = addressed.or_else(|| silent.cloned())?;
        let others_wait = waiting.into_iter().any(|name| *name != next);
        self.ending = match max_turns.saturating_sub(self.turns) {
            _ if is_alone || others_wait => Ending::Open,
            0 => Ending::Now,
            1 => Ending::Soon,
            _ => Ending::Open,
        };
        Some(next)
    }

    /// Whether one of these was spoken to and has not answered.
    pub(super) fn awaits_answer(&self, present: &[Arc<str>]) -> bool {
        let addressed = self.addressed.as_ref();
        addressed.is_some_and(|addressed| present.contains(addressed))
    }

    /// Whether an actor has searched in this round.
    pub(super) fn has_searched(&self, name: &str) -> bool {
        self.searched.contains(name)
    }

    /// Notes what an actor did with its turn.
    pub(super) fn take_turn(&mut self, name: &Arc<str>, taken: TurnTaken) {
        if taken.searched && self.searched.insert(name.clone()) {
            self.again = Some(name.clone());
            return;
        }
        if self.ending == Ending::Now {
            // Whoever asks all the same is answered before anything is decided, once.
            let asked = taken.addressed.as_ref().filter(|_| taken.asks);
            match asked.filter(|_| !self.is_prolonged) {
                Some(asked) => {
                    self.closed.remove(asked);
                    self.is_prolonged = true;
                }
                None => self.ending = Ending::Over,
            }
        }
        self.turns += 1;
        self.all_turns += 1;
        self.since.insert(name.clone(), self.all_turns);
        let mut is_answer = false;
        if self.addressed.as_ref() == Some(name) {
            self.addressed = None;
            is_answer = taken.addressed.is_some() && self.asker.take() == taken.addressed;
        }
        // Whoever only answers leaves the turn to others.
        if taken.addressed.is_some() && (!is_answer || taken.asks) {
            self.addressed = taken.addressed;
            self.asker = Some(name.clone());
        }
        if taken.passed {
            self.passed.insert(name.clone());
        } else {
            self.passed.clear();
        }
        if let Some(about) = taken.felt {
            self.felt.insert((name.clone(), about));
        }
        if taken.tried.is_some() {
            *self.attempts.entry(name.clone()).or_default() += 1;
        }
        if let Some(leader) = taken.follows {
            self.following.insert(name.clone(), leader);
        }
        for who in taken.leave {
            self.following.remove(&who);
            self.left.insert(who);
        }
    }

    /// An actor, and all who go along with it or with those who do.
    pub(super) fn party_of(&self, leader: &Arc<str>) -> Vec<Arc<str>> {
        let mut party = vec![leader.clone()];
        let mut next = 0;
        while let Some(leader) = party.get(next) {
            let following = self.following.iter();
            let new = following.filter(|(who, whom)| *whom == leader && !party.contains(who));
            let new: Vec<_> = new.map(|(who, _)| who.clone()).collect();
            party.extend(new);
            next += 1;
        }
        party
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    fn people(names: &[&str]) -> Vec<Arc<str>> {
        names.iter().map(|name| (*name).into()).collect()
    }

    /// The order of a round in which everybody does what `act` says.
    fn round(
        talk: &mut Talk,
        present: &[Arc<str>],
        act: impl Fn(&str) -> TurnTaken,
    ) -> Vec<Arc<str>> {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut order = Vec::new();
        while let Some(next) = talk.next(present, 6, &mut rng) {
            talk.take_turn(&next, act(&next));
            order.push(next);
        }
        order
    }

    fn to(name: &str) -> TurnTaken {
        TurnTaken {
            addressed: Some(name.into()),
            ..TurnTaken::default()
        }
    }

    #[test]
    fn a_search_costs_no_turn_once_a_round() {
        let present = people(&["A", "B"]);
        let mut talk = Talk::default();
        talk.begin(1);
        let searching = |_: &str| TurnTaken {
            searched: true,
            ..TurnTaken::default()
        };
        let order = round(&mut talk, &present, searching);
        assert_eq!(order.len(), 8, "six turns, and a search of each: {order:?}");
        assert_eq!(order[0], order[1]);
    }

    fn passing(_: &str) -> TurnTaken {
        TurnTaken {
            passed: true,
            ..TurnTaken::default()
        }
    }

    #[test]
    fn whoever_is_addressed_is_next_whatever_is_left_and_nobody_starves() {
        let present = people(&["A", "B", "C", "D"]);
        let mut talk = Talk::default();
        talk.begin(1);
        let order = round(&mut talk, &present, |name| TurnTaken {
            asks: true,
            ..to(if name == "A" { "B" } else { "A" })
        });
        let position = |name: &str| order.iter().position(|other| **other == *name);
        let names: BTreeSet<_> = order.iter().take(6).skip(1).collect();
        assert_eq!(
            names,
            BTreeSet::from([&present[0], &present[1]]),
            "{order:?}"
        );
        assert!(
            present.iter().all(|name| position(name).is_some()),
            "{order:?}"
        );
        assert!(order.len() <= 6 + 2 * present.len(), "{order:?}");
    }

    #[test]
    fn an_answer_leaves_the_turn_to_others() {
        let present = people(&["A", "B", "C"]);
        let mut talk = Talk {
            addressed: Some("A".into()),
            asker: Some("B".into()),
            ..Talk::default()
        };
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut next = |talk: &mut Talk| talk.next(&present, 6, &mut rng);
        assert_eq!(next(&mut talk), Some("A".into()));
        talk.take_turn(&"A".into(), to("B"));
        talk.take_turn(&"B".into(), TurnTaken::default());
        assert_eq!(
            next(&mut talk),
            Some("C".into()),
            "who has been silent longest"
        );
        talk.take_turn(&"C".into(), to("A"));
        assert_eq!(next(&mut talk), Some("A".into()));
    }

    #[test]
    fn the_end_of_a_talk_is_said_as_it_comes_and_everybody_has_a_turn_if_there_are_enough() {
        for (names, turns) in [(2, 3), (3, 3), (4, 3), (4, 4), (4, 5), (4, 6), (4, 7)] {
            let present = people(&["A", "B", "C", "D"][..names]);
            let mut talk = Talk::default();
            talk.begin(1);
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let (mut endings, mut spoke) = (Vec::new(), BTreeSet::new());
            while let Some(next) = talk.next(&present, turns, &mut rng) {
                // Two talk to each other, and others to one of them.
                let other = if *next == *"A" { "B" } else { "A" };
                let asks = talk.ending != Ending::Now;
                endings.push(talk.ending);
                talk.take_turn(&next, TurnTaken { asks, ..to(other) });
                spoke.insert(next);
            }
            assert!(
                spoke.len() == names || turns < names as u32,
                "{names} in {turns}"
            );
            assert_eq!(endings.pop(), Some(Ending::Now), "{names} in {turns}");
            let soon = endings.iter().position(|ending| *ending == Ending::Soon);
            assert!(soon.is_none_or(|at| at + 1 == endings.len()), "{endings:?}");
            assert!(!endings.contains(&Ending::Now), "{endings:?}");
        }
    }

    #[test]
    fn who_asks_with_the_last_words_is_answered_once() {
        let present = people(&["A", "B"]);
        let mut talk = Talk::default();
        talk.begin(1);
        let order = round(&mut talk, &present, |name| TurnTaken {
            asks: true,
            ..to(if name == "A" { "B" } else { "A" })
        });
        assert_eq!(order.len(), 8, "six, the last, and an answer: {order:?}");
        assert_ne!(order[6], order[7]);
    }

    #[test]
    fn a_question_at_the_end_of_a_round_is_answered_first_in_the_next() {
        let present = people(&["A", "B", "C"]);
        let mut talk = Talk {
            addressed: Some("C".into()),
            ..Talk::default()
        };
        talk.begin(2);
        let order = round(&mut talk, &present, passing);
        assert_eq!(*order[0], *"C");
        assert_eq!(order.len(), 3, "all passed");
        talk.begin(2);
        assert_eq!(round(&mut talk, &present, passing).len(), 0, "it is over");
    }

    #[test]
    fn one_alone_has_one_turn_and_who_has_left_none() {
        let mut talk = Talk::default();
        talk.begin(1);
        let alone = round(&mut talk, &people(&["A"]), |_| TurnTaken::default());
        assert_eq!(alone.len(), 1);
        assert_eq!(round(&mut talk, &[], passing).len(), 0);
        let left = TurnTaken {
            leave: vec!["A".into()],
            ..TurnTaken::default()
        };
        talk.take_turn(&"A".into(), left);
        assert!(talk.has_left("A"));
        talk.begin(2);
        assert!(!talk.has_left("A"));
        let attempted = TurnTaken {
            tried: Some(Attempt::default()),
            ..TurnTaken::default()
        };
        talk.take_turn(&"A".into(), attempted);
        assert_eq!((talk.attempts("A"), talk.attempts("B")), (1, 0));
        talk.begin(3);
        assert_eq!(talk.attempts("A"), 0);
    }
}
