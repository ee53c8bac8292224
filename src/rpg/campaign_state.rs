//! The course of the campaign, moved on at meetings: kickoff, days at home, journeys, homecoming.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::components::{Effects, FightEnd, FightHere, Foe, Health, HomeStage, Homeward, RpgWorld};
use super::enter::{HERO, enter_foes};
use super::events::{BattleReport, Day, Homecoming, Journey};
use super::phase::Phase;
use super::travel::{introduce, travel, travel_to};
use super::world_file::{Fight, Step};
use crate::cast::{CastList, Dead, EntityName, Faction, Kind, OnStage, StableId, all_of, despawn};
use crate::engine::{MeetSet, Setup, StoryEnd};
use crate::event::{AgentEvent, Fault, Faults, Phrasebook, write_events_at_meeting};

/// Where the campaign stands. Advanced at meetings only.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignState {
    /// What is going on.
    pub act: Act,
    /// How many steps of the schedule are behind.
    pub steps_done: usize,
    /// How many days at home are behind, over the whole campaign.
    pub days_done: u32,
    /// How many fights were won.
    pub won: u32,
    /// How many fights there were.
    pub fights: u32,
}

/// What is going on in the campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    /// Nothing has happened yet.
    #[default]
    Before,
    /// Everybody begins its story.
    Kickoff,
    /// A round of a day at home.
    Home {
        /// Which day of this stay, from 1.
        day: u32,
        /// How many days this stay has.
        days: u32,
        /// Which round of plans, from 1.
        round: u32,
    },
    /// A day at home ends: the voices of the world speak.
    Evening {
        /// Which day of this stay.
        day: u32,
        /// How many days this stay has.
        days: u32,
    },
    /// What a day at home left is summed up where it grew too long.
    Night {
        /// Which day of this stay.
        day: u32,
        /// How many days this stay has.
        days: u32,
    },
    /// The party reaches the stage of a fight, and foes stand up there.
    Reach {
        /// The dungeon.
        dungeon: Arc<str>,
        /// Which fight, from 0.
        fight: usize,
    },
    /// A fight.
    Fight {
        /// The dungeon.
        dungeon: Arc<str>,
        /// Which fight, from 0.
        fight: usize,
    },
    /// The campaign is over.
    Over,
}

/// Adds the systems of this file.
pub fn plugin(setup: &mut Setup) {
    setup.world.init_resource::<CampaignState>();
    setup.saves().resource::<CampaignState>("campaign");
    setup.meet.add_systems(direct.in_set(MeetSet::Rules));
}

/// Moves the campaign on when all that it waited for has come to rest.
pub fn direct(world: &mut World) {
    let campaign = world.resource::<CampaignState>().clone();
    match campaign.act {
        Act::Before => begin(world),
        Act::Kickoff => next_step(world),
        Act::Home { day, days, round } => {
            let rounds = world.resource::<RpgWorld>().0.limits.home_rounds.max(1) as u32;
            match round < rounds {
                true => home_round(world, day, days, round + 1),
                false => evening(world, day, days),
            }
        }
        Act::Evening { day, days } => night(world, day, days),
        Act::Night { day, days } if day < days => morning(world, day + 1, days),
        Act::Night { .. } => next_step(world),
        Act::Reach { dungeon, fight } => open_fight(world, dungeon, fight),
        Act::Fight { dungeon, fight } => after_fight(world, dungeon, fight),
        Act::Over => {}
    }
}

fn enter_act(world: &mut World, act: Act) {
    world.resource_mut::<CampaignState>().act = act;
}

fn begin(world: &mut World) {
    let stages = all_of(world, Kind::Stage);
    for stage in &stages {
        for actor in on_stage(world, *stage) {
            introduce(world, actor, *stage);
        }
    }
    for place in stages.into_iter().chain(all_of(world, Kind::WorldAgent)) {
        set_phase(world, place, Phase::Kickoff);
    }
    enter_act(world, Act::Kickoff);
}

/// Takes the next step of the schedule; after the last, the campaign ends at home.
fn next_step(world: &mut World) {
    let file = world.resource::<RpgWorld>().0.clone();
    let mut campaign = world.resource_mut::<CampaignState>();
    let step = file.schedule.get(campaign.steps_done).cloned();
    campaign.steps_done += 1;
    match step {
        Some(Step::Home { days }) if days > 0 => morning(world, 1, days as u32),
        Some(Step::Home { .. }) => next_step(world),
        Some(Step::Dungeon(name)) => reach(world, name.into(), 0),
        None => finish(world),
    }
}

// --- home ---

