//! How a story ends: the ending that holds, what became of everybody, and the last words.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, Whereabouts, all_of};
use playhouse_engine::event::{AgentEvent, EventWriter, Prompt, write_events_at_meeting};
use playhouse_engine::exchange::{Answers, Prose, Question};
use playhouse_engine::knowledge::{FactBook, Knowledge};
use playhouse_engine::locale::UiText;
use serde::{Deserialize, Serialize};

use crate::components::RpgWorld;
use crate::drama::{
    Belongings, Bond, Bonds, ChoiceOption, Ending, GoalState, Goals, History, Nearness, PlotPoint,
    Promise, PromiseState, Promises, StoryData,
};
use crate::phase::{CurrentPlace, Phase};
use crate::question::{ProseForm, Writer, are_left_out};
use crate::speaker::Speaker;

/// The maximum number of facts of which an epilogue is reminded, the last that were learned.
const MAX_LEARNED: usize = 24;

/// The fewest letters of an epilogue.
pub(crate) const EPILOGUE_LETTERS: usize = 24;

const EPILOGUE: ProseForm = ProseForm {
    fallback: EpilogueData::FALLBACK,
    max_chars: 700,
    min_letters: EPILOGUE_LETTERS,
};
const CLOSING: ProseForm = ProseForm {
    fallback: EpilogueData::CLOSING_FALLBACK,
    max_chars: 1_200,
    min_letters: 24,
};

/// What became of an actor, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "epilogue", style = Speech, speaker = actor, spoken = message, tells_nothing, place = "",
    words = message
)]
pub(crate) struct Epilogue {
    pub(crate) actor: String,
    pub(crate) message: String,
}

/// The story ends: which ending was reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "story_closes", style = Ending, third_person = UiText::verbatim(message),
    heading = UiText::verbatim(title)
)]
pub(crate) struct StoryCloses {
    pub(crate) ending: String,
    pub(crate) title: String,
    /// What the world file says of it.
    pub(crate) message: String,
}

/// The data of the question for an epilogue.
#[derive(Serialize, Prompt)]
#[prompt(
    self.template,
    EPILOGUE = "asks/epilogue",
    CLOSING = "asks/closing",
    FALLBACK = "fallback/epilogue",
    CLOSING_FALLBACK = "fallback/closing",
    purpose = "epilogue"
)]
pub(super) struct EpilogueData<'a> {
    #[serde(skip)]
    template: &'static str,
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    title: &'a str,
    closing: &'a str,
    goals: Vec<GoalNote<'a>>,
    bonds: Vec<BondNote<'a>>,
    facts: Vec<&'a str>,
    promises: &'a [Promise],
    /// What others promised to it.
    owed: Vec<OwedNote<'a>>,
    items: Vec<&'a str>,
    /// What it chose, as others saw it.
    choices: Vec<&'a str>,
    /// All who are asked, so that minds without language use different words.
    with: Vec<&'a str>,
    speaker: Speaker<'a>,
}

#[derive(Serialize)]
struct GoalNote<'a> {
    words: &'a str,
    state: GoalState,
    /// What the writer lets it say of this in the end, for minds without language.
    last_words: &'a str,
}

#[derive(Serialize)]
struct OwedNote<'a> {
    by: &'a str,
    words: &'a str,
    state: PromiseState,
}

#[derive(Serialize)]
struct BondNote<'a> {
    name: &'a str,
    word: &'a str,
    value: i32,
    is_alive: bool,
}

/// Settles the goals whose conditions hold now; one that is lost and met at once is lost. At a
/// meeting.
pub(crate) fn settle_goals(world: &mut World) {
    settle(world, |state, met, lost| match (met, lost) {
        _ if state != GoalState::Open => state,
        (_, true) => GoalState::Lost,
        (true, false) => GoalState::Met,
        (false, false) => GoalState::Open,
    });
}

/// A goal that was settled by what is undone, so that the contrary holds now, ends by that.
fn settle_for_good(world: &mut World) {
    settle(world, |state, met, lost| match (state, met, lost) {
        (GoalState::Met, false, true) => GoalState::Lost,
        (GoalState::Lost, true, false) => GoalState::Met,
        _ => state,
    });
}

