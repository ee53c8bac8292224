//! Memories: what is cut, what survives, and what is left alone.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use playhouse_engine::cast::Dead;
use playhouse_engine::context::{AgentContext, Chapters, Common, EntryId, Level, Note};
use playhouse_engine::event::{AgentEvent, Phrasebook, deliver};
use playhouse_engine::exchange::{Ask, Prose, Reply};
use playhouse_engine::message::{Body, Tag, Tags};
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::DataFolder;
use serde_json::json;

use super::range::{FightRangeError, fight_range, past_to_fold};
use super::record::record_text;
use super::summary::{PendingSummary, SummaryData, summary_ask};
use super::{combat, day};
use crate::campaign_phase::CampaignState;
use crate::combat::FinishedFight;
use crate::combat::tests::{FightTest, fight_test, world_file};
use crate::components::{FightResult, RpgWorld};
use crate::events::{COMBAT_ID, COMBAT_INITIALIZATION, COMBAT_OUTCOME, CombatOutcome};
use crate::happening::{FightNote, Happening, Pledge, merged};
use crate::phase::Phase;
use crate::phrases;
use crate::world_file::FightSummary;

fn begin(id: &str) -> Tags {
    [COMBAT_INITIALIZATION.of("Hall"), COMBAT_ID.of(id)].into()
}

fn end(id: &str) -> Tags {
    [COMBAT_OUTCOME.of("Hall"), COMBAT_ID.of(id)].into()
}

/// A context of one human message for each tag or none.
fn context(tags: impl IntoIterator<Item = Tags>) -> AgentContext {
    let mut context = AgentContext::new("Ann");
    context.add_system_message("Be Ann.").expect("is empty");
    for (number, tags) in tags.into_iter().enumerate() {
        context.add_human_message(Body::text(format!("Line {number}.")), tags);
    }
    context
}

#[test]
fn a_fight_is_cut_only_where_its_tags_are_beyond_doubt() {
    let ids = |context: &AgentContext| {
        fight_range(context, "Hall/1").map(|range| (range.begin.0, range.end.0))
    };
    let none = Tags::new;
    assert_eq!(
        ids(&context([
            none(),
            begin("Hall/1"),
            none(),
            end("Hall/1"),
            none()
        ])),
        Ok((3, 5))
    );
    assert_eq!(
        ids(&context([begin("Hall/2"), end("Hall/1")])),
        Err(FightRangeError::Missing("combat_initialization"))
    );
    assert_eq!(
        ids(&context([begin("Hall/1"), none()])),
        Err(FightRangeError::Missing("combat_outcome"))
    );
    assert_eq!(
        ids(&context([begin("Hall/1"), begin("Hall/1"), end("Hall/1")])),
        Err(FightRangeError::Duplicate("combat_initialization", 2))
    );
    assert_eq!(
        ids(&context([
            begin("Hall/1"),
            end("Hall/1"),
            none(),
            end("Hall/1")
        ])),
        Err(FightRangeError::Duplicate("combat_outcome", 2))
    );
    assert_eq!(
        ids(&context([end("Hall/1"), begin("Hall/1")])),
        Err(FightRangeError::Reversed)
    );
    assert_eq!(
        ids(&context([
            begin("Hall/1"),
            begin("Hall/2"),
            end("Hall/1"),
            end("Hall/2")
        ])),
        Err(FightRangeError::Overlap("Hall/2".into()))
    );
    assert_eq!(
        ids(&context([
            begin("Hall/1"),
            begin("Hall/2"),
            end("Hall/2"),
            end("Hall/1")
        ])),
        Ok((2, 5))
    );
}