fn morning(world: &mut World, day: u32, days: u32) {
    let date = world.resource::<CampaignState>().days_done + 1;
    tell_home(world, || Day {
        day: date,
        part: "begin".into(),
    });
    for stage in home_stages(world) {
        set_phase(world, stage, Phase::Scene);
    }
    enter_act(
        world,
        Act::Home {
            day,
            days,
            round: 1,
        },
    );
}

fn home_round(world: &mut World, day: u32, days: u32, round: u32) {
    for stage in home_stages(world) {
        set_phase(world, stage, Phase::Plan);
    }
    enter_act(world, Act::Home { day, days, round });
}

fn evening(world: &mut World, day: u32, days: u32) {
    for agent in all_of(world, Kind::WorldAgent) {
        set_phase(world, agent, Phase::Herald);
    }
    enter_act(world, Act::Evening { day, days });
}

fn night(world: &mut World, day: u32, days: u32) {
    let date = world.resource::<CampaignState>().days_done + 1;
    tell_home(world, || Day {
        day: date,
        part: "end".into(),
    });
    world.resource_mut::<CampaignState>().days_done = date;
    let agents = all_of(world, Kind::WorldAgent);
    for place in home_stages(world).into_iter().chain(agents) {
        set_phase(world, place, Phase::SumUp);
    }
    enter_act(world, Act::Night { day, days });
}

// --- journeys ---

fn fight_of(world: &World, dungeon: &str, fight: usize) -> Option<Fight> {
    let file = &world.resource::<RpgWorld>().0;
    let dungeon = file.dungeons.iter().find(|other| other.name == dungeon)?;
    dungeon.fights.get(fight).cloned()
}

/// The party goes to the stage of a fight, where its foes stand up.
fn reach(world: &mut World, dungeon: Arc<str>, fight: usize) {
    let Some(next) = fight_of(world, &dungeon, fight) else {
        return next_step(world);
    };
    let Some(stage) = world.resource::<CastList>().by_name(&next.stage) else {
        return next_step(world);
    };
    let party = party(world, true);
    let part = if fight == 0 { "enter" } else { "advance" };
    tell_journey(world, &dungeon, part, &next.stage, &party);
    for hero in party {
        travel(world, hero, stage);
    }
    if let Err(error) = enter_foes(world, &next.foes, &next.stage) {
        world
            .resource_mut::<Faults>()
            .note(Fault::Game(error.to_string()));
    }
    for foe in on_stage(world, stage) {
        introduce(world, foe, stage);
    }
    set_phase(world, stage, Phase::Kickoff);
    enter_act(world, Act::Reach { dungeon, fight });
}

fn open_fight(world: &mut World, dungeon: Arc<str>, fight: usize) {
    let Some(next) = fight_of(world, &dungeon, fight) else {
        return next_step(world);
    };
    let Some(stage) = world.resource::<CastList>().by_name(&next.stage) else {
        return next_step(world);
    };
    world.entity_mut(stage).insert(FightHere {
        dungeon: dungeon.clone(),
        fight,
        end: None,
    });
    set_phase(world, stage, Phase::FightBegin);
    enter_act(world, Act::Fight { dungeon, fight });
}

/// The fight is over and archived: deeper, or home.
fn after_fight(world: &mut World, dungeon: Arc<str>, fight: usize) {
    let Some(done) = fight_of(world, &dungeon, fight) else {
        return next_step(world);
    };
    let stage = world.resource::<CastList>().by_name(&done.stage);
    let end = stage
        .and_then(|stage| world.get::<FightHere>(stage)?.end)
        .unwrap_or(FightEnd::Drawn);
    let mut campaign = world.resource_mut::<CampaignState>();
    campaign.fights += 1;
    campaign.won += u32::from(end == FightEnd::Won);
    tell_tidings(world, &dungeon, &done, end);
    if let Some(stage) = stage {
        world.entity_mut(stage).remove::<FightHere>();
        clear_foes(world, stage);
    }
    let deeper = end == FightEnd::Won && fight_of(world, &dungeon, fight + 1).is_some();
    match deeper {
        true => reach(world, dungeon, fight + 1),
        false => return_home(world, &dungeon),
    }
}

/// Everybody of the party, fallen too, goes home, healed and freed of effects.
fn return_home(world: &mut World, dungeon: &str) {
    let party = party(world, false);
    tell_journey(world, dungeon, "return", "", &party);
    for hero in party {
        let mut entity = world.entity_mut(hero);
        entity.remove::<Dead>();
        entity.insert(Effects::default());
        if let Some(mut health) = entity.get_mut::<Health>() {
            health.hp = health.max;
        }
        if let Some(Homeward(home)) = entity.get::<Homeward>().cloned() {
            travel_to(world, hero, &home);
        }
    }
    next_step(world);
}

