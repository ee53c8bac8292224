//! Plays a session for a page, or reads what was played.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{WorldTurn, turn_number};
use playhouse_engine::engine::{Engine, EngineError, Stop};
use playhouse_engine::event::Feed;
use playhouse_engine::locale::Localize;
use playhouse_engine::mind::StreamReceiver;
use playhouse_engine::save::{Slot, StoredStory};
use playhouse_engine::session::{EventLog, Game, SessionError, play_again, play_on};

use super::control::{Control, Wanted};
use super::view::{RunState, StoryView};

/// Lets a view see what an engine does from now on. What minds write arrives at the receiver; give
/// it to [`follow`].
pub fn watch(engine: &mut Engine, view: &Arc<StoryView>) -> StreamReceiver {
    observe(engine, view);
    view.begin(&engine.world);
    let signals = view.clone();
    engine.on_signal(move |signal| signals.signal(&signal));
    // Answers that are being written are for the host alone.
    engine.watch_all()
}

/// Shows answers while they are written, until the engine is dropped.
pub async fn follow(mut answers: StreamReceiver, view: Arc<StoryView>) {
    while let Some(delta) = answers.next().await {
        view.delta(&delta);
    }
}

/// Plays turn by turn as the control says, at the latest until a turn. `before_turn` may look for
/// what has changed outside, and says whether there is another turn.
///
/// # Errors
/// As [`Engine::run`].
pub async fn play(
    engine: &mut Engine,
    view: &StoryView,
    control: &Control,
    until: Option<u64>,
    mut before_turn: impl FnMut(&mut Engine) -> bool,
) -> Result<Stop, EngineError> {
    control.begin(engine.cancellation_token());
    engine.set_gate(control.gate().clone());
    let result = turns(engine, view, control, until, &mut before_turn).await;
    view.update_state(&engine.world, true);
    match &result {
        Ok(Stop::Finished(_) | Stop::Idle) => view.set_run(RunState::Finished, None),
        Ok(
            Stop::LimitReached(reason) | Stop::ServerDown(reason) | Stop::NoUsableAnswers(reason),
        ) => {
            view.set_run(RunState::Failed, Some(reason.clone()));
        }
        Ok(_) => view.set_run(RunState::Stopped, None),
        Err(error) => view.set_run(RunState::Failed, Some(error.text())),
    }
    result
}

async fn turns(
    engine: &mut Engine,
    view: &StoryView,
    control: &Control,
    until: Option<u64>,
    before_turn: &mut impl FnMut(&mut Engine) -> bool,
) -> Result<Stop, EngineError> {
    loop {
        // A turn that an earlier run left in the middle was asked without them.
        if !engine.has_recorded_outcomes() {
            for input in control.take_inputs() {
                engine.add_input(input)?;
            }
        }
        let at_rest = &engine.world;
        let may_play = control.may_play(|| {
            view.update_state(at_rest, true);
            view.set_run(RunState::Paused, None);
        });
        // What the world is told while it rests is in the journal at once.
        let may_play = tokio::select! {
            biased;
            () = control.is_told() => continue,
            may_play = may_play => may_play,
        };
        if !may_play {
            return Ok(Stop::Cancelled);
        }
        if !before_turn(engine) {
            return Ok(Stop::Idle);
        }
        let is_step = control.will_pause();
        view.set_run(
            if is_step {
                RunState::Pausing
            } else {
                RunState::Playing
            },
            None,
        );
        let turn = turn_number(engine.world.resource::<WorldTurn>().0);
        let events = view.events();
        let stop = engine.run(Some(turn)).await?;
        if control.is_scene_wanted() && view.has_scene_since(events) {
            control.want(Wanted::Pause);
        }
        view.update_state(&engine.world, false);
        let is_last = until.is_some_and(|until| turn >= until);
        if is_last || !matches!(stop, Stop::TurnReached(_)) {
            return Ok(stop);
        }
    }
}

/// Fills a view with a slot's story, until a turn or its end: from its log of events, if it has
/// one, and by playing the rest of the journal again. A control can stop it. If the log holds all
/// until that turn, where everybody is then is left to [`watch`].
///
/// # Errors
/// As [`playhouse_engine::session::replay`].
pub async fn read(
    slot: &Slot,
    (story, log): (StoredStory, Option<EventLog>),
    game: &dyn Game,
    until: Option<u64>,
    view: &Arc<StoryView>,
    control: Option<&Control>,
) -> Result<(), SessionError> {
    let log = log.filter(|log| until.is_none_or(|until| until >= log.turn));
    let logged = log.as_ref().map(|log| log.turn);
    // While the world is loaded, which takes longer.
    let filling = log.map(|log| {
        let view = view.clone();
        thread::spawn(move || view.fill(log.records))
    });
    let fill = || {
        let filled = filling.map_or(Ok(()), JoinHandle::join);
        filled.unwrap_or_else(|panic| resume_unwind(panic));
    };
    if until.is_some() && until == logged {
        fill();
        return Ok(());
    }
    // Nothing of the next turn was played.
    let until = until.or_else(|| story.ends_with_a_turn().then(|| story.last_turn()));
    let prepare = |engine: &mut Engine| {
        fill();
        observe(engine, view);
        if let Some(control) = control {
            control.begin(engine.cancellation_token());
        }
        // Where everybody is when the first calls are made.
        view.begin(&engine.world);
    };
    let replayed = if logged.is_some() {
        play_on(slot, story, game, until, prepare).await?
    } else {
        play_again(story, game, until, prepare).await?
    };
    view.begin(&replayed.engine.world);
    Ok(())
}

fn observe(engine: &mut Engine, view: &Arc<StoryView>) {
    let records = view.clone();
    engine.add_feed(Feed::observer(move |record| records.record(record)));
    let outcomes = view.clone();
    engine.on_commit(move |world, committed| outcomes.commit(world, committed));
}
