//! Tournaments of undercover: many games at a time, and their statistics.

use crate::cli::prelude::*;
use std::path::Path;

use crate::exchange::Spent;
use crate::mind::Minds;
use crate::save::{Slot, list};
use crate::session::{Batch, BatchPlan, Game};
use crate::undercover::{
    FiguresError, GameFigures, Match, MatchError, Side, Statistics, figures_like, figures_of,
};
use tokio::runtime::Handle;

use super::batch::{self, Games, Part, Results, batch_error};
use super::play;
use super::players::{NAME, Players, introduce};
use crate::cli::args::{ResumeArgs, UndercoverArgs};
use crate::cli::provenance::Provenance;
use crate::cli::saved::match_error;
use crate::cli::slot_settings;
use crate::cli::statistics::write_statistics;

/// Games by the same rules.
struct Matches {
    game: Match,
    players: Players,
    provenance: Provenance,
}

impl Matches {
    fn of(app: &App, game: Match) -> Result<Self> {
        let players = Players::find(app, game.rules())?;
        let provenance = Provenance::of_match(&game, &app.settings.model.value);
        Ok(Self {
            game,
            players,
            provenance,
        })
    }
}

impl Games for Matches {
    type Figures = GameFigures;

    fn game(&self) -> &dyn Game {
        &self.game
    }

    fn minds(&self, seed: u64) -> Minds {
        self.players.minds(&self.game, seed)
    }

    fn figures(&self, app: &App, slot: &Slot, runtime: &Handle) -> Result<Option<GameFigures>> {
        let figures = runtime.block_on(figures_like(slot, &self.game));
        figures.map(Some).map_err(|error| figures_error(app, error))
    }

    fn spent(&self, game: &GameFigures) -> Spent {
        let mut total = Spent::default();
        game.players.iter().for_each(|player| total += player.spent);
        total
    }

    fn record<'f>(&'f self, _: &'f Slot, figures: &'f GameFigures) -> Printed<'f> {
        let provenance = &self.provenance;
        Printed::Game {
            provenance,
            figures,
        }
    }
}

pub(super) fn begin(app: &App, args: &UndercoverArgs, game: Match, games: u32) -> Result<()> {
    let matches = Matches::of(app, game)?;
    let root = &app.settings.saves.value;
    let name = args.new.slot(app, NAME);
    args.new.clear(app, &name)?;
    let seed = play::seed(app, args.new.seed)?;
    let begun = Batch::create(root, &name, BatchPlan::of(&matches.game, seed, games));
    let batch = begun.map_err(batch_error)?;
    slot_settings::remember(app, &name, matches.game.rules().player_models())?;
    play::announce(app, &name, seed, &matches.provenance);
    #[cfg(feature = "cluster")]
    super::cluster::play_games(app, args.batch.on.as_ref(), &batch, &matches.game)?;
    play_all(app, &batch, &matches, args.batch.jobs)
}

pub(super) fn resume(
    app: &App,
    batch: &Batch,
    game: Result<Match, MatchError>,
    args: &ResumeArgs,
) -> Result<()> {
    let game = game.map_err(|error| match_error(app, error))?;
    batch.check_data(&game).map_err(batch_error)?;
    let (root, name) = (&app.settings.saves.value, batch.name().as_str());
    let models = game.rules().player_models();
    slot_settings::check_player_models(app, &Slot::find(root, name)?, &models)?;
    let matches = Matches::of(app, game)?;
    slot_settings::remember(app, name, models)?;
    #[cfg(feature = "cluster")]
    super::cluster::play_games(app, args.on.as_ref(), batch, &matches.game)?;
    play_all(app, batch, &matches, args.jobs)
}

