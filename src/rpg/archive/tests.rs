//! Memories: what is cut, what survives, and what is left alone.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use serde_json::json;

use super::range::{NoRange, fight_range, past_of};
use super::{day, fight, summary_ask};
use crate::cast::Dead;
use crate::context::{AgentContext, Chapters};
use crate::event::{Phrasebook, deliver};
use crate::exchange::{Ask, Prose, Reply};
use crate::message::{Body, Tag, Tags};
use crate::mind::Language;
use crate::rpg::combat::Aftermath;
use crate::rpg::combat::tests::{Bout, bout, world_file};
use crate::rpg::components::{FightEnd, RpgWorld};
use crate::rpg::events::CombatOutcome;
use crate::rpg::phase::Phase;
use crate::rpg::phrases;
use crate::world_data::DataFolder;

fn begin(id: &str) -> Tags {
    [
        Tag::CombatInitialization("Hall".into()),
        Tag::CombatId(id.into()),
    ]
    .into()
}

fn end(id: &str) -> Tags {
    [Tag::CombatOutcome("Hall".into()), Tag::CombatId(id.into())].into()
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
        fight_range(context, "Hall/1").map(|(begin, end)| (begin.0, end.0))
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
        Err(NoRange::Missing("combat_initialization"))
    );
    assert_eq!(
        ids(&context([begin("Hall/1"), none()])),
        Err(NoRange::Missing("combat_outcome"))
    );
    assert_eq!(
        ids(&context([begin("Hall/1"), begin("Hall/1"), end("Hall/1")])),
        Err(NoRange::Repeated("combat_initialization", 2))
    );
    assert_eq!(
        ids(&context([
            begin("Hall/1"),
            end("Hall/1"),
            none(),
            end("Hall/1")
        ])),
        Err(NoRange::Repeated("combat_outcome", 2))
    );
    assert_eq!(
        ids(&context([end("Hall/1"), begin("Hall/1")])),
        Err(NoRange::Crossed)
    );
    assert_eq!(
        ids(&context([
            begin("Hall/1"),
            begin("Hall/2"),
            end("Hall/1"),
            end("Hall/2")
        ])),
        Err(NoRange::Entangled("Hall/2".into()))
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
fn a_past_ends_with_a_day_and_leaves_a_quarter_and_earlier_memories() {
    let past = |context: &AgentContext| past_of(context, 1).map(|past| (past.begin.0, past.end.0));
    let none = Tags::new;
    let day = |day: &str| Tags::from(Tag::DayEnd(day.into()));
    let memory = || Tags::from(Tag::Archive("Hall".into()));
    assert_eq!(
        past(&context([none(), day("1"), none(), none(), day("2")])),
        Some((2, 3))
    );
    // The only day: all of it.
    assert_eq!(
        past(&context([none(), none(), none(), day("1")])),
        Some((2, 5))
    );
    // Memories stand between; the longer stretch goes.
    assert_eq!(
        past(&context([
            none(),
            memory(),
            none(),
            none(),
            day("1"),
            none(),
            none()
        ])),
        Some((4, 6))
    );
    // Nothing but memories: they go together.
    assert_eq!(
        past(&context([
            memory(),
            memory(),
            memory(),
            memory(),
            memory(),
            day("1")
        ])),
        Some((2, 7))
    );
    assert_eq!(past(&context([])), None);
    assert_eq!(
        past_of(&context([none(), day("1")]), 1_000),
        None,
        "not worth a summary"
    );
}

/// A fight in the hall that is over: Bob has fallen, and everybody heard it from beginning to end.
fn aftermath(bad_tags: bool) -> Bout {
    let mut bout = bout();
    let outcome = CombatOutcome {
        stage: "Hall".into(),
        combat_id: "Hall/1".into(),
        result: FightEnd::Won,
        fallen: vec!["Bob".into()],
        felled: vec!["Owl".into(), "Rat".into()],
        gains: vec!["A brass key.".into()],
    };
    let aftermath = Aftermath {
        outcome,
        heroes: vec!["Ann".into(), "Bob".into()],
        foes: vec!["Owl".into(), "Rat".into()],
    };
    let (hall, ann, bob, owl, rat) = (
        bout.tiny.hall,
        bout.tiny.ann,
        bout.tiny.bob,
        bout.owl,
        bout.rat,
    );
    bout.world()
        .entity_mut(hall)
        .insert((aftermath, Phase::SumUp));
    bout.world().entity_mut(bob).insert(Dead);
    let lines: Vec<_> = ["Before.", "It begins.", "A blow.", "It is over."]
        .map(Body::text)
        .into();
    for who in [hall, ann, bob, owl, rat] {
        let mut context = bout
            .world()
            .get_mut::<AgentContext>(who)
            .expect("has a mind");
        for (number, line) in lines.iter().enumerate() {
            let tags = match number {
                1 => begin("Hall/1"),
                3 if !bad_tags => end("Hall/1"),
                _ => Tags::new(),
            };
            context.add_human_message(line.clone(), tags);
        }
    }
    bout
}

/// The minds answer, as a commit would write it, and the summaries are taken and delivered.
fn sum_up(bout: &mut Bout, who: &[Entity], words: &str) {
    for &who in who {
        bout.world().entity_mut(who).remove::<Ask<Prose>>();
        let mut context = bout
            .world()
            .get_mut::<AgentContext>(who)
            .expect("has a mind");
        context.add_human_message("Sum it up.", Tags::new());
        context
            .add_ai_message([Body::text(words)])
            .expect("one message");
        bout.answer(who, Prose(words.into()));
    }
}

#[test]
fn whoever_will_remember_is_asked_for_what_must_survive() {
    let mut bout = aftermath(false);
    bout.run(fight::ask_fight_summaries);
    let must = |who| bout.get::<Ask<Prose>>(who).constraints().must_hold[..].to_vec();
    let outcome = |result: &str| format!("archive/outcome {{\"result\":\"{result}\"}}");
    assert_eq!(
        must(bout.tiny.ann),
        ["Owl", "Rat", &outcome("won"), "Bob", "A brass key"]
    );
    assert_eq!(
        must(bout.tiny.bob),
        ["Owl", "Rat", &outcome("won"), "A brass key"]
    );
    assert_eq!(
        must(bout.tiny.hall),
        ["Owl", "Rat", &outcome("won"), "Bob", "A brass key"]
    );
    assert_eq!(must(bout.owl), ["Ann", "Bob", &outcome("lost"), "Rat"]);
    assert!(
        bout.tiny.setup.world.get::<Ask<Prose>>(bout.rat).is_none(),
        "never met again"
    );
    for who in [bout.tiny.hall, bout.tiny.ann, bout.tiny.bob, bout.owl] {
        let ask: &Ask<Prose> = bout.get(who);
        assert!(ask.fallback().check(ask.constraints()).is_empty());
        assert_eq!(ask.noted()["what"], "fight");
    }
    assert_eq!(*bout.get::<Phase>(bout.tiny.hall), Phase::SummedUp);
}

#[test]
fn a_summary_without_the_facts_is_refused_by_name_of_the_fact() {
    let mut bout = aftermath(false);
    bout.run(fight::ask_fight_summaries);
    let ask: &Ask<Prose> = bout.get(bout.tiny.ann);
    let forgetful = Prose("We fought the Owl and the Rat for a brass key.".into());
    let broken: Vec<_> = forgetful
        .check(ask.constraints())
        .into_iter()
        .map(|broken| broken.rule)
        .collect();
    assert!(
        broken.iter().any(|rule| rule.ends_with("Bob")),
        "{broken:?}"
    );
}

#[test]
fn a_fight_becomes_a_memory_and_a_chapter_that_share_their_words() {
    let mut bout = aftermath(false);
    let (hall, ann, bob) = (bout.tiny.hall, bout.tiny.ann, bout.tiny.bob);
    sum_up(&mut bout, &[ann, bob], "I remember it well.");
    bout.world().entity_mut(hall).insert(Phase::SummedUp);
    bout.run(fight::take_fight_summaries);
    bout.run(deliver);
    let context: &AgentContext = bout.get(ann);
    let texts: Vec<_> = context
        .entries()
        .iter()
        .map(|entry| entry.body().full_text().into_owned())
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(
        texts[1].contains("Before.") && texts[2].contains("I remember it well."),
        "{texts:?}"
    );
    let memory = context.messages().last().expect("has one").message;
    assert_eq!(memory.tags.text("archive"), Some("Hall"));
    assert_eq!(memory.tags.text("chapter"), Some("Ann/1"));
    let chapter = |who| bout.get::<Chapters>(who).all()[0].clone();
    assert_eq!(&*chapter(ann).id.0, "Ann/1");
    assert_eq!(chapter(ann).messages.len(), 3);
    assert_eq!(chapter(ann).summing_up.len(), 2);
    let blow = |who| chapter(who).messages[1].message.body.clone();
    assert!(blow(ann).same(&blow(bob)), "one body for all who heard it");
    assert_eq!(*bout.get::<Phase>(hall), Phase::Rest);
    assert!(bout.world().get::<Aftermath>(hall).is_none());
}

#[test]
fn doubtful_tags_destroy_nothing() {
    let mut bout = aftermath(true);
    let (hall, ann) = (bout.tiny.hall, bout.tiny.ann);
    sum_up(&mut bout, &[ann], "I remember it well.");
    let before = bout.get::<AgentContext>(ann).len();
    bout.world().entity_mut(hall).insert(Phase::SummedUp);
    bout.run(fight::take_fight_summaries);
    bout.run(deliver);
    assert_eq!(bout.get::<AgentContext>(ann).len(), before);
    assert!(bout.get::<Chapters>(ann).all().is_empty());
    assert_eq!(*bout.get::<Phase>(hall), Phase::Rest);
}

/// The hall at the end of a day, with a limit of tokens.
fn evening(limit: i32) -> Bout {
    let mut bout = bout();
    let mut file = world_file();
    file.limits.context_tokens = limit;
    let (hall, ann) = (bout.tiny.hall, bout.tiny.ann);
    let world = bout.world();
    world.insert_resource(RpgWorld(Arc::new(file)));
    world.entity_mut(hall).insert(Phase::SumUp);
    let mut context = world.get_mut::<AgentContext>(ann).expect("has a mind");
    for number in 0..20 {
        let event = serde_json::Map::from_iter([("event".to_owned(), "speak".into())]);
        let line = format!("Bob says to Ann: “Line {number} of a long day, and no end of it.”");
        context.add_human_message(
            Body::text(line).from_sender("Bob").with_metadata(event),
            Tags::new(),
        );
    }
    context.add_human_message("Day 3 is over.", Tag::DayEnd("3".into()));
    bout
}

#[test]
fn whoever_has_room_left_keeps_the_day_as_it_was() {
    let mut bout = evening(100_000);
    bout.run(day::ask_day_summaries);
    assert!(
        bout.world()
            .query::<&Ask<Prose>>()
            .iter(&bout.tiny.setup.world)
            .next()
            .is_none()
    );
    assert_eq!(*bout.get::<Phase>(bout.tiny.hall), Phase::Rest);
}

#[test]
fn a_day_that_grew_too_long_becomes_a_memory() {
    let mut bout = evening(200);
    let (hall, ann, bob) = (bout.tiny.hall, bout.tiny.ann, bout.tiny.bob);
    bout.run(day::ask_day_summaries);
    assert!(
        bout.world().get::<Ask<Prose>>(bob).is_none(),
        "he has room left"
    );
    let ask: &Ask<Prose> = bout.get(ann);
    assert_eq!(ask.constraints().must_hold, ["Hall", "Bob"]);
    assert_eq!(
        (&ask.noted()["day"], &ask.noted()["what"]),
        (&json!(3), &json!("day"))
    );
    assert!(ask.fallback().check(ask.constraints()).is_empty());
    assert_eq!(ask.noted()["said"].as_array().map(Vec::len), Some(8));
    assert_eq!(*bout.get::<Phase>(hall), Phase::SummedUp);
    sum_up(&mut bout, &[ann], "Bob talked all day in the Hall.");
    bout.run(day::take_day_summaries);
    bout.run(deliver);
    assert_eq!(bout.get::<AgentContext>(ann).len(), 2);
    let chapter = &bout.get::<Chapters>(ann).all()[0];
    assert_eq!((chapter.messages.len(), chapter.summing_up.len()), (21, 2));
    assert!(bout.world().get::<day::PendingSummary>(ann).is_none());
    assert_eq!(*bout.get::<Phase>(hall), Phase::Rest);
}

fn phrasebook(language: Language) -> Phrasebook {
    let loaded = phrases::load(&DataFolder::embedded(), language);
    loaded.expect("the shipped templates are right").0
}

#[test]
fn a_day_is_summed_up_in_the_words_of_either_language() {
    for (language, name, other, place) in [
        (Language::En, "Ann", "Bob", "The Hall"),
        (Language::Zh, "阿菱", "老闻", "渡口"),
    ] {
        let file = crate::rpg::world_file::WorldFile {
            language,
            ..world_file()
        };
        for kind in ["actor", "stage", "world"] {
            let must = match kind {
                "actor" => vec![place.to_owned(), other.to_owned()],
                _ => vec![other.to_owned()],
            };
            let facts = json!({
                "me": name, "kind": kind, "place": place, "what": "day", "day": 3,
                "with": [other], "must": must, "said": [],
            });
            let ask = summary_ask(&phrasebook(language), &file, "archive_day", facts, must)
                .expect("is asked");
            assert!(ask.fallback().check(ask.constraints()).is_empty());
            let text = format!("{}\n\n=== fallback\n{}", ask.prompt(), ask.fallback().0);
            insta::assert_snapshot!(format!("archive_day_{}_{kind}", language.code()), text);
        }
    }
}

#[test]
fn facts_that_a_template_forgets_are_added() {
    let phrases = Phrasebook::default();
    let must = vec!["Owl".to_owned(), "a brass key".to_owned()];
    let ask =
        summary_ask(&phrases, &world_file(), "archive_fight", json!({}), must).expect("is asked");
    assert!(ask.fallback().0.ends_with("Owl\na brass key"));
}
