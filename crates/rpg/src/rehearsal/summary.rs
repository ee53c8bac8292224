//! The figures of all runs of a world.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::exchange::Spent;
use playhouse_engine::locale::UiText;
use playhouse_engine::message::TokenUsage;
use playhouse_engine::statistics::{Mean, Share};
use schemars::JsonSchema;
use serde::Serialize;

use super::clauses::Wording;
use super::course::{Course, CourseEdge, CourseNode};
use super::drama::DramaFigures;
use super::figures::{Moment, RunFigures};
use super::missed::{self, MissedFigures};
use crate::components::FightResult;
use crate::world_file::WorldFile;

/// A run that did not come to an end.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FailedRun {
    pub seed: u64,
    #[schemars(with = "String")]
    pub reason: UiText,
}

/// How the fights on a stage went, or all fights.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FightFigures {
    /// The stage; empty for all fights.
    pub stage: String,
    /// Of the runs, those in which it was fought.
    pub fought: Share,
    /// Of the fights, those that the party won.
    pub won: Share,
    /// Of the fights, those that the party lost.
    pub lost: Share,
    pub rounds: Mean,
    pub fallen: Mean,
}

impl FightFigures {
    fn add(&mut self, result: FightResult, rounds: u32, fallen: u32) {
        self.won.count(result == FightResult::Won);
        self.lost.count(result == FightResult::Lost);
        self.rounds.add(rounds.into());
        self.fallen.add(fallen.into());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Scenes, talk and choices.
    Talk,
    Fight,
    /// Summaries of days and fights.
    Memory,
    /// Openings, announcements, epilogues, and whatever else.
    Other,
}

impl Activity {
    /// What a purpose of asks, such as `combat.draw`, belongs to.
    fn of(purpose: &str) -> Self {
        match purpose.split('.').next() {
            Some("home" | "scene" | "attempt") => Self::Talk,
            Some("combat") => Self::Fight,
            Some("archive") => Self::Memory,
            _ => Self::Other,
        }
    }
}

/// What was spent on a purpose in a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PurposeFigures {
    pub purpose: String,
    pub activity: Activity,
    pub calls: Mean,
    pub default_answers: Mean,
    pub prompt_tokens: Mean,
    pub answer_tokens: Mean,
    /// Its share of all tokens, from 0 to 1.
    pub share: f64,
}

/// The figures of all runs of a world. Runs that failed count only in `failed`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rehearsal {
    /// The number of runs that came to an end.
    pub runs: u64,
    pub failed: Vec<FailedRun>,
    /// The fights of each stage, in the order of the world file.
    pub fights: Vec<FightFigures>,
    pub all_fights: FightFigures,
    /// Of the runs, those in which this hero fell.
    pub falls: Vec<(String, Share)>,
    /// Of the runs, those in which this effect could not apply.
    pub skipped: BTreeMap<String, Share>,
    pub days: Mean,
    pub turns: Mean,
    pub calls: Mean,
    pub default_answers: Mean,
    /// Tokens of prompts of a run, estimated.
    pub prompt_tokens: Mean,
    /// Those of them that a provider would be expected to read from its cache.
    pub cached_tokens: Mean,
    /// Tokens of answers of a run, estimated.
    pub answer_tokens: Mean,
    /// What the tokens of a run were spent on.
    pub purposes: Vec<PurposeFigures>,
    /// Of all tokens, those that were spent on each activity.
    pub activities: BTreeMap<Activity, Share>,
    /// Of the clauses of each kind of text, those that had been worded before in the same run.
    pub repeated: BTreeMap<Wording, Share>,
    #[serde(flatten)]
    pub drama: DramaFigures,
    /// Why scenes, options and endings did not come about in some runs.
    pub missed: Vec<MissedFigures>,
    /// What happened, for a graph.
    pub nodes: Vec<CourseNode>,
    pub edges: Vec<CourseEdge>,
}

impl Rehearsal {
    /// Sums up the runs of a world.
    pub fn of(world: &WorldFile, runs: &[RunFigures]) -> Self {
        let mut rehearsal = Self::of_nothing(world);
        let mut course = Course::default();
        let mut spent = BTreeMap::<&str, Vec<(Spent, bool)>>::new();
        for run in runs {
            if let Some(reason) = run.end.failure() {
                let (seed, reason) = (run.seed, reason.clone());
                rehearsal.failed.push(FailedRun { seed, reason });
                continue;
            }
            rehearsal.runs += 1;
            rehearsal.add(run);
            rehearsal.drama.add(run);
            for missed in &mut rehearsal.missed {
                missed.add(run);
            }
            course.add(run);
            for (purpose, of_run) in &run.spent {
                let runs = spent.entry(purpose).or_default();
                runs.push((*of_run, run.has_memories));
            }
        }
        for share in rehearsal.skipped.values_mut() {
            share.of = rehearsal.runs;
        }
        rehearsal.add_spending(&spent);
        rehearsal.drama.sort();
        rehearsal.missed.retain(|missed| missed.missed.hits > 0);
        (rehearsal.nodes, rehearsal.edges) = course.graph(rehearsal.runs);
        rehearsal
    }

