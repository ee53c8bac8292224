//! Sessions that go back: a story is played again from its journal, without any mind.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::live::{check_data, create, new_world};
use super::{Game, SessionError};
use crate::cast::WorldTurn;
use crate::engine::{Engine, EngineError, Stop};
use crate::journal::{Journal, Line, Recording};
use crate::mind::{Answering, Mind, MindError, MindInfo, Minds, Prompt};
use crate::save::{Slot, StoredStory, snapshot};

/// A story that was played again.
pub struct Replayed {
    /// The engine, with the world as it stood when the replay stopped.
    pub engine: Engine,
    /// Why the replay stopped.
    pub stop: Stop,
    /// The last turn that was reached.
    pub turn: u64,
    /// The snapshot of that turn, to compare with a saved one byte for byte.
    pub snapshot: Vec<u8>,
}

/// Plays a slot's story again from its journal, from the start until a turn or the end of the
/// recording. Every state hash is compared with the recorded one.
///
/// # Errors
/// The journal can't be read or was made from other data, or the first difference.
pub async fn replay(
    slot: &Slot,
    game: &dyn Game,
    until: Option<u64>,
) -> Result<Replayed, SessionError> {
    play_again(slot.read(false)?, game, until, |_| {}).await
}

/// As [`replay`], with access to the engine before it plays: to add feeds, or for its cancellation
/// token.
///
/// # Errors
/// As [`replay`].
pub async fn replay_with(
    slot: &Slot,
    game: &dyn Game,
    until: Option<u64>,
    prepare: impl FnOnce(&mut Engine),
) -> Result<Replayed, SessionError> {
    play_again(slot.read(false)?, game, until, prepare).await
}

/// The world of a slot's story as it stood after a turn.
///
/// # Errors
/// As [`replay`], or the turn was never played.
pub async fn state_at(slot: &Slot, game: &dyn Game, turn: u64) -> Result<Replayed, SessionError> {
    let mut story = slot.read(false)?;
    story.lines = up_to(story.lines, turn)?;
    let replayed = play_again(story, game, Some(turn), |_| {}).await?;
    if replayed.turn != turn {
        return Err(SessionError::NoSuchTurn {
            turn,
            last: replayed.turn,
        });
    }
    Ok(replayed)
}

/// Starts a new slot from a turn of an old one. Its journal is the old one up to that turn, so that
/// the branch can be resumed, replayed and branched like any story.
///
/// # Errors
/// As [`state_at`], or the new slot's name is bad or taken.
pub async fn branch(
    root: &Path,
    from: &Slot,
    name: &str,
    game: &dyn Game,
    turn: u64,
) -> Result<Slot, SessionError> {
    branch_with(root, from, name, game, turn, None).await
}

/// As [`branch`], with lines of the next turn, such as the outcome of an ask or a
/// [new seed](crate::journal::seed_input): whoever resumes the branch finds them and asks for all
/// else.
///
/// # Errors
/// As [`branch`].
pub async fn branch_with(
    root: &Path,
    from: &Slot,
    name: &str,
    game: &dyn Game,
    turn: u64,
    next: Option<Line>,
) -> Result<Slot, SessionError> {
    let world = state_at(from, game, turn).await?.engine.world;
    let mut lines = up_to(from.read(false)?.lines, turn)?;
    lines.extend(next);
    let locked = create(root, name, lines, &world, &game.meta())?;
    Ok(locked.slot().clone())
}

/// The lines of a journal up to the meeting that closed a turn; for turn 0 those before the first
/// turn.
pub(super) fn up_to(mut lines: Vec<Line>, turn: u64) -> Result<Vec<Line>, SessionError> {
    let closes = |line: &Line| matches!(line, Line::Meeting(meeting) if meeting.turn == turn);
    let length = match turn {
        0 => lines
            .iter()
            .take_while(|line| matches!(line, Line::Header(_) | Line::Game(_)))
            .count(),
        _ => match lines.iter().position(closes) {
            Some(index) => index + 1,
            None => {
                let last = Recording::of(lines).last_turn();
                return Err(SessionError::NoSuchTurn { turn, last });
            }
        },
    };
    lines.truncate(length);
    Ok(lines)
}

pub(super) async fn play_again(
    story: StoredStory,
    game: &dyn Game,
    until: Option<u64>,
    prepare: impl FnOnce(&mut Engine),
) -> Result<Replayed, SessionError> {
    let head = story.header;
    let meta = game.meta();
    check_data(&head, &meta, false)?;
    let setup = new_world(game, head.seed)?;
    let latest = Arc::new(Mutex::new(snapshot(&setup.world, &meta)?));
    let nobody = Minds::from(Nobody::new());
    let mut engine = Engine::new(setup, nobody, Journal::in_memory(head))?;
    engine.settings.replay = true;
    engine.play_back(Recording::of(story.lines));
    let newest = latest.clone();
    engine.on_turn(move |world, _| {
        let bytes = snapshot(world, &meta).map_err(EngineError::Snapshot)?;
        *newest.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        Ok(())
    });
    prepare(&mut engine);
    let stop = engine.run(until).await?;
    let snapshot = std::mem::take(&mut *latest.lock().unwrap_or_else(PoisonError::into_inner));
    let turn = engine.world.resource::<WorldTurn>().0;
    Ok(Replayed {
        engine,
        stop,
        turn,
        snapshot,
    })
}

/// The mind of a replay, which the engine never asks.
pub(super) struct Nobody(MindInfo);

impl Nobody {
    pub(super) fn new() -> Self {
        Self(MindInfo::embedded("journal"))
    }
}

impl Mind for Nobody {
    fn info(&self) -> &MindInfo {
        &self.0
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let error = MindError::NotRecorded {
            entity: prompt.entity.to_string(),
            number: prompt.number,
        };
        Box::pin(std::future::ready(Err(error.into())))
    }
}
