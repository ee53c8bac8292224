//! A story that was played, and everything that was told in it.

use std::sync::{Arc, Mutex};

use crate::engine::{Engine, EngineError, Stop};
use crate::event::{AnswerRecord, EventRecord, Feed, Record};

pub struct Played {
    pub engine: Engine,
    pub records: Vec<Record>,
    pub stop: Stop,
}

/// Plays a story up to a turn, or to its end.
pub async fn play(mut engine: Engine, until: Option<u64>) -> Result<Played, EngineError> {
    let records = Arc::new(Mutex::new(Vec::new()));
    let sink = records.clone();
    engine.add_feed(Feed::observer(move |record| {
        sink.lock().unwrap().push(record.clone());
    }));
    let stop = engine.run(until).await?;
    let records = std::mem::take(&mut *records.lock().unwrap());
    Ok(Played {
        engine,
        records,
        stop,
    })
}

impl Played {
    pub fn events(&self) -> impl Iterator<Item = &EventRecord> {
        self.records.iter().filter_map(|record| match record {
            Record::Event(event) => Some(event),
            _ => None,
        })
    }

    pub fn of(&self, kind: &str) -> impl Iterator<Item = &EventRecord> {
        self.events().filter(move |event| event.kind == kind)
    }

    pub fn answers(&self) -> impl Iterator<Item = &AnswerRecord> {
        self.records.iter().filter_map(|record| match record {
            Record::Answer(answer) => Some(answer),
            _ => None,
        })
    }

    /// The answers to what was asked for a purpose.
    pub fn answers_to(&self, purpose: &str) -> impl Iterator<Item = &AnswerRecord> {
        self.answers()
            .filter(move |answer| answer.purpose == purpose)
    }
}
