//! A small game for the tests of the laws: stages with actors who speak, whisper, shout, strike and
//! walk, a chronicler on no stage, a stray who comes, goes and comes again under its old name.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{
    CastList, Clock, CurrentStage, Dead, EntityName, Gone, Kind, OnStage, Place, StableId,
    StageQuery, StageRng, Whereabouts, WorldTurn, dismiss, spawn,
};
use playhouse_engine::context::{AgentContext, Chapters, StoredMessage, context_to_json};
use playhouse_engine::engine::{Engine, MeetSet, Setup, StepSet};
use playhouse_engine::event::EventWriter;
use playhouse_engine::event::kinds::{Announce, Arrive, Death, Leave, Speak, Whisper};
use playhouse_engine::exchange::{Answers, Ask, Ledger, Prose, ProseRules, Reply, Violation};
use playhouse_engine::journal::{Line, Outcome};
use playhouse_engine::locale::UiText;
use playhouse_engine::message::{Body, BodyId, Tag, Text, TokenUsage, message_to_json};
use playhouse_engine::mind::{
    Awaited, Completion, MindError, Minds, Prompt, ScriptLine, ScriptMind, prompt_text,
};
use playhouse_engine::save::state_hashes;
use playhouse_engine::testing::{journal, spawn_spec};
use rand::RngExt;
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How a game is set up. `spawn_order` and `systems_reversed` may not change the world.
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) stages: u32,
    /// On each stage.
    pub(crate) actors: u32,
    /// In which order entities come into being; a seed.
    pub(crate) spawn_order: u64,
    /// Whether systems are added the other way round.
    pub(crate) systems_reversed: bool,
    /// What the first actor knows of itself.
    pub(crate) secret: &'static str,
    /// Whether questions are sent in their short form.
    pub(crate) short_questions: bool,
}

pub(crate) const SMALL: Game = Game {
    stages: 2,
    actors: 2,
    spawn_order: 0,
    systems_reversed: false,
    secret: "",
    short_questions: false,
};

impl Default for Game {
    fn default() -> Self {
        Self {
            stages: 3,
            actors: 3,
            spawn_order: 0,
            systems_reversed: false,
            secret: "You like rain.",
            short_questions: false,
        }
    }
}

/// What an actor does.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Deed {
    /// `speak`, `whisper`, `shout`, `strike`, `go` or `wait`.
    act: String,
    /// Whom or where.
    target: String,
    /// What is said.
    words: String,
}

/// Who is here and where one can go.
#[derive(Clone, Serialize)]
pub(crate) struct Legal {
    present: Vec<String>,
    exits: Vec<String>,
}

impl Reply for Deed {
    type Constraints = Legal;
    const NAME: &'static str = "deed";

    fn check(&self, legal: &Legal) -> Vec<Violation> {
        let among = |names: &[String]| names.contains(&self.target);
        let is_legal = match self.act.as_str() {
            "whisper" | "strike" => among(&legal.present),
            "go" => among(&legal.exits),
            "speak" | "shout" | "wait" => true,
            _ => false,
        };
        if is_legal {
            vec![]
        } else {
            vec![Violation::new("target", "CHECK FAILED: not legal here")]
        }
    }
}

/// How much life an actor has left.
#[derive(Component, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Life(i64);

/// What happened to an actor so far.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Fortune {
    deeds: u32,
    luck: u64,
}

/// Whether questions are sent in their short form.
#[derive(Resource)]
struct ShortQuestions(bool);

/// How many rounds a place still plays in this turn.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rounds(pub(crate) u32);

