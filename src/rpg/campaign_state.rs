//! The course of the campaign, advanced at meetings: kickoff, days at home, journeys, homecoming.

use std::collections::BTreeSet;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde::{Deserialize, Serialize};

use super::combat::resolve::weigh_resolve;
use super::combat::wounds::{heal_wounds, tell_wounds};
use super::components::{
    ClosedDungeons, CurrentFight, Effects, FightResult, Foe, Health, HomeStage, Residence, RpgWorld,
};
use super::events::{BattleReport, Day, Homecoming, Journey};
use super::phase::Phase;
use super::scenes::choose::{apply_choices, offer_choices};
use super::scenes::endings::{begin_closing, begin_epilogue, reached_ending, settle_goals};
use super::scenes::open::open_scene;
use super::spawn::{HERO, spawn_foes};
use super::travel::{acquaint, introduce, travel, travel_to};
use super::world_file::{Fight, Step};
use crate::cast::{
    CastList, Dead, EntityName, Faction, Kind, OnStage, StableId, all_of, despawn, stable_id,
};
use crate::drama::{Ending, History, StoryData};
use crate::engine::{MeetSet, Setup, StoryEnd};
use crate::event::{
    AgentEvent, Fault, Faults, Phrasebook, PromptSet, PromptTemplate, write_events_at_meeting,
};
use crate::knowledge::Today;
use crate::locale::Localize;

const FINISHED: PromptTemplate<Score> = PromptTemplate::new("engine/finished");

/// What the last words of the campaign are made from.
#[derive(Default, Serialize)]
struct Score {
    won: u32,
    fights: u32,
}

/// How far the campaign is. It changes at meetings only.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignState {
    /// What is going on.
    #[serde(rename = "act")]
    pub phase: CampaignPhase,
    /// The number of completed steps of the schedule.
    pub steps_done: usize,
    /// The number of completed days at home, over the whole campaign.
    pub days_done: u32,
    /// The number of fights won.
    pub won: u32,
    /// The number of all fights.
    pub fights: u32,
}

/// What is going on in the campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CampaignPhase {
    /// Nothing has happened yet.
    #[default]
    #[serde(rename = "before")]
    NotStarted,
    /// Everybody begins its story.
    Kickoff,
    /// A round of a day at home.
    Home {
        /// Which day of this stay, from 1.
        day: u32,
        /// The number of days of this stay.
        days: u32,
        /// Which round of plans, from 1.
        round: u32,
    },
    /// A day at home ends: the world agents make their announcements.
    Evening {
        /// Which day of this stay.
        day: u32,
        /// The number of days of this stay.
        days: u32,
    },
    /// Conversations that have grown too long are summarized.
    Night {
        /// Which day of this stay.
        day: u32,
        /// The number of days of this stay.
        days: u32,
    },
    /// The party reaches the stage of a fight, where its foes appear.
    #[serde(rename = "reach")]
    Arrival {
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
    /// After a fight the party talks.
    Camp {
        /// The dungeon.
        dungeon: Arc<str>,
        /// The fight that was won, from 0.
        fight: usize,
    },
    /// What has to be decided in the scenes of a phase is decided.
    Choice {
        /// The phase after which the campaign goes on.
        after: Box<Self>,
    },
    /// Everybody says what became of them.
    Epilogue,
    /// The world agents close the story.
    Closing,
    /// The campaign is over.
    Over,
}

/// Adds the systems of this file.
pub(super) fn plugin(setup: &mut Setup) {
    setup.world.init_resource::<CampaignState>();
    setup.saves().resource::<CampaignState>("campaign");
    setup
        .meet
        .add_systems(advance_campaign.in_set(MeetSet::Rules));
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    prompts.add(&FINISHED);
}

