//! What differs between two prompts of an entity, and between two stories.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use playhouse_engine::journal::{Line, Meeting, Outcome};
use playhouse_engine::session::{PromptMessage, PromptPart};

/// One step from a prompt to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<'m> {
    /// What happened to it.
    pub kind: ChangeKind<'m>,
    /// The messages: those of the later prompt if they are in both.
    pub messages: &'m [PromptMessage],
}

/// What happened to messages from one prompt to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChangeKind<'m> {
    /// They are in both.
    Same,
    /// Only the later has them.
    Added,
    /// Only the earlier has them: a question, and what went back and forth about it, is sent in
    /// full with its own call alone.
    SentOnce,
    /// Only the earlier has them: this summary of the later one replaces them.
    Archived(&'m PromptMessage),
    /// Only the earlier has them.
    Cut,
}

/// The changes from one prompt to another, in order. Messages never change places, so this takes
/// time in proportion to their number.
pub fn changes<'m>(earlier: &'m [PromptMessage], later: &'m [PromptMessage]) -> Vec<Change<'m>> {
    let keys = |messages: &[PromptMessage]| -> Vec<_> {
        messages.iter().map(PromptMessage::key).collect()
    };
    let (earlier_keys, later_keys) = (keys(earlier), keys(later));
    let in_earlier: BTreeSet<_> = earlier_keys.iter().collect();
    let mut steps = Steps::default();
    let (mut old, mut new) = (0, 0);
    loop {
        match (earlier_keys.get(old), later_keys.get(new)) {
            (Some(key), Some(other)) if key == other => {
                steps.push(Step::Same, new);
                (old, new) = (old + 1, new + 1);
            }
            (_, Some(key)) if !in_earlier.contains(key) => {
                steps.push(Step::Added, new);
                new += 1;
            }
            (Some(_), _) => {
                steps.push(Step::Cut, old);
                old += 1;
            }
            (None, Some(_)) => {
                steps.push(Step::Added, new);
                new += 1;
            }
            (None, None) => break,
        }
    }
    let runs = steps.0;
    let is_summary = |message: &&PromptMessage| {
        matches!(
            message.part,
            PromptPart::Memory {
                is_summary: true,
                ..
            }
        )
    };
    let summary_in = |run: Option<&Run>| {
        let run = run.filter(|run| run.step == Step::Added)?;
        later.get(run.range())?.iter().find(is_summary)
    };
    let change = |(index, run): (usize, &Run)| {
        let of = if run.step == Step::Cut {
            earlier
        } else {
            later
        };
        let messages = of.get(run.range()).unwrap_or_default();
        let is_memory = |message: &PromptMessage| matches!(message.part, PromptPart::Memory { .. });
        let before = index.checked_sub(1).and_then(|before| runs.get(before));
        let summary = summary_in(before).or_else(|| summary_in(runs.get(index + 1)));
        let kind = match (run.step, summary) {
            (Step::Same, _) => ChangeKind::Same,
            (Step::Added, _) => ChangeKind::Added,
            (Step::Cut, _) if !messages.iter().any(is_memory) => ChangeKind::SentOnce,
            (Step::Cut, Some(summary)) => ChangeKind::Archived(summary),
            (Step::Cut, None) => ChangeKind::Cut,
        };
        Change { kind, messages }
    };
    runs.iter().enumerate().map(change).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Same,
    Added,
    Cut,
}

/// Messages that follow each other and have the same fate.
struct Run {
    step: Step,
    begin: usize,
    end: usize,
}

impl Run {
    fn range(&self) -> std::ops::Range<usize> {
        self.begin..self.end
    }
}

#[derive(Default)]
struct Steps(Vec<Run>);

impl Steps {
    fn push(&mut self, step: Step, index: usize) {
        match self.0.last_mut() {
            Some(run) if run.step == step => run.end = index + 1,
            _ => self.0.push(Run {
                step,
                begin: index,
                end: index + 1,
            }),
        }
    }
}

/// Where two stories part.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    pub seeds: (u64, u64),
    /// The last turn of each.
    pub last: (u64, u64),
    /// The turn at whose end they were last the same; `None` if one only goes on where the other
    /// ends.
    pub turn: Option<u64>,
    /// The asks of the next turn that ended differently, or that only one of them had, by entity
    /// and number.
    pub answers: Vec<PartingAnswer>,
}

/// An ask that ended differently in two stories.
#[derive(Clone, Debug, PartialEq)]
pub struct PartingAnswer {
    /// How it ended in each; `None` if it was not asked.
    pub outcomes: (Option<Arc<Outcome>>, Option<Arc<Outcome>>),
    /// Whether it was the same question about the same conversation.
    pub same_request: bool,
}

