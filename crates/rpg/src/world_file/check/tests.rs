use playhouse_engine::testing::each_row;
use playhouse_engine::world_data::{DataFolder, Problem, Problems};
use proptest::prelude::*;

use crate::world_file::{DEFAULT_WORLD, WorldFile, list_worlds};

pub(super) const SAMPLE: &str = include_str!("../samples/journey.en.ron");

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

/// What is changed in the sample, and the field and the words of the one problem to which that
/// leads, at the line of the change.
const MISTAKES: &str = r#"
    // Names that nobody bears.
    stage: "Bakehouse" => stage: "Bakehose" => actors[0].stage => did you mean "Bakehouse"?
    foes: ["Flour Wight"] => foes: ["Flower Wight", "Flour Wight"] => dungeons[0].fights[0].foes[0] => did you mean "Flour Wight"?
    connects: ["Bakehouse"] => connects: ["Bakehouse", "Pond"] => stages[0].connects[1] => unknown stage "Pond"
    known_by: Only(["Tam Weller"]), => known_by: Only(["Ysa Finch"]), => facts[0].known_by.0[0] => did you mean "Isa Finch"?
    known_by: Only(["Tam Weller"]), => known_by: Only(["The Widow"]), => facts[0].known_by.0[0] => use one of: Tam Weller, Isa Finch, Flour Wight
    Home(days: 1), Dungeon => Home(days: 1), Dungeon("The Hill"), Dungeon => schedule[1].0 => unknown dungeon "The Hill"
    Teach("Isa Finch", "leaving") => Teach("Isa Finch", "staying") => scenes[0].choice.options[1].effects[0].1 => unknown name: "staying"
    Chose("the-coins", "share"), closing => Chose("the-coins", "split"), closing => endings[0].when.1 => unknown name: "split"
    at: "Grinding Floor" => at: "Grinding Flour" => scenes[0].at => unknown name: "Grinding Flour"
    from: "Isa Finch" => from: "Isa Fink" => bonds[0].from => unknown name: "Isa Fink"
    at: "Grinding Floor" => at: "Grinding Floor", absent: ["Izzy"] => scenes[0].absent[0] => unknown name: "Izzy"
    who: "Tam Weller" => who: ["Tam Weller", "Isa Finc"] => scenes[0].choice.who[1] => did you mean "Isa Finch"?
    stage: "Bakehouse" => stage: "Grinding Floor" => actors[0].stage => unknown home stage "Grinding Floor"
    effects: [Give( => effects: [TellTo("Isa Fich", "So."), Give( => scenes[0].effects[0].0 => unknown name: "Isa Fich"
    effects: [Give( => effects: [OpenDungeon("The Mil"), Give( => scenes[0].effects[0].0 => unknown name: "The Mil"
    // Steps of the schedule.
    Home(days: 1), Dungeon => Home(days: 1), Vote(["The Mil"]), Dungeon => schedule[1].0[0] => did you mean "The Mill"?
    Home(days: 1), Dungeon => Home(days: 1), Vote([]), Dungeon => schedule[1].0 => missing dungeon
    Home(days: 1), Dungeon => Home(days: 1), If(Knows("Isa Finch", "leavin"), Home(days: 1)), Dungeon => schedule[1].0.1 => unknown name: "leavin"
    Home(days: 1), Dungeon => Home(days: 1), If(Told("Isa Finch", "Tam Weler", "leaving"), Home(days: 1)), Dungeon => schedule[1].0.1 => unknown name: "Tam Weler"
    Home(days: 1), Dungeon => Home(days: 1), If(Promise("Isa Fich", "Tam Weller", Kept), Home(days: 1)), Dungeon => schedule[1].0.0 => unknown name: "Isa Fich"
    Home(days: 1), Dungeon => Home(days: 1), If(Not(Judged(claim: "Isa is content")), Home(days: 1)), Dungeon => schedule[1].0 => nobody is asked about a claim when a step
    Home(days: 1), Dungeon => Home(days: 1), If(Always, If(Always, Home(days: 0))), Dungeon => schedule[1].1.1.days => 0
    // Doubtful names.
    name: "The Brook" => name: "Assistant" => agents[0].name => role in conversations
    name: "The Brook" => name: "The\tBrook" => agents[0].name => U+0009
    name: "The Brook" => name: "The Brook " => agents[0].name => space
    name: "The Brook" => name: "" => agents[0].name => missing or empty
    // Impossible numbers.
    hp: 30 => hp: -3 => actors[0].stats.hp => is -3; write a number from 1 to 9999
    speed: 7 => speed: 0 => actors[1].stats.speed => is 0
    (hp: 24, attack: 5, => (hp: 24, => foes[0].stats.attack => is 0
    accuracy: 85 => accuracy: 120 => skills[0].accuracy => from 1 to 100
    power: 5 => power: 0 => skills[0].power => is 0
    power: 3, cost: 1, duration: 2 => power: 3, cost: 1 => skills[1].duration => is 0
    power: 8, cost: 2, => power: 8, cost: 2, duration: 1, => skills[3].duration => no duration
    days: 1 => days: 0 => schedule[0].days => is 0
"#;

#[test]
fn each_mistake_is_named_at_its_place() {
    each_row(MISTAKES, |[old, new, field, said]| {
        let found = wrong(&[(old, new)]);
        let problems: Vec<_> = found.iter().collect();
        let [problem] = problems.as_slice() else {
            panic!("{new} leads to:\n{found}");
        };
        assert_eq!(problem.field, field, "{problem}");
        assert_eq!(problem.line, line_of(old), "{problem}");
        assert!(problem.to_string().contains(said), "{problem}");
    });
}

#[test]
fn a_wrong_language_is_told_alone() {
    let text = include_str!("../samples/talk.zh.ron").replace("language: zh", "language: 中文");
    let problems = WorldFile::parse("w.ron", &text).expect_err("fails");
    assert_eq!(problems.len(), 1, "{problems}");
}

#[test]
fn whoever_decides_is_there_or_comes() {
    let far = "the-offer].choice.who: whoever decides lives elsewhere";
    let choice = "choice: (who: \"Jonah Reeve\", question: \"?\", options: [(id: \"a\", label: \"A.\", seen: \"A.\")])";
    let effects = "effects: [Move(\"Jonah Reeve\", \"The Kitchen\")]";
    for (change, is_told) in [
        (choice.to_owned(), true),
        (format!("{choice}, {effects}"), false),
        (format!("{choice}, cast: [\"Jonah Reeve\"]"), false),
        (choice.replace("Jonah Reeve", "party"), false),
    ] {
        let text = include_str!("../samples/talk.en.ron").replacen(effects, &change, 1);
        let (_, warnings) = WorldFile::parse("w.ron", &text).expect("is right");
        let warnings = warnings.to_string();
        assert_eq!(warnings.contains(far), is_told, "{change}: {warnings}");
    }
}

/// What is changed in the sample, and what one of the problems says.
const SAID: &str = r#"
    "Peel Swing", "Stand => "Peal Swing", "Stand => actors[Tam Weller].skills[0]: unknown skill "Peal Swing"
    Give("the miller's key" => Give("the key" => scenes[the-coins].effects[0].0: unknown name: "the key"
    "Peel Swing", "Stand => "Peal Swing", "Stand => nobody has the skill "Peel Swing"
    when: Chose("the-coins", "take") => when: Judged(claim: " ", signs: ["Isa smiles"]) => the claim is empty
    when: Chose("the-coins", "take") => when: Judged(claim: "Isa is content", signs: ["… "]) => any event has it
    stage: "Bakehouse" => stage: "Bakehouse", tools: ["roll_dise"] => actors[Tam Weller].tools[0]
    stage: "Bakehouse" => stage: "Bakehouse", tools: ["roll_dise"] => did you mean "roll_dice"?
    stage: "Bakehouse" => stage: "Bakehouse", tools: ["recall", "teleport"] => choose one of: roll_dice
    stage: "Bakehouse" => stage: "Bakehouse", tools: ["recall", "recall"] => is listed twice
    stage: "Bakehouse" => stage: "Bakehouse", tools: [".forecast"] => unknown tool
    stage: "Bakehouse" => stage: "Bakehouse", voice: (lines: ["Yes.", "After you, My Lady."], never: ["my lady"]) => actors[Tam Weller].voice.lines[1]
    stage: "Bakehouse" => stage: "Bakehouse", voice: (lines: ["Yes.", "After you, My Lady."], never: ["my lady"]) => "my lady"
    stage: "Bakehouse" => stage: "Bakehouse", voice: (lines: [""]) => actors[Tam Weller].voice.lines[0]
    stage: "Bakehouse" => stage: "Bakehouse", voice: (never: [" "]) => actors[Tam Weller].voice.never[0]
    stage: "Bakehouse", => /**/ => actors[Tam Weller].stage: missing home stage
    name: "Flour Wight" => name: "Isa Finch" => foes[Isa Finch].name: the name "Isa Finch" is already taken by actors[Isa Finch].name
    name: "The Brook" => name: "ｂａｋｅｈｏｕｓｅ" => : warning: 
    name: "The Brook" => name: "ｂａｋｅｈｏｕｓｅ" => is easily confused with
    name: "The Brook" => name: "水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水水" => the name has 65 characters; use at most 64
    name: "Stand Firm" => name: "Peel Swing" => skills[Peel Swing].name: the name "Peel Swing" is already taken
    power: 8, cost: 2 => power: 8, cost: 4 => actors[Isa Finch].skills[1]: "Cool Water" costs 4 energy, more than the available 3
    schedule: [Home => limits: (hand_size: 0), schedule: [Home => limits.hand_size: is 0
    kind: Dungeon, => kind: Home, => unknown stage of kind Dungeon "Grinding Floor"
    when: Chose("the-coins", "share"), closing => closing => the ending "miller" always holds
    when: Chose("the-coins", "share"), closing => when: All([]), closing => the ending "miller" always holds
    text: "Old Harl ground for fifty years and was buried with a handful of wheat." => text: " " => facts[last-miller].text: the text is missing or empty
    look: "A man's shape of drifting flour with two bran-brown eyes.", => /**/ => foes[Flour Wight].look: the text is missing or empty
    (stage: "Grinding Floor", foes: ["Flour Wight"], gain: "Three sacks of flour, and the miller's key."), => /**/ => dungeons[The Mill].fights: the dungeon has no fights
    language: en => language: zh => : warning: 
    language: en => language: zh => the world's language is zh
    phrases: ["leave Hollow Brook" => phrases: ["forty houses" => warning: rules
    phrases: ["leave Hollow Brook" => phrases: ["white with flour" => warning: items[the miller's key].look
    phrases: ["leave Hollow Brook" => phrases: ["UNDER the third sack" => warning: scenes[the-coins].opening
    phrases: ["leave Hollow Brook" => phrases: ["cash box" => warning: scenes[the-coins].opening
    phrases: ["leave Hollow Brook" => phrases: ["shuts the empty box" => warning: scenes[the-coins].choice.options[take].seen
    id: "take" => id: "nothing" => scenes[the-coins].choice.options[nothing].id
    id: "take" => id: "Nothing" => scenes[the-coins].choice.options[Nothing].id
    effects: [Give("the miller's key", "Isa Finch")], => /**/ => warning: items[the miller's key]
    effects: [Give("the miller's key", "Isa Finch")], => /**/ => nobody has it, it lies nowhere
    title: "The mill stands", => title: "The mill stands", when: Never, => warning: endings[quiet].when: the last ending comes
    at: "Grinding Floor", => at: "Grinding Floor", among: ["Isa Finch"], => scenes[the-coins].choice.who: whoever decides here
    fights: [ => fights: [(stage: "Grinding Floor", foes: ["Flour Wight"], gain: "Dust."), => is already met in dungeons[0].fights[0] and does not return
    when: Chose("the-coins", "take"), closing => when: All([Chose("the-coins", "share"), Day(1)]), closing => warning: endings[gone].when: the ending miller is looked at first
    when: Chose("the-coins", "take"), closing => when: All([Chose("the-coins", "share"), Chose("the-coins", "take")]), closing => the-coins=share, the-coins=take exclude each other
    when: Chose("the-coins", "take"), closing => when: Never, closing => warning: endings[gone].when: nothing makes it come
    language: en => language: en, common: "They leave Hollow Brook." => warning: common: everybody
    phrases: ["leave Hollow Brook" => phrases: ["be the miller" => warning: actors[Isa Finch].kickoff: Isa Finch reads
    phrases: ["leave Hollow Brook" => phrases: ["to run the mill" => warning: bonds[0].word: Isa Finch reads
    phrases: ["leave Hollow Brook" => phrases: ["cart is missing" => warning: endings[gone].closing: everybody
"#;

#[test]
fn mistakes_with_consequences_are_named_beside_these() {
    each_row(SAID, |[old, new, said]| {
        let found = wrong(&[(old, new)]).to_string();
        assert!(found.contains(said), "{new} leads to:\n{found}");
    });
}

#[test]
fn what_is_unusual_but_right_is_accepted() {
    each_row(
        r#"
        Home(days: 1), Dungeon => Home(days: 1), If(Now(Afternoon), Vote(["The Mill"])), If(Voted("stay"), Home(days: 1)), Dungeon
        stage: "Bakehouse" => stage: "Bakehouse", tools: ["roll_dice", "recall", "weather.forecast", "files.*"]
        stage: "Bakehouse" => stage: "Bakehouse", voice: (lines: ["Bread first."], never: ["my lady"])
    "#,
        |[old, new]| assert_eq!(wrong(&[(old, new)]).to_string(), "", "{new}"),
    );
}

#[test]
fn a_day_after_the_last_is_told() {
    let told = |day: &str| {
        let schedule = "schedule: [Home(days: 1), Dungeon(\"The Mill\")]";
        let at_home = "schedule: [Home(days: 1), Home(days: 1)]";
        let day = format!("when: {day}, closing");
        wrong(&[
            (schedule, at_home),
            ("when: Chose(\"the-coins\", \"share\"), closing", &day),
        ])
        .to_string()
    };
    let said = "endings[miller].when.0: the schedule has 2 days in all";
    assert!(told("Day(3)").contains(said), "{}", told("Day(3)"));
    assert!(!told("Day(2)").contains("in all"), "{}", told("Day(2)"));
}

#[test]
fn whoever_is_needed_in_the_morning_has_to_wake_up_there() {
    let found = |scene: &str, ned: &str| {
        let scene = format!(
            "scenes: [(id: \"new\", at: \"Bakehouse\", opening: \"So.\", {scene}
                when: All([Now(Morning), Day(2), At(\"Ned Ash\", \"Bakehouse\")])),"
        );
        let ned = format!(
            "actors: [(name: \"Ned Ash\", faction: Neutral, stage: \"Bakehouse\", profile: \"Old.\",
                sleeps: \"Village Green\", look: \"Old.\", kickoff: \"You wake.\", {ned}),"
        );
        wrong(&[("scenes: [", &scene), ("actors: [", &ned)]).to_string()
    };
    let told = found("", "");
    let said = "warning: scenes[new].when: this needs \"Ned Ash\"";
    assert!(told.contains(said), "{told}");
    for (scene, ned) in [
        ("cast: [\"Ned Ash\"],", ""),
        ("effects: [Move(\"Ned Ash\", \"Bakehouse\")],", ""),
        ("", "dawns: [(day: 2, at: \"Bakehouse\")]"),
    ] {
        assert_eq!(found(scene, ned), "", "{scene}{ned}");
    }
}

#[test]
fn what_several_parts_lack_is_found() {
    let cut = [
        ("connects: [\"Bakehouse\"]", "connects: []"),
        ("stage: \"Bakehouse\"", "stage: \"Village Green\""),
    ];
    let found = wrong(&cut).to_string();
    assert!(
        found.contains("stages[Bakehouse]: nobody can reach \"Bakehouse\""),
        "{found}"
    );
    let heroes = wrong(&[("faction: Hero", "faction: Neutral"); 2]).to_string();
    assert!(heroes.contains("actors: no actor is a hero"), "{heroes}");
    let empty = WorldFile::parse("w.ron", "()").expect_err("is no world");
    let empty = empty.to_string();
    for field in ["name", "title", "rules", "actors", "stages", "schedule"] {
        assert!(
            empty.contains(&format!("error: {field}: ")),
            "{field} in {empty}"
        );
    }
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
    let few = wrong(&[("foes: [", &many(1_000))]).to_string();
    assert!(!few.contains("at most 1500"), "{few}");
    let too_many = wrong(&[("foes: [", &many(1_500))]).to_string();
    assert!(too_many.contains("at most 1500"), "{too_many}");
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
    w.ron:45:9: error: stages[Grinding Floor]: nobody can reach "Grinding Floor"; use it as the stage of a fight
    w.ron:62:22: error: actors[Tam Weller].faction: unknown value `Herro`; did you mean `Hero`?
    w.ron:64:25: error: actors[Tam Weller].stats.hp: is -30; write a number from 1 to 9999
    w.ron:64:30: error: actors[Tam Weller].stats.atack: unknown field `atack`; did you mean `attack`?
    w.ron:77:20: error: actors[Isa Finch].stage: unknown home stage "Vilage Green"; did you mean "Village Green"?
    w.ron:89:28: error: foes[Flour Wight].stats.attack: missing comma before this; add a `,` after the previous item, or close its quotes
    w.ron:101:72: error: skills[Rope Snap].accuracy: unexpected `ninety`; write an integer
    w.ron:168:25: error: dungeons[The Mill].fights[0].stage: missing stage of kind Dungeon; choose one of: Grinding Floor
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
    let shipped = [
        (DEFAULT_WORLD, "en"),
        ("last-rehearsal", "en"),
        ("take-the-biscuit", "en"),
        ("the-word-for-it", "en"),
        ("tuannian", "zh"),
        ("zhaoying-ban", "zh"),
    ];
    assert_eq!(listed, shipped);
    for world in worlds {
        let (world, warnings) = WorldFile::load(&data, &world.folder).expect("is right");
        assert!(warnings.is_empty(), "{warnings}");
        assert!(world.actors.len() >= 5);
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
        (
            "when: Chose(\"the-coins\", \"take\")",
            "when: All([Now(Morning, Chose(\"the-coins\", \"take\")])",
        ),
    ];
    insta::assert_snapshot!(changes.map(told).join("\n\n"), @r##"
    w.ron:36:36: error: stages[Village Green].connects: `]` is missing here: the `[` of line 36 is not closed; add `]`
    w.ron:89:25: error: foes[Flour Wight].stats.hp: is -24; write a number from 1 to 9999
    
    w.ron:81:11: error: actors: `]` is missing here: the `[` of line 54 is not closed; add `]`
    w.ron:89:25: error: foes[Flour Wight].stats.hp: is -24; write a number from 1 to 9999
    
    w.ron:54:12: error: actors: `[` is missing here: the `]` of line 82 closes nothing; add `[`
    w.ron:89:25: error: foes[Flour Wight].stats.hp: is -24; write a number from 1 to 9999
    
    w.ron:7:12: error: title: unexpected `A`; write a text in quotes: "…", or r#"…"# for a long one
    w.ron:12:30: error: else: unknown field `else`; expected one of: name, language, title, rules, files, agents, stages, actors, foes, skills, common, facts, items, qualities, bonds, scenes, endings, dungeons, schedule, rounds, limits, fights, patterns
    
    w.ron:33:17: error: stages[Village Green]: expected `:`; write a field: name: value
    w.ron:89:25: error: foes[Flour Wight].stats.hp: is -24; write a number from 1 to 9999
    
    w.ron:89:25: error: foes[Flour Wight].stats.hp: is -24; write a number from 1 to 9999
    w.ron:174:31: error: schedule[1]: unexpected `"The Mill"`; write the word without quotes

    w.ron:89:25: error: foes[Flour Wight].stats.hp: is -24; write a number from 1 to 9999
    w.ron:159:102: error: endings[gone].when.0[0]: `)` is missing here: the `(` of line 159 is not closed; add `)`
    "##);
}
