//! Streams, pauses, cancellation, joining and leaving.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use playhouse_engine::context::context_to_json;
use playhouse_engine::engine::Stop;
use playhouse_engine::exchange::{UNFINISHED, lost_requests, recorded_ledgers};
use playhouse_engine::mind::{
    Answering, Completion, Mind, MindInfo, Minds, Prompt, ScriptLine, ScriptMind,
};
use playhouse_engine::session::Session;
use playhouse_groupchat::message::{ChatContent, ChatMessage, MultiModalPart};
use playhouse_groupchat::team::{HistoryVisibility, Participant, ParticipantKind, TeamFile};
use playhouse_groupchat::termination::Termination;
use playhouse_groupchat::{
    ChatError, ChatGame, Task, Team, TeamTool, UserInput, UserProxy, seat_user_proxy,
};
use playhouse_tools::code::CodePolicy;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::minds::Scripted;
use super::{assert_told, caller, game, scripted, team, texts, three, unscripted, watched};

#[tokio::test]
async fn whoever_is_outside_can_end_a_run_and_the_clock_starts_with_it() {
    let file = three()
        .with_termination(Termination::External)
        .with_termination(Termination::Timeout {
            turns: None,
            seconds: Some(0.05),
        });
    let script = Scripted::new(&Value::Null);
    let now = AtomicU64::new(1_000);
    let user_proxy = UserProxy::new().with_clock(move || now.fetch_add(20, Ordering::SeqCst));
    let minds = Minds::all(Arc::new(script.clone()));
    let mut team = Team::with_user_proxy(game(file), minds, user_proxy, 7).unwrap();
    let result = team.run("hi").await.unwrap();
    assert_eq!(texts(&result.messages), ["user:hi", "A:A1", "B:B1"]);
    assert!(result.stop_reason.unwrap().contains("0.05 seconds"));
    team.user_proxy().stop();
    assert_told(&mut team, "more", &["user:more"]).await;
}

#[tokio::test]
async fn those_who_join_see_what_the_rule_says_and_those_who_left_hear_nothing() {
    for (rule, wanted) in [
        (HistoryVisibility::Nothing, vec!["B:B1"]),
        (HistoryVisibility::Last(1), vec!["A:A1", "B:B1"]),
        (
            HistoryVisibility::Everything,
            vec!["user:hi", "A:A1", "B:B1"],
        ),
    ] {
        let mut file = three().with_max_turns(5);
        file.open = true;
        file.newcomers = rule;
        file.participants[2].absent = true;
        let (mut team, script) = unscripted(file);
        let user_proxy = team.user_proxy().clone();
        let told = watched(&mut team, "hi", |told| match told {
            2 => user_proxy.join("C"),
            4 => user_proxy.leave("A"),
            _ => {}
        })
        .await;
        assert_eq!(told, ["user:hi", "A:A1", "B:B1", "C:C1", "B:B2", "C:C2"]);
        assert_eq!(script.heard("C").delivered[0], wanted, "{rule:?}");
        let store = team.perspective("A");
        assert!(!store.iter().any(|seen| seen.content == "C2"));
    }
}

#[tokio::test]
async fn a_whisper_reaches_those_it_is_for_alone() {
    let mut file = three().with_max_turns(3);
    file.whispers = true;
    let script = Scripted::new(&json!({
        "A": [{"text": {"message": "psst", "whisper_to": ["C"]}}],
        "B": [{"text": {"message": "aloud"}}],
        "C": ["no JSON, so aloud"],
    }));
    let mut team = team(file, &script);
    assert_told(
        &mut team,
        "hi",
        &["user:hi", "A:psst", "B:aloud", "C:no JSON, so aloud"],
    )
    .await;
    let first = |who: &str| script.heard(who).delivered[0].clone();
    assert_eq!(first("C"), ["user:hi", "A:psst", "B:aloud"]);
    assert_eq!(first("B"), ["user:hi"]);
    for who in ["B", "team", "user"] {
        assert!(!heard_contains(&team, who, "psst"), "{who}");
    }
}