/// Where two stories part, by their journals.
pub fn parting(first: &[Line], second: &[Line]) -> Parting {
    let (first_turns, second_turns) = (turns(first), turns(second));
    let seeds = (seed(first), seed(second));
    let last = (last_turn(first), last_turn(second));
    let mut found = Parting {
        seeds,
        last,
        turn: None,
        answers: Vec::new(),
    };
    for (turn, (a, b)) in (0..).zip(first_turns.iter().zip(&second_turns)) {
        let is_open = |turn: &Turn<'_>| turn.meeting.is_none();
        let answers = parting_answers(a, b, is_open(a) || is_open(b));
        let hashes = |turn: &Turn<'_>| turn.meeting.map(|meeting| meeting.hashes.clone());
        let same_end = is_open(a) || is_open(b) || hashes(a) == hashes(b);
        if !answers.is_empty() || !same_end || a.inputs != b.inputs {
            found.turn = Some(turn);
            found.answers = answers;
            return found;
        }
    }
    found
}

/// What the journal has of one turn.
#[derive(Default)]
struct Turn<'l> {
    outcomes: BTreeMap<(Arc<str>, u32, u32), Arc<Outcome>>,
    inputs: Vec<&'l serde_json::Value>,
    /// Its end; `None` if it was left in the middle.
    meeting: Option<&'l Meeting>,
}

fn turns(lines: &[Line]) -> Vec<Turn<'_>> {
    let mut turns = vec![Turn::default()];
    for line in lines {
        let Some(turn) = turns.last_mut() else {
            break;
        };
        match line {
            Line::Outcome(outcome) => {
                let key = (outcome.entity.clone(), outcome.id, outcome.number);
                turn.outcomes.entry(key).or_insert_with(|| outcome.clone());
            }
            Line::Input(input) => turn.inputs.push(&input.value),
            Line::Meeting(meeting) => {
                turn.meeting = Some(meeting);
                turns.push(Turn::default());
            }
            _ => {}
        }
    }
    turns
}

/// The asks that ended differently. Those that only one of them had count if both turns are over.
fn parting_answers(a: &Turn<'_>, b: &Turn<'_>, is_open: bool) -> Vec<PartingAnswer> {
    let keys: BTreeSet<_> = a.outcomes.keys().chain(b.outcomes.keys()).collect();
    let answers = keys.into_iter().filter_map(|key| {
        let outcomes = (a.outcomes.get(key).cloned(), b.outcomes.get(key).cloned());
        let (is_same, same_request) = match &outcomes {
            (Some(a), Some(b)) => {
                let same_request = a.hash == b.hash;
                (same_request && a.ending == b.ending, same_request)
            }
            _ => (is_open, false),
        };
        (!is_same).then_some(PartingAnswer {
            outcomes,
            same_request,
        })
    });
    answers.collect()
}

fn seed(lines: &[Line]) -> u64 {
    let head = lines.iter().find_map(|line| match line {
        Line::Header(head) => Some(head.seed),
        _ => None,
    });
    head.unwrap_or_default()
}

fn last_turn(lines: &[Line]) -> u64 {
    let turns = lines.iter().rev().find_map(|line| match line {
        Line::Meeting(meeting) => Some(meeting.turn),
        _ => None,
    });
    turns.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use playhouse_engine::message::{BodyId, Role};

    fn message(number: u32, text: &str, is_summary: bool) -> PromptMessage {
        let part = match number {
            0 => PromptPart::Question,
            number => PromptPart::Memory {
                body: BodyId { place: 1, number },
                is_summary,
            },
        };
        PromptMessage {
            role: Role::Human,
            speaker: None,
            text: text.into(),
            blocks: Vec::new(),
            part,
            tokens: 1,
        }
    }

    #[test]
    fn what_an_archive_replaces_is_told_from_a_question_that_is_over() {
        let told = |number, text| message(number, text, false);
        let earlier = [
            told(1, "rules"),
            told(2, "a"),
            told(3, "b"),
            told(4, "c"),
            told(0, "now?"),
        ];
        let later = [
            told(1, "rules"),
            message(5, "a and b", true),
            told(4, "c"),
            told(6, "answer"),
            told(0, "and now?"),
        ];
        let found: Vec<_> = changes(&earlier, &later)
            .into_iter()
            .map(|change| (change.kind, change.messages.len()))
            .collect();
        assert_eq!(
            found,
            [
                (ChangeKind::Same, 1),
                (ChangeKind::Added, 1),
                (ChangeKind::Archived(&later[1]), 2),
                (ChangeKind::Same, 1),
                (ChangeKind::Added, 2),
                (ChangeKind::SentOnce, 1),
            ]
        );
        let same = changes(&later, &later);
        assert_eq!((same.len(), same[0].kind), (1, ChangeKind::Same));
        assert!(changes(&[], &[]).is_empty());
    }

    #[test]
    fn a_message_that_was_said_twice_is_counted_twice() {
        let (once, twice) = (message(0, "x", false), message(0, "y", false));
        let earlier = [once.clone(), once.clone(), twice.clone()];
        let later = [once.clone(), twice, once];
        let count = |kind: fn(&ChangeKind<'_>) -> bool| {
            let changes = changes(&earlier, &later);
            let of_kind = changes.iter().filter(|change| kind(&change.kind));
            of_kind.map(|change| change.messages.len()).sum::<usize>()
        };
        assert_eq!(count(|kind| *kind == ChangeKind::Same), 2);
        assert_eq!(count(|kind| *kind == ChangeKind::Added), 1);
        assert_eq!(count(|kind| *kind == ChangeKind::SentOnce), 1);
    }
}
