//! People at seats, and readers, of worlds that workers play elsewhere.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use playhouse_cluster::{Phase, SeatAnswer, WorldLead, answer_at_seat, give_seat};
use playhouse_engine::engine::{Lead, NextLines};
use playhouse_engine::journal::Line;
use playhouse_engine::mind::Prompt;
use playhouse_engine::session::{Session, play_again};

use super::mill::{ANSWERS, LAST, Mill, is_recorded, minds, named, run, scratch};
use super::workers::{runtime, state, store_with, worker};

/// A journal of which one more line is known at each look.
struct LineByLine(VecDeque<Line>);

impl Lead for LineByLine {
    fn note_open(&mut self, _: &Prompt<'_>) {}

    fn next(&mut self) -> NextLines<'_> {
        let line = self.0.pop_front();
        Box::pin(std::future::ready(line.map(|line| vec![line])))
    }
}

#[test]
fn a_story_is_followed_to_the_same_end_though_its_lines_come_one_by_one() {
    let saves = scratch();
    let minds = minds(|_, _| {});
    let mut session = Session::start(saves.path(), "mill", &Mill, 7, minds).unwrap();
    run(&mut session).unwrap();
    let mut story = session.slot().read(false).unwrap();
    let lines = story.lines.split_off(1);
    let followed = play_again(story, &Mill, None, |engine| {
        engine.follow(Box::new(LineByLine(lines.into())));
    });
    let followed = runtime().block_on(followed).unwrap();
    let world = session.slot().read_world().unwrap().unwrap();
    assert_eq!(followed.snapshot, world);
}

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
    let lead = WorldLead::of(store.clone(), &world, &folder.path().join("read")).unwrap();
    let read = std::thread::spawn({
        let (opened, begun) = (opened.clone(), lead.slot().read(false).unwrap());
        let lead = lead.noting_open(move |prompt| {
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
