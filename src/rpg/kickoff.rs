//! Stories begin: everybody gets its kickoff message and answers it.

use bevy_ecs::prelude::*;
use serde_json::{Value, json};

use super::components::{HomeStage, KickedOff, RpgWorld};
use super::phase::{Part, Phase, at};
use super::world_file::WorldFile;
use crate::cast::{CurrentStage, EntityName, Faction, Kind, Whereabouts};
use crate::engine::Setup;
use crate::event::kinds::Kickoff;
use crate::event::{EventWriter, Fault};
use crate::exchange::{Answers, Ask, Prose, ProseRules};
use crate::message::Tag;

/// Adds the systems of this file.
pub fn plugin(setup: &mut Setup) {
    let take = take_kickoffs.run_if(at(Phase::KickoffDone));
    let ask = ask_kickoffs.run_if(at(Phase::Kickoff));
    setup
        .step
        .add_systems((take, ask).chain().in_set(Part::Kickoff));
}

/// Everybody here whose story has not begun is asked to begin it.
pub fn ask_kickoffs(
    here: Res<CurrentStage>,
    world: Res<RpgWorld>,
    whereabouts: Whereabouts,
    begun: Query<Has<KickedOff>>,
    traits: Query<(Has<HomeStage>, Option<&Faction>)>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(place) = *here else {
        return;
    };
    let mut everybody = vec![place];
    everybody.extend(whereabouts.living_on(place));
    everybody.retain(|entity| begun.get(*entity) == Ok(false));
    for &entity in &everybody {
        let Some((name, kind)) = whereabouts.name(entity).zip(whereabouts.kind(entity)) else {
            continue;
        };
        let (is_home, camp) = traits.get(entity).unwrap_or_default();
        let is_foe = camp.is_some_and(|camp| &*camp.0 == super::enter::FOE);
        let mut others = whereabouts.living_on(place);
        if is_foe {
            // Whoever lies in wait does not know yet who comes.
            others.retain(|other| whereabouts.same_side(entity, *other));
        }
        let present = names(&whereabouts, &others, entity);
        let place_name = whereabouts
            .name(place)
            .map(ToString::to_string)
            .unwrap_or_default();
        let mut notes = notes(&world.0, name, kind, &place_name, &present, is_home);
        if let Some(camp) = camp {
            notes["camp"] = Value::from(&*camp.0);
        }
        let phrase = match kind {
            Kind::Stage => "asks/kickoff_stage",
            Kind::WorldAgent => "asks/kickoff_world",
            Kind::Actor if is_foe => "asks/kickoff_foe",
            Kind::Actor => "asks/kickoff_actor",
        };
        let prompt = tell.phrases().say(phrase, &notes);
        let fallback = tell.phrases().say(
            "fallback/kickoff",
            &json!({"name": name.0, "place": place_name, "kind": kind}),
        );
        match prompt.and_then(|prompt| Ok((prompt, fallback?))) {
            Ok((prompt, fallback)) => {
                let rules = ProseRules {
                    max_chars: 1_500,
                    language: Some(world.0.language),
                    ..ProseRules::default()
                };
                let ask = Ask::new("kickoff", prompt, rules, Prose(fallback))
                    .tag(Tag::Kickoff(name.0.clone()))
                    .notes(notes)
                    .max_tokens(world.0.limits.reply_tokens.max(1) as u32)
                    .without_tools();
                commands.entity(entity).insert(ask);
            }
            Err(reason) => tell.fault(Fault::Game(reason.into())),
        }
    }
    if let Ok(mut phase) = phases.get_mut(place) {
        *phase = Phase::KickoffDone;
    }
}

/// What a stage shows, its occupants see; what others feel is their own.
pub fn take_kickoffs(
    here: Res<CurrentStage>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(place) = *here else {
        return;
    };
    for (entity, Prose(message), _by) in answers.take() {
        commands.entity(entity).insert(KickedOff);
        let Some(name) = whereabouts.name(entity) else {
            continue;
        };
        let event = Kickoff {
            actor: name.to_string(),
            message,
        };
        match whereabouts.kind(entity) {
            Some(Kind::Stage) => tell.broadcast_to_stage(entity, event, &[entity]),
            _ => tell.think(entity, event),
        }
    }
    if let Ok(mut phase) = phases.get_mut(place) {
        *phase = Phase::Rest;
    }
}

/// The facts of a kickoff prompt; they are its notes too.
fn notes(
    world: &WorldFile,
    name: &EntityName,
    kind: Kind,
    place: &str,
    present: &[String],
    is_home: bool,
) -> Value {
    let by_name = |all: &[(String, String, String)]| {
        let found = all.iter().find(|(other, ..)| *other == *name.0);
        found
            .map(|(_, profile, kickoff)| (profile.clone(), kickoff.clone()))
            .unwrap_or_default()
    };
    let stages = world
        .stages
        .iter()
        .map(|s| (s.name.clone(), s.profile.clone(), s.kickoff.clone()));
    let actors = world
        .actors
        .iter()
        .map(|a| (a.name.clone(), a.profile.clone(), a.kickoff.clone()));
    let agents = world
        .agents
        .iter()
        .map(|a| (a.name.clone(), a.profile.clone(), a.kickoff.clone()));
    let foes = world
        .foes
        .iter()
        .map(|f| (f.name.clone(), f.profile.clone(), f.kickoff.clone()));
    let (profile, kickoff) = by_name(
        &stages
            .chain(actors)
            .chain(agents)
            .chain(foes)
            .collect::<Vec<_>>(),
    );
    let look = world
        .actors
        .iter()
        .find(|actor| actor.name == *name.0)
        .map(|actor| &actor.look);
    let here = world.stages.iter().find(|stage| stage.name == place);
    let heroes = world
        .actors
        .iter()
        .filter(|actor| actor.camp == super::world_file::Faction::Hero);
    let dungeons: Vec<_> = world.dungeons.iter().map(|dungeon| &dungeon.name).collect();
    json!({
        "me": name.0,
        "name": name.0,
        "kind": kind_word(kind),
        "place": if kind == Kind::WorldAgent { "" } else { place },
        "place_profile": here.map(|stage| &stage.profile),
        "profile": profile,
        "kickoff": kickoff,
        "look": look,
        "present": present,
        "companions": present,
        "home": is_home,
        "exits": here.map(|stage| &stage.connects),
        "heroes": heroes.map(|hero| &hero.name).collect::<Vec<_>>(),
        "dungeons": dungeons,
    })
}

/// The word for a kind in notes.
pub(super) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Actor => "actor",
        Kind::Stage => "stage",
        Kind::WorldAgent => "world",
    }
}

/// The names of some entities, without one.
pub(super) fn names(whereabouts: &Whereabouts, all: &[Entity], without: Entity) -> Vec<String> {
    let others = all.iter().filter(|entity| **entity != without);
    others
        .filter_map(|entity| Some(whereabouts.name(*entity)?.to_string()))
        .collect()
}
