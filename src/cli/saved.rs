//! Saves by name, and the games that they are of.

use crate::cli::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::cast::{CastList, WorldTurn};
use crate::engine::{Engine, Setup, give_minds};
use crate::groupchat::ChatGame;
use crate::journal::{GameSetup, HOST, JournalHeader, Line, Recording, branch_input, new_minds};
use crate::rpg::Campaign;
use crate::rpg::experiment::{Experiment, ExperimentFile};
use crate::save::{
    EXPERIMENT, Listed, SaveError, Slot, SlotName, StoredSnapshot, StoredStory, list,
};
use crate::session::{Batch, Game, SessionError, StoredExperiment, catch_up};
pub(crate) use crate::story::{Being, Contents, StoryView, WorldState};
use crate::undercover::{GAME, Match, MatchError};
use bevy_ecs::prelude::{Entity, World};

use super::app::shell_quoted;
use super::args::{NewSaveArgs, PlayArgs};
use super::{loader, slot_settings};

/// A save, and the game that it is of.
pub(crate) struct Saved {
    pub(crate) slot: Slot,
    pub(crate) story: StoredStory,
    /// The turn of its snapshot; 0 if there is none.
    pub(crate) turn: u64,
    /// The game: with the data that it was saved with, as far as they are known; if it is to go on,
    /// with those of today.
    pub(crate) played: Played,
    /// Whether these are the data that the save carries itself.
    pub(crate) carries_data: bool,
    /// The seed with which it is to go on, if that is another one.
    pub(crate) new_seed: Option<u64>,
}

pub(crate) enum Played {
    World(Box<Campaign>),
    Team(Box<ChatGame>),
    Undercover(Box<Match>),
}

impl Played {
    pub(crate) fn game(&self) -> &dyn Game {
        match self {
            Self::World(campaign) => &**campaign,
            Self::Team(team) => &**team,
            Self::Undercover(game) => &**game,
        }
    }

    /// The models that its data name for single entities, and that are asked. In a game of
    /// undercover the user named them.
    pub(crate) fn asked_models(&self, app: &App) -> BTreeSet<String> {
        match self {
            Self::World(campaign) => loader::asked_models(app, campaign.file.models()),
            Self::Team(team) => loader::asked_models(app, team.team().models()),
            Self::Undercover(game) => game.rules().player_models(),
        }
    }

    /// The game of a save of this world, of which it has these data, and whether the save carries
    /// those. To go on, it is that of today, unless its world is gone.
    fn find(
        app: &App,
        story: &StoredStory,
        (name, data): (&str, &str),
        goes_on: bool,
    ) -> Result<(Self, bool)> {
        let lines = &story.lines;
        if name == GAME
            && let Some(setup) = undercover_setup(lines)
        {
            let game = || Ok(Match::from_setup(&app.data()?, setup));
            let kept = || Match::embedded_in(lines, data);
            let found = kept_or_today(name, data, goes_on, game, kept)?;
            let game = match found {
                Some((game, _)) => game,
                None => game()?.map_err(|error| match_error(app, error))?,
            };
            // Its rules are always those of the journal.
            return Ok((Self::Undercover(Box::new(game)), true));
        }
        let is_team = name.starts_with("teams/") || name.ends_with(".ron");
        if is_team {
            let path = name.strip_prefix("teams/").unwrap_or(name);
            let kept = || ChatGame::embedded_in(lines, name, data);
            let today = || loader::load_team(app, path);
            let found = kept_or_today(name, data, goes_on, today, kept)?;
            let (game, is_kept) = match found {
                Some(found) => found,
                None => (loader::team(app, path)?, false),
            };
            return Ok((Self::Team(Box::new(game)), is_kept));
        }
        let kept = || Campaign::embedded_in(lines, data);
        let today = || loader::load(app, name);
        let found = kept_or_today(name, data, goes_on, today, kept)?;
        let (game, is_kept) = match found {
            Some(found) => found,
            None => (loader::world(app, name)?, false),
        };
        Ok((Self::World(Box::new(game)), is_kept))
    }
}

