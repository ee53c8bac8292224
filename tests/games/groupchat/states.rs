//! A saved state fits every version of its team, and names whoever differs.

use playhouse::context::View;
use playhouse::groupchat::message::ChatMessage;
use playhouse::groupchat::team::{EdgeFile, GraphFile, Participant, Selection, TeamFile};
use playhouse::groupchat::termination::Termination;
use playhouse::groupchat::{ChatError, Task, Team};
use serde_json::{Value, json};

use super::cases::short;
use super::minds::Scripted;
use super::tasks::team;

fn three() -> TeamFile {
    TeamFile::new("team", ["A", "B", "C"].map(Participant::named)).with_max_turns(2)
}

/// A team in the middle of a run: `user:hi`, `A:A1` were said.
async fn paused(file: TeamFile) -> Team {
    let script = Scripted::new(&Value::Null);
    let mut team = team(file, &script);
    team.user_proxy()
        .add_input(playhouse::groupchat::UserInput::task("hi"));
    team.engine().run(Some(2)).await.unwrap();
    assert_eq!(
        team.perspective("B").len(),
        2,
        "{:?}",
        team.perspective("B")
    );
    team
}

fn texts(messages: &[ChatMessage]) -> Vec<String> {
    messages.iter().map(short).collect()
}

#[tokio::test]
async fn a_state_is_loaded_by_a_team_with_other_settings_which_are_used() {
    let before = three().with_termination(Termination::max_messages(4));
    let state = paused(before).await.save_state().unwrap();
    let mut after = three()
        .with_max_turns(9)
        .with_termination(Termination::max_messages(5))
        .with_termination(Termination::mention("STOP"));
    after.rules = "Be kind.".into();
    after.title = "another".into();
    after.participants[1] = Participant::named("B").with_system_message("You are B.");
    after.participants[1].memory = vec!["likes tea".into()];
    after.participants[1].tools = vec!["calculate".into()];
    after.participants[2].view = View::Last(1);
    after.open = true;
    let script = Scripted::new(&Value::Null);
    let mut loaded = team(after, &script);
    loaded.load_state(&state).unwrap();
    let rest = loaded.run(Task::continue_run()).await.unwrap();
    let said = rest.messages.iter().filter(|message| !message.is_event());
    let said: Vec<_> = said.map(short).collect();
    assert_eq!(
        said,
        ["B:B1", "C:C1", "A:A2"],
        "5 of them, with those before"
    );
    assert!(rest.stop_reason.unwrap().contains("5"));
    let prompt = &script.heard("B").prompts[0];
    assert!(prompt.contains("Be kind.\n\nYou are B."), "{prompt}");
    assert!(
        prompt.contains("likes tea") && prompt.contains("A: A1"),
        "{prompt}"
    );
    assert_eq!(script.heard("C").prompts[0].matches("Human:").count(), 1);
    // Its own state, and that of the first version again.
    let own = loaded.save_state().unwrap();
    loaded.load_state(&own).unwrap();
    loaded.load_state(&state).unwrap();
}

#[tokio::test]
async fn a_state_of_others_is_refused_by_name_and_changes_nothing() {
    let state = paused(three()).await.save_state().unwrap();
    let named = |names: &[&str]| {
        let participants = names.iter().map(|name| Participant::named(*name));
        TeamFile::new("team", participants).with_max_turns(2)
    };
    let refused = |file: TeamFile, state: &Value| {
        let script = Scripted::new(&Value::Null);
        let mut team = team(file, &script);
        let error = team.load_state(state).unwrap_err();
        assert!(team.perspective("A").is_empty());
        error
    };
    let error = refused(named(&["A", "B", "D"]), &state);
    let ChatError::OtherParticipants(other) = &error else {
        panic!("{error:?}");
    };
    assert_eq!(other.missing, ["D"]);
    assert_eq!(other.extra, ["C"]);
    let error = error.to_string();
    assert!(
        error.contains("the state lacks D") && error.contains("this team lacks C"),
        "{error}"
    );
    let mut listed = state.clone();
    listed["agent_states"].as_object_mut().unwrap().remove("B");
    let error = refused(three(), &listed).to_string();
    assert!(error.contains("the state lacks B"), "{error}");
    listed["agent_states"]["Zed"] = json!({});
    let error = refused(three(), &listed).to_string();
    assert!(error.contains("this team lacks Zed"), "{error}");
    // As AutoGen writes it.
    let foreign = json!({"type": "TeamState", "version": "1.0.0", "agent_states": {}});
    let error = refused(three(), &foreign).to_string();
    assert!(error.contains("Team::run"), "{error}");
    let error = refused(three(), &json!({"x": 1}));
    assert!(matches!(error, ChatError::NotAState), "{error}");
}

#[tokio::test]
async fn another_selection_continues_the_conversation() {
    let state = paused(three()).await.save_state().unwrap();
    let graph = |edges: &[(&str, &str)]| {
        let edges = edges.iter().map(|(from, to)| EdgeFile::new(*from, *to));
        Selection::Graph(GraphFile {
            entry: String::new(),
            edges: edges.collect(),
        })
    };
    let script = Scripted::new(&Value::Null);
    let after = three().with_selection(graph(&[("A", "B"), ("B", "C")]));
    let mut loaded = team(after.with_max_turns(9), &script);
    loaded.load_state(&state).unwrap();
    let rest = loaded.run(Task::continue_run()).await.unwrap();
    assert_eq!(texts(&rest.messages), ["A:A2", "B:B1", "C:C1"]);
    let half = paused(three().with_selection(graph(&[("A", "B"), ("B", "C")])));
    let state = half.await.save_state().unwrap();
    let script = Scripted::new(&Value::Null);
    let mut loaded = team(three().with_selection(graph(&[("C", "A")])), &script);
    loaded.load_state(&state).unwrap();
    let rest = loaded.run("more").await.unwrap();
    assert_eq!(texts(&rest.messages), ["user:more", "B:B1", "C:C1"]);
}