/// Prints the statistics of slots, tournaments and folders of slots.
pub(super) fn count(app: &App, names: &[String]) -> Result<()> {
    let data = app.data()?;
    let runtime = play::runtime()?;
    let mut games = Vec::new();
    let mut failed = None;
    for name in names {
        for slot in slots_of(app, name)? {
            match runtime.block_on(figures_of(&slot, &data)) {
                Ok(figures) => games.push((Provenance::of_journal(&slot), figures)),
                Err(error) => {
                    let error = figures_error(app, error).at(slot.folder().display());
                    failed.get_or_insert(error);
                }
            }
        }
    }
    if app.settings.json {
        let mut out = app.out();
        for (provenance, figures) in &games {
            out.json(&Printed::Game {
                provenance,
                figures,
            });
        }
    }
    let games: Vec<_> = games.into_iter().map(|(_, game)| game).collect();
    if !games.is_empty() {
        print_statistics(app, &games, None);
    }
    failed.map_or(Ok(()), Err)
}

/// The slots with undercover games that a name stands for: a slot, a tournament, or a folder of
/// slots.
fn slots_of(app: &App, name: &str) -> Result<Vec<Slot>> {
    let root = &app.settings.saves.value;
    let folder = if Batch::exists(root, name) {
        root.join(name).join("games")
    } else if let Ok(slot) = Slot::find(root, name) {
        return Ok(vec![slot]);
    } else {
        let path = Path::new(name);
        let games = path.join("games");
        if games.is_dir() {
            games
        } else {
            path.to_owned()
        }
    };
    let slots = list(&folder)?;
    let is_game = |head: &crate::save::SaveHead| head.world == crate::undercover::GAME;
    let games = slots
        .into_iter()
        // One that can't be read is not left out without a word.
        .filter(|listed| match &listed.head {
            Ok(head) => head.as_ref().is_some_and(is_game),
            Err(_) => true,
        });
    let games: Vec<_> = games.map(|listed| listed.slot).collect();
    if games.is_empty() {
        let error = CommandError::new(ErrorKind::Save, text!(cli_no_games, name));
        return Err(error.help(text!(cli_no_games_help)));
    }
    Ok(games)
}

/// Plays the games that are not over, several at a time, and prints the statistics of all.
fn play_all(app: &App, batch: &Batch, games: &Matches, jobs: Option<u32>) -> Result<()> {
    let introduction = games.players.introduction.as_deref();
    introduce(app, games.game.rules(), introduction);
    let (parts, all) = ([Part { batch, games }], batch.plan().games);
    let progress = |results: &Results<GameFigures>| progress(app.language, results, all);
    let mut played = batch::play_all(app, &parts, jobs, &progress)?;
    let figures: Vec<_> = std::mem::take(&mut played.figures).into_values().collect();
    print_statistics(app, &figures, Some((batch, &games.provenance)));
    let (slot, folder) = (batch.name().as_str(), batch.games_folder());
    let saved = text!(cli_tournament_saved, slot = app.in_command(slot), folder);
    batch::report_end(app, played, &format!("resume {slot}"), saved)
}

fn progress(language: Language, results: &Results<GameFigures>, all: u32) -> String {
    let won = |side| {
        let winners = results.values().filter_map(|game| game.winner);
        winners.filter(|winner| *winner == side).count()
    };
    let (civilians, undercover) = (won(Side::Civilian), won(Side::Undercover));
    let done = results.len();
    say!(language, cli_games_played, done, all, civilians, undercover)
}

fn print_statistics(app: &App, games: &[GameFigures], of: Option<(&Batch, &Provenance)>) {
    let statistics = Statistics::of(games);
    let mut out = app.out();
    if app.settings.json {
        let (batch, provenance) = of.unzip();
        out.json(&Printed::Tournament {
            slot: batch.map(|batch| batch.name().as_str()),
            seed: batch.map(|batch| batch.seed(0)),
            provenance,
            figures: statistics,
        });
    } else if !app.settings.quiet {
        write_statistics(&mut out, app.language, &statistics);
    }
    out.flush();
}

fn figures_error(app: &App, error: FiguresError) -> CommandError {
    match error {
        FiguresError::Save(error) => CommandError::from(error),
        FiguresError::Match(error) => match_error(app, error),
        FiguresError::Replay(error) => CommandError::from(error),
        error => CommandError::of(ErrorKind::Save, &error),
    }
}
