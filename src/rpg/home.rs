//! Days at home: stages describe themselves, actors plan and act, voices of the world announce.

use bevy_ecs::prelude::*;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::campaign::{Act, Campaign};
use super::components::{LastFight, RpgWorld, Secrets};
use super::events::Scene;
use super::kickoff::names;
use super::phase::{Part, Phase, at};
use super::plan::{Plan, PlanFacts, Words};
use super::query::search;
use super::travel::walk;
use super::world_file::{Step, WorldFile};
use crate::cast::{CastList, Chance, Exits, Here, Look, Whereabouts};
use crate::context::{AgentContext, Chapters};
use crate::engine::Setup;
use crate::event::kinds::{Announce, Mind, Query as Asked, Refusal, Speak, Whisper};
use crate::event::{Fault, Tell};
use crate::exchange::{Answers, Ask, Prose, ProseRules};
use crate::message::Role;

/// Adds the systems of this file.
pub fn plugin(setup: &mut Setup) {
    let systems = (
        take_scene.run_if(at(Phase::SceneDone)),
        ask_scene.run_if(at(Phase::Scene)),
        take_plans.run_if(at(Phase::PlanDone)),
        ask_plans.run_if(at(Phase::Plan)),
        take_announcement.run_if(at(Phase::HeraldDone)),
        ask_announcement.run_if(at(Phase::Herald)),
    );
    setup.step.add_systems(systems.chain().in_set(Part::Home));
}

// --- the stage ---

/// A home stage describes how the day begins on it.
pub fn ask_scene(
    here: Res<Here>,
    world: Res<RpgWorld>,
    campaign: Res<Campaign>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut phases: Query<&mut Phase>,
    mut tell: Tell,
    mut commands: Commands,
) {
    let Here::Place(stage) = *here else { return };
    let Ok(mut phase) = phases.get_mut(stage) else {
        return;
    };
    *phase = Phase::SceneDone;
    let Some(name) = whereabouts.name(stage) else {
        return;
    };
    let day = campaign.days_done + 1;
    let profile = world.0.stages.iter().find(|other| other.name == *name.0);
    let facts = json!({
        "me": name.0, "name": name.0, "kind": "stage", "place": name.0,
        "day": day,
        "present": names(&whereabouts, &whereabouts.living_on(stage), stage),
        "profile": profile.map(|stage| &stage.profile),
        "news": contexts.get(stage).ok().and_then(|context| last_of(context, "announce")).unwrap_or_default(),
        "last_news": contexts.get(stage).ok().and_then(|context| last_of(context, "announce")).unwrap_or_default(),
    });
    let ask = || {
        let phrases = tell.phrases();
        let fallback = Prose(phrases.say("fallback/scene", &facts)?);
        let rules = prose_rules(&world.0, 1_200);
        let ask = Ask::new(
            "home.scene",
            phrases.say("asks/scene", &facts)?,
            rules,
            fallback,
        );
        Ok(ask.condensed(phrases.say("asks/scene_short", &facts)?))
    };
    match ask() {
        Ok(ask) => {
            let ask = ask.max_tokens(reply_tokens(&world.0)).notes(facts);
            commands.entity(stage).insert(ask);
        }
        Err(reason) => game_fault(&mut tell, reason),
    }
}

/// Everybody on the stage sees what it described; then they plan.
pub fn take_scene(
    here: Res<Here>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut phases: Query<&mut Phase>,
    mut tell: Tell,
) {
    let Here::Place(stage) = *here else { return };
    for (entity, Prose(message), _by) in answers.take() {
        let stage = whereabouts
            .name(entity)
            .map(ToString::to_string)
            .unwrap_or_default();
        tell.broadcast_to_stage(entity, Scene { stage, message }, &[entity]);
    }
    if let Ok(mut phase) = phases.get_mut(stage) {
        *phase = Phase::Plan;
    }
}

// --- the actors ---

