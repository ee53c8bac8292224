//! `lore/10000`: a book of 10,000 entries is scanned for one ask, on six messages of 400
//! characters.

use std::hint::black_box;

use criterion::Criterion;
use playhouse::interop::Macros;
use playhouse::interop::lore::{Book, ScanSettings, Timers, Witness};
use playhouse::mind::SplitMix64;
use serde_json::{Value, json};

const ENTRIES: usize = 10_000;
const MESSAGES: usize = 6;

fn book() -> Value {
    let entry = |number: usize| {
        json!({
            "keys": [format!("key{number}"), format!("word {number}")],
            "content": format!("Of {number} it is told: key{}.", number * 7 % ENTRIES),
            "enabled": true, "insertion_order": number % 100,
        })
    };
    json!({"entries": (0..ENTRIES).map(entry).collect::<Vec<_>>()})
}

pub(crate) fn bench(criterion: &mut Criterion) {
    let book = Book::read(&book()).unwrap();
    let message = |number: usize| {
        let words = (0..40).map(|word| format!("said{} ", word * number));
        format!("{}key{number}0", words.collect::<String>())
    };
    let messages: Vec<_> = (0..MESSAGES).map(message).collect();
    let messages: Vec<_> = messages.iter().map(String::as_str).collect();
    let settings = ScanSettings {
        scan_depth: MESSAGES,
        budget: 1_500,
        ..ScanSettings::default()
    };
    let witness = Witness {
        messages: &messages,
        ..Witness::default()
    };
    criterion.bench_function("lore/10000", |bencher| {
        bencher.iter(|| {
            let mut macros = Macros::new("Mara", "Tom", 1);
            let mut dice = SplitMix64::new(1);
            let mut timers = Timers::default();
            let with = (&mut macros, &mut dice);
            black_box(book.scan(witness, settings, &mut timers, with).len())
        });
    });
}
