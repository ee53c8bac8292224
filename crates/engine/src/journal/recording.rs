//! A journal that was read: finds outcomes by entity, number and hash.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{GameSetup, Line, Meeting, OpenRound, Outcome, QuestionVector, TextVectors};
use crate::message::{Digest, Vector};

/// The outcomes and meetings of a journal.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// By the name and number of the entity and the number of the ask.
    outcomes: BTreeMap<(Arc<str>, u32, u32), Arc<Outcome>>,
    /// Rounds of tool calls, oldest first, by the same key.
    rounds: BTreeMap<(Arc<str>, u32, u32), Vec<Arc<OpenRound>>>,
    meetings: BTreeMap<u64, Meeting>,
    /// The turns of snapshots.
    snapshots: BTreeSet<u64>,
    /// By the turn after which they came.
    inputs: BTreeMap<u64, Vec<Value>>,
    /// Outcomes that are used if the same request is made, by the key of outcomes.
    spare: BTreeMap<(Arc<str>, u32, u32), Arc<Outcome>>,
    /// The branches in which an ask was asked again, by the key of outcomes.
    retakes: BTreeMap<(Arc<str>, u32, u32), Vec<String>>,
    /// By the turn before which they came.
    vectors: BTreeMap<u64, Arc<TextVectors>>,
    /// The vectors of what asks are about, by the key of outcomes.
    questions: BTreeMap<(Arc<str>, u32, u32), Vec<QuestionVector>>,
    /// How many asks at the end had no usable answer, by provider and model.
    missing_in_a_row: BTreeMap<(Arc<str>, Arc<str>), u32>,
    stopped_at: Option<u64>,
    /// Whether the recorded run stopped since nobody but people at seats had anything to do.
    awaits_seats: bool,
    /// The turns after which an ask had an outcome, or at least a round of tools.
    begun: BTreeSet<u64>,
}

/// The field of an input that gives the world another seed.
const WORLD_SEED: &str = "world_seed";

/// The field of an input that gives entities other models.
const MINDS: &str = "minds";

/// The giver of an input who runs the program.
pub const HOST: &str = "host";

/// The field of an input that says who gave it.
const BY: &str = "by";

/// The input of a branch with another seed, or with other models, by the names of those whose they
/// are, and who wants it; `None` if it has neither.
pub fn branch_input(
    by: &str,
    seed: Option<u64>,
    minds: &BTreeMap<String, String>,
) -> Option<Value> {
    let seed = seed.map(|seed| (WORLD_SEED.to_owned(), json!(seed)));
    let minds = (!minds.is_empty()).then(|| (MINDS.to_owned(), json!(minds)));
    let mut fields: serde_json::Map<_, _> = seed.into_iter().chain(minds).collect();
    if fields.is_empty() {
        return None;
    }
    fields.insert(BY.to_owned(), json!(by));
    Some(Value::Object(fields))
}

/// The field of an input that says that the story was taken back to its turn.
const UNDONE: &str = "undone";

/// The input of a story that was taken back to its turn.
pub fn undo_input(by: &str) -> Value {
    json!({ UNDONE: true, BY: by })
}

/// Whether an input says that the story was taken back to its turn.
pub fn is_undo(input: &Value) -> bool {
    input.get(UNDONE).is_some()
}

/// Who gave an input; empty if it does not say.
pub fn given_by(input: &Value) -> &str {
    input.get(BY).and_then(Value::as_str).unwrap_or_default()
}

/// The models that an input gives entities, by their names.
pub fn new_minds(input: &Value) -> BTreeMap<String, String> {
    let minds = input.get(MINDS).map(BTreeMap::deserialize);
    minds.and_then(Result::ok).unwrap_or_default()
}

/// The seed that the last of these inputs gives the world, if one does.
pub fn new_seed(inputs: &[Value]) -> Option<u64> {
    let mut inputs = inputs.iter().rev();
    inputs.find_map(|input| input.get(WORLD_SEED)?.as_u64())
}

/// The field of an input that gives the game another setup.
const GAME: &str = "game";

/// The input that sets the game up anew, from its turn on.
pub fn game_input(setup: &GameSetup) -> Value {
    json!({ GAME: setup })
}

pub fn game_of_input(input: &Value) -> Option<GameSetup> {
    GameSetup::deserialize(input.get(GAME)?).ok()
}

/// The setups of a journal's game: that of its beginning, and those that it was given later, each
/// with the turn after which that was.
pub fn game_setups(lines: &[Line]) -> Vec<(Option<u64>, GameSetup)> {
    lines.iter().filter_map(game_of_line).collect()
}

pub fn game_of_line(line: &Line) -> Option<(Option<u64>, GameSetup)> {
    match line {
        Line::Game(setup) => Some((None, setup.clone())),
        Line::Input(input) => Some((Some(input.turn), game_of_input(&input.value)?)),
        _ => None,
    }
}