#[test]
fn a_past_ends_with_a_day_and_is_archived_oldest_first() {
    let past = |tags: &[Tags], room| {
        let context = context(tags.iter().cloned());
        let past = past_to_fold(&context, &Chapters::default(), room);
        past.map(|past| (past.begin.0, past.end.0))
    };
    let none = Tags::new;
    let day = |number: &str| Tags::from(Tag::DAY_END.of(number));
    let memory = || {
        let tags = [Tag::ARCHIVE.of("Hall"), Tag::CHAPTER.of("Ann/1")];
        Tags::from(tags)
    };
    // Of two days, the older one.
    let two = [none(), none(), none(), day("1"), none(), day("2")];
    assert_eq!(past(&two, 34), Some((2, 5)));
    assert_eq!(past(&two, 12), Some((2, 7)), "one day is not enough");
    // The only day: all of it.
    let entries = [none(), none(), none(), day("1")];
    assert_eq!(past(&entries, 16), Some((2, 5)));
    // Memories stand between; the oldest stretch goes if that is enough.
    let between = [
        none(),
        none(),
        none(),
        none(),
        memory(),
        none(),
        day("1"),
        none(),
    ];
    assert_eq!(past(&between, 46), Some((2, 5)));
    // Else everything that is due goes at once, so that its owner is asked once.
    let many = [
        memory(),
        none(),
        none(),
        memory(),
        none(),
        none(),
        memory(),
        none(),
        none(),
        none(),
    ];
    assert_eq!(past(&many, 40), Some((2, 8)), "the last part remains");
    assert_eq!(past(&many, 16), Some((2, 11)));
    assert_eq!(past(&[], 16), None);
    assert_eq!(past(&[day("1")], 16), None, "it can't become shorter");
}

/// A fight in the hall that is over: Bob has fallen, and everybody heard it from beginning to end.
fn aftermath(bad_tags: bool) -> FightTest {
    let mut fight = fight_test();
    let outcome = CombatOutcome {
        stage: "Hall".into(),
        combat_id: "Hall/1".into(),
        result: FightResult::Won,
        fallen: vec!["Bob".into()],
        felled: vec!["Owl".into(), "Rat".into()],
        gains: vec!["A brass key.".into()],
        ..CombatOutcome::default()
    };
    let told = outcome.happening();
    let aftermath = FinishedFight {
        outcome,
        account: "Dust falls.".into(),
        heroes: vec!["Ann".into(), "Bob".into()],
        foes: vec!["Owl".into(), "Rat".into()],
    };
    let [hall, ann, bob, owl, rat] = fight.entities();
    fight
        .world()
        .entity_mut(hall)
        .insert((aftermath, Phase::ArchiveCombat));
    fight.world().entity_mut(bob).insert(Dead);
    let lines: Vec<_> = ["Before.", "It begins.", "A blow.", "It is over."]
        .map(Body::text)
        .into();
    for who in [hall, ann, bob, owl, rat] {
        let mut context = fight
            .world()
            .get_mut::<AgentContext>(who)
            .expect("has a mind");
        let mut last = EntryId(0);
        for (number, line) in lines.iter().enumerate() {
            let tags = match number {
                1 => begin("Hall/1"),
                3 if !bad_tags => end("Hall/1"),
                _ => Tags::new(),
            };
            last = context.add_human_message(line.clone(), tags);
            if (who, number) == (ann, 2) {
                let answer = r#"{"action": "hold", "say": "Good owl."}"#;
                context
                    .add_ai_message([Body::text(answer)])
                    .expect("one message");
            }
        }
        let note = Note {
            entry: last,
            day: 2,
            place: "Hall".into(),
            happening: told.clone().expect("is noted").whole,
        };
        let mut chapters = fight.world().get_mut::<Chapters>(who).expect("has some");
        chapters.restore_note(note);
    }
    fight
}

/// The mind answers, as a commit would write it.
fn sum_up(fight: &mut FightTest, who: Entity, words: &str) {
    fight.world().entity_mut(who).remove::<Ask<Prose>>();
    let mut context = fight
        .world()
        .get_mut::<AgentContext>(who)
        .expect("has a mind");
    context.add_human_message("Sum it up.", Tags::new());
    context
        .add_ai_message([Body::text(words)])
        .expect("one message");
    fight.answer(who, Prose(words.into()));
}

