//! Who and what is told of without being there.

use playhouse_engine::mind::Language;
use playhouse_engine::world_data::{Problems, Severity};

use super::named::given_name;
use super::tests::wrong;

/// The sample world with more in some of its lists, which may be new.
fn with(lists: &[(&str, &str)]) -> Problems {
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
fn finds(severity: Severity, cases: &[(&[(&str, &str)], &str, &str)]) {
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
fn allows(cases: &[&[(&str, &str)]]) {
    for lists in cases {
        let found = with(lists);
        assert!(found.is_empty(), "{lists:?} leads to:\n{found}");
    }
}

/// A scene at home that tells of Isa and the key, with more of its fields.
fn telling(fields: &str) -> String {
    format!(
        "(id: \"new\", at: \"Village Green\", {fields},
            opening: \"Isa turns the miller's key over and over.\")"
    )
}

/// A scene at home in which Tam chooses what is seen like this.
fn seen(seen: &str, more: &str) -> String {
    format!(
        "(id: \"new\", at: \"Village Green\", opening: \"So.\", choice: (who: \"Tam Weller\",
            question: \"What?\", options: [(id: \"it\", label: \"Do it\", seen: \"{seen}\", {more})]))"
    )
}

const HELD: &str = "Holds(\"party\", \"the miller's key\")";
const THERE: &str = "At(\"Isa Finch\", \"Village Green\")";

#[test]
fn whoever_is_told_of_has_to_be_there() {
    let no_person = telling(&format!("when: {HELD}"));
    let no_thing = telling(&format!("when: {THERE}"));
    let elsewhere = format!("when: All([{HELD}, At(\"Isa Finch\", \"Bakehouse\")])");
    let elsewhere = telling(&elsewhere);
    // Where they are together is not said.
    let together = format!("when: All([{HELD}, Together([\"Isa Finch\", \"Tam Weller\"])])");
    let together = telling(&together);
    let maybe = telling(&format!("when: All([{HELD}, Any([{THERE}, Chance(50)])])"));
    let option = seen("Tam looks at Isa Finch.", "");
    let after = seen("Tam sighs.", "effects: [Tell(\"Isa has heard it.\")]");
    let somebody = "\"Isa Finch\", but no condition here requires them to be at \"Village Green\"";
    finds(
        Severity::Warning,
        &[
            (&[("scenes", &no_person)], "scenes[0].opening", somebody),
            (&[("scenes", &elsewhere)], "scenes[0].opening", somebody),
            (&[("scenes", &together)], "scenes[0].opening", somebody),
            (&[("scenes", &maybe)], "scenes[0].opening", somebody),
            (
                &[("scenes", &no_thing)],
                "scenes[0].opening",
                "mentions \"the miller's key\"",
            ),
            (
                &[("scenes", &option)],
                "scenes[0].choice.options[0].seen",
                somebody,
            ),
            (
                &[("scenes", &after)],
                "scenes[0].choice.options[0].effects[0].0",
                somebody,
            ),
        ],
    );
}

/// A scene on the second morning at the Bakehouse, for which somebody comes who sleeps elsewhere.
fn second_morning(fields: &str) -> String {
    format!(
        "(id: \"new\", at: \"Bakehouse\", opening: \"So.\", {fields}
            when: All([Now(Morning), Day(2), At(\"Ned Ash\", \"Bakehouse\")]))"
    )
}

fn sleeper(fields: &str) -> String {
    format!(
        "(name: \"Ned Ash\", faction: Neutral, stage: \"Bakehouse\", sleeps: \"Village Green\",
            profile: \"Old.\", look: \"Old.\", kickoff: \"You wake.\", {fields})"
    )
}

#[test]
fn whoever_is_needed_in_the_morning_has_to_wake_up_there() {
    let (scene, ned) = (second_morning(""), sleeper(""));
    let said = "but Ned Ash sleeps at \"Village Green\"";
    finds(
        Severity::Warning,
        &[(
            &[("scenes", &scene), ("actors", &ned)],
            "scenes[0].when",
            said,
        )],
    );
    let cast = second_morning("cast: [\"Ned Ash\"],");
    let moved = second_morning("effects: [Move(\"Ned Ash\", \"Bakehouse\")],");
    let dawn = sleeper("dawns: [(day: 2, at: \"Bakehouse\")]");
    let first = scene.replace("Day(2), ", "");
    allows(&[
        &[("scenes", &cast), ("actors", &ned)],
        &[("scenes", &moved), ("actors", &ned)],
        &[("scenes", &scene), ("actors", &dawn)],
        &[("scenes", &first), ("actors", &ned)],
    ]);
}

/// The key, of which this is seen when Tam uses it.
fn used(seen: &str, when: &str) -> String {
    format!(
        "(name: \"the other key\", look: \"Small.\", at: \"Tam Weller\",
            uses: [(with: \"Village Green\", when: {when}, seen: \"{seen}\")])"
    )
}

#[test]
fn whoever_is_told_of_when_an_item_is_used_has_to_be_there() {
    let user = "Holds(\"Tam Weller\", \"the other key\")";
    let both = format!("All([{user}, Together([\"Isa Finch\", \"Tam Weller\"])])");
    let somebody = "mentions \"Isa Finch\", who may not be there when the item is used";
    let alone = used("Tam Weller shows Isa the other key.", user);
    let unknown = used("Tam turns the other key.", "Always");
    let thing = used("It opens nothing but the miller's key.", user);
    let path = "items[0].uses[0].seen";
    finds(
        Severity::Warning,
        &[
            (&[("items", &alone)], path, somebody),
            (&[("items", &unknown)], path, "mentions \"Tam Weller\""),
            (&[("items", &thing)], path, "mentions \"the miller's key\""),
        ],
    );
    let right = used("Tam Weller shows Isa the other key.", &both);
    allows(&[&[("items", &right)]]);
}

#[test]
fn no_option_has_the_id_of_the_one_to_do_nothing() {
    let scene = seen("Tam sighs.", "").replace("id: \"it\"", "id: \"nothing\"");
    let found = wrong(&[("scenes: [", &format!("scenes: [{scene},"))]);
    let fields: Vec<_> = found.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["scenes[0].choice.options[0].id"], "{found}");
}

#[test]
fn what_is_certain_or_said_to_be_absent_may_be_told_of() {
    let both = telling(&format!("when: All([{HELD}, {THERE}])"));
    let absent = telling("absent: [\"Isa Finch\", \"the miller's key\"]");
    let gone = telling(&format!("when: Not(Any([{HELD}, {THERE}]))"));
    let with = format!("{THERE}, Together([\"Isa Finch\", \"Tam Weller\"])");
    let with = seen("Tam Weller looks at Isa.", &format!("when: All([{with}])"));
    let given = seen(
        "Tam puts the miller's key down.",
        "effects: [Put(\"the miller's key\", \"Village Green\")]",
    );
    allows(&[
        &[("scenes", &both)],
        &[("scenes", &absent)],
        &[("scenes", &gone)],
        &[("scenes", &with)],
        &[("scenes", &given)],
    ]);
    let unknown = telling("absent: [\"Isa Finch\", \"the miller's key\", \"Izzy\"]");
    let found = wrong(&[("scenes: [", &format!("scenes: [{unknown},"))]);
    let fields: Vec<_> = found.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["scenes[0].absent[2]"], "{found}");
}

#[test]
fn a_given_name_is_the_first_or_the_last() {
    let english = |name| given_name(name, Language::En);
    assert_eq!(english("Isa Finch"), Some("Isa"));
    assert_eq!(english("Pip"), None);
    let chinese = |name| given_name(name, Language::Zh);
    assert_eq!(chinese("沈豆娘"), Some("豆娘"));
    assert_eq!(chinese("老闻"), None);
    assert_eq!(chinese("欧阳晚灯"), None);
}
