//! The actors: each plans a thought and one action, and the rules carry the actions out.

use bevy_ecs::prelude::*;
use rand::seq::SliceRandom;
use serde::Serialize;

use crate::cast::{Appearance, CastList, Exits, StageRng, Whereabouts};
use crate::context::{AgentContext, Chapters};
use crate::event::kinds::{Announce, Mind, Query as Search, Refusal, Speak, Whisper};
use crate::event::{EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::exchange::{Answers, Ask, AskTemplate};
use crate::knowledge::{FactBook, Knowledge};
use crate::rpg::campaign_state::{CampaignPhase, CampaignState};
use crate::rpg::components::{LastFight, RpgWorld};
use crate::rpg::conversation::{SpokenLine, heard, last_event_text};
use crate::rpg::kickoff::names_without;
use crate::rpg::phase::{CurrentPlace, Phase};
use crate::rpg::plan::{Plan, PlanConstraints, Speech};
use crate::rpg::travel::walk;
use crate::rpg::world_file::{Step, WorldFile};
use crate::tool::recall;

/// The maximum number of finds that a search tells.
const MAX_FINDS: usize = 3;

const PLAN: AskTemplate<PlanData> =
    AskTemplate::condensed("home.plan", "asks/plan", "asks/plan_short");
const DEFAULT_THOUGHT: PromptTemplate<PlanData> = PromptTemplate::new("fallback/plan_mind");
const DEFAULT_REASON: PromptTemplate<PlanData> = PromptTemplate::new("fallback/plan_wait");
const NOBODY_THERE: PromptTemplate<NobodyThere> = PromptTemplate::new("refusals/nobody_there");
const NO_WAY: PromptTemplate<NoWay> = PromptTemplate::new("refusals/no_way");

/// What an actor is asked for its plan with.
#[derive(Default, Serialize)]
struct PlanData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    day: u32,
    round: u32,
    rounds: i32,
    present: Vec<PresentActor>,
    exits: &'a [String],
    heard: Vec<SpokenLine>,
    next_dungeon: &'a str,
    last_fight: Option<&'a LastFight>,
    secrets: Vec<&'a str>,
    whisper: bool,
    speech_chars: usize,
    refused: String,
}

/// Somebody whom an actor sees.
#[derive(Serialize)]
struct PresentActor {
    name: String,
    look: String,
}

/// Somebody was addressed who is not here.
#[derive(Default, Serialize)]
struct NobodyThere<'a> {
    target: &'a str,
}

/// Somebody wanted to go where no way leads.
#[derive(Default, Serialize)]
struct NoWay<'a> {
    to: &'a str,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    PLAN.add_to(prompts);
    prompts.add(&DEFAULT_THOUGHT).add(&DEFAULT_REASON);
    prompts.add(&NOBODY_THERE).add(&NO_WAY);
}

/// Every living actor on a home stage plans: a thought and exactly one action.
pub(crate) fn ask_plans(
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    facts: Res<FactBook>,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    minds: Query<(&AgentContext, Option<&Knowledge>, Option<&LastFight>)>,
    appearances: Query<&Appearance>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.entity() else {
        return;
    };
    let living = whereabouts.living_on(stage);
    current.set_phase(if living.is_empty() {
        Phase::Idle
    } else {
        Phase::PlanDone
    });
    let exits = exits.get(stage).map(|exits| exits.0.as_slice());
    let exits = exits.unwrap_or_default().iter();
    let exits = exits.filter_map(|id| whereabouts.name(list.by_id(*id)?));
    let exits: Vec<_> = exits.map(ToString::to_string).collect();
    let limits = &world.0.limits;
    for &actor in &living {
        let Ok((context, knowledge, last_fight)) = minds.get(actor) else {
            continue;
        };
        let constraints = PlanConstraints {
            present: names_without(&whereabouts, &living, actor),
            exits: exits.clone(),
            whisper: limits.whisper,
            speech_chars: limits.speech_chars.max(1) as usize,
        };
        let others = living.iter().filter(|other| **other != actor);
        let present = others.map(|other| PresentActor {
            name: whereabouts.name_text(*other),
            look: appearances
                .get(*other)
                .map(|appearance| appearance.0.to_string())
                .unwrap_or_default(),
        });
        let name = whereabouts.name_text(actor);
        let data = PlanData {
            me: &name,
            name: &name,
            kind: "actor",
            place: &whereabouts.name_text(stage),
            day: campaign.days_done + 1,
            round: round_of(&campaign),
            rounds: limits.home_rounds.max(1),
            present: present.collect(),
            exits: &exits,
            heard: heard(context),
            next_dungeon: next_dungeon(&world.0, &campaign),
            last_fight,
            secrets: known_texts(&facts, knowledge),
            whisper: constraints.whisper,
            speech_chars: constraints.speech_chars,
            refused: last_event_text(context, "refusal"),
        };
        let ask = plan_ask(events.phrases(), &world.0, &data, constraints);
        events.insert_or_fault(&mut commands, actor, ask);
    }
}

