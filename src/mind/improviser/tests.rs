//! What holds for every purpose, in both languages, whatever the seed.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Improviser, Language};
use crate::context::AgentContext;
use crate::message::{Body, Text};
use crate::mind::{Form, Mind, Prompt, Refused, Round, Tools};

const BOTH: [Language; 2] = [Language::En, Language::Zh];
const SEEDS: u64 = 200;

/// A question to one entity, by hand.
struct Asked {
    entity: Arc<str>,
    purpose: &'static str,
    language: Language,
    notes: Value,
    /// The schema of a JSON answer; `Null` for prose.
    narrowed: Value,
    question: Body,
    history: AgentContext,
    rounds: Vec<Round>,
}

impl Asked {
    fn new(entity: &str, purpose: &'static str, language: Language, notes: Value) -> Self {
        Self {
            entity: entity.into(),
            purpose,
            language,
            notes,
            narrowed: Value::Null,
            question: Body::text("…"),
            history: AgentContext::new(entity),
            rounds: Vec::new(),
        }
    }

    fn json(mut self, narrowed: Value) -> Self {
        self.narrowed = narrowed;
        self
    }

    fn answer(&self, improviser: &Improviser, seed: u64) -> String {
        let schema: Arc<str> = self.narrowed.to_string().into();
        let notes = &self.notes;
        let form = match &self.narrowed {
            Value::Null => Form::Prose { notes },
            narrowed => Form::Json {
                name: "reply",
                schema: &schema,
                narrowed,
                notes,
            },
        };
        let prompt = Prompt {
            entity: &self.entity,
            purpose: self.purpose,
            number: 1,
            language: self.language,
            history: &self.history,
            question: &self.question,
            ask_short: false,
            rounds: &self.rounds,
            tools: Tools::NONE,
            form,
            max_tokens: 1024,
            seed,
            stream: None,
        };
        let answer = improviser.answer(&prompt).now_or_never();
        answer
            .expect("an improviser never waits")
            .expect("it never fails")
            .text
    }

    fn value(&self, improviser: &Improviser, seed: u64) -> Value {
        serde_json::from_str(&self.answer(improviser, seed)).expect("the answer is JSON")
    }

    /// Lets the entity remember its answer, and what was asked.
    fn remember(&mut self, answer: &str) {
        self.history
            .add_human_message("…", crate::message::Tags::new());
        self.history
            .add_ai_message([Body::text(answer)])
            .expect("one message");
    }
}

/// The grammars are read once for all tests.
fn improviser() -> &'static Improviser {
    static IMPROVISER: LazyLock<Improviser> =
        LazyLock::new(|| Improviser::new().unwrap_or_else(|errors| panic!("{errors}")));
    &IMPROVISER
}

/// The sentences of a text, without the signs that end them.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['.', '!', '?', '。', '！', '？', '\n']);
    let parts = parts.map(|part| part.trim_matches(['“', '”', '‘', '’', ' ']));
    parts.filter(|part| part.chars().nth(1).is_some())
}

