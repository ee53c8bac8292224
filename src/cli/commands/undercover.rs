//! `undercover`: a game of who is the undercover, and who plays in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse::cast::{Kind, StableId, all_of};
use playhouse::journal::{FORMAT, Head, Recording};
use playhouse::mind::improviser::Improviser;
use playhouse::mind::{Language, Mind, Minds};
use playhouse::session::{Game, Session};
use playhouse::tool::servers::ToolServers;
use playhouse::undercover::improviser::with_words;
use playhouse::undercover::{Match, Rules, Table, WordSource, default_rules};
use playhouse::world_data::{Lexicon, Pair};

use super::dry_run::rehearse;
use super::play::{self, Show};
use super::resume::check_turn;
use super::tournament;
use crate::cli::app::App;
use crate::cli::args::{PlayArgs, UndercoverArgs};
use crate::cli::error::{Failure, Fault};
use crate::cli::loader;
use crate::cli::output::{Ink, Paragraph};
use crate::cli::round_table::RoundTable;
use crate::cli::saved::{Saved, clear, free_name, match_failure, session_failure};
use crate::cli::settings::IMPROVISER;
use crate::cli::story::Tells;
use crate::cli::words::Words;

/// The seed where none is given.
pub(super) const USUAL_SEED: u64 = 1;
/// What new slots are named after.
pub(super) const NAME: &str = "undercover";
/// Commas that part two words.
const COMMAS: [char; 3] = [',', '，', '、'];

/// Plays a game, a tournament, or computes figures.
pub(super) fn undercover(app: &App, args: &UndercoverArgs) -> Result<(), Failure> {
    if !args.from.is_empty() {
        return tournament::count(app, &args.from);
    }
    let game = game(app, args)?;
    match args.games {
        Some(games) => tournament::begin(app, args, game, games),
        None => play_one(app, args, &game),
    }
}

/// The game that the options set up.
fn game(app: &App, args: &UndercoverArgs) -> Result<Match, Failure> {
    let data = app.data()?;
    let language = app.settings.language.value;
    let failed = |error| match_failure(app, error);
    let usual = default_rules(&data, language, args.players).map_err(failed)?;
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
    // Rules are cheaper to mend than words, so they are looked at first.
    rules.check().map_err(|error| failed(error.into()))?;
    let words = match &args.words {
        Some(words) => WordSource::Custom(lexicon(app, words)?),
        None => WordSource::Shipped,
    };
    Match::new(&data, rules, words).map_err(failed)
}

/// The words of a file, or the two that stand on the command line.
fn lexicon(app: &App, words: &str) -> Result<Lexicon, Failure> {
    let path = Path::new(words);
    if path.is_file() {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Failure::new(Fault::World, error).at(words))?;
        let read = Lexicon::parse(words, &text);
        return read.map_err(|problems| match_failure(app, problems.into()));
    }
    let mut parts = words.split(COMMAS).map(str::trim);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(one), Some(other), None) if !one.is_empty() && !other.is_empty() => Ok(Lexicon {
            pairs: vec![Pair::of(one, other)],
        }),
        _ => {
            let failure = Failure::new(Fault::Usage, app.words.no_words(words));
            Err(failure.try_this(app.words.give_words()))
        }
    }
}

/// Plays one game in a slot of its own.
fn play_one(app: &App, args: &UndercoverArgs, game: &Match) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or(USUAL_SEED);
    let fault = |reason: String| Failure::new(Fault::World, reason);
    let mut setup = game.set_up(seed).map_err(fault)?;
    game.populate(&mut setup).map_err(fault)?;
    let seat = play::seat(app, &mut setup.world, args.play.seat.as_deref())?;
    let players = Players::find(app, game.rules())?;
    if args.play.dry_run {
        let head = Head {
            format: FORMAT,
            engine: env!("CARGO_PKG_VERSION").into(),
            data: game.fingerprint().into(),
            seed,
        };
        let info = players.lead(game, seed);
        return rehearse(app, setup, info.info(), head, Recording::default());
    }
    drop(setup);
    let minds = play::seated(app, players.minds(game, seed), args.play.seat.as_deref());
    let root = &app.settings.saves.value;
    let slot = match &args.save {
        Some(name) => name.clone(),
        None => free_name(root, NAME),
    };
    if args.force {
        clear(root, &slot)?;
    }
    let session = Session::start(root, &slot, game, seed, minds);
    let evening = Evening {
        app,
        game,
        slot: &slot,
        args: &args.play,
        seat,
        introduction: players.introduction.as_deref(),
    };
    evening.go(session.map_err(session_failure)?)
}

