//! What can never hold, and what the drama of a world must not say: a world text with each mistake,
//! and what is told of it.

use playhouse_engine::locale::Language;
use playhouse_engine::world_data::{Problems, Severity};

use super::tests::wrong;

/// The sample world with more in some of its lists, which may be new.
pub(super) fn with(lists: &[(&str, &str)]) -> Problems {
    let changes: Vec<(String, String)> = lists
        .iter()
        .map(|(list, more)| match *list {
            "qualities" => (
                "scenes: [".into(),
                format!("qualities: [{more}],\nscenes: ["),
            ),
            "schedule" => ("schedule: [".into(), format!("schedule: [{more}, ")),
            "limits" => ("scenes: [".into(), format!("limits: ({more}),\nscenes: [")),
            list => (format!("{list}: ["), format!("{list}: [{more},\n")),
        })
        .collect();
    let changes: Vec<_> = changes
        .iter()
        .map(|(old, new)| (old.as_str(), new.as_str()))
        .collect();
    wrong(&changes)
}

/// A scene at home with a condition.
pub(super) fn scene(when: &str) -> String {
    format!("(id: \"new\", at: \"Village Green\", opening: \"So.\", when: {when})")
}

/// A scene at home in which Isa chooses this option.
fn option(when: &str) -> String {
    let option = format!("(id: \"it\", label: \"Do it\", seen: \"She does.\", when: {when})");
    deciding("Isa Finch", &option)
}

