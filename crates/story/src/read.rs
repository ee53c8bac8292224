//! Fills a view: from what an engine does, or from a slot.

use std::sync::Arc;

use playhouse_engine::engine::{CancellationToken, Engine, Lead};
use playhouse_engine::event::Feed;
use playhouse_engine::mind::StreamReceiver;
use playhouse_engine::save::{Slot, StoredStory};
use playhouse_engine::session::{EventLog, Game, SessionError, play_again, play_on};

use super::view::StoryView;

/// Lets a view see what an engine does from now on. What minds write arrives at the receiver; give
/// it to [`follow`].
pub fn watch(engine: &mut Engine, view: &Arc<StoryView>) -> StreamReceiver {
    observe(engine, view);
    view.begin(&engine.world);
    let signals = view.clone();
    engine.on_signal(move |signal| signals.signal(&signal));
    let pictures = view.clone();
    engine.on_wait(move |world| pictures.catch_up(world));
    // Answers that are being written are for the host alone.
    engine.watch_all()
}

/// Shows answers while they are written, until the engine is dropped.
pub async fn follow(mut answers: StreamReceiver, view: Arc<StoryView>) {
    while let Some(delta) = answers.next().await {
        view.delta(&delta);
    }
}

/// Fills a view with a slot's story, until a turn or its end: from its log of events, if it has
/// one, and by playing the rest of the journal again, which the token that `begin` gets can stop.
/// If the log holds all until that turn, where everybody is then is left to [`watch`].
///
/// # Errors
/// As [`playhouse_engine::session::replay`].
pub async fn read(
    slot: &Slot,
    (story, log): (StoredStory, Option<EventLog>),
    game: &dyn Game,
    until: Option<u64>,
    view: &Arc<StoryView>,
    begin: impl FnOnce(CancellationToken),
) -> Result<(), SessionError> {
    let log = log.filter(|log| until.is_none_or(|until| until >= log.turn));
    let logged = log.as_ref().map(|log| log.turn);
    let rest = Some(story).filter(|_| until.is_none() || until != logged);
    if let Some(mut log) = log {
        view.fill(log.records());
    }
    let Some(story) = rest else {
        return Ok(());
    };
    // Nothing of the next turn was played.
    let until = until.or_else(|| story.ends_with_a_turn().then(|| story.last_turn()));
    let prepare = |engine: &mut Engine| {
        observe(engine, view);
        begin(engine.cancellation_token());
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

/// Fills a view with a story that another engine plays, while it does.
///
/// # Errors
/// As [`playhouse_engine::session::replay`].
pub async fn read_along(
    story: StoredStory,
    lead: Box<dyn Lead>,
    game: &dyn Game,
    view: &Arc<StoryView>,
) -> Result<(), SessionError> {
    let prepare = |engine: &mut Engine| {
        engine.follow(lead);
        let turns = view.clone();
        engine.on_turn(move |world, _, _| {
            turns.update_state(world, false);
            Ok(())
        });
        observe(engine, view);
        view.begin(&engine.world);
    };
    let read = play_again(story, game, None, prepare).await?;
    view.begin(&read.engine.world);
    Ok(())
}

fn observe(engine: &mut Engine, view: &Arc<StoryView>) {
    let records = view.clone();
    engine.add_feed(Feed::observer(move |record| records.record(record)));
    let outcomes = view.clone();
    engine.on_commit(move |world, committed| outcomes.commit(world, committed));
}
