//! What is played: worlds, games of undercover, and what Python adds to them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use playhouse::bevy_ecs::prelude::*;
use playhouse::cast::{EntityName, Kind};
use playhouse::engine::{CancellationToken, Setup};
use playhouse::journal::{GameSetup, Line};
use playhouse::locale::{Argument, Language, UiText, text};
use playhouse::rpg::Campaign;
use playhouse::rpg::rehearsal::{Rehearsal, RehearsalPlan, RunFigures, rehearse as play_runs};
use playhouse::save::Meta;
use playhouse::session::{Game, SetupError};
use playhouse::story::About;
use playhouse::tool::{ToolSet, Toolbox};
use playhouse::undercover::{GAME, Match, WordSource, default_rules};
use playhouse::world_data::{DataFolder, Lexicon, WordPair};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::drive::Watch;
use crate::error::{OrRaise, SaveError, WorldError, given};
use crate::tools::{self, Tool};

/// A game, and the tools that Python adds to it.
#[derive(Clone)]
pub(crate) struct Played {
    game: Arc<dyn Game>,
    tools: Arc<[Tool]>,
    /// The models that its data name.
    pub(crate) models: Vec<String>,
    about: About,
}

/// How a game of undercover is played: by the usual rules, but for these.
#[derive(Deserialize)]
struct Table {
    count: usize,
    language: Language,
    words: Option<(String, String)>,
    rules: Map<String, Value>,
}

/// A world by name or folder, or a game of undercover.
#[derive(FromPyObject)]
pub(crate) enum Source<'py> {
    World(String),
    Undercover(Bound<'py, PyAny>),
}

impl Played {
    pub(crate) fn of(source: Source<'_>, data: Option<&Path>, tools: Vec<Tool>) -> PyResult<Self> {
        match source {
            Source::World(name) => Ok(Self::world(world(&name, data)?, tools)),
            Source::Undercover(table) => {
                Ok(Self::undercover(given::<Table>(&table)?.game(data)?, tools))
            }
        }
    }

    /// The game of a save, with the data that its journal has.
    pub(crate) fn saved(
        lines: &[Line],
        world: &str,
        data: &str,
        tools: Vec<Tool>,
    ) -> PyResult<Self> {
        let without = || SaveError::new_err(format!("the save does not keep the data of {world}"));
        if world == GAME {
            let game = Match::embedded_in(lines, data).ok_or_else(without)?;
            return Ok(Self::undercover(game.or_raise::<SaveError>()?, tools));
        }
        let campaign = Campaign::embedded_in(lines, data).ok_or_else(without)?;
        Ok(Self::world(campaign.or_raise::<SaveError>()?, tools))
    }

    fn world(campaign: Campaign, tools: Vec<Tool>) -> Self {
        let file = campaign.file.clone();
        Self {
            game: Arc::new(campaign),
            tools: tools.into(),
            models: file.models().into_iter().map(str::to_owned).collect(),
            about: About {
                game: "campaign",
                language: file.language,
                ..About::titled(&file.title)
            },
        }
    }

    fn undercover(game: Match, tools: Vec<Tool>) -> Self {
        Self {
            models: Vec::new(),
            about: About {
                game: GAME,
                language: game.rules().language,
                ..About::titled(&game.rules().table)
            },
            game: Arc::new(game),
            tools: tools.into(),
        }
    }

    pub(crate) fn about(&self, slot: &str, seed: u64) -> About {
        About {
            slot: slot.to_owned(),
            world: self.meta().world,
            seed,
            ..self.about.clone()
        }
    }
}

impl Table {
    fn game(self, data: Option<&Path>) -> PyResult<Match> {
        let data = DataFolder::find(data).or_raise::<WorldError>()?;
        let usual = default_rules(&data, self.language, self.count).or_raise::<WorldError>()?;
        let mut rules = json!(usual);
        for (name, value) in self.rules {
            rules[name] = value;
        }
        let rules = serde_json::from_value(rules);
        let rules = rules.map_err(|error| WorldError::new_err(error.to_string()))?;
        let words = self.words.map_or(WordSource::Shipped, |(one, other)| {
            let pairs = vec![WordPair::of(one, other)];
            WordSource::Custom(Lexicon { pairs })
        });
        Match::new(&data, rules, words).or_raise::<WorldError>()
    }
}