/// Begins the next phase of the campaign. Everything that the last one asked for is done when the
/// world meets, except for a fight that goes on after the meeting.
pub(super) fn advance_campaign(world: &mut World) {
    if weigh_resolve(world) {
        return;
    }
    let phase = world.resource::<CampaignState>().phase.clone();
    let phase = match phase {
        CampaignPhase::Choice { after } => {
            apply_choices(world);
            *after
        }
        phase => {
            if offer_choices(world) {
                let after = Box::new(phase);
                return set_campaign_phase(world, CampaignPhase::Choice { after });
            }
            phase
        }
    };
    settle_goals(world);
    if is_running(&phase)
        && let Some(ending) = reached_ending(world, false)
    {
        return finish(world, &ending);
    }
    match phase {
        CampaignPhase::NotStarted => begin(world),
        CampaignPhase::Kickoff => next_step(world),
        CampaignPhase::Home { day, days, round } => {
            let rounds = world.resource::<RpgWorld>().0.limits.home_rounds.max(1) as u32;
            if round < rounds {
                begin_home_round(world, day, days, round + 1);
            } else {
                begin_evening(world, day, days);
            }
        }
        CampaignPhase::Evening { day, days } => begin_night(world, day, days),
        CampaignPhase::Night { day, days } if day < days => begin_day(world, day + 1, days),
        CampaignPhase::Night { .. } => next_step(world),
        CampaignPhase::Arrival { dungeon, fight } => begin_fight(world, dungeon, fight),
        CampaignPhase::Fight { dungeon, fight } => after_fight(world, dungeon, fight),
        CampaignPhase::Camp { dungeon, fight } => {
            after_camp(world, dungeon, fight, FightResult::Won);
        }
        CampaignPhase::Epilogue => {
            begin_closing(world);
            set_campaign_phase(world, CampaignPhase::Closing);
        }
        CampaignPhase::Closing => end_story(world),
        // A choice is never after a choice.
        CampaignPhase::Choice { .. } | CampaignPhase::Over => {}
    }
}

/// Whether the story may end after this phase. A fight is fought to its end.
fn is_running(phase: &CampaignPhase) -> bool {
    !matches!(
        phase,
        CampaignPhase::NotStarted
            | CampaignPhase::Kickoff
            | CampaignPhase::Arrival { .. }
            | CampaignPhase::Epilogue
            | CampaignPhase::Closing
            | CampaignPhase::Over
    )
}

fn set_campaign_phase(world: &mut World, phase: CampaignPhase) {
    world.resource_mut::<CampaignState>().phase = phase;
}

fn begin(world: &mut World) {
    let home = home_stages(world).into_iter();
    let people: Vec<_> = home.flat_map(|stage| on_stage(world, stage)).collect();
    acquaint(world, &people);
    let stages = all_of(world, Kind::Stage);
    for place in stages.into_iter().chain(all_of(world, Kind::WorldAgent)) {
        set_phase(world, place, Phase::Kickoff);
    }
    set_campaign_phase(world, CampaignPhase::Kickoff);
}

/// Begins the next step of the schedule; after the last, the campaign ends.
fn next_step(world: &mut World) {
    let file = world.resource::<RpgWorld>().0.clone();
    let mut campaign = world.resource_mut::<CampaignState>();
    let step = file.schedule.get(campaign.steps_done).cloned();
    campaign.steps_done += 1;
    match step {
        Some(Step::Home { days }) if days > 0 => begin_day(world, 1, days as u32),
        Some(Step::Home { .. }) => next_step(world),
        Some(Step::Dungeon(name)) => {
            let name: Arc<str> = name.into();
            let closed = world.resource::<ClosedDungeons>();
            if closed.0.contains(&name) {
                next_step(world);
            } else {
                enter_stage(world, name, 0);
            }
        }
        None => match reached_ending(world, true) {
            Some(ending) => finish(world, &ending),
            None => finish_without_ending(world),
        },
    }
}

// --- home ---

fn begin_day(world: &mut World, day: u32, days: u32) {
    let date = world.resource::<CampaignState>().days_done + 1;
    inform_home(
        world,
        Day {
            day: date,
            part: "begin".into(),
        },
    );
    send_neighbours_home(world);
    world.resource_mut::<Today>().0 = date;
    for stage in home_stages(world) {
        let opens = open_scene(world, stage);
        set_phase(world, stage, if opens { Phase::Plan } else { Phase::Scene });
    }
    let round = 1;
    set_campaign_phase(world, CampaignPhase::Home { day, days, round });
}

/// Whoever stays at home has slept there.
fn send_neighbours_home(world: &mut World) {
    let party = party(world);
    for actor in all_of(world, Kind::Actor) {
        let home = world.get::<Residence>(actor).cloned();
        if let Some(Residence(home)) = home.filter(|_| !party.contains(&actor)) {
            travel_to(world, actor, &home);
        }
    }
}

fn begin_home_round(world: &mut World, day: u32, days: u32, round: u32) {
    for stage in home_stages(world) {
        open_scene(world, stage);
        set_phase(world, stage, Phase::Plan);
    }
    set_campaign_phase(world, CampaignPhase::Home { day, days, round });
}

fn begin_evening(world: &mut World, day: u32, days: u32) {
    for agent in all_of(world, Kind::WorldAgent) {
        set_phase(world, agent, Phase::Announce);
    }
    set_campaign_phase(world, CampaignPhase::Evening { day, days });
}