/// Foes leave the stage: those who return step out of sight with their memory, others are gone.
fn clear_foes(world: &mut World, stage: Entity) {
    for foe in on_stage(world, stage) {
        match world.get::<Foe>(foe).copied() {
            Some(Foe { returns: true }) => {
                world.entity_mut(foe).insert(Dead);
            }
            Some(Foe { returns: false }) => {
                despawn(world, foe);
            }
            None => {}
        }
    }
}

fn finish(world: &mut World) {
    let CampaignState { won, fights, .. } = *world.resource::<CampaignState>();
    let party = party(world, false);
    let party = names(world, &party);
    tell_home(world, || Homecoming {
        won,
        fights,
        party: party.clone(),
    });
    enter_act(world, Act::Over);
    let words = world.resource::<Phrasebook>().say(
        "engine/finished",
        &serde_json::json!({"won": won, "fights": fights}),
    );
    let words = words.unwrap_or_else(|_| format!("{won}/{fights}"));
    world.insert_resource(StoryEnd(words));
}

// --- who hears what of it ---

/// Tells every home stage and the living on it, and the voices of the world.
fn tell_home<E: AgentEvent>(world: &mut World, event: impl Fn() -> E) {
    let mut hearers = all_of(world, Kind::WorldAgent);
    for stage in home_stages(world) {
        hearers.push(stage);
        hearers.extend(
            on_stage(world, stage)
                .into_iter()
                .filter(|who| world.get::<Dead>(*who).is_none()),
        );
    }
    write_events_at_meeting(world, |tell| tell.notify_entities(&hearers, event()));
}

/// The party, the home stages with their people, and the voices of the world learn of a journey.
fn tell_journey(world: &mut World, dungeon: &str, part: &str, stage: &str, party: &[Entity]) {
    let event = Journey {
        dungeon: dungeon.into(),
        part: part.into(),
        stage: stage.into(),
        party: names(world, party),
    };
    let mut hearers: BTreeSet<(StableId, Entity)> = BTreeSet::new();
    let mut add = |world: &World, entity| {
        hearers.insert((crate::cast::stable_id(world, entity), entity));
    };
    for entity in party.iter().copied().chain(all_of(world, Kind::WorldAgent)) {
        add(world, entity);
    }
    for stage in home_stages(world) {
        add(world, stage);
        for actor in on_stage(world, stage) {
            add(world, actor);
        }
    }
    let hearers: Vec<_> = hearers.into_iter().map(|(_, entity)| entity).collect();
    write_events_at_meeting(world, |tell| tell.notify_entities(&hearers, event));
}

/// The voices of the world learn how a fight ended; nothing of what was said there.
fn tell_tidings(world: &mut World, dungeon: &str, fight: &Fight, end: FightEnd) {
    let stage = world.resource::<CastList>().by_name(&fight.stage);
    let fallen: Vec<_> = party(world, false)
        .into_iter()
        .filter(|hero| world.get::<Dead>(*hero).is_some())
        .filter(|hero| world.get::<OnStage>(*hero).map(|on| on.0) == stage)
        .collect();
    let event = BattleReport {
        dungeon: dungeon.into(),
        stage: fight.stage.clone(),
        result: end,
        foes: fight.foes.clone(),
        fallen: names(world, &fallen),
    };
    let agents = all_of(world, Kind::WorldAgent);
    write_events_at_meeting(world, |tell| tell.notify_entities(&agents, event));
}

// --- who is where; the whole world may be looked at, since it meets ---

fn home_stages(world: &World) -> Vec<Entity> {
    let mut stages = all_of(world, Kind::Stage);
    stages.retain(|stage| world.get::<HomeStage>(*stage).is_some());
    stages
}

fn on_stage(world: &World, stage: Entity) -> Vec<Entity> {
    let mut actors = all_of(world, Kind::Actor);
    actors.retain(|actor| world.get::<OnStage>(*actor).map(|on| on.0) == Some(stage));
    actors
}

/// The heroes; on request only those who can walk.
fn party(world: &World, living: bool) -> Vec<Entity> {
    let mut party = all_of(world, Kind::Actor);
    party.retain(|actor| {
        let is_hero = world
            .get::<Faction>(*actor)
            .is_some_and(|camp| &*camp.0 == HERO);
        is_hero && !(living && world.get::<Dead>(*actor).is_some())
    });
    party
}

fn names(world: &World, entities: &[Entity]) -> Vec<String> {
    let name = |entity: &Entity| Some(world.get::<EntityName>(*entity)?.to_string());
    entities.iter().filter_map(name).collect()
}

fn set_phase(world: &mut World, place: Entity, phase: Phase) {
    world.entity_mut(place).insert(phase);
}