/// The setup of the undercover game that a journal is of; `None` if a world of that name was
/// played.
fn undercover_setup(lines: &[Line]) -> Option<&GameSetup> {
    lines.iter().find_map(|line| match line {
        Line::Game(setup) if setup.name == GAME => Some(setup),
        _ => None,
    })
}

/// A game as its journal keeps it, with `true`, or as it is today, if that keeps none or not all of
/// its data. A story that goes on does so as it is today, unless its game is gone. `None` if
/// something is wrong with that of today.
fn kept_or_today<G: Game, E: Localize>(
    name: &str,
    data: &str,
    goes_on: bool,
    today: impl FnOnce() -> Result<Result<G, E>>,
    kept: impl Fn() -> Option<Result<G, E>>,
) -> Result<Option<(G, bool)>> {
    let is_exact = |game: &G| game.meta().data == data;
    let mut found = if goes_on { None } else { kept() };
    if !matches!(&found, Some(Ok(kept)) if is_exact(kept)) {
        match (today(), &found) {
            (Ok(Ok(today)), Some(Ok(_))) if !is_exact(&today) => {}
            (Ok(Ok(today)), _) => return Ok(Some((today, false))),
            (Err(_), _) if goes_on => found = kept(),
            _ => {}
        }
    }
    match found {
        Some(Err(error)) => {
            let message = text!(cli_kept_unusable, world = name, error = error.text());
            Err(CommandError::new(ErrorKind::World, message))
        }
        Some(Ok(kept)) => Ok(Some((kept, true))),
        None => Ok(None),
    }
}

/// Saves that were played under the same condition.
pub(crate) struct Group {
    /// The condition, if they are of an experiment.
    pub(crate) condition: Option<String>,
    /// The model that answered, unless a character has its own.
    pub(crate) model: Option<String>,
    root: PathBuf,
    pub(crate) slots: Vec<Slot>,
}

impl Group {
    fn of_batch(batch: &Batch, condition: Option<&str>, model: Option<String>) -> Result<Self> {
        let slots = batch.slots()?.into_iter();
        Ok(Self {
            condition: condition.map(str::to_owned),
            model,
            root: batch.games_folder(),
            slots: slots.map(|listed| listed.slot).collect(),
        })
    }

    /// One of the saves, to be read.
    pub(crate) fn open(&self, app: &App, slot: &Slot) -> Result<Saved> {
        let mut app = app.clone();
        app.settings.saves.value.clone_from(&self.root);
        Saved::find(&app, slot.name().as_str())
    }
}

/// The save of this name, the games of the batch, or those of all conditions of the experiment.
pub(crate) fn groups_of(app: &App, name: &str) -> Result<Vec<Group>> {
    let root = &app.settings.saves.value;
    let slot = Slot::find(root, name)?;
    let model = slot_settings::model(&slot)?;
    if let Some(experiment) = StoredExperiment::find(root, name) {
        return conditions_of(&experiment.or_fail(ErrorKind::Save)?, model.as_deref());
    }
    if Batch::exists(root, name) {
        let batch = Batch::find(root, name).or_fail(ErrorKind::Save)?;
        return Ok(vec![Group::of_batch(&batch, None, model)?]);
    }
    Ok(vec![Group {
        condition: None,
        model,
        root: root.clone(),
        slots: vec![slot],
    }])
}