fn begin_night(world: &mut World, day: u32, days: u32) {
    let date = world.resource::<CampaignState>().days_done + 1;
    inform_home(
        world,
        Day {
            day: date,
            part: "end".into(),
        },
    );
    world.resource_mut::<CampaignState>().days_done = date;
    heal_wounds(world);
    let agents = all_of(world, Kind::WorldAgent);
    for place in home_stages(world).into_iter().chain(agents) {
        set_phase(world, place, Phase::Summarize);
    }
    set_campaign_phase(world, CampaignPhase::Night { day, days });
}

// --- journeys ---

/// A fight of the world file, and the entity of its stage.
fn find_fight(world: &World, dungeon: &str, fight: usize) -> Option<(Fight, Entity)> {
    let mut dungeons = world.resource::<RpgWorld>().0.dungeons.iter();
    let dungeon = dungeons.find(|known| known.name == dungeon)?;
    let fight = dungeon.fights.get(fight)?.clone();
    let stage = world.resource::<CastList>().by_name(&fight.stage)?;
    Some((fight, stage))
}

/// The party goes to the stage of a fight, where its foes appear.
fn enter_stage(world: &mut World, dungeon: Arc<str>, fight: usize) {
    let Some((next, stage)) = find_fight(world, &dungeon, fight) else {
        return next_step(world);
    };
    let mut party = party(world);
    party.retain(|hero| !is_dead(world, *hero));
    let part = if fight == 0 { "enter" } else { "advance" };
    inform_of_journey(world, &dungeon, part, &next.stage, &party);
    for hero in party {
        travel(world, hero, stage);
    }
    if let Err(error) = spawn_foes(world, &next.foes, &next.stage) {
        let fault = Fault::Game(error.text());
        world.resource_mut::<Faults>().note(fault);
    }
    for foe in on_stage(world, stage) {
        introduce(world, foe, stage);
    }
    set_phase(world, stage, Phase::Kickoff);
    set_campaign_phase(world, CampaignPhase::Arrival { dungeon, fight });
}

fn begin_fight(world: &mut World, dungeon: Arc<str>, fight: usize) {
    let Some((_, stage)) = find_fight(world, &dungeon, fight) else {
        return next_step(world);
    };
    world.entity_mut(stage).insert(CurrentFight {
        dungeon: dungeon.clone(),
        fight,
        end: None,
    });
    set_phase(world, stage, Phase::FightBegin);
    set_campaign_phase(world, CampaignPhase::Fight { dungeon, fight });
}

/// The fight is over and archived; the party goes deeper or home.
fn after_fight(world: &mut World, dungeon: Arc<str>, fight: usize) {
    let Some((done, stage)) = find_fight(world, &dungeon, fight) else {
        return next_step(world);
    };
    let result = world.get::<CurrentFight>(stage).and_then(|done| done.end);
    let result = result.unwrap_or_default();
    let mut campaign = world.resource_mut::<CampaignState>();
    campaign.fights += 1;
    campaign.won += u32::from(result == FightResult::Won);
    report_battle(world, &dungeon, &done, stage, result);
    note_fight(world, &done.stage, stage, result);
    world.entity_mut(stage).remove::<CurrentFight>();
    clear_foes(world, stage);
    if result == FightResult::Won && open_scene(world, stage) {
        set_phase(world, stage, Phase::Plan);
        set_campaign_phase(world, CampaignPhase::Camp { dungeon, fight });
    } else {
        after_camp(world, dungeon, fight, result);
    }
}

/// The party goes deeper after a victory, or home.
fn after_camp(world: &mut World, dungeon: Arc<str>, fight: usize, result: FightResult) {
    if result == FightResult::Won && find_fight(world, &dungeon, fight + 1).is_some() {
        enter_stage(world, dungeon, fight + 1);
    } else {
        return_home(world, &dungeon);
    }
}

/// Remembers how a fight ended and who fell in it.
fn note_fight(world: &mut World, name: &str, stage: Entity, result: FightResult) {
    let mut fallen = on_stage(world, stage);
    fallen.retain(|actor| is_dead(world, *actor));
    let fallen = names(world, &fallen);
    let mut history = world.resource_mut::<History>();
    history.fights.push((name.into(), result));
    history.fallen.extend(fallen.into_iter().map(Arc::from));
}

/// The whole party goes home, fallen heroes included, with full health and without effects. Only
/// wounds remain.
fn return_home(world: &mut World, dungeon: &str) {
    let party = party(world);
    inform_of_journey(world, dungeon, "return", "", &party);
    send_home(world);
    tell_wounds(world);
    next_step(world);
}

fn send_home(world: &mut World) {
    for hero in party(world) {
        let mut entity = world.entity_mut(hero);
        entity.remove::<Dead>();
        entity.insert(Effects::default());
        if let Some(mut health) = entity.get_mut::<Health>() {
            health.hp = health.max;
        }
        if let Some(Residence(home)) = entity.get::<Residence>().cloned() {
            travel_to(world, hero, &home);
        }
    }
}

