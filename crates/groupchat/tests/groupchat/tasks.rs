//! Nothing that is said from outside is lost: new tasks during a run, words in somebody's name, and
//! empty messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt;
use playhouse_engine::context::{SourceView, View};
use playhouse_engine::mind::Minds;
use playhouse_groupchat::message::ChatMessage;
use playhouse_groupchat::team::{
    EdgeFile, Fold, GraphFile, HistoryVisibility, Participant, ParticipantKind, Selection, TeamFile,
};
use playhouse_groupchat::termination::Termination;
use playhouse_groupchat::{ChatError, Task, TaskResult, Team, UserInput, UserProxy, mind_calls};
use serde_json::{Value, json};

use super::cases::message;
use super::minds::Scripted;
use super::{
    assert_told, caller, game, has, lacks, left_after, scripted, team, texts, three, unscripted,
    watched,
};

/// What somebody remembers: `role:name:text`.
fn memory(team: &Team, name: &str) -> Vec<String> {
    let seen = team.perspective(name).into_iter();
    seen.map(|seen| format!("{}:{}:{}", seen.role, seen.name, seen.content))
        .collect()
}

/// How a run is stopped before a second task is given.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Pause,
    Break,
    Cancel,
}

/// Runs a task until `after` messages came, stops as told, and gives another task.
async fn stopped(team: &mut Team, how: Stop, after: usize) -> TaskResult {
    let token = team.cancellation_token();
    let pause = team.pause_handle();
    if matches!(how, Stop::Break) {
        left_after(team, "first", after).await;
    } else {
        let mut stream = Box::pin(team.run_stream("first").unwrap());
        for _ in 0..after {
            stream.next().await.unwrap().unwrap();
        }
        match how {
            Stop::Cancel => token.cancel(),
            _ => pause.store(true, Ordering::SeqCst),
        }
        while stream.next().await.is_some_and(|item| item.is_ok()) {}
    }
    team.resume();
    team.run("second").await.unwrap()
}

#[tokio::test]
async fn a_task_that_is_given_to_a_stopped_run_is_added_and_answered() {
    for how in [Stop::Pause, Stop::Break, Stop::Cancel] {
        for after in 1..4 {
            let (mut team, _) = unscripted(three().with_max_turns(3));
            let result = stopped(&mut team, how, after).await;
            let told = texts(&result.messages);
            let second = told.iter().position(|text| text == "user:second");
            let second = second.unwrap_or_else(|| panic!("{how:?} after {after}: {told:?}"));
            let spoken = told.len() - second - 1;
            assert_eq!(spoken, 3, "{how:?} after {after}: {told:?}");
            let known = memory(&team, "C");
            let first = known.iter().position(|text| text == "user:user:first");
            let second = known.iter().position(|text| text == "user:user:second");
            assert!(first.is_some() && first < second, "{how:?}: {known:?}");
            // The next task is the next run, and not one that was left over.
            let third = team.run("third").await.unwrap();
            assert_eq!(third.messages.len(), 4, "{how:?} after {after}");
            assert_eq!(texts(&third.messages)[0], "user:third");
        }
    }
}

#[tokio::test]
async fn tasks_that_nobody_heard_become_one() {
    let (mut team, _) = unscripted(three().with_max_turns(1));
    team.cancellation_token().cancel();
    assert!(matches!(team.run("one").await, Err(ChatError::Cancelled)));
    assert_told(&mut team, "two", &["user:one", "user:two", "A:A1"]).await;
    assert_told(&mut team, "three", &["user:three", "B:B1"]).await;
}

#[tokio::test]
async fn a_reset_during_a_run_forgets_it_and_asks_nobody() {
    let (mut team, script) = unscripted(three().with_max_turns(9));
    left_after(&mut team, "first", 2).await;
    let calls = script.calls();
    team.reset().await.unwrap();
    assert_eq!(script.calls(), calls);
    assert!(memory(&team, "A").is_empty());
    let result = team.run("second").await.unwrap();
    assert_eq!(texts(&result.messages)[..2], ["user:second", "A:A1"]);
}