/// The games of each condition of an experiment, in the order of its file.
fn conditions_of(experiment: &StoredExperiment, model: Option<&str>) -> Result<Vec<Group>> {
    let (file, _) = ExperimentFile::read(EXPERIMENT, &experiment.text).map_err(|problems| {
        let first = problems
            .iter()
            .next()
            .map(|problem| problem.message.clone());
        CommandError::new(ErrorKind::Save, first.unwrap_or_default())
    })?;
    let Experiment {
        model: usual,
        conditions,
        ..
    } = &file.experiment;
    let batches = conditions.iter().filter_map(|condition| {
        let mut batches = experiment.batches.iter();
        let batch = batches.find(|batch| batch.name().as_str() == condition.name)?;
        Some((condition, batch))
    });
    let groups = batches.map(|(condition, batch)| {
        let own = condition.model.as_deref().or(usual.as_deref()).or(model);
        Group::of_batch(batch, Some(&condition.name), own.map(str::to_owned))
    });
    groups.collect()
}

/// The slot of this name, or those of all games of a batch or an experiment.
pub(crate) fn slots_of(app: &App, name: &str) -> Result<Vec<Slot>> {
    let root = &app.settings.saves.value;
    let is_group = StoredExperiment::find(root, name).is_some() || Batch::exists(root, name);
    if !is_group {
        return Ok(vec![Slot::find(root, name)?]);
    }
    let groups = groups_of(app, name)?.into_iter();
    Ok(groups.flat_map(|group| group.slots).collect())
}

impl Saved {
    /// The save in this slot, to be read, as of its last whole turn; if that can't be played again,
    /// as of its snapshot.
    pub(crate) fn find(app: &App, name: &str) -> Result<Self> {
        let mut saved = Self::as_stored(app, name)?;
        match saved.catch_up() {
            Err(CommandError {
                message: Some(reason),
                ..
            }) if saved.story.world.is_some() => {
                let turn = saved.turn;
                let warning = say!(app.language, cli_not_played_again, turn, reason);
                app.err().line(warning);
            }
            caught_up => caught_up?,
        }
        Ok(saved)
    }

    /// As [`Self::find`], with the snapshot of its file, which may be one of an earlier turn.
    pub(crate) fn as_stored(app: &App, name: &str) -> Result<Self> {
        Self::read(app, name, (false, false))
    }

    /// The save in this slot, to go on, with the snapshot of its file. With `force`, that may be
    /// another than its journal records.
    pub(crate) fn to_play(app: &App, name: &str, force: bool) -> Result<Self> {
        let mut saved = Self::read(app, name, (true, force))?;
        if saved.story.world.is_none() {
            saved.catch_up()?;
        }
        Ok(saved)
    }

    /// Gives it the snapshot of its last whole turn.
    pub(crate) fn catch_up(&mut self) -> Result<()> {
        catch_up(&self.slot, &mut self.story, self.played.game()).map_err(|error| {
            let is_of_journal = matches!(
                error,
                SessionError::OtherState { .. } | SessionError::NotReplayed { .. }
            );
            let error = CommandError::from(error);
            if is_of_journal {
                error.at(self.slot.journal_file().display())
            } else {
                error
            }
        })?;
        if self.turn < self.story.last_turn() {
            let head = self.story.world.as_ref().map(StoredSnapshot::head);
            let head = self.slot.explain(head.transpose())?;
            self.turn = head.map_or(0, |head| head.turn);
        }
        Ok(())
    }

    /// Lets go of what was played, which is large: a session and a page read it by themselves.
    pub(crate) fn forget_played(&mut self) {
        let is_played = |line: &Line| matches!(line, Line::Outcome(_) | Line::Meeting(_));
        self.story.lines.retain(|line| !is_played(line));
        self.story.lines.shrink_to_fit();
    }