/// Names in the language of the world.
struct Cast {
    heroes: [&'static str; 4],
    foes: [&'static str; 3],
    home: &'static str,
    exits: [&'static str; 2],
    dungeon: &'static str,
    cave: &'static str,
    secret: &'static str,
    skills: [&'static str; 5],
}

fn cast(language: Language) -> Cast {
    match language {
        Language::En => Cast {
            heroes: ["Maren", "Tobin", "Isolde", "Garrick"],
            foes: ["Rust King", "Bone Sexton", "Marrow Hound"],
            home: "The Lantern Inn",
            exits: ["Salt Pier", "Bell Market"],
            dungeon: "The Drowned Abbey",
            cave: "Flooded Nave",
            secret: "The key to the crypt hangs in the bell rope.",
            skills: ["Cleave", "Mend", "Bulwark", "Hex", "Rally"],
        },
        Language::Zh => Cast {
            heroes: ["沈砚", "陆青禾", "白鹭", "石敢当"],
            foes: ["锈甲将", "守陵人", "噬骨犬"],
            home: "听雨客栈",
            exits: ["盐码头", "钟鼓市"],
            dungeon: "沉寺",
            cave: "水殿",
            secret: "地宫的钥匙挂在钟绳上。",
            skills: ["劈山", "回春", "铁壁", "缚咒", "击鼓"],
        },
    }
}

fn kickoff(language: Language, me: &str, kind: &str) -> Asked {
    let cast = cast(language);
    let companions: Vec<_> = cast.heroes.iter().filter(|name| **name != me).collect();
    let notes = json!({
        "me": me, "kind": kind, "place": cast.home, "profile": "", "look": "", "camp": "hero",
        "companions": companions, "dungeons": [cast.dungeon], "home": kind == "stage",
        "exits": cast.exits, "heroes": cast.heroes,
    });
    Asked::new(me, "kickoff", language, notes)
}

fn scene(language: Language) -> Asked {
    let cast = cast(language);
    let notes = json!({
        "me": cast.home, "kind": "stage", "place": cast.home, "day": 2, "profile": "",
        "present": cast.heroes, "last_news": "",
    });
    Asked::new(cast.home, "home.scene", language, notes)
}

/// A plan with everybody present, some talk behind them and a secret to tell.
fn plan(language: Language, me: &str) -> Asked {
    let cast = cast(language);
    let present: Vec<_> = cast.heroes.into_iter().filter(|name| *name != me).collect();
    let asks = match language {
        Language::En => format!("{me}, would you go back to {}?", cast.cave),
        Language::Zh => format!("{me}，你还肯回{}么？", cast.cave),
    };
    let notes = json!({
        "me": me, "kind": "actor", "place": cast.home, "day": 2, "round": 2,
        "present": present.iter().map(|name| json!({"name": name, "look": ""})).collect::<Vec<_>>(),
        "exits": cast.exits, "heard": [{"who": present[0], "text": asks}],
        "next_dungeon": cast.dungeon,
        "last_fight": {"place": cast.cave, "result": "won", "foes": cast.foes},
        "secrets": [cast.secret], "refused": "",
    });
    Asked::new(me, "home.plan", language, notes).json(plan_schema(&present, &cast.exits))
}

fn plan_schema(present: &[&str], exits: &[&str]) -> Value {
    let text = json!({"type": "string", "minLength": 1, "maxLength": 600});
    let mut properties = json!({"mind": text});
    let mut legal = vec!["announce", "query", "wait"];
    for kind in ["announce", "query"] {
        properties[kind] = object(&[("text", text.clone())]);
    }
    properties["wait"] = object(&[("reason", text.clone())]);
    if !present.is_empty() {
        for kind in ["speak", "whisper"] {
            let target = json!({"type": "string", "enum": present});
            properties[kind] = object(&[("target", target), ("text", text.clone())]);
            legal.push(kind);
        }
    }
    if !exits.is_empty() {
        properties["move"] = object(&[("to", json!({"enum": exits}))]);
        legal.push("move");
    }
    let options: Vec<_> = legal
        .iter()
        .map(|kind| json!({"required": ["mind", kind]}))
        .collect();
    json!({
        "type": "object", "properties": properties, "required": ["mind"], "oneOf": options,
        "additionalProperties": false,
    })
}

fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<_> = members.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<_, _> = members
        .iter()
        .map(|(name, part)| ((*name).to_owned(), part.clone()))
        .collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn announcement(language: Language) -> Asked {
    let texts = match language {
        Language::En => [
            "Maren fell at Flooded Nave.",
            "The heroes won at Flooded Nave.",
        ],
        Language::Zh => ["沈砚在水殿倒下了。", "众人在水殿得胜。"],
    };
    let notes = json!({
        "me": "Crier", "kind": "world", "place": "", "day": 3,
        "events": [{"type": "death", "text": texts[0]}, {"type": "combat_outcome", "text": texts[1]}],
    });
    let me = if language == Language::En {
        "Crier"
    } else {
        "更夫"
    };
    Asked::new(me, "world.announce", language, notes)
}

fn initiation(language: Language, me: &str) -> Asked {
    let cast = cast(language);
    let foes: Vec<_> = cast
        .foes
        .iter()
        .map(|name| json!({"name": name, "look": ""}))
        .collect();
    let allies: Vec<_> = cast.heroes.iter().filter(|name| **name != me).collect();
    let notes = json!({
        "me": me, "kind": "actor", "place": cast.cave, "foes": foes, "allies": allies,
        "hp": 20, "max_hp": 20, "camp": "hero",
    });
    Asked::new(me, "combat.initiation", language, notes)
}

/// A hand of all five kinds; health in the order of the cast.
fn draw(language: Language, allies: [i64; 4], foes: [i64; 3]) -> Asked {
    let cast = cast(language);
    let fighter =
        |name: &str, hp: i64| json!({"name": name, "hp": hp, "max_hp": 20, "effects": []});
    let alive = |names: &[&str], hp: &[i64]| {
        let living = names.iter().zip(hp).filter(|(_, hp)| **hp > 0);
        living
            .map(|(name, _)| Value::from(*name))
            .collect::<Vec<_>>()
    };
    let kinds = ["attack", "heal", "guard", "weaken", "strengthen"];
    let hand: Vec<_> = cast.skills.iter().zip(kinds).map(|(skill, kind)| {
        let legal = match kind {
            "attack" | "weaken" => alive(&cast.foes, &foes),
            _ => alive(&cast.heroes, &allies),
        };
        json!({"skill": skill, "kind": kind, "cost": 1, "power": 6, "about": "", "legal": legal})
    }).collect();
    let notes = json!({
        "me": cast.heroes[0], "kind": "actor", "place": cast.cave, "round": 2, "hp": allies[0],
        "max_hp": 20, "energy": 3, "hand": hand,
        "foes": cast.foes.iter().zip(foes).map(|(name, hp)| fighter(name, hp)).collect::<Vec<_>>(),
        "allies": cast.heroes.iter().zip(allies).map(|(name, hp)| fighter(name, hp)).collect::<Vec<_>>(),
    });
    let names: Vec<_> = alive(&cast.heroes, &allies)
        .into_iter()
        .chain(alive(&cast.foes, &foes))
        .collect();
    let text = json!({"type": "string", "minLength": 1, "maxLength": 200});
    let card = object(&[
        ("skill", json!({"enum": cast.skills})),
        ("name", text.clone()),
        ("description", text),
        (
            "targets",
            json!({"type": "array", "items": {"enum": names}, "minItems": 1}),
        ),
    ]);
    let cards = json!({"type": "array", "items": card, "minItems": 5, "maxItems": 5});
    Asked::new(cast.heroes[0], "combat.draw", language, notes).json(object(&[("cards", cards)]))
}

fn round(language: Language, deeds: usize) -> Asked {
    let cast = cast(language);
    let kinds = [
        "attack",
        "heal",
        "guard",
        "weaken",
        "strengthen",
        "attack",
        "attack",
    ];
    let deeds: Vec<_> = kinds.iter().take(deeds).enumerate().map(|(at, kind)| {
        let by = cast.heroes[at % 4];
        let target = match *kind {
            "attack" | "weaken" => cast.foes[at % 3],
            _ => cast.heroes[(at + at / 2) % 4],
        };
        json!({
            "by": by, "skill": cast.skills[at % 5], "card": format!("{}{at}", cast.skills[at % 5]),
            "kind": kind, "target": target, "hit": at != 5, "amount": at * 3, "fell": at == 6,
        })
    }).collect();
    let names = cast
        .heroes
        .iter()
        .map(|name| (name, "hero"))
        .chain(cast.foes.iter().map(|name| (name, "foe")));
    let standing: Vec<_> = names
        .map(|(name, camp)| json!({"name": name, "hp": 9, "max_hp": 20, "camp": camp}))
        .collect();
    let notes = json!({
        "me": cast.cave, "kind": "stage", "place": cast.cave, "round": 2, "deeds": deeds,
        "standing": standing,
    });
    Asked::new(cast.cave, "combat.narrate", language, notes)
}

fn archive(language: Language, me: &str, what: &str, result: &str) -> Asked {
    let cast = cast(language);
    let (gain, vow) = match language {
        Language::En => ("A silver key.", "the third bell"),
        Language::Zh => ("一把银钥匙。", "第三口钟"),
    };
    let with: Vec<_> = cast.heroes.iter().filter(|name| **name != me).collect();
    let said = json!([{"who": with[0], "text": "…"}, {"who": with[1], "text": cast.secret}]);
    let notes = json!({
        "me": me, "kind": if me == cast.cave { "stage" } else { "actor" }, "place": cast.cave,
        "what": what, "foes": cast.foes, "result": result, "fallen": [cast.heroes[3]],
        "gains": [gain], "day": 4, "with": with, "must": [vow, gain, cast.foes[1]], "said": said,
    });
    Asked::new(me, "archive", language, notes)
}

fn every_purpose(language: Language) -> Vec<Asked> {
    let cast = cast(language);
    let me = cast.heroes[0];
    let mut unknown = Asked::new(
        me,
        "poem.about.rain",
        language,
        json!({"me": me, "place": cast.home}),
    );
    unknown.question = Body::text("Write something. 写点什么。");
    vec![
        kickoff(language, me, "actor"),
        kickoff(language, cast.home, "stage"),
        kickoff(language, "7", "world"),
        scene(language),
        plan(language, me),
        announcement(language),
        initiation(language, me),
        draw(language, [20, 12, 5, 20], [4, 20, 11]),
        round(language, 3),
        round(language, 7),
        archive(language, me, "fight", "won"),
        archive(language, me, "fight", "lost"),
        archive(language, cast.cave, "fight", "won"),
        archive(language, me, "day", ""),
        unknown,
    ]
}

/// Every text in an answer: the answer itself, or each text in its JSON.
fn texts(asked: &Asked, answer: &str) -> Vec<String> {
    fn gather(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
            Value::Object(members) => members.values().for_each(|member| gather(member, texts)),
            _ => {}
        }
    }
    if asked.narrowed.is_null() {
        return vec![answer.into()];
    }
    let mut found = Vec::new();
    gather(&serde_json::from_str(answer).unwrap(), &mut found);
    found
}

#[test]
fn every_answer_is_clean_and_in_its_language() {
    let improviser = improviser();
    for language in BOTH {
        for asked in every_purpose(language) {
            for seed in 0..SEEDS {
                let answer = asked.answer(improviser, seed);
                for text in texts(&asked, &answer) {
                    assert!(!text.trim().is_empty(), "{}: {answer}", asked.purpose);
                    assert!(!text.contains(['{', '}', '<', '>', '[', ']']), "{answer}");
                    assert!(!text.contains("  ") && !text.contains(" ."), "{answer}");
                    assert!(!text.contains("，。") && !text.contains("。。"), "{answer}");
                    if language == Language::Zh {
                        let latin = text.chars().find(char::is_ascii_alphabetic);
                        assert_eq!(latin, None, "{answer}");
                        assert!(!text.contains([',', '.', '!', '?', ';', ' ']), "{answer}");
                    }
                }
            }
        }
    }
}

#[test]
fn prose_is_as_long_as_it_should_be() {
    let improviser = improviser();
    for language in BOTH {
        for asked in every_purpose(language) {
            let (least, most) = match asked.purpose {
                "kickoff" | "home.scene" => (2, 4),
                "combat.initiation" => (1, 2),
                "combat.narrate" => (2, 5),
                _ => continue,
            };
            for seed in 0..SEEDS {
                let answer = asked.answer(improviser, seed);
                let ends = answer.matches(['.', '!', '?', '。', '！', '？']).count();
                // A word called across the field may end in a mark of its own.
                assert!(
                    (least..=most + 1).contains(&ends),
                    "{} {ends}: {answer}",
                    asked.purpose
                );
            }
        }
    }
}

#[test]
fn equal_prompts_get_equal_answers_and_other_seeds_others() {
    let improviser = improviser();
    for language in BOTH {
        for asked in every_purpose(language) {
            assert_eq!(asked.answer(improviser, 7), asked.answer(improviser, 7));
            let answers: BTreeSet<_> = (0..SEEDS)
                .map(|seed| asked.answer(improviser, seed))
                .collect();
            assert!(
                answers.len() > 9,
                "{} has {} answers",
                asked.purpose,
                answers.len()
            );
        }
    }
}

#[test]
fn a_plan_is_one_legal_action() {
    let improviser = improviser();
    let mut kinds = BTreeSet::new();
    for language in BOTH {
        let cast = cast(language);
        for me in cast.heroes {
            let asked = plan(language, me);
            for seed in 0..SEEDS {
                let answer = asked.value(improviser, seed);
                let members = answer.as_object().unwrap();
                assert!(
                    members.len() == 2 && members.contains_key("mind"),
                    "{answer}"
                );
                let (kind, action) = members.iter().find(|(key, _)| *key != "mind").unwrap();
                kinds.insert(kind.clone());
                if let Some(target) = action.get("target").and_then(Value::as_str) {
                    assert!(target != me && cast.heroes.contains(&target), "{answer}");
                }
                if let Some(to) = action.get("to").and_then(Value::as_str) {
                    assert!(cast.exits.contains(&to), "{answer}");
                }
            }
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
}

#[test]
fn the_one_who_asked_is_answered() {
    let improviser = improviser();
    for language in BOTH {
        let me = cast(language).heroes[2];
        let asked = plan(language, me);
        let who = asked.notes["heard"][0]["who"].as_str().unwrap();
        let plans = (0..SEEDS).map(|seed| asked.value(improviser, seed));
        let spoken: Vec<_> = plans.filter(|plan| plan.get("speak").is_some()).collect();
        let answered = spoken
            .iter()
            .filter(|plan| plan["speak"]["target"] == who)
            .count();
        assert!(
            answered * 10 > spoken.len() * 8,
            "{answered} of {}",
            spoken.len()
        );
    }
}

#[test]
fn secrets_are_whispered_rarely_and_once() {
    let improviser = improviser();
    for language in BOTH {
        let cast = cast(language);
        let mut asked = plan(language, cast.heroes[0]);
        let secret = cast.secret.trim_end_matches(['.', '。']);
        let tells = |answer: &String| answer.contains(&secret[6..]);
        let answers: Vec<_> = (0..SEEDS)
            .map(|seed| asked.answer(improviser, seed))
            .collect();
        let told: Vec<_> = answers.iter().filter(|answer| tells(answer)).collect();
        assert!((1..40).contains(&told.len()), "{} of {SEEDS}", told.len());
        assert!(told.iter().all(|answer| answer.contains("\"whisper\"")));
        asked.remember(told[0]);
        assert!((0..SEEDS).all(|seed| !tells(&asked.answer(improviser, seed))));
    }
}

#[test]
fn alone_nobody_is_spoken_to() {
    let improviser = improviser();
    for language in BOTH {
        let mut asked = plan(language, cast(language).heroes[0]);
        asked.notes["present"] = json!([]);
        asked.notes["exits"] = json!([]);
        asked.narrowed = plan_schema(&[], &[]);
        for seed in 0..SEEDS {
            let plan = asked.value(improviser, seed);
            let quiet = ["announce", "query", "wait"]
                .iter()
                .any(|kind| plan.get(kind).is_some());
            assert!(quiet, "{plan}");
        }
    }
}

#[test]
fn what_was_refused_is_not_tried_again() {
    let improviser = improviser();
    for language in BOTH {
        let mut asked = plan(language, cast(language).heroes[1]);
        asked.remember(r#"{"mind": "…", "speak": {"target": "?", "text": "…"}}"#);
        asked.notes["refused"] = json!("…");
        assert!((0..SEEDS).all(|seed| asked.value(improviser, seed).get("speak").is_none()));

        let mut asked = plan(language, cast(language).heroes[1]);
        for seed in 0..20 {
            let first = asked.answer(improviser, seed);
            let complaint = Text::from("…");
            asked.rounds = vec![Round::Refused(Refused {
                answer: Text::from(first.as_str()),
                complaint,
            })];
            assert_ne!(asked.answer(improviser, seed), first);
            asked.rounds.clear();
        }
    }
}

/// The order in which the kinds of a hand are played, and the targets of one of them.
fn played(asked: &Asked, seed: u64, of: usize) -> (Vec<usize>, Vec<String>) {
    let skills = cast(asked.language).skills;
    let answer = asked.value(improviser(), seed);
    let cards = answer["cards"].as_array().unwrap();
    let at = |card: &Value| {
        skills
            .iter()
            .position(|skill| card["skill"] == *skill)
            .unwrap()
    };
    let card = cards.iter().find(|card| at(card) == of).unwrap();
    let targets = card["targets"].as_array().unwrap().iter();
    let targets = targets
        .map(|target| target.as_str().unwrap().to_owned())
        .collect();
    (cards.iter().map(at).collect(), targets)
}

#[test]
fn a_hand_holds_each_skill_once_with_legal_targets() {
    let improviser = improviser();
    for language in BOTH {
        let asked = draw(language, [3, 0, 20, 11], [0, 6, 20]);
        let hand = asked.notes["hand"].as_array().unwrap();
        for seed in 0..SEEDS {
            let answer = asked.value(improviser, seed);
            let cards = answer["cards"].as_array().unwrap();
            let skills: BTreeSet<_> = cards.iter().map(|card| card["skill"].as_str()).collect();
            let names: BTreeSet<_> = cards.iter().map(|card| card["name"].as_str()).collect();
            assert_eq!(
                (skills.len(), names.len(), cards.len()),
                (5, 5, 5),
                "{answer}"
            );
            for card in cards {
                let skill = hand
                    .iter()
                    .find(|skill| skill["skill"] == card["skill"])
                    .unwrap();
                let legal = skill["legal"].as_array().unwrap();
                let targets = card["targets"].as_array().unwrap();
                assert!(!targets.is_empty() && targets.iter().all(|name| legal.contains(name)));
            }
        }
    }
}

#[test]
fn a_healer_heals_the_most_wounded_and_nobody_who_is_whole() {
    let language = Language::En;
    let cast = cast(language);
    let (order, targets) = played(&draw(language, [20, 12, 5, 20], [20, 20, 20]), 1, 1);
    assert_eq!(targets, [cast.heroes[2], cast.heroes[1]]);
    assert_eq!(
        order[0], 1,
        "somebody is near death, so healing comes first"
    );
    let (order, _) = played(&draw(language, [20, 20, 19, 20], [20, 20, 20]), 1, 1);
    assert!(order.iter().position(|kind| *kind == 0) < order.iter().position(|kind| *kind == 1));
}

#[test]
fn attackers_prefer_whom_they_can_fell_and_never_the_dead() {
    let language = Language::Zh;
    let cast = cast(language);
    let (order, targets) = played(&draw(language, [20, 20, 20, 20], [11, 0, 6]), 3, 0);
    assert_eq!(targets, [cast.foes[2], cast.foes[0]]);
    assert_eq!(order[0], 0);
    let (_, targets) = played(&draw(language, [20, 20, 20, 20], [18, 12, 15]), 3, 0);
    assert_eq!(targets[0], cast.foes[1], "else the weakest");
}

#[test]
fn the_hard_pressed_guard_themselves() {
    let (order, targets) = played(&draw(Language::En, [4, 20, 20, 20], [20, 20, 20]), 5, 2);
    assert_eq!(targets[0], cast(Language::En).heroes[0]);
    let at = |kind: usize| order.iter().position(|other| *other == kind);
    assert!(at(2) < at(0), "{order:?}");
}

#[test]
fn a_round_is_told_deed_by_deed() {
    let improviser = improviser();
    for language in BOTH {
        for count in 1..=7 {
            let asked = round(language, count);
            for seed in 0..40 {
                let answer = asked.answer(improviser, seed);
                for deed in asked.notes["deeds"].as_array().unwrap() {
                    for member in ["by", "target", "card"] {
                        let name = deed[member].as_str().unwrap();
                        assert!(
                            answer.contains(name) || deed["by"] == deed["target"],
                            "{name}: {answer}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn summaries_and_news_hold_what_must_not_be_lost() {
    let improviser = improviser();
    for language in BOTH {
        let cast = cast(language);
        for (me, what, result) in [
            (cast.heroes[0], "fight", "won"),
            (cast.heroes[0], "fight", "lost"),
            (cast.cave, "fight", "lost"),
            (cast.heroes[0], "day", ""),
        ] {
            let asked = archive(language, me, what, result);
            for seed in 0..SEEDS {
                let answer = asked.answer(improviser, seed);
                let holds = |name: &Value| answer.contains(name.as_str().unwrap());
                assert!(
                    asked.notes["must"].as_array().unwrap().iter().all(holds),
                    "{answer}"
                );
                if what == "fight" {
                    assert!(
                        asked.notes["foes"].as_array().unwrap().iter().all(holds),
                        "{answer}"
                    );
                    assert!(answer.contains(cast.heroes[3]), "{answer}");
                    let word = match (language, result) {
                        (Language::En, result) => result,
                        (Language::Zh, "won") => "胜",
                        (Language::Zh, _) => "败",
                    };
                    assert!(answer.contains(word), "{word}: {answer}");
                }
                let i = if language == Language::En {
                    ["I ", "my "]
                } else {
                    ["我", "我"]
                };
                assert!(
                    i.iter().any(|i| answer.contains(i)) || what == "fight",
                    "{answer}"
                );
            }
        }
        let asked = announcement(language);
        let answer = asked.answer(improviser, 4);
        let place = cast.cave;
        assert_eq!(answer.matches(place).count(), 2, "{answer}");
    }
}

/// Lets the heroes live through days and fights, each remembering what is its own and what it heard.
#[test]
fn nobody_says_a_sentence_twice() {
    let improviser = improviser();
    for language in BOTH {
        let cast = cast(language);
        let mut said: Vec<BTreeSet<String>> = vec![BTreeSet::new(); 4];
        let mut all = BTreeSet::new();
        let (mut lines, mut repeated) = (0, 0);
        let mut histories: Vec<_> = cast.heroes.map(AgentContext::new).into();
        for turn in 0..24_u64 {
            for (at, me) in cast.heroes.into_iter().enumerate() {
                let mut asked = match turn % 6 {
                    0 => initiation(language, me),
                    5 => archive(language, me, "fight", "won"),
                    _ => plan(language, me),
                };
                asked.notes["day"] = json!(turn / 6);
                asked.notes["round"] = json!(turn % 6);
                if turn % 6 == 5 {
                    let fight = format!("{}{}", cast.cave, ["", "·", "·:", ":"][turn as usize / 6]);
                    asked.notes["place"] = json!(fight);
                    asked.notes["gains"] = json!([format!("{fight}!")]);
                    asked.notes["must"] = json!([fight]);
                }
                std::mem::swap(&mut asked.history, &mut histories[at]);
                let answer = asked.answer(improviser, turn);
                asked.remember(&answer);
                std::mem::swap(&mut asked.history, &mut histories[at]);
                let musts = asked.notes["must"].as_array().cloned().unwrap_or_default();
                for text in texts(&asked, &answer) {
                    let names = cast.heroes.iter().chain(&cast.exits).chain(&cast.foes);
                    let is_name = names
                        .chain([&cast.home, &cast.cave, &cast.dungeon])
                        .any(|name| *name == text);
                    for sentence in sentences(&text).filter(|_| !is_name) {
                        if musts
                            .iter()
                            .any(|must| must.as_str().is_some_and(|must| must.contains(sentence)))
                        {
                            continue;
                        }
                        lines += 1;
                        assert!(
                            said[at].insert(sentence.into()),
                            "{me} says twice: {sentence}"
                        );
                        if !all.insert(sentence.to_owned()) {
                            println!("said by another before: {sentence}");
                            repeated += 1;
                        }
                    }
                }
            }
        }
        // They did not hear each other here, so a few may coincide by chance, though of one scene none.
        assert!(
            repeated * 100 <= lines,
            "{language:?}: {repeated} of {lines}"
        );
    }
}

#[test]
fn two_characters_in_one_scene_share_no_sentence() {
    let improviser = improviser();
    let mut coincide = 0;
    for language in BOTH {
        let cast = cast(language);
        for seed in 0..SEEDS {
            let mut spoken = BTreeSet::new();
            for me in cast.heroes {
                for asked in [initiation(language, me), kickoff(language, me, "actor")] {
                    for sentence in sentences(&asked.answer(improviser, seed)) {
                        coincide += usize::from(!spoken.insert(sentence.to_owned()));
                    }
                }
            }
        }
    }
    assert!(
        coincide * 1000 < 2 * SEEDS as usize * 16,
        "{coincide} sentences were said by two"
    );
}

#[test]
fn an_unforeseen_question_keeps_to_its_stated_length() {
    let improviser = improviser();
    let mut asked = Asked::new("Maren", "epitaph", Language::En, json!({"me": "Maren"}));
    asked.question = Body::text("Write an epitaph in at most 9 words.");
    for seed in 0..SEEDS {
        assert!(asked.answer(improviser, seed).split_whitespace().count() <= 9);
    }
    let mut asked = Asked::new("沈砚", "epitaph", Language::Zh, Value::Null);
    asked.question = Body::text("用不超过20字写一句墓志铭。");
    for seed in 0..SEEDS {
        assert!(asked.answer(improviser, seed).chars().count() <= 20);
    }
}

#[test]
fn notes_of_any_form_are_survived() {
    let improviser = improviser();
    let odd = [
        json!(null),
        json!([1]),
        json!({"present": 5, "hand": [{"skill": 1}], "deeds": "x", "day": -1}),
    ];
    for language in BOTH {
        for notes in odd.clone() {
            for mut asked in every_purpose(language) {
                asked.notes = notes.clone();
                assert!(!asked.answer(improviser, 1).is_empty(), "{}", asked.purpose);
            }
        }
    }
}

#[test]
fn a_writers_file_takes_the_place_of_a_symbol() {
    let own = [(
        "mine.ron",
        r#"{"wait": ["I sit."], "introduction": ["Dice, not a model."]}"#,
    )];
    let improviser = Improviser::from_texts(Language::En, &own);
    // The symbols that only the old alternatives used are not reached any more.
    let errors = improviser.err().unwrap();
    assert!(
        errors.to_string().contains("nothing leads to 'rest'"),
        "{errors}"
    );
    let own = [("mine.ron", r#"{"introduction": ["Dice, not a model."]}"#)];
    let improviser = Improviser::from_texts(Language::En, &own).unwrap();
    assert_eq!(improviser.introduction(Language::En), "Dice, not a model.");
    assert!(
        improviser
            .introduction(Language::Zh)
            .contains("不是语言模型")
    );
}

#[test]
fn a_folder_of_grammars_is_read_and_a_missing_one_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    let error = Improviser::from_folder(&missing, Language::Zh)
        .err()
        .unwrap();
    assert!(error.to_string().contains("none"), "{error}");
    let shipped = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/improviser/zh");
    assert!(Improviser::from_folder(&shipped, Language::Zh).is_ok());
}

#[test]
fn every_mistake_of_a_grammar_is_found_with_its_line() {
    let own =
        "{\n\"wait\": [\n\"I <nap>.\",\n\"{who}\",\n\"}\",\n(0, \"x\"),\n],\n\"wait\": [],\n}";
    let errors = Improviser::from_texts(Language::En, &[("mine.ron", own)])
        .err()
        .unwrap();
    let errors = errors.to_string();
    for part in [
        "mine.ron:6: a weight of 0",
        "mine.ron:8: 'wait' is defined at mine.ron:2 already",
    ] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    let own = "{\n\"wait\": [\n\"I <nap>.\",\n\"{who}\",\n\"} x\"],\n}";
    let errors = Improviser::from_texts(Language::En, &[("mine.ron", own)])
        .err()
        .unwrap();
    let errors = errors.to_string();
    for part in [
        "mine.ron:3: 'wait': <nap>",
        "mine.ron:4: 'wait': {who}",
        "mine.ron:5: 'wait': '}'",
    ] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    let own = "{\n\"wait\": [\"<a>\"],\n\"a\": [\"<b>\"],\n\"b\": [\"<a>\"],\n}";
    let errors = Improviser::from_texts(Language::En, &[("mine.ron", own)])
        .err()
        .unwrap();
    assert!(
        errors
            .to_string()
            .contains("<a> leads to <b> leads to <a> never ends"),
        "{errors}"
    );
    let errors = Improviser::from_texts(Language::En, &[("mine.ron", "{\n\"wait\": 5")])
        .err()
        .unwrap();
    assert!(errors.to_string().starts_with("mine.ron:2"), "{errors}");
}

/// Small schemas of all kinds that some value satisfies.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"const": {"a": [1, null]}})),
        Just(json!({"enum": ["red", "green", 3, null]})),
        Just(json!({"$ref": "#/$defs/tree"})),
        Just(json!({"type": ["string", "null"]})),
        (-50..50_i64, 0..9_i64).prop_map(|(least, more)| {
            json!({"type": "integer", "minimum": least, "maximum": least + more})
        }),
        (-50..50_i64).prop_map(|least| {
            json!({"type": "integer", "exclusiveMinimum": least, "multipleOf": 3})
        }),
        (-5.0..5.0_f64).prop_map(|least| {
            json!({"type": "number", "exclusiveMinimum": least, "exclusiveMaximum": least + 0.5})
        }),
        (0..300_u64, 0..90_u64).prop_map(|(least, more)| {
            json!({"type": "string", "minLength": least, "maxLength": least + more})
        }),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            (inner.clone(), 0..4_u64, 0..3_u64).prop_map(|(items, least, more)| {
                json!({"type": "array", "items": items, "minItems": least, "maxItems": least + more})
            }),
            (several.clone(), any::<u8>()).prop_map(|(parts, needed)| {
                let names: Vec<_> = (0..parts.len()).map(|at| format!("member{at}")).collect();
                let required = names.iter().enumerate().filter(|(at, _)| needed >> at & 1 == 1);
                let required: Vec<_> = required.map(|(_, name)| name.clone()).collect();
                let properties: serde_json::Map<_, _> = names.into_iter().zip(parts).collect();
                json!({
                    "type": "object", "properties": properties, "required": required,
                    "additionalProperties": false,
                })
            }),
            several.clone().prop_map(|parts| json!({"anyOf": parts})),
            several.prop_map(|parts| {
                let names: Vec<_> = (0..parts.len()).map(|at| format!("either{at}")).collect();
                let options: Vec<_> = names.iter().map(|name| json!({"required": [name]})).collect();
                let properties: serde_json::Map<_, _> = names.into_iter().zip(parts).collect();
                json!({
                    "allOf": [{"type": "object"}, {"properties": properties}], "oneOf": options,
                })
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_schema_is_filled(schema in schemas(), seed: u64, chinese: bool) {
        let mut schema = schema;
        schema["$defs"] = json!({"tree": object(&[
            ("leaf", json!({"type": "string"})),
            ("twigs", json!({"type": "array", "items": {"$ref": "#/$defs/tree"}})),
            ("next", json!({"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]})),
        ])});
        let language = if chinese { Language::Zh } else { Language::En };
        let asked = Asked::new("Maren", "vote", language, Value::Null).json(schema.clone());
        let value = asked.value(improviser(), seed);
        prop_assert!(super::schema::accepts(&schema, &value), "{schema} {value}");
        prop_assert!(value.to_string().len() < 200_000);
    }
}