#[tokio::test]
async fn what_the_user_adds_during_a_run_is_heard_at_the_next_turn() {
    let (mut team, _) = unscripted(three().with_max_turns(3));
    let user = team.user_proxy().clone();
    let told = watched(&mut team, "first", |told| {
        if told == 2 {
            user.add_input(UserInput::task("shorter"));
        }
    })
    .await;
    let wanted = ["user:first", "A:A1", "user:shorter", "B:B1", "C:C1", "A:A2"];
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn an_interrupted_inner_team_and_a_graph_lose_nothing_that_was_said() {
    let inner = TeamFile::new("inner", ["A", "B"].map(Participant::named)).with_max_turns(4);
    let mut file = TeamFile::new("outer", ["inner", "C"].map(Participant::named));
    file.participants[0].kind = ParticipantKind::Team;
    let file = file.with_team(inner).with_max_turns(2);
    let (mut outer, script) = unscripted(file);
    outer.user_proxy().add_input(UserInput::task("first"));
    outer.engine().run(Some(4)).await.unwrap();
    assert_eq!(script.calls(), 1, "one of the inner team has spoken");
    let result = outer.run("second").await.unwrap();
    let told = texts(&result.messages);
    assert!(told.contains(&"user:second".to_owned()), "{told:?}");
    assert!(memory(&outer, "C").contains(&"user:A:A1".to_owned()));
    assert_eq!(outer.chat().turns, 2);
}

#[tokio::test]
async fn whoever_is_said_to_have_said_something_remembers_it_as_its_own() {
    let script = Scripted::new(&Value::Null);
    let mut file = three().with_max_turns(1);
    file.open = true;
    let mut team = team(file, &script);
    // An imported log.
    let log = ["user:hi", "A:hello", "B:good day", "A:and now?"].map(|said| message(&said.into()));
    team.run(log.to_vec()).await.unwrap();
    let known = [
        "user:user:hi",
        "assistant:A:hello",
        "user:B:good day",
        "assistant:A:and now?",
        "user:B:B2",
    ];
    assert_eq!(memory(&team, "A"), known);
    let known = ["user:user:hi", "user:A:hello", "assistant:B:good day"];
    assert_eq!(memory(&team, "B")[..3], known);
    team.user_proxy().say(ChatMessage::text("C", "I was out"));
    team.run("go").await.unwrap();
    assert!(memory(&team, "C").contains(&"assistant:C:I was out".to_owned()));
    assert!(memory(&team, "A").contains(&"user:C:I was out".to_owned()));
    // The user gave the task itself.
    let user = memory(&team, "user");
    let given = user.iter().filter(|said| said.ends_with(":go"));
    assert_eq!(given.count(), 1, "{user:?}");
    // It was no call of a mind.
    let calls = mind_calls(&team.engine().world);
    let of = |name: &str| calls.iter().filter(|call| call.agent == name).count();
    assert_eq!((of("A"), of("B")), (0, 1), "{calls:?}");
}

#[tokio::test]
async fn whoever_comes_back_hears_only_what_it_missed() {
    let script = Scripted::new(&Value::Null);
    let mut file = three().with_max_turns(1);
    file.open = true;
    file.newcomers = HistoryVisibility::Everything;
    let mut team = team(file, &script);
    team.run("one").await.unwrap();
    team.user_proxy().leave("A");
    team.run("two").await.unwrap();
    team.user_proxy().join("A");
    team.run("three").await.unwrap();
    let known = memory(&team, "A");
    let count = |text: &str| known.iter().filter(|known| *known == text).count();
    for once in [
        "user:user:one", "assistant:A:A1", "user:user:two", "user:user:three",
    ] {
        assert_eq!(count(once), 1, "{once}: {known:?}");
    }
}

#[tokio::test]
async fn the_ledger_works_on_the_new_task() {
    let analysis = json!({"text": {"subtasks": [{"id": "t1", "description": "dig"}]}});
    let done = json!({"text": {
        "is_request_satisfied": true, "is_in_loop": false, "is_progress_being_made": true,
        "next_speaker": "A", "instruction": "dig",
    }});
    let lines = json!({"team": [analysis, done, "Dug.", analysis, done, "Filled."]});
    let script = Scripted::new(&lines);
    let ledger = Selection::Ledger {
        max_stalls: 3,
        max_replans: 3,
    };
    let file = three().with_selection(ledger).with_max_turns(9);
    let mut team = team(file, &script);
    team.run("dig a hole").await.unwrap();
    team.run("fill it in").await.unwrap();
    let prompts = script.heard("team").prompts;
    let last = prompts[3].rsplit("Human:").next().unwrap().to_owned();
    has(&last, &["fill it in"]);
    lacks(&last, &["dig a hole"]);
}

#[tokio::test]
async fn a_ledger_that_names_somebody_unknown_goes_on_where_only_one_can_be_meant() {
    let analysis = json!({"text": {"subtasks": [{"id": "t1", "description": "dig"}]}});
    let next = |speaker: &str| {
        json!({"text": {
            "is_request_satisfied": false, "is_in_loop": false, "is_progress_being_made": true,
            "next_speaker": speaker, "instruction": "dig on",
        }})
    };
    let ledger = || Selection::Ledger {
        max_stalls: 3,
        max_replans: 3,
    };
    let lines = json!({"team": [analysis, next("Zed"), next("The digger")]});
    let script = Scripted::new(&lines);
    let alone = TeamFile::new("team", [Participant::named("A")]);
    let mut alone = team(alone.with_selection(ledger()).with_max_turns(3), &script);
    let result = alone.run("dig").await.unwrap();
    assert_eq!(result.last().unwrap().source, "A");
    assert_eq!(script.calls(), 6, "nobody is asked again");

    let lines = json!({"team": [analysis, next("**b**"), next("It is C's turn.")]});
    let script = Scripted::new(&lines);
    let file = three().with_selection(ledger()).with_max_turns(3);
    let mut team = team(file, &script);
    let result = team.run("dig").await.unwrap();
    let said = result.messages.iter().filter(|said| said.source.len() == 1);
    let said: Vec<_> = said.map(|said| said.source.as_str()).collect();
    assert_eq!(said, ["A", "B", "C"], "{:?}", texts(&result.messages));
}

#[tokio::test]
async fn a_thought_goes_with_a_handoff_and_stands_before_it() {
    let mut file = TeamFile::new("team", ["A", "B"].map(Participant::named))
        .with_selection(Selection::Swarm)
        .with_max_turns(2);
    file.participants[0] = Participant::named("A").with_handoff("B");
    file.participants[0].tools = vec!["calculate".into()];
    let call = json!({"text": "It is a bill.", "calls": [["1", "transfer_to_b", {}]]});
    let (mut team, script) = scripted(file, &json!({"A": [call]}));
    team.run("hi").await.unwrap();
    let prompt = &script.heard("B").prompts[0];
    let (thought, taken) = (prompt.find("It is a bill."), prompt.rfind("A: "));
    assert!(thought.is_some() && thought < taken, "{prompt}");
}

#[tokio::test]
async fn a_time_limit_ends_a_run_without_a_clock_of_ones_own() {
    let limit = Termination::Timeout {
        turns: None,
        seconds: Some(0.15),
    };
    let late = json!({"text": "so", "delay_ms": 40});
    let script = Scripted::new(&json!({"A": vec![late.clone(); 99], "B": vec![late; 99]}));
    let file = TeamFile::new("team", ["A", "B"].map(Participant::named)).with_termination(limit);
    let mut team = team(file, &script);
    let run = tokio::time::timeout(std::time::Duration::from_secs(20), team.run("hi"));
    let result = run.await.expect("the limit fires").unwrap();
    assert!(result.stop_reason.unwrap().contains("0.15 seconds"));
    assert!(result.messages.len() < 8, "{:?}", result.messages);
}

#[tokio::test]
async fn a_time_limit_goes_on_counting_after_a_load() {
    let limit = Termination::Timeout {
        turns: None,
        seconds: Some(0.05),
    };
    let file = three().with_termination(limit);
    let made = || {
        let now = AtomicU64::new(0);
        let clock = move || now.fetch_add(20, Ordering::SeqCst);
        let script = Scripted::new(&Value::Null);
        let minds = Minds::all(Arc::new(script));
        let user = UserProxy::new().with_clock(clock);
        Team::with_user_proxy(game(file.clone()), minds, user, 7).unwrap()
    };
    let mut first = made();
    let pause = first.pause_handle();
    watched(&mut first, "hi", |told| {
        pause.store(told == 3, Ordering::SeqCst);
    })
    .await;
    let state = first.save_state().unwrap();
    let mut second = made();
    second.load_state(&state).unwrap();
    let rest = second.run(Task::continue_run()).await.unwrap();
    assert!(rest.messages.len() <= 1, "{:?}", texts(&rest.messages));
}

#[test]
fn options_in_team_files_are_plain_values() {
    let plain = r#"Team(
        name: "desk",
        participants: [
            (name: "Ava", reflect_on_tool_use: true, output: (name: "R", schema: "{\"type\": \"object\"}"),
                view: Sources([(source: "user", first: 1, last: 2)])),
            (name: "Bo"),
        ],
        termination: [
            Timeout(seconds: 90.5), Timeout(turns: 4), Timeout(seconds: 60),
            TokenUsage(total: 100, prompt: 90), TextMessage(source: "Bo"),
        ],
        max_turns: 3,
    )"#;
    let wrapped = plain
        .replace("use: true", "use: Some(true)")
        .replace("90.5", "Some(90.5)")
        .replace("turns: 4", "turns: Some(4)")
        .replace("first: 1, last: 2", "first: Some(1), last: Some(2)")
        .replace("total: 100", "total: Some(100)")
        .replace("max_turns: 3", "max_turns: Some(3)");
    let read = |text: &str| TeamFile::parse("desk.ron", text).unwrap().0;
    assert_eq!(read(plain), read(&wrapped));
    assert_eq!(read(plain).max_turns, Some(3));
}

