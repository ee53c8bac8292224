//! What holds for every purpose of the campaign, in both languages, whatever the seed.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use playhouse_engine::context::AgentContext;
use playhouse_engine::event::AgentEvent;
use playhouse_engine::message::{Body, Tags, Text};
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::mind::{ExchangeRound, Language, Refused};
use playhouse_engine::testing::{HandPrompt, object};
use serde_json::{Map, Value, json};

use crate::events::ItemGiven;

const BOTH: [Language; 2] = [Language::En, Language::Zh];
const SEEDS: u64 = 200;

/// The grammars are read once for all tests.
fn improviser() -> &'static Improviser {
    static IMPROVISER: LazyLock<Improviser> = LazyLock::new(|| {
        Improviser::taught(super::teach).unwrap_or_else(|errors| panic!("{errors}"))
    });
    &IMPROVISER
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

fn kickoff(language: Language, me: &str, kind: &str) -> HandPrompt {
    let cast = cast(language);
    let companions: Vec<_> = cast.heroes.iter().filter(|name| **name != me).collect();
    let notes = json!({
        "me": me, "kind": kind, "place": cast.home, "profile": "", "look": "", "faction": "hero",
        "companions": companions, "dungeons": [cast.dungeon], "home": kind == "stage",
        "exits": cast.exits, "heroes": cast.heroes, "speaker": {"travels": true},
    });
    HandPrompt::new(me, "kickoff", language, notes)
}

fn scene(language: Language) -> HandPrompt {
    let cast = cast(language);
    let notes = json!({
        "me": cast.home, "kind": "stage", "place": cast.home, "day": 2, "profile": "",
        "present": cast.heroes, "last_news": "",
    });
    HandPrompt::new(cast.home, "home.scene", language, notes)
}

/// A plan with everybody present, some talk behind them and a secret to tell.
fn plan(language: Language, me: &str) -> HandPrompt {
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
        "refused": "", "speech_chars": 600,
    });
    HandPrompt::new(me, "home.plan", language, notes).json(plan_schema(&present, &cast.exits))
}

/// A turn with something to tell, to read, to take and to promise.
fn rich_plan(language: Language, me: &str) -> HandPrompt {
    let cast = cast(language);
    let mut asked = plan(language, me);
    let (fact, title, letter, lamp, vow) = match language {
        Language::En => (
            "the-key", "Where the key is", "the letter", "the lamp", "I will.",
        ),
        Language::Zh => ("钥匙", "钥匙在哪里", "信", "灯", "我答应。"),
    };
    let others: Vec<_> = cast.heroes.iter().filter(|name| **name != me).collect();
    let item = |name: &str, readable: bool| json!({"name": name, "look": "", "readable": readable});
    let facts = json!([{"id": fact, "title": title, "text": cast.secret, "from": ""}]);
    let feelings = others.iter().map(|name| json!({"name": name, "value": 1}));
    asked.notes["facts"] = facts;
    asked.notes["items"] = json!([item(letter, true)]);
    asked.notes["lying"] = json!([item(lamp, false)]);
    asked.notes["promise_to"] = json!(others);
    asked.notes["promises"] = json!([{"number": 1, "to": others[0], "words": vow}]);
    asked.notes["feelings"] = feelings.collect();
    let text = json!({"type": "string", "minLength": 1, "maxLength": 600});
    let one_of = |names: &Value| json!({"type": "string", "enum": names});
    let (other, letter) = (one_of(&json!(others)), one_of(&json!([letter])));
    let handing = object(&[("item", letter.clone()), ("to", other.clone())]);
    let properties = &mut asked.constrained["properties"];
    let tells = json!({"type": "array", "items": one_of(&json!([fact]))});
    properties["tells"] = tells;
    properties["take"] = object(&[("item", one_of(&json!([lamp])))]);
    properties["read"] = object(&[("item", letter)]);
    properties["give"] = handing.clone();
    properties["show"] = handing;
    properties["promise"] = object(&[("to", other.clone()), ("words", text.clone())]);
    properties["keep"] = object(&[
        ("by", one_of(&json!([others[0]]))),
        ("promise", json!({"type": "integer", "enum": [1]})),
    ]);
    let change = json!({"type": "integer", "enum": [-1, 1]});
    properties["feels"] = object(&[("about", other), ("change", change), ("why", text)]);
    asked
}