/// Every living actor on a home stage plans: a thought and exactly one action.
pub fn ask_plans(
    here: Res<Here>,
    world: Res<RpgWorld>,
    campaign: Res<Campaign>,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    minds: Query<(&AgentContext, Option<&Secrets>, Option<&LastFight>)>,
    looks: Query<&Look>,
    mut phases: Query<&mut Phase>,
    mut tell: Tell,
    mut commands: Commands,
) {
    let Here::Place(stage) = *here else { return };
    let Ok(mut phase) = phases.get_mut(stage) else {
        return;
    };
    let living = whereabouts.living_on(stage);
    *phase = if living.is_empty() {
        Phase::Rest
    } else {
        Phase::PlanDone
    };
    let ways = exits
        .get(stage)
        .map(|exits| exits.0.as_slice())
        .unwrap_or_default();
    let ways = ways
        .iter()
        .filter_map(|id| whereabouts.name(list.by_id(*id)?));
    let ways: Vec<_> = ways.map(ToString::to_string).collect();
    for &actor in &living {
        let Ok((context, secrets, last_fight)) = minds.get(actor) else {
            continue;
        };
        let legal = PlanFacts {
            present: names(&whereabouts, &living, actor),
            exits: ways.clone(),
            whisper: world.0.limits.whisper,
            speech_chars: world.0.limits.speech_chars.max(1) as usize,
        };
        let present = living.iter().filter(|other| **other != actor).map(|other| {
            let look = looks
                .get(*other)
                .map(|look| look.0.to_string())
                .unwrap_or_default();
            let name = whereabouts.name(*other).map(ToString::to_string);
            json!({"name": name.unwrap_or_default(), "look": look})
        });
        let place = whereabouts
            .name(stage)
            .map(ToString::to_string)
            .unwrap_or_default();
        let name = whereabouts
            .name(actor)
            .map(ToString::to_string)
            .unwrap_or_default();
        let facts = json!({
            "me": name, "name": name, "kind": "actor", "place": place,
            "day": campaign.days_done + 1,
            "round": round_of(&campaign),
            "rounds": world.0.limits.home_rounds.max(1),
            "present": present.collect::<Vec<_>>(),
            "exits": ways,
            "heard": heard(context),
            "next_dungeon": next_dungeon(&world.0, &campaign),
            "last_fight": last_fight,
            "secrets": secret_texts(&world.0, secrets),
            "whisper": legal.whisper,
            "speech_chars": legal.speech_chars,
            "refused": refused(context),
        });
        match plan_ask(&world.0, &tell, &facts, legal) {
            Ok(ask) => {
                commands.entity(actor).insert(ask.notes(facts));
            }
            Err(reason) => game_fault(&mut tell, reason),
        }
    }
}

fn plan_ask(
    world: &WorldFile,
    tell: &Tell,
    facts: &Value,
    legal: PlanFacts,
) -> Result<Ask<Plan>, String> {
    let phrases = tell.phrases();
    let fallback = Plan::wait(
        phrases.say("fallback/plan_mind", facts)?,
        phrases.say("fallback/plan_wait", facts)?,
    );
    let ask = Ask::new(
        "home.plan",
        phrases.say("asks/plan", facts)?,
        legal,
        fallback,
    )
    .condensed(phrases.say("asks/plan_short", facts)?)
    .max_tokens(reply_tokens(world));
    Ok(ask)
}

