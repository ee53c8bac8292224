//! Choices: the decider of a scene is offered the options whose conditions hold.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{CastList, Kind, Whereabouts, WorldSeed, all_of};
use playhouse_engine::context::Noting;
use playhouse_engine::event::{
    AgentEvent, EventWriter, Phrasebook, Prompt, change_at, write_events_at_meeting,
};
use playhouse_engine::exchange::{Answers, Question, Reply, Violation, Voice};
use playhouse_engine::memory::Words;
use playhouse_engine::message::{Language, Tags};
use playhouse_engine::reading::OtherNames;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::effects::{Cause, apply_before_arrivals, apply_on_arrival};
use super::leads::Leads;
use super::open::OpenScene;
use crate::campaign_phase::CampaignState;
use crate::components::RpgWorld;
use crate::decision::{DecisionConstraints, think_and_say};
use crate::drama::{
    Bonds, Choice, ChoiceOption, Goals, History, Nearness, PlotPoint, Promise, Promises, Scene,
    StoryData, entities_of,
};
use crate::events::CHOICE;
use crate::everybody::{names, participants, publish};
use crate::happening::Happening;
use crate::home::vote::OneVote;
use crate::other_names::OTHER_NAMES;
use crate::phase::{CurrentPlace, Phase};
use crate::speaker::Speaker;
use crate::talk::Talk;
use crate::world_file::NOTHING;

/// The most who decide together: each is asked.
const MAX_VOTERS: usize = 12;

/// The option to do nothing, and that these have chosen it.
#[derive(Serialize, Prompt)]
#[prompt("asks/choose_nothing")]
pub(super) struct Pass<'a> {
    who: &'a [String],
}

/// The words of the option to do nothing, or that these have chosen it.
fn pass(phrases: &Phrasebook, who: &[String]) -> String {
    let words = phrases.fill(&Pass { who }).unwrap_or_default();
    words.trim().to_owned()
}

/// An option in the words in which it was offered.
pub(crate) fn label_of(
    (phrases, story): (&Phrasebook, &StoryData),
    scene: &str,
    option: &str,
) -> String {
    let option = story.option(scene, option);
    option.map_or_else(|| pass(phrases, &[]), |option| option.label.clone())
}

/// On a stage: a choice that has to be made there.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PendingChoice {
    pub(crate) scene: Arc<str>,
    pub(super) who: Arc<str>,
    pub(crate) question: Arc<str>,
    /// The ids of the options that are offered.
    pub(crate) options: Vec<Arc<str>>,
    /// Which choice of the scene it is, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub(crate) number: usize,
    /// Who else decides together with it, by a vote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<Arc<str>>,
}

fn is_first(number: &usize) -> bool {
    *number == 0
}

impl PendingChoice {
    pub(super) fn deciders(&self) -> impl Iterator<Item = &Arc<str>> {
        std::iter::once(&self.who).chain(&self.others)
    }
}

/// On a stage: the option that was chosen there; its effects are applied at the next meeting.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Decided(pub(crate) Arc<str>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event(
    "choice", style = Choice, own_happening = noted_by_doer, happening = noted, tags = message_tags
)]
pub(crate) struct ChoiceMade {
    pub(crate) actor: String,
    pub(crate) scene: String,
    pub(crate) option: String,
    pub(crate) message: String,
    /// The option, in the words in which it was offered.
    pub(crate) label: String,
    /// For what: a label alone may say too little.
    #[serde(default)]
    pub(crate) question: String,
}

impl ChoiceMade {
    fn message_tags(&self) -> Tags {
        CHOICE.of(format!("{}={}", self.scene, self.option)).into()
    }

    fn noted_by_doer(&self) -> Option<(&str, Noting)> {
        Some((&self.actor, self.decided(&self.label, &self.question)))
    }

    fn noted(&self) -> Option<Noting> {
        Some(self.decided(&self.message, ""))
    }

    fn decided(&self, choice: &str, asked: &str) -> Noting {
        let who = self.actor.as_str().into();
        let (choice, asked) = (choice.into(), asked.into());
        Happening::Decided { who, choice, asked }.into()
    }
}