fn plan_schema(present: &[&str], exits: &[&str]) -> Value {
    let text = json!({"type": "string", "minLength": 1, "maxLength": 600});
    let mut properties = json!({"mind": {"type": "string", "maxLength": 600}});
    for kind in ["announce", "query"] {
        properties[kind] = object(&[("text", text.clone())]);
    }
    properties["wait"] = object(&[("reason", text.clone())]);
    if !present.is_empty() {
        for kind in ["speak", "whisper"] {
            let target = json!({"type": "string", "enum": present});
            properties[kind] = object(&[("target", target), ("text", text.clone())]);
        }
    }
    if !exits.is_empty() {
        properties["move"] = object(&[("to", json!({"enum": exits}))]);
    }
    json!({
        "type": "object", "properties": properties, "required": ["mind"], "minProperties": 2,
        "additionalProperties": false,
    })
}

fn announcement(language: Language) -> HandPrompt {
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
    HandPrompt::new(me, "world.announce", language, notes)
}

/// A turn with a hand of all five kinds; health in the order of the cast.
fn turn(language: Language, allies: [i64; 4], foes: [i64; 3]) -> HandPrompt {
    let cast = cast(language);
    let fighter = |name: &str, hp: i64| {
        json!({
            "name": name, "hp": hp, "max_hp": 20, "attack": 4, "defense": 4, "effects": [],
        })
    };
    let alive = |names: &[&str], hp: &[i64]| {
        let living = names.iter().zip(hp).filter(|(_, hp)| **hp > 0);
        living
            .map(|(name, _)| Value::from(*name))
            .collect::<Vec<_>>()
    };
    let kinds = ["attack", "heal", "guard", "weaken", "strengthen"];
    let hand: Vec<_> = cast
        .skills
        .iter()
        .zip(kinds)
        .map(|(skill, kind)| {
            let legal = match kind {
                "attack" | "weaken" => alive(&cast.foes, &foes),
                _ => alive(&cast.heroes, &allies),
            };
            json!({
                "skill": skill, "kind": kind, "cost": 1, "power": 6, "accuracy": 90, "about": "",
                "legal": legal,
            })
        })
        .collect();
    let notes = json!({
        "me": cast.heroes[0], "kind": "actor", "place": cast.cave, "faction": "hero", "round": 2,
        "hp": allies[0], "max_hp": 20, "energy": 3, "hand": hand,
        "foes": cast.foes.iter().zip(foes).map(|(name, hp)| fighter(name, hp)).collect::<Vec<_>>(),
        "allies": cast.heroes.iter().zip(allies).map(|(name, hp)| fighter(name, hp)).collect::<Vec<_>>(),
    });
    let names: Vec<_> = alive(&cast.heroes, &allies)
        .into_iter()
        .chain(alive(&cast.foes, &foes))
        .collect();
    let text = json!({"type": "string", "minLength": 1, "maxLength": 200});
    let targets = json!({"type": "array", "items": {"enum": names}, "minItems": 1});
    let card = object(&[
        ("skill", json!({"enum": cast.skills})),
        ("name", text.clone()),
        ("description", text.clone()),
        ("targets", targets),
    ]);
    let schema = json!({
        "type": "object", "required": ["action"], "additionalProperties": false,
        "properties": {
            "say": text, "seen": text, "cards": {"type": "array", "items": card, "maxItems": 5},
            "action": {"enum": ["play", "hold", "flee", "yield"]},
        },
    });
    HandPrompt::new(cast.heroes[0], "combat.act", language, notes).json(schema)
}

fn account(language: Language, deeds: usize) -> HandPrompt {
    let cast = cast(language);
    let kinds = [
        "attack", "heal", "attack", "flee", "attack", "guard", "yield",
    ];
    let deeds: Vec<_> = kinds.iter().take(deeds).enumerate().map(|(number, kind)| {
        let by = cast.heroes[number % 4];
        let target = match *kind {
            "attack" => cast.foes[number % 3],
            _ => cast.heroes[(number + number / 2) % 4],
        };
        json!({
            "by": by, "skill": cast.skills[number % 5], "card": format!("{}{number}", cast.skills[number % 5]),
            "kind": kind, "target": target, "hit": number != 2, "amount": number * 3, "fell": number == 4,
        })
    }).collect();
    let heroes = cast.heroes.iter().map(|name| (name, "hero"));
    let fighters = heroes.chain(cast.foes.iter().map(|name| (name, "foe")));
    let standing: Vec<_> = fighters
        .map(|(name, faction)| json!({"name": name, "hp": 9, "max_hp": 20, "faction": faction}))
        .collect();
    let notes = json!({
        "me": cast.cave, "kind": "stage", "place": cast.cave, "rounds": 4, "deeds": deeds,
        "standing": standing, "outcome": {"result": "won", "fallen": [cast.heroes[3]]},
    });
    HandPrompt::new(cast.cave, "combat.narrate", language, notes)
}

