//! `answers/<shape>`: an answer of about 1 KB is read and checked, as it should be and as models
//! write it.

use std::hint::black_box;

use criterion::Criterion;
use playhouse::exchange::{Ask, Reply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::common;

const OPTIONS: [&str; 6] = [
    "take-the-oar", "leave-it", "ask-odile", "hide-the-log", "ring-the-bell", "say-nothing",
];
const TEXT_BYTES: usize = 450;

/// A decision with reasons.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Decision {
    mind: String,
    option: String,
    words: Words,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Words {
    target: String,
    text: String,
}

impl Reply for Decision {
    type Constraints = ();
    const NAME: &'static str = "decision";

    fn constrain_schema(_schema: &Value, (): &()) -> Option<Value> {
        let text = json!({"type": "string"});
        let words = json!({
            "type": "object",
            "properties": {"target": {"type": "string", "enum": ["Odile Marsh", "Brant Hollis"]}, "text": text},
            "required": ["target", "text"],
            "additionalProperties": false,
        });
        Some(json!({
            "type": "object",
            "properties": {"mind": text, "option": {"type": "string", "enum": OPTIONS}, "words": words},
            "required": ["mind", "option", "words"],
            "additionalProperties": false,
        }))
    }
}

/// The same answer in the shapes in which it comes.
fn shapes() -> [(&'static str, String); 4] {
    let words = json!({"target": "Odile Marsh", "text": common::line(2, TEXT_BYTES)});
    let right =
        json!({"mind": common::line(1, TEXT_BYTES), "option": "take-the-oar", "words": words})
            .to_string();
    let inner = right.trim_end_matches('}');
    let wrapped = format!("Of course!\n```json\n{{\"answer\": {right}}}\n```\nShall I go on?")
        .replace("take-the-oar", "Take the oar")
        .replace("Odile Marsh", "Miss Marsh");
    [
        ("right", right.clone()),
        ("wrapped", wrapped),
        ("repaired", right.replace('"', "'").replace("}}", ",},}")),
        ("unfinished", inner.to_owned()),
    ]
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let listed: String = OPTIONS
        .map(|id| format!("- \"{id}\": {}\n", id.replace('-', " ")))
        .concat();
    let fallback = Decision {
        mind: String::new(),
        option: OPTIONS[5].to_owned(),
        words: Words {
            target: "Odile Marsh".to_owned(),
            text: String::new(),
        },
    };
    let ask = Ask::new("decide", format!("What do you do?\n{listed}"), (), fallback);
    let mut group = criterion.benchmark_group("answers");
    for (shape, text) in shapes() {
        let read = ask
            .read(&text)
            .map_err(|broken| format!("{shape}: {broken:?}"));
        assert_eq!(read.map(|read| read.option), Ok("take-the-oar".to_owned()));
        group.bench_function(shape, |bencher| {
            bencher.iter(|| black_box(ask.read(black_box(&text)).is_ok()));
        });
    }
    group.finish();
}