/// How those voted who decided together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("scene_vote", style = Choice)]
pub(crate) struct SceneVoted {
    pub(crate) scene: String,
    /// Who voted for what, in the words in which it was offered.
    pub(crate) votes: Vec<OneVote>,
    /// What is done, in these words; empty for nothing.
    pub(crate) result: String,
}

/// A decision: what one thinks, what one does, and what one says as one does it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Decision", transform = crate::decision::without_words)] // Minds read this name.
pub(crate) struct SceneDecision {
    /// What you think and feel, in the first person; nobody else learns it.
    #[serde(default)]
    pub(crate) mind: String,
    /// The id of the option that you choose.
    pub(crate) option: String,
    /// What you say as you do it, aloud; may be left out, and is if the option has words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) say: Option<String>,
}

impl Reply for SceneDecision {
    type Constraints = DecisionConstraints;
    const NAME: &'static str = "decision";
    const OTHER_NAMES: OtherNames = OTHER_NAMES;
    const WORDS: &'static [Words] = &[Words::Thought("/mind"), Words::Spoken("/say")];
    const IS_TOLD: bool = true;
    const BARE_MEMBER: Option<&'static str> = Some("option");
    const MAY_BE_LEFT_OUT: &'static [&'static str] = &["mind"];
    const OTHER_WORDS: &'static [(&'static str, &'static str)] = &[
        ("none", NOTHING[0]),
        ("pass", NOTHING[0]),
        ("nothing", NOTHING[1]),
        ("无", NOTHING[1]),
    ];

    fn constrain_schema(_schema: &Value, constraints: &DecisionConstraints) -> Option<Value> {
        Some(constraints.schema("option"))
    }

    /// What an option says is not said twice.
    fn settled(mut self, constraints: &DecisionConstraints) -> Self {
        self.say = self
            .say
            .filter(|_| !constraints.worded.contains(&self.option));
        self
    }

    fn check(&self, constraints: &DecisionConstraints) -> Vec<Violation> {
        constraints.check(("option", &self.option), &self.mind, self.say.as_deref())
    }
}

/// The data of the question for a decision.
#[derive(Serialize, Prompt)]
#[prompt("asks/choose", purpose = "scene.choose", short = "asks/choose_short")]
pub(crate) struct ChoiceData<'a> {
    me: &'a str,
    name: &'a str,
    kind: &'a str,
    place: &'a str,
    day: u32,
    scene: &'a str,
    question: &'a str,
    /// Who else decides together with it.
    others: Vec<&'a str>,
    options: Vec<OfferedOption<'a>>,
    /// Whether anything may be said with one of them.
    may_say: bool,
    goals: Vec<&'a str>,
    /// What it has promised and not kept yet.
    promises: Vec<&'a Promise>,
    speech_chars: usize,
    feelings: Vec<FeltFor<'a>>,
    speaker: Speaker<'a>,
}

#[derive(Serialize)]
struct OfferedOption<'a> {
    id: &'a str,
    label: &'a str,
    /// Whether what is said with it is written.
    worded: bool,
    /// Whether it is to do nothing; for minds without language.
    is_pass: bool,
    /// For minds without language, which can't tell it from the label.
    leads_to: Leads<'a>,
}

#[derive(Serialize)]
struct FeltFor<'a> {
    name: &'a str,
    value: i32,
}

/// Nothing is left to decide of what there was as a scene opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, AgentEvent)]
#[event("nothing_to_decide", style = Deed)]
pub(crate) struct NothingToDecide {
    pub(crate) scene: String,
}

/// Offers the choices of all open scenes, and ends the scenes that have none; then all arrive who
/// were sent elsewhere, and what was decided befalls those who are there. Returns whether there is
/// anything to decide or to answer. At a meeting, after the talk.
pub(crate) fn offer_choices(world: &mut World) -> bool {
    let mut any = false;
    for stage in all_of(world, Kind::Stage) {
        let Some(open) = world.get::<OpenScene>(stage).cloned() else {
            continue;
        };
        if let Some(choice) = next_choice(world, stage, &open, true) {
            world.entity_mut(stage).insert((choice, Phase::Choose));
            any = true;
        } else if open.is_undecided() && falls_away(world, stage, open.clone()) {
            any = true;
        } else {
            end_scene(world, stage, &open.id);
        }
    }
    apply_on_arrival(world);
    any
}

