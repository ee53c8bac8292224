//! Memories: what is cut, what survives, and what is left alone.

use playhouse_engine::cast::Dead;
use playhouse_engine::context::{AgentContext, Chapter, ChapterRecord, Chapters, EntryId, Level};
use playhouse_engine::event::Phrasebook;
use playhouse_engine::exchange::{Prose, Reply};
use playhouse_engine::message::{Body, Tag, Tags};
use playhouse_engine::mind::Language;
use playhouse_engine::world_data::DataFolder;
use serde_json::json;

use super::combat::FightQuestion;
use super::day::DayQuestion;
use super::range::{FightRangeError, fight_range, past_to_fold};
use super::record::record_text;
use super::summary::{PendingSummary, SummaryData, summary_ask};
use crate::combat::FinishedFight;
use crate::components::FightResult;
use crate::events::{COMBAT_ID, COMBAT_INITIALIZATION, COMBAT_OUTCOME};
use crate::happening::{Happening, merged};
use crate::phrases;
use crate::testing::{TestScene, happening, scene, world_file};

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
    use FightRangeError::{Duplicate, Missing, Overlap, Reversed};
    let (b1, b2, e1, e2) = (
        begin("Hall/1"),
        begin("Hall/2"),
        end("Hall/1"),
        end("Hall/2"),
    );
    let none = Tags::new();
    for (tags, range) in [
        (vec![&none, &b1, &none, &e1, &none], Ok((3, 5))),
        (vec![&b1, &b2, &e2, &e1], Ok((2, 5))),
        (vec![&b2, &e1], Err(Missing("combat_initialization"))),
        (vec![&b1, &none], Err(Missing("combat_outcome"))),
        (
            vec![&b1, &b1, &e1],
            Err(Duplicate("combat_initialization", 2)),
        ),
        (
            vec![&b1, &e1, &none, &e1],
            Err(Duplicate("combat_outcome", 2)),
        ),
        (vec![&e1, &b1], Err(Reversed)),
        (vec![&b1, &b2, &e1, &e2], Err(Overlap("Hall/2".into()))),
    ] {
        let context = context(tags.into_iter().cloned());
        let found = fight_range(&context, "Hall/1");
        assert_eq!(found.map(|found| (found.begin.0, found.end.0)), range);
    }
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
    assert_eq!(past(&two, 51), Some((2, 5)));
    assert_eq!(past(&two, 12), Some((2, 7)), "one day is not enough");
    // The only day: all of it.
    let entries = [none(), none(), none(), day("1")];
    assert_eq!(past(&entries, 16), Some((2, 5)));
    // Memories stand between; the oldest stretch goes if that is enough.
    let mut between = vec![none(); 8];
    between.extend([memory(), none(), day("1"), none()]);
    assert_eq!(past(&between, 100), Some((2, 9)));
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
    assert_eq!(past(&many, 84), Some((2, 8)), "the last part remains");
    assert_eq!(past(&many, 16), Some((2, 11)));
    assert_eq!(past(&[], 16), None);
    assert_eq!(past(&[day("1")], 16), None, "it can't become shorter");
}

/// A fight in which the owl yields, and Bob and the rat fall, in a world with these parts.
/// Something is done to it before its end.
fn fought(parts: &str, meanwhile: impl FnOnce(&mut TestScene)) -> TestScene {
    let mut scene = scene(parts);
    scene.play(
        r#"fight
        ! Hurt("Bob", 19), Hurt("Rat", 19)
        Ann: say "Good owl."; hold
        Bob: hold
        Owl: yield
        Rat: play Cut on Bob"#,
    );
    meanwhile(&mut scene);
    scene.play("Ann: play Cut on Rat\nDen: Dust falls.");
    scene
}

fn chapter<'s>(scene: &'s TestScene, who: &str) -> &'s Chapter {
    &scene.get::<Chapters>(who).all()[0]
}