/// Plans are carried out in a seeded order; what the rules refuse is told to its actor.
pub fn take_plans(
    here: Res<Here>,
    world: Res<RpgWorld>,
    chance: Chance,
    mut answers: Answers<Plan>,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    chapters: Query<&Chapters>,
    mut phases: Query<&mut Phase>,
    mut tell: Tell,
) {
    let Here::Place(stage) = *here else { return };
    let mut plans = answers.take();
    plans.shuffle(&mut chance.stream("order of plans"));
    for (entity, plan, _by) in plans {
        let Some(name) = whereabouts.name(entity) else {
            continue;
        };
        let actor = name.to_string();
        let thought = Mind {
            actor: actor.clone(),
            message: plan.mind,
        };
        tell.think(entity, thought);
        if let Some(Words { target, text }) = plan.speak {
            match present(&whereabouts, &list, stage, &target) {
                Some(_) => {
                    let event = Speak {
                        actor,
                        target,
                        message: text,
                    };
                    tell.broadcast_to_stage(entity, event, &[entity]);
                }
                None => refuse(
                    &mut tell,
                    entity,
                    actor,
                    "speak",
                    "refusals/nobody_there",
                    &json!({"target": target}),
                ),
            }
        } else if let Some(Words { target, text }) = plan.whisper {
            match present(&whereabouts, &list, stage, &target) {
                Some(ear) => {
                    let event = Whisper {
                        actor,
                        target,
                        message: text,
                    };
                    tell.notify_entities(&[ear], event);
                }
                None => refuse(
                    &mut tell,
                    entity,
                    actor,
                    "whisper",
                    "refusals/nobody_there",
                    &json!({"target": target}),
                ),
            }
        } else if let Some(said) = plan.announce {
            let from = whereabouts
                .name(stage)
                .map(ToString::to_string)
                .unwrap_or_default();
            let event = Announce {
                actor,
                stage: from,
                message: said.text,
            };
            tell.announce(event, &[entity]);
        } else if let Some(said) = plan.query {
            let found = chapters
                .get(entity)
                .map(|own| search(&world.0, &actor, own, &said.text));
            let event = Asked {
                actor,
                message: said.text,
                found: found.unwrap_or_default(),
            };
            tell.notify_entities(&[entity], event);
        } else if let Some(way) = plan.go {
            let to = list.by_name(&way.to);
            let open = exits.get(stage).is_ok_and(|exits| {
                to.and_then(|to| whereabouts.id(to))
                    .is_some_and(|id| exits.0.contains(&id))
            });
            match to.filter(|_| open) {
                Some(to) => tell.later(move |world| walk(world, entity, to)),
                None => refuse(
                    &mut tell,
                    entity,
                    actor,
                    "move",
                    "refusals/no_way",
                    &json!({"to": way.to}),
                ),
            }
        }
    }
    if let Ok(mut phase) = phases.get_mut(stage) {
        *phase = Phase::Rest;
    }
}

fn present(
    whereabouts: &Whereabouts,
    list: &CastList,
    stage: Entity,
    name: &str,
) -> Option<Entity> {
    let entity = list.by_name(name)?;
    let here = whereabouts.place_of(entity) == Some(stage) && entity != stage;
    (here && whereabouts.is_alive(entity)).then_some(entity)
}

fn refuse(tell: &mut Tell, who: Entity, actor: String, action: &str, phrase: &str, facts: &Value) {
    match tell.phrases().say(phrase, facts) {
        Ok(reason) => {
            let action = action.to_owned();
            tell.notify_entities(
                &[who],
                Refusal {
                    actor,
                    action,
                    reason,
                },
            );
        }
        Err(reason) => game_fault(tell, reason),
    }
}

// --- the voices of the world ---

/// A voice of the world makes one announcement from what it witnessed since its last.
pub fn ask_announcement(
    here: Res<Here>,
    world: Res<RpgWorld>,
    campaign: Res<Campaign>,
    whereabouts: Whereabouts,
    contexts: Query<&AgentContext>,
    mut phases: Query<&mut Phase>,
    mut tell: Tell,
    mut commands: Commands,
) {
    let Here::Place(agent) = *here else { return };
    let Ok(mut phase) = phases.get_mut(agent) else {
        return;
    };
    *phase = Phase::HeraldDone;
    let (Some(name), Ok(context)) = (whereabouts.name(agent), contexts.get(agent)) else {
        return;
    };
    let facts = json!({
        "me": name.0, "name": name.0, "kind": "world", "place": "",
        "day": campaign.days_done + 1,
        "events": witnessed(context),
    });
    let ask = || {
        let phrases = tell.phrases();
        let fallback = Prose(phrases.say("fallback/announce", &facts)?);
        let rules = prose_rules(&world.0, 600);
        let ask = Ask::new(
            "world.announce",
            phrases.say("asks/announce", &facts)?,
            rules,
            fallback,
        );
        Ok(ask.condensed(phrases.say("asks/announce_short", &facts)?))
    };
    match ask() {
        Ok(ask) => {
            let ask = ask.max_tokens(reply_tokens(&world.0)).notes(facts);
            commands.entity(agent).insert(ask);
        }
        Err(reason) => game_fault(&mut tell, reason),
    }
}