fn archive(language: Language, me: &str) -> HandPrompt {
    let cast = cast(language);
    let title = match language {
        Language::En => "Where the key is",
        Language::Zh => "钥匙在哪里",
    };
    let with: Vec<_> = cast.heroes.iter().filter(|name| **name != me).collect();
    let said = json!([{"who": with[0], "text": "…"}, {"who": with[1], "text": cast.secret}]);
    let notes = json!({
        "me": me, "kind": if me == cast.cave { "stage" } else { "actor" }, "place": cast.cave,
        "day": 4, "with": with, "said": said,
        "learned": [{"title": title, "from": with[0]}],
    });
    HandPrompt::new(me, "archive", language, notes)
}

fn every_purpose(language: Language) -> Vec<HandPrompt> {
    let cast = cast(language);
    let me = cast.heroes[0];
    let mut unknown = HandPrompt::new(
        me,
        "poem.about.rain",
        language,
        json!({"me": me, "place": cast.home}),
    );
    unknown.question = Body::text("Write something. 写点什么。");
    vec![
        kickoff(language, me, "actor"),
        kickoff(language, cast.home, "stage"),
        scene(language),
        plan(language, me),
        rich_plan(language, me),
        announcement(language),
        turn(language, [20, 12, 5, 20], [4, 20, 11]),
        turn(language, [2, 0, 0, 0], [20, 20, 20]),
        account(language, 3),
        account(language, 7),
        archive(language, me),
        unknown,
    ]
}

/// The answers of all seeds.
fn turns(asked: &HandPrompt) -> impl Iterator<Item = Value> {
    (0..SEEDS).map(|seed| asked.value(improviser(), seed))
}

/// Every text in an answer: the answer itself, or each text in its JSON.
fn texts(asked: &HandPrompt, answer: &str) -> Vec<String> {
    fn gather(value: &Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
            Value::Object(members) => {
                // The names of actions are not words, and no thought is none.
                let worded = members.iter().filter(|(name, member)| {
                    *name != "action" && (*name != "mind" || member.as_str() != Some(""))
                });
                worded.for_each(|(_, member)| gather(member, texts));
            }
            _ => {}
        }
    }
    if asked.constrained.is_null() {
        return vec![answer.into()];
    }
    let mut found = Vec::new();
    gather(&serde_json::from_str(answer).unwrap(), &mut found);
    found
}

#[test]
fn every_answer_is_clean_in_its_language_as_long_as_it_should_be_and_one_of_many() {
    let improviser = improviser();
    for language in BOTH {
        for asked in every_purpose(language) {
            let answers = (0..SEEDS).map(|seed| asked.answer(improviser, seed));
            let answers: Vec<_> = answers.collect();
            let purpose = asked.purpose;
            for answer in &answers {
                assert_is_clean(&asked, answer);
                let (least, most) = match purpose {
                    "kickoff" | "home.scene" => (2, 4),
                    "combat.narrate" => (1, 3),
                    _ => continue,
                };
                let ends = answer.matches(['.', '!', '?', '。', '！', '？']).count();
                // A word called across the field may end in a mark of its own.
                let is_fit = (least..=most + 1).contains(&ends);
                assert!(is_fit, "{purpose} {ends}: {answer}");
            }
            assert_eq!(asked.answer(improviser, 7), answers[7], "the same again");
            let distinct = BTreeSet::from_iter(&answers).len();
            assert!(distinct > 5, "{purpose} has {distinct} answers");
        }
    }
}

fn assert_is_clean(asked: &HandPrompt, answer: &str) {
    for text in texts(asked, answer) {
        assert!(!text.trim().is_empty(), "{}: {answer}", asked.purpose);
        assert!(!text.contains(['{', '}', '<', '>', '[', ']']), "{answer}");
        assert!(!text.contains("  ") && !text.contains(" ."), "{answer}");
        assert!(!text.contains("，。") && !text.contains("。。"), "{answer}");
        if asked.language == Language::Zh {
            let latin = text.chars().find(char::is_ascii_alphabetic);
            assert_eq!(latin, None, "{answer}");
            assert!(!text.contains([',', '.', '!', '?', ';', ' ']), "{answer}");
        }
    }
}

