//! Judged conditions: a witness is asked whether a claim is true, and which event shows it.
//!
//! The judge of a scene and of its options is its stage; that of an ending is the first world
//! agent. It is asked at a meeting, once all other conditions leave it to the claim, and only if it
//! has witnessed something since it was asked last.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{EntityName, Kind, Whereabouts, WorldTurn, all_of};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::event::{AgentEvent, EventStyle, EventWriter, Prompt};
use playhouse_engine::exchange::{Answers, Question, Reply};
use playhouse_engine::knowledge::Today;
use playhouse_engine::locale::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::open::OpenScene;
use crate::components::RpgWorld;
use crate::conversation::{NumberedEvent, last_events};
use crate::drama::{
    Claim, Finding, INSTEAD, Judgements, Occasion, Scene, StoryData, claims_of_endings,
    claims_of_scenes,
};
use crate::phase::{CurrentPlace, Phase};

/// The maximum number of claims about which judges are asked at a meeting.
const MAX_CLAIMS: usize = 3;
/// The maximum number of events that a judge may name.
const MAX_EVENTS: usize = 30;

/// On a judge: the claims about which it is asked, the next one first.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PendingClaims(Vec<PendingClaim>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PendingClaim {
    claim: Arc<str>,
    /// The id of the last event that the judge had witnessed when it was asked about this before;
    /// empty if it was not.
    since: Arc<str>,
    /// What shows it to a judge that can't read.
    signs: Vec<String>,
}

/// A judge found that something is so, or not; nobody is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("judged", style = shown, private, line = text!(story_judged, judge, claim))]
pub(crate) struct ClaimJudged {
    pub(crate) judge: String,
    pub(crate) claim: String,
    pub(crate) holds: bool,
    /// The text of the event that shows it; empty if it was not found true.
    pub(crate) shown_by: String,
}

impl ClaimJudged {
    /// Readers may see what was found, not what was not.
    fn shown(&self) -> EventStyle {
        if self.holds {
            EventStyle::Working
        } else {
            EventStyle::Hidden
        }
    }
}

/// Whether something is so, and which event shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(transform = crate::decision::without_words)]
pub(crate) struct Verdict {
    /// Whether it is so.
    holds: bool,
    /// The number of the event that shows it; 0 if none does.
    event: u64,
}

impl Reply for Verdict {
    type Constraints = usize;
    const NAME: &'static str = "verdict";
    const IS_TOLD: bool = true;
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &["event"];

    fn constrain_schema(_schema: &Value, events: &usize) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {
                "holds": {"type": "boolean"},
                "event": {"type": "integer", "minimum": 0, "maximum": events},
            },
            "required": ["holds", "event"],
            "additionalProperties": false,
        }))
    }
}

/// What a judge is asked with.
#[derive(Serialize, Prompt)]
#[prompt("asks/judge", purpose = "scene.judge", short = "asks/judge_short")]
pub(super) struct JudgeData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    claim: &'a str,
    events: Vec<NumberedEvent>,
    /// Not in the prompt: the number of the last event with a sign of it, for a judge that can't
    /// read; 0 if none has one.
    shown_by: usize,
}

/// Asks stages about the claims on which it hangs which scenes open there on an occasion; returns
/// whether any is asked. At a meeting.
pub(crate) fn judge_scenes(world: &mut World, on: Occasion, stages: &[Entity]) -> bool {
    world.insert_resource(on);
    let story = world.resource::<StoryData>();
    let mut wanted = Vec::new();
    for stage in stages {
        if let Some(name) = world.get::<EntityName>(*stage) {
            let claims = claims_of_scenes(world, &story.scenes, &name.0);
            wanted.extend(claims.into_iter().map(|claim| (*stage, owned(claim))));
        }
    }
    ask_judges(world, wanted)
}

/// Asks about the claims on which the options and questions of open scenes hang, and early endings
/// if the story may end now; returns whether any is asked. At a meeting.
pub(crate) fn judge_choices(world: &mut World, may_end: bool) -> bool {
    let story = world.resource::<StoryData>();
    let mut wanted = Vec::new();
    for stage in all_of(world, Kind::Stage) {
        let open = world.get::<OpenScene>(stage);
        let scene = open.and_then(|open| story.scene(&open.id));
        let options = scene.into_iter().flat_map(Scene::options);
        let options = options.map(|option| (&option.when, &*option.id));
        let questions = scene.into_iter().flat_map(Scene::choices);
        let questions = questions.flat_map(|choice| &choice.instead);
        let questions = questions.map(|other| (&other.when, INSTEAD));
        for (when, of) in options
            .chain(questions)
            .filter(|(when, _)| when.is_judged())
        {
            let key = scene.map(|scene| format!("{}/{of}", scene.id));
            let mut claims = Vec::new();
            when.unjudged(world, &key.unwrap_or_default(), &mut claims);
            wanted.extend(claims.into_iter().map(|claim| (stage, owned(claim))));
        }
    }
    if may_end {
        wanted.extend(wanted_for_endings(world, false));
    }
    ask_judges(world, wanted)
}

/// Asks about the claims on which it hangs which ending is reached once the course is over; returns
/// whether any is asked. At a meeting.
pub(crate) fn judge_endings(world: &mut World) -> bool {
    let wanted = wanted_for_endings(world, true);
    ask_judges(world, wanted)
}

type OwnedClaim = (Arc<str>, Vec<String>);

