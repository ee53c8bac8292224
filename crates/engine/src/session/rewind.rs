//! Sessions that go back: a story is played again from its journal, without any mind.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::event_log::EventLogger;
use super::world::{EmbeddedData, loaded, new_world};
use super::{Game, SessionError};
use crate::cast::WorldTurn;
use crate::engine::{Engine, EngineError, Setup, Stop};
use crate::journal::{BranchedFrom, Journal, JournalHeader, Line, Recording};
use crate::mind::{Answering, Mind, MindError, MindInfo, Minds, Prompt};
use crate::save::{Meta, Slot, StoredSnapshot, StoredStory, snapshot};

/// A story that was played again.
pub struct Replayed {
    /// The engine, with the world as it stood when the replay stopped.
    pub engine: Engine,
    pub stop: Stop,
    /// The last turn that was reached.
    pub turn: u64,
    /// The snapshot of that turn, to compare with a saved one byte for byte. Empty if the replay
    /// was stopped before the turn that was wanted.
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

/// Starts a new slot from a turn of an old one. Its journal begins as that of the old one up to
/// that turn, and it can be resumed, replayed and branched like any story. It may have a line of
/// the next turn, such as the outcome of an ask or a [new seed](crate::journal::branch_input);
/// resuming the branch uses it and asks for everything else.
///
/// # Errors
/// As [`state_at`], or the new slot's name is bad or taken.
pub async fn branch(
    root: &Path,
    from: &Slot,
    name: &str,
    game: &dyn Game,
    turn: u64,
    next: Option<Line>,
) -> Result<Slot, SessionError> {
    let story = from.read(false)?;
    let header = story.header.clone();
    let shared = up_to(story.lines, turn)?.len();
    state_at(from, game, turn).await?;
    create(root, from, name, game, header, (shared, turn), next)
}

/// Creates a slot that shares a number of lines of another, up to the end of a turn, and continues
/// with lines of its own.
pub(super) fn create(
    root: &Path,
    from: &Slot,
    name: &str,
    game: &dyn Game,
    header: JournalHeader,
    shared: (usize, u64),
    own: impl IntoIterator<Item = Line>,
) -> Result<Slot, SessionError> {
    let (count, turn) = shared;
    let header = JournalHeader {
        world: game.meta().world,
        branched: Some(BranchedFrom {
            from: from.name().to_string(),
            turn,
        }),
        ..header
    };
    let locked = from.create_branch(root, name, header, count, own)?;
    Ok(locked.slot().clone())
}

/// Gives a story the snapshot of its last whole turn, if it has an earlier one or none, such as a
/// branch that was not played yet: what its journal holds beyond it is played again, without any
/// mind. A story of other data stays as it is: without a snapshot it starts from the beginning.
///
/// # Errors
/// The snapshot can't be loaded, or as [`replay`]. The story stays as it is.
pub fn catch_up(slot: &Slot, story: &mut StoredStory, game: &dyn Game) -> Result<(), SessionError> {
    catch_up_logged(slot, story, game).map(drop)
}

/// As [`catch_up`]. Returns the lines of the log of events of what was played again; `None` if
/// nothing was.
pub(super) fn catch_up_logged(
    slot: &Slot,
    story: &mut StoredStory,
    game: &dyn Game,
) -> Result<Option<Vec<u8>>, SessionError> {
    let last = story.last_turn();
    // To read a long snapshot takes a while.
    if story.saved_turn() == Some(last) {
        return Ok(None);
    }
    let saved = slot.explain(story.world.as_ref().map(StoredSnapshot::head).transpose())?;
    let is_saved = saved.is_some();
    let (turn, data) = match &saved {
        Some(head) => (head.turn, &head.data),
        None => (0, &story.header.data),
    };
    let kept = EmbeddedData::of(&story.lines);
    if last <= turn || kept.exact_game(game, data).is_err() {
        return Ok(None);
    }
    let mut logger = None;
    let again = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
        let log = |engine: &mut Engine| logger = Some(EventLogger::of(engine));
        let story = story.clone();
        Some(if is_saved {
            runtime.block_on(play_on(slot, story, game, Some(last), log))
        } else {
            runtime.block_on(play_again(story, game, Some(last), log))
        })
    };
    // The caller may be within a runtime, which can't wait for another.
    let played = std::thread::scope(|scope| scope.spawn(again).join());
    let replayed = played.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let Some(replayed) = replayed.transpose()? else {
        return Ok(None);
    };
    if replayed.turn < last {
        let (turn, last) = (last, replayed.turn);
        return Err(SessionError::NotReplayed { turn, last });
    }
    story.world = Some(replayed.snapshot.into());
    Ok(logger.map(|logger| logger.take()))
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

/// As [`replay`], of a story that was read, with access to the engine before it plays: to add
/// feeds, or for its cancellation token.
pub async fn play_again(
    story: StoredStory,
    game: &dyn Game,
    until: Option<u64>,
    prepare: impl FnOnce(&mut Engine),
) -> Result<Replayed, SessionError> {
    let head = story.header;
    let game = EmbeddedData::of(&story.lines).exact_game(game, &head.data)?;
    let begun = (new_world(game.get(), head.seed)?, game.get().meta());
    let recording = Recording::of(story.lines);
    play_from(begun, (head, recording), until, prepare).await
}

/// Plays what a slot's journal holds beyond its snapshot, without any mind. Its world is that of
/// the snapshot first.
pub async fn play_on(
    slot: &Slot,
    story: StoredStory,
    game: &dyn Game,
    until: Option<u64>,
    prepare: impl FnOnce(&mut Engine),
) -> Result<Replayed, SessionError> {
    let saved = story.saved_turn();
    let StoredStory {
        header: head,
        lines,
        world,
    } = story;
    let kept = EmbeddedData::of(&lines);
    let recording = Recording::after(saved, lines);
    let stored = world.unwrap_or_else(|| Vec::new().into());
    let begun = loaded(slot, &stored, &recording, &head, (game, &kept), false)?;
    play_from(begun, (head, recording), until, prepare).await
}

async fn play_from(
    (setup, meta): (Setup, Meta),
    (head, recording): (JournalHeader, Recording),
    until: Option<u64>,
    prepare: impl FnOnce(&mut Engine),
) -> Result<Replayed, SessionError> {
    let last = recording.last_turn();
    let wanted = until.map_or(last, |until| until.min(last));
    // A snapshot of every turn would take longer than the turns.
    let first = if wanted == 0 {
        snapshot(&setup.world, &meta)?
    } else {
        Vec::new()
    };
    let latest = Arc::new(Mutex::new(first));
    let nobody = Minds::from(Nobody::new());
    let mut engine = Engine::new(setup, nobody, Journal::in_memory(head))?;
    engine.settings.replay = true;
    engine.play_back(recording);
    let newest = latest.clone();
    engine.on_turn(move |world, _, _| {
        if world.resource::<WorldTurn>().0 < wanted {
            return Ok(());
        }
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
