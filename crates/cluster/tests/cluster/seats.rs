//! People at seats, and readers, of worlds that workers play elsewhere.

use std::sync::{Arc, Mutex};

use async_nats::ConnectOptions;
use futures_util::StreamExt;
use playhouse_cluster::{
    JetStreamStore, Phase, SeatAnswer, WorldLead, answer_at_seat, give_seat, states, submit,
};
use playhouse_engine::session::play_again;
use serde_json::{Value, json};

use super::mill::{ANSWERS, LAST, Mill, is_recorded, minds, named, story};
use super::nats::Nats;
use super::workers::{BUILD, LEASE, runtime, state, store_with, worker};

#[test]
fn a_world_rests_until_its_people_answer_and_any_worker_goes_on() {
    let (folder, store) = store_with(1);
    let world = named(1);
    give_seat(&*store, &world, "Alda", true).unwrap();
    let paid = Arc::new(Mutex::new(Vec::new()));
    let work = || {
        let paid = paid.clone();
        let worker = worker(&store, &folder, move |_| {
            let paid = paid.clone();
            minds(move |who, number| paid.lock().unwrap().push((who.to_owned(), number)))
        });
        worker.work(runtime().handle());
    };
    // Whoever reads along knows what is asked.
    let opened = Arc::new(Mutex::new(Vec::new()));
    let mut lead = WorldLead::of(store.clone(), &world, &folder.path().join("read")).unwrap();
    let read = std::thread::spawn({
        let (opened, begun) = (opened.clone(), lead.slot().read(false).unwrap());
        lead.note_open = Box::new(move |prompt| {
            let mut opened = opened.lock().unwrap();
            opened.push((prompt.entity.to_string(), prompt.number));
        });
        move || {
            let follow = |engine: &mut playhouse_engine::engine::Engine| {
                engine.follow(Box::new(lead));
            };
            runtime().block_on(play_again(begun, &Mill, None, follow))
        }
    });
    for number in 1..=LAST as u32 {
        work();
        assert_eq!(state(&*store, 1).phase, Phase::Waiting);
        // What others have to do is done meanwhile.
        assert!(is_recorded(&*store, &world, "Cado", number));
        assert!(!is_recorded(&*store, &world, "Alda", number));
        work();
        while !opened.lock().unwrap().contains(&("Alda".into(), number)) {
            std::thread::yield_now();
        }
        let answer = SeatAnswer {
            number,
            model: "human".into(),
            text: r#"{"coins": 1}"#.into(),
        };
        answer_at_seat(&*store, &world, "Alda", &answer).unwrap();
        assert_eq!(state(&*store, 1).phase, Phase::Queued);
    }
    work();
    assert_eq!(state(&*store, 1).phase, Phase::Ended);
    // Nothing was asked twice, and nothing of a mind that has the seat.
    let paid = paid.lock().unwrap().len() as u64;
    assert_eq!(paid, ANSWERS - LAST);
    assert_eq!(read.join().unwrap().unwrap().turn, state(&*store, 1).turn);
}

#[test]
fn a_seat_that_is_taken_or_left_while_its_world_is_played_opens_it_again() {
    let (folder, store) = store_with(1);
    let world = named(1);
    let (taken, playing) = (store.clone(), world.clone());
    let worker = worker(&store, &folder, move |_| {
        let (store, world) = (taken.clone(), playing.clone());
        minds(move |who, number| {
            if (who, number) == ("Bero", 2) {
                give_seat(&*store, &world, "Alda", true).unwrap();
                std::thread::sleep(super::workers::LEASE);
            }
        })
    });
    worker.work(runtime().handle());
    assert_eq!(state(&*store, 1).phase, Phase::Waiting);
    give_seat(&*store, &world, "Alda", false).unwrap();
    worker.work(runtime().handle());
    assert_eq!(state(&*store, 1).phase, Phase::Ended);
}

