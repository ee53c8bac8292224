//! `cases.json`: books, what was witnessed, and which entries that brings up in SillyTavern.

use playhouse_engine::mind::SplitMix64;
use playhouse_engine::testing::each_row;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Book, KeyReading, ScanSettings, Timers, Witness};
use crate::macros::Macros;

#[derive(Deserialize)]
struct Table {
    /// What the original program told, with how that was recorded.
    cases: Vec<Case>,
    /// What only other programs and specifications know.
    beyond: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    case: String,
    settings: CaseSettings,
    entries: Vec<Value>,
    turns: Vec<Turn>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CaseSettings {
    recursive: Option<bool>,
    max_steps: usize,
    budget: Option<u64>,
    group_scoring: bool,
    scan_depth: Option<usize>,
}

#[derive(Deserialize)]
struct Turn {
    /// Latest first.
    messages: Vec<String>,
    count: Option<u64>,
    expect: Vec<String>,
    /// What is told here, if that differs on purpose.
    here: Option<Vec<String>>,
    /// As whose messages they are told; not looked at if it is empty.
    #[serde(default)]
    roles: Vec<String>,
}

fn world_info(entries: &[Value]) -> Value {
    let entries = entries.iter().enumerate();
    let entries = entries.map(|(uid, entry)| (uid.to_string(), entry.clone()));
    json!({"entries": entries.collect::<serde_json::Map<_, _>>()})
}

fn names(
    book: &Book,
    messages: &[&str],
    count: u64,
    settings: ScanSettings,
    timers: &mut Timers,
) -> Vec<String> {
    let tags = ["sailor".to_owned()];
    let witness = Witness {
        name: "Mira",
        tags: &tags,
        about: "Mira is a sailor.",
        messages,
        count,
    };
    let mut macros = Macros::new("Mira", "Tom", 1);
    let triggered = book.scan(
        witness,
        settings,
        timers,
        (&mut macros, &mut SplitMix64::new(1)),
    );
    triggered.iter().map(|one| one.entry.name.clone()).collect()
}

fn scanned(book: &Book, message: &str) -> Vec<String> {
    names(
        book,
        &[message],
        1,
        ScanSettings::default(),
        &mut Timers::default(),
    )
}

fn read(value: &Value) -> Book {
    let reading = KeyReading {
        char: "Mira",
        user: "Tom",
        ..KeyReading::default()
    };
    Book::read_all([value], reading).expect("is a book")
}

#[test]
fn entries_come_as_in_the_original_program() {
    let Table { cases, beyond } =
        serde_json::from_str(include_str!("cases.json")).expect("is a table");
    let differences: Vec<_> = cases.iter().chain(&beyond).flat_map(differences).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The turns of a case in which something else is told.
fn differences(case: &Case) -> Vec<String> {
    let defaults = ScanSettings::default();
    let settings = ScanSettings {
        recursive: case.settings.recursive.unwrap_or(true),
        max_steps: case.settings.max_steps,
        budget: case.settings.budget.unwrap_or(u64::MAX),
        group_scoring: case.settings.group_scoring,
        scan_depth: case.settings.scan_depth.unwrap_or(defaults.scan_depth),
        ..defaults
    };
    let book = read(&world_info(&case.entries));
    let mut timers = Timers::default();
    let role_of = |name: &String| {
        let mut entries = book.entries.iter();
        let entry = entries.find(|entry| entry.name == *name);
        format!("{:?}", entry.map(|entry| entry.role).unwrap_or_default()).to_lowercase()
    };
    let turns = case.turns.iter().filter_map(|turn| {
        let messages: Vec<_> = turn.messages.iter().map(String::as_str).collect();
        let count = turn.count.unwrap_or(100);
        let found = names(&book, &messages, count, settings, &mut timers);
        let saved = json!(timers).to_string();
        let read = serde_json::from_str::<Timers>(&saved).expect("reads");
        assert_eq!(read, timers);
        let roles: Vec<_> = found.iter().map(role_of).collect();
        let expected = turn.here.as_ref().unwrap_or(&turn.expect);
        let is_same = found == *expected && (turn.roles.is_empty() || turn.roles == roles);
        let case = &case.case;
        (!is_same).then(|| format!("{case}: {messages:?} at {count}: {found:?}, not {expected:?}"))
    });
    turns.collect()
}

#[test]
fn chance_is_as_often_as_it_says() {
    let entries = [
        json!({"comment": "a", "key": ["x"], "content": "a", "probability": 30}),
        json!({"comment": "b", "key": ["x"], "content": "b", "group": "g", "groupWeight": 300}),
        json!({"comment": "c", "key": ["x"], "content": "c", "group": "g", "groupWeight": 100}),
    ];
    let book = read(&world_info(&entries));
    let mut dice = SplitMix64::new(5);
    let mut counts = [0; 3];
    for _ in 0..1_000 {
        let witness = Witness {
            messages: &["x"],
            ..Witness::default()
        };
        let mut macros = Macros::new("", "", 0);
        let mut timers = Timers::default();
        let found = book.scan(
            witness,
            ScanSettings::default(),
            &mut timers,
            (&mut macros, &mut dice),
        );
        for (name, count) in ["a", "b", "c"].into_iter().zip(&mut counts) {
            *count += usize::from(found.iter().any(|one| one.entry.name == name));
        }
    }
    let [a, b, c] = counts;
    assert!(
        (250..350).contains(&a) && (700..800).contains(&b) && b + c == 1_000,
        "{counts:?}"
    );
}

#[test]
fn books_of_all_programs_are_read() {
    each_row(
        r#"
            {"entries": [{"keys": ["lamp"], "content": "c", "enabled": true, "insertion_order": 1, "name": "a"}]} => the lamp
            {"spec": "lorebook_v3", "data": {"entries": [{"keys": ["lamp"], "content": "c", "name": "a"}]}} => the lamp
            {"entries": [{"keys": ["lamp"], "content": "c", "comment": "a", "use_regex": true, "position": "before_char", "extensions": {"display_index": 0, "position": 4, "depth": 2, "probability": 100, "selectiveLogic": 0}}]} => the lamp
            {"entries": {"0": {"key": ["lamp"], "content": "c", "comment": "a"}}} => the lamp
            {"kind": "memory", "entries": [{"keywords": ["lamp"], "entry": "c", "name": "a", "weight": 1, "priority": 1, "enabled": true}]} => the lamp
            {"lorebookVersion": 4, "entries": [{"keys": ["lamp"], "text": "c", "displayName": "a", "enabled": true}]} => the lamp
            {"type": "risu", "data": [{"key": "lamp, light", "comment": "a", "content": "c", "mode": "normal", "alwaysActive": false, "insertorder": 100}]} => the light
            {"entries": [{"keys": ["^l.mp"], "content": "c", "name": "a", "use_regex": true}]} => LUMP
        "#,
        |[book, message]| {
            let book = serde_json::from_str(book).expect("is JSON");
            assert!(Book::is_book(&book));
            assert_eq!(scanned(&read(&book), message), ["a"]);
            assert!(scanned(&read(&book), "a lam p").is_empty());
        },
    );
    assert!(!Book::is_book(&json!({"name": "x", "first_mes": ""})));
    assert!(Book::read(&json!([])).is_err());
}

#[test]
fn what_cannot_be_used_is_named() {
    let book = read(&world_info(&[
        json!({"comment": "look", "key": ["/(?=x)y/"], "content": "c"}),
        json!({"comment": "big", "key": ["/(a{1000}){1000}/"], "content": "c"}),
        json!({"comment": "deco", "key": ["x"], "content": "@@is_greeting 1\nc"}),
        json!({"comment": "vector", "content": "c", "vectorized": true}),
        json!({"comment": "script", "key": ["x"], "content": "c", "automationId": "run"}),
    ]));
    let named: Vec<_> = book.warnings.iter().map(|(name, _)| name).collect();
    assert_eq!(named, ["look", "big", "deco", "vector", "script"]);
    let deco = book.warnings[2].1.to_string();
    assert!(deco.contains("the decorator '@@is_greeting'"), "{deco}");
    assert_eq!(scanned(&book, "x"), ["script", "deco"]);
    assert_eq!(book.entries.len(), 2, "others never come");
}

#[test]
fn a_pattern_that_explodes_elsewhere_takes_linear_time() {
    let book = read(&world_info(&[
        json!({"comment": "a", "key": ["/^(a+)+$/"], "content": "c"}),
    ]));
    assert!(scanned(&book, &format!("{}!", "a".repeat(50_000))).is_empty());
}

#[test]
fn recursion_without_end_ends() {
    let entries: Vec<_> = (0..500)
        .map(|n| json!({"comment": n.to_string(), "key": [format!("<{n}>")], "content": format!("<{}>", (n + 1) % 500)}))
        .collect();
    let book = read(&world_info(&entries));
    assert_eq!(scanned(&book, "<7>").len(), 64);
}

#[test]
fn many_entries_are_refused_or_read() {
    let entry = |number| json!({"keys": [format!("k{number}")], "content": "c"});
    let book = |count| json!({"entries": (0..count).map(entry).collect::<Vec<_>>()});
    let read = read(&book(100_000));
    assert_eq!(read.entries.len(), 100_000);
    assert_eq!(
        scanned(&read, "of k99999"),
        ["k99999", "k9999", "k999", "k99", "k9"]
    );
    let error = Book::read(&book(100_001)).expect_err("is too large");
    assert!(error.to_string().contains("100000"), "{error}");
}

proptest! {
    #[test]
    fn any_entry_can_be_read_and_scanned(
        members in prop::collection::btree_map(
            prop::sample::select(vec!["key", "keys", "content", "sticky", "group", "extensions", "position", "order", "probability", "priority"]),
            prop_oneof![Just(json!(null)), Just(json!(["x", 1, "/y/"])), Just(json!("x")), Just(json!(-1e300)), Just(json!(true)), Just(json!({"depth": -4}))],
            0..6,
        ),
    ) {
        let book = read(&json!({"entries": [members]}));
        scanned(&book, "x y");
    }
}
