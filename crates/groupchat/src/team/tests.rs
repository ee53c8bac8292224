use super::*;
use crate::termination::Termination;

fn graph(edges: Vec<EdgeFile>) -> TeamFile {
    let graph = GraphFile {
        entry: String::new(),
        edges,
    };
    TeamFile::new("team", ["A", "B", "C"].map(Participant::named))
        .with_selection(Selection::Graph(graph))
        .with_max_turns(9)
}

fn problems(team: &TeamFile) -> String {
    let problems = team.check();
    let lines = problems.iter().map(ToString::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sound_team_has_no_mistakes() {
    let team = TeamFile::new("team", ["A", "B"].map(Participant::named))
        .with_termination(Termination::terminate().or(Termination::max_messages(9)));
    assert_eq!(problems(&team), "");
    let edge = |from, to| EdgeFile::new(from, to);
    assert_eq!(problems(&graph(vec![edge("A", "B"), edge("B", "C")])), "");
}

#[test]
fn every_mistake_of_a_file_is_found_at_once_with_its_line() {
    let text = r#"Team(
        name: "desk",
        participants: [
            (name: "Ava", handoffs: [(target: "Bram")]),
            (name: "Ava"),
        ],
        selection: Selector(attempts: 0),
        transitions: Allowed({"user": [], "Zed": ["Ava"]}),
        termination: [TextMention(text: "")],
        max_turns: 0,
    )"#;
    let problems = TeamFile::parse("desk.ron", text).unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    for part in [
        "desk.ron:4:", "Bram", "desk.ron:5:", "attempt", "'Zed'", "let nobody speak", "empty text",
        "0 turns",
    ] {
        assert!(told.contains(part), "{part} is missing in\n{told}");
    }
}

#[test]
fn names_are_identifiers_where_that_is_asked_for() {
    let text = |names: &str| {
        format!(
            r#"Team(name: "the desk", {names} max_turns: 1,
            participants: [(name: "Ava"), (name: "艾娃_2"), (name: "Odile Marsh"), (name: "2nd")])"#
        )
    };
    assert!(TeamFile::parse("desk.ron", &text("")).is_ok());
    let problems = TeamFile::parse("desk.ron", &text("naming: identifiers,")).unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    let place = "participants[Odile Marsh].name: 'Odile Marsh'";
    assert!(told[0].contains(place), "{told:?}");
    assert!(told[1].contains("'2nd'"), "{told:?}");
}

#[test]
fn a_participant_says_with_which_types_it_may_answer() {
    #[derive(schemars::JsonSchema)]
    struct Report {
        #[expect(dead_code, reason = "only its schema is used")]
        title: String,
    }
    let plain = Participant::named("A");
    assert_eq!(plain.produced_message_types(), ["TextMessage"]);
    let mut all = Participant::named("A")
        .with_handoff("B")
        .with_output::<Report>();
    assert_eq!(all.output.as_ref().unwrap().name, "Report");
    all.tools = vec!["dice".into()];
    all.produces = vec!["StopMessage".into()];
    let types = [
        "TextMessage",
        "ToolCallSummaryMessage",
        "HandoffMessage",
        "StructuredMessage",
        "StopMessage",
    ];
    assert_eq!(all.produced_message_types(), types);
}

#[test]
fn a_run_that_might_never_end_is_refused() {
    let team = TeamFile::new("team", [Participant::named("A")]);
    assert!(problems(&team).contains("never end"));
    let team = team.with_termination(Termination::terminate());
    assert!(problems(&team).contains("never end"));
    assert_eq!(problems(&team.with_max_turns(3)), "");
}

#[test]
fn a_swarm_must_be_able_to_hand_over_and_takes_no_team() {
    let inner = TeamFile::new("inner", [Participant::named("X")]).with_max_turns(1);
    let mut member = Participant::named("inner");
    member.kind = ParticipantKind::Team;
    let team = TeamFile::new("team", [Participant::named("A"), member])
        .with_selection(Selection::Swarm)
        .with_team(inner)
        .with_max_turns(4);
    let said = problems(&team);
    assert!(said.contains("has no handoffs"), "{said}");
    assert!(said.contains("swarm"), "{said}");
}