    /// What a run uses on average, for the price of a model.
    pub fn usage(&self) -> TokenUsage {
        let whole = |mean: Mean| mean.value().unwrap_or_default().round() as u64;
        TokenUsage {
            input: whole(self.prompt_tokens),
            cached: whole(self.cached_tokens),
            output: whole(self.answer_tokens),
            ..TokenUsage::default()
        }
    }

    /// Everything that a world holds, so that what never happens is seen.
    fn of_nothing(world: &WorldFile) -> Self {
        let mut fights = Vec::<FightFigures>::new();
        for fight in world.fights() {
            if fights.iter().all(|known| known.stage != fight.stage) {
                fights.push(FightFigures {
                    stage: fight.stage.clone(),
                    ..FightFigures::default()
                });
            }
        }
        let falls = world
            .heroes()
            .filter(|_| world.has_fights())
            .map(|hero| (hero.name.clone(), Share::default()));
        Self {
            fights,
            falls: falls.collect(),
            drama: DramaFigures::of_nothing(world),
            missed: missed::of_nothing(world),
            ..Self::default()
        }
    }

    fn add(&mut self, run: &RunFigures) {
        let mut fought = BTreeSet::new();
        for moment in &run.course {
            if let Moment::Fight {
                stage,
                result,
                rounds,
                fallen,
            } = moment
            {
                fought.insert(stage);
                let known = self.fights.iter_mut().find(|known| known.stage == *stage);
                for fight in known.into_iter().chain([&mut self.all_fights]) {
                    fight.add(*result, *rounds, *fallen);
                }
            }
        }
        self.all_fights.fought.count(!fought.is_empty());
        for fight in &mut self.fights {
            fight.fought.count(fought.contains(&fight.stage));
        }
        for (hero, falls) in &mut self.falls {
            falls.count(run.falls.contains_key(hero));
        }
        for effect in run.skipped.keys() {
            self.skipped.entry(effect.clone()).or_default().hits += 1;
        }
        let sum = |part: fn(&Spent) -> u64| run.spent.values().map(part).sum::<u64>() as f64;
        self.days.add(run.days.into());
        self.turns.add(run.turns as f64);
        self.calls.add(sum(|spent| spent.calls));
        self.default_answers.add(sum(|spent| spent.fallbacks));
        // Prompts have their usual length with memories alone.
        if run.has_memories {
            self.prompt_tokens.add(sum(|spent| spent.usage.input));
            self.cached_tokens.add(run.cached_tokens as f64);
            self.answer_tokens.add(sum(|spent| spent.usage.output));
        }
        for (wording, share) in &run.repeated {
            let total = self.repeated.entry(*wording).or_default();
            total.hits += share.hits;
            total.of += share.of;
        }
    }

    /// Adds what was spent on each purpose, given what each run spent on it, and whether the run
    /// had memories.
    fn add_spending(&mut self, spent: &BTreeMap<&str, Vec<(Spent, bool)>>) {
        let with_memories = |spent: &[(Spent, bool)]| -> Vec<Spent> {
            let runs = spent.iter().filter(|(_, has_memories)| *has_memories);
            runs.map(|(spent, _)| *spent).collect()
        };
        let tokens = |spent: &[(Spent, bool)]| {
            let spent = with_memories(spent).into_iter();
            spent.map(|spent| spent.usage.total()).sum::<u64>()
        };
        let total: u64 = spent.values().map(|spent| tokens(spent)).sum();
        for (purpose, spent) in spent {
            // Runs that spent nothing on it count as well.
            let nothing = |runs: u64, spent: usize| {
                let nothing = runs.saturating_sub(spent as u64);
                std::iter::repeat_n(Spent::default(), nothing as usize)
            };
            let mut figures = PurposeFigures {
                purpose: (*purpose).to_owned(),
                activity: Activity::of(purpose),
                calls: Mean::default(),
                default_answers: Mean::default(),
                prompt_tokens: Mean::default(),
                answer_tokens: Mean::default(),
                share: tokens(spent) as f64 / total.max(1) as f64,
            };
            let without = nothing(self.runs, spent.len());
            for spent in spent.iter().map(|(spent, _)| *spent).chain(without) {
                figures.calls.add(spent.calls as f64);
                figures.default_answers.add(spent.fallbacks as f64);
            }
            let measured = with_memories(spent);
            let without = nothing(self.prompt_tokens.of, measured.len());
            for spent in measured.into_iter().chain(without) {
                figures.prompt_tokens.add(spent.usage.input as f64);
                figures.answer_tokens.add(spent.usage.output as f64);
            }
            let activity = self.activities.entry(figures.activity).or_default();
            activity.hits += tokens(spent);
            activity.of = total;
            self.purposes.push(figures);
        }
    }
}