/// The announcement goes out at the meeting.
pub fn take_announcement(
    here: Res<Here>,
    mut answers: Answers<Prose>,
    whereabouts: Whereabouts,
    mut phases: Query<&mut Phase>,
    mut tell: Tell,
) {
    let Here::Place(agent) = *here else { return };
    for (entity, Prose(message), _by) in answers.take() {
        let actor = whereabouts
            .name(entity)
            .map(ToString::to_string)
            .unwrap_or_default();
        let event = Announce {
            actor,
            stage: String::new(),
            message,
        };
        tell.announce(event, &[entity]);
    }
    if let Ok(mut phase) = phases.get_mut(agent) {
        *phase = Phase::Rest;
    }
}

// --- what an entity knows, read from its own context ---

/// The type of the event that a message carries.
fn event_type(entry: &crate::context::Entry) -> Option<&str> {
    entry.body().metadata()?.get("event")?.as_str()
}

/// The last words heard since the entity answered last, at most six.
fn heard(context: &AgentContext) -> Vec<Value> {
    let since = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.role() != Role::Ai);
    let words =
        since.filter(|entry| matches!(event_type(entry), Some("speak" | "whisper" | "announce")));
    let mut heard: Vec<_> = words
        .take(6)
        .map(|entry| {
            let who = entry.body().sender().map(ToString::to_string);
            json!({"who": who.unwrap_or_default(), "text": entry.body().full_text()})
        })
        .collect();
    heard.reverse();
    heard
}

/// The last message of one event type since the entity answered last.
fn last_of(context: &AgentContext, kind: &str) -> Option<String> {
    let since = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.role() != Role::Ai);
    let mut wanted = since.filter(|entry| event_type(entry) == Some(kind));
    wanted
        .next()
        .map(|entry| entry.body().full_text().into_owned())
}

/// Why the last action was refused, if it was.
fn refused(context: &AgentContext) -> String {
    last_of(context, "refusal").unwrap_or_default()
}

/// What a voice of the world witnessed since it spoke last.
fn witnessed(context: &AgentContext) -> Vec<Value> {
    let since = context
        .entries()
        .iter()
        .rev()
        .take_while(|entry| entry.role() != Role::Ai);
    let mut events: Vec<_> = since
        .filter_map(|entry| {
            // That a day begins or ends is no news.
            let kind = event_type(entry).filter(|kind| *kind != "day")?;
            Some(json!({"type": kind, "text": entry.body().full_text()}))
        })
        .take(20)
        .collect();
    events.reverse();
    events
}

fn secret_texts<'a>(world: &'a WorldFile, known: Option<&Secrets>) -> Vec<&'a str> {
    let known = known.map(|known| known.0.as_slice()).unwrap_or_default();
    let texts = world
        .secrets
        .iter()
        .filter(|secret| known.iter().any(|id| **id == *secret.id));
    texts.map(|secret| secret.text.as_str()).collect()
}

fn next_dungeon(world: &WorldFile, campaign: &Campaign) -> String {
    let ahead = world.schedule.iter().skip(campaign.steps_done);
    let mut dungeons = ahead.filter_map(|step| match step {
        Step::Dungeon(name) => Some(name.clone()),
        Step::Home { .. } => None,
    });
    dungeons.next().unwrap_or_default()
}

fn round_of(campaign: &Campaign) -> u32 {
    match campaign.act {
        Act::Home { round, .. } => round,
        _ => 1,
    }
}

fn prose_rules(world: &WorldFile, max_chars: usize) -> ProseRules {
    ProseRules {
        max_chars,
        language: Some(world.language),
        ..ProseRules::default()
    }
}

fn reply_tokens(world: &WorldFile) -> u32 {
    world.limits.reply_tokens.max(1) as u32
}

fn game_fault(tell: &mut Tell, reason: String) {
    tell.fault(Fault::Game(reason));
}
