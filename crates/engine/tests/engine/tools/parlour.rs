//! A small game whose actors ask an oracle and throw dice before they speak.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::{Kind, SpawnSpec, StageQuery, spawn};
use playhouse_engine::engine::{MeetSet, Setup, StepSet};
use playhouse_engine::event::EventWriter;
use playhouse_engine::event::guard::Guards;
use playhouse_engine::event::kinds::Speak;
use playhouse_engine::exchange::{Answers, Ask, Prose, ProseRules};
use playhouse_engine::mind::{ExchangeRound, Prompt, ScriptLine};
use playhouse_engine::save::Meta;
use playhouse_engine::session::{Game, SetupError};
use playhouse_engine::tool::{ToolError, ToolSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What an oracle is asked.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Question {
    /// About what.
    pub(crate) about: String,
}

/// Whether an actor still speaks in this turn.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Speaks(pub(crate) bool);

/// The game, with an oracle outside of it.
#[derive(Clone, Default)]
pub(crate) struct Parlour {
    /// What the oracle knows, by what it is asked about; `Fail` fails, all else is echoed.
    pub(crate) known: BTreeMap<String, String>,
    /// Stirs the time that each of its answers takes; 0 for none.
    pub(crate) latency: u64,
    /// Every question that it was asked, in order of asking.
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    /// The most of its work that ever was under way at once.
    pub(crate) busiest: Arc<AtomicU64>,
}

impl Parlour {
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn delay(&self, about: &str) -> Duration {
        let mixed = about.bytes().fold(self.latency, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        Duration::from_millis(if self.latency == 0 { 0 } else { mixed % 50 })
    }

    pub(crate) fn setup(&self, seed: u64) -> Setup {
        let mut setup = Setup::new(seed);
        let (oracle, working) = (self.clone(), Arc::new(AtomicU64::new(0)));
        setup
            .tools()
            .add_async("oracle", "Knows much.", move |question: Question| {
                oracle.asked.lock().unwrap().push(question.about.clone());
                let (oracle, working) = (oracle.clone(), working.clone());
                async move {
                    let now = working.fetch_add(1, Ordering::SeqCst) + 1;
                    oracle.busiest.fetch_max(now, Ordering::SeqCst);
                    tokio::time::sleep(oracle.delay(&question.about)).await;
                    working.fetch_sub(1, Ordering::SeqCst);
                    match oracle.known.get(&question.about) {
                        _ if question.about == "Fail" => {
                            Err(ToolError::new("the oracle is silent"))
                        }
                        _ if question.about == "Never" => std::future::pending().await,
                        Some(known) => Ok(known.clone()),
                        None => Ok(format!("so it is with {}", question.about)),
                    }
                }
            });
        setup
            .world
            .insert_resource(Guards::built_in(4_000, Vec::new()));
        setup.saves().component::<Speaks>("speaks");
        setup.step.add_systems((
            take_words.in_set(StepSet::Take),
            ask_words.in_set(StepSet::Ask),
        ));
        setup.meet.add_systems(begin_turn.in_set(MeetSet::Rules));
        setup
    }

    pub(crate) fn opening(&self, seed: u64) -> Setup {
        let mut setup = self.setup(seed);
        self.populate(&mut setup).unwrap();
        setup
    }
}

/// All that an actor of the parlour may call.
pub(crate) const TOOLS: [&str; 3] = ["oracle", "roll_dice", "look_around"];

impl Game for Parlour {
    fn meta(&self) -> Meta {
        Meta {
            world: "Parlour".into(),
            data: "parlour-1".into(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        Ok(self.setup(seed))
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        let mut enter = |name: &str, kind, stage: Option<&str>, tools: bool| {
            let newcomer = SpawnSpec {
                name: name.into(),
                kind,
                rules: None,
                identity: format!("You are {name}."),
                stage: stage.map(Into::into),
            };
            let entity = spawn(&mut setup.world, newcomer)?;
            if kind == Kind::Actor {
                setup.world.entity_mut(entity).insert(Speaks::default());
            }
            if tools {
                setup.world.entity_mut(entity).insert(ToolSet::of(TOOLS));
            }
            Ok::<_, SetupError>(())
        };
        enter("Hall", Kind::Stage, None, false)?;
        enter("Attic", Kind::Stage, None, false)?;
        enter("Ann", Kind::Actor, Some("Hall"), true)?;
        enter("Bob", Kind::Actor, Some("Hall"), true)?;
        enter("Cid", Kind::Actor, Some("Attic"), true)?;
        enter("Dot", Kind::Actor, Some("Attic"), false)
    }
}

fn begin_turn(mut cast: Query<&mut Speaks>) {
    for mut speaks in &mut cast {
        speaks.0 = true;
    }
}

fn ask_words(mut actors: StageQuery<&mut Speaks>, mut commands: Commands) {
    actors.each(|entity, mut speaks| {
        if std::mem::take(&mut speaks.0) {
            let ask = Ask::new(
                "words",
                "Ask whom you like, then speak.",
                ProseRules::default(),
                Prose("…".into()),
            );
            commands.entity(entity).insert(ask.condensed("Speak."));
        }
    });
}

fn take_words(mut answers: Answers<Prose>, mut events: EventWriter) {
    for (who, words, _by) in answers.take() {
        let event = Speak {
            actor: who.to_string(),
            target: "all".into(),
            message: words.0,
            tells: Vec::new(),
        };
        events.broadcast_to_stage(who, event, &[who]);
    }
}

/// The calls of an ask's first rounds, then words: what most scripts here do.
pub(crate) fn by_rounds(prompt: &Prompt<'_>, rounds: &[Value], words: &str) -> ScriptLine {
    let done = prompt
        .rounds
        .iter()
        .filter(|round| matches!(round, ExchangeRound::Tools(_)));
    match rounds.get(done.count()) {
        Some(calls) if !prompt.tools.specs.is_empty() => {
            let calls = calls.as_array().unwrap().iter();
            ScriptLine::call(calls.map(|call| (call[0].as_str().unwrap(), call[1].clone())))
        }
        _ => ScriptLine::say(words),
    }
}

/// What everybody does who is not told otherwise: two rounds of calls that name caller and ask.
pub(crate) fn usual(prompt: &Prompt<'_>) -> ScriptLine {
    let about =
        |what: &str| json!({"about": format!("{what} of {} {}", prompt.entity, prompt.number)});
    let rounds = [
        json!([["oracle", about("luck")], ["roll_dice", {"dice": 3}], ["oracle", about("love")]]),
        json!([["look_around", {}], ["oracle", about("end")]]),
    ];
    let wait = (prompt.entity.len() as u64 * 7 + u64::from(prompt.number)) % 5;
    let words = format!(
        "I am {} and speak for the {}. time.",
        prompt.entity, prompt.number
    );
    by_rounds(prompt, &rounds, &words).after(Duration::from_millis(wait))
}
