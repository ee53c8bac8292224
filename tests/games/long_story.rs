//! A story of many days: whatever happened stays in the records, and no prompt grows.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bevy_ecs::prelude::*;
use playhouse::cast::{CastList, EntityName, Kind};
use playhouse::context::{AgentContext, Chapters, Happening, Level, Note};
use playhouse::engine::{Engine, MeetSet, Setup, Stop};
use playhouse::event::write_events_at_meeting;
use playhouse::knowledge::{Fact, KnownBy, Today};
use playhouse::message::Language;
use playhouse::mind::improviser::Improviser;
use playhouse::mind::{Answering, Mind, MindInfo, Minds, Prompt};
use playhouse::rpg::Campaign;
use playhouse::rpg::world_file::{Step, new_world};
use playhouse::save::Meta;
use playhouse::session::{Game, Session, SetupError, replay};
use playhouse::world_data::DataFolder;

const DAYS: u32 = 40;
const BUDGET: i32 = 4_000;

/// The sample world with many days at home and a fact for each of them.
#[derive(Clone)]
struct LongStory(Campaign);

fn story(language: Language) -> LongStory {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("mill");
    new_world(&folder, language).unwrap();
    let data = DataFolder::at("data").unwrap();
    let world = DataFolder::at(&folder).unwrap();
    let mut campaign = Campaign::load_from(&data, &world, "mill").unwrap();
    let file = Arc::make_mut(&mut campaign.file);
    file.schedule = vec![Step::Home { days: DAYS as i32 }];
    file.limits.context_tokens = BUDGET;
    file.facts.extend((1..=DAYS).map(|day| Fact {
        id: planted(day),
        title: match language {
            Language::En => format!("The mark of day {day}"),
            Language::Zh => format!("第{day}天的记号"),
        },
        text: match language {
            Language::En => format!("The mark of day {day} is number {}.", day * 7919),
            Language::Zh => format!("第{day}天的记号是{}号。", day * 7919),
        },
        known_by: KnownBy::Only(Vec::new()),
        // What can be told stands in each question to those who know it.
        sworn: true,
        ..Fact::default()
    }));
    LongStory(campaign)
}

fn planted(day: u32) -> String {
    format!("planted-{day}")
}

/// Each day, everybody learns the fact of the day.
fn plant(world: &mut World) {
    let day = world.resource::<Today>().0;
    let learners = world.resource::<CastList>().all();
    let learners: Vec<_> = learners
        .map(|(_, entity)| entity)
        .filter(|entity| world.get::<Kind>(*entity) == Some(&Kind::Actor))
        .collect();
    write_events_at_meeting(world, |events| events.teach(&learners, &planted(day), ""));
}

impl Game for LongStory {
    fn meta(&self) -> Meta {
        self.0.meta()
    }

    fn set_up(&self, seed: u64) -> Result<Setup, SetupError> {
        let mut setup = self.0.set_up(seed)?;
        let order = plant.after(MeetSet::Rules).before(MeetSet::Deliver);
        setup.meet.add_systems(order);
        Ok(setup)
    }

    fn populate(&self, setup: &mut Setup) -> Result<(), SetupError> {
        self.0.populate(setup)
    }
}

/// The improviser, which notes the longest prompt of each entity.
struct Measured {
    improviser: Improviser,
    longest: Longest,
}

impl Mind for Measured {
    fn info(&self) -> &MindInfo {
        self.improviser.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let mut longest = self.longest.lock().unwrap();
        let longest = longest.entry(prompt.entity.clone()).or_default();
        let new = (prompt.tokens(), prompt.purpose.to_owned());
        *longest = new.max(longest.clone());
        self.improviser.answer(prompt)
    }
}

/// The tokens and the purpose of the longest prompt of each entity.
type Longest = Arc<Mutex<BTreeMap<Arc<str>, (u64, String)>>>;

fn minds() -> (Minds, Longest) {
    let longest = Longest::default();
    let mind = Measured {
        improviser: Improviser::taught(playhouse::rpg::improviser::teach).unwrap(),
        longest: Arc::clone(&longest),
    };
    (Minds::all(Arc::new(mind)), longest)
}

/// All that somebody noted, in chapters and since.
fn notes(chapters: &Chapters) -> Vec<Note> {
    let records = chapters.all().iter().filter_map(|it| it.record.as_ref());
    let closed = records.flat_map(|record| record.notes.clone());
    closed.chain(chapters.open_notes().to_vec()).collect()
}

fn facts(notes: &[Note]) -> BTreeMap<String, u32> {
    let learned = notes.iter().filter_map(|note| match &note.happening {
        Happening::Learned { fact, .. } if fact.starts_with("planted-") => {
            Some((fact.to_string(), note.day))
        }
        _ => None,
    });
    learned.collect()
}

fn check_records(engine: &mut Engine) {
    let mut query = engine
        .world
        .query::<(&EntityName, &Kind, &AgentContext, &Chapters)>();
    let mut levels = BTreeMap::new();
    for (EntityName(name), kind, context, chapters) in query.iter(&engine.world) {
        let mut standing: Vec<Note> = chapters.open_notes().to_vec();
        for entry in context.entries() {
            let tags = context.tags(entry.id());
            let id = tags.and_then(|tags| tags.text("chapter"));
            let chapter = chapters.all().iter().find(|it| Some(&*it.id.0) == id);
            let Some(chapter) = chapter else { continue };
            *levels.entry(chapter.level()).or_insert(0) += 1;
            let merged = chapters.merged(chapter.record.as_ref().unwrap());
            let told: Vec<_> = merged.notes.iter().map(|note| note.entry).collect();
            assert!(told.is_sorted(), "{name}: {told:?}");
            standing.extend(merged.notes);
        }
        for chapter in chapters.all() {
            assert!(!chapter.messages.is_empty() && chapter.record.is_some());
        }
        if *kind == Kind::Actor && **name != *"Flour Wight" && **name != *"粉魂" {
            let expected: BTreeMap<_, _> = (1..=DAYS).map(|day| (planted(day), day)).collect();
            assert_eq!(facts(&standing), expected, "{name}");
            assert_eq!(facts(&notes(chapters)), expected, "{name}");
        }
    }
    let highest = levels.keys().max().copied();
    assert!(highest > Some(Level::Chapter), "{levels:?}");
}

#[tokio::test]
async fn a_long_story_stays_within_its_budget_and_loses_no_fact() {
    for language in [Language::En, Language::Zh] {
        let root = tempfile::tempdir().unwrap();
        let game = story(language);
        let (all, longest) = minds();
        let mut session = Session::start(root.path(), "whole", &game, 3, all).unwrap();
        let stop = session.engine.run(None).await.unwrap();
        assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
        let longest = longest.lock().unwrap().clone();
        for (name, (tokens, purpose)) in longest {
            assert!(tokens <= BUDGET as u64, "{name}: {tokens} to {purpose}");
        }
        check_records(&mut session.engine);
        let slot = session.slot().clone();
        let whole = slot.read_world().unwrap().unwrap();
        drop(session);
        let replayed = replay(&slot, &game, None).await;
        assert!(replayed.is_ok(), "{:?}", replayed.err());

        let (all, _) = minds();
        let mut session = Session::start(root.path(), "halves", &game, 3, all).unwrap();
        session.engine.run(Some(u64::from(DAYS))).await.unwrap();
        let slot = session.slot().clone();
        drop(session);
        let (all, _) = minds();
        let mut session = Session::resume(root.path(), "halves", &game, all, false).unwrap();
        session.engine.run(None).await.unwrap();
        assert!(slot.read_world().unwrap().unwrap() == whole);
    }
}
