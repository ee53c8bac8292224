//! `replay`: plays a save again from its journal, and compares.

use crate::cast::{StableId, turn_number};
use crate::cli::prelude::*;
use crate::engine::{Engine, Stop};
use crate::event::{Feed, Record};
use crate::exchange::ledgers;
use crate::groupchat::ChatGame;
use crate::message::{Digest, TokenUsage};
use crate::save::StoredSnapshot;
use crate::session::{Replayed, SessionError, play_again};
use bevy_ecs::prelude::World;
use tokio::runtime::Runtime;

use super::play::{self, Left, RunView};
use super::players::introduce;
use super::{chat, undercover};
use crate::cli::args::{ChatFormat, ReplayArgs};
use crate::cli::chat_printer::ChatPrinter;
use crate::cli::env::{clock, since};
use crate::cli::output::wait_until_told;
use crate::cli::record_printer::{LastTurns, RecordPrinter};
use crate::cli::saved::{Played, Saved};

/// The turn with which every story begins.
const FIRST: u64 = 1;

/// Plays a save again with its journal as the only mind.
pub(super) fn replay(app: &App, args: &ReplayArgs) -> Result<()> {
    let (slot, until) = (&*args.slot, args.until);
    let saved = Saved::as_stored(app, slot)?;
    let from = args.from.unwrap_or(FIRST);
    check_turn(&saved, from)?;
    play::begin_turn(&app.out(), from - 1);
    play::show_keys(app);
    if let Played::Team(game) = &saved.played {
        return replay_team(app, &saved, game, (from, until), args.form);
    }
    let seat = args.seat.as_deref();
    let (view, replayed) = tell(app, &saved, seat, Part::From(from), until)?;
    if let Some(turn) = play::unread(app) {
        play::tell_unread(app, turn, slot, false);
        return Ok(());
    }
    if let Some(view) = &view {
        view.tell_outcome(&replayed.engine, &replayed.stop);
    }
    compare(app, &saved, &replayed)?;
    match (&view, app.settings.json) {
        (Some(view), true) => view.report(&replayed.engine, &replayed.stop, Some(slot)),
        _ => Ok(()),
    }
}

/// Tells again how a story ended that is over, and how it is read.
pub(super) fn tell_end(app: &App, saved: &Saved) -> Result<Left> {
    let seat = app.settings.seat.value.as_deref();
    let (view, replayed) = tell(app, saved, seat, Part::Ending, None)?;
    if let Some(view) = view {
        view.tell_outcome(&replayed.engine, &replayed.stop);
    }
    play::tell_over(app, saved.slot.name().as_str());
    Ok(Left::Reported)
}

/// Prints what is played.
pub(super) fn introduce_story(app: &App, played: &Played) {
    match played {
        Played::World(campaign) => play::introduce_world(app, &campaign.file, None),
        Played::Undercover(game) => introduce(app, game.rules(), None),
        Played::Team(_) => {}
    }
}

/// Prints a story of any game as this engine plays it.
#[cfg(feature = "cluster")]
pub(super) fn view<'a>(app: &'a App, played: &Played, engine: &mut Engine) -> RunView<'a> {
    match played {
        Played::Team(game) => {
            play::note_turns(app, engine);
            ChatPrinter::new(app, engine, game.team(), ChatFormat::default());
            RunView::printed_elsewhere(app)
        }
        _ => RunView::with_printer(app, engine, None, |world| printer(app, played, None, world)),
    }
}

/// Prints a story of any game but that of a team, in its own language.
fn printer(
    app: &App,
    played: &Played,
    seat: Option<StableId>,
    world: &mut World,
) -> Box<dyn RecordPrinter> {
    match played {
        Played::Undercover(game) => undercover::printer(app, game.rules().language, world),
        _ => play::story_printer(app, *world.resource::<Language>(), seat, world),
    }
}

/// What of a story is told.
#[derive(Clone, Copy)]
enum Part {
    From(u64),
    Ending,
}

