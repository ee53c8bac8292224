//! A village of three in a Bevy app without a window. The game moves a stranger along the road and
//! tells the story; the guards decide what to do, and the game opens or bars the gate. Run it with
//! `cargo run --example bevy_village`. It plays the village several times and compares.
#![expect(clippy::print_stdout, reason = "it prints what happened")]
#![expect(clippy::disallowed_methods, reason = "it measures frames")]

use std::error::Error;
use std::time::{Duration, Instant};

use bevy_app::{App, Update};
use playhouse::bevy::{
    Character, Noticed, StoryAnswer, StoryEvent, StoryInput, StoryPlugin, StoryTime, story_ticks,
    tell_game_events,
};
use playhouse::prelude::*;

const FRAMES: usize = 600;
const RUNS: usize = 5;
/// The most that a frame may take because of the story.
const LONGEST: Duration = Duration::from_millis(2);

// --- the story: its guards react to what they notice ---

/// What a guard does.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
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

/// A guard calls out.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event("call", style = Speech, speaker = guard, text = told, crate = playhouse)]
struct Call {
    guard: String,
    words: String,
}

impl Call {
    fn told(&self, _: &Phrasebook, _: &Value) -> Result<String, PhraseError> {
        Ok(format!("{} calls: {}", self.guard, self.words))
    }
}

fn ask_guards(guards: Query<(Entity, &Noticed)>, mut commands: Commands) {
    for (guard, noticed) in &guards {
        let Some(news) = noticed.0.last() else {
            continue;
        };
        let fallback = Reaction {
            say: "Hm.".into(),
            bar: false,
        };
        let ask = Ask::new(
            "react",
            format!("{} What do you do?", news.text),
            (),
            fallback,
        );
        commands.entity(guard).insert(ask);
    }
}

fn take_reactions(
    mut reactions: Answers<Reaction>,
    names: Query<&EntityName>,
    mut events: EventWriter,
) {
    for (guard, reaction, _) in reactions.take() {
        let name = names
            .get(guard)
            .map(ToString::to_string)
            .unwrap_or_default();
        let call = Call {
            guard: name,
            words: reaction.say,
        };
        events.broadcast_to_stage(guard, call, &[guard]);
    }
}

fn village() -> Result<StoryPlugin, Box<dyn Error>> {
    let mut setup = Setup::new(1);
    register_event::<Call>(&mut setup.world);
    setup.spawn_stage("Gate", "You are the gate of a village.")?;
    for name in ["Alda", "Bero", "Cuno"] {
        setup.spawn_actor(name, "Gate", format!("You are {name}."))?;
    }
    setup.step.add_systems(take_reactions.in_set(StepSet::Take));
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
    setup
        .meet
        .add_systems(ask_guards.in_set(MeetSet::Rules).after(tell_game_events));
    Ok(StoryPlugin::new(setup, minds)?.ticks_per_turn(30))
}

// --- the game ---

#[derive(Resource, Default)]
struct Transcript(Vec<String>);

#[derive(Resource, Default)]
struct Gate {
    is_barred: bool,
}

/// The stranger walks up the road, tick by tick.
fn walk(time: Res<StoryTime>, mut story: ResMut<StoryInput>) {
    match time.tick {
        40 => story.tell_characters(["Alda"], "A pedlar with a cart comes up the road."),
        200 => story.tell_characters(
            ["Alda", "Bero"],
            "Three riders with drawn swords come up the road.",
        ),
        400 => story.tell_stage("Gate", "The riders turn round and leave."),
        _ => {}
    }
}

/// What the guards decide moves the gate.
fn move_gate(mut answers: MessageReader<StoryAnswer>, mut gate: ResMut<Gate>) {
    for answer in answers.read() {
        if answer.entity.is_some()
            && answer.record.purpose == "react"
            && let Some(reaction) = answer.read::<Reaction>()
        {
            gate.is_barred = reaction.bar;
        }
    }
}

fn write_down(
    time: Res<StoryTime>,
    gate: Res<Gate>,
    mut events: MessageReader<StoryEvent>,
    mut transcript: ResMut<Transcript>,
) {
    for event in events.read() {
        let gate = if gate.is_barred { "barred" } else { "open" };
        let heard = event.audience.len();
        let line = format!(
            "tick {:3}, gate {gate}, heard by {heard}: {}",
            time.tick, event.record.text
        );
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
            (walk.run_if(story_ticks), move_gate, write_down).chain(),
        );
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
