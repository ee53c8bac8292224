//! What holds for every purpose, in both languages, whatever the seed.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::memory::sentences;
use super::{Improviser, Language};
use crate::context::AgentContext;
use crate::message::{Body, Text};
use crate::mind::{Form, Mind, Prompt, Refused};

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
    refused: Vec<Refused>,
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
            refused: Vec::new(),
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
            refused: &self.refused,
            form,
            max_tokens: 1024,
            seed,
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

fn improviser() -> Improviser {
    Improviser::new().unwrap_or_else(|errors| panic!("{errors}"))
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

#[test]
fn show() {
    let improviser = improviser();
    for language in BOTH {
        println!("{}", improviser.introduction(language));
        for asked in every_purpose(language) {
            for seed in 0..3 {
                println!("[{}] {}", asked.purpose, asked.answer(&improviser, seed));
            }
        }
    }
}