#[test]
fn a_turn_is_something_said_something_done_or_both() {
    let mut kinds = BTreeSet::new();
    for language in BOTH {
        let cast = cast(language);
        for me in cast.heroes {
            let asked = rich_plan(language, me);
            for answer in turns(&asked) {
                let members = answer.as_object().unwrap();
                assert!(members.contains_key("mind"), "{answer}");
                let acts = members
                    .keys()
                    .filter(|kind| !["mind", "tells", "feels"].contains(&kind.as_str()));
                let (said, done): (Vec<&String>, Vec<_>) = acts
                    .partition(|kind| ["speak", "whisper", "announce"].contains(&kind.as_str()));
                assert!(said.len() <= 1 && done.len() <= 1, "{answer}");
                assert!(said.len() + done.len() > 0, "{answer}");
                kinds.extend(members.keys().cloned());
                for (_, action) in members {
                    for member in ["target", "to", "about"] {
                        let name = action.get(member).and_then(Value::as_str);
                        assert!(
                            name.is_none_or(|name| name != me
                                && (cast.heroes.contains(&name) || cast.exits.contains(&name))),
                            "{answer}"
                        );
                    }
                }
            }
        }
    }
    // All that there is, except promises that are kept and feelings about what nobody has told.
    assert_eq!(kinds.len(), 13, "{kinds:?}");
}

#[test]
fn things_are_used_and_hidden_and_people_followed() {
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        let item = asked.notes["items"][0]["name"].clone();
        let other = cast.heroes[1];
        asked.notes["uses"] = json!([{"item": item, "with": other}]);
        let name = |name: &Value| json!({"type": "string", "enum": [name]});
        let (held, other) = (name(&item), name(&json!(other)));
        let properties = &mut asked.constrained["properties"];
        properties["use"] = object(&[("item", held.clone()), ("with", other.clone())]);
        properties["hide"] = object(&[("item", held)]);
        properties["follow"] = object(&[("who", other)]);
        let turns: Vec<_> = turns(&asked).collect();
        for kind in ["use", "hide", "follow"] {
            assert!(turns.iter().any(|turn| turn.get(kind).is_some()), "{kind}");
        }
        asked.notes["items"][0]["is_needed"] = true.into();
        assert!(self::turns(&asked).all(|turn| turn.get("hide").is_none()));
    }
}

#[test]
fn the_one_who_asked_is_answered() {
    for language in BOTH {
        let me = cast(language).heroes[2];
        let asked = plan(language, me);
        let who = asked.notes["heard"][0]["who"].as_str().unwrap();
        let spoken: Vec<_> = turns(&asked)
            .filter(|plan| plan.get("speak").is_some())
            .collect();
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
fn what_one_knows_is_told_now_and_then_and_its_words_once() {
    let improviser = improviser();
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        let secret = cast.secret.trim_end_matches(['.', '。']);
        let says = |answer: &String| answer.contains(&secret[6..]);
        let answers: Vec<_> = (0..SEEDS)
            .map(|seed| asked.answer(improviser, seed))
            .collect();
        let told: Vec<_> = answers.iter().filter(|answer| says(answer)).collect();
        assert!((5..60).contains(&told.len()), "{} of {SEEDS}", told.len());
        assert!(told.iter().all(|answer| answer.contains("\"tells\"")));
        asked.remember(told[0]);
        assert!((0..SEEDS).all(|seed| !says(&asked.answer(improviser, seed))));
    }
}

#[test]
fn what_one_was_just_told_is_taken_up() {
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        asked.notes["facts"][0]["from"] = json!(cast.heroes[2]);
        asked.notes["news"] = asked.notes["facts"].clone();
        let answered = turns(&asked).filter(|turn| turn["speak"]["target"] == cast.heroes[2]);
        assert!(answered.count() * 3 > SEEDS as usize);
    }
}

#[test]
fn what_one_found_out_is_brought_up_before_whom_it_is_about() {
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        asked.notes["facts"][0]["is_found"] = true.into();
        asked.notes["facts"][0]["text"] = cast.heroes[3].into();
        let title = asked.notes["facts"][0]["title"]
            .as_str()
            .unwrap()
            .to_lowercase();
        let asks = turns(&asked).filter(|turn| {
            let text = turn["speak"]["text"].as_str().unwrap_or_default();
            turn["speak"]["target"] == cast.heroes[3] && text.to_lowercase().contains(&title)
        });
        assert!(asks.count() * 4 > SEEDS as usize);
        // Of what it has done itself, it does not speak as of news.
        asked.notes["facts"][0]["text"] = cast.heroes[0].into();
        let own: Vec<_> = turns(&asked).collect();
        asked.notes["facts"][0]["is_found"] = false.into();
        assert!(turns(&asked).eq(own));
    }
}

