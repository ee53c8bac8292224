//! What other programs keep, taken over.

use std::fs;

use serde_json::{Value, json};

use super::{Dir, err, exits, has, lacks, out, records, succeed, write};

/// A small world with these two in it.
const WORLD: &str = r#"World(
    name: "inn", language: en, title: "The inn", rules: "An inn on a wet road.",
    stages: [(name: "The Inn", profile: "A warm room.", kickoff: "It rains.")],
    actors: [ // Who is there.
        (name: "Odile", profile: "She keeps the inn.", look: "A tall woman.", stage: "The Inn", kickoff: "You poke the fire."),
        (name: "Jory", profile: "He carries the mail.", look: "A wet man.", stage: "The Inn", kickoff: "You come in."),
    ],
    endings: [(id: "late", title: "Late", closing: "The fire goes out.")],
    schedule: [Home(days: 1)],
)
"#;

/// A folder with that world in it.
fn inn() -> Dir {
    let folder = Dir::new();
    fs::create_dir(folder.join("inn")).unwrap();
    write(&folder.join("inn/world.ron"), WORLD);
    folder
}

fn chat(lines: &[(&str, &str)]) -> String {
    let head = json!({"user_name": "Ann", "character_name": "Odile", "create_date": "x",
        "chat_metadata": {"note_prompt": "Be gloomy.", "variables": {}}});
    let lines = lines.iter().map(|(who, words)| {
        json!({"name": who, "is_user": *who == "Ann", "mes": words, "swipes": [words, "Other."]})
    });
    std::iter::once(head)
        .chain(lines)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn a_chat_becomes_a_past_of_those_who_were_in_it() {
    let folder = &inn();
    let world = folder.join("inn/world.ron");
    let lines = [
        ("Ann", "Where is the \"black\" key?"),
        ("Odile", "Under the\nthird <b>step</b>."),
        ("Ann", "Thank you."),
    ];
    write(&folder.join("talk.jsonl"), &chat(&lines));
    let told = records(folder, "import chat talk.jsonl --into inn");
    let is = |fate: &str, what: &str| {
        told.iter()
            .any(|row| row["fate"] == fate && row["field"] == what)
    };
    assert!(is("taken", "Odile") && is("dropped", "Ann"), "{told:?}");
    assert!(
        is("dropped", "chat_metadata.note_prompt") && is("dropped", "swipes"),
        "{told:?}"
    );
    assert!(
        !is("dropped", "chat_metadata.variables") && !is("taken", "Jory"),
        "{told:?}"
    );
    let text = fs::read_to_string(&world).unwrap();
    has(&text, &["// Who is there.", "past: [\n"]);
    succeed(folder, "check inn");
    // She remembers it, and he does not.
    succeed(folder, "run inn --seed 1 --save s -q --until 1");
    let chapter = out(&succeed(folder, "show s Odile --chapter 1 --original"));
    has(&chapter, &["black", "third"]);
    has(
        &out(&succeed(folder, "show s Odile")),
        &["You talked with Ann."],
    );
    lacks(
        &out(&succeed(folder, "show s Jory")),
        &["You talked with Ann."],
    );
    let recalled = out(&succeed(folder, "ask s recall Odile key"));
    has(&recalled, &["key"]);
    succeed(folder, "replay s");
    // It is remembered once, and another time is another chapter.
    let again = records(folder, "import chat talk.jsonl --into inn");
    assert!(again.iter().all(|row| row["fate"] != "taken"), "{again:?}");
    fs::copy(folder.join("talk.jsonl"), folder.join("later.jsonl")).unwrap();
    succeed(folder, "import chat later.jsonl --into inn");
    succeed(folder, "check inn");
}

fn run_to_fail(folder: &Dir, arguments: &str) -> std::process::Output {
    exits(folder, arguments, 1)
}

#[test]
fn what_is_no_chat_is_named_and_changes_nothing() {
    let folder = &inn();
    let world = folder.join("inn/world.ron");
    for (file, content, words) in [
        (
            "preset.json",
            r#"{"prompts": [], "prompt_order": []}"#,
            "a preset",
        ),
        (
            "nobody.jsonl",
            &chat(&[("Ann", "Hello?"), ("Mira", "Yes?")]),
            "nobody in this world",
        ),
        (
            "broken.jsonl",
            "{\"user_name\": \"Ann\", \"character_name\": \"Odile\"}\n{\"name\"",
            "line 2",
        ),
    ] {
        write(&folder.join(file), content);
        let told = run_to_fail(folder, &format!("import chat {file} --into inn"));
        has(&err(&told), &[words]);
        assert_eq!(fs::read_to_string(&world).unwrap(), WORLD, "{file}");
    }
}

#[test]
fn a_persona_becomes_a_character_with_a_seat() {
    let folder = &inn();
    let personas = json!({"personas": {"a.png": "Ann", "b.png": "Bo"}, "default_persona": "b.png",
        "persona_descriptions": {"a.png": {"description": "{{user}} is a surveyor of roads. She counts steps."},
            "b.png": {"description": "Bo."}}});
    write(&folder.join("personas.json"), &personas.to_string());
    let told = out(&succeed(
        folder,
        "import personas personas.json --into inn --name Ann",
    ));
    has(&told, &["playhouse run inn --seat Ann"]);
    succeed(folder, "check inn");
    let text = fs::read_to_string(folder.join("inn/world.ron")).unwrap();
    has(
        &text,
        &["look: \"Ann is a surveyor of roads.\"", "She counts steps."],
    );
    let usual = records(folder, "import personas personas.json --into inn");
    let taken: Vec<_> = usual.iter().filter(|row| row["fate"] == "taken").collect();
    assert_eq!((taken.len(), &taken[0]["actor"]), (1, &json!("Bo")));
    let nobody = run_to_fail(
        folder,
        "import personas personas.json --into inn --name Anna",
    );
    has(&err(&nobody), &["no persona is called Anna", "Ann, Bo"]);
    write(&folder.join("none.json"), "{}");
    has(
        &err(&run_to_fail(folder, "import personas none.json --into inn")),
        &["no personas"],
    );
}

#[test]
fn a_component_becomes_a_team_that_plays() {
    let folder = &Dir::new();
    let agent = |name: &str| {
        json!({"provider": "autogen_agentchat.agents.AssistantAgent", "component_type": "agent",
            "config": {"name": name, "system_message": "You write.", "tools": [],
                "model_client": {"provider": "x.OpenAIChatCompletionClient", "config": {"model": "gpt-4o"}}}})
    };
    let team: Value = json!({"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "component_type": "team",
        "config": {"participants": [agent("Writer"), agent("Critic")], "max_turns": 2}});
    write(&folder.join("desk.json"), &team.to_string());
    let told = records(folder, "import team desk.json --into teams");
    let model = told
        .iter()
        .find(|row| row["field"] == "config.participants[0].config.model_client");
    assert_eq!(model.unwrap()["note"], "OpenAIChatCompletionClient");
    succeed(folder, "check teams/desk.ron");
    let played = out(&succeed(folder, "chat teams/desk.ron --task Bees"));
    has(&played, &["Writer", "Critic"]);
    // Nothing is written over.
    run_to_fail(folder, "import team desk.json --into teams");
    // What was a dead end leads on.
    has(
        &err(&run_to_fail(folder, "convert desk.json --to openai")),
        &["playhouse import team"],
    );
}
