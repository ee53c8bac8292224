//! What holds for any question, and for any grammar.

use std::io::Write;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Improviser, Lessons, Writer};
use crate::message::Body;
use crate::mind::{Language, Notes, Prompt};
use crate::testing::{HandPrompt, object};

const SEEDS: u64 = 200;

/// The grammars are read once for all tests.
fn improviser() -> &'static Improviser {
    static IMPROVISER: LazyLock<Improviser> =
        LazyLock::new(|| Improviser::new().unwrap_or_else(|errors| panic!("{errors}")));
    &IMPROVISER
}

#[test]
fn an_unforeseen_question_keeps_to_its_stated_length() {
    let improviser = improviser();
    let mut asked = HandPrompt::new("Maren", "epitaph", Language::En, json!({"me": "Maren"}));
    asked.question = Body::text("Write an epitaph in at most 9 words.");
    for seed in 0..SEEDS {
        assert!(asked.answer(improviser, seed).split_whitespace().count() <= 9);
    }
    let mut asked = HandPrompt::new("沈砚", "epitaph", Language::Zh, Value::Null);
    asked.question = Body::text("用不超过20字写一句墓志铭。");
    for seed in 0..SEEDS {
        assert!(asked.answer(improviser, seed).chars().count() <= 20);
    }
}

/// An improviser, or its mistakes as text, with a file of a writer's own.
fn with_own(text: &'static str) -> Result<Improviser, String> {
    taught(|lessons| {
        lessons.replacement(Language::En, "mine.ron", text);
    })
}

fn taught(teach: impl FnOnce(&mut Lessons)) -> Result<Improviser, String> {
    Improviser::taught(teach).map_err(|errors| errors.to_string())
}

/// The mistakes hold all of these parts.
#[track_caller]
fn assert_refused(result: Result<Improviser, String>, parts: &[&str]) {
    let errors = result.err().expect("it is refused");
    for part in parts {
        assert!(errors.contains(part), "{part} in {errors}");
    }
}

