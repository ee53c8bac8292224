//! What a researcher writes: the conditions under which a world is played, in `experiment.ron`.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::locale::{Localize, UiText, text};
use playhouse_engine::save::SlotName;
use playhouse_engine::world_data::{Problems, Source};
use ron::value::RawValue;
use serde::Deserialize;

use super::outcome::Outcome;
use crate::world_file::{DEFAULT_WORLD, WorldFile, instead_of};

/// How many stories of a condition there may be.
const MAX_RUNS: u32 = 99_999;

/// An experiment: conditions, each with stories of the same seeds.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Experiment")]
pub struct Experiment {
    /// The world of conditions that name none.
    pub world: String,
    /// The model of conditions that name none; `None` for that of the command.
    pub model: Option<String>,
    /// The seed of the first story of each condition; each further one has the next.
    pub seed: u64,
    /// How many stories each condition has.
    pub runs: u32,
    pub conditions: Vec<Condition>,
    /// What is compared; by default all that can be measured.
    pub outcomes: Vec<Outcome>,
}

impl Default for Experiment {
    fn default() -> Self {
        Self {
            world: DEFAULT_WORLD.into(),
            model: None,
            seed: 1,
            runs: 100,
            conditions: Vec::new(),
            outcomes: Vec::new(),
        }
    }
}

/// A condition. The others are compared with the first.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Condition")]
pub struct Condition {
    /// Its name, which is that of its batch.
    pub name: String,
    pub world: Option<String>,
    /// Members of the world's file that have other values, by path, such as `limits.talk_turns` or
    /// `actors[Odile Marsh].goals`.
    pub set: BTreeMap<String, Box<RawValue>>,
    /// The model that answers.
    pub model: Option<String>,
    /// The models of single characters, by name.
    pub models: BTreeMap<String, String>,
}

/// An experiment's file that was read, which knows where everything stands.
#[derive(Clone, Debug)]
pub struct ExperimentFile {
    pub experiment: Experiment,
    source: Source,
}

impl ExperimentFile {
    /// Reads a file; messages call it `file`. What it says of worlds is checked with
    /// [`Self::changed`], [`Self::check_models`] and [`Self::check_outcomes`].
    pub fn read(file: &str, text: &str) -> Result<(Self, Problems), Problems> {
        let source = Source::new(file, text);
        let (read, mut problems) = source.read_all::<Experiment>()?;
        let experiment = &read.value;
        let mut wrong = |path: &str, message, help| {
            read.source.report(&mut problems, path, message, help);
        };
        if !(1..=MAX_RUNS).contains(&experiment.runs) {
            let message = text!(rpg_experiment_runs, max = MAX_RUNS);
            wrong("runs", message, UiText::default());
        }
        if experiment.conditions.is_empty() {
            let help = text!(rpg_experiment_no_conditions_help);
            wrong("conditions", text!(rpg_experiment_no_conditions), help);
        }
        let mut names = BTreeSet::new();
        for (index, condition) in experiment.conditions.iter().enumerate() {
            let (name, path) = (&condition.name, format!("conditions[{index}].name"));
            if let Err(error) = name.parse::<SlotName>() {
                wrong(&path, error.text(), UiText::default());
            } else if !names.insert(name) {
                let message = text!(rpg_experiment_same_name, name);
                wrong(&path, message, text!(rpg_experiment_same_name_help));
            }
        }
        let source = read.source.clone();
        let (experiment, warnings) = problems.unless_errors(read.value)?;
        Ok((Self { experiment, source }, warnings))
    }

    /// The condition of this index with the world's file of it as it changes it.
    pub fn changed(&self, index: usize, world: Source) -> Result<Source, Problems> {
        let mut problems = Problems::new();
        let condition = self.experiment.conditions.get(index);
        let mut world = world;
        for (path, value) in condition.iter().flat_map(|condition| &condition.set) {
            match world.with_value(path, value.get_ron().trim()) {
                Some(changed) => world = changed,
                None => {
                    let place = format!("conditions[{index}].set");
                    let message = text!(rpg_experiment_no_member, path);
                    let help = text!(rpg_experiment_no_member_help);
                    self.source.report(&mut problems, &place, message, help);
                }
            }
        }
        problems.unless_errors(world).map(|(world, _)| world)
    }

    /// What is wrong in a condition whose world is this one: characters that it does not have.
    pub fn check_models(&self, index: usize, world: &WorldFile) -> Problems {
        let mut problems = Problems::new();
        let agents = world.agents.iter().map(|agent| &*agent.name);
        let stages = world.stages.iter().map(|stage| &*stage.name);
        let actors = world.actors.iter().map(|actor| &*actor.name);
        let names: Vec<_> = agents.chain(stages).chain(actors).collect();
        let condition = self.experiment.conditions.get(index);
        for name in condition
            .iter()
            .flat_map(|condition| condition.models.keys())
        {
            if !names.contains(&name.as_str()) {
                let path = format!("conditions[{index}].models");
                self.report_unknown(&mut problems, &path, name, &names);
            }
        }
        problems
    }

    /// Outcomes that can be measured in none of these worlds.
    pub fn check_outcomes(&self, worlds: &[&WorldFile]) -> Problems {
        let mut problems = Problems::new();
        for (index, outcome) in self.experiment.outcomes.iter().enumerate() {
            if worlds.iter().any(|world| outcome.is_of(world)) {
                continue;
            }
            let known = worlds.iter().map(|world| outcome.known(world));
            let Some(known) = known.into_iter().next() else {
                continue;
            };
            for (member, (name, known)) in outcome.names().into_iter().zip(known).enumerate() {
                if !known.contains(&name) {
                    let path = format!("outcomes[{index}].{member}");
                    self.report_unknown(&mut problems, &path, name, &known);
                }
            }
        }
        problems
    }

    fn report_unknown(&self, problems: &mut Problems, path: &str, name: &str, known: &[&str]) {
        let help = instead_of(name, known.iter().copied());
        let message = text!(drama_unknown, name);
        self.source.report(problems, path, message, help);
    }
}