fn plan_ask(
    phrases: &Phrasebook,
    world: &WorldFile,
    data: &PlanData,
    constraints: PlanConstraints,
) -> Result<Ask<Plan>, PhraseError> {
    let fallback = Plan::wait(
        phrases.render(&DEFAULT_THOUGHT, data)?,
        phrases.render(&DEFAULT_REASON, data)?,
    );
    let ask = PLAN.ask(phrases, data, constraints, fallback)?;
    Ok(ask.max_tokens(world.limits.max_reply_tokens()))
}

/// Plans are carried out in a seeded order; an actor is told when the rules refuse its action.
pub(crate) fn take_plans(
    book: Res<FactBook>,
    rng: StageRng,
    mut answers: Answers<Plan>,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    memories: Query<(&Chapters, Option<&Knowledge>)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
) {
    let Some(stage) = current.entity() else {
        return;
    };
    let present = |name: &str| {
        let entity = list.by_name(name)?;
        let is_here = whereabouts.place_of(entity) == Some(stage) && entity != stage;
        (is_here && whereabouts.is_alive(entity)).then_some(entity)
    };
    let mut plans = answers.take();
    plans.shuffle(&mut rng.stream("order of plans"));
    for (entity, plan, _by) in plans {
        let Some(name) = whereabouts.name(entity) else {
            continue;
        };
        let actor = name.to_string();
        let thought = Mind {
            actor: actor.clone(),
            message: plan.mind,
        };
        events.think(entity, thought);
        if let Some(Speech { target, text }) = plan.speak {
            if present(&target).is_some() {
                let event = Speak {
                    actor,
                    target,
                    message: text,
                    tells: Vec::new(),
                };
                events.broadcast_to_stage(entity, event, &[entity]);
            } else {
                let data = NobodyThere { target: &target };
                refuse(&mut events, entity, actor, "speak", &NOBODY_THERE, &data);
            }
        } else if let Some(Speech { target, text }) = plan.whisper {
            if let Some(listener) = present(&target) {
                let event = Whisper {
                    actor,
                    target,
                    message: text,
                    tells: Vec::new(),
                };
                events.notify_entities(&[listener], event);
            } else {
                let data = NobodyThere { target: &target };
                refuse(&mut events, entity, actor, "whisper", &NOBODY_THERE, &data);
            }
        } else if let Some(announcement) = plan.announce {
            let event = Announce {
                actor,
                stage: whereabouts.name_text(stage),
                message: announcement.text,
                tells: Vec::new(),
            };
            events.announce(event, &[entity]);
        } else if let Some(question) = plan.query {
            let found = memories.get(entity);
            let found = found.map(|(own, knowledge)| search(&book, knowledge, own, &question.text));
            let event = Search {
                actor,
                message: question.text,
                found: found.unwrap_or_default(),
            };
            events.notify_entities(&[entity], event);
        } else if let Some(destination) = plan.go {
            let exits = exits.get(stage).map(|exits| exits.0.as_slice());
            let is_exit = |to: &Entity| {
                let id = whereabouts.id(*to);
                id.is_some_and(|id| exits.is_ok_and(|exits| exits.contains(&id)))
            };
            if let Some(to) = list.by_name(&destination.to).filter(is_exit) {
                events.defer(move |world| walk(world, entity, to));
            } else {
                let data = NoWay {
                    to: &destination.to,
                };
                refuse(&mut events, entity, actor, "move", &NO_WAY, &data);
            }
        }
    }
    current.set_phase(Phase::Idle);
}

fn refuse<D: Serialize>(
    events: &mut EventWriter,
    entity: Entity,
    actor: String,
    action: &str,
    template: &PromptTemplate<D>,
    data: &D,
) {
    match events.phrases().render(template, data) {
        Ok(reason) => {
            let event = Refusal {
                actor,
                action: action.to_owned(),
                reason,
            };
            events.notify_entities(&[entity], event);
        }
        Err(error) => events.fault(error.into()),
    }
}

/// What an actor finds, best first: facts that it knows, then its own chapters.
fn search(
    book: &FactBook,
    knowledge: Option<&Knowledge>,
    chapters: &Chapters,
    question: &str,
) -> Vec<String> {
    let facts = book.find(knowledge, question);
    let facts = facts.map(|fact| format!("{}: {}", fact.title, fact.text));
    let remembered = recall(chapters, question);
    let remembered = remembered.map(|chapter| chapter.summary.full_text().into_owned());
    facts.chain(remembered).take(MAX_FINDS).collect()
}

fn known_texts<'a>(facts: &'a FactBook, known: Option<&Knowledge>) -> Vec<&'a str> {
    let is_known = |id: &str| known.is_some_and(|known| known.knows(id));
    let known = facts.all().filter(|fact| is_known(&fact.id));
    known.map(|fact| fact.text.as_str()).collect()
}

/// The dungeon that the schedule leads to next; empty if there is none.
fn next_dungeon<'a>(world: &'a WorldFile, campaign: &CampaignState) -> &'a str {
    let mut ahead = world.schedule.iter().skip(campaign.steps_done);
    let dungeon = ahead.find_map(|step| match step {
        Step::Dungeon(name) => Some(name.as_str()),
        Step::Home { .. } => None,
    });
    dungeon.unwrap_or_default()
}

fn round_of(campaign: &CampaignState) -> u32 {
    match campaign.phase {
        CampaignPhase::Home { round, .. } => round,
        _ => 1,
    }
}