#[test]
fn a_fight_becomes_a_memory_and_a_chapter_that_share_their_words() {
    let mut fight = aftermath(false);
    let (hall, ann, bob) = (fight.tiny.hall, fight.tiny.ann, fight.tiny.bob);
    fight.run(combat::archive_combat);
    fight.run(deliver);
    let mut asks = fight.world().query::<&Ask<Prose>>();
    assert_eq!(
        asks.iter(&fight.tiny.setup.world).count(),
        0,
        "nobody is asked"
    );
    let context: &AgentContext = fight.get(ann);
    let texts: Vec<_> = context
        .entries()
        .iter()
        .map(|entry| entry.body().full_text().into_owned())
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    for told in ["Dust falls.", "Good owl."] {
        assert!(texts[2].contains(told), "{texts:?}");
    }
    let memory = context.messages().last().expect("has one").message;
    assert_eq!(memory.tags.text("archive"), Some("Hall"));
    assert_eq!(memory.tags.text("chapter"), Some("Ann/1"));
    let chapter = |who| fight.get::<Chapters>(who).all()[0].clone();
    assert_eq!(&*chapter(ann).id.0, "Ann/1");
    assert_eq!(chapter(ann).messages.len(), 4);
    let account = chapter(hall).summary.full_text().into_owned();
    assert!(account.contains("Dust falls."), "{account}");
    assert_eq!(chapter(fight.owl).messages.len(), 3, "it may be met again");
    assert!(fight.get::<Chapters>(fight.rat).all().is_empty());
    let record = chapter(bob).record.clone().expect("has one");
    assert_eq!(record.with, ["Ann".into()]);
    let Some(Happening::Fight(told)) = record.notes[0].happening.read() else {
        panic!("{record:?}");
    };
    assert_eq!(told.result, Some(FightResult::Won));
    assert_eq!(told.fallen.len(), 3);
    assert!(fight.get::<Chapters>(bob).open_notes().is_empty());
    let blow = |who| chapter(who).messages[1].message.body.clone();
    assert!(blow(ann).same(&blow(bob)), "one body for all who heard it");
    assert!(fight.world().get::<FinishedFight>(hall).is_none());
}

#[test]
fn whoever_still_stands_is_asked_what_it_keeps_of_the_fight() {
    let mut fight = aftermath(false);
    let mut file = world_file();
    file.fights.summary = FightSummary::Mind;
    fight.world().insert_resource(RpgWorld(Arc::new(file)));
    let [hall, ann, bob, owl, _] = fight.entities();
    fight.run(combat::archive_combat);
    fight.run(deliver);
    let asked = [hall, ann, bob, owl].map(|who| {
        let ask = fight.tiny.setup.world.get::<Ask<Prose>>(who);
        ask.map(Ask::purpose)
    });
    let purpose = Some("archive.combat");
    assert_eq!(asked, [None, purpose, None, purpose], "Bob has fallen");
    let ask: &Ask<Prose> = fight.get(ann);
    assert!(ask.fallback().check(ask.constraints()).is_empty());
    assert!(ask.fallback().0.contains("Dust falls."));
    sum_up(&mut fight, ann, "I was kind to an owl.");
    fight.answer(owl, Prose("They let me be.".into()));
    fight.run(day::take_summaries);
    fight.run(deliver);
    let chapter = |who| fight.get::<Chapters>(who).all()[0].clone();
    let memory = chapter(ann).summary.full_text().into_owned();
    assert!(memory.contains("I was kind to an owl."), "{memory}");
    assert!(!memory.contains("Dust falls."), "{memory}");
    assert_eq!(chapter(ann).messages.len(), 4, "what was cut is kept");
    assert_eq!(chapter(ann).summing_up.len(), 2, "and so is the question");
    assert!(chapter(bob).summary.full_text().contains("Dust falls."));
    assert_eq!(fight.get::<AgentContext>(ann).len(), 3);
}

#[test]
fn doubtful_tags_destroy_nothing() {
    let mut fight = aftermath(true);
    let ann = fight.tiny.ann;
    let before = fight.get::<AgentContext>(ann).len();
    fight.run(combat::archive_combat);
    fight.run(deliver);
    assert_eq!(fight.get::<AgentContext>(ann).len(), before);
    assert!(fight.get::<Chapters>(ann).all().is_empty());
}