#[test]
fn a_team_that_is_a_tool_is_looked_at_like_every_team() {
    let text = r#"Team(
        name: "desk",
        participants: [(name: "Ava", tools: ["lab", "roll_dice"])],
        team_tools: [
            (name: "lab", about: "Tests.", team: (
                name: "laboratory",
                participants: [(name: "Ava"), (name: "Bo", handoffs: [(target: "Cy")])],
                max_turns: 1,
            )),
            (name: "lab two", about: "Tests.", team: (name: "b", participants: [(name: "Di")], max_turns: 1)),
            (name: "roll_dice", about: "Tests.", team: (name: "c", participants: [(name: "Ed")], max_turns: 1)),
            (name: "idle", team: (name: "d", participants: [(name: "Flo", kind: Person)])),
            (name: "clock", about: "Tests.", team: (
                name: "e", participants: [(name: "Gus")], open: true, max_turns: 1,
            )),
        ],
        max_turns: 1,
    )"#;
    let problems = TeamFile::parse("desk.ron", text).unwrap_err();
    let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    for part in [
        "desk.ron:7:39: error: team_tools[lab].team.participants[Ava].name: the name 'Ava' is already used at",
        "team_tools[lab].team.participants[Bo].handoffs[0].target: there is no participant 'Cy'",
        "team_tools[lab two].name: 'lab two' can't be the name of a tool",
        "team_tools[roll_dice].name: there is already a tool 'roll_dice'",
        "warning: team_tools[idle]: no participant uses the tool 'idle'",
        "team_tools[idle].about: the tool has no description",
        "team_tools[idle].team: a team that is a tool can't have people in it",
        "team_tools[idle].team.selection: no condition is certain to be met",
        "team_tools[clock].team: only the outermost team can be open",
    ] {
        assert!(told.contains(part), "{part} is missing in\n{told}");
    }
}

#[test]
fn no_file_has_too_many_teams_or_participants() {
    let solo = |number: usize| {
        TeamFile::new(
            format!("T{number}"),
            [Participant::named(format!("P{number}"))],
        )
        .with_max_turns(1)
    };
    let with_tools = |teams: usize| {
        let mut team = solo(0);
        team.team_tools = (1..teams)
            .map(|number| ToolTeam {
                name: format!("t{number}"),
                about: "Tests.".into(),
                team: solo(number),
                ..ToolTeam::default()
            })
            .collect();
        // A tool has an inner team, which counts too.
        let mut tools = team.team_tools.iter_mut();
        tools.next().unwrap().team.teams = vec![solo(teams)];
        team
    };
    let errors = |team: &TeamFile| team.check().unless_errors(()).is_err();
    assert!(!errors(&with_tools(99)));
    let said = problems(&with_tools(100));
    assert!(
        said.contains("101 teams") && said.contains("most 100"),
        "{said}"
    );

    let of_size = |size| {
        let participants = (0..size).map(|number| Participant::named(format!("P{number}")));
        TeamFile::new("team", participants).with_max_turns(1)
    };
    assert!(!errors(&of_size(500)));
    let said = problems(&of_size(501));
    assert!(
        said.contains("501 participants") && said.contains("most 500"),
        "{said}"
    );
}

#[test]
fn an_output_that_no_answer_can_have_is_refused() {
    let text = r##"Team(
        name: "desk",
        participants: [(name: "Ava", output: (
            name: "o", schema: r#"{"type": "array", "minItems": 1000000000}"#,
        ))],
        max_turns: 1,
    )"##;
    let problems = TeamFile::parse("desk.ron", text).unwrap_err();
    let told = problems.iter().next().unwrap().to_string();
    assert!(told.contains("#/minItems is more than 100000"), "{told}");
}

#[test]
fn the_user_of_a_team_that_is_a_tool_has_a_name_of_its_own() {
    let mut tool = TeamFile::new("inner", [Participant::named("Bo")]).with_max_turns(1);
    tool.user = "Bo".into();
    let mut team = TeamFile::new("team", [Participant::named("A")]).with_max_turns(1);
    team.team_tools.push(ToolTeam {
        name: "lab".into(),
        about: "Tests.".into(),
        team: tool,
        ..ToolTeam::default()
    });
    let said = problems(&team);
    assert!(said.contains("team_tools[0].team.user"), "{said}");
}