#[tokio::test]
async fn an_outage_within_a_tool_stops_the_run_instead_of_being_told() {
    let dead = Scripted::new(&json!({"A": [{"fail": "no power"}]}));
    let inner = TeamFile::new("inner", [Participant::named("A")]).with_max_turns(1);
    let tool = TeamTool::new(game(inner), Minds::all(Arc::new(dead)));
    let asks = caller("B", "ask");
    let file = TeamFile::new("outer", [asks]).with_max_turns(1);
    for falls_back in [false, true] {
        let lines = json!({"B": [{"calls": [["1", "ask", {"task": "well?"}]]}, "B1"]});
        let script = Scripted::new(&lines);
        let game = game(file.clone()).with_team_tool("ask", "Asks others.", tool.clone());
        let mut team = Team::new(game, Minds::all(Arc::new(script)), 7).unwrap();
        team.engine().settings.falls_back = falls_back;
        match team.run("hi").await {
            Err(ChatError::Stopped(Stop::ServerDown(reason))) if !falls_back => {
                assert!(reason.to_string().contains("no power"), "{reason}");
            }
            Ok(result) if falls_back => assert!(result.messages.len() > 1),
            other => panic!("{other:?}"),
        }
    }
}

/// The prompt tokens that a journal says were spent, first those of what is unfinished. One request
/// was on its way when the run ended, of which nobody knows whether it was paid for.
fn paid(session: &Session) -> [u64; 2] {
    let journal = session.slot().read_journal().unwrap();
    let lost = lost_requests(&journal);
    let most: Vec<_> = lost.values().map(|lost| lost.calls).collect();
    assert_eq!(most, [1], "{lost:?}");
    let ledgers = recorded_ledgers(&journal);
    let mut paid = [0, 0];
    for (purpose, spent) in ledgers.into_iter().flat_map(|(_, ledger)| ledger.purposes) {
        paid[usize::from(purpose != UNFINISHED)] += spent.usage.input;
    }
    paid
}

#[tokio::test(start_paused = true)]
async fn what_a_team_that_is_a_tool_has_paid_is_counted_once_however_the_run_ends() {
    let inner = TeamFile::new("inner", ["A", "C"].map(Participant::named)).with_max_turns(2);
    let mut caller = caller("B", "ask");
    caller.reflect_on_tool_use = Some(true);
    let file = TeamFile::new("outer", [caller]).with_max_turns(1);
    let game = |minds: &Minds| {
        let tool = TeamTool::new(self::game(inner.clone()), minds.clone());
        self::game(file.clone()).with_team_tool("ask", "Asks others.", tool)
    };
    let minds = |b: &[Value], c: Value| {
        let lines = json!({"A": [{"text": "A1", "usage": [10, 0]}], "B": b, "C": [c]});
        Minds::all(Arc::new(Scripted::new(&lines)))
    };
    let asks = json!({"calls": [["1", "ask", {"task": "well?"}]], "usage": [5, 0]});
    let answers = json!({"text": "B1", "usage": [300, 0]});
    let root = tempfile::tempdir().unwrap();
    // A tool that was killed is not run again; one that was stopped is.
    let killed = ("killed", vec![answers.clone()], [10, 305]);
    let stopped = ("stopped", vec![asks.clone(), answers], [15, 355]);
    for (slot, rest, whole) in [killed, stopped] {
        let late = json!({"text": "C1", "delay_ms": 60_000});
        let slow = minds(std::slice::from_ref(&asks), late);
        let user_proxy = UserProxy::new();
        user_proxy.add_input(UserInput::task("hi"));
        let seated = seat_user_proxy(&game(&slow), slow.clone(), &user_proxy);
        let mut session = Session::start(root.path(), slot, &game(&slow), 7, seated).unwrap();
        let stop = session.engine.cancellation_token();
        let stops = async {
            tokio::time::sleep(Duration::from_secs(9)).await;
            if slot == "stopped" {
                stop.cancel();
            }
        };
        let run = tokio::time::timeout(Duration::from_secs(30), session.engine.run(None));
        let (run, ()) = tokio::join!(run, stops);
        assert_eq!(run.is_err(), slot == "killed");
        assert_eq!(paid(&session), [15, 0], "{slot}");
        drop(session);
        let quick = minds(&rest, json!({"text": "C1", "usage": [40, 0]}));
        let seated = seat_user_proxy(&game(&quick), quick.clone(), &user_proxy);
        let mut session = Session::resume(root.path(), slot, &game(&quick), seated, false).unwrap();
        session.engine.run(None).await.unwrap();
        assert_eq!(paid(&session), whole, "{slot}");
    }
}

