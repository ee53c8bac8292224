//! Branches in which one ask is answered again, by its mind or with the words of a person.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::rewind::{create, play_again, state_at, up_to};
use super::{Game, SessionError};
use crate::event::{AnsweredBy, Feed, Record};
use crate::journal::{AskEnding, Line, Outcome, Retake};
use crate::locale::UiText;
use crate::message::{Cost, FinishReason, PromptBytes, TokenUsage};
use crate::mind::human::UNASKED;
use crate::save::{Slot, StoredStory};

/// An ask that is answered again.
#[derive(Clone, Debug)]
pub struct Retaken {
    /// How it ended in the story.
    pub outcome: Arc<Outcome>,
    /// The number of meetings before it.
    pub turn: u64,
    /// The answer; `None` if its mind is asked again.
    pub answer: Option<String>,
    /// Whether what was answered after it is asked again, whatever it was.
    pub forgets_later: bool,
    /// The person who requested it.
    pub by: String,
}

impl Retaken {
    /// The last ask of an entity that this provider answered, such as the person at its
    /// seat, to be asked again; `None` if there is none. What a person was not asked for doesn't
    /// count.
    pub fn last_of(lines: &[Line], entity: &str, provider: &str) -> Option<Self> {
        let is_meant = |outcome: &Outcome| {
            let is_given = &*outcome.provider == provider && &*outcome.model != UNASKED;
            &*outcome.entity == entity && is_given
        };
        let mut turn = 0;
        let mut last = None;
        for line in lines {
            match line {
                Line::Meeting(meeting) => turn = meeting.turn,
                Line::Outcome(outcome) if is_meant(outcome) => last = Some((outcome, turn)),
                _ => {}
            }
        }
        last.map(|(outcome, turn)| Self {
            outcome: outcome.clone(),
            turn,
            answer: None,
            forgets_later: false,
            by: provider.to_owned(),
        })
    }

    /// Who else of those whom this provider answers for has answered after it, so that their
    /// answers might be lost with it.
    pub fn later_of_others<'l>(&self, lines: &'l [Line]) -> Option<&'l str> {
        let later = lines.iter().rev().map_while(|line| match line {
            Line::Outcome(outcome) if Arc::ptr_eq(outcome, &self.outcome) => None,
            Line::Outcome(outcome) => Some(Some(&**outcome)),
            _ => Some(None),
        });
        let given = later
            .flatten()
            .filter(|later| *later.provider == self.by && &*later.model != UNASKED);
        let mut others = given.filter(|given| given.entity != self.outcome.entity);
        others.next().map(|other| &*other.entity)
    }
}

/// Starts a new slot from the turn before an ask, in which that ask is answered again. Earlier
/// answers of its turn are kept; later ones are reused as long as the same requests are made.
/// Everything else is asked when the branch is resumed.
///
/// # Errors
/// As [`branch`](super::branch), the ask is not in the journal, or an answer was given that does
/// not pass its check, or to an ask of a turn that is not over.
pub async fn retake(
    root: &Path,
    from: &Slot,
    name: &str,
    game: &dyn Game,
    retaken: Retaken,
) -> Result<Slot, SessionError> {
    let turn = retaken.turn;
    let mut story = from.read(false)?;
    let shared = up_to(story.lines.clone(), turn)?.len();
    let played = story.lines.split_off(shared);
    let own = anew(played, &retaken, name)?;
    state_at(from, game, turn).await?;
    let header = story.header.clone();
    if retaken.answer.is_some() {
        story.lines.extend(own.iter().cloned());
        check(story, game, &retaken).await?;
    }
    create(root, from, name, game, header, (shared, turn), own)
}

/// A branch in which default answers are asked for again.
#[derive(Clone, Debug)]
pub struct Retried {
    pub slot: Slot,
    /// The turn from which it continues.
    pub turn: u64,
    /// How many default answers there were.
    pub count: usize,
}

/// Starts a new slot from the turn before the first default answer, in which all asks are made
/// again that ended with one. Earlier answers of that turn are kept; all later ones are reused as
/// long as the same requests are made. `None` if there is no default answer.
pub async fn retry_defaults(
    root: &Path,
    from: &Slot,
    name: &str,
    game: &dyn Game,
    by: &str,
) -> Result<Option<Retried>, SessionError> {
    let mut story = from.read(false)?;
    let Some(turn) = turn_of_first_default(&story.lines) else {
        return Ok(None);
    };
    let shared = up_to(story.lines.clone(), turn)?.len();
    let played = story.lines.split_off(shared);
    let is_default = |line: &&Line| matches!(line, Line::Outcome(outcome) if outcome.is_default());
    let count = played.iter().filter(is_default).count();
    let own = without_defaults(played, turn, name, by);
    state_at(from, game, turn).await?;
    let slot = create(root, from, name, game, story.header, (shared, turn), own)?;
    Ok(Some(Retried { slot, turn, count }))
}