#[test]
fn a_fight_becomes_a_memory_and_a_chapter_that_share_their_words() {
    let mut scene = fought("", |_| ());
    scene.play(
        r#"=> asked nobody
        => phase Idle
        => Ann hears "Dust falls."
        => Ann hears "Good owl.""#,
    );
    let memory = scene.get::<AgentContext>("Ann").messages().last();
    let memory = memory.expect("has one").message;
    assert_eq!(memory.tags.text("archive"), Some("Den"));
    assert_eq!(memory.tags.text("chapter"), Some("Ann/1"));
    assert_eq!(&*chapter(&scene, "Ann").id.0, "Ann/1");
    let words = |who| chapter(&scene, who).summary.full_text().to_string();
    assert!(words("Ann").contains("Dust falls."));
    assert!(!words("Den").contains("Dust falls."), "it told it itself");
    let _may_be_met_again = chapter(&scene, "Owl");
    assert!(scene.get::<Chapters>("Rat").all().is_empty());
    let record = chapter(&scene, "Bob").record.as_ref().expect("has one");
    let mut fights = record.notes.iter().filter_map(|note| note.happening.read());
    let told = fights.find_map(|note| match note {
        Happening::Fight(told) if told.result.is_some() => Some(told),
        _ => None,
    });
    let told = told.expect("is noted");
    assert_eq!(
        (told.result, told.fallen.len()),
        (Some(FightResult::Won), 2)
    );
    assert!(scene.get::<Chapters>("Bob").open_notes().is_empty());
    let blow = |who| {
        let mut messages = chapter(&scene, who).messages.iter();
        let blow = messages.find(|kept| kept.message.body.full_text().contains("My Cut"));
        blow.expect("is kept").message.body.clone()
    };
    let by_rat = blow("Ann");
    assert!(by_rat.same(&blow("Bob")), "one body for all who heard it");
    assert!(!scene.has::<FinishedFight>("Den"));
}

#[test]
fn whoever_still_stands_is_asked_what_it_keeps_of_the_fight() {
    let mut scene = fought("fights: (reflect: false)", |_| ());
    scene.play("=> asked Ann, Owl");
    assert_eq!(scene.ask::<Prose>("Ann").purpose(), "archive.combat");
    assert!(
        scene
            .ask::<Prose>("Ann")
            .fallback()
            .0
            .contains("Dust falls.")
    );
    scene.play(
        r#"Ann: I was kind to an owl.
        Owl: They let me be.
        => Ann hears "I was kind to an owl."
        => Ann does not hear "Dust falls."
        => Bob does not hear "Dust falls.""#,
    );
    assert_eq!(
        chapter(&scene, "Ann").summing_up.len(),
        2,
        "the question is kept"
    );
}

