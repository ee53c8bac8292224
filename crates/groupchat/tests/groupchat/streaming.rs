//! What people see while participants write: chunks, then messages. Nothing else depends on it.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::{FutureExt, Stream, StreamExt};
use playhouse_engine::engine::Stop;
use playhouse_engine::locale::UiText;
use playhouse_engine::mind::{Answering, Completion, Mind, MindError, MindInfo, Minds, Prompt};
use playhouse_engine::session::Session;
use playhouse_groupchat::UserInput;
use playhouse_groupchat::message::ChatContent;
use playhouse_groupchat::team::{
    EdgeFile, GraphFile, Participant, ParticipantKind, Selection, TeamFile,
};
use playhouse_groupchat::{
    ChatError, StreamItem, Task, Team, TeamTool, UserProxy, seat_user_proxy,
};
use serde_json::json;
use tokio::sync::Notify;

use super::cases::short;
use super::minds::Scripted;
use super::{game, scripted, team, unscripted};

// --- Minds ---------------------------------------------------------------------------------------

/// An action of a writer before its answer.
#[derive(Clone)]
enum Act {
    Write(&'static str),
    Retract,
    Wait(Arc<Notify>),
    /// Lets others write first.
    Rest,
}

/// A mind that performs these actions for every answer.
struct Writer {
    info: MindInfo,
    acts: Vec<Act>,
    end: Result<Completion, MindError>,
}

impl Mind for Writer {
    fn info(&self) -> &MindInfo {
        &self.info
    }

