//! A village of three in a Bevy app without a window. The game moves strangers along the road,
//! tells the story and asks its guards; what they decide opens or bars the gate. Run it with
//! `cargo run --example bevy_village`. It plays the village several times and compares.
#![expect(clippy::print_stdout, reason = "it prints what happened")]
#![expect(clippy::disallowed_methods, reason = "it measures frames")]

use std::error::Error;
use std::time::{Duration, Instant};

use bevy_app::{App, Update};
use playhouse::bevy::{
    AddStoryAnswer, AskStory, Character, StoryAsk, StoryEvent, StoryInput, StoryPlugin, StoryReply,
    StoryTime, story_ticks,
};
use playhouse::prelude::*;

const FRAMES: usize = 600;
const RUNS: usize = 5;
/// The most that a frame may take because of the story.
const LONGEST: Duration = Duration::from_millis(2);

// --- the story: who is there ---

/// What a guard does.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Reaction {
    /// What the guard calls out.
    say: String,
    /// Whether to bar the gate.
    bar: bool,
}

impl Reply for Reaction {
    type Constraints = ();
    const NAME: &'static str = "reaction";
}

fn village() -> Result<StoryPlugin, Box<dyn Error>> {
    let mut setup = Setup::new(1);
    setup.spawn_stage("Gate", "You are the gate of a village.")?;
    for name in ["Alda", "Bero", "Cuno"] {
        setup.spawn_actor(name, "Gate", format!("You are {name}."))?;
    }
    // Any mind will do; this one knows a friend from a stranger.
    let minds = ScriptMind::by_rule(|prompt| {
        let bar = prompt.question.full_text().contains("sword");
        let say = if bar {
            "Bar the gate!"
        } else {
            "Good day to you."
        };
        ScriptLine::say(json!({"say": say, "bar": bar}).to_string())
    });
    Ok(StoryPlugin::new(setup, minds)?.ticks_per_turn(30))
}

// --- the game ---

#[derive(Resource, Default)]
struct Transcript(Vec<String>);

#[derive(Resource, Default)]
struct Gate {
    is_barred: bool,
}

/// Strangers come up the road, tick by tick; who sees them is asked what to do.
fn walk(
    time: Res<StoryTime>,
    guards: Query<(Entity, &Character)>,
    mut story: ResMut<StoryInput>,
    mut commands: Commands,
) {
    let (who, news): (&[&str], _) = match time.tick {
        40 => (&["Alda"], "A pedlar with a cart comes up the road."),
        200 => (
            &["Alda", "Bero"],
            "Three riders with drawn swords come up the road.",
        ),
        400 => (
            &["Alda", "Bero", "Cuno"],
            "The riders turn round and leave.",
        ),
        _ => return,
    };
    story.tell_characters(who.iter().copied(), news);
    for (guard, _) in guards.iter().filter(|(_, guard)| who.contains(&&*guard.0)) {
        let fallback = Reaction {
            say: "Hm.".into(),
            bar: false,
        };
        let ask = StoryAsk::new(format!("{news} What do you do?"), (), fallback);
        commands.entity(guard).ask(ask);
    }
}

/// What the guards decide moves the gate, and everybody hears it.
fn react(
    time: Res<StoryTime>,
    guards: Query<&Character>,
    mut reactions: MessageReader<StoryReply<Reaction>>,
    mut story: ResMut<StoryInput>,
    mut gate: ResMut<Gate>,
    mut transcript: ResMut<Transcript>,
) {
    for StoryReply { entity, reply, .. } in reactions.read() {
        gate.is_barred = reply.bar;
        let guard = entity.and_then(|guard| guards.get(guard).ok());
        let name = guard.map_or("Somebody", |guard| &*guard.0);
        let state = if gate.is_barred { "barred" } else { "open" };
        let line = format!("tick {:3}, gate {state}, {name}: {}", time.tick, reply.say);
        transcript.0.push(line);
        story.tell_stage("Gate", format!("{name} calls: {}", reply.say));
    }
}

fn write_down(
    time: Res<StoryTime>,
    mut events: MessageReader<StoryEvent>,
    mut transcript: ResMut<Transcript>,
) {
    for event in events.read() {
        let (tick, heard) = (time.tick, event.audience.len());
        let line = format!("tick {tick:3}, heard by {heard}: {}", event.record.text);
        transcript.0.push(line);
    }
}

/// Plays the village; returns what happened and how long each frame took.
fn play() -> Result<(Vec<String>, Vec<Duration>), Box<dyn Error>> {
    let mut app = App::new();
    app.add_plugins(village()?)
        .init_resource::<Transcript>()
        .init_resource::<Gate>()
        .add_systems(
            Update,
            (walk.run_if(story_ticks), react, write_down).chain(),
        )
        .add_story_answer::<Reaction>();
    for name in ["Alda", "Bero", "Cuno"] {
        app.world_mut().spawn(Character(name.into()));
    }
    let mut frames = Vec::new();
    // Frames go on while the story is busy; the ticks that both share do not.
    while app.world().resource::<StoryTime>().tick < FRAMES as u64 {
        let began = Instant::now();
        app.update();
        frames.push(began.elapsed());
        std::thread::sleep(Duration::from_micros(500));
    }
    let transcript = app.world_mut().resource_mut::<Transcript>();
    Ok((std::mem::take(&mut transcript.into_inner().0), frames))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (story, mut quickest) = play()?;
    println!("{}", story.join("\n"));
    assert!(
        story
            .iter()
            .any(|line| line.contains("gate barred, Bero: Bar the gate!"))
    );
    for _ in 1..RUNS {
        let (again, frames) = play()?;
        assert_eq!(story, again, "every run tells the same story");
        // What the machine does beside us comes and goes; what the story costs would come back in
        // each run.
        quickest = quickest
            .into_iter()
            .zip(frames)
            .map(|(left, right)| left.min(right))
            .collect();
    }
    let longest = quickest.iter().max().copied().unwrap_or_default();
    println!(
        "{} frames, {RUNS} runs; the longest frame took {longest:?}",
        quickest.len()
    );
    assert!(
        longest <= LONGEST,
        "the story may hold no frame for more than {LONGEST:?}"
    );
    Ok(())
}