#[tokio::test]
async fn no_request_is_without_a_message_and_no_message_without_words() {
    for view in [
        View::Last(0),
        View::HeadTail { head: 0, tail: 0 },
        View::Sources(Vec::new()),
        View::Sources(vec![SourceView {
            source: "A".into(),
            first: None,
            last: None,
        }]),
        View::Whole,
    ] {
        let mut file = TeamFile::new("team", [Participant::named("A")]).with_max_turns(2);
        file.participants[0].view = view.clone();
        let (mut team, script) = unscripted(file);
        team.run("hi").await.unwrap();
        let of_ann = |words: &str| ChatMessage::text("Ann", words);
        let said = [" ", "well", ""].map(of_ann).to_vec();
        team.run(said).await.unwrap();
        for prompt in script.heard("A").prompts {
            let last = prompt.rsplit("Human:").next().unwrap();
            has(&prompt, &["Human:"]);
            assert!(!last.trim().is_empty(), "{view:?}: {prompt}");
            lacks(&format!("{prompt}\n"), &["Ann: \n"]);
        }
        assert!(matches!(team.run("  ").await, Err(ChatError::EmptyTask)));
        let blank = vec![of_ann(" ")];
        assert!(matches!(team.run(blank).await, Err(ChatError::EmptyTask)));
    }
}

