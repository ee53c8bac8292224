//! What a story came to, as figures that can be compared.

use std::fmt;

use playhouse_engine::exchange::Spent;
use playhouse_engine::locale::{UiText, text};
use playhouse_engine::statistics::{Comparison, Mean, Share, compare_means, compare_shares};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::components::FightResult;
use crate::drama::{GoalState, Scene};
use crate::rehearsal::{Moment, RunFigures};
use crate::world_file::WorldFile;

/// What is measured of every story, as an experiment's file names it: whether something happened,
/// or a number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub enum Outcome {
    /// Whether it ended with this ending.
    Ending(String),
    Scene(String),
    /// Whether this option was chosen in this scene.
    Option(String, String),
    /// Whether a character learned this fact from somebody.
    Told(String),
    /// Whether a character learned this fact, however that happened.
    Learned(String),
    /// Whether a character met its goal of this number, from 0.
    Goal(String, usize),
    /// Whether the party won on this stage; nothing, if it was not fought.
    Fight(String),
    Fell(String),
    /// The value of a quality at the end.
    Quality(String),
    /// The value of the bond of one to another at the end; nothing, if there was none.
    Bond(String, String),
    Days,
    Turns,
    Calls,
    /// Answers that the program gave because no mind did.
    DefaultAnswers,
    /// Tokens of prompts and answers; nothing, if they were not measured.
    Tokens,
    /// The cost, in the unit of the price.
    Cost,
}

/// An outcome of one story.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    Happened(bool),
    Number(f64),
}

/// An outcome of many stories.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Figure {
    Share(Share),
    Mean(Mean),
}