/// The talk has done what was to be decided. All are told, and whoever was spoken to last still
/// answers; returns whether anybody does.
fn falls_away(world: &mut World, stage: Entity, open: OpenScene) -> bool {
    let here = participants(world, stage);
    let names: Vec<_> = names(world, &here).into_iter().map(Arc::from).collect();
    let told = [&here[..], &[stage]].concat();
    let scene = open.id.to_string();
    change_at(world, Some(stage), |world| {
        write_events_at_meeting(world, |events| {
            events.notify_entities(&told, NothingToDecide { scene });
        });
    });
    let talk = world.get::<Talk>(stage);
    let answers = talk.is_some_and(|talk| talk.awaits_answer(&names));
    if answers {
        world
            .entity_mut(stage)
            .insert((open.for_an_answer(), Phase::Plan));
    }
    answers
}

/// The next choice of a scene for which somebody is there who may decide, and the condition of an
/// option holds; `None` if there is none. Nobody is made to do the only thing that is left. What
/// was missing for each option may be noted.
pub(super) fn next_choice(
    world: &World,
    stage: Entity,
    open: &OpenScene,
    is_noted: bool,
) -> Option<PendingChoice> {
    let scene = world.resource::<StoryData>().scene(&open.id)?;
    let mut choices = scene.choices().enumerate().skip(open.choices);
    choices.find_map(|(number, choice)| {
        if is_noted {
            note_options(world, scene, choice);
        }
        let named = choice.who.iter().flat_map(|who| entities_of(world, who));
        let here = participants(world, stage);
        let mut deciders: Vec<_> = named.filter(|who| here.contains(who)).collect();
        deciders.truncate(if choice.vote { MAX_VOTERS } else { 1 });
        let names = names(world, &deciders).into_iter().map(Into::into);
        let mut names = names.collect::<Vec<Arc<str>>>().into_iter();
        let options = choice.options.iter().filter(|option| {
            let key = format_args!("{}/{}", open.id, option.id);
            option.when.holds(world, &key)
        });
        let mut options: Vec<Arc<str>> = options.map(|option| option.id.as_str().into()).collect();
        if options.len() == 1 {
            let [en, zh] = NOTHING;
            options.push(match world.resource::<RpgWorld>().0.language {
                Language::En => en.into(),
                Language::Zh => zh.into(),
            });
        }
        let (scene, who) = (open.id.clone(), names.next()?);
        (!options.is_empty()).then(|| PendingChoice {
            scene,
            who,
            question: choice.asks(world, &open.id).into(),
            options,
            number,
            others: names.collect(),
        })
    })
}

/// Notes what was missing for each option: a part of its condition, or an actor who may decide.
fn note_options(world: &World, scene: &Scene, choice: &Choice) {
    let presence = choice.presence(&scene.at);
    for ChoiceOption { id, when, .. } in &choice.options {
        let parts = when.required_now(world, &format!("{}/{id}", scene.id));
        let parts = parts.chain([(&presence, presence.holds(world, &""))]);
        let (scene, option) = (scene.id.clone(), id.clone());
        Nearness::note(world, PlotPoint::Option { scene, option }, parts, None);
    }
}

/// The effects of a scene are applied, and it is over.
pub(super) fn end_scene(world: &mut World, stage: Entity, scene: &str) {
    let scene = world.resource::<StoryData>().scene(scene).cloned();
    if let Some(scene) = scene {
        let cause = Cause {
            of: &scene.id,
            told: &scene.opening,
            ..Cause::at(stage)
        };
        apply_before_arrivals(world, cause, &scene.effects);
    }
    world.entity_mut(stage).remove::<OpenScene>();
}

