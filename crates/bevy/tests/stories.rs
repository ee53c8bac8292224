//! Stories alongside an app: what the game asks and tells, what is saved, and what goes wrong.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use bevy_app::App;
use playhouse_bevy::{
    AddStoryAnswer, AskStory, Character, Noticed, StoryAsk, StoryInput, StoryPlugin, StoryReply,
    StoryTime, tell_game_events,
};
use playhouse_engine::prelude::*;
use playhouse_engine::save::Meta;
use playhouse_engine::session::{Game, SetupError};

/// What a guard lets through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Toll {
    coins: u32,
}

impl Reply for Toll {
    type Constraints = u32;
    const NAME: &'static str = "toll";

    fn check(&self, most: &u32) -> Vec<Violation> {
        let too_much = || Violation::new("coins", format!("at most {most}"));
        (self.coins > *most).then(too_much).into_iter().collect()
    }
}

/// Everybody says how much was asked for, which is the last number of the question.
fn mind() -> ScriptMind {
    ScriptMind::by_rule(|prompt| {
        let question = prompt.question.full_text();
        let number = question.rsplit(' ').next().unwrap_or_default();
        ScriptLine::say(format!("{{\"coins\": {number}}}"))
    })
}

/// A gate with two guards, as a game that can be saved.
struct Gate;

/// How often somebody noticed something.
#[derive(Component, Clone, Default, Serialize, Deserialize)]
struct Alarms(u32);

fn hear(mut guards: Query<&mut Alarms, With<Noticed>>) {
    guards.iter_mut().for_each(|mut alarms| alarms.0 += 1);
}

impl Game for Gate {
    fn meta(&self) -> Meta {
        Meta {
            world: "Gate".into(),
            data: "1".into(),
        }
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = Setup::new(seed);
        setup.saves().component::<Alarms>("alarms");
        setup
            .meet
            .add_systems(hear.in_set(MeetSet::Rules).after(tell_game_events));
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        setup.spawn_stage("Gate", "You are a gate.")?;
        for name in ["Alda", "Bero"] {
            let guard = setup.spawn_actor(name, "Gate", format!("You are {name}."))?;
            setup.world.entity_mut(guard).insert(Alarms::default());
        }
        Ok(())
    }
}

fn setup() -> Setup {
    let mut setup = Gate.set_up(1).unwrap();
    Gate.populate(&mut setup).unwrap();
    setup
}

/// An app with this story, whose entities are Alda and Bero.
fn app(plugin: StoryPlugin) -> (App, [Entity; 2]) {
    let mut app = App::new();
    app.add_plugins(plugin.ticks_per_turn(1));
    app.add_story_answer::<Toll>();
    let guards = ["Alda", "Bero"].map(|name| app.world_mut().spawn(Character(name.into())).id());
    (app, guards)
}

