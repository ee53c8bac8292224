//! Stories begin: everybody gets its kickoff message and answers it.

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Appearance, Faction, Kind, Whereabouts};
use playhouse_engine::engine::Setup;
use playhouse_engine::event::kinds::Kickoff;
use playhouse_engine::event::{EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Prose, Question};
use playhouse_engine::message::Tag;
use serde::Serialize;

use super::components::{HomeStage, KickedOff, RpgWorld};
use super::phase::{CampaignSet, CurrentPlace, Phase, in_phase};
use super::question::{ProseForm, Writer, are_left_out};
use super::spawn::FOE;
use super::speaker::Speaker;
use super::world_file::{Dungeon, Stage, WorldFile};

const KICKOFF: ProseForm = ProseForm {
    fallback: KickoffData::FALLBACK,
    max_chars: 1_500,
    min_letters: 6,
};

/// The data of the question with which a story begins.
#[derive(Default, Serialize, Prompt)]
#[prompt(
    self.template,
    ACTOR = "asks/kickoff_actor",
    STAGE = "asks/kickoff_stage",
    FALLBACK = "fallback/kickoff",
    purpose = "kickoff"
)]
pub(super) struct KickoffData<'a> {
    #[serde(skip)]
    template: &'static str,
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    faction: Option<&'a str>,
    profile: &'a str,
    kickoff: &'a str,
    look: Option<&'a str>,
    place: &'a str,
    place_profile: Option<&'a str>,
    home: bool,
    exits: Option<Vec<String>>,
    present: Vec<PresentActor>,
    companions: &'a [String],
    heroes: Vec<&'a str>,
    dungeons: Vec<&'a str>,
    talked_about: Vec<TalkedAbout<'a>>,
    speaker: Speaker<'a>,
}

pub(super) fn plugin(setup: &mut Setup) {
    let take = take_kickoffs.run_if(in_phase(Phase::KickoffDone));
    let ask = ask_kickoffs.run_if(in_phase(Phase::Kickoff));
    setup
        .step
        .add_systems((take, ask).chain().in_set(CampaignSet::Kickoff));
}

/// Everybody here whose story has not begun is asked to begin it. What foes, world agents and
/// places where nobody is yet would answer is heard by nobody: they read their kickoff in their
/// system message, and are not asked.
pub(super) fn ask_kickoffs(
    world: Res<RpgWorld>,
    whereabouts: Whereabouts,
    begun: Query<Has<KickedOff>>,
    traits: Query<(Has<HomeStage>, Option<&Faction>)>,
    appearances: Query<&Appearance>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.entity() else {
        return;
    };
    let living = whereabouts.living_on(place);
    let everybody = std::iter::once(place).chain(living.iter().copied());
    for entity in everybody.filter(|entity| begun.get(*entity) == Ok(false)) {
        let Some((name, kind)) = whereabouts.name(entity).zip(whereabouts.kind(entity)) else {
            continue;
        };
        let (is_home, faction) = traits.get(entity).unwrap_or_default();
        let is_foe = faction.is_some_and(|faction| &*faction.0 == FOE);
        let is_asked = match kind {
            Kind::Stage => is_home && !living.is_empty(),
            Kind::Actor => !is_foe,
            Kind::WorldAgent => false,
        };
        if !is_asked {
            continue;
        }
        let companions = names_without(&whereabouts, &living, entity);
        let place_name = whereabouts.name_text(place);
        let sees = world.0.sees(&name.0);
        let mut present = present_without(&whereabouts, &appearances, &living, entity);
        present
            .iter_mut()
            .filter(|_| !sees)
            .for_each(|other| other.look.clear());
        let data = KickoffData {
            template: match kind {
                Kind::Stage => KickoffData::STAGE,
                Kind::Actor | Kind::WorldAgent => KickoffData::ACTOR,
            },
            kind: kind_name(kind),
            faction: faction.map(|faction| &*faction.0),
            home: is_home,
            present,
            companions: &companions,
            ..data(&world.0, &name.0, &place_name)
        };
        let writer = Writer {
            name: &name.0,
            silent: match kind {
                Kind::Stage => &companions,
                Kind::Actor | Kind::WorldAgent => &[],
            },
            ..Writer::default()
        };
        let ask = KICKOFF.ask(events.phrases(), &world.0, writer, &data);
        let ask = ask.map(|ask| ask.tag(Tag::KICKOFF.of(&*name.0)).without_tools());
        events.insert_or_fault(&mut commands, entity, ask);
    }
    current.set_phase(Phase::KickoffDone);
}

