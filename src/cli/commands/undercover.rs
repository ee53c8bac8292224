//! `undercover`: a game of undercover.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use playhouse_engine::files;

use crate::cast::{Kind, StableId, all_of};
use crate::cli::servers::ToolServers;
use crate::journal::JournalHeader;
use crate::locale::{Language, text};
use crate::session::{Game, Session};
use crate::undercover::{GAME, Match, Rules, Table, WordSource, default_rules};
use crate::world_data::{Lexicon, MAX_BYTES, WordPair};
use bevy_ecs::prelude::*;

use super::dry_run::{DryStory, dry_run};
use super::play::{self, RunView};
use super::players::{NAME, Players, introduce};
use super::{tournament, undo};
use crate::cli::app::App;
use crate::cli::args::{PlayArgs, UndercoverArgs};
use crate::cli::error::{CommandError, ErrorKind};
#[cfg(feature = "page")]
use crate::cli::loader;
use crate::cli::record_printer::RecordPrinter;
use crate::cli::saved::{Saved, check_turn, clear, free_name, match_error, session_error};
use crate::cli::seat::{SeatGame, TerminalSeat};
use crate::cli::slot_settings;
use crate::cli::undercover_printer::UndercoverPrinter;

/// Commas that separate two words.
const COMMAS: [char; 3] = [',', '，', '、'];

/// Plays a game or a tournament, or prints statistics.
pub(super) fn undercover(app: &App, args: &UndercoverArgs) -> Result<(), CommandError> {
    if !args.from.is_empty() {
        return tournament::count(app, &args.from);
    }
    #[cfg(feature = "page")]
    super::watch::check_server(args.watch || !args.invite.is_empty(), &args.server)?;
    let game = game(app, args)?;
    match args.games {
        Some(games) => tournament::begin(app, args, game, games),
        None => play_one(app, args, &game),
    }
}

/// The game by the options.
fn game(app: &App, args: &UndercoverArgs) -> Result<Match, CommandError> {
    let data = app.data()?;
    let failed = |error| match_error(app, error);
    let usual = default_rules(&data, app.language, args.players).map_err(failed)?;
    let rules = Rules {
        undercover: args.undercover,
        blank: args.blank,
        ties: args.ties.into(),
        order: args.order.into(),
        reveal: !args.hide_roles,
        max_rounds: args.max_rounds.unwrap_or(usual.max_rounds),
        reflect: args.reflect.into(),
        models: args.model_of.iter().cloned().collect(),
        ..usual
    };
    // Rules are cheaper to check than words.
    rules.check().map_err(|error| failed(error.into()))?;
    let words = match &args.words {
        Some(words) => WordSource::Custom(lexicon(app, words)?),
        None => WordSource::Shipped,
    };
    Match::new(&data, rules, words).map_err(failed)
}

/// The words of a file, or the two of the command line.
fn lexicon(app: &App, words: &str) -> Result<Lexicon, CommandError> {
    let path = Path::new(words);
    if path.is_file() {
        let text = files::read_text(path, MAX_BYTES);
        let text = text.map_err(|error| CommandError::of(ErrorKind::World, &error))?;
        let read = Lexicon::parse(words, &text);
        return read.map_err(|problems| match_error(app, problems.into()));
    }
    let mut parts = words.split(COMMAS).map(str::trim);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(second), None) if !first.is_empty() && !second.is_empty() => {
            Ok(Lexicon {
                pairs: vec![WordPair::of(first, second)],
            })
        }
        _ => {
            let error = CommandError::new(ErrorKind::Usage, text!(cli_bad_words, words));
            Err(error.help(text!(cli_bad_words_help)))
        }
    }
}

