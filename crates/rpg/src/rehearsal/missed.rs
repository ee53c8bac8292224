//! Why scenes, options and endings did not come about: what was missing in the runs without them.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::locale::{Argument, UiText, text};
use playhouse_engine::statistics::Share;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Moment, RunFigures};
use crate::drama::{Condition, PlotPoint};
use crate::world_file::WorldFile;

/// Where those are who have died or are not met any more.
pub const NOWHERE: &str = "-";

/// A part of a condition that must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PartFigures {
    /// The part, as a world file writes it.
    pub part: String,
    /// Of the runs in which it was asked about in vain, those in which this part never held.
    pub never: Share,
    /// Of the same, those in which at least once nothing else was missing.
    pub alone: Share,
    /// Where each of those was whom it needs, when the fewest parts were missing, and in how many
    /// runs; `-` if nowhere any more.
    pub elsewhere: BTreeMap<String, BTreeMap<String, u64>>,
}

/// A scene, an option or an ending in the runs in which it did not come about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MissedFigures {
    #[serde(flatten)]
    pub point: PlotPoint,
    /// Of all runs, those without it.
    pub missed: Share,
    /// Of the runs without it, those in which it was asked about: a scene when its place had an
    /// occasion for it, an option when its scene came to be decided, an ending at the end.
    pub asked: Share,
    /// Of these, those in which it was near: at some time one part at most was missing.
    pub near: Share,
    /// Of these, those in which at the end nothing was missing any more, and no hour was left.
    pub late: Share,
    /// The parts of its condition, in the order of the world file.
    pub parts: Vec<PartFigures>,
    /// What came about instead although nothing was missing, and in how many runs.
    pub instead: BTreeMap<String, u64>,
    /// Which parts held in the same run, in any of those without it.
    #[serde(skip)]
    together: BTreeSet<BTreeSet<usize>>,
}

/// Those of a world, before any run.
pub(super) fn of_nothing(world: &WorldFile) -> Vec<MissedFigures> {
    let scenes = world.scenes.iter().flat_map(|scene| {
        let options = scene.choices().flat_map(|choice| {
            let presence = [choice.presence(&scene.at)];
            let options = choice.options.iter();
            options.map(move |option| (option, presence.clone()))
        });
        let options = options.map(move |(option, presence)| {
            let (scene, option_id) = (scene.id.clone(), option.id.clone());
            let point = PlotPoint::Option {
                scene,
                option: option_id,
            };
            MissedFigures::new(point, &option.when, &presence)
        });
        let point = PlotPoint::Scene(scene.id.clone());
        let itself = MissedFigures::new(point, &scene.when, &scene.presence());
        std::iter::once(itself).chain(options)
    });
    let endings = world.endings.iter().map(|ending| {
        let point = PlotPoint::Ending(ending.id.clone());
        MissedFigures::new(point, &ending.when, &[])
    });
    scenes.chain(endings).collect()
}

impl MissedFigures {
    fn new(point: PlotPoint, when: &Condition, presence: &[Condition]) -> Self {
        let written = |part: &Condition| {
            let written = ron::to_string(part).unwrap_or_default();
            written.replace("\",\"", "\", \"").replace("\\'", "'")
        };
        let parts = when.required("").into_iter().map(|(part, _)| part);
        let parts = parts.chain(presence).map(|part| PartFigures {
            part: written(part),
            ..PartFigures::default()
        });
        Self {
            point,
            missed: Share::default(),
            asked: Share::default(),
            near: Share::default(),
            late: Share::default(),
            parts: parts.collect(),
            instead: BTreeMap::new(),
            together: BTreeSet::new(),
        }
    }

    /// The first two parts that each held in some run, and never in the same.
    fn apart(&self) -> Option<[&PartFigures; 2]> {
        let held = |numbers: &[usize]| {
            let mut runs = self.together.iter();
            runs.any(|run| numbers.iter().all(|number| run.contains(number)))
        };
        let parts = || self.parts.iter().enumerate();
        let mut pairs =
            parts().flat_map(|one| parts().skip(one.0 + 1).map(move |other| (one, other)));
        let ((_, one), (_, other)) = pairs.find(|((one, _), (other, _))| {
            held(&[*one]) && held(&[*other]) && !held(&[*one, *other])
        })?;
        self.is_never().then_some([one, other])
    }

