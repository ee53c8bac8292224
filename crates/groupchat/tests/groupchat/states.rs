//! A saved state fits every version of its team, and names whoever differs.

use playhouse_engine::context::View;
use playhouse_groupchat::team::{
    EdgeFile, GraphFile, Participant, ParticipantKind, Selection, TeamFile,
};
use playhouse_groupchat::termination::Termination;
use playhouse_groupchat::{ChatError, Task, Team, UserInput};
use serde_json::{Value, json};

use super::cases::short;
use super::minds::Scripted;
use super::{assert_told, has, team, unscripted};

fn three() -> TeamFile {
    super::three().with_max_turns(2)
}

/// A team in the middle of a run: `user:hi`, `A:A1` were said.
async fn paused(file: TeamFile) -> Team {
    let (mut team, _) = unscripted(file);
    team.user_proxy().add_input(UserInput::task("hi"));
    team.engine().run(Some(2)).await.unwrap();
    assert_eq!(team.perspective("B").len(), 2);
    team
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
    let (mut loaded, script) = unscripted(after);
    loaded.load_state(&state).unwrap();
    let rest = loaded.run(Task::continue_run()).await.unwrap();
    let said = rest.messages.iter().filter(|message| !message.is_event());
    let said: Vec<_> = said.map(short).collect();
    // 5 of them, with those before.
    assert_eq!(said, ["B:B1", "C:C1", "A:A2"]);
    assert!(rest.stop_reason.unwrap().contains("5"));
    let prompt = &script.heard("B").prompts[0];
    assert!(prompt.contains("Be kind.\n\nYou are B."), "{prompt}");
    has(prompt, &["likes tea", "A: A1"]);
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
        let (mut team, _) = unscripted(file);
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
    has(&error, &["the state lacks D", "this team lacks C"]);
    let mut listed = state.clone();
    listed["agent_states"].as_object_mut().unwrap().remove("B");
    let error = refused(three(), &listed).to_string();
    assert!(error.contains("the state lacks B"), "{error}");
    listed["agent_states"]["Zed"] = json!({});
    let error = refused(three(), &listed).to_string();
    assert!(error.contains("this team lacks Zed"), "{error}");
    let nobody = json!({"type": "TeamState", "version": "1.0.0", "agent_states": {}});
    let error = refused(three(), &nobody).to_string();
    assert!(error.contains("the state lacks A, B, C"), "{error}");
    let mut odd = autogen_state();
    odd["agent_states"]["B"]["message_buffer"][0]["type"] = "Nope".into();
    for broken in [json!({"x": 1}), odd] {
        let error = refused(three(), &broken);
        assert!(matches!(error, ChatError::NotAState(_)), "{error}");
    }
}

/// What AutoGen saved of three agents in turn, after the task and the turn of the first.
fn autogen_state() -> Value {
    let text = |source: &str, text: &str| {
        json!({"type": "TextMessage", "source": source, "content": text, "id": "1", "metadata": {},
            "models_usage": null, "created_at": "2025-05-01T10:00:00Z"})
    };
    let agent = |known: Value, buffer: &[Value]| {
        let agent_state = json!({"type": "AssistantAgentState", "version": "1.0.0",
            "llm_context": {"messages": known}});
        json!({"type": "ChatAgentContainerState", "version": "1.0.0", "agent_state": agent_state,
            "message_buffer": buffer})
    };
    let known = json!([
        {"type": "UserMessage", "content": "hi", "source": "user"},
        {"type": "AssistantMessage", "content": [{"id": "c1", "name": "look", "arguments": "{}"}],
            "thought": "Hm.", "source": "A"},
        {"type": "FunctionExecutionResultMessage",
            "content": [{"call_id": "c1", "name": "look", "content": "a hill", "is_error": false}]},
        {"type": "AssistantMessage", "content": "A hill.", "thought": null, "source": "A"},
    ]);
    let thread = [text("user", "hi"), text("A", "A hill.")];
    json!({"type": "TeamState", "version": "1.0.0", "agent_states": {
        "A": agent(known, &[]),
        "B": agent(json!([]), &thread),
        "C": agent(json!([]), &thread),
        "RoundRobinGroupChatManager": {"type": "RoundRobinManagerState", "version": "1.0.0",
            "message_thread": thread, "current_turn": 1, "next_speaker_index": 1},
    }})
}

