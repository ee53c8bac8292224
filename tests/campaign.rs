//! Whole campaigns on the embedded improviser.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::{Arc, Mutex};

use playhouse::engine::{Engine, Stop};
use playhouse::event::{Feed, Record};
use playhouse::mind::Minds;
use playhouse::mind::improviser::Improviser;
use playhouse::rpg::Production;
use playhouse::testing::journal;
use playhouse::world_data::DataFolder;

async fn play(world: &str, seed: u64) -> (Engine, Vec<Record>, Stop) {
    let data = DataFolder::at("data").unwrap();
    let production = Production::load(&data, world).unwrap();
    let setup = production.opening(seed).unwrap();
    let minds = Minds::all(Arc::new(Improviser::new().unwrap()));
    let mut engine = Engine::new(setup, minds, journal()).unwrap();
    let records = Arc::new(Mutex::new(Vec::new()));
    let sink = records.clone();
    engine.add_feed(Feed::observer(move |record| {
        sink.lock().unwrap().push(record.clone())
    }));
    let stop = engine.run(None).await.unwrap();
    let records = std::mem::take(&mut *records.lock().unwrap());
    (engine, records, stop)
}

#[tokio::test]
async fn a_campaign_comes_home() {
    for world in ["drowned-assize", "zhaoying-ban"] {
        let (_engine, records, stop) = play(world, 1).await;
        for record in &records {
            match record {
                Record::Event(event) => println!(
                    "[{}] {} {}: {}",
                    event.turn, event.place, event.kind, event.text
                ),
                Record::Answer(answer) => println!(
                    "    {} {} {:?}: {}",
                    answer.entity, answer.purpose, answer.by, answer.text
                ),
                other => println!("--- {other:?}"),
            }
        }
        assert!(matches!(stop, Stop::Finished(_)), "{stop:?}");
    }
}
