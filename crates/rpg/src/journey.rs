//! Journeys: the party sets out, talks, fights, and comes home.
//!
//! Each step returns the phase that begins with it, or `None` if the journey is over.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    CastList, Dead, EntityName, Gone, Kind, OnStage, all_of, dismiss, is_dead, stable_id, stage_of,
};
use playhouse_engine::event::{Fault, Faults, write_events_at_meeting};
use playhouse_engine::locale::Localize;

use super::campaign_phase::{CampaignPhase, CampaignState, FightPlace};
use super::combat::Combat;
use super::combat::resolve::set_aside_what_holds;
use super::combat::wounds::tell_wounds;
use super::components::{
    ClosedDungeons, CurrentFight, Departure, FightResult, Foe, Health, Residence, RpgWorld,
    StatusEffects,
};
use super::events::{BattleReport, Journey};
use super::everybody::{home_stages, names, on_stage, party, set_phase};
use super::phase::Phase;
use super::scenes::judge::judge_scenes;
use super::scenes::open::open_talk;
use super::spawn::spawn_foes;
use super::travel::{acquaint, introduce, travel, travel_to};
use super::world_file::Fight;
use crate::drama::{History, Occasion};

/// The party sets out for a dungeon, unless it will not go there any more.
pub(super) fn set_out(world: &mut World, dungeon: Arc<str>) -> Option<CampaignPhase> {
    let is_closed = world.resource::<ClosedDungeons>().0.contains(&dungeon);
    let at = FightPlace { dungeon, fight: 0 };
    (!is_closed).then(|| go_deeper(world, at)).flatten()
}

/// The part of a journey after a phase.
pub(super) fn continue_journey(world: &mut World, phase: CampaignPhase) -> Option<CampaignPhase> {
    match phase {
        CampaignPhase::Travel { at } => meet_foes(world, at),
        CampaignPhase::Arrival { at } => begin_fight(world, at),
        CampaignPhase::Fight { at } => after_fight(world, at),
        CampaignPhase::Camp { at } => after_camp(world, at),
        CampaignPhase::Retreat { dungeon } => return_home(world, dungeon),
        _ => None,
    }
}

/// The party reaches the stage of a fight, and talks before it meets its foes.
fn go_deeper(world: &mut World, at: FightPlace) -> Option<CampaignPhase> {
    let (next, stage) = find_fight(world, &at)?;
    let mut party = party(world);
    party.retain(|hero| !is_dead(world, *hero));
    let part = if at.fight == 0 { "enter" } else { "advance" };
    inform_of_journey(world, &at.dungeon, part, &next.stage, &party);
    for hero in party {
        travel(world, hero, stage);
    }
    begin_talk(world, CampaignPhase::Travel { at })
}

/// A phase of talk begins, once what its scenes depend on is judged. If nobody talks, the journey
/// continues.
pub(super) fn begin_talk(world: &mut World, phase: CampaignPhase) -> Option<CampaignPhase> {
    let limits = world.resource::<RpgWorld>().0.limits;
    let stage_of_fight = |at: &FightPlace| -> Vec<Entity> {
        find_fight(world, at)
            .into_iter()
            .map(|(_, stage)| stage)
            .collect()
    };
    let party = party(world);
    let party_is_there = |stage: &Entity| {
        let mut party = party.iter();
        party.any(|hero| stage_of(world, *hero) == Some(*stage))
    };
    let home = home_stages(world);
    let (occasion, turns, stages) = match &phase {
        // Those who go deeper have talked at their camp.
        CampaignPhase::Travel { at } => {
            let turns = if at.fight == 0 {
                limits.travel_turns
            } else {
                0
            };
            (Occasion::Travel, turns, stage_of_fight(at))
        }
        CampaignPhase::Camp { at } => (Occasion::Camp, limits.camp_turns, stage_of_fight(at)),
        CampaignPhase::Retreat { .. } => {
            let mut stages = all_of(world, Kind::Stage);
            stages.retain(|stage| !home.contains(stage) && party_is_there(stage));
            (Occasion::Retreat, limits.return_turns, stages)
        }
        _ => {
            let stages = home.into_iter().filter(party_is_there).collect();
            (Occasion::Return, limits.return_turns, stages)
        }
    };
    if judge_scenes(world, occasion, &stages) {
        let after = Box::new(phase);
        return Some(CampaignPhase::Judge { after });
    }
    let mut talks = false;
    for stage in stages {
        talks |= open_talk(world, stage, occasion, turns);
    }
    if talks {
        Some(phase)
    } else {
        continue_journey(world, phase)
    }
}

/// The foes of a fight appear.
fn meet_foes(world: &mut World, at: FightPlace) -> Option<CampaignPhase> {
    let (next, stage) = find_fight(world, &at)?;
    if let Err(error) = spawn_foes(world, &next.foes, &next.stage) {
        let fault = Fault::Game(error.text());
        world.resource_mut::<Faults>().note(fault);
    }
    let mut foes = on_stage(world, stage);
    foes.retain(|actor| world.get::<Foe>(*actor).is_some());
    acquaint(world, &foes, &[], &[]);
    for foe in foes {
        introduce(world, foe, stage);
    }
    set_phase(world, stage, Phase::Kickoff);
    Some(CampaignPhase::Arrival { at })
}