impl Game {
    /// The world before its first turn.
    pub(crate) fn setup(&self) -> Setup {
        let mut setup = Setup::new(7);
        setup
            .saves()
            .component::<Life>("life")
            .component::<Fortune>("fortune")
            .component::<Rounds>("rounds");
        self.enter_all(&mut setup.world);
        let short = ShortQuestions(self.short_questions);
        setup.world.insert_resource(short);
        setup.meet.add_systems(begin_turn.in_set(MeetSet::Rules));
        if self.systems_reversed {
            setup.step.add_systems(ask.in_set(StepSet::Ask));
            setup.step.add_systems(tire.in_set(StepSet::Rules));
            setup
                .step
                .add_systems(take_news.after(take_deeds).in_set(StepSet::Take));
            setup.step.add_systems(take_deeds.in_set(StepSet::Take));
        } else {
            setup
                .step
                .add_systems((take_deeds, take_news).chain().in_set(StepSet::Take));
            setup.step.add_systems(tire.in_set(StepSet::Rules));
            setup.step.add_systems(ask.in_set(StepSet::Ask));
        }
        setup
    }

    /// An engine with one mind for everybody and a journal in memory. Where its mind fails, it goes
    /// on.
    pub(crate) fn engine(&self, mind: Arc<ScriptMind>) -> Engine {
        let mut engine = Engine::new(self.setup(), Minds::all(mind), journal()).unwrap();
        engine.settings.falls_back = true;
        engine
    }

    /// Everybody comes into being in any order; numbers and places are the same in all.
    fn enter_all(&self, world: &mut World) {
        let rules = Arc::new(Text::from("The rules of the world: be kind.\n\n"));
        let mut cast = Vec::new();
        for stage in 1..=self.stages {
            cast.push((stage, format!("Stage{stage}"), Kind::Stage, 0));
        }
        for actor in 0..self.stages * self.actors {
            let id = self.stages + 1 + actor;
            let name = format!("Actor{}", actor + 1);
            cast.push((id, name, Kind::Actor, 1 + actor / self.actors));
        }
        let last = self.stages * (1 + self.actors) + 1;
        cast.push((last, "Chronicler".into(), Kind::WorldAgent, 0));
        let homes: Vec<_> = cast.iter().map(|(id, .., stage)| (*id, *stage)).collect();
        let order = |id: u32| hash_of(&(self.spawn_order, id));
        if self.spawn_order > 0 {
            cast.sort_by_key(|(id, ..)| order(*id));
        }
        for (id, name, kind, _) in cast {
            let secret = if name == "Actor1" { self.secret } else { "" };
            let identity = Body::text(format!("You are {name}. {secret}"))
                .with_id(BodyId {
                    place: id,
                    number: 1,
                })
                .after(rules.clone());
            let mut context = AgentContext::new(name.as_str());
            context.add_system_message(identity).unwrap();
            let clock = Clock {
                time: 0,
                last_number: 1,
            };
            let mut entity = world.spawn((
                StableId(id),
                EntityName(name.as_str().into()),
                kind,
                clock,
                context,
                Chapters::default(),
            ));
            match kind {
                Kind::Actor => entity.insert((Life(6), Fortune::default())),
                _ => entity.insert((Place, Rounds::default())),
            };
        }
        for (id, stage) in homes {
            let list = world.resource::<CastList>();
            let found = (list.by_id(StableId(id)), list.by_id(StableId(stage)));
            if let (Some(actor), Some(stage)) = found {
                world.entity_mut(actor).insert(OnStage(stage));
            }
        }
    }
}

pub(crate) fn of_name(world: &World, name: &str) -> Entity {
    world.resource::<CastList>().by_name(name).unwrap()
}

/// A number that is the same in every run.
pub(crate) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

// --- systems ---

/// Every place plays two rounds; a stray comes at turns 1 and 4 and is gone at turn 3.
fn begin_turn(world: &mut World) {
    let mut places = world.query::<&mut Rounds>();
    for mut rounds in places.iter_mut(world) {
        rounds.0 = 2;
    }
    match world.resource::<WorldTurn>().0 {
        1 | 4 => {
            let stray = spawn(world, spawn_spec("Stray", Kind::Actor, Some("Stage1"))).unwrap();
            world
                .entity_mut(stray)
                .insert((Life(6), Fortune::default()));
        }
        3 => {
            let stray = of_name(world, "Stray");
            dismiss(world, stray, Gone::Left);
        }
        _ => {}
    }
}

