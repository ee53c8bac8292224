//! `undercover`: a game of undercover.

use crate::cli::prelude::*;
use std::path::Path;

use playhouse_engine::files;

use crate::cast::{Kind, all_of};
use crate::session::{Game, Session};
use crate::undercover::{Match, Rules, Table, WordSource, default_rules};
use crate::world_data::{Lexicon, MAX_BYTES, WordPair};
use bevy_ecs::prelude::World;

use super::dry_run::{DryStory, dry_run};
use super::play::{self, Left, Player, RunView};
use super::players::{NAME, Players, introduce};
use super::tournament;
use crate::cli::args::{ResumeArgs, UndercoverArgs};
use crate::cli::loader;
use crate::cli::provenance::Provenance;
use crate::cli::record_printer::RecordPrinter;
use crate::cli::saved::{Saved, check_turn, match_error};
use crate::cli::seat::SeatGame;
use crate::cli::slot_settings;
use crate::cli::undercover_printer::UndercoverPrinter;

/// Commas that separate two words.
const COMMAS: [char; 3] = [',', '，', '、'];

/// Plays a game or a tournament, or prints statistics.
pub(super) fn undercover(app: &App, args: &UndercoverArgs) -> Result<Left> {
    if !args.from.is_empty() {
        tournament::count(app, &args.from)?;
        return Ok(Left::Reported);
    }
    super::watch::check_server(args.watch, &args.server)?;
    let game = game(app, args)?;
    let Some(games) = args.batch.games else {
        return play_one(app, args, &game);
    };
    tournament::begin(app, args, game, games)?;
    Ok(Left::Reported)
}

/// The game by the options.
fn game(app: &App, args: &UndercoverArgs) -> Result<Match> {
    let data = app.data()?;
    let failed = |error| match_error(app, error);
    let usual = default_rules(&data, app.language, args.players).map_err(failed)?;
    let rules = Rules {
        undercover: args.undercover,
        blank: args.blank,
        ties: args.ties,
        order: args.order,
        reveal: !args.hide_roles,
        max_rounds: args.max_rounds.unwrap_or(usual.max_rounds),
        reflect: args.reflect,
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
fn lexicon(app: &App, words: &str) -> Result<Lexicon> {
    let path = Path::new(words);
    if path.is_file() {
        let text = files::read_text(path, MAX_BYTES).or_fail(ErrorKind::World)?;
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
            let error = CommandError::usage(text!(cli_bad_words, words));
            Err(error.help(text!(cli_bad_words_help)))
        }
    }
}

fn play_one(app: &App, args: &UndercoverArgs, game: &Match) -> Result<Left> {
    let seed = play::seed(app, args.new.seed)?;
    let mut setup = game.set_up(seed)?;
    game.populate(&mut setup)?;
    let slot = args.new.slot(app, NAME);
    let player = Player::find(app, &mut setup.world, SeatGame::Undercover, &slot)?;
    for name in &args.table.invite {
        loader::actor(&mut setup.world, name)?;
    }
    if args.play.dry_run {
        dry_run(app, setup, DryStory::new(game, seed))?;
        return Ok(Left::Reported);
    }
    let players = Players::find(app, game.rules())?;
    drop(setup);
    args.new.clear(app, &slot)?;
    let minds = player.seated(app, players.minds(game, seed));
    let models = game.rules().player_models();
    let session = slot_settings::start(app, &slot, game, seed, minds, models)?;
    let provenance = Provenance::of_match(game, &app.settings.model.value);
    play::announce(app, &slot, seed, &provenance);
    if args.watch {
        // The page opens it again, with the seats.
        drop(session);
        super::watch::invite(app, &slot, args)?;
        return Ok(Left::Reported);
    }
    play_session(
        app,
        session,
        game,
        &player,
        (Some(&players), args.play.until),
    )
}

pub(super) fn resume(
    app: &App,
    saved: &Saved,
    game: &Match,
    ResumeArgs {
        play: args,
        force,
        is_undo,
        ..
    }: &ResumeArgs,
) -> Result<Left> {
    let slot = saved.slot.name().as_str();
    let mut setup = saved.world(true)?;
    check_turn(&setup.world, args, slot)?;
    let player = Player::find(app, &mut setup.world, SeatGame::Undercover, slot)?;
    if args.dry_run {
        dry_run(app, setup, DryStory::of(saved))?;
        return Ok(Left::Reported);
    }
    let models = slot_settings::check_models(app, saved, &mut setup.world)?;
    let players = Players::find(app, game.rules())?;
    drop(setup);
    let seed = saved.story.header.seed;
    let minds = players.given(app, game, seed, &saved.given_models())?;
    let minds = player.seated(app, minds);
    let root = &app.settings.saves.value;
    let mut session = Session::resume(root, slot, game, minds, *force)?;
    slot_settings::remember(app, slot, models)?;
    saved.tell_seed(app, &mut session.engine);
    let introduction = Some(&players).filter(|_| !is_undo);
    play_session(app, session, game, &player, (introduction, args.until))
}

fn play_session(
    app: &App,
    session: Session,
    game: &Match,
    player: &Player,
    (players, until): (Option<&Players>, Option<u64>),
) -> Result<Left> {
    let rules = game.rules();
    let introduce = || {
        if let Some(players) = players {
            introduce(app, rules, players.introduction.as_deref());
        }
    };
    player.play(app, session, until, introduce, |engine| {
        RunView::with_printer(app, engine, player.id(), |world| {
            printer(app, rules.language, world)
        })
    })
}

/// Prints a game, in its own language.
pub(super) fn printer(app: &App, language: Language, world: &mut World) -> Box<dyn RecordPrinter> {
    let stages = all_of(world, Kind::Stage).into_iter();
    let table = stages.filter_map(|stage| world.get::<Table>(stage)).next();
    let table = table.cloned().unwrap_or_default();
    let out = app.shared_out();
    let printer = UndercoverPrinter::new(out, language, &table);
    Box::new(printer.with_ids(app.settings.ids))
}