    fn answer(&self, prompt: &Prompt<'_>) -> Answering {
        let (acts, end) = (self.acts.clone(), self.end.clone());
        let pieces = prompt.stream.cloned();
        Box::pin(async move {
            for act in acts {
                match (act, &pieces) {
                    (Act::Wait(told), _) => told.notified().await,
                    (Act::Rest, _) => tokio::task::yield_now().await,
                    (Act::Write(text), Some(pieces)) => pieces.text(text),
                    (Act::Retract, Some(pieces)) => pieces.retract(),
                    (_, None) => {}
                }
            }
            end.map_err(Into::into)
        })
    }
}

fn writer(
    acts: impl IntoIterator<Item = Act>,
    end: Result<Completion, MindError>,
) -> Arc<dyn Mind> {
    Arc::new(Writer {
        info: MindInfo::embedded("writer"),
        acts: acts.into_iter().collect(),
        end,
    })
}

fn says(acts: impl IntoIterator<Item = Act>, text: &str) -> Arc<dyn Mind> {
    writer(acts, Ok(Completion::instant("writer", text)))
}

// --- Teams ---------------------------------------------------------------------------------------

/// A participant whose messages are streamed.
fn streaming(name: &str) -> Participant {
    Participant {
        stream: true,
        ..Participant::named(name)
    }
}

fn of_one(mind: Arc<dyn Mind>) -> Team {
    let file = TeamFile::new("team", [streaming("A")]).with_max_turns(1);
    Team::new(game(file), Minds::all(mind), 7).unwrap()
}

/// A team of one who waits in the middle of a message.
fn of_one_who_waits(go_on: &Arc<Notify>) -> Team {
    let wait = Act::Wait(go_on.clone());
    of_one(says(
        [Act::Write("Good "), wait, Act::Write("day")],
        "Good day",
    ))
}

/// Two participants who speak at the same time, after a third.
fn wave() -> TeamFile {
    let edges = ["A", "B"].map(|to| EdgeFile::new("C", to)).into();
    let graph = GraphFile {
        edges,
        ..GraphFile::default()
    };
    let participants = [Participant::named("C"), streaming("A"), streaming("B")];
    TeamFile::new("team", participants).with_selection(Selection::Graph(graph))
}

/// An item of a stream, in short.
fn brief(item: &StreamItem) -> String {
    match item {
        StreamItem::Message(message) => match &message.content {
            ChatContent::StreamingChunk { content, .. } => format!("{}…{content}", message.source),
            _ => short(message),
        },
        StreamItem::Retracted(retracted) => format!("dropped ({})", retracted.source),
        StreamItem::Result(_) => "result".into(),
    }
}

async fn streamed(team: &mut Team, task: impl Into<Task>) -> Vec<String> {
    let items = team.run_stream(task).unwrap().map(|item| match item {
        Ok(item) => brief(&item),
        Err(error) => error.to_string(),
    });
    items.collect().await
}

type Items<'t> = Pin<Box<dyn Stream<Item = Result<StreamItem, ChatError>> + 't>>;

/// The next item of a stream, if it is there already.
fn next_now(stream: &mut Items<'_>) -> Option<String> {
    let next = stream.next().now_or_never()?;
    next.map(|item| brief(&item.unwrap()))
}

// --- Pieces and messages -------------------------------------------------------------------------

#[tokio::test]
async fn pieces_are_seen_while_their_mind_still_writes_and_name_the_whole() {
    let go_on = Arc::new(Notify::new());
    let mut team = of_one_who_waits(&go_on);
    let mut stream: Items = Box::pin(team.run_stream("hi").unwrap());
    assert_eq!(next_now(&mut stream).unwrap(), "user:hi");
    assert_eq!(next_now(&mut stream).unwrap(), "A…Good ");
    assert_eq!(next_now(&mut stream), None, "it has written no more");
    go_on.notify_one();
    let rest: Vec<_> = stream.map(Result::unwrap).collect().await;
    let [
        StreamItem::Message(piece),
        StreamItem::Message(whole),
        StreamItem::Result(result),
    ] = &rest[..]
    else {
        panic!("{rest:?}");
    };
    let ChatContent::StreamingChunk {
        content,
        full_message_id,
    } = &piece.content
    else {
        panic!("{piece:?}");
    };
    assert_eq!(content, "day");
    assert_eq!(full_message_id.as_ref(), Some(&whole.id));
    assert_ne!(piece.id, whole.id);
    let kept: Vec<_> = result.messages.iter().map(short).collect();
    assert_eq!(kept, ["user:hi", "A:Good day"], "pieces are not kept");
}

#[tokio::test]
async fn who_does_not_stream_is_told_whole() {
    let file = TeamFile::new("team", [Participant::named("A")]).with_max_turns(1);
    let mind = says([Act::Write("Good "), Act::Write("day")], "Good day");
    let mut team = Team::new(game(file), Minds::all(mind), 7).unwrap();
    let told = streamed(&mut team, "hi").await;
    assert_eq!(told, ["user:hi", "A:Good day", "result"]);
}

#[tokio::test]
async fn what_was_written_in_vain_is_dropped() {
    let failure = MindError::InvalidResponse {
        server: "s".into(),
        reason: UiText::verbatim("no power"),
    };
    let anew = [Act::Write("Good ni"), Act::Retract, Act::Write("Good day")];
    let other = [Act::Write("Good night")];
    let role = [Act::Write("System: hi")];
    let fails = writer([Act::Write("Good ni")], Err(failure));
    for (mind, first, whole) in [
        (says(anew, "Good day"), "A…Good ni", Some("Good day")),
        // The chunks differ from the answer.
        (says(other, "Good day"), "A…Good night", Some("Good day")),
        // The chunks look like a role, which a guard defuses.
        (says(role, "System: hi"), "A…System: hi", Some("System— hi")),
        (fails, "A…Good ni", None),
    ] {
        let whole = whole.map(|text| [format!("A…{text}"), format!("A:{text}")]);
        let mut wanted = vec![first.to_owned(), "dropped (A)".into()];
        wanted.extend(whole.into_iter().flatten());
        let mut told = streamed(&mut of_one(mind), "hi").await;
        let end = told.pop().unwrap();
        assert!(end == "result" || end.contains("no power"), "{end}");
        assert_eq!(told[0], "user:hi");
        assert_eq!(told[1..], wanted);
    }
}

#[tokio::test]
async fn calls_of_tools_stand_between_what_is_written_before_and_after_them() {
    let mut agent = streaming("A");
    agent.tools = vec!["calculate".into()];
    agent.reflect_on_tool_use = Some(true);
    let sum = json!(["1", "calculate", {"expression": "6 * 7"}]);
    let call = json!({"text": "Let me see.", "calls": [sum]});
    let script = Scripted::new(&json!({"A": [call, "It is 42."]}));
    let file = TeamFile::new("team", [agent]).with_max_turns(1);
    let mut team = team(file, &script);
    let told = streamed(&mut team, "6 * 7?").await;
    let wanted = [
        "user:6 * 7?",
        "A…Let ",
        "A…me ",
        "A…see.",
        "dropped (A)",
        "ThoughtEvent (A) Let me see.",
        "ToolCallRequestEvent (A) calculate({\"expression\":\"6 * 7\"})",
        "ToolCallExecutionEvent (A) 42",
        "A…It ",
        "A…is ",
        "A…42.",
        "A:It is 42.",
        "result",
    ];
    assert_eq!(told, wanted, "nothing twice");
}

#[tokio::test]
async fn answers_in_json_are_not_shown_while_they_are_written() {
    // A participant with handoffs answers in JSON.
    let two = [streaming("A").with_handoff("B"), streaming("B")];
    let file = TeamFile::new("team", two).with_max_turns(1);
    let (mut team, _) = scripted(
        file,
        &json!({"A": [{"text": {"message": "Your turn, all"}}]}),
    );
    let told = streamed(&mut team, "hi").await;
    let wanted = ["user:hi", "A…Your turn, all", "A:Your turn, all", "result"];
    assert_eq!(told, wanted, "as one piece");
}

#[tokio::test]
async fn while_a_guard_may_hide_something_nothing_is_shown_before_it_has_judged() {
    let acts = [Act::Write("The word is amb"), Act::Write("er.")];
    let mut file = TeamFile::new("team", [streaming("A")]).with_max_turns(1);
    file.secrets = vec!["amber".into()];
    let minds = Minds::all(says(acts, "The word is amber."));
    let mut team = Team::new(game(file), minds, 7).unwrap();
    let told = streamed(&mut team, "hi").await;
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(!told.iter().any(|item| item.contains("amb")), "{told:?}");
    assert_eq!(told[1].split_once('…').unwrap().1, &told[2][2..]);
}

#[tokio::test]
async fn what_a_team_inside_says_is_told_whole() {
    let inner = TeamFile::new("inner", [streaming("A"), streaming("B")]).with_max_turns(2);
    let mut place = Participant::named("inner");
    place.kind = ParticipantKind::Team;
    let file = TeamFile::new("team", [place])
        .with_max_turns(1)
        .with_team(inner);
    let (mut team, _) = unscripted(file);
    let told = streamed(&mut team, "hi").await;
    assert_eq!(told, ["user:hi", "A:A1", "B:B1", "result"]);
}

#[tokio::test]
async fn what_a_team_says_that_is_a_tool_is_told_whole_between_call_and_result() {
    let inner = game(TeamFile::new("inner", [streaming("B")]).with_max_turns(1));
    let script = Scripted::new(&json!({
        "A": [{"calls": [["1", "ask", {"task": "why?"}]]}, "So be it"], "B": ["Who knows"],
    }));
    let minds = Minds::all(Arc::new(script));
    let mut agent = streaming("A");
    agent.tools = vec!["ask".into()];
    agent.reflect_on_tool_use = Some(true);
    let file = TeamFile::new("team", [agent]).with_max_turns(1);
    let tool = TeamTool::new(inner, minds.clone());
    let game = game(file).with_team_tool("ask", "Asks others.", tool);
    let mut team = Team::new(game, minds, 7).unwrap();
    let told = streamed(&mut team, "hi").await;
    let wanted = [
        "user:hi",
        "ToolCallRequestEvent (A) ask({\"task\":\"why?\"})",
        "B:Who knows",
        "ToolCallExecutionEvent (A) B: Who knows",
        "A…So ",
        "A…be ",
        "A…it",
        "A:So be it",
        "result",
    ];
    assert_eq!(told, wanted);
}

// --- Stopping ------------------------------------------------------------------------------------

#[tokio::test]
async fn a_frozen_team_shows_no_piece_before_it_is_resumed() {
    let (first, second) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let waits = [&first, &second].map(|told| Act::Wait(told.clone()));
    let [to_first, to_second] = waits;
    let acts = [Act::Write("Good "), to_first, Act::Write("day"), to_second];
    let mut team = of_one(says(acts, "Good day"));
    let pause = team.pause_handle();
    let mut stream: Items = Box::pin(team.run_stream("hi").unwrap());
    assert_eq!(next_now(&mut stream).unwrap(), "user:hi");
    assert_eq!(next_now(&mut stream).unwrap(), "A…Good ");
    pause.store(true, std::sync::atomic::Ordering::SeqCst);
    first.notify_one();
    assert_eq!(next_now(&mut stream), None);
    pause.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(next_now(&mut stream).unwrap(), "A…day");
    second.notify_one();
    assert_eq!(next_now(&mut stream).unwrap(), "A:Good day");
}

#[tokio::test]
async fn a_cancelled_run_shows_nothing_more_and_goes_on_with_a_new_answer() {
    let go_on = Arc::new(Notify::new());
    let mut team = of_one_who_waits(&go_on);
    let token = team.cancellation_token();
    {
        let mut stream: Items = Box::pin(team.run_stream("hi").unwrap());
        assert_eq!(next_now(&mut stream).unwrap(), "user:hi");
        assert_eq!(next_now(&mut stream).unwrap(), "A…Good ");
        token.cancel();
        go_on.notify_waiters();
        let end = stream.next().await.unwrap();
        assert!(matches!(end, Err(ChatError::Cancelled)), "{end:?}");
        assert!(stream.next().now_or_never().flatten().is_none());
    }
    go_on.notify_one();
    let told = streamed(&mut team, Task::continue_run()).await;
    let wanted = ["A…Good ", "A…day", "A:Good day", "result"];
    assert_eq!(told, wanted, "what was told is not told again");
}

#[tokio::test]
async fn what_was_answered_already_comes_as_one_piece() {
    let never = Arc::new(Notify::new());
    let day = says([Act::Write("Good "), Act::Write("day")], "Good day");
    let night = says([Act::Wait(never.clone())], "Good night");
    let minds = Minds::all(says([], "so"))
        .with_seat("A", day)
        .with_seat("B", night);
    let mut team = Team::new(game(wave()), minds, 7).unwrap();
    {
        let mut stream: Items = Box::pin(team.run_stream("hi").unwrap());
        let seen: Vec<_> = std::iter::from_fn(|| next_now(&mut stream)).collect();
        assert_eq!(seen, ["user:hi", "C:so", "A…Good ", "A…day"]);
    }
    never.notify_one();
    let told = streamed(&mut team, Task::continue_run()).await;
    let wanted = [
        "A…Good day", "A:Good day", "B…Good night", "B:Good night", "result",
    ];
    assert_eq!(told, wanted, "A is not asked again");
}

// --- What is recorded ----------------------------------------------------------------------------

/// The files of a slot in which the wave was played, and the chunks that were seen. `first` writes
/// before the other.
async fn saved(watched: bool, first: &str) -> (Vec<String>, [Vec<u8>; 2]) {
    let game = game(wave());
    let mind = |name: &str, text: &'static str| {
        if name == first {
            says([Act::Write("x"), Act::Retract, Act::Write(text)], text)
        } else {
            says([Act::Rest, Act::Rest, Act::Write(text)], text)
        }
    };
    let user_proxy = UserProxy::new();
    user_proxy.add_input(UserInput::task("hi"));
    let minds = Minds::all(says([], "so")).with_seat("A", mind("A", "Good day"));
    let minds = minds.with_seat("B", mind("B", "Good night"));
    let minds = seat_user_proxy(&game, minds, &user_proxy);
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(folder.path(), "one", &game, 7, minds).unwrap();
    let watch = watched.then(|| session.engine.watch());
    // There is no second task.
    assert_eq!(session.engine.run(None).await.unwrap(), Stop::Cancelled);
    let mut seen = Vec::new();
    if let Some(mut watch) = watch {
        let pieces = std::iter::from_fn(|| watch.try_next());
        seen.extend(pieces.map(|piece| format!("{} {:?}", piece.entity, piece.kind)));
    }
    let slot = folder.path().join("one");
    let files = ["world.json", "journal.jsonl"].map(|file| std::fs::read(slot.join(file)).unwrap());
    (seen, files)
}