#[test]
fn nobody_is_told_what_it_heard_from_the_same_or_with_it() {
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        asked.notes["facts"][0]["aware"] = json!([cast.heroes[2]]);
        for turn in turns(&asked) {
            for said in ["speak", "whisper"] {
                let again = turn[said]["target"] == cast.heroes[2] && turn["tells"][0].is_string();
                assert!(!again, "{turn}");
            }
        }
    }
}

#[test]
fn what_is_asked_for_is_answered() {
    for (language, asks, answers) in [
        (
            Language::En,
            "Whom would you trust in my place?",
            &["Isolde"][..],
        ),
        (Language::Zh, "换了你是我，你信谁？", &["白鹭"]),
        (
            Language::En,
            "Have you told anybody?",
            &["Yes", "No", "Not yet", "I have"],
        ),
        (Language::Zh, "这两天你改主意没有？", &["有"]),
    ] {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        asked.notes["facts"] = json!([]);
        asked.notes["feelings"] = json!([{"name": cast.heroes[2], "value": 2}]);
        asked.notes["heard"][0]["text"] = format!("{}, {asks}", cast.heroes[0]).into();
        let replies = turns(&asked).filter(|turn| turn["speak"]["target"] == cast.heroes[1]);
        let did = |turn: &Value| {
            ["give", "show", "take", "read"]
                .iter()
                .any(|did| turn.get(*did).is_some())
        };
        let replies: Vec<_> = replies.filter(|turn| !did(turn)).collect();
        let fits = |turn: &&Value| {
            let text = turn["speak"]["text"].as_str().unwrap_or_default();
            answers.iter().any(|answer| text.contains(answer))
        };
        let fitting = replies.iter().filter(fits).count();
        assert!(
            fitting * 10 >= replies.len() * 9,
            "{fitting} of {}: {asks}",
            replies.len()
        );
    }
}

#[test]
fn what_is_not_possible_is_not_done() {
    for language in BOTH {
        let mut asked = plan(language, cast(language).heroes[0]);
        // Nothing that it could say is so short.
        for said in ["speak", "whisper", "announce", "query"] {
            asked.constrained["properties"][said]["properties"]["text"]["maxLength"] = 1.into();
        }
        for turn in turns(&asked) {
            let told = turn["speak"]["text"]
                .as_str()
                .or(turn["announce"]["text"].as_str());
            assert_eq!(told, None, "{turn}");
        }
    }
}

/// What one feels about whoever has just told one something, in all answers.
fn felt(asked: &HandPrompt) -> BTreeSet<i64> {
    let felt = turns(asked).filter_map(|turn| turn["feels"]["change"].as_i64());
    felt.collect()
}

#[test]
fn feelings_follow_from_what_was_told() {
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        assert_eq!(felt(&asked), BTreeSet::new());
        asked.notes["facts"][0]["from"] = json!(cast.heroes[2]);
        asked.notes["news"] = asked.notes["facts"].clone();
        assert_eq!(felt(&asked), BTreeSet::from([1]));
        asked.notes["news"][0]["is_feared"] = json!(true);
        assert_eq!(felt(&asked), BTreeSet::from([-1]));
        // Whoever tells of itself may have done harm.
        asked.notes["news"][0]["is_feared"] = json!(false);
        asked.notes["news"][0]["text"] = json!(format!("{}…", cast.heroes[2]));
        assert_eq!(felt(&asked), BTreeSet::new());
    }
}