/// Whether a line sets the game up, or gives it other data.
pub(super) fn is_of_game(line: &Line) -> bool {
    match line {
        Line::Game(_) => true,
        Line::Input(input) => input.value.get(GAME).is_some(),
        _ => false,
    }
}

/// What a recording has for an ask.
#[derive(Debug)]
pub enum Recorded<'a> {
    /// The outcome of exactly this request.
    Outcome(&'a Arc<Outcome>),
    /// The outcome of another request for the same ask.
    OtherRequest(&'a Arc<Outcome>),
    Nothing,
}

impl Recording {
    /// A recording of these lines. If an ask has several outcomes, the first counts.
    pub fn of(lines: impl IntoIterator<Item = Line>) -> Self {
        let mut recording = Self::default();
        recording.extend(lines);
        recording
    }

    /// As [`Self::of`], for a world that was saved after this turn: what it has taken of its minds
    /// is left out.
    pub(crate) fn after(turn: Option<u64>, mut lines: Vec<Line>) -> Self {
        let closes =
            |line: &Line| matches!(line, Line::Meeting(meeting) if Some(meeting.turn) == turn);
        let later = lines.split_off(lines.iter().position(closes).unwrap_or(0));
        let mut recording = Self::of(lines);
        recording.outcomes.clear();
        recording.rounds.clear();
        recording.meetings.clear();
        recording.questions.clear();
        recording.extend(later);
        recording
    }

    /// Adds what was recorded after that.
    pub fn extend(&mut self, lines: impl IntoIterator<Item = Line>) {
        let recording = self;
        let snapshot = recording.snapshots.last().copied();
        let mut turn = recording.last_turn().max(snapshot.unwrap_or(0));
        for line in lines {
            match &line {
                Line::Outcome(_) | Line::Round(_) | Line::Spare(_) | Line::Held(_) => {
                    recording.begun.insert(turn);
                }
                Line::Meeting(meeting) => turn = meeting.turn,
                Line::Snapshot(snapshot) => turn = turn.max(snapshot.turn),
                _ => {}
            }
            match line {
                Line::Outcome(outcome) => {
                    let model = (outcome.provider.clone(), outcome.model.clone());
                    let missing = recording.missing_in_a_row.entry(model).or_default();
                    *missing = if outcome.has_no_usable_answer() {
                        *missing + 1
                    } else {
                        0
                    };
                    let key = (outcome.entity.clone(), outcome.id, outcome.number);
                    recording.outcomes.entry(key).or_insert(outcome);
                }
                Line::Round(round) => {
                    let key = (round.entity.clone(), round.id, round.number);
                    recording.rounds.entry(key).or_default().push(round);
                }
                Line::Meeting(meeting) => {
                    recording.meetings.entry(meeting.turn).or_insert(meeting);
                }
                Line::Stopped(stopped) => {
                    recording.stopped_at = Some(stopped.turn);
                    recording.awaits_seats = stopped.awaits_seats();
                    // A run that was stopped has ended its tools itself; they may run again.
                    for rounds in recording.rounds.values_mut() {
                        rounds.pop_if(|round| round.is_attempt());
                    }
                }
                Line::Input(input) => {
                    let inputs = recording.inputs.entry(input.turn).or_default();
                    inputs.push(input.value);
                }
                Line::Snapshot(snapshot) => {
                    recording.snapshots.insert(snapshot.turn);
                }
                Line::Spare(outcome) => {
                    let key = (outcome.entity.clone(), outcome.id, outcome.number);
                    recording.spare.entry(key).or_insert(outcome);
                }
                Line::Held(outcome) => {
                    // The latest of several answers to an ask.
                    let key = (outcome.entity.clone(), outcome.id, outcome.number);
                    recording.spare.insert(key, outcome);
                }
                Line::Retake(retake) => {
                    let key = (retake.entity, retake.id, retake.number);
                    recording
                        .retakes
                        .entry(key)
                        .or_default()
                        .push(retake.branch);
                }
                Line::Vectors(vectors) => {
                    recording.vectors.entry(vectors.turn).or_insert(vectors);
                }
                Line::Question(question) => {
                    let key = (question.entity.clone(), question.id, question.number);
                    recording.questions.entry(key).or_default().push(question);
                }
                Line::Header(_) | Line::Game(_) | Line::Sent(_) | Line::Paid(_) => {}
            }
        }
    }

    /// What was recorded for an ask of the entity with this name and number.
    pub fn find(&self, entity: &Arc<str>, id: u32, number: u32, hash: Digest) -> Recorded<'_> {
        match self.outcomes.get(&(entity.clone(), id, number)) {
            Some(outcome) if outcome.hash == hash => Recorded::Outcome(outcome),
            Some(outcome) => Recorded::OtherRequest(outcome),
            None => Recorded::Nothing,
        }
    }

    /// The outcome that the story from which this one branched has of exactly this request.
    pub fn spare(
        &self,
        entity: &Arc<str>,
        id: u32,
        number: u32,
        hash: Digest,
    ) -> Option<&Arc<Outcome>> {
        let outcome = self.spare.get(&(entity.clone(), id, number));
        outcome.filter(|outcome| outcome.hash == hash)
    }

    /// The branches in which this ask was asked again, the first one first.
    pub fn retakes(&self, entity: &Arc<str>, id: u32, number: u32) -> &[String] {
        let branches = self.retakes.get(&(entity.clone(), id, number));
        branches.map_or(&[], Vec::as_slice)
    }

    /// Whether something was asked after this turn.
    pub fn has_begun(&self, turn: u64) -> bool {
        self.begun.contains(&turn) || self.last_turn() > turn
    }

    /// Whether the turn after this one can be followed: what it is told is known, and so are the
    /// vectors of what it asks.
    pub fn may_follow(&self, turn: u64) -> bool {
        let has_vectors = !self.vectors.is_empty() || !self.questions.is_empty();
        let awaits_seats = self.awaits_seats && self.stopped_at == Some(turn);
        self.last_turn() > turn || awaits_seats || (!has_vectors && self.begun.contains(&turn))
    }

    /// The vectors that came before the turn after this one.
    pub fn vectors(&self, turn: u64) -> Option<&Arc<TextVectors>> {
        self.vectors.get(&turn)
    }

    /// The vectors of the searches of an ask, by the digests of the texts.
    pub fn questions(
        &self,
        entity: &Arc<str>,
        id: u32,
        number: u32,
    ) -> BTreeMap<Digest, Arc<Vector>> {
        let questions = self.questions.get(&(entity.clone(), id, number));
        // Of those of the same text, the first.
        let questions = questions
            .into_iter()
            .flatten()
            .rev()
            .map(|question| (question.text, question.vector.clone()));
        questions.collect()
    }

    /// The outcome of an ask, whatever it asked.
    pub fn outcome(&self, entity: &Arc<str>, id: u32, number: u32) -> Option<&Arc<Outcome>> {
        self.outcomes.get(&(entity.clone(), id, number))
    }

    /// Whether anything was recorded of an ask, whatever it asked: what came to mind before it is
    /// decided.
    pub fn knows(&self, entity: &Arc<str>, id: u32, number: u32) -> bool {
        let key = (entity.clone(), id, number);
        self.outcomes.contains_key(&key)
            || self.rounds.contains_key(&key)
            || self.spare.contains_key(&key)
    }

    /// The rounds of tool calls that were recorded for exactly this request, oldest first.
    pub fn rounds(
        &self,
        entity: &Arc<str>,
        id: u32,
        number: u32,
        hash: Digest,
    ) -> impl Iterator<Item = &Arc<OpenRound>> {
        let rounds = self.rounds.get(&(entity.clone(), id, number));
        rounds
            .into_iter()
            .flatten()
            .filter(move |round| round.hash == hash)
    }

    pub fn meeting(&self, turn: u64) -> Option<&Meeting> {
        self.meetings.get(&turn)
    }

    /// The seed of the world in the snapshot of a turn, if the story began with this one.
    pub fn seed_at(&self, turn: u64, first: u64) -> u64 {
        let earlier = self.inputs.range(..turn).rev();
        let mut seeds = earlier.filter_map(|(_, inputs)| new_seed(inputs));
        seeds.next().unwrap_or(first)
    }

    pub fn has_snapshot(&self, turn: u64) -> bool {
        self.snapshots.contains(&turn)
    }

    /// What was told the world after a turn and before the next.
    pub fn inputs(&self, turn: u64) -> &[Value] {
        self.inputs.get(&turn).map_or(&[], Vec::as_slice)
    }

    pub fn last_turn(&self) -> u64 {
        self.meetings.keys().next_back().copied().unwrap_or(0)
    }

    /// Whether the recorded run stopped right after this turn, or nothing was asked since.
    pub fn ends_at(&self, turn: u64) -> bool {
        let is_last = self.meetings.keys().next_back() == Some(&turn);
        let rests = is_last && self.begun.range(turn..).next().is_none();
        rests || (turn >= self.last_turn() && self.stopped_at == Some(turn))
    }

    /// How many asks at its end had no usable answer, by provider and model.
    pub fn missing_in_a_row(&self) -> &BTreeMap<(Arc<str>, Arc<str>), u32> {
        &self.missing_in_a_row
    }

    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// All outcomes, by entity and number.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.values().map(|outcome| &**outcome)
    }
}