fn owned((claim, signs): Claim<'_>) -> OwnedClaim {
    (claim.into(), signs.to_vec())
}

fn wanted_for_endings(world: &World, is_over: bool) -> Vec<(Entity, OwnedClaim)> {
    let Some(judge) = all_of(world, Kind::WorldAgent).first().copied() else {
        return Vec::new();
    };
    let story = world.resource::<StoryData>();
    let claims = claims_of_endings(world, &story.endings, is_over).into_iter();
    claims.map(|claim| (judge, owned(claim))).collect()
}

/// Asks judges about those claims about which they may know something new.
fn ask_judges(world: &mut World, wanted: Vec<(Entity, OwnedClaim)>) -> bool {
    let mut pending: BTreeMap<Entity, Vec<PendingClaim>> = BTreeMap::new();
    let mut count = 0;
    for (judge, (claim, signs)) in wanted {
        let (Some(name), Some(context), Some(chapters)) = (
            world.get::<EntityName>(judge).map(|name| name.0.clone()),
            world.get::<AgentContext>(judge),
            world.get::<Chapters>(judge),
        ) else {
            continue;
        };
        let Some(last) = last_events(context, chapters, "", 1).pop() else {
            continue;
        };
        let mut judgements = world.resource_mut::<Judgements>();
        let asked = judgements.asked.entry(claim.clone()).or_default();
        if count >= MAX_CLAIMS || asked.get(&name) == Some(&last.id) {
            continue;
        }
        let since = asked.insert(name, last.id).unwrap_or_default();
        let claim = PendingClaim {
            claim,
            since,
            signs,
        };
        pending.entry(judge).or_default().push(claim);
        count += 1;
    }
    for (judge, claims) in pending {
        let mut judge = world.entity_mut(judge);
        judge.insert((PendingClaims(claims), Phase::Judge));
    }
    count > 0
}

/// Whether a text has all words of a sign, in this order.
fn has_sign(text: &str, sign: &str) -> bool {
    let mut words = sign.split('…').map(str::trim);
    words
        .try_fold(text, |rest, words| Some(rest.split_once(words)?.1))
        .is_some()
}

/// The judge here is asked about its next claim.
pub(crate) fn ask_verdict(
    rpg: Res<RpgWorld>,
    whereabouts: Whereabouts,
    judges: Query<(&PendingClaims, &AgentContext, &Chapters)>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(place) = current.begin(Phase::Idle) else {
        return;
    };
    let Ok((pending, context, chapters)) = judges.get(place) else {
        return;
    };
    let Some(PendingClaim {
        claim,
        since,
        signs,
    }) = pending.0.first()
    else {
        return;
    };
    current.set_phase(Phase::Judged);
    let name = whereabouts.name_text(place);
    let is_agent = whereabouts.kind(place) == Some(Kind::WorldAgent);
    let events_here = last_events(context, chapters, since, MAX_EVENTS);
    let shows = |event: &&NumberedEvent| signs.iter().any(|sign| has_sign(&event.text, sign));
    let shown_by = events_here.iter().rev().find(shows);
    let data = JudgeData {
        me: &name,
        name: &name,
        kind: if is_agent { "world" } else { "stage" },
        place: if is_agent { "" } else { &name },
        claim,
        shown_by: shown_by.map_or(0, |event| event.number),
        events: events_here,
    };
    let count = data.events.len();
    let ask = data.ask(events.phrases(), count, Verdict::default());
    let ask = ask.map(|ask| {
        let ask = ask.max_tokens(rpg.0.limits.max_reply_tokens());
        ask.without_tools()
    });
    events.insert_or_fault(&mut commands, place, ask);
}

/// A verdict that an event shows is noted at the meeting; any other is a no.
pub(crate) fn take_verdict(
    turn: Res<WorldTurn>,
    today: Res<Today>,
    whereabouts: Whereabouts,
    mut judges: Query<(&mut PendingClaims, &AgentContext, &Chapters)>,
    mut answers: Answers<Verdict>,
    mut current: CurrentPlace,
    mut events: EventWriter,
) {
    let verdicts = answers.take();
    let Some(place) = current.begin(Phase::Idle) else {
        return;
    };
    let Ok((mut pending, context, chapters)) = judges.get_mut(place) else {
        return;
    };
    if pending.0.is_empty() {
        return;
    }
    let PendingClaim { claim, since, .. } = pending.0.remove(0);
    if !pending.0.is_empty() {
        current.set_phase(Phase::Judge);
    }
    let mut verdicts = verdicts.into_iter();
    let Some((_, verdict, _)) = verdicts.find(|(entity, ..)| *entity == place) else {
        return;
    };
    let mut events_here = last_events(context, chapters, &since, MAX_EVENTS).into_iter();
    let shows = |event: &NumberedEvent| verdict.holds && event.number as u64 == verdict.event;
    let shown_by = events_here.find(shows);
    let judge = whereabouts.name_text(place);
    let event = ClaimJudged {
        judge: judge.clone(),
        claim: claim.to_string(),
        holds: shown_by.is_some(),
        shown_by: shown_by
            .as_ref()
            .map_or_else(String::new, |event| event.text.clone()),
    };
    events.think(place, event);
    if let Some(event) = shown_by {
        let finding = Finding {
            judge: judge.into(),
            event: event.id,
            turn: turn.0,
            day: today.0,
        };
        events.defer(move |world| {
            let mut judgements = world.resource_mut::<Judgements>();
            judgements.found.entry(claim).or_insert(finding);
        });
    }
}
