//! `replay`: a save is played again from its journal, and compared.

use playhouse::engine::Stop;
use playhouse::groupchat::ChatGame;
use playhouse::session::{Replayed, replay_with};
use serde_json::json;

use super::play::{self, Show};
use super::{chat, undercover};
use crate::cli::app::App;
use crate::cli::args::ChatForm;
use crate::cli::env::{clock, since};
use crate::cli::error::{Failure, Fault};
use crate::cli::saved::{Played, Saved, save_failure, session_failure};
use crate::cli::screen::Screen;

/// Plays a story again with its journal as the only mind.
pub(super) fn replay(
    app: &App,
    slot: &str,
    until: Option<u64>,
    actor: Option<&str>,
    form: ChatForm,
) -> Result<(), Failure> {
    let saved = Saved::find(app, slot)?;
    let game = saved.played.game();
    let language = match &saved.played {
        Played::Team(game) => return replay_team(app, &saved, game, until, form),
        Played::World(production) => production.file.language,
        Played::Undercover(game) => game.rules().language,
    };
    let fault = |reason: String| Failure::new(Fault::World, reason);
    let mut opening = game.set_up(saved.head.seed).map_err(fault)?;
    game.populate(&mut opening).map_err(fault)?;
    let seat = play::seat(app, &mut opening.world, actor)?;
    match &saved.played {
        Played::World(production) => play::open(app, &production.file, None),
        Played::Undercover(game) => undercover::open(app, game.rules(), None),
        Played::Team(_) => {}
    }
    let mut show = None;
    let replayed = play::runtime()?.block_on(async {
        replay_with(&saved.slot, game, until, |engine| {
            show = Some(match &saved.played {
                Played::Undercover(_) => Show::told_by(app, engine, seat, |world| {
                    undercover::teller(app, language, world, seat.is_some())
                }),
                _ => Show::of(app, engine, language, seat),
            });
        })
        .await
    });
    if let Some(show) = &show {
        show.finish();
    }
    let replayed = replayed.map_err(session_failure)?;
    compare(app, &saved, &replayed)?;
    match (&show, app.settings.json) {
        (Some(show), true) => show.close(&replayed.engine, &replayed.stop, Some(slot)),
        _ => Ok(()),
    }
}

/// Plays a team's conversation again, shows it as it was shown, and compares.
fn replay_team(
    app: &App,
    saved: &Saved,
    game: &ChatGame,
    until: Option<u64>,
    form: ChatForm,
) -> Result<(), Failure> {
    let began = clock();
    let team = game.team();
    let mut screen = None;
    let replayed = play::runtime()?.block_on(replay_with(&saved.slot, game, until, |engine| {
        screen = Screen::of(app, engine, team, form);
    }));
    let replayed = replayed.map_err(session_failure)?;
    let stop = chat::chat_of(&replayed.engine.world, team).and_then(|chat| chat.stop.clone());
    let reason = stop.as_ref().map(|stop| stop.content.as_str());
    if app.settings.json {
        let end =
            json!({"record": "end", "stop_reason": reason, "slot": saved.slot.name().to_string()});
        app.out().json(&end);
    } else if let Some(screen) = screen {
        screen.end(reason, since(began) as f64 / 1000.0);
    }
    compare(app, saved, &replayed)
}

/// Compares the world that the replay reached with the snapshot, where both are of one turn.
fn compare(app: &App, saved: &Saved, replayed: &Replayed) -> Result<(), Failure> {
    if replayed.turn == saved.head.turn {
        let snapshot = saved.slot.read_world().map_err(save_failure)?;
        if snapshot.is_some_and(|snapshot| snapshot != replayed.snapshot) {
            let failure = Failure::new(Fault::Save, app.words.other_end());
            return Err(failure.at(saved.slot.world_file().display()));
        }
    }
    if !app.settings.quiet && !app.settings.json && !matches!(replayed.stop, Stop::Cancelled) {
        app.err().line(app.words.replay_agrees(replayed.turn));
    }
    Ok(())
}