fn begin_fight(world: &mut World, at: FightPlace) -> Option<CampaignPhase> {
    let (_, stage) = find_fight(world, &at)?;
    for actor in on_stage(world, stage) {
        set_aside_what_holds(world, actor);
    }
    world.entity_mut(stage).insert(CurrentFight {
        dungeon: at.dungeon.clone(),
        fight: at.fight,
        end: None,
    });
    set_phase(world, stage, Phase::FightBegin);
    Some(CampaignPhase::Fight { at })
}

/// The fight is over and archived; the party talks, and goes deeper or home.
fn after_fight(world: &mut World, at: FightPlace) -> Option<CampaignPhase> {
    let (done, stage) = find_fight(world, &at)?;
    let result = world.get::<CurrentFight>(stage).and_then(|done| done.end);
    let result = result.unwrap_or_default();
    let mut campaign = world.resource_mut::<CampaignState>();
    campaign.fights += 1;
    campaign.won += u32::from(result == FightResult::Won);
    report_battle(world, &at.dungeon, &done, stage, result);
    note_fight(world, &done.stage, stage, result);
    world.entity_mut(stage).remove::<CurrentFight>();
    clear_foes(world, stage);
    let talk = match result {
        FightResult::Won => CampaignPhase::Camp { at },
        _ => CampaignPhase::Retreat {
            dungeon: at.dungeon,
        },
    };
    begin_talk(world, talk)
}

/// The party goes deeper after a victory, or home.
fn after_camp(world: &mut World, at: FightPlace) -> Option<CampaignPhase> {
    let fight = at.fight + 1;
    let next = FightPlace { fight, ..at };
    if find_fight(world, &next).is_some() {
        go_deeper(world, next)
    } else {
        return_home(world, next.dungeon)
    }
}

/// The whole party goes home, fallen heroes included, with full health and without effects. Only
/// wounds remain. At home it talks.
fn return_home(world: &mut World, dungeon: Arc<str>) -> Option<CampaignPhase> {
    let party = party(world);
    inform_of_journey(world, &dungeon, "return", "", &party);
    let mut fallen = party;
    fallen.retain(|hero| is_dead(world, *hero));
    send_home(world);
    tell_wounds(world, &fallen);
    begin_talk(world, CampaignPhase::Return { dungeon })
}

/// A fight of the world file, and the entity of its stage.
fn find_fight(world: &World, at: &FightPlace) -> Option<(Fight, Entity)> {
    let dungeon = world.resource::<RpgWorld>().0.dungeon(&at.dungeon)?;
    let fight = dungeon.fights.get(at.fight)?.clone();
    let stage = world.resource::<CastList>().by_name(&fight.stage)?;
    Some((fight, stage))
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

/// Everybody of the party is at home and well.
pub(super) fn send_home(world: &mut World) {
    for hero in party(world) {
        let mut entity = world.entity_mut(hero);
        entity.remove::<Dead>();
        entity.insert(StatusEffects::default());
        if let Some(mut health) = entity.get_mut::<Health>() {
            health.hp = health.max;
        }
        if let Some(Residence(home)) = entity.get::<Residence>().cloned() {
            travel_to(world, hero, &home);
        }
    }
}

/// The foes leave the stage: those who return are hidden, others leave the story.
fn clear_foes(world: &mut World, stage: Entity) {
    for foe in on_stage(world, stage) {
        let returns = world.get::<Foe>(foe).map(|foe| foe.returns);
        if returns == Some(true) {
            world.entity_mut(foe).remove::<OnStage>();
        } else if returns == Some(false) {
            let name = world.get::<EntityName>(foe).map(|name| name.0.clone());
            let combat = world.get::<Combat>(stage);
            let departure = combat
                .zip(name)
                .and_then(|(combat, name)| combat.departure(&name));
            dismiss(world, foe, departure.map_or(Gone::Left, Departure::gone));
        }
    }
}

/// Informs the party, the stage that it reaches and the world agents of a journey, and everybody at
/// home of how it begins and ends.
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
    if part != "advance" {
        for stage in home_stages(world) {
            audience.push(stage);
            audience.extend(on_stage(world, stage));
        }
    }
    audience.sort_by_key(|entity| stable_id(world, *entity));
    audience.dedup();
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
    // Not all whom the world file names need be there.
    let combat = world.get::<Combat>(stage);
    let foes = combat.map(|combat| combat.foes.iter().map(ToString::to_string).collect());
    let event = BattleReport {
        dungeon: dungeon.into(),
        stage: fight.stage.clone(),
        result,
        foes: foes.unwrap_or_else(|| fight.foes.clone()),
        fallen: names(world, &fallen),
    };
    let agents = all_of(world, Kind::WorldAgent);
    write_events_at_meeting(world, |events| events.notify_entities(&agents, event));
}
