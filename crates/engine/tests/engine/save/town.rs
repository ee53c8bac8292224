//! A small game: two stages, four actors who talk and travel, one who is dead, and a voice of the
//! world.

use std::sync::Arc;
use std::time::Duration;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use playhouse_engine::cast::{
    CastError, CastList, CurrentStage, Dead, EntityName, Kind, OnStage, SpawnSpec, StageQuery,
    WorldTurn, spawn,
};
use playhouse_engine::context::{AgentContext, Chapters};
use playhouse_engine::engine::{MeetSet, Setup, StepSet, StoryEnd};
use playhouse_engine::event::kinds::{Announce, Archive, Arrive, Leave, Speak};
use playhouse_engine::event::{ChapterClose, EventWriter};
use playhouse_engine::exchange::{Answers, Ask, Reply};
use playhouse_engine::message::Text;
use playhouse_engine::mind::{Completion, Minds, ScriptLine, ScriptMind};
use playhouse_engine::save::Meta;
use playhouse_engine::session::{Game, SetupError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an actor does with its turn.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Deed {
    pub(crate) words: String,
    pub(crate) go: bool,
}

impl Reply for Deed {
    type Constraints = ();
    const NAME: &'static str = "deed";
}

/// What an actor owns; grows when it speaks.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Purse(pub(crate) u32);

/// How many deeds an actor has left in this turn.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Breath(pub(crate) u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Annals {
    pub(crate) mornings: u64,
}

/// The game. With `until` the story is over after that turn.
#[derive(Clone, Debug)]
pub(crate) struct Town {
    pub(crate) data: String,
    pub(crate) until: Option<u64>,
}

impl Default for Town {
    fn default() -> Self {
        Self {
            data: "town-1".into(),
            until: None,
        }
    }
}

#[derive(Resource)]
struct LastTurn(u64);