    /// Whether it came about in no run.
    pub fn is_never(&self) -> bool {
        self.missed.of > 0 && self.missed.hits == self.missed.of
    }

    /// In how many runs it was an option of which nothing was missing, and not chosen.
    pub fn offered(&self) -> u64 {
        match self.point {
            PlotPoint::Option { .. } => {
                let alone: u64 = self.parts.iter().map(|part| part.alone.hits).sum();
                self.near.hits.saturating_sub(alone)
            }
            PlotPoint::Scene(_) | PlotPoint::Ending(_) => 0,
        }
    }

    /// What kept it from coming about, in short; conditions as a world file writes them.
    pub fn reason(&self) -> UiText {
        self.reason_in(str::to_owned)
    }

    /// The same, with conditions in other words.
    pub(crate) fn reason_in(&self, words: impl Fn(&str) -> String) -> UiText {
        let asked = self.asked.hits;
        if asked == 0 {
            return match &self.point {
                PlotPoint::Scene(_) => text!(rpg_rehearsal_no_occasion),
                PlotPoint::Option { .. } => text!(rpg_rehearsal_not_decided),
                PlotPoint::Ending(_) => text!(rpg_rehearsal_ended_otherwise),
            };
        }
        if self.late.hits * 2 > asked && self.instead.is_empty() {
            return text!(rpg_rehearsal_too_late, runs = self.late.hits, of = asked);
        }
        let parts = self.parts.iter();
        let never: Vec<_> = parts.filter(|part| part.never.hits == asked).collect();
        if !never.is_empty() {
            let parts = Argument::list(never.iter().map(|part| words(&part.part)));
            return text!(rpg_rehearsal_part_never, parts);
        }
        if let Some(parts) = self.apart() {
            let parts = Argument::list(parts.map(|part| words(&part.part)));
            return text!(rpg_rehearsal_apart, parts);
        }
        let alone = self.parts.iter().max_by_key(|part| part.alone.hits);
        let alone = alone.filter(|part| part.alone.hits > 0);
        match (alone, self.instead.values().max()) {
            (_, Some(most)) => {
                let others = self.instead.iter().filter(|(_, runs)| *runs == most);
                let other = Argument::list(others.map(|(other, _)| other));
                text!(rpg_rehearsal_came_first, other, runs = *most, of = asked)
            }
            (Some(part), None) => {
                let (part, runs) = (words(&part.part), part.alone.hits);
                text!(rpg_rehearsal_part_alone, part, runs, of = asked)
            }
            (None, None) if self.offered() > 0 => text!(rpg_rehearsal_not_chosen),
            (None, None) => text!(rpg_rehearsal_not_together),
        }
    }

    pub(super) fn add(&mut self, run: &RunFigures) {
        let came_about = came_about(&self.point, run);
        self.missed.count(!came_about);
        if came_about {
            return;
        }
        let missing = run.notes.missing.get(&self.point);
        self.asked.count(missing.is_some());
        let Some(missing) = missing else { return };
        self.near.count(missing.nearest.len() <= 1);
        self.together.insert(missing.held.clone());
        self.late.count(missing.is_late);
        for (number, part) in self.parts.iter_mut().enumerate() {
            part.never.count(!missing.held.contains(&number));
            let is_alone = missing.nearest.len() == 1 && missing.nearest.contains(&number);
            part.alone.count(is_alone);
            for (who, place) in missing.elsewhere.get(&number).into_iter().flatten() {
                let places = part.elsewhere.entry(who.clone()).or_default();
                let place = place.as_deref().unwrap_or(NOWHERE);
                *places.entry(place.to_owned()).or_default() += 1;
            }
        }
        for instead in &missing.instead {
            *self.instead.entry(instead.clone()).or_default() += 1;
        }
    }
}

fn came_about(point: &PlotPoint, run: &RunFigures) -> bool {
    let mut course = run.course.iter();
    match point {
        PlotPoint::Scene(scene) => {
            course.any(|moment| matches!(moment, Moment::Scene { id, .. } if id == scene))
        }
        PlotPoint::Option { scene, option } => course.any(|moment| match moment {
            Moment::Choice {
                scene: of,
                option: chosen,
                ..
            } => of == scene && chosen == option,
            _ => false,
        }),
        PlotPoint::Ending(ending) => run.ending.as_ref() == Some(ending),
    }
}
