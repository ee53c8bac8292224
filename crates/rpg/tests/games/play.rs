//! How stories are played in these tests, and what was told in them.

use std::future::ready;
use std::sync::{Arc, LazyLock, Mutex};

use futures_util::FutureExt;
use playhouse_engine::engine::{Engine, Stop};
use playhouse_engine::event::{AnswerRecord, EventRecord, Feed, Record};
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{Answering, Completion, Mind, MindInfo, Minds, Prompt};
use playhouse_engine::testing::journal;
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;

/// An English and a Chinese world.
pub(crate) const WORLDS: [&str; 2] = ["drowned-assize", "zhaoying-ban"];

pub(crate) fn campaign(world: &str) -> Campaign {
    Campaign::load(&DataFolder::at("../../data").unwrap(), world).unwrap()
}

/// The improviser, which reads its grammars once.
static IMPROVISER: LazyLock<Improviser> =
    LazyLock::new(|| Improviser::taught(playhouse_rpg::improviser::teach).unwrap());

pub(crate) fn minds() -> Minds {
    Minds::all(Arc::new(IMPROVISER.clone()))
}

/// The improviser, whose prompts are seen and whose answers may be changed.
struct Altered<A>(A);

impl<A: Fn(&Prompt<'_>, String) -> String + Send + Sync> Mind for Altered<A> {
    fn info(&self) -> &MindInfo {
        IMPROVISER.info()
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let answered = IMPROVISER.answer(prompt).now_or_never();
        let answered = answered.unwrap().map(|completion| Completion {
            text: (self.0)(prompt, completion.text),
            ..completion
        });
        Box::pin(ready(answered))
    }
}

pub(crate) fn altered(
    alter: impl Fn(&Prompt<'_>, String) -> String + Send + Sync + 'static,
) -> Minds {
    Minds::all(Arc::new(Altered(alter)))
}

/// The improviser, whose prompts are seen.
pub(crate) fn seen(see: impl Fn(&Prompt<'_>) + Send + Sync + 'static) -> Minds {
    altered(move |prompt, text| {
        see(prompt);
        text
    })
}

pub(crate) fn engine(campaign: &Campaign, seed: u64, minds: Minds) -> Engine {
    Engine::new(campaign.new_game(seed).unwrap(), minds, journal()).unwrap()
}

pub(crate) struct Played {
    pub(crate) engine: Engine,
    pub(crate) records: Vec<Record>,
}

impl Played {
    pub(crate) fn events(&self) -> impl Iterator<Item = &EventRecord> {
        self.records.iter().filter_map(|record| match record {
            Record::Event(event) => Some(event),
            _ => None,
        })
    }

    /// The events of a type.
    pub(crate) fn of(&self, kind: &str) -> impl Iterator<Item = &EventRecord> {
        self.events().filter(move |event| event.kind == kind)
    }

    pub(crate) fn answers(&self) -> impl Iterator<Item = &AnswerRecord> {
        self.records.iter().filter_map(|record| match record {
            Record::Answer(answer) => Some(answer),
            _ => None,
        })
    }

    /// The answers to what is asked for a purpose.
    pub(crate) fn answers_to(&self, purpose: &str) -> impl Iterator<Item = &AnswerRecord> {
        self.answers()
            .filter(move |answer| answer.purpose == purpose)
    }
}

/// Plays some turns, or all.
pub(crate) async fn play_on(mut engine: Engine, turns: Option<u64>) -> Played {
    let records = Arc::new(Mutex::new(Vec::new()));
    let sink = records.clone();
    engine.add_feed(Feed::observer(move |record| {
        sink.lock().unwrap().push(record.clone());
    }));
    let stop = engine.run(turns).await.unwrap();
    let is_over = matches!(stop, Stop::Finished(_));
    assert!(is_over || turns.is_some(), "{stop:?}");
    let records = std::mem::take(&mut *records.lock().unwrap());
    Played { engine, records }
}

/// Plays a story to its end.
pub(crate) async fn play(campaign: &Campaign, seed: u64, minds: Minds) -> Played {
    play_on(engine(campaign, seed, minds), None).await
}