/// Tells a story again, for whoever sits at a seat or sees all.
fn tell<'a>(
    app: &'a App,
    saved: &Saved,
    seat: Option<&str>,
    part: Part,
    until: Option<u64>,
) -> Result<(Option<RunView<'a>>, Replayed)> {
    let game = saved.played.game();
    let mut setup = game.set_up(saved.story.header.seed)?;
    game.populate(&mut setup)?;
    let seat = play::seat(&mut setup.world, seat)?;
    match (&saved.played, part) {
        (Played::World(campaign), Part::Ending) => {
            let title = Paragraph::of(Style::Bold, &campaign.file.name);
            play::introduce(app, &[title], None);
        }
        (played, _) => introduce_story(app, played),
    }
    let printer = |world: &mut World| {
        let printer = printer(app, &saved.played, seat, world);
        match part {
            Part::From(_) => printer,
            Part::Ending => Box::new(LastTurns::of(printer)),
        }
    };
    let runtime = play::runtime()?;
    let mut view = None;
    let again = saved.story.clone();
    let replayed = runtime.block_on(play_again(again, game, until, |engine| {
        begin(app, &runtime, engine);
        view = Some(RunView::with_printer(app, engine, seat, printer));
        if let Part::From(from) = part {
            show_from(app, engine, from);
        }
    }));
    if let Some(view) = &view {
        view.finish();
    }
    Ok((view, replayed?))
}

/// Whether the story has come to this turn.
fn check_turn(saved: &Saved, turn: u64) -> Result<()> {
    let last = saved.story.last_turn();
    if turn <= turn_number(last) {
        return Ok(());
    }
    let error = SessionError::NoSuchTurn { turn, last };
    Err(CommandError::of(ErrorKind::Usage, &error))
}

/// Lets a reader at reading speed stop the replay.
fn begin(app: &App, runtime: &Runtime, engine: &Engine) {
    if app.out().reading().is_some() {
        play::stop_by_signals(app, runtime, engine.cancellation_token());
    }
}

/// Shows what happens from this turn on: what came before is played and left out.
pub(super) fn show_from(app: &App, engine: &mut Engine, from: u64) {
    app.out().mute(from > FIRST);
    let out = app.shared_out();
    engine.add_feed(Feed::observer(move |record| match record {
        Record::Turn { turn } if turn_number(*turn) == from => lock(&out).mute(false),
        _ => {}
    }));
}

/// Plays a team's conversation again, prints it, and compares.
fn replay_team(
    app: &App,
    saved: &Saved,
    game: &ChatGame,
    (from, until): (u64, Option<u64>),
    form: ChatFormat,
) -> Result<()> {
    let began = clock();
    let team = game.team();
    let mut printer = None;
    let runtime = play::runtime()?;
    let again = saved.story.clone();
    let replayed = runtime.block_on(play_again(again, game, until, |engine| {
        begin(app, &runtime, engine);
        play::note_turns(app, engine);
        printer = ChatPrinter::new(app, engine, team, form);
        show_from(app, engine, from);
    }))?;
    wait_until_told(&app.shared_out());
    if let Some(turn) = play::unread(app) {
        play::tell_unread(app, turn, saved.slot.name().as_str(), false);
        return Ok(());
    }
    let stop = chat::chat_of(&replayed.engine.world, team).and_then(|chat| chat.stop.clone());
    let reason = stop.as_ref().map(|stop| stop.content.as_str());
    if app.settings.json {
        app.out().json(&Printed::TeamEnd {
            stop_reason: reason,
            slot: saved.slot.name().as_str(),
        });
    } else if let Some(printer) = printer {
        let mut usage = TokenUsage::default();
        ledgers(&replayed.engine.world).for_each(|(_, ledger)| usage += ledger.total().usage);
        printer.end(reason, usage, since(began) as f64 / 1000.0);
    }
    compare(app, saved, &replayed)
}

/// Compares the world of the replay with the snapshot, if both are of the same turn.
fn compare(app: &App, saved: &Saved, replayed: &Replayed) -> Result<()> {
    let snapshot = saved.story.world.as_ref().map(StoredSnapshot::digest);
    let again = Digest::of(&replayed.snapshot);
    if replayed.turn == saved.turn && snapshot.is_some_and(|digest| digest != again) {
        let error = CommandError::new(ErrorKind::Save, text!(cli_replay_differs));
        return Err(error.at(saved.slot.world_file().display()));
    }
    if app.prints_text() && !matches!(replayed.stop, Stop::Cancelled) {
        let turn = replayed.turn;
        app.err().line(say!(app.language, cli_replay_matches, turn));
    }
    Ok(())
}