/// The hall at the end of a day, with a limit of tokens.
fn evening(mut fight: FightTest, limit: i32) -> FightTest {
    let mut file = world_file();
    file.limits.context_tokens = limit;
    let (hall, ann) = (fight.tiny.hall, fight.tiny.ann);
    let world = fight.world();
    world.insert_resource(RpgWorld(Arc::new(file)));
    world.init_resource::<CampaignState>();
    world.entity_mut(hall).insert(Phase::Summarize);
    let mut context = world.get_mut::<AgentContext>(ann).expect("has a mind");
    for number in 0..20 {
        let event = serde_json::Map::from_iter([("event".to_owned(), "speak".into())]);
        let line = format!("Bob says to Ann: “Line {number} of a long day, and no end of it.”");
        context.add_human_message(
            Body::text(line).from_sender("Bob").with_metadata(event),
            Tags::new(),
        );
    }
    context.add_human_message("Day 3 is over.", Tag::DAY_END.of("3"));
    fight
}

#[test]
fn whoever_has_room_left_keeps_the_day_as_it_was() {
    let mut fight = evening(fight_test(), 100_000);
    fight.run(day::ask_summaries);
    assert!(
        fight
            .world()
            .query::<&Ask<Prose>>()
            .iter(&fight.tiny.setup.world)
            .next()
            .is_none()
    );
    assert_eq!(*fight.get::<Phase>(fight.tiny.hall), Phase::Idle);
}

#[test]
fn a_day_that_grew_too_long_becomes_a_memory() {
    let mut fight = evening(fight_test(), 200);
    let (hall, ann, bob) = (fight.tiny.hall, fight.tiny.ann, fight.tiny.bob);
    fight.run(day::ask_summaries);
    assert!(
        fight.world().get::<Ask<Prose>>(bob).is_none(),
        "he has room left"
    );
    let ask: &Ask<Prose> = fight.get(ann);
    assert_eq!(ask.noted()["day"], json!(3));
    let record = fight.get::<PendingSummary>(ann).record.clone();
    assert_eq!((record.days, record.with), ((3, 3), vec!["Bob".into()]));
    assert!(ask.fallback().check(ask.constraints()).is_empty());
    assert_eq!(ask.noted()["said"].as_array().map(Vec::len), Some(8));
    assert_eq!(*fight.get::<Phase>(hall), Phase::Summarized);
    sum_up(&mut fight, ann, "Bob talked all day in the Hall.");
    fight.run(day::take_summaries);
    fight.run(deliver);
    assert_eq!(fight.get::<AgentContext>(ann).len(), 2);
    let chapter = &fight.get::<Chapters>(ann).all()[0];
    assert_eq!((chapter.messages.len(), chapter.summing_up.len()), (21, 2));
    assert!(fight.world().get::<PendingSummary>(ann).is_none());
    assert_eq!(*fight.get::<Phase>(hall), Phase::Idle);
}

#[test]
fn whoever_looks_back_on_what_came_after_a_fight_tells_of_the_fight_too() {
    let mut fight = aftermath(false);
    fight.run(combat::archive_combat);
    fight.run(deliver);
    let mut fight = evening(fight, 400);
    fight.run(day::ask_summaries);
    let ask: &Ask<Prose> = fight.get(fight.tiny.ann);
    assert_eq!(ask.noted()["fights"], json!(["Hall"]));
}

fn phrasebook(language: Language) -> Phrasebook {
    let loaded = phrases::load(&DataFolder::embedded(), language);
    loaded.expect("the shipped templates are right").0
}