impl Outcome {
    /// Everything that can be measured of stories of a world.
    pub fn all(world: &WorldFile) -> Vec<Self> {
        let endings = world
            .endings
            .iter()
            .map(|ending| Self::Ending(ending.id.clone()));
        let scenes = world
            .scenes
            .iter()
            .map(|scene| Self::Scene(scene.id.clone()));
        let options = world.scenes.iter().flat_map(|scene| {
            let options = scene.options();
            options.map(|option| Self::Option(scene.id.clone(), option.id.clone()))
        });
        let facts = world.facts.iter().filter(|fact| !fact.is_common());
        let facts = facts.map(|fact| Self::Told(fact.id.clone()));
        let goals = world.actors.iter().flat_map(|actor| {
            let goals = 0..actor.goals.len();
            goals.map(|number| Self::Goal(actor.name.clone(), number))
        });
        let fights = stages_of_fights(world).into_iter();
        let fights = fights.map(|stage| Self::Fight(stage.to_owned()));
        let heroes = world.heroes().map(|hero| Self::Fell(hero.name.clone()));
        let qualities = world.qualities.iter();
        let qualities = qualities.map(|quality| Self::Quality(quality.id.clone()));
        let bonds = world.bonds.iter();
        let bonds = bonds.map(|bond| Self::Bond(bond.from.clone(), bond.to.clone()));
        endings
            .chain(scenes)
            .chain(options)
            .chain(facts)
            .chain(goals)
            .chain(fights)
            .chain(heroes)
            .chain(qualities)
            .chain(bonds)
            .chain([Self::Days, Self::Turns, Self::Calls])
            .chain([Self::DefaultAnswers, Self::Tokens, Self::Cost])
            .collect()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Ending(name)
            | Self::Scene(name)
            | Self::Told(name)
            | Self::Learned(name)
            | Self::Goal(name, _)
            | Self::Fight(name)
            | Self::Fell(name)
            | Self::Quality(name) => vec![name],
            Self::Option(first, second) | Self::Bond(first, second) => vec![first, second],
            _ => Vec::new(),
        }
    }

    /// The names that a world has, for each of its own.
    pub(crate) fn known<'w>(&self, world: &'w WorldFile) -> Vec<Vec<&'w str>> {
        let actors = || world.actors.iter().map(|actor| &*actor.name).collect();
        match self {
            Self::Ending(_) => vec![world.endings.iter().map(|ending| &*ending.id).collect()],
            Self::Scene(_) => vec![world.scenes.iter().map(|scene| &*scene.id).collect()],
            Self::Option(id, _) => {
                let decided = world.scenes.iter().filter(|scene| scene.choice.is_some());
                let scene = decided.clone().find(|scene| scene.id == *id);
                let ids = |scene: &'w Scene| scene.options().map(|option| &*option.id);
                let options = scene.map(|scene| ids(scene).collect());
                let scenes = decided.map(|scene| &*scene.id).collect();
                std::iter::once(scenes).chain(options).collect()
            }
            Self::Told(_) | Self::Learned(_) => {
                let facts = world.facts.iter().filter(|fact| !fact.is_common());
                vec![facts.map(|fact| &*fact.id).collect()]
            }
            Self::Goal(..) => vec![actors()],
            Self::Fight(_) => vec![stages_of_fights(world)],
            Self::Fell(_) => vec![world.heroes().map(|hero| &*hero.name).collect()],
            Self::Quality(_) => vec![world.qualities.iter().map(|quality| &*quality.id).collect()],
            Self::Bond(..) => vec![actors(), actors()],
            _ => Vec::new(),
        }
    }

    /// Whether it can be measured in a world.
    pub fn is_of(&self, world: &WorldFile) -> bool {
        let known = self.known(world).into_iter();
        let mut names = self.names().into_iter().zip(known);
        names.all(|(name, known)| known.contains(&name))
    }

    /// What it was in a story.
    pub fn measure(&self, run: &RunFigures) -> Option<Measured> {
        let spent = |part: fn(&Spent) -> f64| Measured::Number(run.spent.values().map(part).sum());
        Some(match self {
            Self::Ending(id) => Measured::Happened(run.ending.as_ref() == Some(id)),
            Self::Scene(id) => happened(
                run,
                |moment| matches!(moment, Moment::Scene { id: played, .. } if played == id),
            ),
            Self::Option(scene, option) => happened(run, |moment| {
                matches!(moment, Moment::Choice { scene: of, option: chosen, .. }
                    if of == scene && chosen == option)
            }),
            Self::Told(fact) => {
                let mut learned = run.learned.iter().filter(|learned| learned.fact == *fact);
                Measured::Happened(learned.any(|learned| learned.from.is_some()))
            }
            Self::Learned(fact) => {
                Measured::Happened(run.learned.iter().any(|learned| learned.fact == *fact))
            }
            Self::Goal(who, number) => {
                let mut goals = run.goals.iter();
                let goal = goals.find(|goal| goal.who == *who && goal.number == *number);
                Measured::Happened(goal.is_some_and(|goal| goal.state == GoalState::Met))
            }
            Self::Fight(stage) => {
                let last = run.course.iter().rev().find_map(|moment| match moment {
                    Moment::Fight {
                        stage: at, result, ..
                    } if at == stage => Some(*result),
                    _ => None,
                });
                Measured::Happened(last? == FightResult::Won)
            }
            Self::Fell(hero) => Measured::Happened(run.falls.contains_key(hero)),
            Self::Quality(id) => Measured::Number(f64::from(*run.qualities.get(id)?)),
            Self::Bond(from, to) => {
                let mut bonds = run.bonds.iter();
                let bond = bonds.find(|bond| bond.from == *from && bond.to == *to);
                Measured::Number(f64::from(bond?.value))
            }
            Self::Days => Measured::Number(f64::from(run.days)),
            Self::Turns => Measured::Number(run.turns as f64),
            Self::Calls => spent(|spent| spent.calls as f64),
            Self::DefaultAnswers => spent(|spent| spent.fallbacks as f64),
            Self::Tokens if !run.has_memories => return None,
            Self::Tokens => spent(|spent| spent.usage.total() as f64),
            Self::Cost => spent(|spent| spent.cost.units()),
        })
    }

    /// What it was in all stories; `None` if it was measured in none.
    pub fn figure<'r>(&self, runs: impl IntoIterator<Item = &'r RunFigures>) -> Option<Figure> {
        let mut figure = None;
        for measured in runs.into_iter().filter_map(|run| self.measure(run)) {
            match (measured, &mut figure) {
                (Measured::Happened(hit), Some(Figure::Share(share))) => share.count(hit),
                (Measured::Number(number), Some(Figure::Mean(mean))) => mean.add(number),
                (Measured::Happened(hit), _) => {
                    let (hits, of) = (u64::from(hit), 1);
                    figure = Some(Figure::Share(Share { hits, of }));
                }
                (Measured::Number(number), _) => {
                    let mut mean = Mean::default();
                    mean.add(number);
                    figure = Some(Figure::Mean(mean));
                }
            }
        }
        figure
    }

    /// How it differs between the stories of each pair; `None` if there are too few pairs, or it is
    /// the same in all stories, so that there is nothing to test.
    pub fn compare<'r>(
        &self,
        pairs: impl IntoIterator<Item = (&'r RunFigures, &'r RunFigures)>,
    ) -> Option<Comparison> {
        let (mut shares, mut numbers) = (Vec::new(), Vec::new());
        for (first, second) in pairs {
            match (self.measure(first), self.measure(second)) {
                (Some(Measured::Happened(first)), Some(Measured::Happened(second))) => {
                    shares.push((first, second));
                }
                (Some(Measured::Number(first)), Some(Measured::Number(second))) => {
                    numbers.push((first, second));
                }
                _ => {}
            }
        }
        if is_constant(&shares) && is_constant(&numbers) {
            return None;
        }
        compare_shares(&shares).or_else(|| compare_means(&numbers))
    }

    pub fn words(&self) -> UiText {
        match self {
            Self::Ending(id) => text!(rpg_outcome_ending, id),
            Self::Scene(id) => text!(rpg_outcome_scene, id),
            Self::Option(scene, option) => text!(rpg_outcome_option, scene, option),
            Self::Told(id) => text!(rpg_outcome_told, id),
            Self::Learned(id) => text!(rpg_outcome_learned, id),
            Self::Goal(who, number) => text!(rpg_outcome_goal, who, number = number + 1),
            Self::Fight(stage) => text!(rpg_outcome_fight, stage),
            Self::Fell(who) => text!(rpg_outcome_fell, who),
            Self::Quality(id) => text!(rpg_outcome_quality, id),
            Self::Bond(from, to) => text!(rpg_outcome_bond, from, to),
            Self::Days => text!(rpg_outcome_days),
            Self::Turns => text!(rpg_outcome_turns),
            Self::Calls => text!(rpg_outcome_calls),
            Self::DefaultAnswers => text!(rpg_outcome_default_answers),
            Self::Tokens => text!(rpg_outcome_tokens),
            Self::Cost => text!(rpg_outcome_cost),
        }
    }
}