/// Deeds happen in a seeded order.
fn take_deeds(
    mut answers: Answers<Deed>,
    chance: StageRng,
    whereabouts: Whereabouts,
    list: Res<CastList>,
    mut lives: Query<&mut Life>,
    mut fortunes: Query<&mut Fortune>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let mut deeds = answers.take();
    let mut stream = chance.stream("deeds");
    deeds.shuffle(&mut stream);
    for (who, deed, _by) in deeds {
        if let Ok(mut fortune) = fortunes.get_mut(who) {
            fortune.deeds += 1;
            fortune.luck = fortune.luck.wrapping_mul(31) + stream.random_range(0..6);
        }
        let actor = whereabouts.name(who).unwrap().to_string();
        let place = whereabouts.place_of(who).unwrap();
        let stage = whereabouts.name(place).unwrap().to_string();
        let target = deed.target;
        let other = list.by_name(&target).filter(|other| {
            whereabouts.place_of(*other) == Some(place) && whereabouts.is_alive(*other)
        });
        let message = deed.words;
        match (deed.act.as_str(), other) {
            ("speak", _) => {
                let event = Speak {
                    actor,
                    target,
                    message,
                    tells: Vec::new(),
                };
                events.broadcast_to_stage(who, event, &[who]);
            }
            ("whisper", Some(other)) => {
                let event = Whisper {
                    actor,
                    target,
                    message,
                    tells: Vec::new(),
                };
                events.notify_entities(&[other], event);
            }
            ("shout", _) => {
                let event = Announce {
                    actor,
                    stage,
                    message,
                    tells: Vec::new(),
                };
                events.announce(event, &[who]);
            }
            ("strike", Some(other)) => {
                let mut life = lives.get_mut(other).unwrap();
                life.0 -= stream.random_range(2..5);
                if life.0 <= 0 {
                    commands.entity(other).insert(Dead);
                    let event = Death {
                        actor: target,
                        by: actor,
                        stage,
                    };
                    events.broadcast_to_stage(who, event, &[]);
                }
            }
            ("go", _) => events.defer(move |world| walk(world, &actor, &target)),
            _ => {}
        }
    }
}

/// Goes to another stage, at the meeting.
fn walk(world: &mut World, actor: &str, to: &str) {
    let (who, to) = (of_name(world, actor), of_name(world, to));
    let name = |world: &World, entity| world.get::<EntityName>(entity).unwrap().to_string();
    let Some(from) = world.get::<OnStage>(who).map(|stage| stage.0) else {
        return;
    };
    let (from_name, to_name) = (name(world, from), name(world, to));
    world.entity_mut(who).insert(OnStage(to));
    let (actor, stage) = (actor.to_owned(), from_name.clone());
    let notices = move |mut events: EventWriter| {
        let event = Leave {
            actor: actor.clone(),
            along: Vec::new(),
            stage: stage.clone(),
            to: to_name.clone(),
        };
        events.broadcast_to_stage(from, event, &[]);
        let event = Arrive {
            actor: actor.clone(),
            along: Vec::new(),
            stage: to_name.clone(),
            from: stage.clone(),
        };
        events.broadcast_to_stage(to, event, &[]);
    };
    bevy_ecs::system::RunSystemOnce::run_system_once(world, notices).unwrap();
}

/// What the chronicler writes is announced everywhere.
fn take_news(mut answers: Answers<Prose>, whereabouts: Whereabouts, mut events: EventWriter) {
    for (who, Prose(message), _by) in answers.take() {
        let actor = whereabouts.name(who).unwrap().to_string();
        let event = Announce {
            actor,
            stage: String::new(),
            message,
            tells: Vec::new(),
        };
        events.announce(event, &[who]);
    }
}

/// A rule that no other touches.
fn tire(mut actors: StageQuery<&mut Fortune, Without<Dead>>) {
    actors.each(|_, mut fortune| fortune.luck = fortune.luck.rotate_left(1));
}