/// One note of each kind, in the language of the names.
fn everything(me: &str, other: &str, place: &str) -> Vec<Happening> {
    let (me, other, place): (Arc<str>, Arc<str>, Arc<str>) =
        (me.into(), other.into(), place.into());
    let fight = |fight: &str, result, fallen: &[&Arc<str>]| {
        Happening::Fight(FightNote {
            fight: fight.into(),
            place: place.clone(),
            heroes: vec![me.clone()],
            foes: vec![other.clone()],
            result,
            fallen: fallen.iter().map(|name| Arc::clone(name)).collect(),
            ..FightNote::default()
        })
    };
    let promised = |state| Happening::Promised {
        who: me.clone(),
        to: other.clone(),
        words: "words".into(),
        state,
    };
    let felt = |change| Happening::Felt {
        about: other.clone(),
        change,
        why: "reason".into(),
    };
    let (who, to, item) = (me.clone(), other.clone(), Arc::from("item"));
    let tried = |attempt: &str, outcome: &str| Happening::Tried {
        who: me.clone(),
        attempt: attempt.into(),
        outcome: outcome.into(),
        found: "".into(),
        left: "".into(),
    };
    vec![
        fight("1", None, &[]),
        fight("1", Some(FightResult::Won), &[&other]),
        fight("2", Some(FightResult::Lost), &[&me]),
        fight("", Some(FightResult::Drawn), &[]),
        Happening::Common(Common::Died {
            who: to.clone(),
            by: who.clone(),
        }),
        Happening::Wounded {
            who: who.clone(),
            days: 2,
        },
        Happening::Common(Common::Learned {
            fact: "f".into(),
            text: "fact".into(),
            from: to.clone(),
        }),
        Happening::Took {
            who: who.clone(),
            item: Arc::clone(&item),
        },
        Happening::Gave {
            who: to.clone(),
            item: Arc::clone(&item),
            to: who.clone(),
        },
        Happening::Lost {
            who: who.clone(),
            item,
            hidden_at: None,
        },
        promised(Pledge::Made),
        promised(Pledge::Broken),
        felt(1),
        felt(-3),
        Happening::Journey {
            dungeon: place.clone(),
            part: "enter".into(),
            party: vec![who.clone(), to.clone()],
        },
        tried("attempt", ""),
        tried("", "cost"),
        Happening::Common(Common::Told {
            fact: "g".into(),
            about: "title".into(),
            to: vec![to.clone()],
        }),
        Happening::Decided {
            who,
            choice: "choice".into(),
        },
    ]
}

#[test]
fn a_past_is_summed_up_beside_its_record_in_either_language() {
    for (language, name, other, place) in [
        (Language::En, "Ann", "Bob", "The Hall"),
        (Language::Zh, "阿菱", "老闻", "渡口"),
    ] {
        let phrases = phrasebook(language);
        let file = crate::world_file::WorldFile {
            language,
            ..world_file()
        };
        let mut chapters = Chapters::default();
        let mut context = AgentContext::new(name);
        let (mut first, mut last) = (None, EntryId(0));
        for (day, happening) in (1..).zip(everything(name, other, place)) {
            last = context.add_human_message("…", Tags::new());
            first = first.or(Some(last));
            chapters.note(&context, day / 4, place, happening);
        }
        let mut record = chapters.record_of(&context, first.expect("is there"), last);
        record.with = vec![other.into()];
        let record = merged(&chapters, &record);
        assert_eq!(record.notes.len(), 15, "fights, promises and feelings once");
        let text = record_text(&phrases, name, &record, 100_000).expect("is right");
        let short = record_text(&phrases, name, &record, 300).expect("is right");
        assert!(short.len() < text.len(), "{short}");
        let with = [other.to_owned()];
        let data = || SummaryData {
            me: name,
            kind: "actor",
            place,
            day: 3,
            with: &with,
            record: &text,
            fights: vec![place.into()],
            ..SummaryData::default()
        };
        for kind in ["actor", "stage", "world"] {
            let data = SummaryData {
                kind,
                until: if kind == "actor" { "…" } else { "" }.into(),
                ..data()
            };
            let ask = summary_ask(&phrases, &file, &day::QUESTION, &data, &text);
            let ask = ask.expect("is asked");
            assert!(ask.fallback().check(ask.constraints()).is_empty());
            let text = format!("{}\n\n=== short\n{short}", ask.prompt());
            insta::assert_snapshot!(format!("archive_day_{}_{kind}", language.code()), text);
        }
        let ask = summary_ask(&phrases, &file, &combat::QUESTION, &data(), &text);
        let ask = ask.expect("is asked");
        let snapshot = format!("archive_combat_{}", language.code());
        insta::assert_snapshot!(snapshot, ask.prompt());
    }
}

