//! Whose turn it is at home, and what it is asked.

use bevy_ecs::prelude::*;
use serde::Serialize;

use crate::cast::{Appearance, CastList, Exits, StageRng, Whereabouts, WorldTurn};
use crate::context::AgentContext;
use crate::event::{EventWriter, PhraseError, Phrasebook, PromptSet, PromptTemplate};
use crate::exchange::{Ask, AskTemplate};
use crate::knowledge::{FactBook, Knowledge};
use crate::rpg::campaign_state::{CampaignPhase, CampaignState};
use crate::rpg::components::{LastFight, RpgWorld};
use crate::rpg::conversation::{SpokenLine, heard, last_event_text};
use crate::rpg::kickoff::{PresentActor, names_without, present_without};
use crate::rpg::phase::{CurrentPlace, Phase};
use crate::rpg::plan::{Plan, PlanConstraints};
use crate::rpg::scenes::open::OpenScene;
use crate::rpg::talk::Talk;
use crate::rpg::world_file::{Step, WorldFile};

const PLAN: AskTemplate<PlanData> =
    AskTemplate::condensed("home.plan", "asks/plan", "asks/plan_short");
const DEFAULT_THOUGHT: PromptTemplate<PlanData> = PromptTemplate::new("fallback/plan_mind");
const DEFAULT_REASON: PromptTemplate<PlanData> = PromptTemplate::new("fallback/plan_wait");

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
    together: bool,
    present: Vec<PresentActor>,
    exits: &'a [String],
    heard: Vec<SpokenLine>,
    next_dungeon: &'a str,
    dungeon_profile: &'a str,
    last_fight: Option<&'a LastFight>,
    secrets: Vec<&'a str>,
    whisper: bool,
    speech_chars: usize,
    refused: String,
}

/// Adds the templates of this file.
pub(super) fn add_templates(prompts: &mut PromptSet) {
    PLAN.add_to(prompts);
    prompts.add(&DEFAULT_THOUGHT).add(&DEFAULT_REASON);
}

/// Asks whose turn it is what it does; everybody if the world lets all act at the same time.
pub(crate) fn ask_plans(
    world: Res<RpgWorld>,
    campaign: Res<CampaignState>,
    facts: Res<FactBook>,
    turn: Res<WorldTurn>,
    rng: StageRng,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    exits: Query<&Exits>,
    minds: Query<(&AgentContext, Option<&Knowledge>, Option<&LastFight>)>,
    appearances: Query<&Appearance>,
    mut talks: Query<(&mut Talk, Option<&OpenScene>)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.entity() else {
        return;
    };
    let Ok((mut talk, scene)) = talks.get_mut(stage) else {
        return current.set_phase(Phase::Idle);
    };
    let limits = &world.0.limits;
    let (day, round) = (campaign.days_done + 1, round_of(&campaign));
    talk.begin(turn.0);
    let here = present(&whereabouts, &talk, stage);
    let asked = if limits.together {
        here.clone()
    } else {
        let names = here.iter().filter_map(|actor| whereabouts.name(*actor));
        let names: Vec<_> = names.map(|name| name.0.clone()).collect();
        let max_turns = scene.map_or(limits.talk_turns.max(1) as u32, |scene| scene.turns);
        let next = talk.next(&names, max_turns, &mut rng.stream("order of talk"));
        let next = next.and_then(|name| list.by_name(&name));
        next.into_iter().collect()
    };
    current.set_phase(if asked.is_empty() {
        Phase::Idle
    } else {
        Phase::PlanDone
    });
    let exits = exits.get(stage).map(|exits| exits.0.as_slice());
    let exits = exits.unwrap_or_default().iter();
    let exits = exits.filter_map(|id| whereabouts.name(list.by_id(*id)?));
    let exits: Vec<_> = exits.map(ToString::to_string).collect();
    let (next_dungeon, dungeon_profile) = next_dungeon(&world.0, &campaign);
    for actor in asked {
        let Ok((context, knowledge, last_fight)) = minds.get(actor) else {
            continue;
        };
        let constraints = PlanConstraints {
            present: names_without(&whereabouts, &here, actor),
            exits: exits.clone(),
            whisper: limits.whisper,
            speech_chars: limits.speech_chars.max(1) as usize,
            feels_about: Vec::new(),
        };
        let name = whereabouts.name_text(actor);
        let data = PlanData {
            me: &name,
            name: &name,
            kind: "actor",
            place: &whereabouts.name_text(stage),
            day,
            round,
            rounds: limits.home_rounds.max(1),
            together: limits.together,
            present: present_without(&whereabouts, &appearances, &here, actor),
            exits: &exits,
            heard: heard(context),
            next_dungeon,
            dungeon_profile,
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

/// The living who are on a stage and have not left it in this round.
pub(super) fn present(whereabouts: &Whereabouts, talk: &Talk, stage: Entity) -> Vec<Entity> {
    let mut living = whereabouts.living_on(stage);
    living.retain(|actor| {
        let name = whereabouts.name(*actor);
        name.is_some_and(|name| !talk.has_left(&name.0))
    });
    living
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

fn known_texts<'a>(facts: &'a FactBook, known: Option<&Knowledge>) -> Vec<&'a str> {
    let is_known = |id: &str| known.is_some_and(|known| known.knows(id));
    let known = facts.all().filter(|fact| is_known(&fact.id));
    known.map(|fact| fact.text.as_str()).collect()
}

/// The dungeon that the schedule leads to next, and what is known of it; empty if there is none.
fn next_dungeon<'a>(world: &'a WorldFile, campaign: &CampaignState) -> (&'a str, &'a str) {
    let mut ahead = world.schedule.iter().skip(campaign.steps_done);
    let next = ahead.find_map(|step| match step {
        Step::Dungeon(name) => Some(name.as_str()),
        Step::Home { .. } => None,
    });
    let mut dungeons = world.dungeons.iter();
    let profile = dungeons.find(|dungeon| Some(dungeon.name.as_str()) == next);
    let profile = profile.map(|dungeon| dungeon.profile.as_str());
    (next.unwrap_or_default(), profile.unwrap_or_default())
}

fn round_of(campaign: &CampaignState) -> u32 {
    match campaign.phase {
        CampaignPhase::Home { round, .. } => round,
        _ => 1,
    }
}