fn ask(
    stage: Res<CurrentStage>,
    turn: Res<WorldTurn>,
    whereabouts: Whereabouts,
    short: Res<ShortQuestions>,
    mut rounds: Query<&mut Rounds>,
    mut commands: Commands,
) {
    let CurrentStage::Place(place) = *stage else {
        return;
    };
    let Ok(mut rounds) = rounds.get_mut(place) else {
        return;
    };
    if rounds.0 == 0 {
        return;
    }
    rounds.0 -= 1;
    if whereabouts.kind(place) == Some(Kind::WorldAgent) {
        let prompt = format!("Turn {}: what do you write down?", turn.0);
        let rules = ProseRules {
            must_hold: vec!["written".into()],
            ..ProseRules::default()
        };
        let news = Ask::new("news", prompt, rules, Prose("Nothing written.".into()));
        let tag = Tag::DAY_END.of(format!("news {} {}", turn.0, rounds.0).as_str());
        commands.entity(place).insert(news.tag(tag));
        return;
    }
    let names = |entities: &[Entity]| -> Vec<String> {
        let names = entities.iter().map(|entity| whereabouts.name(*entity));
        names.map(|name| name.unwrap().to_string()).collect()
    };
    let living = whereabouts.living_on(place);
    let stages = whereabouts.of_kind(Kind::Stage);
    for &actor in &living {
        let legal = Legal {
            present: names(&living).into_iter().collect(),
            exits: names(&stages),
        };
        let prompt = format!(
            "Turn {}. With you are {}. You can go to {}. What do you do?",
            turn.0,
            legal.present.join(", "),
            legal.exits.join(", ")
        );
        let fallback = Deed {
            act: "wait".into(),
            target: String::new(),
            words: String::new(),
        };
        let notes = json!(legal);
        let deed = Ask::new("deed", prompt, legal, fallback)
            .condensed("What do you do?")
            .tag(Tag::DAY_BEGIN.of(format!("{} {}", turn.0, rounds.0).as_str()))
            .max_tokens(200)
            .notes(notes);
        let deed = if short.0 { deed.sent_short() } else { deed };
        commands.entity(actor).insert(deed);
    }
}

// --- minds ---

/// An answer that is legal, as `choice` has it.
pub(crate) fn deed(prompt: &Prompt<'_>, choice: u64, words: &str) -> String {
    if prompt.purpose == "news" {
        return format!("It is written: {words}");
    }
    let pick = |list: &str| {
        let names = prompt.notes()[list].as_array().unwrap().clone();
        let index = (choice / 16) as usize % names.len();
        names[index].as_str().unwrap().to_owned()
    };
    let (act, target) = match choice % 8 {
        0..=2 => ("speak", pick("present")),
        3 => ("whisper", pick("present")),
        4 => ("shout", String::new()),
        5 => ("strike", pick("present")),
        6 => ("go", pick("exits")),
        _ => ("wait", String::new()),
    };
    json!({"act": act, "target": target, "words": words}).to_string()
}

/// What goes wrong in a call, by number; 0 for nothing.
pub(crate) fn mishap(prompt: &Prompt<'_>, number: u64) -> Option<ScriptLine> {
    let server = || Arc::<str>::from("test");
    let reason = || UiText::verbatim("made up");
    let (entity, call) = (prompt.entity.to_string(), prompt.number);
    let error = match number {
        1 => return Some(ScriptLine::say("NOT JSON {")),
        2 => {
            let wrong = r#"{"act": "strike", "target": "WRONG TARGET", "words": ""}"#;
            return Some(ScriptLine::say(wrong));
        }
        3 => return Some(ScriptLine::say("")),
        4 => MindError::Unreachable {
            server: server(),
            reason: reason(),
        },
        5 => MindError::Denied {
            server: server(),
            status: 401,
            reason: reason(),
            advice: reason(),
        },
        6 => MindError::Busy {
            server: server(),
            status: 429,
            reason: reason(),
        },
        7 => MindError::Rejected {
            server: server(),
            status: 400,
            reason: reason(),
            advice: reason(),
        },
        8 => MindError::ServerFailed {
            server: server(),
            status: 500,
            reason: reason(),
        },
        9 => MindError::PromptTooLong {
            server: server(),
            status: 400,
            reason: reason(),
            window: None,
        },
        10 => MindError::TimedOut {
            server: server(),
            seconds: 1,
            awaited: Awaited::FirstByte,
        },
        11 => MindError::InvalidResponse {
            server: server(),
            reason: reason(),
        },
        12 => MindError::ScriptExhausted {
            entity,
            number: call,
        },
        13 => MindError::NotRecorded {
            entity,
            number: call,
        },
        14 => MindError::SeatEmpty { entity },
        15 => MindError::Cancelled,
        _ => return None,
    };
    Some(ScriptLine::fail(error))
}