#[test]
fn a_life_of_many_promises_tells_of_other_things_too() {
    let phrases = phrasebook(Language::En);
    let mut chapters = Chapters::default();
    let mut context = AgentContext::new("Ann");
    let mut note = |day, happening| {
        let entry = context.add_human_message("…", Tags::new());
        chapters.note(&context, day, "The Hall", happening);
        entry
    };
    let kept = |words: &str| Happening::Promised {
        who: "Bob".into(),
        to: "Ann".into(),
        words: words.into(),
        state: Pledge::Kept,
    };
    let first = note(1, kept("I will come."));
    let learned = Common::Learned {
        fact: "bell".into(),
        text: "The bell is cracked.".into(),
        from: "Bob".into(),
    };
    note(2, Happening::Common(learned));
    let took = Happening::Took {
        who: "Ann".into(),
        item: "the key".into(),
    };
    note(3, took);
    let gave = |who: &str, to: &str| Happening::Gave {
        who: who.into(),
        item: "the bell rope".into(),
        to: to.into(),
    };
    for day in 4..24 {
        let [who, to] = [["Ann", "Bob"], ["Bob", "Ann"]][day as usize % 2];
        note(day, gave(who, to));
    }
    let mut last = first;
    for day in 24..60 {
        last = note(day, kept(&format!("I will stay until day {day}.")));
    }
    let mut record = chapters.record_of(&context, first, last);
    record.level = Level::Life;
    let record = merged(&chapters, &record);
    let text = record_text(&phrases, "Ann", &record, 6 * 200).expect("is right");
    assert!(text.contains("until day 59"), "{text}");
    for other in ["The bell is cracked.", "the key"] {
        assert!(text.contains(other), "{text}");
    }
    assert!(text.matches("kept a promise").count() > 4, "{text}");
    assert_eq!(text.matches("the bell rope").count(), 3, "{text}");
}

#[test]
fn what_an_own_attempt_led_to_is_told_once() {
    let phrases = phrasebook(Language::En);
    let mut chapters = Chapters::default();
    let mut context = AgentContext::new("Ann");
    let tried = Happening::Tried {
        who: "Ann".into(),
        attempt: "force the door.".into(),
        outcome: "full".into(),
        found: "".into(),
        left: "".into(),
    };
    let made = |fact: &str, text: &str| {
        Happening::Common(Common::Learned {
            fact: fact.into(),
            text: text.into(),
            from: "".into(),
        })
    };
    let mut last = EntryId(0);
    for happening in [
        tried,
        made("made-1", "Ann was able to force the door."),
        made("made-2", "The door is off its hinges."),
    ] {
        last = context.add_human_message("…", Tags::new());
        chapters.note(&context, 1, "The Hall", happening);
    }
    let record = chapters.record_of(&context, EntryId(0), last).read();
    let text = record_text(&phrases, "Ann", &record, 6_000).expect("is right");
    assert_eq!(text.matches("force the door").count(), 1, "{text}");
    assert!(text.contains("off its hinges"), "{text}");
}

#[test]
fn a_kept_promise_and_a_feeling_stand_on_the_day_of_their_last_change() {
    let mut chapters = Chapters::default();
    let mut context = AgentContext::new("Ann");
    let promised = |state| Happening::Promised {
        who: "Bob".into(),
        to: "Ann".into(),
        words: "I will come.".into(),
        state,
    };
    let felt = |change| Happening::Felt {
        about: "Bob".into(),
        change,
        why: "".into(),
    };
    let mut last = EntryId(0);
    for (day, happening) in [
        (1, promised(Pledge::Made)),
        (2, felt(1)),
        (3, promised(Pledge::Kept)),
        (4, felt(2)),
    ] {
        last = context.add_human_message("…", Tags::new());
        chapters.note(&context, day, "The Hall", happening);
    }
    let record = chapters.record_of(&context, EntryId(0), last);
    let merged = merged(&chapters, &record).notes;
    let merged: Vec<_> = merged
        .into_iter()
        .map(|note| (note.day, note.happening))
        .collect();
    assert_eq!(merged, [(3, promised(Pledge::Kept)), (4, felt(3))]);
}

#[test]
fn a_feeling_has_no_reason_that_speaks_against_it() {
    let mut chapters = Chapters::default();
    let mut context = AgentContext::new("Ann");
    let felt = |change, why: &str| Happening::Felt {
        about: "Bob".into(),
        change,
        why: why.into(),
    };
    let mut last = EntryId(0);
    for happening in [felt(1, "He asked."), felt(-2, "")] {
        last = context.add_human_message("…", Tags::new());
        chapters.note(&context, 1, "The Hall", happening);
    }
    let record = chapters.record_of(&context, EntryId(0), last);
    let merged = merged(&chapters, &record).notes;
    assert_eq!(merged[0].happening, felt(-1, ""));
}