/// Changes the state of each goal by whether its conditions to be met and lost hold now.
fn settle(world: &mut World, change: impl Fn(GoalState, bool, bool) -> GoalState) {
    let file = world.resource::<RpgWorld>().0.clone();
    for actor in &file.actors {
        let Some(entity) = world.resource::<CastList>().by_name(&actor.name) else {
            continue;
        };
        let states = world.get::<Goals>(entity).cloned().unwrap_or_default();
        for (number, (goal, state)) in actor.goals.iter().zip(states.0).enumerate() {
            let [met, lost] = [(&goal.met, "met"), (&goal.lost, "lost")].map(|(when, end)| {
                when.holds(world, &format_args!("{}/goal/{number}/{end}", actor.name))
            });
            let now = change(state, met, lost);
            if now != state
                && let Some(mut goals) = world.get_mut::<Goals>(entity)
                && let Some(goal) = goals.0.get_mut(number)
            {
                *goal = now;
            }
        }
    }
}

/// The ending that was reached: by an effect, by an early ending whose condition holds, or, once
/// the course is over, by the first that holds. The last one always does. At a meeting.
pub(crate) fn reached_ending(world: &World, is_over: bool) -> Option<Ending> {
    let story = world.resource::<StoryData>();
    let chosen = world.resource::<History>().ending.as_deref();
    if let Some(chosen) = chosen.and_then(|id| story.ending(id)) {
        return Some(chosen.clone());
    }
    let looked_at = || {
        story
            .endings
            .iter()
            .filter(|ending| is_over || ending.early)
    };
    let reached = looked_at()
        .find(|ending| ending.holds(world))
        .or(story.endings.last().filter(|_| is_over));
    let instead = reached.map(|ending| &*ending.id);
    for ending in looked_at().filter(|ending| Some(&*ending.id) != instead) {
        let point = PlotPoint::Ending(ending.id.clone());
        let parts = ending.when.required_now(world, &ending.key());
        Nearness::note(world, point, parts, instead);
    }
    reached.cloned()
}

/// Everybody learns how the story ends, and is asked what became of it. At a meeting.
pub(crate) fn begin_epilogue(world: &mut World, ending: &Ending) {
    settle_for_good(world);
    Nearness::note_late(world, &world.resource::<StoryData>().scenes);
    world.resource_mut::<History>().ending = Some(ending.id.as_str().into());
    let event = StoryCloses {
        ending: ending.id.clone(),
        title: ending.title.clone(),
        message: ending.closing.clone(),
    };
    let stages = all_of(world, Kind::Stage);
    let mut audience = all_of(world, Kind::WorldAgent);
    audience.extend(&stages);
    audience.extend(all_of(world, Kind::Actor));
    write_events_at_meeting(world, |events| events.notify_entities(&audience, event));
    for stage in stages {
        world.entity_mut(stage).insert(Phase::Epilogue);
    }
}

/// The world agents close the story. At a meeting.
pub(crate) fn begin_closing(world: &mut World) {
    for agent in all_of(world, Kind::WorldAgent) {
        world.entity_mut(agent).insert(Phase::Epilogue);
    }
}

