//! The actors: each plans a thought and one action, and the rules carry the actions out.

use bevy_ecs::prelude::*;
use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::known::{heard, refused};
use super::reply_tokens;
use crate::cast::{Appearance, CastList, CurrentStage, Exits, StageRng, Whereabouts};
use crate::context::{AgentContext, Chapters};
use crate::event::kinds::{Announce, Mind, Query as Asked, Refusal, Speak, Whisper};
use crate::event::{EventWriter, Fault};
use crate::exchange::{Answers, Ask};
use crate::rpg::campaign_state::{Act, CampaignState};
use crate::rpg::components::{LastFight, RpgWorld, Secrets};
use crate::rpg::kickoff::names;
use crate::rpg::phase::Phase;
use crate::rpg::plan::{Plan, PlanConstraints, Words};
use crate::rpg::query::search;
use crate::rpg::travel::walk;
use crate::rpg::world_file::{Step, WorldFile};
use crate::tool::LoreBook;

/// Every living actor on a home stage plans: a thought and exactly one action.
pub fn ask_plans(
    here: Res<CurrentStage>,
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    minds: Query<(&AgentContext, Option<&Secrets>, Option<&LastFight>)>,
    looks: Query<&Appearance>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
    mut commands: Commands,
) {
    let CurrentStage::Place(stage) = *here else {
        return;
    };
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
        let legal = PlanConstraints {
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
        let place = whereabouts.name_text(stage);
        let name = whereabouts.name_text(actor);
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
            Err(reason) => tell.fault(Fault::Game(reason)),
        }
    }
}

fn plan_ask(
    world: &WorldFile,
    tell: &EventWriter,
    facts: &Value,
    legal: PlanConstraints,
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
    here: Res<CurrentStage>,
    book: Res<LoreBook>,
    chance: StageRng,
    mut answers: Answers<Plan>,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    chapters: Query<&Chapters>,
    mut phases: Query<&mut Phase>,
    mut tell: EventWriter,
) {
    let CurrentStage::Place(stage) = *here else {
        return;
    };
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
            let from = whereabouts.name_text(stage);
            let event = Announce {
                actor,
                stage: from,
                message: said.text,
            };
            tell.announce(event, &[entity]);
        } else if let Some(said) = plan.query {
            let found = chapters
                .get(entity)
                .map(|own| search(&book, &actor, own, &said.text));
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
                Some(to) => tell.defer(move |world| walk(world, entity, to)),
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

fn refuse(
    tell: &mut EventWriter,
    who: Entity,
    actor: String,
    action: &str,
    phrase: &str,
    facts: &Value,
) {
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
        Err(reason) => tell.fault(Fault::Game(reason.into())),
    }
}

fn secret_texts<'a>(world: &'a WorldFile, known: Option<&Secrets>) -> Vec<&'a str> {
    let known = known.map(|known| known.0.as_slice()).unwrap_or_default();
    let texts = world
        .secrets
        .iter()
        .filter(|secret| known.iter().any(|id| **id == *secret.id));
    texts.map(|secret| secret.text.as_str()).collect()
}

fn next_dungeon(world: &WorldFile, campaign: &CampaignState) -> String {
    let ahead = world.schedule.iter().skip(campaign.steps_done);
    let mut dungeons = ahead.filter_map(|step| match step {
        Step::Dungeon(name) => Some(name.clone()),
        Step::Home { .. } => None,
    });
    dungeons.next().unwrap_or_default()
}

fn round_of(campaign: &CampaignState) -> u32 {
    match campaign.act {
        Act::Home { round, .. } => round,
        _ => 1,
    }
}