#[test]
fn doubtful_tags_destroy_nothing() {
    let mut scene = fought("", |scene| {
        let ann = scene.find("Ann");
        let context = scene.world().get_mut::<AgentContext>(ann);
        let mut context = context.expect("has a mind");
        context.add_human_message("It begins.", begin("Den/1"));
    });
    scene.play(r#"=> Ann hears "It begins.""#);
    assert!(scene.get::<Chapters>("Ann").all().is_empty());
    let _others_are_cut = chapter(&scene, "Bob");
}

/// Somebody has heard a long day.
fn hears_a_day(scene: &mut TestScene, who: &str) {
    let who = scene.find(who);
    let context = scene.world().get_mut::<AgentContext>(who);
    let mut context = context.expect("has a mind");
    for number in 0..20 {
        let event = serde_json::Map::from_iter([("event".to_owned(), "speak".into())]);
        let line = format!("Bob says to Ann: “Line {number} of a long day, and no end of it.”");
        let line = Body::text(line).from_sender("Bob").with_metadata(event);
        context.add_human_message(line, Tags::new());
    }
    context.add_human_message("Day 3 is over.", Tag::DAY_END.of("3"));
}

#[test]
fn whoever_has_room_left_keeps_the_day_as_it_was() {
    let mut scene = scene("limits: (context_tokens: 100000)");
    hears_a_day(&mut scene, "Ann");
    scene.play("begin Summarize\n=> asked nobody\n=> phase Idle");
}

#[test]
fn a_place_where_nobody_is_keeps_the_record_alone() {
    let mut scene = scene("limits: (context_tokens: 700)");
    hears_a_day(&mut scene, "Hall");
    for who in ["Ann", "Bob"] {
        scene.insert(who, Dead);
    }
    scene.play("begin Summarize\n=> asked nobody\n=> phase Idle");
    scene.play("=> Hall does not hear \"Line 3 of a long day\"");
    assert!(chapter(&scene, "Hall").summing_up.is_empty());
}

#[test]
fn a_day_that_grew_too_long_becomes_a_memory() {
    let mut scene = scene("limits: (context_tokens: 700)");
    hears_a_day(&mut scene, "Ann");
    scene.play("begin Summarize\n=> asked Ann\n=> phase Summarized\n=> Ann is shown /day 3");
    let record = &scene.get::<PendingSummary>("Ann").record;
    assert_eq!(
        (record.days, &record.with[..]),
        ((3, 3), &["Bob".into()][..])
    );
    let said = scene.ask::<Prose>("Ann").noted()["said"].as_array();
    assert_eq!(said.map(Vec::len), Some(8));
    scene.play(
        r#"Ann: Bob talked all day in the Hall.
        => phase Idle
        => Ann hears "Bob talked all day"
        => Ann does not hear "Line 3 of a long day""#,
    );
    let kept = chapter(&scene, "Ann");
    assert_eq!((kept.messages.len(), kept.summing_up.len()), (21, 2));
    assert!(!scene.has::<PendingSummary>("Ann"));
}

#[test]
fn whoever_looks_back_on_what_came_after_a_fight_tells_of_the_fight_too() {
    let mut scene = fought("", |_| ());
    scene.change(|file| file.limits.context_tokens = Some(900));
    hears_a_day(&mut scene, "Ann");
    scene.play("begin Summarize\n=> Ann is shown /fights [\"Den\"]");
}

fn phrasebook(language: Language) -> Phrasebook {
    let loaded = phrases::load(&DataFolder::embedded(), language);
    loaded.expect("the shipped templates are right").0
}

/// What somebody noted in a place, each on its day.
fn noted(
    me: &str,
    place: &str,
    days: impl IntoIterator<Item = (u32, Happening)>,
) -> (Chapters, ChapterRecord) {
    let mut chapters = Chapters::default();
    let mut context = AgentContext::new(me);
    let mut last = EntryId(0);
    for (day, happening) in days {
        last = context.add_human_message("…", Tags::new());
        chapters.note(&context, day, place, happening);
    }
    let record = chapters.record_of(&context, EntryId(0), last);
    (chapters, record)
}

fn promised(who: &str, to: &str, words: &str, state: &str) -> Happening {
    happening(json!({"what": "promised", "who": who, "to": to, "words": words, "state": state}))
}

fn felt(about: &str, change: i32, why: &str) -> Happening {
    happening(json!({"what": "felt", "about": about, "change": change, "why": why}))
}

fn learned(fact: &str, text: &str, from: &str) -> Happening {
    happening(json!({"what": "learned", "fact": fact, "text": text, "from": from}))
}

/// One note of each kind, in the language of the names.
fn everything(me: &str, other: &str, place: &str) -> Vec<Happening> {
    let fight = |fight: &str, result: Option<&str>, fallen: &[&str]| {
        json!({"what": "fight", "fight": fight, "place": place, "heroes": [me], "foes": [other],
            "result": result, "fallen": fallen})
    };
    let tried = |attempt: &str, outcome: &str| json!({"what": "tried", "who": me, "attempt": attempt, "outcome": outcome, "found": "", "left": ""});
    let notes = json!([
        fight("1", None, &[]),
        fight("1", Some("won"), &[other]),
        fight("2", Some("lost"), &[me]),
        fight("", Some("drawn"), &[]),
        {"what": "died", "who": other, "by": me},
        {"what": "wounded", "who": me, "days": 2},
        learned("f", "fact", other),
        {"what": "took", "who": me, "item": "item"},
        {"what": "gave", "who": other, "item": "item", "to": me},
        {"what": "lost", "who": me, "item": "item"},
        promised(me, other, "words", "made"),
        promised(me, other, "words", "broken"),
        felt(other, 1, "reason"),
        felt(other, -3, "reason"),
        {"what": "journey", "dungeon": place, "part": "enter", "party": [me, other]},
        tried("attempt", ""),
        tried("", "cost"),
        {"what": "told", "fact": "g", "about": "title", "to": [other]},
        {"what": "decided", "who": me, "choice": "choice", "asked": "question"},
    ]);
    serde_json::from_value(notes).expect("are notes")
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
            ..world_file("")
        };
        let days = (1..).map(|number| number / 4);
        let days = days.zip(everything(name, other, place));
        let (chapters, mut record) = noted(name, place, days);
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
            let ask = summary_ask(&phrases, &file, data, DayQuestion, &text).expect("is asked");
            assert!(ask.fallback().check(ask.constraints()).is_empty());
            let text = format!("{}\n\n=== short\n{short}", ask.prompt());
            insta::assert_snapshot!(format!("archive_day_{}_{kind}", language.code()), text);
        }
        let ask = summary_ask(&phrases, &file, data(), FightQuestion, &text).expect("is asked");
        let snapshot = format!("archive_combat_{}", language.code());
        insta::assert_snapshot!(snapshot, ask.prompt());
    }
}