#[test]
fn what_is_at_stake_is_not_told_or_given_by_chance() {
    for language in BOTH {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        asked.notes["facts"][0]["is_feared"] = json!(true);
        asked.notes["items"][0]["is_own"] = json!(true);
        asked.notes["is_needed"] = json!(true);
        let kept = |asked: &HandPrompt, kinds: &[&str]| {
            for turn in turns(asked) {
                for kind in kinds {
                    assert!(turn.get(kind).is_none(), "{turn}");
                }
            }
        };
        kept(&asked, &["give", "show", "move", "keep", "tells"]);
        let mut asked = rich_plan(language, cast.heroes[0]);
        for list in ["facts", "items", "lying"] {
            asked.notes[list][0]["is_decided_on"] = json!(true);
        }
        kept(&asked, &["give", "show", "read", "take", "tells"]);
        // Nor does anything go to and fro.
        let mut asked = rich_plan(language, cast.heroes[0]);
        let letter = asked.notes["items"][0]["name"].as_str().unwrap().to_owned();
        let event = Map::from_iter([("event".to_owned(), json!(ItemGiven::TYPE))]);
        let given = Body::text(format!("{letter}…")).with_metadata(event);
        asked.history.add_human_message(given, Tags::default());
        kept(&asked, &["give"]);
    }
}

#[test]
fn what_another_has_decided_is_spoken_of_to_that_one_or_about_it() {
    for (language, words) in [(Language::En, "the lamp"), (Language::Zh, "那盏灯")] {
        let heroes = cast(language).heroes;
        // Each has frames of its own, so all of them are asked.
        let spoken = |by_name: Option<&str>, is_meant: &dyn Fn(&Value, &str, &str) -> bool| {
            (0..heroes.len()).any(|at| {
                let [me, by, other] = [0, 1, 2].map(|next| heroes[(at + next) % heroes.len()]);
                let by = by_name.unwrap_or(by);
                let mut asked = plan(language, me);
                asked.notes["heard"] = json!([]);
                asked.notes["decided"] =
                    json!({"by": by, "felt": 1, "item": words, "receiver": other});
                turns(&asked).any(|turn| is_meant(&turn, by, other))
            })
        };
        let to_that_one = |turn: &Value, by: &str, other: &str| {
            let text = turn["speak"]["text"].as_str().unwrap_or_default();
            text.contains(words) && text.contains(other) && turn["speak"]["target"] == by
        };
        assert!(spoken(None, &to_that_one), "{language:?}");
        let about_it = |turn: &Value, by: &str, _: &str| turn.to_string().contains(by);
        assert!(spoken(Some("Nobody here"), &about_it), "{language:?}");
    }
}

#[test]
fn who_has_words_of_its_own_speaks_them_first() {
    let mut asked = kickoff(Language::En, "Maren", "actor");
    asked.notes["speaker"] = json!({"lines": ["Salt keeps."], "travels": true});
    assert!(asked.answer(improviser(), 1).starts_with("Salt keeps. "));
}

#[test]
fn last_words_are_those_of_the_writer_and_about_the_living() {
    let bond = |name: &str, value: i64, is_alive: bool| json!({"name": name, "value": value, "is_alive": is_alive});
    let notes = json!({
        "me": "Maren", "kind": "actor",
        "goals": [{"words": "I want the key.", "state": "met", "last_words": "I have the key."}],
        "bonds": [bond("Tobin", 3, false), bond("Isolde", 1, true), bond("Garrick", -2, true)],
    });
    let mut asked = HandPrompt::new("Maren", "epilogue", Language::En, notes);
    let answer = asked.answer(improviser(), 1);
    assert!(
        answer.starts_with("I have the key. ") && answer.contains("Garrick"),
        "{answer}"
    );
    asked.notes["goals"] = json!([]);
    for seed in 0..SEEDS {
        let answer = asked.answer(improviser(), seed);
        assert!(answer.contains("Garrick"), "{answer}");
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
            asked.rounds = vec![ExchangeRound::Refused(Refused {
                answer: Text::from(first.as_str()),
                complaint,
            })];
            assert_ne!(asked.answer(improviser, seed), first);
            asked.rounds.clear();
        }
    }
}

/// The kinds of cards that are played, in order, and the targets of each.
fn played(asked: &HandPrompt, seed: u64) -> Vec<(usize, Vec<String>)> {
    let skills = cast(asked.language).skills;
    let answer = asked.value(improviser(), seed);
    let cards = answer["cards"].as_array().cloned().unwrap_or_default();
    let kind = |card: &Value| {
        skills
            .iter()
            .position(|skill| card["skill"] == *skill)
            .unwrap()
    };
    let targets = |card: &Value| {
        let targets = card["targets"].as_array().unwrap().iter();
        targets
            .map(|target| target.as_str().unwrap().to_owned())
            .collect()
    };
    cards
        .iter()
        .map(|card| (kind(card), targets(card)))
        .collect()
}