#[test]
#[ignore = "needs nats-server"]
fn the_credentials_of_a_seat_reach_its_input_and_its_feed_and_nothing_else() {
    let config = include_str!("../../../../deploy/nats.conf");
    let (_, users) = config.split_once("\nauthorization {").unwrap();
    let mut users = format!("authorization {{{users}");
    for (example, here) in [
        ("$PLAYHOUSE_PASSWORD", "secret"),
        ("$READER_PASSWORD", "reader"),
        ("$SEAT_PASSWORD", "seat"),
        ("drowned-assize-3.Odile=20Marsh", "mill-1.Alda"),
    ] {
        users = users.replace(example, here);
    }
    let nats = Nats::start_with(1, "", &users, "playhouse:secret@");
    let (store, world) = (nats.connect(LEASE), named(1));
    let seats = ["Alda".to_owned()];
    submit(&*store, &world, story(1), None, BUILD, seats).unwrap();
    // Whoever may only read sees the list.
    let reader = JetStreamStore::connect(&nats.address_for("reader:reader@"), LEASE).unwrap();
    assert_eq!(states(&reader).unwrap().len(), 1);
    let (sender, refused) = std::sync::mpsc::channel();
    let seat = ConnectOptions::with_user_and_password("odile".into(), "seat".into());
    let seat = seat.event_callback(move |event| {
        let _ = sender.send(event.to_string().to_lowercase());
        std::future::ready(())
    });
    let runtime = runtime();
    let seat = runtime.block_on(seat.connect(nats.address_for("")));
    let seat = seat.unwrap();
    let feed = runtime.block_on(seat.subscribe("playhouse.seat.mill-1.Alda.feed"));
    let mut feed = feed.unwrap();
    runtime.block_on(seat.flush()).unwrap();
    let is_refused = |subject: &str| {
        let is_told = |event: &String| event.contains("permissions violation");
        let told = refused.iter().find(is_told).unwrap();
        assert!(told.contains(&subject.to_lowercase()), "{told}: {subject}");
    };
    for subject in [
        "playhouse.seat.mill-1.Bero.feed",
        "playhouse.seat.mill-1.Alda.input",
        "playhouse.seat.*.*.feed",
        "playhouse.world.mill-1.journal",
        "$KV.playhouse_records.>",
        "_INBOX.>",
    ] {
        runtime.block_on(seat.subscribe(subject)).unwrap();
        is_refused(subject);
    }
    for subject in [
        "playhouse.seat.mill-1.Bero.input",
        "playhouse.world.mill-1.journal",
        "playhouse.queue.mill-1",
        "$KV.playhouse_records.world-mill-1",
        "$JS.API.STREAM.MSG.GET.PLAYHOUSE_WORLDS",
        "$JS.API.CONSUMER.CREATE.PLAYHOUSE_INPUTS",
    ] {
        runtime
            .block_on(seat.publish(subject, "{}".into()))
            .unwrap();
        is_refused(subject);
    }
    let worker = worker(&store, nats.folder(), |_| minds(|_, _| {}));
    for number in 1..=LAST as u32 {
        worker.work(runtime.handle());
        loop {
            let told = runtime.block_on(feed.next()).unwrap();
            let told: Value = serde_json::from_slice(&told.payload).unwrap();
            assert!(!told.to_string().contains("Cado"), "{told}");
            if told["record"] == "ask" && told["number"] == number {
                break;
            }
        }
        let answer = json!({"number": number, "text": r#"{"coins": 1}"#}).to_string();
        // Nothing is written where the answer to it would go.
        let sent = seat.publish_with_reply(
            "playhouse.seat.mill-1.Alda.input",
            "playhouse.world.mill-1.journal",
            answer.into(),
        );
        runtime.block_on(sent).unwrap();
        runtime.block_on(seat.flush()).unwrap();
        while !is_recorded(&*store, &world, "Alda", number) {
            worker.work(runtime.handle());
        }
    }
    assert_eq!(state(&*store, 1).phase, Phase::Ended);
}