/// As a file names it.
impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Ending(_) => "Ending",
            Self::Scene(_) => "Scene",
            Self::Option(..) => "Option",
            Self::Told(_) => "Told",
            Self::Learned(_) => "Learned",
            Self::Goal(..) => "Goal",
            Self::Fight(_) => "Fight",
            Self::Fell(_) => "Fell",
            Self::Quality(_) => "Quality",
            Self::Bond(..) => "Bond",
            Self::Days => "Days",
            Self::Turns => "Turns",
            Self::Calls => "Calls",
            Self::DefaultAnswers => "DefaultAnswers",
            Self::Tokens => "Tokens",
            Self::Cost => "Cost",
        };
        let mut members: Vec<_> = self
            .names()
            .iter()
            .map(|name| format!("{name:?}"))
            .collect();
        if let Self::Goal(_, number) = self {
            members.push(number.to_string());
        }
        match &members[..] {
            [] => out.write_str(kind),
            members => write!(out, "{kind}({})", members.join(", ")),
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Whether something of the kind happened in a story.
fn happened(run: &RunFigures, is_it: impl Fn(&Moment) -> bool) -> Measured {
    Measured::Happened(run.course.iter().any(is_it))
}

/// Whether nothing differs from anything.
fn is_constant<T: PartialEq>(pairs: &[(T, T)]) -> bool {
    let Some((first, _)) = pairs.first() else {
        return true;
    };
    pairs.iter().all(|(a, b)| a == first && b == first)
}

/// The stages on which is fought, each once.
fn stages_of_fights(world: &WorldFile) -> Vec<&str> {
    let mut stages = Vec::new();
    for fight in world.fights() {
        if !stages.contains(&&*fight.stage) {
            stages.push(&*fight.stage);
        }
    }
    stages
}