    fn read(app: &App, name: &str, (goes_on, force): (bool, bool)) -> Result<Self> {
        let root = &app.settings.saves.value;
        let slot = Slot::find(root, name)?;
        if Batch::exists(root, name) {
            let error = CommandError::usage(text!(cli_is_batch, slot = name));
            let games = shell_quoted(&slot.folder().join("games"));
            return Err(error.help(text!(cli_is_batch_help, games)));
        }
        let story = if goes_on {
            slot.read_to_go_on(force)
        } else {
            slot.read(force)
        };
        let story = story.map_err(|error| damaged(error, &app.in_command(name)))?;
        let saved = story.world.as_ref().map(StoredSnapshot::head).transpose();
        let saved = slot.explain(saved)?;
        let turn = saved.as_ref().map_or(0, |head| head.turn);
        let (world, data) = match saved {
            Some(head) => (head.world, head.data),
            None => (story.header.world.clone(), story.header.data.clone()),
        };
        let mut out = app.out();
        for line in &story.lines {
            if let Line::Outcome(outcome) = line {
                out.names().add(&outcome.entity, outcome.id);
            }
        }
        drop(out);
        let (played, carries_data) = Played::find(app, &story, (&world, &data), goes_on)?;
        Ok(Self {
            slot,
            story,
            turn,
            played,
            carries_data,
            new_seed: None,
        })
    }

    /// Its world by the last snapshot; without one, as it was at the beginning. With `force`, even
    /// if that is of other data.
    pub(crate) fn world(&self, force: bool) -> Result<Setup> {
        let game = self.played.game();
        let mut setup = game.set_up(self.story.header.seed)?;
        let Some(stored) = &self.story.world else {
            game.populate(&mut setup)?;
            give_minds(&mut setup.world, &self.minds(0));
            return Ok(setup);
        };
        let data = game.meta().data;
        let expected = (!force).then_some(&*data);
        let restored = stored.restore(&mut setup.world, expected);
        restored.map_err(|error| CommandError::from(error).at(self.slot.world_file().display()))?;
        give_minds(&mut setup.world, &self.minds(self.turn));
        Ok(setup)
    }

    pub(crate) fn is_over(&self) -> Result<bool> {
        Ok(self.slot.head()?.is_some_and(|head| head.ending.is_some()))
    }

    /// Its read model without its events: everybody by the last snapshot, calls by its journal.
    pub(crate) fn contents(&self) -> Result<Contents> {
        // Reading is possible even if the data have changed since.
        let world = self.world(true)?.world;
        Ok(Contents::saved(&self.story.lines, &world))
    }

    /// Gives an engine that continues it the seed with which it is to go on.
    pub(crate) fn tell_seed(&self, app: &App, engine: &mut Engine) {
        if let Some(seed) = self.new_seed {
            let told = branch_input(HOST, Some(seed), &BTreeMap::new());
            told.into_iter().for_each(|told| engine.tell_next(told));
            if app.prints_text() {
                app.err().line(say!(app.language, cli_seed, seed));
            }
        }
    }

    /// The models that the host has given entities from a turn on, by name.
    pub(crate) fn minds(&self, turn: u64) -> BTreeMap<String, String> {
        let inputs = self.story.lines.iter().filter_map(|line| match line {
            Line::Input(input) if input.turn >= turn => Some(new_minds(&input.value)),
            _ => None,
        });
        inputs.flatten().collect()
    }

    /// The models that the host has given entities.
    pub(crate) fn given_models(&self) -> BTreeSet<String> {
        self.minds(0).into_values().collect()
    }

    /// Its journal: the head, and what was recorded.
    pub(crate) fn journal(&self) -> (JournalHeader, Recording) {
        let lines = self.story.lines.iter().cloned();
        (self.story.header.clone(), Recording::of(lines))
    }
}

/// Refuses to play up to a turn that has passed.
pub(crate) fn check_turn(world: &World, args: &PlayArgs, slot: &str) -> Result<()> {
    let now = world.resource::<WorldTurn>().0;
    match args.until {
        Some(turn) if turn < now => {
            let message = text!(cli_turn_passed, turn, now);
            Err(CommandError::usage(message).at(slot))
        }
        _ => Ok(()),
    }
}

/// The name of a new slot: the given one, else a free one after a world.
impl NewSaveArgs {
    /// The given name, else a free one after the world.
    pub(crate) fn slot(&self, app: &App, world: &str) -> String {
        let free = || free_name(&app.settings.saves.value, world);
        self.save.clone().unwrap_or_else(free)
    }