/// Plays a single game.
fn play_one(app: &App, args: &UndercoverArgs, game: &Match) -> Result<(), CommandError> {
    let seed = play::seed(app, args.seed)?;
    let mut setup = game.set_up(seed)?;
    game.populate(&mut setup)?;
    let actor = app.settings.seat.value.as_deref();
    let seat = play::seat(&mut setup.world, actor)?;
    #[cfg(feature = "page")]
    for name in &args.invite {
        loader::actor(&mut setup.world, name)?;
    }
    if args.play.dry_run {
        let head = JournalHeader::new(GAME, game.fingerprint(), seed);
        return dry_run(app, setup, DryStory::new(head));
    }
    let players = Players::find(app, game.rules())?;
    drop(setup);
    let root = &app.settings.saves.value;
    let slot = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, NAME),
    };
    let terminal = play::terminal_seat(app, SeatGame::Undercover, &slot);
    let minds = play::seated(app, players.minds(game, seed), actor, terminal.as_ref());
    if args.force {
        clear(app, &slot)?;
    }
    let session = Session::start(root, &slot, game, seed, minds);
    #[cfg(feature = "page")]
    if args.watch || !args.invite.is_empty() {
        // The page opens it again, with the seats.
        drop(session.map_err(session_error)?);
        slot_settings::remember(app, &slot, game.rules().player_models())?;
        play::announce(app, &slot, seed);
        return super::watch::invite(app, &slot, args);
    }
    let run = GameRun {
        app,
        game,
        slot: &slot,
        args: &args.play,
        models: game.rules().player_models(),
        seat,
        terminal,
        introduction: players.introduction.as_deref(),
    };
    let session = session.map_err(session_error)?;
    play::announce(app, &slot, seed);
    run.play(session)
}

pub(super) fn resume(
    app: &App,
    saved: &Saved,
    game: &Match,
    args: &PlayArgs,
    force: bool,
) -> Result<(), CommandError> {
    let slot = saved.slot.name().to_string();
    let mut setup = saved.world(true)?;
    check_turn(&setup.world, args, &slot)?;
    let actor = app.settings.seat.value.as_deref();
    let seat = play::seat(&mut setup.world, actor)?;
    let seed = saved.story.header.seed;
    if args.dry_run {
        return dry_run(app, setup, DryStory::of(saved));
    }
    let models = slot_settings::check_models(app, saved, &mut setup.world)?;
    let players = Players::find(app, game.rules())?;
    drop(setup);
    let terminal = play::terminal_seat(app, SeatGame::Undercover, &slot);
    let minds = players.given(app, game, seed, &saved.given_models())?;
    let minds = play::seated(app, minds, actor, terminal.as_ref());
    let root = &app.settings.saves.value;
    let session = Session::resume(root, &slot, game, minds, force);
    let mut session = session.map_err(session_error)?;
    saved.tell_seed(app, &mut session.engine);
    play::say_changes(app, &session.changes);
    let run = GameRun {
        app,
        game,
        slot: &slot,
        args,
        models,
        seat,
        terminal,
        introduction: players.introduction.as_deref(),
    };
    run.play(session)
}

/// A game that is played and printed.
struct GameRun<'a> {
    app: &'a App,
    game: &'a Match,
    slot: &'a str,
    args: &'a PlayArgs,
    /// The models of single players.
    models: BTreeSet<String>,
    /// The player whom a person plays.
    seat: Option<StableId>,
    /// Its seat at the terminal.
    terminal: Option<Arc<TerminalSeat>>,
    /// What the improviser says about itself, if it plays.
    introduction: Option<&'a str>,
}

impl GameRun<'_> {
    fn play(&self, mut session: Session) -> Result<(), CommandError> {
        slot_settings::remember(self.app, self.slot, self.models.clone())?;
        introduce(self.app, self.game.rules(), self.introduction);
        let (seat, engine) = (self.seat, &mut session.engine);
        play::prepare(self.app, engine);
        undo::watch(self.terminal.as_ref(), engine);
        let view = RunView::with_printer(self.app, engine, seat, |world| {
            printer(self.app, self.game.rules().language, world, seat.is_some())
        });
        let runtime = play::runtime()?;
        let stop = view.play(runtime, engine, ToolServers::default(), self.args.until)?;
        if undo::is_wanted(self.terminal.as_ref()) {
            drop((view, session));
            return undo::undo(self.app, self.slot, self.args);
        }
        view.report(engine, &stop, Some(self.slot))
    }
}

/// Prints a game, in its own language.
pub(super) fn printer(
    app: &App,
    language: Language,
    world: &mut World,
    is_seat: bool,
) -> Box<dyn RecordPrinter> {
    let stages = all_of(world, Kind::Stage).into_iter();
    let table = stages.filter_map(|stage| world.get::<Table>(stage)).next();
    let table = table.cloned().unwrap_or_default();
    let out = app.shared_out();
    let printer = UndercoverPrinter::new(out, language, &table, is_seat);
    Box::new(printer.with_ids(app.settings.ids))
}