#[test]
fn a_writers_file_takes_the_place_of_a_symbol() {
    // The symbols that only the old alternatives used are not reached any more.
    let own = r#"{"label": ["Lamp"], "introduction": ["Dice, not a model."]}"#;
    assert_refused(with_own(own), &["'label_first' is never used"]);
    let improviser = with_own(r#"{"introduction": ["Dice, not a model."]}"#).unwrap();
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
    let own = r#"{"introduction": ["只是骰子。"]}"#;
    for (name, text) in [("mine.ron", own), ("notes.txt", "no grammar")] {
        let mut file = std::fs::File::create(folder.path().join(name)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
    let improviser = taught(|lessons| {
        lessons.replacements(Language::Zh, folder.path());
    });
    assert_eq!(improviser.unwrap().introduction(Language::Zh), "只是骰子。");
    let missing = folder.path().join("none");
    let improviser = taught(|lessons| {
        lessons.replacements(Language::Zh, &missing);
    });
    assert_refused(improviser, &["none"]);
}

#[test]
fn every_mistake_of_a_grammar_is_found_with_its_line() {
    assert_refused(
        with_own(
            "{\n\"label\": [\n\"I <nap>.\",\n\"{who}\",\n\"}\",\n(0, \"x\"),\n],\n\"label\": [],\n}",
        ),
        &[
            "mine.ron:6: a weight of 0",
            "mine.ron:8: 'label' is already defined at mine.ron:2",
        ],
    );
    assert_refused(
        with_own("{\n\"label\": [\n\"I <nap>.\",\n\"{who}\",\n\"} x\"],\n}"),
        &[
            "mine.ron:3: 'label': unknown symbol <nap>",
            "mine.ron:4: 'label': unknown fact {who}; expected one of: me, place, day",
            "mine.ron:5: 'label': unmatched '}'",
        ],
    );
    assert_refused(
        with_own("{\n\"label\": [\"<a>\"],\n\"a\": [\"<b>\"],\n\"b\": [\"<a>\"],\n}"),
        &["mine.ron:3: <a> → <b> → <a> never ends"],
    );
    assert_refused(with_own("{\n\"label\": 5"), &["mine.ron:2"]);
}

#[test]
fn a_game_brings_facts_symbols_grammars_and_skills() {
    let teach = |lessons: &mut Lessons| {
        lessons
            .facts(&["price"])
            .symbol("bid", &["price"])
            .grammar(
                Language::En,
                "bid.ron",
                r#"{"bid": ["{price} for me, {me}."]}"#,
            )
            .grammar(Language::Zh, "bid.ron", r#"{"bid": ["{me}出{price}。"]}"#)
            .skill("bid", |prompt: &Prompt<'_>, writer: &mut Writer<'_>| {
                let most = Notes::of(prompt).number("most");
                writer.set("price", most.to_string());
                Some(json!({"coins": most, "words": writer.line("bid")}))
            });
    };
    let improviser = taught(teach).unwrap();
    let schema = object(&[
        ("coins", json!({"type": "integer", "maximum": 9})),
        ("words", json!({"type": "string"})),
    ]);
    let ask = |most: i64| {
        let prompt = HandPrompt::new("Ida", "bid", Language::En, json!({"most": most}));
        prompt.json(schema.clone()).value(&improviser, 1)
    };
    assert_eq!(ask(7), json!({"coins": 7, "words": "7 for me, Ida."}));
    let other = ask(12);
    assert!(
        other["coins"].as_u64() < Some(10),
        "the schema has the last word: {other}"
    );

    assert_refused(
        taught(|lessons| {
            lessons.symbol("bid", &["price"]).symbol("pass", &[]);
        }),
        &[
            "improviser/en: 'bid' is declared with the fact 'price', which is not declared",
            "improviser/en: the symbol 'pass' is missing",
        ],
    );
    let facts: Vec<_> = (0..300).map(|number| format!("fact{number}")).collect();
    assert_refused(
        taught(|lessons| {
            lessons.facts(&facts.iter().map(String::as_str).collect::<Vec<_>>());
        }),
        &["facts are declared; at most 256"],
    );
    let twice = taught(|lessons| {
        teach(lessons);
        lessons.grammar(Language::En, "other.ron", r#"{"bid": ["Mine."]}"#);
    });
    assert_refused(
        twice,
        &["other.ron:1: 'bid' is already defined at bid.ron:1"],
    );
}

#[test]
fn no_schema_is_filled_with_more_than_an_answer_can_have() {
    let list = |items: Value| json!({"type": "array", "minItems": 4_000, "items": items});
    let names: Vec<_> = (0..300).map(|number| format!("{number:0>500}")).collect();
    let long = "a".repeat(200_000);
    for (schema, is_filled) in [
        (
            list(list(json!({"type": "string", "minLength": 100_000}))),
            false,
        ),
        (list(json!({"const": long})), false),
        (list(json!({"type": "object", "required": names})), false),
        (json!({"type": "string", "minLength": 90_000}), true),
    ] {
        let asked = HandPrompt::new("Maren", "vote", Language::En, Value::Null);
        let value = asked.json(schema.clone()).value(improviser(), 1);
        let start: String = schema.to_string().chars().take(100).collect();
        assert!(value.to_string().len() < 2_000_000, "{start}");
        assert_eq!(
            super::schema::accepts(&schema, &value),
            is_filled,
            "{start}"
        );
    }
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
                let names: Vec<_> = (0..parts.len()).map(|index| format!("member{index}")).collect();
                let required: Vec<_> = names.iter().enumerate().filter(|(index, _)| needed >> index & 1 == 1).map(|(_, name)| name.clone()).collect();
                let properties: serde_json::Map<_, _> = names.into_iter().zip(parts).collect();
                json!({
                    "type": "object", "properties": properties, "required": required,
                    "additionalProperties": false,
                })
            }),
            several.clone().prop_map(|parts| json!({"anyOf": parts})),
            several.prop_map(|parts| {
                let names: Vec<_> = (0..parts.len()).map(|index| format!("either{index}")).collect();
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
        let asked = HandPrompt::new("Maren", "vote", language, Value::Null).json(schema.clone());
        let value = asked.value(improviser(), seed);
        prop_assert!(super::schema::accepts(&schema, &value), "{schema} {value}");
        prop_assert!(value.to_string().len() < 200_000);
    }
}
