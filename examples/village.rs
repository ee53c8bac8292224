//! A game of your own: a village in which news travels. Alda has seen what lies in the well and
//! says so at the mill; Bero goes to warn Cuno, and says what he remembers. Then a reader asks the
//! story who knows of it and from whom, and exports it as a page.
//!
//! Run it with `cargo run --example village [page.html]`. It needs no model: a rule answers.
#![expect(clippy::print_stdout, reason = "it prints what happened")]
#![expect(clippy::disallowed_methods, reason = "it writes its page")]

use std::sync::Arc;

use playhouse::cast::{CastList, OnStage, WorldTurn};
use playhouse::event::ChapterClose;
use playhouse::knowledge::{Fact, FactBook, Knowledge, KnownBy};
use playhouse::locale::Language;
use playhouse::memory::Cues;
use playhouse::page::{Extras, report};
use playhouse::prelude::*;
use playhouse::story::{self, About, Form, StoryView};

/// The id of the fact that travels.
const NEWS: &str = "well";

/// What a villager says.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Talk {
    /// What you say aloud; may be empty.
    say: String,
    /// The ids of the facts that you tell with it.
    tells: Vec<String>,
}

impl Reply for Talk {
    type Constraints = ();
    const NAME: &'static str = "talk";
    const WORDS: &'static [Words] = &[Words::Spoken("/say")];
}

/// Those on the same stage hear it, and know from then on what it tells.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event(
    "said", style = Speech, speaker = who, spoken = message, tells = tells, words = message,
    text = format!("{who} says: “{message}”"), crate = playhouse
)]
struct Said {
    who: String,
    message: String,
    tells: Vec<String>,
}

/// A villager goes to another place.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event(
    "went", style = Move, not_recallable, text = format!("{who} goes to the {to}."), target = to,
    crate = playhouse
)]
struct Went {
    who: String,
    to: String,
}

/// What stands in a conversation in the place of a day that became a memory.
#[derive(Serialize, Deserialize, AgentEvent)]
#[event("slept", style = Memory, not_recallable, text = "(A night went by.)".into(), crate = playhouse)]
struct Slept;

/// On the second day Bero goes to the well, if he has heard the news.
fn go(
    turn: Res<WorldTurn>,
    cast: Res<CastList>,
    known: Query<&Knowledge>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    let Some((bero, well)) = cast.by_name("Bero").zip(cast.by_name("Well")) else {
        return;
    };
    if turn.0 == 1 && known.get(bero).is_ok_and(|known| known.knows(NEWS)) {
        commands.entity(bero).insert(OnStage(well));
        let (who, to) = ("Bero".into(), "well".into());
        events.announce(Went { who, to }, &[]);
    }
}

/// A new day: the one before becomes a memory, and everybody is asked what to say.
fn wake(
    turn: Res<WorldTurn>,
    villagers: Query<(Entity, &AgentContext), With<OnStage>>,
    mut events: EventWriter,
    mut commands: Commands,
) {
    for (villager, context) in &villagers {
        if let Some(past) = ChapterClose::of_past(context, format!("Day {}", turn.0)) {
            events.close_chapter(villager, Slept, past);
        }
        let ask = Ask::new("talk", "What do you say today?", (), Talk::default());
        let ask = ask.recalling(Cues::about(["May one drink from the village well?"], 300));
        commands.entity(villager).insert(ask);
    }
}

fn take_talk(mut talk: Answers<Talk>, names: Query<&EntityName>, mut events: EventWriter) {
    for (villager, Talk { say, tells }, _) in talk.take() {
        if let (false, Ok(name)) = (say.is_empty(), names.get(villager)) {
            let (who, message) = (name.to_string(), say);
            let said = Said {
                who,
                message,
                tells,
            };
            events.broadcast_to_stage(villager, said, &[villager]);
        }
    }
}

fn village() -> Result<Setup, Box<dyn std::error::Error>> {
    let mut setup = Setup::new(1).in_language(Language::En)?;
    register_event::<Said>(&mut setup.world);
    register_event::<Went>(&mut setup.world);
    register_event::<Slept>(&mut setup.world);
    register_reply::<Talk>(&mut setup.world);
    let meeting = (go, wake).chain();
    setup.meet.add_systems(meeting.in_set(MeetSet::Rules));
    setup.step.add_systems(take_talk.in_set(StepSet::Take));
    let book = FactBook::new([Fact {
        id: NEWS.into(),
        title: "What lies in the well".into(),
        text: "A goat lies in the well.".into(),
        known_by: KnownBy::Only(vec!["Alda".into()]),
        ..Fact::default()
    }]);
    setup.spawn_stage("Mill", "You are a mill.")?;
    setup.spawn_stage("Well", "You are a well.")?;
    for (name, place) in [("Alda", "Mill"), ("Bero", "Mill"), ("Cuno", "Well")] {
        let villager = setup.spawn_actor(name, place, format!("You are {name}."))?;
        let known = book.known_at_start(name);
        setup.world.entity_mut(villager).insert(known);
    }
    setup.world.insert_resource(book);
    Ok(setup)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any mind will do. In this one Alda speaks first, and others say what comes to their minds.
    let mind = ScriptMind::by_rule(|prompt| {
        let recalled = prompt.recalled.map_or("", |text| text.as_str());
        let speaks = &**prompt.entity == "Alda" || recalled.contains("goat");
        let warning = "Don't drink from the village well: a goat lies in it!";
        let words = if speaks { warning } else { "" };
        let tells: &[_] = if speaks { &[NEWS] } else { &[] };
        ScriptLine::say(json!({"say": words, "tells": tells}).to_string())
    });
    let mut engine = Engine::in_memory(village()?, mind)?;
    let view = Arc::new(StoryView::of(&engine.world, About::titled("A village")));
    let _streamed = story::watch(&mut engine, &view);
    engine.run(Some(3)).await?;
    view.update_state(&engine.world, true);

    let story = view.read();
    for event in story
        .events
        .iter()
        .filter(|event| event.form == Form::Speech)
    {
        let told = event.record();
        let who: Vec<_> = told.learners().collect();
        println!("{} ({})", told.text, who.join(", "));
    }
    for (being, known) in story.state.who_knows(NEWS) {
        let from = story.state.sources(NEWS, known);
        println!("{} knows it ← {}", being.name, from.join(" ← "));
    }
    for being in &story.state.beings {
        for memory in story.state.recall(being, ("Who saw a goat?", None), 1) {
            println!("{} remembers: {}", being.name, memory.text);
        }
    }
    assert_eq!(story.state.who_knows(NEWS).count(), 3, "the news travels");
    drop(story);
    let page = report(&view, None, Language::En, Extras::default())?;
    println!("The page has {} kB.", page.len() / 1_000);
    if let Some(file) = std::env::args().nth(1) {
        std::fs::write(file, page)?;
    }
    Ok(())
}