/// The foes leave the stage: those who return are hidden and keep their memory, others are
/// despawned.
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

/// The story ends with an ending: whoever is on a journey comes home, and everybody says what
/// became of them.
fn finish(world: &mut World, ending: &Ending) {
    send_home(world);
    begin_epilogue(world, ending);
    set_campaign_phase(world, CampaignPhase::Epilogue);
}

/// A world without endings ends with how its fights went.
fn finish_without_ending(world: &mut World) {
    let CampaignState { won, fights, .. } = *world.resource::<CampaignState>();
    let party = names(world, &party(world));
    inform_home(world, Homecoming { won, fights, party });
    set_campaign_phase(world, CampaignPhase::Over);
    let phrases = world.resource::<Phrasebook>();
    let last_words = phrases.render(&FINISHED, &Score { won, fights });
    let last_words = last_words.unwrap_or_else(|_| format!("{won}/{fights}"));
    world.insert_resource(StoryEnd(last_words));
}

fn end_story(world: &mut World) {
    set_campaign_phase(world, CampaignPhase::Over);
    let ending = world.resource::<History>().ending.clone();
    let story = world.resource::<StoryData>();
    let ending = ending.and_then(|id| story.ending(&id));
    let title = ending.map(|ending| ending.title.clone());
    world.insert_resource(StoryEnd(title.unwrap_or_default()));
}

// --- who learns of it ---

/// Informs the world agents, every home stage and the living on it.
fn inform_home(world: &mut World, event: impl AgentEvent) {
    let mut audience = all_of(world, Kind::WorldAgent);
    for stage in home_stages(world) {
        audience.push(stage);
        let mut living = on_stage(world, stage);
        living.retain(|actor| !is_dead(world, *actor));
        audience.extend(living);
    }
    write_events_at_meeting(world, |events| events.notify_entities(&audience, event));
}

/// Informs the party, the stage that it reaches, the world agents and everybody at home of a
/// journey.
fn inform_of_journey(world: &mut World, dungeon: &str, part: &str, stage: &str, party: &[Entity]) {
    let event = Journey {
        dungeon: dungeon.into(),
        part: part.into(),
        stage: stage.into(),
        party: names(world, party),
    };
    let mut audience = party.to_vec();
    audience.extend(world.resource::<CastList>().by_name(stage));
    audience.extend(all_of(world, Kind::WorldAgent));
    for stage in home_stages(world) {
        audience.push(stage);
        audience.extend(on_stage(world, stage));
    }
    let audience: BTreeSet<(StableId, Entity)> = audience
        .into_iter()
        .map(|entity| (stable_id(world, entity), entity))
        .collect();
    let audience: Vec<_> = audience.into_iter().map(|(_, entity)| entity).collect();
    write_events_at_meeting(world, |events| events.notify_entities(&audience, event));
}

/// Informs the world agents of how a fight ended; what was said in it stays there.
fn report_battle(
    world: &mut World,
    dungeon: &str,
    fight: &Fight,
    stage: Entity,
    result: FightResult,
) {
    let mut fallen = party(world);
    fallen.retain(|hero| is_dead(world, *hero) && stage_of(world, *hero) == Some(stage));
    let event = BattleReport {
        dungeon: dungeon.into(),
        stage: fight.stage.clone(),
        result,
        foes: fight.foes.clone(),
        fallen: names(world, &fallen),
    };
    let agents = all_of(world, Kind::WorldAgent);
    write_events_at_meeting(world, |events| events.notify_entities(&agents, event));
}

// --- who is where; at a meeting the whole world may be read ---

fn home_stages(world: &World) -> Vec<Entity> {
    let mut stages = all_of(world, Kind::Stage);
    stages.retain(|stage| world.get::<HomeStage>(*stage).is_some());
    stages
}

fn stage_of(world: &World, actor: Entity) -> Option<Entity> {
    world.get::<OnStage>(actor).map(|stage| stage.0)
}

fn on_stage(world: &World, stage: Entity) -> Vec<Entity> {
    let mut actors = all_of(world, Kind::Actor);
    actors.retain(|actor| stage_of(world, *actor) == Some(stage));
    actors
}

fn is_dead(world: &World, actor: Entity) -> bool {
    world.get::<Dead>(actor).is_some()
}

/// All heroes, fallen ones included.
fn party(world: &World) -> Vec<Entity> {
    let mut party = all_of(world, Kind::Actor);
    party.retain(|actor| {
        let faction = world.get::<Faction>(*actor);
        faction.is_some_and(|faction| &*faction.0 == HERO)
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