/// Applies what was decided. At a meeting, before the next choices are offered.
pub(crate) fn apply_choices(world: &mut World) {
    for stage in all_of(world, Kind::Stage) {
        let Some(pending) = world.entity_mut(stage).take::<PendingChoice>() else {
            continue;
        };
        if let Some(Decided(id)) = world.entity_mut(stage).take::<Decided>() {
            apply_option(world, stage, &pending, id);
        }
        if let Some(mut open) = world.get_mut::<OpenScene>(stage) {
            open.choices = pending.number + 1;
        }
    }
}

/// Applies an option, and remembers that it was taken.
fn apply_option(world: &mut World, stage: Entity, choice: &PendingChoice, id: Arc<str>) {
    let PendingChoice { scene, who, .. } = choice;
    let option = world
        .resource::<StoryData>()
        .option(scene, &id)
        .cloned()
        .unwrap_or_default();
    let cause = Cause {
        place: stage,
        decider: Some(who)
            .filter(|_| choice.others.is_empty())
            .and_then(|who| world.resource::<CastList>().by_name(who)),
        of: &format!("{scene}/{id}"),
        told: option.told(),
        is_seen: !option.seen.is_empty(),
    };
    let deciders: Vec<&str> = choice.deciders().map(|who| &**who).collect();
    let taken = (scene.clone(), id, deciders.join(", ").into());
    world.resource_mut::<History>().choices.push(taken);
    apply_before_arrivals(world, cause, &option.effects);
}

pub(crate) fn ask_choice(
    rpg: Res<RpgWorld>,
    story: Res<StoryData>,
    pending: Query<&PendingChoice>,
    whereabouts: Whereabouts,
    minds: Query<(Option<&Bonds>, Option<&Goals>, Option<&Promises>)>,
    list: Res<CastList>,
    (seed, campaign): (Res<WorldSeed>, Res<CampaignState>),
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(Phase::Idle) else {
        return;
    };
    let Ok(pending) = pending.get(stage) else {
        return;
    };
    let here = whereabouts.living_on(stage);
    // The end of a scene elsewhere may have moved the deciders since it was offered.
    let deciders = pending
        .deciders()
        .filter_map(|who| Some((who, list.by_name(who)?)));
    let deciders: Vec<_> = deciders.filter(|(_, who)| here.contains(who)).collect();
    let choice = story.choice(&pending.scene, pending.number);
    let Some(choice) = choice.filter(|_| !deciders.is_empty()) else {
        return;
    };
    current.set_phase(Phase::Chosen);
    for (who, entity) in deciders.iter().copied() {
        let is_offered = |id: &str| pending.options.iter().any(|option| **option == *id);
        let options = choice
            .options
            .iter()
            .filter(|option| is_offered(&option.id));
        let goals = rpg.0.goals(who);
        let (bonds, states, promises) = minds.get(entity).unwrap_or_default();
        let open: Vec<_> = states.map_or(Vec::new(), |states| states.open(goals).collect());
        let leads = |option| Leads::of(who, &open, (&pending.scene, option));
        let label = pass(events.phrases(), &[]);
        let pass = NOTHING.into_iter().find(|id| is_offered(id));
        let pass = pass.map(|id| OfferedOption {
            id,
            label: &label,
            worded: false,
            is_pass: true,
            leads_to: Leads::default(),
        });
        let options = options.map(|option| OfferedOption {
            id: &option.id,
            label: &option.label,
            worded: option.speaks(),
            is_pass: false,
            leads_to: leads(option),
        });
        let feelings = bonds.into_iter().flat_map(|bonds| &bonds.0);
        let feelings = feelings.map(|(name, bond)| FeltFor {
            name,
            value: bond.value,
        });
        let options: Vec<_> = options.chain(pass).collect();
        let worded = options.iter().filter(|option| option.worded);
        let constraints = DecisionConstraints {
            options: pending.options.iter().map(ToString::to_string).collect(),
            worded: worded.map(|option| option.id.to_owned()).collect(),
            speech_chars: rpg.0.limits.speech_chars.max(1) as usize,
        };
        let place = whereabouts.name_text(stage);
        let others = deciders.iter().map(|(other, _)| &***other);
        let data = ChoiceData {
            me: who,
            name: who,
            kind: "actor",
            place: &place,
            day: campaign.days_done + 1,
            scene: &pending.scene,
            question: &pending.question,
            others: others.filter(|other| *other != &**who).collect(),
            options,
            may_say: constraints.may_say(),
            goals: open.iter().map(|goal| goal.words.as_str()).collect(),
            promises: promises.into_iter().flat_map(Promises::open).collect(),
            speech_chars: constraints.speech_chars,
            feelings: feelings.collect(),
            speaker: Speaker::of(&rpg.0, who).in_story(*seed, who),
        };
        let labels = data.options.iter().map(|option| option.label.to_owned());
        let goals = data.goals.iter().map(|goal| (*goal).to_owned());
        let at_stake = std::iter::once(pending.question.to_string());
        let others = here.iter().filter(|other| **other != entity);
        let here: Vec<_> = others.map(|other| whereabouts.name_text(*other)).collect();
        let limits = &rpg.0.limits;
        let cues = limits.cues(at_stake.chain(labels).chain(goals).collect(), &here);
        // Without an answer nothing is decided, and nothing moves.
        let ask = data.ask(events.phrases(), constraints, SceneDecision::default());
        let ask = ask.map(|ask| {
            let ask = ask.max_tokens(limits.max_reply_tokens()).recalling(cues);
            ask.spoken_by(Voice::new(who, &here))
        });
        events.insert_or_fault(&mut commands, entity, ask);
    }
}