#[test]
fn a_healer_heals_the_most_wounded_and_nobody_who_is_whole() {
    let heroes = cast(Language::En).heroes;
    let cards = played(&turn(Language::En, [20, 12, 5, 20], [20, 20, 20]), 1);
    assert_eq!(cards[0], (1, vec![heroes[2].into(), heroes[1].into()]));
    let cards = played(&turn(Language::En, [20, 20, 19, 20], [20, 20, 20]), 1);
    assert!(cards.iter().all(|(kind, _)| *kind != 1), "{cards:?}");
}

#[test]
fn attackers_prefer_whom_they_can_fell_and_never_the_dead() {
    let foes = cast(Language::Zh).foes;
    let cards = played(&turn(Language::Zh, [20, 20, 20, 20], [11, 0, 6]), 3);
    assert_eq!(cards[0], (0, vec![foes[2].into(), foes[0].into()]));
    let cards = played(&turn(Language::Zh, [20, 20, 20, 20], [18, 12, 15]), 3);
    let (_, targets) = cards.iter().find(|(kind, _)| *kind == 0).unwrap();
    assert_eq!(targets[0], foes[1], "else the weakest");
}

#[test]
fn whoever_can_do_nothing_of_use_holds() {
    for language in BOTH {
        let mut asked = turn(language, [20, 20, 20, 20], [20, 20, 20]);
        asked.notes["hand"] = json!([]);
        for choice in turns(&asked) {
            assert_eq!(choice["action"], "hold");
            assert!(!choice["seen"].as_str().unwrap().is_empty());
        }
    }
}

#[test]
fn some_who_are_nearly_dead_leave_and_others_never_do() {
    let mut actions = BTreeSet::new();
    for language in BOTH {
        let mut asked = turn(language, [2, 9, 0, 0], [20, 20, 20]);
        asked.notes["can"] = json!(["yield"]);
        for temper in 0..12 {
            asked.history = AgentContext::new(cast(language).heroes[0]);
            asked.remember(&format!("I begin, {temper}."));
            let chosen = (0..SEEDS).map(|seed| asked.value(improviser(), seed)["action"].clone());
            let chosen: BTreeSet<_> = chosen.map(|action| action.to_string()).collect();
            actions.insert(chosen);
        }
    }
    let distinct: BTreeSet<_> = actions.iter().flatten().map(String::as_str).collect();
    assert_eq!(
        Vec::from_iter(distinct),
        ["\"flee\"", "\"play\"", "\"yield\""]
    );
    assert!(
        actions.iter().any(|chosen| chosen.len() == 1),
        "{actions:?}"
    );
}

#[test]
fn a_fight_that_was_seen_blow_by_blow_is_told_by_its_end() {
    for language in BOTH {
        let asked = account(language, 7);
        for seed in 0..40 {
            let answer = asked.answer(improviser(), seed);
            assert!(answer.contains(cast(language).heroes[3]), "{answer}");
            for deed in asked.notes["deeds"].as_array().unwrap() {
                let card = deed["card"].as_str().unwrap();
                assert!(!answer.contains(card), "{card}: {answer}");
            }
        }
    }
}

#[test]
fn summaries_and_news_name_what_they_are_about() {
    let improviser = improviser();
    for language in BOTH {
        let cast = cast(language);
        let asked = archive(language, cast.heroes[0]);
        for seed in 0..SEEDS {
            let answer = asked.answer(improviser, seed);
            let title = match language {
                Language::En => "where the key is",
                Language::Zh => "钥匙在哪里",
            };
            assert!(answer.contains(title), "{answer}");
        }
        let asked = announcement(language);
        let answer = asked.answer(improviser, 4);
        let place = cast.cave;
        assert_eq!(answer.matches(place).count(), 2, "{answer}");
    }
}

#[test]
fn what_no_event_shows_is_not_so() {
    let improviser = improviser();
    for (shown_by, expected) in [
        (0, json!({"holds": false, "event": 0})),
        (2, json!({"holds": true, "event": 2})),
    ] {
        let notes = json!({"claim": "It is dry.", "events": [{}, {}], "shown_by": shown_by});
        let mut asked = HandPrompt::new("Hall", "scene.judge", Language::En, notes);
        asked.constrained = json!({"type": "object"});
        let answer = asked.answer(improviser, 1);
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap(), expected);
    }
}