#[tokio::test]
async fn a_view_by_source_keeps_ones_own_turns() {
    let mut file = TeamFile::new("team", ["A", "B"].map(Participant::named)).with_max_turns(5);
    file.participants[0].view = View::Sources(vec![SourceView {
        source: "user".into(),
        first: None,
        last: None,
    }]);
    let (mut team, script) = unscripted(file);
    team.run("hi").await.unwrap();
    let views = script.heard("A").views;
    let last = json!([
        ["user", "user", "hi"],
        ["assistant", "A", "A1"],
        ["assistant", "A", "A2"]
    ]);
    assert_eq!(views[2], last);
}

#[tokio::test]
async fn members_of_a_graph_without_edges_speak_once_each() {
    let script = Scripted::new(&Value::Null);
    let mut members = team(
        three().with_selection(Selection::Graph(GraphFile::default())),
        &script,
    );
    assert_told(&mut members, "hi", &["user:hi", "A:A1", "B:B1", "C:C1"]).await;
    let graph = GraphFile {
        entry: String::new(),
        edges: vec![EdgeFile::new("A", "B")],
    };
    let (mut some, _) = unscripted(three().with_selection(Selection::Graph(graph)));
    let result = some.run("hi").await.unwrap();
    assert_eq!(texts(&result.messages), ["user:hi", "A:A1", "C:C1", "B:B1"]);
    assert!(result.stop_reason.unwrap().contains("complete"));
}

#[tokio::test]
async fn an_empty_answer_is_sent_back_whatever_its_type() {
    let mut file = TeamFile::new("team", [Participant::named("A")]).with_max_turns(1);
    file.participants[0].produces = vec!["StopMessage".into()];
    let (mut team, _) = scripted(file, &json!({"A": [" ", "well then"]}));
    assert_told(&mut team, "hi", &["user:hi", "A:well then"]).await;
}

#[tokio::test]
async fn code_that_was_refused_is_not_proposed_again() {
    let mut file = TeamFile::new("team", ["A", "B"].map(Participant::named)).with_max_turns(3);
    file.participants[0].kind = ParticipantKind::Coder {
        writes: false,
        sources: Vec::new(),
        approver: "B".into(),
        retries: 0,
    };
    let no = json!({"text": {"approved": false, "reason": "not here"}});
    let script = Scripted::new(&json!({"B": [no, "let us not"]}));
    let game = game(file).with_code(playhouse_tools::code::CodePolicy {
        allow_processes: true,
        ..Default::default()
    });
    let mut team = Team::new(game, Minds::all(Arc::new(script.clone())), 7).unwrap();
    let result = team.run("```sh\nls\n```").await.unwrap();
    assert_eq!(script.heard("B").prompts.len(), 2, "{result:?}");
    let own = memory(&team, "A");
    assert!(own[1].starts_with("assistant:A:"), "{own:?}");
}