fn turn_of_first_default(lines: &[Line]) -> Option<u64> {
    let mut turn = 0;
    for line in lines {
        match line {
            Line::Meeting(meeting) => turn = meeting.turn,
            Line::Outcome(outcome) if outcome.is_default() => return Some(turn),
            _ => {}
        }
    }
    None
}

/// The lines of a story after a turn, without default answers. What follows the first one counts
/// only where the same is asked.
fn without_defaults(played: Vec<Line>, turn: u64, branch: &str, by: &str) -> Vec<Line> {
    let mut is_found = false;
    let lines = played.into_iter().filter_map(|line| match line {
        Line::Outcome(outcome) if outcome.is_default() => {
            is_found = true;
            Some(Line::Retake(Retake::of(&outcome, branch, by)))
        }
        Line::Outcome(outcome) if is_found => Some(Line::Spare(outcome)),
        // Those of later turns may be of texts that are not witnessed here.
        Line::Vectors(vectors) if vectors.turn > turn => None,
        Line::Outcome(_)
        | Line::Input(_)
        | Line::Retake(_)
        | Line::Spare(_)
        | Line::Vectors(_)
        | Line::Question(_) => Some(line),
        _ => None,
    });
    lines.collect()
}

/// The lines of a turn with one ask answered anew. `played` begins with those of the turn.
fn anew(played: Vec<Line>, retaken: &Retaken, branch: &str) -> Result<Vec<Line>, SessionError> {
    let old = &retaken.outcome;
    let is_meant = |outcome: &Outcome| {
        outcome.entity == old.entity && outcome.number == old.number && outcome.hash == old.hash
    };
    let mut lines = Vec::new();
    let (mut is_found, mut is_over) = (false, false);
    for line in played {
        match line {
            Line::Outcome(outcome) if is_meant(&outcome) => {
                is_found = true;
                lines.push(Line::Retake(Retake::of(&outcome, branch, &retaken.by)));
                let answered = retaken
                    .answer
                    .as_ref()
                    .map(|text| answered_with(&outcome, text, &retaken.by));
                lines.extend(answered.map(|outcome| Line::Outcome(Arc::new(outcome))));
            }
            // It was asked when this one had been answered, or at the same time.
            Line::Outcome(_) | Line::Spare(_) if is_found && retaken.forgets_later => {}
            Line::Outcome(outcome) if is_found => lines.push(Line::Spare(outcome)),
            Line::Spare(outcome) if is_meant(&outcome) => {}
            Line::Outcome(_)
            | Line::Input(_)
            | Line::Retake(_)
            | Line::Spare(_)
            | Line::Vectors(_)
            | Line::Question(_) => lines.push(line),
            Line::Meeting(_) => {
                is_over = true;
                break;
            }
            // Rounds of tools are in the outcomes.
            Line::Sent(_)
            | Line::Paid(_)
            | Line::Round(_)
            | Line::Held(_)
            | Line::Snapshot(_)
            | Line::Stopped(_) => {}
            Line::Header(_) | Line::Game(_) => {}
        }
    }
    // An answer is checked in a whole turn.
    if is_found && (is_over || retaken.answer.is_none()) {
        return Ok(lines);
    }
    Err(SessionError::NoSuchAsk {
        entity: old.entity.to_string(),
        number: old.number,
    })
}

fn answered_with(outcome: &Outcome, text: &str, by: &str) -> Outcome {
    Outcome {
        ending: AskEnding::Answered {
            text: text.to_owned(),
            thinking: None,
            finish: FinishReason::Stop,
        },
        refused: Vec::new(),
        calls: 0,
        retries: 0,
        usage: TokenUsage::default(),
        prompt_bytes: PromptBytes::default(),
        estimated: 0,
        cost: Cost::default(),
        unpriced: 0,
        provider: by.into(),
        model: "".into(),
        ms: 0,
        ..outcome.clone()
    }
}

/// Plays the turn with an answer, without any mind, to see what becomes of it.
async fn check(story: StoredStory, game: &dyn Game, retaken: &Retaken) -> Result<(), SessionError> {
    let refused = Arc::new(Mutex::new(None::<UiText>));
    let (sink, old) = (refused.clone(), retaken.outcome.clone());
    let played = play_again(story, game, Some(retaken.turn + 1), move |engine| {
        engine.add_feed(Feed::observer(move |record| {
            if let Record::Answer(answer) = record
                && answer.entity == old.entity
                && answer.number == old.number
                && let AnsweredBy::Fallback(reason) = &answer.by
            {
                let mut refused = sink.lock().unwrap_or_else(PoisonError::into_inner);
                *refused = Some(reason.clone());
            }
        }));
    });
    played.await?;
    let reason = refused
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match reason {
        Some(reason) => Err(SessionError::BadAnswer { reason }),
        None => Ok(()),
    }
}