#[tokio::test]
async fn a_state_of_autogen_is_loaded_and_what_is_saved_has_its_form() {
    let (mut loaded, script) = unscripted(three());
    loaded.load_state(&autogen_state()).unwrap();
    let own = loaded.save_state().unwrap();
    // What each agent knows comes back as it was.
    let before = autogen_state();
    for name in ["A", "B", "C"] {
        let (own, before) = (&own["agent_states"][name], &before["agent_states"][name]);
        assert_eq!(own["agent_state"]["type"], "AssistantAgentState");
        let texts = |state: &Value| {
            let known = state["agent_state"]["llm_context"]["messages"].as_array();
            let known = known.unwrap().iter().map(|told| told["content"].clone());
            let buffer = state["message_buffer"].as_array().unwrap().iter();
            let buffer = buffer.map(|told| json!([told["type"], told["source"], told["content"]]));
            (known.collect::<Vec<_>>(), buffer.collect::<Vec<_>>())
        };
        assert_eq!(texts(own), texts(before), "{name}");
    }
    let manager = &own["agent_states"]["RoundRobinGroupChatManager"];
    assert_eq!(manager["type"], "RoundRobinManagerState");
    assert_eq!(manager["next_speaker_index"], 1);
    assert_eq!(manager["message_thread"][1]["content"], "A hill.");
    // It is also a conversation of each agent and of the team for other programs.
    let read = playhouse_interop::read_value(&own, None).unwrap();
    let names = read.conversations.iter().map(|read| read.name.as_deref());
    assert!(names.eq([Some("A"), None]));
    // The run continues with the next in turn, who has heard everything.
    assert_told(&mut loaded, Task::continue_run(), &["B:B1", "C:C1"]).await;
    assert_eq!(script.heard("B").delivered[0], ["user:hi", "A:A hill."]);
    let mut again = team(three(), &script);
    again.load_state(&own).unwrap();
    assert_eq!(again.perspective("A").len(), 4);
}

#[tokio::test]
async fn a_state_with_teams_inside_has_theirs_inside() {
    let mut outer = three();
    outer.participants[1].kind = ParticipantKind::Team;
    outer.participants[2].kind = ParticipantKind::Society {
        team: "society".into(),
        instruction: String::new(),
    };
    let inner = |name: &str, participant: &str| {
        TeamFile::new(name, [Participant::named(participant)]).with_max_turns(1)
    };
    let outer = outer
        .with_team(inner("B", "Bea"))
        .with_team(inner("society", "Cy"));
    let (mut first, script) = unscripted(outer.clone());
    first.run("hi").await.unwrap();
    let mut state = first.save_state().unwrap();
    let states = &state["agent_states"];
    let of_bea = &states["B"]["agent_state"]["agent_states"]["Bea"];
    assert_eq!(of_bea["type"], "ChatAgentContainerState");
    let of_society = &states["C"]["agent_state"];
    assert_eq!(of_society["type"], "SocietyOfMindAgentState");
    assert!(of_society["inner_team_state"]["agent_states"]["Cy"].is_object());
    let mut second = team(outer, &script);
    second.load_state(&state).unwrap();
    // Without the world, as another program would have written it.
    state.as_object_mut().unwrap().remove("world");
    second.load_state(&state).unwrap();
    assert_eq!(second.perspective("Bea").last().unwrap().content, "Bea1");
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
    assert_told(&mut loaded, Task::continue_run(), &["A:A2", "B:B1", "C:C1"]).await;
    let half = paused(three().with_selection(graph(&[("A", "B"), ("B", "C")])));
    let state = half.await.save_state().unwrap();
    let (mut loaded, _) = unscripted(three().with_selection(graph(&[("C", "A")])));
    loaded.load_state(&state).unwrap();
    assert_told(&mut loaded, "more", &["user:more", "B:B1", "C:C1"]).await;
}