    /// Removes what is there, if this was asked for.
    pub(crate) fn clear(&self, app: &App, slot: &str) -> Result<()> {
        if self.force { clear(app, slot) } else { Ok(()) }
    }
}

/// A free name for a new slot, after a world.
pub(crate) fn free_name(root: &Path, world: &str) -> String {
    let last = Path::new(world).file_name().and_then(|name| name.to_str());
    let base = last.filter(|name| name.parse::<SlotName>().is_ok());
    let base = base.unwrap_or("story");
    let names = std::iter::once(base.to_owned()).chain((2..).map(|n| format!("{base}-{n}")));
    let mut free = names.filter(|name| root.join(name).symlink_metadata().is_err());
    // There is always a next number.
    free.next().unwrap_or_default()
}

/// Removes a save that no process has locked. If it holds more than one story, the user is asked
/// first; without a terminal it stays.
fn clear(app: &App, name: &str) -> Result<()> {
    let slot = match Slot::find(&app.settings.saves.value, name) {
        Ok(slot) => slot,
        Err(SaveError::NoSuchSlot { .. }) => return Ok(()),
        Err(error) => return Err(CommandError::from(error)),
    };
    let count = stories_in(&slot)?;
    if count > 1 {
        let question = say!(app.language, cli_clear_question, slot = name, count);
        if app.confirm(&question) != Some(true) {
            let message = text!(cli_clear_refused, slot = name, count);
            let error = CommandError::usage(message);
            return Err(error.help(text!(cli_clear_refused_help)));
        }
    }
    slot.remove().map_err(CommandError::from)
}

/// How many stories are in the folder of a slot: those of a batch's games, or its own, and any
/// that the user has put into it.
fn stories_in(slot: &Slot) -> Result<usize, SaveError> {
    // A repair keeps damaged files of the same story.
    let is_story = |found: &Listed| {
        let is_copy = found.slot.name().as_str().starts_with("damaged-");
        !is_copy && found.slot.journal_file().is_file()
    };
    let folder = slot.folder();
    let inside = list(folder)?
        .into_iter()
        .chain(list(&folder.join("games"))?);
    let own = usize::from(slot.journal_file().is_file());
    Ok(own + inside.filter(is_story).count())
}

pub(crate) fn entity(world: &World, name: &str) -> Result<Entity> {
    let cast = world.resource::<CastList>();
    cast.by_name(name)
        .ok_or_else(|| nobody(name, cast.names().map(|name| &**name)))
}

/// As [`entity`], in the read model.
pub(crate) fn being<'s>(state: &'s WorldState, name: &str) -> Result<&'s Being> {
    let known = || state.beings.iter().map(|being| &*being.name);
    state.named(name).ok_or_else(|| nobody(name, known()))
}

/// The error of naming nobody of these.
pub(crate) fn nobody<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> CommandError {
    let error = CommandError::usage(text!(cli_no_such_entity, name));
    let known: Vec<_> = known.collect();
    let near = loader::did_you_mean(name, known.iter().copied());
    error.help(near.unwrap_or_else(|| text!(cli_expected_one_of, names = Argument::list(known))))
}

/// An error of the save that commands name so. If it is damaged, the help says what to do.
pub(crate) fn damaged(error: SaveError, slot: &str) -> CommandError {
    let is_damage = error.is_damage();
    let error = CommandError::from(error);
    if is_damage {
        error.help(text!(cli_repair_help, slot))
    } else {
        error
    }
}

/// Why a game of undercover can't be set up. Errors in files are printed.
pub(crate) fn match_error(app: &App, error: MatchError) -> CommandError {
    match error {
        MatchError::Data(problems) => {
            loader::print_problems(app, &problems);
            let message = text!(cli_game_errors, count = problems.error_count());
            CommandError::new(ErrorKind::World, message)
        }
        MatchError::Setup(_) => CommandError::of(ErrorKind::Save, &error),
        error => CommandError::of(ErrorKind::Usage, &error),
    }
}
