//! The same story with another choice.

use playhouse_engine::cast::{Kind, all_of};
use playhouse_engine::journal::{AskEnding, Line, Outcome};
use playhouse_engine::locale::Localize;
use playhouse_engine::message::{Cost, FinishReason, TokenUsage};
use playhouse_engine::save::Slot;
use playhouse_engine::session::{Game, SessionError, state_at};
use thiserror::Error;

use super::choose::PendingChoice;

#[derive(Debug, Error, Localize)]
pub enum ChooseAgainError {
    /// The story can't be read or replayed.
    Session(#[from] SessionError),
    /// Nobody decided anything in this scene.
    #[text(drama_nothing_chosen, scene, .. if chosen.is_empty())]
    #[text(drama_never_chosen)]
    NeverChosen {
        scene: String,
        /// The scenes in which an actor decided.
        chosen: Vec<String>,
    },
    #[text(drama_not_offered)]
    NotOffered {
        option: String,
        offered: Vec<String>,
    },
}

/// The turn before a choice was made for the last time in a story, and the outcome of that choice
/// with another option, for [`branch`](playhouse_engine::session::branch).
///
/// # Errors
/// The story can't be replayed, the choice was never made, or the option was not offered.
pub async fn choose_again(
    slot: &Slot,
    game: &dyn Game,
    scene: &str,
    option: &str,
) -> Result<(u64, Outcome), ChooseAgainError> {
    let lines = slot.read_journal().map_err(SessionError::from)?;
    let mut turn = 0;
    let mut choices = Vec::new();
    for line in &lines {
        match line {
            Line::Meeting(meeting) => turn = meeting.turn,
            Line::Outcome(outcome) if outcome.purpose == "scene.choose" => {
                choices.push((turn, outcome));
            }
            _ => {}
        }
    }
    // A turn that was never completed has no state in which its choices could be found.
    choices.retain(|(before, _)| *before < turn);
    let mut chosen = Vec::new();
    for (turn, outcome) in choices.into_iter().rev() {
        // What was offered stands until the meeting after the turn in which an actor decided.
        let world = state_at(slot, game, turn + 1).await?.engine.world;
        let places = all_of(&world, Kind::Stage).into_iter();
        let mut pending = places.filter_map(|place| world.get::<PendingChoice>(place));
        let Some(pending) =
            pending.find(|pending| pending.deciders().any(|who| **who == *outcome.entity))
        else {
            continue;
        };
        if *pending.scene != *scene {
            chosen.push(pending.scene.to_string());
            continue;
        }
        if !pending.options.iter().any(|offered| **offered == *option) {
            return Err(ChooseAgainError::NotOffered {
                option: option.to_owned(),
                offered: pending.options.iter().map(ToString::to_string).collect(),
            });
        }
        let answer = serde_json::json!({"mind": "", "option": option});
        let outcome = Outcome {
            ending: AskEnding::Answered {
                text: answer.to_string(),
                thinking: None,
                finish: FinishReason::Stop,
            },
            refused: Vec::new(),
            rounds: Vec::new(),
            calls: 0,
            retries: 0,
            usage: TokenUsage::default(),
            estimated: 0,
            cost: Cost::default(),
            ms: 0,
            ..Outcome::clone(outcome)
        };
        return Ok((turn, outcome));
    }
    chosen.reverse();
    Err(ChooseAgainError::NeverChosen {
        scene: scene.to_owned(),
        chosen,
    })
}