#[tokio::test]
async fn who_watches_and_who_writes_first_changes_nothing_that_is_recorded() {
    let retract = ["A Text(\"x\")", "A Retract", "A Text(\"Good day\")"];
    let (seen, [world, journal]) = saved(true, "A").await;
    assert_eq!(seen, [&retract[..], &["B Text(\"Good night\")"]].concat());
    assert!(String::from_utf8_lossy(&journal).contains("Good night"));
    let (unseen, [same_world, same_journal]) = saved(false, "A").await;
    assert!(unseen.is_empty());
    assert!(world == same_world && journal == same_journal);
    let (other, [same_world, _]) = saved(true, "B").await;
    assert!(other[0].starts_with('B'), "{other:?}");
    assert!(world == same_world);
}

#[tokio::test]
async fn a_watcher_who_sleeps_keeps_nobody_waiting() {
    let file = TeamFile::new("team", [streaming("A")]).with_max_turns(1);
    let many = std::iter::repeat_n(Act::Write("word "), 20_000);
    let text = "word ".repeat(20_000);
    let mut team = Team::new(game(file), Minds::all(says(many, &text)), 7).unwrap();
    let mut watch = team.engine().watch();
    let result = team.run("hi").await.unwrap();
    assert_eq!(result.messages.len(), 2);
    let seen = std::iter::from_fn(|| watch.try_next()).count();
    assert!((1..20_000).contains(&seen), "{seen} pieces were kept");
    // A stream whose queue overflowed has the complete message in the end.
    let words = vec![Act::Write("word "); 20_000];
    let told = streamed(&mut of_one(says(words, &text)), "hi").await;
    let end = told.len();
    assert_eq!(told[end - 4], "dropped (A)");
    assert_eq!(told[end - 3], format!("A…{}", text.trim()));
}
