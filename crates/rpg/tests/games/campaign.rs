//! Whole campaigns on the embedded improviser.

use std::collections::{BTreeMap, BTreeSet};

use playhouse_engine::cast::{CastList, EntityName};
use playhouse_engine::context::{AgentContext, Chapters, buffer};
use playhouse_engine::event::AnsweredBy;
use playhouse_engine::message::Language;
use playhouse_engine::mind::{AnswerForm, ExchangeRound, Prompt};
use playhouse_engine::prelude::agents_context;
use playhouse_engine::testing::Played;
use playhouse_engine::world_data::DataFolder;
use playhouse_rpg::Campaign;
use playhouse_rpg::drama::{Belongings, StoryData};
use playhouse_rpg::world_file::{ActorFaction, WorldKind, new_world};
use serde_json::{Value, json};

use super::play::{WORLDS, altered, campaign, engine, minds, play_on};

/// Everything that a mind worded, in order: who and what.
fn lines(played: &Played) -> Vec<(String, String)> {
    // What is learned is told in the words of the world file, to each who learns it, a stage
    // remembers a fight as it told it, and world agents hear what was told elsewhere.
    let worded = |kind: &str| !["query", "learned", "archive", "news"].contains(&kind);
    let told = played.events().filter(|event| worded(&event.kind));
    // Those elsewhere hear later what was announced.
    let mut announced = BTreeSet::new();
    let told = told.filter(move |event| event.kind != "announce" || announced.insert(&event.text));
    let worded = told.filter_map(|event| {
        let words = event.data["message"].as_str()?;
        let who = event.speaker.as_deref().unwrap_or_default();
        Some((who.to_owned(), words.to_owned()))
    });
    worded.collect()
}

fn is_prose(prompt: &Prompt<'_>) -> bool {
    matches!(prompt.form, AnswerForm::Prose { .. })
}

/// An answer with this value for a member that it has.
fn with_member(answer: String, path: &str, value: &str) -> String {
    let Ok(mut members) = serde_json::from_str::<Value>(&answer) else {
        return answer;
    };
    match members.pointer_mut(path) {
        Some(said) => *said = value.into(),
        None => return answer,
    }
    members.to_string()
}