/// What a stage answers is seen by its occupants; what others answer stays private.
pub(super) fn take_kickoffs(
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
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
            Some(Kind::Stage) => events.broadcast_to_stage(entity, event, &[entity]),
            _ if are_left_out(events.phrases(), KickoffData::PURPOSE, &event.message) => {}
            _ => events.think(entity, event),
        }
    }
    current.set_phase(Phase::Idle);
}

/// What the world file says of an actor and of its place.
fn data<'a>(world: &'a WorldFile, name: &'a str, place: &'a str) -> KickoffData<'a> {
    let (profile, kickoff) = texts_of(world, name);
    let stage = world.stage(place);
    let dungeons = world.dungeons.iter();
    KickoffData {
        me: name,
        name,
        profile,
        kickoff,
        look: world.actor(name).map(|actor| actor.look.as_str()),
        place,
        place_profile: stage.map(|stage| {
            if world.sees(name) {
                &*stage.profile
            } else {
                ""
            }
        }),
        exits: stage.map(Stage::exits),
        heroes: world.heroes().map(|hero| hero.name.as_str()).collect(),
        talked_about: dungeons.clone().map(TalkedAbout::of).collect(),
        dungeons: dungeons.map(|dungeon| dungeon.name.as_str()).collect(),
        speaker: Speaker::of(world, name),
        ..KickoffData::default()
    }
}

/// A dungeon of which people at home have heard.
#[derive(Serialize)]
struct TalkedAbout<'a> {
    name: &'a str,
    profile: &'a str,
}

impl<'a> TalkedAbout<'a> {
    fn of(dungeon: &'a Dungeon) -> Self {
        Self {
            name: &dungeon.name,
            profile: &dungeon.profile,
        }
    }
}

/// The profile and the kickoff message of an actor; empty if the world file does not know it.
fn texts_of<'a>(world: &'a WorldFile, name: &str) -> (&'a str, &'a str) {
    if let Some(stage) = world.stage(name) {
        (&stage.profile, &stage.kickoff)
    } else {
        world
            .actor(name)
            .map_or(("", ""), |actor| (&actor.profile, &actor.kickoff))
    }
}

/// What prompts call a kind of entity.
pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Actor => "actor",
        Kind::Stage => "stage",
        Kind::WorldAgent => "world",
    }
}

/// The names of some entities without one of them.
pub(super) fn names_without(
    whereabouts: &Whereabouts,
    entities: &[Entity],
    without: Entity,
) -> Vec<String> {
    let others = entities.iter().filter(|entity| **entity != without);
    others
        .filter_map(|entity| Some(whereabouts.name(*entity)?.to_string()))
        .collect()
}

#[derive(Serialize)]
pub(super) struct PresentActor {
    name: String,
    look: String,
}

/// The names of those who have fallen and lie on a stage; foes are not told of.
pub(super) fn fallen(whereabouts: &Whereabouts, file: &WorldFile, stage: Entity) -> Vec<String> {
    let lying = whereabouts
        .on_stage(stage)
        .into_iter()
        .filter(|actor| !whereabouts.is_alive(*actor))
        .map(|actor| whereabouts.name_text(actor));
    lying.filter(|name| file.actor(name).is_some()).collect()
}

/// How some entities look to one of them.
pub(super) fn present_without(
    whereabouts: &Whereabouts,
    appearances: &Query<&Appearance>,
    entities: &[Entity],
    without: Entity,
) -> Vec<PresentActor> {
    let others = entities.iter().filter(|entity| **entity != without);
    let present = others.map(|other| {
        let look = appearances.get(*other);
        PresentActor {
            name: whereabouts.name_text(*other),
            look: look.map(|look| look.0.to_string()).unwrap_or_default(),
        }
    });
    present.collect()
}