/// A scene at home in which somebody chooses.
fn deciding(who: &str, options: &str) -> String {
    format!(
        "(id: \"new\", at: \"Village Green\", opening: \"So.\",
            choice: (who: \"{who}\", question: \"What?\", options: [{options}]))"
    )
}

/// A scene at home with an effect.
fn effect(effect: &str) -> String {
    let scene = "(id: \"new\", at: \"Village Green\", opening: \"So.\"";
    format!("{scene}, effects: [{effect}])")
}

fn told(problems: &Problems) -> Vec<(Severity, &str, String)> {
    let problems = problems.iter();
    problems
        .map(|problem| {
            (
                problem.severity,
                problem.field.as_str(),
                problem.to_string(),
            )
        })
        .collect()
}

/// Each change leads to one problem of this severity, at this field, which says this.
pub(super) fn finds(severity: Severity, cases: &[(&[(&str, &str)], &str, &str)]) {
    for (lists, field, said) in cases {
        let found = with(lists);
        let told = told(&found);
        let [(told_severity, told_field, message)] = told.as_slice() else {
            panic!("{lists:?} leads to:\n{found}");
        };
        assert_eq!(
            (*told_severity, *told_field),
            (severity, *field),
            "{lists:?} leads to: {message}"
        );
        assert!(message.contains(said), "{lists:?} leads to: {message}");
        let chinese = found
            .iter()
            .next()
            .map(|problem| problem.in_language(Language::Zh));
        assert_ne!(chinese.as_deref(), Some(message.as_str()));
    }
}

/// None of these leads to anything.
pub(super) fn allows(cases: &[&[(&str, &str)]]) {
    for lists in cases {
        let found = with(lists);
        assert!(found.is_empty(), "{lists:?} leads to:\n{found}");
    }
}

#[test]
fn contradictions_are_errors_where_they_stand() {
    let days = scene("All([Day(1), All([Happened(\"the-coins\"), Not(Happened(\"the-coins\"))])])");
    let places =
        scene("All([At(\"Tam Weller\", \"Bakehouse\"), At(\"Tam Weller\", \"Village Green\")])");
    let foe = "moved_by: [(when: Any([Day(1), Any([])]), by: 1, seen: \"It sags.\")], resolve: 1";
    let own = option("All([Day(1), Chose(\"new\", \"it\")])");
    let away = option("At(\"Isa Finch\", \"Bakehouse\")");
    let circle = "(id: \"x\", at: \"Bakehouse\", opening: \"So.\", when: Happened(\"y\")),
        (id: \"y\", at: \"Bakehouse\", opening: \"So.\", when: Any([Chose(\"new\", \"it\"), Never]))";
    let mut circle_ends = option("Happened(\"x\")");
    circle_ends.push(',');
    circle_ends.push_str(circle);
    finds(
        Severity::Error,
        &[
            (
                &[("scenes", &days)],
                "scenes[0].when.0[1]",
                "and Not(Happened(\"the-coins\")) can't both hold",
            ),
            (&[("scenes", &places)], "scenes[0].when", "can't both hold"),
            (
                &[("scenes", &scene("Not(Always)"))],
                "scenes[0].when.0",
                "Always always holds",
            ),
            (
                &[("scenes", &scene("Happened(\"new\")"))],
                "scenes[0].when",
                "waits for itself",
            ),
            (
                &[("scenes", &own)],
                "scenes[0].choice.options[0].when.0[1]",
                "nothing has been decided yet in the scene \"new\"",
            ),
            (
                &[("scenes", &away)],
                "scenes[0].choice.options[0].when",
                "can't both hold",
            ),
            (
                &[("schedule", "If(Any([]), Home(days: 1))")],
                "schedule[0].0",
                "list of conditions is empty",
            ),
        ],
    );
    let found = wrong(&[("returns: false,", &format!("returns: false, {foe},"))]);
    let told_of = told(&found);
    assert_eq!(told_of.len(), 1, "{found}");
    assert_eq!(told_of[0].1, "foes[0].moved_by[0].when.0[1]");
    let found = with(&[("scenes", &circle_ends)]);
    let fields: Vec<_> = told(&found)
        .iter()
        .map(|(_, field, _)| *field)
        .collect::<Vec<_>>();
    let expected = [
        "scenes[0].choice.options[0].when",
        "scenes[1].when",
        "scenes[2].when.0[0]",
        "scenes[2].when.0[1]",
    ];
    assert_eq!(fields, expected, "{found}");
    let circle = "these scenes wait for each other: new, x, y";
    assert_eq!(found.to_string().matches(circle).count(), 3, "{found}");
}

#[test]
fn what_this_world_never_lets_hold_is_a_warning() {
    let item = |when: &str| {
        [
            ("items", "(name: \"the bell\", look: \"Brass.\")".to_owned()),
            ("scenes", scene(when)),
        ]
    };
    let [items, nowhere] = item("Holds(\"Isa Finch\", \"the bell\")");
    let neutral = (
        "actors",
        "(name: \"Bea Moss\", profile: \"p\", look: \"l\", kickoff: \"k\", faction: Neutral, stage: \"Bakehouse\",
            stats: (hp: 1, attack: 1, defense: 1, speed: 1, energy: 1))",
    );
    let sworn =
        "(id: \"oath\", title: \"t\", text: \"t\", known_by: Only([\"Tam Weller\"]), sworn: true)";
    let mill = "at: \"Grinding Floor\", opening: \"So.\"";
    let at_mill = |when: &str| format!("(id: \"new\", {mill}, when: {when})");
    let flour = "(id: \"flour\", max: 3, start: 1, hidden: true)";
    let flour_seen = "(id: \"flour\", max: 3, start: 1, attempts: true)";
    let two = format!(
        "{}, (id: \"x\", {mill}, when: Happened(\"new\"))",
        scene("Never")
    );
    let vote = "Vote([\"The Mill\"])";
    finds(
        Severity::Warning,
        &[
            (
                &[("scenes", &scene("All([All([Never])])"))],
                "scenes[0].when.0[0].0[0]",
                "it is Never",
            ),
            (
                &[("scenes", &option("Never"))],
                "scenes[0].choice.options[0].when",
                "it is Never",
            ),
            (
                &[(items.0, &items.1), (nowhere.0, &nowhere.1)],
                "scenes[0].when",
                "is nowhere at the start",
            ),
            (
                &[
                    ("qualities", flour),
                    ("scenes", &scene("All([Day(1), Quality(\"flour\", 2)])")),
                ],
                "scenes[0].when.0[1]",
                "nothing ever raises \"flour\" above 1",
            ),
            (
                &[
                    ("qualities", flour_seen),
                    ("scenes", &scene("Quality(\"flour\", 2)")),
                ],
                "scenes[0].when",
                "only happen if somebody tries something",
            ),
            (
                &[
                    ("qualities", flour_seen),
                    ("scenes", &scene("Quality(\"flour\", 4)")),
                ],
                "scenes[0].when",
                "the maximum value is 3",
            ),
            (
                &[("scenes", &at_mill("Now(Morning)"))],
                "scenes[0].when",
                "where it is Travel, Camp or Retreat",
            ),
            (
                &[("scenes", &scene("Any([Now(Return), Now(Camp)])"))],
                "scenes[0].when.0[1]",
                "home stage",
            ),
            (
                &[("scenes", &scene("Alive(\"Flour Wight\")"))],
                "scenes[0].when",
                "only there while a fight lasts",
            ),
            (
                &[
                    ("facts", sworn),
                    ("scenes", &scene("Knows(\"Isa Finch\", \"oath\")")),
                ],
                "scenes[0].when",
                "is sworn, and nothing teaches it to \"Isa Finch\"",
            ),
            (
                &[(
                    "scenes",
                    &scene("Not(Knows(\"Isa Finch\", \"last-miller\"))"),
                )],
                "scenes[0].when.0",
                "everyone knows the fact",
            ),
            (
                &[
                    neutral,
                    ("scenes", &at_mill("At(\"Bea Moss\", \"Grinding Floor\")")),
                ],
                "scenes[0].when",
                "stays at home and never comes to \"Grinding Floor\"",
            ),
            (
                &[("scenes", &scene("Day(2)"))],
                "scenes[0].when",
                "1 day at home",
            ),
            (
                &[(
                    "scenes",
                    &scene("All([Not(Day(1)), Fought(\"Grinding Floor\", Won)])"),
                )],
                "scenes[0].when.0[0].0",
                "it is always day 1 or later then",
            ),
        ],
    );
    let found = with(&[("scenes", &two)]).to_string();
    assert!(
        found.contains("scenes[1].when: this can never hold: the scene \"new\" never opens"),
        "{found}"
    );
    allows(&[
        &[("scenes", &scene("Not(Never)"))],
        &[(
            "scenes",
            &scene("Not(Bond(\"Isa Finch\", \"Tam Weller\", -2))"),
        )],
        &[
            ("facts", sworn),
            ("scenes", &scene("Knows(\"party\", \"oath\")")),
        ],
        &[
            ("facts", sworn),
            (
                "items",
                "(name: \"a letter\", look: \"Sealed.\", at: \"Bakehouse\", teaches: [\"oath\"])",
            ),
            ("scenes", &scene("Knows(\"Isa Finch\", \"oath\")")),
        ],
        &[
            neutral,
            ("scenes", &effect("Move(\"Bea Moss\", \"Grinding Floor\")")),
            (
                "scenes",
                &at_mill("At(\"Bea Moss\", \"Grinding Floor\")").replace("new", "other"),
            ),
        ],
        &[
            ("qualities", flour),
            ("scenes", &effect("Add(\"flour\", 1)")),
            (
                "endings",
                "(id: \"e\", title: \"E\", closing: \"So.\", when: Quality(\"flour\", 2))",
            ),
        ],
        &[(
            "scenes",
            &scene("Holds(\"Isa Finch\", \"the miller's key\")"),
        )],
        &[("schedule", vote), ("scenes", &scene("Voted(\"stay\")"))],
    ]);
    let day = with(&[
        ("schedule", "Home(days: 2)"),
        (
            "scenes",
            &scene("All([Not(Day(2)), Fought(\"Grinding Floor\", Won)])"),
        ),
    ]);
    let told = told(&day);
    assert_eq!(told.len(), 1, "{day}");
    assert!(told[0].2.contains("can't hold before day 3"), "{day}");
}

#[test]
fn options_need_somebody_who_can_be_there() {
    let plain = "(id: \"it\", label: \"Do it\", seen: \"Done.\")";
    let foe = deciding("Flour Wight", plain);
    let found = with(&[("scenes", &foe)]);
    let told = told(&found);
    assert_eq!(
        (told[0].0, told[0].1),
        (Severity::Error, "scenes[0].choice.who"),
        "{found}"
    );
    assert!(
        told[0]
            .2
            .contains("can ever be at \"Village Green\": Flour Wight"),
        "{found}"
    );
    let ending = "(id: \"e\", title: \"E\", closing: \"So.\", when: Chose(\"new\", \"it\"))";
    let found = with(&[("scenes", &foe), ("endings", ending)]).to_string();
    assert!(
        found.contains(
            "endings[0].when: this can never hold: nobody can ever take the option \"it\""
        ),
        "{found}"
    );
}

#[test]
fn endings_that_another_hides_are_errors() {
    let ending = |id: &str, when: &str, early: bool| {
        format!("(id: \"{id}\", title: \"T\", closing: \"So.\", when: {when}, early: {early})")
    };
    let of = |endings: &[(&str, bool)]| {
        let endings = endings.iter().enumerate();
        let endings: Vec<_> = endings
            .map(|(i, (when, early))| ending(&format!("e{i}"), when, *early))
            .collect();
        with(&[
            ("endings", &endings.join(",\n")),
            ("scenes", &option("Always")),
        ])
    };
    let take = "Chose(\"the-coins\", \"take\")";
    let new = "Happened(\"new\")";
    let isa = "Knows(\"Isa Finch\", \"leaving\")";
    let both = format!("All([{new}, {isa}])");
    let either = format!("Any([{new}, {isa}])");
    for (endings, field, said) in [
        (
            vec![(new, false), (&*both, false)],
            "endings[1].when",
            "so it is never reached: e0",
        ),
        (
            vec![(&*either, false), (&*both, false)],
            "endings[1].when",
            "never reached: e0",
        ),
        (
            vec![(isa, false), (new, false), (&*either, false)],
            "endings[2].when",
            "e0, e1",
        ),
        (
            vec![(new, false), (new, false)],
            "endings[1].when",
            "never reached: e0",
        ),
        (
            vec![(new, true), (&*both, true)],
            "endings[1].when",
            "never reached: e0",
        ),
        (
            vec![("Not(Never)", false), (new, false)],
            "endings[0].when",
            "always holds",
        ),
        (
            vec![("Day(1)", false), (new, false)],
            "endings[0].when",
            "always holds",
        ),
        (
            vec![
                ("Chose(\"new\", \"it\")", false),
                (new, false),
                (take, false),
            ],
            "",
            "",
        ),
        (vec![(new, false), (&*both, true)], "", ""),
        (vec![("Chance(50)", false), ("Chance(50)", false)], "", ""),
    ] {
        let found = of(&endings);
        let told: Vec<_> = told(&found);
        // The sample's own ending of the same condition is hidden, too.
        let own = |field: &str| field == "endings[4].when";
        let told: Vec<_> = told.iter().filter(|(_, field, _)| !own(field)).collect();
        let fields: Vec<_> = told.iter().map(|(_, field, _)| *field).collect();
        let expected = if field.is_empty() {
            vec![]
        } else {
            vec![field]
        };
        assert_eq!(fields, expected, "{endings:?} leads to:\n{found}");
        assert!(
            told.iter()
                .all(|(how, _, what)| *how == Severity::Error && what.contains(said))
        );
    }
}

#[test]
fn names_and_numbers_of_the_drama_are_checked() {
    let cases: &[(&[(&str, &str)], &str, &str)] = &[
        (
            &[(
                "bonds",
                "(from: \"Isa Finch\", to: \"Tam Weller\", value: 1)",
            )],
            "bonds[1]",
            "already a bond",
        ),
        (
            &[(
                "bonds",
                "(from: \"Isa Finch\", to: \"Isa Finch\", value: 1)",
            )],
            "bonds[0].to",
            "both names",
        ),
        (
            &[("bonds", "(from: \"Tam Weller\", to: \"party\", value: 1)")],
            "bonds[0].to",
            "about one person",
        ),
        (
            &[(
                "facts",
                "(id: \"f\", title: \"t\", text: \"t\", known_by: Only([\"Tam Weller\", \"Tam Weller\"]))",
            )],
            "facts[0].known_by.0[1]",
            "listed twice",
        ),
        (
            &[(
                "facts",
                "(id: \"f\", title: \"t\", text: \"t\", known_by: Only([\"party\"]))",
            )],
            "facts[0].known_by.0[0]",
            "about one person",
        ),
        (
            &[(
                "facts",
                "(id: \"f\", title: \"t\", text: \"t\", known_by: Everyone, contradicts: \"f\")",
            )],
            "facts[0].contradicts",
            "contradicts itself",
        ),
        (
            &[(
                "items",
                "(name: \"a bell\", look: \"l\", at: \"The Brook\")",
            )],
            "items[0].at",
            "can't hold anything",
        ),
        (
            &[(
                "items",
                "(name: \"a bell\", look: \"l\", at: \"Bakehouse\", teaches: [\"leaving\", \"leaving\"])",
            )],
            "items[0].teaches[1]",
            "listed twice",
        ),
        (
            &[("items", "(name: \"a bell\", at: \"Bakehouse\")")],
            "items[0].look",
            "missing or empty",
        ),
        (
            &[(
                "qualities",
                "(id: \"q\", max: 3, steps: [(at: 9, text: \"x\")])",
            )],
            "qualities[0].steps[0].at",
            "from 0 to 3",
        ),
        (
            &[(
                "qualities",
                "(id: \"q\", max: 3, steps: [(at: 1, text: \"\")])",
            )],
            "qualities[0].steps[0].text",
            "missing or empty",
        ),
    ];
    finds(Severity::Error, cases);
    let scenes = [
        (scene("Chance(150)"), "when.0", "from 0 to 100"),
        (
            scene("Bond(\"Isa Finch\", \"party\", 1)"),
            "when.1",
            "about one person",
        ),
        (
            scene("Promised(\"Isa Finch\", \"party\")"),
            "when.1",
            "about one person",
        ),
        (
            scene("Together([\"Isa Finch\", \"Isa Finch\"])"),
            "when.0[1]",
            "listed twice",
        ),
        (
            effect("Wound(\"Isa Finch\", 0)"),
            "effects[0].1",
            "from 1 to 99",
        ),
        (
            effect("Hurt(\"Isa Finch\", -4)"),
            "effects[0].1",
            "from 1 to",
        ),
        (
            effect("Bond(\"Isa Finch\", \"Tam Weller\", 9)"),
            "effects[0].2",
            "from -6 to 6",
        ),
        (
            effect("Bond(\"Isa Finch\", \"Tam Weller\", 0)"),
            "effects[0].2",
            "changes nothing",
        ),
        (
            effect("Bond(\"Isa Finch\", \"party\", 1)"),
            "effects[0].1",
            "about one person",
        ),
        (
            effect("Promise(\"Isa Finch\", \"party\", \"Yes.\")"),
            "effects[0].1",
            "about one person",
        ),
        (
            effect("Promise(\"Isa Finch\", \"Isa Finch\", \"Yes.\")"),
            "effects[0].1",
            "both names",
        ),
        (
            effect("Promise(\"Isa Finch\", \"Tam Weller\", \"\")"),
            "effects[0].2",
            "missing or empty",
        ),
        (
            effect("Keep(\"party\", \"Isa Finch\")"),
            "effects[0].0",
            "about one person",
        ),
        (
            effect("Join(\"Flour Wight\")"),
            "effects[0].0",
            "can't join the party",
        ),
        (
            effect("Revive(\"party\", \"Bakehouse\")"),
            "effects[0].0",
            "about one person",
        ),
        (
            effect("OpenWay(\"Bakehouse\", \"Bakehouse\")"),
            "effects[0].1",
            "connects to itself",
        ),
        (effect("Tell(\"\")"), "effects[0].0", "missing or empty"),
        (
            effect("Announce(\" \")"),
            "effects[0].0",
            "missing or empty",
        ),
        (
            deciding("Isa Finch", "(id: \"a\", label: \"\", seen: \"s\")"),
            "choice.options[0].label",
            "missing or empty",
        ),
        (
            deciding("Isa Finch", "(id: \"a\", label: \"l\", seen: \"s\")").replace("What?", ""),
            "choice.question",
            "missing or empty",
        ),
    ];
    for (scene, field, said) in &scenes {
        let field = format!("scenes[0].{field}");
        finds(Severity::Error, &[(&[("scenes", scene)], &field, said)]);
    }
    let warned = [
        (
            scene("Together([\"Isa Finch\"])"),
            "when",
            "always together",
        ),
        (
            scene("Bond(\"Isa Finch\", \"Tam Weller\", -3)"),
            "when.2",
            "always reached",
        ),
        (scene("Day(0)"), "when.0", "always reached"),
        (
            scene("Day(1)").replace("So.", ""),
            "opening",
            "nobody is told that it begins",
        ),
        (
            deciding("Isa Finch", "(id: \"a\", label: \"l\")"),
            "choice.options[0].seen",
            "they read the label",
        ),
        (
            scene("Day(1)").replace(
                "So.",
                &"门前有雨，灯下无人，河水照旧流过每一户人家。".repeat(3),
            ),
            "opening",
            "the text is Chinese",
        ),
    ];
    for (scene, field, said) in &warned {
        let field = format!("scenes[0].{field}");
        finds(Severity::Warning, &[(&[("scenes", scene)], &field, said)]);
    }
    let phrase = "(id: \"f\", title: \"t\", text: \"t\", known_by: Only([\"Isa Finch\"]), phrases: [\"leave Hollow Brook\"])";
    finds(
        Severity::Warning,
        &[(
            &[("facts", phrase)],
            "facts[1].phrases[0]",
            "the fact \"f\" has this phrase too",
        )],
    );
}

/// A scene with one mistake; `SELF` is its id.
const MISTAKES: [&str; 20] = [
    "opening: \"So.\", when: Happened(\"SELF\")",
    "opening: \"So.\", when: Happened(\"the-coin\")",
    "opening: \"So.\", when: All([Day(1), Knows(\"Isa Finch\", \"leavin\")])",
    "opening: \"So.\", when: All([Day(1), Not(Day(1))])",
    "opening: \"So.\", when: Any([])",
    "opening: \"So.\", when: Never",
    "opening: \"So.\", when: Not(Always)",
    "opening: \"So.\", when: Chance(150)",
    "opening: \"So.\", when: Day(7)",
    "opening: \"So.\", when: Now(Camp)",
    "opening: \"So.\", when: Alive(\"Flour Wight\")",
    "opening: \"So.\", when: At(\"Isa Finch\", \"Village Gren\")",
    "opening: \"\"",
    "opening: \"So.\", turns: 900",
    "opening: \"So.\", effects: [Give(\"the miller's kee\", \"Isa Finch\")]",
    "opening: \"So.\", effects: [Bond(\"Isa Finch\", \"party\", 1)]",
    "opening: \"So.\", effects: [Wound(\"Isa Finch\", 0)]",
    "opening: \"So.\", effects: [Tell(\"\")]",
    "opening: \"So.\", choice: (who: \"Flour Wight\", question: \"?\", options: [(id: \"a\", label: \"A\", seen: \"A.\")])",
    "opening: \"So.\", choice: (who: \"Isa Finch\", question: \"?\", options: [(id: \"a\", label: \"A\", seen: \"A.\",
        when: Chose(\"SELF\", \"a\"))])",
];

#[test]
fn a_hundred_mistakes_are_all_told_with_their_place_and_what_would_be_right() {
    let scene = |number: usize| {
        let mistake = MISTAKES[number % MISTAKES.len()];
        let id = format!("s{number}");
        let mistake = mistake.replace("SELF", &id).replace('\n', " ");
        format!("(id: \"{id}\", at: \"Village Green\", {mistake})")
    };
    let scenes: Vec<_> = (0..100).map(scene).collect();
    let found = with(&[("scenes", &scenes.join(",\n"))]);
    assert_eq!(found.len(), 100, "{found}");
    let first = found.iter().next().expect("one").line;
    for (number, problem) in found.iter().enumerate() {
        let scene = format!("scenes[{number}].");
        assert!(problem.field.starts_with(&scene), "{problem}");
        assert_eq!(problem.line, first + number, "{problem}");
        assert!(!problem.help.is_empty(), "{problem}");
    }
}

#[test]
fn a_world_full_of_conditions_is_checked_without_comparing_all_with_all() {
    // Each waits for the next, and says as much as is still looked at.
    let cases = "Any([Day(1), Now(Return)]), ".repeat(6);
    let scene = |number: usize| {
        let next = number + 1;
        format!(
            "(id: \"s{number}\", at: \"Bakehouse\", opening: \"So.\",
                when: All([{cases}Happened(\"s{next}\")]))"
        )
    };
    let scenes: Vec<_> = (0..1_100).map(scene).collect();
    let last = "(id: \"s1100\", at: \"Bakehouse\", opening: \"So.\")";
    let found = with(&[("scenes", &format!("{},{last}", scenes.join(",\n")))]);
    assert!(found.is_empty(), "{found}");
}