/// Plays two turns with the improviser, whose answers are changed.
async fn play_altered(world: &str, alter: fn(&Prompt<'_>, String) -> String) -> Played {
    play_on(engine(&campaign(world), 1, altered(alter)), Some(2)).await
}

async fn play(world: &str, seed: u64) -> Played {
    super::play::play(&campaign(world), seed, minds()).await
}

#[tokio::test]
async fn a_campaign_comes_home_and_is_long_enough_to_be_a_story() {
    for world in WORLDS {
        let told = lines(&play(world, 1).await).into_iter();
        let text: String = told.map(|(_, words)| words + "\n").collect();
        let words = text.split_whitespace().count();
        let characters = text.chars().count();
        assert!(words >= 2_000 || world == "zhaoying-ban", "{words} words");
        assert!(characters >= 3_500, "{characters} characters");
    }
}

#[tokio::test]
async fn what_is_put_around_prose_is_no_part_of_the_story() {
    for world in WORLDS {
        let plain = play_altered(world, |_, text| text).await;
        let wrapped = play_altered(world, |prompt, text| match prompt.seed % 4 {
            _ if !is_prose(prompt) => text,
            0 => format!("Certainly! Here is the description:\n\n{text}\n\nShall I go on?"),
            1 => format!("```json\n{}\n```", json!({ "text": text })),
            2 => format!("**Heading**\n\n{text}\n\n((OOC: long enough?))"),
            _ => format!("{}: {text}", prompt.entity),
        });
        assert_eq!(lines(&plain), lines(&wrapped.await));
    }
}

#[tokio::test]
async fn a_place_puts_no_words_into_anybodys_mouth() {
    for world in WORLDS {
        let played = play_altered(world, |prompt, text| {
            let notes = prompt.notes();
            let present = notes["companions"][0].as_str();
            match present.filter(|_| is_prose(prompt) && notes["kind"] == "stage") {
                Some(name) => format!("{text} {name}: “Nobody said this.”"),
                None => text,
            }
        });
        let played = played.await;
        let mut told = played.events();
        assert!(told.all(|event| !event.text.contains("Nobody said this")));
        let mut answers = played.answers();
        let is_told = answers.any(|answer| answer.by == AnsweredBy::Repaired(1));
        assert!(is_told, "it was asked again once");
    }
}

#[tokio::test]
async fn who_says_the_same_again_is_asked_for_something_else_once() {
    const WORDS: &str = "Who has seen my brother go down to the ferry?";
    let played = play_altered(WORLDS[0], |_, text| with_member(text, "/speak/text", WORDS));
    let played = played.await;
    let mut seen = BTreeSet::new();
    let repeated = played.answers();
    for answer in repeated.filter(|answer| answer.text.contains(WORDS)) {
        let is_new = seen.insert(answer.entity.clone());
        let by = if is_new {
            AnsweredBy::Mind
        } else {
            AnsweredBy::Repaired(1)
        };
        assert_eq!(answer.by, by, "{answer:?}");
    }
    assert!(!seen.is_empty());
}

#[tokio::test]
async fn nobody_says_what_only_a_model_says() {
    let played = play_altered(WORLDS[0], |prompt, text| match prompt.seed % 2 {
        0 => with_member(
            text,
            "/speak/text",
            "As an AI language model, I have no brother.",
        ),
        _ => with_member(
            text,
            "/speak/text",
            "Sure! Here is my answer: **Go.** (OOC: short enough?)",
        ),
    });
    let played = played.await;
    let mut spoken = played.of("speak").peekable();
    assert!(spoken.peek().is_some());
    assert!(spoken.all(|event| event.data["message"] == "Go."));
}

#[tokio::test]
async fn an_example_that_is_sent_back_is_no_answer() {
    let played = play_altered(WORLDS[0], |prompt, text| match prompt.rounds.last() {
        _ if prompt.purpose != "home.plan" => text,
        Some(ExchangeRound::Refused(refused)) => {
            let mut lines = refused.complaint.as_str().lines();
            let example = lines.find_map(|line| Some(line.get(line.find('{')?..)?.to_owned()));
            example.unwrap_or_default()
        }
        _ => "?".to_owned(),
    });
    let played = played.await;
    let mut plans = played.answers_to("home.plan").peekable();
    assert!(plans.peek().is_some());
    assert!(plans.all(|plan| matches!(plan.by, AnsweredBy::Fallback(_))));
}

#[tokio::test]
async fn who_only_thinks_does_nothing() {
    for world in WORLDS {
        let played = play_altered(world, |prompt, text| match prompt.purpose {
            "home.plan" => json!({"mind": "I wait for the bell."}).to_string(),
            _ => text,
        });
        let played = played.await;
        let mut plans = played.answers_to("home.plan").peekable();
        assert!(plans.peek().is_some());
        assert!(plans.all(|plan| plan.by == AnsweredBy::Repaired(1)));
        assert!(played.of("speak").next().is_none());
    }
}

#[tokio::test]
async fn what_has_no_place_in_an_answer_is_not_remembered_as_said() {
    let played = play_altered(WORLDS[0], |prompt, text| match prompt.purpose {
        "home.plan" => json!({"wait": {"reason": "r"}, "conjure": {"item": "fan"}}).to_string(),
        _ => text,
    });
    for (name, context) in agents_context(&played.await.engine.world) {
        assert!(!buffer(context).contains("left_out"), "{name}");
    }
}

#[tokio::test]
async fn hardly_a_line_is_told_twice() {
    for world in WORLDS {
        let (mut twice, mut all) = (0, 0);
        for seed in 1..=5 {
            let played = play(world, seed).await;
            let (lines, mut seen) = (lines(&played), BTreeMap::new());
            for (who, words) in &lines {
                if let Some(first) = seen.insert(words, who) {
                    println!("{world}: '{words}' by {first} and by {who}");
                    twice += 1;
                }
            }
            all += lines.len();
        }
        assert!(twice * 40 <= all, "{twice} of {all}");
    }
}

#[tokio::test]
async fn nobody_falls_back_and_every_fight_is_remembered_by_its_heroes() {
    for world in WORLDS {
        let mut played = play(world, 2).await;
        for answer in played.answers() {
            let is_fallback = matches!(answer.by, AnsweredBy::Fallback(_));
            assert!(!is_fallback, "{answer:?}");
        }
        let fights: Vec<_> = played.of("combat_outcome").cloned().collect();
        assert!(!fights.is_empty(), "{world}");
        let mut minds = played
            .engine
            .world
            .query::<(&EntityName, &Chapters, &AgentContext)>();
        for fight in &fights {
            let stage = fight.data["stage"].as_str().unwrap();
            for (name, chapters, context) in minds.iter(&played.engine.world) {
                if fight.place == name.0 {
                    assert!(!chapters.all().is_empty(), "{stage} remembers its fight");
                }
                let open = context
                    .messages()
                    .filter(|held| held.message.tags.text("combat_outcome").is_some());
                assert_eq!(open.count(), 0, "{name} holds a fight that is over");
            }
        }
    }
}

#[tokio::test]
async fn whoever_is_out_of_a_fight_neither_acts_nor_is_struck() {
    for world in WORLDS {
        let played = play(world, 3).await;
        let mut out = BTreeSet::new();
        for event in played.events() {
            let text = |member: &str| event.data[member].as_str().unwrap().to_owned();
            match event.kind.as_str() {
                "combat_initialization" => out.clear(),
                "combat_move" => {
                    let actor = text("actor");
                    assert!(!out.contains(&actor), "{actor} acts after leaving");
                    if ["flee", "yield"].contains(&text("action").as_str()) {
                        out.insert(actor);
                    }
                }
                "card_played" => {
                    let actor = text("actor");
                    assert!(!out.contains(&actor), "{actor} plays after leaving");
                    for target in event.data["targets"].as_array().unwrap() {
                        let name = target["name"].as_str().unwrap();
                        assert!(!out.contains(name), "{name} is struck after leaving");
                        if target["fell"] == true {
                            out.insert(name.to_owned());
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn equal_seeds_play_alike_and_others_do_not() {
    let (first, again, other) = (
        play("zhaoying-ban", 5).await,
        play("zhaoying-ban", 5).await,
        play("zhaoying-ban", 6).await,
    );
    assert_eq!(lines(&first), lines(&again));
    assert_ne!(lines(&first), lines(&other));
}

/// Words that would be out of place in a shipped world, whoever says them.
const NEVER_IN: [(&str, &[&str]); 2] = [
    (
        "drowned-assize",
        &[
            "okay", "hello there", "guys", "my lord", "computer", "telephone", "improvis", "seed",
        ],
    ),
    (
        "zhaoying-ban",
        &[
            "好的呢", "拜拜", "哈喽", "电话", "手机", "电影院", "老板娘", "亲爱的", "即兴", "种子",
        ],
    ),
];

/// Words of those who travel and fight: nobody who stays at home says them.
const NEVER_AT_HOME: [&str; 10] = [
    "we go in together",
    "I mean to go first",
    "I take the first watch",
    "as long as I can stand",
    "I'll come back for you",
    "咱们一道进去",
    "我走头一个",
    "头一班夜我来守",
    "只要我还站得住",
    "我回头来找你",
];

#[tokio::test]
async fn nobody_speaks_out_of_character() {
    for (world, never) in NEVER_IN {
        let file = campaign(world).file;
        let actors = file.actors.iter().map(|actor| (&actor.name, &actor.voice));
        let foes = file.foes.iter().map(|foe| (&foe.name, &foe.voice));
        let voices: BTreeMap<_, _> = actors.chain(foes).collect();
        let mut neutral = file.actors.iter();
        let neutral: BTreeSet<_> = neutral
            .by_ref()
            .filter(|actor| actor.faction == ActorFaction::Neutral)
            .map(|actor| &actor.name)
            .collect();
        let mut spoken = 0;
        let never: Vec<_> = never.iter().map(|never| never.to_lowercase()).collect();
        for seed in 100..105 {
            let played = play(world, seed).await;
            let speech = ["speak", "whisper", "announce"];
            let said = played
                .events()
                .filter(|event| speech.contains(&&*event.kind));
            for event in said {
                let who = event.data["actor"].as_str().unwrap_or_default().to_owned();
                let words = event.data["message"].as_str().unwrap_or_default();
                let words = words.to_lowercase();
                let Some(voice) = voices.get(&who) else {
                    continue;
                };
                spoken += 1;
                let never = never.iter().map(String::as_str);
                let at_home = NEVER_AT_HOME.iter().filter(|_| neutral.contains(&who));
                let own = voice.never.iter().map(String::as_str);
                let own: Vec<_> = own.chain(at_home.copied()).map(str::to_lowercase).collect();
                for never in never.chain(own.iter().map(String::as_str)) {
                    assert!(
                        !words.contains(never),
                        "{who} says \"{never}\" in the story of seed {seed}: {words}"
                    );
                }
            }
        }
        assert!(spoken > 250, "{world}: {spoken} lines");
    }
}

#[tokio::test]
async fn events_alone_tell_who_has_what_and_no_answer_is_filled_in_at_random() {
    let anything = ["en", "zh"].map(|language| {
        let path = format!("../../data/improviser/{language}/any.ron");
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.split('"').filter(|line| line.chars().count() > 14);
        let whole = lines.filter(|line| !line.contains(['<', '{', '[', '\n']));
        whole.map(str::to_owned).collect::<Vec<_>>()
    });
    for (world, anything) in WORLDS.into_iter().zip(anything) {
        for seed in [6, 7] {
            let played = play(world, seed).await;
            let items = played.engine.world.resource::<StoryData>().items.iter();
            let begin = items.map(|item| (item.name.clone(), item.at.clone()));
            let mut holders: BTreeMap<_, _> = begin.collect();
            for event in played.events() {
                let member = |name: &str| event.data[name].as_str().unwrap_or_default().to_owned();
                let (item, to) = match &*event.kind {
                    "take" => ("item", member("actor")),
                    "give" => ("item", member("to")),
                    "hide" => ("item", member("stage")),
                    "item_moved" => ("item", member("to") + member("place").as_str()),
                    "destroy" => ("item", String::new()),
                    "attempt_outcome" if !member("found").is_empty() => ("found", member("actor")),
                    "attempt_outcome" if !member("left").is_empty() => {
                        ("left", event.place.to_string())
                    }
                    _ => continue,
                };
                holders.insert(member(item), to);
            }
            let cast = played.engine.world.resource::<CastList>();
            for (item, holder) in holders {
                let of = cast.by_name(&holder);
                let held = of.and_then(|of| played.engine.world.get::<Belongings>(of));
                let has = held.is_some_and(|held| held.0.contains(&*item));
                assert_eq!(has, !holder.is_empty(), "{world} {seed}: {item}, {holder}");
            }
            for answer in played.answers() {
                let filler = anything.iter().find(|line| answer.text.contains(&**line));
                assert_eq!(filler, None, "{world} {seed}: {}", answer.text);
            }
        }
    }
}

#[test]
fn a_world_without_a_budget_gets_half_of_the_window() {
    let folder = tempfile::tempdir().unwrap();
    new_world(folder.path(), WorldKind::Journey, Language::En).unwrap();
    let own = DataFolder::at(folder.path()).unwrap();
    let data = DataFolder::embedded();
    for (window, budget) in [(8_192, 6_000), (40_000, 20_000), (u64::MAX, 32_000)] {
        let campaign = Campaign::load_changed(&data, Some(&own), "mill", Ok, |_| window).unwrap();
        assert_eq!(campaign.file.limits.context_tokens, Some(budget));
        // So does the text that a save embeds.
        let text = campaign.source().text().to_owned();
        assert!(text.contains(&format!("context_tokens: {budget}")));
    }
    let shipped = Campaign::load_changed(&data, None, WORLDS[0], Ok, |_| u64::MAX).unwrap();
    let plain = Campaign::load(&data, WORLDS[0]).unwrap();
    assert_eq!(shipped.fingerprint, plain.fingerprint);
}