impl Game for Town {
    fn meta(&self) -> Meta {
        Meta {
            world: "Town".into(),
            data: self.data.clone(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(seed);
        setup
            .saves()
            .component::<Purse>("purse")
            .component::<Breath>("breath")
            .resource::<Annals>("annals");
        setup.world.init_resource::<Annals>();
        if let Some(turn) = self.until {
            setup.world.insert_resource(LastTurn(turn));
        }
        setup.step.add_systems((
            take_deeds.in_set(StepSet::Take),
            end_days.in_set(StepSet::Rules),
            ask_deeds.in_set(StepSet::Ask),
        ));
        setup
            .meet
            .add_systems((begin_morning, end_story).chain().in_set(MeetSet::Rules));
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        let rules = Arc::new(Text::from("These are the rules of \"Town\".\n"));
        let mut enter = |name: &str, kind, stage: Option<&str>| {
            let newcomer = SpawnSpec {
                name: name.into(),
                kind,
                rules: Some(rules.clone()),
                identity: format!("You are {name}."),
                stage: stage.map(Into::into),
            };
            let entity = spawn(&mut setup.world, newcomer)?;
            if kind == Kind::Actor {
                let mut actor = setup.world.entity_mut(entity);
                actor.insert((Purse::default(), Breath::default()));
            }
            Ok::<_, CastError>(())
        };
        enter("Market", Kind::Stage, None)?;
        enter("Harbour", Kind::Stage, None)?;
        enter("Ann", Kind::Actor, Some("Market"))?;
        enter("Bob", Kind::Actor, Some("Harbour"))?;
        enter("Cleo", Kind::Actor, Some("Market"))?;
        enter("Dora \"the Dot\" Doe", Kind::Actor, Some("Harbour"))?;
        enter("Crier", Kind::WorldAgent, None)?;
        enter("Old Eve", Kind::Actor, Some("Harbour"))?;
        let eve = setup.world.resource::<CastList>().by_name("Old Eve");
        if let Some(eve) = eve {
            setup.world.entity_mut(eve).insert(Dead);
        }
        Ok(())
    }
}

fn begin_morning(mut annals: ResMut<Annals>, mut cast: Query<&mut Breath>) {
    annals.mornings += 1;
    for mut breath in &mut cast {
        breath.0 = 2;
    }
}

fn end_story(turn: Res<WorldTurn>, last: Option<Res<LastTurn>>, mut commands: Commands) {
    if last.is_some_and(|last| turn.0 + 1 >= last.0) {
        commands.insert_resource(StoryEnd("Night falls over the town.".into()));
    }
}

fn ask_deeds(mut actors: StageQuery<&mut Breath, Without<Dead>>, mut commands: Commands) {
    actors.each(|entity, mut breath| {
        if breath.0 > 0 {
            breath.0 -= 1;
            let fallback = Deed {
                words: "…".into(),
                go: false,
            };
            let ask = Ask::new(
                "deed",
                "It is your turn. What do you do, in full?",
                (),
                fallback,
            );
            commands.entity(entity).insert(ask.condensed("Your turn."));
        }
    });
}

fn take_deeds(
    mut answers: Answers<Deed>,
    names: Query<&EntityName>,
    mut purses: Query<&mut Purse>,
    mut events: EventWriter,
) {
    for (who, deed, _by) in answers.take() {
        let name = names.get(who).map(ToString::to_string).unwrap_or_default();
        if let Ok(mut purse) = purses.get_mut(who) {
            purse.0 += deed.words.len() as u32;
        }
        if deed.words.contains("NEWS") {
            let news = Announce {
                actor: name.clone(),
                stage: String::new(),
                message: deed.words.clone(),
                tells: Vec::new(),
            };
            events.announce(news, &[who]);
        }
        let event = Speak {
            actor: name,
            target: "all".into(),
            message: deed.words,
            tells: Vec::new(),
        };
        events.broadcast_to_stage(who, event, &[who]);
        if deed.go {
            events.defer(move |world| travel(world, who));
        }
    }
}

/// Moves an actor to the other stage and tells those who see it.
fn travel(world: &mut World, who: Entity) {
    let list = world.resource::<CastList>();
    let (Some(market), Some(harbour)) = (list.by_name("Market"), list.by_name("Harbour")) else {
        return;
    };
    let from = world.get::<OnStage>(who).map(|stage| stage.0);
    let to = if from == Some(market) {
        harbour
    } else {
        market
    };
    let name = |entity: Entity| {
        let name = world.get::<EntityName>(entity);
        name.map(ToString::to_string).unwrap_or_default()
    };
    let from = from.unwrap_or(to);
    let leave = Leave {
        actor: name(who),
        along: Vec::new(),
        stage: name(from),
        to: name(to),
    };
    let arrive = Arrive {
        actor: name(who),
        along: Vec::new(),
        stage: name(to),
        from: name(from),
    };
    world.insert_resource(CurrentStage::Meeting);
    world.entity_mut(who).insert(OnStage(to));
    let mut state = SystemState::<EventWriter>::new(world);
    if let Ok(mut events) = state.get_mut(world) {
        events.broadcast_to_stage(from, leave, &[who]);
        events.broadcast_to_stage(to, arrive, &[who]);
    }
    state.apply(world);
}

/// An actor whose memory is long closes a chapter.
fn end_days(actors: StageQuery<(&AgentContext, &Chapters, &EntityName)>, mut events: EventWriter) {
    for who in actors.entities() {
        let Some((context, chapters, name)) = actors.get(who) else {
            continue;
        };
        let entries = context.entries();
        if entries.len() < 14 {
            continue;
        }
        let event = Archive {
            actor: name.to_string(),
            stage: "Town".into(),
            chapter: chapters.next_id(&name.0).to_string(),
            record: String::new(),
            message: format!("{name} remembers a day."),
        };
        let closing = ChapterClose {
            begin: entries[1].id(),
            end: entries[10].id(),
            summing_up: Some((entries[11].id(), entries[11].id())),
            title: "A day".into(),
            record: None,
        };
        events.close_chapter(who, event, closing);
    }
}

/// A mind whose answers depend on who asks and how often, and whose delays come from `latency`.
pub(crate) fn mind(latency: u64) -> ScriptMind {
    ScriptMind::by_rule(move |prompt| {
        let who = prompt.entity.len() as u64;
        let number = u64::from(prompt.number);
        let words = match (who + number) % 5 {
            0 => format!("NEWS of number {number}!"),
            1 => format!("I say \\\"{number}\\\" and mean it."),
            _ => format!("Words {number} of {} bytes", prompt.history.tokens()),
        };
        let go = (who + number).is_multiple_of(3);
        let answer = format!(r#"{{"words": "{words}", "go": {go}}}"#);
        let completion = match number % 4 {
            0 => Completion {
                thinking: Some(format!("I have {number} thoughts.")),
                ..Completion::instant("script", answer)
            },
            _ => Completion::instant("script", answer),
        };
        let delay = (who * 7 + number * 13) % 5 * latency;
        ScriptLine::complete(completion).after(Duration::from_micros(delay))
    })
    .listening()
}

/// One mind for everybody, and a handle to hear what it was asked.
pub(crate) fn minds(latency: u64) -> (Minds, Arc<ScriptMind>) {
    let mind = Arc::new(mind(latency));
    (Minds::all(mind.clone()), mind)
}
