//! The figures of a world's drama over all runs: endings, scenes, choices, facts, items, goals,
//! bonds. Everything that the world file names is listed, also what never happened.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::knowledge::KnownBy;
use playhouse_engine::statistics::{Mean, Share};
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{GoalFigures, Moment, RunFigures, Spot};
use crate::drama::{ChoiceOption, Condition, Effect, GoalState, Scene};
use crate::world_file::{NOTHING, WorldFile};

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EndingFigures {
    pub id: String,
    pub title: String,
    /// Of the runs, those that ended with it.
    pub runs: Share,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SceneFigures {
    pub id: String,
    pub at: String,
    /// Of the runs, those in which it was played.
    pub runs: Share,
    /// The day on which it was played first.
    pub day: Mean,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct OptionFigures {
    pub scene: String,
    pub option: String,
    /// Of the times that this choice was made, those in which this was chosen.
    pub chosen: Share,
    /// Which choice of its scene it belongs to.
    #[serde(skip)]
    choice: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct VoteFigures {
    /// Which vote of a run, from 1.
    pub vote: u32,
    /// The dungeon that won, or `stay`.
    pub result: String,
    /// Of the runs in which this vote was held, those in which this won.
    pub carried: Share,
}

/// A fact that not everybody knows at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct FactFigures {
    pub id: String,
    /// What it is about.
    pub title: String,
    /// Whether nobody can tell it.
    pub sworn: bool,
    /// Of the runs, those in which a character learned it, however that happened.
    pub learned: Share,
    /// Of the runs, those in which a character learned it from somebody.
    pub told: Share,
    /// Of the runs in which it was told, those in which somebody who was told it told it to others,
    /// or chose an option that only those have who know it, or that gives it away.
    pub taken_up: Share,
    /// The day on which it was learned first.
    pub day: Mean,
    /// Of the runs in which it was not told, those in which somebody who knew it was together with
    /// somebody who did not.
    pub near: Share,
    /// Who knows it at the start.
    pub known_by: Vec<String>,
    /// Those who learned it, from when on, and in how many runs.
    pub knowers: BTreeMap<String, KnowerFigures>,
    /// How often it was learned from whom, over all runs.
    pub from: BTreeMap<String, u64>,
    /// How often it was learned by whom, over all runs.
    pub by: BTreeMap<String, u64>,
}

/// Who can know a fact, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct KnowerFigures {
    /// The first day on which it learned the fact in any run.
    pub first_day: u32,
    /// The number of runs in which it did.
    pub runs: u64,
}

/// A place at some time, in all runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SpotFigures {
    #[serde(flatten)]
    pub spot: Spot,
    /// In how many runs each scene began there.
    pub scenes: BTreeMap<String, u64>,
    /// In how many runs each of those who were there was.
    pub people: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ItemFigures {
    pub name: String,
    /// Of the runs, those in which this was its last holder or stage.
    pub holders: BTreeMap<String, Share>,
    /// Of the runs, those at whose end it was gone.
    pub gone: Share,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct GoalSummary {
    pub who: String,
    /// Which of its goals, from 0.
    pub number: usize,
    /// The goal in its words.
    pub words: String,
    /// Of the runs, those in which it was met.
    pub met: Share,
    /// Of the runs, those in which it was lost.
    pub lost: Share,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct BondSummary {
    pub from: String,
    pub to: String,
    pub start: i32,
    /// The value at the end, in the runs in which there was such a bond.
    pub end: Mean,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct QualityFigures {
    pub id: String,
    pub end: Mean,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DramaFigures {
    /// All endings, in the order of the world file.
    pub endings: Vec<EndingFigures>,
    /// All scenes, the rarest first.
    pub scenes: Vec<SceneFigures>,
    /// All options, the rarest of each scene first; scenes with an option that was never chosen
    /// come first.
    pub options: Vec<OptionFigures>,
    /// What won each vote at least once, the most frequent first.
    pub votes: Vec<VoteFigures>,
    /// All facts that can be learned, the least told first.
    pub facts: Vec<FactFigures>,
    /// Scenes and people by day, time and place.
    pub map: Vec<SpotFigures>,
    pub items: Vec<ItemFigures>,
    pub goals: Vec<GoalSummary>,
    /// The bonds of the world file, then those that came about.
    pub bonds: Vec<BondSummary>,
    pub qualities: Vec<QualityFigures>,
    /// Who acts on which facts by choosing which option of which scene.
    #[serde(skip)]
    acts_on: BTreeMap<(String, String), Vec<ActsOn>>,
}

/// A fact on which an option acts: it needs somebody to know it, or gives it away.
#[derive(Clone, Debug, PartialEq)]
struct ActsOn {
    fact: String,
    /// The entity that must know it; `None` if the decider tells it.
    who: Option<String>,
}

impl ActsOn {
    fn of_option(scene: &Scene, option: &ChoiceOption) -> Vec<Self> {
        let mut found = Vec::new();
        Self::of_condition(&scene.when, &mut found);
        Self::of_condition(&option.when, &mut found);
        for effect in &option.effects {
            let (who, fact) = match effect.bare() {
                Effect::Tells(who, _, fact) => (Some(who.clone()), fact),
                Effect::Teach(_, fact) | Effect::Reveal(fact) => (None, fact),
                _ => continue,
            };
            let fact = fact.clone();
            found.push(Self { fact, who });
        }
        found
    }

    fn of_condition(when: &Condition, found: &mut Vec<Self>) {
        match when {
            Condition::Knows(who, fact) | Condition::Told(_, who, fact) => found.push(Self {
                fact: fact.clone(),
                who: Some(who.clone()),
            }),
            Condition::All(parts) | Condition::Any(parts) => {
                for part in parts {
                    Self::of_condition(part, found);
                }
            }
            _ => {}
        }
    }

    fn is_of(&self, who: &str, fact: &str) -> bool {
        self.fact == fact && self.who.as_deref().is_none_or(|knower| knower == who)
    }
}

impl DramaFigures {
    /// Everything that a world holds, before any run.
    pub(super) fn of_nothing(world: &WorldFile) -> Self {
        let options = world.scenes.iter().flat_map(|scene| {
            scene.choices().enumerate().flat_map(move |(choice, it)| {
                it.options.iter().map(move |option| (scene, choice, option))
            })
        });
        let acts_on = options.clone().map(|(scene, _, option)| {
            let key = (scene.id.clone(), option.id.clone());
            (key, ActsOn::of_option(scene, option))
        });
        let options = options.map(|(scene, choice, option)| OptionFigures {
            scene: scene.id.clone(),
            option: option.id.clone(),
            choice,
            ..OptionFigures::default()
        });
        let goals = world.actors.iter().flat_map(|actor| {
            let goals = actor.goals.iter().enumerate();
            goals.map(|(number, goal)| GoalSummary {
                who: actor.name.clone(),
                number,
                words: goal.words.clone(),
                ..GoalSummary::default()
            })
        });
        let endings = world.endings.iter().map(|ending| EndingFigures {
            id: ending.id.clone(),
            title: ending.title.clone(),
            ..EndingFigures::default()
        });
        let scenes = world.scenes.iter().map(|scene| SceneFigures {
            id: scene.id.clone(),
            at: scene.at.clone(),
            ..SceneFigures::default()
        });
        let facts = world.facts.iter().filter(|fact| !fact.is_common());
        let facts = facts.map(|fact| FactFigures {
            id: fact.id.clone(),
            title: fact.title.clone(),
            sworn: fact.sworn,
            known_by: match &fact.known_by {
                KnownBy::Only(names) => names.clone(),
                KnownBy::Everyone => Vec::new(),
            },
            ..FactFigures::default()
        });
        let items = world.items.iter().map(|item| ItemFigures {
            name: item.name.clone(),
            ..ItemFigures::default()
        });
        let bonds = world.bonds.iter().map(|bond| BondSummary {
            from: bond.from.clone(),
            to: bond.to.clone(),
            start: bond.value,
            ..BondSummary::default()
        });
        let qualities = world.qualities.iter().map(|quality| QualityFigures {
            id: quality.id.clone(),
            ..QualityFigures::default()
        });
        Self {
            endings: endings.collect(),
            scenes: scenes.collect(),
            options: options.collect(),
            votes: Vec::new(),
            facts: facts.collect(),
            map: Vec::new(),
            items: items.collect(),
            goals: goals.collect(),
            bonds: bonds.collect(),
            qualities: qualities.collect(),
            acts_on: acts_on.collect(),
        }
    }

    pub(super) fn add(&mut self, run: &RunFigures) {
        for ending in &mut self.endings {
            ending.runs.count(run.ending.as_ref() == Some(&ending.id));
        }
        self.add_course(&run.course);
        for fact in &mut self.facts {
            fact.add(run, &self.acts_on);
        }
        for (spot, seen) in &run.notes.spots {
            let place = self.map.binary_search_by(|known| known.spot.cmp(spot));
            let place = place.unwrap_or_else(|place| {
                let figures = SpotFigures {
                    spot: spot.clone(),
                    scenes: BTreeMap::new(),
                    people: BTreeMap::new(),
                };
                self.map.insert(place, figures);
                place
            });
            let known = &mut self.map[place];
            for (counts, seen) in [
                (&mut known.scenes, &seen.scenes),
                (&mut known.people, &seen.people),
            ] {
                for name in seen {
                    *counts.entry(name.clone()).or_default() += 1;
                }
            }
        }
        for item in &mut self.items {
            let holder = run.holders.get(&item.name).cloned().flatten();
            item.gone.count(holder.is_none());
            if let Some(holder) = holder {
                item.holders.entry(holder).or_default().hits += 1;
            }
            // Also those who did not hold it in this run count it.
            let runs = item.gone.of;
            item.holders.values_mut().for_each(|share| share.of = runs);
        }
        for goal in &mut self.goals {
            let is_it = |state: &&GoalFigures| state.who == goal.who && state.number == goal.number;
            let state = run.goals.iter().find(is_it);
            let state = state.map_or(GoalState::default(), |state| state.state);
            goal.met.count(state == GoalState::Met);
            goal.lost.count(state == GoalState::Lost);
        }
        for bond in &run.bonds {
            let is_it = |known: &BondSummary| known.from == bond.from && known.to == bond.to;
            let index = self.bonds.iter().position(is_it).unwrap_or_else(|| {
                self.bonds.push(BondSummary {
                    from: bond.from.clone(),
                    to: bond.to.clone(),
                    ..BondSummary::default()
                });
                self.bonds.len() - 1
            });
            self.bonds[index].end.add(bond.value.into());
        }
        for quality in &mut self.qualities {
            let value = run.qualities.get(&quality.id).copied().unwrap_or_default();
            quality.end.add(value.into());
        }
    }

    fn add_course(&mut self, course: &[Moment]) {
        let mut first_days = BTreeMap::new();
        let mut votes = 0;
        let mut decided = BTreeMap::new();
        for moment in course {
            match moment {
                Moment::Scene { id, day } => {
                    first_days.entry(id).or_insert(*day);
                    decided.remove(id);
                }
                Moment::Choice { scene, option, .. } => {
                    let next = decided.entry(scene).or_default();
                    let choice = self.choice_of(scene, option, *next);
                    *next = choice + 1;
                    let of_choice =
                        |it: &&mut OptionFigures| it.scene == *scene && it.choice == choice;
                    for known in self.options.iter_mut().filter(of_choice) {
                        known.chosen.count(known.option == *option);
                    }
                }
                Moment::Vote { result } => {
                    votes += 1;
                    self.add_vote(votes, result);
                }
                Moment::Fight { .. } => {}
            }
        }
        for scene in &mut self.scenes {
            let day = first_days.get(&scene.id);
            scene.runs.count(day.is_some());
            if let Some(day) = day {
                scene.day.add((*day).into());
            }
        }
    }

    /// Which choice of a scene an option belongs to: the next one, if it is to do nothing.
    fn choice_of(&mut self, scene: &str, option: &str, next: usize) -> usize {
        let is_pass = NOTHING.contains(&option);
        let mut of_scene = self.options.iter().filter(|it| it.scene == scene);
        let is_it = |it: &&OptionFigures| it.option == option && (!is_pass || it.choice == next);
        if let Some(known) = of_scene.clone().find(is_it) {
            return known.choice;
        }
        let of = of_scene
            .find(|it| it.choice == next)
            .map_or(0, |it| it.chosen.of);
        self.options.push(OptionFigures {
            scene: scene.to_owned(),
            option: option.to_owned(),
            chosen: Share { hits: 0, of },
            choice: next,
        });
        next
    }

    fn add_vote(&mut self, vote: u32, result: &str) {
        let same = self.votes.iter().filter(|known| known.vote == vote);
        let held = same.map(|known| known.carried.of).max().unwrap_or_default();
        let is_it = |known: &VoteFigures| known.vote == vote && known.result == result;
        if !self.votes.iter().any(is_it) {
            self.votes.push(VoteFigures {
                vote,
                result: result.to_owned(),
                carried: Share { hits: 0, of: held },
            });
        }
        for known in self.votes.iter_mut().filter(|known| known.vote == vote) {
            known.carried.count(known.result == result);
        }
    }

    /// Puts what never happens first.
    pub(super) fn sort(&mut self) {
        self.votes
            .sort_by_key(|vote| (vote.vote, std::cmp::Reverse(vote.carried.hits)));
        self.scenes.sort_by_key(|scene| scene.runs.hits);
        self.facts
            .sort_by_key(|fact| (fact.told.hits, fact.learned.hits));
        let never = self.options.iter().filter(|option| option.chosen.hits == 0);
        let never: BTreeSet<_> = never.map(|option| option.scene.clone()).collect();
        let scenes: Vec<_> = self
            .options
            .iter()
            .map(|option| option.scene.clone())
            .collect();
        self.options.sort_by_cached_key(|option| {
            let first = scenes.iter().position(|scene| *scene == option.scene);
            (!never.contains(&option.scene), first, option.chosen.hits)
        });
    }
}

impl FactFigures {
    fn add(&mut self, run: &RunFigures, acts_on: &BTreeMap<(String, String), Vec<ActsOn>>) {
        let learned = run.learned.iter().filter(|learned| learned.fact == self.id);
        let learned: Vec<_> = learned.collect();
        self.learned.count(!learned.is_empty());
        let heard = || learned.iter().filter(|learned| learned.from.is_some());
        let is_told = heard().next().is_some();
        self.told.count(is_told);
        if !is_told {
            self.near.count(run.notes.near_told.contains(&self.id));
        }
        if is_told {
            let acts = |moment: &Moment, hearer: &str| match moment {
                Moment::Choice { scene, option, who } if who == hearer => {
                    let on = acts_on.get(&(scene.clone(), option.clone()));
                    on.is_some_and(|on| on.iter().any(|on| on.is_of(hearer, &self.id)))
                }
                _ => false,
            };
            let is_taken_up = |hearer: &str| {
                heard().any(|learned| learned.from.as_deref() == Some(hearer))
                    || run.course.iter().any(|moment| acts(moment, hearer))
            };
            let is_taken_up = heard().any(|learned| is_taken_up(&learned.who));
            self.taken_up.count(is_taken_up);
        }
        if let Some(day) = learned.iter().map(|learned| learned.day).min() {
            self.day.add(day.into());
        }
        for learned in learned {
            if let Some(from) = &learned.from {
                *self.from.entry(from.clone()).or_default() += 1;
            }
            *self.by.entry(learned.who.clone()).or_default() += 1;
            let knower = self.knowers.entry(learned.who.clone()).or_default();
            knower.runs += 1;
            if knower.runs == 1 || learned.day < knower.first_day {
                knower.first_day = learned.day;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_of_each_vote_are_counted() {
        let mut drama = DramaFigures::default();
        for results in [&["Mill", "stay"][..], &["Hill"], &["Hill", "Mill"]] {
            let moments = results.iter().map(|result| Moment::Vote {
                result: (*result).into(),
            });
            drama.add_course(&moments.collect::<Vec<_>>());
        }
        drama.sort();
        let votes = drama.votes.iter();
        let votes: Vec<_> = votes
            .map(|vote| (vote.vote, &*vote.result, vote.carried.hits, vote.carried.of))
            .collect();
        let expected = [
            (1, "Hill", 2, 3),
            (1, "Mill", 1, 3),
            (2, "stay", 1, 2),
            (2, "Mill", 1, 2),
        ];
        assert_eq!(votes, expected);
    }

    #[test]
    fn whatever_is_declined_counts_for_its_choice() {
        let of_scene = |(choice, option): (usize, &&str)| OptionFigures {
            scene: "s".into(),
            option: (*option).into(),
            choice,
            ..OptionFigures::default()
        };
        let mut drama = DramaFigures {
            options: ["a", "b"].iter().enumerate().map(of_scene).collect(),
            ..DramaFigures::default()
        };
        for options in [["a", "b"], ["nothing", "b"], ["a", "nothing"]] {
            let moments = options.map(|option| Moment::Choice {
                scene: "s".into(),
                option: option.into(),
                who: String::new(),
            });
            drama.add_course(&moments);
        }
        let options = drama.options.iter();
        let options: Vec<_> = options
            .map(|it| (it.choice, &*it.option, it.chosen.hits, it.chosen.of))
            .collect();
        let expected = [
            (0, "a", 2, 3),
            (1, "b", 2, 3),
            (0, "nothing", 1, 3),
            (1, "nothing", 1, 3),
        ];
        assert_eq!(options, expected);
    }

    #[test]
    fn what_never_happens_comes_first() {
        let share = |hits| Share { hits, of: 9 };
        let option = |scene: &str, option: &str, hits| OptionFigures {
            scene: scene.into(),
            option: option.into(),
            chosen: share(hits),
            choice: 0,
        };
        let scene = |id: &str, hits| SceneFigures {
            id: id.into(),
            runs: share(hits),
            ..SceneFigures::default()
        };
        let mut drama = DramaFigures {
            scenes: vec![scene("often", 9), scene("never", 0), scene("once", 1)],
            options: vec![
                option("even", "a", 5),
                option("even", "b", 4),
                option("odd", "a", 9),
                option("odd", "b", 0),
            ],
            ..DramaFigures::default()
        };
        drama.sort();
        let scenes: Vec<_> = drama.scenes.iter().map(|scene| &*scene.id).collect();
        assert_eq!(scenes, ["never", "once", "often"]);
        let options: Vec<_> = drama
            .options
            .iter()
            .map(|option| (&*option.scene, &*option.option))
            .collect();
        assert_eq!(
            options,
            [("odd", "b"), ("odd", "a"), ("even", "b"), ("even", "a")]
        );
    }
}