/// The world of this name, or in this folder.
pub(crate) fn world(name: &str, data: Option<&Path>) -> PyResult<Campaign> {
    let data = DataFolder::find(data).or_raise::<WorldError>()?;
    let names = data.list("worlds").unwrap_or_default();
    let folder = Path::new(name.strip_suffix("world.ron").unwrap_or(name));
    let loaded = if names.iter().any(|known| known == name) {
        Campaign::load(&data, name)
    } else if folder.is_dir() {
        let own = DataFolder::at(folder).or_raise::<WorldError>()?;
        Campaign::load_from(&data, &own, name)
    } else {
        let names = Argument::list(names);
        let lines = [
            text!(cli_no_world, world = name),
            text!(cli_expected_one_of, names),
        ];
        return Err(WorldError::new_err(UiText::lines(lines).to_string()));
    };
    loaded.or_raise::<WorldError>()
}

impl Game for Played {
    fn meta(&self) -> Meta {
        self.game.meta()
    }

    fn game_setup(&self, seed: u64) -> Option<GameSetup> {
        self.game.game_setup(seed)
    }

    fn batch_setup(&self) -> Option<GameSetup> {
        self.game.batch_setup()
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = self.game.set_up(seed)?;
        tools::add(
            &self.tools,
            &mut setup.world.get_resource_or_init::<Toolbox>(),
        );
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        self.game.populate(setup)?;
        let mut named = setup.world.query::<(Entity, &Kind, &EntityName)>();
        let actors = named
            .iter(&setup.world)
            .filter(|(_, kind, _)| **kind == Kind::Actor);
        let actors: Vec<_> = actors
            .map(|(entity, _, name)| (entity, name.0.clone()))
            .collect();
        for tool in &*self.tools {
            for (entity, name) in &actors {
                let is_named = |who: &Vec<String>| who.iter().any(|known| **known == **name);
                if tool.who.as_ref().is_none_or(is_named) {
                    let mut entity = setup.world.entity_mut(*entity);
                    let mut known = entity.entry::<ToolSet>().or_default();
                    known.get_mut().0.push(tool.name.as_str().into());
                }
            }
        }
        Ok(())
    }

    fn embedded(&self, setup: &GameSetup, data: &str) -> Option<Box<dyn Game>> {
        let game = self.game.embedded(setup, data)?;
        Some(Box::new(Self {
            game: game.into(),
            ..self.clone()
        }))
    }

    fn adapt(&self, world: &mut World) -> Result<Vec<UiText>, Option<SetupError>> {
        self.game.adapt(world)
    }
}

/// The names of the worlds that there are.
#[pyfunction]
#[pyo3(signature = (data=None))]
pub(crate) fn worlds(data: Option<std::path::PathBuf>) -> PyResult<Vec<String>> {
    let data = DataFolder::find(data.as_deref()).or_raise::<WorldError>()?;
    data.list("worlds").or_raise::<WorldError>()
}

/// Lets the improviser play a world many times. Returns the figures of all, and those of each run.
#[pyfunction]
pub(crate) fn rehearse<'py>(
    py: Python<'py>,
    name: &str,
    runs: u32,
    seed: u64,
    jobs: usize,
    data: Option<std::path::PathBuf>,
) -> PyResult<Bound<'py, PyDict>> {
    let campaign = world(name, data.as_deref())?;
    let plan = RehearsalPlan {
        seed,
        runs,
        jobs,
        ..RehearsalPlan::default()
    };
    let file = campaign.file.clone();
    let token = CancellationToken::default();
    let stopped = token.clone();
    let on_run = move |_: &RunFigures| match stopped.is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let play = move || play_runs(&campaign, &plan, &on_run);
    let play = || async { tokio::task::spawn_blocking(play).await };
    let figures = Arc::<Watch>::default().drive(py, &token, None, play)?;
    let broke_off = |_| WorldError::new_err("a rehearsal broke off");
    let figures = figures.map_err(broke_off)?.or_raise::<WorldError>()?;
    let result = pythonize::pythonize(py, &Rehearsal::of(&file, &figures))?;
    let result = result.cast_into::<PyDict>()?;
    result.set_item("each", pythonize::pythonize(py, &json!(figures))?)?;
    Ok(result)
}
