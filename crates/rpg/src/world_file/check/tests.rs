use playhouse_engine::world_data::{DataFolder, Problem, Problems, Severity};
use proptest::prelude::*;

use crate::world_file::{DEFAULT_WORLD, WorldFile, list_worlds};

pub(super) const SAMPLE: &str = include_str!("../sample.en.ron");

/// All that is wrong with the sample world after each `(old, new)` has been changed in it.
pub(super) fn wrong(changes: &[(&str, &str)]) -> Problems {
    let mut text = SAMPLE.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old} is not in the sample");
        text = text.replacen(old, new, 1);
    }
    match WorldFile::parse("w.ron", &text) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    }
}

/// The line of the sample in which `text` first stands.
fn line_of(text: &str) -> usize {
    let before = SAMPLE.split(text).next().expect("is split");
    1 + before.matches('\n').count()
}

/// Checks that one change leads to one problem, at the line where it was made.
fn finds(change: (&str, &str), field: &str, said: &str) {
    let found = wrong(&[change]);
    let problems: Vec<_> = found.iter().collect();
    let [problem] = problems.as_slice() else {
        panic!("{change:?} leads to:\n{found}");
    };
    assert_eq!(problem.field, field, "{problem}");
    assert_eq!(problem.line, line_of(change.0), "{problem}");
    assert!(problem.to_string().contains(said), "{problem}");
}

#[test]
fn a_world_has_a_limited_number_of_people_and_places() {
    let foe = |number: usize| {
        format!(
            r#"(name: "F{number}", profile: "p", look: "l", kickoff: "k", skills: ["Choking Cloud"],
                stats: (hp: 1, attack: 1, defense: 1, speed: 1, energy: 2)), "#
        )
    };
    let many = |count: usize| format!("foes: [\n{}", (0..count).map(foe).collect::<String>());
    let few = wrong(&[("foes: [", &many(300))]).to_string();
    assert!(!few.contains("at most 500"), "{few}");
    let too_many = wrong(&[("foes: [", &many(500))]).to_string();
    assert!(too_many.contains("at most 500"), "{too_many}");
}

#[test]
fn facts_have_a_limited_number_of_phrases() {
    let many = |count: usize| {
        let phrases: String = (0..count)
            .map(|number| format!("\"p{number}\", "))
            .collect();
        wrong(&[("phrases: [", &format!("phrases: [{phrases}"))]).to_string()
    };
    assert!(!many(1_000).contains("at most"), "{}", many(1_000));
    let too_many = many(2_001);
    assert!(too_many.contains("use at most 2000"), "{too_many}");
}

#[test]
fn claims_are_words() {
    let ending = "when: Chose(\"the-coins\", \"take\")";
    let judged = |field: &str, claim: &str, sign: &str| {
        format!("{field}: Judged(claim: \"{claim}\", signs: [\"{sign}\"])")
    };
    for (condition, said) in [
        (judged("when", " ", "Isa smiles"), "the claim is empty"),
        (judged("when", "Isa is content", "… "), "any event has it"),
    ] {
        let found = wrong(&[(ending, &condition)]).to_string();
        assert!(found.contains(said), "{found}");
    }
}

#[test]
fn names_that_nobody_bears_are_found() {
    let stage = ("stage: \"Bakehouse\"", "stage: \"Bakehose\"");
    finds(stage, "actors[0].stage", "did you mean \"Bakehouse\"?");
    let skill = ("\"Peel Swing\", \"Stand", "\"Peal Swing\", \"Stand");
    let found = wrong(&[skill]).to_string();
    assert!(found.contains("actors[0].skills[0]: unknown skill \"Peal Swing\""));
    assert!(found.contains("nobody has the skill \"Peel Swing\""));
    let foe = (
        "foes: [\"Flour Wight\"]",
        "foes: [\"Flower Wight\", \"Flour Wight\"]",
    );
    finds(
        foe,
        "dungeons[0].fights[0].foes[0]",
        "did you mean \"Flour Wight\"?",
    );
    let way = (
        "connects: [\"Bakehouse\"]",
        "connects: [\"Bakehouse\", \"Pond\"]",
    );
    finds(way, "stages[0].connects[1]", "unknown stage \"Pond\"");
    let fact = (
        "known_by: Only([\"Tam Weller\"]),\n",
        "known_by: Only([\"Ysa Finch\"]),\n",
    );
    finds(
        fact,
        "facts[0].known_by.0[0]",
        "did you mean \"Isa Finch\"?",
    );
    let step = (
        "Home(days: 1), Dungeon",
        "Home(days: 1), Dungeon(\"The Hill\"), Dungeon",
    );
    finds(step, "schedule[1].0", "unknown dungeon \"The Hill\"");
    for (change, field, name) in [
        (
            (
                "Teach(\"Isa Finch\", \"leaving\")",
                "Teach(\"Isa Finch\", \"staying\")",
            ),
            "scenes[0].choice.options[1].effects[0].1",
            "staying",
        ),
        (
            (
                "Chose(\"the-coins\", \"share\"), closing",
                "Chose(\"the-coins\", \"split\"), closing",
            ),
            "endings[0].when.1",
            "split",
        ),
        (
            ("at: \"Grinding Floor\"", "at: \"Grinding Flour\""),
            "scenes[0].at",
            "Grinding Flour",
        ),
        (
            ("Give(\"the miller's key\"", "Give(\"the key\""),
            "scenes[0].effects[0].0",
            "the key",
        ),
        (
            ("from: \"Isa Finch\"", "from: \"Isa Fink\""),
            "bonds[0].from",
            "Isa Fink",
        ),
    ] {
        finds(change, field, &format!("unknown name: \"{name}\""));
    }
}