#[test]
fn the_crier_tells_what_was_done_and_not_what_was_said_before() {
    let improviser = improviser();
    let mut asked = announcement(Language::En);
    asked.notes["events"] = json!([
        {"type": "news", "text": "At Hall: Maren says to Sven: “Hear me, Sven.”"},
        {"type": "news", "text": "At Hall: Maren burns the letter."},
    ]);
    let answer = asked.answer(improviser, 4);
    assert!(answer.contains("Maren burns the letter"), "{answer}");
    assert!(!answer.contains("Hear me"), "{answer}");
}

#[test]
fn whoever_is_spoken_to_in_a_fight_is_who_the_blow_goes_to() {
    let improviser = improviser();
    let mut spoke = 0;
    for language in BOTH {
        for seed in 0..200 {
            let asked = turn(language, [20, 12, 5, 20], [4, 20, 11]);
            let answer: Value = serde_json::from_str(&asked.answer(improviser, seed)).unwrap();
            let (Some(say), Some(cards)) = (answer["say"].as_str(), answer["cards"].as_array())
            else {
                continue;
            };
            let foes = cast(language).foes;
            let mut targets = cards.iter().filter_map(|card| card["targets"][0].as_str());
            let Some(struck) = targets.find(|target| foes.contains(target)) else {
                continue;
            };
            let named: Vec<_> = foes.into_iter().filter(|foe| say.contains(foe)).collect();
            assert!(named.iter().all(|foe| *foe == struck), "{say}: {struck}");
            spoke += named.len();
        }
    }
    assert!(spoke > 20, "{spoke}");
}

#[test]
fn notes_of_any_form_are_survived() {
    let improviser = improviser();
    let odd = [
        json!(null),
        json!([1]),
        json!({"present": 5, "hand": [{"skill": 1}], "deeds": "x", "day": -1, "allies": [3]}),
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
fn whom_a_bond_has_a_word_for_is_called_by_it() {
    for language in BOTH {
        let cast = cast(language);
        let me = cast.heroes[0];
        let mut asked = rich_plan(language, me);
        let others = cast.heroes.iter().skip(1);
        let calls = others.map(|name| ((*name).to_owned(), json!("Ω")));
        let calls = Value::from(calls.collect::<serde_json::Map<_, _>>());
        asked.notes["speaker"] = json!({"calls": calls});
        asked.notes["called"] = calls.clone();
        let bonds = [json!({"name": cast.heroes[1], "value": 3, "is_alive": true})];
        let notes = json!({"me": me, "kind": "actor", "place": cast.home, "bonds": bonds,
            "speaker": {"calls": calls}});
        let epilogue = HandPrompt::new(me, "epilogue", language, notes);
        let last_words = (0..SEEDS).map(|seed| epilogue.answer(improviser(), seed));
        let said = turns(&asked).map(|turn| {
            let words = [
                &turn["mind"],
                &turn["speak"]["text"],
                &turn["whisper"]["text"],
            ];
            words
                .map(|words| words.as_str().unwrap_or_default())
                .join(" ")
        });
        let said: Vec<_> = said.chain(last_words).collect();
        for text in &said {
            let named = cast
                .heroes
                .iter()
                .skip(1)
                .find(|name| text.contains(**name));
            assert_eq!(named, None, "{text}");
        }
        assert!(said.iter().any(|text| text.contains('Ω')));
    }
}

#[test]
fn nobody_recites_a_goal_or_says_or_thinks_a_whole_name() {
    for (language, is_part) in [
        (Language::En, true),
        (Language::En, false),
        (Language::Zh, false),
    ] {
        let cast = cast(language);
        let mut asked = rich_plan(language, cast.heroes[0]);
        let goals = ["Get the key.", "Go home."];
        asked.notes["goals"] = json!(goals);
        let others = asked.notes["present"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let names = others.iter().filter_map(|other| other["name"].as_str());
        let called = names.map(|name| {
            let called = if is_part { &name[..1] } else { "Captain" };
            (name.to_owned(), json!(called))
        });
        let called = Value::from(called.collect::<serde_json::Map<_, _>>());
        if is_part {
            asked.notes["speaker"]["calls"] = called.clone();
        }
        asked.notes["called"] = called;
        for turn in turns(&asked) {
            let thought = turn["mind"].as_str().unwrap_or_default();
            assert!(!goals.contains(&thought), "{turn}");
            assert!(!thought.contains("Captain"), "{turn}");
            let target = turn["speak"]["target"].as_str().unwrap_or("nobody");
            let said = turn["speak"]["text"].as_str().unwrap_or_default();
            assert!(!said.contains(target), "{turn}");
            assert!(!is_part || !thought.contains(target), "{turn}");
        }
    }
}
