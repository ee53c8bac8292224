//! `worker`: plays worlds of a store until it is told to end.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{build, rehearsals, store};
use crate::cli::args::WorkerArgs;
use crate::cli::commands::players::minds_of;
use crate::cli::commands::{chat, play};
use crate::cli::prelude::*;
use crate::cli::saved::{Played, Saved};
use crate::cli::slot_settings;
use crate::cluster::{LEASE, News, Player, Worker};
use crate::engine::CancellationToken;
use crate::save::{Slot, SlotName};
use crate::session::Session;

/// How often a worker says that it is alive, while it is thought to be.
const BEATS: u32 = 4;

/// Plays stories of all games with the models of this machine.
struct Program {
    app: App,
    build: String,
}

impl Program {
    fn session(&self, root: &Path, world: &SlotName) -> Result<Session> {
        let mut app = self.app.clone();
        app.settings.saves.value = root.to_owned();
        app.settings.quiet = true;
        let name = world.as_str();
        slot_settings::take_over(&mut app, &Slot::find(root, name)?)?;
        let mut saved = Saved::to_play(&app, name, false)?;
        saved.catch_up()?;
        let minds = minds_of(&app, &saved, &mut saved.world(true)?.world)?
            .ok_or_else(|| CommandError::usage(text!(cli_team_rests)))?;
        let mut session = match saved.played {
            Played::Team(game) => {
                let game = chat::with_tools_played(&app, *game, &minds)?;
                Session::resume(root, name, &game, minds, false)?
            }
            played => Session::resume(root, name, played.game(), minds, false)?,
        };
        play::prepare(&app, &mut session.engine);
        session.engine.settings.without_servers = true;
        Ok(session)
    }
}

impl Player for Program {
    fn open(&self, root: &Path, world: &SlotName) -> Result<Session, UiText> {
        let session = self.session(root, world);
        session.map_err(|error| error.message.unwrap_or_default())
    }

    fn perform(&self, journal: &[u8], stop: &CancellationToken) -> Option<Result<Vec<u8>, UiText>> {
        let done = rehearsals::perform(&self.app, &self.build, journal, stop)?;
        Some(done.map_err(|error| error.message.unwrap_or_default()))
    }
}

pub(in crate::cli) fn worker(app: &App, args: &WorkerArgs) -> Result<()> {
    let name = args.name.clone().unwrap_or_else(|| {
        let computer = fs::read_to_string("/etc/hostname").unwrap_or_default();
        format!("{}-{}", computer.trim(), std::process::id())
    });
    // Its name begins with a dot, so that no save is taken for it.
    let scratch = app.settings.saves.value.join(format!(".worker-{name}"));
    let runtime = play::runtime()?;
    let stop = CancellationToken::default();
    let build = build();
    let worker = Worker {
        store: store(args.store.store.as_ref())?,
        player: Arc::new(Program {
            app: app.clone(),
            build: build.clone(),
        }),
        name,
        build,
        scratch,
        worlds: args.worlds as usize,
        beat: LEASE / BEATS,
        until_empty: args.until_empty,
        stop: stop.clone(),
        news: Arc::new({
            let app = app.clone();
            move |world: &SlotName, news: News| tell(&app, world, &news)
        }),
    };
    super::monitor(&runtime, &worker.store, args.metrics)?;
    if app.prints_text() {
        let (name, worlds) = (&*worker.name, worker.worlds);
        let mut err = app.err();
        err.line(say!(app.language, cli_worker_ready, name, worlds));
    }
    runtime.spawn(play::handle_ctrl_c(stop, app.err(), app.language));
    worker.work(runtime.handle());
    runtime.shutdown_background();
    // What is left there is in the store.
    let _ = fs::remove_dir(&worker.scratch);
    Ok(())
}

fn tell(app: &App, world: &SlotName, news: &News) {
    let (language, world) = (app.language, world.as_str());
    let (name, turn, line) = match news {
        News::Began { turn } => ("began", Some(*turn), text!(cli_worker_began, world, turn)),
        News::Left { phase, turn, note } => {
            let phase = phase.text();
            let line = if note.to_string().is_empty() {
                text!(cli_worker_left, world, phase, turn)
            } else {
                text!(cli_worker_left_why, world, phase, turn, note)
            };
            ("left", Some(*turn), line)
        }
        News::GaveBack { turn } => {
            let line = text!(cli_worker_gave_back, world, turn);
            ("gave_back", Some(*turn), line)
        }
        News::Lost => ("lost", None, text!(cli_worker_lost, world)),
        News::Waits(error) => {
            let line = text!(cli_worker_waits, world, reason = error.text());
            ("waits", None, line)
        }
    };
    let record = Printed::Worker {
        world,
        news: name,
        turn,
    };
    app.tell(&record, line.in_language(language));
    app.out().flush();
}