#[test]
fn a_life_of_many_promises_tells_of_other_things_too() {
    let phrases = phrasebook(Language::En);
    let kept = |words: &str| promised("Bob", "Ann", words, "kept");
    let mut days = vec![
        (1, kept("I will come.")),
        (2, learned("bell", "The bell is cracked.", "Bob")),
        (
            3,
            happening(json!({"what": "took", "who": "Ann", "item": "the key"})),
        ),
    ];
    days.extend((4..24).map(|day| {
        let [who, to] = [["Ann", "Bob"], ["Bob", "Ann"]][day as usize % 2];
        let gave = json!({"what": "gave", "who": who, "item": "the bell rope", "to": to});
        (day, happening(gave))
    }));
    let stays = |day| (day, kept(&format!("I will stay until day {day}.")));
    days.extend((24..60).map(stays));
    let (chapters, mut record) = noted("Ann", "The Hall", days);
    record.level = Level::Life;
    let record = merged(&chapters, &record);
    let text = record_text(&phrases, "Ann", &record, 6 * 200).expect("is right");
    assert!(text.contains("until day 59"), "{text}");
    for other in ["The bell is cracked.", "the key"] {
        assert!(text.contains(other), "{text}");
    }
    // Of what happened by the dozen, one line tells how often, and the last time.
    assert_eq!(text.matches("promise").count(), 1, "{text}");
    assert!(text.contains("37 times: 37 kept."), "{text}");
    assert_eq!(text.matches("the bell rope").count(), 2, "{text}");
    assert!(
        text.contains("20 times, the bell rope changed hands"),
        "{text}"
    );
}

#[test]
fn a_record_says_nothing_twice() {
    let phrases = phrasebook(Language::En);
    let happened = json!([
        {"what": "tried", "who": "Ann", "attempt": "force the door.", "outcome": "full", "found": "", "left": ""},
        learned("made-1", "Ann was able to force the door.", ""),
        learned("made-2", "The door is off its hinges.", ""),
        {"what": "decided", "who": "Bob", "choice": "Bob laughs at the door."},
        felt("Bob", 1, "Bob laughs at…"),
    ]);
    let happened: Vec<_> = serde_json::from_value(happened).expect("are notes");
    let on_one_day = happened.into_iter().map(|happening| (1, happening));
    let (_, record) = noted("Ann", "The Hall", on_one_day);
    let record = record.read();
    let text = record_text(&phrases, "Ann", &record, 6_000).expect("is right");
    assert_eq!(text.matches("force the door").count(), 1, "{text}");
    assert_eq!(text.matches("Bob laughs").count(), 1, "{text}");
    assert!(text.contains("You came to like Bob more."), "{text}");
    assert!(text.contains("off its hinges"), "{text}");
}

#[test]
fn a_kept_promise_and_a_feeling_stand_on_the_day_of_their_last_change() {
    let promised = |state| promised("Bob", "Ann", "I will come.", state);
    let days = [
        (1, promised("made")),
        (2, felt("Bob", 1, "")),
        (3, promised("kept")),
        (4, felt("Bob", 2, "")),
    ];
    let (chapters, record) = noted("Ann", "The Hall", days);
    let merged = merged(&chapters, &record).notes;
    let merged: Vec<_> = merged
        .into_iter()
        .map(|note| (note.day, note.happening))
        .collect();
    assert_eq!(merged, [(3, promised("kept")), (4, felt("Bob", 3, ""))]);
}

#[test]
fn a_feeling_has_no_reason_that_speaks_against_it() {
    let days = [(1, felt("Bob", 1, "He asked.")), (1, felt("Bob", -2, ""))];
    let (chapters, record) = noted("Ann", "The Hall", days);
    let merged = merged(&chapters, &record).notes;
    assert_eq!(merged[0].happening, felt("Bob", -1, ""));
}
