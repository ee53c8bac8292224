//! A conversation that is saved and loaded between any two messages continues as if it had not
//! been.

use std::sync::Arc;

use futures_util::StreamExt;
use playhouse_engine::mind::Minds;
use playhouse_engine::mind::improviser::Improviser;
use playhouse_engine::world_data::DataFolder;
use playhouse_groupchat::message::ChatMessage;
use playhouse_groupchat::team::{
    Activation, EdgeCondition, EdgeFile, GraphFile, Participant, ParticipantKind, Selection,
    TeamFile,
};
use playhouse_groupchat::termination::Termination;
use playhouse_groupchat::{ChatGame, Functions, StreamItem, Task, Team, improviser};

use super::cases::short;

fn named() -> [Participant; 3] {
    let helper = |name| Participant::named(name).with_description(format!("{name}, a helper"));
    ["Ava", "Bo", "Cy"].map(helper)
}

/// A team for each kind of selection and participant.
fn teams() -> Vec<TeamFile> {
    let of = |selection: Selection| {
        TeamFile::new("table", named())
            .with_selection(selection)
            .with_max_turns(6)
            .with_termination(Termination::max_messages(9))
    };
    let names = ["Bo", "Cy", "Ava"];
    let hands = |helper: Participant| names.into_iter().fold(helper, Participant::with_handoff);
    let swarm = TeamFile::new("table", named().map(hands));
    let swarm = swarm.with_selection(Selection::Swarm).with_max_turns(6);
    let graph = GraphFile {
        entry: String::new(),
        edges: ["Bo", "Cy"].map(|to| EdgeFile::new("Ava", to)).into(),
    };
    let cycle = |from: &str, to: &str, when: &str| EdgeFile {
        when: EdgeCondition::Function(when.into()),
        ..EdgeFile::new(from, to)
    };
    // A cycle that ends when a text has an odd length.
    let round = GraphFile {
        entry: "Ava".into(),
        edges: vec![
            EdgeFile::new("Ava", "Bo").in_group("first", Activation::Any),
            cycle("Bo", "Ava", "even"),
            cycle("Bo", "Cy", "odd"),
        ],
    };
    let mut helpers = named();
    helpers[0].stream = true;
    helpers[1].tools = vec!["calculate".into()];
    helpers[1].reflect_on_tool_use = Some(true);
    helpers[2].kind = ParticipantKind::Coder {
        writes: false,
        sources: Vec::new(),
        approver: String::new(),
        retries: 0,
    };
    let helpers = TeamFile::new("table", helpers).with_max_turns(6);
    let around = |name: &str, kind: ParticipantKind| {
        let mut file = TeamFile::new("table", [name, "Di"].map(Participant::named));
        file.participants[0].kind = kind;
        let inner = TeamFile::new("inner", named()).with_max_turns(2);
        file.with_team(inner).with_max_turns(4)
    };
    let nested = around("inner", ParticipantKind::Team);
    let society = ParticipantKind::Society {
        team: "inner".into(),
        instruction: String::new(),
    };
    let society = around("Soc", society);
    vec![
        of(Selection::RoundRobin),
        of(Selection::selector()),
        swarm,
        of(Selection::Random { repeats: false }),
        of(Selection::Manual { by: "Ava".into() }),
        of(Selection::Function("backwards".into())),
        of(Selection::Graph(graph)),
        of(Selection::Graph(round)),
        helpers,
        of(Selection::Ledger {
            max_stalls: 2,
            max_replans: 1,
        }),
        nested,
        society,
    ]
}

/// Pure functions: their results depend only on the messages.
fn functions() -> Functions {
    let is_even = |message: &ChatMessage| message.to_text().chars().count().is_multiple_of(2);
    Functions::default()
        .with_selector("backwards", |conversation| {
            let names = ["Cy", "Bo", "Ava"];
            Some(names[conversation.lines().count() % 3].to_owned())
        })
        .with_edge_condition("even", is_even)
        .with_edge_condition("odd", move |message| !is_even(message))
}

/// What all runs of a team share.
struct Play {
    game: ChatGame,
    minds: Minds,
}

impl Play {
    fn team(&self) -> Team {
        Team::new(self.game.clone(), self.minds.clone(), 7).unwrap()
    }

    /// The messages of a run that was paused after a number of messages and continued from its
    /// saved state. Chunks are left out: they are never recorded.
    async fn told(&self, break_after: Option<usize>) -> Vec<String> {
        let mut first = self.team();
        let mut told = Vec::new();
        {
            let pause = first.pause_handle();
            let mut stream = Box::pin(first.run_stream(TASK).unwrap());
            while let Some(item) = stream.next().await {
                match item.unwrap() {
                    StreamItem::Message(message)
                        if message.type_name() == "ModelClientStreamingChunkEvent" => {}
                    StreamItem::Retracted(retracted) => panic!("{retracted:?}"),
                    StreamItem::Message(message) => told.push(short(&message)),
                    StreamItem::Result(result) => told.extend(result.stop_reason),
                }
                if break_after == Some(told.len()) {
                    pause.store(true, std::sync::atomic::Ordering::SeqCst);
                }
            }
        }
        if break_after.is_none() || first.chat().stop.is_some() {
            return told;
        }
        let state = first.save_state().unwrap();
        let text = serde_json::to_string(&state).unwrap();
        drop(first);
        let mut second = self.team();
        let state = serde_json::from_str(&text).unwrap();
        second.load_state(&state).unwrap();
        let rest = second.run(Task::continue_run()).await.unwrap();
        told.extend(rest.messages.iter().map(short));
        told.push(rest.stop_reason.unwrap());
        told
    }
}

const TASK: &str = "What shall we plant on the hill, and is 6 * 7 enough?\n```rhai\n6 * 7\n```";

#[tokio::test]
async fn a_save_at_every_turn_of_every_kind_of_team_goes_on_alike() {
    let data = DataFolder::at("../../data").unwrap();
    let minds = Minds::all(Arc::new(Improviser::taught(improviser::teach).unwrap()));
    for file in teams() {
        let game = ChatGame::new(&data, file.clone()).unwrap();
        let play = Play {
            game: game.with_functions(functions()),
            minds: minds.clone(),
        };
        let whole = play.told(None).await;
        assert!(whole.len() >= 4, "{:?}: {whole:?}", file.selection);
        for place in 1..whole.len() {
            let told = play.told(Some(place)).await;
            assert_eq!(told, whole, "{:?} at {place}", file.selection);
        }
    }
}