#[test]
fn who_is_told_and_what_is_opened_by_effects_is_checked() {
    let effects = |effect: &str| format!("effects: [{effect}, Give(\"the miller's key\",");
    for (effect, name) in [
        (r#"TellTo("Isa Fich", "So.")"#, "Isa Fich"),
        (r#"OpenDungeon("The Mil")"#, "The Mil"),
    ] {
        let change = ("effects: [Give(\"the miller's key\",", &*effects(effect));
        finds(
            change,
            "scenes[0].effects[0].0",
            &format!("unknown name: \"{name}\""),
        );
    }
}

#[test]
fn votes_and_conditions_of_steps_are_checked() {
    let step = |step: &str| format!("Home(days: 1), {step}, Dungeon");
    for (written, field, said) in [
        (
            r#"Vote(["The Mil"])"#,
            "schedule[1].0[0]",
            "did you mean \"The Mill\"?",
        ),
        ("Vote([])", "schedule[1].0", "missing dungeon"),
        (
            r#"If(Knows("Isa Finch", "leavin"), Home(days: 1))"#,
            "schedule[1].0.1",
            "unknown name: \"leavin\"",
        ),
        (
            r#"If(Told("Isa Finch", "Tam Weler", "leaving"), Home(days: 1))"#,
            "schedule[1].0.1",
            "unknown name: \"Tam Weler\"",
        ),
        (
            r#"If(Promise("Isa Fich", "Tam Weller", Kept), Home(days: 1))"#,
            "schedule[1].0.0",
            "unknown name: \"Isa Fich\"",
        ),
        (
            r#"If(Not(Judged(claim: "Isa is content")), Home(days: 1))"#,
            "schedule[1].0",
            "nobody is asked about a claim when a step",
        ),
        (
            "If(Always, If(Always, Home(days: 0)))",
            "schedule[1].1.1.days",
            "0",
        ),
    ] {
        finds(("Home(days: 1), Dungeon", &step(written)), field, said);
    }
    let right = r#"If(Now(Afternoon), Vote(["The Mill"])), If(Voted("stay"), Home(days: 1))"#;
    let found = wrong(&[("Home(days: 1), Dungeon", &step(right))]);
    assert!(found.iter().next().is_none(), "{found}");
    let several = "who: [\"Tam Weller\", \"Isa Finc\"]";
    finds(
        ("who: \"Tam Weller\"", several),
        "scenes[0].choice.who[1]",
        "did you mean \"Isa Finch\"?",
    );
}

#[test]
fn tools_are_the_engines_or_a_servers() {
    let with = |tools: &str| {
        let actor = format!("stage: \"Bakehouse\", tools: [{tools}]");
        wrong(&[("stage: \"Bakehouse\"", &actor)])
    };
    let right = with(r#""roll_dice", "recall", "weather.forecast", "files.*""#);
    assert!(!right.has_errors(), "{right}");
    for (tools, field, said) in [
        (r#""roll_dise""#, "tools[0]", "did you mean \"roll_dice\"?"),
        (
            r#""recall", "teleport""#,
            "tools[1]",
            "choose one of: roll_dice",
        ),
        (r#""recall", "recall""#, "tools[1]", "is listed twice"),
        (r#"".forecast""#, "tools[0]", "unknown tool"),
    ] {
        let found = with(tools).to_string();
        assert!(
            found.contains(field) && found.contains(said),
            "{tools}: {found}"
        );
    }
}

#[test]
fn nobodys_examples_hold_what_it_never_says() {
    let with = |voice: &str| {
        let actor = format!("stage: \"Bakehouse\", voice: {voice}");
        wrong(&[("stage: \"Bakehouse\"", &actor)])
    };
    let right = with(r#"(lines: ["Bread first."], never: ["my lady"])"#);
    assert!(!right.has_errors(), "{right}");
    for (voice, field, said) in [
        (
            r#"(lines: ["Yes.", "After you, My Lady."], never: ["my lady"])"#,
            "actors[0].voice.lines[1]",
            "\"my lady\"",
        ),
        (r#"(lines: [""])"#, "actors[0].voice.lines[0]", "empty"),
        (r#"(never: [" "])"#, "actors[0].voice.never[0]", "empty"),
    ] {
        let found = with(voice).to_string();
        assert!(
            found.contains(field) && found.contains(said),
            "{voice}: {found}"
        );
    }
}

#[test]
fn an_actor_needs_a_home_stage() {
    let nowhere = ("stage: \"Bakehouse\",", "");
    let found = wrong(&[nowhere]).to_string();
    assert!(
        found.contains("actors[0].stage: missing home stage"),
        "{found}"
    );
    let dungeon = ("stage: \"Bakehouse\"", "stage: \"Grinding Floor\"");
    finds(
        dungeon,
        "actors[0].stage",
        "unknown home stage \"Grinding Floor\"",
    );
}

#[test]
fn doubled_and_doubtful_names_are_found() {
    let same = ("name: \"Flour Wight\"", "name: \"Isa Finch\"");
    let found = wrong(&[same]).to_string();
    assert!(
        found.contains("foes[0].name: the name \"Isa Finch\" is already taken by actors[1].name")
    );
    let alike = ("name: \"The Brook\"", "name: \"ｂａｋｅｈｏｕｓｅ\"");
    let found = wrong(&[alike]);
    assert!(!found.has_errors());
    assert!(
        found.to_string().contains("is easily confused with"),
        "{found}"
    );
    finds(
        ("name: \"The Brook\"", "name: \"Assistant\""),
        "agents[0].name",
        "role in conversations",
    );
    finds(
        ("name: \"The Brook\"", "name: \"The\\tBrook\""),
        "agents[0].name",
        "U+0009",
    );
    finds(
        ("name: \"The Brook\"", "name: \"The Brook \""),
        "agents[0].name",
        "space",
    );
    finds(
        ("name: \"The Brook\"", "name: \"\""),
        "agents[0].name",
        "missing or empty",
    );
    let long = format!("name: \"{}\"", "水".repeat(65));
    let found = wrong(&[("name: \"The Brook\"", &long)]).to_string();
    assert!(
        found.contains("the name has 65 characters; use at most 64"),
        "{found}"
    );
    let skill = ("name: \"Stand Firm\"", "name: \"Peel Swing\"");
    assert!(
        wrong(&[skill])
            .to_string()
            .contains("skills[1].name: the name \"Peel Swing\" is already taken")
    );
}

#[test]
fn impossible_numbers_are_found() {
    finds(
        ("hp: 30", "hp: -3"),
        "actors[0].stats.hp",
        "is -3; write a number from 1 to 9999",
    );
    finds(("speed: 7", "speed: 0"), "actors[1].stats.speed", "is 0");
    finds(
        ("(hp: 24, attack: 5,", "(hp: 24,"),
        "foes[0].stats.attack",
        "is 0",
    );
    finds(
        ("accuracy: 85", "accuracy: 120"),
        "skills[0].accuracy",
        "from 1 to 100",
    );
    finds(("power: 5", "power: 0"), "skills[0].power", "is 0");
    finds(
        ("power: 3, cost: 1, duration: 2", "power: 3, cost: 1"),
        "skills[1].duration",
        "is 0",
    );
    finds(
        ("power: 8, cost: 2,", "power: 8, cost: 2, duration: 1,"),
        "skills[3].duration",
        "no duration",
    );
    finds(("days: 1", "days: 0"), "schedule[0].days", "is 0");
    let cost = wrong(&[("power: 8, cost: 2", "power: 8, cost: 4")]).to_string();
    assert!(
        cost.contains(
            "actors[1].skills[1]: \"Cool Water\" costs 4 energy, more than the available 3"
        ),
        "{cost}"
    );
    let limits = wrong(&[(
        "    schedule:",
        "    limits: (hand_size: 0),\n    schedule:",
    )])
    .to_string();
    assert!(limits.contains("limits.hand_size: is 0"), "{limits}");
}

#[test]
fn what_cannot_be_reached_is_found() {
    let cut = [
        ("connects: [\"Bakehouse\"]", "connects: []"),
        ("stage: \"Bakehouse\"", "stage: \"Village Green\""),
    ];
    let found = wrong(&cut);
    let problem = found.iter().next().expect("is found");
    assert_eq!(problem.field, "stages[1]");
    assert!(
        problem
            .message
            .to_string()
            .contains("nobody can reach \"Bakehouse\""),
        "{found}"
    );
    let home = (
        "kind: Dungeon,\n            profile: \"Two",
        "kind: Home,\n            profile: \"Two",
    );
    assert!(
        wrong(&[home])
            .to_string()
            .contains("unknown stage of kind Dungeon \"Grinding Floor\"")
    );
    let last_first = ("when: Chose(\"the-coins\", \"share\"), closing", "closing");
    assert!(
        wrong(&[last_first])
            .to_string()
            .contains("the ending \"miller\" always holds")
    );
}

#[test]
fn empty_parts_are_found() {
    let found = |change| wrong(&[change]).to_string();
    let text = found((
        "text: \"Old Harl ground for fifty years and was buried with a handful of wheat.\"",
        "text: \" \"",
    ));
    assert!(
        text.contains("facts[1].text: the text is missing or empty"),
        "{text}"
    );
    let look = found((
        "look: \"A man's shape of drifting flour with two bran-brown eyes.\",",
        "",
    ));
    assert!(
        look.contains("foes[0].look: the text is missing or empty"),
        "{look}"
    );
    let fights = found((
        "(stage: \"Grinding Floor\", foes: [\"Flour Wight\"], gain: \"Three sacks of flour, and the miller's key.\"),",
        "",
    ));
    assert!(
        fights.contains("dungeons[0].fights: the dungeon has no fights"),
        "{fights}"
    );
    let heroes = wrong(&[
        ("faction: Hero", "faction: Neutral"),
        ("faction: Hero", "faction: Neutral"),
    ])
    .to_string();
    assert!(heroes.contains("actors: no actor is a hero"), "{heroes}");
    let empty = WorldFile::parse("w.ron", "()")
        .expect_err("is no world")
        .to_string();
    for field in ["name", "title", "rules", "actors", "stages", "schedule"] {
        assert!(
            empty.contains(&format!("error: {field}: ")),
            "{field} in {empty}"
        );
    }
}

#[test]
fn what_is_likely_a_slip_is_a_warning() {
    let found = wrong(&[("language: en", "language: zh")]);
    assert!(!found.has_errors() && found.to_string().contains("the world's language is zh"));
    let leak = wrong(&[(
        "phrases: [\"leave Hollow Brook\"",
        "phrases: [\"forty houses\"",
    )]);
    let leaks: Vec<_> = leak
        .iter()
        .map(|p| (p.severity, p.field.as_str()))
        .collect();
    assert_eq!(leaks, [(Severity::Warning, "rules")]);
    let again = (
        "fights: [",
        "fights: [(stage: \"Grinding Floor\", foes: [\"Flour Wight\"], gain: \"Dust.\"),",
    );
    assert!(
        wrong(&[again])
            .to_string()
            .contains("is already met in dungeons[0].fights[0] and does not return")
    );
}

#[test]
fn all_mistakes_of_form_and_sense_are_found_at_once() {
    let found = wrong(&[
        ("language: en, //", "language: fr, //"),
        ("faction: Hero,", "faction: Herro,"),
        ("hp: 30,", "hp: -30,"),
        ("attack: 6,", "atack: 6,"),
        ("stage: \"Village Green\"", "stage: \"Vilage Green\""),
        ("hp: 24, attack", "hp: 24 attack"),
        ("accuracy: 90", "accuracy: ninety"),
        ("days: 1", "days: -1"),
        ("(stage: \"Grinding Floor\"", "(stage: \"\""),
    ]);
    let told: Vec<_> = found.iter().map(Problem::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    w.ron:6:15: error: language: unknown value `fr`; expected one of: en, zh
    w.ron:45:9: error: stages[2]: nobody can reach "Grinding Floor"; use it as the stage of a fight
    w.ron:62:22: error: actors[0].faction: unknown value `Herro`; did you mean `Hero`?
    w.ron:64:25: error: actors[0].stats.hp: is -30; write a number from 1 to 9999
    w.ron:64:30: error: actors[0].stats.atack: unknown field `atack`; did you mean `attack`?
    w.ron:77:20: error: actors[1].stage: unknown home stage "Vilage Green"; did you mean "Village Green"?
    w.ron:89:28: error: foes[0].stats.attack: missing comma before this; add a `,` after the previous item, or close its quotes
    w.ron:101:72: error: skills[2].accuracy: unexpected `ninety`; write an integer
    w.ron:168:25: error: dungeons[0].fights[0].stage: missing stage of kind Dungeon; choose one of: Grinding Floor
    w.ron:174:27: error: schedule[0].days: is -1; write a number from 1 to 30
    "#);
}

#[test]
fn a_broken_part_hides_no_name() {
    let found = wrong(&[(
        "name: \"Rope Snap\", kind: Attack",
        "name: \"Rope Snap\", kind: 7",
    )]);
    assert_eq!(found.len(), 1, "{found}");
    let found = wrong(&[("(name: \"Rope Snap\"", "[name: \"Rope Snap\"")]);
    assert!(!found.to_string().contains("unknown skill"), "{found}");
}

#[test]
fn the_worlds_that_ship_are_right() {
    let data = DataFolder::embedded();
    let (worlds, problems) = list_worlds(&data);
    assert!(problems.is_empty(), "{problems}");
    let listed: Vec<_> = worlds
        .iter()
        .map(|w| (w.folder.as_str(), w.language.code()))
        .collect();
    assert_eq!(listed, [(DEFAULT_WORLD, "en"), ("zhaoying-ban", "zh")]);
    for world in worlds {
        let (world, warnings) = WorldFile::load(&data, &world.folder).expect("is right");
        assert!(warnings.is_empty(), "{warnings}");
        assert!(world.actors.len() >= 5 && world.facts.len() >= 10);
    }
}

#[test]
fn a_world_that_is_not_there_is_told() {
    let problems = WorldFile::load(&DataFolder::embedded(), "nowhere").expect_err("fails");
    assert!(
        problems.to_string().contains("worlds/nowhere/world.ron"),
        "{problems}"
    );
    assert!(WorldFile::load(&DataFolder::embedded(), "../src").is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_damage_to_a_world_makes_it_panic(
        from in 0..SAMPLE.len(),
        length in 0usize..40,
        put in "[(),:\"\\[\\]{}#ra0-9 -]{0,4}",
    ) {
        let start = SAMPLE.floor_char_boundary(from);
        let end = SAMPLE.floor_char_boundary((from + length).min(SAMPLE.len())).max(start);
        let mut text = SAMPLE.to_owned();
        text.replace_range(start..end, &put);
        if let Err(problems) = WorldFile::parse("w.ron", &text) {
            prop_assert!(problems.has_errors());
            let lines = 1 + text.matches('\n').count();
            prop_assert!(problems.iter().all(|problem| problem.line <= lines));
        }
    }
}
#[test]
fn a_lost_bracket_is_told_without_what_follows_from_it() {
    let told = |change| {
        let found = wrong(&[change, ("hp: 24", "hp: -24")]);
        let told: Vec<_> = found.iter().map(Problem::to_string).collect();
        told.join("\n")
    };
    let changes = [
        ("connects: [\"Bakehouse\"]", "connects: [\"Bakehouse\""),
        ("    ],\n\n    foes: [", "    ,\n\n    foes: ["),
        ("actors: [", "actors: "),
        ("title: \"A mill", "title: A mill"),
        ("kind: Home", "kind Home"),
        ("Dungeon(\"The Mill\")", "\"The Mill\""),
    ];
    insta::assert_snapshot!(changes.map(told).join("\n\n"), @r##"
    w.ron:37:9: error: stages[0]: unexpected `)`; close the last open bracket, or complete its content
    w.ron:89:25: error: foes[0].stats.hp: is -24; write a number from 1 to 9999
    
    w.ron:82:5: error: actors: unexpected input; write its fields in parentheses: ( name: value, … )
    
    w.ron:55:9: error: actors: unexpected `(…`; write a list: [ … , … ]
    w.ron:82:5: error: unexpected `]`; close the last open bracket, or complete its content
    
    w.ron:7:12: error: title: unexpected `A`; write a text in quotes: "…", or r#"…"# for a long one
    w.ron:12:30: error: else: unknown field `else`; expected one of: name, language, title, rules, agents, stages, actors, foes, skills, common, facts, items, qualities, bonds, scenes, endings, dungeons, schedule, limits, fights, patterns
    
    w.ron:33:17: error: stages[0]: expected `:`; write a field: name: value
    w.ron:89:25: error: foes[0].stats.hp: is -24; write a number from 1 to 9999
    
    w.ron:89:25: error: foes[0].stats.hp: is -24; write a number from 1 to 9999
    w.ron:174:31: error: schedule[1]: unexpected `"The Mill"`; write the word without quotes
    "##);
}