/// A mind that reads: what it answers, and where it fails, depends on every byte of its prompt.
/// `pattern` says how long each answer takes. The counter counts its calls.
pub(crate) fn reader(pattern: u64, calls: Arc<AtomicUsize>) -> ScriptMind {
    ScriptMind::by_rule(move |prompt| {
        calls.fetch_add(1, Ordering::SeqCst);
        let read = hash_of(&(prompt_text(prompt), prompt.number));
        let line = match read % 5 {
            0 => mishap(prompt, 1 + (read / 5) % 13),
            _ => None,
        };
        let words = format!("{} says {:x}", prompt.entity, read % 0xffff);
        let line = line.unwrap_or_else(|| {
            let mut said = Completion::instant("reader", deed(prompt, read >> 8, &words));
            said.usage = Some(TokenUsage {
                input: prompt.tokens() * (90 + read % 30) / 100,
                output: 20 + read % 20,
                ..TokenUsage::default()
            });
            ScriptLine::complete(said)
        });
        line.after(Duration::from_millis(match pattern {
            0 => 0,
            1 => hash_of(&read) % 50,
            2 => 200 - hash_of(prompt.entity) % 200,
            3 => 1 + u64::from(prompt.number % 3) * (hash_of(&(3, prompt.entity)) % 90),
            _ => hash_of(&(pattern, read)) % (1 + pattern * 7),
        }))
    })
    .with_info(|info| info.window = Some(2_000))
}

// --- looking at a world ---

/// Everything that a run leaves in a world, as text.
pub(crate) fn whole(world: &mut World) -> String {
    let mut text = String::new();
    for (place, hash) in state_hashes(world) {
        text += &format!("{place}: {hash:?}\n");
    }
    let cast: Vec<_> = world.resource::<CastList>().all().collect();
    for (id, entity) in cast {
        let context = world.get::<AgentContext>(entity).unwrap();
        let ledger = json!(world.get::<Ledger>(entity).unwrap());
        let revisions = context.revisions();
        let json = context_to_json(context);
        text += &format!("{id} {revisions} {json:#} {ledger}\n");
        for held in context.messages() {
            let body = held.message.body;
            text += &format!("{} is {} of {}\n", held.id, body.id(), body.time());
        }
        for chapter in world.get::<Chapters>(entity).unwrap().all() {
            let said = chapter.messages.iter();
            let said = said.map(|held| message_to_json(&held.message).to_string());
            let said = said.collect::<Vec<_>>().join("\n");
            text += &format!(
                "{} {} {}\n{said}\n",
                chapter.id, chapter.title, chapter.turn
            );
        }
    }
    text
}

/// An entity's messages with what was folded away put back in its place.
pub(crate) fn unfolded(world: &World, entity: Entity) -> Vec<StoredMessage> {
    let context = world.get::<AgentContext>(entity).unwrap();
    let mut messages: Vec<_> = context.messages().collect();
    for chapter in world.get::<Chapters>(entity).unwrap().all().iter().rev() {
        let first = chapter.messages[0].id;
        let index = messages.iter().position(|held| held.id == first).unwrap();
        messages.splice(index..=index, chapter.messages.iter().cloned());
    }
    messages
}

/// The outcomes of a journal, in order of arrival.
pub(crate) fn outcomes(lines: &[Line]) -> Vec<&Outcome> {
    let outcomes = lines.iter().filter_map(|line| match line {
        Line::Outcome(outcome) => Some(&**outcome),
        _ => None,
    });
    outcomes.collect()
}

/// The prompts that each entity heard, in order.
pub(crate) fn by_entity(heard: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut prompts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (entity, prompt) in heard {
        prompts.entry(entity).or_default().push(prompt);
    }
    prompts
}