/// Goes on with a game.
pub(super) fn go_on(
    app: &App,
    saved: &Saved,
    game: &Match,
    args: &PlayArgs,
    force: bool,
) -> Result<(), Failure> {
    let slot = saved.slot.name().to_string();
    let mut setup = saved.world(force)?;
    check_turn(app, &setup.world, args, &slot)?;
    let seat = play::seat(app, &mut setup.world, args.seat.as_deref())?;
    let players = Players::find(app, game.rules())?;
    let seed = saved.head.seed;
    if args.dry_run {
        let (head, recording) = saved.journal()?;
        let head = head.ok_or_else(|| Failure::new(Fault::Save, app.words.not_whole(&slot)))?;
        let lead = players.lead(game, seed);
        return rehearse(app, setup, lead.info(), head, recording);
    }
    drop(setup);
    let minds = play::seated(app, players.minds(game, seed), args.seat.as_deref());
    let root = &app.settings.saves.value;
    let session = Session::resume(root, &slot, game, minds, force);
    let evening = Evening {
        app,
        game,
        slot: &slot,
        args,
        seat,
        introduction: players.introduction.as_deref(),
    };
    evening.go(session.map_err(session_failure)?)
}

/// One game that is played and shown.
struct Evening<'a> {
    app: &'a App,
    game: &'a Match,
    slot: &'a str,
    args: &'a PlayArgs,
    /// The player whom a person plays.
    seat: Option<StableId>,
    /// Who leads the others, in words.
    introduction: Option<&'a str>,
}

impl Evening<'_> {
    fn go(&self, mut session: Session) -> Result<(), Failure> {
        open(self.app, self.game.rules(), self.introduction);
        let (seat, engine) = (self.seat, &mut session.engine);
        play::prepare(self.app, engine);
        let show = Show::told_by(self.app, engine, seat, |world| {
            teller(self.app, self.game.rules().language, world, seat.is_some())
        });
        let runtime = play::runtime()?;
        let stop = show.play(runtime, engine, ToolServers::default(), self.args.until)?;
        show.close(engine, &stop, Some(self.slot))
    }
}

/// Who tells a game, in its own language.
pub(super) fn teller(
    app: &App,
    language: Language,
    world: &mut World,
    is_seat: bool,
) -> Box<dyn Tells> {
    let stages = all_of(world, Kind::Stage).into_iter();
    let table = stages.filter_map(|stage| world.get::<Table>(stage)).next();
    let table = table.cloned().unwrap_or_default();
    let page = app.shared_out();
    Box::new(RoundTable::new(page, Words(language), &table, is_seat))
}

/// Writes who sits at the table, and who plays.
pub(super) fn open(app: &App, rules: &Rules, introduction: Option<&str>) {
    let words = Words(rules.language);
    let players = rules.players.join(&words.comma());
    let title = Paragraph::of(Ink::Bold, words.at_table(&rules.table, &players));
    play::introduce(app, &[title], introduction);
}

/// Who plays: a model, or the improviser, for everybody who has none of its own.
pub(super) struct Players {
    /// Nothing stands for the improviser, which is another one for each pair of words.
    lead: Option<Arc<dyn Mind>>,
    by_alias: BTreeMap<String, Option<Arc<dyn Mind>>>,
    improviser: Improviser,
    /// What the improviser says about itself, where it plays.
    pub(super) introduction: Option<String>,
}

impl Players {
    /// Those whom the settings and the rules name.
    pub(super) fn find(app: &App, rules: &Rules) -> Result<Self, Failure> {
        let improviser = loader::improviser()?;
        let find = |name: &str| match name {
            IMPROVISER => Ok(None),
            name => {
                let mind = loader::lead(app, name)?.mind;
                play::check_price(app, mind.info())?;
                Ok(Some(mind))
            }
        };
        let lead = find(&app.settings.model.value)?;
        let names: BTreeSet<_> = rules.models.values().collect();
        let by_alias = names
            .into_iter()
            .map(|name| Ok((name.clone(), find(name)?)));
        let by_alias = by_alias.collect::<Result<BTreeMap<_, _>, Failure>>()?;
        let improvised = lead.is_none() && rules.models.len() < rules.players.len();
        let introduces = improvised || by_alias.values().any(Option::is_none);
        let introduction = improviser.introduction(app.settings.language.value);
        Ok(Self {
            introduction: introduces.then(|| introduction.to_owned()),
            lead,
            by_alias,
            improviser,
        })
    }

    /// Who plays for all without a model of their own.
    fn lead(&self, game: &Match, seed: u64) -> Arc<dyn Mind> {
        let lead = self.lead.clone();
        lead.unwrap_or_else(|| self.improvises(game, seed))
    }

    /// The minds of a game.
    pub(super) fn minds(&self, game: &Match, seed: u64) -> Minds {
        let minds = Minds::all(self.lead(game, seed));
        self.by_alias.iter().fold(minds, |minds, (alias, mind)| {
            let mind = mind.clone();
            let mind = mind.unwrap_or_else(|| self.improvises(game, seed));
            minds.with_alias(alias.as_str(), mind)
        })
    }

    /// The improviser, who has read what can be said of the words of a game.
    fn improvises(&self, game: &Match, seed: u64) -> Arc<dyn Mind> {
        let words = Lexicon {
            pairs: game.pair(seed).cloned().into_iter().collect(),
        };
        let language = game.rules().language;
        Arc::new(with_words(&self.improviser, language, &words))
    }
}