#[tokio::test]
async fn a_stage_delivers_as_a_hub_does() {
    let mut file = TeamFile::new("hub", ["a", "b", "c"].map(Participant::named)).with_max_turns(3);
    file.open = true;
    file.user = "host".into();
    file.participants[2].absent = true;
    let lines = json!({
        "a": [{"text": "hi", "thinking": "secret"}], "b": ["b's reply", "again", "more"],
        "c": ["c's reply", "and more", "still"],
    });
    let (mut team, _) = scripted(file, &lines);
    let user_proxy = team.user_proxy().clone();
    watched(&mut team, "welcome", |told| match told {
        // After a thought, and what was said.
        3 => user_proxy.join("c"),
        4 => {
            user_proxy.leave("a");
            user_proxy.leave("nobody");
        }
        _ => {}
    })
    .await;
    let heard = |who: &str| {
        let seen = team.perspective(who).into_iter();
        let others = seen.filter(|seen| seen.role == "user");
        others.map(|seen| seen.content).collect::<Vec<_>>()
    };
    assert_eq!(heard("a"), ["welcome", "b's reply"]);
    assert_eq!(heard("b"), ["welcome", "hi", "c's reply"]);
    assert_eq!(heard("c"), ["b's reply"]);
    team.run("manual").await.unwrap();
    assert!(heard_contains(&team, "b", "manual") && heard_contains(&team, "c", "manual"));
    assert!(!heard_contains(&team, "a", "manual"));
    // Thoughts stay with whoever thought them.
    for (who, knows) in [("a", true), ("b", false), ("c", false)] {
        let context = context_to_json(team.context(who).unwrap()).to_string();
        assert_eq!(context.contains("secret"), knows, "{who}");
    }
}

#[tokio::test]
async fn whoever_has_left_is_not_heard() {
    let mut file = three().with_max_turns(1);
    file.open = true;
    let (mut team, _) = unscripted(file);
    let user_proxy = team.user_proxy().clone();
    let say = |source: &str, text: &str| user_proxy.say(ChatMessage::text(source, text));
    say("A", "a last word");
    user_proxy.leave("A");
    say("A", "too late");
    say("host", "from outside");
    team.run("hi").await.unwrap();
    say("A", "still here");
    team.run("more").await.unwrap();
    user_proxy.leave("B");
    user_proxy.join("A");
    user_proxy.join("B");
    say("A", "back again");
    say("B", "never gone");
    team.run("and more").await.unwrap();
    let heard = |text: &str| heard_contains(&team, "C", text);
    for text in ["a last word", "from outside", "back again", "never gone"] {
        assert!(heard(text), "{text}");
    }
    assert!(!heard("too late") && !heard("still here"));
}

fn heard_contains(team: &Team, who: &str, text: &str) -> bool {
    let seen = team.perspective(who);
    seen.iter().any(|seen| seen.content.contains(text))
}

/// A person who does not answer until `open` is set.
struct Waits {
    info: MindInfo,
    open: Arc<AtomicBool>,
    /// Told when it is asked and doesn't answer.
    asked: Arc<Notify>,
}