/// The decision is seen by everybody there; its effects wait for the meeting.
pub(crate) fn take_choice(
    story: Res<StoryData>,
    pending: Query<&PendingChoice>,
    whereabouts: Whereabouts,
    mut answers: Answers<SceneDecision>,
    mut current: CurrentPlace,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some(stage) = current.begin(Phase::Idle) else {
        return;
    };
    let Ok(pending) = pending.get(stage) else {
        return;
    };
    let scene = story.scene(&pending.scene);
    let mut unaware = whereabouts.living_on(stage);
    unaware.retain(|other| scene.is_some_and(|it| !it.is_for(&whereabouts.name_text(*other))));
    let mut votes = Vec::new();
    for (entity, decision, _by) in answers.take() {
        let name = whereabouts.name_text(entity);
        let option = decision.option;
        if !pending.options.iter().any(|offered| **offered == *option) {
            continue;
        }
        let words = (decision.mind, decision.say);
        think_and_say(&mut events, (entity, &name), words, &unaware);
        votes.push(OneVote { name, option });
    }
    let count = |id: &str| votes.iter().filter(|vote| vote.option == id).count();
    // Of equals, the first in the file wins: it is looked at last.
    let most = pending.options.iter().rev().max_by_key(|id| count(id));
    let chosen = most.filter(|id| count(id) > 0);
    let option = chosen.and_then(|id| story.option(&pending.scene, id));
    if !pending.others.is_empty() {
        let tally = SceneVoted {
            scene: pending.scene.to_string(),
            result: option.map_or_else(String::new, |option| option.label.clone()),
            votes: votes
                .iter()
                .map(|vote| OneVote {
                    name: vote.name.clone(),
                    option: label_of((events.phrases(), &story), &pending.scene, &vote.option),
                })
                .collect(),
        };
        events.broadcast_to_stage(stage, tally, &unaware);
    }
    let Some(id) = chosen else { return };
    votes.retain(|vote| *vote.option == **id);
    let voters: Vec<_> = votes.into_iter().map(|vote| vote.name).collect();
    let told = option.map(|option| option.told().to_owned());
    let event = ChoiceMade {
        actor: voters.join(", "),
        scene: pending.scene.to_string(),
        option: id.to_string(),
        message: told
            .clone()
            .unwrap_or_else(|| pass(events.phrases(), &voters)),
        label: label_of((events.phrases(), &story), &pending.scene, id),
        question: pending.question.to_string(),
    };
    events.broadcast_to_stage(stage, event, &unaware);
    if let Some(told) = told {
        events.defer(move |world| publish(world, stage, &told));
    }
    commands.entity(stage).insert(Decided(id.clone()));
}