#[tokio::test]
async fn a_long_conversation_is_folded_into_its_own_summary() {
    let long = "word ".repeat(60);
    let fold = Fold {
        tokens: 100,
        keep: 1,
        instruction: String::new(),
    };
    let said = |name: &str| format!("{name}: {long}");
    let lines = json!({
        "A": [said("a1"), "the gist", "a2 at last"],
        "B": [said("b1"), "gist of B", "b2"],
    });
    let mut file = TeamFile::new("team", ["A", "B"].map(Participant::named)).with_max_turns(4);
    file.fold = Some(fold);
    let (mut team, script) = scripted(file, &lines);
    let result = team.run("hi").await.unwrap();
    let spoken = result.messages.iter().filter(|said| !said.is_event());
    assert_eq!(spoken.count(), 5, "{:?}", texts(&result.messages));
    let prompts = script.heard("A").prompts;
    assert!(prompts[1].contains("Summarise"), "{}", prompts[1]);
    has(&prompts[2], &["the gist", "b1"]);
    // Nobody said what is asked.
    lacks(&prompts[2], &["user: hi", "user: What was said"]);
    // What was folded can still be looked up.
    let calls = mind_calls(&team.engine().world);
    let of_a = calls.iter().filter(|call| call.agent == "A");
    let replies: Vec<_> = of_a.map(|call| call.reply.clone()).collect();
    assert_eq!(replies.len(), 3, "{replies:?}");
    assert_eq!(replies[1..], ["the gist", "a2 at last"]);
    let state = team.save_state().unwrap();
    team.load_state(&state).unwrap();
}

#[tokio::test]
async fn the_teams_own_model_folds_its_conversation_too() {
    let fold = Fold {
        tokens: 60,
        keep: 0,
        instruction: "In one line.".into(),
    };
    let long = "word ".repeat(60);
    let lines = json!({
        "team": ["A", "all in one line", "B"], "A": [long, "gist"], "B": ["gist", "b1"],
    });
    let mut file = TeamFile::new("team", ["A", "B", "C"].map(Participant::named))
        .with_selection(Selection::selector())
        .with_max_turns(2);
    file.fold = Some(fold);
    let (mut team, script) = scripted(file, &lines);
    let result = team.run("hi").await.unwrap();
    let prompts = script.heard("team").prompts;
    assert!(prompts[1].contains("In one line."), "{}", prompts[1]);
    assert!(prompts[2].contains("all in one line"), "{}", prompts[2]);
    assert_eq!(result.last().unwrap().to_text(), "b1");
}

#[tokio::test]
async fn notes_grow_from_run_to_run_and_survive_a_reset_and_a_restart() {
    let mut file = TeamFile::new("team", [Participant::named("A")]).with_max_turns(1);
    file.participants[0].tools = vec!["remember".into()];
    file.participants[0].memory = vec!["is a cook".into()];
    file.participants[0].reflect_on_tool_use = Some(true);
    let note = json!({"calls": [["1", "remember", {"note": "Ann eats no nuts."}]]});
    let (mut first, _) = scripted(file.clone(), &json!({"A": [note, "I see.", "again"]}));
    let result = first.run("I am Ann; no nuts for me.").await.unwrap();
    assert_eq!(result.last().unwrap().to_text(), "I see.");
    assert_eq!(first.memory("A"), ["is a cook", "Ann eats no nuts."]);
    first.reset().await.unwrap();
    let state = first.save_state().unwrap();
    let later = Scripted::new(&Value::Null);
    let mut second = team(file, &later);
    second.load_state(&state).unwrap();
    second.run("What can I eat?").await.unwrap();
    let prompt = &later.heard("A").prompts[0];
    assert!(prompt.contains("- Ann eats no nuts."), "{prompt}");
    assert!(!prompt.contains("I am Ann"), "{prompt}");
}

#[tokio::test]
async fn a_message_tells_why_its_model_ended_it() {
    use playhouse_groupchat::message::GenerateReason;
    let call = || json!({"calls": [["1", "calculate", {"expression": "6 * 7"}]]});
    for (iterations, wanted) in [
        (1, Some(GenerateReason::ToolCalls)),
        (2, Some(GenerateReason::MaxIterations)),
        (3, None),
    ] {
        let mut agent = caller("A", "calculate");
        agent.max_tool_iterations = iterations;
        let (mut agent, _) = scripted(
            TeamFile::solo(agent),
            &json!({"A": [call(), call(), "done"]}),
        );
        let result = agent.run("6 * 7?").await.unwrap();
        let last = result.last().unwrap();
        assert_eq!(last.generate_reason(), wanted, "{iterations}");
        let json = ChatMessage::load(last.dump()).unwrap();
        assert_eq!(json.generate_reason(), wanted);
    }
}