impl Mind for Waits {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, _prompt: &Prompt<'_>) -> Answering {
        if self.open.load(Ordering::SeqCst) {
            let completion = Completion::instant("p", "here I am");
            Box::pin(std::future::ready(Ok(completion)))
        } else {
            self.asked.notify_one();
            Box::pin(std::future::pending())
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn code_that_ran_is_not_run_again_when_a_run_goes_on() {
    let mark = tempfile::NamedTempFile::new().unwrap();
    let mut file = three().with_max_turns(3);
    file.participants[0].kind = ParticipantKind::Coder {
        writes: false,
        sources: Vec::new(),
        approver: "B".into(),
        retries: 0,
    };
    file.participants[2].kind = ParticipantKind::Person;
    let open = Arc::new(AtomicBool::new(false));
    let asked = Arc::new(Notify::new());
    let person = Waits {
        info: MindInfo::embedded("p"),
        open: open.clone(),
        asked: asked.clone(),
    };
    let yes = json!({"text": {"approved": true, "reason": "harmless"}});
    let script = Scripted::new(&json!({"B": [yes, "I saw it run"]}));
    let minds = Minds::all(Arc::new(script.clone()));
    let game = game(file).with_code(CodePolicy {
        allow_processes: true,
        ..CodePolicy::default()
    });
    let mut team = Team::new(game, minds.with_seat("C", Arc::new(person)), 7).unwrap();
    let task = format!("```sh\necho once | tee -a {}\n```", mark.path().display());
    tokio::select! {
        answered = team.run(task) => panic!("{answered:?}"),
        () = asked.notified() => {}
    }
    open.store(true, Ordering::SeqCst);
    let rest = team.run(Task::continue_run()).await.unwrap();
    assert_eq!(rest.last().unwrap().to_text(), "here I am");
    assert!(script.heard("B").prompts[0].contains("tee -a"));
    let mut known = team.perspective("B").into_iter();
    assert!(known.any(|seen| seen.name == "A" && seen.content.contains("once")));
    assert!(!heard_contains(&team, "B", "approved"));
    assert_eq!(std::fs::read_to_string(mark.path()).unwrap(), "once\n");
}

#[tokio::test]
async fn a_run_that_was_given_up_while_a_person_thinks_goes_on_here_and_after_a_restart() {
    for restarts in [false, true] {
        let mut file = three().with_max_turns(4);
        file.participants[2].kind = ParticipantKind::Person;
        let open = Arc::new(AtomicBool::new(false));
        let asked = Arc::new(Notify::new());
        let made = |script: &Scripted| {
            let person = Waits {
                info: MindInfo::embedded("p"),
                open: open.clone(),
                asked: asked.clone(),
            };
            let minds = Minds::all(Arc::new(script.clone()));
            let minds = minds.with_seat("C", Arc::new(person));
            Team::new(game(file.clone()), minds, 7).unwrap()
        };
        let script = Scripted::new(&Value::Null);
        let mut team = made(&script);
        // Twice, to check that nothing recorded is lost.
        for task in [Task::from("hi"), Task::continue_run()] {
            tokio::select! {
                answered = team.run(task) => panic!("{answered:?}"),
                () = asked.notified() => {}
            }
        }
        let state = team.save_state().unwrap();
        let later = Scripted::new(&Value::Null);
        if restarts {
            team = made(&later);
            team.load_state(&state).unwrap();
        }
        open.store(true, Ordering::SeqCst);
        let rest = ["UserInputRequestedEvent (C) ", "C:here I am", "A:A2"];
        assert_told(&mut team, Task::continue_run(), &rest).await;
        assert_eq!(script.heard("B").prompts.len(), 1, "nobody is asked twice");
    }
}

#[tokio::test]
async fn an_agent_runs_alone_and_answers_with_what_it_did_on_the_way() {
    let agent = caller("A", "calculate");
    let script = Scripted::new(&json!({
        "A": [{"text": "hm", "calls": [["1", "calculate", {"expression": "6 * 7"}]]}, "and more"],
    }));
    let mut agent = team(TeamFile::solo(agent), &script);
    let result = agent.run("6 * 7?").await.unwrap();
    let responses = result.responses();
    assert_eq!(responses[1].chat_message.to_text(), "42");
    let inner = responses[1].inner_messages.iter();
    assert!(inner.map(ChatMessage::type_name).eq([
        "ThoughtEvent",
        "ToolCallRequestEvent",
        "ToolCallExecutionEvent"
    ]));
    assert_told(&mut agent, "go on", &["user:go on", "A:and more"]).await;
}

/// A team of one that calls a team of two. Each of their turns costs ten tokens.
fn caller_of_a_lab() -> (ChatGame, Scripted) {
    let file: TeamFile = serde_json::from_value(json!({
        "name": "team", "max_turns": 1, "participants": [{"name": "Ava", "tools": ["lab"]}],
        "team_tools": [{"name": "lab", "about": "Tests.", "team": {
            "name": "laboratory", "max_turns": 4, "participants": [{"name": "Bo"}, {"name": "Cy"}],
        }}],
    }))
    .unwrap();
    let turn = json!({"text": "so", "usage": [7, 3]});
    let call = json!({"calls": [["", "lab", {"task": "Test it."}]], "usage": [1, 1]});
    let script = Scripted::new(&json!({"Ava": [call], "Bo": [turn, turn], "Cy": [turn, turn]}));
    (game(file), script)
}

#[tokio::test]
async fn a_team_that_is_a_tool_is_paid_for_by_whoever_calls_it_and_within_the_caps() {
    let (game, script) = caller_of_a_lab();
    let minds = Minds::all(Arc::new(script));
    let mut team = Team::new(game.clone(), minds, 7).unwrap();
    let result = team.run("go").await.unwrap();
    assert_eq!(result.usage.total_tokens(), 42, "{:?}", result.messages);
    let of_ava = result.messages.iter().filter(|told| told.source == "Ava");
    let own = of_ava.filter_map(|message| Some(message.models_usage?.total_tokens()));
    assert_eq!(own.sum::<u64>(), 2, "a message tells what itself cost");
    assert_eq!(team.engine().totals().spent.usage.total(), 42);

    let (_, script) = caller_of_a_lab();
    let mut team = Team::new(game, Minds::all(Arc::new(script.clone())), 7).unwrap();
    // Three calls are used before the first inner turn.
    team.engine().settings.limits.calls = Some(5);
    let stopped = team.run("go").await;
    assert!(script.calls() <= 5, "{}", script.calls());
    assert!(team.engine().totals().spent.calls <= 5);
    let told = match stopped {
        Ok(result) => format!("{result:?}"),
        Err(error) => error.to_string(),
    };
    assert!(told.contains("the limit is"), "{told}");
}

#[tokio::test]
async fn a_picture_in_a_task_reaches_every_model() {
    let mind = ScriptMind::by_rule(|prompt| {
        let bodies = prompt.history.entries().iter().map(|entry| entry.body());
        let mut blocks = bodies.flat_map(|body| body.listed_blocks());
        let sees = blocks.any(|block| block.as_media().is_some());
        ScriptLine::say(if sees { "I see it." } else { "I see nothing." })
    });
    let game = game(three().with_max_turns(2));
    let mut team = Team::new(game, Minds::all(Arc::new(mind)), 7).unwrap();
    let parts = vec![
        MultiModalPart::Text("Look.".into()),
        MultiModalPart::Image(json!({"data": "iVBORw0KGgo="})),
    ];
    let task = ChatMessage::new("user", ChatContent::MultiModal(parts));
    let result = team.run(task).await.unwrap();
    assert_eq!(texts(&result.messages[1..]), ["A:I see it.", "B:I see it."]);
}