/// Every living actor here is asked what became of it; a world agent is asked to close the story.
pub(crate) fn ask_epilogues(
    rpg: Res<RpgWorld>,
    story: Res<StoryData>,
    history: Res<History>,
    (facts, list): (Res<FactBook>, Res<CastList>),
    whereabouts: Whereabouts,
    minds: Query<(
        Option<&Goals>,
        Option<&Bonds>,
        Option<&Knowledge>,
        Option<&Promises>,
        Option<&Belongings>,
    )>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.entity() else {
        return;
    };
    let ending = history.ending.as_deref().and_then(|id| story.ending(id));
    let (title, closing) = ending.map_or(("", ""), |ending| (&ending.title, &ending.closing));
    let is_agent = whereabouts.kind(place) == Some(Kind::WorldAgent);
    let asked = if is_agent {
        vec![place]
    } else {
        whereabouts.living_on(place)
    };
    let is_alone = asked.is_empty();
    current.set_phase(if is_alone {
        Phase::Idle
    } else {
        Phase::EpilogueDone
    });
    let place_name = whereabouts.name_text(place);
    for entity in asked {
        let name = whereabouts.name_text(entity);
        let (goals, bonds, knowledge, promises, belongings) = minds.get(entity).unwrap_or_default();
        let words = rpg.0.goals(&name);
        let states = goals.map_or(&[][..], |goals| &goals.0);
        let goals = words.iter().zip(states).map(|(goal, state)| GoalNote {
            words: &goal.words,
            state: *state,
            last_words: match state {
                GoalState::Met => &goal.met_words,
                GoalState::Lost => &goal.lost_words,
                GoalState::Open => "",
            },
        });
        let bonds = bonds.into_iter().flat_map(|bonds| &bonds.0);
        // Foes that were met on the way are not part of anybody's life.
        let matters = |(name, bond): &(&Arc<str>, &Bond)| {
            rpg.0.actor(name).is_some() && (bond.value != 0 || !bond.word.is_empty())
        };
        let is_alive = |name: &str| {
            let entity = list.by_name(name);
            entity.is_some_and(|entity| whereabouts.is_alive(entity))
        };
        let bonds = bonds.filter(matters).map(|(name, bond)| BondNote {
            name,
            word: &bond.word,
            value: bond.value,
            is_alive: is_alive(name),
        });
        let mut owed = Vec::new();
        for (_, other) in list.all().filter(|(_, other)| *other != entity) {
            let promises = minds.get(other).ok().and_then(|(.., promises, _)| promises);
            let Some((by, promises)) = whereabouts.name(other).zip(promises) else {
                continue;
            };
            // Who did not hear a promise does not know of it.
            let known = promises.0.iter();
            let known = known.filter(|it| *it.to == *name && it.is_known_to(&name));
            owed.extend(known.map(|promise| OwedNote {
                by: &by.0,
                words: &promise.words,
                state: promise.state,
            }));
        }
        let held = belongings.into_iter().flat_map(|held| &held.0);
        let chosen = history
            .choices
            .iter()
            .filter(|(.., who)| who.split(", ").any(|who| who == name))
            .filter_map(|(scene, option, _)| story.option(scene, option));
        let learned = |id: &str| {
            let known = knowledge.and_then(|knowledge| knowledge.get(id));
            known.filter(|known| !known.by.is_empty())
        };
        let learned = facts
            .all()
            .filter_map(|fact| Some((learned(&fact.id)?.turn, fact)));
        let mut learned: Vec<_> = learned.collect();
        learned.sort_by_key(|(turn, _)| *turn);
        let earlier = learned.len().saturating_sub(MAX_LEARNED);
        let facts = learned.iter().skip(earlier).map(|(_, fact)| &*fact.text);
        let (form, template) = if is_agent {
            (CLOSING, EpilogueData::CLOSING)
        } else {
            (EPILOGUE, EpilogueData::EPILOGUE)
        };
        let data = EpilogueData {
            template,
            me: &name,
            name: &name,
            kind: if is_agent { "world" } else { "actor" },
            place: if is_agent { "" } else { &place_name },
            title,
            closing,
            goals: goals.collect(),
            bonds: bonds.collect(),
            facts: facts.collect(),
            promises: promises.map_or(&[], |promises| &promises.0),
            owed,
            items: held.map(|item| &**item).collect(),
            choices: chosen.map(ChoiceOption::told).collect(),
            with: {
                let names = rpg.0.actors.iter().map(|actor| &*actor.name);
                names.filter(|name| is_alive(name)).collect()
            },
            speaker: Speaker::of(&rpg.0, &name),
        };
        let wanted = data.goals.iter().map(|goal| goal.words.to_owned());
        let close = data.bonds.iter().map(|bond| bond.name);
        let limits = &rpg.0.limits;
        let cues = limits.cues(wanted.collect(), &close.collect::<Vec<_>>());
        let ask = form.ask(events.phrases(), &rpg.0, Writer::of(&name), &data);
        let ask = ask.map(|ask| ask.recalling(cues));
        events.insert_or_fault(&mut commands, entity, ask);
    }
}

pub(crate) fn take_epilogues(
    whereabouts: Whereabouts,
    mut answers: Answers<Prose>,
    mut current: CurrentPlace,
    mut events: EventWriter,
) {
    for (entity, Prose(message), _by) in answers.take() {
        if are_left_out(events.phrases(), EpilogueData::PURPOSE, &message) {
            continue;
        }
        let actor = whereabouts.name_text(entity);
        events.broadcast_to_stage(entity, Epilogue { actor, message }, &[entity]);
    }
    current.set_phase(Phase::Idle);
}