/// Plays until the story has told a turn, or has ended; returns who decided what.
fn play(app: &mut App, turn: u64) -> Vec<(Entity, u32)> {
    let mut decided = Vec::new();
    for _ in 0..20_000 {
        app.update();
        let mut replies = app.world_mut().resource_mut::<Messages<StoryReply<Toll>>>();
        let replies = replies.drain();
        decided.extend(replies.map(|toll| (toll.entity.unwrap(), toll.reply.coins)));
        let time = app.world().resource::<StoryTime>();
        if time.turn >= turn || time.is_over {
            return decided;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    panic!("the story does not go on");
}

fn ask(app: &mut App, entity: Entity, question: &str) {
    let ask = StoryAsk::new(question, 10, Toll { coins: 0 });
    app.world_mut().commands().entity(entity).ask(ask);
}

/// What was logged.
fn log() -> Arc<Mutex<Vec<u8>>> {
    static LOG: LazyLock<Arc<Mutex<Vec<u8>>>> = LazyLock::new(|| {
        #[derive(Clone)]
        struct Sink(Arc<Mutex<Vec<u8>>>);
        impl Write for Sink {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().unwrap().extend_from_slice(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let sink = Sink(Arc::default());
        let written = sink.0.clone();
        let writer = move || sink.clone();
        tracing_subscriber::fmt()
            .with_writer(writer)
            .with_ansi(false)
            .init();
        written
    });
    LOG.clone()
}

#[track_caller]
fn is_logged(text: &str) {
    let log = String::from_utf8(log().lock().unwrap().clone()).unwrap();
    assert!(log.contains("ERROR") && log.contains(text), "{text}: {log}");
}

#[test]
fn entities_of_the_game_are_asked_and_answer_in_their_type() {
    let (mut app, [alda, bero]) = app(StoryPlugin::new(setup(), mind()).unwrap());
    ask(&mut app, alda, "How many coins? Say 3");
    ask(&mut app, bero, "How many coins? Say 4");
    ask(&mut app, alda, "And now? Say 5");
    // More than may be asked for, so that the default is used.
    ask(&mut app, bero, "And now? Say 11");
    let decided = play(&mut app, 5);
    assert_eq!(decided, [(alda, 3), (bero, 4), (alda, 5), (bero, 0)]);
}

#[test]
fn what_is_told_to_a_place_reaches_who_is_there() {
    let saves = tempfile::tempdir().unwrap();
    let (mut app, _) = app(saved(saves.path()));
    let mut input = app.world_mut().resource_mut::<StoryInput>();
    input.tell_stage("Gate", "Riders come up the road.");
    input.tell_characters(["Bero"], "One of them waves.");
    play(&mut app, 4);
    drop(app);
    let text = std::fs::read_to_string(saves.path().join("gate/world.json")).unwrap();
    assert_eq!(text.matches("\"alarms\":1").count(), 2, "{text}");
}

fn saved(saves: &Path) -> StoryPlugin {
    StoryPlugin::saved(Gate, saves, "gate", 7, mind())
}

#[test]
fn a_story_in_a_slot_goes_on_where_it_stopped() {
    let saves = tempfile::tempdir().unwrap();
    let (mut app, [alda, _]) = self::app(saved(saves.path()));
    ask(&mut app, alda, "How many coins? Say 3");
    assert_eq!(play(&mut app, 3), [(alda, 3)]);
    drop(app);
    let (mut app, [_, bero]) = self::app(saved(saves.path()));
    ask(&mut app, bero, "How many coins? Say 6");
    play(&mut app, 1);
    assert!(
        app.world().resource::<StoryTime>().turn > 3,
        "it began anew"
    );
    assert_eq!(play(&mut app, 8), [(bero, 6)]);
}

#[test]
fn what_can_not_be_asked_is_an_error_in_the_log() {
    log();
    let mut app = App::new();
    app.add_plugins(StoryPlugin::new(setup(), mind()).unwrap().ticks_per_turn(1));
    let alda = app.world_mut().spawn(Character("Alda".into())).id();
    ask(&mut app, alda, "How many coins? Say 3");
    app.update();
    is_logged("'toll' can't be asked: write `app.add_story_answer::<…>()`");
    let (mut app, _) = self::app(StoryPlugin::new(setup(), mind()).unwrap());
    let rock = app.world_mut().spawn_empty().id();
    ask(&mut app, rock, "How many coins? Say 3");
    let ghost = app.world_mut().spawn(Character("Ghost".into())).id();
    ask(&mut app, ghost, "How many coins? Say 3");
    let mut input = app.world_mut().resource_mut::<StoryInput>();
    input.tell_stage("Moor", "Fog rises.");
    input.tell_characters(["Bero", "Beor"], "An owl calls.");
    input.tell_characters([""; 0], "A fox barks.");
    play(&mut app, 4);
    is_logged("it is no `Character`");
    is_logged("nobody in the story is called 'Ghost'");
    is_logged("nobody in the story is called 'Moor'");
    is_logged("nobody in the story is called 'Beor'");
    is_logged("the game told nobody in particular");
}

#[test]
fn a_story_that_stops_is_an_error_in_the_log_with_the_reason() {
    log();
    fn ask_in_vain(guards: Query<Entity, With<Alarms>>, mut commands: Commands) {
        for guard in &guards {
            let prose = Prose("…".into());
            let ask = Ask::new("vain", "Say 1", ProseRules::default(), prose);
            commands.entity(guard).insert(ask);
        }
    }
    let mut setup = setup();
    setup
        .meet
        .add_systems(ask_in_vain.in_set(MeetSet::Extensions));
    let (mut app, _) = app(StoryPlugin::new(setup, mind()).unwrap());
    play(&mut app, 100);
    assert!(app.world().resource::<StoryTime>().is_over);
    is_logged("the story stopped: ");
    is_logged("no system took the answer 'prose'");
}
